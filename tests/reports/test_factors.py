"""The page of a factorial experiment: what matters and what interacts, as the numbers say."""

import pytest
from tests.reports.reading import check

from mensura.agent.errors import MensuraError
from mensura.reports.factors import Factor, render_factors
from mensura.statistics.factorial import TwoWay
from mensura.statistics.interval import Estimate

FACTORS = (
    Factor("size", "side [cells]", ("5x5", "9x9"), (5, 9), 0),
    Factor("who", "protocol", ("<alone>", "together"), (None, None), 1),
    Factor("time", "interactions", ("t1", "t2", "any"), (1, 2, None), 2),
)


def cell(value: float) -> Estimate:
    return Estimate(value, value - 0.02, value + 0.02, 0.95, 400, 0.01)


ALONE = {
    "size": [cell(0.50), cell(0.51)],
    "who": [cell(0.20), cell(0.80)],
    "time": [cell(0.40), cell(0.50), cell(0.45)],
}
PAIRS = {
    ("size", "who"): [[cell(0.11), cell(0.21)], [cell(0.31), cell(0.91)]],
    ("size", "time"): [[cell(0.12)] * 3, [cell(0.13)] * 3],
    ("who", "time"): [[cell(0.14)] * 3, [cell(0.15)] * 3],
}
EFFECTS = {
    ("size", "who"): TwoWay(0.3, 0.4, 0.3, True),
    ("size", "time"): TwoWay(0.9, 0.1, 0.0, False),
    ("who", "time"): TwoWay(0.5, 0.45, 0.05, True),
}


@pytest.mark.usefixtures("words_only")
def test_the_page_says_which_factors_matter_and_which_pairs_interact() -> None:
    page = check(
        render_factors("Six & more", "A paper", ["A <note>."], FACTORS, ALONE, PAIRS, EFFECTS)
    )
    for part in (
        "Alone, who moves the score most, by 0.600, 95% interval [+0.5",
        " between its lowest and its highest level: from +0.200 at <alone> to +0.800 at together.",
        "Then time (by 0.100, 95% interval [+0.0",
        "No difference beyond what chance explains: size.",
        "2 of 3 pairs interact beyond noise",
        "size with who (30%) and who with time (5.0%)",
        "Their effects add up, as far as this experiment can tell: size with time.",
        "Each cell is 400 episodes.",
        "A <note>.",
    ):
        assert part in page.prose


def test_every_factor_and_pair_has_its_panel_with_its_numbers() -> None:
    page = check(render_factors("t", "s", [], FACTORS, ALONE, PAIRS, EFFECTS))
    figures = page.figures()
    assert len(figures) == 3 + 1 + 3
    words = [list(figure.itertext()) for figure in figures]
    assert "side [cells]" in words[0]
    assert "<alone>" in words[1]
    assert "any" in words[2]
    assert "30%*" in words[3]
    assert {"0.11", "0.21", "0.31", "0.91"} <= set(words[4])
    assert page.tables["effects"][1] == ["size and who", "30%", "40%", "30%", "yes"]


@pytest.mark.usefixtures("words_only")
def test_one_factor_alone_needs_no_pairs() -> None:
    page = check(render_factors("t", "s", [], FACTORS[:1], {"size": ALONE["size"]}, {}, {}))
    assert len(page.figures()) == 1
    assert "interact" not in page.prose


@pytest.mark.usefixtures("words_only")
def test_effects_that_add_up_are_said_to() -> None:
    quiet = {pair: TwoWay(0.5, 0.5, 0.0, False) for pair in EFFECTS}
    prose = check(render_factors("t", "s", [], FACTORS, ALONE, PAIRS, quiet)).prose
    assert "None of 3 pairs interacts beyond noise: the effects of factors add up." in prose


def test_an_experiment_without_cells_is_refused_in_a_sentence() -> None:
    with pytest.raises(MensuraError, match="nothing to report"):
        render_factors("t", "s", [], FACTORS, {}, {}, {})
