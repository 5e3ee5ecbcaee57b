"""The page on Lambda shows what really is: its switches, its sentences, its pictures, and code that runs."""

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from mensura.cli.main import main
from mensura.cli.worlds import _typed
from mensura.core.errors import MensuraError
from mensura.worlds.lambda_class.space import Space
from mensura.worlds.lambda_class.switches import PRESETS, Switches
from mensura.worlds.lambda_class.world import Lambda

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "worlds" / "lambda.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PAGE.splitlines()
    if line.startswith("|")
]


def table(*names: str) -> dict[str, list[str]]:
    """The rows of the table with these headings, by their first column."""
    first = next(i for i, row in enumerate(ROWS) if row[: len(names)] == [*names])
    found = {}
    for row in ROWS[first + 2 :]:
        if len(row) != len(ROWS[first]) or not row[0].startswith("`"):
            break
        found[row[0].strip("`")] = row[1:]
    return found


def test_every_switch_stands_there_with_both_presets() -> None:
    shown = table("switch", "`thesis`", "`theory`")
    assert list(shown) == [field.name for field in fields(Switches)]
    for field in fields(Switches):
        for at, preset in enumerate(("thesis", "theory")):
            value: Any = PRESETS[preset].get(field.name, field.default)
            assert shown[field.name][at] == _typed(value), field.name


def test_every_parameter_of_the_generator_stands_there() -> None:
    shown = table("parameter", "default", "meaning")
    own = {field.name: field for field in fields(Lambda)}
    for field in fields(Switches):
        del own[field.name]
    assert set(shown) == set(own)
    for name, row in shown.items():
        assert row[0] == _typed(own[name].default)


def test_the_complexities_are_those_of_the_world() -> None:
    assert set(table("measure", "what it is")) == set(Lambda.measures)


def test_the_sentence_about_a_malformed_space_is_the_one_that_is_said() -> None:
    (said,) = re.findall(r"^The space '(.*?)' (has .*)$", PAGE, re.MULTILINE)
    with pytest.raises(MensuraError) as found:
        Space.parse(said[0])
    assert str(found.value) == f"The space '{said[0]}' {said[1]}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """All code and all commands of the page, one after another in one folder, as a reader would type them."""
    there = tmp_path_factory.mktemp("page")
    scope: dict[str, Any] = {"__name__": "page"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(there)
        for kind, title, block in re.findall(
            r'^```(\w+)(?: title="([\w.-]+)")?\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL
        ):
            if title:
                Path(title).write_text(block, encoding="utf-8")
            elif kind == "python":
                exec(compile(block, "lambda.md", "exec"), scope)
            elif kind == "console":
                for line in block.splitlines():
                    patch.setattr(sys, "argv", shlex.split(line))
                    with pytest.raises(SystemExit) as end:
                        main()
                    assert not end.value.code, line
        yield there


@pytest.mark.parametrize("name", ["lambda.svg", "lambda-corridor.svg"])
def test_the_pictures_are_those_that_the_commands_draw(folder: Path, name: str) -> None:
    drawn, shown = (
        [*ElementTree.fromstring((place / name).read_text(encoding="utf-8")).itertext()]
        for place in (folder, DOCS / "images")
    )
    assert drawn == shown


def test_the_film_is_the_one_that_the_command_makes(folder: Path) -> None:
    frames = []
    for place in (folder, DOCS / "images"):
        with Image.open(place / "lambda.gif") as image:
            frames.append((image.size, getattr(image, "n_frames", 1)))
    assert frames[0] == frames[1]


def test_every_picture_of_the_page_is_there() -> None:
    images = re.findall(r"\]\(\.\./images/([\w.-]+)\)", PAGE)
    assert set(images) == {"lambda.svg", "lambda-corridor.svg", "lambda.gif"}
    assert all((DOCS / "images" / name).is_file() for name in images)
