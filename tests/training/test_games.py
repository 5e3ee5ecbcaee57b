"""The games of the paper: halves that never meet, shipped networks that play, and words that are true of figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import mensura
from tests.worlds.atari.test_imported import file_of, state_of

torch = pytest.importorskip("torch")
pytest.importorskip("ale_py")

from mensura.agent.errors import MensuraError  # noqa: E402
from mensura.api.expectations import Wanted  # noqa: E402
from mensura.records.pools import Pool  # noqa: E402
from mensura.training import games as module  # noqa: E402
from mensura.training.games import GAMES, Measured, by_source, expectations, games, halves_of  # noqa: E402
from mensura.training.networks import Network  # noqa: E402
from mensura.training.weights import packed, shipped  # noqa: E402
from mensura.worlds.atari.world import Atari  # noqa: E402

__all__ = ["mensura"]

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made-up files in the layout of the published ones."""
    place = tmp_path_factory.mktemp("published")
    for game in GAMES:
        world = Atari(game=game.id, sticky=0.0)
        environment = world.build(world.sample(0))
        states = []
        for play in range(4):
            environment.reset(1)
            for moment in range(1, 56):
                environment.step([(moment // 7 + 3 * play) % 18], [0.0])
                if moment in (40, 55):
                    states.append(state_of(environment, environment.frames, game.id))
        file_of(place / game.file, states)
    return place


def test_halves_have_no_play_in_common_and_are_always_the_same(
    folder: Path, tmp_path: Path
) -> None:
    small = replace(GAMES[0], test=2)
    train, test = (Pool.read(path) for path in halves_of(small, folder, tmp_path))
    assert not set(train.episodes) & set(test.episodes)
    assert not set(train.snapshots) & set(test.snapshots)
    again = [Pool.read(path) for path in halves_of(small, folder, tmp_path)]
    assert [one.digest for one in again] == [train.digest, test.digest]


@pytest.mark.parametrize("game", [one.id for one in GAMES])
@pytest.mark.parametrize("way", ["dqn", "hcr"])
def test_shipped_networks_are_whole(game: str, way: str) -> None:
    parameters, frames = shipped(game, way)
    assert frames >= module.FRAMES
    network = Network((84, 84, 4), 18)
    assert {name: tuple(one.shape) for name, one in parameters.items()} == {
        name: tuple(one.shape) for name, one in network.fresh(torch.Generator()).items()
    }
    assert all(bool(torch.isfinite(one).all()) for one in parameters.values())
    screens = torch.randint(0, 255, (8, 84, 84, 4), generator=torch.Generator().manual_seed(1))
    assert network.values(parameters, screens).std() > 0


def test_a_network_is_packed_and_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = Network((84, 84, 4), 18).fresh(torch.Generator().manual_seed(1))
    (tmp_path / "pong.dqn.npz").write_bytes(packed(fresh, 12))
    monkeypatch.setattr("mensura.training.weights.files", lambda name: tmp_path)
    read, frames = shipped("pong", "dqn")
    assert frames == 12
    assert all(torch.equal(read[name], one.half().float()) for name, one in fresh.items())


def test_both_games_are_tested_and_trained_anew(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "GAMES", tuple(replace(one, test=2) for one in GAMES))
    monkeypatch.setattr(module, "LONGEST", 8)
    monkeypatch.setattr(module, "ENVIRONMENTS", 2)
    monkeypatch.setattr(module, "WITHOUT_GPU", 0)
    monkeypatch.setattr(module, "Settings", _small)
    told: list[str] = []
    wanted = Wanted(1, 4, told.append, checkpoints=folder)
    found = games(wanted)
    assert len(found) == 5
    assert all("4 evaluations" in one.found for one in found[:-1])
    assert found[-1].verdict == "open"
    assert [one.found for one in games(wanted)] == [one.found for one in found]
    games(replace(wanted, train=True, frames=400))
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        f"{game.id}.{way}.npz" for game in GAMES for way in ("dqn", "hcr")
    ]


def _small(**more: Any) -> Any:
    from mensura.training.settings import Settings

    return Settings(**more, memory=200, fill=40, exploration=100)


def test_verdicts_follow_the_interval_over_sources() -> None:
    sources = ["a", "b", "c"] * 4
    low = Measured([0.0] * 12, sources, 0)
    high = Measured(list(np.linspace(99, 101, 12)), sources, 17_000_000)
    held, _ = expectations(GAMES[0], {"random": low, "dqn": low, "hcr": high})
    assert held.verdict == "held"
    assert "17.0 million frames" in held.found
    failed, _ = expectations(GAMES[0], {"random": high, "dqn": high, "hcr": low})
    assert failed.verdict == "failed"
    alone = [one._replace(sources=["a"] * 12) for one in (low, high)]
    nobody_knows, _ = expectations(GAMES[0], {"random": alone[0], "dqn": alone[0], "hcr": alone[1]})
    assert nobody_knows.verdict == "open"
    assert "unknown" in nobody_knows.found
    wide = by_source([0.0, 0.0, 100.0, 100.0, 50.0, 50.0], ["a", "a", "b", "b", "c", "c"])
    assert wide.high - wide.low > 200  # three plays, not six


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(
        MensuraError, match=r"lacks montezuma.* and private_eye.*--checkpoints names"
    ):
        games(Wanted(1, 2, lambda text: None, checkpoints=tmp_path))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("checkpoint-replay-2016", "--train"), "name their folder"),
        (("checkpoint-replay-2016", "--checkpoints", ".", "--frames", "5"), "add --train"),
        (("checkpoint-replay-2016", "--checkpoints", ".", "--device", "abacus"), "is no device"),
        (("why-what-how", "--checkpoints", "."), "is played on no checkpoints of others"),
        (("yokoo-1998", "--train"), "is played on no checkpoints of others"),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(
    words: tuple[str, ...], said: str, mensura: Any
) -> None:
    done = mensura("reproduce", *words)
    assert done.status == 2
    assert said in done.err
