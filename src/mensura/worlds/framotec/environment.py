"""One FraMoTEC task behind the contract: controllers in seats with their own clocks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.agent.spaces import Box, Discrete, Record
from mensura.agent.task import Seat
from mensura.core.contract import Ended, Turn
from mensura.core.row_environment import NO_STATE
from mensura.records.task_attempts import ENERGY, SOLVED, TIME
from mensura.worlds.framotec.model.blocks import Range
from mensura.worlds.framotec.model.names import attribute_path
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.description import (
    LEVELS,
    MOST_THOUGHT,
    Clock,
    Description,
    observation_space,
    observed,
)
from mensura.worlds.framotec.play.kernels import kernel
from mensura.worlds.framotec.play.simulation import MOST_STEPS, Simulation

if TYPE_CHECKING:
    from mensura.pictures.picture import Picture


class Parts(NamedTuple):
    """What actions, observations and rewards of the first seat are made of."""

    slots: list[int]
    """Where in the simulation's row its motors are asked for power."""
    most: npt.NDArray[np.float64]
    """The most that each of them gives."""
    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    """The bounds of readings, time, energy and velocity."""
    velocity: int
    """Where the velocity of the first object stands; -1 where there is none."""
    satisfied: npt.NDArray[np.intp]
    distances: npt.NDArray[np.intp]
    """Where these stand of each goal."""
    scales: npt.NDArray[np.float64]
    """How far each goal can be."""
    channels: list[int]
    """The sensors that are rewards."""


