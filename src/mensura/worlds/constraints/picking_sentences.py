"""What somebody who only picks values is told in words: their values, each constraint, and what is open now."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mensura.core.observation_words import counted, number
from mensura.worlds.constraints.agent_base.knowledge import Group, Knowledge

MOST_CELLS = 400
"""Tables of more cells are not told; what values cost now is."""
MOST_VALUES = 100
"""Of so many values each is told with what it breaks now."""


def picking(observation: Any) -> Iterator[str]:
    """A line for each thing."""
    knows = Knowledge(observation["problem"])
    told = {int(one["agent"]): int(one["value"]) for one in observation["told"]}
    value, values = int(observation["value"]), [int(one) for one in observation["open"]]
    names = value_names(knows)
    yield f"You have {' and '.join(knows.names)}, now {_named(names, value)}."
    yield from (f"{line[0].upper()}{line[1:]}" for line in _constraints(knows, told))
    if observation["news"]:
        yield observation["news"]
    yield "These values are open:" if len(values) > 1 else "This value is open:"
    broken = broken_by(knows, told)
    costs = costs_of(knows, told)
    for one in values[:MOST_VALUES]:
        kept = " (you have it)" if one == value else ""
        what = (
            "is forbidden"
            if math.isinf(knows.own[one])
            else _effect(knows, broken[one], costs[one])
        )
        yield f"- {_named(names, one)}{kept}: {what}"
    if len(values) > MOST_VALUES:
        yield f"- and {len(values) - MOST_VALUES} more"


def value_names(knows: Knowledge) -> list[str]:
    """What each of the own values is called: of several variables, what each of them is."""
    variables = knows.told["variables"]
    if len(variables) == 1:
        return [str(one) for one in variables[0]["values"]]
    return [
        ", ".join(
            f"{one['name']} {one['values'][at]}" for one, at in zip(variables, each, strict=True)
        )
        for each in knows.domain
    ]


def _named(names: list[str], value: int) -> str:
    """A value by its number, and by its name where that says more."""
    return f"number {value}" + (f" ({names[value]})" if names[value] != str(value) else "")


def broken_by(knows: Knowledge, told: Mapping[int, int]) -> list[list[int]]:
    """With whom each own value breaks a constraint, as far as values are known."""
    found: list[list[int]] = [[] for _ in range(knows.size)]
    for group in knows.groups:
        if all(one in told for one in group.others):
            for value in group.forbidden(tuple(told[one] for one in group.others)):
                found[value] += group.others
    return [sorted(set(each)) for each in found]


def costs_of(knows: Knowledge, told: Mapping[int, int]) -> list[float]:
    """What each own value costs beside what it breaks, as far as values are known."""
    total = [0.0 if math.isinf(one) else one for one in knows.own]
    for group in knows.groups:
        if all(one in told for one in group.others):
            for value, cost in enumerate(group.costs(tuple(told[one] for one in group.others))):
                total[value] += 0.0 if math.isinf(cost) else cost
    return total


def _effect(knows: Knowledge, broken: list[int], cost: float) -> str:
    parts = []
    if broken:
        who = " and ".join(map(str, broken))
        parts.append(f"breaks constraints with {'agent' if len(broken) == 1 else 'agents'} {who}")
    if not knows.satisfaction:
        parts.append(f"costs {number(cost)}")
    return ", ".join(parts) or "breaks nothing that is known"


def _constraints(knows: Knowledge, told: Mapping[int, int]) -> Iterator[str]:
    """A line or more on the constraints with each neighbor, and what it last told."""
    if not knows.groups:
        yield "you have constraints with nobody."
    for group in knows.groups:
        who = " and ".join(f"agent {one}" for one in group.others)
        now = "; ".join(
            f"agent {one} is at number {told[one]}"
            if one in told
            else f"agent {one} told nothing yet"
            for one in group.others
        )
        yield f"{who}: {_relation(group)}. Now {now}."


def _relation(group: Group) -> str:
    """What a group of constraints asks, in words where it has any, else as a table."""
    sizes = [len(group.domains[one]) for one in (*group.others, group.seat)]
    if math.prod(sizes) > MOST_CELLS or len(sizes) > 2:
        return f"{counted(group.checks, 'constraint')}, too long to tell; below is what your values come to"
    return described(group.table().T, group.others[0])


def described(table: npt.NDArray[np.float64], other: int) -> str:
    """A table in words, own values first."""
    bad = np.isinf(table)
    mine, theirs = table.shape
    hard = bool(np.all(bad | (table == 0.0)))
    if hard and mine == theirs:
        same = np.eye(mine, dtype=bool)
        if np.array_equal(bad, same):
            return "your numbers must differ"
        if np.array_equal(bad, ~same):
            return "your numbers must be the same"
        apart = np.abs(np.subtract.outer(np.arange(mine), np.arange(mine)))
        for least in range(2, mine):
            if np.array_equal(bad, apart < least):
                return f"your numbers must be at least {least} apart"
        for far in range(1, mine):
            if np.array_equal(bad, (apart == 0) | (apart == far)):
                return f"your numbers must differ, and not by {far}"
    if hard:
        rows = [(at, [str(one) for one in np.flatnonzero(each)]) for at, each in enumerate(bad)]
        told = [f"not {at} with its {', '.join(each)}" for at, each in rows if each]
        return "; ".join(told) if told else "nothing is forbidden"
    rows_told = [
        f"{at}: {' '.join('no' if math.isinf(c) else number(c) for c in each)}"
        for at, each in enumerate(table.tolist())
    ]
    columns = " ".join(map(str, range(theirs)))
    return f"what your number costs by agent {other}'s number {columns}: {'; '.join(rows_told)}"
