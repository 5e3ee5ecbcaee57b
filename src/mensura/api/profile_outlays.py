"""What a profile is going to take of language models, all its parts together, before the first request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.api import profile_parts as parts
from mensura.api.kept_profile import battery_layout
from mensura.api.profile_setup import Setup
from mensura.studies.layout import lay_out
from mensura.studies.spending import Outlay, outlays, together


class _Told(Exception):
    """Ends a part as soon as it has told what it is going to take."""

    def __init__(self, found: Sequence[Outlay]) -> None:
        self.found = found


def _tell(found: Sequence[Outlay]) -> AbstractContextManager[None]:
    raise _Told(found)


def expected_outlays(setup: Setup) -> list[Outlay]:
    """What each language model is going to take; nobody is asked anything."""
    if not setup.asks:
        return []
    layout, at_hand = battery_layout(setup, "")
    with at_hand.lend():
        found = outlays(layout.places)
        acting, _ = parts.acting_operators(setup)
        with suppress(MensuraError):
            found += outlays(lay_out(parts.robustness_study(setup, acting)).places)
    trying = replace(setup, allow=_tell, missing={}, kept=None)
    for one in setup.subjects:
        if setup.is_asked(one):
            measured: list[Callable[[], Any]] = [
                partial(parts.measure_own_transfer, trying, one),
                partial(parts.measure_rate, trying, one),
                partial(parts.measure_understanding, trying, one),
            ]
            for measure in measured:
                try:
                    with suppress(MensuraError):  # what cannot be measured takes nothing
                        measure()
                except _Told as told:
                    found += told.found
    return together(found)
