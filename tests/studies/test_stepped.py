"""Sittings plan by plan: what a subject answered in physical time can be played again, and doors are chosen."""

from __future__ import annotations

from typing import Any

import pytest
from tests.assessments.ladder import Climber, LadderWorld

from mensura.agent.in_process import InProcess
from mensura.assessments.anytime import Anytime
from mensura.assessments.battery import Battery
from mensura.assessments.timed import Timed
from mensura.records.cell import Cell
from mensura.records.journal import pack, unpack
from mensura.studies.place import Place
from mensura.studies.replay import FromJournal
from mensura.studies.stepped import joined, step
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star.world import LambdaStar

pytestmark = pytest.mark.quick


def place(world: Any, subject: Any, assessment: Any, **more: Any) -> Place:
    cell = Cell(
        0, "", world.id, {}, "", {}, subject.name, subject.name, 3, assessment.sittings, **more
    )
    return Place(cell, world, subject, assessment)


class Slow(Climber):
    """Takes its time, so that slots end at times that nobody foresees."""

    def act(self, observation: float, reward: float) -> int:
        sum(range(2000))
        return super().act(observation, reward)


@pytest.mark.parametrize(
    "assessment",
    [
        Anytime(seconds=0.05, first=0.002, average="diminishing"),
        Timed(1, 3, seconds=0.01, memory="continuous"),
    ],
)
def test_a_sitting_in_physical_time_is_replayed_from_its_journal(assessment: Any) -> None:
    subject = InProcess("slow", lambda: Slow(3))
    home = place(LadderWorld(), subject, assessment, ask_once=True)
    played = step(home, 0)
    pages = [unpack(pack(page)) for page in played.journals]
    again = step(home, 0, player=FromJournal(pages, home))
    assert again.score == played.score
    assert [
        (episode.rewards, episode.interactions, episode.elapsed, episode.measures)
        for _, episode, _ in again.episodes
    ] == [
        (episode.rewards, episode.interactions, episode.elapsed, episode.measures)
        for _, episode, _ in played.episodes
    ]


def test_plans_go_by_the_second_door_where_both_sides_allow_it() -> None:
    world = Lambda(horizon=20)
    compiled, own = resolve("q-learning", world), InProcess("climber", lambda: Climber(3))
    virtual, physical = Anytime(interactions=500), Anytime(seconds=0.01)
    assert place(world, compiled, virtual).by_plans
    assert not place(world, own, virtual).by_plans
    assert not place(world, compiled, physical).by_plans
    assert not place(world, compiled, virtual, traces=True).by_plans
    assert not place(world, compiled, Battery(2)).by_plans
    assert not place(LadderWorld(), own, virtual).by_plans


@pytest.mark.parametrize(
    ("world", "name"),
    [(Lambda(horizon=20), "sarsa"), (LambdaStar(horizon=20, subjects=2), "crowd")],
    ids=["lambda", "lambda-star"],
)
def test_a_sitting_leaves_the_same_records_through_both_doors(world: Any, name: str) -> None:
    """All but the time that it took, and the interactions one by one."""
    subject, anytime = resolve(name, world), Anytime(interactions=500)
    fast, slow = (
        joined(home.cell, [step(home, item) for item in range(2)])
        for home in (
            place(world, subject, anytime),
            place(world, subject, anytime, traces=True),
        )
    )
    assert fast.traces != slow.traces
    assert fast.score.tobytes() == slow.score.tobytes()
    assert fast.measures == slow.measures
    for column in ("environment", "complexity", "reward", "interactions", "sequence"):
        assert getattr(fast.episodes, column).tobytes() == getattr(slow.episodes, column).tobytes()
