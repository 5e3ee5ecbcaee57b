"""Noise, latency and drops as rules: for both doors of worlds whose observations are rows of numbers.

What a perturbation needs to remember is a :class:`State`, owned by the caller. The step door calls the rules one by one
(`DOORS`); :func:`perturbed_doors` puts them around the rules of a compiled world and its minds, so that the second door
plays the same episodes to the bit. Operators that change spaces, or need another environment, are not among them.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.agent.spaces import Discrete, Record
from mensura.core.compiled import (
    choice,
    door,
    draw,
    float64,
    fold,
    int64,
    prf,
    rule,
    uint64,
    unit,
)
from mensura.core.doors import Doors, Minds, Rules, doors_of
from mensura.worlds.perturbed.kernels.ziggurat import normal, normal_from, placed

PERTURBED = 1 << 41
"""Sets the draws of perturbations apart from all others under the key of an episode."""

KINDS = 5
SEEN, DROPPED, ACTED, ACTION_DROPPED, REWARD = range(KINDS)
"""The streams of draws under it."""

MISSING = -(2**40)
"""The action that stands for the environment's default."""

LIFT = 2.0**20
"""Makes names above -2^20 positive, so that cutting off what is behind the point rounds them down."""

FIRST_SLOT = 0
"""Of the draws for a number of an observation, or for a reward; a normal deviate may take further ones."""

# Strengths, by place.
NOISE, SEEN_DROPPED, ACTION_NOISE, ACTIONS_DROPPED, REWARD_NOISE, INVERSE = range(6)
"""The last is 1 / NOISE, since a division takes longer than all else that is done to a name."""

# Numbers, by place: how many turns late things are, the actions, the default, whether rewards have bounds, of which
# kind the environment is, and whether anything is done to actions and to rewards, noise is added to what is shown, and
# anything else is done to it.
LATE, LATE_ACTIONS, LATE_REWARDS, ACTIONS, FIRST, DEFAULT, BOUNDED, AT, ACTS, PAYS, BLURS, HOLDS = (
    range(12)
)

# Counts by seat: what was shown, what was done.
TURNS, DONE = range(2)

PARTS = 16
"""So many parts of an observation that a mind reads are told apart, at most; the last takes in whatever comes after."""

# What the numbers of a run are: all of them numbers with a range, or any.
RANGED, MIXED = range(2)

# Of each number that is observed: the bounds, the range (0: none to speak of), and whether it is a name.
LOW, HIGH, WIDTH, NAMED = range(4)


class State(NamedTuple):
    """What a perturbation is, and what is on its way to and from the seats."""

    strength: np.ndarray
    number: np.ndarray
    bounds: np.ndarray
    """(kinds of environments, 4, columns)"""
    actions: np.ndarray
    """(kinds of environments): how many there are."""
    kind: np.ndarray
    """(environments that were drawn): of which kind each is; of one kind where there is none."""
    stream: np.ndarray
    """The key of all draws of the episode, uint64."""
    streams: np.ndarray
    """(seats, KINDS): those of each seat and kind, which follow from it."""
    counted: np.ndarray
    """(seats, 2)"""
    seen: np.ndarray
    """(seats, columns): what was shown last."""
    coming: np.ndarray
    """(seats, LATE + 1, columns): observations, in a ring."""
    going: np.ndarray
    """(seats, LATE_ACTIONS or 1): actions, in a ring."""
    owed: np.ndarray
    """(seats, LATE_REWARDS or 1): rewards to be told, in a ring."""
    told: np.ndarray
    """(seats): the rewards that are told now."""
    step: np.ndarray
    """(kinds of environments, columns): by how much a number deviates; of names, and of numbers without a range, -1."""
    runs: np.ndarray
    """(seats, PARTS): for the second door, where each run of numbers that the mind at a seat may read begins and ends,
    and what they are, in one number."""
    run_count: np.ndarray
    """(seats): how many runs there are."""
    words: np.ndarray
    """(columns): room for what is drawn, uint64, and for normal deviates."""
    deviation: np.ndarray


@rule
def begin(s, key, i):
    """An episode begins in environment i of those drawn: nothing is on its way."""
    s.stream[0] = fold(key, PERTURBED)
    s.number[AT] = s.kind[i] if s.kind.size > 0 else 0
    s.number[ACTIONS] = s.actions[s.number[AT]]
    for j in range(s.counted.shape[0]):
        s.counted[j, TURNS] = 0
        s.counted[j, DONE] = 0
        for kind in range(KINDS):
            s.streams[j, kind] = fold(fold(s.stream[0], kind), j)


