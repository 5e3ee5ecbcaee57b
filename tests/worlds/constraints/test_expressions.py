"""Expressions of files: what they give is what Python gives, and nothing outside the safe part is let through."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.expressions import parse

DOMAINS: dict[str, tuple[Any, ...]] = {
    "a": (0, 1, 2, 5),
    "b": (0.5, -3, 2),
    "c": ("R", "G", ""),
    "d": (1, "R"),
}

GIVEN = [
    "10 if a == b else 0",
    "-0.1 if c == 'R' else 0.1",
    "10 * (abs(a - 3) + abs(b - 3))",
    "0 if b == round(0.7 * a + 0.5) else 1000",
    "1 / a if a else 7",
    "a and 1 / a",
    "a or b",
    "1 if c in ['R', 'B'] and a not in (1, 2) else 0",
    "1 if 0 <= a < 3 != b else 2",
    "min(a, b, 1) + max(a, b) - a % 3 + a // 2 + a ** 2",
    "round(a / 3, 2)",
    "3 if c else 4",
    "not a",
    "float('inf') if a == 2 else b",
    "1 if c == d else 0 if d == 1 else 5",
    "(a > 1) + (b > 0)",
    "1 if (c if a else 'R') == d else 0",
    "+a if True else -b",
]


def expected(source: str, names: tuple[str, ...]) -> np.ndarray[Any, Any]:
    """What Python makes of it, value by value."""
    shape = [len(DOMAINS[name]) for name in names]
    values = [
        float(eval(source, {}, dict(zip(names, one, strict=True))))
        for one in itertools.product(*(DOMAINS[name] for name in names))
    ]
    return np.array(values).reshape(shape)


@pytest.mark.parametrize("source", GIVEN)
def test_a_table_has_what_python_gives(source: str) -> None:
    expression = parse(source)
    table = expression.table({name: DOMAINS[name] for name in expression.names})
    assert np.array_equal(table, expected(source, expression.names))


NUMBERS = st.recursive(
    st.sampled_from(["a", "b", "1", "2.5"]),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("({} {} {})".format, inner, st.sampled_from(["<", "==", "and", "or"]), inner),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
    ),
    max_leaves=8,
)


@settings(max_examples=examples(24, 60), deadline=None)
@given(NUMBERS)
def test_any_expression_gives_what_python_gives(source: str) -> None:
    expression = parse(source)
    table = expression.table({name: DOMAINS[name] for name in expression.names})
    assert np.array_equal(table, expected(source, expression.names))


@pytest.mark.parametrize(
    "source",
    [
        "__import__('os').system('true')",
        "().__class__",
        "open('x')",
        "[x for x in (1,)]",
        "lambda: 1",
        "a.b",
        "a[0]",
        "f'{a}'",
        "abs(*a)",
        "min(a, key=b)",
        "(a := 2)",
        "a @ b",
        "a & b",
        "a is b",
        "a in b",
        "None",
        "...",
        "1j",
        "b'x'",
        "float('nan')",
        "float(a)",
        "abs()",
        "",
        "1 +",
        "a; b",
        "if a: b",
        "a" * 100_001,
        "(" * 500 + "a" + ")" * 500,
        "-" * 100 + "a",
        "1e999",
        "1" * 5000,
        "\0",
    ],
)
def test_what_is_outside_the_safe_part_is_refused_in_a_sentence(source: str) -> None:
    with pytest.raises(MensuraError, match=r"[.]$"):
        parse(source)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("1 / a", "divides by zero"),
        ("10.0 ** (a * 100)", "overflows"),
        ("1e14 * a * 10", "A cost of 5e"),
        ("c + 1", "A text stands where arithmetic needs a number"),
        ("c", "A text stands where a cost needs a number"),
        ("c < a", "a comparison needs a number"),
        ("-float('inf') if a else 0", "minus infinity"),
        ("0 * float('inf') + a", "undefined"),
        ("round(a, b)", "decimals from 0 to 15"),
    ],
)
def test_values_that_are_no_costs_are_refused(source: str, sentence: str) -> None:
    expression = parse(source)
    with pytest.raises(MensuraError, match=sentence):
        expression.table({name: DOMAINS[name] for name in expression.names})


def test_a_table_beyond_the_limit_is_refused_before_it_is_made() -> None:
    many = tuple(range(100_000))
    with pytest.raises(MensuraError, match="10000000000 tuples, over 4000000"):
        parse("a + b").table({"a": many, "b": many})


def test_names_are_replaced_and_constants_put_in() -> None:
    expression = parse("1 if v1 == v2 else sun")
    assert expression.names == ("v1", "v2", "sun")
    assert expression.renamed({"v1": "x0", "v2": "x1"}) == "1 if x0 == x1 else sun"
    table = expression.table({"v1": (0, 1), "v2": (0, 1)}, {"sun": 4})
    assert table.tolist() == [[1, 4], [4, 1]]
    assert math.isinf(parse("float('inf')").table({"v": (1,)})[0])
