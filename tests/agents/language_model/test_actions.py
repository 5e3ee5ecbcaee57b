"""Actions as models write them: what is one is read exactly, and nothing else is taken for one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text, to_plain
from mensura.agents.language_model.actions import (
    NoActionError,
    example,
    from_call,
    from_text,
    function,
    notes_in_object,
    notes_in_text,
    response_format,
    schema,
)

pytestmark = pytest.mark.quick

SPACES: list[Space] = [
    Discrete(5),
    Discrete(9, 1),
    Discrete(3, -1),
    Box(-1, 1),
    Box(-1, 1, (3,)),
    Box(0, 5, (2, 2)),
    Record((("a", Box(0, 1)), ("b", Box(-2, 2, (2,))))),
    Box(0, 9, (2,), "uint8"),
    Box(-1, 2, (), "float32"),
    Text(3),
    Text(4, "ab^]-\\"),
    Several(Discrete(5), 2),
    Several(Text(2, "0a"), 2),
    Record((("a", Discrete(3)), ("b", Text(2)))),
    Several(Record((("a", Text(2)),)), 2),
]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.floats(-3, 6) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=5,
)


def read(space: Space, value: Any, manner: str) -> Any:
    text = json.dumps(value)
    if manner == "call":
        return from_call(space, json.dumps({"action": value}))
    return from_text(space, text if manner == "alone" else f"Let me see.\nACTION: {text}\n")


MANNERS = st.sampled_from(["call", "alone", "line"])


@given(st.sampled_from(SPACES), st.integers(0, 2**32), MANNERS)
def test_every_action_of_a_space_is_read_back_exactly(space: Space, seed: int, manner: str) -> None:
    action = space.sample(np.random.Generator(np.random.PCG64(seed)))
    found = read(space, to_plain(action), manner)
    assert space.contains(found)
    assert to_plain(found) == to_plain(action)


def _finer(value: Any) -> bool:
    """Whether we look closer at a value than JSON schema can.

    A whole number with a point is an integer to it, and none to us; control characters are characters.
    """
    if isinstance(value, dict | list):
        return any(map(_finer, value.values() if isinstance(value, dict) else value))
    if isinstance(value, str):
        return not Text(99).contains(value)
    return isinstance(value, float) and value.is_integer()


@given(st.sampled_from(SPACES), ANYTHING, MANNERS)
def test_a_value_is_an_action_where_the_schema_says_so(
    space: Space, value: Any, manner: str
) -> None:
    """The schema that the model is shown and the reader of its answers agree."""
    fits = Draft202012Validator(schema(space)).is_valid(value)
    assume(not _finer(value))
    try:
        found = read(space, value, manner)
    except NoActionError:
        assert not fits
    else:
        assert fits
        assert space.contains(found)


@given(st.sampled_from(SPACES), st.text(), st.sampled_from([from_text, from_call]))
def test_no_text_breaks_the_reader(space: Space, text: str, reader: Any) -> None:
    try:
        found = reader(space, text)
    except NoActionError as error:
        kind, sentence = error.kind, error.sentence
    else:
        assert space.contains(found)
        return
    assert kind in ("garbled", "illegal")
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("3", 3),
        (" 3 \n", 3),
        ("ACTION: 3", 3),
        ("action:3", 3),
        ("**ACTION: 3**", 3),
        ("`ACTION: 3`", 3),
        ("I think that 4 is bad.\nACTION: 3\nThat is it.", 3),
        ("<think>ACTION: 1 or ACTION: 2?\nACTION: 1</think>\nACTION: 3", 3),
    ],
)
def test_the_documented_forms_are_read(text: str, action: int) -> None:
    assert from_text(Discrete(5), text) == action


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "garbled"),
        ("I choose 3", "garbled"),
        ("ACTION: 3\nACTION: 3", "garbled"),
        ("ACTION: three", "garbled"),
        ("ACTION: 3.0", "garbled"),
        ("ACTION: true", "garbled"),
        ("ACTION: '3'", "garbled"),
        ("ACTION: 3 4", "garbled"),
        ("ACTION: 5", "illegal"),
        ("ACTION: -1", "illegal"),
        ("ACTION: NaN", "garbled"),
        ("ACTION: 1" + "0" * 5000, "garbled"),
        ("ACTION: " + "[" * 100_000, "garbled"),
        ("3 or 4", "garbled"),
    ],
)
def test_nothing_is_guessed(text: str, kind: str) -> None:
    with pytest.raises(NoActionError) as caught:
        from_text(Discrete(5), text)
    assert caught.value.kind == kind
    assert len(caught.value.sentence) < 400


@pytest.mark.parametrize(
    "arguments", ["", "{}", "3", '{"action": 3, "x": 1}', '{"act": 3}', "[3]", "{"]
)
def test_calls_need_the_one_argument(arguments: str) -> None:
    with pytest.raises(NoActionError):
        from_call(Discrete(5), arguments)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ('ACTION: "hello"', "hello"),
        ('**ACTION: "a*"**', "a*"),
        ('ACTION: "two\\nlines"', "two\nlines"),
        ('"ACTION: 3"', "ACTION: 3"),
        ('ACTION: "\\ud83d\\ude00"', "\U0001f600"),
        ('ACTION: ""', ""),
    ],
)
def test_a_text_is_a_string_of_json(text: str, action: str) -> None:
    assert from_text(Text(20), text) == action


@pytest.mark.parametrize(
    ("space", "text", "kind", "sentence"),
    [
        (Text(20), "ACTION: hello", "garbled", "A text is written in double quotes."),
        (Text(20), "ACTION: 3", "garbled", "3 is not a text. It must be a text of at most 20"),
        (Text(2), 'ACTION: "abc"', "illegal", "The text has 3 characters. It must be a text of"),
        (Text(2, "a"), 'ACTION: "b"', "illegal", '"b" has characters that are not allowed.'),
        (Text(9), 'ACTION: "\\ud800"', "illegal", '"\\ud800" has characters that are not allowed.'),
        (Several(Text(2), 1), '"a"', "garbled", "a is not a list. It must be a list of at most 1"),
        (Several(Text(2), 1), '["a", "b"]', "illegal", "The list has 2 items. It must be a list"),
        (Several(Text(2), 1), '["abc"]', "illegal", "The text has 3 characters."),
        (
            Box(0, 9, (), "uint8"),
            "2.5",
            "illegal",
            "2.5 is out of range. It must be a whole number",
        ),
    ],
)
def test_what_is_wrong_with_a_text_or_a_list_is_said(
    space: Space, text: str, kind: str, sentence: str
) -> None:
    with pytest.raises(NoActionError) as caught:
        from_text(space, text)
    assert caught.value.kind == kind
    assert sentence in caught.value.sentence


def test_the_schemas_of_texts_and_lists_have_their_bounds() -> None:
    told = schema(Several(Text(4, "ab^]-\\"), 2))
    assert (told["type"], told["maxItems"]) == ("array", 2)
    assert (told["items"]["type"], told["items"]["maxLength"]) == ("string", 4)
    assert "pattern" not in schema(Text(4))
    for text, fits in {"^]-\\": True, "": True, "c": False, "ababa": False}.items():
        assert Draft202012Validator(told["items"]).is_valid(text) is fits
    assert schema(Box(0, 9, (2,), "uint8"))["items"]["type"] == "integer"


def test_numbers_out_of_a_box_are_illegal() -> None:
    with pytest.raises(NoActionError) as caught:
        from_text(Box(-1, 1, (2,)), "[0.5, 1.5]")
    assert caught.value.kind == "illegal"


def test_a_function_is_described_as_the_api_wants_it() -> None:
    for space in SPACES:
        described = function(space)["function"]
        Draft202012Validator.check_schema(described["parameters"])
        assert described["name"] == "act"


def test_examples_recommend_no_action() -> None:
    assert [example(space) for space in SPACES] == [
        "N",
        "N",
        "N",
        "X",
        "[X, X, X]",
        "[[X, X], [X, X]]",
        '{"a": X, "b": [X, X]}',
        "[X, X]",
        "X",
        '"..."',
        '"..."',
        "[N, ...]",
        '["...", ...]',
        '{"a": N, "b": "..."}',
        '[{"a": "..."}, ...]',
    ]


def test_notes_stand_beside_an_action_where_a_model_keeps_some() -> None:
    space = Discrete(5)
    assert from_call(space, '{"action": 3, "notes": "a"}', notes=True) == 3
    assert from_call(space, '{"action": 3, "notes": null}', notes=True) == 3
    assert from_call(space, '{"action": 3}', notes=True) == 3
    assert from_text(space, "NOTES: a\nb\nACTION: 3", notes=True) == 3
    assert from_text(space, "<think>NOTES: x</think>\nNOTES: a\nACTION: 3", notes=True) == 3
    assert notes_in_object('{"action": 3, "notes": "a\\nb"}') == ('{"action": 3}', "a\nb")
    assert notes_in_object('{"action": 3, "notes": null}')[1] is None
    assert notes_in_object("{")[1] is None
    assert notes_in_text("Well.\n**NOTES:** a\nb\n\nACTION: 3") == ("Well.\nACTION: 3", "a\nb")
    assert notes_in_text("NOTES:\nACTION: 3") == ("ACTION: 3", "")
    assert notes_in_text("<think>NOTES: x\nACTION: 1</think>ACTION: 3")[1] is None
    assert notes_in_text("NOTES: a")[1] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ('{"action": 3, "notes": 4}', "The notes are not a text."),
        ('{"action": 3, "note": "a"}', '"action" and "notes" and no other'),
        ('{"notes": "a"}', 'one field called "action"'),
    ],
)
def test_objects_with_notes_are_read_strictly(arguments: str, sentence: str) -> None:
    with pytest.raises(NoActionError, match=sentence):
        from_call(Discrete(5), arguments, notes=True)
    with pytest.raises(NoActionError):
        from_call(Discrete(5), '{"action": 3, "notes": "a"}')


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("NOTES: a\nNOTES: b\nACTION: 3", "2 lines that begin with NOTES:"),
        ("ACTION: 3\nNOTES: a", "NOTES: comes before"),
        ("NOTES: a", "no line that begins with ACTION:"),
        ("NOTES: a\nACTION: 1\nACTION: 2", "2 lines with an action"),
    ],
)
def test_words_with_notes_are_read_strictly(text: str, sentence: str) -> None:
    with pytest.raises(NoActionError, match=sentence):
        from_text(Discrete(5), text, notes=True)


def test_notes_are_optional_in_a_call_and_may_be_null_in_a_strict_schema() -> None:
    described = function(Discrete(2), notes=True)
    assert described["function"]["parameters"]["required"] == ["action"]
    strict = response_format(described)["json_schema"]["schema"]
    assert strict["required"] == ["action", "notes"]
    validator = Draft202012Validator(strict)
    assert validator.is_valid({"action": 1, "notes": None})
    assert not validator.is_valid({"action": 1})
    assert response_format(function(Discrete(2)))["json_schema"]["schema"]["required"] == ["action"]
