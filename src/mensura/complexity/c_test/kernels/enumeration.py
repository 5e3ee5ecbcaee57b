"""All programs up to a length, and the series that they print, each with its cheapest program.

The walk is that of the search (`kernels/search.py`) without a series: an instruction is chosen when control first
reaches its place. A branch ends when as many letters are written as are kept; those that halt, or take too many steps
before, print no series. Series are kept in a table with open addressing, which the caller owns.

A series is a number: 5 bits for each letter, the first letter highest, plus 1 (0 is an empty place). A program is a
number too: 4 bits for each instruction, the first lowest, plus 1 each, so that it ends where 0 stands.
"""

from mensura.complexity.c_test.instructions import LOOPTOP, WRITE
from mensura.complexity.c_test.kernels.machine import execute
from mensura.core.compiled import door, int64, mix, rule, uint64

# Where the walk stands: `walk`.
LENGTH, DEPTH, STEPS, KEPT, WORK, SERIES, PROGRAMS = range(7)
WALK = 7

# The machine when control first reaches a place: a row of `states`.
A, B, C, STEP, WRITTEN, KEY = range(6)
STATE = 6

# How a call of the door ends.
UNFINISHED, DONE, FULL = range(3)


@rule
def keep(key, cost, depth, program, keys, costs, codes):
    """Note a program for a series; 1 if the series is new, 0 if not."""
    mask = keys.size - 1
    at = int64(mix(uint64(key)) & uint64(mask))
    while keys[at] != 0 and keys[at] != key:
        at = (at + 1) & mask
    new = keys[at] == 0
    if new or cost < costs[at]:
        code = 0
        for i in range(depth, -1, -1):
            code = (code << 4) | (program[i] + 1)
        keys[at], costs[at], codes[at] = key, cost, code
    return 1 if new else 0


@rule
def extend(walk, program, states, keys, costs, codes):
    """Run from a state on, with one more instruction; whether control reached the place after it."""
    depth, most, kept = walk[DEPTH], walk[STEPS], walk[KEPT]
    a, b, c = states[depth, A], states[depth, B], states[depth, C]
    step, written, key = states[depth, STEP], states[depth, WRITTEN], states[depth, KEY]
    pc = depth
    begin = step
    while pc <= depth and step + kept - written <= most:
        instruction = program[pc]
        step += 1
        if instruction == WRITE:
            key = (key << 5) | a
            written += 1
            if written == kept:
                break
        pc, a, b, c = execute(instruction, pc, a, b, c, 0, 4, 7)
    walk[WORK] += step - begin
    if written == kept:
        walk[PROGRAMS] += 1
        walk[SERIES] += keep(key + 1, step << (depth + 1), depth, program, keys, costs, codes)
        return False
    if pc <= depth:
        return False
    depth += 1
    states[depth, A], states[depth, B], states[depth, C] = a, b, c
    states[depth, STEP], states[depth, WRITTEN], states[depth, KEY] = step, written, key
    return True


@rule
def last_useful(instruction, written, kept):
    """Whether an instruction can be a program's last: it jumps back after a letter, or writes the last letter."""
    if instruction == WRITE:
        return written == kept - 1
    return instruction >= LOOPTOP and written > 0


@door
def enumerate_door(walk, program, choices, states, keys, costs, codes, work):
    """Go on with the walk for `work` steps, or until the table is three quarters full; how it ended.

    A walk begins at depth 0 with states[0] and choices[0] set. The table is `keys`, `costs` (t 2^|p|, t being the step
    of the last letter that is kept) and `codes`; its size is a power of 2. Arrays are int64.
    """
    end = walk[WORK] + work
    last = walk[LENGTH] - 1
    while walk[DEPTH] >= 0 and walk[WORK] < end:
        if 4 * walk[SERIES] > 3 * keys.size:
            return FULL
        depth = walk[DEPTH]
        if depth > last or choices[depth] == 10:
            walk[DEPTH] = depth - 1
            continue
        instruction = choices[depth]
        choices[depth] = instruction + 1
        if depth == last and not last_useful(instruction, states[depth, WRITTEN], walk[KEPT]):
            continue
        program[depth] = instruction
        if extend(walk, program, states, keys, costs, codes):
            walk[DEPTH] = depth + 1
            choices[depth + 1] = 0
    return DONE if walk[DEPTH] < 0 else UNFINISHED
