"""What language models took of a run so far: of sittings that are done, and of those that were interrupted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mensura.core.usage import Taken
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.spent import spent_before
from mensura.studies.study import study_from_plain

STUDY = {
    "mensura": 1,
    "name": "spent",
    "seed": 5,
    "worlds": [{"world": "lambda-v1", "parameters": {"horizon": 4}}],
    "assessments": [{"assessment": "battery", "parameters": {"episodes": 2}}],
}


def scripted(**prices: float) -> dict[str, object]:
    one = {"subject": "scripted:a", "parameters": {"ability": 1, **prices}}
    return {**STUDY, "subjects": ["random", one]}


@pytest.mark.parametrize("prices", [{}, {"price_in": 1.0, "price_out": 2.0}])
def test_what_is_done_is_summed_from_the_records(tmp_path: Path, prices: dict[str, float]) -> None:
    with open_store(str(tmp_path / "records.db")) as store:
        run = runs.begin(store, study_from_plain(scripted(**prices)))
        assert spent_before(store, run) == (Taken(), Taken())
        runs.resume(store, run)
        done, under_way = spent_before(store, run)
    assert under_way == Taken()
    assert done.requests == 8
    assert done.tokens > 0
    assert (done.cost > 0, done.unpriced) == ((True, 0) if prices else (False, 8))


@pytest.mark.parametrize("price", ["", "&price_in=1000000&price_out=2000000"])
def test_interrupted_sittings_are_summed_from_their_journals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, price: str
) -> None:
    monkeypatch.setattr(runs, "reach", lambda places: None)  # nobody is asked
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    subject = f"openai:m?base_url=http://127.0.0.1:9/v1{price}"
    with open_store(str(tmp_path / "records.db")) as store:
        run = runs.begin(store, study_from_plain({**STUDY, "subjects": [subject]}))
        folder = store.journals(run)
        folder.mkdir(parents=True)
        answer = {"kept": {"usage": {"requests": 1, "tokens_in": 3, "tokens_out": 2}}}
        lines = [json.dumps({"kind": "begin"}), *[json.dumps(answer)] * 2, '{"kept": {"us']
        (folder / "0-1.jsonl").write_text("\n".join(lines))
        done, under_way = spent_before(store, run)
    assert done == Taken()
    assert under_way == (Taken(2, 10, 14.0, 0) if price else Taken(2, 10, 0.0, 2))
