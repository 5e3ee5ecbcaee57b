"""``mensura constraints``, and ``mensura tasks`` with files of problems."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mensura.agent.errors import MensuraError
from mensura.cli.tasks import app as tasks_app
from mensura.core.registry import WORLDS
from mensura.worlds.constraints.commands import app
from mensura.worlds.constraints.formats import problem_text, read_problem
from mensura.worlds.constraints.task_files import ConstraintFiles
from mensura.worlds.constraints.truth import certify


class Filed:
    """All that commands on tasks ask of the world."""

    id = "constraints-v1"

    @classmethod
    def task_files(cls) -> ConstraintFiles:
        return ConstraintFiles()


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setitem(WORLDS._loaded, "constraints", Filed)
    monkeypatch.setattr(type(WORLDS), "names", lambda self: ["echo-v1", "constraints"])


def typed(app: Any, *words: str) -> str:
    result = CliRunner().invoke(app, [*words], catch_exceptions=False)
    assert result.exit_code == 0
    return " ".join(result.output.split())


def tasks(*words: str) -> str:
    return typed(tasks_app, *words, "--world", "constraints")


def test_a_problem_is_made_checked_and_solved() -> None:
    tasks(
        "make", "random-binary", "--set", "n=12", "--set", "p2=0.4", "--set", "seed=1", "--unsolvable",
        "-o", "p.yaml",
    )  # fmt: skip
    said = typed(tasks_app, "check", "p.yaml")
    assert "p.yaml is valid: 'random binary (12, 5, 0.5, 0.4)', a DisCSP: 12 agents, 12" in said
    assert "Measures: size 27.86, constrainedness 0.8728, tightness 0.4, density 0.5," in said
    assert "It cannot be solved: CP-SAT proved" in said
    assert "It cannot be solved" in typed(app, "solve", "p.yaml", "--json", "a.json")
    assert json.loads(Path("a.json").read_text())["values"] is None
    assert list(Path("cache/mensura/constraints").iterdir())


def test_the_same_seed_makes_the_same_file_and_solvable_is_solvable() -> None:
    for name in ("a", "b"):
        tasks("make", "coloring", "--set", "seed=4", "--solvable", "-o", f"{name}.yaml")
    assert Path("a.yaml").read_text() == Path("b.yaml").read_text()
    said = typed(app, "solve", "a.yaml", "--with", "central", "--json", "c.json")
    assert "It can be solved" in said
    problem = read_problem(Path("a.yaml"))
    values = json.loads(Path("c.json").read_text())["values"]
    assert problem.cost([one.values.index(values[one.name]) for one in problem.variables]) == 0


def test_what_an_algorithm_took_is_told_by_kind_of_message() -> None:
    tasks("make", "coloring", "--set", "seed=4", "--solvable", "-o", "a.yaml")
    said = typed(app, "solve", "a.yaml", "--with", "abt", "--json", "e.json")
    assert "What abt took" in said
    effort = json.loads(Path("e.json").read_text())["effort"]
    kinds = {name: count for name, count in effort.items() if name.startswith("messages of")}
    assert "messages of the kind ok?" in kinds
    assert effort["messages"] == sum(kinds.values()) > 0
    assert effort["constraint checks"] >= effort["non-concurrent constraint checks"] > 0
    assert 0 < effort["cycles"] < 1000
    typed(app, "solve", "a.yaml", "--json", "c.json")
    assert json.loads(Path("c.json").read_text())["effort"] is None


def test_graphs_are_made_imported_and_solved_with_so_many_colors() -> None:
    tasks(
        "make", "coloring", "--set", "nodes=5", "--set", "links=10", "--set", "format=dimacs", "-o", "g.col"
    )  # fmt: skip
    assert "It cannot be solved" in typed(app, "solve", "g.col", "--colors", "4")
    assert "It can be solved" in typed(app, "solve", "g.col", "--colors", "5", "--with", "brute")
    tasks("import", "g.col", "--set", "colors=5", "-o", "g.yaml")
    assert "a DisCSP: 5 agents, 5 variables, 10 constraints" in tasks("check", "g.yaml")


def test_utilities_are_told_as_such() -> None:
    Path("u.yaml").write_text(
        "objective: max\ndomains: {d: {values: [0 .. 3]}}\nvariables: {v: {domain: d}}\n"
        "constraints: {c: {type: intention, function: 2 * v}}\n"
    )
    said = typed(app, "solve", "u.yaml", "--json", "u.json")
    assert "The largest utility is 6, proven by CP-SAT." in said
    assert json.loads(Path("u.json").read_text())["utility"] == 6


def test_what_is_odd_is_remarked() -> None:
    Path("o.yaml").write_text(
        "domains: {d: {values: [0, 1]}}\nvariables: {v: {domain: d}, w: {domain: d}}\n"
        "constraints: {c: {type: extensional, variables: v, default: inf}}\n"
    )
    said = tasks("check", "o.yaml")
    assert "2 agents without a neighbor" in said
    assert "The constraint 'c' forbids every tuple." in said


def test_every_sample_is_valid_written_as_we_write_and_listed() -> None:
    files = ConstraintFiles()
    assert len(files.samples()) >= 5
    for name, path in files.samples().items():
        problem = read_problem(path)
        assert files.text(name) == path.read_text(encoding="utf-8") == problem_text(problem)
        assert (certify(problem).status == "unsatisfiable") == (name == "unsolvable")
    assert "eight-queens" in tasks("list")


def test_families_are_listed_with_their_parameters() -> None:
    said = typed(app, "families", "--json", "f.json")
    assert "random-binary" in said
    assert json.loads(Path("f.json").read_text())["queens"]["parameters"]["n"]["default"] == 8
    assert re.search("scale-free .*md", tasks("make"))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("solve", "none.yaml"), "There is no file none.yaml"),
        (("solve", "p.yaml", "--with", "magic"), "Nothing called 'magic' solves problems"),
    ],
)
def test_bad_input_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    Path("p.yaml").write_text(problem_text(read_problem(ConstraintFiles().samples()["coloring"])))
    with pytest.raises(MensuraError, match=sentence):
        typed(app, *words)


def test_a_file_that_nobody_recognizes_is_judged_by_the_usual_world() -> None:
    Path("x.yaml").write_text("nonsense: x\n")
    with pytest.raises(MensuraError, match=r"x.yaml, line 1"):
        typed(tasks_app, "check", "x.yaml")
