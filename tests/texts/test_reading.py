"""Files as running text: what is no sentence is left out, and what cannot be read is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.texts.pdf_writer import pdf

from mensura.agent.errors import MensuraError
from mensura.texts.reading import from_markdown, read_document

PROSE = "The army attacked the fort, which was on the hill, and it was taken by them in the night."


def written(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_markdown_is_read_without_what_is_no_sentence() -> None:
    text = from_markdown(
        "---\ntitle: x\n---\n# Heading\n\nThe *army* attacked the [fort](http://x.y) with `fire`.\n\n"
        "```python\ncode()\n```\n\n| a | b |\n|---|---|\n\n![picture](a.png)\n\n- It was **taken**.\n\n[1]: http://x\n"
    )
    assert " ".join(text.split()) == "The army attacked the fort with fire. It was taken."


def test_columns_of_a_pdf_are_read_one_after_the_other(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    lines = []
    for k, (left, right) in enumerate(
        [
            ("The army attacked the for-", "of the town, and they were"),
            ("tress, and it was taken by", "not seen by the guards."),
            ("them [3, 4] from the side", "x = y + 3 * (a / b) ^ 2"),
        ]
    ):
        lines += [(50, 700 - 14 * k, left), (320, 700 - 14 * k, right)]
    end = [(50, 500, "References"), (50, 480, "The author of it. The title of the work.")]
    text = read_document(written(tmp_path, "a.pdf", pdf([lines, end])))
    assert " ".join(text.split()) == (
        "The army attacked the fortress, and it was taken by them from the side of the town, and they were not seen by "
        "the guards."
    )


def test_running_heads_and_page_numbers_of_a_pdf_are_left_out(tmp_path: Path) -> None:
    pytest.importorskip("pypdf")
    pages = [
        [(50, 780, f"Journal of the Forts {n}"), (50, 700, f"{PROSE} {word}."), (300, 20, str(n))]
        for n, word in enumerate(["First", "Second", "Third", "Last"])
    ]
    text = read_document(written(tmp_path, "a.pdf", pdf(pages)))
    assert "Journal" not in text
    assert text.count("attacked") == 4
    assert "2" not in text


def test_an_abstract_is_taken_by_itself(tmp_path: Path) -> None:
    paper = f"A title\n\nAbstract. {PROSE}\n\n1 Introduction\nThe rest of it is not wanted here.\n"
    path = written(tmp_path, "a.txt", paper)
    assert read_document(path, "abstract").strip() == PROSE
    with pytest.raises(MensuraError, match="has no abstract"):
        read_document(written(tmp_path, "b.txt", PROSE), "abstract")


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.txt", "", "is empty: there is no word in it"),
        ("a.txt", " 12 .. ", "is empty: there is no word in it"),
        ("a.txt", b"\xff\xfe\x00", "is not text in UTF-8"),
        ("a.txt", "a\0b", "holds characters that no text has"),
        (
            "a.txt",
            "Der General wollte die Festung erobern, aber alle Wege waren vermint und die Bauern litten.",
            "does not seem to be in English",
        ),
        (
            "a.txt",
            "El general quería tomar la fortaleza, pero todos los caminos estaban minados por el dictador.",
            "does not seem to be in English",
        ),
        ("a.pdf", pdf([[]]), "seems to be scanned"),
        ("a.pdf", b"%PDF-1.4 nonsense", "cannot be read as a PDF"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(
    tmp_path: Path, name: str, data: str | bytes, sentence: str
) -> None:
    if name.endswith(".pdf"):
        pytest.importorskip("pypdf")
    with pytest.raises(MensuraError, match=sentence):
        read_document(written(tmp_path, name, data))


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="cannot be read"):
        read_document(tmp_path / "none.txt")
