"""What the editor of PAGI World asks the server: tasks as text or data, checked, and files of the authors."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from mensura.agent.errors import MensuraError, neighbors
from mensura.web.pagi.trial import KEY_NAMES, Trials
from mensura.web.phrases import Phrases
from mensura.web.refusals import Refused
from mensura.web.research.access import API, OpenVisits, Say
from mensura.web.research.editors import Editor
from mensura.web.research.models import TaskText
from mensura.worlds.pagi.items import NAMES
from mensura.worlds.pagi.kinds import KINDS
from mensura.worlds.pagi.overlap import check_overlap
from mensura.worlds.pagi.published.tsk import as_yaml, read_tsk
from mensura.worlds.pagi.scene import color
from mensura.worlds.pagi.setup import Setup
from mensura.worlds.pagi.setup_reading import from_plain
from mensura.worlds.pagi.task_files import parse_task, shipped, summary, to_yaml

PLACE = "the task"
PROPERTIES = (
    "width", "height", "mass", "material", "endorphins", "temperature", "fixed", "upright", "solid", "seen", "locked",
    "on", "hidden", "vx", "vy", "spin", "note",
)  # fmt: skip
"""What can be set of an object beside its name, place and angle, in the order of the form."""
assert set(PROPERTIES) < set(NAMES)

router = APIRouter()
TRIALS = Trials()
"""Of this server."""


class EditedTask(BaseModel):
    """A task as data, as the page has it."""

    task: dict[str, Any]


class FileGiven(BaseModel):
    """A file of the authors' program."""

    name: str = Field(max_length=100)
    content: str = Field(max_length=200_000, description="Its bytes, in base64.")


class Held(BaseModel):
    """The keys that are held."""

    seat: int = Field(default=0, ge=0, le=20)
    keys: list[str] = Field(max_length=len(KEY_NAMES))


class EditedShown(BaseModel):
    """A task that is right."""

    text: str
    """As YAML."""
    task: str
    """As a parameter of the world."""
    plain: dict[str, Any]
    sentence: str


@router.get(f"{API}/pagi/tasks/{{name}}")
def pagi_sample(name: Annotated[str, Path(max_length=100)], say: Say) -> EditedShown:
    """A sample task."""
    known = shipped()
    if name not in known:
        raise Refused(404, f"There is no sample task {name!r}; {neighbors(name, list(known))}")
    return shown(parse_task(known[name].read_text(encoding="utf-8"), PLACE), say)


@router.post(f"{API}/pagi/tasks")
def pagi_check(asked: TaskText, visits: OpenVisits, say: Say) -> EditedShown:
    """Check a task that is written as text; what is wrong with it is said with its line."""
    with visits.working():
        return shown(tried(parse_task(asked.text, PLACE)), say)


@router.post(f"{API}/pagi/edited")
def pagi_edited(asked: EditedTask, visits: OpenVisits, say: Say) -> EditedShown:
    """Check a task that was put together on the page."""
    with visits.working():
        setup = from_plain(asked.task)
        check_overlap(setup)
        return shown(tried(setup), say)


@router.post(f"{API}/pagi/files")
def pagi_import(asked: FileGiven, visits: OpenVisits, say: Say) -> EditedShown:
    """A task of a file that the authors' program saved."""
    with visits.working():
        try:
            data = base64.b64decode(asked.content, validate=True)
        except (binascii.Error, ValueError):
            raise MensuraError("The content of the file is not base64.") from None
        name = asked.name.rpartition(".")[0] or asked.name
        return shown(tried(parse_task(as_yaml(read_tsk(data), name), PLACE)), say)


@router.post(f"{API}/pagi/trials", status_code=201)
def pagi_try(asked: EditedTask, visits: OpenVisits) -> dict[str, str]:
    """Begin to play a task by keys, to try it."""
    with visits.working():
        setup = from_plain(asked.task)
        check_overlap(setup)
        return {"name": TRIALS.begin(setup)}


@router.post(f"{API}/pagi/trials/{{name}}")
def pagi_frame(name: Annotated[str, Path(max_length=64)], asked: Held) -> dict[str, Any]:
    """Play a frame of 0.1 s of a trial with these keys held."""
    return TRIALS.frame(name, asked.keys, asked.seat)


def tried(setup: Setup) -> Setup:
    """The same task, after a second of it was run."""
    if setup.is_concrete:
        room = setup.build(0, "paper")
        for _ in range(50):
            room.step()
    return setup


def shown(setup: Setup, say: Phrases) -> EditedShown:
    """A task with a sentence on what it holds."""
    sentence = say(f"{summary(setup)}.")
    return EditedShown(
        text=to_yaml(setup), task=setup.canonical, plain=setup.to_plain(), sentence=sentence
    )


def data() -> dict[str, Any]:
    """The sample tasks, and what every kind of object is like."""
    kinds = {
        name: {
            "outline": kind.outline,
            "color": color(kind.look),
            **{one: getattr(kind, one) for one in PROPERTIES if hasattr(kind, one)},
        }
        for name, kind in KINDS.items()
    }
    usual = {"locked": False, "on": False, "hidden": False, "vx": 0.0, "vy": 0.0, "spin": 0.0, "note": ""}  # fmt: skip
    return {
        "tasks": list(shipped()),
        "kinds": {name: {**usual, **kind} for name, kind in kinds.items()},
        "properties": list(PROPERTIES),
        "keys": list(KEY_NAMES),
    }


EDITOR = Editor("/static/editors/pagi.js", router, data)
