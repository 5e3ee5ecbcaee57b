"""What keeps strangers out: passwords as hashes, signed cookies, limits on how often and how much, headers.

Pages and the API change something only where the request comes from our own pages (``Origin``, ``Sec-Fetch-Site``), so
that no other site can act in the name of whoever is logged in here; cookies are ``SameSite=Strict`` besides.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 18
"""So many bytes a request may hold."""
MOST_TO_DISCARD, SECONDS_TO_DISCARD = 1 << 24, 2.0
"""How much of a request that is refused is taken all the same, and for how long."""

SECONDS_LOGGED_IN = 12 * 3600

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

ALONE = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""The content security policy of reports, which stand alone: their styles are in them, and no script runs."""

BOXED = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""That of pages whose scripts are in them, too: they run as if from nowhere, and reach nothing of the server."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
}
"""Of every answer: nothing is loaded from elsewhere, nothing runs that stands in a page, nobody frames us."""


# Passwords and cookies ------------------------------------------------------------


def hashed(password: str) -> str:
    """A password as it may be kept: salted, and slow to try (scrypt, RFC 7914)."""
    salt = secrets.token_bytes(16)
    digest = hashlib.scrypt(password.encode(), salt=salt, n=1 << 14, r=8, p=1, dklen=32)
    return f"scrypt${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def fits(password: str, kept: str) -> bool:
    """Whether a password is the one whose hash was kept; takes equally long either way."""
    kind, _, rest = kept.partition("$")
    salt, _, digest = rest.partition("$")
    if kind != "scrypt":
        return False
    tried = hashlib.scrypt(
        password.encode(), salt=base64.b64decode(salt), n=1 << 14, r=8, p=1, dklen=32
    )
    return hmac.compare_digest(tried, base64.b64decode(digest))


class Signer:
    """Writes what a browser may keep but not change, and reads it back until it is too old."""

    def __init__(self, secret: bytes, purpose: str) -> None:
        self._key = hmac.digest(secret, purpose.encode(), "sha256")

    def sign(self, value: Any, seconds: float) -> str:
        """The value as text that is good for so many seconds."""
        body = json.dumps([value, int(time.time() + seconds)], separators=(",", ":")).encode()
        text = base64.urlsafe_b64encode(body).rstrip(b"=")
        return f"{text.decode()}.{self._mark(text)}"

    def read(self, signed: str) -> Any | None:
        """The value; None where it was changed, is too old, or was never ours."""
        text, _, mark = signed.partition(".")
        if not hmac.compare_digest(self._mark(text.encode()).encode(), mark.encode()):
            return None
        try:
            value, until = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        except (ValueError, TypeError):
            return None
        return value if time.time() <= until else None

    def _mark(self, text: bytes) -> str:
        digest = hmac.digest(self._key, text, "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


# Ways -----------------------------------------------------------------------------


def local_path(text: str, otherwise: str) -> str:
    """A path of ours that a browser may be sent on to; the other where the text leads elsewhere, or may.

    Browsers read a backslash as a slash and leave out tabs and line breaks (WHATWG, URL Standard, 4.4), so that there
    are more ways of writing another site than ``//site``.
    """
    leads_elsewhere = not text.startswith("/") or text.startswith("//") or "\\" in text
    return otherwise if leads_elsewhere or not text.isprintable() else text


# Limits ---------------------------------------------------------------------------


class Limiter:
    """How often something may be done, by name: so many at once, then so many a second."""

    def __init__(
        self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._rate = per_second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, who: str, cost: float = 1.0) -> bool:
        """Whether they may once more; that counts."""
        now = self._clock()
        left, then = self._left.pop(who, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        allowed = left >= cost
        self._left[who] = (left - cost if allowed else left, now)
        while len(self._left) > 100_000:
            self._left.popitem(last=False)
        return allowed

    def give_back(self, who: str, cost: float = 1.0) -> None:
        """What they did does not count after all."""
        left, then = self._left.get(who, (self._burst, self._clock()))
        self._left[who] = (min(self._burst, left + cost), then)


# Around the application -------------------------------------------------------------


class Guard:
    """ASGI around the application: headers on every answer, no large bodies, no changes asked for by other sites."""

    def __init__(self, app: ASGIApp, secure: bool = False, body_seconds: float = 30.0) -> None:
        self._app = app
        self._secure = secure
        self._body_seconds = body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, unless something is wrong with it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = too_large = whole = late = False
        taken = 0

        async def answer(message: Message) -> None:
            nonlocal started
            if (too_large or late) and not started:
                return
            if message["type"] == "http.response.start":
                started = True
                there = {name.lower() for name, _ in message["headers"]}
                more = dict(HEADERS)
                if self._secure:
                    more["strict-transport-security"] = "max-age=31536000"
                if not scope["path"].startswith("/static/"):
                    more["cache-control"] = "no-store"
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in more.items()
                        if name.encode() not in there
                    ),
                ]
            await send(message)

        headers = dict(scope["headers"])
        wrong = self._wrong(scope, headers)
        if wrong:
            await _discard(receive)
            await _refuse(answer, *wrong)
            return

        until = asyncio.get_running_loop().time() + self._body_seconds

        async def limited() -> Message:
            nonlocal taken, too_large, whole, late
            if whole or late:
                return await receive()
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                late = True
                return {"type": "http.disconnect"}
            whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > LARGEST_BODY:
                too_large = True
                return {"type": "http.disconnect"}
            return message

        try:
            await self._app(scope, limited, answer)
        except Exception:
            if not too_large and not late:
                raise
        if late and not started:
            late = False
            await _refuse(answer, *_TOO_SLOW)
        if too_large and not started:
            too_large = False
            await _discard(receive)
            await _refuse(answer, *_TOO_LARGE)

    def _wrong(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        if scope["method"] in SAFE:
            return None
        try:
            if int(headers.get(b"content-length", b"0")) > LARGEST_BODY:
                return _TOO_LARGE
        except ValueError:
            return 400, "The length of the request is not a number."
        if not same_site(
            {name.decode("latin-1"): one.decode("latin-1") for name, one in headers.items()}
        ):
            return 403, "Changes are taken from our own pages only."
        return None


def same_site(headers: Mapping[str, str]) -> bool:
    """Whether a request comes from our own pages, or from no page at all."""
    host, origin = headers.get("host", ""), headers.get("origin", "")
    if origin and urlsplit(origin).netloc != host:
        return False
    return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


_TOO_LARGE = (413, f"The request is too large; at most {LARGEST_BODY} bytes are taken.")


_TOO_SLOW = (408, "The request took too long to come.")


async def _discard(receive: Callable[[], Awaitable[Message]]) -> None:
    """Take what a client still sends, within bounds: one that is cut short while it sends never reads the answer."""
    taken = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS_TO_DISCARD):
            while taken < MOST_TO_DISCARD:
                message = await receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


async def _refuse(send: Callable[[Message], Awaitable[None]], status: int, why: str) -> None:
    body = json.dumps({"error": why}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
