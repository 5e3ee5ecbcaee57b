"""Phenomena of Lambda Star's search: Good and Evil as subjects meet them, with the patterns that they travel along."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.core.contract import Environment
from mensura.core.phenomena import Cause, Phenomenon, Sign, State, Variable
from mensura.worlds.lambda_star.description import Description
from mensura.worlds.lambda_star.environment import LambdaStarEnvironment
from mensura.worlds.lambda_star.torus.kernels import row as layout

LENGTH = 12
SUBJECT, GOOD, EVIL, REWARD = "subject", "good", "evil", "reward"
ACTIONS, PATTERN = "actions", "pattern"
MODELED = ("good_start", "evil_start", "good_moves", "evil_moves", "evil_shift")
_SIGNS: dict[str, Sign] = {"flees": -1, "follows": 1}


class LambdaStarSystem:
    """An environment as what phenomena are parts of."""

    held = 1
    notation = (
        "JSON with good_start and evil_start, cells from 1 row by row, and good_moves and evil_moves, actions from 1 "
        'to 9 that are repeated: {"good_start": 12, "evil_start": 40, "good_moves": [6, 8], "evil_moves": [5, 4]}; '
        "in the place of evil_moves evil_shift may say how many cells Evil is always after Good. What is left out is "
        "as in the environment."
    )

    def __init__(self, description: Description) -> None:
        self.description = _alone(description)
        self._environments: dict[str, LambdaStarEnvironment] = {}

    @property
    def length(self) -> int:
        """How many actions a sequence has."""
        return min(LENGTH, self.description.horizon)

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The rows and columns of the subject, Good and Evil, and the last reward."""
        d = self.description
        return (
            *(
                Variable(
                    f"{name}.{what}",
                    name,
                    0,
                    size - 1,
                    True,
                    f"the {what} of {name}, from 0; {shown} in words and pictures",
                )
                for name, shown in ((SUBJECT, "you"), (GOOD, "the star"), (EVIL, "the diamond"))
                for what, size in (("row", d.rows), ("column", d.cols))
            ),
            Variable(REWARD, REWARD, -1, 1, meaning="what the last action brought"),
        )

    @property
    def actions(self) -> tuple[int, ...]:
        """All of them, staying first."""
        return (layout.STAY, *(one for one in range(1, 10) if one != layout.STAY))

    @property
    def parts(self) -> tuple[str, ...]:
        """What the subject does, what moves Good and Evil, and who and what there is."""
        return (ACTIONS, PATTERN, SUBJECT, GOOD, EVIL, REWARD)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Actions move the subject, patterns Good and Evil; Good gives, Evil takes, by how near the subject is."""
        return tuple(self._causes())

    def _causes(self) -> Iterator[Cause]:
        yield Cause(ACTIONS, SUBJECT, 1)
        yield Cause(PATTERN, GOOD, 1)
        yield Cause(PATTERN, EVIL, 1)
        yield Cause(SUBJECT, REWARD, 0)
        yield Cause(GOOD, REWARD, 1)
        yield Cause(EVIL, REWARD, -1)
        d = self.description
        for name, reacts in ((GOOD, d.good_reacts), (EVIL, d.evil_reacts)):
            if reacts in _SIGNS:
                yield Cause(SUBJECT, name, _SIGNS[reacts])

    @property
    def removable(self) -> tuple[str, ...]:
        """What the subject does, and what moves Good and Evil."""
        return (ACTIONS, PATTERN)

    @cached_property
    def rules(self) -> str:
        """Where Good and Evil start, and all of their moves."""
        return _written(self.description)

    @cached_property
    def near(self) -> tuple[str, ...]:
        """Good and Evil with another move at the start or in the middle, and such that stand still."""
        d, found = self.description, [self.without(PATTERN)[0]]
        for name in ("good_moves", "evil_moves"):
            moves = getattr(d, name)
            for at in sorted({0, min(len(moves), self.length) // 2}) if moves else ():
                other = (*moves[:at], moves[at] % 9 + 1, *moves[at + 1 :])
                changed: dict[str, Any] = {name: other}
                found.append(_written(replace(d, **changed)))
        return tuple(one for one in dict.fromkeys(found) if one != self.rules)

    def environment(self, model: str) -> Environment:
        """The environment with the patterns that a model describes."""
        if model not in self._environments:
            if len(self._environments) > 32:
                self._environments.clear()
            self._environments[model] = LambdaStarEnvironment(self._described(model))
        return self._environments[model]

    def _described(self, model: str) -> Description:
        try:
            data = json.loads(model)
        except (ValueError, RecursionError, TypeError) as error:
            raise MensuraError(f"The model is not JSON: {error}.") from None
        if not isinstance(data, dict) or not data or set(data) - set(MODELED):
            raise MensuraError(f"The model is an object with some of {', '.join(MODELED)}.")
        if data.get("evil_shift"):
            data.setdefault("evil_moves", [])
        elif "evil_moves" in data:
            data.setdefault("evil_shift", 0)
        try:
            values: dict[str, Any] = {
                one: tuple(v) if isinstance(v, list) else v for one, v in data.items()
            }
            return replace(self.description, **values)
        except MALFORMED as error:
            raise MensuraError(f"The model has a part that is malformed: {error}.") from None

    def read(self, environment: Any) -> State:
        """Where everybody is, and what the last action brought."""
        where = environment.positions()
        cells = (*where["subjects"][0], *where["good"], *where["evil"])
        return (*map(float, cells), float(environment.last_rewards()[0]))

    def without(self, part: str) -> tuple[str, bool]:
        """Without actions the subject stays; without their pattern Good and Evil do."""
        if part == ACTIONS:
            return self.rules, True
        still = (layout.STAY,)
        d = self.description
        return _written(
            replace(d, good_moves=still, evil_moves=() if d.evil_shift else still)
        ), False


def _alone(d: Description) -> Description:
    """The environment with one subject."""
    future = tuple(one for one in d.future if one == 0)
    return replace(d, subjects=1, future=future, guides=min(d.guides, 1))


def _written(d: Description) -> str:
    data: dict[str, Any] = {name: getattr(d, name) for name in MODELED}
    return json.dumps(data)


class _Felt:
    """Whether somebody is near enough to the subject to be felt: the toroidal Moore distance is within the radius."""

    def __init__(self, first: int, d: Description) -> None:
        self._first, self._sizes, self._radius = first, (d.rows, d.cols), d.radius

    def __call__(self, state: State) -> bool:
        for at, size in enumerate(self._sizes):
            apart = abs(state[at] - state[self._first + at])
            if min(apart, size - apart) > self._radius:
                return False
        return True


def _gains(state: State) -> bool:
    return state[-1] > 0.0


def phenomena_of(description: Description) -> tuple[Phenomenon, ...]:
    """Good and Evil as the subject feels them, and gains."""
    system, near = LambdaStarSystem(description), f"within {description.radius} of the subject"
    good, evil = _Felt(2, description), _Felt(4, description)
    return (
        Phenomenon(GOOD, f"Good is {near}, rows and columns alike", system, good, "tool"),
        Phenomenon(EVIL, f"Evil is {near}, rows and columns alike", system, evil, "obstacle"),
        Phenomenon(REWARD, "the last action brought a reward above 0", system, _gains, "tool"),
    )
