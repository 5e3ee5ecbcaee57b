"""Texts: every language has every text with the same names to fill in, and templates ask for texts that there are."""

import re
import string
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mensura.web import home, page_texts, pages, phrases
from mensura.web.page_texts import Words, languages, wanted
from mensura.web.settings import Settings

pytestmark = pytest.mark.quick

WEB = Path(page_texts.__file__).parent


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", list(languages()))
def test_a_language_has_every_text(language: str) -> None:
    english, own = page_texts._texts("en"), page_texts._texts(language)
    assert set(own) == set(english)
    assert {name: names(text) for name, text in own.items()} == {
        name: names(text) for name, text in english.items()
    }


def test_every_text_that_is_asked_for_is_there() -> None:
    asked = {
        name
        for path in (*WEB.rglob("*.html"), *WEB.rglob("*.py"))
        for name in re.findall(r"""\bt\(["']([\w.-]+)["']""", path.read_text(encoding="utf-8"))
    }
    assert asked <= set(page_texts._texts("en"))


def test_texts_are_filled_in_and_grouped() -> None:
    assert Words("es")("login.send") == "Entrar"
    assert Words("en").group("login")["password"] == "Password"


def test_all_texts_and_templates_are_read_before_anybody_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of many who come at once each would read them, one after another."""
    for cached in (page_texts._texts, page_texts.languages, phrases.phrases, pages._environment):
        cached.cache_clear()
    pages.load_all()
    monkeypatch.setattr(page_texts, "read_texts", None)
    monkeypatch.setattr(phrases, "read_texts", None)
    for code in languages():
        assert Words(code)("login.send")
        assert phrases.phrases(code)
    loaded = pages._environment().cache
    assert loaded is not None
    assert len(loaded) == len(pages._environment().list_templates())
    opened: list[bool] = []
    monkeypatch.setattr(home, "load_all", lambda: opened.append(True))
    app: Any = SimpleNamespace(state=SimpleNamespace(settings=Settings()))
    home.open(app)
    assert opened


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("", "en"), ("es", "es"), ("de, es-ES;q=0.9, en;q=0.8", "es"), ("en;q=0.1, es;q=0.05", "en")],
)
def test_the_language_is_the_first_that_there_is(accepted: str, language: str) -> None:
    assert wanted(accepted) == language
