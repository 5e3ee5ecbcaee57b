"""Questions as plain data that a page is made of; in the participant's language where that has words for them."""

from __future__ import annotations

from typing import Any, TypeAlias

from mensura.agent.spaces import to_plain
from mensura.pictures.questions import Example, Panel, Question
from mensura.pictures.svg import as_svg
from mensura.web.phrases import Phrases

Plain: TypeAlias = dict[str, Any]


def plain_question(question: Question) -> Plain:
    """All of a question; which answer is right is not part of it."""
    return {
        "asked": question.asked,
        "rows": [
            [None if one is None else plain_panel(one) for one in row] for row in question.rows
        ],
        "options": [
            {"action": to_plain(one.action), **plain_panel(one.panel)} for one in question.options
        ],
        "none": to_plain(question.none),
        "form": question.form,
    }


def plain_example(example: Example) -> Plain:
    """A question with its answer, which is marked among the options where there are any."""
    return {
        "question": plain_question(example.question),
        "answer": plain_panel(example.answer),
        "why": example.why,
        "right": next(
            (
                to_plain(one.action)
                for one in example.question.options
                if one.panel.text == example.answer.text
            ),
            None,
        ),
    }


def plain_panel(panel: Panel) -> Plain:
    """Words, and a picture where there is one."""
    return {
        "text": panel.text,
        "svg": "" if panel.picture is None else as_svg(panel.picture, page=True),
    }


def in_words_of(say: Phrases, question: Plain) -> Plain:
    """A question in another language."""
    return {
        **question,
        "asked": say(question["asked"]),
        "rows": [[one and _said(say, one) for one in row] for row in question["rows"]],
        "options": [_said(say, one) for one in question["options"]],
        "form": question["form"] and say(question["form"]),
    }


def example_in_words_of(say: Phrases, example: Plain) -> Plain:
    """An example in another language."""
    return {
        **example,
        "question": in_words_of(say, example["question"]),
        "answer": _said(say, example["answer"]),
        "why": say(example["why"]),
    }


def _said(say: Phrases, panel: Plain) -> Plain:
    """What is written is shown as it is; what is drawn is told in the language."""
    return {**panel, "text": say(panel["text"])} if panel["svg"] else panel
