"""Graph databases in the place of the records' store: skeletons as nodes and edges that can be asked in Cypher.

``ladybug:PATH`` is an embedded database (``mensura[ladybug]``), ``neo4j://HOST`` a server (``mensura[neo4j]``; name and
password from NEO4J_USERNAME and NEO4J_PASSWORD). A skeleton is a ``Skeleton`` with its ``Node``s, each with kind, lemma
and head; of a relation, ``SUBJECT`` leads to it and ``OBJECT`` away from it, as in the paper.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mensura.agent.errors import MensuraError


class SkeletonStore(Protocol):
    """Where skeletons are kept, as JSON by the digest of their text: the records' store, or a graph database."""

    def skeletons(self, digests: Sequence[str]) -> dict[str, bytes]:
        """Those that are there."""

    def keep_skeleton(self, digest: str, content: bytes) -> None:
        """Keep one, unless it is there."""


class CypherStore:
    """What all graph databases have in common."""

    def ask(self, query: str, **values: Any) -> list[list[Any]]:
        """The rows that a query gives."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the database."""

    def __enter__(self) -> CypherStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def skeletons(self, digests: Sequence[str]) -> dict[str, bytes]:
        """Those that are there."""
        found = {}
        for digest in digests:
            known = self.ask(
                "MATCH (s:Skeleton) WHERE s.digest = $digest RETURN s.name, s.sentences",
                digest=digest,
            )
            if known:
                found[digest] = self._read(digest, *known[0])
        return found

    def _read(self, digest: str, name: str, sentences: str) -> bytes:
        nodes = self.ask(
            "MATCH (n:Node) WHERE n.skeleton = $digest RETURN n.number, n.kind, n.rest ORDER BY n.number",
            digest=digest,
        )
        ends: dict[int, list[int]] = {number: [-1, -1] for number, _, _ in nodes}
        for place, edge in enumerate(("(m)-[:SUBJECT]->(n)", "(n)-[:OBJECT]->(m)")):
            rows = self.ask(
                f"MATCH {edge.replace('(m)', '(m:Node)').replace('(n)', '(n:Node)')} "
                "WHERE n.skeleton = $digest AND n.kind = 'relation' RETURN n.number, m.number",
                digest=digest,
            )
            for number, other in rows:
                ends[number][place] = other
        concepts, relations = [], []
        for number, kind, rest in nodes:
            row = json.loads(rest)
            if kind == "concept":
                concepts.append(row)
            else:
                relations.append([row[0], *ends[number], *row[1:]])
        plain = [concepts, relations, json.loads(sentences), name]
        return json.dumps(plain, separators=(",", ":")).encode()

    def keep_skeleton(self, digest: str, content: bytes) -> None:
        """Keep one, unless it is there. The skeleton itself comes last, so that none is found half written."""
        if self.ask("MATCH (s:Skeleton) WHERE s.digest = $digest RETURN s.digest", digest=digest):
            return
        self.ask("MATCH (n:Node) WHERE n.skeleton = $digest DETACH DELETE n", digest=digest)
        concepts, relations, sentences, name = json.loads(content)
        for number, row in enumerate([*concepts, *relations]):
            relation = number >= len(concepts)
            rest = [row[0], *row[3:]] if relation else row
            self.ask(
                "CREATE (:Node {id: $id, skeleton: $digest, number: $number, kind: $kind, lemma: $lemma, head: $head, "
                "rest: $rest})",
                id=f"{digest}:{number}",
                digest=digest,
                number=number,
                kind="relation" if relation else "concept",
                lemma=row[0],
                head=row[3] if relation else row[1],
                rest=json.dumps(rest),
            )
        for number, row in enumerate(relations, len(concepts)):
            for label, one, two in (("SUBJECT", row[1], number), ("OBJECT", number, row[2])):
                self.ask(
                    f"MATCH (a:Node), (b:Node) WHERE a.id = $one AND b.id = $two CREATE (a)-[:{label}]->(b)",
                    one=f"{digest}:{one}",
                    two=f"{digest}:{two}",
                )
        self.ask(
            "CREATE (:Skeleton {digest: $digest, name: $name, sentences: $sentences})",
            digest=digest,
            name=name,
            sentences=json.dumps(sentences),
        )


class LadybugStore(CypherStore):
    """A database in a file, in this process."""

    def __init__(self, path: str) -> None:
        try:
            import ladybug
        except ImportError:
            raise MensuraError(
                "ladybug: needs the extra ladybug: pip install 'mensura[ladybug]'."
            ) from None
        try:
            self._database = ladybug.Database(path)
            self._connection: Any = ladybug.Connection(self._database)
        except (RuntimeError, OSError) as error:
            line = (str(error).splitlines() or [""])[0][:200]
            raise MensuraError(f"ladybug:{path} cannot be opened: {line}") from None
        for table in (
            "NODE TABLE IF NOT EXISTS Skeleton(digest STRING, name STRING, sentences STRING, PRIMARY KEY (digest))",
            "NODE TABLE IF NOT EXISTS Node(id STRING, skeleton STRING, number INT64, kind STRING, lemma STRING, "
            "head STRING, rest STRING, PRIMARY KEY (id))",
            "REL TABLE IF NOT EXISTS SUBJECT(FROM Node TO Node)",
            "REL TABLE IF NOT EXISTS OBJECT(FROM Node TO Node)",
        ):
            self.ask(f"CREATE {table}")

    def ask(self, query: str, **values: Any) -> list[list[Any]]:
        """The rows that a query gives."""
        answer = self._connection.execute(query, parameters=values)
        rows = []
        while answer.has_next():
            rows.append(list(answer.get_next()))
        return rows

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()
        self._database.close()


class Neo4jStore(CypherStore):
    """A server of Neo4j."""

    def __init__(self, address: str, environment: Mapping[str, str] = os.environ) -> None:
        try:
            import neo4j
        except ImportError:
            raise MensuraError(
                "neo4j:// needs the extra neo4j: pip install 'mensura[neo4j]'."
            ) from None
        user = environment.get("NEO4J_USERNAME", "neo4j")
        password = environment.get("NEO4J_PASSWORD", "")
        self._failures = (neo4j.exceptions.Neo4jError, neo4j.exceptions.DriverError, ValueError)
        self._address = address
        try:
            self._driver = neo4j.GraphDatabase.driver(address, auth=(user, password))
            self._driver.verify_connectivity()
        except self._failures as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> MensuraError:
        line = (str(error).splitlines() or [""])[0][:200]
        return MensuraError(f"{self._address} does not answer: {line}")

    def ask(self, query: str, **values: Any) -> list[list[Any]]:
        """The rows that a query gives."""
        try:
            return [list(row.values()) for row in self._driver.execute_query(query, values).records]
        except self._failures as error:
            raise self._failed(error) from None

    def close(self) -> None:
        """Let go of the server."""
        self._driver.close()


def open_graphs(address: str) -> CypherStore:
    """The graph database of an address: ladybug:PATH, or neo4j://HOST."""
    scheme, mark, rest = address.partition(":")
    if scheme == "ladybug" and rest:
        return LadybugStore(rest)
    if mark and scheme in ("neo4j", "neo4j+s", "bolt", "bolt+s") and rest.startswith("//"):
        return Neo4jStore(address)
    raise MensuraError(f"{address!r} is no graph database; write ladybug:PATH or neo4j://HOST.")
