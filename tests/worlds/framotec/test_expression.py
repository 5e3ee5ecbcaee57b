"""Expressions: what is written is read, what is read can be written, and nonsense gets a sentence with its place."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.core.errors import MensuraError
from mensura.worlds.framotec.expression import (
    DEEPEST,
    FUNCTIONS,
    LONGEST,
    Assignment,
    Binary,
    Boolean,
    Call,
    Choice,
    ExpressionError,
    Kind,
    Name,
    Node,
    Number,
    Unary,
    kind_of,
    names_in,
    parse_assignment,
    parse_expression,
    write_assignment,
    write_expression,
)
from mensura.worlds.framotec.references import rename_assignment, rename_condition

pytestmark = pytest.mark.quick

NAMES = st.sampled_from(["time", "pi", "car.mass", "car.x.velocity", "y_1.value"])
ATOMS: st.SearchStrategy[Node] = st.one_of(
    st.floats(0, 1e300).map(Number), st.booleans().map(Boolean), NAMES.map(Name)
)


def grown(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    operators = ["or", "and", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "%", "^"]
    calls = [
        st.tuples(*[inner] * function.least).map(lambda a, name=name: Call(name, a))  # type: ignore[misc]
        for name, function in FUNCTIONS.items()
    ]
    return st.one_of(
        st.builds(Unary, st.sampled_from(["-", "not"]), inner),
        st.builds(Binary, st.sampled_from(operators), inner, inner),
        st.builds(Choice, inner, inner, inner),
        *calls,
    )


TREES = st.recursive(ATOMS, grown, max_leaves=25)


@given(TREES)
def test_what_is_written_is_read_back(tree: Node) -> None:
    assert parse_expression(write_expression(tree)) == tree


@given(NAMES.filter(lambda name: "." in name), TREES, st.none() | TREES)
def test_assignments_are_read_back_too(target: str, value: Node, condition: Node | None) -> None:
    one = Assignment(Name(target), value, condition)
    assert parse_assignment(write_assignment(one)) == one


@given(st.text(string.printable + "←·≤≥≠∧\u2228¬é", max_size=60))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str) -> None:
    lines = text.split("\n")
    for parse in (parse_expression, parse_assignment):
        line, column = 1, 1
        try:
            parse(text)
        except ExpressionError as error:
            line, column = error.place
        assert 1 <= line <= len(lines)
        assert 1 <= column <= len(lines[line - 1]) + 1


PIECES = ["x.v", "1", "2.5e3", "(", ")", "if", "else", "when", "not", "-", "+", "^", "<", "and"]


@given(st.lists(st.sampled_from([*PIECES, "<-", ",", "min(", "?", ":", "true"]), max_size=30))
def test_any_heap_of_tokens_is_read_or_refused(pieces: list[str]) -> None:
    for parse in (parse_expression, parse_assignment):
        try:
            parse(" ".join(pieces))
        except ExpressionError:
            continue


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ("1 + 2 * 3", "1 + (2 * 3)"),
        ("8 - 3 - 2", "(8 - 3) - 2"),
        ("2 ^ 3 ^ 2", "2 ^ (3 ^ 2)"),
        ("-x.v ^ 2", "-(x.v ^ 2)"),
        ("-x.v * 2", "(-x.v) * 2"),
        ("not a.v < 1 and true", "(not (a.v < 1)) and true"),
        ("a.v < 1 or b.v < 2 and c.v < 3", "a.v < 1 or (b.v < 2 and c.v < 3)"),
        ("1 if true else 2 if false else 3", "1 if true else (2 if false else 3)"),
        ("true ? 1 : 2", "1 if true else 2"),
        ("a.v · 2 ≥ 3 ∧ ¬ true", "a.v * 2 >= 3 and not true"),
        ("+a.v ** 2", "a.v ^ 2"),
    ],
)
def test_operators_bind_as_usual(source: str, same: str) -> None:
    assert parse_expression(source) == parse_expression(same)


@pytest.mark.parametrize(
    "source",
    ["x.v <- 1 when y.v < 2", "x.v ← 1 if y.v < 2", "x.v <- (1) if (y.v<2)"],
)
def test_a_condition_after_an_assignment_is_written_in_two_ways(source: str) -> None:
    assert write_assignment(parse_assignment(source)) == "x.v <- 1 when y.v < 2"


def test_an_if_with_else_is_a_choice() -> None:
    one = parse_assignment("x.v <- 1 if y.v < 2 else 3")
    assert one.condition is None
    assert isinstance(one.value, Choice)


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        ("x.v <- 1 +", (1, 11), "a value is missing before the end"),
        ("x.v <- foo(1)", (1, 8), "there is no function 'foo'; did you mean"),
        ("x.v <- min(1)", (1, 8), "min takes 2 to 8 arguments, not 1"),
        ("x.v = 1", (1, 5), "'=' means nothing here"),
        ("x.v <-\n  (1 + 2", (2, 9), "')' is missing before the end"),
        ("1 <- 2", (1, 1), "an assignment begins with what it changes"),
        ("x.v <- 1 2", (1, 10), "'2' does not belong here"),
        ("x.v <- 1 < 2 < 3", (1, 14), "join them with 'and'"),
        ("x.v <- 1e999", (1, 8), "too large"),
        ("x.v <- 1 + (2 if true)", (1, 22), "'else' is missing"),
        ("x.v <- __import__('os')", (1, 19), "means nothing here"),
    ],
)
def test_bad_source_gets_one_sentence_with_its_place(
    source: str, place: tuple[int, int], words: str
) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_assignment(source)
    assert caught.value.place == place
    assert words in str(caught.value)
    assert isinstance(caught.value, MensuraError)


@pytest.mark.parametrize(
    "source",
    [
        "(" * (DEEPEST + 5) + "1" + ")" * (DEEPEST + 5),
        "+".join(["1"] * (DEEPEST + 5)),
        "-" * (DEEPEST + 5) + "1",
        "not " * (DEEPEST + 5) + "true",
        "^".join(["2"] * (DEEPEST + 5)),
        "1 if true else " * (DEEPEST + 5) + "1",
        "1 " * LONGEST,
    ],
)
def test_what_is_too_deep_or_too_long_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError, match=r"more than|over"):
        parse_expression(source)


def look_up(name: Name) -> Kind:
    return "boolean" if name.path.endswith("locked") else "number"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("1 + x.v", "number"),
        ("x.v < 2 and not x.locked", "boolean"),
        ("x.locked == (y.v > 1)", "boolean"),
        ("1 if x.locked else 2", "number"),
        ("pulse(2, 0.5) or every(1)", "boolean"),
    ],
)
def test_types_are_inferred(source: str, kind: Kind) -> None:
    assert kind_of(parse_expression(source), source, look_up) == kind


@pytest.mark.parametrize(
    ("source", "column", "words"),
    [
        ("1 + x.locked", 5, "'+' takes a number, and 'x.locked' is a boolean"),
        ("not x.v", 5, "'not' takes a boolean"),
        ("1 if x.v else 2", 6, "the condition of a choice takes a boolean"),
        ("1 if x.locked else true", 20, "a choice whose one way is a number takes a number"),
        ("sin(x.locked)", 5, "sin takes a number"),
        ("x.locked == 1", 13, "'==' takes a boolean"),
        ("x.locked < true", 1, "'<' takes a number"),
        ("x.v and true", 1, "'and' takes a boolean"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(source: str, column: int, words: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        kind_of(parse_expression(source), source, look_up)
    assert caught.value.place == (1, column)
    assert words in str(caught.value)


@given(TREES)
def test_renaming_in_a_source_changes_its_names_and_no_other_letter(tree: Node) -> None:
    source = write_expression(tree)
    there = rename_condition(source, lambda path: f"s.{path}")
    assert [name.path for name in names_in(parse_expression(there))] == [
        f"s.{n.path}" for n in names_in(tree)
    ]
    assert rename_condition(there, lambda path: path[2:]) == source


def test_renaming_in_a_source_keeps_how_it_is_written() -> None:
    source = "x.v ←\n  ( x.v·2 )  if  y.w<pi"
    there = "car.v ←\n  ( car.v·2 )  if  y.w<pi"
    assert rename_assignment(source, lambda path: path.replace("x.", "car.")) == there


@given(
    st.text(max_size=40)
    | st.lists(st.sampled_from([*PIECES, "<-", ",", "?", ":", "\n"])).map(" ".join)
)
def test_whatever_is_read_is_written_and_read_back(text: str) -> None:
    for parse, write in (
        (parse_expression, write_expression),
        (parse_assignment, write_assignment),
    ):
        try:
            tree: Any = parse(text)
        except MensuraError:
            continue
        assert parse(write(tree)) == tree
