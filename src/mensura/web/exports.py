"""What the experimenter takes away: tables as CSV and Parquet, their codebook, and all of a study as one folder."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from mensura.records.store import NAME
from mensura.web.codebook import CODEBOOK, TABLES, codebook, types_of
from mensura.web.exporting import csv_text, first_ready, in_pieces, parquet_file, plain_rows
from mensura.web.home import Experimenter
from mensura.web.people.analysis import report_page
from mensura.web.people.studies import People
from mensura.web.security import ALONE
from mensura.web.study_folder import rows_of, study_folder

router = APIRouter(tags=["experimenter"])

StudyName = Annotated[str, Path(pattern=f"^{NAME.pattern}$", max_length=200)]
OfPilot = Annotated[bool, Query(description="That of the pilot, which is in no other export.")]


@router.get(
    "/api/experimenter/studies/{name}/folder.zip",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}, "description": "A file."}},
)
def folder(
    request: Request, may: Experimenter, name: StudyName, pilot: OfPilot = False
) -> Response:
    """All of a study as one folder like a dataset of BIDS: tables, codebook, study file, consent texts, versions."""
    people: People = request.app.state.people
    file = study_folder(people, people.study(name), pilot=pilot)
    headers = {"content-disposition": f'attachment; filename="{_file(name, pilot)}.zip"'}
    return StreamingResponse(in_pieces(file), media_type="application/zip", headers=headers)


@router.get(
    "/api/experimenter/studies/{name}/report.html",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/html": {}}, "description": "A page that stands alone."}},
)
def report(request: Request, may: Experimenter, name: StudyName) -> Response:
    """The report: who took part, from the link to the analysis, scores with and without exclusions, reliability."""
    people: People = request.app.state.people
    text = report_page(people, people.study(name))
    return HTMLResponse(text, headers={"content-security-policy": ALONE})


@router.get(
    "/api/experimenter/studies/{name}/{what}.{kind}",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {"text/csv": {}, "application/vnd.apache.parquet": {}},
            "description": "A file.",
        }
    },
)
def export(
    request: Request,
    may: Experimenter,
    name: StudyName,
    what: Literal["participants", "interactions", "questionnaires", "codebook"],
    kind: Literal["csv", "parquet"],
    pilot: OfPilot = False,
) -> Response:
    """Everybody, every interaction, every answer to a question, or what the columns of these mean.

    CSV, or Parquet where polars is installed.
    """
    people: People = request.app.state.people
    found = people.study(name)
    columns = types_of(CODEBOOK if what == "codebook" else TABLES[what])
    told = (
        codebook(found.people) if what == "codebook" else rows_of(people, found, what, pilot=pilot)
    )
    rows = first_ready(plain_rows(told, columns))
    file = _file(f"{name}-{what}", pilot)
    headers = {"content-disposition": f'attachment; filename="{file}.{kind}"'}
    if kind == "csv":
        text = csv_text(list(columns), rows)
        return StreamingResponse(text, media_type="text/csv; charset=utf-8", headers=headers)
    pieces = in_pieces(parquet_file(columns, rows))
    return StreamingResponse(pieces, media_type="application/vnd.apache.parquet", headers=headers)


def _file(name: str, pilot: bool) -> str:
    return f"{name}-pilot" if pilot else name