@rule
def noise_at(s, j):
    """Where the noise of what seat j is shown next begins in its stream: each number has an iteration of its own."""
    return s.counted[j, TURNS] * s.bounds.shape[2]


@rule
def redraw(o, b, k, strength, inverse, chance):
    """A name is redrawn with a probability.

    What is left of the chance by which it is redrawn is drawn evenly again. There is no branch by chance: to foretell
    it wrongly would take longer than to compute what is not used.
    """
    low, high, own = b[LOW, k], b[HIGH, k], o[k]
    other = min(float64(int64(low + chance * inverse * (high - low + 1.0) + LIFT)) - LIFT, high)
    o[k] = other if chance < strength else own


@rule
def deviate(o, b, k, strength, deviation):
    """A number deviates by a share of its range, or of its own size where there is none."""
    own = o[k]
    scale = b[WIDTH, k] if b[WIDTH, k] > 0.0 else max(1.0, abs(own))
    o[k] = min(max(own + strength * scale * deviation, b[LOW, k]), b[HIGH, k])


@rule
def draw_words(s, key, start, first, end):
    """What is drawn for some numbers of an observation, all together, so that several are computed at once."""
    for k in range(uint64(first), uint64(end)):
        s.words[k] = prf(key, uint64(start) + k, FIRST_SLOT)


@rule
def add_noise(s, o, key, start, first, end):
    """Blur some numbers of an observation, the first of which has the iteration ``start`` in the stream of a key."""
    b = s.bounds[s.number[AT]]
    strength, inverse = s.strength[NOISE], s.strength[INVERSE]
    draw_words(s, key, start, first, end)
    for k in range(first, end):
        if b[NAMED, k] > 0.0:
            redraw(o, b, k, strength, inverse, unit(s.words[k]))
        else:
            deviate(o, b, k, strength, normal_from(s.words[k], key, start + k, FIRST_SLOT))


@rule
def show(s, j, o):
    """Make of an observation what seat j sees of it."""
    if s.strength[NOISE] > 0.0:
        add_noise(s, o, s.streams[j, SEEN], noise_at(s, j), 0, o.size)
    pass_on(s, j, o)


@rule
def pass_on(s, j, o):
    """Let seat j see an observation that has its noise: late, or the last one again."""
    pass_part(s, j, o, is_dropped(s, j), 0, o.size)
    s.counted[j, TURNS] += 1


@rule
def is_dropped(s, j):
    """Whether seat j is shown the last observation again."""
    number = s.counted[j, TURNS]
    dropped = s.strength[SEEN_DROPPED]
    return dropped > 0.0 and number > 0 and unit(draw(s.streams[j, DROPPED], number, 0)) < dropped


@rule
def pass_part(s, j, o, dropped, first, end):
    """Let seat j see some numbers of an observation: late, or the last ones again."""
    late = s.number[LATE]
    if late > 0:
        number = s.counted[j, TURNS]
        now = int64(uint64(number) % uint64(late + 1))
        then = 0
        if number >= late:
            then = now + 1 if now < late else 0
        for k in range(first, end):
            s.coming[j, now, k] = o[k]
            o[k] = s.coming[j, then, k]
    if s.strength[SEEN_DROPPED] > 0.0:
        if dropped:
            for k in range(first, end):
                o[k] = s.seen[j, k]
        else:
            for k in range(first, end):
                s.seen[j, k] = o[k]


@rule
def tell(s, j, reward):
    """What seat j is told of a reward, before it is shown what came with it."""
    number = s.counted[j, TURNS]
    noise = s.strength[REWARD_NOISE]
    if noise > 0.0 and number > 0:
        reward += 2.0 * noise * normal(s.streams[j, REWARD], number, FIRST_SLOT)
        if s.number[BOUNDED] > 0:
            reward = min(max(reward, -1.0), 1.0)
    late = s.number[LATE_REWARDS]
    if late > 0:
        before = s.owed[j, number % late] if number >= late else 0.0
        s.owed[j, number % late] = reward
        reward = before
    return reward


@rule
def arrive(s, j, action):
    """The action that arrives for the one that seat j chose; `MISSING` for the default."""
    number = s.counted[j, DONE]
    s.counted[j, DONE] += 1
    noise = s.strength[ACTION_NOISE]
    if noise > 0.0:
        key = s.streams[j, ACTED]
        if unit(draw(key, number, 0)) < noise:
            action = s.number[FIRST] + choice(key, number, 1, s.number[ACTIONS])
    late = s.number[LATE_ACTIONS]
    if late > 0:
        before = s.going[j, number % late] if number >= late else MISSING
        s.going[j, number % late] = action
        action = before
    dropped = s.strength[ACTIONS_DROPPED]
    if dropped > 0.0 and unit(draw(s.streams[j, ACTION_DROPPED], number, 0)) < dropped:
        action = MISSING
    return action


