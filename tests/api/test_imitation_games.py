"""Rehearsals of the imitation game: runs, transcripts that are played again, reports, and talking."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.api.imitation_games import (
    Talk,
    compared_as_often,
    games_of,
    imitation_page_of,
    machine_results,
    rehearse,
)
from mensura.core.registry import WORLDS
from mensura.records.conversation import Game, uncounted
from mensura.records.store import open_store
from mensura.statistics.style import style_of
from mensura.studies.subjects import resolve


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("imitation") / "games.db"
    rehearse(
        ["eliza", "scripted:S?ability=1&guide=parrot"],
        ["skeptic", "coin"],
        games=12,
        seed=1,
        store=where,
        name="rehearsal",
    )
    return where


@pytest.fixture(scope="module")
def games(store: Path) -> list[Game]:
    with open_store(store) as records:
        return games_of(records, records.find("rehearsal"))


def test_games_are_played_again_as_transcripts(games: list[Game]) -> None:
    assert len(games) == 24
    assert {one.machine for one in games} == {"eliza", "scripted:S?ability=1&guide=parrot"}
    assert {one.judge for one in games} == {"skeptic", "coin"}
    for one in games:
        if one.machine.startswith("scripted"):
            asked = [m["text"] for m in one.messages if m["author"] == "judge"]
            assert set(one.said_by("machine")) <= set(asked)
    results = machine_results(games)
    assert sum(one.games for one in results) == 24
    assert all(0.0 <= one.low <= one.won <= one.high <= 1.0 for one in results)


@pytest.mark.usefixtures("words_only")
def test_the_report_says_that_machines_judged_and_quotes_what_was_said(store: Path) -> None:
    with open_store(store) as records:
        page = imitation_page_of(records, records.find("rehearsal"))
        assert page is not None
        text = page()
    assert "Judged by machines" in text
    assert "turing" in text.lower()
    assert "passed the Turing test" not in text
    assert "intelligent" not in text
    assert "Jones and Bergen 2025" in text


@pytest.mark.usefixtures("words_only")
def test_judgments_of_people_and_of_programs_are_never_pooled(games: list[Game]) -> None:
    from mensura.reports.imitation_page import imitation_page

    mixed = [
        replace(one, judged_by=("people", "machines", "people and machines together")[i % 3])
        for i, one in enumerate(games)
    ]
    results = machine_results(mixed)
    assert len(results) == 6, "two machines before judges of three kinds"
    for one in results:
        own = [
            g
            for g in mixed
            if (g.machine, g.judged_by) == (one.machine, one.judged_by) and not g.void
        ]
        assert one.won == pytest.approx(sum(g.won for g in own) / len(own))
    text = imitation_page(mixed, results, "mixed")
    assert all(f", judged by {kind}</h2>" in text for kind in {one.judged_by for one in mixed})
    assert all(f"Judged by {kind}" in text for kind in ("machines", "people", "juries"))


@pytest.mark.usefixtures("words_only")
def test_of_a_machine_without_a_game_that_counts_nothing_is_said_but_why(
    games: list[Game],
) -> None:
    from mensura.reports.imitation_page import imitation_page

    void = [
        replace(one, verdicts=[{**one.verdicts[-1], "void": True}])
        if one.machine == "eliza"
        else one
        for one in games
    ]
    results = machine_results(void)
    assert "eliza" not in {one.machine for one in results}
    (sentence,) = uncounted(void)
    assert sentence.startswith("Nothing can be said of eliza as judged by machines: 12 of its 12")
    assert sentence in imitation_page(void, results, "void")
    assert uncounted(games) == uncounted([]) == []


def test_the_curves_of_the_illusion_are_drawn(games: list[Game]) -> None:
    from mensura.reports.imitation_page import imitation_page

    text = imitation_page(games, machine_results(games), "drawn")
    assert text.count("<figure><svg") == 1, "by messages; strict turns keep no times"
    assert "survival-table" in text


@pytest.mark.usefixtures("words_only")
def test_what_witnesses_write_is_escaped(games: list[Game]) -> None:
    from mensura.reports.imitation_page import imitation_page

    bad = [
        replace(one, messages=[{**m, "text": "<script>alert(1)</script>"} for m in one.messages])
        for one in games
    ]
    text = imitation_page(bad, machine_results(bad), "<b>")
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


def test_style_gives_machines_away_by_games_that_it_did_not_learn_from(games: list[Game]) -> None:
    style = style_of(games)
    assert style is not None
    assert style.games == 24
    assert style.right > 0.7
    assert style_of(games[:5]) is None


def test_prompts_that_come_with_the_world_are_named_shortly_wherever_a_model_is_named() -> None:
    pytest.importorskip("openai")
    world = WORLDS.load("imitation-v1")()
    texts = {}
    for name, file in world.own_prompts.items():
        model: Any = resolve(f"openai:M?prompt={name}", world)
        texts[name] = model.prompts.texts["system"]
        assert texts[name] == file.read_text()
        assert f"prompt={name}" in str(model.settled), "no path of this machine"
    assert set(texts) == {"plain", "persona", "judge"}
    with pytest.raises(MensuraError, match="persona"):
        resolve("openai:M?prompt=person", world)
    with pytest.raises(MensuraError, match="no style of that name"):
        resolve("openai:M?prompt=persona", WORLDS.load("echo-v1")())


@pytest.mark.parametrize(
    ("machines", "judges", "games", "sentence"),
    [
        ([], ["coin"], 4, "at least one machine and one judge"),
        (["eliza"], ["coin", "skeptic"], 1, "1 games are too few for 2 judges"),
    ],
)
def test_rehearsals_of_nobody_get_a_sentence(
    machines: list[str], judges: list[str], games: int, sentence: str
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        rehearse(machines, judges, games=games)


def test_one_talks_with_a_machine() -> None:
    talk = Talk("eliza", 1)
    assert talk.answer("Hello") == "Hey, good to hear from you. What are you up to?"
    assert talk.answer("Are you a robot?") == "If I were a robot I would clean more."
    talk.close()


@pytest.mark.thorough
def test_judges_who_err_less_with_a_machine_are_told(store: Path) -> None:
    rehearse(["replay"], ["coin"], games=12, seed=2, store=store, name="people", preset="gender")
    rehearse(
        ["parrot"], ["skeptic"], games=12, seed=3, store=store, name="machine", preset="gender"
    )
    with open_store(store) as records:
        verdict = compared_as_often(records, "machine", "people")
        same = compared_as_often(records, "people", "people")
    assert not verdict.met
    assert "are not shown to err as often as with people" in verdict.sentence
    assert "+0.00 higher" in same.sentence
