"""Traces: an episode stepped through letter by letter, and agents looked into, exactly as they were."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.api.watching import play
from mensura.core.contract import Stopped
from mensura.core.mixed import Mixed
from mensura.records.store import open_store
from mensura.studies import runs
from mensura.studies.replay import page_of
from mensura.studies.study import study_from_plain
from mensura.studies.subjects import resolve
from mensura.worlds.constraints.agent_base.algorithm import Algorithm
from mensura.worlds.constraints.episode_page import EpisodePage
from mensura.worlds.constraints.layout import form_of, places_of
from mensura.worlds.constraints.picture import broken_by, drawn
from mensura.worlds.constraints.trace import Trace
from mensura.worlds.constraints.world import Constraints


def traced(address: Any, kind: type[Trace] = Trace, **given: Any) -> Any:
    world = Constraints(**{"family": "coloring", "nodes": 6, "links": 9, "horizon": 12, **given})
    subject = resolve(address, world) if isinstance(address, str) else address(world)
    trace = kind(subject)
    play(trace.subject, world.hosting(subject), lambda view: [trace], seed=3)
    return trace


SMALL: dict[str, Any] = {"family": "coloring", "nodes": 6, "links": 9}
QUEENS: dict[str, Any] = {
    "family": "queens",
    "nodes": None,
    "links": None,
    "n": 6,
    "horizon": 100,
}
SENSORS: dict[str, Any] = {"family": "sensors", "nodes": None, "links": None}


@pytest.mark.parametrize(
    ("algorithm", "given"),
    [
        *((one, {}) for one in ("abt", "awcs", "dsa", "mgm", "mgm-2", "afc", "dbs", "aas", "abt-do")),
        pytest.param("adopt", SENSORS, marks=pytest.mark.thorough),
        *((one, SENSORS) for one in ("dpop", "bnb-adopt", "afb", "sync-bb", "max-sum", "mb-dpop")),
        ("awcs", {"delays": "random"}),
        ("dsa+awcs*5", {}),
    ],
)  # fmt: skip
def test_an_agent_is_made_again_as_it_was(algorithm: str, given: dict[str, Any]) -> None:
    """Forward, backward and out of order, it has the value that it had then."""
    trace = traced(algorithm, **given)
    values = [list(trace.first_values)]
    for one in trace.turns(0, 10_000):
        values.append(list(values[-1]))
        for variable, before, after in one["values"]:
            assert values[-2][variable] == before
            values[-1][variable] = after
    told = 0
    for turn in [0, len(trace.frames) - 1, 1, *range(len(trace.frames))]:
        for seat, own in enumerate(trace.problem.variables_of):
            if seat not in trace.frames[turn].due:
                continue
            agent = trace.agent(seat, turn)
            made = trace._rebuilt[seat][1]
            assert made.knows.domain[made.value] == tuple(values[turn + 1][v] for v in own)
            assert agent["known"]
            told += len(agent["reasons"])
            json.dumps(agent)
    assert told


def test_what_changes_adds_up_to_how_it_ends() -> None:
    trace = traced("awcs", **QUEENS)
    over = trace.overview()
    broken, values = set(over["broken"]), list(over["values"])
    assert broken == set(broken_by(trace.problem, values))
    for one in trace.turns(0, over["turns"]):
        for variable, _, after in one["values"]:
            values[variable] = after
        broken = (broken | set(one["broken"])) - set(one["mended"])
        assert broken == set(broken_by(trace.problem, values))
    assert over["curves"]["cost"][-1] == trace.problem.cost(values) == 0
    counts = [one["letters"] for one in trace.turns(0, over["turns"])]
    assert sum(counts) == over["curves"]["messages"][-1]
    assert over["ended"] == "all letters are read"
    mine = trace.letters(0, 0, 100, agent=2)
    assert mine
    assert all(one == 2 for _, one, _, _ in mine)


def test_of_strangers_only_letters_are_known_and_pickers_show_what_was_open() -> None:
    class Silent:
        def act(self, observation: Any, reward: float) -> Any:
            return {"value": observation["value"], "mail": []}

    class First:
        def act(self, observation: Any, reward: float) -> int:
            return int(observation["open"][0])

    def mixed(kind: type) -> Any:
        return lambda world: Mixed(
            [(InProcess("own", kind), 1), (world.group([("abt", {}, 1)]), 5)]
        )

    trace = traced(mixed(Silent))
    assert trace.agent(0, 0) | {"read": []} == trace.agent(0, 0)
    assert not trace.agent(0, 0)["known"]
    assert trace.agent(1, 0)["known"]
    trace = traced(mixed(First), proxies=("0:abt",))
    names = [one["name"] for one in trace.agent(0, 0)["tables"]]
    assert names == ["values it was told", "values that were open"]
    assert trace.letters(0, 0, 100, agent=0)


def test_looking_changes_nothing_that_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents that explain themselves write the same letters."""
    plain = traced("awcs", **QUEENS)
    monkeypatch.setattr(Algorithm, "explains", True)
    told = traced("awcs", **QUEENS)
    assert [one.letters for one in plain.frames] == [one.letters for one in told.frames]


