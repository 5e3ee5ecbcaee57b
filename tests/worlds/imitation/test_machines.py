"""Machines and judges that are built in: the engine and its script, replay, and what a skeptic goes by."""

from __future__ import annotations

import pytest

from mensura.core.errors import MensuraError
from mensura.worlds.imitation.eliza import Engine, decompose, own_script, parse_script
from mensura.worlds.imitation.judges import suspicion
from mensura.worlds.imitation.witnesses import Parrot, Replay, Silent, replies, similarity

pytestmark = pytest.mark.quick

SCRIPT = """\
name: test
exchange: {i: you, my: your, me: you, you: me}
groups: {family: [mother, father]}
keywords:
  sad: {rank: 5, rules: [{match: "* sad *", say: ["Why sad?", "Still sad?"]}]}
  my:
    rank: 1
    rules:
      - {match: "* my @family *", memory: true, say: ["Back to your (3)."]}
      - {match: "* my *", say: ["Your (3)?"]}
otherwise: ["Go on, then."]
"""


def test_the_keyword_with_the_highest_rank_is_answered_and_answers_take_turns() -> None:
    engine = Engine(parse_script(SCRIPT, "test"))
    assert engine.answer("My dog is sad today") == "Why sad?"
    assert engine.answer("so sad") == "Still sad?"
    assert engine.answer("sad again") == "Why sad?"


def test_parts_are_put_together_again_with_i_and_you_exchanged() -> None:
    engine = Engine(parse_script(SCRIPT, "test"))
    assert engine.answer("it was my idea that you help me") == "Your idea that me help you?"


def test_what_is_kept_in_memory_is_said_when_no_keyword_is_found() -> None:
    engine = Engine(parse_script(SCRIPT, "test"))
    assert engine.answer("my mother called") == "Your mother called?"
    assert engine.answer("whatever") == "Back to your mother."
    assert engine.answer("whatever") == "Go on, then."


@pytest.mark.parametrize(
    ("match", "words", "parts"),
    [
        ("* my *", "it is my dog", [["it", "is"], ["my"], ["dog"]]),
        ("* @family *", "the father left", [["the"], ["father"], ["left"]]),
        ("a b", "a b", [["a"], ["b"]]),
        ("a b", "a c", None),
        ("*", "", [[]]),
    ],
)
def test_a_sentence_is_decomposed(match: str, words: str, parts: list[list[str]] | None) -> None:
    groups = {"family": frozenset({"father"})}
    assert decompose(match.split(), words.split(), groups) == parts


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("@family *", "@famly *", "line 9: There is no group 'famly'; there are family."),
        ("(3).", "(7).", "line 9: (7) is no part of '* my @family *', which has 4."),
        ('say: ["Your (3)?"]', "say: []", "it must be a list of at least one text"),
        ("keywords:", "keyword:", "A script needs `keywords`"),
        ("rank: 1", "rank: high", "line 7: The rank is 'high'; it must be a whole number."),
    ],
)
def test_scripts_that_make_no_sense_get_a_sentence(old: str, new: str, sentence: str) -> None:
    with pytest.raises(MensuraError) as caught:
        parse_script(SCRIPT.replace(old, new), "my.yaml")
    assert sentence in str(caught.value)


def test_our_own_script_always_says_something() -> None:
    engine = Engine(own_script())
    for text in (
        "",
        "hello",
        "are you a machine?",
        "my sister is ill",
        "hm",
        "hm",
        "why?",
        "I am sad",
    ):
        assert engine.answer(text)


def test_replay_says_what_a_person_said_to_the_most_similar_question_and_nothing_twice() -> None:
    said = dict(replies())
    one = Replay()
    assert (
        one.reply(["What did you have for breakfast today?"])
        == said["What did you have for breakfast?"]
    )
    twice = ["Are you human?", "Are you human?"]
    assert one.reply(twice) != one.reply(twice[:1])
    assert one.reply(["hm"] * 200) == "you asked me that already"
    assert similarity("a b", "a b") == pytest.approx(1.0)


def test_parrots_repeat_and_the_silent_are_silent() -> None:
    assert Parrot().reply(["Polly?", "Want a cracker?"]) == "Want a cracker?"
    assert Silent().reply(["Well?"]) == ""


def test_a_skeptic_suspects_who_repeats_or_asks_back() -> None:
    assert suspicion([("How are you?", "How are you?")]) == 1.0
    assert suspicion([("How are you?", "tired"), ("Why?", "the cat")]) == 0.0
    assert suspicion([("a", "fine"), ("b", "fine")]) == 0.5
