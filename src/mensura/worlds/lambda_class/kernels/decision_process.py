"""Environments of one subject as Markov decision processes, compiled: what is best, what is worst, what to expect.

Good and Evil decide on what they see before the subject moves, so that where they go does not depend on its action: a
state's next pairs of cells have one distribution, and the action only says where the subject will be. A **state** is
the phase of the clock, the subject's cell, Good's and Evil's, at the moment when the subject decides. The phase counts
interactions up to a period after which pattern, drops and cycle clause are as they were. Other objects make no
difference, since nobody but Markov programs looks at them.
"""

from typing import NamedTuple

import numpy as np

from mensura.core.compiled import door, rule
from mensura.worlds.lambda_class.kernels.interaction import (
    ACTIONS,
    AWAY,
    CELL,
    CELLS,
    CONSUMED_AFTER,
    CYCLE,
    CYCLE_BOUND,
    CYCLE_LENGTH,
    DRAWN,
    DROPS_ON_SUBJECT,
    EATEN,
    EVIL,
    EVIL_DROPS,
    FIXED,
    GEOMETRIC,
    GOOD,
    GOOD_DROPS,
    KIND,
    LEAST_MOVES,
    LENGTH,
    MOST_MOVES,
    MOVES,
    NEVER,
    PATTERN,
    RANDOM,
    RELOCATE,
    SCRIPT,
    SHY,
    STARTLED,
    SWAP,
    TO_SUBJECTS,
    open_row,
    suiting,
    suits,
)


class Outcomes(NamedTuple):
    """Where Good and Evil may go: so many pairs of cells with their probabilities, and room to find them."""

    good: np.ndarray
    evil: np.ndarray
    share: np.ndarray
    aims: np.ndarray
    walk: np.ndarray
    ahead: np.ndarray


@rule
def after_move(r, kind, script, cell, startled, position, share, out):
    """Spread the share of one who is on a cell over the cells where its next move may lead."""
    n_a = r.head[ACTIONS]
    if kind == PATTERN:
        out[r.arrows[cell, r.script[script + position]]] += share
    elif kind == STARTLED:
        out[r.arrows[cell, r.script[script + startled]]] += share
    elif kind == RANDOM:
        for a in range(n_a):
            out[r.arrows[cell, a]] += share / n_a
    elif (kind == SHY) == (r.crowd[cell] == 0):
        out[cell] += share
    else:
        count, wish = suiting(r, cell, AWAY if kind == SHY else TO_SUBJECTS)
        if count == 0:
            out[cell] += share
        for a in range(n_a):
            if suits(r, cell, a, wish):
                out[r.arrows[cell, a]] += share / count


@rule
def find_aims(r, i, t, aims, walk):
    """The distribution of the cell where Good or Evil intends to go in the interaction that begins at clock t."""
    n_c = r.head[CELLS]
    kind = r.behavior[i, KIND]
    script = r.behavior[i, SCRIPT]
    length = r.behavior[i, LENGTH]
    startled = 0
    if r.crowd[r.state[GOOD, CELL]] > 0 or r.crowd[r.state[EVIL, CELL]] > 0:
        startled = 1
    moves = r.head[MOVES]
    least = r.head[LEAST_MOVES]
    most = least
    position = 0
    if moves == GEOMETRIC:
        most = r.head[MOST_MOVES]
    elif moves != FIXED:
        least = length
        most = length
    if kind == PATTERN:
        position = t * least % length
    for c in range(n_c):
        aims[c] = 0.0
        walk[0, c] = 0.0
    walk[0, r.state[i, CELL]] = 1.0
    stops = 0.5
    for k in range(most):
        for c in range(n_c):
            walk[1, c] = 0.0
        for c in range(n_c):
            if walk[0, c] > 0.0:
                after_move(r, kind, script, c, startled, position, walk[0, c], walk[1])
        position = position + 1 if position + 1 < length else 0
        for c in range(n_c):
            walk[0, c] = walk[1, c]
        # So many are left who stop after this move, of those who have come so far: half, or all at the last.
        if k + 1 >= least:
            share = stops if k + 1 < most else 2.0 * stops
            for c in range(n_c):
                aims[c] += share * walk[0, c]
            stops *= 0.5


