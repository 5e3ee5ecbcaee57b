"""The rules of FraMoTEC, written once and compiled: transitions, motion, motors, sensors, goals, energy and limits.

A task is two pieces of memory that the caller owns. Its **program** of int64 is its structure, which no rule changes:
sizes, which motor drives which object, what sensors read, what goals want, and the instructions of its transitions. Its
**row** of float64 is its state: objects, motors, goals, attributes, constants and temporaries each have their place
there, so that instructions work on places and nothing is compiled anew for a new task.

The order within a step is that of section 5.1 of the paper: transitions, objects, goals, time, energy, limits.
"""

import math

import numpy as np

from mensura.core.compiled import door, int64, prf, rule, uint64, unit
from mensura.core.expressions.kernel import (
    CHANCES,
    OTHER,
    OTHER_CHANCE,
    Layout,
    interpreter,
    key_at,
    sign_of,
)

# The head of a program.
(
    OBJECTS,
    MOTORS,
    LINKS,
    SENSORS,
    GOALS,
    INSTRUCTIONS,
    HISTORIES,
    EXPOSED,
    AUTHORS,
    TIME_LIMIT,
    # Where its parts begin.
    AT_MOTORS,
    AT_LINKS,
    AT_SENSORS,
    AT_LAYERS,
    AT_GOALS,
    AT_PRIOR,
    AT_INSTRUCTIONS,
    AT_HISTORIES,
    AT_EXPOSED,
    # Where parts of the row begin.
    ROW_MOTORS,
    ROW_GOALS,
    # The first instruction of resets, which come after those of transitions; whether transitions set powers or
    # masses; whether they or late sensors read distances of goals, which else are measured once in a tick.
    RESETS,
    SETS_DRIVE,
    MEASURED,
) = range(24)
PROGRAM_HEAD = 24

# Parts of a program. A motor: whether it is reversible, whether its energy counts.
MOTOR = 2
REVERSIBLE, COUNTED = range(2)
# A link: a motor, the object that it drives, and where the factor stands in the row.
LINK = 3
# A sensor: where what it reads in the end stands, its history or -1, its first layer, and how many layers it has.
SENSOR = 4
ROOT, HISTORY, FIRST_LAYER, LAYER_COUNT = range(4)
# A layer of a sensor that reads a sensor, the innermost first: the sensor whose noise it is, how many steps ago, the
# digits, and where the distortion stands.
LAYER = 4
LAYER_SENSOR, LAYER_LAG, LAYER_DIGITS, LAYER_DISTORTION = range(4)
NO_DIGITS = 99
# A goal: where its attribute stands; the earliest and the latest step, and those since another goal, or -1; how many
# steps it holds; whether prerequisites must hold now; where their numbers begin and end.
GOAL = 10
ATTRIBUTE, AFTER, BEFORE, SINCE, AFTER_SINCE, BEFORE_SINCE, HOLD, NOW, PRIOR, PRIOR_END = range(10)
# A history: where what it keeps stands in the row, where it begins there, and how many numbers it has.
HISTORY_SIZE = 3

# The head of a row.
STEPS, TIME, DT, ENERGY, ENERGY_LIMIT, REWARD, SOLVED_AT, FAILED_AT, ERROR, ERROR_AT, KEY = range(
    11
)
ROW_HEAD = 12

# An object in the row; the first nine can be named in expressions.
OBJECT = 18
(
    VALUE,
    VELOCITY,
    MASS,
    GRAVITY,
    ANGLE,
    MU_K,
    MU_S,
    DRAG,
    LOCKED,
    LOW,
    HIGH,
    PUSH,
    # Sine and cosine of the angle that follows.
    SINE,
    COSINE,
    ANGLE_OF,
    DRIVEN,
    # One over the mass, and what the square of the velocity gains in a step, which take divisions.
    LIGHTNESS,
    GAIN,
) = range(18)
# A motor in the row: what it is asked for, what it gives, and the most that it can give.
MOTOR_ROW = 3
ASKED, GIVEN, MOST = range(3)
# A goal in the row.
GOAL_ROW = 8
WANTED, TOLERANCE, DISTANCE, HOLDS, SATISFIED, SATISFIED_AT, HELD, BEFORE_VALUE = range(8)

