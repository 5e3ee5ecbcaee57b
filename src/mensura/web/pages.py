"""Pages: templates filled with words in the reader's language; everything that is not ours is escaped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse

from mensura import __version__
from mensura.core.visible import visible
from mensura.web.page_texts import Words, languages, wanted
from mensura.web.phrases import Phrases, phrases

if TYPE_CHECKING:
    from mensura.web.settings import Settings

LANGUAGE_COOKIE = "mensura-language"


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("mensura.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def load_all() -> None:
    """Read all texts and templates, before anybody comes: of many who come at once each would read them anew."""
    for code in languages():
        Words(code)
        phrases(code)
    for name in _environment().list_templates():
        _environment().get_template(name)


def words_for(request: HTTPConnection) -> Words:
    """The texts in the language that the reader chose, or else accepts."""
    settings: Settings = request.app.state.settings
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    if chosen not in languages():
        chosen = wanted(request.headers.get("accept-language", ""), settings.language)
    return Words(chosen)


def phrases_for(request: HTTPConnection) -> Phrases:
    """Sentences that are not the pages' own, in the same language."""
    return phrases(words_for(request).language)


def page(request: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:
    """A page; ``t`` in its template gives texts, ``request`` the request."""
    words = words_for(request)
    settings: Settings = request.app.state.settings
    text = (
        _environment()
        .get_template(template)
        .render(
            t=words,
            language=words.language,
            languages=languages(),
            version=__version__,
            request=request,
            experimenter=getattr(request.state, "experimenter", False),
            public=settings.public,
            research_for_all=settings.research_for_all,
            **context,
        )
    )
    return HTMLResponse(visible(text), status)


def embedded(value: Any) -> str:
    """JSON for a script element: no text of it can end the element."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace("&", "\\u0026")


def alone(template: str, styles: Sequence[str], words: Words, **context: Any) -> str:
    """A page as a file that stands alone: its styles are in it."""
    static = files("mensura.web").joinpath("static")
    css = "\n".join(static.joinpath(name).read_text(encoding="utf-8") for name in styles)
    text = (
        _environment()
        .get_template(template)
        .render(t=words, language=words.language, version=__version__, css=Markup(css), **context)
    )
    return visible(text)
