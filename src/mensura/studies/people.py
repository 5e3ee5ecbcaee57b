"""What a study file says of people who take part: how they come, until when, and where they go afterwards."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from mensura.studies.entries import Label, Part

PLACEHOLDER = "{id}"
"""What stands in the address of a redirect for the id that somebody came with."""

PARAMETER = "PROLIFIC_PID"
"""The parameter of a link that Prolific puts the id of a participant into."""


def _check_address(text: str) -> str:
    """Refuse all but an https address; the id may stand only where it cannot change whose address it is."""
    try:
        parts = urlsplit(text)
        safe = parts.scheme == "https" and parts.hostname and "@" not in parts.netloc
        parts.port  # noqa: B018
    except ValueError:
        safe = False
    if not safe or not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        raise PydanticCustomError(
            "sentence", "must be an address that begins with https:// and a host"
        )
    if PLACEHOLDER in text.partition("?")[0]:
        raise PydanticCustomError(
            "sentence", f"may have {PLACEHOLDER} only after the question mark"
        )
    return text


def _check_time(text: str) -> str:
    if moment_of(text) is None:
        raise PydanticCustomError(
            "sentence", "must be a date, as 2030-12-31, or a time, as 2030-12-31T18:00:00+00:00"
        )
    return text


def moment_of(text: str) -> datetime | None:
    """When a study ends: a date ends with its last moment, a time without a zone is UTC; None if it is neither."""
    try:
        moment = datetime.fromisoformat(text)
        if len(text) == len("2030-12-31"):
            moment = moment.replace(hour=23, minute=59, second=59, microsecond=999_999)
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except ValueError:
        return None


Address = Annotated[str, Field(max_length=500), AfterValidator(_check_address)]
Moment = Annotated[str, Field(max_length=40), AfterValidator(_check_time)]
Language = Annotated[str, Field(min_length=2, max_length=10)]
LongText = Annotated[str, Field(min_length=1, max_length=50_000)]
Quota = Annotated[int, Field(ge=1, le=100_000)]


class RedirectEntry(Part):
    """Where somebody is sent at the end, with the code that proves it there."""

    url: Address | None = Field(
        default=None,
        description="An https address, fixed by the experimenter; {id} after its question mark is the id that "
        "somebody came with.",
    )
    code: Label | None = Field(
        default=None, description="A code that is shown, to be copied where no address is."
    )

    def address_for(self, external: str | None) -> str:
        """The address for somebody; empty where there is none."""
        return (self.url or "").replace(PLACEHOLDER, quote(external or "", safe=""))


class PeopleEntry(Part):
    """How people take part in `mensura serve`."""

    parameter: Annotated[
        str, Field(max_length=64, pattern=r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$")
    ] = Field(
        default=PARAMETER,
        description="The parameter of the link that holds the id of whoever comes: PROLIFIC_PID of Prolific, "
        "workerId of MTurk, or what a class list is sent with.",
    )
    quota: Quota | None = Field(
        default=None,
        description="How many may agree to take part; who withdraws makes room. As many as there are places if left "
        "out.",
    )
    ends: Moment | None = Field(
        default=None,
        description="The last day, or the moment, at which somebody may begin, in UTC.",
    )
    wave: Label | None = Field(
        default=None, description="A name or number that is kept with everybody who comes, as 1."
    )
    consent: dict[Language, LongText] = Field(
        default_factory=dict,
        description="What people agree to, in Markdown by language, as {en: ..., es: ...}; that of the pages if "
        "left out.",
    )
    completed: RedirectEntry = Field(
        default=RedirectEntry(), description="Where those are sent who have finished."
    )
    screened: RedirectEntry = Field(
        default=RedirectEntry(), description="Where those are sent who cannot take part."
    )
