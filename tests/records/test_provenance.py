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
    Path("__init__.py").write_text("text")
    Path(".gitattributes").write_text("* filter=planted\n")
    git("add", ".")
    author = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    git(*author, "commit", "--quiet", "--message", "first")
    head = git("rev-parse", "HEAD")
    git("config", "core.fsmonitor", str(program))
    git("config", "filter.planted.clean", str(program))
    (tmp_path / ".git" / "hooks").mkdir(exist_ok=True)
    (tmp_path / ".git" / "hooks" / "post-index-change").symlink_to(program)
    os.utime("__init__.py", (1, 1))  # so that git has to compare it
    assert commit(tmp_path) == head
    Path("__init__.py").write_text("another text")
    assert commit(tmp_path) == f"{head}+changes"
    assert not mark.exists()


def test_the_commit_is_that_of_the_package_wherever_one_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = commit()
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet", ".")
    author = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    git(*author, "commit", "--quiet", "--allow-empty", "--message", "of another project")
    assert commit() == here


def test_a_package_that_only_lies_in_a_repository_is_not_of_its_commit(tmp_path: Path) -> None:
    git("init", "--quiet", str(tmp_path))
    author = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    git("-C", str(tmp_path), *author, "commit", "--quiet", "--allow-empty", "--message", "other")
    package = tmp_path / "site-packages" / "mensura"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    assert commit(package) == ""


def test_there_is_no_commit_where_there_is_no_repository(tmp_path: Path) -> None:
    assert commit(tmp_path) == ""
