"""What a process of the tests does once, or not at all, though commands do it whenever they are typed.

None of it is done at full size, where everything happens as it does for a user.
"""

from __future__ import annotations

import functools
import itertools
import os
import ssl
import sys
from typing import Any
from unittest import mock


def share() -> None:
    """Once all modules of tests are imported: what none of them imports is not looked for."""
    if "typer.main" in sys.modules:
        make_commands_once()
    if "mensura.core.yaml_text" in sys.modules:
        compose_texts_once()
    if "mensura.studies.runs" in sys.modules:
        play_in_threads()
    if "mensura.agent.keys" in sys.modules:
        draw_few_seeds()
        know_roots()
    if "mensura.records.provenance" in sys.modules:
        ask_where_runs_come_from_once()
    trust_no_authority()


def make_commands_once() -> None:
    """Typer makes all commands anew whenever one is typed."""
    typer: Any = sys.modules["typer.main"]
    typer.get_command = functools.cache(typer.get_command)


def compose_texts_once() -> None:
    """The same few study files are read again and again; whoever reads the nodes of a text leaves them as they are."""
    import yaml

    original = yaml.compose
    composed = functools.lru_cache(maxsize=256)(original)

    def compose(stream: Any, Loader: Any = yaml.Loader) -> Any:
        return (composed if isinstance(stream, str) else original)(stream, Loader=Loader)

    yaml.compose = compose


def play_in_threads() -> None:
    """Let studies that name no executor be played by threads.

    Subjects in Python would get a process for each core, every one of which takes more than a second to start. The
    executor changes no result: tests/studies/test_executors.py compares all of them, and says which is chosen.
    """
    from mensura.studies import runs

    make: Any = runs.make_executor

    def make_threads(kind: str, *more: Any) -> Any:
        return make("threads" if kind == "auto" else kind, *more)

    runs.make_executor = make_threads


def draw_few_seeds() -> None:
    """Let seeds that nobody gave be one of four in turn, drawn anew for each process.

    It takes a quarter of a second to find the root of all draws from a seed, on purpose, and once for each seed.
    """
    from mensura.agent import keys

    few = itertools.cycle([keys.fresh() for _ in range(4)])

    def fresh() -> keys.Key:
        return next(few)

    keys.fresh = fresh
    if "mensura.studies.layout" in sys.modules:
        layout: Any = sys.modules["mensura.studies.layout"]
        layout.fresh = fresh


def know_roots() -> None:
    """Put the roots of seeds that tests give into the cache of those that were found: nobody has to find them."""
    from tests.roots import ROOTS

    from mensura.agent import keys

    for seed, root in ROOTS.items():
        with mock.patch("hashlib.scrypt", return_value=root.to_bytes(8, "little")):
            keys.stretched(seed)


def ask_where_runs_come_from_once() -> None:
    """What is installed, and what commit the current folder has, which takes three processes whenever a run begins."""
    from mensura.records import provenance

    commit, versions = provenance.commit, functools.cache(provenance.versions)

    @functools.cache
    def commit_in(folder: str, *settings: str | None) -> str:
        return commit()

    def commit_once() -> str:
        return commit_in(os.getcwd(), *map(os.environ.get, ("PATH", "GIT_CEILING_DIRECTORIES")))

    provenance.commit = commit_once
    provenance.versions = lambda: dict(versions())


def trust_no_authority() -> None:
    """Leave out the certificates of public authorities, certifi's or those that the environment names.

    Every client of a language model would read them, for a twentieth of a second, but all servers of the tests are on
    this machine, and none has a certificate of theirs.
    """
    import certifi

    load: Any = ssl.SSLContext.load_verify_locations
    public = {certifi.where(), os.environ.get("SSL_CERT_FILE")} - {None}

    def load_own(self: ssl.SSLContext, cafile: Any = None, *more: Any, **named: Any) -> None:
        if cafile not in public:
            load(self, cafile, *more, **named)

    ssl.SSLContext.load_verify_locations = load_own  # type: ignore[method-assign]
