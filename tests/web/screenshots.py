"""All pictures of pages in the docs: ``make pictures`` makes them anew, in about a minute.

``python -m tests.web.screenshots FOLDER`` writes to another folder, ``... FOLDER dark`` every page also as those see it
who prefer a dark screen, and ``phone`` as a phone of 360 pixels shows it; that is for looking at, not for the docs.
"""

from __future__ import annotations

import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from playwright.sync_api import sync_playwright
from tests.web.conftest import CHROMIUM, PASSWORD, SWITCHES, log_in
from tests.web.test_people import new_study, play

from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.files import parse_study
from mensura.web.app import create_app
from mensura.web.people.participants import Participant
from mensura.web.people.studies import People, PeopleStudy
from mensura.web.security import hashed
from mensura.web.settings import Settings

IMAGES = Path(__file__).resolve().parent.parent.parent / "docs" / "images"

SEED = 2011

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

FINISHED = """\
mensura: 1
name: quick-look
title: Five subjects on the torus
seed: 7
worlds: [lambda-star-v2]
subjects: [random, local-search, oracle, q-learning, sarsa]
assessments:
  - assessment: battery
    parameters: {episodes: 40}
"""
EXERCISES = """\
mensura: 1
name: programs
title: The same exercises for programs
seed: 2011
worlds: [lambda-v1]
subjects: [random, follower, q-learning]
assessments:
  - assessment: exercises
    parameters: {sittings: 30}
"""
UNSEEN = EXERCISES.replace("name: programs", "name: unseen").replace("seed: 2011\n", "")
"""With a seed that nobody chose: only such runs are on the leaderboard."""
UNDER_WAY = """\
mensura: 1
name: learners
title: How soon learners learn
seed: 7
worlds: [lambda-v1]
subjects: [q-learning, sarsa, double-q, dyna-q, planner]
assessments:
  - assessment: battery
    parameters: {episodes: 300000}
"""


class Camera:
    """Takes pictures of pages: once for the docs, or in several looks."""

    def __init__(self, browser: Any, url: str, folder: Path, looks: list[str]) -> None:
        self._browser = browser
        self._url = url
        self._folder = folder
        self._looks = looks

    @contextmanager
    def page(self, size: dict[str, int], look: str = "") -> Iterator[Any]:
        """A page, the experimenter logged in."""
        context = self._browser.new_context(
            viewport=PHONE if look == "phone" else size,
            color_scheme="dark" if look == "dark" else "light",
            locale="en-US",
            reduced_motion="reduce",
        )
        page = context.new_page()
        log_in(page, self._url)
        yield page
        context.close()

    def take(
        self,
        name: str,
        path: str,
        size: dict[str, int] = WIDE,
        full: bool = True,
        ready: Any = None,
    ) -> None:
        """One picture, of a part of the page where ``ready`` gives one back."""
        for look in ("", *self._looks):
            with self.page(size, look) as page:
                page.goto(f"{self._url}{path}")
                part = ready(page) if ready is not None else None
                page.wait_for_timeout(300)
                file = self._folder / f"{name}{f'.{look}' if look else ''}.png"
                if part is not None:
                    part.screenshot(path=file)
                else:
                    page.screenshot(path=file, full_page=full)
                wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                if wide > 0:
                    sys.stderr.write(f"{file.name} is {wide} pixels too wide\n")


