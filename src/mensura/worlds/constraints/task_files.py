"""What commands know of files of problems: samples, a check that measures and proves, and families that make new."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from mensura.agent.errors import MensuraError
from mensura.complexity.c_test.pool import cache_folder
from mensura.core.task_files import Maker, TaskFiles, find
from mensura.worlds.constraints.formats import SUFFIXES, problem_text, read_problem
from mensura.worlds.constraints.generators import FAMILIES, Family
from mensura.worlds.constraints.measures import MEASURES
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import certify

FOLDER = Path(__file__).parent / "problems"
"""The sample problems as files."""
VERDICTS = "constraints"
"""The folder of the user's cache where verdicts are kept."""
LOOKED_AT = 1_000_000
"""Bytes of a file that are looked at to tell what it is."""


class ConstraintFiles(TaskFiles):
    """Problems in files of several formats."""

    suffixes: ClassVar[tuple[str, ...]] = SUFFIXES
    headings: ClassVar[Mapping[str, str]] = {"size": "size (bits)"}

    def samples(self) -> Mapping[str, Path]:
        """A few small problems."""
        return {path.stem: path for path in sorted(FOLDER.glob("*.yaml"))}

    def facts(self, name: str) -> Mapping[str, Any]:
        """How large a sample is, and how constrained."""
        problem = read_problem(self.samples()[name])
        return {
            "kind": kind_of(problem),
            "agents": len(problem.agents),
            "variables": len(problem.variables),
            "constraints": len(problem.constraints),
            **{measure: MEASURES[measure][0](problem) for measure in ("size", "constrainedness")},
        }

    def recognizes(self, file: Path) -> bool:
        """Whether a file looks like a problem."""
        if file.suffix.lower() in (".xml", ".col"):
            return True
        try:
            with file.open("rb") as opened:
                text = opened.read(LOOKED_AT)
        except OSError:
            return False
        return all(
            re.search(rb"^" + word + rb"\s*:", text, re.MULTILINE)
            for word in (b"domains", b"variables")
        )

    def check(self, file: Path) -> Sequence[str]:
        """What a problem consists of, its measures, and what CP-SAT proves of it."""
        problem = read_problem(file)
        about = (
            f"{problem.name!r}, a {kind_of(problem)}: {_count(problem.agents, 'agent')}, "
            f"{_count(problem.variables, 'variable')}, {_count(problem.constraints, 'constraint')}"
        )
        measured = ", ".join(
            f"{name.replace('_', ' ')} {measure(problem):.4g}"
            for name, (measure, _) in MEASURES.items()
        )
        return [about, f"Measures: {measured}.", *_remarks(problem), verdict_of(problem)]

    def text(self, task: str) -> str:
        """A problem as YAML, whatever it was written as."""
        return problem_text(read_problem(find(task, self.samples(), self.suffixes)))

    def makers(self) -> Mapping[str, Maker]:
        """The families of problems."""
        return {name: _maker(family) for name, family in FAMILIES.items()}

    def importers(self) -> Mapping[str, Maker]:
        """The formats that are read and not written."""
        return {"xml": _import, "col": _import_graph}


def kind_of(problem: Problem) -> str:
    """DisCSP or DCOP."""
    return "DisCSP" if problem.satisfaction else "DCOP"


def verdict_of(problem: Problem, seconds: float = 10.0) -> str:
    """What CP-SAT proves, in a sentence; how to install it where it is missing."""
    try:
        return certify(problem, seconds, cache_folder() / VERDICTS).sentence(problem)
    except MensuraError as error:
        return str(error)


def _remarks(problem: Problem) -> list[str]:
    """What is odd about a problem without being wrong."""
    found = []
    alone = sum(not others for others in problem.neighbors_of)
    if alone and len(problem.agents) > 1:
        found.append(
            f"{_count(range(alone), 'agent')} without a neighbor: nothing to agree on there."
        )
    impossible = [
        one.name for one in problem.constraints if problem.relations[one.relation].tightness == 1
    ]
    if impossible:
        found.append(f"The constraint {impossible[0]!r} forbids every tuple.")
    return found


def _count(things: Sequence[Any], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _import(file: Path) -> str:
    return problem_text(read_problem(file))


def _import_graph(file: Path, colors: int = 3) -> str:
    return problem_text(read_problem(file, colors=colors))


def _maker(family: Family) -> Maker:
    """A family as a function whose parameters commands can read."""

    def make(
        *,
        seed: int | None = None,
        solvable: bool | None = None,
        format: str = "yaml",
        **given: Any,
    ) -> str:
        import numpy as np

        from mensura.agent.keys import seed_or_fresh
        from mensura.worlds.constraints.generators.wanted import draw_wanted

        rng = np.random.default_rng(seed_or_fresh(seed))
        problem = draw_wanted(family, rng, solvable=solvable, **given)
        return problem_text(problem, ".col" if format == "dimacs" else ".yaml")

    make.__doc__ = f"{family.help[:1].upper()}{family.help[1:]}."
    keyword = inspect.Parameter.KEYWORD_ONLY
    make.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            *(
                inspect.Parameter(name, keyword, default=one.default, annotation=type(one.default))
                for name, one in family.parameters.items()
            ),
            inspect.Parameter("seed", keyword, default=None, annotation=int | None),
            inspect.Parameter("solvable", keyword, default=None, annotation=bool | None),
            inspect.Parameter(
                "format", keyword, default="yaml", annotation=Literal["yaml", "dimacs"]
            ),
        ]
    )
    return make
