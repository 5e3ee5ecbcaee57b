"""The Markdown of experimenters: what it becomes, and that nothing else gets through."""

from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mensura.web.markdown import html_of

pytestmark = pytest.mark.quick

ALLOWED = {"h2", "h3", "h4", "p", "ul", "ol", "li", "strong", "em", "a"}


class Reader(HTMLParser):
    """Every tag with its attributes, and whether all are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def test_a_text_becomes_what_it_says() -> None:
    text = """# About *this* study

You do **some** exercises;
it takes *20* minutes & no more.
- one
- [our page](https://example.org/a_b?x=1&y=*2*)

1. first
2) second
## Contact
"""
    assert html_of(text) == (
        "<h2>About <em>this</em> study</h2>\n"
        "<p>You do <strong>some</strong> exercises;\nit takes <em>20</em> minutes &amp; no more.</p>\n"
        '<ul>\n<li>one</li>\n<li><a href="https://example.org/a_b?x=1&amp;y=*2*" rel="noreferrer">our page</a></li>\n'
        "</ul>\n<ol>\n<li>first</li>\n<li>second</li>\n</ol>\n<h3>Contact</h3>\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "[x](//evil.example)",
        "[x](data:text/html,a)",
        "![x](/p/code)",
        "<a href='https://x.example'>x</a>",
        "[x](HTTPS ://x.example)",
    ],
)
def test_other_links_and_pictures_are_text(text: str) -> None:
    assert "<a" not in html_of(text)
    assert "<img" not in html_of(text)


SIGNS = st.text(st.sampled_from("#*-+1.) []()<>\"'&`\n\thtps:/xjavscript="), max_size=200)


@given(st.one_of(SIGNS, st.text(max_size=200)))
@example('[a](https://x"onclick=x)')
@example("**a *b** c*")
@example("**[a*](https://x)**")
@example("# <script>alert(1)</script>")
def test_nothing_but_the_known_tags_gets_through(text: str) -> None:
    reader = Reader()
    reader.feed(html_of(text))
    reader.close()
    assert reader.open == []
    for tag, attributes in reader.tags:
        assert tag in ALLOWED
        assert set(attributes) == ({"href", "rel"} if tag == "a" else set())
        if tag == "a":
            assert str(attributes["href"]).startswith(("https://", "http://"))
