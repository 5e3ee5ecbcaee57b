"""What a language model has learned: its conversations, as bytes from which it goes on in another sitting."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agents.language_model.conversation import Conversation, Said
from mensura.agents.language_model.exchange import Seat
from mensura.agents.language_model.sight import KeptSight, Sight


def to_memory(model: str, seats: Sequence[Seat]) -> bytes:
    """The conversations of all seats, between two episodes."""
    return json.dumps({"model": model, "seats": [_told(one) for one in seats]}).encode()


def take_up(memory: bytes, model: str, seats: Sequence[Seat]) -> None:
    """Go on from what :func:`to_memory` wrote; the memory of another model is refused."""
    try:
        told = json.loads(memory)
        owner, kept = told["model"], told["seats"]
        if owner == model and len(kept) == len(seats):
            for seat, one in zip(seats, kept, strict=True):
                _remind(seat, one)
            return
    except (ValueError, KeyError, TypeError) as error:
        raise MensuraError(
            "The memory is not one that a language model saved; begin anew, without it."
        ) from error
    if owner != model:
        raise MensuraError(f"The memory is that of {owner}, and this is {model}; name the same.")
    raise MensuraError(
        f"The memory is that of {len(kept)} seats and there are {len(seats)} now; give it as many as before."
    )


def _told(seat: Seat) -> dict[str, Any]:
    talk = seat.conversation
    return {
        "turns": [[told, said.text, said.call] for told, said in talk.turns],
        "pictures": [_picture(one) for one in talk.pictures],
        "dropped": talk.dropped,
        "characters_per_token": talk.characters_per_token,
        "notes": talk.notes,
        "pending": list(seat.pending),
    }


def _picture(one: Sight | None) -> list[Any] | None:
    return None if one is None else [one.width, one.height, one.png]


def _remind(seat: Seat, told: dict[str, Any]) -> None:
    talk: Conversation = seat.conversation
    talk.turns = [(text, Said(said, call)) for text, said, call in told["turns"]]
    talk.pictures = [
        None if one is None else KeptSight(one[0], one[1], b64decode(one[2]))
        for one in told["pictures"]
    ]
    talk.dropped = int(told["dropped"])
    talk.characters_per_token = float(told["characters_per_token"])
    talk.notes = str(told["notes"])
    seat.pending = [str(one) for one in told["pending"]]
