"""Doors to an episode: each plays the actions of a course again, and says where it shows something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector.utils import concatenate, create_empty_array, iterate
from tests.audit.courses import SEEDS, Course, Shown, played, same
from tests.audit.places import as_users_call_it, world_of

from mensura.adapters import vector
from mensura.adapters.aec import aec_env
from mensura.adapters.gymnasium import WorldEnv
from mensura.adapters.pettingzoo import parallel_env
from mensura.adapters.vector import in_blocks, make_vector
from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold, key
from mensura.core.abilities import Bulk, Planned, hosting
from mensura.core.contract import Ended, Plan
from mensura.core.loop import play
from mensura.core.players import drive

Place = tuple[str, str, float]
"""A world, what is around it, and its strength."""

Courses = Mapping[int, Sequence[Course]]
"""By seed."""


def by_steps(place: Place, courses: Courses) -> str | None:
    """The contract's own loop: ``reset`` and ``step``."""
    for seed, wanted in courses.items():
        again = played(world_of(*place), seed, [first.actions for first in wanted])
        for course, other in zip(wanted, again, strict=True):
            for number, (first, second) in enumerate(zip(course.shown, other.shown, strict=True)):
                if difference := _difference(first, second):
                    return f"turn {number} of seed {seed}: {difference}"
    return None


def by_gymnasium(place: Place, courses: Courses) -> str | None:
    """Gymnasium's view of one environment."""
    return _compared(place, courses, WorldEnv, _of_gymnasium)


def by_pettingzoo(place: Place, courses: Courses) -> str | None:
    """PettingZoo's parallel view."""
    return _compared(place, courses, parallel_env, _of_pettingzoo)


def by_aec(place: Place, courses: Courses) -> str | None:
    """PettingZoo's view of one agent after another."""
    return _compared(place, courses, aec_env, _of_aec)


Turns = Iterator[tuple[Shown, Shown]]
"""Of an episode: what is wanted, and what a view shows."""


def _compared(
    place: Place,
    courses: Courses,
    view: Callable[..., Any],
    episode: Callable[[Any, Course, int | None], Turns],
) -> str | None:
    for seed, wanted in courses.items():
        world, parameters = as_users_call_it(*place)
        environment = view(world, **parameters)
        for number, course in enumerate(wanted):
            turns = episode(environment, course, None if number else seed)
            for turn, (expected, seen) in enumerate(turns):
                if failure := _difference(expected, seen):
                    return f"turn {turn} of episode {number} of seed {seed}: {failure}"
    return None


def _of_gymnasium(environment: Any, course: Course, seed: int | None) -> Turns:
    first = course.shown[0]
    seen, _ = environment.reset(seed=seed)
    yield first._replace(ended=None), Shown((0,), [seen], [0.0], None)
    if first.ended:  # a reset cannot tell it: the first step does
        seen, reward, terminated, truncated, _ = environment.step(environment.action_space.sample())
        yield first, Shown((0,), [seen], [float(reward)], _ended(terminated, truncated))
    for (action,), wanted in zip(course.actions, course.shown[1:], strict=True):
        seen, reward, terminated, truncated, _ = environment.step(action)
        yield wanted, Shown((0,), [seen], [float(reward)], _ended(terminated, truncated))


def _of_pettingzoo(environment: Any, course: Course, seed: int | None) -> Turns:
    names, first = environment.possible_agents, course.shown[0]
    seen, _ = environment.reset(seed=seed)
    over = None if environment.agents else first.ended or "nobody is left to act"
    yield first, Shown(first.due, list(seen.values()), first.rewards, over)
    for actions, wanted in zip(course.actions, course.shown[1:], strict=True):
        chosen = dict(zip(names, actions, strict=True))
        seen, rewards, over, cut, _ = environment.step(chosen)
        ended = _ended(any(over.values()), any(cut.values()))
        earned = list(map(float, rewards.values()))
        yield wanted, Shown(tuple(range(len(seen))), list(seen.values()), earned, ended)


def _of_aec(environment: Any, course: Course, seed: int | None) -> Turns:
    names = environment.possible_agents
    environment.reset(seed=seed)
    for turn, wanted in enumerate(course.shown):
        for at, seat in enumerate(wanted.due):
            name = names[seat]
            due = seat if wanted.ended else names.index(environment.agent_selection)
            earned = [float(environment._cumulative_rewards[name] if turn else 0.0)]
            ended = _ended(environment.terminations[name], environment.truncations[name])
            expected = Shown(
                (seat,),
                [wanted.observations[at]],
                [wanted.rewards[at] if turn else 0.0],
                wanted.ended,
            )
            yield expected, Shown((due,), [environment.observe(name)], earned, ended)
            if wanted.ended is None and turn < len(course.actions):
                environment.step(course.actions[turn][at])


def _ended(terminated: Any, truncated: Any) -> Ended | None:
    return "terminated" if terminated else "truncated" if truncated else None


def _difference(wanted: Shown, seen: Shown) -> str | None:
    for name, value, other in zip(Shown._fields, wanted, seen, strict=True):
        if not same(value, other) if name in ("observations", "rewards") else value != other:
            return f"{name} {other!s:.100} for {value!s:.100}"
    return None


def by_vector(place: Place, courses: Courses) -> str | None:
    """What ``gymnasium.make_vec`` gives: environment i of seed s is the single one of seed s + i."""
    world, parameters = as_users_call_it(*place)
    envs = make_vector(world, len(courses), **parameters)
    try:
        return in_vector(envs, courses, lambda actions: actions, np.asarray)
    finally:
        envs.close()


