"""Problems drawn as programs, the shorter the more probable, so that no family of problems can be trained for.

A program says how many variables there are, how many values each has, who owns them, and a few rules. A rule says
between which variables it holds and what it asks of their values, both by small expressions, in which the numbers of
variables may stand as well. Each part is drawn with a probability, and minus log2 of it is its length in bits; whole
numbers have Rissanen's code. Queens (``x0 != x1 and abs(x0 - x1) != j - i`` between all pairs) and colorings of
regular graphs are among the short programs. Programs that say nothing, or forbid everything in one constraint, are
drawn again; the length is that of the program, not lessened by what was drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.complexity.integers import log_star, log_star_shares
from mensura.worlds.constraints.expressions import parse
from mensura.worlds.constraints.generators.family import Family, Parameter, number, one_of, whole
from mensura.worlds.constraints.generators.graphs import pairs_of
from mensura.worlds.constraints.measures import constrainedness
from mensura.worlds.constraints.problem import Constraint, Costs, Problem, Relation, Variable

ATTEMPTS = 20_000
"""Programs that are drawn before nothing is found to fit."""
DEEPEST = 4
"""Operations within one another."""
LARGEST = 16
"""Of numbers that stand in expressions."""
MOST_CONSTRAINTS = 20_000
FORBIDDEN = 'float("inf")'


@dataclass
class Draws:
    """Random choices, and how many bits they are worth."""

    rng: np.random.Generator
    bits: float = 0.0

    def choose(self, weights: Mapping[str, float]) -> str:
        """One of a few words, with these probabilities."""
        words = list(weights)
        shares = np.array([weights[word] for word in words])
        place = int(self.rng.choice(len(words), p=shares / shares.sum()))
        self.bits -= math.log2(shares[place] / shares.sum())
        return words[place]

    def integer(self, least: int, most: int) -> int:
        """A whole number by Rissanen's code, counted from the least; no larger than the most."""
        shares = log_star_shares(most - least + 1)
        found = int(np.searchsorted(shares, self.rng.random() * shares[-1], side="right"))
        self.bits += log_star(found + 1) + math.log2(shares[-1])
        return least + found

    def evenly(self, most: int) -> int:
        """A whole number from 0 to below the most."""
        self.bits += math.log2(most)
        return int(self.rng.integers(most))


@dataclass
class Rule:
    """Between which variables something holds, and what it costs."""

    scopes: list[tuple[int, ...]]
    source: str


@dataclass
class Program:
    """What a problem is made of."""

    n: int
    sizes: list[int]
    owners: list[int]
    rules: list[Rule] = field(default_factory=list)
    bits: float = 0.0


def draw(
    rng: np.random.Generator,
    least: int,
    most: int,
    values: int,
    rules: int,
    costs: str,
    least_kappa: float,
    most_kappa: float,
) -> Problem:
    """The problem of the first program that says something within the limits."""
    if least > most:
        raise MensuraError(f"There cannot be at least {least} variables and at most {most}.")
    for _ in range(ATTEMPTS):
        program = draw_program(Draws(rng), least, most, values, rules, costs)
        problem = problem_of(program)
        if problem is None:
            continue
        if problem.satisfaction != (costs == "hard") and costs != "any":
            continue
        if problem.satisfaction and not least_kappa <= constrainedness(problem) <= most_kappa:
            continue
        return problem
    raise MensuraError(
        f"None of {ATTEMPTS} programs fits; take a wider range of kappa or of variables."
    )


