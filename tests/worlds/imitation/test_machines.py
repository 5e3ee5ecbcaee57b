"""Machines and judges that are built in: the engine and its script, replay, and what a skeptic goes by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.worlds.imitation.eliza import Engine, decompose, own_script, parse_script
from mensura.worlds.imitation.judges import suspicion
from mensura.worlds.imitation.witnesses import Parrot, Replay, Silent, own_lines
from mensura.worlds.imitation.world import Imitation

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
    said = dict(own_lines().pairs)
    one = Replay()
    assert (
        one.reply(["What did you have for breakfast today?"])
        == said["What did you have for breakfast?"]
    )
    twice = ["Are you human?", "Are you human?"]
    assert one.reply(twice) != one.reply(twice[:1])
    assert one.reply(["hm"] * 200) == "you asked me that already"
    assert own_lines().similarity("a b", "a b") == pytest.approx(1.0)


def test_parrots_repeat_and_the_silent_are_silent() -> None:
    assert Parrot().reply(["Polly?", "Want a cracker?"]) == "Want a cracker?"
    assert Silent().reply(["Well?"]) == ""


def test_a_skeptic_suspects_who_repeats_or_asks_back() -> None:
    assert suspicion([("How are you?", "How are you?")]) == 1.0
    assert suspicion([("How are you?", "tired"), ("Why?", "the cat")]) == 0.0
    assert suspicion([("a", "fine"), ("b", "fine")]) == 0.5


OWN_SCRIPT = """name: mine
keywords:
  weather:
    rank: 1
    rules:
      - match: "* weather *"
        say: [It rains here.]
otherwise: [Go on.]
"""


def test_scripts_and_lines_of_ones_own_are_machines_by_address(tmp_path: Path) -> None:
    from mensura.studies.subjects import resolve

    script, lines = tmp_path / "mine.yaml", tmp_path / "lines.yaml"
    script.write_text(OWN_SCRIPT)
    lines.write_text('- ["How are you?", not bad]\n- ["What do you eat?", soup]\n')
    world = Imitation()
    for address, said in ((f"eliza:{script}", "It rains here."), (f"replay:{lines}", "soup")):
        (agent,) = resolve(address, world).sit(1).agents  # type: ignore[attr-defined]
        agent.begin_with_key(task(world), 1)
        question = "what do you eat in this weather" if said == "soup" else "how is the weather now"
        seen = {"messages": [{"author": "judge", "text": question}]}
        assert agent.act(seen, 0.0) == said


@pytest.mark.parametrize(
    ("address", "text", "sentence"),
    [
        ("eliza:FILE", "keywords: 7", "A script needs `keywords`"),
        ("eliza:nowhere.yaml", "", "nowhere.yaml cannot be read"),
        ("replay:FILE", "- [a]", "line 1: .*A line is a pair of texts"),
        ("replay:FILE", "{}", "Lines are a list of pairs"),
        ("eliza:FILE?rank=2", OWN_SCRIPT, "takes none but its file"),
    ],
)
def test_files_of_machines_that_are_none_get_a_sentence(
    tmp_path: Path, address: str, text: str, sentence: str
) -> None:
    from mensura.studies.subjects import resolve

    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(MensuraError, match=sentence):
        resolve(address.replace("FILE", str(file)), Imitation())


def task(world: Imitation) -> Any:
    from mensura.agent.task import Task

    environment = world.build(world.sample(1))
    return Task(world.id, environment.seats[0], 1, *environment.spaces(0), None)
