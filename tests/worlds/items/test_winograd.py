"""Winograd schemas: sets as files, published forms, tests that a set has to pass, fresh ones, and the commands."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.texts.wordnet import supersenses as supersenses_of
from mensura.worlds.items.families.winograd import BATTERY
from mensura.worlds.items.winograd.association import by_association, is_given_away
from mensura.worlds.items.winograd.calibration import (
    Answers,
    half_stays,
    kept,
    verdicts,
    wilson_low,
)
from mensura.worlds.items.winograd.checks import check_set
from mensura.worlds.items.winograd.files import parse_set, problem_of, set_text, text_of
from mensura.worlds.items.winograd.frames import frames, supersenses, word_lists
from mensura.worlds.items.winograd.making import fill, make_set, runs_of, shared_run
from mensura.worlds.items.winograd.readers import (
    block_halves,
    difference,
    paired,
    read_any,
    xml_halves,
)
from mensura.worlds.items.winograd.schema import HALVES, Schema, SchemaSet, switched

pytestmark = pytest.mark.quick

KETTLE = Schema(
    sentence="Nora put the kettle next to the jug, but [it] was cold.",
    special="cold",
    alternate="hot",
    pronoun="it",
    candidates=("the kettle", "the jug"),
    answers=("the jug", "the kettle"),
    switchable=True,
    depth=1,
)


# Sets as files --------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(1, 12))
@settings(max_examples=examples(6, 15), deadline=None)
def test_a_set_is_read_as_it_was_written(seed: int, pairs: int) -> None:
    made = make_set(pairs, seed)
    assert parse_set(set_text(made)).schemas == made.schemas


def test_a_schema_is_read_with_its_line() -> None:
    made = SchemaSet("two", (KETTLE, replace(KETTLE, sentence=KETTLE.sentence + " So it was.")))
    found = parse_set(set_text(made))
    assert found.lines == (4, 12)
    assert found.schemas == made.schemas


GOOD = """\
name: mine
schemas:
  - sentence: "Nora put the kettle next to the jug, but [it] was cold."
    special: cold
    alternate: hot
    pronoun: it
    candidates: [the kettle, the jug]
"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("    alternate: hot\n", "", "line 3: This schema has no alternate; it needs sentence, "),
        (
            "[the kettle, the jug]",
            "[the kettle]",
            "line 7: candidates is a list; it must be a list",
        ),
        (
            "candidates: [the kettle, the jug]",
            "candidates: [the kettle, the mug]",
            "line 7: The candidate 'the mug' is not in the sentence.",
        ),
        (
            "pronoun: it\n",
            "pronoun: it\n    answers: [the jug, the jug]\n",
            "line 7: The answer does not flip: it is 'the jug' with the special word and with the",
        ),
        (
            "pronoun: it\n",
            "pronoun: it\n    answers: [the jug, the pot]\n",
            "line 7: The answer with the alternate is 'the pot', which is no candidate; it must be",
        ),
        ("[it] was", "it was", "line 3: The sentence has no pronoun in brackets; it needs the"),
        ("special: cold", "special: warm", "line 4: The special 'warm' is 0 times in the sentence"),
        ("alternate: hot", "alternate: cold", "line 5: Special and alternate are both 'cold'"),
        ("alternate: hot", "alternat: hot", "line 5: There is no field 'alternat' here; "),
        (
            "pronoun: it",
            "pronoun: it\n    depth: 9",
            "line 7: depth is 9; it must be a whole number",
        ),
        (
            "was cold.",
            "was cold.\\u0007",
            "line 3: sentence has a line break or a control character",
        ),
        ("was cold.", "was cold." + "x" * 400, "characters; it may have 300 at most."),
        (
            "pronoun: it\n",
            "pronoun: it\n    switchable: maybe\n",
            "line 7: switchable is 'maybe'; it must be true or false.",
        ),
        ("schemas:", "schemes:", "line 2: There is no field 'schemes' here"),
    ],
)
def test_what_makes_no_schema_gets_a_sentence_with_its_line(
    old: str, new: str, sentence: str
) -> None:
    assert parse_set(GOOD)
    with pytest.raises(MensuraError) as caught:
        parse_set(GOOD.replace(old, new), "my-set.yaml")
    assert sentence in str(caught.value)
    assert str(caught.value).startswith("my-set.yaml, line ")


def test_a_set_of_another_name_gets_a_sentence() -> None:
    with pytest.raises(
        MensuraError, match="There is no set of schemas 'winograd-15'; did you mean"
    ):
        text_of("winograd-15")


