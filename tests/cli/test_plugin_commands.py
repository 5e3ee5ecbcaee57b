"""Commands that other packages bring: listed, loaded when they are used, and no harm where they are broken."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from mensura.cli.plugin_commands import Commands
from mensura.core.registry import Registry

pytestmark = pytest.mark.quick

MODULE = '''
"""Commands of a zoo."""
import typer
from mensura.terminal.output import say

app = typer.Typer(no_args_is_help=True, help="Look after the animals.")

@app.command("feed")
def feed(animal: str, portions: int = 1) -> None:
    """Feed an animal."""
    say(f"{animal} ate {portions}.")

def count(most: int = 3) -> None:
    """Count the animals."""
    say(f"{most} animals.")

def odd(animal: "Animal") -> None:
    """Ask for something that no command takes."""

number = 7
'''


def install(folder: Path, package: str, **commands: str) -> None:
    """Put the metadata of a package into a folder, as pip does."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}" for name, value in commands.items()]
    (info / "entry_points.txt").write_text("\n".join(["[mensura.commands]", *lines, ""]))


@pytest.fixture
def zoo(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with commands, in a folder on the path."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "zoo_commands.py").write_text(MODULE)
    install(
        folder,
        "zoo",
        zoo="zoo_commands:app",
        count="zoo_commands:count",
        worlds="zoo_commands:count",
        gone="zoo_missing:app",
        number="zoo_commands:number",
        odd="zoo_commands:odd",
    )
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(Commands, "brought", Registry("mensura.commands", "command"))
    monkeypatch.delitem(sys.modules, "zoo_commands", raising=False)
    return folder


@pytest.mark.usefixtures("zoo")
def test_an_app_and_a_function_are_commands(mensura: Any) -> None:
    assert mensura("zoo", "feed", "bear", "--portions", "2").out == "bear ate 2.\n"
    assert mensura("count", "--most", "5").out == "5 animals.\n"
    assert "Count the animals." in mensura("count", "--help").out
    assert "Feed an animal." in mensura("zoo", "--help").out


@pytest.mark.usefixtures("zoo")
def test_they_are_listed_in_a_line_each_the_broken_ones_with_what_is_wrong(mensura: Any) -> None:
    typed = mensura("--help")
    assert typed.status == 0, typed.err
    said = " ".join(typed.out.replace("│", " ").split())
    assert "zoo Look after the animals." in said
    assert "count Count the animals." in said
    assert "The command gone of zoo cannot be loaded from zoo_missing:app: Module" in said
    assert "number The command number cannot be used: TypeError: it is a int" in said
    assert "assess Assess how intelligent subjects are" in said


@pytest.mark.usefixtures("zoo")
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("gone",), "The command gone of zoo cannot be loaded from zoo_missing:app"),
        (("gone", "x", "--help"), "The command gone of zoo cannot be loaded"),
        (("number",), "would be a Typer app or a function."),
        (("odd", "--animal", "1"), "The command odd cannot be used: NameError:"),
    ],
)
def test_a_broken_command_is_one_sentence(
    mensura: Any, words: tuple[str, ...], sentence: str
) -> None:
    typed = mensura(*words)
    assert typed.status == 2
    assert sentence in typed.err
    assert typed.err.count("\n") == 1


@pytest.mark.usefixtures("zoo")
def test_nothing_is_loaded_for_another_command_and_ours_come_first(mensura: Any) -> None:
    assert "lambda-star-v2" in mensura("worlds", "list").out
    assert mensura("--version").status == 0
    assert mensura("cuont").status == 2
    assert "zoo_commands" not in sys.modules


def test_two_packages_with_one_command_are_named_and_ours_work(mensura: Any, zoo: Path) -> None:
    install(zoo, "aquarium", count="fish:count")
    typed = mensura("--help")
    assert typed.status == 0
    assert "assess" in typed.out
    assert "The command 'count' is registered twice" in typed.err
    assert mensura("worlds", "list").status == 0
    assert mensura("count").status == 2
