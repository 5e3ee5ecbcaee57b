"""``mensura new``: packages to begin with are complete, pass their tests, and are found once they are installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import mensura  # noqa: F401
from tests.readers import ROOT, Reader, lines

from mensura.agent.errors import MensuraError
from mensura.api import scaffolding
from mensura.api.scaffolding import KINDS, write_package
from mensura.core.registry import WORLDS

PAGE = ROOT / "docs" / "how-to" / "add-a-world.md"


def install(package: Path, site: Path) -> None:
    """Put the metadata of a package into a folder, as pip does from its pyproject.toml."""
    told = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    info = site / f"{told['name'].replace('-', '_')}-{told['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: 0.1\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())])
        for group, entries in told["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join([*groups, ""]))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of each kind in one folder."""
    folder = tmp_path_factory.mktemp("written")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scaffolding, "_is_taken", lambda _: False)  # by an agent of another test
        for kind in KINDS:
            write_package(kind, f"my-{kind}", folder)
    return folder


@pytest.mark.thorough
def test_each_passes_its_own_test_and_is_found_once_it_is_installed(written: Path) -> None:
    site = written / "site"
    for kind in KINDS:
        install(written / f"my-{kind}", site)
    found = (
        "import mensura as ms\n"
        "def test_all_are_found() -> None:\n"
        "    assert 'my-world-v0' in ms.worlds()\n"
        "    assert 'my-assessment' in ms.assessments()\n"
        "    assert ms.make('my-world', preset='long').cells == 50\n"
        "    study = ms.Study.load('my-study').to_plain()\n"
        "    assert study['name'] == 'my-study'\n"
        "    result = ms.assess('my-agent', 'my-world', 'my-assessment', environments=2, seed=1)\n"
        "    assert result.scores[0].n == 2\n"
    )
    (written / "test_found.py").write_text(found)
    path = [str(site), *(str(written / f"my-{kind}") for kind in KINDS)]
    path += [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-W",
            "error",
            str(written),
        ],
        cwd=written,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "9 passed" in done.stdout


def test_their_style_is_clean(written: Path) -> None:
    pytest.importorskip("ruff")
    chosen = "E,F,W,I,UP,B,C4,SIM,PT,D100,D101"
    for kind in KINDS:
        for words in (["check", "--extend-select", chosen], ["format", "--check"]):
            done = subprocess.run(
                [sys.executable, "-m", "ruff", *words, "--no-cache", "."],
                cwd=written / f"my-{kind}",
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stdout


def test_a_world_is_about_seventy_lines(written: Path) -> None:
    assert 60 <= len((written / "my-world" / "my_world.py").read_text().splitlines()) <= 75


def test_nothing_of_the_templates_is_left_to_be_filled_in(written: Path) -> None:
    for kind in KINDS:
        for file in (written / f"my-{kind}").rglob("*.*"):
            if "__pycache__" in file.parts:
                continue
            text = file.read_text(encoding="utf-8") if file.is_file() else ""
            assert not re.search(r"__[A-Z]+__", text + file.name), file


def test_the_command_says_what_it_wrote(mensura: Any) -> None:  # noqa: F811
    typed = mensura("new", "world", "treasure")
    assert typed.status == 0, typed.err
    assert "pip install -e treasure" in typed.out
    assert "test_treasure.py" in typed.out
    assert Path("treasure/treasure.py").is_file()
    again = mensura("new", "agent", "treasure")
    assert again.status == 2
    assert again.err.count("\n") == 1
    assert "treasure already exists" in again.err
    assert sorted(one.name for one in Path("treasure").iterdir()) == [
        "pyproject.toml",
        "test_treasure.py",
        "treasure.py",
    ]


@pytest.mark.parametrize(
    ("kind", "name", "sentence"),
    [
        ("word", "mine", "There is no kind 'word' to begin; did you mean world"),
        ("world", "My World", "'My World' cannot be the name of a world"),
        ("agent", "../mine", "cannot be the name of an agent; .* as my-agent"),
        ("world", "", "'' cannot be the name"),
        ("world", "a" * 41, "has at most 40 characters"),
        ("world", "lambda-star", "There is a world 'lambda-star' already"),
        ("agent", "q-learning", "There is an agent 'q-learning' already"),
        ("study", "emergence", "There is a study 'emergence' already"),
        ("world", "json", "Python has a module or a word 'json' already"),
        ("world", "class", "Python has a module or a word 'class' already"),
    ],
)
def test_bad_names_are_told_in_a_sentence_and_nothing_is_written(
    kind: str, name: str, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(MensuraError, match=sentence):
        write_package(kind, name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_half_written_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = scaffolding._template

    def full(name: str) -> str:
        if name.startswith("test_"):
            raise OSError(28, "No space left on device")
        return template(name)

    monkeypatch.setattr(scaffolding, "_template", full)
    with pytest.raises(MensuraError, match="could not be written: No space left on device"):
        write_package("world", "half-written", tmp_path)
    with pytest.raises(MensuraError, match=r"The folder .* does not exist"):
        write_package("world", "half-written", tmp_path / "nowhere")
    assert not list(tmp_path.iterdir())


def test_the_page_can_be_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Reader(tmp_path, monkeypatch, capsys) as reader:
        for line in lines(PAGE):
            if line.words[0] == "pip":
                assert line.words == ["pip", "install", "-e", "treasure"]
                install(Path("treasure"), tmp_path / "site")
                monkeypatch.syspath_prepend(str(tmp_path / "site"))
                monkeypatch.syspath_prepend(str(tmp_path / "treasure"))
            elif line.words[0] == "pytest":
                assert Path(line.words[1], "test_treasure.py").is_file()
            else:
                reader.type(line)
        assert Path("treasure.gif").stat().st_size > 0
        (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
        exec(code.replace("episodes=50", "episodes=2"), {})
    shown = re.search(r"^treasure/\n((?:  \S.*\n)+)", PAGE.read_text(), re.MULTILINE)
    assert shown is not None
    told = {line.split()[0] for line in shown[1].splitlines()}
    assert told == {one.name for one in Path("treasure").iterdir() if one.is_file()}
    WORLDS._loaded.pop("treasure", None)
    WORLDS._loaded.pop("treasure-v0", None)
    monkeypatch.delitem(sys.modules, "treasure")
