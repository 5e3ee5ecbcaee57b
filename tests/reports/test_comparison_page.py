"""The page of a comparison, and sentences that claim what the numbers allow and no more."""

from dataclasses import replace

import numpy as np
import pytest
from tests.reports.reading import check
from tests.reports.studies import condition, grid

from mensura.agent.errors import MensuraError
from mensura.reports.comparison_page import (
    conclusion,
    design,
    probability,
    render_compare,
    row,
    summary,
)
from mensura.reports.pairing import about
from mensura.statistics.compare import Comparison, compare_all, pairs_within
from mensura.statistics.sample import Sample
from mensura.statistics.setting import Setting, differences

pytestmark = pytest.mark.quick


def pair(
    gap: float, scatter: float = 1.0, n: int = 50, apart: bool = False
) -> tuple[Sample, Sample]:
    """Two samples whose difference is `gap` standard deviations, to the digit."""
    noise = np.random.default_rng(n).normal(size=n)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    columns = {"run": np.zeros(n, np.int64), "complexity": np.full(n, np.nan), "condition": "here"}
    where = np.arange(n, dtype=np.uint64)
    return (
        Sample("one", scatter * (gap + noise), where, **columns),
        Sample("two", np.zeros(n), where + np.uint64(1000 if apart else 0), **columns),
    )


def compared(gap: float, scatter: float = 1.0, n: int = 50, apart: bool = False) -> Comparison:
    (found,) = compare_all([pair(gap, scatter, n, apart)])
    return found


@pytest.mark.usefixtures("words_only")
def test_a_settled_difference_is_told_with_the_better_one_first() -> None:
    higher, lower = conclusion(compared(1.0, 0.1)), conclusion(compared(-1.0, 0.1))
    assert higher.startswith(
        "one scores higher than two under here: by 0.100 on average over the same 50 environments, 95% interval [+0.0"
    )
    assert lower.startswith("two scores higher than one under here: by 0.100")
    assert "[+0.0" in lower
    assert "it does better in" in lower
    assert "more episodes" not in higher


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize(
    ("assessment", "over", "design_told", "asked_for"),
    [
        (
            "anytime",
            "50 chains (paired by chain; environments adapt)",
            "paired by chain; environments adapt",
            "chains",
        ),
        (
            "adaptive",
            "50 tests (paired by test; environments adapt)",
            "paired by test; environments adapt",
            "tests",
        ),
        ("battery", "the same 50 environments", "paired on the same environments", "episodes"),
        (
            "universal",
            "50 estimates in the same environments",
            "paired on the same environments",
            "estimates",
        ),
    ],
)
def test_subjects_whose_environments_adapt_did_not_meet_the_same_ones(
    assessment: str, over: str, design_told: str, asked_for: str
) -> None:
    """What a sitting is called, and whether environments follow the subject, is what the assessment says."""
    setting = Setting("lambda-v1", {}, assessment, {})

    def made(gap: float) -> Comparison:
        one, two = pair(gap, 0.1)
        (found,) = compare_all([(replace(one, setting=setting), replace(two, setting=setting))])
        return found

    settled, open_one = made(1.0), made(0.1)
    assert f"on average over {over}, 95% interval" in conclusion(settled)
    assert design(settled) == design_told
    assert f"more {asked_for} of each would settle it" in conclusion(open_one)
    page = render_compare([settled], "title")
    assert ("same 50 environments" in page) == (assessment == "battery")


def test_an_open_difference_says_how_many_more_episodes_would_settle_it() -> None:
    found = compared(0.2)
    sentence = conclusion(found, several=False)
    assert sentence.startswith(
        "Whether one or two is better is open after the same 50 environments:"
    )
    assert found.more is not None
    # 199 pairs tell 0.2 standard deviations from none with a power of 80%.
    assert found.more == 199 - 50
    assert "about 150 more episodes of each would settle it with a probability of 80%" in sentence
    assert "Differences from 0.404 upwards would be found" in sentence


def repeated(shifts: list[float], n: int = 40) -> Comparison:
    """One subject whose repetitions score so much, and another that always scores 0."""
    one, two = pair(0.0, 0.01, n * len(shifts))
    run = np.repeat(np.arange(len(shifts)), n)
    (found,) = compare_all(
        [(replace(one, score=one.score + np.repeat(shifts, n), run=run), replace(two, run=run))]
    )
    return found


