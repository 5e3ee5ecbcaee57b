"""The law of strangers' attributes: what a class happens to have beside ``act`` is not an ability.

Measures are played with a class that has ``act`` alone and with the same class with attributes as libraries of the
field give them to theirs: as a value, as None, and as a method that takes other arguments than an agent's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from tests.audit.law import Law

import mensura as ms

ATTRIBUTES = (
    *("model", "predict", "fit", "plan", "explain", "memory", "metrics", "measures", "policy", "save", "load"),
    *("history", "tools", "reset", "env", "learn", "train", "training", "eval", "parameters", "forward"),
    *("state_dict", "observation_space", "action_space", "close", "step", "render", "seed", "spec", "metadata"),
    *("score", "transform", "get_params", "set_params", "invoke", "run", "stream", "name", "description", "device"),
    *("logger", "callbacks", "config", "verbose", "num_timesteps", "replay_buffer", "critic", "actor", "optimizer"),
    *("loss", "target", "gamma", "components", "switch_off", "probes", "agent_metrics", "damaged", "alarm"),
    *("plays", "trained_on", "summary", "retelling", "concurrent", "waits", "ask_once", "settled", "members"),
    *("is_person", "tell", "hear", "begin", "end", "begin_with_key", "answer", "speakers", "renew", "recall"),
)  # fmt: skip
"""Those of agents of PyTorch, Stable-Baselines3, scikit-learn, Gymnasium and LangChain, and all names of ours."""

FORMS = {
    "value": ("", "        self.{name} = Network()\n"),
    "none": ("", "        self.{name} = None\n"),
    "method": (
        "    def {name}(self, first, second, third, fourth, *, fifth):\n        raise RuntimeError\n\n",
        "",
    ),
}
"""What stands in the class, and what in its ``__init__``."""

SOURCE = '''"""An agent of somebody who knows other libraries."""


class Network:
    """Can be called, as a module of PyTorch."""

    training = True

    def __call__(self, *inputs, **options):
        raise RuntimeError

    def __len__(self):
        return 3


class Stranger:
    """Goes here and there."""

    def __init__(self):
        self.count = 0
{inits}
    def act(self, observation, reward):
        self.count += 1
        return 1 + self.count % 2

{methods}'''


def source(attributes: Sequence[str], form: str) -> str:
    """The file of a class that has these attributes."""
    method, init = FORMS[form]
    return SOURCE.format(
        inits="".join(init.format(name=name) for name in attributes),
        methods="".join(method.format(name=name) for name in attributes),
    )


# What is measured -------------------------------------------------------------------

ECHO: Any = {"world": "echo", "seed": 1}


def _scores(who: Any, **given: Any) -> Any:
    return ms.assess(who, **given).rows()


def _small() -> Any:
    return ms.make("lambda", cells=4, actions=3, horizon=20)


MEASURES: Mapping[str, Callable[[Any], Any]] = {
    "battery": lambda who: _scores(
        who, assessment="battery", episodes=2, training=1, **ECHO
    ),
    "fixed-battery": lambda who: _scores(
        who, assessment="fixed-battery", count=1, sittings=1, **ECHO
    ),
    "attempts": lambda who: _scores(
        who, assessment="attempts", sittings=1, attempts=2, **ECHO
    ),
    "anytime": lambda who: _scores(
        who, world=_small(), assessment="anytime", sittings=1, interactions=60, seed=1
    ),
    "universal": lambda who: _scores(
        who, world=_small(), assessment="universal", sittings=1, environments=6, strata=2, pilot=2, seed=1,
    ),
    "social": lambda who: _scores(
        who, world=ms.make("lambda-star", rows=4, cols=4, subjects=2, horizon=6), assessment="social", sittings=1,
        company=["random"], seed=1,
    ),
    "understand": lambda who: ms.understand(
        who, "lambda-star", "good", questions=1, training=1, seed=1
    ).to_json(),
    "learn-rate": lambda who: ms.learn_rate(
        _only(who), _small(), tasks=6, interactions=40, learners=2, seed=1
    ).to_json(),
    "transfer": lambda who: ms.transfer(
        _only(who), (_small(), 1), (_small(), 2), interactions=20, learners=2, episodes=1, seed=1
    ).to_json(),
    "robustness": lambda who: ms.robustness(
        who, "echo", "observation-noise", strengths=[0.5], seed=1, withdraw=True, episodes=2
    ).to_json(),
    "choose": lambda who: ms.choose(
        [who, "random"] if isinstance(who, str) else {**who, "random": "random"}, _small(), episodes=5, most=2, seed=1,
    ).to_json(),
}  # fmt: skip
"""Every kind of measure, as small as can be."""


def _only(who: Any) -> Any:
    return who if isinstance(who, str) else next(iter(who.values()))


VARYING = frozenset(
    {
        *("seconds", "cpu", "started", "ended", "bits_per_minute", "outlay"),
        *("machine", "versions", "command", "name", "title", "run"),
    }
)
"""What differs between two runs of the same."""


def _plain(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {str(name): _plain(value) for name, value in data.items() if name not in VARYING}
    return [_plain(one) for one in data] if isinstance(data, list | tuple) else repr(data)


def measured(text: str, measure: str, caged: bool) -> Any:
    """What comes out for a class; the sentence where it is refused."""
    with tempfile.TemporaryDirectory(prefix="mensura-stranger-") as folder, chdir(folder):
        Path("stranger.py").write_text(text, encoding="utf-8")
        who: Any = "stranger.py:Stranger"
        if not caged:
            names: dict[str, Any] = {"__name__": "stranger"}
            exec(compile(text, "stranger.py", "exec"), names)
            who = {"Stranger": lambda: names["Stranger"]()}
        try:
            return _plain(MEASURES[measure](who))
        except ms.MensuraError as error:
            return str(error)


@cache
def bare(measure: str, caged: bool) -> Any:
    """What comes out for the class that has ``act`` alone."""
    return measured(source((), "value"), measure, caged)


def difference(attributes: Sequence[str], form: str, measure: str, caged: bool) -> str | None:
    """Where a class with these attributes comes out otherwise than without them."""
    one, other = bare(measure, caged), measured(source(attributes, form), measure, caged)
    return None if one == other else f"{measure}: {_first_difference(one, other)}"


def _first_difference(one: Any, other: Any) -> str:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        name = next(name for name in one if one[name] != other[name])
        return f"{name}, {_first_difference(one[name], other[name])}"
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        at = next(at for at in range(len(one)) if one[at] != other[at])
        return f"{at}, {_first_difference(one[at], other[at])}"
    return f"without them {one!r:.200}, with them {other!r:.200}"


# The law -----------------------------------------------------------------------------

WHERE = {"in-process": False, "caged": True}


@cache
def cells() -> Sequence[str]:
    """One class for each attribute, in each form, in this process and in its own."""
    return [f"{where}/{form}/{name}" for where, form, name in product(WHERE, FORMS, ATTRIBUTES)]


OUTSIDE = ("battery", "social", "understand", "robustness")
"""What is measured for each attribute in a process of its own; all measures are, for all attributes at once."""


def check(cell: str) -> str | None:
    """Whether measures come out as without the attribute."""
    where, form, name = cell.split("/")
    for measure in OUTSIDE if WHERE[where] else MEASURES:
        if failure := difference((name,), form, measure, WHERE[where]):
            return failure
    return None


LAW = Law(
    name="strangers",
    sentence="A class scores to the bit what it scores without attributes that other libraries give to agents.",
    cells=cells,
    check=check,
    fixed=tuple,
    daily=tuple,
)
