"""The prior over steps of complexity: 2^-complexity, as Solomonoff (1964) weighs programs by their length."""

from __future__ import annotations

from collections.abc import Sequence


def masses(levels: Sequence[int]) -> list[float]:
    """The mass of each of these levels of complexity: that of level k is 2^-k, all together have 1.

    It is the level that has the weight, all of its environments together: lengths in bits are no prefix code and
    environments of one length are many, so single weights would diverge.
    """
    weights = [2.0 ** (min(levels) - level) for level in levels]
    return [weight / sum(weights) for weight in weights]
