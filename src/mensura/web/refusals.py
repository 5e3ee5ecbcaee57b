"""Refusals: sentences of ours with the status that they have on the web."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from mensura.agent.errors import MensuraError


class Refused(MensuraError):
    """What cannot be had, and why: 401 log in first, 403 not yours, 404 not there, 409 not now, 429 too often."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Asked(BaseModel):
    """What somebody asks; a name that is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class Told(BaseModel):
    """What the API answers where something cannot be had."""

    error: str = Field(description="A sentence on what is wrong, and what would be right.")


ANSWERS: dict[int | str, dict[str, Any]] = {
    status: {"model": Told, "description": description}
    for status, description in {
        400: "Something in the request is wrong.",
        401: "Log in as the experimenter first.",
        403: "It is not yours, or was asked for by another site.",
        404: "It is not there.",
        409: "It cannot be done now.",
        413: "The request is too large.",
        422: "The request has not the form that is described here.",
        429: "Too much, or too often; try again later.",
        503: "It could not be worked out; try again later.",
    }.items()
}
"""What any operation of the API may answer besides what was asked for."""
