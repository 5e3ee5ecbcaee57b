"""Agents in this process: one object in each seat, whose methods are called."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from mensura.agent.asks import ALARM, PROBES, Answer, Ask, is_alarm
from mensura.agent.base import Probes, acts, method_of, metrics_of, probes_of, saves
from mensura.agent.errors import MensuraError
from mensura.agent.memory import Damage, damaged_bytes, pack, unpack
from mensura.agent.waiting import Waiting

CANNOT_FORGET = "This subject cannot forget, so it cannot start anew in each environment; write memory: continuous."


class Agents:
    """A player of agent objects in this process. Their time is measured, not limited."""

    def __init__(
        self,
        agents: Sequence[Any],
        again: Callable[[], Sequence[Any]] | None = None,
        memory: bytes | None = None,
    ) -> None:
        """``again`` makes them anew, for a subject that is to forget; none, for one that cannot.

        ``memory`` is what they saved before; whoever forgets goes back to it.
        """
        self._again = again
        self._memory = memory
        self._cpu = 0.0
        self._seat(agents)

    def _seat(self, agents: Sequence[Any]) -> None:
        for agent in agents:
            if not acts(agent):
                raise MensuraError(
                    f"{type(agent).__name__} has no method act(observation, reward), "
                    "the one that every agent needs."
                )
        self.agents = list(agents)
        self.speakers = frozenset(
            seat for seat, agent in enumerate(agents) if method_of(agent, "tell") is not None
        )
        if self._memory is not None:
            for agent, memory in zip(agents, unpack(self._memory, len(agents)), strict=True):
                if memory is not None:
                    _load(agent, memory)

    @property
    def probes(self) -> frozenset[str]:
        """Those that each of them answers, by what it declares (:meth:`mensura.agent.Agent.probes`)."""
        own = [probes_of(agent) for agent in self.agents]
        return frozenset(
            name for name in PROBES if all(method_of(one, name, Probes) for one in own)
        )

    def save(self) -> bytes | None:
        """What they have learned; None where none of them can say it."""
        return pack([_save(agent) for agent in self.agents])

    def damaged(self, memory: bytes, damage: Damage) -> bytes:
        """A memory that they saved, each part of it damaged."""
        parts = [
            None if part is None else _damaged(agent, part, damage)
            for agent, part in zip(self.agents, unpack(memory, len(self.agents)), strict=True)
        ]
        return pack(parts) or b""

    @property
    def components(self) -> tuple[str, ...]:
        """Those that each of them names."""
        named = [_components(agent) for agent in self.agents]
        return tuple(one for one in named[0] if all(one in others for others in named))

    def switch_off(self, name: str) -> None:
        """Switch a component off in each of them."""
        for agent in self.agents:
            try:
                agent.switch_off(name)
            except Exception as error:
                raise MensuraError(
                    f"{type(agent).__name__} could not switch off {name}: {describe(error)}."
                ) from error

    def switching_off(self, names: Sequence[str]) -> Waiting[None]:
        """Switch components off in each of them."""
        yield from ()
        for name in names:
            self.switch_off(name)

    def renew(self) -> None:
        """New agents take the seats."""
        if self._again is None:
            raise MensuraError(CANNOT_FORGET)
        self._seat(self._again())

    def measures(self) -> Mapping[str, float]:
        """What the agents tell of their own (:meth:`mensura.agent.Agent.agent_metrics`)."""
        metrics: dict[str, float] = {}
        for agent in self.agents:
            metrics |= metrics_of(agent)
        return metrics

    def cpu_seconds(self) -> float:
        """Processor time of this thread while it was asked."""
        return self._cpu

    def answer(self, asks: list[Ask]) -> list[Answer]:
        """Call the agents one after another."""
        begun = thread_time()
        answers = []
        for ask in asks:
            start = perf_counter()
            try:
                value = call(self.agents[ask.seat], ask)
            except (Exception, SystemExit) as error:
                seconds = perf_counter() - start
                answers.append(Answer(None, seconds, ("raised", describe_with_line(error))))
            else:
                answers.append(Answer(value, perf_counter() - start))
        self._cpu += thread_time() - begun
        return answers

    def close(self) -> None:
        """Nothing to do: the agents go with the player."""


def _save(agent: Any) -> bytes | None:
    if not saves(agent):
        return None
    try:
        memory = agent.save()
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__} could not be saved: {describe(error)}."
        ) from error
    return memory if isinstance(memory, bytes) else None


def _load(agent: Any, memory: bytes) -> None:
    load = method_of(agent, "load")
    if load is None:
        raise MensuraError(
            f"{type(agent).__name__} has no method load(memory), so it cannot go on with what it saved."
        )
    try:
        load(memory)
    except MensuraError:
        raise
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__} could not load what was saved: {describe(error)}."
        ) from error


def _damaged(agent: Any, memory: bytes, damage: Damage) -> bytes:
    own = method_of(agent, "damaged")
    if own is None:
        return damaged_bytes(memory, damage)
    try:
        damaged: bytes = own(memory, damage)
        return damaged
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__}.damaged() failed: {describe(error)}."
        ) from error


def _components(agent: Any) -> tuple[str, ...]:
    """What an agent can switch off; nothing where it has not both methods."""
    if not all(method_of(agent, name) for name in ("components", "switch_off")):
        return ()
    try:
        named = tuple(agent.components())
    except Exception as error:
        raise MensuraError(
            f"{type(agent).__name__}.components() failed: {describe(error)}."
        ) from error
    if not all(isinstance(one, str) for one in named) or len(set(named)) < len(named):
        raise MensuraError(
            f"{type(agent).__name__}.components() gave {named!r:.100}; it gives different names."
        )
    return named


LONGEST = 300
"""So many characters an exception may take in a record."""


def describe(error: BaseException, longest: int = LONGEST) -> str:
    """An exception in one line, for a record."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}"[:longest] if text else type(error).__name__


