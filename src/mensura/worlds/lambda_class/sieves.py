"""The sieves: whether an environment can tell subjects apart, and whether it favors those who know nothing.

An environment in which nothing that one does makes a difference measures nothing (3.2 of Insa-Cabrera, 2011), and one
that gives rewards to a random subject measures them wrongly (3.3). Each sieve returns a `Verdict`, which says whether
the environment passes and whether that is proved. What can be proved is, by the propositions of 3.6.5 or by going
through all states; all else is tried, and the verdict has an interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.agent import keys
from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.worlds.lambda_class.behaviors import Attached, Markov, Pattern, Random, Shy
from mensura.worlds.lambda_class.description import Description, make_row, opened
from mensura.worlds.lambda_class.kernels import interaction as kernel
from mensura.worlds.lambda_class.kernels.decision_process import (
    expected_rewards_door,
    sensitive_states_door,
)
from mensura.worlds.lambda_class.kernels.trial import (
    RANDOMLY,
    STAY,
    TO_EVIL,
    TO_GOOD,
    play_door,
    ways_door,
)

Floats: TypeAlias = npt.NDArray[np.float64]

SIEVES = ("reward-sensitive", "balanced")
"""In the order in which environments go through them."""

MOST_STATES = 2_000_000
"""Up to so many states are gone through, each with as many pairs of cells as may follow it counted once."""

MOST_WORK = 200_000_000
"""Up to so many steps are taken to compute expected rewards."""

STATES, PAIRS, REPLAYS = 24, 8, 64
"""A trial of sensitivity: so many states, pairs of ways to act in each, and replays of each pair under fresh chance."""

LOOKS = (8, 64)
"""After so many replays it is looked whether they differ."""

ERRORS = 6.0
"""So many standard errors beyond the threshold is a difference that chance does not make."""

REACH = 100
"""The states of a trial are reached by random play of fewer interactions."""

EPISODES = 400
"""A trial of balance: so many episodes of a random subject."""

_CONFIDENCE_Z = 3.290527
"""Intervals hold with 99.9 %."""

_TINY = 1e-9
"""An expectation that is closer to 0 is 0, but for rounding."""

_LARGEST_MAP = 300
"""Up to so many cells have a table of shortest ways."""


@dataclass(frozen=True)
class Verdict:
    """What a sieve found."""

    passed: bool
    exact: bool
    """Whether this is proved; else it was tried."""
    low: float
    high: float
    """Between what bounds that lies of which `sentence` tells: equal where it is exact."""
    sentence: str

    def __bool__(self) -> bool:
        return self.passed


# Reward-sensitive -----------------------------------------------------------------


def reward_sensitive(d: Description, n: int, threshold: float = 0.0, *, key: Key = 0) -> Verdict:
    """Whether it always makes a difference what the first subject does in the next n interactions (definition 3.2.1).

    That is: after whatever actions, there are two ways to go on whose expected sums of rewards over some m <= n
    interactions differ by more than the threshold (footnotes 4 and 5). In an environment without chance a way to go on
    is a sequence of actions. With chance it is a policy, which may act on what happens on the way and knows the state:
    two sequences are policies too, so whatever differs between sequences differs between the best and the worst
    policy, and these are compared. The end of the episode is no part of the question.

    Proved by proposition 3.6.2 where it applies, or by going through all states; else tried.
    """
    if type(n) is not int or n < 1:
        raise MensuraError(f"sensitive_within is {n!r}; it is a number of actions from 1 on.")
    if not threshold >= 0:
        raise MensuraError(f"sensitive_by is {threshold!r}; it is a difference, 0 or more.")
    for prove in (_by_proposition, _by_states):
        verdict = prove(d, n, threshold)
        if verdict is not None:
            return verdict
    return _sensitive_by_trial(d, n, threshold, key)


def _by_proposition(d: Description, n: int, threshold: float) -> Verdict | None:
    """Proposition 3.6.2, with its n and its threshold, and for expected sums.

    Where rewards are eaten, last for more than an interaction, are found a step behind and are not dropped on the
    subject's cell, one who stays gets 0 for good. Now let Good be elsewhere (else Evil is), d steps away: its reward
    lies there. Walk up to it, and take the last step only if what lies there by then is positive; or only if it is
    negative. Both get the same on the way, so their expected sums differ by the expected size of that reward, which
    nobody but the subject takes away: at least the least drop, divided d - 1 times.
    """
    applies = (
        d.subjects == 1
        and d.eaten
        and d.consumed == "before"
        and not d.drops_on_subject
        and d.division != "infinity"
    )
    if not applies or d.space.cells > _LARGEST_MAP:
        return None
    far = _ways(d)[1]
    least = min(d.good_drops + d.evil_drops) / float(d.division) ** (far - 1)
    if far > n or least <= threshold:
        return None
    return Verdict(
        True,
        True,
        1.0,
        1.0,
        f"It is {far}-actions reward-sensitive by proposition 3.6.2: every cell is within {far} steps, and what Good "
        f"left on its cell is then {least:g} or more, while one who stays gets 0.",
    )


def _by_states(d: Description, n: int, threshold: float) -> Verdict | None:
    """Definition 3.2.1 by going through all states of the Markov decision process, where they are not too many."""
    cycle_length = 1 if d.cycle == "none" else d.cycle_length
    if not has_process(d) or d.division != "infinity" or not isinstance(cycle_length, int):
        return None
    period = math.lcm(_pattern_period(d), len(d.good_drops), len(d.evil_drops), cycle_length)
    n_c = d.space.cells
    pairs = 2 if isinstance(d.good_and_evil, Pattern) else n_c
    if period * n_c**3 * pairs > MOST_STATES:
        return None
    reach = np.zeros((period, n_c, n_c, n_c), np.int64)
    _place(d, reach[0], 1)
    best, worst = (np.zeros((2, period, n_c, n_c, n_c)) for _ in range(2))
    count = np.zeros(2, np.int64)
    bound = float(threshold)  # of one type: the door is compiled for each
    sensitive_states_door(make_row(d), reach, best, worst, *room_for_outcomes(n_c), n, bound, count)
    states, insensitive = map(int, count)
    if insensitive and d.junk != 0:
        return None  # what fails may be over before the first decision
    share = 1 - insensitive / states
    sentence = f"In all {states} states that can be reached"
    if insensitive:
        sentence = f"In {insensitive} of {states} states that can be reached no"
    return Verdict(
        insensitive == 0,
        True,
        share,
        share,
        f"{sentence} two ways to act differ by more than {threshold:g} within {n} interactions.",
    )


def _sensitive_by_trial(d: Description, n: int, threshold: float, key: Key) -> Verdict:
    stage = _Stage(d, n)
    streams = keys.key(key, "reward-sensitive")
    count = sum(stage.differs(keys.fold(streams, k), threshold) for k in range(STATES))
    low, high = wilson(count, STATES)
    return Verdict(
        count == STATES,
        False,
        low,
        high,
        f"In {count} of {STATES} states that were tried two ways to act differ by more than {threshold:g} within {n} "
        f"interactions: {low:.0%} to {high:.0%} of all, with a confidence of 99.9%.",
    )


class _Stage:
    """An environment in which states are reached and ways to act are compared."""

    def __init__(self, d: Description, n: int) -> None:
        self.row, self.parts = opened(d)
        self.n, self.chancy = n, _chancy(d)
        self.reach = min(REACH, d.horizon)
        self.ways = _ways(d)[0]
        self.sums = np.zeros(max(n, self.reach))

    def differs(self, key: Key, threshold: float) -> bool:
        """Whether two ways to act make a difference in a state that random play reaches.

        The most telling are compared first: towards Good or towards Evil, to stay or towards either, then actions
        drawn beforehand.
        """
        kernel.STEP_DOORS.reset(self.row, kernel.NOTHING_DRAWN, np.uint64(keys.fold(key, 0)))
        self.play(RANDOMLY, keys.fold(key, 1), keys.below(keys.draw(key, 0, 0), self.reach))
        saved = self.row.copy()
        pairs = [(TO_GOOD, TO_EVIL), (STAY, TO_GOOD), (STAY, TO_EVIL)]
        pairs += [(RANDOMLY, RANDOMLY)] * (PAIRS - len(pairs))
        return any(
            self.compared(saved, pair, keys.fold(keys.fold(key, 2), p), threshold)
            for p, pair in enumerate(pairs)
        )

    def compared(
        self, saved: npt.NDArray[np.int64], pair: tuple[int, int], key: Key, threshold: float
    ) -> bool:
        """Whether two ways to act yield different sums over some m <= n interactions, on average over fresh chance.

        Both are replayed under the same chance, and a mean difference has to be so many standard errors beyond the
        threshold. Where nothing was left to chance once, nothing ever is, and once is enough.
        """
        differences: list[Floats] = []
        for q in range(REPLAYS):
            chance = keys.fold(keys.fold(key, q), 2)
            sums, coins = [], self.chancy
            for side, policy in enumerate(pair):
                self.row[:] = saved
                self.parts.key[0] = chance
                own = keys.fold(key, REPLAYS + side) if policy == RANDOMLY else key
                coins = self.play(policy, own, self.n) or coins
                sums.append(self.sums[: self.n].copy())
            differences.append(sums[0] - sums[1])
            if not coins and q == 0:
                return bool((np.abs(differences[0]) > threshold).any())
            if q + 1 in LOOKS:
                means = np.mean(differences, axis=0)
                errors = np.std(differences, axis=0, ddof=1) / math.sqrt(q + 1)
                if (np.abs(means) - ERRORS * errors > threshold).any():
                    return True
        return False

    def play(self, policy: int, key: Key, n: int) -> bool:
        self.parts.clock[kernel.TIME] = -1 - n  # the end of the episode is no part of the question
        return bool(play_door(self.row, policy, np.uint64(key), n, self.ways, self.sums))


def _chancy(d: Description) -> bool:
    """Whether more is left to chance than which of Good and Evil moves where both would enter a cell."""
    random = any(isinstance(b, Random | Shy | Attached) for b in (d.good_and_evil, *d.objects))
    return random or d.moves == "geometric" or d.cycle != "none" or d.subjects > 1


# Balanced -------------------------------------------------------------------------


def balanced(d: Description, *, key: Key = 0) -> Verdict:
    """Whether a random subject is to expect 0 over the episode, with rewards in [-1, 1] (definition 3.3.4).

    Proposition 3.6.3 proves it where the starts are drawn and Good and Evil drop alike. Exchange the two in everything
    that happens: the start is as likely, since all pairs of different cells are; they behave by the same logic, with
    chance of their own; nobody but the subjects tells them apart, and a random subject does not care; a collision is
    decided by a fair coin. So every course of events is as likely as its exchange, in which each reward is less than
    nothing by as much, and the expectation of each reward is 0.

    Elsewhere the expectation is computed, where the states allow it, or tried.
    """
    if not d.starts and d.good_drops == d.evil_drops:
        return Verdict(
            True,
            True,
            0.0,
            0.0,
            "A random subject is to expect 0 in each interaction by proposition 3.6.3: starts are drawn, and Good and "
            "Evil behave and drop alike.",
        )
    rewards = expected_rewards(d)
    if rewards is None:
        return _balanced_by_trial(d, key)
    total = math.fsum(rewards.tolist())
    passed = abs(total) <= _TINY * len(rewards)
    return Verdict(
        passed,
        True,
        total,
        total,
        f"A random subject is to expect {0.0 if passed else total:g} over {d.horizon} interactions, by the "
        "probabilities of all states.",
    )


def expected_rewards(d: Description) -> Floats | None:
    """What a random subject is to expect in each interaction of an episode, exactly; None where states are too many.

    By the probabilities of all states, interaction after interaction, each with what is expected to lie on the cells.
    """
    junk = d.junk if isinstance(d.junk, int) else min(d.drawn_up_to, d.junk_limit)
    length = junk + d.horizon
    drawn = d.cycle != "none" and d.cycle_length == "drawn"
    ages = min(length, d.drawn_up_to) if drawn else 1
    n_c, n_a = d.space.cells, d.space.actions
    pairs = 2 if isinstance(d.good_and_evil, Pattern) else n_c * n_c
    if not has_process(d) or length * ages * n_c**4 * n_a * pairs > MOST_WORK:
        return None
    mass = np.zeros((ages, n_c, n_c, n_c))
    _place(d, mass[0], 1 / (n_c * n_c * (n_c - 1)) if not d.starts else 1)
    trail = np.zeros((*mass.shape, n_c))
    moved, left = (np.zeros((2, *array.shape[1:])) for array in (mass, trail))
    rewards = np.zeros(length)
    expected_rewards_door(make_row(d), mass, trail, moved, left, *room_for_outcomes(n_c), rewards)
    if isinstance(d.junk, int):
        return rewards[junk:]
    # The junk is as likely to have any length from 1 on, and what comes after it is one interaction of a random
    # subject like another.
    sums = np.concatenate([[0.0], np.cumsum(rewards)])
    first = np.arange(d.horizon)
    return np.asarray((sums[first + junk + 1] - sums[first + 1]) / junk)


def _balanced_by_trial(d: Description, key: Key) -> Verdict:
    total, _ = random_episodes(d, EPISODES, key)
    mean, error = float(total.mean()), float(total.std(ddof=1)) / math.sqrt(len(total))
    low, high = mean - _CONFIDENCE_Z * error, mean + _CONFIDENCE_Z * error
    return Verdict(
        low <= 0 <= high,
        False,
        low,
        high,
        f"A random subject got {mean:g} on average in {EPISODES} episodes: from {low:g} to {high:g}, with a "
        "confidence of 99.9%.",
    )


# What they share --------------------------------------------------------------------


def random_episodes(
    d: Description, count: int, key: Key = 0
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Episodes with random subjects at all seats: what the first one got in each, and the work (sum, hardest)."""
    row, parts = opened(d)
    rewards, work = np.zeros(count), np.zeros((count, 2), np.int64)
    sums = np.zeros(d.horizon)
    nowhere = np.zeros((1, 1), np.int64)
    for e in range(count):
        stream = keys.fold(keys.key(key, "episodes"), e)
        kernel.STEP_DOORS.reset(row, kernel.NOTHING_DRAWN, np.uint64(keys.fold(stream, 0)))
        actions = np.uint64(keys.fold(stream, 1))
        play_door(row, RANDOMLY, actions, d.horizon, nowhere, sums)
        rewards[e] = sums[-1]
        work[e] = parts.clock[[kernel.WORK, kernel.HARDEST]]
    return rewards, work


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Wilson's interval (1927) for a share, at the confidence of all intervals here.

    >>> wilson(0, 10)[0], round(wilson(0, 10)[1], 2)
    (0.0, 0.52)
    """
    z2 = _CONFIDENCE_Z**2
    center = (successes + z2 / 2) / (trials + z2)
    spread = math.sqrt(successes * (trials - successes) / trials + z2 / 4)
    half = _CONFIDENCE_Z * spread / (trials + z2)
    low = center - half if successes > 0 else 0.0
    return low, center + half if successes < trials else 1.0


def has_process(d: Description) -> bool:
    """Whether cells and clock say all about Good and Evil that matters, for the one subject."""
    if d.subjects != 1 or isinstance(d.good_and_evil, Markov) or d.moves == "allowed":
        return False
    return not (isinstance(d.good_and_evil, Pattern) and d.moves == "geometric")


def _forgetful(d: Description) -> bool:
    """Whether nothing about Good and Evil stays with them when they swap places."""
    patterned = isinstance(d.good_and_evil, Pattern) and d.moves in ("geometric", "allowed")
    return not isinstance(d.good_and_evil, Markov) and not patterned


def _pattern_period(d: Description) -> int:
    if not isinstance(d.good_and_evil, Pattern) or d.moves == "pattern":
        return 1
    length = len(d.good_and_evil.moves)
    return length // math.gcd(length, d.least_moves)


def _place(d: Description, states: npt.NDArray[np.generic], value: float) -> None:
    """Put a value on all states of the start, [own cell, Good's, Evil's]."""
    if d.starts:
        states[d.starts[-1], d.starts[0], d.starts[1]] = value
        return
    states[:] = value
    each = np.arange(d.space.cells)
    states[:, each, each] = 0


def room_for_outcomes(
    n_c: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats, Floats]:
    """Arrays for what may come after one state."""
    good, evil = (np.zeros(2 * n_c * n_c, np.int64) for _ in range(2))
    return good, evil, np.zeros(2 * n_c * n_c), np.zeros((6, n_c))


def _ways(d: Description) -> tuple[npt.NDArray[np.int64], int]:
    """For each cell and target the first action of a shortest way, and the longest of these ways."""
    n_c = d.space.cells
    ways, far = (np.zeros((n_c, n_c), np.int64) for _ in range(2))
    if n_c > _LARGEST_MAP:
        return ways, n_c
    ways_door(np.array(d.space.arrows, np.int64), ways, far)
    return ways, int(far.max())
