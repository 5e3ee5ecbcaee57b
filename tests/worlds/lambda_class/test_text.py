"""The text of section 3.6.4, as printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_class.behaviors import STILL, Markov
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.rules import write_word
from mensura.worlds.lambda_class.space import Space
from mensura.worlds.lambda_class.text import action_symbols, alphabet, observed

pytestmark = pytest.mark.quick

PRINTED = Description(
    space=Space.from_arrows([(0, 2), (1, 0), (2, 3), (3, 1)]),
    good_and_evil=STILL,
    objects=(STILL, STILL),
    starts=(2, 1, 2, 0, 0),
)
"""Four cells, two actions, two objects; Good on the third cell, Evil on the second, the subject on the first."""


def played(description: Description) -> LambdaEnvironment:
    environment = LambdaEnvironment(description)
    environment.reset(1)
    return environment


READER = Markov(Program.parse("χ ->."))


def read_by_program(description: Description) -> str:
    """What the last program that ran found on its tape, cut off before its first step."""
    environment = played(replace(description, steps=0, moves="fixed"))
    tape = environment._parts.tape
    symbols = alphabet(description.actions, len(description.objects))
    return write_word(tuple(symbols[n] for n in tape[1 : 1 + tape[0]]))


def test_the_subject_reads_the_printed_observation() -> None:
    assert played(PRINTED).text() == "πω_2A_1:⊖:⊕ω_1A_2:"


def test_an_object_on_the_same_cell_reads_it_without_telling_good_from_evil() -> None:
    assert read_by_program(replace(PRINTED, objects=(STILL, READER))) == "πω_2A_1:⊙:⊙ω_1A_2:"


def test_good_and_evil_read_the_same_from_their_own_cells() -> None:
    evil_second = replace(PRINTED, good_and_evil=READER)
    evil_third = replace(evil_second, starts=(1, 2, 2, 0, 0))
    assert read_by_program(evil_second) == "πω_2A_2:⊙A_1:⊙ω_1:"
    assert read_by_program(evil_third) == "πω_2:⊙:⊙ω_1A_1:A_2"


def test_cells_out_of_sight_seem_empty() -> None:
    partial = replace(PRINTED, objects=(STILL, READER), observability="partial")
    assert played(partial).text() == "πω_2A_1::⊕ω_1A_2:"
    assert read_by_program(partial) == "πω_2A_1:⊙:⊙ω_1A_2:"


def test_several_subjects_are_told_apart_by_their_seats() -> None:
    three = replace(PRINTED, objects=(STILL, READER), subjects=3, starts=(2, 1, 2, 0, 0, 0, 3))
    environment = played(three)
    assert environment.text(0) == "ππ_2ω_2A_1:⊖:⊕ω_1A_2:π_3"
    assert environment.text(2) == "π_1π_2ω_2:⊖A_2:⊕ω_1:πA_1"
    assert read_by_program(three) == "ππω_2A_1:⊙:⊙ω_1A_2:π"


def test_actions_are_observed_as_capitals() -> None:
    assert action_symbols(3) == ("a_1", "a_2", "a_3")
    assert observed(action_symbols(2)) == ("A_1", "A_2")
    assert observed(("s", "l", "r")) == ("S", "L", "R")
    assert alphabet(("s", "l"), 1) == ("s", "l", "S", "L", "π", "⊙", "ω_1", ":")


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("s",), "1 names do not fit 2 actions"),
        (("s", "s"), "Actions need different names, not s, s"),
        (("s", "L"), "An action cannot be called 'L'"),
        (("s", "+"), r"An action cannot be called '\+'"),
        (("s", "ab"), "'ab' is no symbol"),
    ],
)
def test_names_that_cannot_be_observed_get_a_sentence(
    names: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        action_symbols(2, names)
