"""The items in the documentation are what the software makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.worlds.items.examples import examples, picture, place

from mensura.pictures.svg import as_svg
from mensura.worlds.items.families.table import FAMILIES

PAGE = Path(__file__).parents[3] / "docs" / "worlds" / "items.md"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough)
        if name in ("c-test", "letter-analogies", "matrices")
        else name
        for name in FAMILIES
    ],
)
def test_items_are_shown_as_they_are(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    section = page.split(f"\n### `{name}`\n")[1].split("\n### ")[0]
    assert f"```text\n{examples(name)}\n```" in section
    assert f"](../images/{place(name).name})" in section
    assert place(name).read_text(encoding="utf-8") == as_svg(picture(name))
