"""Two subjects held against each other: what the difference is, how sure, and what it would take to be surer.

Where both met the same environments they are paired on them: what makes an environment easy or hard cancels, and
far fewer episodes tell the two apart. Else the two samples are independent and Welch's test takes over. In both
cases environments and runs are what was replicated (:mod:`mensura.statistics.clusters`); which of them is the unit is
one decision for a family of comparisons (:mod:`mensura.statistics.replication`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mensura.agent.errors import MensuraError
from mensura.core.account import FEWEST
from mensura.statistics.clusters import Design, Error, RunShare, design_of
from mensura.statistics.effect import scaled, small_sample_factor, standardized
from mensura.statistics.improvement import paired_improvement, unpaired_improvement
from mensura.statistics.interval import Estimate, finite
from mensura.statistics.multiple import corrected
from mensura.statistics.power import POWER, pairs_needed, scores_needed, smallest_difference
from mensura.statistics.quantiles import student_t_above
from mensura.statistics.replication import Evidence, Replication
from mensura.statistics.sample import Sample
from mensura.statistics.setting import Setting, differences

WIDEST = 2.0
"""The largest difference that scores from -1 to 1 can have."""

MOST_DIFFERENCES = 4
"""So many differences of settings are named."""

Verdict = Literal["higher", "lower", "open", "same", "unknown"]


@dataclass(frozen=True)
class Comparison:
    """One subject minus another, under one condition."""

    one: str
    two: str
    condition: str
    paired: bool
    """Whether their sittings were paired: those with the same number, which had the same draws."""
    n: tuple[int, int]
    """How many scores of each were used; of pairs, as many of both."""
    left_out: int
    """Scores of either that have no partner, and were not used."""
    unit: str
    """What was replicated: environments or runs."""
    units: int
    df: float
    """The degrees of freedom of the test."""
    difference: Estimate
    """The mean score of the first minus that of the second."""
    effect: Estimate
    """d_z of pairs, Hedges' g of independent samples."""
    improvement: Estimate
    """How likely the first does better; ties count half."""
    p: float
    """How likely equals would differ at least so much; nan where that cannot be told."""
    corrected: float
    """The same, corrected for the family of comparisons."""
    family: int
    """How many comparisons were corrected for."""
    correction: str
    more: int | None
    """How many more episodes of each would settle it, if the true difference is the observed one; 0 where it is
    settled, None where no number would, or none can be told."""
    smallest: float
    """The difference that an experiment of this size, in this family, finds with a probability of 80%; inf where the
    scale has none so large, nan where nobody knows."""
    widest: float = math.inf
    """The largest difference that the scale allows; inf where it has no ends."""
    repetitions: int = 1
    """How many repetitions the experiment had."""
    repetitions_tell: bool = True
    """Whether the family of comparisons tells how far repetitions differ; also where there are none."""
    differs: tuple[str, ...] = ()
    """In what the two differ beside the subject, where they were compared all the same: the world, the assessment."""
    setting: Setting | None = None
    """What the scores were made under; None where nobody says."""

    @property
    def too_few_runs(self) -> bool:
        """Whether runs are the unit, and too few to tell any error."""
        return self.unit == "run" and self.units > 1 and math.isnan(self.p)

    @property
    def more_runs(self) -> int | None:
        """How many more repetitions would settle it, where these are the unit; None where no number is known."""
        if self.unit != "run" or self.more is None:
            return None
        return math.ceil(self.more * self.units / min(self.n))

    @property
    def verdict(self) -> Verdict:
        """What can be concluded at the level of the interval."""
        if math.isnan(self.p):
            return "unknown"
        if self.difference.value == 0.0 and self.difference.standard_error == 0.0:
            return "same"
        if min(self.n) < FEWEST:
            return "unknown"
        if self.corrected <= 1.0 - self.difference.level:
            return "higher" if self.difference.value > 0.0 else "lower"
        return "open"

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        return {
            "one": self.one,
            "two": self.two,
            "condition": self.condition,
            "paired": self.paired,
            "n_one": self.n[0],
            "n_two": self.n[1],
            "left_out": self.left_out,
            "unit": self.unit,
            "units": self.units,
            **_ends("difference", self.difference),
            "level": self.difference.level,
            "effect_size": "d_z" if self.paired else "hedges_g",
            **_ends("effect", self.effect),
            **_ends("improvement", self.improvement),
            "p": self.p,
            "corrected_p": self.corrected,
            "correction": self.correction,
            "family": self.family,
            "verdict": self.verdict,
            "more_episodes": self.more,
            "smallest_difference": self.smallest,
            "differs": list(self.differs),
        }


