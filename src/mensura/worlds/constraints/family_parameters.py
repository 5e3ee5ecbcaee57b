"""The parameters of all families of problems, as parameters of the world; those that are not set are as usual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.kit import BaseWorld, parameter

SHARED = {
    "n": "Queens, variables, robots, residues or sensors",
    "p1": "Share of the pairs that are constrained; of robots, of those in range",
    "side": "Cells of a side of the map or the lattice; 0: as many as are needed",
    "most": "The most sensors of one constraint, or the most variables",
}
"""What parameters are that several families have in different senses."""


def shared_parameters() -> dict[str, tuple[type, str]]:
    """By name, the type of a parameter and what it is: as the family that has it says, and which ones do."""
    kinds: dict[str, type] = {}
    meanings: dict[str, str] = {}
    families: dict[str, list[str]] = {}
    for family in FAMILIES.values():
        for name, one in family.parameters.items():
            kinds.setdefault(name, type(one.default))
            meanings.setdefault(name, SHARED.get(name, one.help.rstrip(".")))
            families.setdefault(name, []).append(family.name)
    return {
        name: (kind, f"{meanings[name]} ({', '.join(families[name])})")
        for name, kind in kinds.items()
    }


def _namespace() -> dict[str, Any]:
    found: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for name, (kind, meaning) in shared_parameters().items():
        found["__annotations__"][name] = kind | None
        found[name] = parameter(None, meaning)
    return found


if TYPE_CHECKING:

    class FamilyParameters(BaseWorld):
        """A world with the parameters of all families."""
else:
    FamilyParameters = type("FamilyParameters", (BaseWorld,), _namespace())