# What can go wrong while a task runs, beside what can in expressions.
RUNAWAY = OTHER

# The chance of sensors, beside that of expressions.
_SENSORS = OTHER_CHANCE


# Motors -------------------------------------------------------------------------


@rule
def limit_motor(p, w, i):
    """A motor gives what it is asked for, as far as it can."""
    at = p[ROW_MOTORS] + MOTOR_ROW * i
    asked = w[at + ASKED]
    most = w[at + MOST]
    given = min(asked, most)
    lowest = -most if p[p[AT_MOTORS] + MOTOR * i + REVERSIBLE] else 0.0
    w[at + GIVEN] = max(given, lowest)


@rule
def drive(p, w):
    """Bring the power of all motors to the objects that they drive; returns the watts that count.

    The energy of a motor is (|power given| + wasted) times time; what it was asked for in excess is wasted.
    """
    for i in range(p[OBJECTS]):
        w[ROW_HEAD + OBJECT * i + PUSH] = 0.0
    at = p[AT_LINKS]
    for _ in range(p[LINKS]):
        given = w[p[ROW_MOTORS] + MOTOR_ROW * p[at] + GIVEN]
        w[ROW_HEAD + OBJECT * p[at + 1] + PUSH] += given * w[p[at + 2]]
        at += LINK
    for i in range(p[OBJECTS]):
        o = ROW_HEAD + OBJECT * i
        w[o + LIGHTNESS] = 1.0 / w[o + MASS]
        w[o + GAIN] = 2.0 * w[DT] * w[o + PUSH] * w[o + LIGHTNESS]
    watts = 0.0
    for i in range(p[MOTORS]):
        m = p[ROW_MOTORS] + MOTOR_ROW * i
        if p[p[AT_MOTORS] + MOTOR * i + COUNTED]:
            watts += abs(w[m + GIVEN]) + abs(w[m + ASKED] - w[m + GIVEN])
    return watts


# Motion -------------------------------------------------------------------------


@rule
def lean(o):
    """Keep sine and cosine of an angle, which take as long to work out as all the rest of a step."""
    o[ANGLE_OF] = o[ANGLE]
    o[SINE] = math.sin(o[ANGLE])
    o[COSINE] = math.cos(o[ANGLE])


@rule
def push_and_slide(o, dt):
    """The velocity after a step of `work-energy`: power enters as work, then the forces act.

    Whoever would turn round stops first, and static friction decides in the next step.
    """
    v = o[VELOCITY]
    gained = o[GAIN]
    along = o[GRAVITY] * o[SINE]
    across = max(o[GRAVITY] * o[COSINE], 0.0)
    if v == 0.0:
        u = math.sqrt(gained) if gained >= 0.0 else -math.sqrt(-gained)
        u -= along * dt
        if abs(u) <= o[MU_S] * across * dt:
            return 0.0
    else:
        if v > 0.0:
            squared = v * v + gained
            if squared <= 0.0:
                return 0.0
            u = math.sqrt(squared) - along * dt
        else:
            squared = v * v - gained
            if squared <= 0.0:
                return 0.0
            u = -math.sqrt(squared) - along * dt
        if u * v <= 0.0:
            return 0.0
    lost = o[MU_K] * across * dt
    if u > 0.0:
        u -= lost
        if u <= 0.0:
            return 0.0
    else:
        u += lost
        if u >= 0.0:
            return 0.0
    drag = o[DRAG]
    if drag != 0.0:
        # The exact solution of v' = -c v |v| / m over a step.
        u /= 1.0 + drag * abs(u) * dt * o[LIGHTNESS]
    return u


