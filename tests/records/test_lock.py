"""The lock of a file: one holder, whatever happens to the file."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from mensura.records.lock import FileLock

pytestmark = pytest.mark.quick


def test_a_file_lock_has_one_holder_and_leaves_no_file(tmp_path: Path) -> None:
    one, other = (FileLock(tmp_path / "lock") for _ in range(2))
    assert not other.is_taken()
    assert one.take()
    assert other.is_taken()
    assert not other.take()
    one.give()
    assert not (tmp_path / "lock").exists()
    assert other.take()
    other.give()
    other.give()


def test_the_file_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.write_text("12345")
    lock = FileLock(path)
    assert not lock.is_taken()
    assert lock.take()
    assert lock.holder() != "12345"
    lock.give()
    assert lock.holder() == ""


def test_a_file_that_was_removed_before_it_was_locked_is_not_mistaken_for_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    flock = fcntl.flock
    removed = []

    def late(descriptor: int, operation: int) -> None:
        if not removed:
            removed.append(path)
            path.unlink()
        flock(descriptor, operation)

    lock = FileLock(path)
    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", late)
        assert lock.take()
    assert FileLock(path).is_taken()
    lock.give()
