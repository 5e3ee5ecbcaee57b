"""Makes the one compact file of WordNet that is shipped, out of the files of the WordNet database (wndb).

``python -m mensura.texts.wordnet_files FOLDER`` reads ``data.*``, ``index.*``, ``*.exc`` and ``index.sense`` of nouns
and verbs and writes ``data/wordnet.npz``, with WordNet's notice beside it. Counts are those of ``index.sense``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError

PARTS = {"n": "noun", "v": "verb"}
UPWARDS = ("@", "@i")
"""Pointers of hypernyms: of kinds and of instances."""
FILE = Path(__file__).parent / "data" / "wordnet.npz"
NOTICE = FILE.with_name("wordnet-license.txt")


class Synset(NamedTuple):
    """A line of a data file."""

    offset: int
    lexicographer_file: int
    words: tuple[str, ...]
    parents: tuple[int, ...]


def read_synsets(path: Path) -> list[Synset]:
    """The synsets of a data file in their order."""
    return [_synset(path, number, line) for number, line in _lines(path)]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise MensuraError(f"{path} cannot be read as a file of WordNet: {error}") from None
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("  "):  # the notice at the beginning is indented
            yield number, line


def _synset(path: Path, number: int, line: str) -> Synset:
    try:
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        words = tuple(fields[4 + 2 * k].split("(")[0] for k in range(count))
        rest = fields[4 + 2 * count :]
        pointers = [rest[1 + 4 * k : 5 + 4 * k] for k in range(int(rest[0]))]
        parents = tuple(int(one[1]) for one in pointers if one[0] in UPWARDS)
        return Synset(int(fields[0]), int(fields[1]), words, parents)
    except (IndexError, ValueError):
        raise MensuraError(f"{path}, line {number}: this is no line of a data file.") from None


def read_senses(path: Path, tags: dict[tuple[str, int], int]) -> Iterator[tuple[str, list[Any]]]:
    """The lemmas of an index file, each with the offsets of its senses in order and how often each was tagged."""
    for number, line in _lines(path):
        fields = line.split()
        try:
            lemma, senses = fields[0], int(fields[2])
            offsets = [int(one) for one in fields[-senses:]]
        except (IndexError, ValueError):
            raise MensuraError(
                f"{path}, line {number}: this is no line of an index file."
            ) from None
        yield lemma, [(offset, tags.get((lemma, offset), 0)) for offset in offsets]


def read_tags(path: Path, part: str) -> dict[tuple[str, int], int]:
    """How often each sense of a lemma was tagged, by lemma and offset."""
    code = "%" + {"n": "1", "v": "2"}[part] + ":"
    found: dict[tuple[str, int], int] = {}
    for number, line in _lines(path):
        key, mark, _ = line.partition(code)
        if mark:
            try:
                _, offset, _, count = line.split()
                found[key, int(offset)] = int(count)
            except ValueError:
                raise MensuraError(f"{path}, line {number}: this is no line of senses.") from None
    return found


def counted(parents: list[list[int]], own: list[int]) -> list[int]:
    """Of each synset, what was counted of it and of all below it, each once however many ways lead there."""
    total = [0] * len(own)
    for one, count in enumerate(own):
        for ancestor in ancestors(parents, one):
            total[ancestor] += count
    return total


def ancestors(parents: list[list[int]], one: int) -> set[int]:
    """A synset and all above it."""
    found, left = {one}, [one]
    while left:
        for parent in parents[left.pop()]:
            if parent not in found:
                found.add(parent)
                left.append(parent)
    return found


def table_of(folder: Path, part: str) -> dict[str, Any]:
    """The arrays of one part of speech.

    ``lemmas`` in order, with so many ``senses`` (synsets) and their ``tags`` each; of each synset so many ``parents``,
    its lexicographer file, the lemma that names it, and ``counts``: one and its tags, summed upwards. ``total`` is
    that of all.
    """
    name = PARTS[part]
    synsets = read_synsets(folder / f"data.{name}")
    place = {one.offset: k for k, one in enumerate(synsets)}
    tags = read_tags(folder / "index.sense", part)
    index = sorted(read_senses(folder / f"index.{name}", tags))
    parents = [[place[offset] for offset in one.parents] for one in synsets]
    own = [1] * len(synsets)
    for _, senses in index:
        for offset, count in senses:
            own[place[offset]] += count
    number = {lemma: k for k, (lemma, _) in enumerate(index)}
    exceptions = sorted(
        tuple(line.split()[:2]) for _, line in _lines(folder / f"{name}.exc") if " " in line
    )
    return {
        "lemmas": _text([lemma for lemma, _ in index]),
        "sense_counts": np.array([len(senses) for _, senses in index], np.uint8),
        "senses": np.array([place[o] for _, senses in index for o, _ in senses], np.int32),
        "tags": np.array([count for _, senses in index for _, count in senses], np.uint16),
        "parent_counts": np.array([len(one) for one in parents], np.uint8),
        "parents": np.array([k for one in parents for k in one], np.int32),
        "lexicographer_files": np.array([one.lexicographer_file for one in synsets], np.uint8),
        "names": np.array([number[one.words[0].lower()] for one in synsets], np.int32),
        "counts": np.array(counted(parents, own), np.int32),
        "total": np.array(sum(own), np.int64),
        "exceptions": _text([f"{one[0]} {one[1]}" for one in exceptions]),
    }


def _text(lines: list[str]) -> Any:
    return np.frombuffer("\n".join(lines).encode("ascii"), np.uint8)


def build(folder: Path) -> dict[str, Any]:
    """All arrays of the compact file."""
    return {
        f"{part}_{name}": array for part in PARTS for name, array in table_of(folder, part).items()
    }


def notice_of(folder: Path) -> str:
    """The notice with which data files begin."""
    lines = (folder / "data.noun").read_text(encoding="ascii").splitlines()
    head = [line[2:].split(" ", 1)[1].rstrip() for line in lines if line.startswith("  ")]
    return "\n".join(head) + "\n"


if __name__ == "__main__":
    source = Path(sys.argv[1])
    FILE.parent.mkdir(exist_ok=True)
    np.savez_compressed(FILE, **build(source))
    NOTICE.write_text(notice_of(source), encoding="ascii")
