"""What the layout of the package promises: compiled modules are known by their folder."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mensura

pytestmark = pytest.mark.quick

HOUSE = Path(mensura.__file__).parent
NAMED = {
    "complexity/lempel_ziv.py",
    "core/doors.py",
    "core/expressions/kernel.py",
    "core/many_doors.py",
    "core/gpu_blocks.py",
    "core/third_door.py",
}
"""Compiled modules outside of worlds' ``kernels`` folders, which pyproject.toml names."""


def compiles(path: Path) -> bool:
    """Whether a module decorates a function with a rule or a door of ``core/compiled.py``."""
    text = path.read_text(encoding="utf-8")
    if "mensura.core.compiled" not in text:
        return False
    tree = ast.parse(text)
    decorators = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "mensura.core.compiled"
        for alias in node.names
        if alias.name in ("rule", "door")
    }
    return any(
        isinstance(one, ast.Name) and one.id in decorators
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for one in node.decorator_list
    )


def test_modules_are_compiled_exactly_where_the_folder_says_so() -> None:
    modules = [path for path in HOUSE.rglob("*.py") if path.name != "__init__.py"]
    compiled = {str(path.relative_to(HOUSE)) for path in modules if compiles(path)}
    kernels = {str(path.relative_to(HOUSE)) for path in modules if path.parent.name == "kernels"}
    assert kernels
    assert compiled == kernels | NAMED
