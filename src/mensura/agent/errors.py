"""The one error that users see: a sentence on what is wrong, where, and what would be right."""

import re

LONGEST_WORD = 400
"""Of a longer one that a sentence quotes, the beginning is enough."""


class MensuraError(Exception):
    """Bad input. The command line prints the sentence and exits with status 2, without a traceback."""

    def __init__(self, sentence: str = "") -> None:
        super().__init__(
            re.sub(
                rf"\S{{{LONGEST_WORD},}}",
                lambda word: word[0][: LONGEST_WORD // 4] + "...",
                sentence,
            )
        )


class LocatedError(MensuraError):
    """A sentence that already names its file and line."""


class StoppedEarly(MensuraError):
    """Somebody stopped what was measured; nothing is wrong with it, and what is kept goes on."""


MALFORMED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What code may raise that takes in data of somebody else's, which it was never tried with."""


def neighbors(name: str, known: list[str]) -> str:
    """The end of a sentence about an unknown name: the nearest known ones, or all of them."""
    import difflib

    if not known:
        return "there are none."
    near = difflib.get_close_matches(name, sorted(set(known)), n=3, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"known are: {', '.join(sorted(set(known)))}."
