"""What is claimed of scores, held against them: does it hold, does it not, or is the error too large to say?

A claim has parts, the findings, each with an estimate, its 95% interval and a probability. All parts of a claim are
one family: their probabilities are corrected together (Holm, 1979), so that a claim of a hundred parts that is true is
refused by chance no more often than a claim of one. Of a claim that could be tried three things can be said:

- "holds": every part was shown at the level of 5%, corrected.
- "does not hold": some part was refuted at that level.
- "holds within error": nothing was refuted, but not everything was shown.

What is shown depends on what is wanted. A difference or a correlation that should be above 0 is shown or refuted by its
sign, once chance is ruled out. That something equals 0 can only be refuted, unless a margin is given: then it is
shown that it lies within (two one-sided tests; Schuirmann, 1987).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mensura.statistics import correlation
from mensura.statistics.compare import compare
from mensura.statistics.interval import Estimate, mean_estimate
from mensura.statistics.moments import Grouped, Moments, rounded
from mensura.statistics.multiple import corrected
from mensura.statistics.quantiles import normal, student_t_above
from mensura.statistics.sample import Sample

Floats = npt.NDArray[np.float64]
Word = Literal["holds", "holds within error", "does not hold"]
Verdict = Literal["holds", "holds within error", "does not hold", "not tried"]

LEVEL = 0.95
MOST_GROUPS = 20
"""So many groups of complexity a claim about every complexity is tried in, each with about as many sittings."""
LEAST_BLOCKS = 30
"""So many blocks it takes to see how far their means scatter."""


@dataclass(frozen=True)
class Finding:
    """One part of a claim."""

    of: str
    """Whom and what it is about."""
    estimate: Estimate
    p: float
    """How likely so much would be found if the opposite held, or, of what can only be refuted, if the claim held."""
    corrected: float
    """The same, corrected for all parts of the claim."""
    verdict: Word
    also: Mapping[str, Estimate] = field(default_factory=dict)
    """Other measures of the same thing, which the verdict does not rest on."""

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "of": self.of,
            **_ends(self.estimate),
            "p": self.p,
            "corrected_p": self.corrected,
            "verdict": self.verdict,
            "also": {name: _ends(one) for name, one in self.also.items()},
        }


@dataclass(frozen=True)
class Claim:
    """A claim with what was found."""

    title: str
    text: str
    findings: tuple[Finding, ...]
    what: str
    """What the estimates are: "score", "difference", "correlation of ranks", "exponent"."""
    curves: Mapping[str, Sequence[tuple[float, Estimate]]] = field(default_factory=dict)
    """Along a parameter: where, and how much, by name."""
    axis: str = ""
    """The parameter."""
    height: str = ""
    """What the curves show."""
    left_out: tuple[str, ...] = ()
    """Subjects that it is about and that have no valid score, so that it was not tried on them."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on all parts together."""
        found = {one.verdict for one in self.findings}
        if not found:
            return "not tried"
        if "does not hold" in found:
            return "does not hold"
        return "holds" if found == {"holds"} and not self.left_out else "holds within error"

    @property
    def count(self) -> dict[Word, int]:
        """How many parts have which verdict."""
        words: tuple[Word, ...] = ("holds", "holds within error", "does not hold")
        return {word: sum(one.verdict == word for one in self.findings) for word in words}

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "claim": self.title,
            "text": self.text,
            "verdict": self.verdict,
            "what": self.what,
            "findings": [one.to_json() for one in self.findings],
            "left_out": list(self.left_out),
        }


def _ends(one: Estimate) -> dict[str, float]:
    return {"value": one.value, "low": one.low, "high": one.high}


# From estimates to verdicts ------------------------------------------------------

Tests: TypeAlias = Sequence[tuple[float, float]]
"""For each part the p-value, alone and corrected for the others."""


@dataclass(frozen=True)
class Part:
    """What was measured for a part of a claim, before it is judged beside the others."""

    of: str
    estimate: Estimate
    df: float = math.inf
    p: float | None = None
    """Where it is not that of Student's test; two-sided, against 0."""
    also: Mapping[str, Estimate] = field(default_factory=dict)


