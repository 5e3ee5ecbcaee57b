"""Training: played in processes or here, interrupted and gone on with, written as a model, refused in a sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.conftest import mensura

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

from mensura.agent.errors import MensuraError, StoppedEarly  # noqa: E402
from mensura.core.loop import play  # noqa: E402
from mensura.core.players import drive  # noqa: E402
from mensura.records.pools import Pool  # noqa: E402
from mensura.records.training_note import training_note  # noqa: E402
from mensura.studies.subjects import resolve  # noqa: E402
from mensura.training.actors import Actors, Place  # noqa: E402
from mensura.training.evaluating import scores_of  # noqa: E402
from mensura.training.experience import experience_of_run  # noqa: E402
from mensura.training.models import told_of  # noqa: E402
from mensura.training.settings import SMALL, Settings  # noqa: E402
from mensura.training.trainer import Trainer  # noqa: E402
from mensura.training.training import Order, train  # noqa: E402
from mensura.worlds.lambda_star.world import LambdaStar  # noqa: E402

__all__ = ["mensura"]

pytestmark = pytest.mark.thorough

STAR = Place("lambda-star-v2", {"rows": 4, "cols": 4, "horizon": 20}, limit=15)
SHORT = Settings(**{**SMALL, "interactions": 600, "fill": 100, "exploration": 400})
WORDS = ("train", "dqn", "-w", "lambda-star", "--grid", "4x4", "--set", "horizon=20", "--seed", "1")


def test_processes_play_as_this_one_does() -> None:
    rng = np.random.default_rng(0)
    here, there = Actors([STAR, STAR], 3, seed=5), Actors([STAR, STAR], 3, workers=2, seed=5)
    try:
        assert np.array_equal(here.now["fresh"], there.now["fresh"])
        for _ in range(40):
            actions = rng.integers(9, size=(2, 3))
            here.send(actions)
            there.send(actions)
            ours, theirs = here.receive(), there.receive()
            assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
    finally:
        here.close()
        there.close()


def test_a_process_that_breaks_is_told_of() -> None:
    with pytest.raises(MensuraError, match="nowhere"):
        Actors([STAR, Place("lambda-star-v2", {"subjects": 1}, "nowhere.pool")], 1, workers=2)


def test_training_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    first = Trainer([STAR], SHORT, seed=1, kept=kept)
    assert not first.run(until=0.0)
    while first.progress.interactions < 300:
        first.run(until=0.0)
    first.close()
    second = Trainer([STAR], SHORT, seed=1, kept=kept)
    assert second.progress.interactions == first.progress.interactions
    assert second.learners[0].updates == first.learners[0].updates > 0
    for name, one in first.learners[0].parameters.items():
        assert torch.equal(one, second.learners[0].parameters[name])
    assert second.run()
    assert second.progress.interactions == 600
    second.close()
    with pytest.raises(MensuraError, match=r"discount was 0\.99, not 0\.5"):
        Trainer(
            [STAR],
            Settings(**{**SMALL, "discount": 0.5, "fill": 100, "exploration": 400}),
            kept=kept,
        )
    kept.write_bytes(kept.read_bytes()[:1000])
    with pytest.raises(MensuraError, match="holds no training"):
        Trainer([STAR], SHORT, kept=kept)


def test_what_was_kept_of_other_training_is_not_gone_on_with(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    first = Trainer([STAR], SHORT, seed=1, kept=kept, about={"world": "a", "checkpoints": None})
    first.run(until=0.0)
    first.close()
    with pytest.raises(MensuraError, match="checkpoints was None, not 'abc'"):
        Trainer([STAR], SHORT, seed=1, kept=kept, about={"world": "a", "checkpoints": "abc"})
    with pytest.raises(MensuraError, match="learners was 1, not 2"):
        Trainer([STAR, STAR], SHORT, seed=1, kept=kept, about={"world": "a", "checkpoints": None})
    with pytest.raises(MensuraError, match="seed was 1, not 2"):
        Trainer([STAR], SHORT, seed=2, kept=kept, about={"world": "a", "checkpoints": None})


def test_what_was_kept_by_a_gpu_is_gone_on_with_here(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    first = Trainer([STAR], SHORT, seed=1, kept=kept)
    while not first.learners[0].updates:
        first.run(until=0.0)
    first.close()
    state = torch.load(kept, weights_only=True)
    for group in state["learners"][0]["optimizer"]["param_groups"]:
        group["capturable"] = True
    torch.save(state, kept)
    second = Trainer([STAR], SHORT, seed=1, kept=kept)
    assert second.run()
    second.close()


def test_a_memory_that_does_not_fit_is_refused_before_it_is_made() -> None:
    with pytest.raises(MensuraError, match=r"transitions of .* bytes do not fit"):
        Trainer([STAR], replace(SHORT, memory=10**12), seed=1)


def test_training_that_is_interrupted_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(self: Trainer, *args: object, **kwargs: object) -> bool:
        self._interact()
        raise KeyboardInterrupt

    order = Order(world=LambdaStar(rows=4, cols=4, horizon=20, subjects=1), frames=600, seed=1,
                  output=tmp_path / "m.zip")  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "run", interrupted)
        with pytest.raises(StoppedEarly, match="the same command goes on from"):
            train(order)
    assert not order.output.exists()
    assert "600 of 600" in train(order)
    assert order.output.exists()


def test_a_subject_that_fails_gives_no_experience(mensura: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def act(self, observation, reward):\n        raise ValueError\n",
        encoding="utf-8",
    )
    done = mensura(*WORDS, "--frames", "700", "--experience", "mine.py:Mine", "-o", "m.zip")
    assert done.status == 2
    assert "mine.py:Mine cannot give experience" in done.err
    assert not (tmp_path / "m.zip").exists()


def test_two_learners_side_by_side_learn_apart() -> None:
    trainer = Trainer([STAR, STAR], SHORT, seed=1)
    trainer.run()
    trainer.close()
    first, second = (one.parameters["q_net.q_net.0.weight"] for one in trainer.learners)
    assert not torch.equal(first, second)
    report = trainer.report()
    assert len(report["score"]) == len(report["value"]) == 2


def test_two_thousand_steps_train_a_model_that_plays(mensura: Any, tmp_path: Path) -> None:
    done = mensura(*WORDS, "--frames", "2k", "-o", "mine.zip")
    assert done.status == 0, done.err
    assert "2000 of 2000 interactions" in done.out
    told = told_of(tmp_path / "mine.zip")
    assert told["world"] == "lambda-star-v2"
    assert told["settings"]["interactions"] == 2000
    lines = (tmp_path / "mine.zip.log").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["interactions"] == 2000
    assert sorted(one.name for one in tmp_path.glob("mine*")) == ["mine.zip", "mine.zip.log"]
    world = LambdaStar(rows=4, cols=4, horizon=20, subjects=1)
    subject = resolve(f"sb3:{tmp_path}/mine.zip", world, in_process=True)
    player = subject.sit(1)
    episode = drive(play(world.build(world.sample(1)), 2, world=world.id, seed=3), player)
    player.close()
    assert not episode.faults
    assert episode.interactions == (20,)


def test_a_model_is_trained_from_checkpoints_and_with_experience(
    mensura: Any, tmp_path: Path
) -> None:
    world = ("-w", "lambda-star", "--grid", "4x4", "-n", "1", "--set", "horizon=20")
    done = mensura("checkpoints", "record", "local-search", *world, "--every", "5", "--count", "20",
                   "--seed", "1", "-o", "a.pool")  # fmt: skip
    assert done.status == 0, done.err
    done = mensura(*WORDS, "--frames", "700", "--checkpoints", "a.pool", "--limit", "10",
                   "--experience", "local-search", "--experiences", "200", "-o", "m.zip")  # fmt: skip
    assert done.status == 0, done.err
    told = told_of(tmp_path / "m.zip")
    assert told["settings"]["limit"] == 10
    assert told["experience"] == "local-search"
    note = training_note(tmp_path / "m.zip")
    assert note is not None
    assert note.digest == Pool.read(tmp_path / "a.pool").digest


def test_what_was_played_in_a_run_is_experience(mensura: Any, tmp_path: Path) -> None:
    world = ("-w", "lambda-star", "--grid", "4x4", "-n", "1", "--set", "horizon=20")
    done = mensura("assess", "local-search", *world, "--assessment", "battery", "-e", "5", "--seed", "1", "--name", "a",
                   "--store", "s.db")  # fmt: skip
    assert done.status == 0, done.err
    played = experience_of_run(
        str(tmp_path / "s.db"), "a", LambdaStar(rows=4, cols=4, horizon=20, subjects=1), 45
    )
    assert played.interactions == 60  # whole episodes until there are enough
    assert [len(one.seen) for one in played.episodes] == [21] * 3
    done = mensura(
        *WORDS, "--frames", "300", "--experience", "run:a", "--store", "s.db", "-o", "m.zip"
    )
    assert done.status == 0, done.err
    assert told_of(tmp_path / "m.zip")["experience"] == "run:a"
    other = mensura(*WORDS, "--set", "subjects=1", "--set", "rows=5", "--frames", "300", "--experience", "run:a",
                    "--store", "s.db", "-o", "n.zip")  # fmt: skip
    assert other.status == 2
    assert "rows is 4, not 5" in other.err


def test_the_emulator_is_trained_in(tmp_path: Path) -> None:
    place = Place("atari-v1", {"game": "pong", "horizon": 30})
    small = Settings(interactions=120, fill=40, memory=200, environments=2, exploration=100)
    trainer = Trainer([place], small, seed=1, kept=tmp_path / "kept")
    assert trainer.run()
    trainer.close()
    found = scores_of(place, trainer.learners[0].parameters, episodes=2, epsilon=0.05, seed=1)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--frames", "soon"), "'soon' is no number of frames"),
        (("--with", "discont=0.5"), "did you mean discount?"),
        (("--with", "discount=2"), "discount is 2.0 in training; it has to be from 0 to 1"),
        (("--with", "batch=x"), "batch is 'x' in training"),
        (("--device", "cuda"), "finds no GPU here"),
        (("--checkpoints", "nowhere.pool"), "nowhere.pool cannot be read"),
        (("--experience", "nobody"), "nobody"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(
    words: tuple[str, ...], said: str, mensura: Any, tmp_path: Path
) -> None:
    if "cuda" in words and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    done = mensura(*WORDS, *words, "-o", "m.zip")
    assert done.status == 2
    assert said in done.err
    assert not (tmp_path / "m.zip").exists()


def test_worlds_that_no_network_can_play_are_refused(mensura: Any) -> None:
    done = mensura("train", "dqn", "-w", "constraints", "--set", "n=1")
    assert done.status == 2
    assert "A deep Q-network chooses one of a few actions" in done.err
