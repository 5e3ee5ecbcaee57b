"""Phenomena of Lambda: Good, Evil, the objects and rewards, with the behaviors and the space that they follow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from mensura.agent.errors import MALFORMED, MensuraError
from mensura.core.contract import Environment
from mensura.core.phenomena import Cause, Phenomenon, Sign, State, Variable
from mensura.worlds.lambda_class.behaviors import (
    STILL,
    Attached,
    Behavior,
    Markov,
    Pattern,
    Shy,
    Startled,
    behavior_from_json,
    behavior_to_json,
)
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.space import Space

LENGTH = 12
SUBJECT, GOOD, EVIL, REWARD = "subject", "good", "evil", "reward"
ACTIONS, BEHAVIOR = "actions", "behavior"


def _meaning(name: str) -> str:
    """Which cell a variable is, also for whoever knows the environment by words and pictures."""
    shown = {GOOD: "the star", EVIL: "the diamond", SUBJECT: "you"}.get(name)
    aside = f"{shown} in words and pictures, where" if shown else "in words and pictures"
    return f"the cell of {name}, from 0; {aside} cells count from 1"


class LambdaSystem:
    """An environment as what phenomena are parts of."""

    held = 1
    notation = (
        "JSON with space (as the description of an environment has it), good_and_evil and objects: the behavior of "
        'Good and Evil and of each object, as {"good_and_evil": {"kind": "pattern", "moves": [0, 2, 1]}}; kinds are '
        "random, pattern, startled, shy, attached and markov. What is left out is as in the environment."
    )

    def __init__(self, description: Description) -> None:
        self.description = _alone(description)
        self._environments: dict[str, LambdaEnvironment] = {}

    @property
    def length(self) -> int:
        """How many actions a sequence has."""
        return min(LENGTH, self.description.horizon)

    @property
    def _objects(self) -> tuple[str, ...]:
        return tuple(f"object-{i}" for i in range(1, len(self.description.objects) + 1))

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The cells of the subject, Good, Evil and objects, and the last reward."""
        last = self.description.space.cells - 1
        who = (SUBJECT, GOOD, EVIL, *self._objects)
        cells = [Variable(name, name, 0, last, True, _meaning(name)) for name in who]
        return (*cells, Variable(REWARD, REWARD, -1, 1, meaning="what the last action brought"))

    @property
    def actions(self) -> tuple[int, ...]:
        """All of them; 0 is the reflexive one."""
        return tuple(range(self.description.space.actions))

    @property
    def parts(self) -> tuple[str, ...]:
        """What the subject does, what the others do, and who and what there is."""
        return (ACTIONS, BEHAVIOR, SUBJECT, GOOD, EVIL, *self._objects, REWARD)

    @cached_property
    def causes(self) -> tuple[Cause, ...]:
        """Actions move the subject, behaviors the others; Good gives, Evil takes, where the subject is."""
        return tuple(self._causes())

    def _causes(self) -> Iterator[Cause]:
        yield Cause(ACTIONS, SUBJECT, 1)
        yield Cause(SUBJECT, REWARD, 0)
        yield Cause(GOOD, REWARD, 1)
        yield Cause(EVIL, REWARD, -1)
        d = self.description
        movers = [(GOOD, d.good_and_evil), (EVIL, d.good_and_evil)]
        movers += zip(self._objects, d.objects, strict=True)
        for name, behavior in movers:
            if name in (GOOD, EVIL):
                yield Cause(BEHAVIOR, name, 1)
            reaction = _reaction(behavior)
            if reaction is not None:
                yield Cause(SUBJECT, name, reaction)

    @property
    def removable(self) -> tuple[str, ...]:
        """What the subject does, and what moves Good and Evil."""
        return (ACTIONS, BEHAVIOR)

    @cached_property
    def rules(self) -> str:
        """The space and all behaviors."""
        return self._written(self.description)

    def _written(self, d: Description) -> str:
        return json.dumps(
            {
                "space": d.space.to_json(),
                "good_and_evil": behavior_to_json(d.good_and_evil),
                "objects": [behavior_to_json(one) for one in d.objects],
            }
        )

    @cached_property
    def near(self) -> tuple[str, ...]:
        """With another move at the start or in the middle of the pattern, and with Good and Evil that stand still."""
        d, found = self.description, [self.without(BEHAVIOR)[0]]
        if isinstance(d.good_and_evil, Pattern) and d.space.actions > 1:
            for at in sorted({0, min(len(d.good_and_evil.moves), self.length) // 2}):
                moves = list(d.good_and_evil.moves)
                moves[at] = (moves[at] + 1) % d.space.actions
                found.append(self._written(replace(d, good_and_evil=Pattern(tuple(moves)))))
        return tuple(one for one in dict.fromkeys(found) if one != self.rules)

    def environment(self, model: str) -> Environment:
        """The environment with the space and the behaviors that a model describes."""
        if model not in self._environments:
            if len(self._environments) > 32:
                self._environments.clear()
            self._environments[model] = LambdaEnvironment(self._described(model))
        return self._environments[model]

    def _described(self, model: str) -> Description:
        data = read_model(model, ("space", "good_and_evil", "objects"))
        d, changes = self.description, dict[str, Any]()
        try:
            if "space" in data:
                changes |= {"space": Space.from_json(data["space"]), "space_program": None}
            if "good_and_evil" in data:
                changes["good_and_evil"] = behavior_from_json(data["good_and_evil"])
            if "objects" in data:
                changes["objects"] = tuple(map(behavior_from_json, data["objects"]))
            found = replace(d, **changes)
        except MALFORMED as error:
            raise MensuraError(f"The model has a part that is malformed: {error}.") from None
        if (found.space.cells, found.space.actions) != (d.space.cells, d.space.actions):
            raise MensuraError(
                f"The model has {found.space.cells} cells and {found.space.actions} actions; the environment has "
                f"{d.space.cells} and {d.space.actions}."
            )
        if len(found.objects) != len(d.objects):
            raise MensuraError(
                f"The model has {len(found.objects)} objects; the environment has {len(d.objects)}."
            )
        return found

    def read(self, environment: Any) -> State:
        """Where everybody is, and what the last action brought."""
        where = environment.positions()
        cells = (where["subjects"][0], where["good"], where["evil"], *where["objects"])
        return (*map(float, cells), float(environment.last_rewards()[0]))

    def without(self, part: str) -> tuple[str, bool]:
        """Without actions the subject stays; without their behavior Good and Evil do."""
        if part == ACTIONS:
            return self.rules, True
        return self._written(replace(self.description, good_and_evil=STILL, moves="fixed")), False


def _alone(d: Description) -> Description:
    """The environment with one subject."""
    if d.subjects == 1:
        return d
    starts = d.starts[: 3 + len(d.objects)]
    future, seen = (tuple(one for one in seats if one == 0) for seats in (d.future, d.rewards_seen))
    return replace(d, subjects=1, starts=starts, future=future, rewards_seen=seen)


def _reaction(behavior: Behavior) -> Sign | None:
    """How subjects move whoever behaves so; None where they do not."""
    if isinstance(behavior, Shy):
        return -1
    if isinstance(behavior, Attached):
        return 1
    return 0 if isinstance(behavior, Startled | Markov) else None


def read_model(model: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    """A model as data: a JSON object with some of these parts."""
    try:
        data = json.loads(model)
    except (ValueError, RecursionError, TypeError) as error:
        raise MensuraError(f"The model is not JSON: {error}.") from None
    if not isinstance(data, dict) or not data or set(data) - set(allowed):
        raise MensuraError(f"The model is an object with some of {', '.join(allowed)}.")
    return data


class _Met:
    """Whether the subject is on the cell of somebody."""

    def __init__(self, place: int) -> None:
        self._place = place

    def __call__(self, state: State) -> bool:
        return state[0] == state[self._place]


def _gains(state: State) -> bool:
    return state[-1] > 0.0


def phenomena_of(description: Description) -> tuple[Phenomenon, ...]:
    """Good, Evil and the objects as those whom the subject meets, and gains."""
    system = LambdaSystem(description)
    found = [
        Phenomenon(GOOD, "the subject is on the cell of Good", system, _Met(1), "tool"),
        Phenomenon(EVIL, "the subject is on the cell of Evil", system, _Met(2), "obstacle"),
        Phenomenon(REWARD, "the last action brought a reward above 0", system, _gains, "tool"),
    ]
    for at, name in enumerate(system._objects):
        found.append(
            Phenomenon(name, f"the subject is on the cell of {name}", system, _Met(3 + at))
        )
    return tuple(found)
