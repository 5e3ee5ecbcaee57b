"""One item-response scale for people and machines that answered the same items: Rasch's (1960) model.

The log-odds of a right answer are the ability of who answers minus the difficulty of the item. People are a sample:
their abilities are normal about 0, which fixes the scale. Difficulties are normal about a mean of their own, so that an
item that everybody gets right has a difficulty too. Machines are no sample of anything: each has an ability of its own,
which nothing draws to people's; a wide normal prior only keeps that of a machine without any error finite.

Abilities and difficulties are drawn from their joint posterior (Metropolis steps within Gibbs sampling, Patz and
Junker, 1999). Its mode and curvature would be quicker, but with ten answers to an item they draw abilities to the
middle, and their intervals are too short. The seed is fixed, so that a fit is a function of the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from mensura.statistics.interval import Estimate, Floats, check_level

WIDE = 5.0
"""The standard deviation of the priors of a machine's ability and of the mean difficulty."""
SHAPE, RATE = 1.0, 0.25
"""Of the inverse gamma priors of both variances: worth two observations of a standard deviation of 1/2."""
WARM_UP, DRAWS = 1000, 4000
ACCEPTED = 0.44
"""The share of steps to be taken in one dimension (Gelman, Roberts and Gilks, 1996)."""
SEED = 1960


@dataclass(frozen=True)
class Rasch:
    """Who can do how much, and how difficult items are, in log-odds; the mean of people is 0."""

    people: Mapping[Any, Estimate]
    machines: Mapping[Any, Estimate]
    items: Mapping[Any, Estimate]
    spread: Estimate
    """The standard deviation of people's abilities."""
    answers: int


def rasch(
    who: Sequence[Hashable],
    item: Sequence[Hashable],
    right: Sequence[bool],
    machines: frozenset[Any],
    level: float = 0.95,
) -> Rasch | None:
    """Fit answers, each of somebody to an item; who is in ``machines`` is none of the people.

    None where fewer than two people or two items were seen: then nothing fixes the scale.
    """
    check_level(level)
    people = list(dict.fromkeys(one for one in who if one not in machines))
    persons = [*people, *dict.fromkeys(one for one in who if one in machines)]
    items = list(dict.fromkeys(item))
    if len(people) < 2 or len(items) < 2:
        return None
    place = {one: k for k, one in enumerate(persons)}
    of_item = {one: k for k, one in enumerate(items)}
    at = np.array([place[one] for one in who])
    of = np.array([of_item[one] for one in item])
    drawn = _draws(at, of, np.asarray(right, np.float64), len(people), len(persons), len(items))
    counts, asked = np.bincount(at), np.bincount(of)

    def estimate(values: Floats, count: int) -> Estimate:
        low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
        return Estimate(
            float(np.median(values)),
            float(low),
            float(high),
            level,
            int(count),
            float(values.std()),
        )

    abilities, difficulties, spreads = drawn
    told = {one: estimate(abilities[:, k], counts[k]) for one, k in place.items()}
    return Rasch(
        {one: told[one] for one in people},
        {one: told[one] for one in persons[len(people) :]},
        {one: estimate(difficulties[:, k], asked[k]) for one, k in of_item.items()},
        estimate(spreads, len(people)),
        len(at),
    )


def _draws(
    at: Any, of: Any, right: Floats, people: int, persons: int, items: int
) -> tuple[Floats, Floats, Floats]:
    """Draws of abilities, shape (DRAWS, persons), of difficulties, and of the standard deviation of people."""
    rng = np.random.default_rng(SEED)
    ability, difficulty, mean = np.zeros(persons), np.zeros(items), 0.0
    spread, scatter = 1.0, 1.0
    prior = np.full(persons, WIDE)
    walks = [_Walk(persons), _Walk(items)]
    kept = np.zeros((DRAWS, persons)), np.zeros((DRAWS, items)), np.zeros(DRAWS)
    for sweep in range(WARM_UP + DRAWS):
        prior[:people] = spread
        warm = sweep < WARM_UP
        of_persons = partial(_height, difficulty, at, of, right, 0.0, prior)
        ability = walks[0].step(ability, of_persons, rng, adapt=warm)
        of_items = partial(_height, ability, of, at, 1.0 - right, mean, scatter)
        difficulty = walks[1].step(difficulty, of_items, rng, adapt=warm)
        # Abilities and difficulties can move together without a change of any chance: that direction is drawn at once.
        precision = (1.0 / prior**2).sum() + 1.0 / WIDE**2
        pull = -(ability / prior**2).sum() - mean / WIDE**2
        shift = pull / precision + rng.standard_normal() / np.sqrt(precision)
        ability, difficulty, mean = ability + shift, difficulty + shift, mean + shift
        precision = items / scatter**2 + 1.0 / WIDE**2
        mean = difficulty.sum() / scatter**2 / precision + rng.standard_normal() / np.sqrt(
            precision
        )
        spread = _deviation(ability[:people], rng)
        scatter = _deviation(difficulty - mean, rng)
        if not warm:
            row = sweep - WARM_UP
            kept[0][row], kept[1][row], kept[2][row] = ability, difficulty, spread
    return kept


class _Walk:
    """Metropolis steps of parameters that are independent of each other, given the rest."""

    def __init__(self, count: int) -> None:
        self._reach = np.ones(count)

    def step(
        self, now: Floats, height: Callable[[Floats], Floats], rng: Any, *, adapt: bool
    ) -> Floats:
        """Where they are next."""
        new = now + self._reach * rng.standard_normal(len(now))
        taken = np.log(rng.random(len(now))) < height(new) - height(now)
        if adapt:
            self._reach *= np.exp(0.05 * (taken - ACCEPTED))
        return np.where(taken, new, now)


def _height(
    others: Floats,
    own: Any,
    of_others: Any,
    won: Floats,
    mean: float,
    deviation: Any,
    values: Floats,
) -> Floats:
    """The log posterior of each value, given the others that it met; an item has won where an answer is wrong."""
    odds = values[own] - others[of_others]
    fit = np.bincount(own, -np.logaddexp(0.0, np.where(won > 0.5, -odds, odds)), len(values))
    return np.asarray(fit - 0.5 * ((values - mean) / deviation) ** 2)


def _deviation(values: Floats, rng: Any) -> float:
    """A draw of a standard deviation about 0."""
    rate = RATE + 0.5 * float(values @ values)
    return float(np.sqrt(rate / rng.gamma(SHAPE + 0.5 * len(values))))
