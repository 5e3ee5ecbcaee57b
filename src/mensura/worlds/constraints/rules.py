"""The rules of distributed constraints: what a seat is told, what it may do, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from mensura.core.budgets import BUDGETS
from mensura.worlds.constraints.agent_base.knowledge import Knowledge
from mensura.worlds.constraints.knowledge import told_of, whole_problem
from mensura.worlds.constraints.mail import Post, arrive, letter, open_boxes, take_out
from mensura.worlds.constraints.network import NOTHING, Network
from mensura.worlds.constraints.parameters import ConstraintParameters
from mensura.worlds.constraints.picking import Picking, seats_of
from mensura.worlds.constraints.proxy import Proxy
from mensura.worlds.constraints.scoring import privacy_loss, solvable, yardstick
from mensura.worlds.constraints.travelling import AT_HOME, distance, go, no_moves
from mensura.worlds.kit import (
    BaseDescription,
    Discrete,
    Ended,
    Generator,
    Record,
    Several,
    Space,
    State,
    Text,
)

LONGEST_PROBLEM = 1 << 30
"""The most characters that what a seat is told of a problem may have."""


class ConstraintRules(ConstraintParameters):
    """A world with problems, letters and rewards."""

    @cached_property
    def _picking(self) -> Picking:
        return Picking(seats_of(self.id, self.proxies), self._told)

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
        state.moves = no_moves() if network.robots else []
        state.cells = [AT_HOME] * network.count if network.robots else []
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
        values = [state.values[v] for v in own]
        return {
            "problem": told,
            "value": dict(zip(network.names[seat], values, strict=True)) if own else {NOTHING: 0},
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
            found = letter(line) if line[:1].isdigit() else None
            if found is not None:
                to = found[0]
                if to not in book and to not in known and to != seat and to < network.count:
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
            if state.cells:
                (variable,) = network.problem.variables_of[seat]
                state.cells[seat] = go(state.moves, state.cells[seat], state.values[variable])
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

    def effort(self, state: State) -> dict[str, float]:
        """Checks of constraints and of nogoods so far, and bits that were given away; of robots, how far they went."""
        problem = self.problem(state.description)
        told: dict[str, float] = {
            "checks": sum(state.checks),
            "nogood_checks": state.nogood_checks,
            "nccc": max(state.nccc),
            "privacy_loss": privacy_loss(problem, state.learned_nogoods, state.learned_costs),
        }
        if state.moves:
            told["distance"] = distance(state.moves)
        return told

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
