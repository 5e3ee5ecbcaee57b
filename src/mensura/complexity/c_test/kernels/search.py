"""All programs of one length that print a series, found lazily.

Control goes on by one or jumps back, so the instructions that it has reached are always the first ones. The search
chooses an instruction when control first reaches its place, and drops the branch at the first wrong letter. It is a
walk in depth; where it stands is in arrays that the caller owns, so that it can be left after any number of steps and
taken up again.

A cost is the whole number t 2^|p|, whose logarithm is Kt: equal costs are equal exactly.
"""

from mensura.complexity.c_test.instructions import LOOPTOP, READ, WRITE
from mensura.complexity.c_test.kernels.machine import execute
from mensura.core.compiled import door, rule

# What is asked, and where the walk stands: `walk`.
LENGTH, DEPTH, ASK, STEPS, MARGIN, LIMIT, WORK = range(7)
WALK = 7

# The machine when control first reaches a place: a row of `states`. TIME is the step of the last shown letter, or 0.
A, B, C, STEP, WRITTEN, TIME, LETTER, WRITES, LAST = range(9)
STATE = 9

ANY = 26
"""The place in `costs` of programs that print the series, whatever comes next."""

NONE = 1 << 62
"""The cost of no program."""


@rule
def record(at, cost, length, program, costs, programs, lengths):
    if cost < costs[at]:
        costs[at] = cost
        lengths[at] = length
        for i in range(length):
            programs[at, i] = program[i]


@rule
def useful(instruction, depth, length, writes, shown):
    """Whether a program can print the series with this instruction at the end of what it has so far.

    The last one has to write or to jump back, and who has written nothing yet needs a WRITE and, for several
    letters, something after it.
    """
    if depth == length - 1:
        return instruction == WRITE or (LOOPTOP <= instruction < READ and writes > 0)
    if depth == length - 2 and shown > 1 and writes == 0:
        return instruction == WRITE
    return True


@rule
def steps_ahead(written, a, depth, length, series, least):
    """The least steps in which the rest of the series can be written by who stands at the end of the program so far.

    Every letter takes a WRITE, and every change of letter an instruction before it. Where that is more than there are
    places left, a loop instruction is executed for the first stretch, and then for each that is as long as a program.
    """
    steps = least[written]
    if written < series.size and series[written] >= 0 and series[written] != a:
        steps += 1
    beyond = steps - (length - depth - 1)
    if beyond > 0 and length > 1:
        steps += (beyond + length - 2) // (length - 1)
    return steps


@rule
def extend(walk, machine, series, least, program, states, costs, programs, lengths):
    """Run from a state on, with one more instruction; whether control reached the place after it.

    The cheapest programs of this length are noted on the way.
    """
    depth, length, ask, most = walk[DEPTH], walk[LENGTH], walk[ASK], walk[STEPS]
    shown = series.size
    target = shown + 1 if ask == shown else shown
    a, b, c = states[depth, A], states[depth, B], states[depth, C]
    step, written = states[depth, STEP], states[depth, WRITTEN]
    time, letter, last = states[depth, TIME], states[depth, LETTER], states[depth, LAST]
    pc = depth
    begin = step
    latest = min(most, walk[LIMIT] >> length)
    alive = True
    while alive and pc <= depth:
        instruction = program[pc]
        step += 1
        if instruction == WRITE:
            if written < shown and series[written] >= 0 and series[written] != a:
                alive = False
                break
            if written == ask:
                letter = a
            last = a
            written += 1
            if written == shown:
                time = step
                if depth + 1 == length and step <= most:
                    record(ANY, time << length, length, program, costs, programs, lengths)
            if written == target:
                if depth + 1 == length and step <= most:
                    cost = time << length
                    record(letter, cost, length, program, costs, programs, lengths)
                    if cost << walk[MARGIN] < walk[LIMIT]:
                        walk[LIMIT] = cost << walk[MARGIN]
                alive = False
                break
        pc, a, b, c = execute(instruction, pc, a, b, c, last, machine[1], machine[2])
        if step > most or (time == 0 and step + least[written] > latest):
            alive = False
    walk[WORK] += step - begin
    if alive and time == 0:
        ahead = steps_ahead(written, a, depth, length, series, least)
        alive = step + ahead <= latest
    if alive:
        depth += 1
        states[depth, A], states[depth, B], states[depth, C] = a, b, c
        states[depth, STEP], states[depth, WRITTEN] = step, written
        states[depth, TIME], states[depth, LETTER], states[depth, LAST] = time, letter, last
        wrote = 1 if program[depth - 1] == WRITE else 0
        states[depth, WRITES] = states[depth - 1, WRITES] + wrote
    return alive


@door
def search_door(
    walk, machine, series, least, program, choices, states, costs, programs, lengths, work
):
    """Go on with the walk through the programs of one length for `work` steps; whether it is done.

    `series` has the letters' numbers, -1 for a blank, and `least` the least steps from each of them on (`steps_ahead`;
    0 at its end). At walk[ASK] is the letter by which programs are told apart: a
    blank's, or the one after the series. `costs`, `programs` and `lengths` have the cheapest program for each of the
    26 letters there, and at ANY the cheapest in all; programs that cost more than walk[LIMIT] are not looked for, and
    the limit falls to 2^walk[MARGIN] times the least cost for a letter. A walk begins at depth 0 with states[0] set
    and choices[0] = 0. Arrays are int64; `program` has a place more than the walk's length.
    """
    end = walk[WORK] + work
    while walk[DEPTH] >= 0 and walk[WORK] < end:
        depth = walk[DEPTH]
        if depth == walk[LENGTH] or choices[depth] == machine[3]:
            walk[DEPTH] = depth - 1
            continue
        instruction = choices[depth]
        choices[depth] = instruction + 1
        if not useful(instruction, depth, walk[LENGTH], states[depth, WRITES], series.size):
            continue
        program[depth] = instruction
        if extend(walk, machine, series, least, program, states, costs, programs, lengths):
            walk[DEPTH] = depth + 1
            choices[depth + 1] = 0
    return walk[DEPTH] < 0
