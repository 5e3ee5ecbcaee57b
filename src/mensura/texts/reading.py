"""The running text of files: plain text, Markdown and PDF, without what is no sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from mensura.agent.errors import MensuraError

Part = Literal["all", "abstract"]
MOST_BYTES = 50_000_000
MOST_CHARACTERS = 2_000_000
SUFFIXES = (".txt", ".md", ".markdown", ".pdf")

FUNCTION_WORDS = frozenset((
    "the", "of", "and", "to", "a", "in", "is", "that", "it", "for", "was", "on", "with", "as", "by", "at", "from",
    "are", "this", "be", "or", "an", "which", "were", "has", "have", "had", "not", "but", "we", "he", "they", "his",
    "her", "their", "its", "can", "into", "then", "when", "who", "been", "will", "would", "there", "our", "these",
))  # fmt: skip
ENGLISH = 0.12
"""The share of English function words below which a text is in another language."""
ENOUGH = 12
"""Words from which on that is asked."""

_END_OF_TEXT = re.compile(
    r"^\s*(?:\d+\.?\s+)?(?:references|bibliography|literature cited|acknowledge?ments?)\s*:?\s*$",
    re.I,
)
_ABSTRACT = re.compile(r"^\s*abstract\s*[.:\u2014-]*\s*", re.I)
_AFTER_ABSTRACT = re.compile(
    r"^\s*(?:(?:\d+|[ivx]+)\.?\s+)?(?:introduction|background|key\s?words|index terms|categories and subject|"
    r"ccs concepts|general terms)\b",
    re.I,
)


def read_document(path: Path, part: Part = "all") -> str:
    """The running text of a file, or a part of it; MensuraError where there is none, or it is not English."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise MensuraError(f"{path} has {size} bytes; at most {MOST_BYTES} are read.")
        data = path.read_bytes()
    except OSError as error:
        raise MensuraError(f"{path} cannot be read: {error.strerror}.") from None
    if path.suffix.lower() == ".pdf":
        text = from_pdf(data, str(path))
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise MensuraError(
                f"{path} is not text in UTF-8; texts, Markdown and PDF are read."
            ) from None
        if path.suffix.lower() in (".md", ".markdown"):
            text = from_markdown(text)
    return checked(part_of(text, part, str(path)), str(path))


def part_of(text: str, part: str, place: str) -> str:
    """A part of a text: all of it, or its abstract."""
    if part not in get_args(Part):
        raise MensuraError(
            f"The part {part!r} is unknown; {' and '.join(get_args(Part))} are known."
        )
    if part == "all":
        return text
    lines = text.splitlines()
    begin = next((k for k, line in enumerate(lines) if _ABSTRACT.match(line)), None)
    if begin is None:
        raise MensuraError(f"{place} has no abstract: no line begins with that word.")
    kept = [_ABSTRACT.sub("", lines[begin])]
    for line in lines[begin + 1 :]:
        if _AFTER_ABSTRACT.match(line) or (not line.strip() and sum(map(len, kept)) > 400):
            break
        kept.append(line)
    return "\n".join(kept)


def checked(text: str, place: str) -> str:
    """The text, if it is one in English."""
    if len(text) > MOST_CHARACTERS:
        raise MensuraError(
            f"{place} has {len(text)} characters of text; at most {MOST_CHARACTERS} are read."
        )
    if "\0" in text:
        raise MensuraError(f"{place} is not a text: it holds characters that no text has.")
    words = re.findall(r"[^\W\d_]+", text.lower())
    if not words:
        raise MensuraError(f"{place} is empty: there is no word in it.")
    share = sum(word in FUNCTION_WORDS for word in words) / len(words)
    if len(words) >= ENOUGH and share < ENGLISH:
        raise MensuraError(
            f"{place} does not seem to be in English: {share:.0%} of its words are common English ones; only English "
            "is parsed."
        )
    return text


# Markdown

_MARKDOWN = (
    (re.compile(r"^(`{3,}|~{3,}).*?(^\1[`~]*[ \t]*$|\Z)", re.M | re.S), "\n"),  # code
    (re.compile(r"\A---\n.*?\n---[ \t]*$", re.M | re.S), ""),  # front matter
    (re.compile(r"<!--.*?(-->|\Z)", re.S), ""),
    (re.compile(r"\$\$.*?\$\$", re.S), ""),
    (re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)"), ""),
    (re.compile(r"\[([^\]\n]*)\]\([^)\n]*\)"), r"\1"),
    (re.compile(r"\[([^\]\n]*)\]\[[^\]\n]*\]"), r"\1"),
    (re.compile(r"^[ \t]*\[[^\]\n]+\]:.*$", re.M), ""),
    (re.compile(r"^[ \t]*\|.*$", re.M), ""),  # tables
    (re.compile(r"^[ \t]*#{1,6}[ \t].*$", re.M), "\n"),  # headings are no sentences
    (re.compile(r"^.*\n[ \t]*(=+|-{3,})[ \t]*$", re.M), "\n"),
    (re.compile(r"^[ \t]*([-*_][ \t]*){3,}$", re.M), ""),
    (re.compile(r"^[ \t]*>[ \t]?", re.M), ""),
    (re.compile(r"^[ \t]*([-*+]|\d+[.)])[ \t]+", re.M), "\n"),
    (re.compile(r"</?[A-Za-z][^<>\n]*>"), ""),
    (re.compile(r"`([^`\n]*)`"), r"\1"),
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)([*_])(?=\S)([^*_\n]+?)(?<=\S)\1(?!\w)"), r"\2"),
)


