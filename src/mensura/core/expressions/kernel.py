"""The interpreter of bytecode, compiled into the kernels of worlds.

All operations stand in one chain of comparisons, which becomes a table of jumps: a part of it in a rule of its own, or
what went wrong as a result instead of in the row, makes every operation slower by a tenth and more.
"""

import math
from typing import NamedTuple

import numpy as np

from mensura.core.compiled import int64, prf, rule, uint64, unit
from mensura.core.expressions.bytecode import (
    ABS,
    ACOS,
    ADD,
    ASIN,
    ATAN,
    ATAN2,
    CEIL,
    COPY,
    COS,
    DIVIDE,
    DO,
    EQUAL,
    EVERY,
    EXP,
    FLOOR,
    HYPOT,
    JUMP,
    JUMP_IF_FALSE,
    JUMP_IF_TRUE,
    KEEP_NOT_NEGATIVE,
    KEEP_POSITIVE,
    LESS,
    LESS_EQUAL,
    LOG,
    MAX,
    MIN,
    MODULO,
    MULTIPLY,
    NEGATE,
    NOISE,
    NORMAL,
    NOT,
    POWER,
    PULSE,
    READ,
    ROUND,
    SET,
    SIGN,
    SIN,
    SQRT,
    SUBTRACT,
    TAN,
    UNEQUAL,
    WAVE,
)

# What can go wrong.
FINE, BY_ZERO, NOT_FINITE, NOT_POSITIVE, NEGATIVE, NO_PERIOD, OTHER = range(7)
TROUBLES = {
    BY_ZERO: "it divides by zero",
    NOT_FINITE: "the result is too large or no number",
    NOT_POSITIVE: "the result is not above 0, as it must be",
    NEGATIVE: "the result is negative, which it must not be",
    NO_PERIOD: "the period is not above 0",
}
"""Each in words; numbers from OTHER on are for what else can go wrong in a world."""

# Each step has so many iterations of chance, and those from OTHER_CHANCE on are for what else a world draws.
_NOISE, _NORMAL, _NORMAL_TURN, OTHER_CHANCE, CHANCES = range(5)

# An instruction: operation, result, first and second operand.
_TO, _A, _B, _SIZE = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@rule
def key_at(w, at):
    """The key that stands at a place of a row."""
    return w[at : at + 1].view(np.uint64)[0]


@rule
def sign_of(x):
    """-1, 0 or 1."""
    if x > 0.0:
        return 1.0
    if x < 0.0:
        return -1.0
    return 0.0


