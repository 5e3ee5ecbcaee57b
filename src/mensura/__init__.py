"""Mensura measures the general intelligence of any subject: program, learner, collective or person."""

from typing import Any

__all__ = ["__version__"]


def __getattr__(name: str) -> Any:
    """The version, looked up when it is asked for: reading the installed metadata takes a while."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mensura")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"
