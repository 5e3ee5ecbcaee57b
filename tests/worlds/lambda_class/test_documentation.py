"""The page on Lambda shows what really is: its switches, its sentences, its pictures, and code that runs."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image
from tests.pages import DOCS, column, follow

from mensura.agent.errors import MensuraError
from mensura.cli.parameters import typed
from mensura.worlds.lambda_class.space import Space
from mensura.worlds.lambda_class.switches import PRESETS, Switches
from mensura.worlds.lambda_class.world import Lambda

PAGE = (DOCS / "worlds" / "lambda.md").read_text(encoding="utf-8")


def test_every_switch_stands_there_with_both_presets() -> None:
    shown = column(PAGE, "switch", "`thesis`", "`theory`")
    assert list(shown) == [field.name for field in fields(Switches)]
    for field in fields(Switches):
        for at, preset in enumerate(("thesis", "theory")):
            value: Any = PRESETS[preset].get(field.name, field.default)
            assert shown[field.name][at] == typed(value), field.name


def test_every_parameter_of_the_generator_stands_there() -> None:
    shown = column(PAGE, "parameter", "default", "meaning")
    own = {field.name: field for field in fields(Lambda)}
    for field in fields(Switches):
        del own[field.name]
    assert set(shown) == set(own)
    for name, row in shown.items():
        assert row[0] == typed(own[name].default)


def test_the_complexities_are_those_of_the_world() -> None:
    assert set(column(PAGE, "measure", "what it is")) == set(Lambda.measures)


def test_the_sentence_about_a_malformed_space_is_the_one_that_is_said() -> None:
    (said,) = re.findall(r"^The space '(.*?)' (has .*)$", PAGE, re.MULTILINE)
    with pytest.raises(MensuraError) as found:
        Space.parse(said[0])
    assert str(found.value) == f"The space '{said[0]}' {said[1]}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader has followed the page."""
    there = tmp_path_factory.mktemp("page")
    follow(PAGE, there)
    return there


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["lambda.svg", "lambda-corridor.svg"])
def test_the_pictures_are_those_that_the_commands_draw(folder: Path, name: str) -> None:
    drawn, shown = (
        [*ElementTree.fromstring((place / name).read_text(encoding="utf-8")).itertext()]
        for place in (folder, DOCS / "images")
    )
    assert drawn == shown


@pytest.mark.thorough
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
