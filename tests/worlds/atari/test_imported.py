"""The authors' file: one made up in its layout, and the published ones.

These are not ours to ship. Whoever has them names the folder above ``atari`` in ``MENSURA_PUBLISHED_PROBLEMS``.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.conftest import mensura
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.records.pools import Pool
from mensura.worlds.atari.emulator import cartridge
from mensura.worlds.atari.environment import AtariEnvironment
from mensura.worlds.atari.world import Atari

__all__ = ["mensura"]

DATA = Path(os.environ.get("MENSURA_PUBLISHED_PROBLEMS", "")) / "atari"
GAME = "breakout"


def state_of(environment: AtariEnvironment, frame: int, game: str = GAME) -> bytes:
    """The state of a game as the ALE of 2015 began it: six numbers, the sum of the cartridge, the parts by name."""
    head = np.array([1, 1, frame, frame, 900, 0, 32], "<u4").tobytes()
    memory: bytes = environment.console.machine.getRAM().astype("<u4").tobytes()
    digest = hashlib.md5(cartridge(game), usedforsecurity=False).hexdigest().encode()
    return head + digest + b"\x06\0\0\0System" + b"\x05\0\0\0M6532\x80\0\0\0" + memory + bytes(50)


def file_of(path: Path, states: list[bytes], kind: str = "float64") -> Path:
    np.save(path, np.array([np.frombuffer(one, np.uint8) for one in states]).astype(kind))
    return path


@pytest.fixture(scope="module")
def played() -> list[bytes]:
    """Two plays with two states each, and the first of them once more."""
    world = Atari(game=GAME, sticky=0.0)
    environment = world.build(world.sample(0))
    states = []
    for play in range(2):
        environment.reset(1)
        for moment in range(1, 101):
            environment.step([1 if moment < 5 else moment % (3 + play) + 2], [0.0])
            if moment in (60, 100):
                states.append(state_of(environment, environment.frames))
    return [*states, states[0]]


@pytest.mark.parametrize("kind", ["float64", "uint8"])
def test_a_file_in_the_layout_of_the_authors_is_read(
    kind: str, played: list[bytes], tmp_path: Path
) -> None:
    world = Atari(game=GAME, sticky=0.0)
    found = world.checkpoints_from(file_of(tmp_path / "theirs.npy", played, kind))
    assert found.left_out == ("state 4: the same as state 0",)
    assert [one.episode for one in found.checkpoints] == [
        f"theirs-{number}" for number in (0, 0, 1, 1)
    ]
    assert [one.interaction for one in found.checkpoints] == [60, 100, 60, 100]
    environment = world.build(found.description)
    for one, state in zip(found.checkpoints, played, strict=False):
        turn = environment.restore(one.snapshot)
        assert turn.ended is None
        memory = np.frombuffer(state[state.find(b"M6532") + 9 :][:512], "<u4")
        now = environment.console.machine.getRAM()
        assert (now == memory).sum() > 100  # four frames later
        environment.step([0], [0.0])
        assert environment.points == 0


def test_a_game_that_is_over_is_left_out(played: list[bytes], tmp_path: Path, mensura: Any) -> None:
    world = Atari(game=GAME, sticky=0.0)
    environment = world.build(world.sample(0))
    environment.reset(1)
    ended = None
    while ended is None:
        ended = environment.step([1], [0.0]).ended
    over = state_of(environment, 9000)
    file_of(tmp_path / "theirs.npy", [played[0], over])
    words = ("checkpoints", "import", "theirs.npy", "-w", "atari", "--set", f"game={GAME}")
    done = mensura(*words, "-o", "p.pool")
    assert done.status == 0, done.err
    assert "1 checkpoint of 1 episode" in done.out
    assert "Left out: state 1: the game was over at once" in done.out
    pool = Pool.read(tmp_path / "p.pool")
    assert len(pool) == len(pool.pictures) == 1
    file_of(tmp_path / "theirs.npy", [over])
    done = mensura(*words, "-o", "q.pool")
    assert (done.status, (tmp_path / "q.pool").exists()) == (2, False)


def test_other_files_are_refused_in_a_sentence(played: list[bytes], tmp_path: Path) -> None:
    world = Atari(game=GAME)

    def refused(path: Path, said: str, by: Atari = world) -> None:
        with pytest.raises(MensuraError, match=said):
            by.checkpoints_from(path)

    refused(tmp_path / "none.npy", "cannot be read")
    (tmp_path / "text.npy").write_text("nothing", encoding="utf-8")
    refused(tmp_path / "text.npy", "no array of numbers")
    np.save(tmp_path / "objects.npy", np.array([{}], object), allow_pickle=True)
    refused(tmp_path / "objects.npy", "no array of numbers")
    np.save(tmp_path / "halves.npy", np.full((2, 900), 0.5))
    refused(tmp_path / "halves.npy", "rows of bytes")
    right = file_of(tmp_path / "right.npy", played)
    refused(right, "another cartridge", Atari(game="pong"))
    refused(file_of(tmp_path / "short.npy", [one[:200] for one in played]), "no memory")
    right.write_bytes(right.read_bytes()[:3000])
    refused(right, "no array of numbers")


@settings(max_examples=examples(12, 30), deadline=None)
@given(noise=st.binary(max_size=400), place=st.integers(0, 10_000), change=st.integers(1, 255))
def test_any_bytes_are_read_or_refused(
    noise: bytes, place: int, change: int, played: list[bytes], tmp_path_factory: Any
) -> None:
    folder = tmp_path_factory.mktemp("any")
    whole = bytearray(file_of(folder / "a.npy", played[:1], "uint8").read_bytes())
    whole[place % len(whole)] ^= change
    for text in (noise, bytes(whole)):
        (folder / "a.npy").write_bytes(text)
        try:
            Atari(game=GAME).checkpoints_from(folder / "a.npy")
        except MensuraError:
            continue


@pytest.mark.skipif(
    not DATA.is_dir(), reason="MENSURA_PUBLISHED_PROBLEMS names no folder with them"
)
@pytest.mark.parametrize(
    ("file", "game", "count", "episodes", "rooms"),
    [
        ("montezuma_train_checkpoints.npy", "montezuma_revenge", 99, 6, 11),
        ("private_eye_train_checkpoints.npy", "private_eye", 91, 5, 0),
    ],
)
def test_all_that_the_authors_published_can_be_gone_on_with(
    file: str, game: str, count: int, episodes: int, rooms: int
) -> None:
    world = Atari(game=game, sticky=0.0)
    found = world.checkpoints_from(DATA / file)
    assert len(found.checkpoints) == count
    assert len(found.left_out) == 100 - count
    assert len({one.episode for one in found.checkpoints}) == episodes
    if rooms:
        environment = world.build(found.description)
        seen = set()
        for one in found.checkpoints:
            environment.restore(one.snapshot)
            seen.add(int(environment.console.machine.getRAM()[3]))
        assert len(seen) == rooms
