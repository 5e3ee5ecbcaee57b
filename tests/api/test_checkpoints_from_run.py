"""Checkpoints of runs: of the very episodes that were played, whoever played them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.api.checkpoints import Recorder
from mensura.api.checkpoints_from_run import from_run
from mensura.core.abilities import describe_from_json
from mensura.core.contract import Turn
from mensura.records.run import Run
from mensura.records.store import Store, open_store
from mensura.studies.replay import Replay, replay
from mensura.studies.runs import Manner, begin, resume
from mensura.studies.study import study_from_plain
from mensura.worlds.echo import Echo

WORLD = Echo(horizon=20)

AGENT = """
class Dice:
    def begin(self, task, rng):
        self.rng = rng

    def act(self, observation, reward):
        return int(self.rng.integers(4))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("played")
    (made / "dice.py").write_text(AGENT)
    return made


@pytest.fixture(scope="module")
def store(folder: Path) -> Iterator[Store]:
    with open_store(folder / "store.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def run(store: Store, folder: Path) -> Run:
    """What all tests take checkpoints from."""
    return played(store, folder)


def played(store: Store, folder: Path, name: str = "played", **assessment: Any) -> Run:
    how = assessment or {"assessment": "battery", "parameters": {"episodes": 3}}
    study = study_from_plain(
        {
            "mensura": 1,
            "name": name,
            "seed": 5,
            "worlds": [{"world": "echo", "parameters": {"horizon": 20}}],
            "subjects": [
                {"subject": "q-learning", "training": 2},
                {"subject": f"{folder}/dice.py:Dice", "name": "dice", "in_process": True},
            ],
            "assessments": [how],
        }
    )
    run = begin(store, study)
    resume(store, run, manner=Manner("threads", 1))
    return run


def test_checkpoints_are_states_of_the_episodes_of_the_run(store: Store, run: Run) -> None:
    pool = from_run(store, run, interactions=6, pictures=False)
    assert [one.interaction for one in pool.checkpoints] == [6, 12, 18] * 6
    assert [one.player for one in pool.checkpoints] == ["q-learning"] * 9 + ["dice"] * 9
    assert len(pool.episodes) == 6
    assert pool == from_run(store, run, interactions=6, pictures=False)
    # The rest of the episode from the last checkpoint brings what the record says.
    seen: Replay = replay(store, run, 3, look=True)
    own = [one for one in seen.interactions if one.sequence == 0]
    one = pool.checkpoints[11]
    environment = WORLD.build(describe_from_json(WORLD, pool.environments[one.environment]))
    environment.reset(1)
    environment.restore(pool.snapshots[one.digest])
    last = [environment.step([step.answer], [0.0]).rewards[0] for step in own[18:20]]
    assert one.score == pytest.approx(sum(step.reward for step in own[:18]))
    assert last == [step.reward for step in own[18:20]]


def test_one_subject_and_so_many_can_be_asked_for(store: Store, run: Run) -> None:
    pool = from_run(store, run, interactions=6, subject="dice", count=4, pictures=False)
    assert [one.player for one in pool.checkpoints] == ["dice"] * 4


def test_time_is_what_the_player_took_as_its_journal_tells(store: Store, run: Run) -> None:
    every = from_run(store, run, seconds=1e-9, subject="dice", pictures=False)
    assert len(every) == 3 * 19  # the state at the end is nobody's start
    with pytest.raises(MensuraError, match="q-learning is played again from its keys"):
        from_run(store, run, seconds=1.0)
    with pytest.raises(MensuraError, match="for as long as 1000 seconds"):
        from_run(store, run, seconds=1000.0, subject="dice")


def test_a_recorder_with_a_clock_keeps_one_after_each_stretch_of_time() -> None:
    times = iter([3.0, 9.0, 12.0, 31.0, 39.9, 40.0])
    recorder = Recorder(10.0, None, "p", pictures=False, clock=lambda: next(times))
    environment = WORLD.build(WORLD.sample(1))
    turn: Turn = environment.reset(1)
    recorder.started(environment, turn)
    for _ in range(6):
        turn = environment.step([0], [0.0])
        recorder.stepped(environment, [0], turn)
    assert [one.interaction for one in recorder.checkpoints] == [3, 4, 6]


def test_what_began_in_a_checkpoint_is_of_the_episode_that_it_goes_on_with(
    store: Store, run: Run, folder: Path, tmp_path: Path
) -> None:
    pool = from_run(store, run, interactions=6, pictures=False)
    pool.write(tmp_path / "a.pool")
    given = {"pool": str(tmp_path / "a.pool"), "evaluations": 6}
    again = played(store, folder, "again", assessment="human-starts", parameters=given)
    later = from_run(store, again, interactions=1, pictures=False)
    assert set(later.episodes) <= set(pool.episodes)


def test_a_run_that_cannot_be_used_is_one_sentence(store: Store, run: Run) -> None:
    with pytest.raises(MensuraError, match="no subject 'dic'"):
        from_run(store, run, interactions=5, subject="dic")
    with pytest.raises(MensuraError, match="for as long as 50 interactions"):
        from_run(store, run, interactions=50)
    with pytest.raises(MensuraError, match="numbers above 0"):
        from_run(store, run, interactions=0)
