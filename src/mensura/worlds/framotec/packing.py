"""Environments of FraMoTEC as rows of a block of memory, for vectors: one seat, by the clock "interactions"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Keys
from mensura.core.blocks import Layout
from mensura.core.many_doors import many_doors
from mensura.worlds.framotec.environment import FramotecEnvironment
from mensura.worlds.framotec.play.description import LEVELS, Description
from mensura.worlds.framotec.play.kernels import block, kernel

Rows = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Sample = Callable[[int, tuple[str, float, float] | None], Description]

MOST_SUMMED = 128
"""So many goals or reward channels, and no more, are added up in the order of the single environment."""

_KINDS = {"distance": block.DISTANCE, "score": block.SCORE, "channels": block.FROM_CHANNELS}


def layout_of(example: Description, sample: Sample) -> Layout | None:
    """How environments like this one lie in a block; None where they cannot: several seats, or thoughts take time."""
    if example.subjects != 1 or example.clock != "interactions":
        return None
    one = FramotecEnvironment(example)
    assembly = one.simulation.assembly
    if max(len(assembly.goals), len(assembly.task.sensors)) > MOST_SUMMED:
        return None
    spaces = one.spaces(0)
    packed = _Packed()

    def drawn(keys: Keys, measure: str | None, low: Numbers, high: Numbers) -> Rows:
        rows = []
        for key, least, most in zip(keys.tolist(), low.tolist(), high.tolist(), strict=True):
            free = measure is None or np.isinf([least, most]).all()
            rows.append(packed(sample(key, None if free else (str(measure), least, most)), spaces))
        out = np.zeros((len(rows), max(map(len, rows))), np.int64)
        for at, row in enumerate(rows):
            out[at, : len(row)] = row
        return out

    def trouble(row: Rows) -> MensuraError:
        state = np.asarray(block_state(row))
        error, at, time = (state[n] for n in (kernel.ERROR, kernel.ERROR_AT, kernel.TIME))
        return assembly.trouble(int(error), int(at), float(time))

    return Layout(
        many_doors(block.RULES, block.show_row, block.ending),
        np.zeros(0, np.int64),
        drawn,
        lambda rows: rows,
        1,
        size=lambda rows: max(map(block.row_size, rows[:, : block.HEAD].tolist())),
        spaces=spaces,
        trouble=trouble,
    )


def block_state(row: Rows) -> Numbers:
    """The physics' row within that of an environment."""
    first = int(row[block.FIXED])
    return row[first : first + int(row[block.ROW])].view(np.float64)


class _Packed:
    """What never changes of the rows of environments; that of the last task is kept, as many families have but one."""

    def __init__(self) -> None:
        self._last: tuple[Any, Rows] | None = None

    def __call__(self, description: Description, spaces: Any) -> Rows:
        if self._last is None or self._last[0] is not description.task:
            one = FramotecEnvironment(description)
            if one.spaces(0) != spaces:
                raise MensuraError(
                    "This environment of framotec-v1 has other spaces than the vector was made for."
                )
            self._last = description.task, pack(one)
        return self._last[1]


def pack(environment: FramotecEnvironment) -> Rows:
    """What never changes of the row of an environment."""
    d, parts = environment.description, environment.parts()
    assembly = environment.simulation.assembly
    levels = LEVELS.get(d.actions, ())
    head = [0] * block.HEAD
    head[block.PROGRAM] = len(assembly.program)
    head[block.ROW] = len(assembly.row)
    head[block.MOTORS] = len(parts.slots)
    head[block.LEVELS] = len(levels)
    head[block.SENSORS] = len(assembly.task.sensors)
    head[block.SHOWN] = len(environment.spaces(0)[0].fields)
    head[block.GOALS] = len(parts.scales)
    head[block.CHANNELS] = len(parts.channels)
    head[block.HORIZON] = d.horizon
    head[block.STRIDE] = d.task.steps_per_action
    head[block.VELOCITY] = parts.velocity % len(assembly.row)
    head[block.REWARDS] = _KINDS[d.rewards]
    head[block.ENDS] = int(d.ends)
    pieces = [
        *(assembly.program, assembly.row, np.array(parts.slots), parts.most, np.array(levels)),
        *(parts.low, parts.high, parts.distances, parts.satisfied, parts.scales),
        np.array(parts.channels),
    ]
    head[block.FIXED] = block.HEAD + sum(map(len, pieces))
    floats = {1, 3, 4, 5, 6, 9}
    return np.concatenate(
        [
            np.array(head, np.int64),
            *(
                np.asarray(piece, np.float64).view(np.int64)
                if at in floats
                else np.asarray(piece, np.int64)
                for at, piece in enumerate(pieces)
            ),
        ]
    )
