"""What every world has to keep, tried on one: ``check_world`` says in words what is wrong with it.

::

    def test_my_world_keeps_the_contract():
        assert check_world(MyWorld()) == []
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.in_process import describe
from mensura.agent.keys import fold, key
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text, default, to_plain
from mensura.agent.task import Task
from mensura.agents.language_model.text import words_of
from mensura.assessments.battery import Battery
from mensura.assessments.grades import Stratum
from mensura.core.abilities import (
    CONTENTS,
    FIXED,
    GENERATED,
    NOT_STATED,
    Bulk,
    Planned,
    check_shadows_nothing,
    complexity_bounds,
    content_of,
    describe_from_json,
    horizon,
    hosting,
    is_readable,
    make,
    measure_of,
    phenomena,
    picture_of,
    presets,
    seats,
    subject_names,
    values,
)
from mensura.core.around import Around
from mensura.core.contract import Environment, Plan, Turn, World
from mensura.core.loop import play
from mensura.core.players import drive
from mensura.core.sitting import sit
from mensura.pictures.svg import as_svg
from mensura.pictures.view import view_of
from mensura.statistics.moments import Moments
from mensura.studies.subjects import resolve
from mensura.testing.phenomena import problems_with
from mensura.testing.trials import (
    ROOT,
    Endless,
    Trial,
    difference,
    played,
    random_actions,
    shown,
    turns_of,
)

SAFE_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-v[0-9]+")
NONSENSE: tuple[Any, ...] = (None, "nonsense", math.nan, (), {})
"""What is an action in few worlds."""

FRESH_DRAWS = 8
"""So many environments are drawn to see whether they differ."""

TOLERANCE = 1e-9
"""A complexity may miss the interval it was drawn for by the rounding of its own arithmetic."""

STANDARD_ERRORS = 5.0
"""So far from 0 the mean of a balanced world lies once in two million times."""

Check: TypeAlias = Callable[[Trial], Iterator[str]]


def check_world(
    world: World, *, episodes: int = 3, balance: int = 400, turns: int = 100_000
) -> list[str]:
    """What is wrong with a world, a sentence for each problem; an empty list where all is well.

    So many ``episodes`` are played for each check, and ``balance`` of them to see whether the mean reward of a
    random subject is 0 in a world that promises it. An episode longer than ``turns`` counts as endless.
    """
    problems: list[str] = [*_identity(world), *_content(world)]
    try:
        drawn = tuple(world.sample(key(ROOT, "environment", i)) for i in range(episodes))
        for description in drawn:
            world.build(description).reset(0)
    except Exception as error:
        return [*problems, f"an environment cannot be drawn, built and reset: {describe(error)}"]
    trial = Trial(world, episodes, balance, turns, drawn)
    for what, check in CHECKS.items():
        try:
            problems += check(trial)
        except Endless:
            problems.append(f"an episode did not end within {turns} turns")
        except Exception as error:
            problems.append(f"{what} could not be checked: {describe(error)}")
    return list(dict.fromkeys(problems))


# Checks -----------------------------------------------------------------------


def _identity(world: World) -> Iterator[str]:
    if not SAFE_ID.fullmatch(world.id):
        yield (
            f"the id {world.id!r} is not safe as a file name; write it in lower case with hyphens and "
            "the version of its rules at the end, as my-world-v0"
        )
    try:
        check_shadows_nothing(world)
    except MensuraError as error:
        yield str(error)


def _content(world: World) -> Iterator[str]:
    """A world says where its environments come from, as it is and under each preset."""
    if content_of(world) == NOT_STATED:
        yield (
            "it does not say where its environments come from; content must be one of "
            f"{', '.join(map(repr, CONTENTS))} (GENERATED, BANK and FIXED of mensura.worlds.kit)"
        )


def _freshness(trial: Trial) -> Iterator[str]:
    """What is generated afresh is not the same environment, with the same beginning and the same course, each time."""
    if content_of(trial.world) != GENERATED:
        return
    seen = set()
    for number in range(FRESH_DRAWS):
        description = trial.world.sample(trial.key("fresh", number))
        environment = trial.world.build(description)
        environment.reset(trial.key("fresh reset", number))
        seen.add(json.dumps(description.to_json(), default=repr) + repr(environment.snapshot()))
    if len(seen) == 1:
        yield (
            f"{FRESH_DRAWS} environments were one and the same, which are said to be {GENERATED}; content is "
            f"{FIXED!r}"
        )


def _sampling(trial: Trial) -> Iterator[str]:
    """The same key draws the same environment, whatever was drawn in between."""
    for number, first in enumerate(trial.descriptions):
        again = trial.world.sample(trial.key("environment", number))
        if again.to_json() != first.to_json():
            yield "sample drew two different environments from one key"
        elif again != first:
            yield "two descriptions of the same environment do not compare equal"


def _intervals(trial: Trial) -> Iterator[str]:
    """An environment drawn within an interval of a complexity has such a complexity.

    The intervals are those that assessments ask for: steps of complexity, an interval of width 1 that ends anywhere,
    all that was seen, and, where complexities are whole numbers, single ones.
    """
    world = trial.world
    for name in world.measures:
        seen = [world.complexity(description, name) for description in trial.descriptions]
        if not all(math.isfinite(value) for value in seen):
            yield f"the complexity {name} of an environment is {seen}, not a number"
            continue
        told = complexity_bounds(world, name)
        if told is not None and not told[0] <= min(seen) <= max(seen) <= told[1]:
            yield f"environments have a {name} from {min(seen)} to {max(seen)}, outside of {told}, as the world says"
        for interval in _asked(seen):
            for number in range(trial.episodes):
                draw = trial.key("within", name, number)
                try:
                    found = world.complexity(world.sample(draw, (name, *interval)), name)
                except MensuraError as error:
                    yield f"no environment was found with {name} within {interval}, as others have: {error}"
                    break
                if not interval[0] - TOLERANCE <= found <= interval[1] + TOLERANCE:
                    yield f"an environment drawn with {name} within {interval} has {found}"
        beyond = (max(seen) + 1e6, max(seen) + 1e6 + 1)
        try:
            found = world.complexity(world.sample(trial.key("beyond"), (name, *beyond)), name)
        except MensuraError:
            continue
        except Exception as error:
            yield f"for {name} within {beyond} sample raised no MensuraError but {describe(error)}"
            continue
        if not beyond[0] - TOLERANCE <= found <= beyond[1] + TOLERANCE:
            yield f"an environment drawn with {name} within {beyond} has {found}"


def _asked(seen: Sequence[float]) -> Iterator[tuple[float, float]]:
    """The intervals that assessments ask for, around complexities that environments have."""
    intervals = [(min(seen), max(seen))] if min(seen) < max(seen) else []
    for value in seen:
        intervals += [Stratum(math.ceil(value), 1.0).within("")[1:], (value - 1.0, value)]
        if value == round(value):
            intervals.append((value, value))
    yield from dict.fromkeys(intervals)


def _descriptions(trial: Trial) -> Iterator[str]:
    """A description is data, and builds its environment again exactly."""
    for number, environment in trial.environments():
        description = trial.descriptions[number]
        if environment.description != description:
            yield "an environment has another description than the one it was built from"
        reset = trial.key("reset", number)
        history = played(trial, environment, reset)
        copies = {"the same description": description}
        try:
            text = json.dumps(description.to_json(), allow_nan=False)
        except (TypeError, ValueError) as error:
            yield f"a description cannot be written as JSON: {describe(error)}"
        else:
            if is_readable(trial.world):
                back = describe_from_json(trial.world, json.loads(text))
                copies["a description read back from JSON"] = back
                if back != description:
                    yield "a description read back from JSON is another one"
        for what, copy in copies.items():
            twin = trial.world.build(copy)
            gone = difference(twin, history, turn=twin.reset(reset))
            if gone:
                yield f"an environment rebuilt from {what} shows {gone}"


def _resets(trial: Trial) -> Iterator[str]:
    """The same key starts the same episode, also after another one that was broken off."""
    for number, environment in trial.environments():
        reset = trial.key("reset", number)
        history = played(trial, environment, reset)
        gone = difference(environment, history, turn=environment.reset(reset))
        if gone:
            yield f"a second reset with the same key shows {gone}"
            continue
        played(trial, environment, trial.key("other reset", number), limit=3)
        gone = difference(environment, history, turn=environment.reset(reset))
        if gone:
            yield f"a reset in the middle of an episode shows {gone}"


def _seats(trial: Trial) -> Iterator[str]:
    for _, environment in trial.environments():
        seats = environment.seats
        if [seat.index for seat in seats] != list(range(len(seats))) or not seats:
            yield f"the seats are numbered {[seat.index for seat in seats]}; they count from 0"
        elif not any(seat.group == "subject" for seat in seats):
            yield "no seat is of the group 'subject', so nobody would be scored"


def _turns(trial: Trial) -> Iterator[str]:
    """Whose turn it is, what they see and what they gain."""
    bounded = "bounded" in trial.world.promises
    for number, environment in trial.environments():
        history = played(trial, environment, trial.key("reset", number))
        everybody = tuple(seat.index for seat in environment.seats)
        acted = dict.fromkeys(everybody, 0)
        for turn in history.turns:
            due = tuple(turn.due)
            if not due or len(set(due)) < len(due) or not set(due) <= set(everybody):
                yield f"the seats due are {due}; they are some of {everybody}, each once"
                break
            if turn.ended is not None and set(due) != set(everybody):
                yield f"at the end the seats {due} are due and not all of {everybody}"
            if turn.ended not in (None, "terminated", "truncated"):
                yield f"an episode ended as {turn.ended!r}, neither 'terminated' nor 'truncated'"
            if not len(turn.observations) == len(turn.rewards) == len(due):
                yield (
                    f"{len(due)} seats are due with {len(turn.observations)} observations and "
                    f"{len(turn.rewards)} rewards; there is one of each for each seat"
                )
                break
            for seat, observation, reward in zip(due, turn.observations, turn.rewards, strict=True):
                acted[seat] += turn.ended is None
                if not environment.spaces(seat)[0].contains(observation):
                    yield f"an observation of seat {seat} is not in its space"
                if not isinstance(reward, (int, float, np.number)) or not math.isfinite(reward):
                    yield f"the reward {reward!r} is not a number"
                elif bounded and not -1 <= reward <= 1:
                    yield f"the reward {reward} is not within [-1, 1], which the world promises"
                elif turn is history.turns[0] and reward != 0:
                    yield f"the reward before the first interaction is {reward}, not 0"
        horizon = environment.horizon
        if horizon is not None and max(acted.values()) != horizon:
            yield f"the horizon is {horizon} and a seat acted {max(acted.values())} times"


def _kept(trial: Trial) -> Iterator[str]:
    """What a subject keeps of a turn is not changed by later ones."""
    for number, environment in trial.environments():
        history = played(trial, environment, trial.key("reset", number))
        later = [shown(turn) for turn in history.turns]
        if later != history.texts:
            yield "the observations or rewards of a turn change in later turns: give each its own memory"


def _actions(trial: Trial) -> Iterator[str]:
    """The default is legal, and nonsense is not."""
    for number, environment in trial.environments():
        for limit in (0, 3):
            turn = played(trial, environment, trial.key("reset", number), limit).turns[-1]
            for seat in turn.due if turn.ended is None else ():
                default = environment.default(seat)
                if not environment.legal(seat, default):
                    yield f"the default action {default!r} of seat {seat} is not legal"
                space = environment.spaces(seat)[1]
                for action in (*NONSENSE, *_outside(space)):
                    if space.contains(action):  # as a text is where texts are
                        continue
                    try:
                        allowed = environment.legal(seat, action)
                    except Exception as error:
                        yield f"legal raised for {action!r} where it should say no: {describe(error)}"
                    else:
                        if allowed:
                            yield f"{action!r} is legal and not in the action space of seat {seat}"


def _outside(space: Space) -> Sequence[Any]:
    """Actions next to a space."""
    if isinstance(space, Discrete):
        return (space.start - 1, space.start + space.n, space.start + 0.5)
    if isinstance(space, Box):
        return (np.full(space.shape, math.nan), np.zeros((1, *space.shape)))
    if isinstance(space, Text):
        return ("a" * (space.longest + 1), "\ud800", b"a")
    if isinstance(space, Several):
        few: list[Any] = [[one] for one in _outside(space.space)]
        return (*few, [default(space.space)] * (space.most + 1))
    if isinstance(space, Record):
        plain = to_plain(default(space))
        return ({**plain, "": 0}, list(plain.values()))
    return ()


def _snapshots(trial: Trial) -> Iterator[str]:
    """A snapshot takes an episode back exactly, here or in another environment of the description."""
    for number, environment in trial.environments():
        reset = trial.key("reset", number)
        history = played(trial, environment, reset)
        middle = len(history.turns) // 2
        environment.reset(reset)
        for actions in history.actions[1 : middle + 1]:
            environment.step(actions, [0.0] * len(actions))
        state = environment.snapshot()
        if not isinstance(state, bytes):
            yield f"a snapshot is {type(state).__name__}, not bytes"
            continue
        if difference(environment, history, middle):
            yield "taking a snapshot changes how an episode goes on"
        elsewhere = trial.world.build(trial.descriptions[number])
        elsewhere.reset(trial.key("other reset", number))
        for place, one in (("the same environment", environment), ("another one", elsewhere)):
            again = one.restore(state)
            if not isinstance(again, Turn):
                yield f"restore gives {type(again).__name__}, not the turn of that moment"
            gone = difference(one, history, middle, again)
            if gone:
                yield f"a snapshot restored in {place} goes on with {gone}"
        yield from _false_snapshots(elsewhere, state)


def _false_snapshots(environment: Environment, state: bytes) -> Iterator[str]:
    """What is no snapshot is refused in a sentence: pools of checkpoints come from anywhere."""
    for what, false in {"nonsense": b"nonsense", "a snapshot that is cut off": state[:-1]}.items():
        try:
            environment.restore(false)
        except MensuraError:
            continue
        except Exception as error:
            yield f"restore of {what} raised no MensuraError but {describe(error)}"
        else:
            yield f"restore took {what} for a snapshot"


def _ends(trial: Trial) -> Iterator[str]:
    """After the end there is nothing, until somebody resets."""
    for number, environment in trial.environments():
        turn = played(trial, environment, trial.key("reset", number)).turns[-1]
        actions = [environment.default(seat) for seat in turn.due]
        try:
            after = environment.step(actions, [0.0] * len(actions))
        except Exception:
            continue  # as it should
        if after.ended is None:
            yield "a step after the end goes on: an environment never resets itself"


def _balance(trial: Trial) -> Iterator[str]:
    """A random subject's mean reward is 0 within error."""
    if "balanced" not in trial.world.promises:
        return
    means = []
    for number in range(trial.balance):
        environment = trial.world.build(trial.world.sample(trial.key("balance", number)))
        episode = turns_of(trial, environment, trial.key("balance reset", number))
        means.append(
            float(np.mean([reward for done, turn in episode if done for reward in turn.rewards]))
        )
    moments = Moments.of(means)
    error = math.sqrt(moments.variance / moments.count)
    if abs(moments.mean) > STANDARD_ERRORS * error + TOLERANCE:
        yield (
            f"a random subject's mean reward over {moments.count} episodes is {moments.mean:.4f} with a "
            f"standard error of {error:.4f}; the world promises balanced rewards, a mean of 0"
        )


