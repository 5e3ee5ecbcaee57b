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
    own_fields: tuple[str, ...] = ()
    """Fields of its requests that only we set, beside those of OpenAI's."""
    concurrency: int = 16
    """How many sittings are played side by side, where nobody says it."""
    has_batches: bool = False
    """Whether requests can be sent in batches."""


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
            has_batches=True,
        ),
        Scheme(
            "anthropic",
            "anthropic:MODEL",
            f"{_SERVICES}.anthropic:AnthropicService",
            "anthropic",
            "https://api.anthropic.com",
            "ANTHROPIC_BASE_URL",
            ("ANTHROPIC_API_KEY",),
            ("system", "output_config"),
            has_batches=True,
        ),
        Scheme(
            "gemini",
            "gemini:MODEL",
            f"{_SERVICES}.gemini:GeminiService",
            "gemini",
            "https://generativelanguage.googleapis.com",
            "GOOGLE_GEMINI_BASE_URL",
            ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            ("contents", "systemInstruction", "toolConfig"),
        ),
        Scheme(
            "gguf",
            "gguf:model.gguf",
            f"{_SERVICES}.gguf:GgufService",
            "local",
            concurrency=2,
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
