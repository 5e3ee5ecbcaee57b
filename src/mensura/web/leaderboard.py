"""The leaderboard: a table for each test, of everybody whose scores can be compared."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from mensura.records.validity import LIMIT
from mensura.reports.number_words import FEWEST, interval, percent, signed
from mensura.web import readings
from mensura.web.desk import Reader, worked_out
from mensura.web.pages import page, words_for

WIDTH = 240
"""Of the drawn scale, in pixels."""

router = APIRouter(tags=["dashboard"])


class StandingRow(BaseModel):
    """A row of the leaderboard."""

    place: int | None = Field(
        description="Equal scores share one; null where the score is not valid, or the table has no places."
    )
    subject: str
    kind: Literal["people", "model", "machine", "reference"]
    training: int = Field(description="Training episodes before each assessed one.")
    score: float
    low: float | None = Field(
        description="The lower end of the 95% interval; null where it is not known."
    )
    high: float | None
    default_share: float | None = Field(
        description="The share of its actions that were the environment's default; null where not recorded."
    )
    valid: bool
    count: int = Field(description="How many scores it rests on.")
    runs: list[str]
    isolation: str = Field(
        description="How it was held while it was assessed; empty for references."
    )


class BoardRows(BaseModel):
    """Those whose scores can be compared, the best first."""

    world: str
    parameters: dict[str, Any]
    assessment: str
    given: dict[str, Any] = Field(description="The parameters of the assessment.")
    standings: list[StandingRow]
    content: str = Field(
        description="Where environments come from: generated afresh, drawn from a public bank, fixed, or not stated."
    )
    is_apart: bool = Field(
        description="Whether its subjects could have known their environments: they were not fully isolated."
    )
    is_ranked: bool = Field(description="Whether there are places.")
    marks: list[str] = Field(description="Why there are none, in sentences.")


@router.get("/api/leaderboard")
async def leaderboard(request: Request, may: Reader) -> list[BoardRows]:
    """Everybody who was assessed, on one scale for each world and assessment."""
    return [BoardRows(**board) for board in await worked_out(request, readings.leaderboard)]


@router.get("/leaderboard", include_in_schema=False)
async def leaderboard_page(request: Request, may: Reader) -> Response:
    """The leaderboard."""
    boards = await leaderboard(request, True)
    return page(
        request,
        "dashboard/leaderboard.html",
        boards=[_drawn(one) for one in boards],
        most=LIMIT,
        words=words_for(request).group("dashboard.leaderboard"),
    )


def _interval(one: StandingRow) -> str:
    """The interval as reports write it; nothing where there are too few scores."""
    if one.low is None or one.high is None or one.count < FEWEST:
        return ""
    return interval(one.low, one.high)


def _drawn(board: BoardRows) -> dict[str, Any]:
    """A board with where each score stands on a common scale."""
    ends = [
        value
        for one in board.standings
        for value in (one.score, one.low, one.high)
        if value is not None
    ]
    low, high = min([*ends, 0.0]), max([*ends, 0.0])
    width = (high - low) or 1.0

    def at(value: float) -> float:
        return round(6 + (value - low) / width * (WIDTH - 12), 1)

    rows = [
        {
            **one.model_dump(),
            "shown": signed(one.score),
            "interval": _interval(one),
            "by_default": "" if one.default_share is None else percent(one.default_share),
            "at": at(one.score),
            "from": at(one.low) if one.low is not None else None,
            "to": at(one.high) if one.high is not None else None,
        }
        for one in board.standings
    ]
    return {
        **board.model_dump(exclude={"standings"}),
        "standings": rows,
        "zero": at(0.0),
        "width": WIDTH,
    }
