"""Expressions: what is written is read, what is read can be written, and nonsense gets a sentence with its place."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.expressions.trees import FULL, TREES

from mensura.agent.errors import MensuraError
from mensura.core.expressions.language import (
    CONSTANTS,
    DEEPEST,
    FUNCTIONS,
    LONGEST,
    OF_TIME,
    Assignment,
    Choice,
    ExpressionError,
    Function,
    Kind,
    Language,
    Name,
    Node,
    known_names,
    write_expression,
)

pytestmark = pytest.mark.quick

parse_expression, parse_assignment = FULL.parse_expression, FULL.parse_assignment
kind_of, names_in = FULL.kind_of, FULL.names_in
NAMES = st.sampled_from(["car.mass", "car.x.velocity", "y_1.value"])


def write_assignment(one: Assignment) -> str:
    text = f"{one.target.path} <- {write_expression(one.value)}"
    return text if one.condition is None else f"{text} when {write_expression(one.condition)}"


@given(TREES)
def test_what_is_written_is_read_back(tree: Node) -> None:
    assert parse_expression(write_expression(tree)) == tree


@given(NAMES, TREES, st.none() | TREES)
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


GARDEN = Language(
    {"rain": Function(0, 1, "number", "what falls"), "spring": Function(0, 0, "boolean", "when")},
    {"frost": -4.0, "pi": 3.0},
    "soil.water <- rain()",
)
KINDS: dict[str, Kind] = {"soil.water": "number", "day": "number", "gate.open": "boolean"}


def test_a_language_has_functions_constants_and_names_of_its_own() -> None:
    source = "soil.water <- soil.water + rain(day) - frost when spring() and gate.open"
    tree = GARDEN.parse_assignment(source)
    assert write_assignment(tree) == source
    look_up = known_names(KINDS, source)
    assert GARDEN.kind_of(tree.value, source, look_up) == "number"
    assert tree.condition is not None
    assert GARDEN.kind_of(tree.condition, source, look_up) == "boolean"
    assert [name.path for name in GARDEN.names_in(tree.value)] == ["soil.water", "day"]
    assert set(GARDEN.functions) == {*FUNCTIONS, "rain", "spring"}
    assert "frost" not in CONSTANTS


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("1 <- 2", "an assignment begins with what it changes, as soil.water <- rain(), not with '1'."),
        ("soil.water 2", "'<-' is missing before '2'; an assignment is written: soil.water <- rain()."),
        ("soil.water <- rian()", "there is no function 'rian'; did you mean rain"),
        ("soil.water <- wave(2)", "there is no function 'wave';"),
        ("soil.water <- soil.watre", "column 15: 'soil.watre' names nothing here; did you mean soil.water?"),
        ("soil.water <- tau", "'tau' names nothing here;"),
        ("soil.water <- gate.open + 1", "'+' takes a number, and 'gate.open' is a boolean."),
    ],
)  # fmt: skip
def test_what_another_language_lacks_is_told_with_its_own_names(source: str, sentence: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        GARDEN.kind_of(GARDEN.parse_assignment(source).value, source, known_names(KINDS, source))
    assert sentence in str(caught.value)


def test_languages_do_not_share_what_they_have_read() -> None:
    source = "soil.water <- wave(2)"
    assert Language(OF_TIME).parse_assignment(source)
    with pytest.raises(ExpressionError):
        GARDEN.parse_assignment(source)
