"""pyDCOP's YAML, written: expressions where a relation has one, tables of tuples otherwise."""

from __future__ import annotations

import json
import keyword
import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.expressions import FUNCTIONS, parse
from mensura.worlds.constraints.problem import Problem, Relation, Value, Variable

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def write_yaml(problem: Problem) -> str:
    """The problem as a text that pyDCOP and :func:`read_yaml` read."""
    return "\n".join(_lines(problem)) + "\n"


def _lines(problem: Problem) -> Iterator[str]:
    sign = -1.0 if problem.maximize else 1.0
    yield f"name: {_quoted(problem.name)}"
    yield f"objective: {'max' if problem.maximize else 'min'}"
    if problem.description_bits is not None:
        yield f"description_length: {float(problem.description_bits)!r}"
    domains: dict[tuple[tuple[str, Value], ...], str] = {}
    for one in problem.variables:
        domains.setdefault(_typed(one.values), f"d{len(domains)}")
    yield "\ndomains:"
    for typed, name in domains.items():
        yield f"  {name}:\n    values: [{', '.join(_quoted(value) for _, value in typed)}]"
    yield "\nvariables:"
    separate: list[Variable] = []
    for one in problem.variables:
        yield f"  {_quoted(one.name)}:\n    domain: {domains[_typed(one.values)]}"
        if one.initial is not None:
            yield f"    initial_value: {_quoted(one.values[one.initial])}"
        if one.costs and _is_name(one.name):
            costs = [sign * cost + 0.0 for cost in one.costs]
            yield f"    cost_function: {_quoted(_cases(one.name, one.values, costs))}"
        elif one.costs:
            separate.append(one)
    if problem.constraints or separate:
        yield "\nconstraints:"
    _unique("constraints", [one.name for one in problem.constraints])
    _unique("variables", [one.name for one in problem.variables])
    _unique("agents", problem.agents)
    for constraint in problem.constraints:
        scope = [problem.variables[v] for v in constraint.scope]
        yield f"  {_quoted(constraint.name)}:"
        yield from _constraint_lines(
            problem.relations[constraint.relation], scope, problem.maximize
        )
    for one in separate:
        yield f"  {_quoted(f'cost of {one.name}')}:"
        yield from _constraint_lines(Relation(np.array(one.costs)), [one], problem.maximize)
    yield from _agent_lines(problem)


def _agent_lines(problem: Problem) -> Iterator[str]:
    yield "\nagents:"
    for i, name in enumerate(problem.agents):
        spot = f"place: [{', '.join(map(repr, problem.places[i]))}]" if problem.places else ""
        yield f"  {_quoted(name)}: {{{spot}}}"
    yield "\ndistribution_hints:\n  must_host:"
    for name, owned in zip(problem.agents, problem.variables_of, strict=True):
        yield f"    {_quoted(name)}: [{', '.join(_quoted(problem.variables[v].name) for v in owned)}]"


def _constraint_lines(
    relation: Relation, scope: Sequence[Variable], maximize: bool
) -> Iterator[str]:
    names = [one.name for one in scope]
    parts = _parts(relation.source, len(names), maximize) if relation.source else ()
    if parts and all(map(_is_name, names)):
        text = "".join(names[part] if isinstance(part, int) else part for part in parts)
        yield f"    type: intention\n    function: {_quoted(text)}"
        return
    yield "    type: extensional"
    yield f"    variables: [{', '.join(map(_quoted, names))}]"
    costs = -relation.costs if maximize else relation.costs
    found, counts = np.unique(costs + 0.0, return_counts=True)
    usual = float(found[int(counts.argmax())])
    yield f"    default: {_cost(usual)}"
    words = [[_word(value, one.name) for value in one.values] for one in scope]
    others = [float(cost) for cost in found if cost != usual]
    yield "    values:" if others else "    values: {}"
    for cost in others:
        tuples = (
            " ".join(words[axis][i] for axis, i in enumerate(spot))
            for spot in np.argwhere(costs == cost).tolist()
        )
        yield f"      {_cost(cost)}: {_quoted(' | '.join(tuples))}"


@lru_cache(maxsize=1000)
def _parts(source: str, arity: int, negative: bool) -> tuple[str | int, ...]:
    """An expression as text between the places of variables; nothing where these are not all there in their order.

    Who reads it takes variables in the order in which they first stand there.
    """
    expression = parse(source)
    places = {f"x{i}": f"\0{i}\0" for i in range(arity)}
    if expression.names != tuple(places):
        return ()
    text = (parse(expression.negated()) if negative else expression).renamed(places)
    return tuple(int(part) if i % 2 else part for i, part in enumerate(text.split("\0")))


def _cost(cost: float) -> str:
    return ("-inf" if cost < 0 else "inf") if math.isinf(cost) else repr(cost)


def _cases(name: str, values: Sequence[Value], costs: Sequence[float]) -> str:
    """An expression with these costs by value; halved again and again, so that it is not deep."""
    if len(set(costs)) == 1:
        return f'float("{_cost(costs[0])}")' if math.isinf(costs[0]) else repr(costs[0])
    half = len(values) // 2
    first = ", ".join(map(repr, values[:half]))
    then, otherwise = (
        _cases(name, values[:half], costs[:half]),
        _cases(name, values[half:], costs[half:]),
    )
    return f"({then} if {name} in [{first}] else {otherwise})"


def _is_name(name: str) -> bool:
    return (
        name.isascii()
        and name.isidentifier()
        and not keyword.iskeyword(name)
        and name not in FUNCTIONS
    )


def _typed(values: Sequence[Value]) -> tuple[tuple[str, Value], ...]:
    """Values that differ where their types do."""
    return tuple((type(value).__name__, value) for value in values)


def _word(value: Value, variable: str) -> str:
    word = str(value)
    if not word or "|" in word or len(word.split()) != 1 or word != word.strip():
        raise MensuraError(
            f"The value {word!r} of {variable} cannot stand in a table of tuples, which are words with spaces between."
        )
    return word


def _quoted(value: Value) -> str:
    """A value as YAML writes it, in quotes where it needs them."""
    if not isinstance(value, str):
        return repr(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if value.isascii() and value.isprintable():
        return json.dumps(value)
    import yaml

    return str(yaml.safe_dump(value, default_style='"', width=math.inf)).strip()


def _unique(what: str, names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise MensuraError(f"Two {what} have one name, which a file cannot tell apart.")
