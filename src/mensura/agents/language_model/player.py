"""A language model in its seats: told what it observes in words, asked for actions, one conversation for each seat."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from mensura.agent.asks import PROBES, Answer, Ask
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import Discrete, Space, to_plain
from mensura.agent.task import Task
from mensura.agents.address import Part
from mensura.agents.language_model.accounts import Usage
from mensura.agents.language_model.actions import (
    example,
    function,
    notes_in_object,
    notes_in_text,
    written,
)
from mensura.agents.language_model.conversation import (
    LONGEST_SAID,
    Conversation,
    Message,
    Said,
    reply_to,
)
from mensura.agents.language_model.exchange import Exchange, Seat, short
from mensura.agents.language_model.holding import LONGEST_HOLD, Holding, is_held
from mensura.agents.language_model.probing import asked as probed
from mensura.agents.language_model.prompts import Prompts, chosen, load
from mensura.agents.language_model.remembering import take_up, to_memory
from mensura.agents.language_model.services import service_of
from mensura.agents.language_model.services.reply import (
    Claim,
    Reply,
    Service,
)
from mensura.agents.language_model.settings import Settings
from mensura.agents.language_model.sight import IN_PICTURE, sight
from mensura.agents.language_model.text import space_in_words, words_of
from mensura.core.abilities import Meter, allows_holding, prompts_of
from mensura.core.contract import World
from mensura.core.observation_words import Words, number
from mensura.core.players import Unanswered
from mensura.core.usage import COST

LONGEST_NOTES = 2000
"""So many characters of its notes a model is shown again."""

NOTES_REHEARSED = 1000
"""So many characters of notes a model is thought to keep, before anybody knows."""


SECONDS_OF_BATCH = 300.0
"""How long a batch is thought to take, before anybody knows: services promise a day, and small ones take minutes."""


class ModelPlayer:
    """A language model in its seats for one sitting."""

    probes = frozenset(PROBES)

    def __init__(
        self, settings: Settings, prompts: Prompts, words: Words, service: Service, seats: int
    ) -> None:
        self.settings = settings
        self.prompts = prompts
        self.words = words
        self.service = service
        self.speakers = frozenset(range(seats)) if settings.tell and seats > 1 else frozenset()
        self.keeps_notes = settings.history == "notes"
        self._seats = [self._new_seat() for _ in range(seats)]
        self._usage = Usage()
        self._prompts_kept = False
        self.checks: list[Reply] = []
        """Requests that found out whether the model answers, shared by all sittings: the first to ask counts them."""
        self.claims: list[Claim] = []
        """Answers that came in batches, and are not known to be safe yet."""
        self._cost_of_checks = 0.0
        """What checks cost beyond the price of batches, in which they do not go."""

    def join(self, seats: int) -> None:
        """It is one of several at a table, so that there is somebody to tell something."""
        if self.settings.tell and seats > 1:
            self.speakers = frozenset(range(len(self._seats)))

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Ask the model, seat after seat."""
        self._settle()
        answers: list[Answer] = []
        for ask in asks:
            used = len(self.claims)
            try:
                answers.append(self._answer(ask))
            except Unanswered as error:
                self._release(used)
                raise Unanswered(str(error), answers) from None
            except BaseException:
                self._release(0)
                raise
        return answers

    def _settle(self) -> None:
        """All that was answered is safe: who asks again has written it down, where it is written down at all."""
        while self.claims:
            self.claims.pop().safe()

    def _release(self, used: int) -> None:
        """Answers but for the first so many are not used, and are there for whoever asks the same again."""
        while len(self.claims) > used:
            self.claims.pop().release()

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Take up an answer that was given before an interruption, as if it had been given now."""
        seat = self._seats[ask.seat]
        kept = answer.attachment if isinstance(answer.attachment, dict) else {}
        if ask.kind == "begin":
            if "prompts" in kept:
                self._take_up(Prompts(kept["prompts"]))
            self._begin(seat, ask)
        elif ask.kind == "end":
            self._end(seat, ask)
        elif ask.kind in PROBES:
            self._usage.add(Usage(**kept.get("usage", {})))
        elif is_held(kept):
            self._held(seat, ask)
        else:
            said = Said(str(kept.get("text", "")), kept.get("call"))
            told = self._told(seat, ask)
            usage = Usage(**kept.get("usage", {}))
            messages = seat.conversation.messages(told)
            seat.conversation.drop_to(int(kept.get("dropped", 0)))
            if kept.get("counted"):
                seat.conversation.counted(messages, int(kept["counted"]))
            self._usage.add(usage)
            self._remember(seat, ask, told, said)
            self._hold(seat, ask, answer)

    def told(self, ask: Ask) -> tuple[str, str] | None:
        """What the model is told with an ask: once for the episode, and now."""
        if ask.kind in ("begin", "end"):
            return None
        seat = self._seats[ask.seat]
        told = [seat.conversation.notes, self._told(seat, ask)]
        return seat.conversation.system if seat.first else "", "\n\n".join(filter(None, told))

    def requests(self, ask: Ask, answer: Answer) -> list[list[Message]]:
        """The messages of every request for an ask, exactly as they were sent.

        Of one that the service found too long only the shorter one that it took.
        """
        if ask.kind in ("begin", "end") or is_held(answer.attachment):
            return []
        kept = answer.attachment if isinstance(answer.attachment, dict) else {}
        seat = self._seats[ask.seat]
        told = self._told(seat, ask)
        conversation = deepcopy(seat.conversation)
        conversation.messages(told)
        conversation.drop_to(int(kept.get("dropped", 0)))
        sent = [conversation.rebuilt(told)]
        repaired = kept.get("repaired")
        if isinstance(repaired, dict) and seat.task is not None:
            said = Said(str(repaired.get("text", "")), repaired.get("call"))
            sent.append(sent[0] + self.mending(seat.task, conversation, said, repaired["wrong"]))
        return [[_without_pixels(message) for message in messages] for messages in sent]

    def mending(
        self, task: Task, conversation: Conversation, said: Said, wrong: str
    ) -> list[Message]:
        """What is added to a request to have an answer repaired: the answer, and what was wrong with it."""
        number_of_turn = conversation.dropped + len(conversation.turns) + 1
        repair = self.prompts.fill("repair", wrong=wrong, answer=self.how(task))
        return [said.message(number_of_turn), reply_to(said, number_of_turn, repair)]

    def measures(self) -> Mapping[str, float]:
        """What its requests took since this was last asked."""
        told = self._usage.measures(self.settings)
        if COST in told:
            told[COST] += self._cost_of_checks
        self._usage, self._cost_of_checks = Usage(), 0.0
        return told

    def save(self) -> bytes:
        """What was said so far: that is all that it has learned."""
        return to_memory(self.settings.model, self._seats)

    def load(self, memory: bytes) -> None:
        """Go on with the conversations that :meth:`save` gave."""
        take_up(memory, self.settings.model, self._seats)

    def close(self) -> None:
        """The conversations are over."""
        self._settle()

    # What is said

    def _new_seat(self) -> Seat:
        """A seat in which nothing was said yet."""
        most = {"all": None, "window": self.settings.window, "notes": 1}[self.settings.history]
        seat = Seat(Conversation(self.settings.context, most=most))
        if self.keeps_notes:
            seat.conversation.notes = self._shown("")
        return seat

    def _shown(self, notes: str) -> str:
        """Notes as the model is shown them."""
        return self.prompts.fill("notes", notes=notes[:LONGEST_NOTES].strip() or "(none)")

    def _answer(self, ask: Ask) -> Answer:
        seat = self._seats[ask.seat]
        if ask.kind == "begin":
            self._begin(seat, ask)
            if self._prompts_kept:
                return Answer()
            self._prompts_kept = True
            return Answer(attachment={"prompts": dict(self.prompts.texts)})
        if ask.kind == "end":
            self._end(seat, ask)
            return Answer()
        if ask.kind in PROBES:
            answer, usage = probed(seat, ask, self.settings.answer, self._complete)
            self._usage.add(usage)
            return answer._replace(attachment={"usage": asdict(usage)})
        return self._asked(seat, ask)

    def _complete(
        self, messages: list[Message], tools: list[dict[str, Any]], deadline: float
    ) -> Reply:
        """A request, whose answer counts as used once somebody asks again."""
        reply = self.service.complete(messages, tools, deadline)
        if reply.claim is not None:
            self.claims.append(reply.claim)
        return reply

    def _asked(self, seat: Seat, ask: Ask) -> Answer:
        """Ask the model for a message or an action, or take its last one again."""
        again = self._held(seat, ask)
        if again is not None:
            return again
        with suppress(IndexError):
            check = self.checks.pop()
            self._usage.add(replace(Usage.of(check), requests=0, requests_to_check=1))
            read, written = check.tokens_in or 0, check.tokens_out or 0
            full, counted = (
                cost(read, written) for cost in (self.settings.full_cost, self.settings.cost)
            )
            self._cost_of_checks += (full or 0.0) - (counted or 0.0)
        exchange = Exchange(self, seat, ask, self._told(seat, ask))
        answer = exchange.played()
        self._usage.add(exchange.usage)
        self._remember(seat, ask, exchange.told, exchange.said)
        self._hold(seat, ask, answer)
        return answer

    def _held(self, seat: Seat, ask: Ask) -> Answer | None:
        """The last action once more, where no request is needed."""
        own = ask.seat if seat.task is None else seat.task.seat.index
        again = seat.holding.again(ask, own)
        if again is not None and ask.kind == "act":
            self._usage.add(Usage(held=1))
        return again

    def _hold(self, seat: Seat, ask: Ask, answer: Answer) -> None:
        """From now on this is the last action of the seat, if it is one."""
        if ask.kind != "act":
            return
        seat.holding = Holding()
        if answer.fault is None:
            kept = answer.attachment if isinstance(answer.attachment, dict) else {}
            left = int(kept.get("hold", 1)) - 1
            seat.holding = Holding(answer.value, known=True, left=left)

    def _take_up(self, prompts: Prompts) -> None:
        """Go on with the prompts that a sitting began with; its first answer holds them, before anything was said."""
        self.prompts, self._prompts_kept = prompts, True
        for seat in self._seats:
            if self.keeps_notes:
                seat.conversation.notes = self._shown("")

    def _begin(self, seat: Seat, ask: Ask) -> None:
        assert ask.task is not None
        seat.task, seat.first, seat.holding = ask.task, True, Holding()
        seat.look = ask.look
        if self.settings.see != "text" and sight(seat.look) is None:
            raise Unanswered(
                f"The world {ask.task.world} has no picture of what a seat sees; leave out see={self.settings.see}."
            )
        if self.settings.batch and ask.task.clock != "interactions":
            raise Unanswered(
                f"Time is in seconds in {ask.task.world}, and nobody knows how long a model takes over an answer in a "
                "batch; leave batch out."
            )
        seat.conversation.system = self.prompts.fill(
            "system",
            rules=self.words.rules(ask.task),
            instructions=ask.task.instructions,
            answer=self.how(ask.task),
        )

    def _end(self, seat: Seat, ask: Ask) -> None:
        ended = self.prompts.fill(
            "end",
            reward=number(ask.reward),
            observation="" if self.settings.see == "picture" else self._words(seat, ask),
        )
        seat.pending += filter(None, [seat.holding.told(ask.reward), ended])

    def _told(self, seat: Seat, ask: Ask) -> str:
        """What an ask says in words, after what was left to say before it."""
        assert seat.task is not None
        if self.settings.see != "text":
            seat.conversation.picture = sight(seat.look)
        observation = IN_PICTURE if self.settings.see == "picture" else self._words(seat, ask)
        before = [*seat.pending, *filter(None, [seat.holding.told(ask.reward)])]
        if ask.kind == "tell":
            return "\n\n".join([*before, self.prompts.fill("tell", observation=observation)])
        heard = "\n".join(
            f"Seat {other} tells: {short(message)}"
            for other, message in sorted((ask.heard or {}).items())
            if other != seat.task.seat.index and message is not None
        )
        name = "first" if seat.first else "observation"
        told = self.prompts.fill(
            name, reward=number(ask.reward), heard=heard, observation=observation
        )
        return "\n\n".join([*before, told])

    def _words(self, seat: Seat, ask: Ask) -> str:
        """What a seat observes, in words."""
        assert seat.task is not None
        return self.words.observation(seat.task, ask.observation)

    def _remember(self, seat: Seat, ask: Ask, told: str, said: Said) -> None:
        """What was told and answered is part of the conversation from now on.

        Of a message to the others only the message is kept: the observation comes again with the action.
        """
        if ask.kind == "tell":
            seat.pending.append(f"You told the others: {short(said.text)}")
            return
        seat.first = False
        seat.pending.clear()
        if self.keeps_notes:
            said, notes = without_notes(said, in_words=self.settings.answer == "text")
            if notes is not None:
                seat.conversation.notes = self._shown(notes)
        seat.conversation.add(told, said)

    def how(self, task: Task) -> str:
        """How an action is answered."""
        space, manner = task.action_space, self.settings.answer
        how = [self.prompts.fill(manner, action=space_in_words(space), example=example(space))]
        if self.may_hold(task):
            how.append(self.prompts.fill(f"hold_{manner}", longest=str(LONGEST_HOLD)))
        if self.keeps_notes:
            how.append(self.prompts.fill(f"notes_{manner}", longest=f"{LONGEST_NOTES:,}"))
        return "\n\n".join(how)

    def may_hold(self, task: Task) -> bool:
        """Whether an action can be held: where the world allows it, and waiting is not over in no time."""
        return "hold_tool" in self.prompts.texts and task.clock != "wall"

    def tools(self, space: Space, *, hold: bool = False) -> list[dict[str, Any]]:
        """The function that the model is given to act in this space; none where it answers in words."""
        if self.settings.answer == "text":
            return []
        return [function(space, notes=self.keeps_notes, hold=hold)]


class RehearsedPlayer(ModelPlayer):
    """Acts at random in the place of a model, and counts the tokens of the requests that it would have been sent."""

    def __init__(
        self,
        settings: Settings,
        prompts: Prompts,
        words: Words,
        service: Service,
        seats: int,
        meter: Meter,
    ) -> None:
        super().__init__(settings, prompts, words, service, seats)
        self._meter = meter
        self._draws = np.random.Generator(np.random.PCG64(0))

    def _shown(self, notes: str) -> str:
        return super()._shown(notes or "n" * NOTES_REHEARSED)

    def renew(self) -> None:
        """The conversations begin anew."""
        self._seats = [self._new_seat() for _ in self._seats]

    def _complete(
        self, messages: list[Message], tools: list[dict[str, Any]], deadline: float
    ) -> Reply:
        """Count a question beside playing; nothing is answered."""
        tokens = self._seats[0].conversation.estimate(messages)
        self._meter.count(tokens, self.settings.cost(tokens, self._meter.tokens_out))
        return Reply("")

    def _asked(self, seat: Seat, ask: Ask) -> Answer:
        assert seat.task is not None
        again = self._held(seat, ask)
        if again is not None:
            return again
        told = self._told(seat, ask)
        messages = seat.conversation.messages(told)
        tokens = seat.conversation.estimate(messages)
        self._meter.count(tokens, self.settings.cost(tokens, self._meter.tokens_out))
        if ask.kind == "tell":
            self._remember(seat, ask, told, Said("1 2 3"))
            return Answer("1 2 3")
        value = seat.task.action_space.sample(self._draws)
        action = written(to_plain(value))
        said = Said(f"ACTION: {action}")
        if self.settings.answer != "text":
            said = Said("", f'{{"action": {action}}}')
        self._remember(seat, ask, told, said)
        self._hold(seat, ask, Answer(value))
        return Answer(value)


def without_notes(said: Said, *, in_words: bool) -> tuple[Said, str | None]:
    """An answer without the notes in it, and the notes; None where it leaves them as they are.

    Of a long answer what is remembered counts, so that the same notes are found in the journal.
    """
    text = said.text[:LONGEST_SAID]
    if in_words:
        text, notes = notes_in_text(text)
        return replace(said, text=text), notes
    if said.call is None:
        text, notes = notes_in_object(text)
        return replace(said, text=text), notes
    call, notes = notes_in_object(said.call[:LONGEST_SAID])
    return replace(said, call=call), notes


def _without_pixels(message: Message) -> Message:
    """A message as transcripts have it: of a picture only its size, since it can be drawn again."""
    if "picture" not in message:
        return message
    return {**message, "picture": message["picture"].to_json()}


class LanguageModel:
    """A language model, before it sits down."""

    concurrent = True
    """Sittings may be played side by side: each has a conversation of its own."""
    ask_once = True
    """Answers cost money and are never twice the same, so they are journaled before they are used."""

    def __init__(
        self, part: Part, settings: Settings, world: World, service: Service | None = None
    ) -> None:
        self.part = part
        self.name = part.label
        self.settings = settings
        self.words = words_of(world)
        self._own_prompts = prompts_of(world)
        self.prompts = self._load(settings.hold and allows_holding(world))
        if settings.prompt_hash not in (None, self.prompts.hash):
            without = self._load(False)
            # It began before the world allowed it to hold actions, and goes on as it began.
            if settings.prompt_hash == without.hash:
                self.prompts = without
        self._checks: list[Reply] = []
        self.service: Service = service_of(settings) if service is None else service

    def _load(self, hold: bool) -> Prompts:
        """The prompts that the settings name."""
        folder = chosen(self.settings.prompt, self.settings.answer, self._own_prompts)
        return load(folder, notes=self.settings.history == "notes", hold=hold)

    @property
    def waits(self) -> int:
        """How many sittings are worth having under way at once."""
        return self.settings.concurrency

    @property
    def answer_seconds(self) -> float | None:
        """How long an answer is thought to take; None: as long as answers usually do."""
        return SECONDS_OF_BATCH if self.settings.batch else None

    @property
    def settled(self) -> Part:
        """Its address with the service and the hash of the prompts, by which a record tells them."""
        parameters = {**self.part.parameters, "prompt_hash": self.prompts.hash}
        if self.settings.price_in is not None and self.settings.price_out is not None:
            # Which a file may have named, and which change.
            parameters["price_in"] = f"{self.settings.price_in:.12g}"
            parameters["price_out"] = f"{self.settings.price_out:.12g}"
        if self.settings.batch:
            parameters["batch_price"] = f"{self.settings.batch_price:.12g}"
        if self.settings.is_elsewhere:  # which the environment may have named
            parameters = {"base_url": self.settings.url, **parameters}
        return replace(self.part, parameters=parameters)

    @property
    def summary(self) -> str:
        """A line on what it is."""
        return f"language model {self.settings.model} at {self.settings.host}, prompts {self.prompts.hash}"

    def retelling(self, seats: int) -> ModelPlayer:
        """Somebody who tells again what it was told; it is asked nothing."""
        return ModelPlayer(self.settings, self.prompts, self.words, self.service, seats)

    def sit(self, seats: int, memory: bytes | None = None) -> ModelPlayer:
        """Begin a conversation in each seat, or go on with one that was saved.

        The first to sit down finds out whether the model can be asked.
        """
        wanted = self.settings.prompt_hash
        if wanted is not None and wanted != self.prompts.hash:
            raise Unanswered(
                f"The prompts of {self.settings.model} are not those that it began with: their hash is "
                f"{self.prompts.hash} and was {wanted}; restore them, or begin another run."
            )
        try:
            found = self.service.check(self.retelling(seats).tools(Discrete(2)))
        except Unanswered:
            raise
        except MensuraError as error:
            raise Unanswered(str(error)) from None
        player = ModelPlayer(self.settings, self.prompts, self.words, self.service, seats)
        if found is not None:
            self._checks.append(found)
        player.checks = self._checks
        if memory is not None:
            player.load(memory)
        return player

    def rehearsing(self, seats: int, meter: Meter) -> RehearsedPlayer:
        """Somebody who acts at random in its place and counts what it would be sent; it is asked nothing."""
        return RehearsedPlayer(self.settings, self.prompts, self.words, self.service, seats, meter)

    def hurry(self) -> None:
        """Whoever waits for rates, or to try again, waits no longer."""
        self.service.hurry()