# Forms ----------------------------------------------------------------------------------------------


def test_the_answer_flips_with_the_special_word_and_follows_switched_candidates() -> None:
    told = {form.name: (form.sentence, form.candidates[form.right]) for form in KETTLE.forms()}
    assert told == {
        "special": ("Nora put the kettle next to the jug, but [it] was cold.", "the jug"),
        "alternate": ("Nora put the kettle next to the jug, but [it] was hot.", "the kettle"),
        "special switched": (
            "Nora put the jug next to the kettle, but [it] was cold.",
            "the kettle",
        ),
        "alternate switched": ("Nora put the jug next to the kettle, but [it] was hot.", "the jug"),
    }


@given(st.sampled_from(frames()), st.integers(0, 2**32))
@settings(max_examples=examples(30, 200), deadline=None)
def test_every_frame_makes_schemas_whose_candidates_can_be_switched(
    frame: object, key: int
) -> None:
    schema = fill(frame, key)  # type: ignore[arg-type]
    assert problem_of(schema) is None
    there = switched(schema.sentence, schema.candidates)
    assert there != schema.sentence
    assert switched(there, schema.candidates) == schema.sentence
    forms = schema.forms()
    assert len(forms) == 4
    assert len({form.sentence for form in forms}) == 4
    # In the two halves another candidate is meant, and the same place in the sentence when they are switched.
    assert [form.right for form in forms[:2]] == [form.right for form in forms[2:]]
    assert forms[0].right != forms[1].right


# Fresh schemas --------------------------------------------------------------------------------------


def test_there_are_at_least_sixty_frames_of_every_depth_over_many_kinds_of_knowledge() -> None:
    depths = Counter(one.depth for one in frames())
    assert len(frames()) >= 60
    assert set(depths) == {1, 2, 3}
    assert len({one.about for one in frames()}) >= 25
    assert len({one.name for one in frames()}) == len(frames())
    assert all(kind in word_lists() for one in frames() for kind in one.kinds)


@pytest.mark.thorough
def test_thousands_of_different_pairs_are_made() -> None:
    made = make_set(3000, 1)
    assert len({one.sentence for one in made.schemas}) == 3000


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_fresh_pairs_have_the_depth_that_was_asked_for_and_candidates_of_one_kind(
    depth: int,
) -> None:
    known = supersenses()
    for one in make_set(60, 2, depth).schemas:
        assert one.depth == depth
        first, second = (known[word.removeprefix("the ")] for word in one.candidates)
        assert first == second
        assert all(
            word.removeprefix("the ") in word_lists()[one.kind].words for word in one.candidates
        )


def test_the_same_seed_makes_the_same_set_and_another_another() -> None:
    assert make_set(20, 5) == make_set(20, 5)
    assert make_set(20, 5) != make_set(20, 6)


def test_nothing_fresh_shares_five_words_in_a_row_with_a_published_set() -> None:
    published = make_set(100, 3)
    taken = frozenset(run for one in published.schemas for run in runs_of(one.sentence))
    assert any(shared_run(one, taken) for one in make_set(60, 4).schemas)
    # A frame of which all runs are taken is left out; others are filled with other words.
    (wallet,) = (one for one in frames() if one.name == "wallet")
    few = SchemaSet("few", tuple(fill(wallet, key) for key in range(8)))
    assert {one.kind for one in few.schemas} == {"women", "men"}
    for one in make_set(60, 4, None, [few]).schemas:
        assert one.frame != "wallet"


def test_too_many_pairs_of_a_depth_get_a_sentence() -> None:
    with pytest.raises(MensuraError, match=r"No frame has depth 4; there are 1, 2, 3\."):
        make_set(5, 1, 4)
    for pairs in (0, 20_001):
        with pytest.raises(MensuraError, match=f"{pairs} pairs are no set; it has 1 to 20000"):
            make_set(pairs, 1)


def test_what_associations_give_away_is_not_made() -> None:
    assert not any(is_given_away(one) for one in make_set(500, 7).schemas)


# Tests of a set -------------------------------------------------------------------------------------


def test_the_battery_passes_all_tests_and_says_that_people_have_not_agreed_on_it_yet() -> None:
    found = parse_set(text_of(BATTERY))
    assert len(found.schemas) == 150
    assert found.calibration == "not yet calibrated"
    assert "read one by one by the developers" in found.source
    checked = check_set(found)
    assert checked.findings == ()
    assert checked.unknown == 0
    assert {one.depth for one in found.schemas} == {1, 2, 3}


