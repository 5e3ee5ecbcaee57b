"""The research view in a real browser: an environment built, seen, played, saved and loaded, in each of the worlds."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Served, log_in, violations

from mensura.records.pools import Pool

PARKED = """
name: <b>parked</b>
objects:
  - {name: car, value: 0, mass: 1, bounds: [-10, 10]}
motors:
  - {name: engine, targets: {car: 1}, power: 5}
sensors:
  - {name: reading, source: car}
goals:
  - {name: there, of: car, value: 5, tolerance: 1}
limits: {time: 20, energy: 100}
"""


@pytest.fixture
def page(served: Served, browser_page: Any) -> Any:
    """The view, opened by the experimenter; nothing may go wrong in it, and nothing come from elsewhere."""
    log_in(browser_page, served.url)
    browser_page.goto(f"{served.url}/research")
    browser_page.wait_for_selector("html[data-ready]")
    yield browser_page
    expected = [one for one in browser_page.problems if "status of 4" not in one]
    assert expected == []
    assert all(
        url.startswith((served.url, "data:", f"blob:{served.url}"))
        for url in browser_page.requested
    )


def status(page: Any, text: str) -> str:
    """The line on where the visit is, once it says this."""
    page.locator("#status", has_text=text).wait_for()
    found: str = page.locator("#status").inner_text()
    return found


def choose_world(page: Any, world: str) -> None:
    own = {
        "lambda-v1": "sieves",
        "lambda-star-v2": "rows",
        "framotec-v1": "dimensions",
        "bf-v1": "symbols",
        "items-v1": "family",
    }[world]
    if (
        page.locator("#world").input_value() != world
    ):  # else nobody could tell when it is there anew
        page.locator("#world").select_option(world)
    page.locator(f"#parameter-fields [data-name={own}]").wait_for(state="attached")


def written(page: Any, text: str) -> None:
    """Wait until the first text of the editor holds this."""
    for _ in range(1200):
        if text in page.locator("#editor textarea").first.input_value():
            return
        page.wait_for_timeout(50)
    raise AssertionError(page.locator("#editor textarea").first.input_value())


def set_parameter(page: Any, name: str, value: str) -> None:
    page.locator("#parameters").evaluate("one => { one.open = true }")
    page.locator(f"#parameter-fields [data-name={name}] :is(input, textarea)").fill(value)


def generate(page: Any) -> None:
    page.get_by_role("button", name="Generate", exact=True).click()
    status(page, "Interaction 0")


def rows(page: Any, number: int = 0) -> list[list[str]]:
    """A table of the state."""
    table = page.locator("#tables > details").nth(number).locator("tbody tr")
    return [one.locator("th, td").all_inner_texts() for one in table.all()]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("world", "other"), [("lambda-v1", "framotec-v1"), ("framotec-v1", "lambda-v1")]
)
def test_a_visit_goes_on_in_its_own_world_whichever_was_chosen_since(
    page: Any, world: str, other: str
) -> None:
    choose_world(page, world)
    if world == "lambda-v1":
        set_parameter(page, "cells", "5")
    generate(page)
    choose_world(page, other)
    page.get_by_role("button", name="Change it by hand").click()
    page.locator("#build[open]").wait_for()
    assert page.locator("#world").input_value() == world
    assert page.locator("#editor").inner_text()
    if world == "lambda-v1":
        assert page.locator("#parameter-fields [data-name=cells] input").input_value() == "5"
    choose_world(page, other)
    page.locator("#another").click()
    page.locator("#visit-title:focus").wait_for()
    assert page.locator("#world").input_value() == world


def saved(page: Any, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as a file").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.thorough
def test_play_goes_on_after_a_pause_while_a_step_was_under_way(page: Any) -> None:
    set_parameter(page, "cells", "5")
    generate(page)
    page.locator("#subject").select_option("random")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "Played by: random")

    held: list[Any] = []
    page.route("**/steps", lambda route: held.append(route), times=1)
    page.locator("#speed").select_option("10")
    with page.expect_request("**/steps"):
        page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    page.locator("#speed").select_option("0")
    page.get_by_role("button", name="Play").click()
    held[0].continue_()
    status(page, "The episode has ended.")


def test_lambda_is_generated_seen_played_and_kept(page: Any, tmp_path: Path) -> None:
    set_parameter(page, "cells", "5")
    set_parameter(page, "actions", "3")
    page.locator("#environment-seed").fill("7")
    generate(page)
    assert violations(page) == []
    cells = rows(page)
    assert [row[0] for row in cells] == ["1", "2", "3", "4", "5"]
    assert len(cells[0]) == 3 + 3
    begin = page.locator("#tables").inner_text()

    # By hand: a button, and a click on a cell.
    page.locator("#hands").get_by_role("button").nth(1).click()
    status(page, "Interaction 1")
    assert page.locator("#picture .reachable").count() >= 2
    page.locator("#picture .reachable").first.click(force=True)
    status(page, "Interaction 2")
    after = page.locator("#tables").inner_text()

    # Back, exactly; and forth again.
    page.get_by_role("button", name="Back a step").click()
    status(page, "Interaction 1")
    page.get_by_role("button", name="To the start").click()
    status(page, "Interaction 0")
    assert page.locator("#tables").inner_text() == begin
    assert after != begin

    # A subject plays, and is paused.
    page.locator("#subject").select_option("q-learning")
    page.get_by_text("Parameters of the subject").click()
    page.locator("#subject-fields").get_by_label("alpha").fill("0.5")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "Played by: q-learning?alpha=0.5")
    page.locator("#speed").select_option("10")
    page.get_by_role("button", name="Play").click()
    status(page, "Interaction 3")
    page.get_by_role("button", name="Pause").click()
    page.locator("#speed").select_option("0")
    page.get_by_role("button", name="Play").click()
    status(page, "The episode has ended.")
    assert page.locator("#step").is_disabled()
    assert page.get_by_role("img", name=re.compile("Mean reward so far")).is_visible()
    assert violations(page) == []

    # A time limit, which ends an episode in which nobody does anything.
    page.get_by_label("Time limit").fill("0.3")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "The time limit of 0.3 seconds is over.")
    assert page.locator("#step").is_disabled()
    page.get_by_label("Time limit").fill("")

    # Another key; then the file, which gives the same environment.
    page.get_by_role("button", name="Another seed").click()
    status(page, "Interaction 0")
    path = saved(page, tmp_path)
    description = json.loads(path.read_text(encoding="utf-8"))
    assert len(description["space"]["shifts"]) == 5
    choose_world(page, "lambda-star-v2")
    page.locator("#file").set_input_files(path)
    page.locator("#world-about", has_text="Cells that arrows connect").wait_for()
    page.wait_for_load_state("networkidle")
    assert page.locator("#world").input_value() == "lambda-v1"
    assert status(page, "Interaction 0 of 100")
    assert json.loads(saved(page, tmp_path).read_text(encoding="utf-8")) == description


@pytest.mark.thorough
def test_lambda_is_built_by_hand(page: Any, tmp_path: Path) -> None:
    generate(page)
    page.locator("#build > summary").click()
    editor = page.locator("#editor")
    editor.get_by_label("Space as a text").fill("1+2++3|1+23-|1+23|1+2--3-")
    editor.get_by_role("button", name="Read the text").click()
    editor.get_by_text("4 cells, 4 actions; strongly connected.").wait_for()
    editor.get_by_label("Where action 1 of cell 1 leads").fill("3")
    editor.get_by_label("Where action 1 of cell 1 leads").press("Tab")
    written(page, "1++2++3")
    editor.get_by_label("Pattern", exact=True).fill("203210200")
    editor.get_by_role("button", name="Add an object").click()
    thing = editor.get_by_role("group", name="Object ω_1")
    thing.get_by_label("Kind").select_option(label="a Markov program")
    thing.get_by_label("Rules").fill("π ->. a_2")
    editor.get_by_label("Cells at the start").fill("1, 2, 3, 4")
    switch = editor.locator("[data-name=division] input")
    switch.fill("2")
    editor.locator("[data-name=consumed] select").select_option('"before"')
    editor.get_by_role("button", name="Begin with this environment").click()
    page.locator("#words", has_text="Good and Evil: pattern 203210200").wait_for()
    assert [row[2] for row in rows(page)] == ["Good", "Evil", "ω_1", "subject"]
    assert rows(page)[0][3:] == ["1", "3", "3", "1"]
    made = json.loads(saved(page, tmp_path).read_text(encoding="utf-8"))
    assert (made["division"], made["consumed"], made["starts"]) == (2.0, "before", [0, 1, 2, 3])
    assert violations(page) == []

    # What cannot be is said in a sentence, and the visit stays.
    editor.get_by_label("Pattern", exact=True).first.fill("9")
    editor.get_by_role("button", name="Begin with this environment").click()
    page.get_by_text("9 in the behavior of Good and Evil is not an action").wait_for()
    assert "pattern 203210200" in page.locator("#words").inner_text()


@pytest.mark.thorough
def test_a_preset_brings_its_own_subjects_complexities_and_parameters(page: Any) -> None:
    choose_world(page, "lambda-star-v2")
    names = "#subject option[value='{}']"
    page.locator("#parameters").evaluate("one => { one.open = true }")
    page.locator(names.format("oracle")).wait_for(state="attached")
    assert page.locator("#parameter-fields [data-name=peaks]").is_hidden()
    page.locator("#preset").select_option("landscape")
    page.locator(names.format("annealing")).wait_for(state="attached")
    assert page.locator(names.format("oracle")).count() == 0
    assert page.locator("#parameter-fields [data-name=company]").is_hidden()
    assert page.locator("#parameter-fields [data-name=peaks]").is_visible()
    generate(page)
    page.locator("#subject").select_option("annealing")
    page.get_by_text("Parameters of the subject").click()
    page.locator("#subject-fields").get_by_label("temperature").fill("0.25")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "Played by: annealing?temperature=0.25")
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1")
    assert violations(page) == []
    # The page that is opened again knows the subject that plays.
    page.reload()
    status(page, "Interaction 1")
    page.locator(names.format("annealing")).wait_for(state="attached")
    # By the parameter alone it is the same.
    page.locator("#preset").select_option("paper")
    page.locator(names.format("oracle")).wait_for(state="attached")
    page.locator("#parameters").evaluate("one => { one.open = true }")
    page.locator("#parameter-fields [data-name=task] select").select_option('"commons"')
    page.locator(names.format("prudent")).wait_for(state="attached")


@pytest.mark.thorough
def test_a_torus_is_played_by_several_hands_and_a_collective(page: Any) -> None:
    choose_world(page, "lambda-star-v2")
    for name, value in (("rows", "4"), ("cols", "5"), ("subjects", "2"), ("horizon", "15")):
        set_parameter(page, name, value)
    page.locator("#preset").focus()
    generate(page)
    assert page.locator("#picture [data-cell]").count() == 20
    before = {row[0]: row for row in rows(page)}
    page.locator("#hands select").nth(1).select_option("6")
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1")
    after = {row[0]: row for row in rows(page)}
    assert int(after["subject 1"][3]) == (int(before["subject 1"][3]) + 1) % 5
    assert after["subject 0"][1] == before["subject 0"][1]
    assert after["Good"][1] in (before["Good"][4], before["Good"][1])
    page.locator("#subject").select_option("+")
    page.get_by_label("Members, as").fill("oracle+local-search")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "Played by: oracle+local-search")
    page.locator("#speed").select_option("0")
    page.get_by_role("button", name="Play").click()
    status(page, "Interaction 15 of 15")
    assert violations(page) == []
    # By hand in the form of any world: another pattern of Good.
    page.locator("#build > summary").click()
    page.locator("#editor [data-name=good_moves] input").fill("5")
    page.locator("#editor [data-name=evil_moves] input").fill("5")
    page.locator("#subject").select_option("")
    page.locator("#editor").get_by_role("button", name="Begin with this environment").click()
    status(page, "Interaction 0")
    page.locator("#words", has_text=re.compile("Good: from cell .*the moves 5$", re.M)).wait_for()
    still = [row[:4] for row in rows(page)]
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1")
    assert [row[:4] for row in rows(page)] == still


@pytest.mark.thorough
def test_a_task_of_ones_own_is_checked_changed_performed_and_plotted(page: Any) -> None:
    choose_world(page, "framotec-v1")
    page.locator("#build > summary").click()
    editor = page.locator("#editor")
    text = editor.get_by_label("Task as YAML")
    written(page, "car race")
    text.fill(PARKED.replace("bounds", "bonds"))
    editor.get_by_role("button", name="Check").click()
    page.get_by_text(re.compile("the task, line 4.*bonds")).wait_for()
    text.fill(PARKED)
    editor.get_by_role("button", name="Check").click()
    editor.get_by_text("The task is valid").wait_for()
    editor.get_by_text("Change it by an operation").click()
    editor.get_by_label("Operation").select_option('"add-noise"')
    editor.get_by_label("distortion").fill("0.25")
    editor.get_by_role("button", name="Do it").click()
    written(page, "0.25")
    editor.get_by_role("button", name="Begin with this task").click()
    status(page, "Interaction 0")
    assert violations(page) == []

    # A motor by hand: the car moves, and stands where it stood after going back.
    page.get_by_label("engine").fill("1")
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1")
    (car,) = rows(page, 1)
    assert float(car[1]) > 0
    page.get_by_role("button", name="Back a step").click()
    status(page, "Interaction 0")
    assert rows(page, 1)[0][1] == "0"

    # A controller performs it; positions over time and the Pareto plot are drawn.
    page.locator("#subject").select_option("pid")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "Played by: pid")
    page.locator("#speed").select_option("0")
    page.get_by_role("button", name="Play").click()
    status(page, "The episode has ended.")
    assert page.locator("#picture svg polyline").count() > 1
    page.locator("#front").click()
    page.locator("#front-picture img").wait_for()
    assert page.locator("#front-picture img").evaluate("one => one.naturalWidth") > 0
    assert page.locator("#front-picture tbody tr").count() > 5
    assert violations(page) == []
    assert page.locator("b").count() == 0  # the name of the task is text


@pytest.mark.thorough
def test_the_keyboard_is_enough(page: Any) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(80):
            if page.evaluate("one => document.activeElement.matches(one)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")

    tab_to("#generator button[type=submit]")
    page.keyboard.press("Enter")
    status(page, "Interaction 0")
    assert page.evaluate("document.activeElement.id") == "visit-title"
    tab_to("#step")
    page.keyboard.press("Enter")
    status(page, "Interaction 1")
    tab_to("#hands button:nth-child(2)")
    for number in (2, 3):  # whoever acts keeps the place
        page.keyboard.press("Enter")
        status(page, f"Interaction {number}")
        assert page.evaluate("document.activeElement.matches('#hands button:nth-child(2)')")
    page.keyboard.press("Shift+Tab")
    for _ in range(10):
        if page.evaluate("document.activeElement.id") == "back":
            break
        page.keyboard.press("Shift+Tab")
    page.keyboard.press(" ")
    status(page, "Interaction 2")


@pytest.mark.thorough
def test_a_phone_has_room_for_it(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    generate(page)
    page.locator("#build > summary").click()
    page.locator("#parameters > summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for one in page.locator("button:visible, summary:visible, select:visible").all():
        assert one.bounding_box()["height"] >= 43.9
    assert violations(page) == []


@pytest.mark.thorough
def test_a_visit_that_is_gone_begins_anew_with_one_button(served: Served, page: Any) -> None:
    page.locator("#environment-seed").fill("5")
    generate(page)
    begin = page.locator("#tables").inner_text()
    served.app.state.visits.close()
    page.get_by_role("button", name="Step", exact=True).click()
    page.get_by_text("This visit is over").wait_for()
    assert violations(page) == []
    page.get_by_role("button", name="Begin anew with the same environment").click()
    page.locator("#gone").wait_for(state="hidden")
    assert page.locator("#tables").inner_text() == begin
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1")


@pytest.mark.thorough
def test_a_page_that_is_opened_again_goes_on(page: Any) -> None:
    generate(page)
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1")
    shown = page.locator("#tables").inner_text()
    page.reload()
    status(page, "Interaction 1")
    assert page.locator("#tables").inner_text() == shown


@pytest.mark.thorough
def test_whoever_clicks_at_once_is_not_too_early(page: Any) -> None:
    page.reload(wait_until="commit")
    page.locator(
        "#generator button[type=submit]"
    ).click()  # a browser waits until it can be clicked
    status(page, "Interaction 0")
    assert page.problems == []


@pytest.mark.thorough
def test_it_speaks_spanish(page: Any) -> None:
    page.get_by_role("link", name="Español").click()
    page.wait_for_selector("html[data-ready]")
    page.get_by_role("button", name="Generar").click()
    status(page, "Interacción 0 de 100.")
    assert page.locator("#tables summary").all_inner_texts()[:2] == ["Celdas", "Todos"]
    page.locator("#words", has_text="Good y Evil: patrón").wait_for()
    page.locator("#sentences", has_text="En cada interacción Good deja").wait_for()
    page.locator("#tables", has_text="sujeto").first.wait_for()
    page.locator("#subject").select_option("follower")
    page.locator("#subject-about", has_text="va adonde está Good, si puede").wait_for()
    assert "celda 1, recompensa" in page.locator("#picture").inner_html()


def test_every_text_that_the_modules_ask_for_is_there() -> None:
    from mensura.web.app import STATIC
    from mensura.web.page_texts import Words

    known = Words("en").group("research")
    asked = {
        name
        for path in (STATIC / "research").glob("*.js")
        for name in re.findall(r'\bt\("([\w.]+)"', path.read_text(encoding="utf-8"))
    }
    assert asked
    assert asked <= set(known)


@pytest.mark.thorough
def test_a_program_is_stepped_forth_and_back_with_its_tapes_and_its_last_run(page: Any) -> None:
    choose_world(page, "bf-v1")
    set_parameter(page, "program", ",+.,.#")
    generate(page)
    assert violations(page) == []
    assert rows(page) == []
    start = page.locator("#picture").inner_html()
    page.locator("#hands").get_by_role("button", name="3", exact=True).click()
    status(page, "Interaction 1")
    first = page.locator("#picture").inner_html()
    assert "the instruction that was last run" in first
    assert "the pointer" in first
    run = rows(page)
    assert [row[1] for row in run] == [",", "+", ".", ",", "."]
    assert [row[5] for row in run if row[5]] == ["3", "2"], "the action, and before it nothing"
    assert [row[6] for row in run if row[6]] == ["4", "2"], "the reward, and what is observed"
    page.locator("#hands").get_by_role("button", name="0", exact=True).click()
    status(page, "Interaction 2")
    assert rows(page)[3][5] == "3", "the action before the last"
    page.get_by_role("button", name="Back a step").click()
    status(page, "Interaction 1")
    assert page.locator("#picture").inner_html() == first
    assert rows(page) == run
    page.get_by_role("button", name="To the start").click()
    status(page, "Interaction 0")
    assert page.locator("#picture").inner_html() == start
    assert violations(page) == []


@pytest.mark.thorough
def test_an_item_is_generated_seen_and_answered_by_a_click_on_an_option(page: Any) -> None:
    choose_world(page, "items-v1")
    page.locator("#preset").select_option("matrices")
    page.locator("#environment-seed").fill("4")
    generate(page)
    assert violations(page) == []
    right = page.locator('#picture [data-action][aria-label^="the right answer"]')
    assert right.count() == 1
    right.click()
    status(page, "Last reward 1, total 1.")
    page.get_by_role("button", name="Back a step").click()
    status(page, "Interaction 0 of 1.")
    page.locator('#picture [data-action][aria-label^="option"]').first.press("Enter")
    status(page, "Last reward -0.14286")
    page.locator("#subject").select_option("pattern-inducer")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "Played by: pattern-inducer")
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "The episode has ended.")
    assert violations(page) == []


def drag(page: Any, to: int) -> None:
    """The time line, as dragging and letting go of it does."""
    page.locator("#time").evaluate(
        "(line, to) => { line.value = to; line.dispatchEvent(new Event('input')); "
        "line.dispatchEvent(new Event('change')); }",
        to,
    )


@pytest.mark.thorough
def test_the_time_line_leads_back_and_forth(page: Any) -> None:
    page.locator("#environment-seed").fill("7")
    generate(page)
    page.locator("#subject").select_option("random")
    page.get_by_role("button", name="Begin the episode with this subject").click()
    status(page, "random")
    drag(page, 12)
    status(page, "Interaction 12 ")
    seen = page.locator("#tables").inner_text()
    drag(page, 3)
    status(page, "Interaction 3 ")
    drag(page, 12)
    status(page, "Interaction 12 ")
    assert page.locator("#tables").inner_text() == seen
    page.locator("#time").focus()
    page.keyboard.press("ArrowLeft")
    status(page, "Interaction 11 ")


@pytest.mark.thorough
def test_two_environments_go_side_by_side(page: Any) -> None:
    page.locator("#environment-seed").fill("7")
    generate(page)
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1 ")
    page.get_by_role("button", name="Keep beside").click()
    page.locator("#other-status", has_text="Interaction 0 ").wait_for()
    choose_world(page, "lambda-star-v2")
    generate(page)
    status(page, "Interaction 0 of 50")
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1 ")
    page.locator("#other-status", has_text="Interaction 1 ").wait_for()
    assert "lambda-v1" in page.locator("#other-title").inner_text()
    left, right = (
        page.locator(f"#{name} svg").bounding_box() for name in ("picture", "other-picture")
    )
    assert left["x"] + left["width"] <= right["x"]
    assert violations(page) == []
    page.get_by_role("button", name="Back a step").click()
    page.locator("#other-status", has_text="Interaction 0 ").wait_for()
    page.get_by_role("button", name="Remove").click()
    page.locator("#other").wait_for(state="hidden")
    page.get_by_role("button", name="Step", exact=True).click()
    status(page, "Interaction 1 ")


@pytest.mark.thorough
@pytest.mark.parametrize("language", ["en", "es"])
def test_picture_controls_and_settings_are_on_one_screen(
    served: Served, page: Any, language: str
) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{served.url}/language/{language}?back=/research")
    page.wait_for_selector("html[data-ready]")
    page.locator("#environment-seed").fill("7")
    page.locator("#generator button[type=submit]").click()
    page.locator("#picture svg").wait_for()
    boxes = {
        name: page.locator(f"#{name}").bounding_box()
        for name in ("picture", "time", "play", "world", "subject", "seat")
    }
    assert all(box["y"] >= 0 and box["y"] + box["height"] <= 800 for box in boxes.values()), boxes
    assert boxes["picture"]["x"] + boxes["picture"]["width"] <= boxes["world"]["x"]
    for label in page.locator("label:visible:not(.unseen)").all():
        assert label.evaluate("one => one.scrollWidth <= one.clientWidth + 1"), label.inner_text()


@pytest.mark.thorough
def test_whoever_plays_marks_checkpoints_and_saves_them_as_a_pool(
    page: Any, tmp_path: Path
) -> None:
    set_parameter(page, "cells", "5")
    generate(page)
    assert not page.locator("#pool").is_visible()
    for number in (1, 2):
        page.locator("#hands").get_by_role("button").nth(1).click()
        status(page, f"Interaction {number}")
        page.get_by_role("button", name="Mark a checkpoint").click()
        page.get_by_role("link", name=f"Save the pool ({number})").wait_for()
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the pool (2)").click()
    download.value.save_as(tmp_path / "my.pool")
    pool = Pool.read(tmp_path / "my.pool")
    assert pool.world == "lambda-v1"
    assert [one.interaction for one in pool.checkpoints] == [1, 2]
    generate(page)
    assert not page.locator("#pool").is_visible()