def draw_program(
    draws: Draws, least: int, most: int, values: int, rules: int, costs: str
) -> Program:
    """A program by its prior."""
    n = draws.integer(least, most)
    if draws.choose({"same": 0.75, "by number": 0.25}) == "same":
        sizes = [draws.integer(2, values)] * n
    else:
        period, smallest = draws.integer(2, values), draws.integer(2, values)
        sizes = [min(smallest + i % period, values) for i in range(n)]
    together = (
        1 if draws.choose({"alone": 0.75, "several": 0.25}) == "alone" else draws.integer(2, n)
    )
    program = Program(n, sizes, [i // together for i in range(n)])
    for _ in range(draws.integer(1, rules)):
        arity = int(draws.choose({"1": 0.125, "2": 0.75, "3": 0.125}))
        scopes = _scopes(draws, n, arity)
        program.rules.append(Rule(scopes, _rule(draws, arity, costs)))
    program.bits = draws.bits
    return program


def problem_of(program: Program) -> Problem | None:
    """The problem that a program describes; None if it says too little, too much, or something impossible."""
    relations: dict[tuple[str, tuple[int, ...]], int | None] = {}
    tables: list[Relation] = []
    constraints: list[Constraint] = []
    if sum(len(rule.scopes) for rule in program.rules) > MOST_CONSTRAINTS:
        return None
    for rule in program.rules:
        expression = parse(rule.source)
        for between in rule.scopes:
            scope = tuple(v for i, v in enumerate(between) if f"x{i}" in expression.names)
            names = {f"x{v}": f"x{i}" for i, v in enumerate(map(between.index, scope))}
            names |= {name: str(v) for name, v in zip("ijk", between, strict=False)}
            source = expression.renamed(names)
            shape = tuple(program.sizes[v] for v in scope)
            if (source, shape) not in relations:
                costs = parse(source).table({f"x{i}": range(size) for i, size in enumerate(shape)})
                if bool(np.isinf(costs).all()):
                    return None
                relations[source, shape] = len(tables) if _says_something(costs) else None
                if _says_something(costs):
                    tables.append(Relation(costs, source))
            relation = relations[source, shape]
            if relation is not None:
                constraints.append(Constraint(f"c{len(constraints)}", scope, relation))
    tied = {variable for one in constraints if len(one.scope) > 1 for variable in one.scope}
    if len(tied) < max(program.n // 2, 2):
        return None
    return Problem(
        f"universal, {program.bits:.0f} bits",
        tuple(f"a{i}" for i in range(program.owners[-1] + 1)),
        tuple(
            Variable(f"x{i}", tuple(range(size)), owner)
            for i, (size, owner) in enumerate(zip(program.sizes, program.owners, strict=True))
        ),
        tuple(tables),
        tuple(constraints),
        description_bits=program.bits,
    )


def _says_something(costs: Costs) -> bool:
    return bool((costs != costs.flat[0]).any())


# Structure ------------------------------------------------------------------------------


def _scopes(draws: Draws, n: int, arity: int) -> list[tuple[int, ...]]:
    """Between which variables a rule holds."""
    if arity == 1:
        period = draws.integer(1, n)
        first = draws.evenly(period)
        return [(i,) for i in range(first, n, period)]
    if arity == 3:
        near = draws.integer(1, n)
        far = near + draws.integer(1, n)
        return [(i, i + near, i + far) for i in range(n - far)]
    kind = draws.choose({"all": 0.25, "apart": 0.25, "sum": 0.25, "drawn": 0.25})
    every = pairs_of(np.arange(n * (n - 1) // 2, dtype=np.int64), n)
    if kind == "apart":
        apart = draws.integer(1, n)
        between = every[:, 1] - every[:, 0]
        every = every[(between == apart) | (between == n - apart)]
    elif kind == "sum":
        period = draws.integer(2, n + 1)
        factors = draws.evenly(period), draws.evenly(period)
        every = every[(every @ np.array(factors)) % period == draws.evenly(period)]
    elif kind == "drawn":
        count = draws.integer(1, len(every))
        draws.bits += _log2_choose(len(every), count)
        every = every[np.sort(draws.rng.choice(len(every), count, replace=False))]
    return [(i, j) for i, j in every.tolist()]


def _log2_choose(n: int, k: int) -> float:
    return (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)) / math.log(2)


# Expressions ----------------------------------------------------------------------------


def _rule(draws: Draws, arity: int, costs: str) -> str:
    """What a rule asks: a condition that must hold, one whose breach has a price, or a cost that is worked out."""
    kinds = {"must": 0.5, "price": 0.25, "cost": 0.25}
    if costs != "any":
        kinds = {"must": 1.0} if costs == "hard" else {"price": 0.5, "cost": 0.5}
    kind = draws.choose(kinds)
    if kind == "cost":
        return f"abs({_term(draws, arity, 1)})"
    price = FORBIDDEN if kind == "must" else str(draws.integer(1, LARGEST))
    return f"0 if {_condition(draws, arity, 1)} else {price}"


def _condition(draws: Draws, arity: int, depth: int) -> str:
    kind = "compare"
    if depth < DEEPEST:
        kind = draws.choose({"compare": 0.75, "and": 0.125, "or": 0.125})
    if kind != "compare":
        sides = [_condition(draws, arity, depth + 1) for _ in range(2)]
        return f"({sides[0]} {kind} {sides[1]})"
    comparison = draws.choose({"!=": 0.375, "==": 0.25, "<": 0.25, "<=": 0.125})
    sides = [_term(draws, arity, depth) for _ in range(2)]
    return f"{sides[0]} {comparison} {sides[1]}"


def _term(draws: Draws, arity: int, depth: int) -> str:
    kind = "atom"
    if depth < DEEPEST:
        kind = draws.choose({"atom": 0.625, "operation": 0.25, "abs": 0.0625, "rest": 0.0625})
    if kind == "operation":
        operator = draws.choose({"+": 0.375, "-": 0.375, "*": 0.25})
        sides = [_term(draws, arity, depth + 1) for _ in range(2)]
        return f"({sides[0]} {operator} {sides[1]})"
    if kind == "abs":
        return f"abs({_term(draws, arity, depth + 1)})"
    if kind == "rest":
        return f"({_term(draws, arity, depth + 1)} % {draws.integer(2, LARGEST)})"
    atom = draws.choose({"value": 0.75, "number": 0.125, "place": 0.125})
    if atom == "value":
        return f"x{draws.evenly(arity)}"
    if atom == "number":
        return str(draws.integer(0, LARGEST))
    return "ijk"[draws.evenly(arity)]


UNIVERSAL = Family(
    "universal",
    "problems drawn as programs, the shorter the more probable",
    {
        "least": Parameter(4, "The fewest variables.", whole(2, 200)),
        "most": Parameter(20, "The most variables.", whole(2, 200)),
        "values": Parameter(8, "The most values of a variable.", whole(2, 30)),
        "rules": Parameter(4, "The most rules of a program.", whole(1, 100)),
        "costs": Parameter(
            "any",
            "hard: tuples are forbidden or not; soft: they have costs and none is forbidden; any.",
            one_of("any", "hard", "soft"),
        ),
        "least_kappa": Parameter(
            0.1, "The least constrainedness of a problem without costs.", number(0, 100)
        ),
        "most_kappa": Parameter(
            2.0, "The largest constrainedness of a problem without costs.", number(0, 100)
        ),
    },
    draw,
)
