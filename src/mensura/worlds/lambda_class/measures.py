"""The complexities of Lambda's environments by name: of texts, of descriptions, and of descriptions and their work."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.complexity.compression import zlib_length
from mensura.complexity.lempel_ziv import lempel_ziv_76
from mensura.core.contract import Measure
from mensura.worlds.lambda_class.behaviors import Markov, Pattern
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.description_length import description_length, pattern_bits
from mensura.worlds.lambda_class.sampling import OF_PATTERN, pattern_complexity
from mensura.worlds.lambda_class.sieves import random_episodes
from mensura.worlds.lambda_class.space import thesis_text
from mensura.worlds.lambda_class.switches import Switches

SEQUENCES = 16
"""So many sequences of random actions are tried for the hardest response, where work depends on actions."""

MOST_PLAYED = 100_000
"""Up to so many interactions are played to find the work of an episode; that of a longer one is in proportion."""

_PATTERN_ONLY = "of the pattern alone: the space does not count"
_NO_SPACE = "; the space does not count"
_PROGRAM = "; of a program its text, as it is written"

MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure(
            "zlib_space_pattern",
            "length of space and pattern compressed together, times the length of the pattern (chapter 5 of "
            "Insa-Cabrera's thesis)" + _PROGRAM,
        ),
        Measure(
            "zlib_pattern",
            "length of the compressed pattern (chapter 6 of Insa-Cabrera's thesis)"
            + _NO_SPACE
            + _PROGRAM,
            "bytes",
            _PATTERN_ONLY,
        ),
        Measure(
            "lempel_ziv",
            "Lempel-Ziv 76 complexity of the pattern" + _NO_SPACE + _PROGRAM,
            scope=_PATTERN_ONLY,
        ),
        Measure(
            "description_length",
            "length of the description of space and behaviors in one prefix code (3.6.6)",
            "bits",
        ),
        Measure(
            "kt",
            "Levin's Kt (2.1.4): the description length, and log2 of the work of an episode with a random subject",
            "bits",
        ),
        Measure(
            "kt_max",
            "Kt max (definition 3.4.1): the description length, and log2 of the work of the hardest response in an "
            f"episode; where work depends on actions, of {SEQUENCES} sequences of random actions, so a lower bound",
            "bits",
        ),
    )
}
"""In the order in which they are listed; the first is the one that is meant where none is named."""


def complexity(d: Description, measure: str) -> float:
    """A complexity of an environment, by its name in `MEASURES`."""
    if measure in OF_PATTERN:
        return _of_text(d, measure)
    length = description_length(d)
    if measure == "description_length":
        return length
    total, hardest = work(d)
    return length + math.log2(total if measure == "kt" else hardest)


def _of_text(d: Description, measure: str) -> float:
    behavior = d.good_and_evil
    if isinstance(behavior, Pattern):
        return pattern_complexity(d.space.shifts, np.array(behavior.moves, np.int64), measure)
    if not isinstance(behavior, Markov):
        raise MensuraError(
            f"The complexity {measure} is that of a pattern or a program, and Good and Evil follow none here."
        )
    symbols = behavior.program.symbols()
    if measure == "lempel_ziv":
        return lempel_ziv_76(symbols)
    written = "".join(symbols)
    if measure == "zlib_pattern":
        return zlib_length(written)
    return zlib_length(thesis_text(d.space.shifts) + written) * max(len(symbols), 1)


def work(d: Description) -> tuple[float, int]:
    """The work of an episode with a random subject of a fixed key, and that of the hardest response found.

    For what counts as work see `begin` of the kernel. Where it is the same whatever anybody does, nothing is played.
    """
    hardest = _constant_work(d)
    if hardest is not None and d.moves != "geometric":
        return float(hardest) * d.horizon, hardest
    played = _shortened(d)
    _, found = random_episodes(played, SEQUENCES)
    total = float(found[0, 0]) * d.horizon / played.horizon
    return total, hardest if hardest is not None else int(found[:, 1].max())


def _shortened(d: Description) -> Description:
    return d if d.horizon <= MOST_PLAYED else replace(d, horizon=MOST_PLAYED)


def _constant_work(d: Description) -> int | None:
    """The work of the hardest response where no action can change it."""
    behavior = d.good_and_evil
    if any(isinstance(b, Markov) for b in (behavior, *d.objects)):
        return None
    length = len(behavior.moves) if isinstance(behavior, Pattern) else 0
    return hardest_response(d, length, len(d.objects))


def hardest_response(switches: Switches, length: int, objects: int) -> int | None:
    """The work of the hardest response where nobody has a program and Good and Evil have a pattern of so many moves.

    None where it depends on the cells how many moves they make.
    """
    if switches.moves == "allowed":
        return None
    moves = {
        "fixed": switches.least_moves,
        "geometric": switches.most_moves,
        "pattern": length,
    }[switches.moves]
    return 2 * (1 + moves) + 2 * objects


def may_fit(
    switches: Switches,
    sizes: tuple[int, int],
    lengths: Sequence[int],
    within: tuple[str, float, float],
) -> bool:
    """Whether an environment of patterns with so many moves each may have such a complexity in bits, at a glance.

    `sizes` are the numbers of cells and actions. What may fit is to be measured; what may not does not.
    """
    measure, low, high = within
    bits = pattern_bits(*sizes, lengths)
    if measure != "description_length":
        hardest = hardest_response(switches, lengths[0], len(lengths) - 1)
        if hardest is None or switches.moves == "geometric":
            return bits <= high + 1
        bits += math.log2(hardest * (switches.horizon if measure == "kt" else 1))
    return low - 1 <= bits <= high + 1
