"""The C-test: series of letters, as complex as the programs that print them.

Hernandez-Orallo (1998) draws the series of an intelligence test from a small abstract machine. Kt of a series is the
least |p| + log2 t over the programs that print it. What is here::

    run(read_program("W + LOOPTOP"), steps=10).text    # "a b c d": the machine (`machine.py`)
    found = explain("a a z c y e x")                    # the cheapest programs, by what comes next (`search.py`)
    judge(found).unquestionable                         # whether its continuation can be disputed (`judgment.py`)
    PUBLISHED                                           # the items of the publications, as data (`published.py`)

Everything raises `ValueError`, with a sentence to be shown, for what is no series, program or interval.

What is compiled is imported on first use, so that importing this package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mensura.complexity.c_test.instructions import program_text, read_program
    from mensura.complexity.c_test.judgment import Judgment, judge
    from mensura.complexity.c_test.machine import Machine, Run, read_machine, run
    from mensura.complexity.c_test.published import PUBLISHED, PublishedItem
    from mensura.complexity.c_test.search import Explanation, explain

__all__ = [
    "PUBLISHED",
    "Explanation",
    "Judgment",
    "Machine",
    "PublishedItem",
    "Run",
    "explain",
    "judge",
    "program_text",
    "read_machine",
    "read_program",
    "run",
]

_MODULES = {
    "instructions": ("program_text", "read_program"),
    "judgment": ("Judgment", "judge"),
    "machine": ("Machine", "Run", "read_machine", "run"),
    "published": ("PUBLISHED", "PublishedItem"),
    "search": ("Explanation", "explain"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
