"""Sentences and words of a text, by rules for English as the treebank English-EWT divides it."""

from __future__ import annotations

import re
from typing import NamedTuple

ABBREVIATIONS = frozenset((
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "gen", "col", "capt", "lt", "sgt", "gov", "sen",
    "rep", "rev", "hon", "vs", "etc", "e.g", "i.e", "cf", "al", "fig", "figs", "eq", "eqs", "sec",
    "secs", "no", "nos", "vol", "vols", "pp", "ed", "eds", "inc", "corp", "co", "ltd", "dept", "univ",
    "approx", "est", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
    "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "a.m", "p.m", "u.s", "u.k", "ph.d",
))  # fmt: skip
"""What may have a period at its end without ending a sentence, in small letters, without that period."""
_ENDING = frozenset(
    ("etc", "inc", "corp", "co", "ltd", "jr", "sr", "a.m", "p.m", "u.s", "u.k", "ph.d")
)
"""Of these: what often does end one, so that a capital letter decides."""

_WHOLE = re.compile(
    r"""
    (?:https?://|www\.)[^\s<>"]*[^\s<>".,;:!?')\]]   # addresses of pages
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                    # and of people
    | [\w-]+\.(?:com|org|net|edu|gov|pdf|docx?|txt|html?|jpe?g|png|xlsx?)\b
    | (?:[A-Za-z]\.){2,}                              # U.S., e.g.
    | \d+(?:[.,:/]\d+)+                               # 1,000.5, 10:30
    | \.{2,} | -{2,} | ([!?*=_~\#+])\1+ | [!?]{2,}    # runs of a mark
    | [:;=]-?[)(DPp](?![\w])                          # faces
    | [A-Za-z]-(?:mail|ray|shirt)s?\b
    | \w+(?:['\u2019]\w+)*['\u2019]?                  # words with apostrophes, divided below
    | [^\w\s]                                         # any other mark alone
    """,
    re.VERBOSE,
)
_CONTRACTED = re.compile(r"(?i)^(.+?)(n['\u2019]t|['\u2019](?:s|re|ve|ll|d|m))$")
_JOINED = {"cannot": 3, "gonna": 3, "wanna": 3, "gotta": 3}
"""Words of two, and where the second begins."""
_END = re.compile(r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s+[\"'\u201c\u2018(\[]*[\w$#*-]|\s*$)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")


class Word(NamedTuple):
    """A word with its place in the text."""

    form: str
    start: int
    end: int


def sentences_in(text: str) -> list[tuple[int, int]]:
    """Where sentences begin and end. An empty line ends one, whatever stands before it."""
    found = []
    begin = 0
    for gap in [*_PARAGRAPH.finditer(text), None]:
        end = gap.start() if gap else len(text)
        found += _sentences(text, begin, end)
        begin = gap.end() if gap else end
    return found


def _sentences(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Those of a paragraph."""
    found = []
    start = begin
    for mark in _END.finditer(text, begin, end):
        if mark.end() < end and not _ends(text, start, mark, end):
            continue
        found.append((start, mark.end()))
        start = mark.end()
    found.append((start, end))
    trimmed = []
    for first, last in found:
        inner = text[first:last]
        first, last = first + len(inner) - len(inner.lstrip()), last - (len(inner) - len(inner.rstrip()))  # fmt: skip
        if first < last:
            trimmed.append((first, last))
    return trimmed


def _ends(text: str, start: int, mark: re.Match[str], end: int) -> bool:
    """Whether a sentence ends here: what follows decides, and a period of an abbreviation does not end one."""
    after = text[mark.end() : end].lstrip().lstrip("\"'\u201c\u2018([")
    if not after or after[0].islower():
        return False
    if mark[0][0] != "." or len(mark[0].rstrip("\"'\u201d\u2019)]")) > 1:
        return True
    before = re.search(r"[\w.&-]+$", text[start : mark.start()])
    last = before[0].lower() if before else ""
    if last in _ENDING:
        return after[0].isupper() and last not in ("u.s", "u.k")
    if last in ABBREVIATIONS:
        return False
    # Initials: "J. Smith"; but "I." and "vitamin C." may end one, and a list's "1." does not.
    single = len(last) == 1 and last.isalpha() and before is not None and before[0].isupper()
    return not (single and last != "i") and not (last.isdigit() and mark.start() - start <= 3)


def words_in(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of a sentence: marks are words, and contracted words are two (do n't)."""
    end = len(text) if end is None else end
    found: list[Word] = []
    for piece in _WHOLE.finditer(text, start, end):
        found += _divided(piece[0], piece.start())
    return _with_periods(found, text)


def _divided(form: str, start: int) -> list[Word]:
    """One word or two."""
    cut = _JOINED.get(form.lower(), 0)
    parts = _CONTRACTED.match(form)
    if parts:
        cut = len(parts[1])
    elif form[-1] in "'\u2019" and len(form) > 1:
        cut = len(form) - 1
    if not cut:
        return [Word(form, start, start + len(form))]
    two = Word(form[cut:], start + cut, start + len(form))
    return [*_divided(form[:cut], start), two]


def _with_periods(words: list[Word], text: str) -> list[Word]:
    """Abbreviations take the period that follows them, unless it ends the sentence of a word that may do without."""
    found: list[Word] = []
    for number, one in enumerate(words):
        if one.form == "." and found and found[-1].end == one.start:
            before = found[-1]
            last = number == len(words) - 1
            short = before.form.lower() in ABBREVIATIONS or (
                len(before.form) == 1 and before.form.isupper() and before.form != "I"
            )
            if short and not (last and before.form.lower() not in _ENDING):
                found[-1] = Word(text[before.start : one.end], before.start, one.end)
                continue
        found.append(one)
    return found
