"""Checks of the repository itself: what may stand in its files, its pins, plug-ins and papers.

Each search is first tried on text that it must find, so that none of them passes by being blind.
"""

import ast
import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from datetime import date
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]


# What may stand in a file -----------------------------------------------------


@cache
def committed() -> dict[str, str]:
    """The text of every file that is committed or could be, by its path from the root."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    texts = {}
    for name in filter(None, listing.split("\0")):
        path = ROOT / name
        if path.is_file():
            texts[name] = path.read_bytes().decode("utf-8", errors="replace")
    return texts


def places_of(home: Path, checkout: Path) -> list[str]:
    """The folders whose names would give this machine away.

    A checkout may sit in a folder that every machine has, such as the one for temporary files: its
    name gives nothing away.
    """
    everywhere = {"/", "/home", "/Users", "/opt", "/srv", "/tmp", "/usr/src", tempfile.gettempdir()}
    return sorted({str(home), str(checkout), str(checkout.parent)} - everywhere)


def machine_paths(text: str, places: list[str]) -> Iterator[str]:
    """The lines that name one of the places, or anybody's home folder."""
    if not any(part in text for part in (*places, "/home/", "/Users/", "\\Users\\")):
        return iter(())
    named = "|".join(re.escape(place) for place in places)
    pattern = re.compile(
        rf"(?<![\w.~/-])(?:{named})(?![\w-])"
        r"|(?<![\w.~/-])/(?:home|Users)/\w+"
        r"|\b[A-Z]:\\Users\\\w+"
    )
    return (line.strip() for line in text.splitlines() if pattern.search(line))


def test_the_search_for_machine_paths_finds_them() -> None:
    places = places_of(Path("/home") / "ada", Path("/build") / "mensura")
    for place in ("build", "build/x.py", "build/mensura", "home/ada", "home/bob/x", "Users/eve"):
        assert list(machine_paths(f"open('/{place}')", places)), place
    for innocent in ("the /builders", "docs/build", "~/build", "https://a.b/build", "/tmp/x"):
        assert not list(machine_paths(innocent, places)), innocent


def test_no_file_names_a_path_of_this_machine() -> None:
    places = places_of(Path.home(), ROOT)
    found = {
        name: lines
        for name, text in committed().items()
        if (lines := [*machine_paths(text, places)])
    }
    assert not found


REGISTRIES = re.compile(
    r"--(?:extra-)?index[-]url|--find[-]links|--trusted[-]host"
    r"|https?://\S+/simple\b"
    r"|\bpypi\.(?:org|python)|python[h]osted\.|\bpypi[-.]mirror"
    r"|\banaconda\.(?:org|com)|registry\.(?:npmjs|yarnpkg)|\bcrates\.io"
    r"|\b(?:ghcr|quay)\.io|download\.pytorch"
)
WORDS_OF_REGISTRIES = (
    *(
        "-url",
        "-links",
        "-host",
        "/simple",
        "pypi",
        "hosted",
        "anaconda",
        "registry.",
        "crates",
        "ghcr",
        "quay",
    ),
    "download.",
)
"""Of which any line has one that the pattern finds; they are found sooner."""


def registries(text: str) -> Iterator[str]:
    """The lines that name a package registry, or the option that would."""
    if not any(word in text for word in WORDS_OF_REGISTRIES):
        return iter(())
    return (line.strip() for line in text.splitlines() if REGISTRIES.search(line))


def test_the_search_for_registries_finds_them() -> None:
    for host in ("pypi", "files.python" + "hosted", "test.pypi"):
        assert list(registries(f"from https://{host}" + ".org/x")), host
    assert list(registries("https://mirror.example" + "/simple/numpy"))
    assert list(registries("--index" + "-url x"))
    assert not list(registries("https://www.apache.org/licenses/ a simple/plain sentence"))


def test_no_file_names_a_package_registry() -> None:
    found = {name: [*registries(text)] for name, text in committed().items()}
    assert not {name: lines for name, lines in found.items() if lines}


