"""From a text or a file to its skeleton: read, parsed, and made a graph."""

from __future__ import annotations

from pathlib import Path

from mensura.agent.errors import MensuraError
from mensura.texts.reading import SUFFIXES, Part, checked, read_document
from mensura.texts.skeleton_files import read_skeleton
from mensura.texts.skeletons import Skeleton

DRAWN = (".yaml", ".yml", ".graphml")
"""Files that are skeletons already."""


def skeleton_of_text(text: str, name: str = "the text") -> Skeleton:
    """The skeleton of a text in English; MensuraError where it has no triple."""
    from mensura.texts.parser import parse
    from mensura.texts.triples import skeleton_of

    found = skeleton_of(parse(checked(text, name)), name)
    if not found.relations:
        raise MensuraError(
            f"{name} has no triple: in no sentence is something said of two things, as in 'The army attacked the fort.'"
        )
    return found


def skeleton_of_file(path: Path, part: Part = "all") -> Skeleton:
    """The skeleton of a text, or of a file that is one."""
    if path.suffix.lower() in DRAWN:
        return read_skeleton(path)
    return skeleton_of_text(read_document(path, part), path.stem)


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, and of folders in it, that may be texts or skeletons, in the order of their names."""
    if not folder.is_dir():
        raise MensuraError(f"{folder} is no folder; a corpus is a folder with texts in it.")
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in (*SUFFIXES, *DRAWN) and path.is_file()
    )
    if not found:
        kinds = ", ".join((*SUFFIXES, *DRAWN))
        raise MensuraError(f"There is no text in {folder}; files that end in {kinds} are read.")
    return found
