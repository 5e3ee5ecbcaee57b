"""Programs drawn, cleaned, tried and sorted, compiled: the sampler of AIQ (Legg and Veness, 2011, section 4).

A program is drawn instruction by instruction, evenly; # counts as ], and a ] without a partner is the end. Pairs that
undo each other are taken out. Then it is tried: programs that never read or never write, that reach the limit of steps,
or that reward all the same whatever one does, are dropped. What is left is sorted into strata by what the reward
follows, or else by its length.
"""

from mensura.core.compiled import below, choice, door, draw, fold, rule
from mensura.worlds.bf.kernels.machine import (
    CELLS,
    CLOSE,
    DOWN,
    END,
    HEAD,
    HORIZON,
    LAST,
    LEFT,
    LENGTH,
    LIMIT,
    NEGATED,
    OPEN,
    READ,
    RIGHT,
    STEPS,
    SYMBOLS,
    TAPE,
    TIME,
    UP,
    WRITE,
    begin,
    clear,
    link,
    middle,
    open_row,
    run,
)

LONGEST = 4096
"""Longer programs are not drawn: of 10^12 not one is as long."""

RUNS = 5
TRIAL = 200
"""A program is tried in so many runs of so many random actions."""
SETTLED = 4
"""Before that many interactions rewards may differ by what went before."""
KNOWN = 6
"""And after that many and one more they follow one action or another."""

# Why a program is dropped; 1 and more are strata.
NEVER_READS, NEVER_WRITES, OVER_LIMIT, PASSIVE, TOO_LONG = -1, -2, -3, -4, -5
REASONS = 5

RELATIONS = 10
"""Strata 1 to 10: the reward is the action, the one 1, 2, 3 back, the action + 1, - 1, the last one + 1, - 1, the
action where it is not the middle symbol, the last one likewise."""
STRATA = 20
BELOW = (8, 10, 13, 16, 20, 24, 31, 43, 60)
"""Strata 11 to 20: all others by their length, the first being shorter than 8."""

ONCE, REPEATED, NEVER = range(3)
"""How often pairs that undo each other are taken out."""


@rule
def draw_codes(key, codes):
    """Draw a program; its length, 0 where it gets too long."""
    depth = 0
    n = 0
    while n < codes.size:
        code = below(draw(key, n, 0), 10)
        if code == END:
            code = CLOSE
        if code == OPEN:
            depth += 1
        elif code == CLOSE:
            depth -= 1
            if depth < 0:
                code = END
        codes[n] = code
        n += 1
        if depth < 0:
            return n
    return 0


@rule
def remove(codes, n, first, second):
    """Take out a pair wherever it stands, from left to right; the length that is left."""
    kept = 0
    k = 0
    while k < n:
        if codes[k] == first and k + 1 < n and codes[k + 1] == second:
            k += 2
        else:
            codes[kept] = codes[k]
            kept += 1
            k += 1
    return kept


@rule
def clean(codes, n, manner):
    """Take out pairs that undo each other, all five once or as long as there are any."""
    if manner == NEVER:
        return n
    while True:
        before = n
        n = remove(codes, n, UP, DOWN)
        n = remove(codes, n, DOWN, UP)
        n = remove(codes, n, LEFT, RIGHT)
        n = remove(codes, n, RIGHT, LEFT)
        n = remove(codes, n, OPEN, CLOSE)
        if manner == ONCE or n == before:
            return n


@rule
def has(codes, n, wanted):
    """Whether a program has an instruction."""
    for k in range(n):
        if codes[k] == wanted:
            return True
    return False


@rule
def by_length(n):
    """The stratum of a program whose reward follows no single action."""
    stratum = RELATIONS + 1
    for limit in BELOW:
        if n >= limit:
            stratum += 1
    return stratum


@rule
def follows(relation, reward, a, b, c, d, n, mid):
    """Whether a reward is what a relation says of the action and of the three before it."""
    if relation == 0:
        return reward == a
    if relation == 1:
        return reward == b
    if relation == 2:
        return reward == c
    if relation == 3:
        return reward == d
    if relation == 4:
        return reward == (a + 1) % n
    if relation == 5:
        return reward == (a - 1 + n) % n
    if relation == 6:
        return reward == (b + 1) % n
    if relation == 7:
        return reward == (b - 1 + n) % n
    if relation == 8:
        return reward == a or a == mid
    return reward == b or b == mid


