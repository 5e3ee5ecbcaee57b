"""What the fields of a class mean, in the words that stand below them where they are declared.

A field is explained once, in the text below it; commands, pages and forms that list fields read it there.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import pairwise
from textwrap import dedent
from threading import Lock

_PARSING = Lock()
"""CPython 3.11 counts the depth of trees for all threads together, and fails where two of them parse at once."""


@cache
def meanings(kind: type) -> dict[str, str]:
    """The first paragraph of the text below each field of a class, and of those it is derived from.

    A dataclass may say it in the metadata of a field instead, as its "meaning". Fields without a text are left out; so
    are all of a class whose source cannot be read.
    """
    found: dict[str, str] = {}
    if is_dataclass(kind):
        told = {one.name: str(one.metadata.get("meaning", "")) for one in fields(kind)}
        found |= {name: f"{text.removesuffix('.')}." for name, text in told.items() if text}
    for one in reversed(kind.__mro__):
        try:
            with _PARSING:
                (declared,) = ast.parse(dedent(inspect.getsource(one))).body
        except (OSError, TypeError, SyntaxError):
            continue
        body = declared.body if isinstance(declared, ast.ClassDef) else []
        for line, below in pairwise(body):
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                text = _text(below)
                if text:
                    found[line.target.id] = text
    return found


def _text(line: ast.stmt) -> str:
    """Of a statement that is nothing but a text, its first paragraph on one line; else nothing."""
    if isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant):
        return " ".join(str(line.value.value).partition("\n\n")[0].split())
    return ""
