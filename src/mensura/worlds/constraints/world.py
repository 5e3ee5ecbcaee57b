"""Distributed constraints: agents who each know a part of a problem solve it by letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self, cast

from mensura.agent.errors import MensuraError
from mensura.agent.keys import DRAWN_ANEW, Key
from mensura.core.budgets import BUDGETS, Talk, quality_at
from mensura.core.contract import Description, Episode, Plan
from mensura.core.group import stretches
from mensura.core.players import Subject
from mensura.worlds.constraints.agent_base.algorithm import refused
from mensura.worlds.constraints.algorithms.table import KINDS, MINDS
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.generators.queens import QUEENS
from mensura.worlds.constraints.layout import Form, form_of
from mensura.worlds.constraints.measures import MEASURES
from mensura.worlds.constraints.picking import wanted
from mensura.worlds.constraints.picking_sentences import broken_by
from mensura.worlds.constraints.picture import drawn, own_part
from mensura.worlds.constraints.players import PLAYERS
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.rules import ConstraintRules
from mensura.worlds.constraints.scoring import yardstick
from mensura.worlds.constraints.second_door import play_compiled, seated
from mensura.worlds.constraints.sentences import Sentences
from mensura.worlds.constraints.view import ConstraintView
from mensura.worlds.kit import (
    FIXED,
    GENERATED,
    BaseDescription,
    Measure,
    Picture,
    State,
    StepEnvironment,
)
from mensura.worlds.kit.minds import Group


class Constraints(ConstraintRules):
    """Every seat is an agent with variables of its own; constraints say which values go together, or what they cost.

    At its first turn a seat is told what it may know of the problem: its variables, the constraints that touch them
    and its neighbors. At each turn it gives its variables values and writes letters, mostly to its neighbors. All
    gain by how good the assignment of all is. The episode ends when all letters that were written are read, or when
    somebody claims that there is no solution."""

    id = "constraints-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    minds = MINDS
    promises = frozenset({"bounded", "private"})
    usual_assessment = "coordination"
    measures: ClassVar[Mapping[str, Measure]] = {
        name: Measure(name, meaning, "bits" if "bits" in meaning else "")
        for name, (_, meaning) in MEASURES.items()
    }

    @property
    def content(self) -> str:  # type: ignore[override]
        """Problems are drawn, but a board of queens has only its size, and a problem that is set is itself."""
        return FIXED if self.task or self.family == QUEENS.name else GENERATED

    def hosting(self, subject: Subject) -> Self:
        """This world with the rights and proxies that the subject needs; refuse who takes no costs where there are."""
        for part, _, _ in stretches(subject, self.subjects):
            if not isinstance(part, Group):
                continue
            for one in part.members:
                kind = part.minds[one.code].make
                if getattr(kind, "satisfaction_only", False) and self._has_costs:
                    raise MensuraError(refused(one.name))
        host = super().hosting(subject)
        proxies = wanted(subject, self.subjects) if not self.proxies else ()
        return replace(host, proxies=proxies) if proxies else host

    def build(self, description: Description) -> StepEnvironment:
        """The environment of a description; who is spoken for is as this world says, where it does."""
        made = super().build(description)
        rules = cast(Self, made.rules)
        if self.proxies and rules.proxies != self.proxies:
            made = StepEnvironment(replace(rules, proxies=self.proxies), made.description)
        return made

    @cached_property
    def _has_costs(self) -> bool:
        """Whether all problems have costs, as far as a few tell."""
        if FAMILIES[self.family].satisfaction and not self.task:
            return False
        few = (BaseDescription(self, {"root": root}) for root in range(4))
        return not any(self.problem(one).satisfaction for one in few)

    # What is shown

    def words(self) -> Sentences:
        """Problem and letters for subjects who read."""
        return Sentences()

    def picture(self, state: State, seat: int | None = None) -> Picture:
        """A graph, board, lattice or map with values and what is broken; to a seat, its part."""
        problem = self.problem(state.description)
        if seat is None:
            return drawn(problem, state.values, self.form(problem))
        if seat not in self._picking.kinds:
            return own_part(problem, state.values, seat)
        agent = self._proxy(state, seat)
        told = agent.told()
        return own_part(
            problem, state.values, seat, told, broken_by(agent.knows, told)[agent.value]
        )

    def form(self, problem: Problem) -> Form:
        """How problems are drawn."""
        return form_of(problem, "" if self.task else self.family)

    def view(self) -> ConstraintView:
        """Letters and values of each turn, for those who watch."""
        return ConstraintView(self)

    def episode_page(self, subject: Subject) -> Any:
        """An episode as a page to step through, letter by letter."""
        from mensura.worlds.constraints.episode_page import EpisodePage

        return EpisodePage(subject)

    def instructions(self, description: BaseDescription, seat: int) -> str:
        """What is told before it begins."""
        if seat in self._picking.kinds:
            return ""
        return (
            "You are one of several agents. Each knows a part of a problem: variables of its own, and constraints "
            "between these and those of others. Together find values for all variables that break no constraint, or "
            "cost as little as possible. At each turn you give your variables values and write letters, mostly to "
            "your neighbors; every letter counts."
        )

    def figures(self, state: State) -> Mapping[str, float]:
        """What the episode took, and how good it was at each budget of letters and of numbers."""
        problem = self.problem(state.description)
        told = {
            "messages": state.messages,
            "numbers": state.numbers,
            "cycles": state.interaction,
            **self.effort(state),
            "obsolete": state.obsolete,
            "undelivered": state.unreadable + state.lost,
            "cost": problem.cost(state.values),
            "lowest_cost": state.lowest,
            "quality": state.quality,
            "best_quality": state.best,
            "solved": float(problem.allowed(state.values)),
            "claim": self._claim(state),
            "proven": float(yardstick(problem, self.proof).proven),
        }
        for kind, count in sorted(state.kinds.items()):
            name = f"messages of {kind if kind in KINDS else 'other kinds'}"
            told[name] = told.get(name, 0) + count
        for name, done in state.curve.items():
            for at, budget in enumerate(BUDGETS):
                value = done[at] if at < len(done) else state.quality
                told[quality_at(budget, cast(Talk, name))] = value
        return {name: float(value) for name, value in told.items()}

    # The second door

    def compiles(self, subject: Subject) -> bool:
        """Whether episodes of this subject can be played compiled."""
        return seated(self, subject) is not None

    def pace(self, subject: Subject) -> float:
        """How quick this subject is where it can be played compiled: actions a second and core, roughly."""
        who = seated(self, subject)
        return 0.0 if who is None else PLAYERS[who.name].pace

    def play_compiled(
        self, subject: Subject, plan: Plan, seed: Key, player: Any | None = None
    ) -> Episode | None:
        """What the one loop would make of a plan, to the bit; None where it is left to the loop."""
        del player  # agents of algorithms begin anew in each episode
        who = seated(self, subject)
        played = None if who is None else play_compiled(self, who, plan, seed)
        return None if played is None else played[0]
