"""Ask Numba only once what a call of an operator or a built-in function returns.

While Numba infers the types of a kernel, it asks for the type of every addition and comparison by itself, and each
time tries every implementation that it knows, of strings, lists and sets too. In a kernel of many rules that is a sixth
of compilation. The answer depends on the function, the types of the arguments and the compiler's flags alone.
"""

# mypy: allow-untyped-calls

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.compiler_lock import global_compiler_lock
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

__all__ = ["asked_once"]

_ask = BaseFunction.get_call_type
_answers: dict[Any, Any] = {}


@contextmanager
def asked_once() -> Iterator[None]:
    """Within it calls are typed from what was answered before in this process; nobody else compiles meanwhile."""
    with global_compiler_lock:
        before = BaseFunction.get_call_type
        BaseFunction.get_call_type = _remembered
        try:
            yield
        finally:
            BaseFunction.get_call_type = before


def _remembered(self: Any, context: Any, args: Any, kws: dict[str, Any]) -> Any:
    """As Numba's own method, from memory where an answer is there.

    What is implemented in Python is not remembered: Numba compiles it when it is asked. Neither are errors.
    """
    call = self, context, args, tuple(kws.items()), ConfigStack.top_or_none()
    found = _answers.get(call)
    if found is None:
        found = _ask(self, context, args, kws)
        if found is not None and self._impl_keys[found.args] is self.typing_key:
            _answers[call] = found
        return found
    self._impl_keys[found.args] = self.typing_key
    return found.replace()
