"""The page of transfer: cells that are sure are marked, times that were not reached are bounds, names are escaped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mensura.reports.transfer_page import (
    Found,
    brief,
    heat_map,
    learning_curves,
    matrix_sheet,
    measure_sheets,
    render_transfer,
    sentences,
    time_of,
)
from mensura.statistics.interval import Estimate
from mensura.statistics.transfer import TimeTransfer
from mensura.statistics.transfer_table import TransferTable


@pytest.fixture
def table() -> TransferTable:
    """Two tasks of which the first surely helps in the second and not the other way round."""
    rng = np.random.default_rng(1)
    made = TransferTable.empty("learner", ("a<b", "c"), 64, (0, 16, 32, 64), (), 6)
    noise = rng.normal(0.0, 0.01, (6, 2, 2))
    made.newborn[:] = 0.1
    made.raw[:] = np.array([[0.8, 0.5], [0.1, 0.7]]) + noise
    made.curves[:] = np.linspace(0.1, 0.7, 4)
    return made


def test_cells_that_are_sure_have_a_sign(table: TransferTable) -> None:
    assert (table.sure(0, 1), table.sure(1, 0)) == (1, 0)
    _, columns, rows = matrix_sheet(table)
    assert [name for name, _ in columns] == ["trained in", "a<b", "c", "mean of the others"]
    assert rows[0][2].endswith("] +")
    assert rows[1][1].endswith("]")
    worse = replace(table, newborn=np.full((6, 2), 0.9))
    assert worse.sure(0, 1) == -1
    assert matrix_sheet(worse)[2][0][2].endswith("] -")


def test_the_sentence_counts_what_is_sure(table: TransferTable) -> None:
    assert sentences(table)[0].startswith(
        "Of 2 transfers to another task 1 surely help at once (+) and 0 surely harm (-)"
    )
    alone = replace(table, newborn=table.newborn[:1], raw=table.raw[:1])
    assert alone.sure(0, 1) == 0
    assert sentences(alone)[0] == (
        "One learner tells nothing about others: take at least 2 for intervals."
    )


def test_one_pair_is_a_table_of_measures_and_several_are_rows(table: TransferTable) -> None:
    pair = table.pair(0, 1)
    ((title, columns, rows),) = measure_sheets([pair])
    assert (title, len(columns)) == ("From a<b to c", 2)
    assert [row[0] for row in rows] == ["raw transfer", "jump-start", "loss", "regret"]
    ((_, columns, rows),) = measure_sheets([pair, table.pair(1, 0)])
    assert len(columns) == 6
    assert [row[:2] for row in rows] == [["a<b", "c"], ["c", "a<b"]]


def test_times_that_were_not_reached_are_bounds() -> None:
    found = Estimate(120.0, 100.0, 140.0, 0.95, 6, 10.0)
    assert time_of(TimeTransfer(found, "at least")) == "at least +120 [+100, +140]"
    assert time_of(TimeTransfer(None, "undefined")) == "undefined"
    assert brief(Estimate(0.5, 0.4, 0.6, 0.95, 6, 0.1)) == "+0.50 \u00b10.10"


def test_the_page_stands_alone_with_everything_escaped(
    table: TransferTable, words_only: None
) -> None:
    found = Found(table, [table.pair(0, 1)], ["A note."])
    page = render_transfer([found], "mensura transfer x", 7)
    assert "a&lt;b" in page
    assert "a<b" not in page
    for words in ("A note.", "mensura transfer x", "The seed 7 gives", "Learning curves"):
        assert words in page
    several = render_transfer([found, found], "mensura transfer x y", 7)
    assert several.count("Learning curves of learner") == 4, "in the contents and on the page"


def test_figures_say_in_letters_what_they_say_in_color(table: TransferTable) -> None:
    drawn = heat_map(table)
    assert ">0.50 +<" in drawn or "0.50 +" in drawn
    assert "trained in" in drawn
    assert "64" in learning_curves(table)
