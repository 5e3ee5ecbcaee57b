"""Programs of the scheme ``cmd``, found as they are written."""

import sys
from pathlib import Path

import pytest

from mensura.agent.task import Limits
from mensura.agents.program import ProgramSubject, found

CLIENT = Path(__file__).resolve().parents[2] / "examples" / "clients" / "client.py"


def test_a_program_in_this_folder_is_found_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = Path("client")
    program.write_text(f"#!{sys.executable}\n{CLIENT.read_text(encoding='utf-8')}")
    program.chmod(0o755)
    assert found("./client") == "./client"
    player = ProgramSubject("client", ["./client"], Limits()).sit(1)
    player.close()


def test_one_that_a_version_manager_only_stands_for_is_the_real_one(tmp_path: Path) -> None:
    for folder in ("bin", "shims"):
        (tmp_path / folder).mkdir()
    manager, shim = tmp_path / "bin" / "pyenv", tmp_path / "shims" / "python"
    manager.write_text("#!/bin/sh\necho /the/real/$2\n")
    shim.write_text("#!/bin/sh\n")
    for program in (manager, shim):
        program.chmod(0o755)
    assert found(str(shim)) == "/the/real/python"
