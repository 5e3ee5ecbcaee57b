"""The texts of all pages, in files: one for each language, ``texts/en.yaml`` and others beside it.

A text may hold names in braces, as ``"Exercise {number} of {count}"``. A language that lacks a text shows the English.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

DEFAULT = "en"


@cache
def languages() -> Mapping[str, str]:
    """The languages that there are, by code, each by its own name."""
    found = {}
    for file in sorted(files("mensura.web").joinpath("texts").iterdir(), key=lambda one: one.name):
        if file.name.endswith(".yaml"):
            code = file.name.removesuffix(".yaml")
            found[code] = _texts(code)["language"]
    return found


@cache
def _texts(language: str) -> Mapping[str, str]:
    file = files("mensura.web").joinpath("texts", f"{language}.yaml")
    return dict(_flat(read_texts(file.read_text(encoding="utf-8")), ""))


def read_texts(text: str) -> Any:
    """What a file of texts holds; by libyaml where it is there, which is ten times as quick."""
    import yaml

    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _flat(texts: Mapping[str, Any], before: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, text in texts.items():
        if isinstance(text, Mapping):
            found += _flat(text, f"{before}{name}.")
        else:
            found.append((f"{before}{name}", str(text)))
    return found


class Words:
    """The texts of one language: ``words("participant.begin", count=7)``."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._own = _texts(language)
        self._english = _texts(DEFAULT)

    def __call__(self, name: str, **values: Any) -> str:
        """A text with its names filled in."""
        text = self._own.get(name) or self._english[name]
        return text.format(**values) if values else text

    def group(self, name: str) -> dict[str, str]:
        """All texts below a name, for modules in the browser."""
        start = f"{name}."
        return {
            one.removeprefix(start): self(one) for one in self._english if one.startswith(start)
        }


def wanted(accepted: str, default: str = DEFAULT) -> str:
    """The language that there is of those that a browser accepts (``Accept-Language``)."""
    offers = []
    for place, part in enumerate(accepted.split(",")[:20]):
        code, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            weight = 0.0
        offers.append((-weight, place, code.partition("-")[0].lower()))
    for _, _, code in sorted(offers):
        if code in languages():
            return code
    return default
