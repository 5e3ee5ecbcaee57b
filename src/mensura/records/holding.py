"""How a subject was held while it was assessed, in words that records keep, and what follows from them.

A subject is fully isolated where nothing of it could read what Mensura knows of its environments: it is part of
Mensura, it is code in full isolation, its weights are run by llama.cpp, or it was asked on another machine. Words of
several members are joined; all of them count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

BUILT_IN = "part of Mensura"
FULL = "full isolation"
"""What the words of a process in full isolation begin with; how its memory was held follows."""
REACHED = "asked over the network, on another machine"
WEIGHTS = "the weights of a language model, run by llama.cpp"
DEGRADED = "isolation without "
"""What the words of a process begin with where the machine could do less; what was missing follows."""
OPENED = "isolation with "
"""What they begin with where a limit of the run opened something; what it opened follows."""
OFF = "no isolation"
IN_PROCESS = "inside Mensura's own process"
OUTSIDE = "not started by Mensura, and on this machine or connected to it"
ELSEWHERE = "by workers on other machines, whose isolation was not examined"
PEOPLE = "people"
NOT_RECORDED = "not recorded"

_JOINT = "; "


def joined(words: Iterable[str]) -> str:
    """What is said of several members, or of several parts of a run, each once."""
    parts = (part for one in words for part in one.split(_JOINT))
    return _JOINT.join(dict.fromkeys(part for part in parts if part))


def is_fully_isolated(words: str) -> bool:
    """Whether nothing of a subject that was held so could read what Mensura knows of its environments."""
    return bool(words) and all(
        part in (BUILT_IN, REACHED, WEIGHTS) or part.split(", ")[0] == FULL
        for part in words.split(_JOINT)
    )


def isolation_warnings(held: Mapping[str, str]) -> Iterator[str]:
    """A sentence on each way of being held that kept less from code than isolation does; ``held``: by subject."""
    groups: dict[str, list[str]] = {}
    for subject, words in held.items():
        for part in words.split(_JOINT):
            groups.setdefault(part, []).append(subject)
    for part, subjects in groups.items():
        what = _lacking(part)
        if what:
            yield f"Isolation: {', '.join(subjects)} {what}"


def _lacking(words: str) -> str:
    """What was missing where a subject was held so, as the end of a sentence; nothing where isolation was whole."""
    if words.startswith(DEGRADED):
        missing = words.removeprefix(DEGRADED).rpartition(", ")[0] or words.removeprefix(DEGRADED)
        return (
            f"could be isolated only in part on this machine, without {missing}: the score is not safe against code "
            "that looks around (`mensura agents isolation`)."
        )
    if words == OFF:
        return "ran without isolation, which was switched off: the score is not safe against code that looks around."
    if words == IN_PROCESS:
        return (
            "ran inside Mensura's own process, without isolation: the score is not safe against "
            "code that looks around."
        )
    return ""


# Before a run starts -----------------------------------------------------------------

Listener = Callable[[str], None]
_listener: Listener | None = None


def on_warning(listener: Listener | None) -> Listener | None:
    """Have this called with each sentence on isolation before a run starts; what was called before."""
    global _listener
    before, _listener = _listener, listener
    return before


def warn(held: Mapping[str, str]) -> None:
    """Tell whoever listens of isolation that is not whole; ``held``: by subject."""
    if _listener is not None:
        for sentence in isolation_warnings(held):
            _listener(sentence)
