"""What requests take: counted by a seat, added up, and told as measures of a sitting."""

from __future__ import annotations

from dataclasses import dataclass, fields

from mensura.agents.language_model.services.reply import Reply
from mensura.agents.language_model.settings import Settings
from mensura.core.usage import (
    CHECKS,
    COST,
    HELD,
    REFUSALS,
    REPAIRS,
    REQUEST_SECONDS,
    REQUESTS,
    RETRIES,
    TIMED_OUT,
    TOKENS_CACHED,
    TOKENS_IN,
    TOKENS_OUT,
    TOKENS_REASONING,
)

WITHHELD = (
    "content_filter",
    "refusal",
    "SAFETY",
    "PROHIBITED_CONTENT",
    "BLOCKLIST",
    "SPII",
)
"""What services say where an answer is a refusal, or was withheld."""


@dataclass
class Usage:
    """What requests took."""

    requests: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    """None where a service did not tell."""
    request_seconds: float = 0.0
    retries: int = 0
    repairs: int = 0
    tokens_cached: int | None = 0
    tokens_reasoning: int | None = 0
    requests_timed_out: int = 0
    requests_to_check: int = 0
    held: int = 0
    refusals: int = 0

    @classmethod
    def of(cls, reply: Reply) -> Usage:
        """What one request took."""
        return cls(
            requests=1,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            request_seconds=reply.seconds,
            retries=reply.retries,
            tokens_cached=reply.tokens_cached,
            tokens_reasoning=reply.tokens_reasoning,
            refusals=int(reply.refused or reply.finish in WITHHELD),
        )

    def add(self, other: Usage) -> None:
        """Add what others took."""
        for one in fields(self):
            mine, more = getattr(self, one.name), getattr(other, one.name)
            setattr(self, one.name, None if mine is None or more is None else mine + more)

    def measures(self, settings: Settings) -> dict[str, float]:
        """As measures of an episode; tokens where all were told, and cost where prices are known."""
        told: dict[str, float | None] = {
            REQUESTS: self.requests,
            REQUEST_SECONDS: self.request_seconds,
            RETRIES: self.retries,
            REPAIRS: self.repairs,
            TIMED_OUT: self.requests_timed_out or None,
            CHECKS: self.requests_to_check or None,
            HELD: self.held or None,
            REFUSALS: self.refusals or None,
        }
        if self.tokens_in is not None and self.tokens_out is not None:
            told |= {TOKENS_IN: self.tokens_in, TOKENS_OUT: self.tokens_out}
            told |= {TOKENS_CACHED: self.tokens_cached, TOKENS_REASONING: self.tokens_reasoning}
            told[COST] = settings.cost(self.tokens_in, self.tokens_out)
        return {name: float(value) for name, value in told.items() if value is not None}