@rule
def authors_velocity(o, dt):
    """The velocity after a step of `authors-2016`."""
    v = o[VELOCITY]
    power = o[PUSH]
    mass = o[MASS]
    along = o[GRAVITY] * o[SINE]
    normal = mass * o[GRAVITY] * o[COSINE]
    if v == 0.0:
        a = sign_of(power) * math.sqrt(abs(power) / (2.0 * mass * dt)) - along
        force = abs(mass * a)
        if force > o[MU_S] * normal:
            return sign_of(a) * (force - o[MU_K] * normal) * o[LIGHTNESS] * dt
        return 0.0
    force = sign_of(power) * abs(power / v) - mass * along - sign_of(v) * o[MU_K] * normal
    force -= o[DRAG] * v * abs(v)
    u = v + force * o[LIGHTNESS] * dt
    if u * v < 0.0:
        return 0.0
    return u


@rule
def move(o, dt, authors):
    """One object's natural transition."""
    if o[LOCKED] != 0.0:
        return
    if o[ANGLE] != o[ANGLE_OF]:
        lean(o)
    if o[VELOCITY] == 0.0 and o[DRIVEN] == 0.0 and o[SINE] == 0.0:
        return
    v = authors_velocity(o, dt) if authors else push_and_slide(o, dt)
    x = o[VALUE] + v * dt
    if x <= o[LOW]:
        x = o[LOW]
        v = 0.0
    elif x >= o[HIGH]:
        x = o[HIGH]
        v = 0.0
    o[VALUE] = x
    o[VELOCITY] = v


# Sensors ------------------------------------------------------------------------


@rule
def sense(p, w, i):
    """What a sensor reads now. Its draws are functions of its number and the step: reading changes nothing."""
    at = p[AT_SENSORS] + SENSOR * i
    now = int64(w[STEPS])
    layer = p[AT_LAYERS] + LAYER * p[at + FIRST_LAYER]
    history = p[at + HISTORY]
    if history < 0:
        x = w[p[at + ROOT]]
    else:
        h = p[AT_HISTORIES] + HISTORY_SIZE * history
        then = max(now - p[layer + LAYER_LAG], 0)
        x = w[p[h + 1] + then % p[h + 2]]
    key = key_at(w, KEY)
    for _ in range(p[at + LAYER_COUNT]):
        spread = w[p[layer + LAYER_DISTORTION]]
        if spread > 0.0:
            then = max(now - p[layer + LAYER_LAG], 0)
            u = unit(prf(key, CHANCES * then + _SENSORS, p[layer + LAYER_SENSOR]))
            x += spread * (2.0 * u - 1.0)
        digits = p[layer + LAYER_DIGITS]
        if digits != NO_DIGITS:
            scale = 10.0 ** abs(digits)
            x = np.rint(x * scale) / scale if digits >= 0 else np.rint(x / scale) * scale
            x += 0.0  # no negative zero
        layer += LAYER
    return x


@rule
def remember(p, w):
    """Keep what late sensors will read."""
    now = int64(w[STEPS])
    h = p[AT_HISTORIES]
    for _ in range(p[HISTORIES]):
        w[p[h + 1] + now % p[h + 2]] = w[p[h]]
        h += HISTORY_SIZE


# Transitions --------------------------------------------------------------------


@rule
def reset_goal(p, w, i):
    """Reset a goal, and those that it is a prerequisite of, recursively: they stand after it."""
    for j in range(i, p[GOALS]):
        g = p[AT_GOALS] + GOAL * j
        at = p[ROW_GOALS] + GOAL_ROW * j
        reached = j == i
        for k in range(p[g + PRIOR], p[g + PRIOR_END]):
            if w[p[ROW_GOALS] + GOAL_ROW * p[p[AT_PRIOR] + k] + HELD] < 0.0:
                reached = True
        if reached:
            w[at + SATISFIED] = 0.0
            w[at + SATISFIED_AT] = -1.0
            w[at + HELD] = -1.0
    for j in range(i, p[GOALS]):
        at = p[ROW_GOALS] + GOAL_ROW * j
        w[at + HELD] = max(w[at + HELD], 0.0)


