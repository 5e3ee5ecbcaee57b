"""The ratings that people gave in a study of analogies, by pseudonym; whoever has withdrawn is in none of them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key
from mensura.records.store import open_store
from mensura.texts.evaluations.ratings import SCALES, WORLD, Rating
from mensura.web.people.studies import People


class Rated(NamedTuple):
    """All ratings of a study."""

    ratings: list[Rating]
    seed: Key
    """Of the study."""
    left_out: list[str]
    """Whose answers could not be read, in sentences."""


def ratings_in(store: str | Path | None, name: str) -> Rated:
    """Everything that was rated in a study so far, the pilot aside."""
    with open_store(store, create=False):  # whoever mistypes its name gets a sentence, and no store
        pass
    people = People(store)
    try:
        study = people.study(name)
        if any(place.cell.world != WORLD for place in people.places(study.id)):
            raise MensuraError(
                f"The study {name} is about something else; `mensura analogy ratings make` writes one of ratings."
            )
        ratings, left_out = [], []
        for row in people.rows(study):
            if "problem" in row:
                left_out.append(str(row["problem"]))
            elif not row["practice"]:
                given = row["action"]
                pair = row["condition"] or study.conditions[0]
                values = {scale: int(given[scale]) for scale in SCALES}
                ratings.append(
                    Rating(str(row["pseudonym"]), pair, values, given["comment"].strip())
                )
        order = {pair: k for k, pair in enumerate(study.conditions)}
        ratings.sort(key=lambda one: (order[one.pair], one.rater))
        return Rated(ratings, study.seed, left_out)
    finally:
        people.end()
