"""What was published of the C-test, beside what is found here; and the study file that ``mensura reproduce`` runs."""

from __future__ import annotations

from pathlib import Path

from mensura.complexity.c_test.instructions import LETTERS
from mensura.complexity.c_test.published import PUBLISHED, SHEET, PublishedItem, SheetSeries

C_TEST_1998 = Path(__file__).parent / "studies" / "c-test-1998.yaml"
"""Hernandez-Orallo's items beside ours, and what subjects score on fresh ones by k."""

LENGTH = 12
"""Programs of so many instructions are tried."""
ROWS: tuple[PublishedItem | SheetSeries, ...] = (*PUBLISHED, *SHEET)


def row(item: PublishedItem | SheetSeries) -> str:
    """A published item beside what the machine says of it, in a sentence; of some the search takes minutes."""
    # Compiled, and studies are listed without it.
    from mensura.complexity.c_test import explain, judge, read_machine

    start = item.start if isinstance(item, PublishedItem) else "a"
    found = explain(item.series, length=LENGTH, margin=1, machine=read_machine(f"start={start}"))
    best, judged = found.cheapest, judge(found, length=LENGTH)
    assert best is not None
    assert found.answer is not None
    answer = LETTERS[found.answer]
    if isinstance(item, SheetSeries):
        said = "the published answer is not known to us"
        agrees = "that is among the options of the sheet"
    else:
        said = f"published {item.answer}, k {'not known to us' if item.k is None else item.k}"
        same = answer == item.answer and item.k in (None, best.k)
        agrees = "agrees" if same else "does not agree"
        if item.differs:
            agrees += f"{', but' if same else ':'} {item.differs}"
    from_start = "" if start == "a" else f" from {start}"
    beyond = (
        "unquestionable"
        if judged.failed is None
        else f"not unquestionable ({judged.failed.name}: {judged.failed.sentence})"
    )
    return (
        f"{item.series}: {said}; ours {answer}, Kt {best.kt:.2f}, k {best.k} ({best.text}{from_start}), "
        f"margin {'at least 1' if found.margin > 1 - 1e-9 else f'{found.margin:.2f}'}, {beyond}; {agrees}."
    )
