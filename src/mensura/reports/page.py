"""Pages: templates of this package filled in, everything that is not ours escaped, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mensura import __version__
from mensura.core import palette
from mensura.core.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True)
class Picture:
    """A drawing to stand in a report."""

    title: str
    svg: str
    """As it goes into the page: written by a view of ours or of a world, never by a subject."""
    caption: str = ""


def fill(
    template: str, contents: Sequence[tuple[str, str]], figures: dict[str, Any], **words: Any
) -> str:
    """The page that a template makes of words, which are escaped, and of ``figures``, which are not.

    A figure is SVG, a :class:`Picture`, or a list of mappings whose "svg" is one; their "panels" are such a list.
    """
    with palette.extra("A report"):
        from markupsafe import Markup

    def trusted(figure: Any) -> Any:
        if isinstance(figure, str):
            return Markup(figure)
        if isinstance(figure, Picture):
            return {"title": figure.title, "svg": Markup(figure.svg), "caption": figure.caption}
        if isinstance(figure, dict):
            inner = {"panels": trusted(figure["panels"])} if "panels" in figure else {}
            return {**figure, "svg": Markup(figure["svg"]), **inner}
        return [trusted(one) for one in figure]

    css = files("mensura.reports").joinpath("templates/style.css").read_text(encoding="utf-8")
    return visible(
        _templates()
        .get_template(template)
        .render(
            contents=contents,
            css=Markup(css),
            version=__version__,
            **{name: trusted(figure) for name, figure in figures.items()},
            **words,
        )
    )


@cache
def _templates() -> Environment:
    """The templates of this package, which are translated once."""
    with palette.extra("A report"):
        from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("mensura.reports"), autoescape=True, undefined=StrictUndefined
    )
