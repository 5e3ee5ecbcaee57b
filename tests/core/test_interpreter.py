"""How Python is started, and where it finds modules then."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import mensura
from mensura.core.interpreter import import_path, leave_out_current_folder, our_python

pytestmark = pytest.mark.quick

PACKAGE = str(Path(mensura.__file__).parents[1])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A current folder that is on the path twice, by name and as an empty entry."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), "/installed", PACKAGE])
    return str(tmp_path)


def test_the_current_folder_is_left_out_however_it_is_written(here: str) -> None:
    link = Path(here).parent / "link"
    link.symlink_to(here)
    sys.path.append(str(link))
    assert import_path() == ["/installed", PACKAGE]


def test_a_current_folder_that_the_user_named_comes_last(
    here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/installed", "."]))
    assert import_path() == ["/installed", PACKAGE, here]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["/installed", ""]))
    assert import_path() == ["/installed", PACKAGE]


def test_the_folder_of_this_package_stays(here: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PACKAGE)
    assert import_path() == [here, "/installed", PACKAGE]


def test_a_current_folder_that_was_removed_is_not_in_the_way(here: str) -> None:
    os.rmdir(here)
    assert "/installed" in import_path()


def test_nothing_is_imported_from_the_current_folder_any_more(here: str) -> None:
    (Path(here) / "planted_here.py").write_text("")
    leave_out_current_folder()
    with pytest.raises(ModuleNotFoundError):
        __import__("planted_here")


def test_what_we_start_is_isolated_and_finds_modules_where_we_do(here: str) -> None:
    command = our_python("mensura.cli.main", "--version")
    assert command[1] == "-I"
    assert ascii(import_path()) in command[-2]
    assert command[-1] == "--version"
