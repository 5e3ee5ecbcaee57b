"""Task files: read and written, every sample shipped as one, and a sentence with file and line for what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.worlds.framotec.strategies import tasks

from mensura.agent.errors import MensuraError
from mensura.cli.main import main
from mensura.worlds.framotec.model.files import (
    FORM,
    canonical,
    parse_task,
    read_task_file,
    task_to_yaml,
)
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import SAMPLES
from mensura.worlds.framotec.samples import FOLDER, read_task, shipped
from mensura.worlds.framotec.world import Framotec

TEXTS = {name: path.read_text(encoding="utf-8") for name, path in shipped().items()}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_a_file_too(name: str) -> None:
    assert read_task_file(shipped()[name]) == SAMPLES[name]()
    assert TEXTS[name].startswith("# ")


def test_every_shipped_file_is_a_sample() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(SAMPLES)


@settings(max_examples=examples(8, 40))
@given(tasks())
def test_what_is_written_is_read_back(task: Task) -> None:
    assert parse_task(task_to_yaml(task)) == task
    assert read_task(canonical(task)) == task
    assert canonical(parse_task(task_to_yaml(task))) == canonical(task)


@given(
    st.text(max_size=20) | st.sampled_from(["\x85", "a\n\nb ", "yes", "1e3", "# x", "<<", "=", "~"])
)
def test_any_instructions_are_read_back(text: str) -> None:
    task = Task(instructions=text)
    assert parse_task(task_to_yaml(task)) == task


def test_a_task_is_found_by_name_in_a_file_or_as_text(tmp_path: Path) -> None:
    file = tmp_path / "race.yml"
    file.write_text("\ufeff" + TEXTS["car-race"], encoding="utf-8")
    race = SAMPLES["car-race"]()
    assert read_task("car-race") == read_task(str(file)) == read_task(canonical(race)) == race


# What is wrong ------------------------------------------------------------------------

WRONG: list[tuple[str, str, str, int, str]] = [
    # sample, what is replaced, by what, line, sentence
    ("car-race", "mass: 5 ", "mas: 5 ", 11, "has no field 'mas'; did you mean mass or mu_s?"),
    (
        "car-race",
        "objects:",
        "objcts:",
        7,
        "The task has no field 'objcts'; did you mean objects or",
    ),
    ("car-race", "mass: 5 ", "mass: -5 ", 11, "Object 'position' has a mass of -5; it is above 0."),
    ("car-race", "mass: 5 ", "mass: '5' ", 11, "it must be a number or a range; write it without"),
    ("car-race", "mass: 5 ", "mass: 5e3 ", 11, "to YAML 5e3 is text, write 5000."),
    ("car-race", "value: 20", "value: 200", 9, "starts at 200, out of its bounds 0 to 150."),
    ("car-race", "{position: 1}", "{positon: 1}", 18, "which is no object; did you mean position?"),
    ("car-race", "source: position", "source: speed", 23, "'speed', which is no attribute;"),
    ("car-race", "energy: 5000", "energy: 0", 5, "The limit of energy is 0.0; it is above 0."),
    ("car-race", "value: 100", "value: {low: 9}", 30, "A range in goal 'there' of the task"),
    ("car-race", "bounds: [0, 150]", "bounds: [0]", 10, "they must be two."),
    ("car-race", "- name: there", "- nam: there", 28, "has no field 'nam'; did you mean name?"),
    ("car-race", "  - name: there\n    of", "  - of", 28, "Goal 0 of the task lacks 'name'."),
    ("car-race", "digits: 1", "digits: 1.5", 25, "it is a whole number from -12 to 12."),
    (
        "car-race",
        "digits: 1",
        "name: again",
        25,
        "The name 'name' is there twice, first in line 22",
    ),
    ("car-race", "digits: 1", "digits: !!python/name:os.system 1", 25, "The tag !!python/name:os"),
    ("car-race", "digits: 1", "<<: {digits: 1}", 25, "A task file has no merging with <<"),
    ("car-race", "digits: 1", "\tdigits: 1", 25, "this is not YAML"),
    (
        "parking",
        "    tolerance: 5\n",
        "    tolerance: 5\n    since: ther\n",
        25,
        "names the goal 'ther', which there is not; did you mean there?",
    ),
    (
        "parking",
        "tolerance: 0.1",
        "prerequisites: there",
        17,
        "Goal 'still' depends on itself: still -> there -> still.",
    ),
    (
        "locking-plotter",
        "plot_it.value > 0.5",
        "plotit.value > 0.5",
        29,
        "In 'position.locked <- plotit.value > 0.5', column 20: 'plotit.value' names nothing here;",
    ),
    (
        "locking-plotter",
        "- position.locked <- plot_it.value > 0.5",
        "- |\n        position.locked <-\n          plot_it.value >",
        32,
        "line 3, column 1: a value is missing before the end.",
    ),
    (
        "n-dimensional",
        "[hidden.m2.power <- power_motor.power]",
        "[hidden.m2.power <- max(power_motor.power, 0)]",
        0,
        "In [ ] YAML ends it at a comma: put it in quotes, or after '- ' on a line of its own.",
    ),
    (
        "n-dimensional",
        "round(selector.value) == 7",
        "round(selector.value == 7)",
        0,
        "The condition of transition 'control.select7': In",
    ),
    (
        "n-dimensional",
        "hidden.m3.power <- power_motor.power",
        "hidden.m3.power <- power_motor.power +",
        0,
        "Transition 'select3': In 'hidden.m3.power <- power_motor.power +', column 39: a value",
    ),
]


@pytest.mark.parametrize(("sample", "old", "new", "line", "words"), WRONG)
def test_what_is_wrong_is_one_sentence_with_file_and_line(
    sample: str, old: str, new: str, line: int, words: str, tmp_path: Path
) -> None:
    assert old in TEXTS[sample]
    text = TEXTS[sample].replace(old, new, 1)
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(MensuraError) as caught:
        Framotec(task=str(file))
    said = str(caught.value)
    expected = line or next(i for i, one in enumerate(text.splitlines(), 1) if new in one)
    assert said.startswith(f"{file}, line {expected}: "), said
    assert words in said
    assert "\n" not in said


def laughs() -> str:
    lines = ["a: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"b{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty; a task needs at least an object and a goal."),
        (laughs(), f"The file holds more than {FORM.most_values} values, aliases followed."),
        ("[" * 1000, "is nested too deeply to be a task."),
        ("a: &a [*a]", "An alias stands inside the very thing that it repeats"),
        ("systems: " + "[{name: s, systems: " * 25 + "[]" + "}]" * 25, "more than 20 deep"),
        ("dt: 0x10", "is a number in another notation"),
        ("dt: .inf", "is a number, but not a finite decimal one"),
        (f"dt: {'9' * 39}", "numbers go up to 1e15"),
        ("- 1", "The task is [1]; it must be named fields."),
        ("objects: {x: 1}", "objects in the task is {'x': 1}; it must be a list."),
        ("x: 1\n---\ny: 2", "a file holds one task, without ---"),
    ],
)
def test_no_text_hangs_or_breaks_the_reader(text: str, words: str) -> None:
    with pytest.raises(MensuraError) as caught:
        parse_task(text)
    assert words in str(caught.value)


def test_a_file_that_is_none_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "big.yaml").write_bytes(b"#" * (FORM.most_bytes + 1))
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    for name, words in (
        ("none.yaml", "There is no file"),
        ("big.yaml", "a task file has at most 1000000. Is it another file?"),
        ("bytes.yaml", "is not text in UTF-8"),
        (".", "There is no sample task"),
    ):
        with pytest.raises(MensuraError) as caught:
            read_task(str(tmp_path / name))
        assert words in str(caught.value)


# Any text -----------------------------------------------------------------------------


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A shipped file with pieces taken out, doubled, moved or replaced."""
    text = TEXTS[draw(st.sampled_from(sorted(TEXTS)))]
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(text)))
        piece = text[begin : begin + draw(st.integers(0, 30))]
        other = draw(
            st.sampled_from(
                ["", piece * 2, ": ", "\n", "- ", "{", "]", "&a ", "*a", "!!set ", "null"]
            )
            | st.text(max_size=5)
            | st.floats().map(repr)
            | st.integers(-(10**20), 10**20).map(str)
        )
        text = text[:begin] + other + text[begin + len(piece) :]
    return text


