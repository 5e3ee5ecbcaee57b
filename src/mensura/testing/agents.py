"""What every subject has to keep, tried on one: ``check_subject`` says in words what is wrong with it.

::

    def test_my_agent_keeps_the_contract():
        assert check_subject(InProcess("mine", MyAgent), LambdaStar()) == []
"""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.in_process import describe
from mensura.agent.keys import Key, fold, key
from mensura.agent.spaces import Box, Discrete, Record, Space, to_plain
from mensura.agent.task import Limits
from mensura.agents.language_model.text import space_in_words
from mensura.core.abilities import (
    hosting,
    is_asked_once,
)
from mensura.core.contract import Fault, World
from mensura.core.loop import Standing, play
from mensura.core.players import Player, Subject, drive

PRIVATE = "private"
"""What a world promises in which seats know different things, and tell each other through the environment alone."""
SEATS_ALONE = 4
"""So many seats are shown again what they were shown."""

ROOT: Key = key(0, "mensura.testing", "agents")
"""The checks draw the same environments every time, so that what they find can be found again."""


def check_subject(
    subject: Subject, world: World, *, limits: Limits | None = None, episodes: int = 3
) -> list[str]:
    """What is wrong with a subject, a sentence for each problem; an empty list where all is well.

    It sits down twice and plays the same few episodes, the first of them as training. What differs the second time
    was drawn from elsewhere than the generator that ``begin`` gives, or remembered from the first sitting: then
    nobody can repeat its score. In a world that promises "private" seats each seat is then shown again what it was
    shown, with no environment and nobody else around: what it answers otherwise, it knew from elsewhere. A subject
    that is asked once by nature, as a paid model is, sits down once.
    """
    limits = limits or Limits()
    home = hosting(world, subject)
    try:
        first = _sitting(subject, home, limits, episodes)
        problems = [*_faults(first), *_messages(first), *_times(first, limits)]
        # Whose answers cost too much to be asked for twice is not asked to repeat itself.
        if not first.faults and not is_asked_once(subject):
            second = _sitting(subject, home, limits, episodes)
            problems += _repetition(first, second)
            if PRIVATE in home.promises and not problems:
                problems += _alone(subject, first)
    except MensuraError as error:
        problems = [f"it could not start: {error}"]
    return list(dict.fromkeys(problems))


@dataclass
class Recorder:
    """A player that writes down what another one answers."""

    player: Player
    episode: int = 0
    log: list[tuple[int, Ask, Answer]] = field(default_factory=list)
    """The number of the episode with every ask and its answer."""
    faults: list[tuple[int, Fault]] = field(default_factory=list)
    shown: dict[int, list[tuple[Ask, Answer]]] | None = None
    """All that each seat was asked and answered, where that is wanted."""
    actions: dict[int, Space] = field(default_factory=dict)
    """The action space of each seat, as ``begin`` told it."""

    @property
    def speakers(self) -> frozenset[int]:
        """The seats whose members tell before they act."""
        return self.player.speakers

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """The player's answers, as if they had taken no time: in some worlds time matters, and it varies."""
        answers = self.player.answer(asks)
        for ask, answer in zip(asks, answers, strict=True):
            if ask.task is not None:
                self.actions[ask.seat] = ask.task.action_space
            self.log.append((self.episode, ask._replace(observation=None, heard=None), answer))
            if self.shown is not None:
                self.shown.setdefault(ask.seat, []).append((ask, answer))
        return [answer._replace(seconds=0.0) for answer in answers]

    def close(self) -> None:
        """The sitting is over."""
        self.player.close()


def _sitting(subject: Subject, world: World, limits: Limits, episodes: int) -> Recorder:
    """A few episodes in different environments, with the same keys every time."""
    environments = [
        world.build(world.sample(key(ROOT, "environment", number))) for number in range(episodes)
    ]
    recorder = Recorder(subject.sit(len(environments[0].seats)))
    if PRIVATE in world.promises:
        recorder.shown = {}
    standing = Standing(limits.faults)
    try:
        for number, environment in enumerate(environments):
            recorder.episode = number
            episode = drive(
                play(
                    environment,
                    key(ROOT, "reset", number),
                    world=world.id,
                    seed=fold(ROOT, number),
                    learning=number == 0,
                    speakers=recorder.speakers,
                    limits=limits,
                    standing=standing,
                ),
                recorder,
            )
            recorder.faults += [(number, fault) for fault in episode.faults]
    finally:
        recorder.close()
    return recorder


