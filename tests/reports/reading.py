"""Reading a page as a browser would: its elements, its tables, and what it would load."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

EMPTY = {"meta", "br", "hr", "img", "input", "link", "col", "wbr"}


class Page(HTMLParser):
    """A parsed page; raises where an element is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self._rows: list[list[str]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self._table = ""
        self._text = text
        self.feed(text)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        assert len(given) == len(attrs), f"an attribute of {tag} is given twice"
        self.tags.append((tag, given))
        if tag not in EMPTY:
            self._open.append(tag)
        if tag == "table":
            self._table = given.get("id", str(len(self.tables)))
            self.tables[self._table] = []
        if tag == "tr":
            self.tables[self._table].append([])
        if tag in ("th", "td"):
            self.tables[self._table][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.words.append(data)
        if {"th", "td"} & set(self._open):
            self.tables[self._table][-1][-1] += data

    @property
    def prose(self) -> str:
        """All words, with single spaces."""
        return " ".join(" ".join(self.words).split())

    @property
    def ids(self) -> list[str]:
        return [given["id"] for _, given in self.tags if "id" in given]

    def figures(self) -> list[ElementTree.Element]:
        """Every SVG of the page, parsed as XML."""
        found = re.findall(r"<svg.*?</svg>", self._text, re.DOTALL)
        return [ElementTree.fromstring(svg) for svg in found]

    def loads(self) -> list[str]:
        """Whatever a browser would fetch or run."""
        wanted = [
            given[name]
            for _, given in self.tags
            for name in ("src", "srcset", "href", "data", "action", "poster")
            if name in given and not given[name].startswith("#")
        ]
        wanted += [tag for tag, _ in self.tags if tag in ("script", "iframe", "object", "link")]
        wanted += [name for _, given in self.tags for name in given if name.startswith("on")]
        wanted += re.findall(r"@import[^;]*|@font-face|url\((?!#)[^)]*\)", self._text)
        return wanted


def check(text: str, *, drawn: bool = True) -> Page:
    """A page that is sound: closed, with single ids, sound links and nothing from elsewhere."""
    assert text.startswith("<!DOCTYPE html>")
    page = Page(text)
    assert page.loads() == []
    assert len(set(page.ids)) == len(page.ids), "two elements share an id"
    known = set(page.ids)
    for _, given in page.tags:
        for value in given.values():
            for target in re.findall(r"url\(#([^)]+)\)", value):
                assert target in known, target
        if given.get("href", "").startswith("#"):
            assert given["href"][1:] in known
    tags = [tag for tag, _ in page.tags]
    assert tags.count("h1") == 1
    assert "width=device-width" in text, "readable on a phone"
    assert "@media print" in text
    assert "prefers-color-scheme: dark" in text
    assert bool(page.figures()) == drawn
    return page
