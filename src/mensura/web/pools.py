"""Pools of checkpoints in the research view, as contact sheets. Only the experimenter sees them: they are the starts of
tests."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from mensura.web import pool_readings
from mensura.web.desk import worked_out
from mensura.web.home import Experimenter
from mensura.web.pages import page
from mensura.web.refusals import Refused

router = APIRouter(tags=["research"])

Digest = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


@router.get("/research/pools", include_in_schema=False)
async def pools_page(request: Request, experimenter: Experimenter) -> Response:
    """All pools that runs of the store need."""
    found = await worked_out(request, pool_readings.pools)
    return page(request, "research/pools.html", pools=found)


@router.get("/research/pools/{digest}/sheet.png", include_in_schema=False)
async def pool_sheet(request: Request, digest: Digest, experimenter: Experimenter) -> Response:
    """The checkpoints of a pool on one sheet."""
    drawn = await worked_out(request, pool_readings.sheet, digest)
    if drawn is None:
        raise Refused(404, f"There is no pool {digest} in the store.")
    headers = {"cache-control": "private, max-age=86400"}
    return Response(drawn, media_type="image/png", headers=headers)
