"""Lemmas as edits of the word: what a network can choose among."""

from __future__ import annotations


def script_of(form: str, lemma: str) -> str:
    """The edit that makes this lemma of this form: ``l`` lowers first, then so many letters go and others come."""
    lowers = lemma == lemma.lower()
    start = form.lower() if lowers else form
    same = 0
    while same < min(len(start), len(lemma)) and start[same] == lemma[same]:
        same += 1
    return f"{'l' if lowers else 'k'}{len(start) - same}{lemma[same:]}"


def applied(script: str, form: str) -> str:
    """The lemma that an edit makes of a form; the form itself where the edit takes more letters than there are."""
    start = form.lower() if script[:1] == "l" else form
    digits = len(script[1:]) - len(script[1:].lstrip("0123456789"))
    gone = int(script[1 : 1 + digits] or 0)
    if gone > len(start):
        return start
    return start[: len(start) - gone] + script[1 + digits :] or start
