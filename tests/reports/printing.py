"""Reports without their figures, for tests that read words and tables.

Painting and writing figures, and drawing studies anew, is nearly all the time that a report takes.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import StringIO
from typing import IO, Any

import pytest
from tests.sizes import at_full_size

from mensura.core import palette
from mensura.reports import drawing, reliability


@contextmanager
def empty_figures(but: str | None = None, *, even_at_full_size: bool = False) -> Iterator[None]:
    """Figures stand in the page with their label, but nothing is in them, and they are not painted.

    Those whose label holds certain words can be left as they are. How well intervals cover is found out with fewer
    studies. At full size all is drawn, but where a test would draw it twice.
    """
    if at_full_size() and not even_at_full_size:
        yield
        return
    style, really_write, tidy = drawing._style, drawing._write, palette.tidy_svg
    last: Any = None

    def write(paint: Any, buffer: IO[Any], kind: str, metadata: dict[str, Any]) -> None:
        nonlocal last
        last = paint
        if kind == "svg":
            size = 'viewBox="0 0 400 300"'
            buffer.write(f'<svg xmlns="http://www.w3.org/2000/svg" {size}><g></g></svg>')
        else:
            buffer.write(b"%PDF-")

    def tidy_some(text: str, name: str, label: str) -> str:
        if but is not None and but in label:
            buffer = StringIO()
            with style():
                really_write(last, buffer, "svg", {"Date": None})
            text = buffer.getvalue()
        return tidy(text, name, label)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(palette, "tidy_svg", tidy_some)
        patch.setattr(drawing, "_write", write)
        patch.setattr(drawing, "_style", nullcontext)
        patch.setattr(reliability, "COVERAGE_STUDIES", 20)
        yield