def _ends(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def compare(one: Sample, two: Sample, level: float = 0.95) -> Comparison:
    """The first sample minus the second, as a family of one comparison."""
    prepared = _Prepared.of(one, two)
    return prepared.compared(_replication([prepared]), level)


def compare_all(
    pairs: Sequence[tuple[Sample, Sample]],
    level: float = 0.95,
    correction: str = "holm",
    anyway: bool = False,
) -> list[Comparison]:
    """All pairs of samples as one family, their probabilities corrected together.

    Scores that were made under different settings are refused, since their difference says nothing of the subjects;
    ``anyway`` compares them, and every such comparison says in what they differ.
    """
    found = [differences(one.setting, two.setting) for one, two in pairs]
    if not anyway:
        for (one, two), differs in zip(pairs, found, strict=True):
            if differs:
                raise MensuraError(_refusal(one, two, differs))
    prepared = [_Prepared.of(one, two) for one, two in pairs]
    replication = _replication(prepared)
    alone = [
        replace(
            one.compared(replication, level),
            differs=differs,
            repetitions=replication.repetitions,
            repetitions_tell=replication.estimable,
        )
        for one, differs in zip(prepared, found, strict=True)
    ]
    raised = corrected([one.p for one in alone], correction).tolist()
    counted = sum(not math.isnan(one.p) for one in alone)
    # The first of Holm's steps is the strictest: who passes that passes in any company.
    strict = 1 - (1 - level) / max(1, counted) if correction != "none" else level
    return [
        _settled(replace(one, corrected=p, family=counted, correction=correction), strict)
        for one, p in zip(alone, raised, strict=True)
    ]


def _refusal(one: Sample, two: Sample, differs: Sequence[str]) -> str:
    shown = ", ".join(differs[:MOST_DIFFERENCES])
    more = len(differs) - MOST_DIFFERENCES
    return (
        f"{one.label} and {two.label} cannot be compared, since more than the subject differs: {shown}"
        f"{f' and {more} more' if more > 0 else ''}. To compare them all the same, with every line marked, say so: "
        "--anyway, or anyway=true in the address of a page and in Python."
    )


def pairs_within(samples: Sequence[Sample]) -> list[tuple[Sample, Sample]]:
    """All pairs of subjects under the same condition, in the order of the samples."""
    conditions = dict.fromkeys(sample.condition for sample in samples)
    return [
        pair
        for condition in conditions
        for pair in combinations([s for s in samples if s.condition == condition], 2)
    ]


def pairs_between(first: Sequence[Sample], second: Sequence[Sample]) -> list[tuple[Sample, Sample]]:
    """The samples of two runs that belong together: the same subject under the same condition.

    Where no subject is in both and each has a single one, those two are compared. Likewise where no condition is
    in both and each has a single one.
    """
    if len({s.condition for s in first}) == len({s.condition for s in second}) == 1:
        second = [replace(sample, condition=first[0].condition) for sample in second]
    names = [{sample.label for sample in samples} for samples in (first, second)]
    alone = not names[0] & names[1] and len(names[0]) == len(names[1]) == 1
    found = {(s.condition, "" if alone else s.label): s for s in second}
    return [
        (sample, found[place])
        for sample in first
        if (place := (sample.condition, "" if alone else sample.label)) in found
    ]


Places = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


@dataclass(frozen=True)
class _Means:
    """The mean score of each environment and run of a sample, in rising order."""

    environment: npt.NDArray[np.uint64]
    run: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]

    @staticmethod
    def of(sample: Sample) -> "_Means":
        order = np.lexsort((sample.run, sample.environment))
        environment, run = sample.environment[order], sample.run[order]
        new = np.ones(len(order), bool)
        new[1:] = (environment[1:] != environment[:-1]) | (run[1:] != run[:-1])
        starts = np.flatnonzero(new)
        counts = np.diff(starts, append=len(order))
        means = np.add.reduceat(finite(sample.score)[order], starts) / counts
        return _Means(environment[starts], run[starts], means)


