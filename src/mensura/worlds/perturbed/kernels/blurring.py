"""Noise, latency and drops as rules: for both doors of worlds whose observations are rows of numbers.

What a perturbation needs to remember is a :class:`State`, owned by the caller. The step door calls the rules one by one
(`DOORS`); :func:`perturbed_doors` puts them around the rules of a compiled world and its minds, so that the second door
plays the same episodes to the bit. Operators that change spaces, or need another environment, are not among them.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mensura.core.compiled import below, door, draw, float64, fold, int64, rule, uint64, unit
from mensura.core.doors import Doors, Minds, Rules, doors_of
from mensura.core.spaces import Discrete, Record

PERTURBED = 1 << 41
"""Sets the draws of perturbations apart from all others under the key of an episode."""

SEEN, DROPPED, ACTED, ACTION_DROPPED, REWARD = range(5)
"""The streams of draws under it."""

MISSING = -(2**40)
"""The action that stands for the environment's default."""

LEAST = 2.0**-33
"""Half of the least chance above 0, for a chance of 0."""
LIFT = 2.0**20
"""Makes names above -2^20 positive, so that cutting off what is behind the point rounds them down."""
HALF = 2.0**-32
MASK = np.uint64(2**32 - 1)
"""Half of the bits of a draw make a number in [0, 1)."""

# Strengths, by place.
NOISE, SEEN_DROPPED, ACTION_NOISE, ACTIONS_DROPPED, REWARD_NOISE = range(5)

# Numbers, by place: how many turns late things are, the actions, the default, whether rewards have bounds, and of
# which kind the environment is.
LATE, LATE_ACTIONS, LATE_REWARDS, ACTIONS, FIRST, DEFAULT, BOUNDED, AT = range(8)

# Counts by seat: what was shown, what was done.
TURNS, DONE = range(2)

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


@rule
def begin(s, key, i):
    """An episode begins in environment i of those drawn: nothing is on its way."""
    s.stream[0] = fold(key, PERTURBED)
    s.number[AT] = s.kind[i] if s.kind.size > 0 else 0
    s.number[ACTIONS] = s.actions[s.number[AT]]
    for j in range(s.counted.shape[0]):
        s.counted[j, TURNS] = 0
        s.counted[j, DONE] = 0


@rule
def drawn_for(s, kind, j, number):
    """The key of something that is drawn for a seat, the so-manieth of its kind."""
    return draw(fold(fold(s.stream[0], kind), j), number, 0)


@rule
def normal(p):
    """The normal deviate below which a share p of all lie, 0 < p < 1, to 1e-9 of it (Acklam's rational approximation).

    Most are a quotient of two polynomials, without a logarithm.
    """
    q = p - 0.5
    if abs(q) <= 0.47575:
        r = q * q
        up = ((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r
               + 138.3577518672690) * r - 30.66479806614716) * r + 2.506628277459239  # fmt: skip
        down = ((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r
                 + 66.80131188771972) * r - 13.28068155288572) * r + 1.0  # fmt: skip
        return up * q / down
    tail = min(p, 1.0 - p)
    r = math.sqrt(-2.0 * math.log(tail))
    up = ((((-0.007784894002430293 * r - 0.3223964580411365) * r - 2.400758277161838) * r
           - 2.549732539343734) * r + 4.374664141464968) * r + 2.938163982698783  # fmt: skip
    down = (((0.007784695709041462 * r + 0.3224671290700398) * r + 2.445134137142996) * r
            + 3.754408661907416) * r + 1.0  # fmt: skip
    return up / down if p < 0.5 else -up / down


@rule
def blur(o, b, k, strength, inverse, chance):
    """A number deviates by a share of its range, or of its own size where there is none; a name is redrawn.

    What is left of the chance by which a name is redrawn is drawn evenly again. There is no branch by chance: to
    foretell it wrongly would take longer than to compute what is not used.
    """
    low, high, own = b[LOW, k], b[HIGH, k], o[k]
    if b[NAMED, k] > 0.0:
        other = min(float64(int64(low + chance * inverse * (high - low + 1.0) + LIFT)) - LIFT, high)
        o[k] = other if chance < strength else own
    else:
        scale = b[WIDTH, k] if b[WIDTH, k] > 0.0 else max(1.0, abs(own))
        o[k] = min(max(own + strength * scale * normal(max(chance, LEAST)), low), high)


