"""What an instruction does, once for all who execute programs; and one program, run."""

from mensura.complexity.c_test.instructions import (
    A_FROM_B,
    A_FROM_C,
    B_FROM_A,
    C_FROM_A,
    LOOPS,
    LOOPTOP,
    PRED,
    READ,
    SUCC,
    WRITE,
)
from mensura.core.compiled import door, rule


@rule
def execute(instruction, pc, a, b, c, last, short, medium):
    """The place and the three registers after an instruction; who calls writes A where it is WRITE.

    `last` is the letter that was written last, this one included.
    """
    if instruction == WRITE:
        return pc + 1, a, b, c
    if instruction == READ:
        return pc + 1, last, b, c
    if instruction == SUCC:
        return pc + 1, a + 1 if a < 25 else 0, b, c
    if instruction == PRED:
        return pc + 1, a - 1 if a > 0 else 25, b, c
    if instruction == A_FROM_B:
        return pc + 1, b, b, c
    if instruction == B_FROM_A:
        return pc + 1, a, a, c
    if instruction == A_FROM_C:
        return pc + 1, c, b, c
    if instruction == C_FROM_A:
        return pc + 1, a, b, a
    c = c - 1 if c > 0 else 25
    if c == 0:
        return pc + 1, a, b, c
    if instruction == LOOPTOP:
        return 0, a, b, c
    back = short if instruction == LOOPS else medium
    return pc - back if pc > back else 0, a, b, c


@door
def run_door(program, machine, steps, letters, times, places):
    """Run a program until `letters` is full, it halts, or `steps` are done; how many letters it wrote.

    `machine` is (start, short, medium, instructions). Of every letter written, `times` has the step at which it was,
    counted from 1, and `places` the instruction that wrote it. Arrays are int64.
    """
    pc, a, b, c = 0, machine[0], machine[0], machine[0]
    short, medium = machine[1], machine[2]
    written, last = 0, machine[0]
    for step in range(steps):
        if pc >= program.size or written >= letters.size:
            break
        instruction = program[pc]
        if instruction == WRITE:
            letters[written] = a
            times[written] = step + 1
            places[written] = pc
            written += 1
            last = a
        pc, a, b, c = execute(instruction, pc, a, b, c, last, short, medium)
    return written
