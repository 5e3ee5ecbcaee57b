"""Subjects that are kept: they go on with what they learned, whichever world they live in."""

from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key
from mensura.agent.memory import saved, seat, unpack
from mensura.core.contract import World
from mensura.core.loop import play
from mensura.core.players import Player, drive
from mensura.core.registry import WORLDS
from mensura.records.lives import all_lives
from mensura.records.results import StudyResult
from mensura.studies.runs import Manner, run_study
from mensura.studies.study import study_from_plain
from mensura.studies.subjects import resolve

AGENT = """
class Counter:
    '''Chooses by how often it has acted in its life.'''
    def __init__(self):
        self.count = 0
    def begin(self, task, rng):
        self.actions = task.action_space
    def act(self, observation, reward):
        self.count += 1
        return self.actions.start + self.count % self.actions.n
    def save(self):
        return str(self.count).encode()
    def load(self, memory):
        self.count = int(memory)

class Plain:
    def act(self, observation, reward):
        return 1
"""


def assess(folder: Path, subject: str, seed: int, **more: Any) -> StudyResult:
    (folder / "agents.py").write_text(AGENT)
    return run_study(
        study_from_plain(
            {
                "mensura": 1,
                "name": "kept",
                "seed": seed,
                "worlds": [
                    {
                        "world": "lambda-star",
                        "parameters": {"rows": 3, "cols": 3, "horizon": 10, "subjects": 1},
                    }
                ],
                "subjects": [
                    {
                        "subject": subject.replace("agents.py", str(folder / "agents.py")),
                        "name": "it",
                        "in_process": True,
                        "keep": str(folder / "lives"),
                        **more,
                    }
                ],
                "assessments": [{"assessment": "battery", "parameters": {"episodes": 4}}],
            }
        ),
        manner=Manner("threads", 1),
    )


def counts(folder: Path) -> list[int]:
    return [int(_inside(life.memory())) for life in all_lives(folder / "lives")]


def _inside(memory: bytes | None) -> bytes:
    assert memory is not None
    (only,) = unpack(memory, 1)
    assert only is not None
    return only


def test_an_agent_goes_on_where_it_was(tmp_path: Path) -> None:
    subject = "agents.py:Counter"
    assess(tmp_path, subject, 1)
    assert counts(tmp_path) == [10] * 4
    assess(tmp_path, subject, 2)
    assert counts(tmp_path) == [20] * 4
    assert [life.age for life in all_lives(tmp_path / "lives")] == [20] * 4


def test_the_same_draws_give_the_same_again_and_age_nobody(tmp_path: Path) -> None:
    assess(tmp_path, "agents.py:Counter", 1)
    first = assess(tmp_path, "agents.py:Counter", 2)
    second = assess(tmp_path, "agents.py:Counter", 2)
    assert [one.moments for one in first.conditions[0].subjects] == [
        one.moments for one in second.conditions[0].subjects
    ]
    assert counts(tmp_path) == [20] * 4


def test_who_has_nothing_to_save_is_told_so_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match=r"it cannot be kept: it has nothing to save"):
        assess(tmp_path, "agents.py:Plain", 1)


def test_a_compiled_learner_is_kept_too(tmp_path: Path) -> None:
    assess(tmp_path, "q-learning?training=20", 1)
    once = [life.memory() for life in all_lives(tmp_path / "lives")]
    assess(tmp_path, "q-learning?training=20", 2)
    twice = [life.memory() for life in all_lives(tmp_path / "lives")]
    assert len(twice) == 4
    assert all(one != two for one, two in zip(once, twice, strict=True))


WORLDS_AND_LEARNERS = [
    ("lambda", {}, "q-learning"),
    ("lambda", {}, "double-q"),
    ("lambda", {}, "dyna-q"),
    ("lambda", {}, "planner"),
    ("lambda-star", {"rows": 4, "cols": 4, "subjects": 2}, "q-learning"),
    ("lambda-star", {"rows": 4, "cols": 4, "subjects": 3}, "sarsa+stigmergy*2"),
    ("framotec", {}, "sarsa"),
    ("framotec", {}, "tile-coding"),
]


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "parameters", "learner"), WORLDS_AND_LEARNERS)
def test_a_learner_that_was_saved_and_loaded_does_what_it_would_have_done(
    name: str, parameters: dict[str, Any], learner: str
) -> None:
    world: Any = WORLDS.load(name)(**parameters)
    subject = resolve(learner, world)
    host: World = world.hosting(subject) if hasattr(world, "hosting") else world
    environment = host.build(host.sample(key(3, "kept")))
    seats = len(environment.seats)

    def episode(player: Player, number: int) -> Any:
        asking = play(
            environment,
            fold(5, number),
            world=host.id,
            seed=fold(7, number),
            interactions=60,
            learning=True,
            speakers=player.speakers,
        )
        return drive(asking, player).rewards

    player = subject.sit(seats)
    before = [episode(player, number) for number in range(4)]
    memory = saved(player)
    assert memory is not None
    straight = [episode(player, number) for number in range(4, 8)]
    again = seat(subject, seats, memory)
    assert [episode(again, number) for number in range(4, 8)] == straight
    assert before
    young = subject.sit(seats)
    changed = [episode(young, number) for number in range(4, 8)] != straight
    assert changed or learner == "tile-coding"