@rule
def find_outcomes(r, t, own, good, evil, o):
    """The pairs of cells of Good and Evil after the interaction of a state, before the cycle clause; how many."""
    n_c = r.head[CELLS]
    r.crowd[own] = 1
    r.state[GOOD, CELL] = good
    r.state[EVIL, CELL] = evil
    find_aims(r, GOOD, t, o.aims[0], o.walk)
    find_aims(r, EVIL, t, o.aims[1], o.walk)
    r.crowd[own] = 0
    n = 0
    for g in range(n_c):
        if o.aims[0, g] == 0.0:
            continue
        for e in range(n_c):
            share = o.aims[0, g] * o.aims[1, e]
            if share == 0.0:
                continue
            if g != e:
                o.good[n], o.evil[n], o.share[n] = g, e, share
                n += 1
            elif g == good:
                o.good[n], o.evil[n], o.share[n] = g, evil, share
                n += 1
            elif e == evil:
                o.good[n], o.evil[n], o.share[n] = good, e, share
                n += 1
            else:
                o.good[n], o.evil[n], o.share[n] = g, evil, 0.5 * share
                o.good[n + 1], o.evil[n + 1], o.share[n + 1] = good, e, 0.5 * share
                n += 2
    return n


@rule
def due(r, t):
    """What the cycle clause does before the decision at clock t, where its length is fixed."""
    cycle = r.head[CYCLE]
    if cycle == NEVER or r.head[CYCLE_LENGTH] == DRAWN or t % r.head[CYCLE_LENGTH] != 0:
        return NEVER
    return cycle


# Rewards that last for one interaction --------------------------------------------


@rule
def dropped(r, t, own, good, evil, cell):
    """What lies on a cell once Good and Evil have dropped their rewards at clock t, with a subject on `own`."""
    if r.head[DROPS_ON_SUBJECT] == 0 and cell == own:
        return 0.0
    if cell == good:
        return r.drops[t % r.head[GOOD_DROPS]]
    if cell == evil:
        return -r.drops[r.head[GOOD_DROPS] + t % r.head[EVIL_DROPS]]
    return 0.0


@rule
def pair_mean(values, n_c):
    """The mean of values[good, evil] over all pairs of different cells."""
    total = 0.0
    for g in range(n_c):
        for e in range(n_c):
            if g != e:
                total += values[g, e]
    return total / (n_c * (n_c - 1))


@rule
def look_ahead(r, t, own, good, evil, to, n, o, values):
    """What to expect of going to a cell: its reward and the values of the states that follow."""
    n_c = r.head[CELLS]
    clause = due(r, t + 1)
    after = r.head[CONSUMED_AFTER] == 1
    total = 0.0
    if not after:
        total = dropped(r, t, own, good, evil, to)
    elsewhere = pair_mean(values[to], n_c) if clause == RELOCATE else 0.0
    for k in range(n):
        g = o.good[k]
        e = o.evil[k]
        gain = dropped(r, t + 1, to, g, e, to) if after else 0.0
        if clause == NEVER:
            gain += values[to, g, e]
        elif clause == SWAP:
            gain += values[to, e, g]
        else:
            gain += elsewhere
        total += o.share[k] * gain
    return total


@rule
def blind(r):
    """Whether Good and Evil go wherever they go whatever the subject does."""
    return r.behavior[GOOD, KIND] == PATTERN or r.behavior[GOOD, KIND] == RANDOM


