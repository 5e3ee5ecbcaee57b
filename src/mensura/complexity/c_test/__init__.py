"""The C-test: series of letters, as complex as the programs that print them, and items made of such series.

Hernandez-Orallo (1998) draws the series of an intelligence test from a small abstract machine. Kt of a series is the
least |p| + log2 t over the programs that print it. What is here::

    run(read_program("W + LOOPTOP"), steps=10).text    # "a b c d": the machine (`machine.py`)
    found = explain("a a z c y e x")                    # the cheapest programs, by what comes next (`search.py`)
    judge(found).unquestionable                         # whether its continuation can be disputed (`judgment.py`)
    item = draw_item(rng, 9, 11)                        # a fresh item with k from 9 to 11 (`items.py`)
    bank()                                              # items that were judged once, for who draws many (`bank.py`)
    PUBLISHED                                           # the items of the publications, as data (`published.py`)

`draw_item(rng, low, high, abduction=False)` gives a `CTestItem` (series, blank, options, answer, program, kt, k,
thrown_away). The same NumPy generator gives the same item on every machine. There are items of k from 7 to 13; one of
k up to 10 takes a tenth of a second, one of 12 and more some seconds.

Everything raises `ValueError`, with a sentence to be shown, for what is no series, program or interval.

What is compiled is imported on first use, so that importing this package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mensura.complexity.c_test.bank import BankItem, bank
    from mensura.complexity.c_test.instructions import program_text, read_program
    from mensura.complexity.c_test.items import CTestItem, draw_item
    from mensura.complexity.c_test.judgment import Judgment, judge
    from mensura.complexity.c_test.machine import Machine, Run, read_machine, run
    from mensura.complexity.c_test.published import PUBLISHED, PublishedItem
    from mensura.complexity.c_test.search import Explanation, explain

__all__ = [
    "PUBLISHED",
    "BankItem",
    "CTestItem",
    "Explanation",
    "Judgment",
    "Machine",
    "PublishedItem",
    "Run",
    "bank",
    "draw_item",
    "explain",
    "judge",
    "program_text",
    "read_machine",
    "read_program",
    "run",
]

_MODULES = {
    "bank": ("BankItem", "bank"),
    "instructions": ("program_text", "read_program"),
    "items": ("CTestItem", "draw_item"),
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
