"""``import mensura``: which names there are, and what is imported before one of them is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mensura as ms
from mensura.api import making

pytestmark = pytest.mark.quick


def test_importing_it_imports_nothing_else() -> None:
    program = (
        "import sys; before = {*sys.modules}; import mensura\n"
        "print(*sorted({name.partition('.')[0] for name in {*sys.modules} - before}), mensura.__path__)\n"
        "print(*(name for name in sys.modules if name.startswith('mensura.')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    imported, ours = done.stdout.splitlines()
    assert {*imported.split()[:-1]} <= {"importlib", "mensura", "warnings"}, done.stderr
    assert ours == ""


def test_asking_for_the_error_or_the_names_imports_nothing_heavy() -> None:
    program = (
        "import sys, mensura as ms\n"
        "ms.MensuraError; dir(ms); hasattr(ms, 'nothing')\n"
        "print(*{'numpy', 'numba', 'pydantic', 'sqlalchemy', 'matplotlib', 'pandas'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_every_name_is_there_and_listed() -> None:
    for name in ms.__all__:
        assert getattr(ms, name) is not None, name
    assert set(ms.__all__) <= set(dir(ms))
    with pytest.raises(AttributeError, match="has no attribute 'asess'"):
        ms.asess  # type: ignore[attr-defined]  # noqa: B018


def test_type_checkers_are_told_the_same_names_from_the_same_modules() -> None:
    stub = Path(ms.__file__).with_suffix(".pyi")
    told: dict[str, str] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            told |= {one.asname or one.name: str(node.module) for one in node.names}
        elif isinstance(node, ast.AnnAssign):
            told[ast.unparse(node.target)] = "mensura"
    assert set(told) == set(ms.__all__)
    for name in set(ms.__all__) - {"__version__", "assessments", "worlds"}:
        thing = getattr(ms, name)
        if isinstance(thing, ModuleType):
            assert thing.__name__ == f"{told[name]}.{name}"
        else:
            assert thing.__module__ == told[name]


def test_packages_list_what_is_registered_when_they_are_called() -> None:
    assert "lambda-star-v2" in ms.worlds()
    assert ms.assessments()["anytime"].startswith("Complexity follows reward")
    from mensura.worlds.echo import Echo  # the packages are packages all the same

    assert ms.worlds() == making.worlds()
    assert ms.assessments() == making.assessments()
    assert ms.worlds()["echo-v1"] == (Echo.__doc__ or "").partition("\n")[0]
