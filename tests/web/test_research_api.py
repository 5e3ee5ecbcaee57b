"""The API of the research view: forms, environments, visits, editors; and files that assessments really use."""

import copy
import inspect
import json
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.web.conftest import Serve, Served
from typer.testing import CliRunner

from mensura.assessments.human_starts import HumanStarts
from mensura.cli.main import app as command_line
from mensura.core.registry import WORLDS
from mensura.records.pools import Pool
from mensura.web.research.editors import editors
from mensura.web.research.routes import router
from mensura.web.security import Limiter
from mensura.worlds.echo import Echo
from mensura.worlds.lambda_class.paper import GOOD_AND_EVIL
from mensura.worlds.lambda_class.space import Space, grid

API = "/api/research"

ROUTES = [*router.routes, *(route for one in editors() for route in one.router.routes)]


@pytest.fixture(scope="module")
def client(served: Served) -> Any:
    with served.experimenter() as one:
        yield one


def drawn(client: httpx.Client, world: str, **more: Any) -> dict[str, Any]:
    answer = client.post(f"{API}/environments", json={"world": world, "seed": "7", **more})
    assert answer.status_code == 200, answer.text
    description: dict[str, Any] = answer.json()["description"]
    return description


def begun(client: httpx.Client, world: str, description: Any = None, **more: Any) -> dict[str, Any]:
    description = description or drawn(client, world)
    body = {"world": world, "description": description, "seed": "7", **more}
    answer = client.post(f"{API}/visits", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


# Who may --------------------------------------------------------------------------------


def test_only_the_experimenter_may_unless_it_is_for_all(served: Served, serve: Serve) -> None:
    with served.client() as stranger:
        assert stranger.get("/research").status_code == 401
        assert "Research view" not in stranger.get("/").text
        for route in ROUTES:
            path = re.sub(r"\{\w+\}", "x", route.path)  # type: ignore[attr-defined]
            (method,) = route.methods - {"HEAD"}  # type: ignore[attr-defined]
            assert stranger.request(method, path, json={}).status_code == 401
    with serve(research_for_all=True).client() as anybody:
        assert "Research view" in anybody.get("/").text
        assert anybody.get("/research").status_code == 200
        assert begun(anybody, "lambda-v1")["state"]["interaction"] == 0


def test_strangers_cannot_ask_for_ever(serve: Serve) -> None:
    open_to_all = serve(research_for_all=True)
    open_to_all.app.state.research_limits = Limiter(burst=3, per_second=0.0)
    with open_to_all.client() as anybody:
        statuses = [anybody.get(f"{API}/framotec/operations").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    with open_to_all.experimenter() as one:
        assert one.get(f"{API}/framotec/operations").status_code == 200


def test_nothing_of_it_holds_up_the_others() -> None:
    """Plain functions run in threads; a coroutine would work in the one loop that serves everybody."""
    for route in ROUTES:
        assert not inspect.iscoroutinefunction(route.endpoint)  # type: ignore[attr-defined]


# Worlds ---------------------------------------------------------------------------------


@pytest.mark.parametrize("world", WORLDS.names())
def test_a_form_has_every_parameter_preset_measure_and_subject(
    client: httpx.Client, world: str
) -> None:
    form = client.get(f"{API}/worlds/{world}").json()
    kind = WORLDS.load(world)
    assert [one["name"] for one in form["parameters"]] == [one.name for one in fields(kind)]
    assert set(form["presets"]) == set(kind.presets)
    assert {one["name"] for one in form["measures"]} == set(kind().measures)
    assert {one["name"] for one in form["subjects"]} >= set(kind().subject_names)


def test_what_is_offered_depends_on_the_parameters(client: httpx.Client) -> None:
    def offered(**body: Any) -> dict[str, Any]:
        answer = client.post(f"{API}/worlds", json={"world": "lambda-star-v2", **body})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    plain, commons = offered(), offered(preset="commons")
    assert commons == offered(parameters={"task": "commons"})
    assert {one["name"] for one in plain["measures"]} >= {"K"}
    assert commons["measures"] == []
    names = [{one["name"] for one in found["subjects"]} for found in (plain, commons)]
    assert "oracle" in names[0] - names[1]
    assert "prudent" in names[1] - names[0]
    assert ("bite" in plain["idle"], "bite" in commons["idle"]) == (True, False)
    assert ("company" in plain["idle"], "company" in commons["idle"]) == (False, True)
    wrong = client.post(f"{API}/worlds", json={"world": "lambda-star-v2", "preset": "common"})
    assert wrong.status_code == 400
    assert "has no preset" in wrong.json()["error"]


@pytest.mark.parametrize(
    "world",
    [
        pytest.param(
            world,
            marks=[pytest.mark.thorough]
            if world in ("constraints-v1", "items-v1", "lambda-star-v2")
            else [],
        )
        for world in WORLDS.names()
    ],
)
def test_what_a_form_offers_by_default_is_taken_back(client: httpx.Client, world: str) -> None:
    """All parameters, sent as they came, make the same environment as none at all, under every preset."""
    form = client.get(f"{API}/worlds/{world}").json()
    for preset, changes in form["presets"].items():
        given = {one["name"]: one["default"] for one in form["parameters"]} | changes
        whole = drawn(client, world, preset=preset, parameters=given)
        assert whole == drawn(client, world, preset=preset)


def test_a_wanted_complexity_is_kept(client: httpx.Client) -> None:
    within = {"measure": "lempel_ziv", "low": 4, "high": 4}
    visit = begun(client, "lambda-v1", drawn(client, "lambda-v1", within=within))
    (told,) = (one for one in visit["about"]["complexities"] if one["name"] == "lempel_ziv")
    assert told["value"] == 4


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"world": "nowhere"}, "There is no world 'nowhere'"),
        ({"world": "lambda-v1", "parameters": {"cell": 3}}, "no parameter 'cell'"),
        ({"world": "lambda-v1", "parameters": {"cells": "x"}}, "cells is 'x'"),
        ({"world": "lambda-v1", "parameters": {"cells": 1.5}}, "cells is 1.5"),
        ({"world": "lambda-v1", "preset": "x"}, "has no preset 'x'"),
        ({"world": "lambda-v1", "within": {"measure": "K", "low": 1, "high": 2}}, "no complexity"),
        ({"world": "lambda-star-v2", "parameters": {"future": ["a"]}}, "future is ['a']"),
        ({"world": "lambda-star-v2", "parameters": {"guided": 1}}, "guided is 1"),
        ({"world": "framotec-v1", "parameters": {"task": "/etc/passwd"}}, "no sample task"),
        ({"world": "framotec-v1", "parameters": {"task": "{"}}, "not JSON"),
        ({"world": "lambda-v1", "seed": "99999999999999999999"}, "2^64"),
    ],
)
def test_what_makes_no_world_gets_a_sentence(
    client: httpx.Client, body: dict[str, Any], sentence: str
) -> None:
    answer = client.post(f"{API}/environments", json=body)
    assert answer.status_code in (400, 404)
    assert sentence in answer.json()["error"]


