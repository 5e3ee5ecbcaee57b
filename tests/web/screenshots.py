"""The pictures of participants' pages in the docs: ``python -m tests.web.screenshots`` makes them anew."""

from __future__ import annotations

import socket
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import sync_playwright
from tests.web.conftest import CHROMIUM, SWITCHES
from tests.web.test_people import new_study, play

from mensura.web.app import create_app
from mensura.web.people.studies import People
from mensura.web.settings import Settings

IMAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "images"

SEED = 2011


def main() -> None:
    """Take part, and take pictures on the way."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(Settings(store=Path(folder) / "pictures.db"))
        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.05)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
                participant(browser, url, app.state.people)
                browser.close()
        finally:
            server.should_exit = True
            thread.join()


def participant(browser: Any, url: str, people: People) -> None:
    """Instructions, an exercise with and without colors, the score."""
    colors = new_study(people, "colors", title="A study", parameters={}, seed=SEED)
    neutral = new_study(people, "neutral", parameters={"fewest": 9}, theme="neutral", seed=SEED)
    ((one, code), (two, done)) = people.invite(colors, 2)
    ((three, phone),) = people.invite(neutral, 1)
    for someone in (one, two, three):
        people.set_state(someone, "consented", ("invited",))
    people.finish(play(people, colors, two), colors.id)
    people.answer_questions(two, {"comment": ""})
    play(people, colors, one, 21 + 31 + 12)
    play(people, neutral, three, 8)
    wide = browser.new_context(viewport={"width": 820, "height": 640}, locale="en-US")
    page = wide.new_page()
    page.goto(f"{url}/p/{code}/instructions")
    page.screenshot(path=IMAGES / "participant-instructions.png", full_page=True)
    page.goto(f"{url}/p/{code}/exercises")
    page.locator(".cell.reachable").last.hover()
    page.wait_for_timeout(400)
    page.screenshot(path=IMAGES / "participant-exercise.png")
    page.goto(f"{url}/p/{done}")
    page.screenshot(path=IMAGES / "participant-score.png", full_page=True)
    small = browser.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, locale="en-US"
    )
    page = small.new_page()
    page.goto(f"{url}/p/{phone}/exercises")
    page.locator(".cell.reachable").first.wait_for()
    page.wait_for_timeout(400)
    page.screenshot(path=IMAGES / "participant-phone.png")


if __name__ == "__main__":
    main()
