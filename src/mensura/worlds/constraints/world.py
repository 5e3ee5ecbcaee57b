"""Distributed constraints: agents who each know a part of a problem solve it by letters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np

from mensura.core.budgets import BUDGETS, Talk, quality_at
from mensura.core.contract import Description, Episode, Plan
from mensura.core.errors import MensuraError
from mensura.core.group import stretches
from mensura.core.keys import Key
from mensura.core.players import Subject
from mensura.core.task_files import TaskFiles
from mensura.worlds.constraints.algorithms.agent import refused
from mensura.worlds.constraints.algorithms.table import KINDS, MINDS
from mensura.worlds.constraints.family_parameters import FamilyParameters, shared_parameters
from mensura.worlds.constraints.formats import read_bytes
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.generators.wanted import draw_wanted
from mensura.worlds.constraints.knowledge import Knowledge, told_of, whole_problem
from mensura.worlds.constraints.layout import Form, form_of
from mensura.worlds.constraints.mail import Post, arrive, letter, open_boxes, take_out
from mensura.worlds.constraints.measures import MEASURES
from mensura.worlds.constraints.network import NOTHING, Network
from mensura.worlds.constraints.orders import ORDERS
from mensura.worlds.constraints.picking import Picking, seats_of, wanted
from mensura.worlds.constraints.picking_sentences import broken_by
from mensura.worlds.constraints.picture import drawn, own_part
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.proxy import Proxy
from mensura.worlds.constraints.scoring import solvable, yardstick
from mensura.worlds.constraints.second_door import play_compiled, seated
from mensura.worlds.constraints.sentences import Sentences
from mensura.worlds.constraints.view import ConstraintView
from mensura.worlds.kit import (
    BaseDescription,
    Discrete,
    Ended,
    Generator,
    Measure,
    Picture,
    Record,
    Several,
    Space,
    State,
    StepEnvironment,
    Text,
    parameter,
    seat_rights,
)
from mensura.worlds.kit.minds import Group

LONGEST_PROBLEM = 1 << 30
"""The most characters that what a seat is told of a problem may have."""


class Constraints(FamilyParameters):
    """Every seat is an agent with variables of its own; constraints say which values go together, or what they cost.

    At its first turn a seat is told what it may know of the problem: its variables, the constraints that touch them
    and its neighbors. At each turn it gives its variables values and writes letters, mostly to its neighbors. All
    gain by how good the assignment of all is. The episode ends when all letters that were written are read, or when
    somebody claims that there is no solution."""

    id = "constraints-v0"
    family: str = parameter("queens", "The family of problems", choices=tuple(FAMILIES))
    task: str = parameter(
        "",
        "A problem of its own: the name of a sample, a file, or its text; empty: problems are drawn",
    )
    solvable: Literal["any", "planted", "solvable", "unsolvable"] = parameter(
        "any",
        "Which problems are drawn; planted: around a hidden solution. solvable and unsolvable: certified "
        "by CP-SAT, and drawn again until one is",
    )
    horizon: int = parameter(100, "Turns that a seat has at most", at_least=1)
    delays: Literal["none", "fixed", "random", "heavy-tailed"] = parameter(
        "none",
        "How long letters take; none: synchronous cycles, in which all act and letters arrive in the next",
    )
    delay: int = parameter(
        10,
        "Time that a letter takes where it is fixed, at most where it is random, and about the least where it is "
        "heavy-tailed",
        at_least=1,
        at_most=1_000_000,
    )
    loss: float = parameter(0.0, "The probability that a letter is lost", at_least=0, at_most=1)
    read: Literal["all", "one"] = parameter(
        "all", "Whether a seat reads all letters that are in its box at a turn, or one"
    )
    order: str = parameter(
        "index", "The static order of agents that all are told", choices=tuple(ORDERS)
    )
    proof: float = parameter(
        10.0,
        "Seconds that CP-SAT has to prove what is best, where a problem is too large to try everything; 0: none",
        at_least=0,
    )
    letters: int = parameter(
        0, "Letters that a seat may write at a turn; 0: 32 and 4 for each agent", at_least=0
    )
    longest: int = parameter(10_000, "Characters of a letter at most", at_least=16)
    proxies: tuple[str, ...] = parameter(
        (),
        "Seats that only pick values, each with who speaks for it, as 0:abt (values, gains, abt, awcs); none: nobody; "
        "empty: people, and language models among algorithms that have a proxy",
    )
    rights: tuple[str, ...] = seat_rights(
        sees_problem="the whole problem is part of what it is told"
    )

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        **{name: {"family": name} for name in FAMILIES},
        "scale-free": {"family": "scale-free", "n": 20, "md": 2},
    }
    minds = MINDS
    promises = frozenset({"bounded", "private"})
    usual_assessment = "coordination"
    measures: ClassVar[Mapping[str, Measure]] = {
        name: Measure(name, meaning, "bits" if "bits" in meaning else "")
        for name, (_, meaning) in MEASURES.items()
    }

    def check(self) -> None:
        """The family has all parameters that are set, and can plant a solution where that is wanted."""
        FAMILIES[self.family].settings(**self._settings)
        object.__setattr__(self, "task", self.embed_files({"task": self.task})["task"])
        seats_of(self.id, self.proxies)
        if self.solvable == "planted" and not FAMILIES[self.family].plants:
            raise MensuraError(
                f"solvable of {self.id} is planted; {self.family} cannot hide a solution in a problem, so it must be "
                "any."
            )

    @classmethod
    def embed_files(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with the text of a problem in the place of the name of its file."""
        task = parameters.get("task")
        if not isinstance(task, str) or not task or "\n" in task:
            return dict(parameters)
        return {**parameters, "task": cls.task_files().text(task)}

    @staticmethod
    def check_given(given: Mapping[str, Any]) -> None:
        """Raise if pages may not set parameters so."""
        from mensura.worlds.constraints.exploring import check_given

        check_given(given)

    def describe_from_json(self, data: Mapping[str, Any]) -> BaseDescription:
        """An environment from plain data, which holds the text of its problem and never the name of a file."""
        task = data.get("task")
        if isinstance(task, str) and task and "\n" not in task:
            raise MensuraError(
                "A description holds the text of its problem; it never names a file or a sample."
            )
        return super().describe_from_json(data)

    @classmethod
    def task_files(cls) -> TaskFiles:
        """Problems in files."""
        from mensura.worlds.constraints.task_files import ConstraintFiles

        return ConstraintFiles()

    @property
    def _settings(self) -> dict[str, Any]:
        """Parameters of the family that are set."""
        given = {name: getattr(self, name) for name in shared_parameters()}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def idle(self) -> tuple[str, ...]:
        """The parameters of other families, and the time of letters where they take none."""
        own = FAMILIES[self.family].parameters
        others = tuple(name for name in shared_parameters() if name not in own)
        if self.task:
            others = (*shared_parameters(), "family", "solvable")
        return (*others, "delay") if self.delays == "none" else others

    @cached_property
    def subjects(self) -> int:
        """As many as a problem has agents; where that varies, as many as the first has: others are not drawn."""
        family = FAMILIES[self.family]
        if family.agents and not self.task:
            return int(family.settings(**self._settings)[family.agents])
        return len(self.problem(BaseDescription(self, {"root": 0})).agents)

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
    def _picking(self) -> Picking:
        return Picking(seats_of(self.id, self.proxies), self._told)

    @cached_property
    def _has_costs(self) -> bool:
        """Whether all problems have costs, as far as a few tell."""
        if FAMILIES[self.family].satisfaction and not self.task:
            return False
        few = (BaseDescription(self, {"root": root}) for root in range(4))
        return not any(self.problem(one).satisfaction for one in few)

    # Problems

    def draw(
        self, rng: Generator, within: tuple[str, float, float] | None = None
    ) -> Mapping[str, Any]:
        """A number from which the problem follows."""
        if within is not None:
            measure, low, high = within
            seen = self._seen(measure)
            if len(seen) == 1 and not low <= (only := next(iter(seen))) <= high:
                raise MensuraError(
                    f"Problems of {self.family} as they are set all have {measure} {only:g}, not from {low:g} to "
                    f"{high:g}."
                )
        return {"root": int(rng.integers(1 << 62))}

    def _seen(self, measure: str) -> frozenset[float]:
        """What a few problems have of a measure: one value where all have the same."""
        seen: frozenset[float] | None = self._values_seen.get(measure)
        if seen is None:
            drawn = (BaseDescription(self, {"root": root}) for root in range(4))
            seen = frozenset(self.complexity(one, measure) for one in drawn)
            self._values_seen[measure] = seen
        return seen

    @cached_property
    def _values_seen(self) -> dict[str, frozenset[float]]:
        return {}

    def keep(self, description: BaseDescription) -> bool:
        """Whether a description, maybe from a file, is one."""
        return bool(
            description.root >= 0 and len(self.problem(description).agents) == self.subjects
        )

    def problem(self, description: BaseDescription) -> Problem:
        """The problem of a description."""
        return self._network(description).problem

    def _network(self, description: BaseDescription) -> Network:
        """What is computed once for a description, and then kept with it."""
        found: Network | None = vars(description).get("_network")
        if found is None:
            found = Network(*_made(description))
            vars(description)["_network"] = found
        return found

    def complexity(self, description: BaseDescription, measure: str) -> float:
        """Of the problem."""
        return float(MEASURES[measure][0](self.problem(description)))

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

    # The rules

    def seats(self, description: BaseDescription) -> Sequence[str]:
        """A seat for each agent."""
        return ["subject"] * len(self.problem(description).agents)

    @cached_property
    def _post(self) -> Post:
        return Post(self.delays, self.delay, self.loss)

    def most_letters(self, count: int) -> int:
        """How many letters each of so many seats may write at a turn."""
        return self.letters or 32 + 4 * count

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        """What a seat is told once, its values and its letters; the values that it chooses, and letters."""
        if seat in self._picking.kinds:
            return self._picking.spaces(self._network(description), seat)
        problem = self.problem(description)
        sizes = [len(problem.variables[v].values) for v in problem.variables_of[seat]] or [1]
        names = self._network(description).names[seat]
        value = Record(
            tuple((name, Discrete(size)) for name, size in zip(names, sizes, strict=True))
        )
        most, line = self.most_letters(len(problem.agents)), Text(self.longest + 10)
        seen = Record(
            (
                ("problem", Text(LONGEST_PROBLEM)),
                ("value", value),
                ("mail", Several(line, 16 * most)),
            )
        )
        return seen, Record((("value", value), ("mail", Several(Text(self.longest), most))))

    def start(self, state: State, rng: Generator) -> None:
        """Values as the problem says, else drawn; no letters."""
        network = self._network(state.description)
        self.give_values(state, rng)
        network.open(state)
        state.key = int(rng.integers(1 << 62))
        state.acted = [0] * network.count
        open_boxes(state, network.count)
        state.proxies, state.spoken = {}, {}
        self.open_scores(state)
        state.averages = [[0.0, 0] for _ in range(network.count)]

    def give_values(self, state: State, rng: Generator) -> None:
        """Values as the problem says, else drawn."""
        variables = self.problem(state.description).variables
        drawn = rng.integers(np.array([len(one.values) for one in variables])).tolist()
        state.values = [
            one if variable.initial is None else variable.initial
            for one, variable in zip(drawn, variables, strict=True)
        ]

    def open_scores(self, state: State) -> None:
        """Begin to keep what the assignment is worth, in a state whose cost is known."""
        state.claimed = False
        state.quality = state.best = self._quality(state)
        state.lowest = state.cost
        state.curve = {name: [] for name in ("messages", "numbers")}

    def keep_scores(self, state: State, before: float) -> None:
        """Keep what the assignment is worth after a step; it was worth ``before``."""
        state.quality = self._quality(state)
        state.best = max(state.best, state.quality)
        state.lowest = min(state.lowest, state.cost)
        self._draw_curve(state, self._network(state.description).count, before)

    def _quality(self, state: State) -> float:
        """Of the assignment; where somebody claimed that there is no solution, whether that is so."""
        problem = self._network(state.description).problem
        return self._claim(state) or yardstick(problem, self.proof).quality(state.cost)

    def _claim(self, state: State) -> float:
        """What a claim that there is no solution is worth: 1 or -1, or 0 where there was none or nobody knows."""
        if not state.claimed:
            return 0.0
        known = solvable(self.problem(state.description), self.proof)
        return 0.0 if known is None else -1.0 if known else 1.0

    def _shown(self, state: State, seat: int) -> int:
        """How many of the letters in its box a seat reads at its turn."""
        box = state.boxes[seat]
        if self.read == "one":
            return min(1, len(box))
        return min(len(box), 16 * self.most_letters(len(state.boxes)))

    def observe(self, state: State, seat: int) -> Any:
        """What it may know, at its first turn; its values and its letters."""
        network = self._network(state.description)
        if seat in self._picking.kinds:
            return self._picking.observe(network, self._proxy(state, seat))
        told = ""
        if not state.acted[seat]:
            told = self._told(network, seat)
        own = network.problem.variables_of[seat]
        values = state.values
        return {
            "problem": told,
            "value": {name: values[v] for name, v in zip(network.names[seat], own, strict=True)}
            if own
            else {NOTHING: 0},
            "mail": state.boxes[seat][: self._shown(state, seat)],
        }

    def _proxy(self, state: State, seat: int) -> Proxy:
        """Who speaks for a seat, with the letters of this turn read."""
        network = self._network(state.description)
        return self._picking.listening(network, state, seat, self._shown(state, seat))

    def offered(self, state: State, seat: int) -> tuple[Knowledge, list[int]] | None:
        """What a seat that only picks values knows, and the values that are open; None of one that writes letters."""
        if seat not in self._picking.kinds:
            return None
        agent = self._proxy(state, seat)
        return agent.knows, agent.open_values()

    def _told(self, network: Network, seat: int) -> str:
        told = told_of(
            network.problem,
            seat,
            place=network.places[seat],
            ranks=network.ranks,
            synchronous=self.delays == "none",
        )
        if self.may(seat, "sees_problem"):
            whole = json.dumps(whole_problem(network.problem), separators=(",", ":"))
            told = f'{told[:-1]},"whole":{whole}}}'
        return told

    def legal(self, state: State, seat: int, action: Any) -> bool:
        """Whether all letters are to agents to whom this one may write; what is no letter or to nobody is not sent."""
        if seat in self._picking.kinds:
            return action in self._proxy(state, seat).open_values()
        network = self._network(state.description)
        book, known = network.books[seat], state.known[seat]
        for line in action["mail"]:
            to = line.partition(" ")[0]
            if to.isdecimal() and to.isascii() and len(to) < 10:
                other = int(to)
                stranger = other not in book and other not in known and other != seat
                if stranger and other < network.count and letter(line) is not None:
                    return False
        return True

    def default(self, state: State, seat: int) -> Any:
        """To keep its values and write nothing; who is spoken for keeps its value where it is open."""
        if seat in self._picking.kinds:
            agent = self._proxy(state, seat)
            values = agent.open_values()
            return agent.value if agent.value in values else values[0]
        return {"value": self.observe(state, seat)["value"], "mail": []}

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> Sequence[float]:
        """Values first, then letters; rewards are the quality, averaged since a seat's last turn."""
        network = self._network(state.description)
        before = state.quality
        if self._picking.kinds:
            actions = {seat: self._spoken(state, seat, one) for seat, one in actions.items()}
            state.spoken = {
                seat: actions[seat]["mail"] for seat in self._picking.kinds if seat in actions
            }
        for seat, action in actions.items():
            state.acted[seat] += 1
            take_out(state, seat, self._shown(state, seat))
            network.assign(state, seat, action["value"])
        for seat, action in actions.items():
            if action["mail"]:
                self._post.take(network, state, seat, action["mail"])
        if self.delays != "none":
            arrive(network, state)
        self.keep_scores(state, before)
        return self._averaged(state, actions, network.count)

    def _spoken(self, state: State, seat: int, action: Any) -> Any:
        """An action with letters, whoever wrote them."""
        if seat not in self._picking.kinds:
            return action
        return self._picking.spoken(state, seat, self._proxy(state, seat), action)

    def _draw_curve(self, state: State, count: int, before: float) -> None:
        """Keep the quality that was reached within each budget of letters, and of numbers in them."""
        for name, done in state.curve.items():
            spent = getattr(state, name)
            while len(done) < len(BUDGETS) and spent > BUDGETS[len(done)] * count:
                done.append(before)

    def _averaged(self, state: State, actions: Mapping[int, Any], count: int) -> Sequence[float]:
        """The kit adds up what is given between two turns of a seat; so it is given what the average changes by."""
        quality = state.quality
        if self.delays == "none":
            return [quality] * count
        rewards = []
        for seat, average in enumerate(state.averages):
            mean, steps = (0.0, 0) if seat in actions else average
            after = mean + (quality - mean) / (steps + 1)
            rewards.append(after - mean)
            average[0], average[1] = after, steps + 1
        return rewards

    def due(self, state: State) -> Sequence[int]:
        """All, in synchronous cycles and at first; else those with letters."""
        if self.delays == "none" or not state.interaction:
            return range(len(state.boxes))
        return [seat for seat, box in enumerate(state.boxes) if box]

    def ended(self, state: State) -> Ended | None:
        """Once all letters that were written are read, or somebody claims that there is no solution.

        Where nobody writes, synchronous cycles go on to the horizon.
        """
        if state.claimed:
            return "terminated"
        begun = state.messages or (state.interaction and self.delays != "none")
        return "terminated" if begun and not state.way and not any(state.boxes) else None

    def figures(self, state: State) -> Mapping[str, float]:
        """What the episode took, and how good it was at each budget of letters and of numbers."""
        problem = self.problem(state.description)
        told = {
            "messages": state.messages,
            "numbers": state.numbers,
            "cycles": state.interaction,
            "checks": sum(state.checks),
            "nccc": max(state.nccc),
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

    def play_compiled(
        self, subject: Subject, plan: Plan, seed: Key, player: Any | None = None
    ) -> Episode | None:
        """What the one loop would make of a plan, to the bit; None where it is left to the loop."""
        del player  # agents of algorithms begin anew in each episode
        who = seated(self, subject)
        played = None if who is None else play_compiled(self, who, plan, seed)
        return None if played is None else played[0]

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


def _made(description: BaseDescription) -> tuple[Problem, Sequence[int]]:
    world = cast(Constraints, description.world)
    if world.task:
        problem = read_bytes(world.task.encode(), ".yaml", "The problem")
        return problem, ranks_of(problem, world.order)
    family = FAMILIES[world.family]
    rng = np.random.Generator(np.random.PCG64(description.root))
    if world.solvable in ("solvable", "unsolvable"):
        problem = draw_wanted(family, rng, solvable=world.solvable == "solvable", **world._settings)
    else:
        problem = family.problem(rng, planted=world.solvable == "planted", **world._settings)
    return problem, ranks_of(problem, world.order)


def ranks_of(problem: Problem, order: str) -> Sequence[int]:
    """The place of each agent in a static order."""
    ranks = [0] * len(problem.agents)
    for rank, agent in enumerate(ORDERS[order](problem)):
        ranks[agent] = rank
    return ranks
