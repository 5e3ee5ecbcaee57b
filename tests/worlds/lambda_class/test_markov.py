"""Markov algorithms: the machine against a slow and plain reading of the definition, its limits, and spaces."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.core.compiled import JIT, door
from mensura.worlds.lambda_class.kernels import rewriting
from mensura.worlds.lambda_class.markov import (
    Match,
    Outcome,
    Program,
    cleaned,
    space_of_program,
)
from mensura.worlds.lambda_class.notation import read_word
from mensura.worlds.lambda_class.rules import RECALL, PlainRule, Word

pytestmark = [pytest.mark.bounds, pytest.mark.pure]

matches = st.sampled_from(["leftmost", "rightmost"])


def reference(
    rules: tuple[PlainRule, ...],
    string: Word,
    memory: Word,
    match: Match,
    limit: int,
    longest: int,
) -> Outcome:
    """Definition 2.1.4 of Insa-Cabrera (2011), step by step, with the memory of 3.6.6."""
    steps = 0
    while True:
        for rule in rules:
            n = len(rule.left)
            places = [at for at in range(len(string) - n + 1) if string[at : at + n] == rule.left]
            if places:
                break
        else:
            return Outcome(string, memory, steps, "stuck")
        if steps == limit:
            return Outcome(string, memory, steps, "limit")
        at = places[0] if match == "leftmost" else places[-1]
        right: list[str] = []
        for symbol in rule.right:
            right += memory if symbol == RECALL else [symbol]
        rewritten = string[:at] + tuple(right) + string[at + n :]
        stored = rewritten if rule.stores_string else rule.stores
        if len(rewritten) > longest or len(stored or ()) > longest:
            return Outcome(string, memory, steps, "overflow")
        string = rewritten
        memory = memory if stored is None else stored
        steps += 1
        if rule.terminating:
            return Outcome(string, memory, steps, "terminated")


# Programs that do all that programs can, most of them briefly.
word = st.text("abc", max_size=3)
lefts = st.sampled_from(
    ["", "[a]b", "(a|bb)", "χ", "χ_1χ_1", "(χ_1∉{a})", "(ab|c)_1", "a^Δ", "(b|ca)^Δ", "[b|c]_2a"]
)
rights = st.sampled_from(["", "∇", "Δ", "a∇∇", "∇bΔ", "c^Δ"])
plain_rules = st.builds(
    "{}{}{} {} {}{}{}".format,
    word,
    lefts,
    word,
    st.sampled_from(["->", "->", "->", "->."]),
    word,
    rights,
    word,
)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    lines = []
    for line in draw(st.lists(plain_rules, max_size=5)):
        try:
            Program.parse(line)
        except MensuraError:  # it stores twice
            continue
        lines.append(line)
    return Program.parse("\n".join(lines), "abc", draw(matches))


@given(programs(), st.text("abc", max_size=8), word, st.integers(0, 30), st.integers(8, 30))
def test_the_machine_does_what_the_definition_says(
    program: Program, string: str, memory: str, limit: int, longest: int
) -> None:
    expected = reference(program.plain, tuple(string), tuple(memory), program.match, limit, longest)
    assert program.run(string, memory, steps=limit, longest=longest) == expected
    trace = list(program.trace(string, memory, steps=limit, longest=longest))
    assert len(trace) == expected.steps
    assert (trace[-1].symbols if trace else tuple(string)) == expected.symbols


@given(programs())
def test_programs_are_read_back(program: Program) -> None:
    assert Program.parse(str(program), program.alphabet, program.match) == program
    assert Program.from_json(program.to_json()) == program


def test_the_leftmost_or_the_rightmost_match_is_rewritten() -> None:
    for match, expected in (("leftmost", "xabab"), ("rightmost", "ababx")):
        program = Program.parse("ab ->. x", match=match)  # type: ignore[arg-type]
        assert str(program.run("ababab")) == expected
    for match, expected in (("leftmost", "xab"), ("rightmost", "abx")):
        program = Program.parse("->. x", "ab", match)  # type: ignore[arg-type]
        assert str(program.run("ab")) == expected


def test_an_earlier_rule_goes_before_a_match_further_left() -> None:
    assert str(Program.parse("b ->. x\na ->. y").run("ab")) == "ax"
    assert str(Program.parse("(b|a)c ->. x").run("acbc")) == "acx"


def test_a_program_without_rules_halts_at_once() -> None:
    outcome = Program.parse("", "ab").run("ab")
    assert outcome == Outcome(("a", "b"), (), 0, "stuck")
    assert outcome.halted


# Memory -------------------------------------------------------------------------


def test_a_recall_before_any_store_inserts_nothing() -> None:
    assert Program.parse("a ->. x∇y").run("a") == Outcome(("x", "y"), (), 1, "terminated")


def test_the_memory_lasts_from_run_to_run() -> None:
    program = Program.parse("a ->. ∇bΔ")
    memory: Word = ()
    for count in (1, 2, 3):
        outcome = program.run("a", memory)
        memory = outcome.memory
        assert outcome.symbols == memory == ("b",) * count


def test_one_symbol_or_the_whole_string_is_stored() -> None:
    assert Program.parse("a(b|c)^Δ ->. c").run("abb").memory == ("b",)
    assert Program.parse("ab ->. cΔ").run("abb").memory == ("c", "b")
    assert Program.parse("ab ->. c").run("abb", "b").memory == ("b",)


def test_a_recall_is_of_what_was_stored_before_the_rule() -> None:
    program = Program.parse("a^Δ ->. ∇∇", "abc")
    assert program.run("a", "bc") == Outcome(tuple("bcbc"), ("a",), 1, "terminated")


# Limits -------------------------------------------------------------------------


def test_a_program_that_loops_is_stopped_and_says_so() -> None:
    outcome = Program.parse("a -> a").run("a")
    assert (outcome.ended, outcome.halted, outcome.steps) == ("limit", False, 1000)
    assert outcome.moves("a") == (0,)


def test_a_program_that_halts_in_its_last_step_has_halted() -> None:
    assert Program.parse("a -> b").run("aaa", steps=3).ended == "stuck"
    assert Program.parse("a -> b").run("aaa", steps=2).ended == "limit"


def test_a_string_that_outgrows_its_length_stops_the_program() -> None:
    outcome = Program.parse("-> a").run(longest=50, steps=10**9)
    assert (outcome.ended, len(outcome.symbols), outcome.steps) == ("overflow", 50, 50)
    doubled = Program.parse("a -> ∇∇aΔ").run("a", longest=1000, steps=10**9)
    assert doubled.ended == "overflow"
    assert not doubled.halted


@pytest.mark.parametrize(("rule", "room"), [("a ->. bbΔ", 4), ("a(aa)^Δ ->. b", 2)])
def test_a_memory_that_is_too_short_stops_the_program_before_anything_is_changed(
    rule: str, room: int
) -> None:
    program = Program.parse(rule)
    for size, ended in ((room, rewriting.TERMINATED), (room - 1, rewriting.OVERFLOW)):
        tape = np.array([3, *program.encode("aaa"), 0, 0], np.int64)
        memory, report = np.zeros(1 + size, np.int64), np.zeros(rewriting.REPORT, np.int64)
        rewriting.rewrite_door(program.code, tape, memory, 10, report)
        assert report[rewriting.ENDED] == ended
        if ended == rewriting.OVERFLOW:
            assert tape[:4].tolist() == [3, *program.encode("aaa")]
            assert not memory.any()


def test_nothing_hangs() -> None:
    program = Program.parse("(χ_1∉{z})(χ_2∉{z}) -> χ_2χ_1\n-> a", "abcdez")
    program.run("ab", steps=1)  # compiled by now
    begun = time.process_time()
    assert program.run("ab" * 500, steps=1000 if JIT else 10).ended == "limit"
    assert time.process_time() - begun < 5


@pytest.mark.skipif(not JIT, reason="NUMBA_DISABLE_JIT is set")
def test_a_million_rules_are_applied_in_a_second() -> None:
    """A head that walks through the string and back; far above the goal on an idle core, so that a busy one passes."""
    program = Program.parse(
        """
        Φ(χ_1∉{Φ}) -> χ_1Φ
        Φ -> Ψ
        (χ_1∉{Ψ})Ψ -> Ψχ_1
        Ψ -> Φ
        """,
        "abcdefgh",
    )
    program.run("Φabcdefgh", steps=1)
    begun = time.process_time()
    assert program.run("Φabcdefgh", steps=1_000_000).ended == "limit"
    assert time.process_time() - begun < 1


# Output -------------------------------------------------------------------------


def test_actions_are_what_is_left_of_the_output() -> None:
    outcome = Outcome(read_word("xa_2:a_1ya_3"), (), 1, "terminated")
    assert outcome.moves(("a_1", "a_2", "a_3")) == (1, 0, 2)
    assert Outcome(("x",), (), 1, "stuck").moves(("a_1", "a_2")) == (0,)


@door
def last_move_door(tape: Any, ended: Any, n_a: Any) -> Any:
    return rewriting.last_move(tape, ended, n_a)


@given(st.lists(st.integers(0, 5), max_size=12), st.integers(1, 4), st.integers(0, 3))
def test_the_kernel_reads_the_last_action_from_the_tape(
    symbols: list[int], n_a: int, ended: int
) -> None:
    ways: Any = ("terminated", "stuck", "limit", "overflow")
    names = tuple("abcdef")
    outcome = Outcome(tuple(names[s] for s in symbols), (), 1, ways[ended])
    expected = outcome.moves(names[:n_a])
    tape = np.array([len(symbols), *symbols, *[0] * 3], np.int64)
    assert last_move_door(tape, ended, n_a) == expected[-1]


# Programs -----------------------------------------------------------------------


def test_the_alphabet_is_what_is_given_and_then_what_the_rules_name() -> None:
    program = Program.parse("b(χ∉{d}) -> c\n[e] ->", "ab")
    assert program.alphabet == ("a", "b", "d", "c", "e")
    assert program.encode("cab") == [3, 0, 1]


def test_the_length_of_a_program_counts_a_mark_between_rules() -> None:
    program = Program.parse("a -> b\n\n  b ->. a")
    assert program.symbols() == ("a", "→", "b", "\n", "b", "→·", "a")
    assert program.length == 7


@pytest.mark.parametrize(
    ("attempt", "sentence"),
    [
        (
            lambda: Program.parse("a -> b\n[c -> d"),
            "Rule 2 '[c -> d' has '-' at character 4; ] belongs",
        ),
        (
            lambda: Program.parse("a -> b\nab -> χ"),
            "Rule 2 'ab -> χ' has no meaning: χ on the right",
        ),
        (
            lambda: Program.parse("", match="left"),
            "'left' is no way to match; did you mean leftmost?",
        ),  # type: ignore[arg-type]
        (lambda: Program.parse("", ["ab"]), "'ab' is no symbol"),
        (
            lambda: Program.parse("a -> b").run("ac"),
            "'c' is no symbol of the program; known are: a, b.",
        ),
        (lambda: Program.parse("a -> b").run("a", "c"), "'c' is no symbol of the program"),
        (
            lambda: Program.parse("a -> b").run("aaa", longest=2),
            "A string of 3 symbols is above the longest, 2",
        ),
        (lambda: Program.parse("a -> b").run("", "aaa", longest=2), "A memory of 3 symbols"),
        (
            lambda: Program.parse("a -> b").run("a", longest=-1),
            "longest is -1; strings have a number",
        ),
        (
            lambda: Program.parse("a -> b").run("a", steps=-1),
            "steps is -1; it is a whole number, 0 or more.",
        ),
        (lambda: Program.parse("a -> b").run("a", steps=1.5), "steps is 1.5"),  # type: ignore[arg-type]
        (lambda: Program.from_json({"rules": []}), "have the fields rules, alphabet, match."),
        (
            lambda: Program.from_json({"rules": "a", "alphabet": [], "match": ""}),
            "The rules of a program are a list",
        ),
    ],
)
def test_what_makes_no_sense_gets_a_sentence(attempt: Any, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        attempt()
    assert sentence in str(error.value)


def test_a_program_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mensura.worlds.lambda_class.markov.LARGEST_CODE", 100)
    with pytest.raises(
        MensuraError, match="short for 36 plain rules on 6 symbols, which is too much"
    ):
        _ = Program.parse("χχ -> a", "abcdef").code


# Spaces -------------------------------------------------------------------------

ACTIONS = ("s", "l", "r")


def test_a_space_is_cleaned_before_it_is_read() -> None:
    assert cleaned(read_word("+Xlr+Y:sl-l+r"), ACTIONS) == "slr+:sl-r"
    program = Program.parse("->. +XlrX+Y:sl-l+r")
    assert space_of_program(program, ACTIONS).text() == "12+|1-2"


def test_a_space_is_the_string_reached_within_the_steps() -> None:
    """Section 3.6.6: the algorithm runs for a limited number of iterations."""
    program = Program.parse("a -> l-r+:a\n-> al-r+")
    assert program.run(steps=4).ended == "limit"
    assert space_of_program(program, ACTIONS, steps=4).text() == "|".join(["1-2+"] * 4)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("->. ", "The space 's' ends after character 1; action l of cell 1 belongs there"),
        ("->. lr+", "a second cell belongs there"),
        (
            "->. lr+:l",
            "The space 'slr+:sl' ends after character 7; action r of cell 2 belongs there",
        ),
        (
            "->. rl:lr",
            "The space 'srl:slr' has 'r' at character 2; action l of cell 1 belongs there",
        ),
        ("->. lr+-:lr", "the signs of action r are all + or all -"),
        ("->. s+lr:lr", "s is the reflexive action, which stays and has no signs"),
        ("->. lr:l-r", "All arrows of cell 1 lead back to it"),
        ("->. lr+:l-r:l-r", "no path leads from cell 1 to cell 3"),
    ],
)
def test_a_program_that_writes_no_space_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        space_of_program(Program.parse(text), ACTIONS)
    assert sentence in str(error.value)


def test_weaker_topologies_are_a_matter_of_asking() -> None:
    program = Program.parse("->. lr+:l-r:l-r")
    assert space_of_program(program, ACTIONS, topology="weak").cells == 3
