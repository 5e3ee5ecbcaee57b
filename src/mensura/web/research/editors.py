"""What a world brings to the research view beside what every world has: an editor of its environments.

An editor is registered under the id of its world, in the group ``mensura.editors``. It is a script for the page, and
routes of its own that the script asks. The default export of the script is a class, made with ``(place, form, page)``,
where ``page`` has ``begin(description)`` and ``generate(changes)``, which draws with further parameters. It has
``show(description)``, called whenever an environment is shown, and may have ``open()``, once at the beginning;
``edit(description)``, where somebody wants to change that one; ``choices(name)``, the words of a parameter and how
another one is called; and ``further(place, begun)``, to show more of a visit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter

from mensura.core.registry import EDITORS, BrokenPlugin


@dataclass(frozen=True)
class Editor:
    """The editor of a world."""

    script: str
    """The address of its script, as /static/editors/mine.js."""
    router: APIRouter
    """What the script asks."""
    data: Callable[[], dict[str, Any]] = dict
    """What the script has to know beforehand."""


def editor_of(world: str) -> Editor | None:
    """The editor of a world by its id; None where it has none, or none that can be used."""
    try:
        found: Editor | None = EDITORS.load(world) if world in EDITORS.entries() else None
    except BrokenPlugin:
        return None
    return found


def editors() -> list[Editor]:
    """All that are registered and can be used."""
    return [one for _, one in EDITORS.all() if isinstance(one, Editor)]
