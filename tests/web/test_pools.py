"""Pools of checkpoints in the research view: for the experimenter alone, drawn as their worlds draw them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.web.conftest import Serve, Served

from mensura.api.checkpoints import record
from mensura.records.pools import Pool
from mensura.records.store import open_store
from mensura.studies.layout import lay_out
from mensura.studies.runs import begin
from mensura.studies.study import study_from_plain
from mensura.studies.subjects import resolve
from mensura.worlds.echo import Echo

WORLD = Echo(horizon=20)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return record(
        resolve("random", WORLD), WORLD, every=8, count=4, seed=3, training=0, pictures=False
    )


@pytest.fixture(scope="module")
def holding(serve: Serve, pool: Pool, tmp_path_factory: pytest.TempPathFactory) -> Served:
    """A server over a store with a run that starts from checkpoints."""
    folder: Path = tmp_path_factory.mktemp("pools")
    pool.write(folder / "a.pool")
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "started",
            "worlds": ["echo"],
            "subjects": ["random"],
            "assessments": [
                {"assessment": "human-starts", "parameters": {"pool": str(folder / "a.pool")}}
            ],
        }
    )
    with open_store(folder / "store.db") as store:
        begin(store, lay_out(study))
    return serve(store=folder / "store.db")


def test_the_experimenter_sees_the_pools_of_runs_as_sheets(holding: Served, pool: Pool) -> None:
    with holding.experimenter() as client:
        page = client.get("/research/pools")
        assert page.status_code == 200
        assert "Checkpoints: 4. Episodes: 2. Played by: random." in page.text
        assert "/runs/started" in page.text
        sheet = client.get(f"/research/pools/{pool.digest}/sheet.png")
        assert sheet.status_code == 200
        assert sheet.content.startswith(b"\x89PNG")
        assert "/research/pools" in client.get("/research").text
        spanish = client.get("/research/pools", headers={"accept-language": "es"}).text
        assert "Puntos de control: 4. Episodios: 2." in spanish


def test_a_pool_that_is_not_there_is_one_sentence(holding: Served, served: Served) -> None:
    with holding.experimenter() as client:
        answer = client.get(f"/research/pools/{'0' * 32}/sheet.png")
        assert answer.status_code == 404
        assert "There is no pool" in answer.text
        assert client.get("/research/pools/x/sheet.png").status_code == 422
    with served.experimenter() as client:
        assert "No run of this store starts from checkpoints." in client.get("/research/pools").text


def test_nobody_else_sees_the_starts_of_tests(holding: Served, pool: Pool) -> None:
    with holding.client() as stranger:
        for path in ("/research/pools", f"/research/pools/{pool.digest}/sheet.png"):
            assert stranger.get(path).status_code == 401
