"""Studies of our own that state what they expect before they run, and tell what held, as ``why-what-how``.

There is no published table behind "Evaluation of General-Purpose Artificial Intelligence: Why, What & How" (Bieger and
others, 2016). What its sections on transfer and robustness lead one to expect is written here, with the measurement
that decides it. What fails stays, as failed; what the intervals leave open is called open.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mensura.agent.keys import Key, key
from mensura.agent.learners.tables import QLearning
from mensura.agent.task import Task
from mensura.api.making import make
from mensura.api.robustness import robustness
from mensura.api.transferring import transfer
from mensura.reports.number_words import interval, signed
from mensura.reports.page import fill
from mensura.reports.robustness_words import breaking_point
from mensura.statistics.generalization import generalization
from mensura.statistics.interval import Estimate

Verdict = Literal["held", "failed", "open"]
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Expectation:
    """What was expected, why, what was found, and whether it held."""

    statement: str
    measured: str
    """How it is decided, written before the run."""
    found: str
    verdict: Verdict


@dataclass(frozen=True)
class Size:
    """How much is played."""

    interactions: int
    learners: int
    tasks: int
    episodes: int
    plotter: int
    """Interactions in the locking plotter, whose episodes are long."""


FULL = Size(4000, 8, 8, 60, 4000)
SMALL = Size(60, 3, 3, 6, 40)


class TwoTables:
    """Q-learning with a table for each kind of task that it has met, told apart by what is seen and done in it."""

    def __init__(self) -> None:
        self._own: dict[str, QLearning] = {}
        self._now = QLearning()

    def begin(self, task: Task, rng: np.random.Generator) -> None:
        """Take the table of this kind of task."""
        kind = repr((task.observation_space, task.action_space))
        self._now = self._own.setdefault(kind, QLearning())
        self._now.begin(task, rng)

    def act(self, observation: Any, reward: float) -> Any:
        """As Q-learning does."""
        return self._now.act(observation, reward)

    def end(self, observation: Any, reward: float, terminated: bool) -> None:
        """As Q-learning does."""
        self._now.end(observation, reward, terminated)

    def save(self) -> bytes:
        """All tables."""
        kept = {kind: base64.b64encode(one.save()).decode() for kind, one in self._own.items()}
        return json.dumps(kept, sort_keys=True).encode()

    def load(self, memory: bytes) -> None:
        """All tables, as they were."""
        for kind, kept in json.loads(memory).items():
            self._own[kind] = QLearning()
            self._own[kind].load(base64.b64decode(kept))


class OneTable(QLearning):
    """Q-learning, as it is."""


def why_what_how(seed: Key, size: Size = FULL, tell: Tell = lambda text: None) -> list[Expectation]:
    """The expectations of ``why-what-how``, each with what was found."""
    found: list[Expectation] = []
    tell("Transfer among tasks of Lambda")
    found.append(_falls_with_distance(key(seed, "distance"), size))
    tell("Robustness on Lambda")
    found += _noise(key(seed, "noise"), size)
    tell("Forgetting, with one table and with two")
    found += _forgetting(key(seed, "forgetting"), size)
    tell("The locking plotter in parts")
    found.append(_in_parts(key(seed, "parts"), size))
    return found


def _falls_with_distance(seed: Key, size: Size) -> Expectation:
    tasks = [("lambda", number) for number in range(1, size.tasks + 1)]
    moved = transfer(
        "q-learning", tasks, interactions=size.interactions, learners=size.learners, seed=seed
    )
    shape = generalization(moved.table.raw, moved.table.apart)
    statement = "Transfer falls with the distance of tasks."
    measured = "The correlation of ranks of raw transfer and distance over pairs of Lambda tasks is surely below 0."
    if shape is None:
        return Expectation(statement, measured, "All tasks are equally far apart.", "open")
    return Expectation(
        statement, measured, _told(shape.correlation), _below_zero(shape.correlation)
    )


def _noise(seed: Key, size: Size) -> list[Expectation]:
    found = robustness(
        ["q-learning", "planner"],
        "lambda",
        perturb=["observation-noise"],
        episodes=size.episodes,
        seed=seed,
    )
    learner, planner = found.breakdowns
    helped = [
        f"{one.subject} from {one.degradation.strengths[i]:g} to {one.degradation.strengths[j]:g}"
        for one in (learner, planner)
        for j in range(len(one.scores))
        for i in range(j)
        if one.scores[j].low > one.scores[i].high
    ]
    never = Expectation(
        "Harder observation noise never helps.",
        "No score of Q-learning or the planner on Lambda has an interval wholly above that at a weaker noise.",
        f"It did: {', '.join(helped)}." if helped else "It did not, at any of the strengths.",
        "failed" if helped else "held",
    )
    first, second = learner.degradation.breaking, planner.degradation.breaking
    verdict: Verdict = "open"
    told = "One of them has no advantage over acting at random, so that it has no breaking point."
    if first is not None and second is not None:
        told = f"Q-learning at {breaking_point(learner)}, the planner at {breaking_point(planner)}."
        verdict = (
            "held" if second.low > first.high else "failed" if second.high < first.low else "open"
        )
    later = Expectation(
        "On Lambda the planner breaks later than Q-learning.",
        "Its breaking point under observation noise is surely higher: the intervals do not overlap.",
        told,
        verdict,
    )
    return [never, later]


def _forgetting(seed: Key, size: Size) -> list[Expectation]:
    x, y = (make("lambda", cells=(3, 3)), 1), (make("lambda", cells=(5, 5)), 2)
    one, two = (
        transfer(
            kind,
            x,
            y,
            interactions=size.interactions,
            learners=size.learners,
            measures="pairs",
            seed=seed,
            in_process=True,
        )
        .pairs[0]
        .measures["forgetting"]
        for kind in (OneTable, TwoTables)
    )
    return [
        Expectation(
            "Q-learning forgets a task when it learns another.",
            "Forgetting of a Lambda task with 3 cells after one with 5 is surely above 0.",
            "not measured" if one is None else _told(one),
            "open" if one is None else _above_zero(one),
        ),
        Expectation(
            "With a table for each kind of task it does not.",
            "Forgetting with two tables is 0: its interval holds 0.",
            "not measured" if two is None else _told(two),
            "open" if two is None else "held" if two.low <= 0.0 <= two.high else "failed",
        ),
    ]


def _in_parts(seed: Key, size: Size) -> Expectation:
    whole: Any = make("framotec", task="locking-plotter", actions="three")
    easier = json.dumps(whole.easier(whole.sample(0), 0.5).to_json()["task"])
    part = make("framotec", task=easier, actions="three")
    pair = transfer(
        QLearning,
        part,
        whole,
        interactions=size.plotter,
        learners=max(2, size.learners // 2),
        episodes=2,
        seed=seed,
        in_process=True,
    ).pairs[0]
    composite = pair.times["composite time transfer"]
    estimate = composite.estimate
    undefined = estimate is None or composite.bound == "undefined"
    gain = pair.measures["gain"]
    told = "The level was not reached, so that no time is defined"
    if not undefined and estimate is not None:
        told = f"{composite.bound} {estimate.value:+.0f} {interval(estimate.low, estimate.high, 0)}".strip()
    told += "." if gain is None else f"; gain {_told(gain)}."
    return Expectation(
        "Learning the locking plotter in parts pays.",
        "The composite time transfer from a copy that starts halfway to the goals, what it saves less what it takes, "
        "is surely above 0 interactions.",
        told,
        "open" if undefined or estimate is None else _above_zero(estimate),
    )


def _told(one: Estimate) -> str:
    return f"{signed(one.value)} {interval(one.low, one.high)}"


def _above_zero(one: Estimate) -> Verdict:
    return "held" if one.low > 0.0 else "failed" if one.high < 0.0 or one.value == 0.0 else "open"


def _below_zero(one: Estimate) -> Verdict:
    return "held" if one.high < 0.0 else "failed" if one.low > 0.0 else "open"


@dataclass(frozen=True)
class Wanted:
    """How such a study is wanted."""

    seed: Key
    episodes: int | None
    """Where a small size is wanted."""
    tell: Tell
    device: str = "cpu"
    checkpoints: Path | None = None
    """The folder of published checkpoints: the games of the paper instead of small worlds."""
    train: bool = False
    """Whether networks are trained anew."""
    frames: int | None = None
    """How long they are trained; None as the study says."""


@dataclass(frozen=True)
class Stated:
    """A study that states what it expects before it runs."""

    play: Callable[[Wanted], list[Expectation]]
    beside: str
    """What its page says of published figures."""
    games: bool = False
    """Whether it can be played on published checkpoints."""


def _why_what_how(wanted: Wanted) -> list[Expectation]:
    size = FULL if wanted.episodes is None else replace(SMALL, episodes=wanted.episodes)
    return why_what_how(wanted.seed, size, wanted.tell)


EXPECTING: Mapping[str, Stated] = {
    "why-what-how": Stated(_why_what_how, "There is no published table to stand beside")
}
"""The studies that state expectations, by name."""


def expectations_page(
    name: str, found: Sequence[Expectation], command: str, seed: Key, beside: str
) -> str:
    """What was expected and found, as a page that stands alone."""
    held = sum(one.verdict == "held" for one in found)
    failed = sum(one.verdict == "failed" for one in found)
    return fill(
        "expectations.html",
        [("table", "Expected and found"), ("again", "How to reproduce")],
        {},
        title=name,
        meta=f"{len(found)} expectations: {held} held, {failed} failed, {len(found) - held - failed} open",
        found=[
            f"{beside}: what is expected was written before the run, with the "
            "measurement that decides it. Intervals are of 95%, each by itself: over learners or environments, unless "
            "a row names something else.",
        ],
        columns=["expected", "decided by", "found", "verdict"],
        rows=[(one.statement, one.measured, one.found, one.verdict) for one in found],
        again=f"The same version of Mensura gives the same with the seed {seed}.",
        command=command,
    )
