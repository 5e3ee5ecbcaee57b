"""What is said of a profile: a paragraph in plain words, a table at a glance, and plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from mensura.reports.number_words import interval, listed, number, percent, signed, some
from mensura.reports.robustness_words import breaking_point
from mensura.reports.robustness_words import plain as plain_breakdown
from mensura.reports.understanding_words import plain as plain_understanding
from mensura.reports.understanding_words import value_of
from mensura.statistics.interval import Estimate, difference
from mensura.statistics.performance import probability_above
from mensura.statistics.strengths import Point, Trust, strongest, weakest
from mensura.statistics.subject_profile import (
    LARGE,
    SubjectProfile,
    forgotten,
    shared_budget,
)

UNMEASURED = "not measured"
UNDEFINED = "undefined"

GLOSSARY = (
    (
        "performance",
        "P = w_a a + w_t (2 tau - 1) + w_e (2 eps - 1) of an episode, in [-1, 1]: a is the mean reward, tau and eps "
        "the least time and energy of all who solved the environment by those that were used, 0 of an unsolved "
        "episode. Accuracy alone counts where nobody says otherwise.",
    ),
    (
        "P*",
        "(P - P of acting at random) / (P of the best reference - P of acting at random), not clipped; undefined where "
        "the best reference is not surely above acting at random.",
    ),
    (
        "point",
        "Something that a subject does, against something that it is compared with. The probability is that it is "
        "better, by Student's t about the estimate.",
    ),
    (
        "generalization",
        "Performance in Y after training in X against the distance of the two: complexities and parameters, each "
        "divided by its spread over the family, and summed. The curve is the falling one that is nearest.",
    ),
    (
        "cost of an action",
        "V*(s) - Q*(s, a): by how much less reward is to be expected until the end of the episode than from the best "
        "action, for who knows the environment.",
    ),
    (
        "trust",
        "A straight line in the properties of tasks, fitted on half of them, tells the performance in the other half.",
    ),
    (
        "did not try",
        "Not surely above acting at random in tasks that everybody who tries solves: those in which the weakest "
        "reference does best.",
    ),
)  # fmt: skip


def shown(one: Estimate | None) -> str:
    """An estimate with its interval; "undefined" where there is none."""
    return UNDEFINED if one is None else f"{signed(one.value)} {interval(one.low, one.high)}"


def likely(probability: float) -> str:
    """A probability, which is never claimed to be 0 or 1."""
    if math.isnan(probability):
        return "unknown"
    if probability > 0.999:
        return "over 0.999"
    if probability < 0.001:
        return "under 0.001"
    return number(probability, 3 if min(probability, 1 - probability) < 0.01 else 2)


def point_words(one: Point) -> str:
    """A point as a clause, with the probability of what it says."""
    above = one.probability >= 0.5
    side = "better" if above else "worse"
    sure = one.probability if above else 1.0 - one.probability
    return (
        f"{one.name}, {side} than {one.against} by {number(abs(one.estimate.value), 3)} "
        f"(probability {likely(sure)})"
    )


def summary(one: SubjectProfile) -> Iterator[str]:
    """The paragraph: strong and weak points, whether it tried, whether it is good enough."""
    best, worst = strongest(one.points), weakest(one.points)
    if one.motivation is not None and not one.motivation.tried:
        yield (
            f"{one.subject} did not try: in {some(one.motivation.tasks, 'task')} that everybody who tries solves it is "
            f"not surely above acting at random ({shown(one.motivation.advantage)}). All else is to be read with that "
            "in mind."
        )
    yield (
        f"The strongest points of {one.subject}: {'; '.join(map(point_words, best))}."
        if best
        else f"Nothing of {one.subject} is likely better than what it was compared with."
    )
    yield (
        f"Its weakest points: {'; '.join(map(point_words, worst))}."
        if worst
        else f"Nothing of {one.subject} is likely worse than what it was compared with."
    )
    if best or worst:
        yield (
            f"These are chosen from {some(len(one.points), 'point')}, and each probability is that of its point alone; "
            "some points overlap, so that one finding may stand there twice."
        )
    yield good_enough(one)


def good_enough(one: SubjectProfile) -> str:
    """The first report: performance against a wanted level."""
    wanted = one.wanted
    how = (
        "that is wanted"
        if wanted.is_given
        else "halfway from acting at random to the best reference"
    )
    return (
        f"Its performance is {shown(wanted.score)}; that it is above {signed(wanted.level)}, the level {how}, has the "
        f"probability {likely(wanted.probability)}."
    )


def trust_words(found: Trust | None, subject: str) -> list[str]:
    """The third report: whether a model of performance tells held-out tasks."""
    if found is None:
        return [
            f"Whether performance of {subject} can be told from properties of tasks is {UNMEASURED}: the tasks are too "
            "few, or no property differs between them."
        ]
    better = "less than" if found.error < found.error_of_mean else "no less than"
    said = [
        f"Fitted on {some(found.fitted, 'task')} by {listed(list(found.properties))}, a straight line tells the "
        f"performance of {subject} in {found.held_out} others with an error of {number(found.error, 3)}, {better} that "
        f"of the mean, {number(found.error_of_mean, 3)}; {percent(found.coverage)} of them are in their 90% interval.",
        f"So the profile {'can' if found.is_trusted else 'cannot'} be trusted to tell tasks that were not measured.",
    ]
    cases = [f"task {task + 1} ({signed(p)}, told {signed(told)})" for task, p, told in found.worst]
    return [*said, f"Told worst: {listed(cases)}."]


def behavior_words(one: SubjectProfile) -> list[str]:
    """What actions cost."""
    found = one.behavior
    if found is None:
        return []
    exact = found.kind == "optimum"
    episodes = some(len(found.costs), "episode")
    if exact:
        said = [
            f"Of {one.subject}'s actions in {episodes}, {percent(found.best_share.value)} are as good as any; an "
            f"action costs {shown(found.mean_cost)} of the rewards to be had."
        ]
    else:
        said = [
            f"{one.subject}'s actions in {episodes} are {shown(found.mean_cost)} away from the quickest schedule that "
            "is known, as a share of all powers that can be asked for. Another way may be as good, so this is no cost."
        ]
    if found.first is None:
        said.append(f"No action {'cost' if exact else 'was away by'} {LARGE:g} or more.")
    else:
        said.append(
            f"The first large deviation is interaction {found.first.interaction + 1} of episode "
            f"{found.first.environment}, {'which costs' if exact else 'away by'} {number(found.first.cost, 2)}."
        )
    return said


def missing_words(one: SubjectProfile) -> list[str]:
    """What was not measured, and why."""
    return [f"{one.subject}, {part}: {UNMEASURED}. {why}" for part, why in one.missing.items()]


def compared(profiles: Sequence[SubjectProfile]) -> Iterator[str]:
    """Two subjects side by side, in the same environments."""
    if len(profiles) != 2:
        return
    one, two = profiles
    gap = difference(one.performance.own, two.performance.own, paired=True)
    above = probability_above(gap, 0.0)
    sure = above if gap.value >= 0.0 else 1.0 - above
    side = "above" if gap.value >= 0.0 else "below"
    yield (
        f"In the same environments the performance of {one.subject} is {side} that of {two.subject} by "
        f"{number(abs(gap.value), 3)} {interval(gap.low, gap.high)} (probability {likely(sure)})."
    )


def glance(
    profiles: Sequence[SubjectProfile], world: str
) -> tuple[str, list[tuple[str, bool]], list[list[str]]]:
    """A row for each measure and a column for each subject."""
    columns = [_column(one) for one in profiles]
    names = list(dict.fromkeys(name for column in columns for name in column))
    rows = [[name, *(column.get(name, UNMEASURED) for column in columns)] for name in names]
    title = f"Profile on {world}, with 95% intervals"
    return title, [("measure", False), *((one.subject, True) for one in profiles)], rows


def _column(one: SubjectProfile) -> dict[str, str]:
    """The numbers of one subject, by name."""
    found = {
        "performance": shown(one.performance.score),
        "P*": shown(one.performance.p_star),
        "probability that it is good enough": likely(one.wanted.probability),
    }
    for name, value in one.performance.measures.items():
        found[name] = f"{value.value:.4g} [{value.low:.4g}, {value.high:.4g}]"
    if one.rate is not None:
        found["learn rate"] = shown(one.rate.rate)
    if one.generalization is not None:
        found["transfer by distance, correlation of ranks"] = shown(one.generalization.correlation)
    if one.table is not None:
        lost = forgotten(one.table)
        if lost:
            found["tasks that are surely forgotten"] = (
                f"{sum(task.lost.low > 0.0 for task in lost)} of {len(lost)}"
            )
        split = shared_budget(one.table)
        if split is not None:
            best = max(range(len(split.shares)), key=lambda i: split.gained[i].value)
            found["best share of a budget in another task"] = percent(split.shares[best])
    for broken in one.breakdowns:
        found[f"breaking point, {broken.operator}"] = (
            breaking_point(broken) if broken.defined else UNDEFINED
        )
    if one.understanding is not None:
        for name, probe in one.understanding.probes.items():
            found[name] = value_of(probe)
        found["minimum of the four"] = value_of(one.understanding.minimum)
    if one.behavior is not None:
        exact = one.behavior.kind == "optimum"
        name = "cost of an action" if exact else "distance to a known schedule"
        found[name] = shown(one.behavior.mean_cost)
    if one.trust is not None:
        found["held-out tasks are told"] = "yes" if one.trust.is_trusted else "no"
    if one.motivation is not None:
        found["tried"] = "yes" if one.motivation.tried else "no"
    return found


def plain(one: SubjectProfile) -> dict[str, Any]:
    """All of it as plain data."""
    table = one.table
    return {
        "subject": one.subject,
        "performance": {
            "value": asdict(one.performance.score),
            "p_star": _plain(one.performance.p_star),
            "best_reference": one.performance.best_name or None,
            "measures": {name: asdict(value) for name, value in one.performance.measures.items()},
            "episodes": one.performance.own.tolist(),
        },
        "good_enough": asdict(one.wanted),
        "strengths": [asdict(point) for point in strongest(one.points)],
        "weaknesses": [asdict(point) for point in weakest(one.points)],
        "points": [asdict(point) for point in one.points],
        "by_property": [asdict(half) for half in one.halves],
        "trust": None
        if one.trust is None
        else {**asdict(one.trust), "is_trusted": one.trust.is_trusted},
        "motivation": None
        if one.motivation is None
        else {**asdict(one.motivation), "tried": one.motivation.tried},
        "transfer": None if table is None else table.to_json(),
        "pairs": [pair.to_json() for pair in one.pairs],
        "loss_in_p_star": [_plain(loss) for loss in one.losses],
        "forgetting": [] if table is None else [asdict(lost) for lost in forgotten(table)],
        "split_budget": None
        if table is None or (split := shared_budget(table)) is None
        else asdict(split),
        "generalization": None
        if one.generalization is None
        else {
            "distance": one.generalization.distance.tolist(),
            "transfer": one.generalization.transfer.tolist(),
            "fit": one.generalization.fit.tolist(),
            "correlation": asdict(one.generalization.correlation),
        },
        "learn_rate": None if one.rate is None else one.rate.to_json(),
        "robustness": [plain_breakdown(broken) for broken in one.breakdowns],
        "understanding": None
        if one.understanding is None
        else plain_understanding(one.understanding),
        "behavior": None
        if one.behavior is None
        else {
            "against": one.behavior.kind,
            "mean_cost": asdict(one.behavior.mean_cost),
            "best_share": asdict(one.behavior.best_share),
            "first_deviation": None
            if (first := one.behavior.first) is None
            else {
                "environment": first.environment,
                "interaction": first.interaction,
                "cost": first.cost,
            },
        },
        "missing": dict(one.missing),
    }


def _plain(one: Estimate | None) -> dict[str, Any] | None:
    return None if one is None else asdict(one)