def said_of(read: Callable[[], Task]) -> str:
    """What is said of a task that cannot be read; nothing of one that can."""
    try:
        task = read()
    except MensuraError as error:
        return str(error)
    assert parse_task(task_to_yaml(task)) == task
    return ""


@settings(max_examples=examples(25, 150))
@given(mutations())
def test_any_mutation_of_a_file_is_a_task_or_one_sentence(text: str) -> None:
    said = said_of(lambda: parse_task(text, "mine.yaml"))
    assert not said or said.startswith("mine.yaml")
    assert "\n" not in said


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_text_at_all_is_a_task_or_one_sentence(text: str) -> None:
    assert "\n" not in said_of(lambda: parse_task(text))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
def test_any_bytes_at_all_are_a_task_or_one_sentence(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "any.yaml"
    file.write_bytes(data)
    assert "\n" not in said_of(lambda: read_task_file(file))


# Worlds and records -------------------------------------------------------------------


def test_a_world_keeps_what_a_file_held(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(TEXTS["car-race"].replace("car race", "my race"), encoding="utf-8")
    world = Framotec(task=str(file))
    file.unlink()
    assert str(tmp_path) not in world.task
    assert Framotec(task=world.task) == world
    assert world.sample(1).task.name == world.called == "my race"
    assert Framotec(task="car-race").task == "car-race"


def test_a_copy_of_a_sample_is_as_complex_as_the_sample(tmp_path: Path) -> None:
    for name in ("car-race", "plotter-2d"):
        sample, copy = Framotec(task=name), Framotec(task=str(shipped()[name]))
        assert copy.complexity(copy.sample(1)) == sample.complexity(sample.sample(1))


def typed(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["mensura", *words])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


@pytest.mark.parametrize("how", [pytest.param("assess", marks=pytest.mark.thorough), "study"])
def test_a_run_is_replayed_although_its_task_file_has_changed(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("mine.yaml")
    file.write_text(TEXTS["car-race"], encoding="utf-8")
    if how == "assess":
        words = ["assess", "random", "--world", "framotec", "--set", "task=mine.yaml", "-i", "8"]
        words += ["--assessment", "battery", "--episodes", "2", "--name", "run", "--in-process"]
    else:
        Path("study.yaml").write_text(
            "mensura: 1\nname: run\nseed: 3\nsubjects: [{subject: random, in_process: true}]\nworlds:\n"
            "  - {world: framotec, parameters: {task: mine.yaml, horizon: 8}}\n"
            "assessments:\n  - {assessment: battery, parameters: {episodes: 2}}\n"
        )
        words = ["study", "run", "study.yaml", "--executor", "threads"]
    assert typed(monkeypatch, *words) == 0
    capsys.readouterr()
    file.write_text(TEXTS["car-race"].replace("mass: 5 ", "mass: 1 "), encoding="utf-8")
    assert typed(monkeypatch, "replay", "run", "0", "1") == 0
    assert capsys.readouterr().out.count("identical") == 2
    if how == "study":
        assert typed(monkeypatch, *words) == 2
        assert "the study has changed since: worlds[0].parameters.task" in capsys.readouterr().err
