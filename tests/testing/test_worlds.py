"""Every check of a world rejects a world that is broken in just that way, and no sane one."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.adapters.worlds import LineWorld
from tests.testing.guessing import Guessing, GuessingWorld, Secret
from tests.toys import RelayWorld

from mensura.agent.errors import MensuraError
from mensura.agent.task import Seat
from mensura.core.contract import Turn
from mensura.core.phenomena import Cause, Phenomenon
from mensura.core.registry import WORLDS
from mensura.testing import check_world
from mensura.testing.worlds import CHECKS
from mensura.worlds.bf.agents import KINDS
from mensura.worlds.bf.world import BF
from mensura.worlds.kit import world as kit_world
from mensura.worlds.lambda_star.world import LambdaStar

# Sane worlds ------------------------------------------------------------------


CHECKED_ELSEWHERE = {
    "analogies-v1": "tests/worlds/analogies, by make thorough",
    "atari-v1": "tests/worlds/atari, by make thorough",
    "bf-v1": "the next test",
    "constraints-v1": "tests/worlds/constraints",
    "lambda-star-v2": "the sane worlds below",
    "pagi-v1": "tests/worlds/pagi, by make thorough",
}
"""Worlds that are dear to check as they are by default, and where else they are checked."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough) if name in CHECKED_ELSEWHERE else name
        for name in WORLDS.names()
    ],
)
def test_every_installed_world_passes(
    name: str, full_size: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    episodes, balance = (3, 200) if full_size else (1, 30)
    if not full_size:  # a complexity that no environment has is looked for in fewer of them
        monkeypatch.setattr(kit_world, "TRIES", 150)
    kind = WORLDS.load(name)
    # Episodes of a thousand interactions, as BF has, would take most of the time of all worlds.
    shorter: dict[str, int] = {}
    if not full_size and kind().horizon and kind().horizon > 100:
        shorter = {"horizon": 30 if name == "atari-v1" else 100}
    if name == "pagi-v1" and not full_size:  # it has no horizon of its own
        shorter = {"horizon": 30}
    if (
        name == "constraints-v1" and not full_size
    ):  # samples of its actions are letters as long as may be
        shorter = {"horizon": 20, "letters": 4, "longest": 40}
    assert check_world(kind(**shorter), episodes=episodes, balance=balance) == []


def test_bf_passes_with_the_subjects_that_are_compiled_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(KINDS, "mc-aixi")
    assert check_world(BF(horizon=100), episodes=1, balance=30) == []


@pytest.mark.parametrize(
    "world",
    [
        GuessingWorld(),
        RelayWorld(),
        LineWorld(),
        LambdaStar(rows=1, cols=2, subjects=7, horizon=3),
        pytest.param(
            LambdaStar.preset("authors-2016", rows=4, cols=4, horizon=10),
            marks=pytest.mark.thorough,
        ),
        LambdaStar(rows=3, cols=5, range=3, radius=0, guided=True, future=(0,), horizon=9),
    ],
    ids=["guessing", "relay", "line", "tiny", "authors", "wide"],
)
def test_sane_worlds_of_every_kind_pass(world: Any, full_size: bool) -> None:
    episodes, balance = (3, 100) if full_size else (1, 50)
    assert check_world(world, episodes=episodes, balance=balance) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", LambdaStar.presets)
def test_every_preset_of_lambda_star_passes(name: str, full_size: bool) -> None:
    world = LambdaStar.preset(name, rows=6, cols=5, horizon=10)
    if not full_size:
        world = replace(world, subjects=4)
    episodes, balance = (3, 100) if full_size else (2, 50)
    assert check_world(world, episodes=episodes, balance=balance) == []


# Broken ones ------------------------------------------------------------------

count = itertools.count()


def world(**changes: Any) -> GuessingWorld:
    """The guessing world with some of its attributes or methods exchanged."""
    return type("BrokenWorld", (GuessingWorld,), changes)()


def environment(**changes: Any) -> GuessingWorld:
    """The guessing world with some attributes or methods of its environments exchanged."""
    return world(environment=type("Broken", (Guessing,), changes))


def turned(change: Callable[[Guessing, Turn], Turn]) -> GuessingWorld:
    """The guessing world with its turns changed."""
    return environment(turn=lambda self, rewards: change(self, Guessing.turn(self, rewards)))


def built(change: Callable[[Guessing], Any]) -> GuessingWorld:
    """The guessing world with its environments changed as they are built."""

    def build(self: Any, description: Any) -> Guessing:
        made = Guessing(description)
        change(made)
        return made

    return world(build=build)


@dataclass(frozen=True)
class Unwritable(Secret):
    """A description that JSON cannot write."""

    def to_json(self) -> dict[str, Any]:
        return {"numbers": set(self.numbers)}


@dataclass(frozen=True)
class Forgetful(Secret):
    """A description of which a number is another one after the way through JSON."""

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Forgetful:
        return cls((*data["numbers"][:-1], 3 - data["numbers"][-1]))


class Unequal(Secret):
    """A description that is equal to itself only."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def drawn_as(kind: type[Secret]) -> GuessingWorld:
    """The guessing world with descriptions of another kind, equal ones drawn from equal keys."""
    return world(
        sample=lambda self, key, within=None: kind(GuessingWorld.sample(self, key, within).numbers),
        describe_from_json=lambda self, data: kind.from_json(data),
    )


def fickle_sample(self: Any, key: int, within: Any = None) -> Secret:
    return GuessingWorld.sample(self, next(count), within)


def deaf_sample(self: Any, key: int, within: Any = None) -> Secret:
    return GuessingWorld.sample(self, key)


def breaking_sample(self: Any, key: int, within: Any = None) -> Secret:
    if within and within[2] > 12:
        raise IndexError("pop from empty list")
    return GuessingWorld.sample(self, key, within)


def narrow_sample(self: Any, key: int, within: Any = None) -> Secret:
    return GuessingWorld.sample(self, key, within and (within[0], 999, 999))


class Counting(Guessing):
    """Shows how many environments were built before."""

    def __init__(self, description: Any) -> None:
        super().__init__(description)
        self.number = next(count) / 1e6

    def turn(self, rewards: list[float]) -> Turn:
        turn = super().turn(rewards)
        for seen in turn.observations:
            seen[1] += self.number
        return turn


class Worn(Guessing):
    """Remembers an earlier episode."""

    plays = 0

    def reset(self, key: int) -> Turn:
        turn = super().reset(key)
        self.plays += 1
        for seen in turn.observations:
            seen[1] += (self.plays > 1) / 100
        return turn


class Unswept(Guessing):
    """Starts anew only after an episode that was played to its end."""

    kept = 0.0

    def reset(self, key: int) -> Turn:
        if 0 < self.time < len(self.description.numbers):
            self.kept += 0.01
        turn = super().reset(key)
        for seen in turn.observations:
            seen[1] += self.kept
        return turn


class Reusing(Guessing):
    """Gives the same memory at every turn."""

    def __init__(self, description: Any) -> None:
        super().__init__(description)
        self.memory = [np.zeros(2), np.zeros(2)]

    def turn(self, rewards: list[float]) -> Turn:
        turn = super().turn(rewards)
        for mine, seen in zip(self.memory, turn.observations, strict=True):
            mine[:] = seen
        return turn._replace(observations=self.memory)


class Loose(Guessing):
    """A snapshot forgets the lucky number."""

    def restore(self, state: bytes) -> Turn:
        super().restore(state)
        self.lucky = 0.05
        return self.turn(self.gained)


class Silent(Guessing):
    """A snapshot is restored without a word."""

    def restore(self, state: bytes) -> Turn:
        super().restore(state)
        return None  # type: ignore[return-value]


class Forgiving(Guessing):
    """What was gained at the moment of a snapshot is not told again."""

    def restore(self, state: bytes) -> Turn:
        turn = super().restore(state)
        return turn._replace(rewards=[0.0, 0.0])


class Trusting(Guessing):
    """Whatever is restored is taken for the beginning."""

    def restore(self, state: bytes) -> Turn:
        try:
            return super().restore(state)
        except MensuraError:
            return self.reset(1)


class Homesick(Guessing):
    """A snapshot holds the time in the environment that took it only."""

    def snapshot(self) -> bytes:
        self.saved = self.time, self.lucky
        return b""

    def restore(self, state: bytes) -> Turn:
        self.time, self.lucky = getattr(self, "saved", (0, 0.0))
        return self.turn(self.gained)


class Disturbed(Guessing):
    """Taking a snapshot changes the lucky number."""

    def snapshot(self) -> bytes:
        state = super().snapshot()
        self.lucky += 0.001
        return state


class Automatic(Guessing):
    """Starts the next episode by itself."""

    def step(self, actions: Any, seconds: Any) -> Turn:
        if self.time == len(self.description.numbers):
            return self.reset(0)
        return super().step(actions, seconds)


class Endless(Guessing):
    """Never comes to an end."""

    horizon = None

    def __init__(self, description: Any) -> None:
        self.description, self.time, self.lucky = description, 0, 0.0
        self.seats = (Seat(0), Seat(1))

    def step(self, actions: Any, seconds: Any) -> Turn:
        return self.turn([0.0, 0.0])


def raises(*_: Any) -> Any:
    raise OSError("out of order")


def picky_legal(self: Any, seat: int, action: Any) -> bool:
    return action + 0 in (1, 2)


class Compiled(GuessingWorld):
    """A world with a second door, whose scores are off by ``error``."""

    error = 0.0
    subject_names: Any = {"random": "guesses"}  # noqa: RUF012

    def sample_many(self, keys: Any, measure: str, low: Any, high: Any) -> Any:
        return [self.sample(key) for key in keys.tolist()]

    def group(self, parts: Any) -> Any:
        return Guesser()

    def compiles(self, subject: Any) -> bool:
        return True

    def rollout(
        self,
        subject: Any,
        patterns: Any,
        resets: Any,
        seeds: Any,
        training: int,
        keep_training: bool = False,
    ) -> Any:
        scores = [
            float(sum(1 if number == 2 else -1 for number in secret.numbers)) for secret in patterns
        ]
        kept = training + 1 if keep_training else 1
        return (
            np.repeat(np.array(scores)[:, None, None], kept, axis=1).repeat(2, axis=2) + self.error
        )


class CompiledPlans(GuessingWorld):
    """A world with a second door for plans, whose slots are ``short`` by so many interactions."""

    short = 0
    subject_names: Any = {"random": "guesses"}  # noqa: RUF012

    def group(self, parts: Any) -> Any:
        return Guesser()

    def compiles(self, subject: Any) -> bool:
        return True

    def play_compiled(self, subject: Any, plan: Any, seed: int, player: Any = None) -> Any:
        from mensura.core.loop import play
        from mensura.core.players import drive

        slot = plan.interactions and max(1, plan.interactions - self.short)
        episode = drive(
            play(
                self.build(plan.description),
                plan.key,
                world=self.id,
                seed=seed,
                interactions=slot,
                diminishing=plan.diminishing,
            ),
            player or subject.sit(2),
        )
        return replace(episode, slot=plan.slot)


class Guesser:
    """Always guesses 2."""

    name = "guesser"

    def sit(self, seats: int) -> Any:
        from mensura.agent.in_process import Agents

        return Agents([self] * seats)

    def act(self, observation: Any, reward: float) -> int:
        return 2


def test_the_two_doors_of_a_sane_world_agree() -> None:
    assert check_world(Compiled()) == []
    assert check_world(CompiledPlans()) == []


wordless: Any = type("Wordless", (Guessing,), {"__doc__": ""})


@dataclass(frozen=True)
class Misremembering(GuessingWorld):
    """Its parameter is not what it draws by."""

    length: int = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "_salt", self.length if self.length == 3 else 7)
        object.__setattr__(
            self, "length", self.length if self.length == 3 or callable(self.length) else 3
        )

    def sample(self, key: int, within: Any = None) -> Secret:
        return super().sample(key + self._salt, within)  # type: ignore[attr-defined]


class AlwaysLucky(Guessing):
    """Every episode begins alike."""

    def reset(self, key: int) -> Any:
        return super().reset(1)


def unexplained() -> list[Phenomenon]:
    """Phenomena of another world, with a cause too many."""
    found = LambdaStar(rows=3, cols=3, subjects=1, horizon=4).phenomena()
    system: Any = found[0].system
    system.causes = (*system.causes, Cause("the moon", "reward", 1))
    return list(found)


BROKEN: dict[str, tuple[GuessingWorld, str]] = {
    "nothing said of its content": (
        world(content=None),
        "does not say where its environments come from",
    ),
    "a content that is none": (
        world(content="generated"),
        "content must be one of 'generated afresh', 'drawn from a public bank', 'fixed'",
    ),
    "one environment that is said to be generated": (
        world(sample=lambda self, key, within=None: Secret((1, 2)), environment=AlwaysLucky),
        "8 environments were one and the same, which are said to be generated afresh",
    ),
    "an unsafe id": (world(id="Guessing World/0"), "the id 'Guessing World/0' is not safe"),
    "an id without a version": (world(id="guessing"), "the id 'guessing' is not safe"),
    "a sample that raises": (world(sample=raises), "cannot be drawn, built and reset: OSError"),
    "a sample that ignores its key": (world(sample=fickle_sample), "two different environments"),
    "unequal descriptions": (drawn_as(Unequal), "do not compare equal"),
    "parameters that are not its own": (
        Misremembering(length=5),
        "it draws another environment from the same key",
    ),
    "parameters that are no data": (
        Misremembering(length=open),  # type: ignore[arg-type]
        "the parameters cannot be written as JSON",
    ),
    "a preset that cannot be": (
        world(presets={"usual": {}, "broken": {"x": 1}}, preset=raises),
        "the preset 'usual' cannot be made",
    ),
    "other seats than it says": (world(subjects=3), "it has 3 seats, and an environment has 2"),
    "another horizon than it says": (world(horizon=99), "episodes have 99 interactions"),
    "a subject that raises": (
        world(subject_names={"it": "breaks"}, group=raises),
        "its subject it cannot play: OSError",
    ),
    "words that say nothing": (
        world(
            words=lambda self: SimpleNamespace(rules=lambda task: " ", observation=lambda t, o: "x")
        ),
        "seat 0 is told ' ' in words, which is nothing",
    ),
    "a picture that raises": (
        environment(picture=lambda self, seat=None: 1 / 0),
        "how it is shown could not be checked: ZeroDivisionError",
    ),
    "a world without a word": (
        type("Silent", (GuessingWorld,), {"__doc__": "", "environment": wordless})(),
        "it does not say what it is",
    ),
    "bounds that are too narrow": (
        world(complexity_bounds=lambda self, measure: (0.0, 1.0)),
        r"outside of \(0.0, 1.0\), as the world says",
    ),
    "a deaf sample": (
        world(sample=deaf_sample),
        r"drawn with length within \((\d), \1\) has (?!\1\b)\d",
    ),
    "a sample that breaks": (
        world(sample=breaking_sample),
        "raised no MensuraError but IndexError",
    ),
    "a sample that finds nothing": (world(sample=narrow_sample), "no environment was found with"),
    "no number as complexity": (
        world(complexity=lambda *_: float("nan")),
        "the complexity length of an environment is .*not a number",
    ),
    "an unwritable description": (drawn_as(Unwritable), "cannot be written as JSON: TypeError"),
    "a forgetful description": (drawn_as(Forgetful), "read back from JSON is another one"),
    "another description": (
        built(lambda made: setattr(made, "description", replace(made.description, numbers=(1,)))),
        "has another description than the one it was built from",
    ),
    "environments that differ": (
        world(environment=Counting),
        "rebuilt from the same description shows other observations at turn 0",
    ),
    "a reset that remembers": (world(environment=Worn), "a second reset with the same key shows"),
    "a reset that half remembers": (
        world(environment=Unswept),
        "a reset in the middle of an episode shows other observations at turn 0",
    ),
    "seats that count from 1": (
        built(lambda made: setattr(made, "seats", (Seat(1), Seat(2)))),
        "the seats are numbered",
    ),
    "nobody to be scored": (
        built(lambda made: setattr(made, "seats", (Seat(0, "guide"), Seat(1, "guide")))),
        "no seat is of the group 'subject'",
    ),
    "nobody due": (
        turned(lambda self, turn: turn if self.time else Turn((), [], [])),
        r"the seats due are \(\)",
    ),
    "a seat due twice": (
        turned(lambda self, turn: turn._replace(due=(1, 1))),
        r"the seats due are \(1, 1\)",
    ),
    "a seat that is not there": (
        turned(lambda self, turn: turn._replace(due=(0, 2)) if self.time else turn),
        r"the seats due are \(0, 2\)",
    ),
    "not all due at the end": (
        turned(
            lambda self, turn: (
                turn if not turn.ended else Turn((0,), *(p[:1] for p in turn[1:3]), "terminated")
            )
        ),
        r"at the end the seats \(0,\) are due and not all",
    ),
    "an end of another kind": (
        turned(lambda self, turn: turn._replace(ended=turn.ended and "done")),  # type: ignore[arg-type]
        "ended as 'done', neither",
    ),
    "too few rewards": (
        turned(lambda self, turn: turn._replace(rewards=turn.rewards[:1])),
        "2 seats are due with 2 observations and 1 rewards",
    ),
    "an observation out of its space": (
        turned(
            lambda self, turn: turn._replace(observations=[seen - 1 for seen in turn.observations])
        ),
        "an observation of seat 0 is not in its space",
    ),
    "a reward that is no number": (
        turned(lambda self, turn: turn._replace(rewards=[float("nan")] * 2)),
        "the reward nan is not a number",
    ),
    "a reward beyond its bounds": (
        turned(lambda self, turn: turn._replace(rewards=[2 * reward for reward in turn.rewards])),
        r"the reward -?2.0 is not within \[-1, 1\], which the world promises",
    ),
    "a reward for nothing": (
        turned(lambda self, turn: turn if self.time else turn._replace(rewards=[0.5, 0.5])),
        "the reward before the first interaction is 0.5, not 0",
    ),
    "another horizon": (
        built(lambda made: setattr(made, "horizon", 99)),
        r"the horizon is 99 and a seat acted \d times",
    ),
    "turns that share their memory": (world(environment=Reusing), "change in later turns"),
    "an illegal default": (
        environment(default=lambda self, seat: 7),
        "the default action 7 of seat 0 is not legal",
    ),
    "everything legal": (
        environment(legal=lambda self, seat, action: True),
        "0 is legal and not in the action space of seat 0",
    ),
    "floats legal": (
        environment(
            legal=lambda self, seat, action: isinstance(action, (int, float)) and 1 <= action <= 2
        ),
        "1.5 is legal and not in the action space",
    ),
    "a legal that raises": (environment(legal=picky_legal), "legal raised for None"),
    "a snapshot that is no bytes": (
        environment(snapshot=lambda self: [self.time]),
        "a snapshot is list, not bytes",
    ),
    "a snapshot that forgets": (
        world(environment=Loose),
        "restored in the same environment goes on with other observations",
    ),
    "a snapshot restored in silence": (
        world(environment=Silent),
        "restore gives NoneType, not the turn of that moment",
    ),
    "a snapshot without its rewards": (
        world(environment=Forgiving),
        "restored in the same environment goes on with other rewards",
    ),
    "a state that is none": (world(environment=Trusting), "restore took nonsense for a snapshot"),
    "a state that is none raises": (
        environment(restore=lambda self, state: self.turn(json.loads(state)[2])),
        "restore of nonsense raised no MensuraError but JSONDecodeError",
    ),
    "a snapshot that stays at home": (
        world(environment=Homesick),
        "restored in another one goes on with other",
    ),
    "a snapshot that disturbs": (
        world(environment=Disturbed),
        "taking a snapshot changes how an episode goes on",
    ),
    "a restore that raises": (
        environment(restore=raises),
        "snapshots could not be checked: OSError",
    ),
    "a world that resets itself": (world(environment=Automatic), "never resets itself"),
    "a world without an end": (world(environment=Endless), "did not end within 300 turns"),
    "rewards that are not balanced": (
        turned(
            lambda self, turn: turn._replace(rewards=[max(reward, -0.6) for reward in turn.rewards])
        ),
        "the world promises balanced rewards, a mean of 0",
    ),
    "a constant reward": (
        turned(lambda self, turn: turn._replace(rewards=[0.1 * bool(self.time)] * 2)),
        "mean reward over 100 episodes is 0.1000 with a standard error of 0.0000",
    ),
    "phenomena with a cause that is no part": (
        world(phenomena=lambda self, description=None: unexplained()),
        "a cause names the moon, which is no part of the task",
    ),
    "doors that disagree": (
        type("BrokenDoors", (Compiled,), {"error": 1e-12})(),
        "random gets .* compiled and .* step by step",
    ),
    "doors that disagree on slots": (
        type("BrokenPlans", (CompiledPlans,), {"short": 1})(),
        "random has rewards .* compiled and .* step by step in a slot of .* interactions",
    ),
}
"""Each with the sentence that has to be found."""


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_world_is_found_out(how: str) -> None:
    broken, sentence = BROKEN[how]
    problems = check_world(broken, balance=100, turns=300)
    assert any(re.search(sentence, problem) for problem in problems), problems


@pytest.mark.parametrize("name", CHECKS)
def test_every_check_finds_something_among_the_broken_worlds(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no check stands here that cannot fail."""
    from mensura.testing import worlds

    monkeypatch.setattr(worlds, "CHECKS", {name: CHECKS[name]})
    assert any(check_world(broken, balance=100, turns=300) for broken, _ in BROKEN.values())


def test_what_is_not_promised_is_not_asked_for() -> None:
    modest = turned(lambda self, turn: turn._replace(rewards=[3.0 * bool(self.time)] * 2))
    type(modest).promises = frozenset()
    assert check_world(modest) == []


def test_a_problem_is_told_once() -> None:
    problems = check_world(environment(default=lambda self, seat: 7), episodes=5)
    assert len(problems) == len(set(problems))
