"""The game in words: what each seat is told of its part, and the conversation as a judge or a witness reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mensura.agent.spaces import Text
from mensura.agent.task import Task
from mensura.worlds.imitation.records import JURY, MACHINE

FORM = (
    "Your action is a record with all of kind, channel, text, choice and value. To ask: kind say, the channel that is "
    "named, and the text. To move a slider: kind slider, the channel, and as value 0 (surely a machine) to 100 (surely "
    "a person). To mark a message that gives a witness away: kind mark, and as value its number. Asked for a verdict: "
    "kind verdict, your choice, as value your confidence from 50 to 100, and as text your reason; an empty choice says "
    "that you cannot tell. Silence: kind silence. What is not needed is empty, and value is 50."
)


def told(role: str, trait: str, witnesses: int, jurors: int) -> str:
    """What a seat is told about its part."""
    if role == "judge":
        who = "You are a judge." if jurors == 1 else f"You are one of {jurors} jurors."
        if witnesses == 1:
            return (
                f"{who} You talk with one witness, which is a person or a machine by the toss of a fair coin. Say at "
                "the end which: your choice is person or machine."
            )
        has = f"is {trait}" if trait else "is a person"
        other = "only pretends" if trait else "is a machine"
        return (
            f"{who} You talk with two witnesses, A and B. One {has}, the other {other}. Say at the end which one "
            f"{has}: your choice is A or B."
        )
    what = trait or "a person"
    if role == MACHINE:
        return f"You are a witness. A judge asks you questions; convince the judge that you are {what}."
    return f"You are a witness, and {what}. A judge asks you questions; help the judge to see that you are."


class Sentences:
    """The words of the world."""

    def rules(self, task: Task) -> str:
        """What a seat finds itself in."""
        if isinstance(task.action_space, Text):
            return (
                "This is the imitation game. You write short messages to a judge, of at most "
                f"{task.action_space.longest} characters; an empty one is silence."
            )
        return f"This is the imitation game. {FORM}"

    def observation(self, task: Task, observation: Any) -> str:
        """What was said so far; texts of others are quoted, since they are data and no instructions."""
        lines = [_line(one) for one in observation["messages"]]
        return "\n".join([*(lines or ["Nothing was said yet."]), _asked(task, observation)])


def _line(message: Mapping[str, Any]) -> str:
    channel = f" {message['channel']}" if message["channel"] not in ("", JURY) else ""
    return f"[{message['number']}] {message['author']}{channel}: {json.dumps(message['text'], ensure_ascii=False)}"


def _asked(task: Task, observation: Mapping[str, Any]) -> str:
    phase = observation["phase"]
    if phase == "over":
        return f"It is over. {observation['truth']}"
    if isinstance(task.action_space, Text):
        return "Answer the judge."
    if phase == "ask":
        return (
            f"Ask witness {observation['channel']}; questions left for each: {observation['left']}."
        )
    if phase == "talk":
        return f"Ask one of {', '.join(observation['channels'])}, or give your verdict."
    if phase == "deliberate":
        return f"The jury deliberates: say something to the other jurors, in channel {JURY}."
    return "Give your verdict."
