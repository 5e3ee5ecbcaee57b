"""A conversation that was judged, as plain data: what was said, marks, votes and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LABELS = "AB"
"""The channels, one for each witness."""
PERSON, MACHINE = "person", "machine"
PEOPLE, PROGRAMS, BOTH = "people", "machines", "people and machines together"
"""Who judged a game; both together are a jury of which some are people."""


@dataclass(frozen=True)
class Game:
    """One game."""

    labels: Mapping[str, str]
    """Who had which channel: person or machine, by label."""
    messages: Sequence[Mapping[str, Any]]
    votes: Sequence[Mapping[str, Any]]
    verdicts: Sequence[Mapping[str, Any]]
    """One of each round: the choice, whether it is void, and what the machine won: 1, 0, or 1/2 if nobody can tell."""
    marks: Sequence[int]
    breaks: Mapping[str, int | None]
    """By label: after how many messages of that witness the first judge took it for a machine for good."""
    lone_blunder: bool
    """Whether a lost game was on the person's side until a single marked message, and on the machine's ever after."""
    judge: str = ""
    person: str = ""
    machine: str = ""
    judged_by: str = PROGRAMS
    """Who judged; such games are never pooled with those that others judged."""
    person_is_one: bool = False
    """Whether a person was in the place of the person, and not a program."""
    publishable: bool = True
    """Whether what was said may be shown: of people, where all in the game have allowed it."""

    @property
    def won(self) -> float:
        """Of the last round."""
        return float(self.verdicts[-1]["won"])

    @property
    def void(self) -> bool:
        """Whether a witness never answered."""
        return bool(self.verdicts[-1]["void"])

    @property
    def counts(self) -> bool:
        """Whether it says something of the machine: it was there, and every witness answered."""
        return not self.void and MACHINE in self.labels.values()

    def said_by(self, role: str) -> list[str]:
        """All messages of the person or of the machine."""
        own = {label for label, one in self.labels.items() if one == role}
        return [
            one["text"]
            for one in self.messages
            if one["channel"] in own and one["author"] == "witness"
        ]

    def text(self) -> str:
        """The conversation and its verdict, to be read."""
        lines = []
        for one in self.messages:
            channel = f" {one['channel']}" if one["channel"] in LABELS else ""
            lines.append(f"[{one['number']}] {one['author']}{channel}: {one['text']}")
        for vote in self.votes:
            for juror, ballot in vote["ballots"].items():
                choice = ballot["choice"] or "cannot tell"
                lines.append(
                    f"{vote['phase']} of juror {int(juror) + 1}: {choice}, confidence {ballot['confidence']}"
                    f"{': ' + ballot['reason'] if ballot['reason'] else ''}"
                )
        truth = ", ".join(f"{label} was the {role}" for label, role in sorted(self.labels.items()))
        return "\n".join([*lines, f"In truth {truth}."])


def uncounted(games: Sequence[Game]) -> list[str]:
    """A sentence for each machine of which no game counts, so that nothing can be said of it."""
    sentences = []
    for machine, judged_by in dict.fromkeys((one.machine, one.judged_by) for one in games):
        own = [one for one in games if (one.machine, one.judged_by) == (machine, judged_by)]
        if any(one.counts for one in own):
            continue
        void = sum(one.void for one in own)
        why = f"{void} of its {len(own)} games are void, since a witness never said anything"
        if void < len(own):
            why += f"; in the other {len(own) - void} the witness was a person"
        sentences.append(f"Nothing can be said of {machine} as judged by {judged_by}: {why}.")
    return sentences
