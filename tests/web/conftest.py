"""A real server on loopback, and a real browser where there is one."""

from __future__ import annotations

import asyncio
import pickle
import shutil
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from mensura.web import apart
from mensura.web.security import fits, hashed
from mensura.web.settings import Settings

PASSWORD = "correct horse battery"

CHROMIUM = next(
    (
        path
        for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def plain_http(**more: Any) -> httpx.Client:
    """A client for http:// alone: to read the certificates of https:// takes it a twentieth of a second.

    Each request has a connection of its own: one that was idle may be closed by the server just when it is used again.
    """
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(verify=False, limits=limits, **more)


@dataclass
class Served:
    """A server that answers, and where."""

    url: str
    app: Any
    settings: Settings

    def client(self, **more: Any) -> httpx.Client:
        """A visitor without a browser."""
        return plain_http(base_url=self.url, follow_redirects=False, timeout=120.0, **more)

    @contextmanager
    def experimenter(self) -> Iterator[httpx.Client]:
        """A visitor who has logged in."""
        with self.client() as client:
            answer = client.post("/login", data={"password": PASSWORD})
            assert answer.status_code == 303
            yield client


Serve = Callable[..., Served]

hashed_once, fits_once = cache(hashed), cache(fits)
"""Passwords are slow to try, and the same one is typed in hundreds of tests."""


class AtHome(apart.Apart):
    """Does the work in this process, but for all that comes in and goes out as if it went to another."""

    def _asked(self, work: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, Any]:
        asked: tuple[Any, Any] = pickle.loads(pickle.dumps((work, given)))
        said: tuple[Any, Any] = pickle.loads(pickle.dumps(apart._done(*asked)))
        return said


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory, full_size: bool) -> Iterator[Serve]:
    """Start servers, each with a store of its own unless told otherwise; they end with the module.

    What a server works out apart needs a process that takes a second to start: there is one at full size, and for
    those who ask for it.
    """
    from mensura.web import home
    from mensura.web.server import server_of

    running: list[tuple[Any, threading.Thread]] = []

    def start(store: Path | None = None, process_apart: bool = full_size, **more: Any) -> Served:
        where = store or tmp_path_factory.mktemp("web") / "mensura.db"
        settings = Settings(store=where, password=hashed_once(PASSWORD), **more)
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        server = server_of(settings)
        app: Any = server.config.app
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        running.append((server, thread))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with plain_http(timeout=60.0) as client:
            for _ in range(1200):
                try:
                    client.get(f"{url}/static/icon.svg")
                except httpx.TransportError:
                    threading.Event().wait(0.05)
                    continue
                if not process_apart:
                    app.state.apart = AtHome()
                return Served(url, app, settings)
        raise AssertionError("the server does not answer")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, "fits", fits if full_size else fits_once)
        yield start
        for server, thread in running:
            server.should_exit = True
            thread.join(60)


@pytest.fixture(scope="module")
def served(serve: Serve) -> Served:
    """One server for the tests of a module."""
    return serve()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A browser for all tests that need one."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: make test installs it where it can")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def browser_page(chromium: Any) -> Iterator[Any]:
    """A fresh page that remembers nothing, with every request, error and console message noted on it."""
    context = chromium.new_context(locale="en-US")
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.problems = []
    page.requested = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "console",
        lambda message: page.problems.append(message.text) if message.type == "error" else None,
    )
    page.on("request", lambda request: page.requested.append(request.url))
    yield page
    context.close()


def log_in(page: Any, url: str) -> None:
    """Be the experimenter in this browser."""
    assert page.request.post(f"{url}/login", form={"password": PASSWORD}).ok


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """Run it in an event loop of its own: the browser of other tests has one running in this thread."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


@cache
def axe_script() -> str:
    from axe_playwright_python.sync_playwright import Axe

    script: str = Axe().axe_script
    return script


def violations(page: Any) -> list[str]:
    """What axe-core finds wrong with a page, a line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_script())
    found = page.evaluate("axe.run({resultTypes: ['violations']}).then(told => told.violations)")
    return [
        f"{one['id']}: {one['help']} ({node['html'][:120]})"
        for one in found
        for node in one["nodes"]
    ]
