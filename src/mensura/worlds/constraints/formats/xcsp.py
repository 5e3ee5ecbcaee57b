"""XCSP 2.1 as FRODO writes it, and XDisCSP 1.0: relations in extension, and predicates of a few functions.

A tuple of a soft relation has the cost before its colon or, without one, that of the tuple before it. A cost of at
least ``maximalCost`` is infinite. ``initialCost`` is left out: it is the same for every assignment.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.core.xml_tree import Element, parse_xml
from mensura.worlds.constraints.expressions import MOST_TUPLES, parse
from mensura.worlds.constraints.formats.builder import (
    Builder,
    cost_of,
    located,
    near,
    value_of,
    values_between,
)
from mensura.worlds.constraints.problem import Costs, Problem, Value


def read_xcsp(data: bytes, place: str, most_tuples: int = MOST_TUPLES) -> Problem:
    """The problem in a file's bytes; ``place`` is how errors call it."""
    return _Reader(parse_xml(data, place), place, most_tuples).problem()


class _Reader:
    def __init__(self, root: Element, place: str, most_tuples: int) -> None:
        self._root = root
        self._place = place
        with located(place, root.line):
            if root.tag != "instance":
                raise MensuraError(f"A problem is an <instance>, not <{root.tag[:40]}>.")
        about = root.child("presentation") or Element("presentation", {}, root.line)
        self._builder = Builder(
            about.attributes.get("name", "problem"),
            about.attributes.get("maximize", "false").strip().lower() == "true",
            most_tuples,
        )
        self._relations: dict[str, Element] = {}
        self._predicates: dict[str, Element] = {}
        self._tables: dict[tuple[str, tuple[int, ...]], int] = {}
        self._most_cost = math.inf

    def _each(self, section: str, tag: str) -> Iterator[Element]:
        """The elements of a section, of which there are as many as it says."""
        found = self._root.child(section)
        if found is None:
            return
        elements = [one for one in found.children if one.tag == tag]
        counted = found.attributes.get(f"nb{section.capitalize()}")
        with located(self._place, found.line):
            if counted is not None and counted.strip() != str(len(elements)):
                raise MensuraError(
                    f"<{section}> says that there are {counted.strip()[:20]}; there are {len(elements)}."
                )
        yield from elements

    def problem(self) -> Problem:
        builder = self._builder
        for one in self._each("agents", "agent"):
            with located(self._place, one.line):
                builder.agent(one.get("name"))
        for one in self._each("domains", "domain"):
            with located(self._place, one.line):
                self._domain(one)
        for one in self._each("variables", "variable"):
            with located(self._place, one.line):
                self._variable(one)
        for section, tag, known in (
            ("relations", "relation", self._relations),
            ("predicates", "predicate", self._predicates),
        ):
            for one in self._each(section, tag):
                with located(self._place, one.line):
                    if one.get("name") in known:
                        raise MensuraError(f"There are two {section} {one.get('name')!r}.")
                    known[one.get("name")] = one
        constraints = self._root.child("constraints")
        if constraints is not None:
            with located(self._place, constraints.line):
                self._most_cost = cost_of(constraints.attributes.get("maximalCost", "infinity"))
        for number, one in enumerate(self._each("constraints", "constraint")):
            with located(self._place, one.line):
                self._constraint(one, one.attributes.get("name", f"c{number}"))
        with located(self._place, self._root.line):
            return builder.problem()

    def _domain(self, one: Element) -> None:
        values: list[Value] = []
        for token in one.text.split():
            between = values_between(token)
            values += (value_of(token),) if between is None else between
        counted = one.attributes.get("nbValues")
        if values and counted is not None and counted.strip() != str(len(values)):
            raise MensuraError(
                f"It says that there are {counted[:20]} values; there are {len(values)}."
            )
        self._builder.domain(one.get("name"), values)

    def _variable(self, one: Element) -> None:
        builder = self._builder
        name = one.get("name")
        if one.attributes.get("type", "decision") == "random":
            raise MensuraError(f"{name} is a random variable; those are not understood.")
        values = builder.domain_called(one.get("domain"))
        if "agent" in one.attributes:
            agent = builder.agent_called(one.attributes["agent"])
        else:
            agent = builder.agent(f"agent of {name}")
        builder.variable(name, values, agent)

    def _constraint(self, one: Element, name: str) -> None:
        builder = self._builder
        scope = builder.scope(one.get("scope").split())
        _arity(one, len(scope))
        reference = one.get("reference")
        if reference in self._relations:
            shape = builder.shape(scope)
            key = (reference, tuple(id(builder.variables[v].values) for v in scope))
            if key not in self._tables:
                relation = self._relations[reference]
                with located(self._place, relation.line):
                    costs = self._table(relation, scope, shape)
                    self._tables[key] = builder.table(costs)
            builder.constrain(name, scope, self._tables[key])
        elif reference in self._predicates:
            self._predicate(one, name, scope, self._predicates[reference])
        elif reference.lower() == "global:alldifferent":
            for i, first in enumerate(scope):
                for second in scope[i + 1 :]:
                    names = builder.variables[first].name, builder.variables[second].name
                    self._intention(f"{name}_{names[0]}_{names[1]}", (first, second), "x0 != x1")
        else:
            known = [*self._relations, *self._predicates]
            raise MensuraError(
                f"There is no relation or predicate {reference[:60]!r}; {near(reference, known)}"
            )

    def _intention(self, name: str, scope: tuple[int, ...], condition: str) -> None:
        """A constraint that holds where a condition of x0, x1, ... does."""
        self._builder.shape(scope)
        costs = parse(f'0 if {condition} else float("inf")').table(
            {f"x{i}": self._builder.variables[v].values for i, v in enumerate(scope)},
            most=self._builder.most_tuples,
        )
        costs = -costs if self._builder.maximize else costs
        self._builder.constrain(name, scope, self._builder.table(costs))

    def _table(self, relation: Element, scope: tuple[int, ...], shape: tuple[int, ...]) -> Costs:
        """The costs of a relation in extension, for these variables."""
        _arity(relation, len(scope))
        meaning = relation.get("semantics")
        worst = -math.inf if self._builder.maximize else math.inf
        if meaning not in ("soft", "supports", "conflicts"):
            raise MensuraError(
                f"The semantics {meaning[:40]!r} is not understood; there are soft, supports and conflicts."
            )
        cost = math.nan
        if meaning == "soft":
            default = cost_of(relation.get("defaultCost"))
        else:
            default, cost = (0.0, worst) if meaning == "conflicts" else (worst, 0.0)
        costs = np.full(shape, default)
        tuples = relation.text.split("|") if relation.text.strip() else []
        counted = relation.attributes.get("nbTuples")
        if counted is not None and counted.strip() != str(len(tuples)):
            raise MensuraError(
                f"It says that there are {counted[:20]} tuples; there are {len(tuples)}."
            )
        for words in tuples:
            before, colon, after = words.rpartition(":")
            if colon:
                if meaning != "soft":
                    raise MensuraError(f"A tuple of {meaning} has no cost.")
                cost = cost_of(before)
            if math.isnan(cost):
                raise MensuraError(
                    "The first tuple of a soft relation needs its cost before a colon."
                )
            tokens = after.split()
            if len(tokens) != len(scope):
                raise MensuraError(
                    f"{after.strip()[:40]!r} has {len(tokens)} values; the constraint has {len(scope)} variables."
                )
            costs[tuple(map(self._builder.index, scope, tokens))] = cost
        if meaning == "soft" and math.isfinite(self._most_cost) and not self._builder.maximize:
            costs[costs >= self._most_cost] = math.inf
        return costs

    def _predicate(
        self, one: Element, name: str, scope: tuple[int, ...], predicate: Element
    ) -> None:
        """A predicate with its arguments put in; what does not hold is forbidden."""
        expression = predicate.child("expression")
        functional = expression.child("functional") if expression else None
        declared = predicate.child("parameters")
        if functional is None or declared is None:
            raise MensuraError("A predicate needs its parameters and a functional expression.")
        formal = declared.text.split()[1::2]
        given = one.child("parameters")
        actual = given.text.split() if given else [self._builder.variables[v].name for v in scope]
        if len(formal) != len(actual):
            raise MensuraError(
                f"The predicate has {len(formal)} parameters; {len(actual)} were given."
            )
        place_of = {self._builder.variables[v].name: f"x{i}" for i, v in enumerate(scope)}
        for word in actual:
            if word not in place_of and not re.fullmatch(r"[-+]?[0-9]{1,15}", word):
                raise MensuraError(
                    f"{word[:40]!r} is neither a variable of the constraint nor a number."
                )
        names = {
            key: place_of.get(word, f"({word})") for key, word in zip(formal, actual, strict=True)
        }
        with located(self._place, functional.line):
            condition = functional_condition(functional.text, names)
        self._intention(name, scope, condition)