def above(parts: Sequence[Part], sign: int = 1) -> tuple[Finding, ...]:
    """Each should be above 0, or below where the sign is -1."""
    raised = _corrected([_against(part, 0.0) for part in parts])
    return tuple(
        Finding(part.of, part.estimate, p, q, _above(sign * part.estimate.value, q), part.also)
        for part, (p, q) in zip(parts, raised, strict=True)
    )


def _above(value: float, p: float) -> Word:
    if math.isnan(p) or p > 1 - LEVEL:
        return "holds within error"
    return "holds" if value > 0.0 else "does not hold"


def equal(
    parts: Sequence[Part], to: float = 0.0, within: float | None = None
) -> tuple[Finding, ...]:
    """Each should equal a number; shown where a margin is given and it lies within that of the number."""
    refuted = _corrected([_against(part, to) for part in parts])
    shown = _corrected(
        [math.nan if within is None else _outside(part, to, within) for part in parts]
    )
    return _findings(parts, refuted, refuted, shown)


def near(parts: Sequence[Part], within: float) -> tuple[Finding, ...]:
    """Each should lie within a margin of 0: shown where it surely does, refuted where it surely lies outside."""
    shown = _corrected([_outside(part, 0.0, within) for part in parts])
    refuted = _corrected([_inside(part, within) for part in parts])
    return _findings(parts, shown, refuted, shown)


def _findings(
    parts: Sequence[Part], told: Tests, refuted: Tests, shown: Tests
) -> tuple[Finding, ...]:
    """Each part with the test that is told of it, and its verdict: refuted, shown, or neither.

    A margin leaves no room for both.
    """
    found = []
    for part, (p, q), (_, against), (_, for_it) in zip(parts, told, refuted, shown, strict=True):
        verdict: Word = "holds within error"
        if against <= 1 - LEVEL:
            verdict = "does not hold"
        elif for_it <= 1 - LEVEL:
            verdict = "holds"
        found.append(Finding(part.of, part.estimate, p, q, verdict, part.also))
    return tuple(found)


def _corrected(p: Sequence[float]) -> list[tuple[float, float]]:
    raised = corrected(p).tolist() if len(p) else []
    return list(zip(p, raised, strict=True))


def _against(part: Part, to: float) -> float:
    """The two-sided probability of an estimate as far off, if the truth were `to`."""
    if part.p is not None:
        return part.p
    return min(1.0, 2 * _tail(abs(part.estimate.value - to), part))


def _outside(part: Part, to: float, within: float) -> float:
    """The probability of an estimate as near, if the truth were at the margin or beyond."""
    return _tail(within - abs(part.estimate.value - to), part)


def _inside(part: Part, within: float) -> float:
    """The probability of an estimate as far off, if the truth were within the margin."""
    return _tail(abs(part.estimate.value) - within, part)


def _tail(distance: float, part: Part) -> float:
    error = part.estimate.standard_error
    if not math.isfinite(error) or not part.df > 0:
        return math.nan
    if error == 0.0:
        return 0.0 if distance > 0.0 else 0.5 if distance == 0.0 else 1.0
    return student_t_above(distance / error, part.df)


# Random subjects score 0 ---------------------------------------------------------


def zeros(
    samples: Iterable[tuple[str, Sample]], by_complexity: bool, within: float | None
) -> tuple[Finding, ...]:
    """Means that should be 0, of whole samples or of each complexity; one name and sample each."""
    parts: list[Part] = []
    for name, sample in samples:
        if not by_complexity:
            parts.append(_mean(name, Moments.of(sample.score)))
            continue
        known = np.isfinite(sample.complexity)
        at = rounded(sample.complexity[known])
        groups = Grouped().add(at, sample.score[known]).coarser(MOST_GROUPS)
        parts += [
            _mean(f"{name}, complexity {level:.3g}", moments)
            for level, moments in groups.groups.items()
            if moments.count > 1
        ]
    return equal(parts, within=within)


def _mean(name: str, moments: Moments) -> Part:
    return Part(name, moments.estimate(LEVEL), moments.count - 1)


# Some score higher than others ---------------------------------------------------


