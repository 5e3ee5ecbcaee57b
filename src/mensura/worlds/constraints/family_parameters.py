"""The parameters of all families of problems, as parameters of the world; those that are not set are as usual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.kit import BaseWorld, parameter


def shared_parameters() -> dict[str, tuple[type, str]]:
    """By name, the type of a parameter and what it is in each family that has it."""
    kinds: dict[str, type] = {}
    meanings: dict[str, list[str]] = {}
    for family in FAMILIES.values():
        for name, one in family.parameters.items():
            kinds.setdefault(name, type(one.default))
            meaning = one.help.rstrip(".")
            meanings.setdefault(name, []).append(
                f"{family.name}: {meaning[:1].lower()}{meaning[1:]}"
            )
    return {name: (kind, "; ".join(meanings[name])) for name, kind in kinds.items()}


def _namespace() -> dict[str, Any]:
    found: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for name, (kind, meaning) in shared_parameters().items():
        found["__annotations__"][name] = kind | None
        found[name] = parameter(None, f"Of {meaning}")
    return found


if TYPE_CHECKING:

    class FamilyParameters(BaseWorld):
        """A world with the parameters of all families."""
else:
    FamilyParameters = type("FamilyParameters", (BaseWorld,), _namespace())
