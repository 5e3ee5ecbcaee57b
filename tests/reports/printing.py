"""Reports without their figures, for tests that read words and tables.

Painting and writing figures, and drawing studies anew, is nearly all the time that a report takes.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import IO, Any

import pytest

from mensura.reports import drawing, reliability


@contextmanager
def empty_figures() -> Iterator[None]:
    """Figures stand in the page with their label, but nothing is in them, and they are not painted.

    How well intervals cover is found out with fewer studies.
    """

    def write(paint: Any, buffer: IO[Any], kind: str, metadata: dict[str, Any]) -> None:
        if kind == "svg":
            size = 'viewBox="0 0 400 300"'
            buffer.write(f'<svg xmlns="http://www.w3.org/2000/svg" {size}><g></g></svg>')
        else:
            buffer.write(b"%PDF-")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_write", write)
        patch.setattr(drawing, "_style", nullcontext)
        patch.setattr(reliability, "COVERAGE_STUDIES", 20)
        yield