# Of whole rows --------------------------------------------------------------------


@rule
def take_in(s, j, k):
    """Add a number to the runs that the mind at seat j reads: to the last one, or as the first of another."""
    at = s.number[AT]
    kind = RANGED if s.step[at, k] >= 0.0 else MIXED
    last = s.run_count[j] - 1
    if last >= 0 and end_of(s.runs[j, last]) == k and kind_of(s.runs[j, last]) == kind:
        s.runs[j, last] = run_of(begin_of(s.runs[j, last]), k + 1, kind)
    elif last == PARTS - 1:
        s.runs[j, last] = run_of(begin_of(s.runs[j, last]), k + 1, MIXED)
    else:
        s.runs[j, last + 1] = run_of(k, k + 1, kind)
        s.run_count[j] += 1


@rule
def run_of(first, end, kind):
    """A run as one number."""
    return (int64(kind) << 60) | (int64(end) << 30) | int64(first)


@rule
def begin_of(run):
    """Its first number."""
    return run & ((1 << 30) - 1)


@rule
def end_of(run):
    """The number after its last."""
    return (run >> 30) & ((1 << 30) - 1)


@rule
def kind_of(run):
    """What its numbers are."""
    return run >> 60


@rule
def blur_run(s, o, key, start, first, end, kind):
    """:func:`add_noise` to a run, to the bit, with as little as possible to do for each number."""
    if kind == RANGED:
        at = s.number[AT]
        b = s.bounds[at]
        draw_words(s, key, start, first, end)
        # A loop in which functions are called, if only at times, would have all that it needs in memory.
        outside = 0
        for k in range(uint64(first), uint64(end)):
            x, _, inside = placed(s.words[k])
            s.deviation[k] = x
            outside += 0 if inside else 1
        if outside > 0:
            for k in range(uint64(first), uint64(end)):
                _, _, inside = placed(s.words[k])
                if not inside:
                    s.deviation[k] = normal_from(s.words[k], key, uint64(start) + k, FIRST_SLOT)
        for k in range(uint64(first), uint64(end)):
            v = o[k] + s.step[at, k] * s.deviation[k]
            o[k] = min(max(v, b[LOW, k]), b[HIGH, k])
    else:
        add_noise(s, o, key, start, first, end)


# The step door --------------------------------------------------------------------


@door
def begin_door(s, key):
    """`begin`, in the one environment that there is."""
    begin(s, key, 0)


@door
def show_door(s, j, o):
    """`show`"""
    show(s, j, o)


@door
def tell_door(s, j, reward):
    """`tell`"""
    return tell(s, j, reward)


@door
def arrive_door(s, j, action):
    """`arrive`"""
    return arrive(s, j, action)


# The second door ------------------------------------------------------------------


class Row(NamedTuple):
    """The row of an environment, and of the perturbation around it."""

    inner: Any
    state: State
    action: np.ndarray
    reward: np.ndarray
    obs: np.ndarray


