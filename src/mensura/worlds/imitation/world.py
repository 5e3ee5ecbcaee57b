"""The imitation game: judges talk with a person and a machine, and say which is the person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from mensura.agent.errors import MensuraError
from mensura.agent.keys import DRAWN_ANEW
from mensura.agent.spaces import Space, Text
from mensura.records.conversation import Game
from mensura.worlds.imitation import rules, talking
from mensura.worlds.imitation.minds import JUDGES, MINDS, WITNESSES
from mensura.worlds.imitation.page import page_of
from mensura.worlds.imitation.records import (
    CANNOT_TELL,
    LABELS,
    MACHINE,
    MARK,
    PERSON,
    SAY,
    SILENCE,
    SILENT,
    SLIDER,
    VERDICT,
    judge_actions,
    observations,
)
from mensura.worlds.imitation.sentences import Sentences, told
from mensura.worlds.imitation.transcript import game_of
from mensura.worlds.kit import (
    BANK,
    GENERATED,
    BaseDescription,
    BaseWorld,
    Ended,
    Generator,
    State,
    StepEnvironment,
    parameter,
)

FEWEST_JURORS, MOST_JURORS = 3, 12
WON, VOID, CONFIDENCE, BREAK, MESSAGES, HELD_BACK = (
    "taken for the person",
    "void",
    "confidence",
    "break",
    "messages of the machine",
    "messages held back",
)
"""What a game tells beside the rewards: of the machine, in the last round."""


class Imitation(BaseWorld):
    """Judges put questions to witnesses, of whom one is a machine or somebody who pretends, and give a verdict.

    The machine gets 1 if it is taken for the person, -1 if not, and 0 where the game is void or nobody can tell; judges
    and the person get the opposite. Turns are strict here: a judge asks, a witness answers.
    """

    id = "imitation-v1"
    changes: ClassVar[Mapping[int, str]] = {1: DRAWN_ANEW}
    witnesses: int = parameter(2, "How many witnesses a judge talks with", at_least=1, at_most=2)
    jurors: int = parameter(
        1, "How many judges there are: 1, or a jury of 3 to 12", at_least=1, at_most=MOST_JURORS
    )
    verdict: Literal["majority", "unanimity"] = parameter(
        "majority", "Of a jury: how it comes to its verdict"
    )
    trait: str = parameter(
        "",
        "What one witness has and the other pretends to have, as a gender; empty: being a person",
    )
    rounds: int = parameter(
        1, "How many rounds there are, with a verdict after each", at_least=1, at_most=8
    )
    turns: int = parameter(
        5, "Questions to each witness in the first round", at_least=1, at_most=40
    )
    longest: int = parameter(300, "The most characters of a message", at_least=20, at_most=2000)
    scored: Literal["machine", "judge", "person"] = parameter(
        "machine", "Whose rewards are the score: the machine's, the judges' or the person's"
    )
    exchange: Literal["alternating", "open"] = parameter(
        "alternating",
        "How messages come: in strict turns, the judge first; or open: whoever speaks first is heard",
    )
    minutes: float = parameter(
        5.0,
        "Of an open exchange: minutes of the first round, from the judge's first message",
        at_least=0.1,
        at_most=60,
    )
    deliberation: float = parameter(
        5.0,
        "Of a jury in an open exchange: minutes between the first vote and the second",
        at_least=0.1,
        at_most=60,
    )
    typing: bool = parameter(
        True,
        "Of an open exchange: whether messages take a typing time, the same for people and machines",
    )
    seated: Literal["scored", "all"] = parameter(
        "scored",
        "Who is played: those who are scored, the others being built in; or all seats, judges first",
    )
    judge: str = parameter("skeptic", "The built-in judge", choices=tuple(JUDGES))
    person: str = parameter("replay", "Who stands in for the person", choices=tuple(WITNESSES))
    machine: str = parameter("eliza", "The built-in machine", choices=tuple(WITNESSES))

    minds = MINDS
    own_prompts: ClassVar[Mapping[str, Path]] = {
        name: Path(__file__).parent / "prompts" / f"{name}.txt"
        for name in ("plain", "persona", "judge")
    }
    promises = frozenset({"bounded"})
    usual_assessment = "games"
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "three-party": {},
        "two-party": {"witnesses": 1},
        "gender": {"trait": "a woman"},
        "gender-machine": {"trait": "a woman"},
        "jury": {"jurors": 6},
        "sustained": {"rounds": 4},
    }

    @property
    def content(self) -> str:  # type: ignore[override]
        """Whoever is built in says what stands in lists that come with Mensura; else all is said by those who play."""
        return GENERATED if self.seated == "all" else BANK

    def check(self) -> None:
        """A jury has at least three jurors, and a trait needs two who claim it."""
        if 1 < self.jurors < FEWEST_JURORS:
            raise MensuraError(
                f"jurors of {self.id} is {self.jurors}; it must be 1, or from {FEWEST_JURORS} to {MOST_JURORS}."
            )
        if self.trait and self.witnesses == 1:
            raise MensuraError(
                f"trait of {self.id} is {self.trait!r}, which two witnesses claim to have; witnesses must be 2."
            )

        if self.exchange == "open" and self.seated != "all":
            raise MensuraError(
                f"exchange of {self.id} is open, in which all seats are played; seated must be all."
            )

    # Places: jurors first, then the person, then the machine. Those that somebody plays have seats.

    @cached_property
    def _roles(self) -> tuple[str, ...]:
        return (*["judge"] * self.jurors, PERSON, MACHINE)

    @cached_property
    def _places(self) -> tuple[int, ...]:
        """The place of each seat."""
        everywhere = range(len(self._roles))
        if self.seated == "all":
            return tuple(everywhere)
        return tuple(place for place in everywhere if self._roles[place] == self.scored)

    @property
    def subjects(self) -> int:
        """How many seats there are."""
        return len(self._places)

    def seats(self, description: BaseDescription) -> Sequence[str]:
        """The group of who is scored is the subject's."""
        return [
            "subject" if role == self.scored else "judge" if role == "judge" else "witness"
            for role in (self._roles[place] for place in self._places)
        ]

    def draw(self, rng: Generator) -> Mapping[str, Any]:
        """Which label the person has, and with one witness whether that is the person, by a fair coin."""
        label = int(rng.integers(2))
        present = ("both", PERSON, MACHINE)[0 if self.witnesses == 2 else 1 + int(rng.integers(2))]
        return {"label": LABELS[label], "present": present}

    def keep(self, description: BaseDescription) -> bool:
        """Whether the witnesses are those that there are; a description from a file may hold anything."""
        able = ("both",) if self.witnesses == 2 else (PERSON, MACHINE)
        return description.present in able and description.label in tuple(LABELS)

    def labels(self, description: BaseDescription) -> dict[int, str]:
        """The channel of each witness who takes part, by place."""
        if description.present != "both":
            return {self.jurors + (description.present == MACHINE): LABELS[0]}
        own = description.label
        return {self.jurors: own, self.jurors + 1: LABELS[1 - LABELS.index(own)]}

    # The rules

    @cached_property
    def _spaces(self) -> tuple[Space, Space, Space]:
        return observations(self.longest), judge_actions(self.longest), Text(self.longest)

    def spaces(self, description: BaseDescription, seat: int) -> tuple[Space, Space]:
        """What was said; a judge answers with a record, a witness with a text."""
        seen, record, text = self._spaces
        return seen, record if self._places[seat] < self.jurors else text

    def start(self, state: State, rng: Generator) -> None:
        """Nothing was said yet; whoever is built in says what comes before the first turn of a seat."""
        rules.begin(state, sorted(self.labels(state.description).values()))
        state.keys = [int(rng.integers(1 << 62)) for _ in self._roles]
        if self.exchange == "open":
            talking.begin(state, self.labels(state.description))
            state.first_witness = self.jurors
            return
        self._let_others_act(state)

    def due(self, state: State) -> Sequence[int]:
        """The seats of those who ask, answer or vote now."""
        now = set(self._due(state))
        return [seat for seat, place in enumerate(self._places) if place in now]

    def _let_others_act(self, state: State) -> list[float]:
        """Whoever is built in acts until somebody else is due, or it is over."""
        gained = [0.0] * len(self._roles)
        while state.phase != rules.OVER:
            now = self._due(state)
            own = [place for place in now if place not in self._places]
            if not own:
                break
            acted = {place: self._inhabitant(state, place) for place in own}
            gained = [a + b for a, b in zip(gained, self._take(state, acted), strict=True)]
        return gained

    def _inhabitant(self, state: State, place: int) -> Any:
        """What somebody built in does."""
        role = self._roles[place]
        mind: Any = JUDGES[self.judge]() if role == "judge" else WITNESSES[getattr(self, role)]()
        mind.key = state.keys[place]
        if role == "judge":
            mind.sliders = rules.sliders(state, place)
        else:
            mind.longest = self.longest
        given = mind.act(self._seen(state, place), 0.0)
        return given if self._allowed(state, place, given) else self._silence(place)

    def _due(self, state: State) -> Sequence[int]:
        """The places of those who ask, answer or vote now."""
        if state.phase == rules.TALK:
            return talking.due(state, self.jurors, self.labels(state.description))
        if state.phase == rules.ASK:
            return [rules.asking(state, self.jurors)]
        if state.phase == rules.ANSWER:
            now = rules.channel_now(state)
            return [
                place for place, label in self.labels(state.description).items() if label == now
            ]
        if state.phase == rules.DELIBERATE and self.exchange == "open":
            done = state.spoken | state.ready
            return [juror for juror in range(self.jurors) if str(juror) not in done]
        if state.phase == rules.DELIBERATE:
            return [state.speaking]
        return [juror for juror in range(self.jurors) if str(juror) not in state.ballots]

    def observe(self, state: State, seat: int) -> Any:
        """To a judge all channels, to a witness its own; at the end who was what."""
        return self._seen(state, self._places[seat])

    def _seen(self, state: State, place: int) -> Any:
        over = state.phase == rules.OVER
        left = max(0, self._questions(state.round) - state.exchange)
        common = {"round": state.round, "left": 0 if over else left}
        if place < self.jurors:
            seen = list(rules.seen_by_judge(state, place, self.jurors > 1))
            channel = rules.channel_now(state)
        else:
            own = self.labels(state.description).get(place, "")
            seen, channel = list(rules.seen_by_witness(state, own)), ""
        phase = state.phase if place < self.jurors or over else rules.ANSWER
        if place >= self.jurors:
            # How far the judge is with others is none of a witness's business.
            common = {"round": 0, "left": 0}
        truth = self.truth(state.description) if over else ""
        channels = "".join(state.channels) if place < self.jurors else ""
        return {
            "phase": phase,
            "channel": channel,
            "channels": channels,
            **common,
            "messages": seen,
            "truth": truth,
        }

    def legal(self, state: State, seat: int, action: Any) -> bool:
        """A judge's record fits the phase; a witness may say anything."""
        return self._allowed(state, self._places[seat], action)

    def _allowed(self, state: State, place: int, action: Any) -> bool:
        return not self.problem(state, place, action)

    def problem(self, state: State, place: int, action: Any) -> str:
        """Why somebody may not do this now, in a sentence; nothing where they may."""
        is_open = self.exchange == "open"
        if is_open and state.phase == rules.TALK:
            says = place >= self.jurors or action["kind"] == SAY
            if says and talking.is_typing(state, place):
                return "Your last message is still on its way; wait until it is delivered."
            if place < self.jurors and says and talking.asking(state, self.jurors) != place:
                return "Another juror asks now; it will be your turn."
        if place >= self.jurors:
            if is_open and (
                state.phase != rules.TALK or place not in self.labels(state.description)
            ):
                return "The conversation is over."
            return ""
        return rules.problem_of(state, place, action, alone=self.witnesses == 1, is_open=is_open)

    def default(self, state: State, seat: int) -> Any:
        """Silence."""
        return self._silence(self._places[seat])

    def silence(self, state: State, seat: int, action: Any) -> bool:
        """Of a witness no words, of a judge the record of its kind while there is talk."""
        if self._places[seat] >= self.jurors:
            return not str(action).strip()
        return bool(state.phase == rules.TALK and action["kind"] == SILENCE)

    def _silence(self, place: int) -> Any:
        return dict(SILENT) if place < self.jurors else ""

    def advance(self, state: State, actions: Mapping[int, Any], rng: Generator) -> Sequence[float]:
        """What was said goes to its channel; after the last vote of a round come the rewards."""
        given = {self._places[seat]: action for seat, action in actions.items()}
        others = [
            place for place in self._due(state) if place not in given and place not in self._places
        ]
        given |= {place: self._inhabitant(state, place) for place in others}
        first = self._take(state, given)
        later = self._let_others_act(state)
        return [first[place] + later[place] for place in self._places]

    def _take(self, state: State, actions: Mapping[int, Any]) -> Sequence[float]:
        """The actions of places that are due; what every place gains."""
        if state.phase == rules.TALK:
            return self._talk(state, actions)
        if state.phase == rules.ANSWER:
            ((_, text),) = actions.items()
            rules.say(state, rules.channel_now(state), "witness", " ".join(text.split()))
            self._next_channel(state)
            return self._nothing
        asides = {who: one for who, one in actions.items() if one["kind"] in (SLIDER, MARK)}
        for juror, given in asides.items():
            rules.note(state, juror, given)
        said = {who: one for who, one in actions.items() if who not in asides}
        for juror in said:
            state.asides.pop(str(juror), None)
        if not said:
            return self._nothing
        if state.phase in (rules.VOTE, rules.SECOND_VOTE):
            return self._vote(state, said)
        if self.exchange == "open":
            for juror, given in said.items():
                talking.deliberate(state, juror, " ".join(given["text"].split()))
            return self._nothing
        ((juror, given),) = said.items()
        text = " ".join(given["text"].split())
        if state.phase == rules.ASK:
            if given["kind"] == SAY:
                author = f"juror {juror + 1}" if self.jurors > 1 else "judge"
                rules.say(state, rules.channel_now(state), author, text)
                state.phase = rules.ANSWER
            else:
                self._next_channel(state)
            return self._nothing
        if given["kind"] == SAY:
            rules.say(state, rules.channel_now(state), f"juror {juror + 1}", text)
        state.speaking += 1
        if state.speaking == self.jurors:
            state.phase, state.ballots = rules.SECOND_VOTE, {}
        return self._nothing

    # An open exchange

    def opens_floor(self, description: BaseDescription) -> bool:
        """Where exchange is open."""
        return self.exchange == "open"

    def next_event(self, state: State) -> float:
        """When a message is delivered, or the time is over."""
        return talking.next_event(state, self.minutes_of(state.round), self.deliberation)

    def pass_time(self, state: State, at: float) -> None:
        """Deliver what is due by then, and close the conversation when its time is over."""
        talking.pass_time(state, at, self.minutes_of(state.round), self.deliberation)

    def _talk(self, state: State, actions: Mapping[int, Any]) -> Sequence[float]:
        """What was said is on its way; a verdict may come before the time is over."""
        labels = self.labels(state.description)
        for place, given in actions.items():
            if place >= self.jurors:
                talking.say(state, place, labels[place], "witness", given, self.typing)
            elif given["kind"] in (SLIDER, MARK):
                rules.note(state, place, given)
            elif given["kind"] == SAY:
                state.asides.pop(str(place), None)
                author = f"juror {place + 1}" if self.jurors > 1 else "judge"
                talking.say(state, place, given["channel"], author, given["text"], self.typing)
            elif given["kind"] == VERDICT:
                talking.close(state)
                return self._vote(state, {place: given})
            else:
                talking.be_quiet(state, place)
        return self._nothing

    def _next_channel(self, state: State) -> None:
        """The next witness, the next question, or the vote."""
        state.phase, state.at = rules.ASK, state.at + 1
        if state.at == len(state.channels):
            state.at, state.exchange = 0, state.exchange + 1
            if state.exchange == self._questions(state.round):
                state.phase, state.ballots = rules.VOTE, {}

    def _vote(self, state: State, actions: Mapping[int, Any]) -> Sequence[float]:
        for juror, given in actions.items():
            blank = given["kind"] == SILENCE
            state.ballots[str(juror)] = {
                "choice": CANNOT_TELL if blank else given["choice"],
                "confidence": int(given["value"]),
                "reason": "" if blank else given["text"],
            }
        if len(state.ballots) < self.jurors:
            return self._nothing
        state.votes.append(
            {"round": state.round, "phase": state.phase, "ballots": dict(state.ballots)}
        )
        if self.jurors > 1 and state.phase == rules.VOTE:
            state.phase, state.speaking = rules.DELIBERATE, 0
            if self.exchange == "open":
                state.deliberating = state.now
            return self._nothing
        return self._close_round(state)

    def _close_round(self, state: State) -> Sequence[float]:
        choices = [one["choice"] for one in state.ballots.values()]
        choice = rules.decided(choices, self.verdict)
        void = not rules.answered(state)
        won = 0.5 if void or choice == CANNOT_TELL else float(self._fooled(state, choice))
        state.verdicts.append({"round": state.round, "choice": choice, "void": void, "won": won})
        gain = (2.0 * won - 1.0) / self.rounds
        state.round += 1
        state.exchange = state.at = 0
        state.phase = rules.ASK if state.round < self.rounds else rules.OVER
        state.ballots = {}
        if self.exchange == "open" and state.round < self.rounds:
            talking.begin_round(state)
        return [-gain] * (self.jurors + 1) + [gain]

    def _fooled(self, state: State, choice: str) -> bool:
        """Whether a verdict takes the machine for the person; with one witness, whether it is wrong."""
        description = state.description
        if description.present != "both":
            return bool(choice != description.present)
        return bool(choice != description.label)

    @property
    def _nothing(self) -> list[float]:
        return [0.0] * len(self._roles)

    def _questions(self, number: int) -> int:
        """Questions of a round: twice as many as in the one before, as 5, 10, 20 and 40 minutes are."""
        return min(int(self.turns * 2**number), 40)

    def minutes_of(self, number: int) -> float:
        """Minutes of a round of an open exchange: 5, 10, 20 and 40."""
        return float(min(self.minutes * 2**number, max(self.minutes, 40.0)))

    def ended(self, state: State) -> Ended | None:
        """After the last verdict."""
        return "terminated" if state.phase == rules.OVER else None

    def truth(self, description: BaseDescription) -> str:
        """Who was what, in a sentence."""
        has = self.trait or "the person"
        other = "pretended" if self.trait else "was the machine"
        if description.present != "both":
            return f"The witness was {'the machine' if description.present == MACHINE else 'a person'}."
        label = description.label
        return f"{label} was {has}; {LABELS[1 - LABELS.index(label)]} {other}."[:80]

    # What is told

    def figures(self, state: State) -> Mapping[str, float]:
        """Of the last verdict: whether the machine was taken for the person, and how sure judges were."""
        if not state.verdicts:
            return {}
        last = state.verdicts[-1]
        ballots = state.votes[-1]["ballots"].values()
        told = {
            WON: float(last["won"]),
            VOID: float(last["void"]),
            HELD_BACK: float(state.held_back),
            CONFIDENCE: sum(one["confidence"] for one in ballots) / len(ballots),
        }
        own = self.labels(state.description).get(self.jurors + 1)
        if own is not None:
            told[MESSAGES] = float(
                sum(one["channel"] == own and one["author"] == "witness" for one in state.messages)
            )
            at = rules.broken(state, 0, own)
            if at is not None:
                told[BREAK] = float(at)
        return told

    def conversation(self, environment: StepEnvironment) -> Game:
        """A game that is over, as plain data."""
        description = environment.description
        labels = {label: self._roles[place] for place, label in self.labels(description).items()}
        return game_of(environment.state, labels)

    def talk(self, environment: StepEnvironment, seat: int) -> dict[str, Any]:
        """What the page of a seat shows of a conversation under way."""
        return page_of(self, environment.state, self._places[seat])

    def instructions(self, description: BaseDescription, seat: int) -> str:
        """The part that a seat has."""
        return told(self._roles[self._places[seat]], self.trait, self.witnesses, self.jurors)

    def words(self) -> Sentences:
        """The conversation for subjects who read."""
        return Sentences()
