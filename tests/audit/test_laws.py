"""Laws hold where `make test` looks: in fixed cells, in some that change from day to day, in all that once failed."""

from __future__ import annotations

from contextlib import suppress

import pytest
from tests.audit.choice import chosen, day_of_the_commit, failures, remember
from tests.audit.code import ROOT
from tests.audit.law import Law
from tests.audit.laws import all_laws

LAWS = all_laws()
DAY = day_of_the_commit()
CELLS = [
    pytest.param(law, cell, id=f"{law.name}/{cell}") for law in LAWS for cell in chosen(law, DAY)
]


@pytest.mark.parametrize(("law", "cell"), CELLS)
def test_it_holds(law: Law, cell: str) -> None:
    failure = law.check(cell)
    if failure is not None and cell not in law.fixed():
        with suppress(OSError):  # sources that nobody may write
            remember(law.name, cell)
    path = failures(law.name).relative_to(ROOT)
    assert failure is None, f"{failure} (commit {path}, so that this cell is always played)"


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_cells_that_make_test_plays_are_cells_of_the_law(law: Law) -> None:
    cells = {*law.fixed(), *law.daily(), *chosen(law, DAY)}
    if cells:
        assert cells <= set(law.cells())
