"""All algorithms by name, as subjects of the world."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from mensura.worlds.constraints.algorithms.aas import AAS
from mensura.worlds.constraints.algorithms.abt import ABT, ABTTemporary, DisDB
from mensura.worlds.constraints.algorithms.abt_do import ABTDO
from mensura.worlds.constraints.algorithms.adopt import ADOPT
from mensura.worlds.constraints.algorithms.afb import AFB
from mensura.worlds.constraints.algorithms.afc import AFC
from mensura.worlds.constraints.algorithms.awcs import AWCS, AWCSView
from mensura.worlds.constraints.algorithms.backtracking import SyncBB, SyncBT
from mensura.worlds.constraints.algorithms.bnb_adopt import BnBADOPT
from mensura.worlds.constraints.algorithms.central import Central
from mensura.worlds.constraints.algorithms.dbs import DBS
from mensura.worlds.constraints.algorithms.dpop import DPOP
from mensura.worlds.constraints.algorithms.local_search import DSA, MGM, Drawing, Greedy
from mensura.worlds.constraints.algorithms.max_sum import MaxSum
from mensura.worlds.constraints.algorithms.mb_dpop import MBDPOP
from mensura.worlds.constraints.algorithms.mgm2 import MGM2
from mensura.worlds.kit import Mind, Range

CELLS = {"cells": (1e6, Range(1, 1e9, whole=True))}
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
    "abt-do": Mind(ABTDO),
    "dbs": Mind(DBS),
    "aas": Mind(AAS),
    "awcs": Mind(AWCS, {"longest": (0.0, Range(0, 1e6, whole=True))}),
    "awcs-view": Mind(AWCSView),
    "sync-bt": Mind(SyncBT),
    "afc": Mind(AFC),
    "sync-bb": Mind(SyncBB),
    "afb": Mind(AFB),
    "adopt": Mind(ADOPT),
    "bnb-adopt": Mind(BnBADOPT),
    "dpop": Mind(DPOP, CELLS),
    "mb-dpop": Mind(MBDPOP, CELLS),
    "max-sum": Mind(
        MaxSum, {"damping": (0.5, Range(0, 0.99)), "rounds": (50.0, Range(0, 1e9, whole=True))}
    ),
    "mgm": Mind(MGM, ROUNDS),
    "mgm-2": Mind(MGM2, {"q": (0.5, Range(0, 1)), **ROUNDS}),
    "central": Mind(Central, rights=frozenset({"sees_problem"})),
    **{
        name: Mind(_dsa(name[-1] if "-" in name else "b"), {"p": (0.7, Range(0, 1)), **ROUNDS})
        for name in ("dsa", "dsa-a", "dsa-b", "dsa-c", "dsa-d", "dsa-e")
    },
}

KINDS = frozenset(
    kind
    for one in MINDS.values()
    for kind in cast(Any, getattr(one.make, "func", one.make)).reads()
)
"""The kinds of letters that these algorithms read."""