def in_vector(
    envs: Any, courses: Courses, there: Callable[[Any], Any], here: Callable[[Any], Any]
) -> str | None:
    """Whether a vector shows these courses; ``there`` and ``here`` bring actions to where it is, and arrays back."""
    seats = getattr(envs, "seats", 1)
    tapes = [list(_tape(view)) for view in courses.values()]
    seen, _ = envs.reset(seed=next(iter(courses)))
    rewards, terminated, truncated = np.zeros(envs.num_envs), *np.zeros((2, envs.num_envs), bool)
    structured = not isinstance(seen, np.ndarray) and not hasattr(seen, "__dlpack__")
    for turn, now in enumerate(zip(*tapes, strict=False)):
        rows = list(iterate(envs.observation_space, seen if structured else here(seen)))
        for i, (step, _) in enumerate(now):
            span = slice(i * seats, (i + 1) * seats)
            ended = _ended(here(terminated)[span].any(), here(truncated)[span].any())
            view = Shown(step.due, rows[span], here(rewards)[span].tolist(), ended)
            if failure := _difference(step, view):
                return f"turn {turn} of environment {i}: {failure}"
        actions = [action for _, of_seats in now for action in of_seats]
        if turn + 1 < min(map(len, tapes)):
            seen, rewards, terminated, truncated, _ = envs.step(
                there(_batched(envs.single_action_space, actions))
            )
    return None


def _tape(episodes: Sequence[Course]) -> Iterator[tuple[Shown, list[Any]]]:
    """What is shown and then done, one episode after another: the step after an end begins the next one."""
    for course in episodes:
        first = course.shown[0]._replace(rewards=[0.0] * len(course.shown[0].rewards))
        shows = [first, *course.shown[1:]]
        last = course.actions[-1:]
        yield from zip(shows, [*course.actions, *last], strict=False)
        if not course.ended:
            return


def _batched(space: Any, actions: list[Any]) -> Any:
    if isinstance(space, Discrete | Box):
        return np.array(actions)
    return concatenate(space, actions, create_empty_array(space, len(actions)))


def by_gpu(place: Place, courses: Courses) -> str | None:
    """The vector on a GPU, and whole sittings there; what is not compiled says so in a sentence."""
    from tests.audit.simulated import failure_there

    world = world_of(*place)
    if in_blocks(world) or sitting_subject(world) is not None:
        return failure_there("/".join(map(str, place)))
    with patch.object(vector, "check_device"):
        try:
            make_vector(world, 2, device="gpu")
        except MensuraError:
            return None
    return "a vector on a GPU of what is not compiled"


def by_rollout(place: Place, courses: Courses) -> str | None:
    """The second door, of whole sittings and of single plans, against the loop."""
    world = world_of(*place)
    subject = sitting_subject(world)
    if subject is None:
        return None
    plain = world_of(place[0]) if place[2] == 0.0 else world
    host, plain = hosting(world, subject), hosting(plain, subject)
    roots = [key(seed, "audit") for seed in courses]
    stepped = [_by_loop(plain, subject, root) for root in roots]
    if isinstance(host, Planned):
        for root, wanted in zip(roots, stepped, strict=True):
            plan = Plan(host.sample(root), root)
            episode = host.play_compiled(subject, plan, fold(root, 0))
            if episode is not None and episode.rewards != wanted:
                return f"a plan brings {episode.rewards} for {wanted}"
    return whole_sittings(host, subject, roots, stepped)


def whole_sittings(
    host: Any, subject: Any, roots: list[int], stepped: list[tuple[float, ...]]
) -> str | None:
    """Whether sittings that are played at once bring these rewards."""
    if not isinstance(host, Bulk) or not host.compiles(subject):
        return None
    keys = np.array(roots, np.uint64)
    free = np.full(len(keys), np.inf)
    drawn = host.sample_many(keys, next(iter(host.measures), ""), -free, free)
    totals = host.rollout(subject, drawn, keys, keys, 0)
    for root_totals, wanted in zip(totals, stepped, strict=True):
        totals = tuple(root_totals[0].tolist())[: len(wanted)]
        if totals != wanted:
            return f"a sitting brings {totals} for {wanted}"
    return None


def _by_loop(host: Any, subject: Any, root: int) -> tuple[float, ...]:
    environment = host.build(host.sample(root))
    player = subject.sit(len(environment.seats))
    episode = drive(
        play(environment, root, world=host.id, seed=fold(root, 0), speakers=player.speakers), player
    )
    return tuple(episode.rewards)


SUBJECTS: Mapping[str, str] = {
    "lambda-star-v2": "random",
    "lambda-v1": "q-learning",
    "bf-v1": "q-lambda",
    "constraints-v1": "dsa",
}
"""Subjects whose doors the tests compile anyway."""


def sitting_subject(world: Any) -> Any:
    """A subject of a world's own that goes by its second door; None where none does."""
    if not isinstance(world, Planned | Bulk):
        return None
    inside = world.id.removeprefix("perturbed-")
    subject = world.group([(SUBJECTS[inside], {}, 1)])  # type: ignore[attr-defined]
    return subject if world.compiles(subject) else None


DOORS: Mapping[str, Callable[[Place, Courses], str | None]] = {
    "steps": by_steps,
    "gymnasium": by_gymnasium,
    "parallel": by_pettingzoo,
    "aec": by_aec,
    "vector": by_vector,
    "rollout": by_rollout,
    "gpu": by_gpu,
}
"""Each says what failed, or None; it raises MensuraError where it does not play such a world."""

assert SEEDS[1] == SEEDS[0] + 1
