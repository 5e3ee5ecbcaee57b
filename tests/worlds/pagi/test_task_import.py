"""Task files of the authors' program, read as data."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds.pagi.streams import Saved, stream

from mensura.agent.errors import MensuraError
from mensura.worlds.pagi.published.binary_format import MOST_VALUES, read_stream
from mensura.worlds.pagi.published.tsk import SavedObject, as_yaml, import_tsk, read_tsk

pytestmark = pytest.mark.quick

GOOD = stream(
    [
        Saved("apple", 1, 3.0, 1.0),
        Saved("floating wallBlock", 13, -2.5, 0.0, 0.5),
        Saved("apple", 1, 4.0, 1.0),
        Saved("soldier_injured", 25, 5.0, 2.0),
        Saved("unnamedObject", 27, 6.0, 2.0),
        Saved("garfield", 0, 7.0, 2.0),
        Saved("bacon", 2, 400.0, -31676.0),
    ],
    "Eat it\nall",
    (-1.0, 2.0, 0.0),
    gravityX=0.0,
    gravityY=-4.0,
    gameSpeed=2.0,
)


def test_a_file_becomes_a_task_of_ours() -> None:
    saved = read_tsk(GOOD)
    assert (saved.body, saved.gravity, saved.speed) == ((-1.0, 2.0), (0.0, -4.0), 2.0)
    assert saved.objects[1] == SavedObject("floating wallBlock", 13, -2.5, 0.0, 60.0)
    text = as_yaml(saved, "mine")
    assert yaml.safe_load(text) == {
        "name": "mine",
        "instructions": "Eat it all",
        "gravity": 4.0,
        "bodies": [[-1.0, 2.0]],
        "objects": [
            {"kind": "apple", "name": "apple", "x": 3.0, "y": 1.0},
            {"kind": "floatingWallBlock", "name": "floatingWallBlock", "x": -2.5, "y": 0.0, "degrees": 60.0},
            {"kind": "apple", "name": "apple_2", "x": 4.0, "y": 1.0},
            {"kind": "soldier", "name": "soldier", "x": 5.0, "y": 2.0},
            {"kind": "lavaBlock", "name": "lavaBlock", "x": 6.0, "y": 2.0},
        ],
        "solved": "apple.gone and apple_2.gone",
    }  # fmt: skip
    assert "# Left out: 'garfield' (number 0) at 7, 2: no such kind." in text
    assert "'bacon' (number 2) at 400, -31676: it has fallen out of the room." in text
    assert "speed is 2" in text


def test_names_of_a_file_stay_comments() -> None:
    text = as_yaml(read_tsk(stream([Saved("evil\nsolved: true\r\x85#", 0, 0, 0)])), "a\nb: c")
    assert yaml.safe_load(text) == {"name": "a\nb: c", "bodies": [[0.0, 1.14]], "objects": []}


@pytest.mark.parametrize("end", range(0, len(GOOD), 7))
def test_a_truncated_file_is_refused(end: int) -> None:
    with pytest.raises(MensuraError, match="it ends in the middle"):
        read_tsk(GOOD[:end])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "ends in the middle"),
        (b"hello", "does not begin as one"),
        (b"\x00" * 50, "version"),
        (GOOD.replace(b"FileSaving", b"FileKeeper"), "something else than a task"),
        (GOOD.replace(b"worldObjects", b"otherObjects"), "no list of objects"),
        (stream([Saved("apple", 1, float("nan"), 0)]), "positionX is nan"),
        (stream([], body=(float("inf"), 0, 0)), "bodyX is inf"),
        (b"\x00" * 2_000_000, "at most"),
    ],
)
def test_what_is_no_task_is_refused_with_a_reason(data: bytes, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        read_tsk(data)


def test_lengths_that_lie_cost_nothing() -> None:
    head = b"\x00" + (1).to_bytes(4, "little") + b"\xff" * 4 + b"\x01\0\0\0" + b"\0\0\0\0"
    for record in (
        b"\x10" + b"\x01\0\0\0" + b"\xff\xff\xff\x7f",
        b"\x10" + b"\x01\0\0\0" + MOST_VALUES.to_bytes(4, "little") + b"\x0e\xff\xff\xff\x7f",
        b"\x06" + b"\x01\0\0\0" + b"\xff\xff\xff\xff\x07",
        b"\x10\x01\0\0\0\x01\0\0\0" * 5000,
    ):
        with pytest.raises(MensuraError):
            read_stream(head + record)


def test_a_thing_that_holds_itself_is_read() -> None:
    head = b"\x00" + (1).to_bytes(4, "little") + b"\xff" * 4 + b"\x01\0\0\0" + b"\0\0\0\0"
    made = read_stream(head + b"\x10\x01\0\0\0\x01\0\0\0\x09\x01\0\0\0\x0b")
    assert made[0] is made


@given(st.binary(max_size=200), st.integers(0, len(GOOD)), st.integers(0, 30))
def test_whatever_a_file_holds_is_a_task_or_an_error(data: bytes, at: int, cut: int) -> None:
    for one in (data, GOOD[:at] + data + GOOD[at + cut :]):
        try:
            as_yaml(read_tsk(one), "x")
        except MensuraError:
            pass


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="cannot be read"):
        import_tsk(tmp_path)
    (tmp_path / "a.tsk").write_bytes(GOOD[:100])
    with pytest.raises(MensuraError, match=r"a\.tsk cannot be imported\. It is no stream"):
        import_tsk(tmp_path / "a.tsk")


def test_commands_find_the_world_of_a_format_and_of_a_sample(tmp_path: Path) -> None:
    pytest.importorskip("pymunk")
    from typer.testing import CliRunner

    from mensura.cli.tasks import app
    from mensura.worlds.pagi.task_files import read_task

    (tmp_path / "hero.tsk").write_bytes(stream([Saved("apple", 1, 5.0, 3.0)]))
    mine = str(tmp_path / "mine.yaml")
    runner = CliRunner()
    assert runner.invoke(app, ["import", str(tmp_path / "hero.tsk"), "-o", mine]).exit_code == 0
    assert read_task(mine) == read_task(str(tmp_path / "hero.tsk"))
    assert "name: catch" in runner.invoke(app, ["copy", "catch"]).output
    assert "name: catch" in runner.invoke(app, ["show", "catch"]).output
