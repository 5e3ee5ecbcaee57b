"""Pools of checkpoints: what is written is read, what was changed is refused, and no episode is in both parts."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.records import pools
from mensura.records.pools import FORMAT, INDEX, Checkpoint, Pool, digest_of

pytestmark = pytest.mark.quick


def pool_of(episodes: list[int]) -> Pool:
    """So many checkpoints of each episode."""
    snapshots = {}
    checkpoints = []
    for number, count in enumerate(episodes):
        for at in range(count):
            state = f"state {number} {at}".encode()
            snapshots[digest_of(state)] = state
            checkpoints.append(
                Checkpoint(digest_of(state), 0, "somebody", f"e{number}", at + 1, 0.5 * at)
            )
    return Pool("echo-v1", [{"cells": 3}], checkpoints, snapshots)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("pools") / "a.pool"
    pool = pool_of(counts)
    pool.write(path)
    assert Pool.read(path) == pool


def test_the_same_pool_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        pool_of([2, 1]).write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@given(st.lists(st.integers(1, 5), min_size=2, max_size=8), st.integers(0, 9), st.data())
def test_no_episode_is_in_both_parts_and_nothing_is_lost(
    counts: list[int], seed: int, data: st.DataObject
) -> None:
    pool = pool_of(counts)
    test = data.draw(st.integers(1, len(pool) - 1))
    try:
        train, apart = pool.split(test, seed)
    except MensuraError:
        # So few would be left that a single episode may have had them all.
        assert len(pool) - test < max(counts)
        return
    assert not set(train.episodes) & set(apart.episodes)
    assert len(apart) >= test
    assert len(train) + len(apart) == len(pool)
    assert set(train.snapshots) == {one.digest for one in train.checkpoints}


def test_a_split_that_leaves_nothing_is_one_sentence() -> None:
    with pytest.raises(MensuraError, match="3 of 3 checkpoints cannot be set apart; 1 to 2 can"):
        pool_of([3]).split(3, 1)
    with pytest.raises(MensuraError, match="none of 1 is left to train from"):
        pool_of([3]).split(1, 1)


def test_every_cut_and_every_changed_byte_is_refused_or_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.pool"
    pool = pool_of([1, 1])
    pool.write(path)
    whole = path.read_bytes()
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(MensuraError, match="no whole pool"):
            Pool.read(path)
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        with suppress(MensuraError):
            assert Pool.read(path) == pool


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": FORMAT + 1}, "its format is"),
        ({"checkpoints": []}, "no checkpoint"),
        ({"environments": []}, "environment 0 of 0"),
        ({"environments": ["x"]}, "no objects"),
        ({"checkpoints": [{"digest": "0" * 32}]}, "TypeError"),
        ({"checkpoints": 3}, "TypeError"),
    ],
)
def test_a_forged_index_is_one_sentence(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    path, forged = tmp_path / "a.pool", tmp_path / "b.pool"
    pool_of([1]).write(path)
    with zipfile.ZipFile(path) as one, zipfile.ZipFile(forged, "w") as other:
        for name in one.namelist():
            data = one.read(name)
            if name == INDEX:
                data = json.dumps({**json.loads(data), **change}).encode()
            other.writestr(name, data)
    with pytest.raises(MensuraError, match=said):
        Pool.read(forged)


def test_a_snapshot_of_another_digest_is_refused(tmp_path: Path) -> None:
    pool = pool_of([1])
    (name,) = pool.snapshots
    replace(pool, snapshots={name: b"another"}).write(tmp_path / "a.pool")
    with pytest.raises(MensuraError, match="was changed"):
        Pool.read(tmp_path / "a.pool")


def test_a_file_that_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool_of([4]).write(tmp_path / "a.pool")
    monkeypatch.setattr(pools, "MOST_IN_ALL", 20)
    with pytest.raises(MensuraError, match="more than 20 bytes"):
        Pool.read(tmp_path / "a.pool")


def test_what_is_no_pool_and_what_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="cannot be read"):
        Pool.read(tmp_path / "missing.pool")
    with pytest.raises(MensuraError, match="of echo-v1 and cannot be used in lambda-v1"):
        pool_of([1]).check_world("lambda-v1")
