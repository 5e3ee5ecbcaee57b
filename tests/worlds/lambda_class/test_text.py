"""The text of section 3.6.4, as printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mensura.core.errors import MensuraError
from mensura.worlds.lambda_class.behaviors import STILL
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.environment import LambdaEnvironment
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


def test_the_subject_reads_the_printed_observation() -> None:
    assert played(PRINTED).text() == "πω_2A_1:⊖:⊕ω_1A_2:"


def test_an_object_on_the_same_cell_reads_it_without_telling_good_from_evil() -> None:
    assert played(PRINTED).object_text(2) == "πω_2A_1:⊙:⊙ω_1A_2:"


def test_good_and_evil_read_the_same_from_their_own_cells() -> None:
    environment = played(PRINTED)
    assert environment.object_text(0) == "πω_2:⊙:⊙ω_1A_1:A_2"
    assert environment.object_text(-1) == "πω_2A_2:⊙A_1:⊙ω_1:"


def test_cells_out_of_sight_seem_empty() -> None:
    environment = played(replace(PRINTED, observability="partial"))
    assert environment.text() == "πω_2A_1::⊕ω_1A_2:"
    assert environment.object_text(2) == "πω_2A_1:⊙:⊙ω_1A_2:"


def test_several_subjects_are_told_apart_by_their_seats() -> None:
    environment = played(replace(PRINTED, subjects=3, starts=(2, 1, 2, 0, 0, 0, 3)))
    assert environment.text(0) == "ππ_2ω_2A_1:⊖:⊕ω_1A_2:π_3"
    assert environment.text(2) == "π_1π_2ω_2:⊖A_2:⊕ω_1:πA_1"
    assert environment.object_text(2) == "ππω_2A_1:⊙:⊙ω_1A_2:π"


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
