"""A problem of distributed constraints as data: variables, the agents that own them, constraints and what they cost.

Muscalagiu, Popa and Vidal ("DisCSP-Netlogo"), section 2: a DisCSP has variables with finite domains, each owned by one
agent, and constraints that forbid tuples; in a DCOP they have costs, whose sum is minimized. Both are one kind of data
here: costs of tuples, infinite where a tuple is forbidden.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mensura.worlds.constraints.flat import Flat

Costs = npt.NDArray[np.float64]
Value = int | float | str


@dataclass(frozen=True)
class Variable:
    """Takes one of a few values. Everywhere else a value is its index in ``values``."""

    name: str
    values: tuple[Value, ...]
    agent: int
    """Who owns it, as an index of the problem's agents."""
    costs: tuple[float, ...] = ()
    """What each value costs by itself; empty: nothing."""
    initial: int | None = None
    """The value to begin with, where the problem says so."""


@dataclass(frozen=True, eq=False)
class Relation:
    """What each tuple of values costs; constraints of the same kind share one."""

    costs: Costs
    """An axis for each variable of the scope; infinite: forbidden."""
    source: str = ""
    """The expression of values that it was computed from, if any, where x0, x1, ... are the variables of the scope."""

    def __post_init__(self) -> None:
        self.costs.flags.writeable = False

    @cached_property
    def tightness(self) -> float:
        """The share of forbidden tuples."""
        return float(np.isinf(self.costs).mean())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Relation):
            return NotImplemented
        return self.source == other.source and np.array_equal(self.costs, other.costs)

    def __hash__(self) -> int:
        return hash((self.costs.shape, self.costs.tobytes()))


@dataclass(frozen=True)
class Constraint:
    """A relation between certain variables."""

    name: str
    scope: tuple[int, ...]
    """The variables, by index, in the order of the relation's axes."""
    relation: int
    """By index in the problem's relations."""


@dataclass(frozen=True)
class Problem:
    """Variables, agents and constraints. Costs are minimized: where a file says "max", the readers turn the signs."""

    name: str
    agents: tuple[str, ...]
    variables: tuple[Variable, ...]
    relations: tuple[Relation, ...]
    constraints: tuple[Constraint, ...]
    maximize: bool = False
    """Costs are negated utilities; reports turn them back."""
    places: tuple[tuple[float, ...], ...] = field(default=(), compare=False)
    """Where each agent is drawn, in units of the drawing (a board, a lattice, a map); empty: anywhere."""
    description_bits: float | None = field(default=None, compare=False)
    """The length of the program that it was drawn as, where it was drawn as one."""

    @cached_property
    def flat(self) -> Flat:
        """The same as a few arrays."""
        return Flat(self)

    @cached_property
    def satisfaction(self) -> bool:
        """Whether tuples are allowed or forbidden and nothing else: a DisCSP."""
        if any(any(one.costs) for one in self.variables):
            return False
        costs = self.flat.costs
        return bool((np.isinf(costs) | (costs == 0)).all())

    @property
    def first_costs(self) -> str:
        """The name of the first variable or constraint that has costs, for sentences; of a problem that has some."""
        for variable in self.variables:
            if any(variable.costs):
                return f"its variable {variable.name!r}"
        for one in self.constraints:
            costs = self.relations[one.relation].costs
            if not (np.isinf(costs) | (costs == 0)).all():
                return f"its constraint {one.name!r}"
        return "a relation of it"

    @cached_property
    def infinity(self) -> float:
        """What a forbidden tuple counts as where costs are added up: 1 + the sum of the largest finite costs.

        Where costs are negative, as those of utilities are, they are counted from the lowest, so that no saving
        elsewhere outweighs what is forbidden.
        """
        own = math.fsum(_reach(np.asarray(one.costs)) for one in self.variables if one.costs)
        return 1.0 + own + math.fsum(self.flat.reach[self.flat.relation_of].tolist())

    @cached_property
    def counted(self) -> Costs:
        """The costs of all relations as they are added up, one relation after another."""
        costs = self.flat.costs
        return np.where(np.isinf(costs), self.infinity, costs)

    @cached_property
    def constraints_of(self) -> tuple[tuple[int, ...], ...]:
        """By variable, the constraints that touch it."""
        found: list[list[int]] = [[] for _ in self.variables]
        for index, one in enumerate(self.constraints):
            for variable in dict.fromkeys(one.scope):
                found[variable].append(index)
        return tuple(map(tuple, found))

    @cached_property
    def variables_of(self) -> tuple[tuple[int, ...], ...]:
        """By agent, the variables that it owns."""
        found: list[list[int]] = [[] for _ in self.agents]
        for index, one in enumerate(self.variables):
            found[one.agent].append(index)
        return tuple(map(tuple, found))

    @cached_property
    def neighbors_of(self) -> tuple[tuple[int, ...], ...]:
        """By agent, the others with whom it shares a constraint, in order."""
        found: list[set[int]] = [set() for _ in self.agents]
        for one in self.constraints:
            owners = {self.variables[variable].agent for variable in one.scope}
            for owner in owners:
                found[owner] |= owners
        return tuple(tuple(sorted(others - {agent})) for agent, others in enumerate(found))

    @cached_property
    def size(self) -> float:
        """Bits of an assignment: the sum of log2 of the domains' sizes."""
        return math.fsum(math.log2(len(one.values)) for one in self.variables)

    def costs_of(self, assignment: Sequence[int]) -> list[float]:
        """What each constraint costs, then each variable that has costs of its own; infinite ones stay infinite."""
        found: list[float] = self.flat.paid(assignment, self.flat.costs).tolist()
        found += [one.costs[assignment[i]] for i, one in enumerate(self.variables) if one.costs]
        return found

    def cost(self, assignment: Sequence[int]) -> float:
        """The sum of all costs; what is forbidden counts as :attr:`infinity`, so a DisCSP's cost counts violations."""
        return math.fsum(
            self.infinity if math.isinf(one) else one for one in self.costs_of(assignment)
        )

    def allowed(self, assignment: Sequence[int]) -> bool:
        """Whether nothing forbidden is in it."""
        return not any(map(math.isinf, self.costs_of(assignment)))

    @cached_property
    def expected_cost(self) -> float:
        """The mean cost of an assignment whose values are drawn evenly and independently."""
        flat = self.flat
        means = flat.summed(self.counted) / flat.sizes
        own = [
            math.fsum(self.infinity if math.isinf(c) else c for c in one.costs) / len(one.costs)
            for one in self.variables
            if one.costs
        ]
        return math.fsum([*means[flat.relation_of].tolist(), *own])

    @cached_property
    def digest(self) -> str:
        """Names the problem by its content; names of variables and drawing do not count."""
        code = hashlib.blake2b(digest_size=16)
        for variable in self.variables:
            code.update(repr((len(variable.values), variable.agent, variable.costs)).encode())
        kinds = [
            hashlib.blake2b(
                f"{one.costs.shape}".encode() + one.costs.tobytes(), digest_size=16
            ).digest()
            for one in self.relations
        ]
        flat = self.flat
        code.update(flat.scope_first.tobytes() + flat.scope.tobytes())
        code.update(b"".join([kinds[one.relation] for one in self.constraints]))
        return code.hexdigest()


def _reach(costs: Costs) -> float:
    """The largest finite cost, counted from 0, or from the lowest where that is below."""
    finite = costs[np.isfinite(costs)]
    return float(finite.max() - min(finite.min(), 0.0)) if finite.size else 0.0