def _partners(one: Sample, two: Sample) -> tuple[_Means, _Means, Places] | None:
    """The means of both by environment and run, and where partners stand; None where too few have one.

    Samples are paired where half of the smaller one at least finds its partner. What has none is left out.
    """
    a, b = _Means.of(one), _Means.of(two)
    _, runs = np.unique(np.concatenate([a.run, b.run]), return_inverse=True)
    _, environments = np.unique(np.concatenate([a.environment, b.environment]), return_inverse=True)
    cells = environments * (int(runs.max()) + 1) + runs
    at = len(a.run)
    _, left, right = np.intersect1d(cells[:at], cells[at:], assume_unique=True, return_indices=True)
    if 2 * len(left) < min(len(a.run), len(b.run)):
        return None
    return a, b, (left, right)


@dataclass(frozen=True)
class _Pairs:
    """The differences of two samples, environment by environment, and how many scores have no partner."""

    gaps: npt.NDArray[np.float64]
    design: Design
    left_out: int

    @staticmethod
    def of(a: _Means, b: _Means, places: Places) -> "_Pairs":
        left, right = places
        gaps = a.score[left] - b.score[right]
        design = Design.of(a.environment[left], a.run[left])
        return _Pairs(gaps, design, len(a.score) + len(b.score) - 2 * len(gaps))


@dataclass(frozen=True)
class _Prepared:
    """Two samples with the clusters of what is compared, before anybody has chosen the unit."""

    one: Sample
    two: Sample
    designs: tuple[Design, Design]
    pairs: _Pairs | None
    """None where they are compared as independent samples."""

    @staticmethod
    def of(one: Sample, two: Sample) -> "_Prepared":
        partners = _partners(one, two)
        pairs = None if partners is None else _Pairs.of(*partners)
        return _Prepared(one, two, (design_of(one), design_of(two)), pairs)

    @property
    def name(self) -> tuple[str, str]:
        return self.one.label, self.two.label

    def compared(self, replication: Replication, level: float) -> Comparison:
        if self.pairs is not None:
            return _paired(self.one, self.two, self.pairs, replication.of(self.name), level)
        shares = replication.of(self.one.label), replication.of(self.two.label)
        return _unpaired(self.one, self.two, self.designs, shares, level)


def _replication(prepared: Sequence[_Prepared]) -> Replication:
    """What a family of comparisons takes as replicated, from all its scores and differences together."""
    evidence = Evidence()
    for sample, design in _samples(prepared):
        evidence.add(sample.label, sample.condition, design, sample.score)
    for one in prepared:
        if one.pairs is not None:
            evidence.add(one.name, one.one.condition, one.pairs.design, one.pairs.gaps)
    return evidence.decide()


def _samples(prepared: Sequence[_Prepared]) -> Iterator[tuple[Sample, Design]]:
    """Every sample once, with its clusters."""
    seen = set()
    for one in prepared:
        for sample, design in zip((one.one, one.two), one.designs, strict=True):
            if id(sample) not in seen:
                seen.add(id(sample))
                yield sample, design


def _paired(one: Sample, two: Sample, pairs: _Pairs, share: RunShare, level: float) -> Comparison:
    gaps, design = pairs.gaps, pairs.design
    error = design.error_of_mean(gaps, share)
    n = len(gaps)
    difference = _bounded(error.around(float(gaps.mean()), n, level), one, two)
    deviation = float(gaps.std(ddof=1)) if n > 1 else math.nan
    return Comparison(
        one=one.label,
        two=two.label,
        condition=one.condition,
        paired=True,
        n=(n, n),
        left_out=pairs.left_out,
        unit=error.unit,
        units=error.units,
        difference=difference,
        effect=standardized(
            difference.value, deviation, difference.standard_error, error.df, n, level
        ),
        improvement=paired_improvement(gaps, design, level, share),
        setting=one.setting,
        **_alone(difference, error, level, _widest(one, two)),
    )