@rule
def spread_reach(r, reach, t, following, o):
    """Mark all states of the following phase that come after those of a phase; returns whether any is new."""
    n_c = r.head[CELLS]
    clause = due(r, t + 1)
    same = blind(r)
    grown = False
    for good in range(n_c):
        for evil in range(n_c):
            n = 0
            for own in range(n_c):
                if reach[t, own, good, evil] == 0:
                    continue
                if n == 0 or not same:
                    n = find_outcomes(r, t, own, good, evil, o)
                for a in range(r.head[ACTIONS]):
                    to = r.arrows[own, a]
                    for k in range(n):
                        g = o.good[k]
                        e = o.evil[k]
                        if clause == RELOCATE:
                            for g2 in range(n_c):
                                for e2 in range(n_c):
                                    if g2 != e2 and reach[following, to, g2, e2] == 0:
                                        reach[following, to, g2, e2] = 1
                                        grown = True
                            continue
                        if clause == SWAP:
                            g, e = e, g
                        if reach[following, to, g, e] == 0:
                            reach[following, to, g, e] = 1
                            grown = True
    return grown


@rule
def sweep(r, reach, t, following, threshold, best, worst, now, o):
    """One more interaction: the best and the worst sums of a phase's states; returns how many became sensitive."""
    n_c = r.head[CELLS]
    then = 1 - now
    alike = blind(r) and r.head[DROPS_ON_SUBJECT] == 1
    found = 0
    for g in range(n_c):
        for e in range(n_c):
            known = False
            for own in range(n_c):
                if reach[t, own, g, e] == 0:
                    continue
                if not known:
                    k = find_outcomes(r, t, own, g, e, o)
                    for to in range(n_c):
                        o.ahead[0, to] = look_ahead(r, t, own, g, e, to, k, o, best[now, following])
                        o.ahead[1, to] = look_ahead(
                            r, t, own, g, e, to, k, o, worst[now, following]
                        )
                    known = alike
                high = -np.inf
                low = np.inf
                for a in range(r.head[ACTIONS]):
                    to = r.arrows[own, a]
                    high = max(high, o.ahead[0, to])
                    low = min(low, o.ahead[1, to])
                best[then, t, own, g, e] = high
                worst[then, t, own, g, e] = low
                if reach[t, own, g, e] == 1 and high - low > threshold:
                    reach[t, own, g, e] = 2
                    found += 1
    return found


@door
def sensitive_states_door(w, reach, best, worst, good, evil, share, scratch, n, threshold, count):
    """Whether in all states that can be reached the best and the worst sum over some m <= n interactions differ.

    `reach` (period, n_c, n_c, n_c) marks the states to begin with; in the end it is 1 where no difference over the
    threshold was found and 2 where one was. `best` and `worst` (2, period, n_c, n_c, n_c) hold values, in turns.
    count: how many states can be reached, and how many of them are insensitive.
    """
    r = open_row(w)
    o = Outcomes(good, evil, share, scratch[0:2], scratch[2:4], scratch[4:6])
    n_c = r.head[CELLS]
    period = reach.shape[0]
    for c in range(n_c):
        r.crowd[c] = 0
    grown = True
    while grown:
        grown = False
        for t in range(period):
            # A phase that follows itself may grow while it is gone through; what is new is then seen again.
            if spread_reach(r, reach, t, t + 1 if t + 1 < period else 0, o):
                grown = True
    total = 0
    for t in range(period):
        for own in range(n_c):
            for g in range(n_c):
                for e in range(n_c):
                    if reach[t, own, g, e] > 0:
                        total += 1
    left = total
    now = 0
    for _ in range(n):
        if left == 0:
            break
        for t in range(period):
            following = t + 1 if t + 1 < period else 0
            left -= sweep(r, reach, t, following, threshold, best, worst, now, o)
        now = 1 - now
    count[0] = total
    count[1] = left


# What is best until the end of an episode -----------------------------------------


