"""Human starts: episodes that begin where somebody else was, so that no memorized opening helps.

After Nair et al.: Massively Parallel Methods for Deep Reinforcement Learning (2015), and Hosu and Rebedea: Playing
Atari Games with Deep Reinforcement Learning and Human Checkpoint Replay (2016): evaluations from checkpoints other than
those of training, each at most so long, and only what is gained after the start counts. Checkpoints of one episode are
nearly the same state, so that all starts from one source episode are one sitting, and the interval is over sources.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, get_args

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold, key, prf
from mensura.assessments.slots import Memory, check_choice, check_count
from mensura.assessments.starts import check_pool
from mensura.core.abilities import describe_from_json, horizon, trained_on
from mensura.core.account import Account, Given, Unit, listed, some
from mensura.core.contract import Description, Episode, Plan, Start, World
from mensura.core.loop import RAW
from mensura.core.scored import Scored
from mensura.records.pool_shelf import SHELF, PoolReference, referred
from mensura.records.pools import Checkpoint, Pool

RETURN, NORMALIZED = "return", "normalized return"
"""The rewards of an episode in all, for each subject in it; and the same where 0 is a random subject's return and 1 the
players'."""

SOURCE = Unit(
    "source episode",
    "source episodes",
    "An episode that somebody played, from whose checkpoints subjects start; these starts have one score together.",
)

_ORDER, _RESET = 0, 1


def _pool(given: Given, name: str) -> PoolReference | None:
    """What the parameters say of a pool; None where they name none."""
    text = given.get(name)
    return PoolReference.parse(text) if isinstance(text, str) else None


def _done(given: Given) -> Iterator[str]:
    limit = given.get("limit")
    length = "to its end" if limit is None else f"for at most {some(limit, 'interaction')}"
    kept = "goes on with what it knows" if given.get("memory") == "continuous" else "starts anew"
    yield (
        f"Every subject was started {some(int(given.get('evaluations') or 0), 'time')}, in the same checkpoints as the "
        f"others, and each episode was played {length}. At each start a subject {kept}."
    )
    pool = _pool(given, "pool")
    if pool is not None:
        yield (
            f"The checkpoints are those of the pool {pool.digest}: {some(pool.checkpoints, 'checkpoint')} of "
            f"{some(pool.episodes, 'episode')}, played by {listed(pool.players)}."
        )
    trained = _pool(given, "trained_on")
    if trained is not None:
        yield (
            f"Training was from the pool {trained.digest} ({some(trained.checkpoints, 'checkpoint')} of "
            f"{some(trained.episodes, 'episode')}), which has no episode in common with it."
        )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a source episode is the mean over the starts from it of the average reward per subject and "
        "iteration after the start; the score of a subject is the mean over source episodes, and its interval comes "
        "from their scatter. The measure return is the same of the rewards in all: the raw score."
    )
    if given.get("random_return") is not None:
        yield (
            f"In the normalized return, 0 is {given['random_return']:g}, as told of a random subject, and 1 is "
            f"{given['player_return']:g}, as told of the players."
        )


def _warnings(given: Given) -> Iterator[str]:
    if _pool(given, "trained_on") is None:
        yield (
            "Nobody said which pool subjects were trained on (trained_on): a subject that was trained on these very "
            "checkpoints, or on others of the same episodes, knows its starts."
        )