def _unpaired(
    one: Sample,
    two: Sample,
    designs: tuple[Design, Design],
    shares: tuple[RunShare, RunShare],
    level: float,
) -> Comparison:
    a, b = finite(one.score), finite(two.score)
    errors = designs[0].error_of_mean(a, shares[0]), designs[1].error_of_mean(b, shares[1])
    error = errors[0] + errors[1]
    n = a.size + b.size
    difference = _bounded(error.around(float(a.mean() - b.mean()), n, level), one, two)
    known = min(a.size, b.size) > 1
    deviation = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2) if known else math.nan
    effect = standardized(
        difference.value, deviation, difference.standard_error, error.df, n, level
    )
    unit = min(errors, key=lambda part: part.units)
    return Comparison(
        one=one.label,
        two=two.label,
        condition=one.condition,
        paired=False,
        n=(a.size, b.size),
        left_out=0,
        unit=unit.unit,
        units=unit.units,
        difference=difference,
        effect=scaled(effect, small_sample_factor(error.df)) if known else effect,
        improvement=unpaired_improvement(a, b, designs, level, shares),
        setting=one.setting,
        **_alone(difference, error, level, _widest(one, two)),
    )


def _bounded(difference: Estimate, one: Sample, two: Sample) -> Estimate:
    """A difference of scores from -1 to 1, whose interval ends at -2 and 2; of other scores, as it is."""
    widest = _widest(one, two)
    return difference.within(-widest, widest) if math.isfinite(widest) else difference


def _widest(one: Sample, two: Sample) -> float:
    """The largest difference that there can be: that of scores from -1 to 1; inf where some are beyond."""
    inside = all(np.abs(sample.score).max(initial=0.0) <= 1.0 for sample in (one, two))
    return WIDEST if inside else math.inf


def _on_scale(smallest: float, widest: float) -> float:
    """The smallest difference that is found; inf where it is wider than the scale."""
    return math.inf if smallest > widest else smallest


def _alone(difference: Estimate, error: Error, level: float, widest: float) -> dict[str, Any]:
    """What is known of a comparison before there is a family."""
    p = _probability(difference, error)
    return {
        "df": error.df,
        "p": p,
        "corrected": p,
        "family": 1,
        "correction": "none",
        "more": None,
        "smallest": _on_scale(
            smallest_difference(difference.standard_error, error.df, level), widest
        ),
        "widest": widest,
    }


def _probability(difference: Estimate, error: Error) -> float:
    """The two-sided p value of Student's test that there is no difference."""
    if not math.isfinite(difference.standard_error):
        return math.nan
    if difference.standard_error == 0.0:
        return 1.0 if difference.value == 0.0 else 0.0
    return min(
        1.0, 2 * student_t_above(abs(difference.value) / difference.standard_error, error.df)
    )


def _settled(comparison: Comparison, level: float) -> Comparison:
    """With what can be found, and what more it would take, at the level that the family asks for."""
    error = comparison.difference.standard_error
    smallest = _on_scale(smallest_difference(error, comparison.df, level), comparison.widest)
    comparison = replace(comparison, smallest=smallest)
    if comparison.verdict != "open":
        return replace(comparison, more=0 if comparison.verdict in ("higher", "lower") else None)
    units, difference = comparison.units, comparison.difference
    # The difference over the standard deviation of one unit, or of the mean of one unit of each.
    effect = difference.value / (difference.standard_error * math.sqrt(units))
    if comparison.paired:
        needed = pairs_needed(effect, level, POWER)
    else:
        needed = scores_needed(effect * math.sqrt(2.0), level, POWER)
    if needed is None:
        return replace(comparison, more=None)
    each = min(comparison.n) / units
    return replace(comparison, more=max(1, math.ceil((needed - units) * each)))
