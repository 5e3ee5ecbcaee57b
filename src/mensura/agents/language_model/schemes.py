"""Which schemes of addresses name language models, and who serves each: the one table that everybody asks.

A further service is a line here, a module in ``services/`` and an entry point in the group ``mensura.schemes``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Scheme:
    """A way to reach language models."""

    name: str
    """What stands before the colon of an address."""
    example: str
    service: str
    """The class that asks, as "module:name"."""
    extra: str
    """The extra that has to be installed."""
    url: str = ""
    """Where the service is, where nobody says otherwise; nothing of one that this process starts itself."""
    url_variable: str = ""
    """The variable of the environment that says otherwise."""
    key_variables: tuple[str, ...] = ()
    """Those that may hold the key; the first one that is set does."""
    concurrency: int = 16
    """How many sittings are played side by side, where nobody says it."""


_SERVICES = "mensura.agents.language_model.services"

MODEL_SCHEMES = {
    one.name: one
    for one in (
        Scheme(
            "openai",
            "openai:MODEL",
            f"{_SERVICES}.openai:OpenAIService",
            "models",
            "https://api.openai.com/v1",
            "OPENAI_BASE_URL",
            ("OPENAI_API_KEY",),
        ),
    )
}
"""The schemes of language models, by name."""


class _Named(Protocol):
    @property
    def scheme(self) -> str: ...


def is_model(part: _Named) -> bool:
    """Whether a part of an address names a language model."""
    return part.scheme in MODEL_SCHEMES