def test_no_file_is_large() -> None:
    """Results, wheels and videos do not belong in the history, which never forgets them.

    Trained networks do, since whoever installs Mensura is to test them without hours on a GPU, and so does WordNet,
    since nothing is fetched when it is used.
    """
    sizes = {name: (ROOT / name).stat().st_size for name in committed()}
    networks = "src/mensura/training/weights/"
    texts = ("src/mensura/texts/data/", "src/mensura/texts/parser/weights/")
    assert not [
        name
        for name, size in sizes.items()
        if size > 1_000_000 and not name.startswith((networks, *texts))
    ]
    assert sum(size for name, size in sizes.items() if name.startswith(texts)) < 12_000_000
    assert (ROOT / "src/mensura/texts/data/wordnet.npz").stat().st_size < 3_000_000
    assert sum(size for name, size in sizes.items() if name.startswith(networks)) < 15_000_000


# Pins -------------------------------------------------------------------------

PIN = re.compile(r"(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*)==(?P<version>[0-9][0-9a-z.+]*)")


def pins_in(text: str) -> dict[str, str]:
    """Package to version; raises where a line is anything but `name==version`."""
    pins: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = PIN.fullmatch(line)
        if match is None or match["name"] in pins:
            raise ValueError(f"line {number} is not a new name==version: {line!r}")
        pins[match["name"]] = match["version"]
    return pins


@pytest.fixture(scope="module")
def pins() -> dict[str, str]:
    return pins_in((ROOT / "constraints.txt").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# made by x",
        "numpy",
        "numpy>=2",
        "numpy==2.*",
        "NumPy==2.0",
        "numpy==2 ; python<4",
        "-i x",
    ],
)
def test_a_line_that_is_not_a_pin_is_found(line: str) -> None:
    with pytest.raises(ValueError, match="line 2"):
        pins_in(f"rich==15.0.0\n{line}\n")


def test_constraints_hold_pins_only_in_order(pins: dict[str, str]) -> None:
    assert list(pins) == sorted(pins)


def declared() -> list[tuple[str, Requirement]]:
    """Every requirement of pyproject.toml with the extra that asks for it."""
    groups = {"base": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    return [(extra, Requirement(line)) for extra, lines in groups.items() for line in lines]


@pytest.mark.parametrize(
    ("extra", "requirement"), declared(), ids=lambda value: getattr(value, "name", value)
)
def test_every_requirement_is_bounded_and_pinned_within_its_bounds(
    extra: str, requirement: Requirement, pins: dict[str, str]
) -> None:
    if requirement.name == PROJECT["name"]:
        assert requirement.extras <= set(PROJECT["optional-dependencies"])
        return
    operators = {specifier.operator for specifier in requirement.specifier}
    assert operators & {"==", "<"}, f"{extra}: {requirement} has no upper bound"
    assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)])


def installed_needs(package: str, extras: frozenset[str]) -> Iterator[Requirement]:
    """What an installed package needs on this machine; nothing where it is not installed."""
    try:
        lines = requires(package) or []
    except PackageNotFoundError:
        return
    for requirement in map(Requirement, lines):
        environments = [{"extra": extra} for extra in extras or {""}]
        if not requirement.marker or any(map(requirement.marker.evaluate, environments)):
            yield requirement


def test_what_the_requirements_require_is_pinned_too(pins: dict[str, str]) -> None:
    queue = [(requirement.name, frozenset(requirement.extras)) for _, requirement in declared()]
    seen = set()
    while queue:
        package, extras = queue.pop()
        if (package, extras) not in seen:
            seen.add((package, extras))
            queue += [
                (need.name, frozenset(need.extras)) for need in installed_needs(package, extras)
            ]
    needed = {canonicalize_name(package) for package, _ in seen} - {PROJECT["name"]}
    assert "llvmlite" in needed, "the walk no longer reaches what numba needs"
    assert not needed - set(pins)


ROW = re.compile(
    r"\| (?P<name>[a-z0-9-]+) \| [^|]+ \| [^|]+ "
    r"\| (?P<version>[^ |]+) \((?P<date>[0-9-]{10})\) \| [0-9.]+ MB \|"
)