def _doors(trial: Trial) -> Iterator[str]:
    """Whole sittings played compiled bring the same rewards as those played step by step, to the bit."""
    world: Any = trial.world
    if not isinstance(world, Bulk):
        return
    training = 2
    battery = Battery(trial.episodes, training=training)
    root, stream = trial.key("doors"), trial.key("doors", "subject")
    items = battery.items(root, 0, trial.episodes)
    measure = measure_of(battery, trial.world)
    patterns = world.sample_many(items.keys, measure, items.low, items.high)
    seeds = np.array([fold(stream, i) for i in range(trial.episodes)], np.uint64)
    for name in subject_names(trial.world):
        subject = resolve(name, trial.world)
        if not world.compiles(subject):
            continue
        compiled = world.rollout(subject, patterns, items.resets, seeds, training, True)
        host = hosting(trial.world, subject)
        seats = len(host.build(host.sample(0)).seats)
        for i, rewards in enumerate(compiled.tolist()):
            stepped: list[list[float]] = []
            player = subject.sit(seats)
            try:
                sit(
                    battery,
                    host,
                    player,
                    fold(root, i),
                    fold(stream, i),
                    after=lambda _, episode, kept=stepped: kept.append(list(episode.rewards)),  # type: ignore[misc]
                )
            finally:
                player.close()
            if stepped != rewards:
                yield f"{name} gets {rewards} compiled and {stepped} step by step"
                break


