"""Reports without their figures, for tests that read words and tables.

Laying out and writing figures, and drawing studies anew, is nearly all the time that a report takes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest

from mensura.reports import drawing, reliability


@contextmanager
def empty_figures() -> Iterator[None]:
    """Figures are painted, and stand in the page with their size and label, but nothing is in them.

    How well intervals cover is found out with fewer studies.
    """

    def write(figure: Any, buffer: IO[str], kind: str, metadata: dict[str, Any]) -> None:
        assert figure.axes
        if kind != "svg":
            buffer.write(b"%PDF-")
            return
        width, height = 72 * figure.get_size_inches()
        size = f'viewBox="0 0 {width} {height}"'
        buffer.write(f'<svg xmlns="http://www.w3.org/2000/svg" {size}><g></g></svg>')

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_write", write)
        patch.setattr(reliability, "COVERAGE_STUDIES", 50)
        yield


@pytest.fixture
def words_only(full_size: bool) -> Iterator[None]:
    """The test reads words and tables. At full size its figures are drawn all the same."""
    if full_size:
        yield
    else:
        with empty_figures():
            yield
