"""The page on problems: its commands and code run, and its tables say what there is."""

import re
from pathlib import Path

import pytest
from tests.pages import DOCS, column, follow

from mensura.core.registry import WORLDS
from mensura.worlds.constraints.expressions import FUNCTIONS
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.measures import MEASURES
from mensura.worlds.constraints.orders import ORDERS
from mensura.worlds.constraints.task_files import ConstraintFiles

PAGE = (DOCS / "worlds" / "constraints-problems.md").read_text(encoding="utf-8")


class Filed:
    """All that commands on tasks ask of the world."""

    id = "constraints-v1"

    @classmethod
    def task_files(cls) -> ConstraintFiles:
        return ConstraintFiles()


def test_its_commands_and_code_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(WORLDS._loaded, "constraints", Filed)
    monkeypatch.setattr(type(WORLDS), "names", lambda self: ["constraints"])
    follow(PAGE, tmp_path)


def test_its_tables_name_all_families_with_their_parameters_and_defaults() -> None:
    families = column(PAGE, "family", "what it is", "parameters")
    assert list(families) == list(FAMILIES)
    for name, (_, told) in families.items():
        assert re.findall(r"`(\w+)` \(", told) == list(FAMILIES[name].parameters)
        for parameter, one in FAMILIES[name].parameters.items():
            (default,) = re.findall(rf"`{parameter}` \(([^:)]*)", told)
            assert default.strip("`") == (str(one.default).removesuffix(".0") or "drawn")


def test_it_names_all_measures_orders_and_functions() -> None:
    assert list(column(PAGE, "measure", "what it is")) == list(MEASURES)
    for name in (*ORDERS, *(name for name in FUNCTIONS if name != "float")):
        assert f"`{name}`" in PAGE
    planted = re.search(r"where the family can \(([^)]*)\)", PAGE)
    assert planted is not None
    assert re.findall("`([^`]*)`", planted[1]) == [f for f, one in FAMILIES.items() if one.plants]
