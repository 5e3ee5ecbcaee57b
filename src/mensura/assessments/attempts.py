"""Attempts: a subject trains on easier copies of a task, then tries the task itself again and again (6.2.1).

The protocol is that of Thorarensen, Thórisson, Bieger and Sigurðardóttir: FraMoTEC (2016). Training environments are
copies of the target that start nearer to its goal, and gradually farther; then so many attempts are assessed, in one
sitting, and the subject goes on learning in them. What it costs and whether it gets better is what the attempts show.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, fold
from mensura.assessments.slots import check_choice, check_count
from mensura.assessments.starts import check_pool
from mensura.core.abilities import describe_from_json, easier, horizon, in_training
from mensura.core.account import Account, Given, counted, listed, some
from mensura.core.contract import Description, Episode, Plan, Start, World
from mensura.core.scored import Scored
from mensura.core.steps import ATTEMPT
from mensura.records.pool_shelf import SHELF, PoolReference, referred
from mensura.records.pools import Pool
from mensura.records.task_attempts import ENERGY, SOLVED, TIME

Environments = Literal["drawn", "same"]

_ENVIRONMENT, _RESET, _START = range(3)


def _done(given: Given) -> Iterator[str]:
    yield (
        f"Every subject had {counted(given, 'sittings', 'sitting')} of {counted(given, 'attempts', 'attempt')}, and "
        "kept what it learned from one attempt to the next."
    )
    pool = PoolReference.parse(str(given.get("checkpoints") or ""))
    if pool is not None:
        yield (
            f"Training starts from the pool {pool.digest}: {some(pool.checkpoints, 'checkpoint')} of "
            f"{some(pool.episodes, 'episode')}, played by {listed(pool.players)}. The attempts start at the beginning."
        )
    steps = int(given.get("curriculum", 1))
    if steps > 1:
        yield (
            "Training is on copies of the environments that start nearer to the goal, farther away in "
            f"{some(steps, 'step')}."
        )


def _meaning(given: Given) -> Iterator[str]:
    yield (
        "The score of a sitting is the mean over attempts of the mean reward in each; the score of a subject is "
        "the mean over sittings, and its interval comes from their scatter. Further measures tell how many "
        "attempts were solved, and the time and energy that they took."
    )


@dataclass(frozen=True)
class Attempts:
    """So many attempts at a task in each sitting, after training on easier copies of it."""

    sittings: int = 10
    """How many subjects of the kind learn and try, each from the beginning."""
    attempts: int = 200
    """Episodes that are assessed, one after the other, while the subject learns on."""
    training: int = 0
    """Episodes of training before the attempts."""
    curriculum: int = 1
    """In so many steps the copies of training get as hard as the task; with 1 they are the task itself."""
    checkpoints: str = ""
    """The pool whose checkpoints training starts from, drawn by key: its file; without one, from the beginning."""
    limit: int | None = None
    """The most interactions of a training episode from a checkpoint; None plays each to its end."""
    environments: Environments = "drawn"
    """Whether each episode has an environment of its own, as the world draws them, or all the same one."""
    measure: str | None = None
    """The complexity that is told of environments; None is the world's first."""

    account: ClassVar[Account] = Account(
        _done,
        _meaning,
        source="The protocol is that of 6.2.1 of Thorarensen, Thórisson, Bieger and Sigurðardóttir: FraMoTEC (2016).",
        training="before their attempts",
    )

    def __post_init__(self) -> None:
        """Raise if the parameters are out of range or contradict each other."""
        for name in ("sittings", "attempts", "curriculum"):
            check_count(name, getattr(self, name))
        if (
            isinstance(self.training, bool)
            or not isinstance(self.training, int)
            or self.training < 0
        ):
            raise MensuraError(f"training is {self.training!r}; it is a whole number from 0 on.")
        check_choice("environments", self.environments, get_args(Environments))
        if self.limit is not None:
            check_count("limit", self.limit)
        if self.checkpoints and self.curriculum > 1:
            raise MensuraError(
                "Training is from checkpoints or on easier copies, not on both; write curriculum: 1, or leave out the "
                "checkpoints."
            )
        for name, value in self.embed_files(vars(self)).items():
            object.__setattr__(self, name, value)

    @staticmethod
    def embed_files(given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters with a reference to the pool in the place of the name of its file."""
        named = given.get("checkpoints")
        if not isinstance(named, str) or not named:
            return dict(given)
        return {**given, "checkpoints": referred(named).text}

    @property
    def pools(self) -> tuple[str, ...]:
        """The digest of its pool, for records."""
        pool = PoolReference.parse(self.checkpoints)
        return () if pool is None else (pool.digest,)

    def check(self, world: World) -> None:
        """Raise if the pool is of another world, or of other seats."""
        for digest in self.pools:
            check_pool(SHELF.find(digest), world)

    @property
    def exercises(self) -> int:
        """Episodes of a sitting."""
        return self.training + self.attempts

    def expected_interactions(self, world: World) -> int:
        """Of a sitting, as far as they are known beforehand."""
        return (self.training + self.attempts) * (horizon(world) or 1)

    def sitting(self, world: World, key: Key) -> Generator[Plan, Episode, float]:
        """Train, then try; ``key`` is the item's. The score is the mean reward over attempts."""
        copies = easier(world)
        if copies is None and self.training and self.curriculum > 1:
            raise MensuraError(
                f"The world {world.id} has no easier copies of its environments; write curriculum: 1 to train in the "
                "environments themselves."
            )
        pools = [SHELF.find(digest) for digest in self.pools]
        for number in range(self.training):
            if pools:
                yield self._from_checkpoint(world, pools[0], key, number)
                continue
            environment, description = self._target(world, key, number)
            reset = fold(fold(key, _RESET), number)
            share = self.share(number)
            if copies is not None and share < 1.0:
                yield Plan(copies(description, share), reset, learning=True)
            else:
                practice = in_training(world, description, number)
                yield Plan(practice, reset, learning=True, environment=environment)
        made: list[Episode] = []
        for number in range(self.attempts):
            environment, description = self._target(world, key, self.training + number)
            made.append(
                (
                    yield Plan(
                        description,
                        fold(fold(key, _RESET), self.training + number),
                        environment=environment,
                        measures={ATTEMPT: number + 1.0},
                    )
                )
            )
        return Scored(math.fsum(one.mean_reward for one in made) / len(made), dict(_told(made)))

    def _from_checkpoint(self, world: World, pool: Pool, key: Key, number: int) -> Plan:
        """An episode of training that starts where somebody else was."""
        one = pool.chosen(fold(fold(key, _START), number))
        return Plan(
            describe_from_json(world, pool.environments[one.environment]),
            fold(fold(key, _RESET), number),
            learning=True,
            interactions=self.limit,
            start=Start(one.digest, pool.snapshots[one.digest]),
        )

    def share(self, number: int) -> float:
        """How hard an episode of training is: at which share of the way to the goal it starts."""
        return (1 + number * self.curriculum // max(self.training, 1)) / self.curriculum

    def _target(self, world: World, key: Key, number: int) -> tuple[Key, Description]:
        root = fold(key, _ENVIRONMENT)
        environment = root if self.environments == "same" else fold(root, number)
        return environment, world.sample(environment)


def _told(made: list[Episode]) -> Generator[tuple[str, Any], None, None]:
    """What the attempts cost in all until one was solved for the first time (5.2), in worlds that tell that."""
    if not all(SOLVED in one.measures for one in made):
        return
    first = next((i for i, one in enumerate(made) if one.measures[SOLVED]), None)
    yield "ever solved", float(first is not None)
    if first is not None:
        yield "attempts until solved", first + 1.0
        for name in (TIME, ENERGY):
            spent = math.fsum(one.measures.get(name, 0.0) for one in made[: first + 1])
            yield f"{name} until solved", spent
