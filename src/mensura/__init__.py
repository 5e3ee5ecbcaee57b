"""Mensura measures the general intelligence of any subject: program, learner, collective or person."""

import sys
from importlib import import_module

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """The version, looked up when it is asked for: reading the installed metadata takes a while."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mensura")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"


# Gymnasium has no plug-ins, so whoever uses it has to import something for our ids to be known: this package is
# enough where Gymnasium came first. Nothing is imported for anybody else.
if "gymnasium" in sys.modules:
    import_module("mensura.adapters.gymnasium")
