"""Spaces say what belongs to them whatever they are asked, and their values travel through JSON unchanged."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import (
    MOST_NESTED,
    UNFIT,
    Box,
    Discrete,
    Record,
    Several,
    Space,
    Text,
    action_from_plain,
    answer_from_plain,
    default,
    from_plain,
    space_from_json,
    to_plain,
)

pytestmark = pytest.mark.quick

FLAT = Record((("rest", Box(-1.0, 1.0)), ("cells", Box(0.0, 9.0, (2, 2)))))
LETTER = Record((("from", Discrete(3, 1)), ("words", Text(20)), ("sizes", FLAT)))
INBOX = Several(LETTER, 4)

NAMES = st.text("abcdefg ü\n", min_size=1, max_size=4)
CHARACTERS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8) | st.sampled_from(
    ["\x00\x1b", "]^-\\"]
)
SHAPES = st.lists(st.integers(1, 3), max_size=3).map(tuple)
NUMBERS = st.floats(-1e6, 1e6).map(lambda number: number + 0.0)
"""Without -0.0, between which and 0.0 NumPy draws nothing."""


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    kind, shape = draw(st.sampled_from(["float64", "float32", "uint8"])), draw(SHAPES)
    numbers = st.integers(0, 255) if kind == "uint8" else NUMBERS
    low, high = sorted(draw(st.tuples(numbers, numbers)))
    return Box(low, high, shape, kind)


LEAVES: st.SearchStrategy[Space] = (
    st.builds(Discrete, st.integers(1, 9), st.integers(-9, 9))
    | boxes()
    | st.builds(Text, st.integers(1, 30), st.none() | CHARACTERS)
)


def _larger(inner: st.SearchStrategy[Space]) -> st.SearchStrategy[Space]:
    fields = st.dictionaries(NAMES, inner, min_size=1, max_size=3)
    return fields.map(lambda named: Record(tuple(named.items()))) | st.builds(
        Several, inner, st.integers(1, 3)
    )


SPACES: st.SearchStrategy[Space] = st.recursive(LEAVES, _larger, max_leaves=5)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same to the bit, types included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.void):
        alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        return bool(alike and one.tobytes() == other.tobytes())
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def drawn(space: Space, seed: int) -> Any:
    return space.sample(np.random.Generator(np.random.PCG64(seed)))


def size(value: Any) -> int:
    """How many numbers and characters a plain value holds."""
    if isinstance(value, dict):
        return sum(map(size, value.values()))
    if isinstance(value, list):
        return sum(map(size, value))
    return len(value) if isinstance(value, str) else 1


# Laws -------------------------------------------------------------------------


@given(SPACES, st.integers(0, 2**32))
def test_what_is_drawn_belongs_to_the_space_and_travels_through_json_unchanged(
    space: Space, seed: int
) -> None:
    value = drawn(space, seed)
    assert space.contains(value)
    plain = to_plain(value)
    assert size(plain) <= space.bound
    back = from_plain(space, json.loads(json.dumps(plain)))
    assert same(back, value)
    assert space.contains(back)


@given(SPACES)
def test_a_space_travels_through_json_unchanged(space: Space) -> None:
    back = space_from_json(json.loads(json.dumps(space.to_json())))
    assert back == space
    assert hash(back) == hash(space)
    assert back.to_json() == space.to_json()


@given(SPACES)
def test_the_default_belongs_to_the_space_and_travels_too(space: Space) -> None:
    value = default(space)
    assert space.contains(value)
    assert same(from_plain(space, json.loads(json.dumps(to_plain(value)))), value)


class Hostile:
    """Fails whoever looks at it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __len__(self) -> int:
        raise RuntimeError

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError


class HostileInt(int):
    def __int__(self) -> int:
        raise RuntimeError


class HostileText(str):
    def __len__(self) -> int:
        raise RuntimeError


def _nested(depth: int) -> list[Any]:
    """A list of 2 ** depth things in the memory of a few."""
    inner: list[Any] = [0.0, 0.0]
    for _ in range(depth):
        inner = [inner, inner]
    return inner


_CIRCLE: list[Any] = []
_CIRCLE += [_CIRCLE, _CIRCLE]

ODD: list[Any] = [
    None,
    math.nan,
    math.inf,
    10**400,
    True,
    np.bool_(True),
    object(),
    b"bytes",
    "\ud800",
    "\x1b[2J",
    "\r",
    "\x00",
    "x" * 100_000,
    _nested(60),
    _CIRCLE,
    [[0.0], [0.0, 1.0]],
    {"from": 1},
    {1: 2},
    {"": _CIRCLE},
    set(),
    np.array([object()]),
    np.array("text"),
    np.zeros(3, "c16"),
    np.zeros(2, FLAT.dtype),
    np.datetime64("2020-01-01"),
    Hostile(),
    [Hostile()],
    {"from": Hostile(), "words": Hostile(), "sizes": Hostile()},
    HostileInt(1),
    HostileText("a"),
    type,
]
ALL: list[Space] = [
    Discrete(3),
    Box(-1.0, 1.0),
    Box(-1.0, 1.0, (2,)),
    Box(-1.0, 1.0, (2, 2), "float32"),
    Box(0, 9, (2,), "uint8"),
    Text(5),
    Text(5, "ab"),
    FLAT,
    LETTER,
    INBOX,
    Several(Box(0, 1), 2),
    Several(Several(Text(3), 2), 2),
]


