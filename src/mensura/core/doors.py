"""The doors of a compiled world, made from its rules and its minds.

A world writes two sets of rules (see `core/compiled.py`), those of its environments and those of its built-in
subjects, and :func:`doors_of` makes everything that Python calls::

    RULES = Rules(open_row, horizon, start, observe, advance)
    MINDS = Minds(open_minds, begin, act)
    DOORS = doors_of(RULES, MINDS)

    DOORS.steps.reset(row, drawn, key)      # the step door: one interaction, for any subject
    DOORS.steps.step(row)
    DOORS.minds.act(memory, seat, observation, reward)      # a built-in subject through the step door
    DOORS.play(row, memory, drawn, ...)     # the second door: whole sittings and plans of built-in subjects

The order of calls of the second door is that of the one loop, so both give identical rewards for identical keys: a
sitting is so many training episodes and one that is assessed, all from the same reset; a plan may have a slot, in which
the environment is reset whenever it ends. It is written here, once for all worlds.

Who owns the memory: the caller. ``w`` is the row of an environment and ``memory`` that of all minds at its seats, both
arrays of int64. Doors are compiled when they are first called, for the rules that they need and no more; worlds and
tasks whose rules are the same share doors.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol

from mensura.core.compiled import door, fold, rule, uint64, writable
from mensura.core.devices import device
from mensura.core.loop import RESTARTED


@rule
def load_nothing(w, drawn, i):
    """All that sets environments apart is read by `start`."""


@rule
def conclude_nothing(r, out):
    """Nothing is told of an episode beside its rewards."""


@rule
def all_of_it(r, j, p):
    """A mind may read all of its observation."""
    return 0, r.obs.shape[1] if p == 0 else -1


@rule
def told_truly(r, j):
    """What a subject is told of its reward is the reward."""
    return r.reward[j]


@rule
def sit_anywhere(mind, j, r, interactions):
    """Minds that keep nothing from one episode to the next have nothing to forget."""


@rule
def tell_nothing(mind, j, o):
    """Minds that each act by themselves."""


@rule
def finish_at_once(mind, j, o, reward):
    """Minds that do not learn from the last reward."""


@rule
def say_nothing(mind, assessed, out):
    """Nothing is told of minds."""


class Rules(NamedTuple):
    """The rules of a class of environments. ``r`` is what `open` returns, ``j`` a seat, from 0 on."""

    open: Callable[..., Any]
    """(w): the parts of a row, views of it in a NamedTuple. Three are by seat, and all seats act together: ``action``
    (int64), ``reward`` (float64) and ``obs`` (float64, an observation in each row)."""
    horizon: Callable[..., Any]
    """(r): how many interactions an episode has."""
    start: Callable[..., Any]
    """(r, drawn, i, key, anew): begin an episode of environment i of those drawn; rewards are 0. ``anew`` is false
    where the last episode in this row was of the same environment, with the same key."""
    observe: Callable[..., Any]
    """(r, j): write ``r.obs[j]``. The only rule that shows hidden state."""
    advance: Callable[..., Any]
    """(r): one interaction with the actions that stand in the row; writes ``r.reward``."""
    conclude: Callable[..., Any] = conclude_nothing
    """(r, out): what is told of the episode beside rewards."""
    load: Callable[..., Any] = load_nothing
    """(w, drawn, i): before a sitting, make the row that of environment i, where rows are of different sizes or hold
    all that was drawn. The row of a plan is that of its environment already."""
    told: Callable[..., Any] = told_truly
    """(r, j): the reward that seat j is told after `observe`; those in the row count."""
    part: Callable[..., Any] = all_of_it
    """(r, j, p): the p-th run of numbers of ``r.obs[j]`` that the mind at seat j may read, as (first, end); an end of
    -1 follows the last. Who changes observations leaves out the others."""


class Minds(NamedTuple):
    """The rules of built-in subjects, those of agents: a mind reads its observation and its memory, nothing else."""

    open: Callable[..., Any]
    """(memory): its parts, in a NamedTuple: ``mind``, all minds of a group."""
    begin: Callable[..., Any]
    """(mind, j, key, learning): before an episode, with the key of all draws of seat j."""
    act: Callable[..., Any]
    """(mind, j, o, reward): the action, with the reward of the last one."""
    tell: Callable[..., Any] = tell_nothing
    """(mind, j, o): what seat j makes known to the others, before anybody acts."""
    finish: Callable[..., Any] = finish_at_once
    """(mind, j, o, reward): after the last interaction."""
    sit: Callable[..., Any] = sit_anywhere
    """(mind, j, r, interactions): before a sitting of so many interactions everything learned is gone; of ``r`` only
    sizes are read, which every subject is told."""
    conclude: Callable[..., Any] = say_nothing
    """(mind, assessed, out): what is told of the minds, after what is told of the episode."""


class StepDoors(NamedTuple):
    """An environment step by step."""

    reset: Callable[..., Any]
    """(w, drawn, key): begin an episode of the first of those drawn; all observe."""
    step: Callable[..., Any]
    """(w): one interaction, then all observe."""
    conclude: Callable[..., Any]
    """(w, out)"""
    observe: Callable[..., Any]
    """(w): all observe once more, as after their rights have changed."""


class MindDoors(NamedTuple):
    """The mind of a seat step by step."""

    begin: Callable[..., Any]
    """(memory, j, key, learning)"""
    tell: Callable[..., Any]
    """(memory, j, o)"""
    act: Callable[..., Any]
    """(memory, j, o, reward)"""
    finish: Callable[..., Any]
    """(memory, j, o, reward)"""


class Doors(NamedTuple):
    """All doors of a world, or of a task of it."""

    steps: StepDoors
    minds: MindDoors
    play: Callable[..., Any]
    """(w, memory, drawn, resets, seeds, training, slot, learning, out, told): the second door, for whole sittings and
    for plans; :func:`doors_of` says more."""
    rules: Rules
    mind_rules: Minds
    """What they were made of, for whoever puts something around it."""


class Through(Protocol):
    """What is put around the rules of a world in its second door."""

    def doors(self, inside: Doors) -> Doors:
        """The doors to both."""

    def row(self, row: Any) -> Any:
        """The row of an environment of the world with what is put around it."""


class Direct:
    """Nothing is."""

    def doors(self, inside: Doors) -> Doors:
        """Those of the world."""
        return inside

    def row(self, row: Any) -> Any:
        """That of the world."""
        return row


DIRECT = Direct()


@rule
def restart_key(key, restarts):
    """The key, a uint64, of a beginning within a slot, as the one loop has it; of the first one, the key itself."""
    return fold(key, uint64(RESTARTED + restarts)) if restarts > 0 else key


def doors_of(rules: Rules, minds: Minds) -> Doors:
    """The doors to some rules, for some minds.

    The second door plays one sitting for each of ``resets``: so many training episodes, then one that is assessed.
    ``out[i, e, j]`` becomes the sum of rewards of seat j in episode e of sitting i, the assessed one being the last;
    where it has room for one episode only, it is the assessed one. ``told`` has the same shape but for its last axis,
    the places of what is told; it is empty where nobody asks. Every episode of a sitting starts from the same reset;
    the subject's draws differ: episode e of sitting i begins with fold(fold(seeds[i], e), seat).

    Where ``slot`` is not 0, each is a plan of so many interactions in the environment that the row holds, by minds that
    go on with what they know, ``learning`` or not, and the environment is reset whenever it ends. As the one loop plays
    it: restart k with fold(resets[i], RESTARTED + k), and then seat j with fold(fold(seeds[i], RESTARTED + k), j).
    """
    return Doors(step_doors(rules), mind_doors(minds), _play(rules, minds), rules, minds)


class Play:
    """The second door, and the third (:mod:`mensura.core.third_door`) for whole sittings where a GPU is asked for.

    A GPU takes rows of one array: where something is around the rules, with memory of its own, the processor plays.
    """

    def __init__(self, rules: Rules, minds: Minds) -> None:
        self._made = rules, minds

    @property
    def door(self):
        """The second door itself."""
        return _play_door(*self._made)

    def __call__(self, w, memory, drawn, resets, seeds, training, slot, learning, out, told):
        """Play each of ``resets``; see :func:`doors_of`."""
        if slot == 0 and device() == "gpu" and not isinstance(w, tuple):
            from mensura.core.third_door import third_door

            door_there = third_door(sitting_of(*self._made))
            door_there(w, memory, drawn, resets, seeds, training, out, told)
            return
        self.door(w, memory, drawn, resets, seeds, training, slot, learning, out, told)


def step_doors(rules: Rules) -> StepDoors:
    """The step door to some rules."""
    return StepDoors(
        _reset_door(rules.open, rules.start, rules.observe),
        _step_door(rules.open, rules.observe, rules.advance),
        _conclude_door(rules.open, rules.conclude),
        _observe_door(rules.open, rules.observe),
    )


def mind_doors(minds: Minds) -> MindDoors:
    """Some minds, through the step door."""
    return MindDoors(
        _begin_door(minds.open, minds.begin),
        _tell_door(minds.open, minds.tell),
        _act_door(minds.open, minds.act),
        _finish_door(minds.open, minds.finish),
    )


@cache
def _reset_door(open_row, start, observe):
    @door
    def reset_door(w, drawn, key):
        r = open_row(w)
        start(r, drawn, 0, key, True)
        for j in range(r.reward.size):
            observe(r, j)

    return reset_door


@cache
def _step_door(open_row, observe, advance):
    @door
    def step_door(w):
        r = open_row(w)
        advance(r)
        for j in range(r.reward.size):
            observe(r, j)

    return step_door


@cache
def _observe_door(open_row, observe):
    @door
    def observe_door(w):
        r = open_row(w)
        for j in range(r.reward.size):
            observe(r, j)

    return observe_door


@cache
def _conclude_door(open_row, conclude):
    @door
    def conclude_door(w, out):
        conclude(open_row(w), out)

    return conclude_door


@cache
def _begin_door(open_minds, begin):
    @door
    def begin_door(memory, j, key, learning):
        begin(open_minds(memory), j, key, learning)

    return begin_door


@cache
def _tell_door(open_minds, tell):
    @door
    def tell_door(memory, j, o):
        tell(open_minds(memory), j, writable(o))

    return tell_door


@cache
def _act_door(open_minds, act):
    @door
    def act_door(memory, j, o, reward):
        return act(open_minds(memory), j, writable(o), reward)

    return act_door


@cache
def _finish_door(open_minds, finish):
    @door
    def finish_door(memory, j, o, reward):
        finish(open_minds(memory), j, writable(o), reward)

    return finish_door


@cache
def sitting_of(rules, minds):
    """The rule that plays one sitting or plan; every door that plays whole ones calls it for each of them."""
    open_row, horizon_of, start, observe, advance, conclude, load, told_of = rules[:8]
    open_minds, begin, act, tell, finish, sit, conclude_minds = minds

    @rule
    def sitting(w, memory, drawn, i, reset, seed_of, training, slot, learning, out, told):
        if slot == 0:
            load(w, drawn, i)
        r = open_row(w)
        mind = open_minds(memory)
        seats = r.reward.size
        horizon = horizon_of(r)
        if slot == 0:
            for j in range(seats):
                sit(mind, j, r, horizon * (training + 1))
        for e in range(training + 1):
            seed = seed_of
            left = slot
            learns = learning
            if slot == 0:
                seed = fold(seed_of, e)
                left = horizon
                learns = e < training
            kept = e if out.shape[1] > 1 else 0
            total = out[i, kept]
            for j in range(seats):
                total[j] = 0.0
            restarts = 0
            while left > 0:
                own = restart_key(seed, restarts)
                start(r, drawn, i, restart_key(reset, restarts), e == 0)
                for j in range(seats):
                    begin(mind, j, fold(own, j), learns)
                length = min(left, horizon)
                # Rules are inlined wherever they are called: one place for the first observation and all others.
                for t in range(length + 1):
                    if t > 0:
                        advance(r)
                    for j in range(seats):
                        observe(r, j)
                        total[j] += r.reward[j]
                    if t < length:
                        for j in range(seats):
                            tell(mind, j, r.obs[j])
                        for j in range(seats):
                            r.action[j] = act(mind, j, r.obs[j], told_of(r, j))
                for j in range(seats):
                    finish(mind, j, r.obs[j], told_of(r, j))
                left -= length
                restarts += 1
            if told.shape[0] > 0:
                conclude(r, told[i, kept])
                conclude_minds(mind, e == training, told[i, kept])

    return sitting


@cache
def _play(rules, minds):
    return Play(rules, minds)


@cache
def _play_door(rules, minds):
    sitting = sitting_of(rules, minds)

    @door
    def play_door(w, memory, drawn, resets, seeds, training, slot, learning, out, told):
        for i in range(resets.size):
            sitting(w, memory, drawn, i, resets[i], seeds[i], training, slot, learning, out, told)

    return play_door
