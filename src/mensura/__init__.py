"""Mensura measures the general intelligence of any subject: program, learner, collective or person."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("mensura")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0.0.0"

__all__ = ["__version__"]
