"""What language models are going to take, and what they may take, for whoever asks in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.api.tables import Shown, Table
from mensura.studies.spending import ASSUMED, Outlay, check_confirmed, outlays

if TYPE_CHECKING:
    from mensura.studies.place import Place

ADVICE = "pass confirm=True, ask for less with budget= or sittings=, or set a limit with max_cost="
"""What can be done about a run that takes much."""

LEARNERS_ADVICE = (
    "pass confirm=True, ask for less with interactions= or learners=, or set a limit with max_cost="
)
"""The same where learners are trained."""

QUESTIONS_ADVICE = "pass confirm=True, ask for less with questions=, or set a limit with max_cost="
"""The same where understanding is measured."""

PROFILE_ADVICE = "pass confirm=True, ask for less with quick=True or shorter episodes, or set a limit with max_cost="
"""The same of a profile."""

Allow: TypeAlias = Callable[[Sequence[Outlay]], AbstractContextManager[None]]
"""Lets what is estimated be taken while it lasts, or raises if it has to be confirmed."""

NOUNS = {"cost": "max_cost", "tokens": "max_tokens", "hours": "max_hours"}
"""How limits are called in Python."""


class Outlays(Shown):
    """What a run is going to take of language models, a line for each of them.

    A notebook shows it as a table, and so does ``print``. It is empty where no language model is assessed.
    """

    def __init__(self, found: Sequence[Outlay]) -> None:
        self.subjects = tuple(found)
        """What each of them is going to take."""

    @property
    def requests(self) -> int:
        """Of all together."""
        return sum(one.requests for one in self.subjects)

    @property
    def tokens(self) -> float:
        """In and out, of all together."""
        return sum(one.tokens_in + one.tokens_out for one in self.subjects)

    @property
    def cost(self) -> float | None:
        """Of all together, in the currency of the prices; None where some are unknown."""
        costs = [one.cost for one in self.subjects if one.cost is not None]
        return sum(costs) if len(costs) == len(self.subjects) else None

    @property
    def hours(self) -> float:
        """Of all together, one subject after another."""
        return sum(one.hours for one in self.subjects)

    def tables(self) -> list[Table]:
        """What each subject takes, in a table."""
        if not self.subjects:
            return []
        return [
            Table(
                "What language models are going to take, about",
                [
                    ("subject", False),
                    ("requests", True),
                    ("tokens in", True),
                    ("tokens out", True),
                    ("cost", True),
                    ("hours", True),
                ],
                [
                    [
                        one.subject,
                        f"{one.requests:,}",
                        f"{one.tokens_in:,.0f}",
                        f"{one.tokens_out:,.0f}",
                        "unknown" if one.cost is None else f"{one.cost:,.2f}",
                        f"{one.hours:,.2g}",
                    ]
                    for one in self.subjects
                ],
            )
        ]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was assumed."""
        if not self.subjects:
            return ("Nobody is paid for answers.",)
        return (ASSUMED,)


def learners_allowed(
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
    advice: str = LEARNERS_ADVICE,
) -> Allow:
    """Let learners, or whoever is asked, take so much at most."""
    return lambda found: allowed(
        found, bool(found), max_cost, max_tokens, max_hours, confirm, advice
    )


@contextmanager
def spending(
    places: Sequence[Place],
    max_cost: float | None,
    max_tokens: float | None,
    max_hours: float | None,
    confirm: bool,
) -> Iterator[None]:
    """Let a run take so much at most while this lasts; raise if it takes so much that it has to be confirmed."""
    paid = any(place.cell.ask_once for place in places)
    found = outlays(places) if paid and not (confirm and max_cost is None) else []
    with allowed(found, paid, max_cost, max_tokens, max_hours, confirm):
        yield


@contextmanager
def allowed(
    found: Sequence[Outlay],
    paid: bool,
    max_cost: float | None = None,
    max_tokens: float | None = None,
    max_hours: float | None = None,
    confirm: bool = False,
    advice: str = ADVICE,
) -> Iterator[None]:
    """The same of what was estimated; ``paid`` is whether anybody is paid for answers."""
    from mensura.agents.language_model.budget import limited

    given = {"cost": max_cost, "tokens": max_tokens, "hours": max_hours}
    named = [name for name, value in given.items() if value is not None]
    if named and not paid:
        raise MensuraError(
            "max_cost, max_tokens and max_hours are of language models, and none is assessed."
        )
    if max_cost is not None and any(one.cost is None for one in found):
        raise MensuraError(
            "max_cost needs prices, and some are unknown: write price_in and price_out into the address, as "
            "openai:MODEL?price_in=0.15&price_out=0.6, or keep them in a file that MENSURA_PRICES names."
        )
    if not confirm and max_cost is None and max_tokens is None:
        check_confirmed(found, advice)
    if not named:
        yield
        return
    with limited(max_cost, max_tokens, max_hours, NOUNS):
        yield
