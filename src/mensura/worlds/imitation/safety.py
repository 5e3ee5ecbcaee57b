"""What is done to every message before it is delivered: private data is masked, and insults are held back.

It goes by patterns and a list, here and nowhere else: nobody outside reads what participants write. So it misses what
no pattern knows, and the list is one of words and not of meanings.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

import yaml

EMAIL = re.compile(r"[\w.+-]+\s?@\s?[\w-]+(?:\.[\w-]+)+")
LINK = re.compile(
    r"(?:https?://|www\.)\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|io|info|de|es|uk|fr|me|gg|ly)\b(?:/\S*)?",
    re.IGNORECASE,
)
IP = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b")
HANDLE = re.compile(r"(?<!\w)@\w{3,}")
PHONE = re.compile(r"(?<![\w.])\+?\(?\d[\d\s().\-/]{5,}\d(?!\w)")
DIGITS_WITH_MARKS, DIGITS_ALONE = 7, 9
"""So many digits are a phone number, with marks between them or a plus, and without: more than sums have."""


def masked(text: str) -> str:
    """The text with links, addresses, handles and phone numbers replaced by what they are."""
    text = EMAIL.sub("[address]", text)
    text = LINK.sub("[link]", text)
    text = IP.sub("[address]", text)
    text = HANDLE.sub("[address]", text)
    return PHONE.sub(_number, text)


def _number(match: re.Match[str]) -> str:
    found = match[0]
    digits = sum(one.isdigit() for one in found)
    marked = found.startswith("+") or re.search(r"\d[().\-/\s]+\d", found) is not None
    return "[number]" if digits >= (DIGITS_WITH_MARKS if marked else DIGITS_ALONE) else found


@lru_cache(maxsize=1)
def _insults() -> re.Pattern[str]:
    text = files("mensura.worlds.imitation").joinpath("insults.yaml").read_text("utf-8")
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, yaml.safe_load(text)))})s?\b", re.IGNORECASE)


def is_held_back(text: str) -> bool:
    """Whether a message has a word of the list in it."""
    return _insults().search(text) is not None
