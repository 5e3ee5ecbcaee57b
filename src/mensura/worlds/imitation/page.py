"""What the page of a seat shows of a conversation under way: what the seat may see, and nothing more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mensura.worlds.imitation import rules, talking
from mensura.worlds.imitation.records import MACHINE, MIDDLE, PERSON
from mensura.worlds.kit import State

if TYPE_CHECKING:
    from mensura.worlds.imitation.world import Imitation


def page_of(world: Imitation, state: State, place: int) -> dict[str, Any]:
    """Plain data for a page, a judge's or a witness's.

    A witness is told neither what goes on elsewhere nor how much time is left, since the clock starts with the judge's
    first message, which may have gone to somebody else.
    """
    over = state.phase == rules.OVER
    typed = next((one[4] for one in state.on_the_way if one[1] == place), "")
    common = {
        "longest": world.longest,
        "trait": world.trait,
        "on_the_way": typed,
        "truth": world.truth(state.description) if over else "",
        "closes": None,
    }
    if place >= world.jurors:
        return common | _of_witness(world, state, place)
    return common | _of_judge(world, state, place)


def _of_witness(world: Imitation, state: State, place: int) -> dict[str, Any]:
    label = world.labels(state.description).get(place)
    phase = "over" if state.phase == rules.OVER else "talk"
    if phase == "talk" and state.phase != rules.TALK:
        phase = "closed"
    if label is None:
        return {"role": "absent", "phase": phase, "messages": [], "says": False}
    return {
        "role": "witness",
        "pretends": bool(world.trait) and place > world.jurors,
        "phase": phase,
        "messages": [
            {"number": one["number"], "mine": one["author"] == "you", "text": one["text"]}
            for one in rules.seen_by_witness(state, label)
        ],
        "says": phase == "talk" and not talking.is_typing(state, place),
        "label": label if phase == "over" else "",
        "verdict": state.verdicts[-1]["choice"] if phase == "over" else None,
        "void": phase == "over" and bool(state.verdicts[-1]["void"]),
    }


def _of_judge(world: Imitation, state: State, place: int) -> dict[str, Any]:
    jury = world.jurors > 1
    sliders = dict.fromkeys(state.channels, MIDDLE) | rules.sliders(state, place)
    asks = talking.asking(state, world.jurors) == place
    talks = state.phase == rules.TALK
    closes: float | None = None
    if talks and state.opened >= 0:
        closes = talking.closes_at(state, world.minutes_of(state.round))
    elif state.phase == rules.DELIBERATE:
        closes = talking.next_event(state, world.minutes_of(state.round), world.deliberation)
    return {
        "role": "juror" if jury else "judge",
        "juror": place + 1,
        "jurors": world.jurors,
        "phase": state.phase,
        "round": min(state.round + 1, world.rounds),
        "rounds": world.rounds,
        "channels": list(state.channels),
        "messages": [
            {
                "number": one["number"],
                "channel": one["channel"],
                "mine": one["author"] in ("you", "judge"),
                "author": "" if one["author"] in ("you", "judge", "witness") else one["author"],
                "text": one["text"],
            }
            for one in rules.seen_by_judge(state, place, jury)
        ],
        "says": (talks and asks and not talking.is_typing(state, place))
        or (state.phase == rules.DELIBERATE and str(place) not in state.ready),
        "asks": asks,
        "ready": str(place) in state.ready,
        "closes": closes,
        "sliders": sliders,
        "marks": [number for who, number in state.marks if who == place],
        "choices": [PERSON, MACHINE] if world.witnesses == 1 else list(state.channels),
        "voted": state.phase in (rules.VOTE, rules.SECOND_VOTE) and str(place) in state.ballots,
        "verdict": state.verdicts[-1]["choice"] if state.phase == rules.OVER else None,
        "void": bool(state.verdicts and state.verdicts[-1]["void"]),
    }
