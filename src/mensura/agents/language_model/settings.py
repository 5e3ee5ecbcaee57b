"""What can be said about a language model in its address: ``openai:MODEL?temperature=0&context=4000``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints
from urllib.parse import urlsplit

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.numbers import is_number
from mensura.agents.address import Part
from mensura.agents.language_model.schemes import MODEL_SCHEMES, Scheme

Manner = Literal["tool", "text", "json"]
ToolChoice = Literal["required", "function", "auto"]
History = Literal["all", "window", "notes"]
See = Literal["text", "picture", "both"]


@dataclass(frozen=True)
class Settings:
    """How a model is asked. None is whatever the service does by itself."""

    model: str
    scheme: str = "openai"
    """Who serves it: what stands before the colon of its address."""
    base_url: str | None = None
    """Where the service is, as http://127.0.0.1:8080/v1; else where the variable of its scheme says, else its own."""
    key_variable: str | None = None
    """The variable of the environment that holds the key; None: that of its scheme. Keys come from nowhere else."""
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int = 4096
    """How many tokens an answer may have; thinking counts."""
    reasoning_effort: str | None = None
    answer: Manner = "tool"
    """Whether actions are answered by a function call, in words, or as JSON to a schema that the service enforces."""
    tool_choice: ToolChoice = "required"
    """How it is held to call: some function, the one by its name, or as it likes. Services know some of these."""
    parallel_tool_calls: bool | None = None
    logprobs: bool = False
    """With answer=text, of openai: whether the probabilities of tokens decide between numbered actions, where the
    service gives them."""
    body: str | None = None
    """Further fields of every request, as a JSON object: {"top_k": 40}."""
    headers: str | None = None
    """Further headers of every request, as a JSON object of texts; $NAME is the value of that variable of the
    environment, which is how a header gets a key."""
    tell: bool = False
    """Whether it tells the others something before it acts, where there are others; that is a request more."""
    context: int = 8000
    """How many tokens of a conversation a request may hold; older turns are left out, the instructions never."""
    history: History = "all"
    """What it is shown of earlier turns: all of them, the last ones, or the last one and notes that it keeps itself."""
    window: int = 8
    """With history=window: how many turns."""
    see: See = "text"
    """Whether observations are told in words, shown as the picture that people see, or both."""
    hold: bool = True
    """Whether it may hold an action for several interactions, in worlds in which waiting makes sense."""
    prompt: str | None = None
    """A prompt of the world or one of our styles by its name, a folder of prompts, or a file in place of system.txt."""
    prompt_hash: str | None = None
    """The hash that the prompts must have; written into the record by us."""
    price_in: float | None = None
    """What a million tokens cost that are sent."""
    price_out: float | None = None
    """What a million tokens cost that are answered."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    concurrency: int = 16
    """How many sittings are played side by side."""
    retries: int = 8
    """How often a request that failed is sent again."""
    patience: float = 600.0
    """How many seconds an answer may wait in all between attempts."""

    batch: bool = False
    """Whether requests are sent in batches, which are answered later and cost less."""
    batch_wait: float = 2.0
    """With batch: a batch is sent when no request came for so many seconds."""
    batch_price: float = 0.5
    """With batch: the share of the prices that is paid."""

    def __post_init__(self) -> None:
        """Raise if the settings are out of range or contradict each other."""
        if (self.price_in is None) != (self.price_out is None):
            raise MensuraError(
                "A price is given for tokens in one direction only; give both price_in and price_out, or none."
            )
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise MensuraError(f"{name} is {value:g}; it is from {least:g} to {most:g}.")
        if self.batch and not self.served.has_batches:
            raise MensuraError(
                f"Models of {self.scheme}: are not asked in batches; leave batch out."
            )
        if self.logprobs and (self.scheme != "openai" or self.answer != "text"):
            raise MensuraError(
                "logprobs takes the probabilities of tokens, which openai: services tell with answer=text; add that, "
                "or leave logprobs out."
            )
        if self.base_url is not None:
            _check_url(self.base_url)
        _check_body(self.body_fields, (*OURS, *self.served.own_fields))
        _check_headers(_object("headers", self.headers))
        if self.key_variable is not None and not self.key_variable.isidentifier():
            # Not shown: somebody may have written the key itself.
            raise MensuraError(
                f"key_variable is the name of a variable of the environment, as {KEY_VARIABLE}, and not a key."
            )

    @property
    def served(self) -> Scheme:
        """Who serves it."""
        return MODEL_SCHEMES[self.scheme]

    @property
    def url(self) -> str:
        """Where the service is."""
        found = self.base_url or os.environ.get(self.served.url_variable) or self.served.url
        if not found:
            return ""
        _check_url(found)
        return found.rstrip("/")

    @property
    def is_elsewhere(self) -> bool:
        """Whether the service is not where its scheme says, but where an address or the environment does."""
        return self.url != self.served.url

    @property
    def host(self) -> str:
        """The service by its host and port alone."""
        parts = urlsplit(self.url)
        return parts.netloc.rpartition("@")[2] or "this machine"

    @property
    def key_name(self) -> str:
        """The variable of the environment that holds the key, or should."""
        if self.key_variable is not None:
            return self.key_variable
        known = self.served.key_variables or (KEY_VARIABLE,)
        return next((name for name in known if os.environ.get(name, "").strip()), known[0])

    def key(self) -> str:
        """The key, from the environment; services that are named by their address may need none."""
        found = os.environ.get(self.key_name, "").strip()
        if found:
            return found
        if self.is_elsewhere and self.key_variable is None:
            return "none"
        raise MensuraError(
            f"There is no key for {self.model}: set the variable {self.key_name} of the environment, or name "
            "another one by key_variable."
        )

    @property
    def body_fields(self) -> dict[str, Any]:
        """The further fields of a request."""
        return _object("body", self.body)

    def header_fields(self) -> dict[str, str]:
        """The further headers of a request, variables of the environment put in."""
        found = {}
        for name, text in _object("headers", self.headers).items():
            if not text.startswith("$"):
                found[name] = text
                continue
            value = os.environ.get(text[1:], "").strip()
            if not value:
                raise MensuraError(
                    f"The header {name} is the variable {text[1:]} of the environment, which is not set."
                )
            found[name] = value
        return found

    def secrets(self) -> list[str]:
        """What must never be shown: the key, and whatever headers take from the environment."""
        try:
            found = [self.key(), *self.header_fields().values()]
        except MensuraError:
            return []
        return [one for one in found if len(one) > 4]

    def cost(self, tokens_in: float, tokens_out: float) -> float | None:
        """What so many tokens cost, where prices are known; those of a batch with batch."""
        full = self.full_cost(tokens_in, tokens_out)
        return full * self.batch_price if full is not None and self.batch else full

    def full_cost(self, tokens_in: float, tokens_out: float) -> float | None:
        """What so many tokens cost outside of batches."""
        if self.price_in is None or self.price_out is None:
            return None
        return (tokens_in * self.price_in + tokens_out * self.price_out) / 1e6


KEY_VARIABLE = "OPENAI_API_KEY"
"""An example of a variable that holds a key."""

_RANGES: tuple[tuple[str, float, float], ...] = (
    ("temperature", 0, 2),
    ("top_p", 0, 1),
    ("max_tokens", 1, 1_000_000),
    ("context", 200, 10_000_000),
    ("window", 1, 1_000_000),
    ("price_in", 0, 1e9),
    ("price_out", 0, 1e9),
    ("requests_per_minute", 0.01, 1e9),
    ("tokens_per_minute", 1, 1e12),
    ("concurrency", 1, 1000),
    ("retries", 0, 100),
    ("patience", 0, 86_400),
    ("batch_wait", 0, 3_600),
    ("batch_price", 0, 1),
)

SITTINGS_IN_BATCHES = 256
"""How many sittings are under way at once where requests go in batches and nobody says it; each is a thread."""

OF_ADDRESS = ("model", "scheme")
"""What the address itself says, so that no parameter does."""

_SECRET = ("api_key", "key", "token", "secret", "password", "authorization")


def read_settings(part: Part) -> Settings:
    """The settings that an address names; a sentence where one is unknown or cannot be."""
    values = read_values(part.parameters, part.target)
    concurrency = MODEL_SCHEMES[part.scheme].concurrency
    if values.get("batch"):
        concurrency = SITTINGS_IN_BATCHES
    return Settings(part.target, part.scheme, **{"concurrency": concurrency, **values})


def read_values(parameters: Mapping[str, str], model: str) -> dict[str, Any]:
    """Parameters as they are written, read by the types of the settings."""
    hints = get_type_hints(Settings)
    known = [field.name for field in fields(Settings) if field.name not in OF_ADDRESS]
    values: dict[str, Any] = {}
    for name, text in parameters.items():
        if name.lower() in _SECRET:
            raise MensuraError(
                f"Keys are not written into addresses, which are kept: put it into the variable {KEY_VARIABLE} of the "
                "environment, or into one that key_variable names."
            )
        if name not in known:
            raise MensuraError(
                f"The language model {model} has no parameter {name!r}; {neighbors(name, known)}"
            )
        values[name] = _value(name, text, hints[name])
    return values


def _value(name: str, text: str, hint: Any) -> Any:
    if hint in (Manner, ToolChoice, History, See):
        *others, last = get_args(hint)
        if text not in get_args(hint):
            raise MensuraError(f"{name} is {text!r}; it is {', '.join(others)} or {last}.")
        return text
    kinds = get_args(hint) or (hint,)
    if bool in kinds:
        if text.lower() not in ("true", "false"):
            raise MensuraError(f"{name} is {text!r}; it is true or false.")
        return text.lower() == "true"
    for kind, noun in ((int, "a whole number"), (float, "a number")):
        if kind in kinds:
            try:
                value = kind(text)
            except ValueError:
                raise MensuraError(f"{name} is {text!r}; it must be {noun}.") from None
            if not is_number(value):
                raise MensuraError(f"{name} is {text!r}; it must be finite.")
            return value
    return text


OURS = ("model", "messages", "tools", "tool_choice", "response_format", "stream", "n", "timeout")
"""Fields of a request on which reading the answer depends, so that nobody else may set them."""


def _object(name: str, text: str | None) -> dict[str, Any]:
    """The JSON object that a setting holds."""
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise MensuraError(f'{name} is not a JSON object, as in {{"name": "value"}}.')
    return value


def _check_body(body: Mapping[str, Any], ours: Collection[str]) -> None:
    """Raise if a field is one that only we set, or that has a parameter of its own."""
    own = {"body", "headers", "context", "history", "window", "see", "hold", *OF_ADDRESS}
    known = {field.name for field in fields(Settings)} - own
    for name in body:
        if name.lower() in _SECRET:
            raise MensuraError(
                "Keys are not written into the body of requests, which is kept: put the key into the variable "
                f"{KEY_VARIABLE} of the environment."
            )
        if name in ours:
            raise MensuraError(f"The field {name!r} of the body is set by Mensura; leave it out.")
        if name in known:
            raise MensuraError(
                f"The field {name!r} of the body has a parameter of its own: write {name}=VALUE in the address."
            )


_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_KEY_HEADERS = (
    "authorization",
    "proxy-authorization",
    "cookie",
    "api-key",
    "x-api-key",
    "x-goog-api-key",
)


def _check_headers(headers: Mapping[str, Any]) -> None:
    """Raise if a header cannot be sent, or holds a key in plain sight."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise MensuraError(f"{name!r} is not the name of a header.")
        if not isinstance(value, str) or not value.isprintable() or not value.isascii():
            raise MensuraError(f"The header {name} must be a text of printable ASCII characters.")
        if name.lower() in _KEY_HEADERS and not value.startswith("$"):
            raise MensuraError(
                f"The header {name} holds a key, and addresses are kept: write $NAME, the variable of the environment "
                "that holds it."
            )
        if value.startswith("$") and not value[1:].isidentifier():
            raise MensuraError(
                f"{value!r} in the header {name} is not a variable of the environment; write $NAME."
            )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_fine = urlsplit(""), False
    if "@" in parts.netloc:
        raise MensuraError(
            "The address of a service holds a name or a password; keys come from the environment only."
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise MensuraError(
            f"{url!r} is not the address of a service; write it as http://127.0.0.1:8080/v1."
        )
