"""Names of measures by which subjects that are asked over a network tell what an episode took, each a sum of it."""

from __future__ import annotations

REQUESTS, RETRIES, REPAIRS = "requests", "retries", "repairs"
"""How many requests were answered, how many failed and were sent again, and how many answers had to be mended."""

TOKENS_IN, TOKENS_OUT = "tokens_in", "tokens_out"
"""What a language model read and wrote, as its service counts."""

COST = "cost"
"""What that cost, in the currency of the prices given."""

REQUEST_SECONDS = "request_seconds"
"""How long requests took."""
