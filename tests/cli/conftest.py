"""Typing a command, as a person does, in an empty folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from mensura.cli.main import main
from mensura.core.private_files import forgetting
from mensura.terminal import output


class Typed(NamedTuple):
    """How a command ended, what it printed, and what it complained about."""

    status: int
    out: str
    err: str


@pytest.fixture
def mensura(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> object:
    """Type a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setattr(output, "SOON", 3600.0)  # what is said of long work is no part of it

    def typed(*words: str) -> Typed:
        monkeypatch.setattr(sys, "argv", ["mensura", *words])
        status = 0
        try:
            with forgetting():  # as a process of its own does when it ends
                main()
        except SystemExit as end:
            status = int(end.code or 0)
        captured = capsys.readouterr()
        return Typed(status, captured.out, captured.err)

    return typed
