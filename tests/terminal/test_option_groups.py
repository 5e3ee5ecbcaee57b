"""Tests of groups of options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import pytest
import typer
from typer.testing import CliRunner

from mensura.cli.main import app as mensura
from mensura.terminal.option_groups import with_groups

pytestmark = pytest.mark.quick


@dataclass(frozen=True)
class Colors:
    """How it looks."""

    panel: ClassVar[str] = "The looks"

    color: Annotated[str, typer.Option("--color", "-c", help="Which.")] = "red"
    bright: Annotated[bool, typer.Option("--bright", help="Whether it shines.")] = False


def made() -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @with_groups
    def paint(
        what: Annotated[str, typer.Argument(help="What is painted.")], *, colors: Colors
    ) -> None:
        """Paint something."""
        typer.echo(f"{what} {colors.color} {colors.bright}")

    return app


def test_a_command_gets_the_options_of_a_group_as_one_object() -> None:
    run = CliRunner()
    assert run.invoke(made(), ["door"]).output == "door red False\n"
    assert run.invoke(made(), ["door", "-c", "blue", "--bright"]).output == "door blue True\n"
    assert run.invoke(made(), ["door", "--dark"]).exit_code == 2


def test_help_shows_a_group_under_its_heading() -> None:
    text = CliRunner().invoke(made(), ["--help"]).output
    assert text.index("Options") < text.index("The looks") < text.index("--color")


def test_one_group_in_two_commands_is_not_changed_by_either() -> None:
    made()
    note = Colors.__annotations__["color"]
    made()
    assert Colors.__annotations__["color"] == note


@pytest.mark.parametrize(
    "command", [["assess"], ["watch"], ["worlds", "show"], ["agents", "check"]]
)
def test_no_heading_of_help_has_more_than_a_dozen_options(command: list[str]) -> None:
    text = CliRunner().invoke(mensura, [*command, "--help"], env={"COLUMNS": "100"}).output
    for panel in text.split("╭─ ")[1:]:
        assert sum(line.startswith("│ --") for line in panel.splitlines()) <= 12, panel


def test_assess_tells_first_what_most_people_need() -> None:
    text = CliRunner().invoke(mensura, ["assess", "--help"], env={"COLUMNS": "100"}).output
    headings = [
        "Options",
        "The assessment",
        "The world",
        "The run",
        "Language models",
        "What language models may take",
        "Output",
    ]
    places = [text.index(f"╭─ {heading} ") for heading in headings]
    assert places == sorted(places)
    for option in ("--world", "--assessment", "--budget", "--episodes", "--seed", "--report"):
        assert places[0] < text.index(f"│ {option}") < places[1]
