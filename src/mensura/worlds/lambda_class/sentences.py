"""Lambda in words, for subjects who read. Cells count from 1, as in all texts of this world; actions from 0.

Good and Evil are a star and a diamond, as for people in the thesis (4.5.3): their names would tell a reader what other
subjects have to find out.
"""

from __future__ import annotations

from typing import Any

from mensura.agent.spaces import Discrete, Record
from mensura.agent.task import Task
from mensura.core.observation_words import counted, number

SYMBOLS = {"good": "the star", "evil": "the diamond"}


def rules(task: Task) -> str:
    """What a seat finds itself in."""
    boxes = task.observation_space.boxes if isinstance(task.observation_space, Record) else {}
    cells = int(boxes["cell"].high) + 1
    assert isinstance(task.action_space, Discrete)
    others = ["A star and a diamond go about on the cells, too"]
    if "objects" in boxes:
        others.append(f"so do {counted(boxes['objects'].size, 'other object')}")
    if task.seats > 1:
        others.append(
            f"there are {task.seats} subjects, in the seats 0 to {task.seats - 1}; you have seat {task.seat.index}"
        )
    return (
        f"You stand on one of {counted(cells, 'cell')}, numbered from 1 to {cells}. Arrows lead from cell to cell: "
        f"from every cell one for each of {counted(task.action_space.n, 'action')}. Action 0 stays where you are. "
        f"{'; '.join(others)}. After each action you get a reward from -1 to 1."
    )


def observation(task: Task, observation: Any) -> str:
    """What a seat observes, a sentence for each thing."""
    names = observation.dtype.names
    told = [
        f"{counted(int(observation['iteration']), 'interaction')} so far. You are on cell {_cell(observation['cell'])}."
    ]
    told += [_whereabouts(name, observation[field]) for field, name in SYMBOLS.items()]
    for field, name in SYMBOLS.items():
        intended = observation[f"next_{field}"]
        if intended >= 0:
            told.append(f"{name} will go to cell {_cell(intended)}.")
    told += [
        _whereabouts(f"Seat {seat}", cell)
        for seat, cell in enumerate(observation["subjects"].tolist())
        if seat != task.seat.index
    ]
    if "objects" in names:
        cells = enumerate(observation["objects"].tolist(), 1)
        told += [_whereabouts(f"Object {place}", cell) for place, cell in cells]
    ways = enumerate(observation["ways"].tolist())
    told.append(f"{', '.join(f'action {a} leads to cell {_cell(cell)}' for a, cell in ways)}.")
    if "rewards" in names:
        lying = " ".join(map(number, observation["rewards"].tolist()))
        told.append(f"What lies on the cells, from cell 1 on: {lying}.")
    return "\n".join(line[0].upper() + line[1:] for line in told)


def _cell(cell: float) -> int:
    return int(cell) + 1


def _whereabouts(who: str, cell: float) -> str:
    return f"{who} is on cell {_cell(cell)}." if cell >= 0 else f"{who} is out of sight."
