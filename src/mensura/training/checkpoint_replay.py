"""Checkpoint replay on small worlds, in minutes on a processor: ``mensura reproduce checkpoint-replay-2016``.

Hosu and Rebedea (2016) find on two Atari games, with one run each, that a learner which starts from checkpoints of
somebody's play gains more than one which replays that somebody's experience. Here one learner, Q-learning with a table
and a memory, is trained in three ways on two small tasks whose only reward comes at the end: from the beginning, from
checkpoints, and with experience; several times each, and tested from starts that training never saw and from the
beginning. What the paper leaves open is measured as well: how the gain grows with the number of checkpoints, and whose
checkpoints they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.adapters.gymnasium import WorldEnv
from mensura.agent.asks import Answer, Ask
from mensura.agent.keys import Key, fold, key
from mensura.api.checkpoints import record
from mensura.api.expectations import Expectation, Tell, Verdict
from mensura.api.making import make
from mensura.core.abilities import hosting, measures_of
from mensura.core.contract import World
from mensura.core.players import Player, Subject
from mensura.records.pools import Pool
from mensura.reports.number_words import interval, signed
from mensura.statistics.interval import Estimate, difference, mean_interval
from mensura.studies.subjects import resolve
from mensura.training.experience import Experience, experience_of
from mensura.training.tables import ReplayQ, Transition

Way = Literal["from the beginning", "with experience", "from checkpoints"]
EVERY = 7
"""Interactions between checkpoints."""
EPISODES = 5
"""The fewest episodes that checkpoints are of."""
HESITATING = 0.1
"""The share of interactions in which a player does nothing."""
WAYS: tuple[Way, ...] = ("from the beginning", "with experience", "from checkpoints")


class Task(NamedTuple):
    """A small task whose only reward comes at the end."""

    name: str
    world: World
    player: str
    """Who knows how to play it."""
    coded: Callable[[npt.NDArray[Any], npt.NDArray[Any]], tuple[int, ...]]
    """The state of a learner, from what is seen now and what was seen before."""
    gained: Callable[[Mapping[str, float], float], float]
    """The reward at the end, from what the environment tells of the episode and from its last reward."""


@dataclass(frozen=True)
class Size:
    """How much is played."""

    learners: int = 10
    interactions: int = 5000
    """Of training."""
    checkpoints: int = 100
    tests: int = 20
    counts: tuple[int, ...] = (1, 3, 10, 30, 100)
    """Numbers of checkpoints that are compared."""


SMALL = Size(2, 300, 12, 3, (1, 12))


def tasks() -> list[Task]:
    """FraMoTEC's locking plotter, solved or not; and Lambda Star, where only the last interaction counts."""
    plotter = make("framotec", task="locking-plotter", actions="three", ends=True)
    star = make("lambda-star", rows=7, cols=7, subjects=1, horizon=40)
    return [
        Task(
            "The locking plotter",
            plotter,
            "coasting",
            lambda now, before: (int(now[0] // 5), int(np.sign(now[0] - before[0])), round(now[1])),
            lambda told, last: float(told["solved"]),
        ),
        Task(
            "Lambda Star",
            star,
            "local-search",
            lambda now, before: (int(now[0]), int(now[1]), int(now[2])),
            lambda told, last: last,
        ),
    ]


class Hesitant:
    """A subject that does nothing now and then, as people do, so that no two of its episodes are alike."""

    def __init__(self, subject: Subject, nothing: Any, seed: Key) -> None:
        self.name = f"hesitant {subject.name}"
        self._subject, self._nothing = subject, nothing
        self._rng = np.random.Generator(np.random.PCG64(seed))

    def __getattr__(self, name: str) -> Any:
        """All else is as the subject has it."""
        return getattr(self._subject, name)

    def sit(self, seats: int) -> Player:
        """Sit down."""
        return _HesitantPlayer(self._subject.sit(seats), self)

    def instead(self, answer: Answer) -> Answer:
        """An answer, or nothing."""
        if self._rng.random() >= HESITATING:
            return answer
        return answer._replace(value=self._nothing)


class _HesitantPlayer:
    def __init__(self, player: Player, hands: Hesitant) -> None:
        self._player, self._hands = player, hands

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """What the player answers, or nothing."""
        answers = self._player.answer(asks)
        return [
            self._hands.instead(answer) if ask.kind == "act" else answer
            for ask, answer in zip(asks, answers, strict=True)
        ]


@dataclass(frozen=True)
class Ground:
    """What is trained on and tested from, for one learner."""

    task: Task
    world: World
    train: Pool
    test: Pool
    experience: Experience
    description: Any


def ground(task: Task, size: Size, seed: Key, player: str | None = None) -> Ground:
    """An environment, checkpoints of a hesitant player in it, and as much of its experience."""
    stream = key(seed, "environment")
    description = task.world.sample(stream)
    hands = resolve(player or task.player, task.world)
    fixed: Any = _Fixed(hosting(task.world, hands), stream)
    nothing = task.world.build(description).default(0)
    hesitant: Any = Hesitant(hands, nothing, key(seed, "hesitant"))
    wanted = size.checkpoints + size.tests
    pool = record(hesitant, fixed, every=EVERY, count=wanted, seed=seed, pictures=False)
    while len(pool.episodes) < EPISODES:
        wanted *= 2
        pool = record(hesitant, fixed, every=EVERY, count=wanted, seed=seed, pictures=False)
    train, test = pool.split(size.tests, seed)
    seen = experience_of(hesitant, fixed, size.checkpoints * EVERY, key(seed, "experience"))
    train = _first(train, size.checkpoints)
    return Ground(task, task.world, train, test, seen, description)


class _Fixed:
    """A world of one environment, which has what its player needs."""

    def __init__(self, world: World, stream: Key) -> None:
        self._world, self._stream = world, stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)

    def hosting(self, subject: Any) -> Any:
        return self

    def sample(self, stream: Key, within: Any = None) -> Any:
        return self._world.sample(self._stream)


def trained(found: Ground, way: Way, size: Size, seed: Key) -> ReplayQ:
    """A learner after its training in one of the ways."""
    pool = found.train if way == "from checkpoints" else None
    environment = (
        WorldEnv(found.world, checkpoints=pool)
        if pool is not None
        else WorldEnv(found.world, description=found.description)
    )
    rng = np.random.Generator(np.random.PCG64(fold(seed, 1)))
    learner = ReplayQ(int(environment.action_space.n), rng)  # type: ignore[attr-defined]
    if way == "with experience":
        learner.experience = list(_transitions(found))
    left = size.interactions
    first = True
    while left > 0:
        seen, _ = environment.reset(seed=int(seed >> np.uint64(1)) if first else None)
        first = False
        left -= _episode(environment, found.task, learner, seen, left, learns=True)[0]
    environment.close()
    return learner


def _episode(
    environment: WorldEnv, task: Task, learner: ReplayQ, seen: Any, most: int, *, learns: bool
) -> tuple[int, float]:
    """One episode: how many interactions it had, and its reward."""
    state = task.coded(seen, seen)
    played, gain = 0, 0.0
    while True:
        action = learner.act(state, explores=learns)
        now, reward, terminated, cut, _ = environment.step(action)
        played += 1
        ended = terminated or cut
        gain = _gain(environment, task, reward) if ended else 0.0
        following = task.coded(now, seen)
        if learns:
            learner.learn(Transition(state, action, gain, following, ended))
        state, seen = following, now
        if ended or (learns and played >= most):
            return played, gain


def _gain(environment: WorldEnv, task: Task, last: float) -> float:
    assert environment.environment is not None
    return task.gained(measures_of(environment.environment), last)


def _transitions(found: Ground) -> Sequence[Transition]:
    """The experience of the player, as a learner would have had it."""
    all_of_them = []
    for episode in found.experience.episodes:
        coded = [
            found.task.coded(now, before)
            for before, now in zip([episode.seen[0], *episode.seen], episode.seen, strict=False)
        ]
        last = len(episode.actions) - 1
        for number, action in enumerate(episode.actions):
            ended = number == last
            gain = found.task.gained(episode.measures, episode.rewards[-1]) if ended else 0.0
            all_of_them.append(Transition(coded[number], action, gain, coded[number + 1], ended))
    return all_of_them


def gains_of(found: Ground, learner: ReplayQ, size: Size, seed: Key) -> tuple[float, float]:
    """The mean reward from starts that training never saw, and from the beginning."""
    gains = []
    for pool in (found.test, None):
        environment = (
            WorldEnv(found.world, checkpoints=pool)
            if pool is not None
            else WorldEnv(found.world, description=found.description)
        )
        own = []
        for number in range(size.tests if pool is not None else max(size.tests // 3, 1)):
            start = None if number else int(seed >> np.uint64(1))
            seen, _ = environment.reset(seed=start)
            own.append(_episode(environment, found.task, learner, seen, 0, learns=False)[1])
        environment.close()
        gains.append(float(np.mean(own)))
    return gains[0], gains[1]


def checkpoint_replay(
    seed: Key, size: Size | None = None, tell: Tell = lambda text: None
) -> list[Expectation]:
    """What is expected of checkpoint replay, each with what was found."""
    size = size or Size()
    found: list[Expectation] = []
    for task in tasks():
        tell(f"{task.name}: three ways of training")
        found += _ways(task, size, key(seed, task.name))
    task = tasks()[0]
    tell(f"{task.name}: the number of checkpoints")
    found.append(_numbers(task, size, key(seed, task.name)))
    tell(f"{task.name}: whose checkpoints")
    found.append(_players(task, size, key(seed, task.name)))
    return found


def _ways(task: Task, size: Size, seed: Key) -> list[Expectation]:
    starts: dict[Way, list[float]] = {way: [] for way in WAYS}
    beginnings: dict[Way, list[float]] = {way: [] for way in WAYS}
    for number in range(size.learners):
        place = ground(task, size, fold(seed, number))
        for way in WAYS:
            learner = trained(place, way, size, fold(fold(seed, number), 7))
            gains = gains_of(place, learner, size, fold(fold(seed, number), 8))
            starts[way].append(gains[0])
            beginnings[way].append(gains[1])
    means = "; ".join(f"{way} {_told(mean_interval(starts[way]))}" for way in WAYS)
    begun = "; ".join(f"{way} {_told(mean_interval(beginnings[way]))}" for way in WAYS)
    told = f" Tested from held-out starts: {means}. Tested from the beginning: {begun}."
    found = []
    for better, worse in ((2, 0), (2, 1), (1, 0)):
        apart = difference(starts[WAYS[better]], starts[WAYS[worse]], paired=True)
        found.append(
            Expectation(
                f"{task.name}: trained {WAYS[better]}, a learner gains more than {WAYS[worse]}.",
                f"Reward at the end from held-out starts, {size.learners} learners each: the difference is surely "
                "above 0.",
                f"{_told(apart)}.{told}",
                _above(apart),
            )
        )
        told = ""
    return found


def _numbers(task: Task, size: Size, seed: Key) -> Expectation:
    gains: dict[int, list[float]] = {}
    for number in range(size.learners):
        place = ground(task, size, fold(seed, number))
        for count in size.counts:
            few = replace(place, train=_first(place.train, count))
            learner = trained(few, "from checkpoints", size, fold(fold(seed, number), 7))
            gain = gains_of(few, learner, size, fold(fold(seed, number), 8))[0]
            gains.setdefault(count, []).append(gain)
    told = "; ".join(f"{count}: {_told(mean_interval(own))}" for count, own in gains.items())
    apart = difference(gains[size.counts[-1]], gains[size.counts[0]], paired=True)
    return Expectation(
        f"{task.name}: {size.counts[-1]} checkpoints gain more than {size.counts[0]}.",
        "The difference from held-out starts is surely above 0. The paper leaves open how many are needed.",
        f"{_told(apart)}. By number of checkpoints: {told}.",
        _above(apart),
    )


def _first(pool: Pool, count: int) -> Pool:
    """Some checkpoints of a pool, spread over it."""
    places = np.unique(np.linspace(0, len(pool) - 1, min(count, len(pool))).astype(int))
    return replace(pool, checkpoints=[pool.checkpoints[place] for place in places.tolist()])


def _players(task: Task, size: Size, seed: Key) -> Expectation:
    gains: dict[str, list[float]] = {}
    for number in range(size.learners):
        place = ground(task, size, fold(seed, number))
        for player in (task.player, "random"):
            made = (
                place if player == task.player else ground(task, size, fold(seed, number), player)
            )
            learner = trained(
                replace(place, train=made.train),
                "from checkpoints",
                size,
                fold(fold(seed, number), 7),
            )
            gains.setdefault(player, []).append(
                gains_of(place, learner, size, fold(fold(seed, number), 8))[0]
            )
    told = "; ".join(f"{player}: {_told(mean_interval(own))}" for player, own in gains.items())
    apart = difference(gains[task.player], gains["random"], paired=True)
    return Expectation(
        f"{task.name}: checkpoints of a player who knows the task gain more than those of random play.",
        "The difference from the held-out starts of that player is surely above 0.",
        f"{_told(apart)}. By player: {told}.",
        _above(apart),
    )


def _told(one: Estimate) -> str:
    return f"{signed(one.value)} {interval(one.low, one.high)}"


def _above(one: Estimate) -> Verdict:
    return "held" if one.low > 0.0 else "failed" if one.high < 0.0 else "open"
