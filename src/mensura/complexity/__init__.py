"""Complexity: of a sequence of symbols, and of the space in which something hides.

What is compiled is imported on first use, so that importing this package is quick.
"""

from typing import TYPE_CHECKING, Any

from mensura.complexity.compression import zlib_length
from mensura.complexity.entropy import search_space_entropy, shannon_entropy
from mensura.complexity.integers import log_star

if TYPE_CHECKING:
    from mensura.complexity.lempel_ziv import lempel_ziv_76, normalized

__all__ = [
    "lempel_ziv_76",
    "log_star",
    "normalized",
    "search_space_entropy",
    "shannon_entropy",
    "zlib_length",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from mensura.complexity import lempel_ziv

        return getattr(lempel_ziv, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
