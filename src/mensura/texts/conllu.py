"""Treebanks in CoNLL-U, the format of Universal Dependencies (https://universaldependencies.org/format.html)."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.texts.sentences import Sentence, Token

COLUMNS = 10
MOST = 512 << 20
"""Bytes of text of one file, however small it is packed."""

_OPENED: dict[str, Any] = {".xz": lzma.open, ".gz": gzip.open}
PARTS = ("train", "dev", "test")


def read_conllu(path: Path) -> list[Sentence]:
    """The sentences of a file, which may be packed (``.xz``, ``.gz``); raises MensuraError with the line."""
    opened = _OPENED.get(path.suffix, open)
    try:
        with opened(path, "rb") as file:
            data = file.read(MOST + 1)
        if len(data) > MOST:
            raise MensuraError(
                f"{path} has more than {MOST:,} bytes of text; at most so many are read."
            )
        return list(sentences_of(StringIO(data.decode(), newline=None), str(path)))
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as why:
        raise MensuraError(f"{path} cannot be read: {why}.") from why


def read_parts(folder: Path, wanted: Sequence[str] = PARTS) -> dict[str, list[Sentence]]:
    """The parts of a treebank: one file each, with the part's name in the file's."""
    found = {}
    for part in wanted:
        files = sorted(p for p in folder.glob(f"*{part}*.conllu*") if p.is_file())
        if len(files) != 1:
            raise MensuraError(
                f"{folder} must have one file *{part}*.conllu (or .xz, .gz); it has {len(files)}."
            )
        found[part] = read_conllu(files[0])
        if not found[part]:
            raise MensuraError(f"{files[0]} has no sentence.")
    return found


def sentences_of(lines: Iterable[str], name: str = "CoNLL-U") -> Iterator[Sentence]:
    """The sentences of these lines. Words that are only implied (8.1) are left out, and so are spans (1-2)."""
    rows: list[tuple[int, list[str]]] = []
    text = ""
    number = 0
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n").rstrip("\r")
        if not line.strip():
            if rows:
                yield _sentence(rows, text, name)
            rows, text = [], ""
        elif line.startswith("#"):
            if line.startswith("# text = "):
                text = line.removeprefix("# text = ")
        else:
            cells = line.split("\t")
            if len(cells) != COLUMNS:
                raise MensuraError(
                    f"{name}, line {number}: a word has {COLUMNS} columns with tabs between, not {len(cells)}."
                )
            rows.append((number, cells))
    if rows:
        yield _sentence(rows, text, name)


def _sentence(rows: list[tuple[int, list[str]]], text: str, name: str) -> Sentence:
    """A sentence from its lines, each word with its place in the text where it can be found there."""
    tokens: list[Token] = []
    place, until, after, line = 0, 0, 0, rows[0][0]
    for line, cells in rows:
        if "-" in cells[0]:
            place, until = _found(cells[1], text, place), int(cells[0].partition("-")[2] or 0)
            after = place + len(cells[1])
            continue
        if "." in cells[0]:
            continue
        if cells[0] != str(len(tokens) + 1):
            raise MensuraError(
                f"{name}, line {line}: word {len(tokens) + 1} is expected here, not {cells[0]!r}."
            )
        if not cells[6].isdecimal():
            raise MensuraError(f"{name}, line {line}: {cells[6]!r} is no word to depend on.")
        form = cells[1]
        within = len(tokens) + 1 <= until
        start = _found(form, text[:after] if within else text, place)
        place = start + len(form) if text[start : start + len(form)] == form else start
        features = "" if cells[5] == "_" else cells[5]
        tokens.append(
            Token(form, cells[2], cells[3], int(cells[6]), cells[7], features, start, place)
        )
    try:
        return Sentence(tuple(tokens), text)
    except ValueError as why:
        raise MensuraError(f"{name}, the sentence that ends in line {line}: {why}.") from why


def _found(form: str, text: str, place: int) -> int:
    """Where a word begins, from this place on; the place itself where it is not there (contracted words)."""
    found = text.find(form, place)
    return place if found < 0 else found


def written(sentences: Iterable[Sentence]) -> str:
    """Sentences as CoNLL-U."""
    lines = []
    for sentence in sentences:
        lines.append(f"# text = {' '.join(sentence.text.split())}")
        for number, one in enumerate(sentence.tokens, 1):
            cells = (
                str(number), one.form, one.lemma, one.upos, "_", one.features or "_", str(one.head), one.relation,
                "_", "_",
            )  # fmt: skip
            lines.append("\t".join(cells))
        lines.append("")
    return "\n".join(lines) + "\n"