@door
def best_values_door(w, best, good, evil, share, scratch):
    """V*: the largest sum of rewards to expect until the end of an episode, for who knows the environment.

    `best` (horizon + 1, n_c, n_c, n_c), by clock, the subject's cell, Good's and Evil's, is 0 at the end and is filled
    backwards from there.
    """
    r = open_row(w)
    o = Outcomes(good, evil, share, scratch[0:2], scratch[2:4], scratch[4:6])
    n_c = r.head[CELLS]
    for c in range(n_c):
        r.crowd[c] = 0
    for t in range(best.shape[0] - 2, -1, -1):
        for g in range(n_c):
            for e in range(n_c):
                if g == e:
                    continue
                for own in range(n_c):
                    k = find_outcomes(r, t, own, g, e, o)
                    high = -np.inf
                    for a in range(r.head[ACTIONS]):
                        to = r.arrows[own, a]
                        high = max(high, look_ahead(r, t, own, g, e, to, k, o, best[t + 1]))
                    best[t, own, g, e] = high


@door
def regrets_door(w, best, cells, actions, good, evil, share, scratch, out):
    """V*(s) - Q*(s, a) of each action of an episode; cells (T, 3): the subject's, Good's and Evil's when it decided."""
    r = open_row(w)
    o = Outcomes(good, evil, share, scratch[0:2], scratch[2:4], scratch[4:6])
    for c in range(r.head[CELLS]):
        r.crowd[c] = 0
    for t in range(len(actions)):
        own, g, e = cells[t, 0], cells[t, 1], cells[t, 2]
        k = find_outcomes(r, t, own, g, e, o)
        to = r.arrows[own, actions[t]]
        out[t] = best[t, own, g, e] - look_ahead(r, t, own, g, e, to, k, o, best[t + 1])


# What a random subject is to expect -----------------------------------------------


@rule
def expect(r, t, mass, trail, o, division, moved, left):
    """One interaction of a random subject, at clock t, from `mass` and `trail` into `moved` and `left`.

    mass[own, good, evil] is the probability of a state, and trail[own, good, evil, c] the expectation of what lies on
    cell c, counted where the state is this one. Rewards are put down, divided and consumed without regard to what they
    are, so these expectations say all. Returns the expected reward.
    """
    n_c = r.head[CELLS]
    n_a = r.head[ACTIONS]
    after = r.head[CONSUMED_AFTER] == 1
    reward = 0.0
    for own in range(n_c):
        for good in range(n_c):
            for evil in range(n_c):
                here = mass[own, good, evil]
                if here == 0.0:
                    continue
                lies = trail[own, good, evil]
                drop_expected(r, t, here, own, good, evil, lies)
                n = find_outcomes(r, t, own, good, evil, o)
                for a in range(n_a):
                    to = r.arrows[own, a]
                    for k in range(n):
                        share = o.share[k] / n_a
                        g = o.good[k]
                        e = o.evil[k]
                        moved[to, g, e] += share * here
                        if after:
                            for c in range(n_c):
                                left[to, g, e, c] += share * lies[c] / division
                        else:
                            reward += share * lies[to]
                            for c in range(n_c):
                                if c != to or r.head[EATEN] == 0:
                                    left[to, g, e, c] += share * lies[c] / division
    if after:
        for own in range(n_c):
            for good in range(n_c):
                for evil in range(n_c):
                    here = moved[own, good, evil]
                    if here > 0.0:
                        lies = left[own, good, evil]
                        drop_expected(r, t + 1, here, own, good, evil, lies)
                        reward += lies[own]
                        if r.head[EATEN] == 1:
                            lies[own] = 0.0
    return reward


@rule
def drop_expected(r, t, here, own, good, evil, lies):
    """Good and Evil put down their rewards, in place of what is expected to lie there."""
    for c in range(r.head[CELLS]):
        if (c == good or c == evil) and (r.head[DROPS_ON_SUBJECT] == 1 or c != own):
            value = r.drops[t % r.head[GOOD_DROPS]]
            if c == evil:
                value = -r.drops[r.head[GOOD_DROPS] + t % r.head[EVIL_DROPS]]
            lies[c] = here * value


