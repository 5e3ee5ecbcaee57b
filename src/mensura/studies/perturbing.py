"""``perturb`` in a study file: a world with perturbations, written as one around it; a list of strengths is a factor.

::

    worlds:
      - {world: lambda, perturb: [{observation-noise: [0, 0.3, 0.6]}, {action-dropped: 0.1}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mensura.core.yaml_text import Misfit, Where, shown

AROUND = "perturbed-"
"""Before the name of a world, those of its environments that are perturbed."""


def with_perturbations(data: Mapping[str, Any]) -> dict[str, Any]:
    """A study as plain data in which worlds with ``perturb`` are written out."""
    worlds = data.get("worlds")
    if not isinstance(worlds, Sequence) or isinstance(worlds, str):
        return dict(data)
    written = [_written(i, one) for i, one in enumerate(worlds)]
    varied = [levels for _, levels in written]
    factors = {name: values for levels in varied for name, values in levels.items()}
    for i, levels in enumerate(varied):
        if levels != factors:
            raise Misfit(
                ("worlds", i),
                "A list of strengths is a factor of the whole study: every world needs the same perturb, or strengths "
                "that are single numbers.",
            )
    added = [_factor(name, values) for name, values in factors.items()]
    rest = {"factors": [*data.get("factors", ()), *added]} if added else {}
    return {**data, "worlds": [world for world, _ in written], **rest}


def _written(i: int, entry: Any) -> tuple[Any, dict[str, Sequence[float]]]:
    """A world with its perturbations as parameters, and the strengths that vary, by operator."""
    if not isinstance(entry, Mapping) or "perturb" not in entry:
        return entry, {}
    where: Where = ("worlds", i, "perturb")
    fixed: dict[str, Any] = {}
    varied: dict[str, Sequence[float]] = {}
    for name, strength in _operators(where, entry["perturb"]):
        if name in {**fixed, **varied}:
            raise Misfit(where, f"{name} is there twice; an operator has one strength, or a list.")
        if isinstance(strength, list):
            if not strength:
                raise Misfit(where, f"The list of strengths of {name} is empty.")
            varied[name] = tuple(strength)
        else:
            fixed[name] = strength
    parameters = entry.get("parameters") or {}
    own = {_parameter(name): value for name, value in fixed.items()}
    rest = {name: value for name, value in entry.items() if name != "perturb"}
    around = {"world": f"{AROUND}{entry.get('world')}", "parameters": {**parameters, **own}}
    return {**rest, **around}, varied


def _operators(where: Where, told: Any) -> Iterator[tuple[str, Any]]:
    """The operators of a list of mappings, as ``[{observation-noise: 0.3}]``."""
    if not isinstance(told, Sequence) or isinstance(told, str):
        raise Misfit(
            where, f"perturb is {shown(told)}; it is a list, as [{{observation-noise: 0.3}}]."
        )
    for one in told:
        if not isinstance(one, Mapping):
            raise Misfit(
                where,
                f"perturb has {shown(one)}; it has operators with strengths, as observation-noise: 0.3.",
            )
        yield from ((str(name), strength) for name, strength in one.items())


def _factor(name: str, values: Sequence[float]) -> dict[str, Any]:
    levels = [
        {"label": f"{value:g}" if isinstance(value, int | float) else str(value), "value": value,
         "world": {_parameter(name): value}}
        for value in values
    ]  # fmt: skip
    return {"name": name, "axis": f"Strength of {name}", "levels": levels}


def _parameter(name: str) -> str:
    return name.replace("-", "_")
