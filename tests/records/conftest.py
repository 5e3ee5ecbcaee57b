"""A fresh store for each test, in SQLite and in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgres import Cluster

from mensura.records.store import Store, open_store


@pytest.fixture(params=["sqlite", "postgresql"])
def where(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """The address of a store of each kind, which is not there yet where a test does not ask for it."""
    if request.param == "sqlite":
        yield str(tmp_path / "store.db")
        return
    monkeypatch.setenv("MENSURA_FILES", str(tmp_path / "files"))
    cluster: Cluster = request.getfixturevalue("cluster")
    made = "store" in request.fixturenames
    url = cluster.create(made=made)
    yield url
    cluster.give_back(url, made=made)


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    """An empty store of each kind."""
    with open_store(where) as opened:
        yield opened
