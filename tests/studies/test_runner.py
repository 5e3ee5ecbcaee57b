"""The runner: every door, thread count and order gives the same result, in constant memory."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Any

import pytest
from tests.toys import RelayWorld

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import InProcess
from mensura.assessments.battery import Battery
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.results import RunResult, plain_numbers, write_json
from mensura.records.rows import EpisodeRow, RowFile, rows_of
from mensura.studies import place, schedule
from mensura.studies.desk import Job
from mensura.studies.runner import run
from mensura.worlds.lambda_star.world import LambdaStar

SMALL = LambdaStar(rows=5, cols=5, subjects=2, horizon=8)


class Collect:
    """Keeps what a watcher is told."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int]] = []
        self.found: list[EpisodeRow] = []

    def counted(self, cell: Cell, batch: Batch) -> None:
        self.done.append((cell.name, len(batch)))
        self.found.extend(rows_of(cell, batch))

    def died(self, cell: Cell, job: Job, death: str) -> None:
        raise AssertionError(death)

    def stepped(self, cell: Cell, step: Any) -> None:
        pass

    @property
    def kept(self) -> list[EpisodeRow]:
        """In the order of subjects and items, in whatever order they came."""
        return sorted(self.found)


class StepOnly:
    """A built-in group that hides that it could be compiled."""

    def __init__(self, group: Any) -> None:
        self.group = group
        self.name = group.name
        self.training = group.training

    def sit(self, seats: int) -> Any:
        return self.group.sit(seats)


def scores(result: RunResult) -> dict[str, tuple[float, ...]]:
    return {
        one.subject: (one.moments.mean, one.moments.squares, one.moments.count)
        for one in result.subjects
    }


def test_the_number_of_threads_does_not_change_a_bit_of_the_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    groups = [
        SMALL.group([(name, {"training": 3} if "sarsa" in name else {}, 1)])
        for name in ("crowd", "shared-sarsa")
    ]
    rows, totals = [], []
    monkeypatch.setattr(schedule, "BULK", 500)
    for threads in (1, 2, 5):
        watcher = Collect()
        result = run(SMALL, groups, Battery(50, spread=(2, 2)), 9, threads=threads, watcher=watcher)
        rows.append(watcher.kept)
        totals.append(scores(result))
    assert rows[0] == rows[1] == rows[2]
    assert totals[0] == totals[1] == totals[2]
    assert len(rows[0]) == 100


def test_both_doors_give_the_same_rows() -> None:
    group = SMALL.group([("q-learning", {"training": 4}, 1)])
    fast, slow = Collect(), Collect()
    one = run(SMALL, [group], Battery(12), 9, watcher=fast)
    two = run(SMALL, [StepOnly(group)], Battery(12), 9, watcher=slow)
    assert [row[:4] for row in fast.kept] == [row[:4] for row in slow.kept]
    assert one.subjects[0].compiled
    assert not two.subjects[0].compiled
    assert one.subjects[0].interactions == two.subjects[0].interactions == 12 * 5 * 2 * 8


def test_stretches_do_not_change_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    group = SMALL.group([("local-search", {}, 1)])
    whole, parts = Collect(), Collect()
    run(SMALL, [group], Battery(25), 9, watcher=whole)
    monkeypatch.setattr(place, "LONGEST_BLOCK", 7)
    run(SMALL, [group], Battery(25), 9, watcher=parts)
    assert whole.kept == parts.kept
    assert [row.item for row in parts.kept] == list(range(25))


def test_adding_a_subject_changes_nobody_elses_numbers() -> None:
    names = ("local-search", "oracle", "random")
    groups = [SMALL.group([(name, {}, 1)]) for name in names]
    together = scores(run(SMALL, groups, Battery(20), 4))
    for group in groups:
        assert scores(run(SMALL, [group], Battery(20), 4))[group.name] == together[group.name]


def test_another_seed_gives_other_environments() -> None:
    group = SMALL.group([("local-search", {}, 1)])
    assert scores(run(SMALL, [group], Battery(20), 4)) != scores(
        run(SMALL, [group], Battery(20), 5)
    )


def test_one_bad_subject_never_stops_a_run() -> None:
    class Bad:
        def act(self, observation: Any, reward: float) -> int:
            raise ZeroDivisionError("by design")

    subjects = [InProcess("bad", Bad), SMALL.group([("oracle", {}, 1)])]
    result = run(SMALL, subjects, Battery(3), 4)
    bad, oracle = result.subjects
    assert bad.faults == 3 * 2 * 3  # three faults for each of two seats in each of three sittings
    assert "ZeroDivisionError: by design" in bad.fault_examples[0]
    assert oracle.faults == 0
    assert oracle.score.value > 0.3


def test_a_subject_that_cannot_sit_down_once_has_one_faulty_sitting() -> None:
    class Still:
        made = 0

        def __init__(self) -> None:
            Still.made += 1
            if Still.made == 5:
                raise OSError("no more room")

        def act(self, observation: Any, reward: float) -> int:
            return 5

    collect = Collect()
    result = run(SMALL, [InProcess("still", Still)], Battery(5), 4, watcher=collect)
    # Which one is up to the threads: sittings are played side by side.
    assert sorted(row.faults for row in collect.kept) == [0, 0, 0, 0, 6]
    assert (
        "died: still could not be made: OSError: no more room"
        in result.subjects[0].fault_examples[0]
    )


def test_a_subject_that_cannot_sit_down_at_all_is_bad_input() -> None:
    def fails() -> Any:
        raise OSError("no")

    with pytest.raises(MensuraError, match="still could not be made: OSError: no"):
        run(SMALL, [InProcess("still", fails)], Battery(5), 4)


