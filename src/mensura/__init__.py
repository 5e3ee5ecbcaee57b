"""Mensura measures the general intelligence of any subject: program, learner, collective or person.

    import mensura as ms

    result = ms.assess(["random", "q-learning", MyAgent], "lambda", budget=10_000, seed=1)

What there is here is imported when it is first used, so that ``import mensura`` takes no time. ``__init__.pyi`` tells
type checkers and editors the same names.
"""

import sys
from importlib import import_module

_WHERE = {
    "Choice": "mensura.api.choosing",
    "Comparisons": "mensura.api.comparing",
    "Film": "mensura.api.watching",
    "Learning": "mensura.api.learning",
    "MensuraError": "mensura.agent.errors",
    "Outlays": "mensura.api.spending",
    "Profile": "mensura.api.profiling",
    "Result": "mensura.api.results",
    "Robustness": "mensura.api.robustness",
    "Score": "mensura.api.results",
    "Study": "mensura.api.study",
    "Transfer": "mensura.api.transferring",
    "Understood": "mensura.api.understanding",
    "assess": "mensura.api.assessing",
    "choose": "mensura.api.choosing",
    "compare": "mensura.api.comparing",
    "estimate": "mensura.api.assessing",
    "learn_rate": "mensura.api.learning",
    "load": "mensura.api.results",
    "make": "mensura.api.making",
    "profile": "mensura.api.profiling",
    "robustness": "mensura.api.robustness",
    "subjects": "mensura.api.making",
    "transfer": "mensura.api.transferring",
    "understand": "mensura.api.understanding",
    "watch": "mensura.api.watching",
}
"""The module that each name is of."""
_PACKAGES = ("assessments", "worlds")
"""Packages that list what is registered when they are called."""
_MODULES = {"analogy": "mensura.api.analogy"}

__all__ = ["__version__", *sorted([*_WHERE, *_PACKAGES, *_MODULES])]


def __getattr__(name: str) -> object:
    """What is asked for, imported now."""
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name in _WHERE:
        thing: object = getattr(import_module(_WHERE[name]), name)
        globals()[name] = thing
        return thing
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Reading the installed metadata takes a while.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mensura")
    except PackageNotFoundError:  # a source tree that was never installed
        return "0.0.0"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# Gymnasium has no plug-ins, so whoever uses it has to import something for our ids to be known: this package is
# enough where Gymnasium came first. Nothing is imported for anybody else.
if "gymnasium" in sys.modules:
    import_module("mensura.adapters.gymnasium")
