"""The parameters of search beyond the paper's experiment (its section 6.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_star.torus.parameters import (
    OnTorus,
    check_list,
    check_number,
    check_word,
)


@dataclass(frozen=True, kw_only=True)
class Objects(OnTorus):
    """What may be asked of Good and Evil."""

    company: int = 1
    """Good is felt only where so many subjects at least are within its radius."""
    company_for: Literal["good", "both"] = "good"
    """Whether Evil, too, is felt only by a company."""
    good_reacts: Literal["no", "flees", "follows", "tires"] = "no"
    """How Good responds to subjects."""
    evil_reacts: Literal["no", "flees", "follows", "tires"] = "no"
    """How Evil responds to subjects."""

    @property
    def reacts(self) -> bool:
        """Whether Good or Evil responds to subjects."""
        return self.good_reacts != "no" or self.evil_reacts != "no"

    @property
    def moved_by_subjects(self) -> bool:
        """Whether what subjects do decides where Good or Evil goes next."""
        return bool({"flees", "follows"} & {self.good_reacts, self.evil_reacts})


@dataclass(frozen=True, kw_only=True)
class Parameters(Objects):
    """What may be asked of search: of Good and Evil, and of what they are to each subject."""

    good_appetites: tuple[float, ...] = ()
    """What Good weighs for each seat, from -1 to 1."""
    evil_appetites: tuple[float, ...] = ()
    """What Evil weighs for each seat."""


def balanced(options: Parameters) -> bool:
    """Whether nothing tells Good from Evil but the sign.

    Then what happens to a random subject is as likely as the same with both exchanged: they start on random cells and
    travel along patterns of the same law.
    """
    good, evil = options.good_appetites or (1.0,), options.evil_appetites or (1.0,)
    seats = range(len(good) * len(evil))
    weighed_alike = all(good[j % len(good)] == evil[j % len(evil)] for j in seats)
    felt_alike = options.company == 1 or options.company_for == "both"
    return felt_alike and options.good_reacts == options.evil_reacts and weighed_alike


def check(options: Parameters) -> None:
    """Raise if company, reactions or appetites make no sense."""
    check_number("company", options.company, 1, 10_000, whole=True)
    check_word("company_for", options.company_for, ("good", "both"))
    if options.company == 1 and options.company_for != "good":
        raise MensuraError(
            "company_for says who is felt only by a company, and a company of 1 is anybody; set company to 2 or more."
        )
    options.check_reactions("good_reacts", "evil_reacts")
    for name in ("good_appetites", "evil_appetites"):
        for value in check_list(name, getattr(options, name)):
            check_number(f"An appetite of {name}", value, -1, 1)