def test_a_world_without_a_second_door_is_played_through_the_one_loop() -> None:
    class Still:
        def act(self, observation: float, reward: float) -> int:
            return 0

    result = run(RelayWorld(), [InProcess("still", Still)], Battery(5, measure="distance"), 1)
    assert result.subjects[0].moments.count == 5
    assert result.subjects[0].score.value < 0
    assert set(result.subjects[0].by_complexity.groups) <= {1, 2, 3, 4, 5}


def test_ctrl_c_leaves_the_score_of_what_was_played() -> None:
    class Impatient(Collect):
        def counted(self, cell: Cell, batch: Batch) -> None:
            super().counted(cell, batch)
            if sum(count for _, count in self.done) >= 4:
                raise KeyboardInterrupt

    class Slow:
        def act(self, observation: Any, reward: float) -> int:
            sleep(0.001)
            return 5

    result = run(SMALL, [InProcess("slow", Slow)], Battery(100), 1, watcher=Impatient())
    played = result.subjects[0].moments.count
    assert 4 <= played < 100
    assert result.notes == (
        f"Stopped early: {played} of 100 sittings were played by every subject.",
    )


def test_a_run_that_is_stopped_leaves_nobody_far_behind() -> None:
    class Impatient(Collect):
        def counted(self, cell: Cell, batch: Batch) -> None:
            super().counted(cell, batch)
            if sum(count for _, count in self.done) >= 50:
                raise KeyboardInterrupt

    groups = [SMALL.group([(name, {}, 1)]) for name in ("random", "oracle")]
    result = run(SMALL, groups, Battery(1000), 1, threads=1, watcher=Impatient())
    counts = [one.moments.count for one in result.subjects]
    assert len(counts) == 2
    assert counts[0] <= 2 * counts[1]
    assert "were played by every subject." in result.notes[0]


def test_training_can_be_overridden() -> None:
    group = SMALL.group([("q-learning", {}, 1)])
    assert group.training == 1000
    result = run(SMALL, [group], Battery(2), 1, training=3)
    assert result.subjects[0].training == 3
    assert result.subjects[0].interactions == 2 * 4 * 2 * 8


def test_a_subject_named_twice_is_refused() -> None:
    group = SMALL.group([("random", {}, 1)])
    with pytest.raises(MensuraError, match="random is named twice"):
        run(SMALL, [group, group], Battery(2), 1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"episodes": 0}, "A battery of 0 episodes is empty"),
        ({"episodes": -5}, "A battery of -5 episodes is empty"),
        ({"training": -1}, "-1 training episodes are impossible"),
        ({"spread": (9, 3)}, "The complexity range from 9 to 3 is empty or negative"),
    ],
)
def test_an_impossible_battery_gets_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        Battery(**arguments)


def test_rows_are_streamed_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    with RowFile(path) as file:
        file.write([EpisodeRow("a,b", 0, 7, 3, 0.5, 10, 0, 4)])
    assert path.read_text().splitlines() == [
        "subject,item,sequence,complexity,reward,interactions,faults,defaults",
        '"a,b",0,7,3,0.5,10,0,4',
    ]


def test_a_place_that_cannot_be_written_is_known_at_once(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match=r"The folder .*nowhere does not exist"):
        RowFile(tmp_path / "nowhere" / "rows.csv")
    with pytest.raises(MensuraError, match="is a folder; give the name of a file"):
        write_json(tmp_path, {})
    assert list(tmp_path.iterdir()) == []


def test_numbers_that_are_not_finite_become_null() -> None:
    assert plain_numbers({"a": [float("inf"), 1.0, float("nan")]}) == {"a": [None, 1.0, None]}


@pytest.mark.thorough
def test_the_observed_spread_between_identical_experiments_is_the_predicted_one() -> None:
    group = SMALL.group([("local-search", {}, 1)])
    one = run(SMALL, [group], Battery(200), 4, repetitions=60).subjects[0]
    assert len(one.repetitions) == 60
    assert len(set(one.repetitions)) > 30
    assert one.observed_spread is not None
    assert one.spread.value in one.observed_spread


def test_each_member_of_a_mixed_collective_has_its_own_reward_through_both_doors() -> None:
    group = SMALL.group([("oracle", {}, 1), ("random", {}, 1)])
    compiled, stepped = (
        run(SMALL.hosting(group), [subject], Battery(20), 3).subjects[0]
        for subject in (group, StepMembers(group))
    )
    assert compiled.compiled
    assert not stepped.compiled
    oracle, random = (compiled.measures[f"reward of {name}"] for name in ("oracle", "random"))
    assert oracle.count == 20
    assert oracle.mean > 0.5 > random.mean
    assert (oracle.mean + random.mean) / 2 == pytest.approx(compiled.moments.mean)
    assert stepped.measures == compiled.measures


def test_a_uniform_collective_has_no_members_of_its_own() -> None:
    assert not run(SMALL, [SMALL.group([("random", {}, 1)])], Battery(3), 3).subjects[0].measures


class StepMembers(StepOnly):
    """A mixed group that hides that it could be compiled."""

    def seated(self, seats: int) -> Any:
        return self.group.seated(seats)


def test_a_subject_that_was_made_in_python_may_be_called_anything() -> None:
    class Still:
        def act(self, observation: Any, reward: float) -> int:
            return 1

    result = run(SMALL, [InProcess("PPO, 1,000 steps", Still)], Battery(5), 4)
    assert result.subjects[0].subject == "PPO, 1,000 steps"
    assert result.subjects[0].moments.count == 5