@dataclass(frozen=True)
class HumanStarts:
    """Episodes from the checkpoints of a pool, other than those of training."""

    pool: str = ""
    """The pool of checkpoints: its file. Records name it by its digest, and keep what it holds."""
    evaluations: int = 100
    """Episodes in all, spread evenly over the episodes that the checkpoints come from."""
    limit: int | None = None
    """The most interactions of an episode; None plays each to its end."""
    trained_on: str = ""
    """The pool that subjects were trained on: refused where it has an episode in common with the other."""
    memory: Memory = "fresh"
    """Whether a subject starts anew at each start, or goes on with what it knows."""
    random_return: float | None = None
    """What a random subject gains on average from such starts, for normalized returns; with ``player_return``."""
    player_return: float | None = None
    """What the players gained on average, likewise."""
    measure: str | None = None
    """The complexity that is told of environments; None is the world's first."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="After Nair et al.: Massively Parallel Methods for Deep Reinforcement Learning (2015), and Hosu and "
        "Rebedea: Playing Atari Games with Deep Reinforcement Learning and Human Checkpoint Replay (2016).",
        score="the mean reward after the start, over source episodes",
        unit=lambda _: SOURCE,
        beside=(RETURN, NORMALIZED),
        balanced=False,
        rewards="What acting at random is worth depends on where the starts are: it is for the run to show.",
        warnings=_warnings,
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other; files are read once."""
        if not self.pool:
            raise MensuraError(
                "Human starts are from a pool of checkpoints; name its file, as pool: mine.test.pool. `mensura "
                "checkpoints record` makes one."
            )
        check_count("evaluations", self.evaluations)
        if self.limit is not None:
            check_count("limit", self.limit)
        check_choice("memory", self.memory, get_args(Memory))
        told = self.random_return, self.player_return
        if (told[0] is None) != (told[1] is None):
            raise MensuraError(
                "A normalized return needs what a random subject gains and what the players gained: write both "
                "random_return and player_return, or neither."
            )
        if told[0] is not None and (not all(map(math.isfinite, told)) or told[0] == told[1]):  # type: ignore[arg-type]
            raise MensuraError(
                f"random_return is {told[0]} and player_return {told[1]}; they are two different numbers."
            )
        for name, value in self.embed_files(vars(self)).items():
            object.__setattr__(self, name, value)
        training = PoolReference.parse(self.trained_on)
        # A run that is resumed has its own pool alone, and was checked when it began.
        if training is not None and SHELF.has(training.digest):
            check_apart(self.reference, training)

    @staticmethod
    def embed_files(given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with references to pools in the place of the names of their files."""
        named = {name: given[name] for name in ("pool", "trained_on") if given.get(name)}
        texts = {name: one for name, one in named.items() if isinstance(one, str)}
        return {**given, **{name: referred(text).text for name, text in texts.items()}}

    @staticmethod
    def paid_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Fewer episodes where answers are paid for."""
        return {"evaluations": 20}

    @property
    def reference(self) -> PoolReference:
        """What is said of its pool."""
        found = PoolReference.parse(self.pool)
        assert found is not None
        return found

    @property
    def pools(self) -> tuple[str, ...]:
        """The digest of its pool, for records."""
        return (self.reference.digest,)

    @property
    def sittings(self) -> int:
        """One for each source episode."""
        return min(self.evaluations, self.reference.episodes)

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, at most."""
        return math.ceil(self.evaluations / self.sittings) * (self.limit or horizon(world) or 1)

    def check(self, world: World) -> None:
        """Raise if the pool is of another world, or of other seats."""
        check_pool(SHELF.find(self.reference.digest), world)

    def check_subject(self, subject: Any) -> None:
        """Raise if a subject says that it was trained on an episode of the pool."""
        note = trained_on(subject)
        common = note.episodes & set(SHELF.find(self.reference.digest).episodes) if note else ()
        if note is not None and common:
            raise MensuraError(
                f"{subject.name} was trained on the pool {note.digest}, which has {some(len(common), 'episode')} in "
                f"common with that of the test, as {min(common)}: what was trained on would be tested."
            )

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Start from one of the source episodes, drawn by the key."""
        return self.sitting_of(world, key, prf(key, 0, 0) % self.sittings)

    def sitting_of(self, world: World, key: Key, number: int) -> Generator[Plan, Episode, float]:
        """Start from checkpoints of the source episode of this number, drawn by the key; the mean over these starts."""
        pool = SHELF.find(self.reference.digest)
        source = sources(pool)[number]
        share, more = divmod(self.evaluations, self.sittings)
        episodes: list[Episode] = []
        described: dict[int, Description] = {}
        for one in drawn(source, share + (number < more), fold(key, _ORDER)):
            if one.environment not in described:
                told = pool.environments[one.environment]
                described[one.environment] = describe_from_json(world, told)
            plan = Plan(
                described[one.environment],
                fold(fold(key, _RESET), len(episodes)),
                interactions=self.limit,
                fresh=self.memory == "fresh",
                start=Start(one.digest, pool.snapshots[one.digest]),
            )
            episodes.append((yield plan))
        total = math.fsum(map(return_of, episodes)) / len(episodes)
        measures = {RETURN: total}
        if self.random_return is not None and self.player_return is not None:
            lowest = self.random_return
            measures[NORMALIZED] = (total - lowest) / (self.player_return - lowest)
        return Scored(math.fsum(one.mean_reward for one in episodes) / len(episodes), measures)


def return_of(episode: Episode) -> float:
    """The rewards of an episode in all, for each scored seat; or what they were cut from, as the points of a game."""
    if RAW in episode.measures:
        return episode.measures[RAW]
    seats = episode.scored
    return math.fsum(episode.rewards[seat] for seat in seats) / len(seats)


def check_apart(test: PoolReference, training: PoolReference) -> None:
    """Raise if two pools have an episode, or a state, in common."""
    pools = [SHELF.find(one.digest) for one in (test, training)]
    common = set(pools[0].episodes) & set(pools[1].episodes)
    if common:
        raise MensuraError(
            f"The pools of training and of the test have {some(len(common), 'episode')} in common, as "
            f"{min(common)}: what was trained on would be tested. `mensura checkpoints split` sets whole episodes "
            "apart."
        )
    same = set(pools[0].snapshots) & set(pools[1].snapshots)
    if same:
        raise MensuraError(
            f"The pools of training and of the test have {some(len(same), 'state')} in common, as {min(same)}: what "
            "was trained on would be tested."
        )


@lru_cache(maxsize=16)
def _sources(digest: str) -> tuple[tuple[Checkpoint, ...], ...]:
    pool = SHELF.find(digest)
    own: dict[str, list[Checkpoint]] = {name: [] for name in pool.episodes}
    for one in pool.checkpoints:
        own[one.episode].append(one)
    shuffled = sorted(own, key=lambda name: key(int(digest[:16], 16), "source", name))
    return tuple(tuple(own[name]) for name in shuffled)


def sources(pool: Pool) -> Sequence[Sequence[Checkpoint]]:
    """The checkpoints of each source episode, in an order that is the same for everybody."""
    return _sources(pool.digest)


def drawn(checkpoints: Sequence[Checkpoint], count: int, stream: Key) -> Iterator[Checkpoint]:
    """So many of them by a key: all once before any comes again."""
    for turn in range(math.ceil(count / len(checkpoints))):
        order = sorted(range(len(checkpoints)), key=lambda at: (prf(stream, turn, at), at))
        for at in order[: count - turn * len(checkpoints)]:
            yield checkpoints[at]
