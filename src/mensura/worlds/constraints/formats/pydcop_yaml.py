"""pyDCOP's YAML, read with the line of whatever is wrong.

Functions are expressions (:mod:`mensura.worlds.constraints.expressions`); Python files that a constraint names as its
``source`` are never run. What pyDCOP adds to break ties (``noise_level``) and what concerns its placement of
computations (capacities, routes, hosting costs) is left out. Variables go to the agent that must host them, others to
the first one with fewest; agents with nothing are left out. Two things of ours are kept where pyDCOP ignores them:
where an agent is drawn (``place``) and a ``description_length``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.yaml_text import Form, Lines, parse_yaml, shown
from mensura.worlds.constraints.expressions import (
    MOST_TUPLES,
    Expression,
    parse,
)
from mensura.worlds.constraints.formats.builder import (
    MOST_BYTES,
    Builder,
    cost_of,
    located,
    values_between,
)
from mensura.worlds.constraints.problem import Problem, Value

FORM = Form("problem", "domains, variables and constraints", MOST_BYTES, 4_000_000)
_SECTIONS = (
    "name", "description", "objective", "domains", "variables", "external_variables", "constraints", "agents",
    "distribution_hints", "hosting_costs", "routes", "description_length",
)  # fmt: skip
_OF_VARIABLES = ("domain", "initial_value", "cost_function", "noise_level")


def read_yaml(text: str, place: str, most_tuples: int = MOST_TUPLES) -> Problem:
    """The problem in a text; ``place`` is how errors call the file."""
    data, lines = parse_yaml(text, place, FORM)
    return _Reader(data, lines, place, most_tuples).problem()


class _Reader:
    def __init__(self, data: Any, lines: Lines, place: str, most_tuples: int) -> None:
        self._lines = lines
        self._place = place
        with self._at():
            if not isinstance(data, dict):
                raise MensuraError("A problem begins with fields as name, domains and variables.")
        self._data: dict[str, Any] = data
        for name in data:
            with self._at(name):
                if name not in _SECTIONS:
                    raise MensuraError(
                        f"A problem has no field {name!r}; {neighbors(name, list(_SECTIONS))}"
                    )
        with self._at("objective"):
            objective = data.get("objective", "min")
            if objective not in ("min", "max"):
                raise MensuraError(f"The objective is {shown(objective)}; it is min or max.")
        name = data.get("name")
        self._builder = Builder(
            name if isinstance(name, str) else "problem", objective == "max", most_tuples
        )
        self._constants: dict[str, Value] = {}

    def _at(self, *where: str | int) -> Any:
        """A place in the data, by the line of the nearest thing that has one."""
        while where and where not in self._lines.of:
            where = where[:-1]
        return located(self._place, self._lines.of.get(where, 1))

    def problem(self) -> Problem:
        for name, one in self._mapping("domains").items():
            with self._at("domains", name):
                self._builder.domain(name, _values(_field(one, "values", f"The domain {name!r}")))
        hosts = self._agents()
        self._externals()
        self._variables(hosts)
        for name, one in self._mapping("constraints", needed=False).items():
            with self._at("constraints", name):
                self._constraint(name, one)
        with self._at("description_length"):
            bits = self._data.get("description_length")
            if bits is not None and (not _is_number(bits) or bits < 0):
                raise MensuraError(
                    f"The description_length is {shown(bits)}; it is a number of bits."
                )
            self._builder.description_bits = None if bits is None else float(bits)
        with self._at():
            return self._builder.problem()

    def _mapping(self, section: str, needed: bool = True) -> dict[str, Any]:
        found = self._data.get(section)
        with self._at(section):
            if found is None and not needed:
                return {}
            if not isinstance(found, dict):
                raise MensuraError(f"{section} must be names with a value each.")
        return dict(found)

    def _agents(self) -> dict[str, int]:
        """Agents, and by variable the agent that must host it."""
        found = self._data.get("agents") or {}
        with self._at("agents"):
            if isinstance(found, list):
                found = dict.fromkeys(map(str, found))
            if not isinstance(found, dict):
                raise MensuraError("agents must be a list of names, or names with a value each.")
        for name, one in found.items():
            with self._at("agents", name):
                self._builder.agent(name)
                spot = one.get("place") if isinstance(one, dict) else None
                if spot is not None:
                    if not isinstance(spot, list) or not spot or not all(map(_is_number, spot)):
                        raise MensuraError(f"The place of {name} is a list of numbers.")
                    self._builder.places[name] = tuple(map(float, spot))
        hosts: dict[str, int] = {}
        hints = self._data.get("distribution_hints") or {}
        must = hints.get("must_host") if isinstance(hints, dict) else None
        for agent, hosted in (must if isinstance(must, dict) else {}).items():
            with self._at("distribution_hints", "must_host", agent):
                number = self._builder.agent_called(agent)
                for variable in hosted if isinstance(hosted, list) else [hosted]:
                    hosts[str(variable)] = number
        return hosts

    def _externals(self) -> None:
        """Variables that nobody sets are what they begin with."""
        for name, one in self._mapping("external_variables", needed=False).items():
            with self._at("external_variables", name):
                values = self._builder.domain_called(str(_field(one, "domain", name)))
                initial = _field(one, "initial_value", name)
                if initial not in values:
                    raise MensuraError(
                        f"{name} begins with {shown(initial)}, no value of its domain."
                    )
                self._constants[name] = _plain(initial)

    def _variables(self, hosts: dict[str, int]) -> None:
        builder = self._builder
        variables = self._mapping("variables")
        owned = [0] * len(builder.agents)
        for name in variables:
            if name in hosts:
                owned[hosts[name]] += 1
        alone = not builder.agents
        for name, one in variables.items():
            with self._at("variables", name):
                if isinstance(one, dict):
                    for key in one:
                        if key not in _OF_VARIABLES:
                            raise MensuraError(
                                f"A variable has no field {key!r}; {neighbors(key, list(_OF_VARIABLES))}"
                            )
                values = builder.domain_called(str(_field(one, "domain", f"The variable {name!r}")))
                if alone:
                    agent = builder.agent(name)
                elif name in hosts:
                    agent = hosts[name]
                else:
                    agent = owned.index(min(owned))
                    owned[agent] += 1
                costs = self._own_costs(name, values, one.get("cost_function"))
                initial = one.get("initial_value")
                if initial is not None and _plain(initial) not in values:
                    raise MensuraError(
                        f"{name} begins with {shown(initial)}, no value of its domain."
                    )
                begin = None if initial is None else values.index(_plain(initial))
                builder.variable(name, values, agent, costs, begin)

    def _own_costs(self, name: str, values: tuple[Value, ...], function: Any) -> tuple[float, ...]:
        if function is None:
            return ()
        expression = _expression(function)
        stranger = next((n for n in expression.names if n != name and n not in self._constants), "")
        if stranger:
            raise MensuraError(
                f"The cost of {name} may depend on {name} alone, not on {stranger!r}."
            )
        costs = expression.table({name: values}, self._constants, utilities=self._builder.maximize)
        return tuple(costs.tolist())

    def _constraint(self, name: str, one: Any) -> None:
        kind = _field(one, "type", f"The constraint {name!r}")
        if kind == "intention":
            if "source" in one:
                raise MensuraError(
                    f"The constraint {name!r} calls a Python file, which is not run; write an expression."
                )
            expression = _expression(_field(one, "function", f"The constraint {name!r}"))
            partial = one.get("partial") or {}
            if not isinstance(partial, dict):
                raise MensuraError("partial must be names of variables with a value each.")
            fixed = {key: _plain(value) for key, value in partial.items()}
            self._builder.intention(name, expression, {**self._constants, **fixed})
        elif kind == "extensional":
            self._extensional(name, one)
        else:
            raise MensuraError(
                f"The constraint {name!r} is of type {shown(kind)}; it is intention or extensional."
            )

    def _extensional(self, name: str, one: dict[str, Any]) -> None:
        builder = self._builder
        names = _field(one, "variables", f"The constraint {name!r}")
        scope = builder.scope(map(str, names if isinstance(names, list) else [names]))
        costs = np.full(builder.shape(scope), math.nan)
        default = one.get("default")
        if default is not None:
            costs[:] = cost_of(str(default))
        entries = one.get("values") or {}
        if not isinstance(entries, dict):
            raise MensuraError("values must be costs with the tuples that have them.")
        told: set[tuple[int, ...]] = set()
        for text, tuples in entries.items():
            with self._at("constraints", name, "values", text):
                cost = cost_of(text)
                for words in _text(tuples).split("|"):
                    tokens = words.split()
                    if len(tokens) != len(scope):
                        raise MensuraError(
                            f"{words.strip()!r} has {len(tokens)} values; the constraint has {len(scope)} variables."
                        )
                    spot = tuple(map(builder.index, scope, tokens))
                    if spot in told:
                        raise MensuraError(f"The tuple {words.strip()!r} has two costs.")
                    told.add(spot)
                    costs[spot] = cost
        if bool(np.isnan(costs).any()):
            raise MensuraError(
                f"The constraint {name!r} says nothing of {int(np.isnan(costs).sum())} tuples; give them a default."
            )
        builder.constrain(name, scope, builder.table(costs))


def _field(one: Any, name: str, what: str) -> Any:
    if not isinstance(one, dict) or one.get(name) is None:
        raise MensuraError(f"{what} needs {name}.")
    return one[name]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(value: Any) -> Value:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float | str):
        return value
    raise MensuraError(f"{shown(value)} is no value; values are numbers and words.")


def _values(given: Any) -> list[Value]:
    """Values of a domain: a list, or a range as [1 .. 10]."""
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list):
        raise MensuraError("values must be a list, or a range as [1 .. 10].")
    if len(given) == 1 and isinstance(given[0], str) and (found := values_between(given[0])):
        return list(found)
    return list(map(_plain, given))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _expression(function: Any) -> Expression:
    if not isinstance(function, str | int | float):
        raise MensuraError(f"A function is an expression, not {shown(function)}.")
    return parse(_text(function) if isinstance(function, str) else repr(function))