# Visits ---------------------------------------------------------------------------------


def test_a_visit_goes_forth_and_back(client: httpx.Client) -> None:
    visit = begun(client, "lambda-v1", subject="follower")["state"]
    path = f"{API}/visits/{visit['visit']}"
    first = client.post(f"{path}/steps", json={"count": 10}).json()
    second = client.post(f"{path}/steps", json={"count": 5}).json()
    assert (first["interaction"], second["interaction"]) == (10, 15)
    assert client.post(f"{path}/back", json={"to": 10}).json() == first
    assert client.post(f"{path}/steps", json={"count": 5}).json() == second
    assert client.get(path).json()["state"] == second
    other = client.post(f"{path}/episodes", json={"seed": "8", "subject": "random"}).json()["state"]
    assert (other["interaction"], other["seed"], other["subject"]) == (0, "8", "random")
    assert client.delete(path).status_code == 204
    gone = client.get(path)
    assert gone.status_code == 404
    assert "This visit is over" in gone.json()["error"]


def test_a_step_that_was_done_already_is_not_done_again(client: httpx.Client) -> None:
    path = f"{API}/visits/{begun(client, 'lambda-v1')['state']['visit']}"
    assert client.post(f"{path}/steps", json={"after": 0}).status_code == 200
    assert client.post(f"{path}/steps", json={"after": 0}).status_code == 409
    assert client.get(path).json()["state"]["interaction"] == 1


_MUTATIONS = st.sampled_from(
    [None, True, -1, 0, 3, 2**40, 1.5, "", "x", [], [0], [[0]], {}, {"kind": "markov"}, "9" * 50]
)


