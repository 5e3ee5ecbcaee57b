"""Where a run comes from: the commit is found without executing what a repository names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mensura.records.provenance import commit


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_commit_is_found_and_no_program_of_the_repository_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mark = tmp_path.parent / f"{tmp_path.name}-mark"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    git("init", "--quiet", ".")
    Path("file").write_text("text")
    Path(".gitattributes").write_text("* filter=planted\n")
    git("add", ".")
    author = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    git(*author, "commit", "--quiet", "--message", "first")
    head = git("rev-parse", "HEAD")
    git("config", "core.fsmonitor", str(program))
    git("config", "filter.planted.clean", str(program))
    (tmp_path / ".git" / "hooks").mkdir(exist_ok=True)
    (tmp_path / ".git" / "hooks" / "post-index-change").symlink_to(program)
    os.utime("file", (1, 1))  # so that git has to compare it
    assert commit() == head
    Path("file").write_text("another text")
    assert commit() == f"{head}+changes"
    assert not mark.exists()


def test_there_is_no_commit_where_there_is_no_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert commit() == ""
