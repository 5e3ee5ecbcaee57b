"""Running a task: one simulation with its clock, motors and sensors, or many schedules of powers at once.

::

    simulation = Simulation(task, key=1)
    controller = simulation.controller("driver", "motor")
    while not simulation.over:
        controller.set("motor", 200.0 if simulation.read("position") < 95 else 0.0)
        simulation.tick()
    simulation.time, simulation.energy, simulation.solved
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, fold
from mensura.core.row_environment import NO_STATE
from mensura.worlds.framotec.model.task import Task
from mensura.worlds.framotec.play.assembly import Assembly, assembled
from mensura.worlds.framotec.play.kernels import kernel

MOST_STEPS = 2**53
"""Numbers of steps are exact up to here."""

_SAMPLE = 0
"""The stream under a key with which ranges are drawn."""


class Simulation:
    """A task-environment that runs (section 5.1).

    It stands still once the task is solved or failed. A task with ranges is sampled first, with a stream of the key.
    """

    def __init__(self, task: Task, key: Key = 0) -> None:
        self.task = task.sample(fold(key, _SAMPLE))
        self.assembly: Assembly = assembled(self.task)
        self.row: npt.NDArray[np.float64] = self.assembly.row.copy()
        self._program = self.assembly.program
        self._readings = np.zeros(len(self.assembly.task.sensors))
        self._sensors = {one.name: i for i, one in enumerate(self.assembly.task.sensors)}
        self._fixed = _fixed(self.assembly)
        self.start(key)

    def start(self, key: Key) -> None:
        """Go back to the start; the key draws the noise of transitions and sensors."""
        self.row[:] = self.assembly.row
        kernel.start_door(self._program, self.row, np.uint64(key))

    # Time

    def tick(self, delta_time: float | None = None) -> None:
        """Run for so many seconds, a controller step if nothing is said; less where the task is over before."""
        if delta_time is None:
            self.advance(self.task.steps_per_action)
            return
        steps = delta_time / self.task.dt
        if not 0.0 <= steps < 2**53 or abs(steps - round(steps)) > 1e-6 * max(steps, 1.0):
            raise MensuraError(
                f"A tick of {delta_time!r} s is impossible; it is a multiple of dt, {self.task.dt!r} s."
            )
        self.advance(round(steps))

    def advance(self, steps: int) -> None:
        """Run so many steps of dt."""
        kernel.tick_door(self._program, self.row, steps)
        if self.row[kernel.ERROR]:
            at = int(self.row[kernel.ERROR_AT])
            raise self.assembly.trouble(int(self.row[kernel.ERROR]), at, self.time)

    @property
    def steps(self) -> int:
        """How many steps of dt have passed."""
        return int(self.row[kernel.STEPS])

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return float(self.row[kernel.TIME])

    @property
    def energy(self) -> float:
        """Joules that motors have used, waste included."""
        return float(self.row[kernel.ENERGY])

    @property
    def reward(self) -> float:
        """Minus the sum of distances of all goals beyond their tolerance: the score of footnote 7."""
        return float(self.row[kernel.REWARD])

    # The task

    @property
    def solved(self) -> bool:
        """Whether all goals are satisfied."""
        return bool(self.row[kernel.SOLVED_AT] >= 0.0)

    @property
    def solved_at(self) -> float | None:
        """When it was solved."""
        return float(self.row[kernel.SOLVED_AT]) if self.solved else None

    @property
    def failed(self) -> bool:
        """Whether a limit was passed, or a goal's last moment, before it was solved."""
        return bool(self.row[kernel.FAILED_AT] >= 0.0)

    @property
    def over(self) -> bool:
        """Whether it is solved or failed."""
        return self.solved or self.failed

    @property
    def goals(self) -> dict[str, bool]:
        """Which goals are satisfied."""
        names = [goal.name for goal in self.assembly.task.goals]
        return {name: bool(self.row[self.assembly.goal_slot(name)]) for name in names}

    @property
    def distances(self) -> dict[str, float]:
        """How far the attribute of each goal is from it, beyond its tolerance."""
        slot, names = self.assembly.goal_slot, [goal.name for goal in self.assembly.task.goals]
        return {name: float(self.row[slot(name, kernel.DISTANCE)]) for name in names}

    def reset_goal(self, name: str) -> None:
        """Reset a goal and, recursively, those that it is a prerequisite of."""
        number = self.assembly.goals.get(name)
        if number is None:
            known = list(self.assembly.goals)
            raise MensuraError(f"There is no goal {name!r}; {neighbors(name, known)}")
        kernel.reset_goal_door(self._program, self.row, number)

    # Motors

    def controller(self, name: str, *motors: str) -> Controller:
        """Somebody who sets these motors; all exposed ones, where none is named."""
        exposed = [motor.name for motor in self.assembly.task.exposed]
        for motor in motors:
            if motor not in exposed:
                raise MensuraError(
                    f"Controller {name!r} cannot have the motor {motor!r}; {neighbors(motor, exposed)}"
                )
        return Controller(self, name, motors or tuple(exposed))

    def set_power(self, motor: str, watts: float) -> None:
        """Ask a motor for so much power; of several settings the latest holds."""
        if motor not in self.assembly.motors:
            known = list(self.assembly.motors)
            raise MensuraError(f"There is no motor {motor!r}; {neighbors(motor, known)}")
        if not abs(watts) < 1e15:
            raise MensuraError(f"Motor {motor!r} cannot be set to {watts!r} W; it is a number.")
        self.row[self.assembly.motor_slot(motor)] = watts

    def set_powers(self, powers: Mapping[str, float]) -> None:
        """Set several motors."""
        for motor, watts in powers.items():
            self.set_power(motor, watts)

    # Sensors

    def readings(self) -> npt.NDArray[np.float64]:
        """What all sensors read now, in their order; a new array."""
        kernel.read_door(self._program, self.row, self._readings)
        return self._readings.copy()

    def read(self, sensor: str) -> float:
        """What a sensor reads now; reading again at the same time gives the same."""
        if sensor not in self._sensors:
            known = list(self._sensors)
            raise MensuraError(f"There is no sensor {sensor!r}; {neighbors(sensor, known)}")
        return float(self.readings()[self._sensors[sensor]])

    def value(self, path: str) -> float:
        """What is behind the sensors: an attribute as "car.velocity", as it really is."""
        slot = self.assembly.slots.get(path)
        if slot is None:
            known = list(self.assembly.slots)
            raise MensuraError(f"There is no attribute {path!r}; {neighbors(path, known)}")
        return float(self.row[slot])

    # Going back

    def snapshot(self) -> bytes:
        """The whole state."""
        return self.row.tobytes()

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot of a simulation of the same task."""
        if len(state) != self.row.nbytes:
            raise MensuraError("This snapshot belongs to another task: its size differs.")
        row = np.frombuffer(state, np.float64)
        if not np.array_equal(row[self._fixed], self.row[self._fixed]):
            raise MensuraError("This snapshot belongs to another task: its numbers differ.")
        steps = row[kernel.STEPS]
        if not 0.0 <= steps < MOST_STEPS or steps != int(steps) or row[kernel.ERROR] != 0.0:
            raise MensuraError(NO_STATE)
        # All but the key, and places that never had a number, as limits that there are not.
        numbers = np.isfinite(self.assembly.row)
        numbers[kernel.KEY] = False
        if not np.isfinite(row[numbers]).all():
            raise MensuraError(NO_STATE)
        self.row[:] = row


@dataclass(frozen=True)
class Controller:
    """Somebody who sets some motors of a simulation."""

    simulation: Simulation
    name: str
    motors: tuple[str, ...]

    def set(self, motor: str, watts: float) -> None:
        """Ask one of its motors for so much power."""
        if motor not in self.motors:
            raise MensuraError(
                f"Controller {self.name!r} was not given the motor {motor!r}; "
                f"{neighbors(motor, list(self.motors))}"
            )
        self.simulation.set_power(motor, watts)


def _fixed(assembly: Assembly) -> npt.NDArray[np.intp]:
    """The places of a row that never change: dt, the limit of energy, the bounds of objects, what goals want."""
    places = [kernel.DT, kernel.ENERGY_LIMIT]
    for i in range(len(assembly.task.objects)):
        first = kernel.ROW_HEAD + kernel.OBJECT * i
        places += [first + kernel.LOW, first + kernel.HIGH, first + kernel.DRIVEN]
    for motor in assembly.motors:
        places.append(assembly.motor_slot(motor, kernel.MOST))
    for goal in assembly.goals:
        places += [assembly.goal_slot(goal, k) for k in (kernel.WANTED, kernel.TOLERANCE)]
    return np.array(places, np.intp)


# Many at once -----------------------------------------------------------------------


@dataclass(frozen=True)
class Outcomes:
    """How many attempts ended, one entry each."""

    time: npt.NDArray[np.float64]
    """Seconds that they took."""
    energy: npt.NDArray[np.float64]
    """Joules that they took."""
    solved: npt.NDArray[np.bool_]
    failed: npt.NDArray[np.bool_]
    solved_at: npt.NDArray[np.float64]
    """When they were solved; nan where they were not."""


def simulate(
    tasks: Task | Sequence[Task],
    powers: npt.ArrayLike,
    keys: Iterable[Key] | None = None,
    delta_time: float | None = None,
) -> Outcomes:
    """Run many schedules of powers, the same to the bit as ticks of a :class:`Simulation` do.

    ``powers[i, t, m]`` are the watts that the m-th exposed motor is asked for in the t-th tick of attempt i, in the one
    task or in the i-th of them. ``keys[i]`` is its key, 0, 1, ... if nothing is said. A tick has ``delta_time``
    seconds, or a controller step of its task.
    """
    watts = np.ascontiguousarray(powers, np.float64)
    if watts.ndim != 3:
        raise MensuraError(
            f"Powers have the shape {watts.shape}; it is (attempts, ticks, exposed motors)."
        )
    if not np.isfinite(watts).all():
        raise MensuraError("Powers are not all numbers; nan and infinity cannot be set.")
    count = len(watts)
    own = list(range(count)) if keys is None else list(keys)
    several = [tasks] if isinstance(tasks, Task) else list(tasks)
    if len(own) != count or len(several) not in (1, count):
        raise MensuraError(
            f"{count} schedules do not fit {len(own)} keys and {len(several)} tasks; there is one for each."
        )
    out = np.zeros((count, 6))
    if len(several) == 1 and several[0].concrete:
        _run(several[0], watts, own, delta_time, out)
    else:
        for i in range(count):
            task = several[i % len(several)].sample(fold(own[i], _SAMPLE))
            _run(task, watts[i : i + 1], own[i : i + 1], delta_time, out[i : i + 1])
    solved = out[:, 2] >= 0.0
    return Outcomes(
        time=out[:, 0],
        energy=out[:, 1],
        solved=solved,
        failed=out[:, 3] >= 0.0,
        solved_at=np.where(solved, out[:, 2], np.nan),
    )


def _run(
    task: Task,
    watts: npt.NDArray[np.float64],
    keys: Sequence[Key],
    delta_time: float | None,
    out: npt.NDArray[np.float64],
) -> None:
    assembly = assembled(task)
    motors = len(assembly.task.exposed)
    if watts.shape[2] != motors:
        raise MensuraError(
            f"Powers are for {watts.shape[2]} motors, and the task {task.name!r} exposes {motors}."
        )
    steps = task.steps_per_action if delta_time is None else round(delta_time / task.dt)
    if steps < 1:
        raise MensuraError(f"A tick of {delta_time!r} s is shorter than dt, {task.dt!r} s.")
    row = assembly.row.copy()
    own = np.array(keys, np.uint64)
    kernel.simulate_door(assembly.program, assembly.row, row, own, watts, steps, out)
    wrong = np.flatnonzero(out[:, 4])
    if len(wrong):
        time, _, _, _, error, at = out[wrong[0]]
        raise assembly.trouble(int(error), int(at), time)