@pytest.mark.parametrize("world", WORLDS.names())
@settings(max_examples=examples(4, 25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_a_description_holds_it_is_never_a_500(
    client: httpx.Client, world: str, data: st.DataObject
) -> None:
    description = copy.deepcopy(drawn(client, world))
    place: Any = description
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        at = data.draw(st.sampled_from(keys))
        if isinstance(place[at], dict | list) and data.draw(st.booleans()):
            place = place[at]
            continue
        place[at] = data.draw(_MUTATIONS)
        break
    body = {"world": world, "description": description, "seed": "7", "subject": "random"}
    answer = client.post(f"{API}/visits", json=body)
    assert answer.status_code in (201, 400, 422), answer.text
    if answer.status_code == 201:
        path = f"{API}/visits/{answer.json()['state']['visit']}"
        assert client.post(f"{path}/steps", json={"count": 2}).status_code == 200
        client.delete(path)
    else:
        assert answer.json()["error"].endswith((".", "?"))


# Files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("world", "parameters", "subject"),
    [
        (
            "lambda-v1",
            {"subjects": 2, "cells": 5, "actions": 3, "good_drops": [0.5, 0.25], "sieves": []},
            "oracle",
        ),
        ("lambda-star-v2", {"rows": 5, "cols": 6, "subjects": 2, "horizon": 20}, "local-search"),
        pytest.param(
            "framotec-v1",
            {"task": "plotter-2d", "subjects": 2, "horizon": 20},
            "plotter",
            marks=pytest.mark.thorough,
        ),
        pytest.param("framotec-v1", {"horizon": 20}, "", marks=pytest.mark.thorough),
    ],
)
def test_a_saved_environment_is_assessed_by_the_command_that_is_told(
    client: httpx.Client,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    world: str,
    parameters: dict[str, Any],
    subject: str,
) -> None:
    """And in the assessment the environment pays what it paid in the visit's world: the file is the environment."""
    monkeypatch.chdir(tmp_path)
    body = {"parameters": parameters}
    visit = begun(client, world, drawn(client, world, **body), **body, subject=subject)
    about = visit["about"]
    Path(about["file"]).write_text(json.dumps(about["description"]), encoding="utf-8")
    words = shlex.split(about["command"])
    assert words[:3] == ["mensura", "assess", subject or "random"]
    more = ["--sittings", "2", "--seed", "3", "--json", "scores.json"]
    result = CliRunner().invoke(command_line, [*words[1:], *more], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    (row,) = json.loads(Path("scores.json").read_text(encoding="utf-8"))
    assert row["subject"] == (subject or "random")
    read = client.post(f"{API}/files", json={"data": about["description"]}).json()
    assert read["world"] == world
    assert read["descriptions"] == [about["description"]]


def test_files_of_several_environments_are_read_and_others_refused(client: httpx.Client) -> None:
    two = [drawn(client, "lambda-star-v2"), drawn(client, "lambda-star-v2", seed="8")]
    assert client.post(f"{API}/files", json={"data": two}).json()["descriptions"] == two
    for wrong in (3, "x", [], {"a": 1}, [two[0], {"a": 1}], None):
        answer = client.post(f"{API}/files", json={"data": wrong})
        assert answer.status_code == 400, wrong
        assert answer.json()["error"]


# Editors --------------------------------------------------------------------------------


def test_a_space_is_read_from_both_texts_from_arrows_and_ready_ones(client: httpx.Client) -> None:
    def asked(**body: Any) -> dict[str, Any]:
        answer = client.post(f"{API}/lambda/space", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    thesis = "1+2++3|1+23-|1+23|1+2--3-"
    space = Space.parse(thesis)
    one = asked(text=thesis)
    assert one["thesis"] == thesis
    assert asked(text=one["theory"])["shifts"] == one["shifts"]
    assert asked(arrows=one["arrows"])["arrows"] == [list(cell) for cell in space.arrows]
    assert asked(ready="grid", sizes=[3, 3])["thesis"] == grid(3, 3).text()
    assert (one["strong"], one["cells"], one["actions"]) == (True, 4, 4)
    loose = asked(arrows=[[0, 1], [1, 0], [2, 0]])
    assert (loose["strong"], loose["weak"]) == (False, True)


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("lambda/space", {"text": "1+2*|1"}, "at character"),
        ("lambda/space", {"ready": "grid", "sizes": [100, 100]}, "at most 400 cells"),
        ("lambda/space", {"arrows": [[0, 5], [1, 0]]}, "leads to 5"),
        ("lambda/space", {}, "Give a space"),
        ("lambda/space/drawn", {"cells": [9, 2], "actions": [2]}, "cells"),
        ("lambda/space/drawn", {"cells": [3], "actions": [2], "topology": "x"}, "topology is 'x'"),
        ("lambda/pattern/drawn", {"actions": 2, "p_stop": 0}, "p_stop is 0"),
        ("lambda/program", {"text": "a -> b\nno rule"}, "Rule 2"),
        ("framotec/tasks", {"text": "name: x\nobjects:\n  - nam: a\n"}, "line 3"),
        ("framotec/operations", {"text": "", "operation": "x"}, "no operation 'x'"),
        ("framotec/front", {"text": "- 1"}, "the task"),
    ],
)
def test_an_editor_says_what_is_wrong_and_where(
    client: httpx.Client, path: str, body: dict[str, Any], sentence: str
) -> None:
    answer = client.post(f"{API}/{path}", json=body)
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]


