"""What people answered to the halves of a set, from the records of their study."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from mensura.core.errors import MensuraError, neighbors
from mensura.core.steps import FORM, PAIR
from mensura.records.batch import Batch
from mensura.records.store import open_store
from mensura.worlds.items.winograd.calibration import Answers
from mensura.worlds.items.winograd.files import parse_set, text_of
from mensura.worlds.items.winograd.schema import HALVES, SchemaSet

BATTERY = "winograd-150"
BOTH = "both are possible"
"""The measure of an episode that says so."""
RIGHT = 1.0 - 1e-9


def answers_in(
    name: str, subject: str, store: str | Path | None
) -> tuple[SchemaSet, dict[tuple[int, str], Answers], int]:
    """The set that a study was on, the answers to each half of it, and how many sittings there were."""
    records = open_store(store, create=False)
    try:
        run = records.find(name)
        cells = [one for one in records.cells(run) if one.parameters.get("family") == "winograd"]
        if not cells:
            raise MensuraError(
                f"The run {name} is not about Winograd schemas; take one of items with the family winograd."
            )
        own = [one for one in cells if one.name == subject]
        if not own:
            known = sorted({one.name for one in cells})
            raise MensuraError(
                f"Nobody in the run {name} is called {subject!r}; {neighbors(subject, known)}"
            )
        if len({str(one.parameters.get("file") or "") for one in own}) > 1:
            raise MensuraError(f"The run {name} is on several sets; calibrate them one by one.")
        counts: dict[tuple[int, str], Counter[str]] = {}
        sittings = 0
        for cell in own:
            for batch in records.batches(run, cell.number):
                sittings += len(batch)
                _count(batch, counts)
    finally:
        records.close()
    if not counts:
        raise MensuraError(
            f"No answer of {subject} in the run {name} tells of which half it is; the assessment has to be halves."
        )
    text = str(own[0].parameters.get("file") or "") or text_of(BATTERY)
    return parse_set(text), {at: Answers(**found) for at, found in counts.items()}, sittings


def _count(batch: Batch, counts: dict[tuple[int, str], Counter[str]]) -> None:
    """Add the answers of a batch."""
    told: dict[tuple[int, int], dict[str, float]] = {}
    for one in batch.measures:
        told.setdefault((one.item, one.sequence), {})[one.name] = one.value
    episodes = batch.episodes
    for item, sequence, reward, learning in zip(
        episodes.item.tolist(),
        episodes.sequence.tolist(),
        episodes.reward.tolist(),
        episodes.learning.tolist(),
        strict=True,
    ):
        measures = told.get((item, sequence), {})
        if learning or PAIR not in measures or not 0 <= measures.get(FORM, -1) < len(HALVES):
            continue
        at = int(measures[PAIR]), HALVES[int(measures[FORM])]
        if reward >= RIGHT:
            kind = "right"
        elif measures.get(BOTH):
            kind = "both"
        else:
            kind = "other" if reward < 0 else "none"
        counts.setdefault(at, Counter())[kind] += 1
