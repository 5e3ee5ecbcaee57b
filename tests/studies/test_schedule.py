"""The schedule: every sitting once, whoever dies and in whatever order jobs come back; nobody is held."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples
from tests.toys import RelayWorld

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.assessments.battery import Battery
from mensura.records.cell import Cell
from mensura.studies.desk import Job
from mensura.studies.place import Place
from mensura.studies.schedule import ATTEMPTS, Schedule
from mensura.worlds.lambda_star.world import LambdaStar

TORUS = LambdaStar(rows=4, cols=4, subjects=1, horizon=5)


class Still:
    def act(self, observation: Any, reward: float) -> int:
        return 0


def place(number: int, sittings: int, compiled: bool = False, **more: Any) -> Place:
    world = TORUS if compiled else RelayWorld()
    subject = TORUS.group([("random", {}, 1)]) if compiled else InProcess("still", Still)
    cell = Cell(
        number, "here", world.id, {}, "battery", {}, subject.name, subject.name, 1, sittings, **more
    )
    return Place(cell, world, subject, Battery(sittings))


@settings(max_examples=examples(12, 100))
@given(
    st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=1, max_size=4),
    st.integers(1, 4),
    st.data(),
)
def test_every_sitting_is_handed_out_until_it_is_done_and_then_never_again(
    kinds: list[tuple[int, bool]], workers: int, data: st.DataObject
) -> None:
    places = [place(i, count, compiled) for i, (count, compiled) in enumerate(kinds)]
    done = [
        np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)), np.bool_)
        for count, _ in kinds
    ]
    missing = {
        (i, item)
        for i, (count, _) in enumerate(kinds)
        for item in range(count)
        if not done[i][item]
    }
    schedule = Schedule(places, done, workers)
    flying: list[Job] = []
    counted: list[tuple[int, int]] = []
    deaths: dict[tuple[int, int], int] = {}
    while True:
        while len(flying) < 2 * workers and (wanted := schedule.next()) is not None:
            flying.append(wanted[0])
        if not flying:
            break
        job = flying.pop(data.draw(st.integers(0, len(flying) - 1)))
        items = [(job.cell, item) for item in range(job.first, job.first + job.count)]
        fate = data.draw(st.sampled_from(["done", "done", "done", "died", "waited"]))
        if fate == "done" or job.absent:
            counted += items
            schedule.finished(job, data.draw(st.floats(0, 3)))
        elif fate == "waited":
            schedule.died(job, "")
        else:
            for item in items:
                deaths[item] = deaths.get(item, 0) + 1
            schedule.died(job, "signal SIGKILL")
    assert sorted(counted) == sorted(missing)
    assert schedule.in_flight == 0
    assert max(deaths.values(), default=0) <= ATTEMPTS


def test_the_third_death_of_a_sitting_is_taken_as_the_absence_of_its_subject() -> None:
    schedule = Schedule([place(0, 1)], None, 1)
    for attempt in (1, 2, 3):
        job = schedule.next()
        assert job is not None
        assert (job[0].attempt, job[0].absent) == (attempt, "")
        schedule.died(job[0], "signal SIGKILL")
    last = schedule.next()
    assert last is not None
    assert last[0] == Job(0, 0, 1, 3, "signal SIGKILL, 3 times")
    with pytest.raises(MensuraError, match="kills its worker even with nobody in its seats"):
        schedule.died(last[0], "signal SIGSEGV")


def test_who_died_with_many_sittings_at_hand_is_found_by_playing_them_one_by_one() -> None:
    schedule = Schedule([place(0, 8, compiled=True)], None, 1)
    job = schedule.next()
    assert job is not None
    assert job[0].count == 8
    schedule.died(job[0], "exit status 1")
    again = [schedule.next() for _ in range(8)]
    assert [one[0].first for one in again if one] == list(range(8))
    assert {one[0].count for one in again if one} == {1}


def test_a_slow_subject_does_not_hold_the_others() -> None:
    schedule = Schedule([place(0, 1000), place(1, 1000)], None, 2)
    slow, quick = 0, 0
    flying = [schedule.next(), schedule.next()]
    for _ in range(300):
        now = min((one for one in flying if one), key=lambda one: one[0].cell == 0)
        flying.remove(now)
        schedule.finished(now[0], 600.0 if now[0].cell == 0 else 0.01)
        slow += now[0].count if now[0].cell == 0 else 0
        quick += now[0].count if now[0].cell == 1 else 0
        flying.append(schedule.next())
        if quick == 1000:
            break
    assert quick == 1000
    assert slow < 10


def test_jobs_grow_until_they_take_a_while() -> None:
    schedule = Schedule([place(0, 100_000)], None, 1)
    sizes = []
    for _ in range(40):
        job = schedule.next()
        assert job is not None
        sizes.append(job[0].count)
        schedule.finished(job[0], 0.01 * job[0].count)
    assert sizes[0] == 1
    assert max(sizes) == 20


def test_only_agents_inside_a_worker_can_make_it_overdue() -> None:
    from mensura.agent.task import Limits

    limits = Limits(seconds_per_episode=2.0, seconds_to_start=5.0)
    slow = Schedule([place(0, 4, limits=limits, training=1)], None, 1).next()
    compiled = Schedule([place(0, 4, compiled=True, limits=limits)], None, 1).next()
    assert slow is not None
    assert compiled is not None
    assert slow[1] == 2 * 2.0 * 2 + 5.0 if RelayWorld().subjects == 2 else slow[1] is not None
    assert compiled[1] is None


def test_where_a_gpu_plays_blocks_and_jobs_are_longer_and_no_sitting_is_left_out() -> None:
    here = place(0, 300_000, compiled=True)
    there = replace(here, device="gpu")
    for one in (here, there):
        ends = [first + count for first, count in one.blocks()]
        assert [0, *ends[:-1]] == [first for first, _ in one.blocks()]
        assert ends[-1] == 300_000
    assert max(count for _, count in here.blocks()) == 1024
    assert max(count for _, count in there.blocks()) == 131_072
    jobs = 0
    schedule = Schedule([there], None, 2)
    while (found := schedule.next()) is not None:
        jobs += found[0].count
        assert there.block_of(found[0].first) == there.block_of(found[0].first + found[0].count - 1)
        schedule.finished(found[0], 0.1)
    assert jobs == 300_000