def test_spaces_patterns_and_programs_make_an_environment(client: httpx.Client) -> None:
    """Figures 4.2 and 4.3 by hand: a drawn space, a drawn pattern, and a program for an object."""
    drawing = {"cells": [5], "actions": [3], "seed": "1"}
    space = client.post(f"{API}/lambda/space/drawn", json=drawing).json()
    assert (space["cells"], space["actions"]) == (5, 3)
    pattern = client.post(
        f"{API}/lambda/pattern/drawn", json={"actions": 3, "p_stop": 0.2, "seed": "1"}
    )
    rules = {"text": str(GOOD_AND_EVIL)}
    program = client.post(f"{API}/lambda/program", json=rules).json()["program"]
    description = {
        "space": {"shifts": space["shifts"]},
        "good_and_evil": {"kind": "pattern", "moves": pattern.json()["moves"]},
        "objects": [{"kind": "shy"}, {"kind": "markov", "program": program}],
        "starts": [0, 1, 2, 3, 4],
    }
    state = begun(client, "lambda-v1", description)["state"]
    (cells,) = (one for one in state["tables"] if one["name"] == "cells")
    assert [row[2] for row in cells["rows"]] == ["Good", "Evil", "ω_1", "ω_2", "subject"]
    assert len(state["words"]) == 4


def test_operations_change_tasks_and_take_no_files(client: httpx.Client, tmp_path: Path) -> None:
    text = client.get(f"{API}/framotec/tasks/car-race").json()["text"]

    def operated(operation: str, **arguments: Any) -> httpx.Response:
        body = {"text": text, "operation": operation, "arguments": arguments}
        return client.post(f"{API}/framotec/operations", json=body)

    (noisy,) = operated("add-noise", distortion=2).json()["tasks"]
    assert "distortion: 2.5" in noisy["text"]
    (both,) = operated("in-sequence", **{"with": "parking"}).json()["tasks"]
    assert "2 objects" in both["sentence"] or "objects" in both["sentence"]
    secret = tmp_path / "secret.yaml"
    secret.write_text("password: 12345", encoding="utf-8")
    refused = operated("in-sequence", **{"with": str(secret)})
    assert refused.status_code == 400
    assert "12345" not in refused.text
    assert operated("add-noise").json()["error"] == "add-noise needs distortion."
    assert operated("add-noise", distortion="much").status_code == 400


def test_every_operation_is_offered(client: httpx.Client) -> None:
    from mensura.worlds.framotec.model.operations import OPERATIONS

    offered = client.get(f"{API}/framotec/operations").json()
    assert [one["name"] for one in offered] == list(OPERATIONS)


def test_a_front_shows_what_an_episode_spends(client: httpx.Client) -> None:
    visit = begun(client, "framotec-v1", subject="plotter")["state"]["visit"]
    client.post(f"{API}/visits/{visit}/steps", json={"count": 1000})
    front = client.get(f"{API}/visits/{visit}/front").json()
    assert "this episode" in front["svg"]
    times, least, most = zip(*front["rows"], strict=True)
    assert list(times) == sorted(times)
    assert list(least) == sorted(least, reverse=True)
    assert all(low <= high * (1 + 1e-9) for low, high in zip(least, most, strict=True))
    other = begun(client, "lambda-v1")["state"]["visit"]
    assert client.get(f"{API}/visits/{other}/front").status_code == 400


def test_moments_are_marked_and_saved_as_a_pool(client: httpx.Client, tmp_path: Path) -> None:
    begun_visit = begun(client, "echo-v1")
    visit = f"{API}/visits/{begun_visit['state']['visit']}"
    assert client.get(f"{visit}/pool").status_code == 400
    for count in (3, 4, 0):  # the last is the same moment again
        if count:
            client.post(f"{visit}/steps", json={"actions": [0], "count": count})
        answer = client.post(f"{visit}/checkpoints")
        assert answer.status_code == 200, answer.text
    assert answer.json() == {"count": 2}
    saved = client.get(f"{visit}/pool")
    assert saved.headers["content-disposition"] == 'attachment; filename="checkpoints.pool"'
    (tmp_path / "my.pool").write_bytes(saved.content)
    pool = Pool.read(tmp_path / "my.pool")
    assert [one.interaction for one in pool.checkpoints] == [3, 7]
    assert len(pool.episodes) == 1
    assert pool.checkpoints[0].player.startswith("person-")
    assert len(pool.pictures) == 2
    HumanStarts(str(tmp_path / "my.pool")).check(Echo())
    client.post(f"{visit}/steps", json={"actions": [0], "count": 1000})
    answer = client.post(f"{visit}/checkpoints")
    assert answer.status_code == 400
    assert "The episode is over" in answer.json()["error"]
