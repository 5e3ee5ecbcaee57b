"""Refusals: sentences of ours with the status that they have on the web."""

from __future__ import annotations

from mensura.core.errors import MensuraError


class Refused(MensuraError):
    """What cannot be had, and why: 401 log in first, 403 not yours, 404 not there, 409 not now, 429 too often."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
