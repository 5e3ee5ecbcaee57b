"""Parameters of a world: a default, a meaning, and what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from mensura.agent.errors import MensuraError, neighbors
from mensura.agent.numbers import is_number
from mensura.agent.spaces import to_plain

T = TypeVar("T")


def parameter(
    default: T,
    meaning: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    choices: Sequence[object] = (),
) -> T:
    """A parameter of a world: ``symbols: int = parameter(4, "How many symbols there are", at_least=2)``.

    ``meaning`` is what commands, forms and pages say of it. A value is checked when the world is made: that it is of
    the annotated type (int, float, bool, str, a tuple of these, or None where the annotation says so), within the
    bounds and among the choices; of a tuple, that each of its members is.
    """
    metadata = {
        "meaning": meaning,
        "low": at_least,
        "high": at_most,
        "choices": tuple(choices),
    }
    return field(default=default, metadata=metadata)


def seat_rights(**known: str) -> tuple[str, ...]:
    """The parameter ``rights`` of a world in which some seats may see more than others.

    ::

        rights: tuple[str, ...] = seat_rights(sees_lag="the lag is part of its observation")

    A right is given to a seat as "0:sees_lag". Rules ask ``self.may(seat, "sees_lag")``. A subject that needs a right
    (:class:`~mensura.worlds.kit.minds.Mind`) is given it wherever it sits.
    """
    told = "; ".join(f"{name}: {meaning}" for name, meaning in known.items())
    return cast(
        "tuple[str, ...]",
        field(
            default=(),
            metadata={
                "meaning": f"Rights of seats, as 0:{next(iter(known), 'name')} ({told})",
                "rights": tuple(known),
            },
        ),
    )


def check_parameters(world: Any) -> None:
    """Raise with a sentence where a value is not of its type, out of range, or not among the choices.

    What JSON or NumPy write differently is put right: a list becomes a tuple, and a whole number a float where that is
    the type.
    """
    kind: Any = type(world)
    types = _types(kind)
    for one in fields(world):
        hint = types.get(one.name, Any)
        value = _converted(to_plain(getattr(world, one.name)), hint)
        wanted = _wanted(value, hint, one.metadata)
        if wanted:
            raise MensuraError(f"{one.name} of {world.id} is {value!r}; it must be {wanted}.")
        for right in value if "rights" in one.metadata else ():
            _check_right(world.id, right, one.metadata["rights"])
        object.__setattr__(world, one.name, value)


@cache
def _types(kind: type) -> dict[str, Any]:
    try:
        return get_type_hints(kind)
    except NameError:  # a class inside of a function, with types that only that knows
        return {}


def _converted(value: Any, hint: Any) -> Any:
    if isinstance(value, list):
        inner = [one for one in get_args(hint) if one is not ...]
        each = inner[0] if inner and get_origin(hint) is tuple else Any
        return tuple(_converted(one, each) for one in value)
    if (
        type(value) is int
        and is_number(value)
        and (hint is float or (float in get_args(hint) and int not in get_args(hint)))
    ):
        return float(value)
    return value


def _wanted(value: Any, hint: Any, metadata: Any) -> str:
    """What a value should be, where it is not."""
    low, high, choices = (metadata.get(name) for name in ("low", "high", "choices"))
    each = value if isinstance(value, tuple) else (value,)
    numbers = [one for one in each if isinstance(one, (int, float)) and not isinstance(one, bool)]
    if choices and not all(one in choices for one in each):
        return f"one of {', '.join(map(str, choices))}"
    fits = _fits(value, hint) and all(map(is_number, numbers))
    inside = all((low is None or one >= low) and (high is None or one <= high) for one in numbers)
    if fits and inside:
        return ""
    if low is not None and high is not None:
        bounds = f" from {low:g} to {high:g}"
    elif low is not None:
        bounds = f" of at least {low:g}"
    else:
        bounds = "" if high is None else f" of at most {high:g}"
    return _named(hint) + bounds


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is None or hint is NoneType:
        return value is None
    if origin is Literal:
        return value in inner
    if origin in (Union, UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(inner) == 2 and inner[1] is ...:
            return all(_fits(one, inner[0]) for one in value)
        return len(value) == len(inner) and all(map(_fits, value, inner))
    return isinstance(value, origin or hint) if isinstance(origin or hint, type) else True


def _named(hint: Any) -> str:
    """A type in words."""
    plain = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "a text",
        None: "nothing",
    }
    if hint in (NoneType, *plain):
        return plain[None if hint is NoneType else hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(map(str, inner))}"
    if origin in (Union, UnionType):
        return " or ".join(map(_named, inner))
    if origin is tuple and len(inner) == 2 and inner[1] is ...:
        return f"a list, each of it {_named(inner[0])}"
    if origin is tuple:
        return f"a list of {', '.join(map(_named, inner))}"
    return getattr(hint, "__name__", str(hint))


def _check_right(world: str, right: str, known: tuple[str, ...]) -> None:
    seat, _, name = right.partition(":")
    if not seat.isdecimal() or name not in known:
        raise MensuraError(
            f"{right!r} is no right of a seat of {world}, as 0:{next(iter(known), 'name')} is; "
            f"{neighbors(name, list(known))}"
        )
