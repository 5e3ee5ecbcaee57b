"""The log of training as a picture: what learners expect (figure 2 of Hosu and Rebedea 2016), and what they gain."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mensura.agent.errors import MensuraError
from mensura.core import palette
from mensura.reports.drawing import Drawing, drawn_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Curve(NamedTuple):
    """One learner: its interactions, the mean of the highest values, and the mean score of its last episodes."""

    name: str
    interactions: list[int]
    values: list[float]
    scores: list[float]


def read(paths: Sequence[Path], names: Sequence[str] = ()) -> list[Curve]:
    """The learners of a log, or of several that go on from one another; raises with the line that cannot be read."""
    curves: list[Curve] = []
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise MensuraError(f"{path} cannot be read: {error}.") from None
        for number, line in enumerate(lines, 1):
            try:
                told = json.loads(line)
                at, scores, values = int(told["interactions"]), told["score"], told["value"]
                row = [
                    (_number(values[k] if k < len(values) else None), _number(score))
                    for k, score in enumerate(scores)
                ]
            except (ValueError, TypeError, KeyError):
                raise MensuraError(
                    f"Line {number} of {path} is none that `mensura train` writes to its log."
                ) from None
            if not curves:
                curves = [Curve(f"learner {k + 1}", [], [], []) for k in range(len(row))]
            if len(row) != len(curves):
                raise MensuraError(
                    f"Line {number} of {path} tells of {len(row)} learners, those before of {len(curves)}."
                )
            for curve, (value, score) in zip(curves, row, strict=True):
                curve.interactions.append(at)
                curve.values.append(value)
                curve.scores.append(score)
    if not curves:
        raise MensuraError("The log is empty: nothing was trained yet.")
    if names and len(names) != len(curves):
        raise MensuraError(f"There are {len(curves)} learners in the log and {len(names)} names.")
    return [
        one._replace(name=name)
        for one, name in zip(curves, names or [c.name for c in curves], strict=True)
    ]


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def picture(curves: Sequence[Curve], skip: int = 1) -> Drawing:
    """Both over training, one line for each learner; ``skip`` frames are an interaction."""

    def paint(rows: Sequence[Axes]) -> None:
        upper, lower = rows
        for k, one in enumerate(curves):
            color, _ = palette.SERIES[k % len(palette.SERIES)]
            at = [skip * interactions / 1e6 for interactions in one.interactions]
            upper.plot(at, one.values, color=color, label=one.name)
            lower.plot(at, one.scores, color=color, linewidth=0.8)
        upper.set_ylabel("highest value [mean]")
        lower.set_ylabel("score [last episodes]")
        lower.set_xlabel("frames [millions]" if skip > 1 else "interactions [millions]")
        if len(curves) > 1:
            upper.legend(fontsize="small", ncols=2)
        for axes in rows:
            axes.grid()

    told = "; ".join(
        f"{one.name}: highest value {one.values[-1]:.3g}, score {one.scores[-1]:.4g} at the end"
        for one in curves
    )
    return drawn_rows(620, 420, "training", f"Training. {told}", paint, 2)
