"""One sitting by the step door: an assessment's plans played one after another by one subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from threading import Event
from time import perf_counter

from mensura.agent.keys import Key, fold
from mensura.agent.task import Limits
from mensura.agent.waiting import Waiting, finish
from mensura.core.abilities import plans_of
from mensura.core.contract import Assessment, Environment, Episode, Plan, Stopped, World
from mensura.core.loop import Observer, Standing, play
from mensura.core.players import Player, cpu_seconds, driving, renewing, told_measures
from mensura.core.scored import measures_of


@dataclass(frozen=True)
class Sitting:
    """What a sitting left behind: its score and the episodes that were assessed."""

    score: float
    episodes: tuple[tuple[Plan, Episode], ...]
    stopped: bool = False
    """Whether it was stopped before its end; the score is that of what was played."""
    measures: Mapping[str, float] = field(default_factory=dict)
    """What else the assessment found out."""


def sit(
    assessment: Assessment,
    world: World,
    player: Player,
    key: Key,
    seed: Key,
    *,
    limits: Limits | None = None,
    observers: Callable[[Plan, Environment], Iterable[Observer]] | None = None,
    after: Callable[[Plan, Episode], None] | None = None,
    compiled: Callable[[Plan, Key], Episode | None] | None = None,
    clock: Callable[[], float] = perf_counter,
    stop: Event | None = None,
    number: int = 0,
) -> Sitting:
    """Play a sitting, waiting on the spot whenever there is something to wait for: :func:`sitting`."""
    return finish(
        sitting(
            assessment,
            world,
            player,
            key,
            seed,
            limits=limits,
            observers=observers,
            after=after,
            compiled=compiled,
            clock=clock,
            stop=stop,
            number=number,
        )
    )


def sitting(
    assessment: Assessment,
    world: World,
    player: Player,
    key: Key,
    seed: Key,
    *,
    limits: Limits | None = None,
    observers: Callable[[Plan, Environment], Iterable[Observer]] | None = None,
    after: Callable[[Plan, Episode], None] | None = None,
    compiled: Callable[[Plan, Key], Episode | None] | None = None,
    clock: Callable[[], float] = perf_counter,
    stop: Event | None = None,
    number: int = 0,
) -> Waiting[Sitting]:
    """Play a sitting. ``key`` is the item's, ``seed`` the root of the subject's own draws, ``number`` which one it is.

    Episode e of the sitting begins with ``fold(seed, e)``. An environment is built once and reset for each
    episode in it. ``after`` is called after each episode. ``compiled`` plays the episodes of a plan in virtual time
    instead of the loop, by a second door, or gives None where it leaves one to the loop. ``clock`` is that of slots in
    physical time. When ``stop`` is set, or on Ctrl-C, the sitting ends with the score of what was played, if its
    assessment can tell it.
    """
    limits = limits or Limits()
    standing = Standing(limits.faults)
    plans = plans_of(assessment, world, key, number)
    environment: Environment | None = None
    episodes: list[tuple[Plan, Episode]] = []
    count = 0

    def played(plan: Plan) -> Waiting[Episode]:
        nonlocal environment
        own = fold(seed, count)
        if plan.fresh and count:
            yield from renewing(player)
        by_door = compiled is not None and plan.seconds is None and plan.start is None
        if by_door and not standing.faults:
            if stop is not None and stop.is_set():
                raise Stopped
            assert compiled is not None
            episode = compiled(plan, own)
            if episode is not None:
                return episode
        if environment is None or environment.description != plan.description:
            environment = world.build(plan.description)
        watching = observers(plan, environment) if observers is not None else ()
        before = cpu_seconds(player)
        episode = yield from driving(
            play(
                environment,
                plan.key,
                world=world.id,
                seed=own,
                learning=plan.learning,
                interactions=plan.interactions,
                seconds=plan.seconds,
                diminishing=plan.diminishing,
                speakers=player.speakers,
                limits=limits,
                standing=standing,
                observers=watching,
                clock=clock,
                start=None if plan.start is None else plan.start.state,
            ),
            player,
            stop,
        )
        return replace(episode, cpu=cpu_seconds(player) - before)

    stopped = False
    try:
        plan = next(plans)
        while True:
            try:
                episode = yield from played(plan)
            except (KeyboardInterrupt, Stopped) as error:
                stopped = True
                try:
                    plans.throw(Stopped())
                except Stopped:
                    raise error from None
                raise RuntimeError("an assessment asked for more after it was stopped") from error
            # What training took is told with the episode that it was for.
            told = {} if plan.learning else told_measures(player)
            if told or plan.measures:
                # What the episode itself says stands: a subject cannot replace what it is scored by.
                measures = {**told, **episode.measures, **plan.measures}
                episode = replace(episode, measures=measures)
            if after is not None:
                after(plan, episode)
            count += 1
            if not plan.learning:
                episodes.append((plan, episode))
            plan = plans.send(episode)
    except StopIteration as stop_iteration:
        score = stop_iteration.value
        return Sitting(float(score), tuple(episodes), stopped, measures_of(score))
