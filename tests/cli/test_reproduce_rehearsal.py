"""`mensura reproduce imitation-rehearsal`: games before judges who are programs, told as games and not as scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Typed

Type = Callable[..., Typed]


@pytest.mark.thorough
def test_the_rehearsal_tells_who_was_taken_for_the_person_and_that_machines_judged(
    mensura: Type,
) -> None:
    ended = mensura(
        *("reproduce", "imitation-rehearsal", "--episodes", "2", "--seed", "1"),
        *("--threads", "1", "--json", "table.json"),
    )
    assert ended.status == 0, ended.err
    assert "How often each machine was taken for the person" in ended.out
    assert "Judged by machines: this is a rehearsal" in ended.out
    assert "valid score" not in ended.out
    page = Path("imitation-rehearsal.html").read_text()
    assert "Judged by machines." in page
    assert "Rehearsal of the imitation game, judged by machines" in page
    rows = {row["machine"]: row for row in json.loads(Path("table.json").read_text())}
    assert set(rows) == {"eliza", "parrot", "replay", "scripted eliza"}
    assert rows["eliza"]["judges"] == 3
    assert all(row["void"] == 0 for row in rows.values()), "every scripted answer was understood"
    assert {row["judged_by"] for row in rows.values()} == {"machines"}


def test_no_model_takes_a_place_in_the_rehearsal(mensura: Type) -> None:
    failed = mensura("reproduce", "imitation-rehearsal", "--model", "toy")
    assert failed.status == 2
    assert "is no study of language models" in failed.err
