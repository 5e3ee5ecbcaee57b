"""Things that are closed at the end of a `with`."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Closes itself when its `with` is left, however that happens."""

    def close(self) -> None:
        """Let go of what it holds."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