def main() -> None:
    """Serve a store with something in it, and take all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as place,
        served(Path(place) / "pictures.db") as (url, app),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        camera = Camera(browser, url, folder, sys.argv[2:])
        participants(camera, app.state.people)
        items(camera, app.state.people)
        rooms(camera, app.state.people, url)
        constraints(camera, app.state.people, url)
        conditions(camera, app.state.people)
        experimenters(camera, url)
        research(camera)
        browser.close()


@contextmanager
def served(store: Path) -> Iterator[tuple[str, Any]]:
    """A server of its own."""
    with open_store(store) as opened:
        for text, fresh in ((FINISHED, False), (EXERCISES, False), (UNSEEN, True)):
            run = runs.begin(opened, parse_study(text).study, fresh_seed=fresh)
            runs.resume(opened, run, manner=runs.Manner("threads", 2))
    app = create_app(Settings(store=store, password=hashed(PASSWORD)))
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", app
    finally:
        server.should_exit = True
        thread.join()


# Participants --------------------------------------------------------------------


def participants(camera: Camera, people: People) -> None:
    """Consent, instructions, an exercise with and without colors, on a phone, questions, the score."""
    title = "How people find their way"
    colors = new_study(people, "spring", title=title, parameters={}, places=12, seed=SEED)
    neutral = new_study(people, "neutral", parameters={"fewest": 9}, theme="neutral", seed=SEED)
    timed = new_study(
        people, "clock", assessment="anytime", parameters={"seconds": 600.0}, seed=SEED
    )
    invited = people.invite(colors, 9)
    codes = [code for _, code in invited]
    for one, _ in invited[1:8]:
        people.consent(one)
    for one, _ in invited[2:5]:
        finish(people, colors, one, answered=one.number != 2)
    play(people, colors, invited[1][0], 31 + 41 + 12)
    play(people, colors, invited[5][0], 150)
    play(people, colors, invited[6][0], 20)
    ((plain, phone),) = people.invite(neutral, 1)
    people.consent(plain)
    play(people, neutral, plain, 8)
    ((late, clock),) = people.invite(timed, 1)
    people.consent(late)
    unseen = new_study(people, "unseen-people", title=title, parameters={}, places=4, seed=None)
    for one, _ in people.invite(unseen, 4):
        people.consent(one)
        finish(people, unseen, one, answered=True)
    size = {"width": 820, "height": 640}
    camera.take("participant-consent", f"/p/{codes[0]}", size)
    camera.take("participant-instructions", f"/p/{codes[1]}/instructions", size)
    camera.take("participant-example", f"/p/{codes[1]}/instructions", size, ready=example)
    camera.take("participant-exercise", f"/p/{codes[1]}/exercises", size, False, hover)
    camera.take("participant-phone", f"/p/{phone}/exercises", PHONE, False, cells)
    camera.take("participant-clock", f"/p/{clock}/instructions", size)
    camera.take("participant-questions", f"/p/{codes[2]}", size)
    camera.take("participant-score", f"/p/{codes[3]}", size)


def items(camera: Camera, people: People) -> None:
    """A matrix, on a phone in Spanish too."""
    asked: dict[str, Any] = {
        "assessment": "attempts",
        "parameters": {"attempts": 20},
        "world": "items-v1",
        "world_parameters": {"family": "matrices"},
        "seed": SEED,
    }
    for name, language, size in (
        ("participant-item", "", {"width": 820, "height": 1000}),
        ("participant-item-phone", "es", PHONE),
    ):
        study = new_study(people, name, language=language, **asked)
        ((one, code),) = people.invite(study, 1)
        play(people, study, one, 1)
        camera.take(name, f"/p/{code}", size, ready=options)


def rooms(camera: Camera, people: People, url: str) -> None:
    """Two people and three programs in one environment of Lambda Star, in the middle of it."""
    study = new_study(
        people,
        "together",
        assessment="attempts",
        parameters={"attempts": 3},
        world="lambda-star-v2",
        people={
            "together": {"people": 2, "programs": "local-search*3", "turn": 3600.0, "chat": True}
        },
        seed=SEED,
    )
    codes = []
    for one, code in people.invite(study, 2):
        people.consent(one)
        codes.append(code)
    with httpx.Client(base_url=url, timeout=120) as client:
        for code in codes:
            client.get(f"/api/rooms/{code}/state")
        for turn in range(4):
            for code, action in zip(codes, (6, 8), strict=True):
                done = {
                    "turn": turn,
                    "action": action,
                    "message": "star" if code == codes[1] else None,
                }
                client.post(f"/api/rooms/{code}/answers", json=done)
        client.post(f"/api/rooms/{codes[1]}/answers", json={"turn": 4, "action": 2})
    size = {"width": 820, "height": 900}
    camera.take("participant-room", f"/p/{codes[0]}/exercises", size, True, choices)


def constraints(camera: Camera, people: People, url: str) -> None:
    """Letters of ABT on six queens, of AWCS on a graph, and a person among agents of AWCS."""
    for name, query, turns in (
        ("constraints-abt", "preset=queens&set=n%3D6&subject=abt&seed=1", 3),
        ("constraints-awcs", "preset=coloring&set=nodes%3D12+links%3D24&subject=awcs&seed=3", 3),
    ):
        camera.take(name, f"/research/episodes?{query}", WIDE, False, letters_after(turns))
    study = new_study(
        people,
        "class",
        assessment="attempts",
        parameters={"attempts": 1},
        world="constraints-v1",
        world_parameters={"family": "coloring", "nodes": 6, "links": 9, "horizon": 30},
        people={"together": {"people": 1, "programs": "awcs*5", "turn": 3600.0}},
        seed=SEED,
    )
    ((one, code),) = people.invite(study, 1)
    people.consent(one)
    with httpx.Client(base_url=url, timeout=120) as client:
        client.get(f"/api/rooms/{code}/state")
        client.post(f"/api/rooms/{code}/answers", json={"turn": 0, "action": 0})
    size = {"width": 820, "height": 900}
    camera.take("participant-constraints", f"/p/{code}/exercises", size, True, choices)


def letters_after(turns: int) -> Any:
    """Play the episode, and look at the second letter after so many turns."""

    def ready(page: Any) -> None:
        page.locator("button[name=go]").click()
        page.locator(".episode .status", has_text="Turn 1 ").wait_for(timeout=60_000)
        for number in range(turns):
            page.locator("#episode-turn_on").click()
            page.locator(".episode .status", has_text=f"Turn {number + 2} ").wait_for()
        page.locator("#episode-letter_on").click()
        page.locator(".episode h2", has_text="Letter 1 of").wait_for()

    return ready


def choices(page: Any) -> None:
    """Wait for them."""
    page.locator("#form button").first.wait_for()


def conditions(camera: Camera, people: People) -> None:
    """The report of a study with two conditions and rules of exclusion."""
    study = new_study(
        people,
        "few-or-many",
        title="With objects and without",
        places=40,
        conditions={"plain": {}, "with objects": {"objects": 2}},
        people={"exclude": [{"measured": "failed_checks", "above": 0}]},
        seed=SEED,
    )
    for one, _ in people.invite(study, 26):
        if one.number % 9 == 8:
            continue
        people.consent(one)
        if one.number % 7 == 6:
            people.withdraw(one)
        elif one.number % 8 != 7:
            finish(people, study, one, answered=False)
            failed = ["attentive"] if one.number % 10 == 3 else []
            people.answer_questions(one, {"comment": ""}, failed=failed)
    path = "/api/experimenter/studies/few-or-many/report.html"
    camera.take("people-report", path, {"width": 1000, "height": 1150}, False)


def options(page: Any) -> None:
    """Wait for them."""
    page.locator(".option").first.wait_for()


def finish(people: People, study: PeopleStudy, one: Participant, *, answered: bool) -> None:
    """Play to the end, and through the questions."""
    people.finish(play(people, study, one), study.id)
    if answered:
        people.answer_questions(one, {"comment": ""})


def cells(page: Any) -> None:
    """Wait for them."""
    page.locator(".cell.reachable").first.wait_for()


def example(page: Any) -> Any:
    """The worked example, at a reward."""
    for _ in range(2):
        page.locator("#example-next").click()
    return page.locator("#example")


def hover(page: Any) -> None:
    """Point at a cell."""
    cells(page)
    page.locator(".cell.reachable").last.hover()


# The experimenter ----------------------------------------------------------------


def experimenters(camera: Camera, url: str) -> None:
    """Runs with one under way, a run, the leaderboard with people, the page of a study for people, starting a study."""
    with httpx.Client(base_url=url, timeout=120) as client:
        client.post("/login", data={"password": PASSWORD})
        client.post("/api/studies", json={"text": UNDER_WAY}).raise_for_status()
        while client.get("/api/runs/learners").raise_for_status().json()["done"] < 20:
            time.sleep(0.2)
        camera.take("web-first", "/")
        camera.take("web-runs", "/dashboard", WIDE, False, under_way)
        camera.take("web-run", "/runs/learners", WIDE, False, scores)
        client.post("/api/runs/learners/stop", json={}).raise_for_status()
    camera.take("web-run-sittings", "/runs/programs", WIDE, ready=paths)
    camera.take("web-viewer", "/runs/programs/sittings/35?step=36", WIDE, ready=stepped_through)
    camera.take("web-leaderboard", "/leaderboard")
    camera.take("web-people", "/experimenter")
    camera.take("web-study", "/experimenter/spring", WIDE, ready=everybody)
    camera.take("web-new-study", "/experimenter/new")
    camera.take("web-start", "/studies/new", WIDE, ready=shipped)


def under_way(page: Any) -> None:
    """Once the list moves, with two runs chosen."""
    page.locator("#runs tr", has_text="running").wait_for()
    for name in ("programs", "unseen"):
        page.get_by_role("checkbox", name=f"Choose {name}", exact=True).check()
    page.evaluate("scrollTo(0, 0)")


def scores(page: Any) -> None:
    """Once they are there."""
    page.locator("#scores table").wait_for(timeout=60_000)


def paths(page: Any) -> Any:
    """The sittings of a subject, with their paths."""
    scores(page)
    page.locator("#whose").select_option("follower")
    page.locator("#sittings td", has_text="follower").first.wait_for()
    return page.locator("section", has=page.locator("#sittings"))


def stepped_through(page: Any) -> None:
    """Once the episode is there."""
    page.locator("html[data-ready]").wait_for(state="attached", timeout=60_000)


def everybody(page: Any) -> None:
    """Once participants are there."""
    page.locator("#participants tbody tr").first.wait_for()


def shipped(page: Any) -> None:
    """With a study that comes along, checked."""
    page.locator("#shipped option").nth(1).wait_for(state="attached")
    page.locator("#shipped").select_option(index=1)
    page.get_by_role("button", name="Check").click()
    page.locator("#news", has_text="is valid").wait_for(timeout=60_000)


# The research view ---------------------------------------------------------------


def research(camera: Camera) -> None:
    """Several worlds, the editor of Lambda, the Pareto plot, a phone."""
    camera.take("research-lambda", "/research", WIDE, False, in_lambda)
    camera.take("research-lambda-editor", "/research", WIDE, ready=built)
    camera.take("research-lambda-star", "/research", WIDE, False, on_torus)
    camera.take("research-bf", "/research", WIDE, False, in_program)
    camera.take("research-framotec", "/research", WIDE, False, in_task)
    camera.take("research-front", "/research", WIDE, ready=plotted)
    camera.take("research-beside", "/research", WIDE, False, beside)
    camera.take("research-phone", "/research", PHONE, False, in_lambda)


def generate(page: Any, world: str, subject: str, steps: int, **parameters: str) -> None:
    """An environment of a world, played for some steps."""
    page.locator("html[data-ready]").wait_for(state="attached")
    page.locator("#world").select_option(world)
    page.locator(f"#parameter-fields [data-name={next(iter(parameters))}]").wait_for(
        state="attached"
    )
    page.locator("#parameters > summary").click()
    for name, value in parameters.items():
        entry = page.locator(f"#parameter-fields [data-name={name}]").locator(
            "input, textarea, select"
        )
        if entry.evaluate("one => one.tagName") == "SELECT":
            entry.select_option(f'"{value}"')
        else:
            entry.fill(value)
    page.locator("#parameters > summary").click()
    page.locator("#environment-seed").fill("7")
    page.locator("#subject").select_option(subject)
    page.locator("#generator button").click()
    page.locator("#status", has_text="Interaction 0").wait_for(timeout=60_000)
    for number in range(1, steps + 1):
        page.locator("#step").click()
        page.locator("#status", has_text=f"Interaction {number} ").wait_for()


def at_visit(page: Any) -> None:
    """Look at the picture; where there is room, everything is on one screen."""
    if page.evaluate("innerWidth < 1000"):
        page.evaluate("document.querySelector('#visit').scrollIntoView()")
    else:
        page.evaluate("scrollTo(0, 0)")


def in_lambda(page: Any) -> None:
    """A space of six cells."""
    generate(page, "lambda-v1", "follower", 5, cells="6", actions="4")
    at_visit(page)


def built(page: Any) -> Any:
    """The editor."""
    generate(page, "lambda-v1", "", 0, cells="6", actions="4")
    page.locator("#build > summary").click()
    return page.locator("#editor fieldset").first


def on_torus(page: Any) -> None:
    """Five subjects."""
    generate(page, "lambda-star-v2", "local-search", 6, subjects="5", rows="10", cols="10")
    at_visit(page)


def beside(page: Any) -> None:
    """The same torus with two subjects."""
    generate(page, "lambda-star-v2", "random", 0, subjects="5", rows="10", cols="10")
    page.locator("#beside").click()
    page.locator("#other-status", has_text="Interaction 0").wait_for()
    page.locator("#subject").select_option("local-search")
    page.locator("#seat").click()
    page.locator("#status", has_text="local-search").wait_for()
    for number in range(1, 13):
        page.locator("#step").click()
        page.locator("#other-status", has_text=f"Interaction {number} ").wait_for()


def in_program(page: Any) -> None:
    """A program that has run a few times."""
    generate(page, "bf-v1", "random", 4, program=",[->+<]>%.,+.#", horizon="20")
    at_visit(page)


def in_task(page: Any) -> None:
    """A plotter, moved by a controller."""
    generate(page, "framotec-v1", "pid", 8, task="plotter-2d")
    page.locator("#speed").select_option("0")
    page.locator("#play").click()
    page.locator("#status", has_text="has ended").wait_for(timeout=60_000)
    at_visit(page)


def plotted(page: Any) -> Any:
    """Time and energy."""
    generate(page, "framotec-v1", "coasting", 0, task="car-race")
    page.locator("#speed").select_option("0")
    page.locator("#play").click()
    page.locator("#status", has_text="has ended").wait_for(timeout=60_000)
    page.locator("#front").click()
    page.locator("#front-picture img").wait_for(timeout=60_000)
    return page.locator("#front-part")


if __name__ == "__main__":
    main()
