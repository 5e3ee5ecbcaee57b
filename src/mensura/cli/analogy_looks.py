"""``mensura analogy looks``: how much subjects go by looks where structure decides."""

from __future__ import annotations

from typing import Annotated

import typer

from mensura.cli import options
from mensura.terminal.options import Json, Seed, seed_or_fresh
from mensura.terminal.output import Files, say, status, table


def looks(
    subjects: Annotated[
        list[str], typer.Argument(metavar="SUBJECT...", help="Who, as for `mensura assess`.")
    ],
    problems: Annotated[
        int, typer.Option("--problems", "-n", help="So many, each at five pulls.", min=2)
    ] = 100,
    preset: options.Preset = None,
    seed: Seed = None,
    json: Json = None,
) -> None:
    """Measure the reliance on looks: success in the same problems as names lead away from the answer or to it.

    The slope is 0 for whoever goes by structure alone, and 0.5 for whoever goes by looks alone.
    """
    from mensura.api.reliance import PULLS, reliance_on_looks

    files = Files(json=json)
    root = seed_or_fresh(seed)
    with status("Measuring") as tell:
        found = reliance_on_looks(subjects, problems=problems, preset=preset, seed=root, tell=tell)
    columns = [("subject", False), *((f"pull {one:g}", True) for one in PULLS)]
    table(
        f"Success in {problems} problems",
        [*columns, ("reliance on looks", True)],
        [
            (
                one.subject,
                *(f"{one.success[pull]:.3f}" for pull in PULLS),
                f"{one.slope.value:+.3f} [{one.slope.low:+.3f}, {one.slope.high:+.3f}]",
            )
            for one in found
        ],
    )
    say(f"seed {root}")
    files.json(
        [
            {
                "subject": one.subject,
                "success": {f"{pull:g}": share for pull, share in one.success.items()},
                "slope": one.slope.value,
                "low": one.slope.low,
                "high": one.slope.high,
            }
            for one in found
        ]
    )
