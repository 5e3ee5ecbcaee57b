"""Items of the C-test: their complexities, blanks, and the published battery."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.conftest import mensura
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.complexity.c_test.instructions import LETTERS, read_program
from mensura.complexity.c_test.machine import run
from mensura.complexity.c_test.published import PUBLISHED, SHEET
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.paper import C_TEST_1998, ROWS, row
from mensura.worlds.items.sentences import written
from mensura.worlds.items.world import Items

__all__ = ["mensura"]

LONG = (
    "c a b d",
    "a y w _",
    "z a y x",
    "a z b z",
    "a a c y",
    "a a d a",
    "a z b d",
    "a a a z",
    "a a z c",
)
"""How series begin of which the search takes seconds, or minutes."""


def test_kt_and_k_are_those_of_the_program() -> None:
    told = FAMILIES["c-test"].complexities(("W + + + LOOPTOP", 5, 5))
    times = run(read_program("W + + + LOOPTOP"), letters=6).times
    assert told["kt"] == pytest.approx(5 + math.log2(times[4]))
    assert told["k"] == 5 + times[5].bit_length() - 1 == 9
    assert (told["elements"], told["memory"], told["operations"]) == (1, 1, 5)


@pytest.mark.parametrize(
    ("asks", "blanks"), [("prediction", {0}), ("abduction", {1}), ("any", {0, 1})]
)
def test_a_letter_is_missing_within_or_after_the_series(asks: Any, blanks: set[int]) -> None:
    world = Items(family="c-test", asks=asks)
    seen = [world.seen(world.sample(key)) for key in range(examples(12, 30))]
    assert {written(one).count("_") for one in seen} == blanks
    assert all((" ?" in written(one)) != ("_" in written(one)) for one in seen)


def test_a_prediction_is_no_item_of_a_test_of_abduction() -> None:
    described = Items(family="c-test", asks="prediction").sample(1).to_json()
    drawn = {name: described[name] for name in ("kind", "rule", "surface")}
    assert Items(family="c-test").describe_from_json(drawn)
    with pytest.raises(MensuraError, match="would never be drawn"):
        Items(family="c-test", asks="abduction").describe_from_json(drawn)


def test_the_command_of_the_documentation_draws_such_an_item(
    mensura: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "worlds show items --preset c-test --complexity kt=12..13 --seed 3 --picture item.svg"
    told = mensura(*line.split())
    assert told.status == 0
    (kt,) = (one for one in told.out.splitlines() if one.startswith("kt = "))
    assert 12 <= float(kt.removeprefix("kt = ")) <= 13
    assert "<svg" in (tmp_path / "item.svg").read_text()


def test_who_looks_at_an_item_is_told_what_was_thrown_away_before_it(mensura: Any) -> None:
    told = [
        mensura("worlds", "show", "items", "--preset", "number-series", "--seed", str(seed)).out
        for seed in range(1, 6)
    ]
    assert any("thrown away before it: " in one for one in told)


def test_a_complexity_that_no_item_has_is_answered_with_the_nearest(mensura: Any) -> None:
    told = mensura("worlds", "show", "items", "--preset", "c-test", "--complexity", "kt=30..40")
    assert told.status == 2
    assert "No item of c-test has kt from 30 to 40; the nearest has 14." in told.err


def test_ten_thousand_items_are_drawn_within_seconds(full_size: bool) -> None:
    import time

    generate("c-test", 1, 1)
    count = 10_000 if full_size else 1_000
    start = time.process_time()
    items = generate("c-test", count, 2, ("k", 7, 12)).items
    assert len(items) == count
    assert time.process_time() - start < 10 * max(count / 10_000, 0.3)


# The published battery


def test_published_items_have_their_published_k_and_answer() -> None:
    family = FAMILIES["c-test-1998"]
    world = Items(family=family.name)
    for item in PUBLISHED:
        told = family.complexities((item.series,))
        assert told["k"] == (item.k or told["k"])
        made = world.item(
            world.describe_from_json({"kind": family.name, "rule": [item.series], "surface": 1})
        )
        assert family.text(made.answer) == item.answer
        assert len(made.options) == 5
        assert written(Seen(family, made.shown, ())).removesuffix(" ?") == item.series


def test_programs_print_what_is_shown_and_the_answer() -> None:
    from mensura.complexity.c_test.machine import Machine

    for item in PUBLISHED:
        series = item.series.split()
        ran = run(read_program(item.program), 1000, len(series) + 1, Machine(item.start))
        letters = [LETTERS[one] for one in ran.letters]
        asked = series.index("_") if "_" in series else len(series)
        assert letters[asked] == item.answer
        assert [one for at, one in enumerate(letters) if at != asked][: len(series)] == [
            one for one in [*series, *([letters[-1]] if "_" in series else [])] if one != "_"
        ]
    for sheet in SHEET:
        length = len(sheet.series.split()) + 1
        ran = run(read_program(sheet.program), 1000, length)
        assert ran.text == f"{sheet.series} {sheet.continuation}"


@pytest.mark.parametrize("item", ROWS, ids=lambda item: item.series.replace(" ", ""))
def test_the_study_tells_what_is_found(item: Any, full_size: bool) -> None:
    notes = yaml.safe_load(C_TEST_1998.read_text(encoding="utf-8"))["notes"]
    (told,) = (note for note in notes if note.startswith(f"{item.series}: "))
    if full_size or not item.series.startswith(LONG):
        assert told == row(item)


def test_the_battery_is_played() -> None:
    world = Items.preset("c-test-1998")
    rules = {world.sample(key).rule for key in range(80)}
    assert rules == {(item.series,) for item in PUBLISHED}
    with pytest.raises(
        MensuraError, match="No item of c-test-1998 has k from 10 to 10; the nearest has"
    ):
        world.sample(1, ("k", 10, 10))