def _faults(sitting: Recorder) -> Iterator[str]:
    """Each kind of fault once, with the place of its first occurrence."""
    seen: dict[tuple[str, str], list[tuple[int, Fault]]] = {}
    for number, fault in sitting.faults:
        seen.setdefault((fault.kind, fault.detail), []).append((number, fault))
    for (kind, detail), cases in seen.items():
        number, fault = cases[0]
        told = ""
        if kind == "illegal" and fault.seat in sitting.actions:
            told = f"; begin told it that actions are {_in_words(sitting.actions[fault.seat])}"
        times = f" ({len(cases)} times)" if len(cases) > 1 else ""
        yield (
            f"seat {fault.seat}, episode {number}, interaction {fault.interaction}: "
            f"{kind}: {detail}{told}{times}"
        )


def _in_words(space: Space) -> str:
    if isinstance(space, Discrete):
        return f"the whole numbers from {space.start} to {space.start + space.n - 1}"
    if isinstance(space, Box):
        return f"arrays of shape {space.shape} from {space.low:g} to {space.high:g}"
    if isinstance(space, Record):
        return f"records with the fields {', '.join(name for name, _ in space.fields)}"
    return space_in_words(space)


def _messages(sitting: Recorder) -> Iterator[str]:
    """Messages cross processes and are journaled, so JSON has to be able to write them."""
    for _, ask, answer in sitting.log:
        if ask.kind == "tell" and answer.fault is None:
            try:
                json.dumps(to_plain(answer.value), allow_nan=False)
            except (TypeError, ValueError) as error:
                yield f"what seat {ask.seat} tells cannot be written as JSON: {describe(error)}"
                return


def _times(sitting: Recorder, limits: Limits) -> Iterator[str]:
    """What took too long, also where that is only measured and not a fault."""
    for kinds, limit, what in (
        (("begin",), limits.seconds_to_start, "to begin"),
        (("tell", "act", "end"), limits.seconds_per_action, "over an answer"),
    ):
        late = [
            answer.seconds
            for _, ask, answer in sitting.log
            if ask.kind in kinds and answer.seconds > limit and answer.fault is None
        ]
        if late:
            yield (
                f"it took {max(late):.3g} s {what}, the limit is {limit:g} s ({len(late)} times); "
                "where limits are enforced that is a fault"
            )


def _repetition(first: Recorder, second: Recorder) -> Iterator[str]:
    """Given the same keys, the same is done."""
    for (place, action), (_, again) in zip(_acts(first), _acts(second), strict=False):
        if action != again:
            yield (
                f"{place}: given the same keys, it answered {action!r} the first time and {again!r} the "
                "second; it draws from another generator than the one that begin gives it, or "
                "remembers an earlier sitting"
            )
            return


def _alone(subject: Subject, sitting: Recorder) -> Iterator[str]:
    """A seat answers by what it was shown: the same if it is shown that again, and nothing else is there."""
    shown = sitting.shown or {}
    gc.collect()  # whatever is left of the environments
    for seat in list(shown)[:SEATS_ALONE]:
        player = subject.sit(len(shown))
        try:
            for number, (ask, answer) in enumerate(shown[seat]):
                (again,) = player.answer([ask._replace(look=None)])
                if to_plain(again.value) != to_plain(answer.value):
                    yield (
                        f"seat {seat}, ask {number}: shown the same, it answered {answer.value!r:.200} in its "
                        f"environment and {again.value!r:.200} alone; it knows more than its seat was shown"
                    )
                    return
        finally:
            player.close()


def _acts(sitting: Recorder) -> Iterator[tuple[str, Any]]:
    """Every action with its place."""
    count: Counter[tuple[int, int]] = Counter()
    for number, ask, answer in sitting.log:
        if ask.kind == "act":
            place = f"seat {ask.seat}, episode {number}, interaction {count[number, ask.seat]}"
            count[number, ask.seat] += 1
            yield place, to_plain(answer.value)
