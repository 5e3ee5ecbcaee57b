"""Task files of a world that is not ours: a toy with two melodies, of which nothing else is known."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.testing.guessing import GuessingWorld

from mensura.agent.errors import MensuraError
from mensura.cli.making import make_world
from mensura.core.registry import WORLDS
from mensura.core.task_files import Maker, TaskFiles, find, read_file

pytestmark = pytest.mark.quick

MELODIES = {"scale": "# up\n0 2 4 5\n", "leap": "# far\n0 12\n"}


def notes(path: Path) -> list[int]:
    """The notes in a file; an error with the line."""
    found: list[int] = []
    for number, line in enumerate(read_file(path).splitlines(), 1):
        if not line.startswith("#"):
            try:
                found += map(int, line.split())
            except ValueError:
                raise MensuraError(f"{path}, line {number}: notes are whole numbers.") from None
    return found


class MelodyFiles(TaskFiles):
    suffixes: ClassVar[tuple[str, ...]] = (".melody",)
    headings: ClassVar[Mapping[str, str]] = {"notes": "how many notes"}
    folder: ClassVar[Path]

    def samples(self) -> Mapping[str, Path]:
        return {name: self.folder / f"{name}.melody" for name in MELODIES}

    def facts(self, name: str) -> Mapping[str, Any]:
        return {"notes": len(notes(self.samples()[name])), "first": "low"}

    def check(self, file: Path) -> Sequence[str]:
        found = notes(file)
        return (f"{len(found)} notes", *(() if found else ("It is silent.",)))


class MoreFiles(MelodyFiles):
    def makers(self) -> Mapping[str, Maker]:
        return {"stairs": stairs, "transpose": self.transpose}

    def importers(self) -> Mapping[str, Maker]:
        return {"abc": from_letters}

    def transpose(self, task: str, by: int = 1) -> str:
        """The melody at another height."""
        found = notes(find(task, self.samples(), self.suffixes))
        return " ".join(str(note + by) for note in found) + "\n"


def stairs(steps: int, width: float = 1.0) -> tuple[str, ...]:
    """One melody for each ``step``."""
    return tuple(f"{int(step * width)}\n" for step in range(steps))


def from_letters(file: Path, lowest: str = "a") -> str:
    """Letters as notes."""
    return " ".join(str(ord(letter) - ord(lowest)) for letter in file.read_text().strip()) + "\n"


@dataclass(frozen=True)
class Melodies(GuessingWorld):
    """Melodies."""

    melody: str = "scale"

    id: ClassVar[str] = "melodies-v0"
    task_parameter: ClassVar[str] = "melody"
    files: ClassVar[type[MelodyFiles]] = MoreFiles

    def __post_init__(self) -> None:
        notes(find(self.melody, self.files().samples(), self.files.suffixes))

    @classmethod
    def task_files(cls) -> TaskFiles:
        return cls.files()


class Plain(Melodies):
    id: ClassVar[str] = "plain-v0"
    files: ClassVar[type[MelodyFiles]] = MelodyFiles


@pytest.fixture(autouse=True)
def _registered(tmp_path_factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path_factory.mktemp("melodies")
    for name, text in MELODIES.items():
        (folder / f"{name}.melody").write_text(text)
    monkeypatch.setattr(MelodyFiles, "folder", folder, raising=False)
    monkeypatch.setitem(WORLDS._loaded, "melodies", Melodies)
    monkeypatch.setitem(WORLDS._loaded, "plain", Plain)


@pytest.fixture
def tasks(mensura: Any) -> Any:
    return lambda *words, world="melodies": mensura("tasks", *words, "--world", world)


def test_samples_are_listed_shown_copied_and_checked(tasks: Any) -> None:
    listed = tasks("list", "--json", "rows.json")
    assert "how many notes" in listed.out
    assert json.loads(Path("rows.json").read_text()) == [
        {"task": "scale", "notes": 4, "first": "low"},
        {"task": "leap", "notes": 2, "first": "low"},
    ]
    assert tasks("show", "leap").out == MELODIES["leap"]
    assert tasks("copy", "leap", "-o", "mine.melody").status == 0
    assert tasks("show", "mine.melody").out == MELODIES["leap"]
    assert tasks("check", "mine.melody").out == "mine.melody is valid: 2 notes.\n"
    Path("silent.melody").write_text("# nothing\n")
    assert "is valid: 0 notes.\nIt is silent.\n" in tasks("check", "silent.melody").out


def test_tasks_are_made_changed_and_imported(tasks: Any) -> None:
    assert tasks("make", "stairs", "--set", "steps=2", "--set", "width=5", "-o", "s").status == 0
    assert [Path(f"s-{i}.melody").read_text() for i in (1, 2)] == ["0\n", "5\n"]
    assert tasks("change", "leap", "transpose", "by=2").out == "2 14\n"
    assert tasks("change", "s-2.melody", "transpose").out == "6\n"
    listed = tasks("operations").out
    assert "(by)" in listed
    assert "stairs" not in listed
    assert "car-race" not in listed
    assert "One melody for each step." in tasks("make").out
    Path("song.abc").write_text("cab\n")
    assert tasks("import", "song.abc").out == "2 0 1\n"
    Path("song.txt").write_text("cab\n")
    assert tasks("import", "song.txt", "--format", "abc", "--set", "lowest=b").out == "1 -1 0\n"


@pytest.mark.parametrize(
    ("words", "world", "sentence"),
    [
        (("show", "lep"), "plain", "'lep'; did you mean leap or scale? A task of your own is in a .melody file."),
        (("check", "bad.melody"), "plain", "bad.melody, line 2: notes are whole numbers."),
        (("check", "."), "plain", ". is a folder; give the name of a task file in it."),
        (("check", "none.melody"), "plain", "There is no file none.melody; a path is read from"),
        (("make",), "plain", "The world plain-v0 has nothing that makes tasks; `mensura tasks copy`"),
        (("operations",), "plain", "The world plain-v0 has nothing that makes tasks"),
        (("import", "song.abc"), "plain", "The world plain-v0 reads no other formats;"),
        (("import", "song.mid"), "melodies", "There is no format 'mid' to import from; known are: abc."),
        (("import", "none.abc"), "melodies", "There is no file none.abc"),
        (("make", "stairs"), "melodies", "stairs needs steps; write --set steps=VALUE."),
        (("make", "stairs", "--set", "steps=x"), "melodies", "steps is 'x'; it must be a whole number."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(
    tasks: Any, words: tuple[str, ...], world: str, sentence: str
) -> None:
    Path("bad.melody").write_text("0 1\nx\n")
    done = tasks(*words, world=world)
    assert done.status == 2
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_the_task_of_a_world_is_the_parameter_that_it_names() -> None:
    assert vars(make_world("melodies", task="leap"))["melody"] == "leap"
    assert vars(make_world("melodies", changes=["melody=leap"], task="leap"))["melody"] == "leap"
    with pytest.raises(MensuraError, match=r"--task and --set melody=\.\.\. contradict"):
        make_world("melodies", changes=["melody=scale"], task="leap")
    with pytest.raises(MensuraError, match="no sample task 'lea'; did you mean leap or scale"):
        make_world("melodies", task="lea")
    assert vars(make_world("lambda-star", task="landscape"))["task"] == "landscape"
    with pytest.raises(MensuraError, match="The world lambda has no tasks to choose from"):
        make_world("lambda", task="leap")


def test_only_makers_that_know_make_solvable_tasks(tasks: Any) -> None:
    refused = tasks("make", "stairs", "--set", "steps=2", "--solvable")
    assert refused.status == 2
    assert "stairs makes no tasks of which it is known whether they can be solved." in refused.err
