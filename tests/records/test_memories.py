"""Memories on disk: whole or not there, and nobody's but their subject's."""

from __future__ import annotations

from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.records.memories import MemoriesAtHand, MemoriesOnDisk, Memory, memory_name


def test_a_memory_comes_back_as_it_was_kept_and_is_gone_when_it_is_dropped(tmp_path: Path) -> None:
    for place in (MemoriesAtHand(), MemoriesOnDisk(tmp_path / "memories", "me")):
        assert place.get("a") is None
        place.put("a", Memory(b"\x00knows", {"interactions": 7}))
        assert place.get("a") == Memory(b"\x00knows", {"interactions": 7})
        place.drop("a")
        place.drop("a")
        assert place.get("a") is None


def test_a_memory_that_was_cut_is_none(tmp_path: Path) -> None:
    place = MemoriesOnDisk(tmp_path, "me")
    place.put("a", Memory(b"knows"))
    whole = (tmp_path / "a").read_bytes()
    for damaged in (whole[:-1], b"", whole[:20] + b"!" + whole[21:]):
        (tmp_path / "a").write_bytes(damaged)
        assert place.get("a") is None


def test_the_memory_of_another_subject_is_refused(tmp_path: Path) -> None:
    MemoriesOnDisk(tmp_path, "sarsa").put("a", Memory(b"knows"))
    with pytest.raises(MensuraError, match="is that of sarsa, and q-learning is to go on from it"):
        MemoriesOnDisk(tmp_path, "q-learning").get("a")


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MensuraError, match="What me learned cannot be kept in"):
        MemoriesOnDisk(tmp_path / "file" / "folder", "me").put("a", Memory(b""))


def test_names_tell_apart_whatever_decides_what_is_known() -> None:
    assert memory_name("q-learning", 1, ("x",)) != memory_name("q-learning", 2, ("x",))
    assert memory_name("q-learning", 1) == memory_name("q-learning", 1)
