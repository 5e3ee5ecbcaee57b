"""The world FraMoTEC: a family of tasks, from which concrete ones are drawn, and who controls them how."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import DRAWN_ANEW, Key, below, draw, fold
from mensura.complexity.compression import zlib_length
from mensura.core.abilities.content import FIXED, GENERATED
from mensura.core.contract import Measure
from mensura.core.group import stretches
from mensura.core.players import Subject
from mensura.core.room import Room
from mensura.core.task_files import TaskFiles
from mensura.statistics.attempts import Frontier
from mensura.worlds.framotec import exploring
from mensura.worlds.framotec.analysis.frontier import frontier_of
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.model.blocks import Integrator
from mensura.worlds.framotec.model.easier import easier
from mensura.worlds.framotec.model.files import canonical
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.paper import MOST_DIMENSIONS, SAMPLES, n_dimensional
from mensura.worlds.framotec.play.description import Actions, Clock, Description, Rewards
from mensura.worlds.framotec.samples import read_task
from mensura.worlds.framotec.subjects.agents import KINDS, SELECTOR, Group, member
from mensura.worlds.framotec.subjects.controllers import check_selector

if TYPE_CHECKING:
    from mensura.core.blocks import Layout
    from mensura.core.phenomena import Phenomenon
    from mensura.worlds.framotec.known_schedule import KnownSchedule
    from mensura.worlds.framotec.view import FramotecView

__all__ = ["Framotec", "read_task"]

TRIES = 1_000
"""How many tasks are drawn before a wanted complexity counts as out of reach."""
UNLIMITED_HORIZON = 480
"""The interactions of an episode of a task without a limit of time."""

_STREAM_TASK, _STREAM_DIMENSIONS = range(2)


@dataclass(frozen=True)
class Framotec:
    """The class of FraMoTEC task-environments of one family.

    Description:
        Controllers set the powers of motors, which move objects in one dimension each, until the goals of a task are
        satisfied, within limits of time and energy.
    """

    task: str = "car-race"
    """A sample task by name (car-race, parking, locking-plotter, plotter-2d, steered-mover, n-dimensional), a YAML file
    with a task of your own, or a task as JSON text.

    A file is read once and kept as such text, so that records hold what was played.
    """
    dimensions: int = 10
    """The N of n-dimensional."""
    integrator: Integrator | None = None
    """How motion is computed: work-energy, or authors-2016, the stepping of the published program; none: as the task
    says."""
    controller_step: float | None = None
    """The seconds from one action to the next; none: as the task says."""
    dt: float | None = None
    """The seconds of a step of the simulation; none: as the task says."""
    subjects: int = 1
    """How many controllers there are; the exposed motors are dealt out among them in turn."""
    controllers: tuple[str, ...] = ()
    """Who has which motors instead, as "x_motor+y_motor,pen_motor"."""
    actions: Actions = "continuous"
    """Any power for every motor, or three or five powers for one motor at a time (6.1)."""
    horizon: int | None = None
    """Controller steps of an episode; none: until the limit of time, or 480."""
    ends: bool = False
    """Whether an episode is over as soon as the task is solved or failed."""
    clock: Clock = "interactions"
    """What time is: steps of the controller; or simulated, so that actions take effect after the time of thought."""
    thought: tuple[float, ...] = ()
    """The seconds of thought that each controller declares; none: what was measured."""
    rewards: Rewards = "distance"
    """The distance to the goals; score, in which satisfied goals count as well (footnote 7); or the channels of the
    task."""
    knowing: tuple[int, ...] = ()
    """The seats that are told the whole task."""
    velocity_seen: tuple[int, ...] = ()
    """The seats that observe the velocity of the first object."""

    id: ClassVar[str] = "framotec-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    promises: ClassVar[frozenset[str]] = frozenset({"bounded"})
    measures: ClassVar[Mapping[str, Measure]] = {
        "description_length": Measure(
            "description_length", "length of the task's JSON text, compressed by zlib", "bits"
        ),
        "dimensions": Measure("dimensions", "how many objects the task has"),
    }
    holds: ClassVar[bool] = True
    """Objects move on by themselves: there is little to do in most interactions."""
    usual_assessment: ClassVar[str] = "battery"
    """Tasks of one family hardly differ in complexity, which other assessments go by."""
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {},
        "authors-2016": {"integrator": "authors-2016"},
    }

    def __post_init__(self) -> None:
        """Raise if a parameter is out of range or parameters contradict each other."""
        for name in ("controllers", "thought", "knowing", "velocity_seen"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        if self.controllers:
            object.__setattr__(self, "subjects", len(self.controllers))
        if type(self.dimensions) is not int or not 1 <= self.dimensions <= MOST_DIMENSIONS:
            raise MensuraError(
                f"dimensions is {self.dimensions!r}; it is from 1 to {MOST_DIMENSIONS}."
            )
        if type(self.subjects) is not int or self.subjects < 1:
            raise MensuraError(f"subjects is {self.subjects!r}; it is 1 or more.")
        object.__setattr__(self, "task", self.embed_files({"task": self.task})["task"])
        self._describe(self.family.sample(0))

    @property
    def content(self) -> str:
        """A task without ranges is always the same."""
        return FIXED if self.family.concrete else GENERATED

    @property
    def called(self) -> str:
        """The task in a sentence: the name of a sample, or what a task of one's own calls itself."""
        return self.task if self.task in SAMPLES else self.family.name

    @classmethod
    def preset(cls, name: str, **parameters: Any) -> Self:
        """The world under a named set of readings: "paper" (the default) or "authors-2016"."""
        if name not in cls.presets:
            raise MensuraError(
                f"{name!r} is no preset of FraMoTEC; {neighbors(name, list(cls.presets))}"
            )
        return cls(**{**cls.presets[name], **parameters})

    @classmethod
    def embed_files(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with what a task file holds in the place of its path."""
        task = parameters.get("task")
        if not isinstance(task, str) or task in SAMPLES:
            return dict(parameters)
        return {**parameters, "task": canonical(read_task(task))}

    # Environments

    @cached_property
    def family(self) -> Task:
        """The task from whose ranges environments are drawn."""
        return self._family(self.dimensions)

    def _family(self, dimensions: int) -> Task:
        task = n_dimensional(dimensions) if self.task == "n-dimensional" else read_task(self.task)
        changes = {
            name: value
            for name in ("integrator", "controller_step", "dt")
            if (value := getattr(self, name)) is not None
        }
        return replace(task, **changes) if changes else task

    def sample(self, key: Key, within: tuple[str, float, float] | None = None) -> Description:
        """Draw a concrete task, a complexity of it within [low, high] where that is wanted.

        Where dimensions are wanted of the family n-dimensional, their number is drawn evenly.
        """
        if within is None:
            return self._describe(self.family.sample(fold(key, _STREAM_TASK)))
        measure, low, high = within
        self._check_measure(measure)
        if not low <= high:
            raise MensuraError(f"The interval of {measure} from {low:g} to {high:g} is empty.")
        for attempt in range(1 if self._fixed(measure) else TRIES):
            own = fold(key, attempt)
            family = self._wanted(own, low, high) if measure == "dimensions" else self.family
            found = self._describe(family.sample(fold(own, _STREAM_TASK)))
            if low <= self.complexity(found, measure) <= high:
                return found
        raise MensuraError(
            f"A complexity {measure} from {low:g} to {high:g} is out of reach for the task {self.called!r}; "
            f"one sample has {self.complexity(self.sample(key), measure):g}."
        )

    def _fixed(self, measure: str) -> bool:
        """Whether all tasks of the family have the same complexity, or a wanted one is made at once."""
        return measure == "dimensions" or self.family.concrete

    def _wanted(self, key: Key, low: float, high: float) -> Task:
        """A family whose number of objects lies within [low, high], if there is one."""
        # One object more than dimensions: the selector.
        least, most = max(math.ceil(low) - 1, 1), min(math.floor(high) - 1, MOST_DIMENSIONS)
        if self.task != "n-dimensional" or least > most:
            return self.family
        return self._family(least + below(draw(key, 0, _STREAM_DIMENSIONS), most - least + 1))

    def _describe(self, task: Task) -> Description:
        limit = task.limits.time
        horizon = self.horizon
        if horizon is None and limit is None:
            horizon = UNLIMITED_HORIZON
        elif horizon is None and limit is not None:
            horizon = max(math.ceil(limit / task.controller_step - 1e-9), 1)
        assert horizon is not None
        motors = [motor.name for motor in task.exposed]
        if self.subjects > len(motors) and not self.controllers:
            raise MensuraError(
                f"{self.subjects} controllers are too many for the task {self.called!r}, which exposes "
                f"{len(motors)} motors: {', '.join(motors)}."
            )
        dealt = tuple(tuple(motors[j :: self.subjects]) for j in range(self.subjects))
        named = tuple(tuple(motor.strip() for motor in one.split("+")) for one in self.controllers)
        return Description(
            task=task,
            controllers=named or dealt,
            horizon=horizon,
            actions=self.actions,
            ends=self.ends,
            clock=self.clock,
            thought=self.thought,
            rewards=self.rewards,
            knowing=self.knowing,
            velocity_seen=self.velocity_seen,
        )

    def _check_measure(self, measure: str) -> None:
        if measure not in self.measures:
            raise MensuraError(
                f"FraMoTEC has no complexity {measure!r}; {neighbors(measure, list(self.measures))}"
            )

    def complexity(self, description: Description, measure: str = "description_length") -> float:
        """How complex a task is."""
        self._check_measure(measure)
        if measure == "dimensions":
            return len(description.task.flat.objects)
        return 8.0 * zlib_length(json.dumps(description.task.to_json(), sort_keys=True))

    check_given = staticmethod(exploring.check_given)

    def check_explorable(self, description: Description | None = None) -> None:
        """Raise if a page could not show the world, or an environment of it."""
        exploring.check_size(self.family if description is None else description.task)

    def fitted(self, description: Description) -> Framotec:
        """The world with the task of an environment."""
        return replace(
            self,
            task=canonical(description.task),
            # The description has who controls what.
            controllers=tuple("+".join(motors) for motors in description.controllers),
            integrator=None,
            controller_step=None,
            dt=None,
        )

    def command_parameters(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """What the command line has to be told: a sample task by its name, else the file that the page saves."""
        told = {name: value for name, value in given.items() if name != "subjects"}
        told["task"] = self.task if self.task in SAMPLES else "task.yaml"
        if len(told.get("controllers", ())) == 1:  # all motors are that controller's anyway
            del told["controllers"]
        return told

    right_parameters: ClassVar[tuple[str, ...]] = ("knowing", "velocity_seen")

    def describe_from_json(self, data: dict[str, Any]) -> Description:
        """The description that ``description.to_json()`` wrote, with the rights that seats have in this world."""
        written = Description.from_json(data)
        return replace(
            written,
            knowing=tuple(sorted({*written.knowing, *self.knowing})),
            velocity_seen=tuple(sorted({*written.velocity_seen, *self.velocity_seen})),
        )

    def build(self, description: Description) -> FramotecEnvironment:
        """The environment of a description."""
        return FramotecEnvironment(description)

    def room(self, subject: Subject, description: Description, interactions: int) -> Room:
        """What a sitting takes: the row of its environment, in which sensors keep what they will tell later."""
        row = FramotecEnvironment(description).simulation.row
        return Room(int(row.nbytes), "a shorter latency of sensors, or fewer of them,")

    def block(self) -> Layout | None:
        """How environments of this world lie in a block of memory, to be stepped at once; None where they cannot."""
        from mensura.worlds.framotec.packing import layout_of

        return layout_of(self.sample(0), self.sample)

    # Subjects

    demo: ClassVar[tuple[str, ...]] = ("sarsa", "pid", "plotter")
    """The subjects that a demonstration shows."""

    @property
    def subject_names(self) -> Mapping[str, str]:
        """The built-in subjects with a line on each."""
        return {name: kind.summary for name, kind in KINDS.items()}

    def subject_parameters(self, name: str) -> Mapping[str, float]:
        """The parameters of a built-in subject with their defaults."""
        return KINDS[name].parameters

    def group(self, parts: Sequence[tuple[str, Mapping[str, Any], int]]) -> Group:
        """A built-in subject: one part for all seats, or several parts with so many members each."""
        members = [(member(name, parameters), count) for name, parameters, count in parts]
        if any(one.code == SELECTOR for one, _ in members):
            check_selector(self.family)
        return Group(tuple(one for one, count in members for _ in range(count)))

    def hosting(self, subject: Subject) -> Framotec:
        """This world with what the subject needs in it: the rights to know the task and to see a velocity."""
        knowing, velocity_seen = set(self.knowing), set(self.velocity_seen)
        for part, first, count in stretches(subject, self.subjects):
            if isinstance(part, Group):
                knowing.update(first + seat for seat in part.knowing(count))
                velocity_seen.update(first + seat for seat in part.velocity_seen(count))
        if not knowing and not velocity_seen:
            return self
        return replace(
            self,
            knowing=tuple(sorted(knowing)),
            velocity_seen=tuple(sorted(velocity_seen)),
        )

    def easier(self, description: Description, share: float) -> Description:
        """A copy of an environment that starts nearer to its goals: at a share of the way (6.2.1)."""
        return replace(description, task=easier(description.task, share))

    def frontier(self) -> Frontier | None:
        """The least energy for every time (5.2), for figures; None where it cannot be told."""
        return frontier_of(self.family)

    def optimum(self, description: Description) -> KnownSchedule | None:
        """The quickest schedule that is known of an environment, to hold behavior against; None where none is."""
        from mensura.worlds.framotec.known_schedule import known_schedule

        return known_schedule(description)

    def phenomena(self, description: Description | None = None) -> tuple[Phenomenon, ...]:
        """The objects, transitions and goals of a task; none where several control it, or thoughts take time."""
        from mensura.worlds.framotec.phenomena import phenomena_of

        found = self.sample(0) if description is None else description
        alone = found.subjects == 1 and found.clock == "interactions"
        return phenomena_of(found) if alone else ()

    # Files

    @classmethod
    def task_files(cls) -> TaskFiles:
        """The sample tasks, and what is done with tasks in files."""
        from mensura.worlds.framotec.task_files import FramotecFiles

        return FramotecFiles()

    # Pictures

    def view(self) -> FramotecView:
        """How environments of this world are shown."""
        from mensura.worlds.framotec.view import FramotecView

        return FramotecView(self)

    def words(self) -> ModuleType:
        """The module that tells subjects who read what they observe."""
        from mensura.worlds.framotec import sentences

        return sentences
