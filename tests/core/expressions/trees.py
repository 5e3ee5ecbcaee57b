"""Trees of expressions, drawn."""

from __future__ import annotations

from hypothesis import strategies as st

from mensura.core.expressions.language import (
    OF_CHANCE,
    OF_TIME,
    Binary,
    Boolean,
    Call,
    Choice,
    Language,
    Name,
    Node,
    Number,
    Unary,
)

FULL = Language({**OF_TIME, **OF_CHANCE})
"""All functions that there are."""

NAMES = st.sampled_from(["time", "pi", "car.mass", "car.x.velocity", "y_1.value"])
ATOMS: st.SearchStrategy[Node] = st.one_of(
    st.floats(0, 1e300).map(Number), st.booleans().map(Boolean), NAMES.map(Name)
)


def grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    operators = ["or", "and", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "%", "^"]
    calls = [
        st.tuples(*[inner] * function.least).map(lambda a, name=name: Call(name, a))  # type: ignore[misc]
        for name, function in FULL.functions.items()
    ]
    return st.one_of(
        st.builds(Unary, st.sampled_from(["-", "not"]), inner),
        st.builds(Binary, st.sampled_from(operators), inner, inner),
        st.builds(Choice, inner, inner, inner),
        *calls,
    )


TREES = st.recursive(ATOMS, grown, max_leaves=25)
