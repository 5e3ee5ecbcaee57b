"""The tables of the reference page, made from the schema; `python -m tests.records.pages` renews them."""

from __future__ import annotations

import re
from pathlib import Path

from mensura.records import schema
from mensura.records.tables import READABLE

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "reference" / "records.md"


def readable_tables() -> str:
    """The readable tables with their columns."""
    parts = []
    for name, table in READABLE.items():
        parts.append(
            f"### {name}\n\n{table.about}\n\n| column | kind | what it is |\n|---|---|---|"
        )
        parts += (f"| `{one.name}` | {one.kind} | {one.about} |" for one in table.fields)
        parts.append("")
    return "\n".join(parts)


def stored_tables() -> str:
    """The tables of the database with their columns."""
    parts = []
    for name, table in schema.metadata.tables.items():
        parts.append(f"### Table `{name}`\n\n| column | type | what it is |\n|---|---|---|")
        for column in table.columns:
            mark = ", key" if column.primary_key else ""
            parts.append(f"| `{column.name}` | {str(column.type).lower()}{mark} | {column.doc} |")
        parts.append("")
    return "\n".join(parts)


MADE = {"readable tables": readable_tables, "stored tables": stored_tables}


def part(name: str) -> re.Pattern[str]:
    """Where a part stands in the page."""
    return re.compile(rf"(?<=<!-- {name} -->\n\n).*?(?=\n<!-- end of {name} -->)", re.DOTALL)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    for name, make in MADE.items():
        start, end = next(part(name).finditer(page)).span()
        page = page[:start] + make() + page[end:]
    PAGE.write_text(page, encoding="utf-8")
