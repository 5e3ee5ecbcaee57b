"""How people choose an action: buttons, numbers, texts and lists of these, made from the action space alone.

A form is plain data that a page builds its fields from; what it sends back is the action as JSON writes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Box, Discrete, Record, Several, Space, Text
from mensura.pictures.scenes import Choice, Controls

Form: TypeAlias = dict[str, Any]

MOST_CHOICES = 200
"""So many buttons a page has at most."""

MOST_FIELDS = 60
"""So many fields a page has at most."""

LARGEST = 1e9
"""The largest number that a field takes where the space has no bounds."""


def form_of(
    space: Space,
    controls: Controls | None = None,
    legal: Callable[[Any], bool] = lambda action: True,
) -> Form:
    """The form of an action space.

    ``controls`` have names for its actions or numbers, where the world has any; actions that are not ``legal`` now are
    left out.
    """
    if isinstance(space, Discrete):
        named = {one.action: one for one in controls.choices} if controls else {}
        held = any(one.held for one in named.values())
        return {
            "kind": "choices",
            "choices": [
                _choice(action, named.get(action), held)
                for action in range(space.start, space.start + space.n)
                if legal(action)
            ],
        }
    if isinstance(space, Box):
        return {
            "kind": "numbers",
            "shape": list(space.shape),
            "low": max(space.low, -LARGEST),
            "high": min(space.high, LARGEST),
            "whole": space.dtype == "uint8",
            "names": [one.name for one in controls.knobs] if controls else [],
        }
    if isinstance(space, Text):
        return {"kind": "text", "longest": space.longest, "characters": space.characters}
    if isinstance(space, Record):
        return {"kind": "record", "fields": [[name, form_of(one)] for name, one in space.fields]}
    return {"kind": "several", "most": space.most, "item": form_of(space.space)}


def _choice(action: int, named: Choice | None, held: bool) -> dict[str, Any]:
    """One choice; where any of them is made by holding something, each says what."""
    if named is None:
        return {"action": action, "name": str(action)}
    found: dict[str, Any] = {"action": action, "name": named.name}
    if named.key:
        found["key"] = named.key
    if held:
        found["held"] = list(named.held)
    return found


def check_form(space: Space) -> None:
    """Raise if the form of a space would be too long for a page."""
    count = fields_of(space)
    if count > MOST_FIELDS:
        raise MensuraError(
            f"An action has {count} numbers and texts, too many for people to fill in; {MOST_FIELDS} are the most."
        )
    if isinstance(space, Discrete) and space.n > MOST_CHOICES:
        raise MensuraError(
            f"There are {space.n} actions, too many for people to choose from; {MOST_CHOICES} are the most."
        )


def fields_of(space: Space) -> int:
    """How many fields the form of a space has, of a list those of one item."""
    if isinstance(space, Box):
        return space.size
    if isinstance(space, Record):
        return sum(fields_of(one) for _, one in space.fields)
    return fields_of(space.space) if isinstance(space, Several) else 1


def form_in_words_of(say: Callable[[str], str], form: Form | None) -> Form | None:
    """A form with the names of its actions and numbers in another language."""
    if form is None:
        return None
    said = dict(form)
    if "choices" in said:
        said["choices"] = [{**one, "name": say(one["name"])} for one in said["choices"]]
    if said.get("names"):
        said["names"] = list(map(say, said["names"]))
    if "fields" in said:
        said["fields"] = [[name, form_in_words_of(say, one)] for name, one in said["fields"]]
    if "item" in said:
        said["item"] = form_in_words_of(say, said["item"])
    if "about" in said:
        said["about"] = [_case_in_words_of(say, one) for one in said["about"]]
    return said


def _case_in_words_of(say: Callable[[str], str], case: Form) -> Form:
    """A case, whose course has actions by name."""
    actions = [{**one, "name": say(one["name"])} for one in case["course"]["actions"]]
    return {**case, "course": {**case["course"], "actions": actions}}
