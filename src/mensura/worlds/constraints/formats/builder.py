"""A problem put together from what a file says, checked part by part; readers add the file and the line."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from mensura.agent.errors import LocatedError, MensuraError, neighbors
from mensura.worlds.constraints.expressions import MOST_TUPLES, Expression, check_costs
from mensura.worlds.constraints.problem import (
    Constraint,
    Costs,
    Problem,
    Relation,
    Value,
    Variable,
)

MOST_BYTES = 100_000_000
"""Of a file."""
MOST_VALUES = 1_000_000
"""Of a domain."""
LARGEST_SUM = 2.0**53
"""Of the largest costs: beyond, sums are no longer exact."""
MOST_NAMED = 100
"""Of more names than this, a sentence tells the nearest ones or how many there are."""
_RANGE = re.compile(r"\s*([-+]?[0-9]{1,15})\s*\.\.\s*([-+]?[0-9]{1,15})\s*")
_INFINITE = re.compile(r"([-+]?)\.?inf(?:inity)?", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def near(name: str, known: Sequence[str]) -> str:
    """The end of a sentence about an unknown name, of which there may be very many."""
    if len(known) <= MOST_NAMED:
        return neighbors(name, list(known))
    matches = difflib.get_close_matches(name, known[: 50 * MOST_NAMED], n=3)
    return f"did you mean {' or '.join(matches)}?" if matches else f"there are {len(known)} others."


@contextmanager
def located(place: str, line: int) -> Iterator[None]:
    """Sentences from within begin with the file and the line."""
    try:
        yield
    except LocatedError:
        raise
    except MensuraError as error:
        raise LocatedError(f"{place}, line {line}: {error}") from None


def values_between(text: str) -> tuple[Value, ...] | None:
    """The whole numbers of a range as "1 .. 10"; None where the text is none."""
    match = _RANGE.fullmatch(text)
    if match is None:
        return None
    first, last = int(match[1]), int(match[2])
    if last - first >= MOST_VALUES:
        raise MensuraError(
            f"A domain of {last - first + 1} values is too large; there are at most {MOST_VALUES}."
        )
    return tuple(range(first, last + 1))


def cost_of(text: str) -> float:
    """A cost as files write it; infinite only where they say so."""
    text = text.strip()
    infinite = _INFINITE.fullmatch(text)
    if infinite is not None:
        return -math.inf if infinite[1] == "-" else math.inf
    if _NUMBER.fullmatch(text) is None:
        raise MensuraError(f"{text[:40]!r} is not a cost; write a number or infinity.")
    value = float(text)
    if math.isinf(value):
        raise MensuraError(f"The cost {text[:40]} overflows; write a smaller number, or infinity.")
    return value


def value_of(token: str) -> Value:
    """A value that stands in a list of words: a whole number, another number, or a text."""
    if re.fullmatch(r"[-+]?[0-9]{1,18}", token):
        return int(token)
    return float(token) if _NUMBER.fullmatch(token) else token


@dataclass
class Builder:
    """Takes in the parts of a problem in any order that a reader likes, agents and domains first."""

    name: str
    maximize: bool = False
    most_tuples: int = MOST_TUPLES
    agents: dict[str, int] = field(default_factory=dict)
    domains: dict[str, tuple[Value, ...]] = field(default_factory=dict)
    places: dict[str, tuple[float, ...]] = field(default_factory=dict)
    description_bits: float | None = None
    variables: list[Variable] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    constraints: list[Constraint] = field(default_factory=list)
    _variables: dict[str, int] = field(default_factory=dict)
    _relations: dict[tuple[object, ...], int] = field(default_factory=dict)
    _constraints: set[str] = field(default_factory=set)
    _tokens: dict[int, dict[str, int]] = field(default_factory=dict)

    def agent(self, name: str) -> int:
        """An agent, known from now on."""
        if name in self.agents:
            raise MensuraError(f"There are two agents {name!r}.")
        return self.agents.setdefault(name, len(self.agents))

    def agent_called(self, name: str) -> int:
        """The agent of a name."""
        if name not in self.agents:
            raise MensuraError(f"There is no agent {name!r}; {near(name, list(self.agents))}")
        return self.agents[name]

    def domain(self, name: str, values: Sequence[Value]) -> None:
        """A domain: at least one value, all different, as texts too."""
        if name in self.domains:
            raise MensuraError(f"There are two domains {name!r}.")
        if not values:
            raise MensuraError(f"The domain {name!r} is empty; it needs a value.")
        if len(values) > MOST_VALUES:
            raise MensuraError(f"The domain {name!r} has over {MOST_VALUES} values.")
        if len(set(map(str, values))) < len(values) or len(set(values)) < len(values):
            raise MensuraError(f"The domain {name!r} has a value twice.")
        self.domains[name] = tuple(values)

    def domain_called(self, name: str) -> tuple[Value, ...]:
        """The values of a domain."""
        if name not in self.domains:
            raise MensuraError(f"There is no domain {name!r}; {near(name, list(self.domains))}")
        return self.domains[name]

    def variable(
        self,
        name: str,
        values: tuple[Value, ...],
        agent: int,
        costs: Sequence[float] = (),
        initial: int | None = None,
    ) -> None:
        """A variable; costs as the problem has them, so that the file's utilities are already turned."""
        if name in self._variables:
            raise MensuraError(f"There are two variables {name!r}.")
        self._variables[name] = len(self.variables)
        self.variables.append(Variable(name, values, agent, tuple(costs), initial))

    def scope(self, names: Iterable[str]) -> tuple[int, ...]:
        """Variables by their names."""
        found = []
        for name in names:
            if name not in self._variables:
                raise MensuraError(
                    f"There is no variable {name!r}; {near(name, list(self._variables))}"
                )
            found.append(self._variables[name])
        if not found:
            raise MensuraError("A constraint needs a variable.")
        if len(set(found)) < len(found):
            raise MensuraError("A constraint names a variable twice.")
        return tuple(found)

    def index(self, variable: int, token: str) -> int:
        """The index of the value that a word stands for."""
        values = self.variables[variable].values
        if id(values) not in self._tokens:
            words = {str(value): i for i, value in enumerate(values)}
            for i, value in enumerate(values):
                if isinstance(value, bool):
                    words[str(value).lower()] = i
                if isinstance(value, int | float):
                    words.setdefault(repr(float(value)), i)
            self._tokens[id(values)] = words
        words = self._tokens[id(values)]
        if token in words:
            return words[token]
        if _NUMBER.fullmatch(token) and (found := words.get(repr(float(token)))) is not None:
            return found
        raise MensuraError(
            f"{token[:40]!r} is no value of {self.variables[variable].name}; {near(token, list(map(str, values)))}"
        )

    def shape(self, scope: Sequence[int]) -> tuple[int, ...]:
        """How many values the variables of a constraint have, if its table is not too large."""
        shape = tuple(len(self.variables[v].values) for v in scope)
        if math.prod(shape) > self.most_tuples or len(shape) > 32:
            raise MensuraError(
                f"A table of {math.prod(shape)} tuples is beyond the limit of {self.most_tuples}."
            )
        return shape

    def constrain(self, name: str, scope: tuple[int, ...], relation: int) -> None:
        """A constraint."""
        if name in self._constraints:
            raise MensuraError(f"There are two constraints {name!r}.")
        self._constraints.add(name)
        self.constraints.append(Constraint(name, scope, relation))

    def table(self, costs: Costs) -> int:
        """The relation with these costs as the file has them; one that is there already is taken again."""
        return self._relation(check_costs((-costs if self.maximize else costs) + 0.0), "")

    def _relation(self, costs: Costs, source: str) -> int:
        key = (costs.shape, costs.tobytes(), source)
        if key not in self._relations:
            self._relations[key] = len(self.relations)
            self.relations.append(Relation(costs, source))
        return self._relations[key]

    def intention(
        self, name: str, expression: Expression, constants: Mapping[str, Value] | None = None
    ) -> None:
        """A constraint between the variables that an expression names."""
        constants = constants or {}
        names = tuple(one for one in expression.names if one not in constants)
        scope = self.scope(names)
        self.shape(scope)
        placeholders = {one: f"x{i}" for i, one in enumerate(names)}
        used = {one: constants[one] for one in expression.names if one in constants}
        source = "" if used else expression.renamed(placeholders)
        if source and self.maximize:
            source = f"-({source})"
        domains = tuple(self.variables[v].values for v in scope)
        key = ("intention", source, domains, tuple(used.items()), names if used else ())
        if key not in self._relations:
            costs = expression.table(
                dict(zip(names, domains, strict=True)), used, self.most_tuples, self.maximize
            )
            self._relations[key] = self._relation(costs, source)
        self.constrain(name, scope, self._relations[key])

    def problem(self) -> Problem:
        """The problem, without agents that own nothing."""
        if not self.variables:
            raise MensuraError("There are no variables.")
        owners = sorted({one.agent for one in self.variables})
        number = {agent: i for i, agent in enumerate(owners)}
        names = list(self.agents)
        kept = tuple(names[agent] for agent in owners)
        if not all(name in self.places for name in kept):
            self.places = {}
        problem = Problem(
            self.name,
            kept,
            tuple(
                Variable(one.name, one.values, number[one.agent], one.costs, one.initial)
                for one in self.variables
            ),
            tuple(self.relations),
            tuple(self.constraints),
            self.maximize,
            tuple(self.places[name] for name in kept) if self.places else (),
            self.description_bits,
        )
        total = math.fsum(
            float(np.abs(one.costs[np.isfinite(one.costs)]).max(initial=0.0)) * count
            for one, count in zip(self.relations, self._uses(), strict=True)
        )
        if total + problem.infinity > LARGEST_SUM:
            raise MensuraError(
                f"The largest costs add up to {total:g}, which overflows; {LARGEST_SUM:g} is the most."
            )
        return problem

    def _uses(self) -> list[int]:
        counts = [0] * len(self.relations)
        for one in self.constraints:
            counts[one.relation] += 1
        return counts
