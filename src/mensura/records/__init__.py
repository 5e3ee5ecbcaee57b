"""What runs leave behind: the store and its readers, results in constant memory, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mensura.records.store import open_store

__all__ = ["open_store"]


def __getattr__(name: str) -> Any:
    # Databases are imported when a store is opened, not with whatever else is kept in this room.
    if name == "open_store":
        from mensura.records.store import open_store

        return open_store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
