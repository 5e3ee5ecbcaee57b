"""Scripted models: no language models, but subjects of known ability that are asked and answer as if they were.

``scripted:NAME?ability=0.9`` is sent the same words as a language model and answers in words; its answers are read,
counted, repaired and kept like any. What it answers is not thought up: with a probability, its ability, it is what a
subject of the world's own does in its place, else an action at random. So whoever has no key can see what an
assessment of language models tells, and whether it tells what is known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mensura.agent.asks import Answer, Ask
from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.keys import Key, draw, key, unit
from mensura.agent.memory import pack, saved, seat, unpack
from mensura.agent.spaces import to_plain
from mensura.agent.task import Limits
from mensura.agents.address import Part
from mensura.agents.language_model.actions import written
from mensura.agents.language_model.conversation import Message, characters
from mensura.agents.language_model.player import LanguageModel, ModelPlayer
from mensura.agents.language_model.prompts import Prompts
from mensura.agents.language_model.services.reply import Reply
from mensura.agents.language_model.settings import Settings
from mensura.core.abilities import group, subject_names
from mensura.core.contract import World
from mensura.core.observation_words import Words
from mensura.core.players import Player, Subject

GUIDES = ("oracle", "pid", "planner", "ensemble", "hlq-lambda")
"""Whose actions a scripted model plays where nobody says whose: the first of these that the world has."""

REFUSAL = "I would rather not choose."
"""What it says in the place of an action."""

CHARACTERS_PER_TOKEN = 4
_PLAYS_WELL, _REFUSES, _AT_RANDOM = range(3)
"""Slots of its draws."""


@dataclass(frozen=True)
class Script:
    """What a scripted model does."""

    ability: float
    """The probability with which it plays the guide's action."""
    late_ability: float | None = None
    """The same at the end of an episode, where it learns; it rises evenly from the beginning."""
    refuses: float = 0.0
    """The probability with which it gives no action."""
    guide: str | None = None
    """Whose action it plays."""
    price_in: float | None = None
    price_out: float | None = None
    """What a million tokens would cost, if anybody had to pay."""

    def __post_init__(self) -> None:
        """Raise if a probability is none."""
        for name in ("ability", "late_ability", "refuses"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value <= 1.0:
                raise MensuraError(f"{name} is {value:g}; it is a probability, from 0 to 1.")

    def at(self, interaction: int, horizon: int | None) -> float:
        """The ability at an interaction of an episode."""
        if self.late_ability is None or not horizon or horizon < 2:
            return self.ability
        done = min(1.0, interaction / (horizon - 1))
        return self.ability + done * (self.late_ability - self.ability)

    @property
    def mean_ability(self) -> float:
        """The ability over a whole episode."""
        late = self.ability if self.late_ability is None else self.late_ability
        return (self.ability + late) / 2

    @property
    def in_words(self) -> str:
        """What it does, in a line."""
        well = f"plays well with probability {self.ability:g}"
        if self.late_ability is not None:
            well += f" at first and {self.late_ability:g} at the end of an episode"
        refusing = f", refuses {self.refuses:.0%} of all actions" if self.refuses else ""
        return f"scripted, no language model: {well}, else acts at random{refusing}"


def read_script(part: Part) -> Script:
    """The script that an address names; a sentence where a parameter is unknown or is none."""
    known = [one.name for one in fields(Script)]
    values: dict[str, Any] = {}
    for name, text in part.parameters.items():
        if name not in known:
            raise MensuraError(
                f"The scripted model {part.target} has no parameter {name!r}; {neighbors(name, known)}"
            )
        try:
            values[name] = text if name == "guide" else float(text)
        except ValueError:
            raise MensuraError(f"{name} is {text!r}; it must be a number.") from None
    if "ability" not in values:
        raise MensuraError(
            f"The scripted model {part.target} needs an ability; write scripted:{part.target}?ability=0.5."
        )
    return Script(**values)


class ScriptedService:
    """Says what it is told to say, and counts tokens by the letter."""

    def __init__(self) -> None:
        self.says = ""

    def check(self, tools: Sequence[Mapping[str, Any]]) -> None:
        """It can always be asked."""

    def complete(
        self, messages: list[Message], tools: Sequence[Mapping[str, Any]], deadline: float
    ) -> Reply:
        """What it was told to say."""
        return Reply(
            self.says,
            tokens_in=math.ceil(characters(messages) / CHARACTERS_PER_TOKEN),
            tokens_out=math.ceil(len(self.says) / CHARACTERS_PER_TOKEN),
            finish="stop",
            refused=self.says == REFUSAL,
        )

    def hurry(self) -> None:
        """It waits for nobody."""


class ScriptedPlayer(ModelPlayer):
    """A scripted model in its seats: a guide who knows what to do, and draws that say when to follow it."""

    probes = frozenset()  # a guide acts, and says nothing

    def __init__(
        self,
        settings: Settings,
        prompts: Prompts,
        words: Words,
        seats: int,
        script: Script,
        guide: Player,
    ) -> None:
        self.speech = ScriptedService()
        super().__init__(settings, prompts, words, self.speech, seats)
        self._script = script
        self._guide = guide
        self._keys: list[Key] = [0] * seats
        self._interactions = [0] * seats

    def _answer(self, ask: Ask) -> Answer:
        self._follow(ask)
        return super()._answer(ask)

    def recall(self, ask: Ask, answer: Answer) -> None:
        """Take up an answer that was given before an interruption, the guide too."""
        self._follow(ask)
        super().recall(ask, answer)

    def _follow(self, ask: Ask) -> None:
        """Let the guide act, and choose what to say."""
        if ask.kind == "tell":
            self.speech.says = ""
            return
        (answer,) = self._guide.answer([ask])
        if ask.kind == "begin":
            self._keys[ask.seat], self._interactions[ask.seat] = key(ask.key, "script"), 0
        elif ask.kind == "act":
            self.speech.says = self._choose(ask, answer)
            self._interactions[ask.seat] += 1

    def _choose(self, ask: Ask, guided: Answer) -> str:
        task = self._seats[ask.seat].task
        assert task is not None
        at = self._interactions[ask.seat]

        def chance(slot: int) -> float:
            return unit(draw(self._keys[ask.seat], at, slot))

        if chance(_REFUSES) < self._script.refuses:
            return REFUSAL
        value = guided.value
        if guided.fault is not None or chance(_PLAYS_WELL) >= self._script.at(at, task.horizon):
            seed = draw(self._keys[ask.seat], at, _AT_RANDOM)
            value = task.action_space.sample(np.random.Generator(np.random.PCG64(seed)))
        return f"ACTION: {written(to_plain(value))}"

    def save(self) -> bytes:
        """What was said so far, and what the guide has learned."""
        return pack([super().save(), saved(self._guide)]) or b""

    def close(self) -> None:
        """The guide leaves as well."""
        self._guide.close()


class ScriptedModel(LanguageModel):
    """A scripted model, before it sits down."""

    ask_once = False
    """Nobody pays for its answers, and they are the same whenever it is asked."""

    def __init__(self, part: Part, script: Script, world: World) -> None:
        settings = Settings(
            model=part.target,
            answer="text",
            concurrency=1,
            price_in=script.price_in,
            price_out=script.price_out,
        )
        super().__init__(part, settings, world, ScriptedService())
        self.script = script
        self.guide: Subject = _guide(script, world)
        """Through whom it acts: the world gives it the rights that this one needs."""

    @property
    def settled(self) -> Part:
        """Its address as it is: it names no file."""
        return self.part

    @property
    def summary(self) -> str:
        """A line on what it is."""
        return self.script.in_words

    def sit(self, seats: int, memory: bytes | None = None) -> ScriptedPlayer:
        """Begin a conversation in each seat, or go on with one that was saved, the guide as well."""
        said, learned = (None, None) if memory is None else unpack(memory, 2)
        guide = seat(self.guide, seats, learned)
        player = ScriptedPlayer(self.settings, self.prompts, self.words, seats, self.script, guide)
        if said is not None:
            player.load(said)
        return player


def _guide(script: Script, world: World) -> Subject:
    """The subject of the world's own whose actions are played."""
    known = subject_names(world)
    name = script.guide or next((one for one in GUIDES if one in known), None)
    if name is None or name not in known:
        wanted = f"has no subject {name!r}" if name else f"has none of {', '.join(GUIDES)}"
        raise MensuraError(
            f"A scripted model plays the actions of a subject of the world's own, and {world.id} {wanted}; name one "
            "with guide=NAME."
        )
    found: Subject = group(world, [(name, {}, 1)])
    return found


def from_script(part: Part, world: World, limits: Limits) -> Subject:
    """The scripted model that an address names."""
    return ScriptedModel(part, read_script(part), world)
