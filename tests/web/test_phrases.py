"""Sentences of other modules in other languages: found with their gaps, and none that visitors read is missing."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mensura.web.editors import framotec as framotec_editor
from mensura.web.page_texts import DEFAULT, Words, languages
from mensura.web.pages import phrases
from mensura.web.phrases import Phrases
from mensura.web.research import showing, worlds
from mensura.web.research.parameters import fields_of
from mensura.web.research.visit import Visit
from mensura.worlds.lambda_star.world import LambdaStar

OTHERS = [code for code in languages() if code != DEFAULT]
GREETING = Phrases({"Hello, {who}.": "Hola, {who}.", "everybody": "todos", "Bye.": "Adiós."})


def test_gaps_are_filled_and_looked_up_in_turn() -> None:
    assert GREETING("Hello, Ada.") == "Hola, Ada."
    assert GREETING("Hello, everybody.") == "Hola, todos."
    many = Phrases({"{who} from {number_a} to {number_b}": "{who} de {number_a} a {number_b}"})
    assert many("x from -1 to 2e+10") == "x de -1 a 2e+10"
    assert many("letters from me to you") == "letters from me to you"
    parts = Phrases({"big": "grande", "small": "pequeño", "dog": "perro"})
    words = Phrases({"{word_a} {word_b}": "{word_b} {word_a}"}, parts)
    assert words("big dog") == "perro grande"
    assert not words.knows("big cat")
    assert GREETING("Hello, Ada. Bye.") == "Hola, Ada. Bye."  # the gap takes what it can
    assert GREETING("Bye. Hello, everybody.") == "Adiós. Hola, todos."
    assert not GREETING.knows("Good evening.")


@given(st.text())
def test_what_is_not_known_stays_as_it_is(text: str) -> None:
    assert Phrases({})(text) == text
    assert Phrases({}).picture(text) == text


@given(st.text(min_size=1).filter(lambda text: "{" not in text and text not in ("everybody",)))
def test_whatever_fills_a_gap_comes_through(who: str) -> None:
    assert GREETING(f"Hello, {who}.") in (f"Hola, {who}.", f"Hola, {GREETING(who)}.")


def test_pictures_are_read_in_the_language_and_stay_pictures() -> None:
    say = Phrases({"a <b> & c": "<x> & y", "d": "e"})
    svg = '<svg aria-label="d"><title>a &lt;b&gt; &amp; c</title><text x="d">d</text><path d="M0 0"/></svg>'
    assert say.picture(svg) == (
        '<svg aria-label="e"><title>&lt;x&gt; &amp; y</title><text x="d">e</text><path d="M0 0"/></svg>'
    )


@pytest.mark.parametrize("language", OTHERS)
def test_every_phrase_has_the_gaps_of_its_english(language: str) -> None:
    file = files("mensura.web").joinpath("texts", "phrases", f"{language}.yaml")
    for group in yaml.safe_load(file.read_text(encoding="utf-8")).values():
        for english, said in group.items():
            assert set(_gaps(said)) == set(_gaps(english)), english


def _gaps(text: str) -> list[str]:
    return [part.partition("}")[0] for part in text.split("{")[1:]]


ENVIRONMENTS: list[tuple[str, dict[str, Any]]] = [
    ("lambda-v1", {}),
    ("lambda-v1", {"subjects": 2, "objects": 2, "division": 2.0, "drops_on_subject": False}),
    ("lambda-v1", {"objects": 1, "consumed": "before", "eaten": False, "division": 1.0}),
    ("lambda-v1", {"cycle": "swap", "pattern": "a -> b", "sieves": []}),
    ("lambda-star-v2", {}),
    ("lambda-star-v2", {"subjects": 3, "range": 2, "guided": True}),
    *(("lambda-star-v2", dict(changes)) for changes in LambdaStar.presets.values()),
    ("lambda-star-v2", {"task": "landscape", "landscape_reacts": "tires", "drift": 0.5}),
    ("lambda-star-v2", {"task": "landscape", "landscape_reacts": "flees", "peaks": 1}),
    ("lambda-star-v2", {"task": "landscape", "landscape_reacts": "follows"}),
    ("lambda-star-v2", {"good_reacts": "tires", "evil_reacts": "flees", "company": 2}),
    ("lambda-star-v2", {"good_reacts": "follows", "company": 3, "company_for": "both"}),
    ("lambda-star-v2", {"task": "commons", "subjects": 1, "threshold": 0.0}),
    ("lambda-star-v2", {"task": "commons", "spread": 0.1}),
    ("lambda-star-v2", {"task": "opinion", "opening": "fair", "truth": 0.3}),
    ("lambda-star-v2", {"task": "opinion", "opening": "random"}),
    ("lambda-star-v2", {"moves": ["slow", "all"], "evil_appetites": [1.0]}),
    ("framotec-v1", {}),
    ("framotec-v1", {"task": "locking-plotter"}),
    ("framotec-v1", {"task": "n-dimensional", "dimensions": 2}),
]


def said_of(world: str, parameters: dict[str, Any]) -> Iterator[str]:
    """What visitors read of an environment, by way of a language that notes it."""
    home = worlds.make_world(world, parameters=parameters)
    visit = Visit(home, worlds.sample(home, 7, None), 7)
    noted: list[str] = []

    class Noting(Phrases):
        def __call__(self, text: str) -> str:
            noted.append(text)
            return text

    state = showing.state_of("visit", visit, Noting({}))
    showing.about_of(visit, Noting({}))
    yield from (one for one in noted if any(letter.isalpha() for letter in one))
    assert state.tables


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("world", "parameters"), ENVIRONMENTS)
def test_what_an_environment_says_is_there(
    language: str, world: str, parameters: dict[str, Any]
) -> None:
    say = phrases(language)
    said = said_of(world, parameters)
    assert [one for one in said if not say.knows(one) and not one.startswith("ω")] == []


@pytest.mark.parametrize("language", OTHERS)
def test_what_forms_say_is_there(language: str) -> None:
    say = phrases(language)
    shown = [framotec_editor.checked(framotec_editor.sample_text("car-race"))]
    said = [framotec_editor.shown(one).sentence for one in shown]
    said += [framotec_editor.front(shown[0]).sentence]
    said += [one.about for one in framotec_editor.operations()]
    for name in worlds.world_names():
        said += [one.meaning for one in fields_of(worlds.kind_of(name))]
        for changes in worlds.kind_of(name).presets.values():
            home = worlds.make_world(name, parameters=dict(changes))
            said += [one.explanation for one in home.measures.values()]
            said += [about for _, about, _ in worlds.subjects_of(home)]
    assert [one for one in said if not say.knows(one)] == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("world", "parameters"), ENVIRONMENTS)
def test_what_tables_and_moves_are_called_is_there(
    language: str, world: str, parameters: dict[str, Any]
) -> None:
    home = worlds.make_world(world, parameters=parameters)
    state = showing.state_of("visit", Visit(home, worlds.sample(home, 7, None), 7))
    known = Words(language).group("research")
    asked = {f"table.{table.name}" for table in state.tables}
    asked |= {f"column.{name}" for table in state.tables for name in table.columns}
    if world == "lambda-star-v2":
        names = [choice.name for seat in state.seats for choice in seat.choices]
        asked |= {f"move.{part}" for name in names for part in name.split(", ")}
    assert {one for one in asked if not one.removeprefix("column.").isdigit()} <= set(known)