def test_where_repetitions_are_the_unit_more_of_them_are_asked_for() -> None:
    found = repeated([0.5, -0.3, 0.4, -0.2, 0.6, 0.1])
    sentence = conclusion(found, several=False)
    assert "is open after 6 repetitions of 40 episodes" in sentence
    assert f"about {found.more_runs} more repetitions of 40 episodes of each would" in sentence
    assert row(found)["more"] == f"{found.more_runs} more repetitions of 40 episodes"
    assert row(found)["rests"] == "6 repetitions of 40 episodes"


def test_no_detectable_difference_is_wider_than_the_scale() -> None:
    sentence = conclusion(repeated([0.7, -0.8, 0.1]), several=False)
    assert "upwards would be found" not in sentence
    assert "finds no difference with a probability of 80%, not even 2, the largest" in sentence


def test_two_repetitions_that_differ_are_not_estimable_and_ask_for_repetitions() -> None:
    found = repeated([0.5, -0.4])
    assert row(found)["interval"] == "not estimable with 2 repetitions"
    assert conclusion(found, several=False) == (
        "Nothing can be said about one and two: how far repetitions differ is not estimable with 2 repetitions. It "
        "takes more repetitions, not more episodes."
    )
    assert "The unit of all intervals is the repetition" in " ".join(about(["run"], [found], []))


def test_what_no_number_settles_is_not_promised() -> None:
    assert "no practical number of episodes would settle it" in conclusion(compared(1e-5))
    assert row(compared(1e-5))["more"] == "no practical number"


def test_independent_samples_are_told_as_such() -> None:
    sentence = conclusion(compared(2.0, apart=True))
    assert "over 50 and 50 episodes" in sentence
    assert "an episode of it beats one of the other with a probability of" in sentence


def test_equals_and_single_environments_are_told_as_such() -> None:
    one, two = pair(0.0)
    (same,) = compare_all([(two, replace(two, label="three"))])
    assert (
        conclusion(same)
        == "two and three scored exactly the same under here in the same 50 environments."
    )
    alone = [
        replace(
            s,
            **{
                name: getattr(s, name)[:1] for name in ("score", "environment", "run", "complexity")
            },
        )
        for s in (one, two)
    ]
    (unknown,) = compare_all([(alone[0], alone[1])])
    assert "Nothing can be said about one and two" in conclusion(unknown)
    assert row(unknown)["corrected"] == "unknown"


def test_a_family_that_takes_a_finding_back_says_so() -> None:
    found = compare_all([pair(0.3), *(pair(0.0, n=60 + i) for i in range(5))])
    assert found[0].p < 0.05 < found[0].corrected
    sentence = conclusion(found[0])
    assert "By itself the difference would count (p = 0.0" in sentence
    assert "among 6 comparisons it does not (corrected p = 0.2" in sentence
    plain = compare_all([pair(0.3), pair(0.0)], correction="none")
    assert "nothing was corrected for that" in conclusion(plain[0])
    assert next(summary(found)).startswith(
        "0 of 6 comparisons are settled at a level of 95%, corrected by Holm"
    )


@pytest.mark.parametrize(
    ("p", "text"), [(0.00001, "< 0.0001"), (0.00042, "0.0004"), (0.0312, "0.031"), (1.0, "1.000")]
)
def test_probabilities_have_the_digits_that_matter(p: float, text: str) -> None:
    assert probability(p) == text


def test_the_page_has_a_table_figures_and_a_sentence_for_each_pair() -> None:
    _, samples = condition("world")
    found = compare_all(pairs_within(samples))
    page = check(
        render_compare(found, "Who is <better>?", ["All were compared."], "mensura compare x")
    )
    head, *rows = page.tables["comparison-0"]
    assert head[0] == "pair"
    assert [line[0] for line in rows] == [
        "strong minus middling",
        "strong minus weak",
        "middling minus weak",
    ]
    for line, one in zip(rows, found, strict=True):
        assert float(line[2].split()[0]) == pytest.approx(one.difference.value, abs=0.0006)
        assert float(line[3].split()[0]) == pytest.approx(one.effect.value, abs=0.006)
        assert conclusion(one, several=False) in page.prose
    for figure, axis in zip(
        page.figures(), ("difference of scores [", "probability of improvement ["), strict=True
    ):
        assert any(axis in text for text in figure.itertext())
        assert "strong minus weak" in list(figure.itertext())
    for part in ("Who is <better>?", "All were compared.", "mensura compare x", "Holm"):
        assert part in page.prose