def test_a_selectional_restriction_is_found_out() -> None:
    given_away = Schema(
        sentence="The painters sold the anvil, as [they] were heavy.",
        special="heavy",
        alternate="tired",
        pronoun="they",
        candidates=("the anvil", "the painters"),
        answers=("the anvil", "the painters"),
    )
    two_kinds = replace(given_away, candidates=("the oak", "the painters"))
    tests = {
        (one.test, one.line)
        for one in check_set(SchemaSet("set", (KETTLE, two_kinds), lines=(3, 9))).findings
    }
    assert ("kind", 9) in tests


@pytest.mark.parametrize(
    ("one", "other", "of_one_kind"),
    [
        ("the women", "the pills", False),
        ("the dog", "the spot under the tree", False),
        ("The pen", "the coffee", False),
        ("the trophy", "the suitcase", True),
        ("his eyes", "his hands", True),
        ("the school bus", "the delivery truck", True),
        ("Frank", "the pills", True),
        ("the glorps", "the pills", True),
    ],
)
def test_candidates_have_a_supersense_in_common_unless_wordnet_does_not_know_them(
    one: str, other: str, of_one_kind: bool
) -> None:
    schema = replace(KETTLE, candidates=(one, other), answers=(one, other))
    tests = {one.test for one in check_set(SchemaSet("set", (schema,))).findings}
    assert ("kind" not in tests) == of_one_kind


def test_all_words_of_a_list_have_the_supersense_that_it_names() -> None:
    missing = {
        word: words.kind
        for words in word_lists().values()
        if not words.names
        for word in words.words
        if supersenses_of(word.split()[-1], "all")
        and f"noun.{words.supersense}"
        not in supersenses_of(word, "all") + supersenses_of(word.split()[-1], "all")
    }
    assert missing == {}


def test_associations_that_get_both_halves_right_are_found_out() -> None:
    schema = Schema(
        sentence="The pillow lay on the anvil, for [it] was soft.",
        special="soft",
        alternate="heavy",
        pronoun="it",
        candidates=("the pillow", "the anvil"),
        answers=("the pillow", "the anvil"),
    )
    assert min(by_association(schema)) > 0
    (finding,) = check_set(SchemaSet("set", (schema,), lines=(7,))).findings
    assert (finding.test, finding.line) == ("association", 7)


def test_a_half_that_is_there_twice_is_named_with_both_lines() -> None:
    found = check_set(SchemaSet("set", (KETTLE, KETTLE), lines=(3, 12))).findings
    assert [(one.test, one.line) for one in found] == [("twice", 12)] * 2
    assert "line 3" in found[0].sentence


def test_a_set_that_partial_input_answers_is_found_out() -> None:
    """The same word is always right with the special word: whoever learned that needs no sentence."""
    names = [f"{name}" for name in word_lists()["women"].words]
    made = tuple(
        Schema(
            sentence=f"{one} met Zoe, and [she] was {'glad'} on day {day}.",
            special="glad",
            alternate="sad",
            pronoun="she",
            candidates=(one, "Zoe"),
            answers=(one, "Zoe"),
        )
        for day in range(4)
        for one in names
    )
    assert "partial input" in {one.test for one in check_set(SchemaSet("set", made)).findings}


# Published forms ------------------------------------------------------------------------------------

BLOCKS = """\
The bird left the nest because [MASK] was hungry.
[MASK]
the bird ,the nest
the bird

The bird left the nest because [MASK] was broken.
[MASK]
the nest ,the bird
the nest

Alone here is [MASK] sentence of Ann and Bea.
[MASK]
Ann, Bea
Ann
"""


def test_halves_of_four_lines_are_matched_by_their_common_words() -> None:
    found = paired("blocks", list(block_halves(BLOCKS, "blocks.txt")))
    (schema,) = found.found.schemas
    assert (schema.special, schema.alternate) == ("hungry", "broken")
    assert schema.answers == ("the bird", "the nest")
    assert found.left_out == ((11, "Its other half was not found beside it."),)