def _plans(trial: Trial) -> Iterator[str]:
    """A plan played compiled, slot and all, leaves behind what the one loop makes of it, to the bit."""
    world: Any = trial.world
    if not isinstance(world, Planned):
        return
    for name in subject_names(trial.world):
        subject = resolve(name, trial.world)
        if not world.compiles(subject):
            continue
        host: Any = hosting(trial.world, subject)
        environment = host.build(host.sample(trial.key("plans")))
        horizon = environment.horizon or 10
        seats = len(environment.seats)
        compiled, stepped = subject.sit(seats), subject.sit(seats)
        for number, slot in enumerate((None, horizon + 3, 2, 2 * horizon)):
            # Two environments, one after the other, by a subject that goes on with what it knows.
            plan = Plan(
                host.sample(trial.key("plans", number // 2)),
                trial.key("plans reset", number),
                learning=number == 1,
                interactions=slot,
                diminishing=number == 3,
            )
            seed = trial.key("plans subject", number)
            one = host.play_compiled(subject, plan, seed, compiled)
            if one is None:  # it is left to the loop
                continue
            other = drive(
                play(
                    host.build(plan.description),
                    plan.key,
                    world=host.id,
                    seed=seed,
                    learning=plan.learning,
                    interactions=slot,
                    diminishing=plan.diminishing,
                    speakers=stepped.speakers,
                ),
                stepped,
            )
            gone = next((f for f in _LEFT_BEHIND if getattr(one, f) != getattr(other, f)), None)
            if gone is not None:
                where = "" if slot is None else f" in a slot of {slot} interactions"
                yield (
                    f"{name} has {gone} {getattr(one, gone)} compiled and {getattr(other, gone)} step by step{where}"
                )
                break


_LEFT_BEHIND = ("rewards", "interactions", "scored", "measures", "slot", "elapsed")
"""What an episode leaves behind whichever door it went through: all but the time that it took."""


def _settings(trial: Trial) -> Iterator[str]:
    """A world is made again from its parameters, as studies do, and under each of its presets."""
    world = trial.world
    if isinstance(world, Around):  # which is made by whoever puts it around another
        return
    kind = type(world)
    written = {name: to_plain(value) for name, value in values(world).items()}
    try:
        text = json.dumps(written, allow_nan=False)
    except (TypeError, ValueError) as error:
        yield f"the parameters cannot be written as JSON, as studies do: {describe(error)}"
        return
    read = {n: tuple(v) if isinstance(v, list) else v for n, v in json.loads(text).items()}
    try:
        again = kind(**read)
    except Exception as error:
        yield f"it cannot be made again from its own parameters: {describe(error)}"
    else:
        draw = trial.key("environment", 0)
        if again.sample(draw).to_json() != trial.descriptions[0].to_json():
            yield "made again from its own parameters it draws another environment from the same key"
    for preset in presets(kind):
        try:
            make(kind, preset)
        except Exception as error:
            yield f"the preset {preset!r} cannot be made: {describe(error)}"


def _sizes(trial: Trial) -> Iterator[str]:
    """What a world says of its environments is so."""
    for _, environment in trial.environments():
        told, there = seats(trial.world), len(environment.seats)
        if told != there:
            yield f"the world says that it has {told} seats, and an environment has {there}"
        steps = horizon(trial.world)
        if None not in (steps, environment.horizon) and steps != environment.horizon:
            yield f"the world says that episodes have {steps} interactions, an environment {environment.horizon}"


def _subjects(trial: Trial) -> Iterator[str]:
    """The world's own subjects can be made, and play without a fault."""
    for name in subject_names(trial.world):
        try:
            subject = resolve(name, trial.world)
            host = hosting(trial.world, subject)
            environment = host.build(host.sample(trial.key("subjects")))
            player = subject.sit(len(environment.seats))
            episode = drive(
                play(
                    environment, 0, world=host.id, seed=1, interactions=5, speakers=player.speakers
                ),
                player,
            )
        except MensuraError:
            continue  # it says in a sentence why not here
        except Exception as error:
            yield f"its subject {name} cannot play: {describe(error)}"
            continue
        # One that says in a sentence why it cannot play here may leave it at that.
        refused = any(one.detail.startswith("MensuraError") for one in episode.faults)
        for fault in () if refused else episode.faults[:1]:
            yield f"its subject {name} made a fault: {fault.kind}: {fault.detail}"


def _words(trial: Trial) -> Iterator[str]:
    """What subjects observe and are told can be put into words, for those who read."""
    words = words_of(trial.world)
    for number, environment in trial.environments():
        turn = environment.reset(trial.key("reset", number))
        for seat, observation in zip(turn.due, turn.observations, strict=True):
            observed, played = environment.spaces(seat)
            task = Task(
                trial.world.id,
                environment.seats[seat],
                len(environment.seats),
                observed,
                played,
                None,
            )
            for text in (words.rules(task), words.observation(task, observation)):
                if not isinstance(text, str) or not text.strip():
                    yield f"seat {seat} is told {text!r} in words, which is nothing"


def _views(trial: Trial) -> Iterator[str]:
    """Environments can be shown, whole and to each seat, at the beginning, in the middle and at the end."""
    for number, environment in trial.environments():
        view = view_of(trial.world)
        turn = environment.reset(trial.key("reset", number))
        view.started(environment, turn)
        rng = np.random.Generator(np.random.PCG64(number))
        for _ in range(4):
            if not view.text(environment, turn).strip():
                yield "its text shows nothing"
            drawn = [view.picture(environment, turn)]
            drawn += [picture_of(environment, seat.index) for seat in environment.seats]
            for picture in drawn:
                if picture is not None:
                    as_svg(picture, page=True)
            if len(view.controls(environment)) != len(environment.seats):
                yield "its controls are not those of each seat"
            view.tables(environment)
            view.remarks(environment)
            if turn.ended is not None:
                break
            actions = random_actions(environment, turn, rng)
            turn = environment.step(actions, [0.0] * len(actions))
            view.stepped(environment, actions, turn)
        if not view.explain(environment):
            yield "it does not say what it is: a docstring of the class would"


def _phenomena(trial: Trial) -> Iterator[str]:
    """What it says that is to be understood."""
    for description in trial.descriptions:
        yield from problems_with(phenomena(trial.world, description))


CHECKS: dict[str, Check] = {
    "where environments come from": _freshness,
    "sampling": _sampling,
    "intervals of complexity": _intervals,
    "rebuilding from a description": _descriptions,
    "resetting": _resets,
    "the seats": _seats,
    "the turns": _turns,
    "what is kept of a turn": _kept,
    "the actions": _actions,
    "snapshots": _snapshots,
    "the end": _ends,
    "balance": _balance,
    "parameters": _settings,
    "seats and horizon": _sizes,
    "its subjects": _subjects,
    "its words": _words,
    "how it is shown": _views,
    "its phenomena": _phenomena,
    "the two doors": _doors,
    "the two doors plan by plan": _plans,
}
"""Each check by what it is about."""
