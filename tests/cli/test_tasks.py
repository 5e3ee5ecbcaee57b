"""Tasks on the command line: listed, shown, checked, copied, changed, and their properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mensura.worlds.framotec.analysis.properties import PROPERTIES
from mensura.worlds.framotec.model.files import parse_task, read_task_file
from mensura.worlds.framotec.model.operations import OPERATIONS, add_noise, in_parallel, in_sequence
from mensura.worlds.framotec.paper import SAMPLES, car_race, n_dimensional, parking, plotter_2d
from mensura.worlds.framotec.samples import shipped

pytestmark = pytest.mark.quick


def test_samples_are_listed(mensura: Any) -> None:
    done = mensura("tasks", "list", "--json", "rows.json")
    assert done.status == 0
    rows = json.loads(Path("rows.json").read_text())
    assert [row["task"] for row in rows] == list(SAMPLES)
    assert all(name in done.out for name in SAMPLES)


def test_a_copy_has_the_comments_and_is_right(mensura: Any) -> None:
    assert mensura("tasks", "copy", "parking", "-o", "mine.yaml").status == 0
    assert Path("mine.yaml").read_bytes() == shipped()["parking"].read_bytes()
    done = mensura("tasks", "check", "mine.yaml")
    assert (
        "mine.yaml is valid: 'parking', one task: 1 object, 1 motor, 1 sensor, 2 goals." in done.out
    )
    again = mensura("tasks", "copy", "parking", "-o", "mine.yaml")
    assert again.status == 2
    assert "mine.yaml already exists" in again.err
    assert mensura("tasks", "copy", "car-race").out == shipped()["car-race"].read_text()


def test_a_task_is_shown_as_yaml(mensura: Any) -> None:
    assert parse_task(mensura("tasks", "show", "plotter-2d").out) == plotter_2d()


def test_operations_make_files(mensura: Any) -> None:
    assert (
        mensura("tasks", "change", "car-race", "add-noise", "distortion=2", "-o", "a.yaml").status
        == 0
    )
    assert read_task_file(Path("a.yaml")) == add_noise(car_race(), 2.0)
    words = ["in-sequence", "with=parking", "names=one,two", "waits=no", "-o", "b.yaml"]
    assert mensura("tasks", "change", "a.yaml", *words).status == 0
    expected = in_sequence(add_noise(car_race(), 2.0), parking(), ("one", "two"), waits=False)
    assert read_task_file(Path("b.yaml")) == expected
    assert mensura("tasks", "change", "plotter-2d", "decompose", "-o", "part.yaml").status == 0
    assert sorted(path.name for path in Path().glob("part-*")) == [
        f"part-{i}.yaml" for i in (1, 2, 3)
    ]
    assert len(read_task_file(Path("part-1.yaml")).objects) == 1
    assert "# part 2" in mensura("tasks", "change", "parking", "decompose").out
    printed = mensura("tasks", "change", "car-race", "lock", "name=position", "when=time < 2").out
    assert parse_task(printed).transitions[0].assignments == ("position.locked <- time < 2",)


def test_what_changes_tasks_makes_them_too(mensura: Any) -> None:
    words = ("--set", "task=car-race", "--set", "with=parking", "--set", "names=one,two")
    made = mensura("tasks", "make", "in-parallel", *words)
    assert made.status == 0, made.err
    assert parse_task(made.out) == in_parallel(car_race(), parking(), ("one", "two"))
    assert mensura("tasks", "make", "n-dimensional", "--set", "dimensions=2", "-o", "n.yaml").out
    assert read_task_file(Path("n.yaml")) == n_dimensional(2)
    listed = mensura("tasks", "make").out
    assert all(name in listed for name in (*OPERATIONS, "n-dimensional"))


def test_of_several_files_none_is_written_where_one_is_there_already(mensura: Any) -> None:
    Path("part-2.yaml").write_text("mine")
    done = mensura("tasks", "change", "plotter-2d", "decompose", "-o", "part.yaml")
    assert done.status == 2
    assert "part-2.yaml already exists" in done.err
    assert [path.name for path in Path().iterdir()] == ["part-2.yaml"]


def test_operations_are_listed_with_their_arguments(mensura: Any) -> None:
    out = mensura("tasks", "operations").out
    assert all(name in out for name in OPERATIONS)
    assert "like (name)" in out
    assert "with (names)" in out


def test_properties_are_printed(mensura: Any) -> None:
    done = mensura(
        "tasks", "properties", "car-race", "-n", "2", "--thought", "0.3", "--json", "p.json"
    )
    assert done.status == 0
    rows = {row["property"]: row["value"] for row in json.loads(Path("p.json").read_text())}
    assert list(rows) == list(PROPERTIES)
    assert rows["asynchronicity"] == 0.3
    assert rows["number of agents"] == 2
    assert "determinism is tuned by ranges" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "car-rac"], "There is no sample task 'car-rac'; did you mean car-race?"),
        (["check", "none.yaml"], "There is no file none.yaml"),
        (["copy", "car"], "There is no sample task 'car'"),
        (["change", "car-race", "add-nois"], "There is no operation 'add-nois'; did you mean add-noise"),
        (["change", "car-race", "add-noise"], "add-noise needs distortion; write distortion=VALUE."),
        (["change", "car-race", "add-noise", "2"], "The argument '2' is not understood; write NAME"),
        (["change", "car-race", "add-noise", "noise=2"], "add-noise takes no 'noise';"),
        (["change", "car-race", "add-noise", "distortion=x"], "distortion is 'x'; it must be a number."),
        (["change", "car-race", "in-parallel", "with=x"], "There is no sample task 'x'"),
        (["change", "car-race", "n-dimensional"], "There is no operation 'n-dimensional'"),
        (["make", "add-nois"], "Nothing called 'add-nois' makes tasks; did you mean add-noise"),
        (["make", "add-noise"], "add-noise needs task; write --set task=VALUE."),
        (["make", "add-noise", "--set", "2"], "The argument '2' is not understood; write --set NAME"),
        (["import", "task.pddl"], "No world that is installed here reads files of the format 'pddl'"),
        (["import", "x.pddl", "--world", "framotec"], "The world framotec-v1 reads no other formats;"),
        (["list", "--world", "lambda"], "The world lambda-v1 has no task files; `mensura worlds par"),
        (["check", "x.yaml", "--world", "lambda-star"], "The world lambda-star-v2 has no task files;"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(mensura: Any, words: list[str], said: str) -> None:
    done = mensura("tasks", *words)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("worlds", "show", "framotec"),
        ("agents", "list", "framotec"),
        ("watch", "--world", "framotec"),
        ("assess", "random", "--world", "framotec"),
    ],
)
def test_every_command_that_makes_a_world_takes_a_task(
    mensura: Any, words: tuple[str, ...]
) -> None:
    done = mensura(*words, "--task", "parkin")
    assert done.status == 2
    assert "There is no sample task 'parkin'; did you mean parking?" in done.err


def test_the_task_that_is_named_is_shown(mensura: Any) -> None:
    assert mensura("tasks", "copy", "parking", "-o", "mine.yaml").status == 0
    one, other = (
        mensura("worlds", "show", "framotec", "--seed", "1", *words).out
        for words in (("--task", "mine.yaml"), ("--set", "task=parking"))
    )
    assert one == other
    assert one != mensura("worlds", "show", "framotec", "--seed", "1").out


def test_a_file_that_goes_wrong_while_it_runs_is_found_by_the_check(mensura: Any) -> None:
    text = shipped()["locking-plotter"].read_text().replace("> 0.5", "> 1 / plot_it.value")
    Path("mine.yaml").write_text(text)
    done = mensura("tasks", "check", "mine.yaml")
    assert done.status == 2
    assert "mine.yaml, line 29: At 0 s in transition 'lock': in" in done.err
    assert "it divides by zero." in done.err
