"""What a profile says of behavior: costs where the optimum is exact, distances where a schedule is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mensura.reports.profile_words import behavior_words
from mensura.statistics.subject_profile import Behavior, Deviation

COSTS = np.array([[0.0, 0.2], [0.0, 0.6]])


def said(**given: Any) -> str:
    one: Any = SimpleNamespace(subject="somebody", behavior=Behavior(COSTS, **given))
    return " ".join(behavior_words(one))


def test_against_the_optimum_actions_cost() -> None:
    text = said(first=Deviation(2, 1, 0.6))
    assert "50% are as good as any; an action costs" in text
    assert "interaction 2 of episode 2, which costs 0.60." in text


def test_against_a_schedule_they_are_away() -> None:
    text = said(first=None, kind="schedule")
    assert "away from the quickest schedule that is known" in text
    assert "No action was away by 0.5 or more." in text
    assert "cost 0.5" not in text


def test_figures_name_what_they_show() -> None:
    pytest.importorskip("matplotlib")
    from mensura.reports.profile_figures import behavior_figure

    drawn = behavior_figure(Behavior(COSTS, None, "schedule"), "behavior", "somebody")
    assert "Mean distance to a known schedule of somebody" in str(drawn)
