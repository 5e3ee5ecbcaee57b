"""Whether everything on a page that can be pressed is what one hits there, on phones and larger screens."""

from __future__ import annotations

from typing import Any

SCREENS = (390, 844), (844, 390), (1280, 800), (800, 1280)
"""Phones and larger screens, upright and lying, in pixels."""

_COVERED = """() => {
  const places = "a[href], button, input, select, textarea, summary, [data-action], [data-hold]";
  const covered = [];
  for (const control of document.querySelectorAll(places)) {
    if (!control.checkVisibility({ visibilityProperty: true }) || control.disabled) continue;
    if (control.type === "hidden" || control.matches(".skip:not(:focus)")) continue;
    control.scrollIntoView({ block: "center", inline: "center" });
    const box = control.getClientRects()[0];
    if (!box || !box.width || !box.height) continue;
    const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const label = control.labels?.[0];
    if (!hit || !(control.contains(hit) || hit.contains(control) || label?.contains(hit)))
      covered.push(`${control.outerHTML.slice(0, 80)} behind ${hit ? hit.outerHTML.slice(0, 80) : "nothing"}`);
    else if (hit !== control && hit.contains(control) && hit.querySelectorAll(places).length > 1)
      covered.push(`${control.outerHTML.slice(0, 80)} is not hit`);
  }
  return covered;
}"""


def controls_that_are_covered(page: Any) -> list[str]:
    """What can be pressed and is not what one hits at its center, on screens of all sizes."""
    before = page.viewport_size
    covered = []
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        covered += [f"{width} x {height}: {control}" for control in page.evaluate(_COVERED)]
    page.set_viewport_size(before)
    return covered
