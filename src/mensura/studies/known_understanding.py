"""Two subjects whose understanding is known, so that anybody can see what the probes tell.

``oracle-model`` has the rules of the task and answers by running them. ``correlator`` has watched sequences of random
actions and knows only what occurs together: it predicts well, explains badly, and can write no model. Neither is a
subject of assessments, since what they know is a phenomenon and not a world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mensura.agent.keys import key
from mensura.core.phenomena import State, run
from mensura.studies.examination import Examination
from mensura.studies.probe_questions import Course, Goal, Question

Floats = npt.NDArray[np.float64]

WATCHED = 120
"""Sequences that the correlator has seen."""
TESTED = 100
"""Moments by which it finds out what a variable occurs together with."""
NEIGHBORS = 3
CORRELATED = 0.15
"""What is correlated more than this it takes for cause and effect."""


class Known(Protocol):
    """A subject that is asked about what it knows, and never acts."""

    probes: frozenset[str]

    def predict(self, question: Question) -> Any:
        """An answer to a question."""

    def plan(self, goal: Goal, at: int) -> Any:
        """Actions toward a goal from the start of that number."""

    def explain(self) -> Any:
        """What causes what, and what would have happened."""

    def model(self) -> Any:
        """A model."""


class OracleModel:
    """Has the rules of the task, and answers by running them."""

    probes = frozenset({"predict", "plan", "explain", "model"})

    def __init__(self, examination: Examination) -> None:
        self._examination = examination

    def predict(self, question: Question) -> float:
        """What the rules lead to."""
        course, system = question.course, self._examination.system
        return question.tell(run(system, system.rules, course.start, course.actions))

    def plan(self, goal: Goal, at: int) -> list[Any]:
        """The first sequence of those that it tries in its mind that reaches the goal."""
        found = self._examination.solution(goal, at)
        return [] if found is None else list(found.actions)

    def explain(self) -> dict[str, Any]:
        """The causes of the task, and the rules without a part."""
        return {
            "causes": [one.to_json() for one in self._examination.system.causes],
            "without": [one.happened for one in self._examination.cases],
        }

    def model(self) -> str:
        """The rules."""
        return self._examination.system.rules


class Correlator:
    """Knows what occurs together, from watching random actions: predicts well, explains badly."""

    probes = frozenset({"predict", "plan", "explain"})

    def __init__(self, examination: Examination) -> None:
        self._examination = examination
        rng = np.random.Generator(
            np.random.PCG64(key(0, "correlator", examination.phenomenon.name))
        )
        self._watched = [
            examination.course(key(0, "correlator", "start", at), examination.draw_actions(rng))
            for at in range(WATCHED)
        ]
        self._habits = Habits(examination, self._watched)

    def predict(self, question: Question) -> float:
        """What came next at moments like these, moment after moment."""
        course = question.course
        states = [course.states[0]]
        for step, action in enumerate(course.actions):
            states.append(self._habits.following(states[-1], step, action))
        return question.tell(states)

    def plan(self, goal: Goal, at: int) -> list[Any]:
        """What was done where the goal was reached, from the start that is most alike."""
        start = np.array(self._examination.candidates[at].states[0])
        reached = [one for one in self._watched if goal.reached(one.states)]
        if not reached:
            return []
        spans = np.array([(v.high - v.low) or 1.0 for v in self._examination.system.variables])
        apart = [float(np.abs((np.array(one.states[0]) - start) / spans).sum()) for one in reached]
        return list(reached[int(np.argmin(apart))].actions)

    def explain(self) -> dict[str, Any]:
        """Takes all that is correlated for cause and effect, both ways, and what mostly happens for what would have."""
        happened = [self._examination.happened(one) for one in self._watched]
        mostly = sum(happened) * 2 > len(happened)
        return {
            "causes": [[*pair, sign] for pair, sign in self._correlated().items()],
            "without": [mostly] * len(self._examination.cases),
        }

    def _correlated(self) -> dict[tuple[str, str], int]:
        variables = self._examination.system.variables
        seen = np.array([state for one in self._watched for state in one.states])
        deviations = seen - seen.mean(axis=0)
        spread = np.sqrt((deviations**2).sum(axis=0))
        found: dict[tuple[str, str], int] = {}
        for i, one in enumerate(variables):
            for j, two in enumerate(variables):
                if one.part == two.part or spread[i] == 0.0 or spread[j] == 0.0:
                    continue
                r = float((deviations[:, i] * deviations[:, j]).sum() / (spread[i] * spread[j]))
                if abs(r) > CORRELATED:
                    found.setdefault((one.part, two.part), 1 if r > 0 else -1)
        return found

    def model(self) -> Any:
        """It can write none, and is not asked."""
        raise NotImplementedError


class Habits:
    """What follows on moments: of each variable by the few features that it goes best together with.

    Features are the state, the time and the action, and what variables before it in their order become at once.
    """

    def __init__(self, examination: Examination, watched: list[Course]) -> None:
        system = examination.system
        self._variables = system.variables
        self._actions = {repr(action): at for at, action in enumerate(system.actions)}
        rows = [
            [*self._now(one.states[step], step, action), *one.states[step + 1]]
            for one in watched
            for step, action in enumerate(one.actions)
        ]
        self._seen: Floats = np.array(rows, np.float64)
        self._first = len(self._variables) + 2
        """The place of the first variable of the moment that follows."""
        whole = [one.whole for one in self._variables]
        self._symbols = np.array([*whole, True, True, *whole])
        spread = self._seen.std(axis=0)
        self._scale = np.where(self._symbols | (spread == 0.0), 1.0, spread)
        self._chosen = [self._best(place) for place in range(len(self._variables))]

    def _now(self, state: State, step: int, action: Any) -> list[float]:
        """The variables, the time and the action."""
        return [*state, float(step), float(self._actions.get(repr(action), -1))]

    def following(self, state: State, step: int, action: Any) -> State:
        """What came after moments like this, variable by variable."""
        row = np.zeros(self._seen.shape[1])
        row[: self._first] = self._now(state, step, action)
        for place in range(len(self._variables)):
            features, changes = self._chosen[place]
            apart = sum(self._apart(row[None], self._seen, one) for one in features)
            told = self._guesses(place, row[None], self._seen, apart, changes, NEIGHBORS)
            row[self._first + place] = told[0]
        return tuple(float(one) for one in row[self._first :])

    def _apart(self, rows: Floats, seen: Floats, feature: int) -> Any:
        """How unlike moments are in a feature, as a table of rows by what was seen."""
        apart = np.abs(rows[:, feature][:, None] - seen[:, feature][None])
        if self._symbols[feature]:
            return (apart != 0.0).astype(np.float64)
        return apart / self._scale[feature]

    def _best(self, place: int) -> tuple[tuple[int, ...], bool]:
        """The features to go by, and whether changes are alike or values: what errs least on moments set aside."""
        count = min(TESTED, len(self._seen) // 4)
        test, seen = self._seen[:count], self._seen[count:]
        true = test[:, self._first + place]
        tables = [self._apart(test, seen, one) for one in range(self._first + place)]
        whole = self._variables[place].whole

        def error(features: tuple[int, ...], changes: bool) -> float:
            apart = sum(tables[at] for at in features)
            told = self._guesses(place, test, seen, apart, changes, 1)
            return float(((told != true) if whole else np.abs(told - true)).mean())

        every = range(len(tables))
        sets = [*combinations(every, 2), *((place, *two) for two in combinations(every, 2))]
        ways = [(features, changes) for features in sets for changes in ({False, not whole})]
        best = min(ways, key=lambda way: (error(*way), len(way[0]), way))
        more = [((*best[0], one), best[1]) for one in every]
        return min([best, *more], key=lambda way: (error(*way), len(way[0]), way))

    def _guesses(
        self, place: int, rows: Floats, seen: Floats, apart: Any, changes: bool, most: int
    ) -> Floats:
        """What followed on the moments that are most alike, for each row."""
        if most == 1 or self._variables[place].whole:
            near = apart.argmin(axis=1)[:, None]
        else:
            near = np.argsort(apart, axis=1, kind="stable")[:, :most]
        told = seen[near, self._first + place]
        if changes:
            told = rows[:, place][:, None] + told - seen[near, place]
        return np.asarray(told.mean(axis=1))


KNOWN: Mapping[str, Callable[[Examination], Known]] = {
    "oracle-model": OracleModel,
    "correlator": Correlator,
}
"""By the names under which they are measured."""
