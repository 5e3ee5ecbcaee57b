"""What is asked about a phenomenon: questions, goals, cases and held-out sequences, all made by running its rules.

Everything follows from a key, so that all subjects are asked the same. Sections 4.4 and 5.3 of "Evaluation of
General-Purpose Artificial Intelligence: Why, What & How" name the four kinds of questions and what variants are for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key
from mensura.core.account import some
from mensura.core.chance import generator
from mensura.core.phenomena import Phenomenon, State, System, Variable, run, run_without
from mensura.studies.probe_questions import Case, Course, Form, Goal, Question, scored

QUESTIONS = 8
"""Of each kind, where nobody says how many."""
SEQUENCES = 100
"""On which models are compared: half random, half made to tell near models apart."""
REFERENCES = 20
"""Sequences of random actions from each start."""
CANDIDATES = 60
"""Sequences among which those are found that tell near models apart, and in which a phenomenon happens."""
EASY = 0.95
"""A goal that so large a share of random sequences reach is no goal."""
NEAR = 0.05
"""How near a variable has to be brought, as a share of what it can be."""


class NeverHappened(MensuraError):
    """A phenomenon that random actions do not lead to, so that nothing can be asked about it."""


class Examination:
    """All that is asked about one phenomenon."""

    def __init__(
        self,
        phenomenon: Phenomenon,
        others: Sequence[Phenomenon],
        root: Key,
        questions: int = QUESTIONS,
    ) -> None:
        """``others``: further phenomena of the same task, of which related ones are asked."""
        self.phenomenon = phenomenon
        self.system: System = phenomenon.system
        self.others = [one for one in others if one.name != phenomenon.name]
        self.count = questions
        self._root = key(root, "phenomenon", phenomenon.name)
        if not any(map(self.happened, self.candidates)):
            raise NeverHappened(
                f"{phenomenon.name} never happened in {len(self.candidates)} sequences of actions at random, so "
                "nothing can be asked about it; another phenomenon, task or seed may do."
            )

    # Courses

    def _rng(self, *names: str | int) -> np.random.Generator:
        return generator(key(self._root, *names))

    def draw_actions(self, rng: np.random.Generator) -> tuple[Any, ...]:
        """A sequence of random actions: each drawn anew, or a few that are held, one as likely as the other."""
        system = self.system
        pieces = system.length if rng.random() < 0.5 else int(rng.integers(1, 4))
        ends = np.sort(rng.integers(1, system.length + 1, size=pieces - 1)).tolist()
        drawn = rng.integers(len(system.actions), size=pieces)
        if pieces == system.length:
            return tuple(system.actions[at] for at in drawn)
        lengths = np.diff([0, *ends, system.length]).tolist()
        return tuple(
            system.actions[at] for at, size in zip(drawn, lengths, strict=True) for _ in range(size)
        )

    def course(self, start: Key, actions: Sequence[Any]) -> Course:
        """Where actions lead from a start."""
        states = run(self.system, self.system.rules, start, actions)
        return Course(start, tuple(actions), tuple(states))

    def happened(self, course: Course) -> bool:
        """Whether the phenomenon happened after the start."""
        return any(map(self.phenomenon.happens, course.states[1:]))

    @cached_property
    def candidates(self) -> list[Course]:
        """Courses of random actions, each from a start of its own."""
        rng = self._rng("candidates")
        return [
            self.course(key(self._root, "start", at), self.draw_actions(rng))
            for at in range(CANDIDATES)
        ]

    @cached_property
    def references(self) -> list[list[Course]]:
        """Of each of the first starts, courses of random actions from it."""
        return [
            [
                self.course(one.start, self.draw_actions(self._rng("reference", at, number)))
                for number in range(REFERENCES)
            ]
            for at, one in enumerate(self.candidates[: self.count])
        ]

    # Predict

    @cached_property
    def questions(self) -> list[Question]:
        """Of each kind as many as there are starts; such as frequencies answer without error are left out."""
        found = []
        for at, course in enumerate(self.candidates[: self.count]):
            rng = self._rng("question", at)
            found += [
                self._when(course, at),
                self._later(course, at, rng),
                self._missing(course, at, rng),
            ]
            if self.others:
                found.append(self._related(course, at))
        return [one for one in found if one.reference > 0.0]

    def _told(self, course: Course, text: str, form: Form, **more: Any) -> dict[str, Any]:
        """What a question tells in any case."""
        return {
            "text": text,
            "phenomenon": self.phenomenon.to_json(),
            "start": self.named(course.states[0]),
            "actions": list(course.actions),
            "answer": form,
            **more,
        }

    def named(self, state: State) -> dict[str, float]:
        """A state by the names of variables."""
        names = [one.name for one in self.system.variables]
        return dict(zip(names, state, strict=True))

    def _asked(
        self,
        kind: Any,
        form: Form,
        plain: dict[str, Any],
        course: Course,
        at: int,
        tell: Callable[[Sequence[State]], float],
        variable: Variable | None = None,
        scale: float = 1.0,
    ) -> Question:
        truth = tell(course.states)
        seen = [tell(one.states) for one in self.references[at]]
        shares = {value: count / len(seen) for value, count in Counter(seen).items()}
        reference = scored(seen if form == "number" else shares, truth, scale)
        return Question(
            kind,
            form,
            {"probe": "predict", "kind": kind, **plain},
            course,
            truth,
            scale,
            reference,
            tell,
            variable,
        )

    def _when(self, course: Course, at: int) -> Question:
        never = len(course.actions) + 1
        happens = self.phenomenon.happens

        def tell(states: Sequence[State]) -> float:
            return float(
                next((i for i, state in enumerate(states[1:], 1) if happens(state)), never)
            )

        text = (
            f"{self.phenomenon.name} happens when {self.phenomenon.summary}. From this start these {never - 1} actions "
            f"are taken, each for {some(self.system.held, 'interaction')}. After how many of them does it first "
            f"happen? {never} stands for never."
        )
        plain = self._told(course, text, "number", never=never)
        return self._asked("when", "number", plain, course, at, tell, scale=float(never))

    def _variable(self, at: int, rng: np.random.Generator) -> tuple[int, Variable]:
        """One of the variables that differ among courses from a start, else any."""
        ends = np.array([one.states[-1] for one in self.references[at]])
        moving = np.flatnonzero(np.ptp(ends, axis=0) > 0.0).tolist() or [0]
        place = int(rng.choice(moving))
        return place, self.system.variables[place]

    def _of_variable(
        self, kind: Any, course: Course, at: int, rng: np.random.Generator, text: str, shown: bool
    ) -> Question:
        place, variable = self._variable(at, rng)
        step = int(rng.integers(len(course.actions) // 2, len(course.actions) + 1))

        def tell(states: Sequence[State]) -> float:
            return states[step][place]

        more: dict[str, Any] = {"variable": variable.to_json(), "step": step}
        if shown:
            state = self.named(course.states[step])
            del state[variable.name]
            more["state"] = state
        form: Form = "value" if variable.whole else "number"
        plain = self._told(course, text.format(step=step, name=variable.name), form, **more)
        scale = variable.high - variable.low
        return self._asked(kind, form, plain, course, at, tell, variable, scale or 1.0)

    def _later(self, course: Course, at: int, rng: np.random.Generator) -> Question:
        text = "From this start these actions are taken. What is {name} after the first {step} of them?"
        return self._of_variable("later", course, at, rng, text, shown=False)

    def _missing(self, course: Course, at: int, rng: np.random.Generator) -> Question:
        text = (
            "From this start these actions were taken. After the first {step} of them the state was as given, but "
            "{name} is missing in it. What was it?"
        )
        return self._of_variable("missing", course, at, rng, text, shown=True)

    def _related(self, course: Course, at: int) -> Question:
        other = self.others[at % len(self.others)]

        def tell(states: Sequence[State]) -> float:
            return float(any(map(other.happens, states[1:])))

        text = (
            f"{other.name} happens when {other.summary}. From this start these actions are taken. How probable is it "
            f"that {other.name} happens?"
        )
        plain = self._told(course, text, "probability", related=other.name)
        return self._asked("related", "probability", plain, course, at, tell)

    # Achieve

    @cached_property
    def goals(self) -> list[Goal]:
        """To cause, to prevent and to set, from each start where it can be done and is not done by chance."""
        return [
            goal
            for at, course in enumerate(self.candidates[: self.count])
            for goal in self._goals(course, at)
            if goal.by_chance < EASY and self.solution(goal, at) is not None
        ]

    def solution(self, goal: Goal, at: int) -> Course | None:
        """A course that reaches a goal, of those that are known: random ones, and single actions held all along."""
        held = [(action,) * self.system.length for action in self.system.actions]
        for one in self.references[at]:
            if goal.reached(one.states):
                return one
        for actions in held:
            course = self.course(goal.start, actions)
            if goal.reached(course.states):
                return course
        return None

    def _goals(self, course: Course, at: int) -> Iterator[Goal]:
        happens, summary = self.phenomenon.happens, self.phenomenon.summary
        yield self._goal(
            "cause",
            f"Make {self.phenomenon.name} happen: {summary}, at any time after the start.",
            course,
            at,
            lambda states: any(map(happens, states[1:])),
        )
        yield self._goal(
            "prevent",
            f"Keep {self.phenomenon.name} from happening at any time after the start; it happens when {summary}.",
            course,
            at,
            lambda states: not any(map(happens, states[1:])),
        )
        place, variable = self._variable(at, self._rng("goal", at))
        wanted = self.references[at][-1].states[-1][place]
        give = 0.0 if variable.whole else NEAR * (variable.high - variable.low)
        around = f", give or take {give:g}" if give else ""
        yield self._goal(
            "set",
            f"Bring {variable.name} to {wanted:g}{around} at the end.",
            course,
            at,
            lambda states: abs(states[-1][place] - wanted) <= give,
        )

    def _goal(
        self,
        kind: Any,
        text: str,
        course: Course,
        at: int,
        reached: Callable[[Sequence[State]], bool],
    ) -> Goal:
        system = self.system
        plain = {
            "probe": "plan",
            "kind": kind,
            "text": (
                f"{text} A plan has {some(system.length, 'action')} from this start, each taken for "
                f"{some(system.held, 'interaction')}."
            ),
            "phenomenon": self.phenomenon.to_json(),
            "start": self.named(course.states[0]),
            "length": system.length,
        }
        chance = [reached(one.states) for one in self.references[at]]
        return Goal(kind, plain, course.start, reached, sum(chance) / len(chance))

    # Explain

    @cached_property
    def cases(self) -> list[Case]:
        """What would have happened without a part: as many cases with yes as with no, where there are both."""
        found: dict[bool, list[Case]] = {True: [], False: []}
        for course in filter(self.happened, self.candidates):
            for part in self.system.removable:
                states = run_without(self.system, part, course.start, course.actions)
                still = any(map(self.phenomenon.happens, states[1:]))
                if len(found[still]) < self.count:
                    found[still].append(Case(course, part, still))
            if all(len(one) == self.count for one in found.values()):
                break
        mixed = [*found[True], *found[False]]
        return [mixed[at] for at in self._rng("cases").permutation(len(mixed))]

    def plain_explanation(self) -> dict[str, Any]:
        """What is told where an explanation is asked for."""
        return {
            "probe": "explain",
            "text": (
                f"What causes what in this task? {self.phenomenon.name} happens when {self.phenomenon.summary}. Name "
                "all pairs of parts of which one acts on the other at once, with signs: 1 where the cause raises its "
                "effect or brings it about, -1 where it lowers or hinders it, 0 where it depends. Then, for each case: "
                f"{self.phenomenon.name} happened; would it have happened without the part that is named, all else "
                "alike?"
            ),
            "phenomenon": self.phenomenon.to_json(),
            "cases": [
                {
                    "start": self.named(one.course.states[0]),
                    "actions": list(one.course.actions),
                    "without": one.part,
                }
                for one in self.cases
            ],
        }

    # Recreate

    @cached_property
    def held_out(self) -> list[Course]:
        """Half random, half those in which near models go elsewhere."""
        rng, half = self._rng("held out"), SEQUENCES // 2

        def drawn(at: int) -> Course:
            return self.course(key(self._root, "held out", at), self.draw_actions(rng))

        random = [drawn(at) for at in range(half)]
        pool = [drawn(at) for at in range(half, half + CANDIDATES)]
        ranked = [
            sorted(range(len(pool)), key=lambda at, m=model: (-self.error(m, [pool[at]]), at))  # type: ignore[misc]
            for model in self.system.near
        ]
        # Each near model in turn gives the sequence that shows it best, of those not taken yet.
        order = dict.fromkeys(at for row in zip(*ranked, strict=True) for at in row)
        chosen = list(order)[:half] if order else list(range(half))
        return [*random, *(pool[at] for at in chosen)]

    def error(self, model: str, courses: Sequence[Course]) -> float:
        """How far a model is from what happens: over states after the start, as a share of what variables can be."""
        return float(
            np.mean(
                [
                    self._distance(run(self.system, model, one.start, one.actions), one)
                    for one in courses
                ]
            )
        )

    def error_of_nothing(self, courses: Sequence[Course]) -> float:
        """The error of "nothing changes"."""
        return float(
            np.mean([self._distance([one.states[0]] * len(one.states), one) for one in courses])
        )

    def _distance(self, states: Sequence[State], course: Course) -> float:
        apart = np.abs(np.array(states[1:]) - np.array(course.states[1:]))
        variables = self.system.variables
        whole = np.array([one.whole for one in variables])
        spans = np.array([(one.high - one.low) or 1.0 for one in variables])
        shares = np.where(whole, apart > 0.0, np.minimum(apart / spans, 1.0))
        return float(shares.mean())

    def plain_model(self) -> dict[str, Any]:
        """What is told where a model is asked for."""
        return {
            "probe": "model",
            "text": (
                f"Write a model of the task that {self.phenomenon.name} is a part of. It is run on sequences of "
                f"actions that you do not know, and compared with what happens. {self.system.notation}"
            ),
            "phenomenon": self.phenomenon.to_json(),
            "notation": self.system.notation,
        }
