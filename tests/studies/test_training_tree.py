"""Training as a tree: what is shared is trained once, measuring trains nobody, and branches do not touch each other."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key
from mensura.agent.task import Task
from mensura.agents import at_hand
from mensura.api.making import make
from mensura.records.memories import MemoriesOnDisk
from mensura.studies.looks import Look, Notebook, Outcome, Seen
from mensura.studies.phases import (
    Phase,
    TrainingTask,
    by_turns,
    checkpoints,
    last_phase,
    path_of,
)
from mensura.studies.stages import Stages
from mensura.studies.training_tree import TrainingTree, effort

WORLD = make("lambda-star", rows=3, cols=3, horizon=10, subjects=1)
LAMBDA = make("lambda", cells=4, actions=2, horizon=20)
X, Y, Z = (TrainingTask(name, WORLD, seed) for name, seed in (("x", 1), ("y", 2), ("z", 3)))


class Remembering:
    """Acts by how many interactions of training it remembers; notes what it lived through in a list of the class."""

    lived: ClassVar[list[tuple[int, bool]]] = []

    def __init__(self) -> None:
        self.count = 0

    def begin(self, task: Task, rng: object) -> None:
        self.actions, self.learning = task.action_space, task.learning

    def act(self, observation: object, reward: float) -> int:
        self.lived.append((self.count, self.learning))
        self.count += 1
        start: int = self.actions.start  # type: ignore[attr-defined]
        many: int = self.actions.n  # type: ignore[attr-defined]
        return start + self.count % many

    def save(self) -> bytes:
        return str(self.count).encode()

    def load(self, memory: bytes) -> None:
        self.count = int(memory)


class Forgetful(Remembering):
    save = None  # type: ignore[assignment]


def look(subject: str, *looks: Look, tasks: tuple[TrainingTask, ...] = (X, Y, Z)) -> Seen:
    with at_hand.lend({"remembering": Remembering, "forgetful": Forgetful}):
        stages = Stages(subject, tasks, in_process=True)
        return TrainingTree(stages, key(1, "learner"), episodes=2).look(looks)


REMEMBERING, FORGETFUL = (f"{at_hand.__name__}:{name}" for name in ("remembering", "forgetful"))


def all_of(*tasks: TrainingTask) -> frozenset[str]:
    return frozenset(one.identity for one in tasks)


def test_checkpoints_are_powers_of_two_and_the_end() -> None:
    assert checkpoints(100) == [16, 32, 64, 100]
    assert checkpoints(64) == [16, 32, 64]
    assert checkpoints(7) == [7]
    assert checkpoints(0) == []


def test_a_longer_phase_begins_as_a_shorter_one() -> None:
    short, long = path_of([Phase(X, 64)]), path_of([Phase(X, 256)])
    assert long[: len(short)] == short
    assert path_of([Phase(X, 100), Phase(Y, 0), Phase(X, 28)]) == path_of([Phase(X, 128)])
    assert last_phase(path_of([Phase(X, 64), Phase(Y, 40)])) == len(short)


def test_a_phase_of_no_length_is_none() -> None:
    """So that a gain by 0 interactions in X is 0, B(0) is 0, and B(n) is the regret with the other sign."""
    assert path_of([Phase(X, 0), Phase(Y, 100)]) == path_of([Phase(Y, 100)])
    assert path_of([Phase(X, 100), Phase(Y, 0)]) == path_of([Phase(X, 100)])


def test_twelve_tasks_are_trained_twelve_times_and_not_144_times() -> None:
    tasks = tuple(TrainingTask(str(seed), LAMBDA, seed) for seed in range(12))
    looks = [Look(path_of([Phase(one, 40)]), all_of(*tasks)) for one in tasks]
    seen = look("q-learning", *looks, tasks=tasks)
    assert (seen.count.trainings, seen.count.interactions) == (12, 12 * 40)
    assert (seen.count.tests, len(seen.performance)) == (144, 144)


def test_a_shared_beginning_is_trained_once() -> None:
    beginning = [Phase(X, 40)]
    paths = [path_of([*beginning, Phase(one, 24)]) for one in (Y, Z)]
    seen = look(REMEMBERING, *(Look(path, all_of(X)) for path in paths))
    assert (seen.count.trainings, seen.count.interactions) == (3, 40 + 24 + 24)


def test_measuring_trains_nobody_and_every_branch_goes_on_from_the_saved_memory() -> None:
    Remembering.lived = []
    looks = [
        Look(path_of([Phase(X, 16)]), all_of(X, Y)),
        Look(path_of([Phase(X, 16), Phase(Y, 20)]), all_of(X)),
        Look(path_of([Phase(X, 16), Phase(Z, 20)]), all_of(X)),
    ]
    look(REMEMBERING, *looks)
    trained = [count for count, learning in Remembering.lived if learning]
    assert trained == [*range(16), *range(16, 36), *range(16, 36)]
    tested = [count for count, learning in Remembering.lived if not learning]
    assert tested == [*range(16, 36)] * 2 + [*range(36, 56)] * 2


def test_whoever_cannot_be_saved_is_trained_anew_and_measured_the_same() -> None:
    looks = [
        Look((), all_of(X)),
        Look(path_of([Phase(X, 40)]), all_of(X, Y)),
        Look(path_of([Phase(X, 40), Phase(Y, 20)]), all_of(Y)),
    ]
    saved, anew = look(REMEMBERING, *looks), look(FORGETFUL, *looks)
    assert (saved.is_kept, anew.is_kept) == (True, False)
    assert anew.performance == saved.performance
    assert (saved.count.trainings, anew.count.trainings) == (2, 4)


@pytest.mark.parametrize(
    "subject", ["q-learning", pytest.param("sarsa", marks=pytest.mark.thorough)]
)
def test_a_look_does_not_depend_on_what_else_is_looked_at(subject: str) -> None:
    x, y = (TrainingTask(str(seed), LAMBDA, seed) for seed in (1, 2))
    wanted = Look(path_of([Phase(x, 200), Phase(y, 100)]), all_of(x, y))
    others = [
        *(Look(path_of([Phase(x, n)]), all_of(x)) for n in checkpoints(200)),
        Look(path_of([Phase(x, 200), Phase(y, 50)]), all_of(y), weigh=True),
        Look(path_of([Phase(y, 30)]), all_of(x)),
    ]
    alone = look(subject, wanted, tasks=(x, y)).performance
    among = look(subject, wanted, *others, tasks=(x, y)).performance
    assert alone == {one: among[one] for one in alone}


def test_compiled_and_stepped_learners_learn_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (TrainingTask(str(seed), LAMBDA, seed) for seed in (1, 2))
    looks = [Look(path_of([Phase(x, 150)]), all_of(x, y))]
    compiled = look("q-learning", *looks, tasks=(x, y)).performance
    monkeypatch.setattr(type(LAMBDA), "compiles", lambda *_: False)
    assert look("q-learning", *looks, tasks=(x, y)).performance == compiled


def test_a_task_may_be_a_world_that_draws_an_environment_for_each_episode() -> None:
    whole = TrainingTask("whole", LAMBDA)
    seen = look("q-learning", Look(path_of([Phase(whole, 90)]), all_of(whole)), tasks=(whole,))
    assert seen.count.interactions == 90
    assert len(seen.performance) == 1


def test_two_tasks_by_turns_share_the_interactions_in_an_order_from_the_key() -> None:
    path = by_turns(X, Y, 200, 7)
    spent = {
        one.identity: sum(s.end - s.begin for s in path if s.task == one.identity) for one in (X, Y)
    }
    assert spent == {X.identity: 100, Y.identity: 100}
    assert path == by_turns(X, Y, 200, 7)
    assert len({by_turns(X, Y, 200, order) for order in range(5)}) > 1
    seen = look(REMEMBERING, Look(path, all_of(Y)))
    assert seen.count.interactions == 200


def test_what_was_learned_has_a_size_and_a_phase_adds_to_it() -> None:
    x, y = (TrainingTask(str(seed), LAMBDA, seed) for seed in (1, 2))
    paths = [path_of([Phase(x, n)]) for n in (16, 512)]
    seen = look("q-learning", *(Look(path, weigh=True) for path in paths), tasks=(x, y))
    assert 0 < seen.bits[paths[0]] < seen.bits[paths[1]]
    assert seen.added[paths[1]] <= seen.bits[paths[1]]


def test_an_agent_in_a_process_of_its_own_is_saved_by_the_protocol(tmp_path: Path) -> None:
    file = tmp_path / "counter.py"
    file.write_text(
        "class Counter:\n"
        "    count = 0\n"
        "    def begin(self, task, rng):\n"
        "        self.actions = task.action_space\n"
        "    def act(self, observation, reward):\n"
        "        self.count += 1\n"
        "        return self.actions.start + self.count % self.actions.n\n"
        "    def save(self):\n"
        "        return str(self.count).encode()\n"
        "    def load(self, memory):\n"
        "        self.count = int(memory)\n"
    )
    looks = [Look(path_of([Phase(X, 10)]), all_of(X, Y))]
    stages = Stages(f"{file}:Counter", (X, Y))
    seen = TrainingTree(stages, key(1, "learner"), episodes=2).look(looks)
    assert (seen.is_kept, seen.count.trainings, seen.count.faults) == (True, 1, 0)
    assert seen.performance == look(REMEMBERING, *looks).performance


def test_what_was_learned_in_one_world_is_no_use_to_the_mind_of_another() -> None:
    here, there = TrainingTask("here", LAMBDA, 1), TrainingTask("there", WORLD, 1)
    with pytest.raises(MensuraError, match="What q-learning learned cannot be used in there: "):
        look(
            "q-learning",
            Look(path_of([Phase(here, 10)]), all_of(there)),
            tasks=(here, there),
        )


def test_a_task_needs_rewards_on_the_scale_of_performance() -> None:
    class Unbounded:
        id, promises = "unbounded-v0", frozenset[str]()

    with pytest.raises(MensuraError, match="does not promise rewards from -1 to 1"):
        TrainingTask("x", Unbounded())  # type: ignore[arg-type]


def test_a_negative_phase_is_refused() -> None:
    with pytest.raises(MensuraError, match="A phase of -1 interactions is impossible"):
        Phase(X, -1)


class Killed(BaseException):
    """What ends a process, as far as a tree can tell."""


FULL = [
    Look((), all_of(X, Y)),
    *(Look(path_of([Phase(X, n)]), all_of(X), weigh=True) for n in (16, 32, 40)),
    Look(path_of([Phase(X, 40)]), all_of(Y, Z)),
    *(Look(path_of([Phase(X, 40), Phase(Y, n)]), all_of(Y), weigh=True) for n in (16, 24)),
    Look(path_of([Phase(X, 40), Phase(Z, 20)]), all_of(X)),
    Look(path_of([Phase(X, 80)]), all_of(X)),
    Look(path_of([Phase(Y, 20)]), all_of(X, Y), weigh=True),
]
"""Looks with checkpoints, forks within a phase and after it, and sizes of memories."""


@pytest.mark.parametrize("subject", [REMEMBERING, FORGETFUL, "q-learning"])
def test_a_tree_that_is_killed_anywhere_goes_on_and_finds_the_same(
    subject: str, tmp_path: Path
) -> None:
    calm = look(subject, *FULL)
    folder = tmp_path / "memories"
    with at_hand.lend({"remembering": Remembering, "forgetful": Forgetful}):
        stages = Stages(subject, (X, Y, Z), in_process=True)
        lives = 0
        while True:
            tests = 0

            def tested() -> None:
                nonlocal tests
                tests += 1
                if tests == 2:
                    raise Killed

            tree = TrainingTree(
                stages,
                key(1, "learner"),
                episodes=2,
                tested=tested,
                memories=MemoriesOnDisk(folder, subject),
                notebook=Notebook(tmp_path / "notes"),
            )
            try:
                again = tree.look(FULL)
                break
            except Killed:
                lives += 1
    assert lives >= 5
    assert again == calm
    assert not list(folder.glob("*")), "memories are swept when nobody needs them"


def test_a_line_that_was_cut_is_found_out_again(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    Notebook(notes).test("a", "x", Outcome(0.5, 20, 0))
    whole = notes.read_bytes()
    notes.write_bytes(whole + b'["tested", "b", "x", 0.')
    book = Notebook(notes)
    assert book.tested == {("a", "x"): Outcome(0.5, 20, 0)}
    book.train("b", 1)
    assert Notebook(notes).faults == {"b": 1}
    book.forget()
    assert not notes.exists()


def test_what_a_tree_takes_is_known_before_it_is_trained() -> None:
    seen = look(REMEMBERING, *FULL)
    took = effort(FULL)
    assert took.shared.trainings == seen.count.trainings
    assert took.shared.interactions == seen.count.interactions
    assert took.shared.tests == seen.count.tests
    anew = look(FORGETFUL, *FULL)
    assert took.alone.trainings == anew.count.trainings
    assert took.alone.interactions == anew.count.interactions
