"""What a law of `make audit` is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Law:
    """Something that holds in every cell.

    The name of a cell has neither spaces nor commas, and its first two parts name its group, a row of the law's
    table: `lambda-star/perturbed-observation-noise/0.5/vector`. Cells are played in their order by processes that live
    on from one to the next, so those that share much, as a world's kernels, stand together.
    """

    name: str
    """Of its table: `wrappers`."""

    sentence: str
    """What holds, in one sentence."""

    cells: Callable[[], Sequence[str]]
    """All cells, in an order that stays."""

    check: Callable[[str], str | None]
    """None where it holds, else what failed, in one sentence."""

    fixed: Callable[[], Sequence[str]]
    """The cells that `make test` always checks."""

    daily: Callable[[], Sequence[str]]
    """Those among which `make test` draws by the day."""


def group(cell: str) -> str:
    """The row of a table that a cell is counted in."""
    return "/".join(cell.split("/")[:2])


def verdict(law: Law, cell: str) -> str | None:
    """What failed in a cell, on one line; an exception is a failure."""
    try:
        failure = law.check(cell)
    except BaseException as fault:  # pytest's skip is no Exception
        failure = f"{type(fault).__name__}: {fault}"
    return None if failure is None else " ".join(failure.split())[:1000]
