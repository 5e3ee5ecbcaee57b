"""Verifying a leaderboard: what follows from the records is verified, whatever was edited is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.conftest import Typed, mensura

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api.leaderboard_entry import Entry, entries_of
from mensura.api.leaderboard_file import FORMAT, add, read
from mensura.api.leaderboard_verifying import UNVERIFIED, verify
from mensura.records.holding import IN_PROCESS, OFF
from mensura.records.store import Store, open_store
from mensura.worlds.lambda_class.world import Lambda

__all__ = ["mensura"]

Type = Callable[..., Typed]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with a run of built-in subjects, under a seed that was drawn for it."""
    where = tmp_path_factory.mktemp("verify") / "runs.db"
    ms.assess(
        ["random", "oracle"], Lambda(horizon=5), "battery", episodes=6, name="one", store=where
    )
    with open_store(where) as opened:
        yield opened


@pytest.fixture(scope="module")
def entries(store: Store) -> list[Entry]:
    return entries_of(store, store.find("one"), extra={"by": "us"})


def test_what_follows_from_the_records_is_verified(store: Store, entries: list[Entry]) -> None:
    verdicts = verify(entries, store, sample=6)
    assert [one.is_verified for one in verdicts] == [True, True]
    assert {one.words for one in verdicts} == {"verified"}
    assert "6 of 6 sittings played again, with the same rewards to the bit" in verdicts[0].reason


def test_an_entry_goes_through_the_file_and_is_verified(
    store: Store, entries: list[Entry], tmp_path: Path
) -> None:
    add(tmp_path / "board.json", entries)
    assert all(one.is_verified for one in verify(read(tmp_path / "board.json"), store, 1))


NUMBERS = st.integers(-5, 10**6) | st.floats(-2, 2)
VALUES = st.one_of(
    st.none(), st.booleans(), NUMBERS, st.text(max_size=5), st.just("full isolation"),
    st.just("part of Mensura"), st.dictionaries(st.text(max_size=3), NUMBERS, max_size=2),
)  # fmt: skip


@given(name=st.sampled_from([one.name for one in fields(Entry)]), value=VALUES)
def test_no_edit_of_an_entry_is_verified(
    store: Store,
    entries: list[Entry],
    tmp_path_factory: pytest.TempPathFactory,
    name: str,
    value: Any,
) -> None:
    row = json.loads(json.dumps(asdict(entries[0])))
    if json.dumps(row[name], sort_keys=True) == json.dumps(value, sort_keys=True):
        return
    file = tmp_path_factory.getbasetemp() / "edited.json"
    file.write_text(json.dumps({"mensura_leaderboard": FORMAT, "entries": [{**row, name: value}]}))
    try:
        edited = read(file)
    except MensuraError:
        return  # it is refused before anybody verifies it
    (verdict,) = verify(edited, store, sample=1)
    assert not verdict.is_verified
    assert verdict.words == UNVERIFIED


def test_an_edit_with_a_digest_of_its_own_is_not_verified(
    store: Store, entries: list[Entry]
) -> None:
    for forged in (
        replace(entries[0], mean=0.9).signed(b""),
        replace(entries[0], extra={"by": "somebody else"}).signed(b"guessed"),
        replace(entries[0], extra={"by": "somebody else"}, digest=entries[1].digest),
    ):
        (verdict,) = verify([forged], store)
        assert not verdict.is_verified
        assert verdict.is_contradicted


def test_without_the_run_nothing_is_verified_and_nothing_is_contradicted(
    store: Store, entries: list[Entry]
) -> None:
    (verdict,) = verify([replace(entries[0], run="elsewhere")], store)
    assert (verdict.is_verified, verdict.is_contradicted) == (False, False)
    assert verdict.reason == "the store has no run elsewhere"


