"""All algorithms by name, as subjects of the world."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from mensura.worlds.constraints.algorithms.abt import ABT, ABTTemporary, DisDB
from mensura.worlds.constraints.algorithms.awcs import AWCS, AWCSView
from mensura.worlds.constraints.algorithms.backtracking import SyncBB, SyncBT
from mensura.worlds.constraints.algorithms.local_search import DSA, MGM, Drawing, Greedy
from mensura.worlds.kit import Mind, Range

ROUNDS = {"rounds": (0.0, Range(0, 1e9, whole=True))}


def _dsa(form: str) -> Any:
    made = partial(DSA, form)
    made.__doc__ = f"Distributed stochastic search in its form {form.upper()}."
    return made


MINDS: Mapping[str, Mind] = {
    "random": Mind(Drawing),
    "greedy": Mind(Greedy),
    "abt": Mind(ABT),
    "abt-temporary": Mind(ABTTemporary, {"keep": (3.0, Range(1, 1e6, whole=True))}),
    "disdb": Mind(DisDB),
    "awcs": Mind(AWCS, {"longest": (0.0, Range(0, 1e6, whole=True))}),
    "awcs-view": Mind(AWCSView),
    "sync-bt": Mind(SyncBT),
    "sync-bb": Mind(SyncBB),
    "mgm": Mind(MGM, ROUNDS),
    **{
        name: Mind(_dsa(name[-1] if "-" in name else "b"), {"p": (0.7, Range(0, 1)), **ROUNDS})
        for name in ("dsa", "dsa-a", "dsa-b", "dsa-c", "dsa-d", "dsa-e")
    },
}