def test_a_pronoun_that_is_named_is_marked_where_it_stands_last() -> None:
    text = (
        "It rained when the bird saw the fox because it was wet.\nit\nthe bird,the fox\nthe fox\n"
    )
    (half,) = block_halves(text, "dpr.txt")
    assert half.sentence == "It rained when the bird saw the fox because [it] was wet."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One line.\n", "line 1: this block has 1 lines; it must have four"),
        ("a b\n[MASK]\na\na\n", "line 3: 'a' is no list of two candidates"),
        ("a b\n[MASK]\na,b\nc\n", "line 4: the answer 'c' is none of the candidates"),
        ("a b\nit\na,b\nb\n", "line 1: the pronoun 'it' is not in the sentence"),
    ],
)
def test_blocks_of_another_form_get_a_sentence_with_their_line(text: str, sentence: str) -> None:
    with pytest.raises(MensuraError) as caught:
        list(block_halves(text, "x.txt"))
    assert sentence in str(caught.value)


XML = """<?xml version="1.0" encoding="UTF-8"?>
<collection>
<schema><text><txt1>The bird left the nest because</txt1><pron>it</pron><txt2>was {word}.</txt2></text>
<quote><quote1>because</quote1><pron>it</pron></quote>
<answers><answer>the bird</answer><answer>the nest</answer></answers>
<correctAnswer>{letter}</correctAnswer><source>ours</source></schema>
</collection>
"""


def test_the_xml_collection_is_read() -> None:
    one = XML.format(word="hungry", letter="A").replace("</collection>\n", "")
    other = XML.format(word="broken", letter=" B. ").partition("<collection>\n")[2]
    found = paired("xml", list(xml_halves(one + other, "x.xml")))
    (schema,) = found.found.schemas
    assert schema.sentence == "The bird left the nest because [it] was hungry."
    assert (schema.alternate, schema.answers) == ("broken", ("the bird", "the nest"))


def test_entities_and_broken_xml_get_a_sentence() -> None:
    with pytest.raises(MensuraError, match="this is not XML"):
        list(xml_halves("<collection><schema>", "x.xml"))
    bomb = '<!DOCTYPE a [<!ENTITY b "c">]><collection><schema></schema></collection>'
    with pytest.raises(MensuraError, match="entities are refused"):
        list(xml_halves(bomb, "x.xml"))


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("He [he] ran fast.", "He [he] ran slowly.", ("fast", "slowly")),
        ("A asked B but [he] refused.", "A asked B but [he] was refused.", None),
        ("It is hot and [it] is red.", "It is hot and [it] is not red.", None),
    ],
)
def test_what_differs_is_unique_and_without_the_pronoun(
    one: str, other: str, found: tuple[str, str] | None
) -> None:
    special, alternate = difference(one, other)
    assert "[" not in special
    assert one.replace(special, alternate, 1) == other
    if found is not None:
        assert (special, alternate) == found


def test_a_published_file_is_told_by_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(BLOCKS)
    (tmp_path / "b.yaml").write_text(GOOD)
    assert len(read_any(tmp_path / "a.txt").found.schemas) == 1
    assert read_any(tmp_path / "b.yaml").found.name == "mine"
    with pytest.raises(MensuraError, match="There is no file"):
        read_any(tmp_path / "c.txt")


# Calibration ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "count", "stays"),
    [
        (10, 10, True),
        (14, 15, True),
        (19, 20, True),
        (9, 10, False),
        (18, 20, False),
        (9, 9, False),
    ],
)
def test_a_half_stays_if_people_agree(right: int, count: int, stays: bool) -> None:
    assert half_stays(Answers(right=right, other=count - right)) is stays


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_bound_of_agreement_lies_below_the_share_and_rises_with_it(
    right: int, wrong: int
) -> None:
    count = right + wrong
    if count:
        assert 0.0 <= wilson_low(right, count) <= right / count + 1e-12
        assert wilson_low(right, count) <= wilson_low(right + 1, count + 1) + 1e-12


def test_a_pair_stays_if_both_halves_do_and_else_it_is_said_why() -> None:
    one = make_set(3, 1)
    ten = Answers(right=10)
    answers = {(number, half): ten for number in range(3) for half in HALVES}
    answers[1, "alternate"] = Answers(right=6, other=1, both=3)
    del answers[2, "special"]
    found = verdicts(3, answers)
    assert [verdict.stays for verdict in found] == [True, False, False]
    assert "Of 10 people, 6 agreed" in found[1].why
    assert "1 meant the other candidate, 3 both" in found[1].why
    assert found[2].why == "Only 0 of the 10 people that are needed answered the special half."
    stay = kept(one, found)
    assert (stay.schemas, stay.calibration) == (one.schemas[:1], "calibrated")
    assert json.loads(json.dumps(set_text(stay)))
