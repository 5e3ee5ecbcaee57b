"""The machine of Markov algorithms, compiled: find the rule, rewrite, store, recall, until it halts or must stop.

Symbols are numbers from 0. A **tape** is a row of int64: how many symbols the string has, then the symbols; its
capacity is one less than its size. A **memory** is such a row too. The caller owns both, and keeps an object's memory
from one run to the next. A **code** is a plain program in one row of int64, read only::

    head     SYMBOLS, NODES, RULES, WORDS, COUNT, RIGHTMOST: the number of symbols, where the parts begin, the number
             of rules, and whether the rightmost match is rewritten
    nodes    the left sides as a tree, whose root is the empty word: for each node the first rule whose left side ends
             there (COUNT if none), the first of all rules from there on, and for each symbol where the node of the
             left sides that go on with it stands (0 if none do)
    rules    for each rule WIDTH numbers, named below
    words    the right sides, with RECALL where the memory is inserted, and words to be stored

Walking down the tree from each position finds the first rule that matches anywhere in one pass over the string,
however many rules there are: the plain rules that an extended one is short for cost nothing.
"""

from mensura.core.compiled import door, rule

# The head of a code.
SYMBOLS, NODES, RULES, WORDS, COUNT, RIGHTMOST = range(6)
HEAD = 6

# A node: two numbers, then one for each symbol.
ENDS, FIRST, NEXT = range(3)

# A rule.
LEFT, RIGHT, RIGHT_LENGTH, RECALLS, TERMINATING, STORES, STORED, STORED_LENGTH, SOURCE = range(9)
WIDTH = 9

# What a rule stores.
NOTHING, STRING, WORD = range(3)

RECALL = -1

# How a run ends. From LIMIT on the program did not halt.
TERMINATED, STUCK, LIMIT, OVERFLOW = range(4)

# What a run reports.
ENDED, STEPS, LAST = range(3)
REPORT = 3


@rule
def find(code, tape):
    """The first rule that matches, COUNT if none does, and where: leftmost or rightmost."""
    n = tape[0]
    root = code[NODES]
    best = code[root + ENDS]
    rightmost = code[RIGHTMOST] == 1
    at = n if rightmost else 0
    for k in range(n):
        if best <= code[root + FIRST]:
            break
        start = n - 1 - k if rightmost else k
        node = root
        i = start
        while i < n:
            node = code[node + NEXT + tape[1 + i]]
            if node == 0 or code[node + FIRST] >= best:
                break
            if code[node + ENDS] < best:
                best = code[node + ENDS]
                at = start
            i += 1
    return best, at


@rule
def replace(code, number, at, tape, memory):
    """Apply a rule at a position; returns False, and changes nothing, where the tape or the memory is too short."""
    n = tape[0]
    held = memory[0]
    begin = code[RULES] + number * WIDTH
    left = code[begin + LEFT]
    length = code[begin + RIGHT_LENGTH]
    added = length + code[begin + RECALLS] * (held - 1)
    after = n - left + added
    stores = code[begin + STORES]
    if after > tape.size - 1:
        return False
    if stores == STRING and after > memory.size - 1:
        return False
    if stores == WORD and code[begin + STORED_LENGTH] > memory.size - 1:
        return False
    source = 1 + at + left
    shift = added - left
    if shift < 0:
        for i in range(source, n + 1):
            tape[i + shift] = tape[i]
    elif shift > 0:
        for i in range(n, source - 1, -1):
            tape[i + shift] = tape[i]
    right = code[WORDS] + code[begin + RIGHT]
    to = 1 + at
    for i in range(length):
        symbol = code[right + i]
        if symbol == RECALL:
            for j in range(held):
                tape[to + j] = memory[1 + j]
            to += held
        else:
            tape[to] = symbol
            to += 1
    tape[0] = after
    if stores == STRING:
        for i in range(after + 1):
            memory[i] = tape[i]
    elif stores == WORD:
        stored = code[WORDS] + code[begin + STORED]
        memory[0] = code[begin + STORED_LENGTH]
        for i in range(memory[0]):
            memory[1 + i] = code[stored + i]
    return True


@rule
def rewrite(code, tape, memory, limit):
    """Run a program on the tape; returns how it ended, how many rules were applied, and the last of them (or -1).

    Where it ended by LIMIT or OVERFLOW, tape and memory are as the last rule left them.
    """
    last = -1
    steps = 0
    ended = STUCK
    while True:
        number, at = find(code, tape)
        if number == code[COUNT]:
            break
        if steps >= limit:
            ended = LIMIT
            break
        if not replace(code, number, at, tape, memory):
            ended = OVERFLOW
            break
        steps += 1
        last = number
        if code[code[RULES] + number * WIDTH + TERMINATING] == 1:
            ended = TERMINATED
            break
    return ended, steps, last


@rule
def last_move(tape, ended, n_a):
    """What an object does: the rightmost action of the output, whose symbols are 0 to n_a - 1; else it stays (0)."""
    if ended < LIMIT:
        for i in range(tape[0], 0, -1):
            if tape[i] < n_a:
                return tape[i]
    return 0


@door
def rewrite_door(code, tape, memory, limit, report):
    """`rewrite` for one string; the report is (ENDED, STEPS, LAST)."""
    ended, steps, last = rewrite(code, tape, memory, limit)
    report[ENDED] = ended
    report[STEPS] = steps
    report[LAST] = last
