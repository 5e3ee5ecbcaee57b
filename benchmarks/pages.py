"""Brings the figures that ``make bench`` wrote into the documentation: the table, and the picture of growth."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "speed.md"
PICTURE = ROOT / "docs" / "images" / "growth.svg"
DECADE = re.compile(r"a study of 10\^(\d+) episodes")


def shown(value: float, unit: str) -> str:
    """A number with its unit, as a reader likes it."""
    if value >= 1e6:
        return f"{value / 1e6:.1f} million {unit}".strip()
    if value >= 1000:
        return f"{value:,.0f} {unit}".strip()
    return f"{value:.3g} {unit}".strip()


def table(figures: list[dict[str, Any]]) -> str:
    """What was measured beside what was wanted."""
    lines = ["| what | measured | goal |", "|---|---:|---:|"]
    for one in figures:
        goal = ""
        if one["goal"] is not None:
            goal = (
                f"{'at least' if one['higher_is_better'] else 'at most'} {shown(one['goal'], '')}"
            )
        lines.append(f"| {one['name']} | {shown(one['value'], one['unit'])} | {goal} |")
    return "\n".join(lines) + "\n"


def picture(figures: list[dict[str, Any]], where: Path) -> None:
    """The cost of an episode in studies of a thousand to a million."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    from mensura.core import palette

    points = {
        10 ** int(found[1]): one["value"]
        for one in figures
        if (found := DECADE.fullmatch(one["name"]))
    }
    with pyplot.rc_context({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 10}):
        figure, axes = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")
        axes.plot(list(points), list(points.values()), "o-", color=palette.BLUE)
        axes.axhline(50, color="0.5", linestyle=":", linewidth=1)
        axes.annotate(
            "goal: 20,000 episodes a second", (max(points), 50), (0, 4), ha="right", va="bottom",
            textcoords="offset points", color="0.35",
        )  # fmt: skip
        axes.set_xscale("log")
        axes.set_ylim(0, 1.15 * max(50, *points.values()))
        axes.set_xlabel("episodes of the study")
        axes.set_ylabel("cost of an episode [µs]")
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(where, metadata={"Date": None, "Creator": None})
        pyplot.close(figure)


def main() -> None:
    """Rewrite the table of the page, and draw the picture anew."""
    results = json.loads((ROOT / "benchmarks" / "results" / "bench.json").read_text())
    figures = results["figures"]
    text = PAGE.read_text()
    begin = text.index("| what |")
    end = text.index("\n\n", begin) + 1
    PAGE.write_text(text[:begin] + table(figures) + text[end:])
    if any(DECADE.fullmatch(one["name"]) for one in figures):
        picture(figures, PICTURE)


if __name__ == "__main__":
    main()