def _arity(one: Element, count: int) -> None:
    told = one.attributes.get("arity")
    if told is not None and told.strip() != str(count):
        raise MensuraError(f"The arity is {told[:20]}; the constraint has {count} variables.")


# Functional expressions -----------------------------------------------------------------

_FUNCTIONS: Mapping[str, tuple[int, Callable[..., str]]] = {
    "neg": (1, lambda a: f"(-{a})"),
    "abs": (1, lambda a: f"abs({a})"),
    "add": (2, lambda a, b: f"({a} + {b})"),
    "sub": (2, lambda a, b: f"({a} - {b})"),
    "mul": (2, lambda a, b: f"({a} * {b})"),
    "div": (2, lambda a, b: f"({a} // {b})"),
    "mod": (2, lambda a, b: f"({a} % {b})"),
    "pow": (2, lambda a, b: f"({a} ** {b})"),
    "min": (2, lambda a, b: f"min({a}, {b})"),
    "max": (2, lambda a, b: f"max({a}, {b})"),
    "eq": (2, lambda a, b: f"({a} == {b})"),
    "ne": (2, lambda a, b: f"({a} != {b})"),
    "ge": (2, lambda a, b: f"({a} >= {b})"),
    "gt": (2, lambda a, b: f"({a} > {b})"),
    "le": (2, lambda a, b: f"({a} <= {b})"),
    "lt": (2, lambda a, b: f"({a} < {b})"),
    "dist": (2, lambda a, b: f"abs({a} - {b})"),
    "_not": (1, lambda a: f"(not {a})"),
    "_and": (2, lambda a, b: f"({a} and {b})"),
    "_or": (2, lambda a, b: f"({a} or {b})"),
    "xor": (2, lambda a, b: f"((not {a}) != (not {b}))"),
    "iff": (2, lambda a, b: f"((not {a}) == (not {b}))"),
    "_if": (3, lambda a, b, c: f"({b} if {a} else {c})"),
}


def functional_condition(text: str, names: Mapping[str, str]) -> str:
    """A condition as ``eq(abs(sub(X, Y)), 2)``, with other names, as an expression."""
    text = re.sub(r"\b(and|or|not|if)\s*\(", r"_\1(", text.strip())
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise MensuraError(f"{text[:60]!r} is not a functional expression.") from None
    return _written(tree, names, 0)


def _written(node: ast.expr, names: Mapping[str, str], depth: int) -> str:
    if depth > 50:
        raise MensuraError("A functional expression has too many functions within one another.")
    match node:
        case ast.Constant(value=bool() | int() as value):
            return repr(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return f"(-{value})"
        case ast.Name(id="true" | "false" as word):
            return word.capitalize()
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            count, made = _FUNCTIONS[name]
            if len(args) != count:
                raise MensuraError(f"{name.lstrip('_')} takes {count} arguments, not {len(args)}.")
            return made(*(_written(one, names, depth + 1) for one in args))
        case ast.Name(id=name):
            raise MensuraError(f"There is no parameter {name[:40]!r}; {near(name, list(names))}")
    known = ", ".join(name.lstrip("_") for name in _FUNCTIONS)
    raise MensuraError(f"A functional expression is made of {known}, parameters and whole numbers.")
