"""The machine of BF, written once and compiled: a program answers each action with a reward and an observation.

One environment is one row of int64 (:class:`Row` names its parts), owned by the caller. What never changes comes first:
the head and the program. Cells of the work tape are bytes that count from the middle symbol, so that an empty tape is
all zeros; only the stretch that was visited is wiped when an episode begins.

The machine is that of Legg and Veness (2011). At each interaction the action is put in front of the input tape and the
program runs from its first instruction:

    < >    the pointer of the circular work tape goes left, right
    + -    the cell goes up, down, modulo the number of symbols
    ,      the cell becomes the next symbol of the input tape: actions, the latest first; beyond them the middle symbol
    .      the cell is written to the output tape: the reward first, then observations
    %      the cell becomes a random symbol
    [ ]    the instructions in between are repeated while the cell is not the middle symbol
    #      the end

It ends at #, once all outputs are written, or after ``limit`` steps; what was not written stays as it was. Work tape
and pointer live on until the episode ends.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import choice, door, float64, matrix, rule
from mensura.core.doors import Rules, step_doors

LEFT, RIGHT, UP, DOWN, READ, WRITE, CHANCE, OPEN, CLOSE, END = range(10)
"""The instructions, in the order of ``LETTERS``."""
LETTERS = "<>+-,.%[]#"

# The head of a row.
SYMBOLS, CELLS, HORIZON, LENGTH, TAPE, LIMIT, NEGATED = range(7)
HEAD = 7

# What changes: interactions, the place of the pointer, the stretch that it has visited, steps so far, interactions that
# the limit ended, steps of the last one, and the key of all chance.
TIME, POINTER, LOWEST, HIGHEST, STEPS, VOID, LAST, KEY = range(8)
CLOCK = 8

HISTORY = 25
"""Actions on the input tape."""
READABLE = HISTORY - 1
"""So many of them can be read within an interaction."""


class Row(NamedTuple):
    """The parts of a row."""

    head: np.ndarray
    codes: np.ndarray
    jumps: np.ndarray
    """By instruction, where its partner is; of brackets only."""
    clock: np.ndarray
    inputs: np.ndarray
    """The last actions, in a ring."""
    outputs: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    obs: np.ndarray
    tape: np.ndarray
    """Bytes."""


def fixed_size(head):
    """How much of a row never changes."""
    return HEAD + 2 * head[LENGTH]


def row_size(head):
    """How many numbers a row takes."""
    return fixed_size(head) + CLOCK + HISTORY + 3 + 2 * head[CELLS] + (head[TAPE] + 7) // 8


@rule
def open_row(w):
    """The parts of a row."""
    length = w[LENGTH]
    cells = w[CELLS]
    codes = HEAD
    jumps = codes + length
    clock = jumps + length
    inputs = clock + CLOCK
    outputs = inputs + HISTORY
    action = outputs + 1 + cells
    reward = action + 1
    obs = reward + 1
    tape = obs + cells
    end = tape + (w[TAPE] + 7) // 8
    return Row(
        w[:HEAD],
        w[codes:jumps],
        w[jumps:clock],
        w[clock:inputs],
        w[inputs:outputs],
        w[outputs:action],
        w[action:reward],
        w[reward:obs].view(np.float64),
        matrix(w[obs:tape].view(np.float64), 1, cells),
        w[tape:end].view(np.int8),
    )


@rule
def show(r, obs):
    """The parts of a row with another place for the observations."""
    return Row(
        r.head, r.codes, r.jumps, r.clock, r.inputs, r.outputs, r.action, r.reward, obs, r.tape
    )


@rule
def before_tape(w):
    """How many numbers of a row come before its tape."""
    return HEAD + 2 * w[LENGTH] + CLOCK + HISTORY + 3 + 2 * w[CELLS]


@rule
def clear(w):
    """Nothing of an environment is left in a row; where a shorter program follows, its tape begins earlier."""
    wipe(open_row(w))
    for k in range(before_tape(w)):
        w[k] = 0


@rule
def horizon(r):
    """Interactions of an episode."""
    return r.head[HORIZON]


@rule
def middle(symbols):
    """The symbol of an empty cell."""
    return (symbols - 1) // 2


@rule
def wipe(r):
    """Empty what was visited of the work tape."""
    size = r.head[TAPE]
    for place in range(r.clock[LOWEST], r.clock[HIGHEST] + 1):
        r.tape[place if place >= 0 else place + size] = 0


@rule
def begin(r, key):
    """Everything as it is before the first action."""
    wipe(r)
    for k in range(CLOCK):
        r.clock[k] = 0
    r.clock.view(np.uint64)[KEY] = key
    mid = middle(r.head[SYMBOLS])
    for k in range(HISTORY):
        r.inputs[k] = mid
    for k in range(r.outputs.size):
        r.outputs[k] = mid
    r.action[0] = 0
    r.reward[0] = 0.0


@rule
def run(r, action):
    """One interaction: the action in, the outputs out."""
    n = r.head[SYMBOLS]
    mid = middle(n)
    size = r.head[TAPE]
    limit = r.head[LIMIT]
    t = r.clock[TIME]
    codes = r.codes
    tape = r.tape
    outputs = r.outputs
    r.inputs[t % HISTORY] = action
    place = r.clock[POINTER]
    lowest = r.clock[LOWEST]
    highest = r.clock[HIGHEST]
    cell = place if place >= 0 else place + size
    key = r.clock.view(np.uint64)[KEY]
    steps = 0
    read = 0
    written = 0
    chances = 0
    at = 0
    while steps < limit and written < outputs.size:
        steps += 1
        code = codes[at]
        at += 1
        if code == LEFT:
            place -= 1
            if place == -size:
                place = 0
            if place < lowest:
                lowest = place
            cell = place if place >= 0 else place + size
        elif code == RIGHT:
            place += 1
            if place == size:
                place = 0
            if place > highest:
                highest = place
            cell = place if place >= 0 else place + size
        elif code == UP:
            tape[cell] = tape[cell] + 1 if tape[cell] + 1 < n else 0
        elif code == DOWN:
            tape[cell] = tape[cell] - 1 if tape[cell] > 0 else n - 1
        elif code == READ:
            value = 0
            if read < READABLE:
                value = r.inputs[(t - read) % HISTORY] - mid
                if value < 0:
                    value += n
                read += 1
            tape[cell] = value
        elif code == WRITE:
            value = tape[cell] + mid
            outputs[written] = value if value < n else value - n
            written += 1
        elif code == CHANCE:
            tape[cell] = choice(key, t * limit + chances, 0, n)
            chances += 1
        elif code == OPEN:
            if tape[cell] == 0:
                at = r.jumps[at - 1] + 1
        elif code == CLOSE:
            if tape[cell] != 0:
                at = r.jumps[at - 1] + 1
        else:
            break
    r.clock[POINTER] = place
    r.clock[LOWEST] = lowest
    r.clock[HIGHEST] = highest
    r.clock[TIME] = t + 1
    r.clock[LAST] = steps
    r.clock[STEPS] += steps
    if steps >= limit:
        r.clock[VOID] += 1


@rule
def start(r, drawn, i, key, anew):
    """Begin an episode."""
    begin(r, key)


@rule
def observe(r, j):
    """The observations that were written last."""
    for k in range(r.head[CELLS]):
        r.obs[j, k] = float64(r.outputs[1 + k])


@rule
def advance(r):
    """Run the program on the action, and pay by what it wrote first."""
    run(r, r.action[0])
    m = (r.head[SYMBOLS] - 1) / 2.0
    reward = (float64(r.outputs[0]) - m) / m
    r.reward[0] = -reward if r.head[NEGATED] == 1 else reward


@rule
def conclude(r, out):
    """Steps of an interaction, on average, and the share of those that the limit ended."""
    t = max(r.clock[TIME], 1)
    out[0] = r.clock[STEPS] / t
    out[1] = r.clock[VOID] / t


@rule
def load(w, rows, i):
    """Make the row that of environment i, whose part that never changes is rows[i]."""
    if w[SYMBOLS] > 0:
        clear(w)
    for k in range(HEAD + 2 * rows[i, LENGTH]):
        w[k] = rows[i, k]


RULES = Rules(open_row, horizon, start, observe, advance, conclude, load)
STEP_DOORS = step_doors(RULES)


@door
def link_door(codes, length, jumps):
    """Where the partner of each bracket is; -1 where all is well, else the place of the first without one."""
    return link(codes, length, jumps)


@rule
def link(codes, length, jumps):
    """As :func:`link_door`. While a bracket is open, its place in ``jumps`` names the one that was open before it."""
    top = -1
    for k in range(length):
        jumps[k] = 0
        if codes[k] == OPEN:
            jumps[k] = top
            top = k
        elif codes[k] == CLOSE:
            if top < 0:
                return k
            before = jumps[top]
            jumps[top] = k
            jumps[k] = top
            top = before
    return top
