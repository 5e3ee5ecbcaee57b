"""Skeletons are kept alike by all stores: SQLite, ladybug, and Neo4j where a server is named (MENSURA_NEO4J)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.texts.drawn import skeleton

from mensura.agent.errors import MensuraError
from mensura.records.store import open_store
from mensura.texts.corpus import from_json, to_json
from mensura.texts.graph_stores import open_graphs
from mensura.texts.skeleton_files import from_yaml

STORY = from_yaml(
    """
name: "a story: 'quoted'"
relations:
  - {id: a, subject: king, verb: attack, object: old fort, negated: true, sentences: [0], modifiers: [soon]}
  - {id: b, subject: old fort, verb: stand_on, object: hill}
links:
  - [a, because, b]
concepts: {king: {category: Outcome, modifiers: [wise]}}
sentences: ["It's so: \\"x\\" {y}."]
""",
    "story.yaml",
)


@pytest.fixture(params=["sqlite", "ladybug", "neo4j"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "sqlite":
        with open_store(tmp_path / "a.db") as opened:
            yield opened
        return
    if request.param == "ladybug":
        pytest.importorskip("ladybug")
        address = f"ladybug:{tmp_path / 'graphs'}"
    else:
        pytest.importorskip("neo4j")
        address = os.environ.get("MENSURA_NEO4J", "")
        if not address:
            pytest.skip("no server of Neo4j is named by MENSURA_NEO4J")
    with closing(open_graphs(address)) as graphs:
        yield graphs


def test_what_is_kept_is_given_back(store: Any) -> None:
    drawn = skeleton(np.random.default_rng(1), 6, 9, 2)
    store.keep_skeleton("one", to_json(STORY))
    store.keep_skeleton("two", to_json(drawn))
    found = store.skeletons(["one", "none", "two"])
    assert {name: from_json(content) for name, content in found.items()} == {
        "one": STORY,
        "two": drawn,
    }


def test_what_is_there_is_not_written_twice(store: Any) -> None:
    store.keep_skeleton("three", to_json(STORY))
    store.keep_skeleton("three", to_json(STORY))
    assert from_json(store.skeletons(["three"])["three"]) == STORY


def test_graphs_are_asked_in_cypher(tmp_path: Path) -> None:
    pytest.importorskip("ladybug")
    with closing(open_graphs(f"ladybug:{tmp_path / 'graphs'}")) as graphs:
        graphs.keep_skeleton("one", to_json(STORY))
        rows = graphs.ask(
            "MATCH (a:Node)-[:SUBJECT]->(r:Node)-[:OBJECT]->(b:Node) WHERE a.kind = 'concept' "
            "RETURN a.lemma, r.lemma, b.lemma ORDER BY r.number"
        )
    assert rows == [["king", "attack", "old_fort"], ["old_fort", "stand_on", "hill"]]


@pytest.mark.parametrize("address", ["ladybug:", "mysql://x", "neo4j:x", "graphs"])
def test_an_address_of_another_kind_gets_a_sentence(address: str) -> None:
    with pytest.raises(MensuraError, match="is no graph database"):
        open_graphs(address)
