"""The page on FraMoTEC shows what really is: its blocks, functions, operations, properties, sentences and pictures."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from PIL import Image
from tests.pages import DOCS, column, follow, table

from mensura.agent.errors import MensuraError
from mensura.cli.parameters import typed
from mensura.worlds.framotec.analysis.properties import PROPERTIES
from mensura.worlds.framotec.model.blocks import GLOBAL_NAMES, KINDS, Integrator
from mensura.worlds.framotec.model.expression import LANGUAGE, parse_assignment
from mensura.worlds.framotec.model.files import FORM, parse_task
from mensura.worlds.framotec.model.operations import OPERATIONS
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import SAMPLES
from mensura.worlds.framotec.task_files import FramotecFiles
from mensura.worlds.framotec.world import Framotec

pytestmark = pytest.mark.quick

PAGE = (DOCS / "worlds" / "framotec.md").read_text(encoding="utf-8")


def test_every_field_of_every_block_stands_there_with_what_it_usually_is() -> None:
    shown: dict[tuple[str, str], str] = {}
    block = ""
    for first, names, usual, _ in table(PAGE, "block", "field", "usually", "meaning"):
        block = first.strip("`") or block
        for name in names.split(", "):
            shown[block, name.strip("`")] = usual
    kinds: dict[str, Any] = {"task": Task}
    kinds |= {kind.__name__.lower(): kind for kind in KINDS.values()}
    real = {(noun, one.name): one for noun, kind in kinds.items() for one in fields(kind)}
    assert set(shown) == set(real)
    for at, one in real.items():
        default: Any = one.default
        if default is MISSING:
            expected = "needed"
        elif default in ((), "", None) or at == ("task", "limits"):
            expected = "none"
        else:
            expected = typed(default)
        assert shown[at] == expected, at


def test_every_function_stands_there() -> None:
    shown = {
        name.strip("`").partition("(")[0]
        for row in table(PAGE, "function", "gives")
        for name in re.findall(r"`[^`]+`", row[0])
    }
    assert shown == set(LANGUAGE.functions)
    assert "of two to eight numbers" in PAGE
    assert (LANGUAGE.functions["min"].least, LANGUAGE.functions["max"].most) == (2, 8)


def test_the_notation_is_read() -> None:
    shown = [row[0] for row in table(PAGE, "written", "means")]
    for source in ("car.mass <- 1200 + car.energy / 46000", "x.value <- 0 when x.value > 9"):
        assert f"`{source}`" in shown
        parse_assignment(source)
    assert any(set(re.findall(r"\w+", row)) == set(GLOBAL_NAMES) for row in shown)


def test_the_integrators_are_those_of_tasks() -> None:
    assert tuple(column(PAGE, "integrator", "how it moves objects")) == get_args(Integrator)


def test_every_operation_stands_there_with_its_arguments() -> None:
    shown = column(PAGE, "operation", "arguments", "gives")
    assert list(shown) == list(OPERATIONS)
    makers = FramotecFiles().makers()
    for name in OPERATIONS:
        task, *rest = inspect.signature(makers[name]).parameters.values()
        assert task.name == "task"
        words = [(one.name.rstrip("_"), one.default) for one in rest]
        given = [word if usual is inspect.Parameter.empty else f"({word})" for word, usual in words]
        assert shown[name][0] == " ".join(given), name


def test_every_property_stands_there_with_what_tunes_it() -> None:
    shown = table(PAGE, "property", "value", "tuned by")
    assert shown == [[name, one.value, one.tuned_by] for name, one in PROPERTIES.items()]
    assert len(shown) == 11


def test_every_parameter_of_the_world_stands_there() -> None:
    shown = column(PAGE, "parameter", "default", "meaning")
    assert list(shown) == [one.name for one in fields(Framotec)]
    for one in fields(Framotec):
        assert shown[one.name][0] == typed(one.default), one.name


def test_the_complexities_and_the_samples_are_those_of_the_world() -> None:
    assert column(PAGE, "measure", "what it is") == {
        name: [one.explanation] for name, one in Framotec.measures.items()
    }
    assert list(column(PAGE, "task", "what has to be done", "source")) == list(SAMPLES)
    assert f"{FORM.most_bytes:,} bytes or {FORM.most_values:,} values" in PAGE


def test_the_sentence_about_a_wrong_file_is_the_one_that_is_said() -> None:
    (said,) = re.findall(r"^ferry\.yaml, line .*$", PAGE, re.MULTILINE)
    (text,) = re.findall(r'^```yaml title="ferry.yaml"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL)
    with pytest.raises(MensuraError) as found:
        parse_task(text.replace("0.2 * tide.value", "0.2 * tde.value"), "ferry.yaml")
    assert str(found.value) == said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader has followed the page."""
    there = tmp_path_factory.mktemp("page")
    follow(PAGE, there)
    return there


@pytest.mark.thorough
def test_the_picture_is_the_one_that_the_command_draws(folder: Path) -> None:
    drawn, shown = (
        [*ElementTree.fromstring((place / "framotec.svg").read_text("utf-8")).itertext()]
        for place in (folder, DOCS / "images")
    )
    assert drawn == shown


@pytest.mark.thorough
def test_the_film_is_the_one_that_the_command_makes(folder: Path) -> None:
    frames = []
    for place in (folder, DOCS / "images"):
        with Image.open(place / "framotec.gif") as image:
            frames.append((image.size, getattr(image, "n_frames", 1)))
    assert frames[0] == frames[1]


@pytest.mark.thorough
def test_the_commands_made_their_files(folder: Path) -> None:
    made = {path.name for path in folder.iterdir()}
    assert {"anywhere.yaml", "foggy.yaml", "both.yaml", "part-3.yaml"} <= made


def test_every_picture_of_the_page_is_there() -> None:
    images = re.findall(r"\]\(\.\./images/([\w.-]+)\)", PAGE)
    assert set(images) == {"framotec.svg", "framotec.gif"}
    assert all((DOCS / "images" / name).is_file() for name in images)
