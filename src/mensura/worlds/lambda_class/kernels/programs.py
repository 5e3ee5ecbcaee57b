"""Programs drawn blindly, compiled: the choices of `description_length`, each with the probability that it has there.

Programs are of plain rules. The numbers are drawn by log*, symbols and bits evenly; a program with a number above all
that are drawn, or longer than there is room, is given up, so that all others keep their probabilities 2^-length up to
one factor.
"""

from mensura.core.compiled import (
    below,
    door,
    fold,
    prf,
    rule,
    unit,
)

TOO_LARGE = -1

# What is asked of a program that can write a space.
ANYTHING, A_SPACE = range(2)

# What is asked for: a goal; how many actions and letters there are; how many symbols of their own all programs together
# have, or DRAW where that is drawn with this one; how many of these and of rules are there from programs before; and
# whether no program comes after.
GOAL, ACTIONS, LETTERS, OWN, SEEN, EARLIER, LAST = range(7)
ASKED = 7
DRAW = -1

# What is reported: how many programs were drawn, how many choices the last one has (0: it was given up), the symbols
# and how many of them are there by now, and how many rules.
DRAWN, CHOICES, OWN_DRAWN, SEEN_NOW, RULES_NOW = range(5)
REPORT = 5

PLAIN_MARKS = 2
"""On the right of a plain rule: the memory is recalled, the string is stored."""


@rule
def draw_number(z, shares):
    """A number from 0 on by log*, whose probabilities `shares` sums up; or TOO_LARGE."""
    u = unit(z)
    if u >= shares[shares.size - 1]:
        return TOO_LARGE
    low = 0
    high = shares.size - 1
    while low < high:
        middle = (low + high) // 2
        if shares[middle] > u:
            high = middle
        else:
            low = middle + 1
    return low


@rule
def draw_rule(stream, at, letters, earlier, shares, out, n):
    """One rule, from the draw `at` on, as choices from out[n] on.

    Returns the next draw, the next place (TOO_LARGE if it was given up), and where the new rule is stated (or -1).
    """
    if n + 6 >= out.size:
        return at, TOO_LARGE, -1
    if earlier > 0:
        old = below(prf(stream, at, 0), 2)
        out[n] = old
        n += 1
        if old == 1:
            out[n] = below(prf(stream, at, 1), earlier)
            return at + 1, n + 1, -1
    stated = n
    out[n] = 0
    out[n + 1] = below(prf(stream, at, 2), 2)
    left = draw_number(prf(stream, at, 3), shares)
    if left == TOO_LARGE:
        return at, TOO_LARGE, -1
    right = draw_number(prf(stream, at, 4), shares)
    if right == TOO_LARGE or n + 4 + left + right >= out.size:
        return at, TOO_LARGE, -1
    out[n + 2] = left
    out[n + 3] = right
    n += 4
    at += 1
    for i in range(left + right):
        options = letters if i < left else letters + PLAIN_MARKS
        out[n] = below(prf(stream, at, 0), options)
        n += 1
        at += 1
    return at, n, stated


@rule
def writes(out, stated, n, n_a):
    """What the new rule stated at a place, and up to out[n], does for a space.

    Bit 1: its left side matches the empty string, with which the program of a space begins. Bits 2 and 4: it writes an
    action other than the reflexive one, or a sign. A space needs all of them, from whatever rules.
    """
    bits = 1 if out[stated + 2] == 0 else 0
    for i in range(stated + 4 + out[stated + 2], n):
        if 1 <= out[i] < n_a:
            bits |= 2
        elif n_a <= out[i] < n_a + 2:
            bits |= 4
    return bits


@rule
def count_own(out, stated, n, base, own, seen):
    """How many symbols of their own are there after a new rule; TOO_LARGE where one comes before its turn."""
    for i in range(stated + 4, n):
        if base + seen < out[i] < base + own:
            return TOO_LARGE
        if out[i] == base + seen and seen < own:
            seen += 1
    return seen


@door
def programs_door(key, first, tries, asked, shares, out, report):
    """Draw programs with the numbers `first` and on until one may do, and put its choices into `out`.

    Its choices: how many rules, which match, and the rules.
    """
    report[CHOICES] = 0
    for t in range(tries):
        report[DRAWN] = t + 1
        stream = fold(key, first + t)
        own_letters = asked[OWN]
        if own_letters == DRAW:
            own_letters = draw_number(prf(stream, 0, 2), shares)
        rules = draw_number(prf(stream, 0, 0), shares)
        if rules == TOO_LARGE or own_letters == TOO_LARGE:
            continue
        out[0] = rules
        out[1] = below(prf(stream, 0, 1), 2)
        n = 2
        at = 1
        earlier = asked[EARLIER]
        seen = asked[SEEN]
        bits = 0
        for _ in range(rules):
            at, n, stated = draw_rule(
                stream, at, asked[LETTERS] + own_letters, earlier, shares, out, n
            )
            if n == TOO_LARGE:
                break
            if stated >= 0:
                earlier += 1
                bits |= writes(out, stated, n, asked[ACTIONS])
                seen = count_own(out, stated, n, asked[LETTERS], own_letters, seen)
                if seen == TOO_LARGE:
                    break
        if n == TOO_LARGE or seen == TOO_LARGE or (asked[LAST] == 1 and seen < own_letters):
            continue
        if asked[GOAL] == A_SPACE and bits != 7:
            continue
        report[CHOICES] = n
        report[OWN_DRAWN] = own_letters
        report[SEEN_NOW] = seen
        report[RULES_NOW] = earlier
        break