@rule
def try_once(r, key, rewards, holds):
    """One run of random actions: false where it reached the limit. ``holds`` gets the relations that always held."""
    n = r.head[SYMBOLS]
    mid = middle(n)
    begin(r, key)
    for k in range(RELATIONS):
        holds[k] = 1
    a = b = c = d = 0
    for t in range(TRIAL):
        d = c
        c = b
        b = a
        a = choice(key, t, 1, n)
        run(r, a)
        rewards[t] = r.outputs[0]
        if r.clock[LAST] >= r.head[LIMIT]:
            return False
        if t >= KNOWN:
            for k in range(RELATIONS):
                if holds[k] == 1 and not follows(k, rewards[t], a, b, c, d, n, mid):
                    holds[k] = 0
    return True


@rule
def try_out(r, n, key, rewards, holds, steps, whole):
    """The stratum of a program that stands in a row, or why it is dropped; ``whole``: it is run in any case."""
    reason = 0
    if not has(r.codes, n, READ):
        reason = NEVER_READS
    elif not has(r.codes, n, WRITE):
        reason = NEVER_WRITES
    if reason < 0 and not whole:
        return reason
    passive = True
    relation = -1
    agreed = True
    for e in range(RUNS):
        fine = try_once(r, fold(key, e), rewards[e], holds)
        if e == 0:
            steps[0] = r.clock[STEPS] / r.clock[TIME]
        if reason < 0:
            return reason
        if not fine:
            return OVER_LIMIT
        found = -1
        for k in range(RELATIONS):
            if holds[k] == 1:
                found = k
                break
        if e == 0:
            relation = found
        elif found != relation:
            agreed = False
        for t in range(SETTLED, TRIAL):
            if rewards[e, t] != rewards[0, t]:
                passive = False
                break
    if passive:
        return PASSIVE
    return relation + 1 if agreed and relation >= 0 else by_length(n)


@rule
def write_head(w, symbols, cells, tape, limit, n):
    """Of a row, all but the program; it is of the size that the caller gave it."""
    w[SYMBOLS] = symbols
    w[CELLS] = cells
    w[HORIZON] = TRIAL
    w[LENGTH] = n
    w[TAPE] = tape
    w[LIMIT] = limit
    w[NEGATED] = 0


@rule
def settle(w, codes, n):
    """Put a program into a row; the row with its parts."""
    for k in range(n):
        w[HEAD + k] = codes[k]
    r = open_row(w)
    link(r.codes, n, r.jumps)
    return r


@door
def draw_door(key, settings, low, high, given, w, codes, rewards, holds, dropped, steps):
    """Draw programs until one is kept whose length is within [low, high]; its length, 0 where none was found.

    ``settings`` are symbols, cells, tape, limit, how often it is cleaned, whether any are dropped, and how many are
    drawn at most. The program is left in ``codes`` and its stratum in ``dropped[0]``; behind it is counted how many
    were dropped for each reason. Where ``given`` is not 0, the program of that length in ``codes`` is tried and no
    other one drawn; ``steps[0]`` becomes the steps of an interaction, on average over the first run.
    """
    symbols, cells, tape, limit, manner, drops, tries = settings
    for attempt in range(1 if given > 0 else tries):
        own = fold(key, attempt)
        n = given
        if given == 0:
            n = draw_codes(own, codes)
            if n == 0:
                dropped[-TOO_LONG] += 1
                continue
            n = clean(codes, n, manner)
            if n < low or n > high:
                continue
            if drops == 0:
                dropped[0] = by_length(n)
                return n
        write_head(w, symbols, cells, tape, limit, n)
        stratum = try_out(settle(w, codes, n), n, own, rewards, holds, steps, given > 0)
        clear(w)
        if given > 0:
            dropped[0] = stratum if stratum > 0 else by_length(n)
            return n
        if stratum > 0:
            dropped[0] = stratum
            return n
        dropped[-stratum] += 1
    return 0