@rule
def set_power(p, w, i, watts):
    """Ask a motor for a power."""
    w[p[ROW_MOTORS] + MOTOR_ROW * i + ASKED] = watts
    limit_motor(p, w, i)


run = interpreter(Layout(AT_INSTRUCTIONS, ERROR, STEPS, DT, KEY), sense, set_power, reset_goal)


# Goals --------------------------------------------------------------------------


@rule
def within_times(p, w, g, now):
    """Whether a goal's times, absolute and since another goal, allow it to hold now."""
    if now < p[g + AFTER] or (p[g + BEFORE] >= 0 and now > p[g + BEFORE]):
        return False
    if p[g + SINCE] >= 0:
        then = w[p[ROW_GOALS] + GOAL_ROW * p[g + SINCE] + SATISFIED_AT]
        if then < 0.0:
            return False
        if now < then + p[g + AFTER_SINCE]:
            return False
        if p[g + BEFORE_SINCE] >= 0 and now > then + p[g + BEFORE_SINCE]:
            return False
    return True


@rule
def measure_goals(p, w):
    """How far the attributes of goals are from them, beyond their tolerance, and the reward of footnote 7."""
    total = 0.0
    for j in range(p[GOALS]):
        i = p[ROW_GOALS] + GOAL_ROW * j
        x = w[p[p[AT_GOALS] + GOAL * j + ATTRIBUTE]]
        far = max(abs(x - w[i + WANTED]) - w[i + TOLERANCE], 0.0)
        w[i + DISTANCE] = far
        total += far
    w[REWARD] = -total


@rule
def assert_goals(p, w, now):
    """Evaluate all goals after the step from `now` to now + 1; returns 1 if all are satisfied, -1 if one never can."""
    verdict = 1
    for j in range(p[GOALS]):
        g = p[AT_GOALS] + GOAL * j
        at = p[ROW_GOALS] + GOAL_ROW * j
        i = w[at : at + GOAL_ROW]
        x = w[p[g + ATTRIBUTE]]
        d = x - i[WANTED]
        holds = abs(d) <= i[TOLERANCE]
        if i[TOLERANCE] == 0.0:
            holds = holds or d * (i[BEFORE_VALUE] - i[WANTED]) < 0.0
            i[BEFORE_VALUE] = x
        if holds:
            holds = within_times(p, w, g, now)
            for k in range(p[g + PRIOR], p[g + PRIOR_END]):
                other = p[ROW_GOALS] + GOAL_ROW * p[p[AT_PRIOR] + k]
                if w[other + (HOLDS if p[g + NOW] else SATISFIED)] == 0.0:
                    holds = False
        if holds:
            i[HOLDS] = 1.0
            i[HELD] += 1.0
            if i[SATISFIED] == 0.0 and i[HELD] >= p[g + HOLD]:
                i[SATISFIED] = 1.0
                i[SATISFIED_AT] = now + 1
        elif i[HOLDS] != 0.0:
            i[HOLDS] = 0.0
            i[HELD] = 0.0
        if i[SATISFIED] == 0.0:
            verdict = min(verdict, 0)
            if p[g + BEFORE] >= 0 and now >= p[g + BEFORE]:
                verdict = -1
    return verdict


# Time ---------------------------------------------------------------------------