def test_the_page_of_dependencies_says_what_is_required_and_pinned(pins: dict[str, str]) -> None:
    page = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    told: dict[str, dict[str, str]] = {}
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
        found = [match for row in rows if (match := ROW.fullmatch(row))]
        assert len(found) == len(rows), f"{title}: a row is not name, use, keeper, release, size"
        told[title.strip("`").lower()] = {one["name"]: one["version"] for one in found}
        for one in found:
            date.fromisoformat(one["date"])
    required: dict[str, dict[str, str]] = {extra: {} for extra, _ in declared()}
    for extra, requirement in declared():
        if requirement.name != PROJECT["name"]:
            name = canonicalize_name(requirement.name)
            required[extra][name] = pins[name]
    assert told == required


# Plug-ins and commands --------------------------------------------------------


def declared_entry_points() -> list[EntryPoint]:
    groups = {"console_scripts": PROJECT["scripts"], **PROJECT["entry-points"]}
    return [
        EntryPoint(name, value, group)
        for group, lines in groups.items()
        for name, value in lines.items()
    ]


@pytest.mark.parametrize("entry", declared_entry_points(), ids=lambda entry: entry.name)
def test_what_is_registered_is_there(entry: EntryPoint) -> None:
    """Studies are files, editors have a script, Inspect and cages are given modules; everything else is called."""
    if entry.group == "inspect_ai":
        pytest.importorskip("inspect_ai")
        assert callable(entry.load().anytime)
        return
    thing = entry.load()
    if entry.group == "mensura.editors":
        assert (ROOT / "src/mensura/web" / thing.script.lstrip("/")).is_file()
        return
    if entry.group == "mensura.agent_bases":
        assert all(hasattr(thing, name) for name in thing.__all__)
        return
    assert thing.is_file() if entry.group == "mensura.studies" else callable(thing)


@pytest.mark.parametrize("entry", declared_entry_points(), ids=lambda entry: entry.name)
def test_what_is_registered_is_installed(entry: EntryPoint) -> None:
    """Registration takes effect on installation: after adding a line, run make again."""
    assert entry.value in {
        found.value for found in entry_points(group=entry.group, name=entry.name)
    }


@pytest.mark.parametrize("entry", declared_entry_points(), ids=lambda entry: entry.name)
def test_ids_are_safe_as_file_names(entry: EntryPoint) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry.name)


# Papers -----------------------------------------------------------------------


def test_the_changelog_has_a_section_for_the_work_in_hand() -> None:
    headings = re.findall(
        r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    released = rf"{re.escape(PROJECT['version'])} \(\d{{4}}-\d\d-\d\d\)"
    assert headings
    assert headings[0] == "Unreleased" or re.fullmatch(released, headings[0])


def test_the_citation_is_of_this_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(rf'^version: "?{re.escape(PROJECT["version"])}"?$', citation, re.MULTILINE)


def test_continuous_integration_runs_tasks_that_exist() -> None:
    script = ROOT / ".ci" / "run"
    tasks = re.findall(r"^make ([\w-]+)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    targets = re.findall(
        r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert tasks[0] == "test"
    assert {"lint", "types", "imports", "docs"} <= set(tasks) <= set(targets)
    assert os.access(script, os.X_OK)


LONG_FUNCTIONS = {
    "core/expressions/kernel.py:interpreter": "a chain of comparisons that is compiled into a table of jumps",
    "core/expressions/kernel.py:run": "the same: a part of it in a rule of its own makes every operation slower",
    "records/migrations/versions/v0001.py:upgrade": "the tables as they were, which nobody changes again",
}
"""Functions of more than a hundred lines, each with why."""


@pytest.mark.thorough
def test_no_function_is_longer_than_a_hundred_lines() -> None:
    source = ROOT / "src" / "mensura"
    found = {
        f"{path.relative_to(source)}:{node.name}"
        for path in source.rglob("*.py")
        if (text := path.read_text(encoding="utf-8")).count("\n") > 100
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > 100
    }
    assert found == set(LONG_FUNCTIONS)
