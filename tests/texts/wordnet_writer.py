"""Writes a part of our WordNet as files of the WordNet database, so that NLTK reads the very same synsets."""

from __future__ import annotations

from pathlib import Path

from mensura.texts.wordnet import LEXICOGRAPHER_FILES, Lexicon


def write(folder: Path, lexicon: Lexicon, wanted: set[int]) -> dict[int, int]:
    """Files of these synsets of nouns, with all above them; the offset of each."""
    closed = sorted(set().union(*(lexicon.ancestors(one) for one in wanted)))
    offsets: dict[int, int] = dict.fromkeys(closed, 0)
    for _ in range(2):  # offsets are as wide whatever they are
        text, at = "", 0
        for one in closed:
            offsets[one] = at
            parents = lexicon.parents(one)
            pointers = "".join(f" @ {offsets[p]:08d} n 0000" for p in parents)
            line = (
                f"{at:08d} {lexicon._files[one]:02d} n 01 synset_{one} 0 {len(parents):03d}{pointers}"
                " | none  \n"
            )
            text, at = text + line, at + len(line)
    (folder / "data.noun").write_text(text, encoding="ascii")
    index = "".join(f"synset_{one} n 1 1 @ 1 0 {offsets[one]:08d}  \n" for one in closed)
    (folder / "index.noun").write_text(index, encoding="ascii")
    for part in ("verb", "adj", "adv"):
        (folder / f"index.{part}").write_text("", encoding="ascii")
        (folder / f"data.{part}").write_text("", encoding="ascii")
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"{part}.exc").write_text("", encoding="ascii")
    names = "".join(f"{k:02d}\t{name}\t1\n" for k, name in enumerate(LEXICOGRAPHER_FILES))
    (folder / "lexnames").write_text(names, encoding="ascii")
    return offsets