@pytest.mark.usefixtures("words_only")
def test_conditions_have_parts_of_their_own() -> None:
    _, samples = grid()
    page = check(render_compare(compare_all(pairs_within(samples)), "Four conditions"))
    assert [name for name in page.tables if name.startswith("comparison")] == [
        f"comparison-{i}" for i in range(4)
    ]
    assert len(page.figures()) == 8
    assert "under world, small, red" in page.prose


def test_nothing_to_compare_is_refused_in_a_sentence() -> None:
    with pytest.raises(MensuraError, match="nothing to compare"):
        render_compare([], "nothing")


def elsewhere(world: str = "lambda-star-v0", **parameters: object) -> Setting:
    return Setting(world, {"rows": 10, **parameters}, "battery", {"measure": "K"})


def test_scores_from_elsewhere_are_refused_with_what_differs() -> None:
    one, two = pair(1.0)
    far = [
        (replace(one, setting=elsewhere()), replace(two, setting=elsewhere("lambda-v1", rows=5)))
    ]
    with pytest.raises(
        MensuraError, match=r"the world \(lambda-star-v0 and lambda-v1\)\. To compare"
    ):
        compare_all(far)
    near = [(replace(one, setting=elsewhere()), replace(two, setting=elsewhere(rows=5)))]
    with pytest.raises(MensuraError, match=r"the world's rows \(10 and 5\)"):
        compare_all(near)
    (same,) = compare_all([tuple(replace(each, setting=elsewhere()) for each in (one, two))])
    assert same.differs == ()


def test_whoever_compares_them_anyway_has_every_line_marked() -> None:
    one, two = (
        replace(each, setting=elsewhere(rows=rows))
        for each, rows in zip(pair(1.0), (10, 5), strict=True)
    )
    found = compare_all([(one, two), pair(1.0)], anyway=True)
    assert found[0].to_json()["differs"] == ["the world's rows (10 and 5)"]
    assert row(found[0])["pair"] == "one minus two (not comparable)"
    assert row(found[0])["more"] == "not comparable"
    assert conclusion(found[0]).startswith("not comparable: one scores higher than two")
    assert conclusion(found[0]).endswith("They differ in the world's rows (10 and 5).")
    first, *others = summary(found)
    assert first.startswith("1 comparison of 2 is of scores that are not comparable")
    assert "not comparable" not in " ".join(others)
    assert list(summary(found[:1])) == [first.replace("of 2", "of 1")]


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (
            elsewhere("lambda-star-v2"),
            "the version of the world (lambda-star-v0 and lambda-star-v2)",
        ),
        (elsewhere(subjects=2), "the world's subjects (not recorded and 2)"),
        (replace(elsewhere(), assessment="anytime"), "the assessment (battery and anytime)"),
        (replace(elsewhere(), given={"measure": "L"}), "the assessment's measure (K and L)"),
    ],
)
def test_every_kind_of_difference_is_named(other: Setting, what: str) -> None:
    assert differences(elsewhere(), other) == (what,)
    assert differences(elsewhere(), None) == ()


def test_few_scores_decide_nothing() -> None:
    few = compared(10.0, 0.05, 4)
    assert few.p < 0.05
    assert few.verdict == "unknown"
    assert (
        conclusion(few, False)
        == "Nothing can be said about one and two: 4 environments are too few."
    )
    assert row(few)["interval"] == "too few (4)"


def test_a_difference_ends_where_its_scale_does() -> None:
    n = 5
    where = np.arange(n, dtype=np.uint64)
    columns = {"run": np.zeros(n, np.int64), "complexity": np.full(n, np.nan)}
    one = Sample("one", np.array([1.0, 1.0, 1.0, 1.0, -1.0]), where, **columns)
    two = Sample("two", np.full(n, -1.0), where, **columns)
    assert compare_all([(one, two)])[0].difference.high == 2.0
    (free,) = compare_all([(replace(one, score=3 * one.score), two)])
    assert free.difference.high > 2.0
