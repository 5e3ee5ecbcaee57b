"""Answers to probes as JSON schemas: language models answer by them, and forms for people are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from mensura.agent.spaces import Space
from mensura.agents.language_model.actions import schema

Schema: TypeAlias = dict[str, Any]

WHAT = {
    "predict": "The answer is a number; where a probability is asked for, one from 0 to 1.",
    "plan": "The answer is the list of actions, one after another.",
    "explain": (
        "The answer has causes, each with cause, effect and sign (1: it raises or brings about, -1: it lowers or "
        "hinders, 0: it depends), and without: for each case in turn, whether it would have happened."
    ),
    "model": "The answer is the model as one text.",
}


def answer_schema(kind: str, question: Mapping[str, Any], space: Space) -> Schema:
    """The schema of an answer to a question, by a subject with this action space."""
    if kind == "predict":
        return _prediction(question)
    if kind == "plan":
        most = {"maxItems": question["length"]} if "length" in question else {}
        return {"type": "array", "items": schema(space), **most}
    if kind == "explain":
        return _explanation(question)
    return {"type": "string"}


def _prediction(question: Mapping[str, Any]) -> Schema:
    form = question.get("answer")
    if form == "probability":
        return {"type": "number", "minimum": 0, "maximum": 1}
    if form == "value":
        variable = question["variable"]
        return {
            "type": "integer",
            "minimum": int(variable["low"]),
            "maximum": int(variable["high"]),
        }
    return {"type": "number"}


def _explanation(question: Mapping[str, Any]) -> Schema:
    parts = list(question.get("phenomenon", {}).get("parts", ()))
    named = {"type": "string", **({"enum": parts} if parts else {})}
    sign = {"type": "integer", "minimum": -1, "maximum": 1}
    count = len(question["cases"]) if "cases" in question else None
    exactly = {} if count is None else {"minItems": count, "maxItems": count}
    return whole(
        {
            "causes": {
                "type": "array",
                "items": whole({"cause": named, "effect": named, "sign": sign}),
            },
            "without": {"type": "array", "items": {"type": "boolean"}, **exactly},
        }
    )


def whole(properties: Mapping[str, Any]) -> Schema:
    """An object of which nothing is left out."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