def differences(pairs: Iterable[tuple[str, Sample, Sample]]) -> list[Part]:
    """The second sample minus the first, in pairs where both met the same environments."""
    parts = []
    for name, low, high in pairs:
        found = compare(high, low, LEVEL)
        parts.append(Part(name, found.difference, found.df))
    return parts


def of_complexity(sample: Sample) -> Sample:
    """The complexities of a sample's environments in the place of its scores."""
    return replace(sample, score=sample.complexity)


# Scores of the same subjects agree ------------------------------------------------


def agreement(name: str, one: Sequence[float], two: Sequence[float]) -> Part:
    """How two rows of numbers of the same things agree: the verdict goes by ranks."""
    ranks = correlation.spearman(one, two, LEVEL)
    return Part(
        name,
        ranks,
        p=correlation.probability(ranks),
        also={
            "Pearson": correlation.pearson(one, two, LEVEL),
            "Kendall": correlation.kendall(one, two, LEVEL),
        },
    )


# The error falls -------------------------------------------------------------------


def spread(values: Floats, level: float = LEVEL) -> Estimate:
    """The standard deviation of n values, with an interval by the jackknife of its logarithm.

    The jackknife asks nothing of the shape of the distribution. The standard error is that of the logarithm.
    """
    n = len(values)
    if n < 3:
        value = float(values.std(ddof=1)) if n == 2 else math.nan
        return Estimate(value, 0.0, math.inf, level, n, math.nan)
    gaps = np.square(values - values.mean())
    total = float(gaps.sum())
    # The variance without value i, about the mean of the others.
    left = np.maximum(total - gaps * n / (n - 1), 0.0) / (n - 2)
    if total == 0.0 or not left.all():
        value = math.sqrt(total / (n - 1))
        return Estimate(value, 0.0, math.inf, level, n, math.nan)
    logs = 0.5 * np.log(left)
    error = math.sqrt((n - 1) / n * float(np.square(logs - logs.mean()).sum()))
    value, reach = math.sqrt(total / (n - 1)), math.exp(normal((1 + level) / 2) * error)
    return Estimate(value, value / reach, value * reach, level, n, error)


def power_law(name: str, points: Sequence[tuple[float, Estimate]]) -> Part:
    """The exponent b of error = a x^b, by least squares of logarithms, each point weighed by its error.

    Points whose error is not known are left out; two at least are needed.
    """
    known = [
        (math.log(x), math.log(one.value), 1.0 / one.standard_error**2)
        for x, one in points
        if math.isfinite(one.standard_error) and one.standard_error > 0.0 and one.value > 0.0
    ]
    n = sum(one.n for _, one in points)
    if len({x for x, _, _ in known}) < 2:
        return Part(name, Estimate(math.nan, -math.inf, math.inf, LEVEL, n, math.nan), 0.0)
    x, y, w = (np.array(column) for column in zip(*known, strict=True))
    dx = x - (w @ x) / w.sum()
    size = float(w @ (dx * dx))
    slope, error = float(w @ (dx * y)) / size, 1.0 / math.sqrt(size)
    reach = normal((1 + LEVEL) / 2) * error
    return Part(name, Estimate(slope, slope - reach, slope + reach, LEVEL, n, error), math.inf)


def errors_of_blocks(scores: Floats) -> list[tuple[float, Estimate]]:
    """How far means of so many sittings scatter: sizes 1, 4, 16 and so on, each from sittings of its own.

    Sittings are dealt to sizes in equal parts, so that the errors at different sizes are independent.
    """
    sizes = [4**k for k in range(16)]
    most = max(
        (k for k in range(1, 17) if len(scores) // k >= LEAST_BLOCKS * sizes[k - 1]), default=1
    )
    each = len(scores) // most
    points = []
    for k in range(most):
        own = scores[k * each : (k + 1) * each]
        blocks = own[: each // sizes[k] * sizes[k]].reshape(-1, sizes[k]).mean(axis=1)
        points.append((float(sizes[k]), spread(blocks)))
    return points


def mean_of(sample: Sample) -> Estimate:
    """The score of a sample with Student's interval over its sittings."""
    moments = Moments.of(sample.score)
    return mean_estimate(moments.mean, moments.variance, moments.count, LEVEL)