@pytest.mark.parametrize("space", ALL, ids=str)
def test_nothing_odd_belongs_to_a_space_and_nothing_makes_it_raise(space: Space) -> None:
    assert [value for value in ODD if space.contains(value) is not False] == []
    nested = [[value] for value in ODD] + [{"from": value} for value in ODD]
    assert [value for value in nested if space.contains(value) is not False] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(SPACES, JSON)
def test_any_answer_is_read_without_an_exception(space: Space, answer: Any) -> None:
    value = answer_from_plain(space, answer)
    assert space.contains(value) in (True, False)


PARTS = st.sampled_from(
    ["n", "start", "low", "high", "shape", "dtype", "fields", "longest", "characters", "most"]
)
KINDS = st.sampled_from(["discrete", "box", "record", "text", "several", "other"])
DESCRIBED = st.recursive(
    JSON,
    lambda inner: st.builds(
        lambda kind, parts, space: {"kind": kind, **parts, "space": space},
        KINDS | JSON,
        st.dictionaries(PARTS, inner, max_size=5),
        inner,
    ),
    max_leaves=6,
)


@given(DESCRIBED)
def test_a_wrong_description_is_refused_in_a_sentence(data: Any) -> None:
    sentence = "."
    try:
        space = space_from_json(data)
    except MensuraError as error:
        sentence = str(error)
    else:
        assert space_from_json(space.to_json()) == space
    assert sentence.endswith(".")
    assert len(sentence) < 500


# Examples ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (7, "A space is described as 7; it must be an object with a kind."),
        ({"kind": "sphere"}, "A space of kind 'sphere' is unknown; known are discrete, box,"),
        ({"kind": "discrete", "n": 0, "start": 0}, "A discrete space has the n 0; it must be"),
        ({"kind": "discrete", "n": 2.0, "start": 0}, "The n of a discrete space is 2.0; it must"),
        ({"kind": "box", "low": "a", "high": 1, "shape": []}, "The low of a box space is 'a'"),
        ({"kind": "box", "low": 2, "high": 1, "shape": []}, "A box from 2.0 to 1.0 is empty."),
        ({"kind": "box", "low": 0, "high": 1, "shape": [-1]}, "must be a list of whole numbers"),
        (
            {"kind": "box", "low": 0, "high": 1, "shape": [], "dtype": "int3"},
            "The dtype of a box is 'int3'; it must be one of float64, float32, uint8.",
        ),
        (
            {"kind": "box", "low": 0, "high": 256, "shape": [], "dtype": "uint8"},
            "bounds are whole numbers from 0 to 255",
        ),
        ({"kind": "record", "fields": {}}, "there must be at least one"),
        ({"kind": "record", "fields": {"": {"kind": "text", "longest": 1}}}, "all need names"),
        ({"kind": "text", "longest": 0}, "A text space has the longest length 0; it must be"),
        ({"kind": "text", "longest": 3, "characters": ""}, "must be a string of at least one"),
        ({"kind": "text", "longest": 3, "characters": "a\udc00"}, "include half a character"),
        ({"kind": "several", "most": 2}, "A space is described as None"),
        ({"kind": "several", "most": True, "space": {}}, "The most of a several space is True"),
    ],
)
def test_a_description_that_is_wrong_is_named(data: Any, sentence: str) -> None:
    with pytest.raises(MensuraError) as raised:
        space_from_json(data)
    assert sentence in str(raised.value)


def test_a_description_that_is_nested_without_end_is_refused() -> None:
    data: dict[str, Any] = {"kind": "text", "longest": 1}
    for _ in range(MOST_NESTED):
        data = {"kind": "several", "most": 1, "space": data}
    with pytest.raises(MensuraError, match="more than 16 deep"):
        space_from_json(data)
    assert isinstance(space_from_json(data["space"]), Several)


def test_the_fields_of_a_record_have_different_names() -> None:
    with pytest.raises(MensuraError, match="each another"):
        Record((("a", Text(1)), ("a", Text(2))))


def test_descriptions_that_were_there_before_are_written_as_before() -> None:
    assert Discrete(4, 1).to_json() == {"kind": "discrete", "n": 4, "start": 1}
    assert Box(0.0, 1.0, (2,)).to_json() == {"kind": "box", "low": 0.0, "high": 1.0, "shape": [2]}
    assert json.dumps(FLAT.to_json()) == (
        '{"kind": "record", "fields": {"rest": {"kind": "box", "low": -1.0, "high": 1.0, "shape": []}, '
        '"cells": {"kind": "box", "low": 0.0, "high": 9.0, "shape": [2, 2]}}}'
    )


