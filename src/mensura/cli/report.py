"""``mensura report``: what one run found, or several, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mensura.cli import options
from mensura.terminal.output import Files, console, say_where, working


def report(
    runs: Annotated[
        list[str],
        typer.Argument(help="The runs, by name or number; several stand side by side."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the HTML report goes.")
    ] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option("--figures", help="Also save every figure as SVG and PDF in this folder."),
    ] = None,
    store: options.StoreOption = None,
) -> None:
    """Write the report of a run as one HTML file that loads nothing from elsewhere.

    It says what was run, who scored what and how sure that is, what complexity, factors and training did, how long it
    took, what went wrong, and how to run it again. A run that is not finished is reported as far as it is.
    """
    from mensura.api.reporting import check_can_report, own_page, page_of
    from mensura.cli.reporting import write_page
    from mensura.records.results import write_whole
    from mensura.records.store import open_store
    from mensura.reports.study import Drawings, joined, save_figures
    from mensura.studies.figure_series import asked_figures
    from mensura.studies.pools_of_runs import shelve_pools

    check_can_report()
    Files(report=output)
    with working("Reading the records"), open_store(store, create=False) as records:
        found = [records.find(name) for name in runs]
        own = own_page(records, found[0]) if len(found) == 1 and figures is None else None
        read = [(records.result(run), records.samples(run)) for run in found]
        for run in found:
            shelve_pools(records, run)
    if own is not None:
        write_page(own, output)
        return
    with working("Drawing the figures and writing the report"):
        result, samples = read[0] if len(read) == 1 else joined(read)
        asked = asked_figures(result, samples)
        drawings = Drawings(result, samples, asked)
        page = page_of(result, samples, pictured=read[0][0], asked=asked, drawings=drawings)
        write_whole(output, page)
    say_where("The report", output)
    if figures is not None:
        with working("Saving the figures"):
            paths = save_figures(result, samples, figures, asked, drawings=drawings)
        console().print(f"{len(paths)} files of figures: {figures.resolve()}", soft_wrap=True)