def describe_with_line(error: BaseException) -> str:
    """An exception of an agent in one line, with the file and the line of the agent's own code that it came from."""
    line = line_of(error)
    if not line:
        return describe(error)
    return f"{describe(error, LONGEST - len(line) - 1)} {line}"


def line_of(error: BaseException) -> str:
    """The file and the line of an agent's own code that an exception came from; nothing where none was reached.

    Own code is what lies in the folder of the method that was called: an exception inside a library is told with the
    line that called the library.
    """
    frames = [
        (frame.f_code.co_filename, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
    ]
    ours = [at for at, (file, _) in enumerate(frames) if file == __file__]
    frames = frames[ours[-1] + 1 :] if ours else frames
    if not frames:
        return ""
    folder = os.path.join(os.path.dirname(frames[0][0]), "")
    own = [one for one in frames if one[0].startswith(folder)] or frames[:1]
    file, number = own[-1]
    return f"({os.path.basename(file)[-100:]}, line {number})"


def call(agent: Any, ask: Ask) -> Any:
    """The one place where an ask becomes a call of an agent's method."""
    if ask.kind == "act":
        if ask.heard:
            hear = method_of(agent, "hear")
            if hear is not None:
                hear(ask.heard)
        return agent.act(ask.observation, ask.reward)
    if ask.kind == "tell":
        return agent.tell(ask.observation, ask.reward)
    if ask.kind in PROBES:
        return getattr(probes_of(agent), ask.kind)(ask.question)
    if ask.kind == "begin":
        # Compiled agents draw as a function of their key and need no generator.
        with_key = method_of(agent, "begin_with_key")
        if with_key is not None:
            with_key(ask.task, ask.key)
        elif (begin := method_of(agent, "begin")) is not None:
            begin(ask.task, np.random.Generator(np.random.PCG64(ask.key)))
        return None
    if (end := method_of(agent, "end")) is not None:
        end(ask.observation, ask.reward, ask.terminated)
    alarm = alarm_of(agent)
    return None if alarm is None else {ALARM: alarm}


def alarm_of(agent: Any) -> float | None:
    """How sure an agent is, from 0 to 1, that the episode that just ended was unlike what it knows.

    None where it has no method ``alarm`` and nobody can say.
    """
    own = method_of(agent, "alarm")
    if own is None:
        return None
    told = own()
    if not is_alarm(told):
        raise ValueError(f"alarm() gave {told!r}; it gives a number from 0 to 1")
    return float(told)


class InProcess:
    """A subject made of one agent class, an own agent object in each seat, in this process."""

    def __init__(
        self, name: str, factory: Callable[[], Any], summary: str = "", training: int = 0
    ) -> None:
        self.name = name
        self.factory = factory
        self.summary = summary
        """A line on what it is, for tables."""
        self.training = training
        """How many training episodes it asks for before each assessed one."""
        self.is_person = False
        """Whether people are meant, who answer in a browser."""

    def sit(self, seats: int, memory: bytes | None = None) -> Agents:
        """One new agent for each seat."""
        try:
            return Agents(self._agents(seats), partial(self._agents, seats), memory)
        except MensuraError:
            raise
        except Exception as error:
            raise MensuraError(f"{self.name} could not be made: {describe(error)}.") from error

    def _agents(self, seats: int) -> list[Any]:
        return [self.factory() for _ in range(seats)]
