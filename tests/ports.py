"""Ports for servers that tests start by number, as one that is killed and comes back where it was."""

from __future__ import annotations

import secrets
import socket

_BELOW_WHAT_SYSTEMS_HAND_OUT = range(10_240, 32_768)
"""Linux gives connections their ports from 32,768 on unless it is told otherwise, and others from 49,152."""


def free_port() -> int:
    """One that nobody listens at, nor is given to anybody's connection before the server is there."""
    while True:
        port = secrets.choice(_BELOW_WHAT_SYSTEMS_HAND_OUT)
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