@cache
def perturbed_doors(rules: Rules, minds: Minds) -> Doors:
    """The doors to a perturbed world; the row that they take is (row of the world, state of the perturbation)."""
    open_inner, horizon_inner, start_inner, observe_inner, advance_inner = rules[:5]
    conclude_inner, load_inner, part_inner = rules.conclude, rules.load, rules.part
    sit_inner = minds.sit

    @rule
    def open_row(w):
        r = open_inner(w[0])
        return Row(r, w[1], r.action, r.reward, r.obs)

    @rule
    def horizon(r):
        return horizon_inner(r.inner)

    @rule
    def start(r, drawn, i, key, anew):
        start_inner(r.inner, drawn, i, key, anew)
        begin(r.state, key, i)
        for j in range(r.reward.size):
            s = r.state
            s.run_count[j] = 0
            p = 0
            first, end = part_inner(r.inner, j, p)
            while end >= 0:
                for k in range(first, end):
                    take_in(s, j, k)
                p += 1
                first, end = part_inner(r.inner, j, p)

    @rule
    def part(r, j, p):
        return part_inner(r.inner, j, p)

    @rule
    def observe(r, j):
        observe_inner(r.inner, j)
        s = r.state
        s.told[j] = tell(s, j, r.reward[j]) if s.number[PAYS] > 0 else r.reward[j]
        # What a mind does not read is left as it is. Views are made once: each takes longer than to blur a number.
        o = r.obs[j]
        if s.number[BLURS] > 0:
            key, start = s.streams[j, SEEN], noise_at(s, j)
            for p in range(s.run_count[j]):
                run = s.runs[j, p]
                blur_run(s, o, key, start, begin_of(run), end_of(run), kind_of(run))
        if s.number[HOLDS] > 0:
            dropped = is_dropped(s, j)
            for p in range(s.run_count[j]):
                run = s.runs[j, p]
                pass_part(s, j, o, dropped, begin_of(run), end_of(run))
        s.counted[j, TURNS] += 1

    @rule
    def advance(r):
        if r.state.number[ACTS] > 0:
            for j in range(r.action.size):
                action = arrive(r.state, j, r.action[j])
                r.action[j] = r.state.number[DEFAULT] if action == MISSING else action
        advance_inner(r.inner)

    @rule
    def conclude(r, out):
        conclude_inner(r.inner, out)

    @rule
    def load(w, drawn, i):
        load_inner(w[0], drawn, i)

    @rule
    def told(r, j):
        return r.state.told[j]

    @rule
    def sit(mind, j, r, interactions):
        sit_inner(mind, j, r.inner, interactions)

    around = Rules(open_row, horizon, start, observe, advance, conclude, load, told, part)
    return doors_of(around, minds._replace(sit=sit))


# States ---------------------------------------------------------------------------


def new_state(
    strengths: dict[str, float],
    late: tuple[int, int, int],
    spaces: Sequence[tuple[Record, Discrete]],
    seats: int,
    default: int,
    bounded: bool,
    whole: frozenset[str],
    kind: npt.NDArray[np.int64],
) -> State:
    """A state for kinds of environments with these spaces; ``late`` are turns, of observations, actions and rewards.

    ``whole`` are the fields in which numbers are names; ``kind`` is that of each environment that was drawn.
    """
    names = (
        "observation-noise",
        "observation-dropped",
        "action-noise",
        "action-dropped",
        "reward-noise",
    )
    columns = max(space.size for space, _ in spaces)
    bounds = np.zeros((len(spaces), 4, columns))
    for i, (space, _) in enumerate(spaces):
        for place, numbers in enumerate(bounds_of(space, whole)):
            bounds[i, place, : space.size] = numbers
    ranged = strengths.get("observation-noise", 0.0) * bounds[:, WIDTH]
    step = np.where(bounds[:, WIDTH] > 0.0, ranged, -1.0)
    done = spaces[0][1]
    acts = late[1] > 0 or any(strengths.get(name, 0.0) > 0.0 for name in names[2:4])
    pays = late[2] > 0 or strengths.get(names[4], 0.0) > 0.0
    given = [strengths.get(name, 0.0) for name in names]
    blurs = given[0] > 0.0
    holds = late[0] > 0 or strengths.get(names[1], 0.0) > 0.0
    number = np.array(
        [*late, done.n, done.start, default, bounded, 0, acts, pays, blurs, holds], np.int64
    )
    return State(
        np.array([*given, 1.0 / given[0] if blurs else 0.0]),
        number,
        bounds,
        np.array([one.n for _, one in spaces], np.int64),
        kind,
        np.zeros(1, np.uint64),
        np.zeros((seats, KINDS), np.uint64),
        np.zeros((seats, 2), np.int64),
        np.zeros((seats, columns)),
        np.zeros((seats, late[0] + 1, columns)),
        np.zeros((seats, max(1, late[1])), np.int64),
        np.zeros((seats, max(1, late[2]))),
        np.zeros(seats),
        np.where(bounds[:, NAMED] > 0.0, -1.0, step),
        np.zeros((seats, PARTS), np.int64),
        np.zeros(seats, np.int64),
        np.zeros(columns, np.uint64),
        np.zeros(columns),
    )


UNBOUNDED = 1e6
"""A range of so much and more is none to take a share of."""


@cache
def bounds_of(space: Record, whole: frozenset[str]) -> tuple[npt.NDArray[np.float64], ...]:
    """Of each number of a flat record the bounds, the range (0: none to speak of), and whether it is a name."""
    low, high = space.bounds()
    width = high - low
    named = [np.full(box.size, float(name in whole)) for name, box in space.boxes.items()]
    return low, high, np.where(width < UNBOUNDED, width, 0.0), np.concatenate(named)