def test_a_record_of_float64_boxes_alone_is_one_numpy_record() -> None:
    assert FLAT.flat
    assert isinstance(drawn(FLAT, 1), np.void)
    assert isinstance(default(FLAT), np.void)
    assert FLAT.size == FLAT.bound == 5
    typed = Record((("rest", Box(-1.0, 1.0, (), "float32")),))
    assert not typed.flat
    assert isinstance(drawn(typed, 1), dict)
    assert not FLAT.contains(to_plain(drawn(FLAT, 1)))
    with pytest.raises(MensuraError, match="float64 boxes alone"):
        _ = LETTER.dtype


@pytest.mark.parametrize(
    ("text", "belongs"),
    [
        ("", True),
        ("two\nlines\tand a tab", True),
        ("Größe 😀", True),
        (np.str_("drawn"), True),
        ("x" * 40, True),
        ("x" * 41, False),
        ("a\r\n", False),
        ("\x85", False),
        ("\x7f", False),
        ("\x1b[31m", False),
        ("half \ud83d", False),
    ],
)
def test_a_text_is_of_any_characters_but_control_characters(text: str, belongs: bool) -> None:
    assert Text(40).contains(text) is belongs


def test_control_characters_belong_to_a_text_that_names_them() -> None:
    space = Text(3, "ba\x1b\r")
    assert space.characters == "\r\x1bab"
    assert space == Text(3, "\x1b\rabba")
    assert space.contains("\x1b\ra")
    assert not space.contains("c")
    assert not space.contains("a\n")


def test_a_box_of_bytes_takes_whole_numbers_only() -> None:
    screen = Box(0, 200, (2,), "uint8")
    assert screen.contains([0, 200])
    assert screen.contains(np.array([1, 2], np.int64))
    assert not screen.contains([0, 201])
    assert not screen.contains([0.0, 1.0])
    assert from_plain(screen, [3, 4]).dtype == np.uint8
    for wrong in ([1.5, 1], [256, 0], [-1, 0], ["1", "2"]):
        with pytest.raises((ValueError, OverflowError)):
            from_plain(screen, wrong)


def test_an_array_without_numbers_keeps_its_shape() -> None:
    for kind in ("float64", "float32", "uint8"):
        nothing = Box(0, 1, (0, 2), kind)
        assert nothing.contains(from_plain(nothing, to_plain(default(nothing))))


def test_bounds_of_float32_hold_in_any_precision() -> None:
    share = Box(0.1, 0.7, (), "float32")
    highest = np.float32(0.7)
    assert share.contains(highest)
    assert share.contains(float(highest))
    assert not share.contains(np.nextafter(highest, np.float32(1)))


def test_defaults_are_the_plainest_values() -> None:
    assert default(Discrete(3, 7)) == 7
    assert default(Box(-1, 1, (2,))).tolist() == [0.0, 0.0]
    assert default(Box(2, 5)).tolist() == 2.0
    assert default(Box(-5, -2)).tolist() == -2.0
    assert default(Box(-math.inf, math.inf)).tolist() == 0.0
    assert to_plain(default(LETTER)) == {
        "from": 1,
        "words": "",
        "sizes": {"rest": 0.0, "cells": [[0.0, 0.0], [0.0, 0.0]]},
    }
    assert default(INBOX) == []


def test_a_record_has_all_of_its_fields_and_no_others() -> None:
    letter = drawn(LETTER, 1)
    assert LETTER.contains(letter)
    assert not LETTER.contains({**letter, "more": 1})
    assert not LETTER.contains({name: letter[name] for name in ("from", "words")})
    assert answer_from_plain(LETTER, {**letter, "more": 1}) == {**letter, "more": 1}


def test_a_list_is_not_longer_than_it_may_be() -> None:
    inbox = [drawn(LETTER, number) for number in range(5)]
    assert INBOX.contains(inbox[:4])
    assert not INBOX.contains(inbox)
    assert not INBOX.contains(tuple(inbox[:2]))
    assert INBOX.bound == 4 * (1 + 20 + 5)


def test_an_infinite_box_is_read_from_the_words_that_json_has_for_its_bounds() -> None:
    data = {"kind": "box", "low": "-Infinity", "high": "Infinity", "shape": []}
    assert space_from_json(data) == Box(-math.inf, math.inf)


@pytest.mark.parametrize("number", [True, "1", None, "Infinity", {}])
def test_what_is_no_number_is_none_of_an_action(number: Any) -> None:
    inner = Record((("at", Box(0, 2)), ("said", Text(3))))
    for space, value in (
        (Box(-1, 1, (2,)), [0.5, number]),
        (Box(-1, 1, (1, 2)), [[number, 0]]),
        (inner, {"at": number, "said": "a"}),
        (Several(inner, 3), [{"at": 1, "said": "a"}, {"at": number, "said": "b"}]),
    ):
        with pytest.raises(UNFIT):
            action_from_plain(space, value)


def test_actions_from_outside_are_read_as_they_are_written() -> None:
    space = Record((("at", Box(0, 2, (2,))), ("said", Text(3)), ("way", Discrete(2))))
    value = {"at": [1, 0.5], "said": "1", "way": 1}
    assert space.contains(action_from_plain(space, value))
    assert to_plain(action_from_plain(space, value)) == value