@rule
def add_relocated(n_c, share, mass, trail, to_mass, to_trail):
    """Add a share of all states with Good and Evil anywhere."""
    pairs = n_c * (n_c - 1)
    for own in range(n_c):
        for g in range(n_c):
            for e in range(n_c):
                if mass[own, g, e] == 0.0:
                    continue
                for g2 in range(n_c):
                    for e2 in range(n_c):
                        if g2 != e2:
                            to_mass[own, g2, e2] += share * mass[own, g, e] / pairs
                            for c in range(n_c):
                                to_trail[own, g2, e2, c] += share * trail[own, g, e, c] / pairs


@rule
def add_states(n_c, share, swapped, mass, trail, to_mass, to_trail):
    """Add a share of all states as they are, or with Good and Evil in each other's place."""
    for own in range(n_c):
        for g in range(n_c):
            for e in range(n_c):
                to_g = e if swapped else g
                to_e = g if swapped else e
                to_mass[own, to_g, to_e] += share * mass[own, g, e]
                for c in range(n_c):
                    to_trail[own, to_g, to_e, c] += share * trail[own, g, e, c]


@door
def expected_rewards_door(w, mass, trail, moved, left, good, evil, share, scratch, out):
    """The expected reward of a random subject in each interaction, the initial junk included, into `out`.

    `mass` (ages, n_c, n_c, n_c) is the distribution of the start at age 0 and is used up; ages count interactions since
    the cycle clause, where its length is drawn, and are one otherwise. `trail` has the same shape with a number for
    each cell; `moved` and `left` are room for one age of each.
    """
    r = open_row(w)
    o = Outcomes(good, evil, share, scratch[0:2], scratch[2:4], scratch[4:6])
    n_c = r.head[CELLS]
    ages = mass.shape[0]
    drawn = r.head[CYCLE] != NEVER and r.head[CYCLE_LENGTH] == DRAWN
    bound = r.head[CYCLE_BOUND]
    for c in range(n_c):
        r.crowd[c] = 0
    for t in range(out.size):
        out[t] = 0.0
        # From the oldest to the youngest, so that each makes room for the one before it; those of whom the clause is
        # due come back as new ones, after all others have been read.
        first = min(t, ages - 1)
        for k in range(first + 1):
            age = first - k
            for own in range(n_c):
                for g in range(n_c):
                    for e in range(n_c):
                        moved[0, own, g, e] = 0.0
                        for c in range(n_c):
                            left[0, own, g, e, c] = 0.0
            out[t] += expect(r, t, mass[age], trail[age], o, r.division[0], moved[0], left[0])
            for own in range(n_c):
                for g in range(n_c):
                    for e in range(n_c):
                        mass[age, own, g, e] = 0.0
                        for c in range(n_c):
                            trail[age, own, g, e, c] = 0.0
            if not drawn:
                clause = due(r, t + 1)
                if clause == SWAP:
                    add_states(n_c, 1.0, True, moved[0], left[0], mass[0], trail[0])
                elif clause == RELOCATE:
                    add_relocated(n_c, 1.0, moved[0], left[0], mass[0], trail[0])
                else:
                    add_states(n_c, 1.0, False, moved[0], left[0], mass[0], trail[0])
                continue
            # Of those who have come to an age, one in as many as the clause may still wait.
            stops = 1.0 / (bound - age)
            if age + 1 < ages:
                add_states(
                    n_c, 1.0 - stops, False, moved[0], left[0], mass[age + 1], trail[age + 1]
                )
            if r.head[CYCLE] == SWAP:
                add_states(n_c, stops, True, moved[0], left[0], moved[1], left[1])
            else:
                add_relocated(n_c, stops, moved[0], left[0], moved[1], left[1])
        if drawn:
            for own in range(n_c):
                for g in range(n_c):
                    for e in range(n_c):
                        mass[0, own, g, e] = moved[1, own, g, e]
                        moved[1, own, g, e] = 0.0
                        for c in range(n_c):
                            trail[0, own, g, e, c] = left[1, own, g, e, c]
                            left[1, own, g, e, c] = 0.0
