"""Published sets in their own forms: blocks of four lines (WSC273, DPR), and the XML of the WSC collection.

None of these forms marks pairs: halves that follow each other and have the same candidates are matched by the words
that they share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

from mensura.agent.errors import MensuraError
from mensura.worlds.items.winograd.files import parse_set, problem_of, read_set_text
from mensura.worlds.items.winograd.schema import PRONOUN, Schema, SchemaSet, phrase, words_of

MASK = "[MASK]"
GAP = "___"
"""What stands for a pronoun that a file does not tell."""
ALIKE = 0.5
"""Halves of a pair share at least so much of their words."""


@dataclass(frozen=True)
class Half:
    """One problem of a published set."""

    line: int
    sentence: str
    """With the pronoun in brackets."""
    pronoun: str
    candidates: tuple[str, str]
    answer: str


@dataclass(frozen=True)
class Reading:
    """A set, and what of its file is not in it."""

    found: SchemaSet
    left_out: tuple[tuple[int, str], ...]
    """The line of each half that makes no schema, and why, in a sentence."""


def read_any(path: Path) -> Reading:
    """The set in a file of any known form."""
    text = read_set_text(path)
    if path.suffix.lower() in (".yaml", ".yml"):
        return Reading(parse_set(text, str(path)), ())
    if text.lstrip().startswith("<"):
        return paired(path.stem, list(xml_halves(text, str(path))))
    return paired(path.stem, list(block_halves(text, str(path))))


def block_halves(text: str, place: str) -> Iterator[Half]:
    """The problems of a text in blocks: sentence, pronoun, candidates with a comma between, the right one."""
    block: list[str] = []
    first = 1
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.strip():
            if not block:
                first = number
            block.append(" ".join(line.split()))
        elif block:
            yield _half(block, first, place)
            block = []


def _half(block: Sequence[str], line: int, place: str) -> Half:
    if len(block) != 4:
        raise MensuraError(
            f"{place}, line {line}: this block has {len(block)} lines; it must have four: sentence, pronoun, "
            "candidates, answer."
        )
    sentence, pronoun, listed, answer = block
    candidates = tuple(one.strip() for one in listed.split(","))
    if len(candidates) != 2 or not all(candidates):
        raise MensuraError(
            f"{place}, line {line + 2}: {listed!r:.80} is no list of two candidates with a comma between."
        )
    matching = [one for one in candidates if one.lower() == answer.lower()]
    if not matching:
        raise MensuraError(
            f"{place}, line {line + 3}: the answer {answer!r:.60} is none of the candidates."
        )
    if pronoun == MASK:
        marked, said = sentence.replace(MASK, f"[{GAP}]", 1), GAP
    else:
        found = list(phrase(pronoun).finditer(sentence))
        if not found:
            raise MensuraError(
                f"{place}, line {line}: the pronoun {pronoun!r:.30} is not in the sentence."
            )
        at = found[-1]
        said = at[0]
        marked = f"{sentence[: at.start()]}[{said}]{sentence[at.end() :]}"
    return Half(line, marked, said, (candidates[0], candidates[1]), matching[0])


def xml_halves(text: str, place: str) -> Iterator[Half]:
    """The problems of the XML collection: text around the pronoun, answers, and the letter of the right one."""
    for line, fields in _xml_schemas(text, place):
        answers = fields.get("answer", [])
        letter = "".join(fields.get("correctAnswer", [])).strip(" .")
        if len(answers) != 2 or letter not in ("A", "B"):
            raise MensuraError(
                f"{place}, line {line}: a schema needs two answers and A or B as the correct one; this has "
                f"{len(answers)} and {letter!r:.20}."
            )
        before, after = ("".join(fields.get(name, [""])[:1]) for name in ("txt1", "txt2"))
        pronoun = "".join(fields.get("pron", [""])[:1])
        if not pronoun:
            raise MensuraError(f"{place}, line {line}: a schema needs its pronoun in <pron>.")
        sentence = " ".join(f"{before} [{pronoun}] {after}".split())
        yield Half(line, sentence, pronoun, (answers[0], answers[1]), answers["AB".index(letter)])


def _xml_schemas(text: str, place: str) -> Iterator[tuple[int, dict[str, list[str]]]]:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    found: list[tuple[int, dict[str, list[str]]]] = []
    path: list[str] = []
    parts: list[str] = []

    def start(tag: str, _: dict[str, str]) -> None:
        path.append(tag)
        parts.clear()
        if tag == "schema":
            found.append((parser.CurrentLineNumber, {}))

    def end(tag: str) -> None:
        path.pop()
        if found and "quote" not in path:  # a schema may repeat its sentence there
            found[-1][1].setdefault(tag, []).append(" ".join("".join(parts).split()))
        parts.clear()

    def refuse(*_: object) -> None:
        raise MensuraError(
            f"{place}, line {parser.CurrentLineNumber}: entities are refused; write the words themselves."
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = parts.append
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        words = expat.errors.messages.get(error.code, "it cannot be read")
        raise MensuraError(f"{place}, line {error.lineno}: this is not XML: {words}.") from None
    if not found:
        raise MensuraError(f"{place} holds no <schema>; is it another file?")
    yield from found


def paired(name: str, halves: Sequence[Half]) -> Reading:
    """Halves that follow each other and belong together, as schemas; and those that make none."""
    made: list[Schema] = []
    lines: list[int] = []
    left_out: list[tuple[int, str]] = []
    at = 0
    while at < len(halves):
        one, other = halves[at], halves[at + 1] if at + 1 < len(halves) else None
        if other is None or not belong_together(one, other):
            left_out.append((one.line, "Its other half was not found beside it."))
            at += 1
            continue
        at += 2
        schema = _schema(one, other)
        found = problem_of(schema)
        if found is None:
            made.append(schema)
            lines.append(one.line)
        else:
            left_out.append((one.line, found[1]))
    if not made:
        raise MensuraError(f"No two halves of {name} make a schema; is it another file?")
    return Reading(SchemaSet(name, tuple(made), lines=tuple(lines)), tuple(left_out))


def belong_together(one: Half, other: Half) -> bool:
    """Whether two problems have the same candidates, other answers, and most of their words in common."""
    if {c.lower() for c in one.candidates} != {c.lower() for c in other.candidates}:
        return False
    if one.answer.lower() == other.answer.lower():
        return False
    first, second = (set(words_of(half.sentence)) for half in (one, other))
    return len(first & second) >= ALIKE * min(len(first), len(second))


def _schema(one: Half, other: Half) -> Schema:
    special, alternate = difference(one.sentence, other.sentence)
    first, second = one.candidates
    answer = one.answer
    rest = second if answer == first else first
    return Schema(
        sentence=one.sentence,
        special=special,
        alternate=alternate,
        pronoun=one.pronoun,
        candidates=one.candidates,
        answers=(answer, rest),
    )


def difference(one: str, other: str) -> tuple[str, str]:
    """What two sentences do not share in the middle, in whole words and longer than that until it is unique."""
    first, second = one.split(), other.split()
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    marks = ".,;!?"
    # As little as is unique, without the pronoun: first to the right, then to the left.
    for wider in range(start + end + 1):
        for right in range(min(wider, end) + 1):
            low = start - (wider - right)
            if low < 0:
                continue
            texts = [" ".join(some[low : len(some) - end + right]) for some in (first, second)]
            while texts[0][-1:] in marks and texts[0][-1:] == texts[1][-1:] and texts[0]:
                texts = [
                    text[:-1] for text in texts
                ]  # a mark that both end with stays in the sentence
            alone = all(texts) and not any(PRONOUN.search(text) for text in texts)
            if alone and len(phrase(texts[0]).findall(PRONOUN.sub(" ", one))) == 1:
                return texts[0], texts[1]
    return " ".join(first[start : len(first) - end]), " ".join(second[start : len(second) - end])
