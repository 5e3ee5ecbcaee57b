"""The design: tokens whose contrast can be read by everybody, the same in reports, and pages that use nothing else."""

import re
from pathlib import Path

import pytest

from mensura import reports, web

pytestmark = pytest.mark.quick

STATIC = Path(web.__file__).parent / "static"
SHEET = (STATIC / "style.css").read_text(encoding="utf-8")
REPORT = (Path(reports.__file__).parent / "templates" / "style.css").read_text(encoding="utf-8")
LOOKS = ("light", "dark")


def tokens(sheet: str, look: str) -> dict[str, str]:
    """Colors by name."""
    light, dark = sheet.split("prefers-color-scheme: dark")[:2]
    part = light if look == "light" else dark[: dark.index("\n}")]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part))


def luminance(color: str) -> float:
    """Relative luminance, as the Web Content Accessibility Guidelines define it."""
    channels = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_the_guidelines_say() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("look", LOOKS)
def test_text_can_be_read_on_whatever_it_stands_on(look: str) -> None:
    color = tokens(SHEET, look)
    grounds = ("paper", "card", "soft")
    pairs = [(ink, on) for ink in ("ink", "dim", "accent", "bad") for on in grounds]
    pairs += [(name, f"{name}-soft") for name in ("accent", "good", "warn", "bad")]
    pairs += [("on-accent", "accent"), ("ink", "accent-soft")]
    assert {
        pair: contrast(color[pair[0]], color[pair[1]])
        for pair in pairs
        if contrast(color[pair[0]], color[pair[1]]) < 4.5
    } == {}


@pytest.mark.parametrize("look", LOOKS)
def test_borders_of_what_can_be_used_are_seen(look: str) -> None:
    color = tokens(SHEET, look)
    assert all(contrast(color["edge"], color[on]) >= 3.0 for on in ("paper", "card", "soft"))


@pytest.mark.parametrize("look", LOOKS)
def test_reports_have_the_same_tokens(look: str) -> None:
    shared = tokens(REPORT, look)
    assert len(shared) > 5
    assert shared.items() <= tokens(SHEET, look).items()


def test_every_token_that_is_used_is_one() -> None:
    known = set(re.findall(r"(--[\w-]+):", SHEET))
    for sheet in STATIC.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        own = set(re.findall(r"(--[\w-]+):", text))
        assert set(re.findall(r"var\((--[\w-]+)\)", text)) <= known | own, sheet.name