def test_a_trace_that_takes_too_long_is_cut_off() -> None:
    world = Constraints(**SMALL)
    trace = Trace(resolve("dsa", world), seconds=0.0)
    with pytest.raises(Stopped):
        play(trace.subject, world, lambda view: [trace], seed=3)
    assert trace.overview()["turns"] == 1
    assert "cut off" in trace.overview()["ended"]


def test_what_is_not_there_is_told_in_a_sentence() -> None:
    trace = traced("dsa")
    with pytest.raises(MensuraError, match="There is no turn 99; 12 were played"):
        trace.agent(0, 99)
    with pytest.raises(MensuraError, match="There is no agent 77"):
        trace.agent(77, 0)


def test_a_page_has_all_in_it_and_asks_nobody() -> None:
    page = traced("awcs", EpisodePage, **QUEENS)
    written = page.page()
    assert not re.findall(r"https?://|@import|src=", written)
    (data,) = re.findall(r'id="episode-data">(.*?)</script>', written, re.S)
    read = json.loads(data)
    assert len(read["turns"]) == len(read["letters"]) == len(read["agents"]) == len(page.frames)
    assert read["agents"][2][3]["reasons"] == page.agent(3, 2)["reasons"]


def test_a_recorded_episode_becomes_a_page(tmp_path: Path) -> None:
    """From keys, agents are what they were; the second episode of a sitting is another."""
    study = study_from_plain(
        {
            "mensura": 1,
            "name": "kept",
            "seed": 7,
            "subjects": ["abt"],
            "worlds": [{"world": "constraints-v1", "parameters": {"family": "queens", "n": 5}}],
            "assessments": [
                {"assessment": "attempts", "parameters": {"attempts": 2, "sittings": 1}}
            ],
        }
    )
    with open_store(tmp_path / "store.db") as store:
        run = runs.begin(store, study)
        runs.resume(store, run)
        pages = [page_of(store, run, 0, sequence) for sequence in range(2)]
        with pytest.raises(MensuraError, match="has 2 episodes, and no episode 3"):
            page_of(store, run, 0, 2)
    assert pages[0] != pages[1]
    (data,) = re.findall(r'id="episode-data">(.*?)</script>', pages[1], re.S)
    read = json.loads(data)
    assert read["overview"]["curves"]["cost"][-1] == 0
    assert read["agents"][1][4]["known"]


@pytest.mark.parametrize(
    ("given", "form"),
    [
        (QUEENS, "board"),
        ({"family": "folding", "nodes": None, "links": None, "dimensions": 3}, "lattice"),
        ({"family": "exploration", "nodes": None, "links": None}, "map"),
        ({}, "graph"),
        (SENSORS, "graph"),
    ],
)
def test_problems_look_like_what_they_are(given: dict[str, Any], form: str) -> None:
    world = Constraints(**{"family": "coloring", "nodes": 6, "links": 9, **given})
    problem = world.problem(world.sample(1))
    assert world.form(problem) == form
    picture = drawn(problem, [0] * len(problem.variables), world.form(problem))
    assert picture.shapes
    again = places_of(world.problem(world.sample(1)))
    assert (places_of(problem) == again).all()
    assert (again >= 0).all()
    assert (again <= 1).all()
    assert form_of(problem, "universal") == "graph"


@pytest.mark.parametrize(
    ("algorithm", "given", "tables"),
    [
        ("abt", {}, {"values it knows", "removed values", "links"}),
        ("awcs", {}, {"values and priorities", "nogoods"}),
        ("afc", {}, {"own values", "steps"}),
        ("sync-bt", {}, {"own values"}),
        ("dbs", {}, {"choices", "own values in this session"}),
        ("aas", {}, {"choices", "newest sets above", "proposed", "products tried in this session"}),
        ("afb", SENSORS, {"own values", "steps", "costs", "estimates of those ahead"}),
        ("sync-bb", SENSORS, {"own values", "costs"}),
        ("max-sum", SENSORS, {"what factors say that values cost"}),
        ("adopt", SENSORS, {"bounds", "threshold"}),
    ],
)
def test_agents_show_what_they_keep_and_say_why(
    algorithm: str, given: dict[str, Any], tables: set[str]
) -> None:
    trace = traced(algorithm, **given)
    shown: set[str] = set()
    silent = []
    for turn, frame in enumerate(trace.frames):
        for seat in frame.due:
            agent = trace.agent(seat, turn)
            shown |= {one["name"] for one in agent["tables"] if one["rows"]}
            if any(writer == seat for writer, _, _ in frame.letters) and not agent["reasons"]:
                silent.append((turn, seat))
    assert tables <= shown
    if algorithm in ("afc", "dbs", "aas"):
        assert not silent  # whoever writes says why