def from_markdown(text: str) -> str:
    """The running text of Markdown: no headings, code, tables and pictures; the text of links."""
    text = text.replace("\r\n", "\n")
    for pattern, instead in _MARKDOWN:
        text = pattern.sub(instead, text)
    return text


# PDF


class Piece(NamedTuple):
    """A line of a page, or a part of one, with where it begins."""

    x: float
    y: float
    text: str


def from_pdf(data: bytes, place: str) -> str:
    """The running text of a PDF, cleaned."""
    pages = _pages(data, place)
    if not any(any(one.text.strip() for one in pieces) for _, pieces in pages):
        raise MensuraError(
            f"{place} holds no text: it seems to be scanned; recognize its characters first (OCR)."
        )
    return cleaned([in_order(width, pieces) for width, pieces in pages])


def _pages(data: bytes, place: str) -> list[tuple[float, list[Piece]]]:
    try:
        import pypdf
    except ImportError:
        raise MensuraError(
            f"{place} is a PDF, which needs the extra text: pip install 'mensura[text]'."
        ) from None
    import io
    import logging

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    pages = []
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise MensuraError(f"{place} is encrypted; save it without a password first.")
        for page in reader.pages:
            pieces: list[Piece] = []

            def visit(text: str, _: Any, matrix: Any, *__: Any, into: list[Piece] = pieces) -> None:
                if text.strip():
                    into.append(Piece(float(matrix[4]), float(matrix[5]), text))

            page.extract_text(visitor_text=visit)
            pages.append((float(page.mediabox.width), pieces))
    except MensuraError:
        raise
    except Exception as error:  # what is broken in a PDF shows anywhere in the library
        kind = type(error).__name__
        raise MensuraError(
            f"{place} cannot be read as a PDF ({kind}); is it another file?"
        ) from None
    return pages


def in_order(width: float, pieces: Sequence[Piece]) -> list[str]:
    """The lines of a page in the order in which one reads them: columns from left to right.

    A page has two columns if a fifth of its pieces and more begin right of the middle, in many lines that others begin
    left of it.
    """
    lines = [
        Piece(one.x, one.y - 0.01 * k, text)
        for one in pieces
        for k, text in enumerate(one.text.strip("\n").split("\n"))
    ]
    right = [one for one in lines if one.x > 0.47 * width]
    if len(right) < 0.2 * len(lines) or len(right) > 0.8 * len(lines):
        return [one.text for one in lines]
    left = [one for one in lines if one.x <= 0.47 * width]
    return [one.text for side in (left, right) for one in sorted(side, key=lambda one: -one.y)]


def cleaned(pages: Sequence[Sequence[str]]) -> str:
    """Lines joined to paragraphs: no running heads, page numbers, formulas and references; hyphens at ends removed."""
    often = Counter(line for page in pages for line in {_shape(one) for one in page})
    heads = {line for line, times in often.items() if times >= 3 and times > len(pages) / 2}
    kept: list[str] = []
    for line in (one.strip() for page in pages for one in page):
        if _END_OF_TEXT.match(line):
            break
        if _shape(line) not in heads and _is_prose(line):
            kept.append(line)
    return _paragraphs(kept)


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line.strip())


def _is_prose(line: str) -> bool:
    """Whether a line is words, not a formula, a number or a row of a table."""
    letters = sum(one.isalpha() or one in " ,.-'" for one in line)
    words = re.findall(r"[^\W\d_]{2,}", line)
    return not line or (letters >= 0.75 * len(line) and bool(words))


def _paragraphs(lines: Iterable[str]) -> str:
    text = ""
    for line in lines:
        if not line:
            text += "\n\n"
        elif text.endswith("-") and line[:1].islower():
            text = text[:-1] + line
        else:
            text += ("" if not text or text[-1].isspace() else "\n") + line
    text = text.translate(
        {0xFB01: "fi", 0xFB02: "fl", 0xFB00: "ff", 0xFB03: "ffi", 0xFB04: "ffl", 0xAD: ""}
    )
    return re.sub(r"\[\d+(?:\s*[,\u2013-]\s*\d+)*\]", "", text)
