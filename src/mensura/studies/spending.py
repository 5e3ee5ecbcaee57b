"""What a run is going to take of language models, before the first request: requests, tokens, money, hours.

The first sitting of each model is rehearsed, or its first phase of training where transfer is measured: somebody acts
at random in its place and counts what it would be sent, for up to 1,500 requests. Conversations grow to the length that
is allowed and stay there, so what comes after is thought to be like the longest quarter of these. How much a model
writes nobody knows beforehand; it is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.waiting import finish
from mensura.core.abilities import EnoughError, Meter, answer_seconds, rehearsing, waits_of
from mensura.core.contract import Environment, Turn
from mensura.core.players import Player, Subject
from mensura.studies.phases import Path
from mensura.studies.place import Place
from mensura.studies.stages import Stages
from mensura.studies.stepped import step
from mensura.studies.trainer import Trainer
from mensura.studies.transfer import TransferStudy
from mensura.studies.understanding_sittings import examined

REHEARSED = 1500
"""So many requests are rehearsed."""

MOST_QUESTIONS_REHEARSED = 100_000
"""The same of examinations, which are rehearsed as a whole."""

TOKENS_OUT = 50
"""What an answer is thought to have, thinking included."""

SECONDS = 2.0
"""What an answer is thought to take."""


@dataclass(frozen=True)
class Outlay:
    """What one subject is going to take in all of its sittings."""

    subject: str
    requests: int
    tokens_in: float
    tokens_out: float
    cost: float | None
    """None where the prices are unknown."""
    hours: float
    seconds: float = SECONDS
    """What an answer is thought to take."""

    def __str__(self) -> str:
        """In a sentence."""
        cost = "whose price is unknown" if self.cost is None else f"for about {self.cost:,.2f}"
        hours = f"{60 * self.hours:,.0f} minutes" if self.hours < 1 else f"{self.hours:,.1f} hours"
        if self.seconds != SECONDS:
            hours += f", with {self.seconds / 60:,.3g} minutes for each batch of answers"
        return (
            f"{self.subject} is going to take about {self.requests:,} requests, {_large(self.tokens_in)} tokens in and "
            f"{_large(self.tokens_out)} out, {cost}, and {hours}."
        )


ASSUMED = f"(Answers are thought to have {TOKENS_OUT} tokens and to take {SECONDS:g} s; one that reasons takes more.)"


def outlays(places: Sequence[Place]) -> list[Outlay]:
    """What each subject of a run is going to take that is paid for its answers, all its cells together."""
    found: list[Outlay] = []
    trained: set[tuple[str, int, Path]] = set()
    for place in places:
        if not place.cell.ask_once:
            continue
        study = place.transfer
        one = _outlay(place) if study is None else learners_outlay(study, place.stages)
        if one is not None:
            one = _with_phases(one, place, trained)
            found.append(one)
    return together(found)


def together(found: Sequence[Outlay]) -> list[Outlay]:
    """What each subject is going to take, all that was estimated of it in one sum."""
    sums: dict[str, Outlay] = {}
    for one in found:
        before = sums.get(one.subject)
        sums[one.subject] = one if before is None else _sum(before, one)
    return list(sums.values())


class _Interactions:
    """Counts interactions, as an observer of environments."""

    count = 0

    def started(self, environment: Environment, turn: Turn) -> None:
        """Another episode."""

    def stepped(self, environment: Environment, actions: list[Any], turn: Turn) -> None:
        """Another interaction."""
        self.count += 1


@dataclass(frozen=True)
class _Sat:
    """A subject whose player sits already."""

    name: str
    player: Player
    ask_once: bool = True

    def sit(self, seats: int) -> Player:
        """The player."""
        return self.player


def _outlay(place: Place) -> Outlay | None:
    interactions = _Interactions()

    def rehearse(player: Player, meter: Meter) -> float:
        if place.asks_questions:
            meter.most = MOST_QUESTIONS_REHEARSED
            examined(replace(place, subject=_Sat(place.subject.name, player)), 0)
            return 1.0
        try:
            step(place, 0, player=player, observers=[interactions])
        except EnoughError:
            return max(1.0, place.actions / place.seats / max(interactions.count, 1))
        return 1.0

    return _rehearsed(place.cell.name, place.subject, place.seats, place.cell.sittings, rehearse)


def learners_outlay(study: TransferStudy, stages: Stages) -> Outlay | None:
    """What learners are going to take that are trained and tested as a tree; None where nobody is paid for answers.

    The first phase of training is rehearsed. What comes after it is thought to be like its longest quarter, which is
    somewhat much: other phases that newborns begin have short conversations, too.
    """
    stage, trainer = stages[study.tasks[0].identity], Trainer(stages, 0)

    def rehearse(player: Player, meter: Meter) -> float:
        trained = 0.0
        try:
            for segment in study.path((0, study.interactions)):
                finish(trainer.train(stage, player, segment))
                trained = segment.end
        except EnoughError:
            trained = max(trained, len(meter.requests) / stage.seats)
        return max(1.0, study.expected_interactions() / trained)

    name = study.label or study.subject
    return _rehearsed(name, stage.subject, stage.seats, study.learners, rehearse)


def _rehearsed(
    name: str,
    subject: Subject,
    seats: int,
    sittings: int,
    rehearse: Callable[[Player, Meter], float],
) -> Outlay | None:
    """What so many sittings take; ``rehearse`` lets somebody play the first one in the place of the subject.

    It returns how many times as much the whole sitting takes as what was rehearsed.
    """
    meter = Meter(REHEARSED, TOKENS_OUT)
    player = rehearsing(subject, seats, meter)
    if player is None:
        return None
    factor = rehearse(player, meter)
    if not meter.requests:
        return None
    count = len(meter.requests)
    more = (factor - 1) * count
    longest = sorted(meter.requests, key=lambda one: one[0])[-max(1, count // 4) :]
    requests = (count + more) * sittings

    def total(values: Sequence[float], long: Sequence[float]) -> float:
        return (sum(values) + more * sum(long) / len(long)) * sittings

    seconds = answer_seconds(subject) or SECONDS
    costs, long_costs = ([cost for _, cost in some] for some in (meter.requests, longest))
    known = None not in costs
    return Outlay(
        name,
        round(requests),
        total([tokens for tokens, _ in meter.requests], [tokens for tokens, _ in longest]),
        TOKENS_OUT * requests,
        total([one or 0.0 for one in costs], [one or 0.0 for one in long_costs]) if known else None,
        requests * seconds / min(waits_of(subject), sittings) / 3600,
        seconds,
    )


def _with_phases(one: Outlay, place: Place, trained: set[tuple[str, int, Path]]) -> Outlay:
    """The same with what its phases take that no place before it has ``trained``, at as much for each request."""
    if place.school is None:
        return one
    path, new = place.school.ends[-1], 0
    for at, segment in enumerate(path):
        name = (place.cell.subject, place.cell.seed, path[: at + 1])
        if name not in trained:
            trained.add(name)
            new += (segment.end - segment.begin) * place.seats
    factor = 1.0 + new / max(1, place.actions)
    return replace(
        one,
        requests=round(one.requests * factor),
        tokens_in=one.tokens_in * factor,
        tokens_out=one.tokens_out * factor,
        cost=None if one.cost is None else one.cost * factor,
        hours=one.hours * factor,
    )


def _sum(one: Outlay, other: Outlay) -> Outlay:
    costs = (one.cost, other.cost)
    return Outlay(
        one.subject,
        one.requests + other.requests,
        one.tokens_in + other.tokens_in,
        one.tokens_out + other.tokens_out,
        None if None in costs else sum(cost for cost in costs if cost is not None),
        one.hours + other.hours,
        one.seconds,
    )


def _large(number: float) -> str:
    if number >= 1e6:
        return f"{number / 1e6:,.1f} million"
    return f"{round(number, -2 if number > 1e4 else 0):,.0f}"


MOST_REQUESTS = 5_000
MOST_COST = 20.0
"""Above so many requests, where prices are unknown, or so high a cost, a run has to be confirmed."""


ADVICE = "add --yes, ask for less with --budget, --episodes or --sittings, or set a limit with --max-cost"
"""What can be done about a run that takes much, at the command line."""


LEARNERS_ADVICE = (
    "add --yes, ask for less with --interactions or --learners, or set a limit with --max-cost"
)
"""The same where learners are trained."""


QUESTIONS_ADVICE = "add --yes, ask for less with --questions, or set a limit with --max-cost"
"""The same where understanding is measured."""


PROFILE_ADVICE = (
    "add --yes, ask for less with --quick or --set horizon=10, or set a limit with --max-cost"
)
"""The same of a profile."""


def check_confirmed(found: Sequence[Outlay], advice: str = ADVICE) -> None:
    """Raise if a run takes so much that it has to be confirmed; ``advice`` says how that is done."""
    known = [one.cost for one in found if one.cost is not None]
    unknown = sum(one.requests for one in found if one.cost is None)
    if sum(known) > MOST_COST or unknown > MOST_REQUESTS:
        said = " ".join(str(one) for one in found)
        raise MensuraError(f"{said} {ASSUMED} Runs of that size have to be confirmed: {advice}.")
