"""Faults that are alike stand once, with their number."""

import numpy as np
import pytest

from mensura.records.batch import FaultRow
from mensura.records.faults import MOST_KINDS, grouped
from mensura.records.results import SubjectResult
from mensura.records.validity import MOST_BY_DEFAULT, is_valid

pytestmark = pytest.mark.quick


def raised(item: int, detail: str, kind: str = "raised") -> FaultRow:
    return FaultRow(item, 0, 0, item, kind, detail)


def test_faults_at_one_line_are_alike_whatever_they_say() -> None:
    rows = [raised(i, f"KeyError: {i} (agent.py, line 7)") for i in range(40)]
    rows += [raised(40, "KeyError: 3 (agent.py, line 8)")]
    rows += [raised(i, f"'{i}x' is not an action of this seat now", "illegal") for i in (50, 51)]
    assert [str(one) for one in grouped([], rows)] == [
        "item 0, seat 0, interaction 0: raised: KeyError: 0 (agent.py, line 7) (and 39 more like it)",
        "item 40, seat 0, interaction 40: raised: KeyError: 3 (agent.py, line 8)",
        "item 50, seat 0, interaction 50: illegal: '50x' is not an action of this seat now (and 1 more like it)",
    ]


def test_the_order_in_which_faults_come_makes_no_difference() -> None:
    rows = [raised(i, f"E: {i} (a.py, line {i % 7})") for i in range(60)]
    shuffled = [rows[i] for i in np.random.default_rng(1).permutation(len(rows))]
    groups = grouped([], rows)
    assert grouped(grouped([], shuffled[:20]), shuffled[20:]) == groups
    assert sum(one.times for one in groups) == 60


def test_a_subject_with_ever_new_faults_fills_no_memory() -> None:
    rows = [raised(i, f"E: x (a.py, line {i})") for i in range(MOST_KINDS + 50)]
    groups = grouped([], rows)
    assert len(groups) == MOST_KINDS
    one = SubjectResult("it", faults=len(rows), fault_groups=tuple(groups))
    assert one.fault_examples[-1] == f"and {len(rows) - 5} of other kinds"


def test_a_score_is_valid_up_to_the_stated_share_of_default_actions() -> None:
    assert SubjectResult("good", actions=1000, defaults=1000 * MOST_BY_DEFAULT).valid
    assert not SubjectResult("bad", actions=1000, defaults=1000 * MOST_BY_DEFAULT + 1).valid
    assert SubjectResult("old", actions=1000, defaults=float("nan")).valid
    assert is_valid(float("nan"))
