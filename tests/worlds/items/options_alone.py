"""A subject that sees nothing of an item but its options: a logistic regression over what sets them apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mensura.worlds.items.families.family import Family, Item, Part

Array = npt.NDArray[np.float64]


def features(family: Family, options: Sequence[Part]) -> Array:
    """(options, features): the numbers, their ranks, how many others agree, and how far the others are."""
    width = max(map(len, options))
    rows = np.full((len(options), width), -1.0)
    for row, part in zip(rows, options, strict=True):
        row[: len(part)] = part
    lengths = np.array([[len(family.text(part))] for part in options], np.float64)
    rows = np.hstack([rows, lengths])
    ranks = (rows[:, None, :] > rows[None, :, :]).sum(1)
    votes = (rows[:, None, :] == rows[None, :, :]).sum(1)
    away = np.abs(rows[:, None, :] - rows[None, :, :]).sum(1)
    middle = np.abs(ranks - ranks.mean(0))
    whole = np.hstack([votes.sum(1, keepdims=True), away.sum(1, keepdims=True)])
    place = np.arange(len(options))[:, None]
    return np.hstack([rows, rows**2, ranks, votes, away, middle, whole, place]).astype(np.float64)


def own_features(part: Part) -> Array:
    """What one option tells by itself: its numbers, which values they are, and which of them are equal."""
    numbers = np.array(part, np.float64)
    values = (numbers[:, None] == np.arange(numbers.size)[None, :]).ravel()
    equal = (numbers[:, None] == numbers[None, :])[np.triu_indices(numbers.size, 1)]
    pairs = np.outer(equal, equal)[np.triu_indices(equal.size, 1)]
    return np.concatenate([numbers, numbers**2, values, equal, pairs]).astype(np.float64)


def accuracy(family: Family, learned: Sequence[Item], tried: Sequence[Item]) -> float:
    """How often it is right in items that it has not learned from."""
    from scipy.optimize import minimize

    def table(items: Sequence[Item]) -> tuple[Array, npt.NDArray[np.int64]]:
        rows = [features(family, one.options) for one in items]
        width = max(row.shape[1] for row in rows)
        return (
            np.array([np.pad(row, ((0, 0), (0, width - row.shape[1]))) for row in rows]),
            np.array([one.right for one in items]),
        )

    seen, right = table([*learned, *tried])
    seen = (seen - seen.mean((0, 1))) / (seen.std((0, 1)) + 1e-9)
    count = len(learned)
    chosen = np.arange(count), right[:count]

    def loss(weights: Array) -> tuple[float, Array]:
        score = seen[:count] @ weights
        score -= score.max(1, keepdims=True)
        share = np.exp(score)
        share /= share.sum(1, keepdims=True)
        pull = share.copy()
        pull[chosen] -= 1.0
        slope = np.einsum("ij,ijk->k", pull, seen[:count]) / count
        value = -np.log(share[chosen]).mean() + 0.001 * weights @ weights
        return float(value), slope + 0.002 * weights

    found = minimize(loss, np.zeros(seen.shape[2]), jac=True, method="L-BFGS-B").x
    guesses = (seen[count:] @ found).argmax(1)
    return float((guesses == right[count:]).mean())


def accuracy_alone(learned: Sequence[Item], tried: Sequence[Item]) -> float:
    """How often it tells of a single option whether it is the right one; of every second item it is.

    It sees one option of each item and no other. Whoever compares options can do better where most of them are alike:
    the largest of six, of which five are equal, is the odd one in half of the items.
    """
    from scipy.optimize import minimize

    def option(number: int, item: Item) -> Part:
        others = [part for part in item.options if part != item.answer]
        return others[number // 2 % len(others)] if number % 2 else item.answer

    items = [*learned, *tried]
    seen = np.array([own_features(option(number, one)) for number, one in enumerate(items)])
    seen = (seen - seen.mean(0)) / (seen.std(0) + 1e-9)
    right = 1.0 - 2.0 * (np.arange(len(items)) % 2)
    count = len(learned)

    def loss(weights: Array) -> tuple[float, Array]:
        edge = right[:count] * (seen[:count] @ weights)
        pull = -right[:count] / (1.0 + np.exp(edge))
        value = np.logaddexp(0.0, -edge).mean() + 0.001 * weights @ weights
        return float(value), seen[:count].T @ pull / count + 0.002 * weights

    found = minimize(loss, np.zeros(seen.shape[1]), jac=True, method="L-BFGS-B").x
    return float((np.sign(seen[count:] @ found) == right[count:]).mean())