@rule
def number_of(pc, code):
    """The number of the instruction before a place in the program."""
    return int64((pc - code) // _SIZE) - 1


class Layout(NamedTuple):
    """Where the interpreter finds in a program and a row of memory what it needs."""

    start: int
    """In the program: where it stands at which place the instructions begin."""
    error: int
    """In the row: what went wrong; at the next place, in which instruction."""
    steps: int = 0
    """In the row: how many steps have passed, for functions of time and chance; any place, where there are none."""
    dt: int = 0
    """In the row: the seconds of a step."""
    key: int = 0
    """In the row: the key of the episode, its bits in the place of a number's."""


@rule
def read_nothing(p, w, operand):
    """READ, where a world has no such operation."""
    return 0.0


@rule
def set_nothing(p, w, number, value):
    """SET, where a world has no such operation."""


@rule
def do_nothing(p, w, number):
    """DO, where a world has no such operation."""


def interpreter(layout, read=read_nothing, set_=set_nothing, do=do_nothing):
    """The rule that runs instructions.

    READ writes what ``read(p, w, operand)`` returns, SET calls ``set_(p, w, number, value)``, and DO
    ``do(p, w, number)``. A draw is named by the step and by the number of its instruction.
    """
    at_start, at_error, at_steps, at_dt, at_key = layout

    @rule
    def run(p, w, first, last):
        """Run the instructions from `first` to before `last`; false where one went wrong, which the row then tells.

        Places are unsigned here: Numba asks of a signed index whether it counts from the end, which takes as long as an
        operation.
        """
        code = uint64(p[at_start])
        pc = code + _SIZE * uint64(first)
        end = code + _SIZE * uint64(last)
        while pc < end:
            op = p[pc]
            to = uint64(p[pc + _TO])
            a = w[uint64(p[pc + _A])]
            b = w[uint64(p[pc + _B])]
            pc += _SIZE
            x = a
            if op == COPY:
                pass
            elif op == JUMP:
                pc = code + _SIZE * to
                continue
            elif op == JUMP_IF_FALSE:
                if a == 0.0:
                    pc = code + _SIZE * to
                continue
            elif op == JUMP_IF_TRUE:
                if a != 0.0:
                    pc = code + _SIZE * to
                continue
            elif op == ADD:
                x = a + b
            elif op == SUBTRACT:
                x = a - b
            elif op == MULTIPLY:
                x = a * b
            elif op == DIVIDE or op == MODULO:
                if b == 0.0:
                    w[at_error] = BY_ZERO
                    w[at_error + 1] = number_of(pc, code)
                    return False
                x = a / b
                if op == MODULO:
                    x = a - b * math.floor(x)
            elif op == POWER:
                x = a**b
            elif op == NEGATE:
                x = -a
            elif op == LESS:
                x = 1.0 if a < b else 0.0
            elif op == LESS_EQUAL:
                x = 1.0 if a <= b else 0.0
            elif op == EQUAL:
                x = 1.0 if a == b else 0.0
            elif op == UNEQUAL:
                x = 1.0 if a != b else 0.0
            elif op == NOT:
                x = 1.0 if a == 0.0 else 0.0
            elif op == SIN:
                x = math.sin(a)
            elif op == COS:
                x = math.cos(a)
            elif op == TAN:
                x = math.tan(a)
            elif op == ASIN:
                x = np.arcsin(a)
            elif op == ACOS:
                x = np.arccos(a)
            elif op == ATAN:
                x = math.atan(a)
            elif op == SQRT:
                x = np.sqrt(a)
            elif op == EXP:
                x = np.exp(a)
            elif op == LOG:
                x = np.log(a)
            elif op == ABS:
                x = abs(a)
            elif op == SIGN:
                x = sign_of(a)
            elif op == FLOOR:
                x = np.floor(a)
            elif op == CEIL:
                x = np.ceil(a)
            elif op == ROUND:
                x = np.rint(a)
            elif op == ATAN2:
                x = math.atan2(a, b)
            elif op == HYPOT:
                x = np.hypot(a, b)
            elif op == MIN:
                x = min(a, b)
            elif op == MAX:
                x = max(a, b)
            elif op == NOISE:
                at = CHANCES * int64(w[at_steps]) + _NOISE
                x = a + (b - a) * unit(prf(key_at(w, at_key), at, number_of(pc, code)))
            elif op == NORMAL:
                # Box and Muller (1958).
                key = key_at(w, at_key)
                at = CHANCES * int64(w[at_steps])
                number = number_of(pc, code)
                u = 1.0 - unit(prf(key, at + _NORMAL, number))
                turn = 2.0 * math.pi * unit(prf(key, at + _NORMAL_TURN, number))
                x = a + b * math.sqrt(-2.0 * math.log(u)) * math.cos(turn)
            elif op == SET:
                set_(p, w, int64(to), a)
                continue
            elif op == READ:
                x = read(p, w, p[pc - _TO - _TO])
            elif op == DO:
                do(p, w, int64(to))
                continue
            elif op == KEEP_POSITIVE:
                if not a > 0.0:
                    w[at_error] = NOT_POSITIVE
                    w[at_error + 1] = number_of(pc, code)
                    return False
            elif op == KEEP_NOT_NEGATIVE:
                if not a >= 0.0:
                    w[at_error] = NEGATIVE
                    w[at_error + 1] = number_of(pc, code)
                    return False
            else:  # PHASE, WAVE, EVERY, PULSE
                if not a > 0.0:
                    w[at_error] = NO_PERIOD
                    w[at_error + 1] = number_of(pc, code)
                    return False
                if op == EVERY:
                    steps = max(int64(np.rint(a / w[at_dt])), 1)
                    x = 1.0 if int64(w[at_steps]) % steps == 0 else 0.0
                else:
                    period = a / w[at_dt]
                    x = (w[at_steps] - period * math.floor(w[at_steps] / period)) / period
                    if op == WAVE:
                        x = math.sin(2.0 * math.pi * x)
                    elif op == PULSE:
                        x = 1.0 if x < b else 0.0
            if x - x != 0.0:
                w[at_error] = NOT_FINITE
                w[at_error + 1] = number_of(pc, code)
                return False
            w[to] = x
        return True

    return run
