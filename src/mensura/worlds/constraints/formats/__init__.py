"""Problems as files: pyDCOP's YAML, XCSP 2.1 (FRODO), XDisCSP 1.0, DIMACS graphs. YAML and DIMACS are written, too."""

from __future__ import annotations

from pathlib import Path

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.expressions import MOST_TUPLES
from mensura.worlds.constraints.formats.builder import MOST_BYTES
from mensura.worlds.constraints.problem import Problem

SUFFIXES = (".yaml", ".yml", ".xml", ".col")
"""How names of files end; the format follows from it."""


def read_problem(
    path: Path, *, most_tuples: int = MOST_TUPLES, colors: int | None = None
) -> Problem:
    """The problem in a file; ``colors`` is for graphs, which do not say how many there are."""
    if path.is_dir():
        raise MensuraError(f"{path} is a folder; give the name of a file in it.")
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise MensuraError(
            f"There is no file {path}; a path is read from the current folder, here {Path.cwd()}."
        ) from None
    except OSError as error:
        raise MensuraError(f"The file {path} cannot be read: {error.strerror}.") from None
    if len(data) > MOST_BYTES:
        raise MensuraError(f"{path} has over {MOST_BYTES} bytes. Is it another file?")
    return read_bytes(data, path.suffix.lower(), str(path), most_tuples=most_tuples, colors=colors)


def read_bytes(
    data: bytes,
    suffix: str,
    place: str,
    *,
    most_tuples: int = MOST_TUPLES,
    colors: int | None = None,
) -> Problem:
    """The problem in a file's bytes, in the format that the end of its name tells; errors call it ``place``."""
    if suffix == ".xml":
        from mensura.worlds.constraints.formats.xcsp import read_xcsp

        return read_xcsp(data, place, most_tuples)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MensuraError(f"{place} is not text in UTF-8.") from None
    if suffix == ".col":
        from mensura.worlds.constraints.formats.dimacs import read_dimacs

        return read_dimacs(text, place, colors)
    if suffix in (".yaml", ".yml"):
        from mensura.worlds.constraints.formats.pydcop_yaml import read_yaml

        return read_yaml(text, place, most_tuples)
    raise MensuraError(
        f"{place} ends in {suffix or 'nothing'}; problems are in files that end in {', '.join(SUFFIXES)}."
    )


def problem_text(problem: Problem, suffix: str = ".yaml") -> str:
    """A problem as the text of a file: YAML, or a DIMACS graph."""
    if suffix in (".yaml", ".yml"):
        from mensura.worlds.constraints.formats.yaml_writing import write_yaml

        return write_yaml(problem)
    if suffix == ".col":
        from mensura.worlds.constraints.formats.dimacs import write_dimacs

        return write_dimacs(problem)
    raise MensuraError(f"Problems are written to files that end in .yaml or .col, not in {suffix}.")
