"""What commands know of PAGI World's task files: a sample of each family, a check, and what makes tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import yaml

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import key as key_of
from mensura.core.chance import generator
from mensura.core.observation_words import counted
from mensura.core.task_files import Maker, TaskFiles, find, read_file
from mensura.core.yaml_text import Form, Misfit, parse_yaml
from mensura.worlds.pagi.families.table import FAMILIES
from mensura.worlds.pagi.overlap import check_overlap
from mensura.worlds.pagi.published.tsk import import_tsk
from mensura.worlds.pagi.setup import Setup, concrete
from mensura.worlds.pagi.setup_reading import from_canonical, from_plain

FOLDER = Path(__file__).parent / "tasks"
SUFFIXES = (".yaml", ".yml")
FORM = Form("task", "at least objects and what solves it", 1_000_000, 100_000)


DRAWS = 20
"""So many tasks of a file with ranges are looked at when it is checked."""


def shipped() -> dict[str, Path]:
    """The files of the sample tasks, one of each family, by name."""
    return {name: FOLDER / f"{name}.yaml" for name in FAMILIES}


def read_task(task: str) -> Setup:
    """A sample by name, a task in a file of ours or of the authors' program, or one as JSON text."""
    if task.lstrip().startswith("{"):
        return from_canonical(task)
    path = find(task, shipped(), SUFFIXES)
    if path.suffix == ".tsk":
        return parse_task(import_tsk(path), str(path))
    return parse_task(read_file(path, FORM), str(path))


def parse_task(text: str, place: str = "the task") -> Setup:
    """The task in a YAML text; errors have its line."""
    data, lines = parse_yaml(text, place, FORM)
    try:
        setup = from_plain(data)
        check_overlap(setup)
    except Misfit as misfit:
        raise lines.located(misfit) from None
    return setup


def to_yaml(setup: Setup) -> str:
    """A task as a YAML file, which gives it back."""
    text: str = yaml.safe_dump(
        setup.to_plain(), sort_keys=False, allow_unicode=True, default_flow_style=None, width=110
    )
    return text


def draw(family: str, grade: int, seed: int, bodies: int = 0) -> Setup:
    """A task of a family."""
    if family not in FAMILIES:
        raise MensuraError(
            f"There is no family of tasks {family!r:.60}; {neighbors(family, list(FAMILIES))}"
        )
    known = FAMILIES[family]
    if not 1 <= grade <= known.grades:
        raise MensuraError(f"grade is {grade}; {family} has grades from 1 to {known.grades}.")
    rng = generator(key_of(seed, family, grade))
    return known.make(rng, grade, bodies or known.bodies)


def summary(setup: Setup) -> str:
    """What a task holds, in half a sentence."""
    family = "one task" if setup.is_concrete else "a family of tasks, with ranges"
    bodies = "1 body" if len(setup.bodies) == 1 else f"{len(setup.bodies)} bodies"
    objects, triggers = len(setup.objects), len(setup.triggers)
    return f"{setup.name!r}, {family}: {counted(objects, 'object')}, {bodies}, {counted(triggers, 'trigger')}"


class PagiFiles(TaskFiles):
    """Tasks of PAGI World as YAML files."""

    suffixes: ClassVar[tuple[str, ...]] = SUFFIXES
    headings: ClassVar[Mapping[str, str]] = {
        "steps": "causal steps",
        "instructions": "what a subject is told",
    }
    example: ClassVar[str] = (
        "mensura tasks make pagi-task --world pagi --set family=water-diversion --set grade=2 -o mine.yaml"
    )

    def samples(self) -> Mapping[str, Path]:
        """One task of each family."""
        return shipped()

    def facts(self, name: str) -> Mapping[str, Any]:
        """How large a sample is, its grade, and what a subject is told."""
        setup = read_task(name)
        return {
            "objects": len(setup.objects),
            "bodies": len(setup.bodies),
            "grade": setup.grade,
            "grades": FAMILIES[name].grades,
            "steps": setup.causal_steps,
            "instructions": setup.instructions,
        }

    def check(self, file: Path) -> Sequence[str]:
        """What a file holds, after a second of it was run."""
        setup = parse_task(read_file(file, FORM), str(file))
        for seed in range(1 if setup.is_concrete else DRAWS):
            drawn = concrete(setup, generator(seed))
            try:
                check_overlap(drawn)
            except Misfit as error:
                raise MensuraError(f"{file}: where numbers are drawn, {error}") from None
            room = drawn.build(0, "paper")
            for _ in range(50):
                room.step()
        remarks = [summary(setup)]
        if setup.solved == "false":
            remarks.append("It has no `solved`, so that it is never solved.")
        return remarks

    def recognizes(self, file: Path) -> bool:
        """Whether a file has objects with kinds, as no other world's has."""
        try:
            data, _ = parse_yaml(read_file(file, FORM), str(file), FORM)
            objects = data["objects"]
            return isinstance(objects, list) and all("kind" in one for one in objects)
        except (MensuraError, LookupError, TypeError):
            return False

    def makers(self) -> Mapping[str, Maker]:
        """One that draws a task of a family."""
        return {"pagi-task": make_task}

    def importers(self) -> Mapping[str, Maker]:
        """Files of the authors' program."""
        return {"tsk": import_tsk}


def make_task(family: str = "catch", grade: int = 1, seed: int = 0, bodies: int = 0) -> str:
    """A task of a family of PAGI World, of a grade, drawn by a seed."""
    return to_yaml(draw(family, grade, seed, bodies))