class FramotecEnvironment:
    """A task that one or several controllers perform by setting the powers of motors.

    Description:
        Objects with a value each move in one dimension by the physics of the paper, or by the task's transitions. The
        task is solved when all its goals are satisfied, and failed when a limit of time or energy is passed before.

    Observation:
        A NumPy record of float64: a number for each sensor of the task, by its name, then ``time``, the seconds so
        far, and ``energy``, the joules spent. Readings of unbounded things are shown within +-1e9. A seat with the
        right "sees_velocity" also has ``velocity``, that of the first object (6.1). All seats are told the
        instructions of the task; one with the right "knows_task", the whole task as JSON and which motors it has.

    Actions:
        "continuous": an array (motors,) in [-1, 1], the power of each of the seat's motors as a share of its most.
        "three" or "five": a number, motor * levels + level; it sets one motor to a level of 0, +1, -1, +1/2, -1/2 of
        its most, and the others keep theirs. Default: no power at all, or of the first motor.

    Rewards:
        In [-1, 1], after each interaction: 1 once the task is solved, -1 once it is failed. Before, minus the mean
        over all goals of how far they are, beyond their tolerance, as a share of how far they can be (for unbounded
        things, of how far they were at first, at least 1); satisfied goals count 0. With rewards "score" these
        count as far as they are, too, as in footnote 7. With "channels" it is the sum of the task's reward channels,
        cut off at -1 and 1.

    End:
        After ``horizon`` controller steps, which whoever has solved or failed sits through, or where ``ends`` is true
        as soon as that has happened. Terminated, but truncated where the task is neither solved nor failed by then.

    Time:
        By the clock "interactions" all seats act every controller step, at once. By the clock "simulated" an action
        takes effect only after the seconds that the seat thought, declared or measured, and the seat is due again then
        or a controller step after its last turn, whichever is later.

    Citation:
        Thorarensen, Thórisson, Bieger and Sigurðardóttir: FraMoTEC (2016).
    """

    def __init__(self, description: Description) -> None:
        d = self.description = description
        self.seats = tuple(Seat(j, rights=_rights(d, j)) for j in range(d.subjects))
        self.simulation = Simulation(d.task)
        assembly = self.simulation.assembly
        most = {motor.name: motor.power for motor in assembly.task.motors}
        self._motors: list[tuple[list[int], npt.NDArray[np.float64]]] = [
            (
                [assembly.motor_slot(one) for one in own],
                np.array([most[one] for one in own], np.float64),
            )
            for own in d.controllers
        ]
        levels = len(LEVELS.get(d.actions, ()))
        self._actions: list[Box | Discrete] = [
            Box(-1, 1, (len(own),)) if d.actions == "continuous" else Discrete(levels * len(own))
            for own in d.controllers
        ]
        self._spaces = [observation_space(d, j) for j in range(d.subjects)]
        self._low, self._high = observed(d.task, d.horizon, True).bounds()
        self._alike = len(set(self._spaces)) == 1
        first = next(iter(assembly.task.objects), None)
        self._velocity = -1 if first is None else assembly.slots[f"{first.name}.velocity"]
        self._satisfied = np.array([assembly.goal_slot(name) for name in assembly.goals], np.intp)
        self._distances = self._satisfied - kernel.SATISFIED + kernel.DISTANCE
        self._scales = _scales(self.simulation)
        self._channels = [i for i, one in enumerate(assembly.task.sensors) if one.reward]
        self._everybody = tuple(range(d.subjects))
        self._stride = d.task.steps_per_action
        # The agenda: the step that it is, or -1; by the clock "simulated" also, for each seat, when it is due, when
        # what it decided takes effect, or -1, and the powers that it decided.
        width = max(len(own) for own in d.controllers)
        self._agenda = np.full((d.subjects + 1, 2 + width), -1.0)
        self._asynchronous = d.clock == "simulated"

    @property
    def horizon(self) -> int | None:
        """How many interactions an episode has, where that is fixed."""
        d = self.description
        late = d.clock == "simulated" and (not d.thought or max(d.thought) > d.task.controller_step)
        return None if d.ends or late else d.horizon

    @property
    def clock(self) -> Clock:
        """What time is: interactions, or the time that thoughts take."""
        return "simulated" if self._asynchronous else "interactions"

    @property
    def now(self) -> int:
        """The step of dt that it is; a task that is solved or failed stands still meanwhile."""
        return int(self._agenda[0, 0])

    def spaces(self, seat: int) -> tuple[Record, Box | Discrete]:
        """The observation and action spaces."""
        return self._spaces[seat], self._actions[seat]

    def instructions(self, seat: int) -> str:
        """What a seat is told before it begins: the instructions of the task, or with "knows_task" all of it."""
        d = self.description
        if seat not in d.knowing:
            return d.task.instructions
        return _whole_task(d.task, d.controllers[seat])

    def reset(self, key: Key) -> Turn:
        """Start an episode; the key draws the noise of transitions and sensors."""
        self.simulation.start(key)
        self._agenda[:] = -1.0
        self._agenda[0, 0] = 0.0
        self._agenda[1:, 0] = 0.0
        return self._turn(first=True)

    def step(self, actions: Sequence[Any], seconds: Sequence[float] = ()) -> Turn:
        """Take the actions of the seats last due and run until another seat is due."""
        if self._ended:
            raise RuntimeError("the episode has ended or not begun: reset first")
        due = self._due
        if len(actions) != len(due):
            raise ValueError(f"{len(actions)} actions for {len(due)} seats")
        for seat, action in zip(due, actions, strict=True):
            if not self._actions[seat].contains(action):
                raise ValueError(f"{action!r} is not an action of seat {seat}")
        if self._asynchronous:
            for at, seat in enumerate(due):
                self._decide(seat, actions[at], seconds[at] if at < len(seconds) else 0.0)
            self._run_to(min(int(self._agenda[1:, 0].min()), self.description.last_step))
        else:
            for seat, action in zip(due, actions, strict=True):
                self._set(seat, self.powers_of(seat, action))
            self.simulation.advance(self._stride)
            self._agenda[0, 0] += self._stride
        return self._turn()

    def powers_of(self, seat: int, action: Any) -> npt.NDArray[np.float64]:
        """The watts that an action asks the seat's motors for; nan where it leaves one as it is."""
        _, most = self._motors[seat]
        if self.description.actions == "continuous":
            shares: npt.NDArray[np.float64] = np.asarray(action, np.float64)
            return shares * most
        levels = LEVELS[self.description.actions]
        motor, level = divmod(int(action), len(levels))
        powers = np.full(len(most), np.nan)
        powers[motor] = levels[level] * most[motor]
        return powers

    def asked_powers(self, seat: int) -> npt.NDArray[np.float64]:
        """The watts that the seat's motors are asked for now."""
        return np.array(self.simulation.row[self._motors[seat][0]], np.float64)

    def _set(self, seat: int, powers: npt.NDArray[np.float64]) -> None:
        """Ask the seat's motors for so much."""
        row = self.simulation.row
        for slot, watts in zip(self._motors[seat][0], powers.tolist(), strict=True):
            if watts == watts:  # not nan
                row[slot] = watts

    # By the clock "simulated"

    def _decide(self, seat: int, action: Any, took: float) -> None:
        """Put what a seat decided on the agenda."""
        d = self.description
        own = self._agenda[seat + 1]
        thought = d.thought[seat] if d.thought else min(max(took, 0.0), MOST_THOUGHT)
        effect = self.now + round(thought / d.task.dt)
        own[0] = max(self.now + self._stride, effect)
        own[1] = effect
        powers = self.powers_of(seat, action)
        own[2 : 2 + len(powers)] = powers

    def _run_to(self, until: int) -> None:
        """Run, with a stop wherever somebody's thoughts are over."""
        while self.now < until and not self._ended:
            self._take_effect()
            coming = self._agenda[1:, 1]
            coming = coming[coming > self.now]
            stop = min(until, int(coming.min())) if len(coming) else until
            self.simulation.advance(stop - self.now)
            self._agenda[0, 0] = stop
        # Whoever is due now is about to decide anew: what it decided before holds first.
        self._take_effect()

    def _take_effect(self) -> None:
        """Set the motors of all whose thoughts are over by now, in the order in which they are."""
        over = [seat for seat in self._everybody if 0 <= self._agenda[seat + 1, 1] <= self.now]
        for seat in sorted(over, key=lambda one: (self._agenda[one + 1, 1], one)):
            own = self._agenda[seat + 1]
            self._set(seat, own[2 : 2 + len(self._motors[seat][0])])
            own[1] = -1.0

    # Turns

    @property
    def _ended(self) -> bool:
        now = self._agenda[0, 0]
        if now < 0 or now >= self.description.last_step:
            return True
        return self.description.ends and self.simulation.over

    @property
    def _due(self) -> tuple[int, ...]:
        if not self._asynchronous or self._ended:
            return self._everybody
        return tuple(np.flatnonzero(self._agenda[1:, 0] <= self.now).tolist())

    def _turn(self, first: bool = False) -> Turn:
        over = self._ended
        due = self._everybody if over else self._due
        readings = self.simulation.readings()
        seen = self._seen(readings)
        records: Any
        if self._alike:
            own = seen[: len(self._spaces[0].fields)]
            records = np.ndarray(
                len(due), self._spaces[0].dtype, bytearray(own.tobytes() * len(due))
            )
        else:
            records = [_record(self._spaces[seat], seen) for seat in due]
        reward = 0.0 if first else self._reward(readings)
        ended: Ended | None = None
        if over:
            ended = "terminated" if self.simulation.over else "truncated"
        return Turn(due, records, [reward] * len(due), ended)

    def _seen(self, readings: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """All that observations are made of, within its bounds."""
        row = self.simulation.row
        seen = np.array([*readings, row[kernel.TIME], row[kernel.ENERGY], row[self._velocity]])
        return np.asarray(np.minimum(np.maximum(seen, self._low), self._high))

    def seen(self, seat: int) -> list[float]:
        """What a seat observes, number by number."""
        own = self._seen(self.simulation.readings())[: len(self._spaces[seat].fields)]
        return list(own.tolist())

    def picture(self, seat: int | None = None) -> Picture:
        """The objects with their goals; for a seat, what it reads."""
        from mensura.worlds.framotec import picture

        return picture.moment(self) if seat is None else picture.seen(self, seat)

    def _reward(self, readings: npt.NDArray[np.float64]) -> float:
        if self.description.rewards == "channels":
            return float(min(max(readings[self._channels].sum(), -1.0), 1.0))
        row = self.simulation.row
        if row[kernel.SOLVED_AT] >= 0.0:
            return 1.0
        if row[kernel.FAILED_AT] >= 0.0:
            return -1.0
        if not len(self._scales):
            return 0.0
        shares = np.minimum(row[self._distances] / self._scales, 1.0)
        if self.description.rewards == "score":
            return -float(shares.sum()) / len(shares)
        far = shares * (row[self._satisfied] == 0.0)
        return -float(far.sum()) / len(far)

    def parts(self) -> Parts:
        """What actions, observations and rewards are made of, for whoever plays many environments at once."""
        slots, most = self._motors[0]
        return Parts(
            slots,
            most,
            self._low,
            self._high,
            self._velocity,
            self._satisfied,
            self._distances,
            self._scales,
            self._channels,
        )

    # The rest of the contract

    def legal(self, seat: int, action: Any) -> bool:
        """Whether the action is one of the action space."""
        return self._actions[seat].contains(action)

    def default(self, seat: int) -> Any:
        """No power."""
        space = self._actions[seat]
        return np.zeros(space.shape) if isinstance(space, Box) else 0

    def measures(self) -> dict[str, float]:
        """What an episode cost, and whether it was solved."""
        one = self.simulation
        return {TIME: one.time, ENERGY: one.energy, SOLVED: float(one.solved)}

    def decided(self) -> bool:
        """Whether the task is solved or failed, and no action can change what is scored.

        Where thoughts are measured, who thinks longer is due less often; and what a reward channel reads may be what a
        motor is asked for.
        """
        d = self.description
        measured = d.clock == "simulated" and not d.thought
        return d.rewards != "channels" and not measured and self.simulation.over

    def snapshot(self) -> bytes:
        """The state of the task and the agenda."""
        return self._agenda.tobytes() + self.simulation.snapshot()

    def restore(self, state: bytes) -> Turn:
        """Go back to a snapshot of an environment with the same description."""
        size = self._agenda.nbytes
        if len(state) != size + self.simulation.row.nbytes:
            raise MensuraError("This snapshot belongs to another task: its size differs.")
        agenda = np.frombuffer(state[:size], np.float64).reshape(self._agenda.shape)
        self._check_agenda(agenda)
        self.simulation.restore(state[size:])
        self._agenda[:] = agenda
        return self._turn(first=self.now == 0)

    def _check_agenda(self, agenda: npt.NDArray[np.float64]) -> None:
        """Raise if an agenda from elsewhere has times that no episode comes to, or powers that no action asks for."""
        last = self.description.last_step
        times = agenda[1:, :2]
        known = -1.0 <= agenda[0, 0] <= last and ((times >= -1.0) & (times <= MOST_STEPS)).all()
        if not known or (times != np.rint(times)).any() or agenda[0, 0] != int(agenda[0, 0]):
            raise MensuraError(NO_STATE)
        for seat, (_, most) in enumerate(self._motors):
            asked = agenda[seat + 1, 2 : 2 + len(most)]
            if (np.abs(asked) > np.maximum(np.abs(most), 1.0)).any():  # none is asked for as nan
                raise MensuraError(NO_STATE)


def _rights(d: Description, seat: int) -> frozenset[str]:
    held = {"knows_task": seat in d.knowing, "sees_velocity": seat in d.velocity_seen}
    return frozenset(right for right, own in held.items() if own)


def _record(space: Record, numbers: npt.NDArray[np.float64]) -> Any:
    """The first numbers as an observation, in memory of its own."""
    return np.ndarray((), space.dtype, bytearray(numbers[: len(space.fields)].tobytes()))[()]


@lru_cache(maxsize=256)
def _whole_task(task: Task, motors: tuple[str, ...]) -> str:
    return json.dumps({"task": task.to_json(), "motors": motors}, separators=(",", ":"))


def _scales(simulation: Simulation) -> npt.NDArray[np.float64]:
    """How far the attribute of each goal can be from it, beyond its tolerance, in the order of the kernel."""
    task = simulation.assembly.task
    objects = {one.name: one for one in task.objects}
    goals = {one.name: one for one in task.goals}
    at_first = simulation.distances
    scales = []
    for name in simulation.assembly.goals:
        goal = goals[name]
        owner, _, attribute = attribute_path(goal.of, objects).rpartition(".")
        thing = objects.get(owner)
        assert not isinstance(goal.value, Range)
        assert not isinstance(goal.tolerance, Range)
        far = max(at_first[name], 1.0)
        if attribute == "value" and thing is not None and thing.bounds is not None:
            far = max(abs(end - goal.value) for end in thing.bounds) - goal.tolerance
        scales.append(far if far > 0.0 else 1.0)
    return np.array(scales, np.float64)