@rule
def tick(p, w, steps):
    """Run so many steps; fewer where the task is solved, fails or goes wrong meanwhile.

    Under `authors-2016` a task that is solved runs on to the end of the tick, and its energy counts.
    """
    if w[SOLVED_AT] >= 0.0 or w[FAILED_AT] >= 0.0 or w[ERROR] != 0.0:
        return
    dt = w[DT]
    authors = p[AUTHORS] != 0
    for i in range(p[MOTORS]):
        limit_motor(p, w, i)
    watts = drive(p, w)
    objects = p[OBJECTS]
    transitions = p[RESETS]
    resets = p[INSTRUCTIONS] - transitions
    measured = p[MEASURED] != 0
    begun = int64(w[STEPS])
    for now in range(begun, begun + steps):
        if transitions > 0:
            if not run(p, w, 0, transitions):
                return
            if p[SETS_DRIVE]:
                watts = drive(p, w)
        for i in range(objects):
            o = ROW_HEAD + OBJECT * i
            move(w[o : o + OBJECT], dt, authors)
        # A goal is reset before it is asserted, so that what resets it keeps it from being satisfied.
        if resets > 0 and not run(p, w, transitions, transitions + resets):
            return
        if measured:
            measure_goals(p, w)
        verdict = assert_goals(p, w, now) if p[GOALS] > 0 else 0
        w[STEPS] = now + 1
        w[TIME] = (now + 1) * dt
        w[ENERGY] += watts * dt
        if p[HISTORIES] > 0:
            remember(p, w)
        if w[SOLVED_AT] >= 0.0:
            continue
        if verdict == 1:
            w[SOLVED_AT] = w[TIME]
            if not authors:
                break
        elif (
            verdict < 0
            or (p[TIME_LIMIT] >= 0 and now + 1 >= p[TIME_LIMIT])
            or w[ENERGY] > w[ENERGY_LIMIT]
        ):
            w[FAILED_AT] = w[TIME]
            break
    measure_goals(p, w)
    for i in range(objects):
        o = ROW_HEAD + OBJECT * i
        if w[o + VALUE] - w[o + VALUE] != 0.0 or w[o + VELOCITY] - w[o + VELOCITY] != 0.0:
            w[ERROR] = RUNAWAY
            w[ERROR_AT] = i


@rule
def start(p, w, key):
    """Make a row that holds a task's start ready to run."""
    w[KEY : KEY + 1].view(np.uint64)[0] = uint64(key)
    w[STEPS] = 0.0
    w[TIME] = 0.0
    w[ENERGY] = 0.0
    w[SOLVED_AT] = -1.0
    w[FAILED_AT] = -1.0
    w[ERROR] = 0.0
    for i in range(p[OBJECTS]):
        o = ROW_HEAD + OBJECT * i
        lean(w[o : o + OBJECT])
    for j in range(p[GOALS]):
        i = p[ROW_GOALS] + GOAL_ROW * j
        w[i + SATISFIED_AT] = -1.0
        w[i + BEFORE_VALUE] = w[p[p[AT_GOALS] + GOAL * j + ATTRIBUTE]]
    measure_goals(p, w)
    remember(p, w)


# Doors --------------------------------------------------------------------------


@door
def start_door(p, w, key):
    """Start a task; the key draws its noise."""
    start(p, w, key)


@door
def tick_door(p, w, steps):
    """Run so many steps."""
    tick(p, w, steps)


@door
def read_door(p, w, out):
    """What all sensors read now."""
    for i in range(p[SENSORS]):
        out[i] = sense(p, w, i)


@door
def reset_goal_door(p, w, i):
    """Reset a goal and those that depend on it."""
    reset_goal(p, w, i)


@door
def simulate_door(p, begin, w, keys, powers, steps, out):
    """Many schedules at once: powers[i, t] are set in the exposed motors for the t-th tick of the i-th.

    `begin` is a row at a task's start, played in w each time. out[i] tells time, energy, when it was solved or -1, when
    it failed or -1, what went wrong, and where.
    """
    for i in range(powers.shape[0]):
        for k in range(begin.shape[0]):
            w[k] = begin[k]
        start(p, w, keys[i])
        for t in range(powers.shape[1]):
            for k in range(p[EXPOSED]):
                w[p[ROW_MOTORS] + MOTOR_ROW * p[p[AT_EXPOSED] + k] + ASKED] = powers[i, t, k]
            tick(p, w, steps)
            if w[SOLVED_AT] >= 0.0 or w[FAILED_AT] >= 0.0 or w[ERROR] != 0.0:
                break
        out[i, 0] = w[TIME]
        out[i, 1] = w[ENERGY]
        out[i, 2] = w[SOLVED_AT]
        out[i, 3] = w[FAILED_AT]
        out[i, 4] = w[ERROR]
        out[i, 5] = w[ERROR_AT]