@rule
def add_noise(o, b, strength, key, first, end):
    """Blur some numbers of an observation; each draw is of two, one with an even place and the next."""
    inverse = 1.0 / strength
    k = first
    if k % 2 == 1 and k < end:
        blur(o, b, k, strength, inverse, float64(draw(key, k - 1, 0) & MASK) * HALF)
        k += 1
    while k < end - 1:
        z = draw(key, k, 0)
        blur(o, b, k, strength, inverse, float64(z >> uint64(32)) * HALF)
        blur(o, b, k + 1, strength, inverse, float64(z & MASK) * HALF)
        k += 2
    if k < end:
        blur(o, b, k, strength, inverse, float64(draw(key, k, 0) >> uint64(32)) * HALF)


@rule
def show(s, j, o):
    """Make of an observation what seat j sees of it."""
    if s.strength[NOISE] > 0.0:
        key = drawn_for(s, SEEN, j, s.counted[j, TURNS])
        add_noise(o, s.bounds[s.number[AT]], s.strength[NOISE], key, 0, o.size)
    pass_on(s, j, o)


@rule
def pass_on(s, j, o):
    """Let seat j see an observation that has its noise: late, or the last one again."""
    number = s.counted[j, TURNS]
    s.counted[j, TURNS] += 1
    late = s.number[LATE]
    if late > 0:
        size = late + 1
        for k in range(o.size):
            s.coming[j, number % size, k] = o[k]
        then = max(number - late, 0) % size
        for k in range(o.size):
            o[k] = s.coming[j, then, k]
    dropped = s.strength[SEEN_DROPPED]
    if dropped > 0.0:
        if number > 0 and unit(drawn_for(s, DROPPED, j, number)) < dropped:
            for k in range(o.size):
                o[k] = s.seen[j, k]
        for k in range(o.size):
            s.seen[j, k] = o[k]


@rule
def tell(s, j, reward):
    """What seat j is told of a reward, before it is shown what came with it."""
    number = s.counted[j, TURNS]
    noise = s.strength[REWARD_NOISE]
    if noise > 0.0 and number > 0:
        key = drawn_for(s, REWARD, j, number)
        reward += 2.0 * noise * normal(max(unit(draw(key, 0, 0)), LEAST))
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
        key = drawn_for(s, ACTED, j, number)
        if unit(draw(key, 0, 0)) < noise:
            action = s.number[FIRST] + below(draw(key, 0, 1), s.number[ACTIONS])
    late = s.number[LATE_ACTIONS]
    if late > 0:
        before = s.going[j, number % late] if number >= late else MISSING
        s.going[j, number % late] = action
        action = before
    dropped = s.strength[ACTIONS_DROPPED]
    if dropped > 0.0 and unit(drawn_for(s, ACTION_DROPPED, j, number)) < dropped:
        action = MISSING
    return action


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

    @rule
    def blur_parts(r, j):
        """What a mind does not read is left without noise, as it is without a value where nothing is perturbed."""
        s = r.state
        if s.strength[NOISE] > 0.0:
            key = drawn_for(s, SEEN, j, s.counted[j, TURNS])
            p = 0
            first, end = part_inner(r.inner, j, p)
            while end >= 0:
                add_noise(r.obs[j], s.bounds[s.number[AT]], s.strength[NOISE], key, first, end)
                p += 1
                first, end = part_inner(r.inner, j, p)

    @rule
    def part(r, j, p):
        return part_inner(r.inner, j, p)

    @rule
    def observe(r, j):
        observe_inner(r.inner, j)
        r.state.told[j] = tell(r.state, j, r.reward[j])
        blur_parts(r, j)
        pass_on(r.state, j, r.obs[j])

    @rule
    def advance(r):
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
    done = spaces[0][1]
    number = np.array([*late, done.n, done.start, default, int(bounded), 0], np.int64)
    return State(
        np.array([strengths.get(name, 0.0) for name in names]),
        number,
        bounds,
        np.array([one.n for _, one in spaces], np.int64),
        kind,
        np.zeros(1, np.uint64),
        np.zeros((seats, 2), np.int64),
        np.zeros((seats, columns)),
        np.zeros((seats, late[0] + 1, columns)),
        np.zeros((seats, max(1, late[1])), np.int64),
        np.zeros((seats, max(1, late[2]))),
        np.zeros(seats),
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