def test_records_whose_answers_were_changed_are_not_verified(
    store: Store, entries: list[Entry], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mensura.studies import replay

    played = replay.replay
    monkeypatch.setattr(replay, "replay", lambda *given: replace(played(*given), replayed=0.123456))
    (verdict,) = verify([entries[0]], store)
    assert not verdict.is_verified
    assert "gave other rewards when it was played again" in verdict.reason


LOOKING = "class Cheat:\n    def act(self, *_):\n        return 0\n"


@pytest.mark.parametrize(("how", "held"), [("--in-process", IN_PROCESS), ("--no-isolation", OFF)])
def test_who_was_not_fully_isolated_is_refused_or_listed_apart(
    mensura: Type, how: str, held: str
) -> None:
    Path("cheat.py").write_text(LOOKING)
    ended = mensura(
        "assess", "cheat.py:Cheat", "random", "-a", "battery", "-e", "5", "--complexity", "any",
        "-i", "5", how, "--name", "cheating", "--store", "runs.db",
    )  # fmt: skip
    assert ended.status == 0, ended.err
    refused = mensura("leaderboard", "add", "cheating", "--store", "runs.db")
    assert refused.status == 2
    assert f"cheat.py:Cheat was not fully isolated in the run cheating ({held})" in refused.err
    assert not Path("leaderboard.json").exists()
    added = mensura("leaderboard", "add", "cheating", "--store", "runs.db", "--apart")
    assert added.status == 0, added.err
    shown = mensura("leaderboard", "show", "-o", "page.html", "--json", "board.json")
    ranked, apart = json.loads(Path("board.json").read_text())
    assert (ranked["ranked"], apart["ranked"], apart["apart"]) == (True, False, True)
    assert "cheat.py:Cheat" not in {row["subject"] for row in ranked["rows"]}
    (row,) = [row for row in apart["rows"] if row["subject"] == "cheat.py:Cheat"]
    assert (row["place"], row["isolation"], row["verified"]) == ("-", held, UNVERIFIED)
    for text in (" ".join(shown.out.split()), Path("page.html").read_text()):
        assert "Listed apart, without places" in text
        assert "nobody could know" not in text


def test_a_hand_written_entry_reads_as_told_and_says_so_through_every_door(
    mensura: Type, store: Store, entries: list[Entry]
) -> None:
    forged = replace(entries[0], subject="wonder", mean=1.0, minimum=1.0, maximum=1.0, squares=0.0)
    add(Path("leaderboard.json"), [forged, entries[1]])
    shown = mensura("leaderboard", "show", "-o", "page.html", "--json", "board.json")
    assert "Every entry reads as told by whoever added it" in shown.out
    shown = mensura(
        "leaderboard", "show", "--store", store.url, "-o", "page.html", "--json", "b.json"
    )
    assert "1 of 2 entries were verified here" in " ".join(shown.out.split())
    assert "as told by whoever added it" in Path("page.html").read_text()
    (board,) = json.loads(Path("b.json").read_text())
    trust = {row["subject"]: row["verified"] for row in board["rows"]}
    assert (trust["wonder"], trust[entries[1].subject]) == (UNVERIFIED, "verified")
    ended = mensura(
        "leaderboard", "verify", "leaderboard.json", "--store", store.url, "--json", "v.json"
    )
    assert ended.status == 1
    rows = json.loads(Path("v.json").read_text())
    assert [(row["verified"], row["contradicted"]) for row in rows] == [
        (False, True),
        (True, False),
    ]


def test_verifying_without_a_store_is_a_sentence(mensura: Type, entries: list[Entry]) -> None:
    add(Path("leaderboard.json"), entries)
    ended = mensura("leaderboard", "verify", "leaderboard.json", "--store", "nowhere.db")
    assert ended.status == 2
    assert "nowhere.db" in ended.err


def test_the_way_it_was_held_is_kept_when_a_run_goes_on(store: Store) -> None:
    with pytest.raises(MensuraError, match="has no subject 'nobody'"):
        entries_of(store, store.find("one"), ["nobody"])
    assert {one.isolation for one in store.cells(store.find("one"))} == {"part of Mensura"}
