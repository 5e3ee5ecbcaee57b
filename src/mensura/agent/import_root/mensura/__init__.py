"""The package ``mensura`` as a subject in its cage has it: ``mensura.agent``, and bases of agents that worlds declare.

All else of ours cannot be read there. Whoever imports it is told so in a sentence.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import NoReturn

VARIABLE = "MENSURA_AGENT_BASES"
"""The variable that names the modules that worlds declare, with commas."""

_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__))))
_VISIBLE = ("mensura.agent", *filter(None, os.environ.get(VARIABLE, "").split(",")))
__path__.clear()  # what is not found by name here is hidden


def hidden(name: str) -> str:
    """The sentence for something of ours that a subject cannot see."""
    return (
        f"{name} is hidden from subjects: of Mensura a subject in a process of its own can import "
        f"{' and '.join(_VISIBLE)}, and nothing else; the documentation says so under Isolation."
    )


class _VisibleFinder:
    """Finds what is visible, whatever the search path says, and refuses the rest."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("mensura."):
            return None
        if any(base.startswith(f"{name}.") for base in _VISIBLE):
            parent = ModuleSpec(name, None, is_package=True)
            parent.submodule_search_locations = []
            return parent
        if name in _VISIBLE:
            place = os.path.join(_FOLDER, *name.split(".")[1:])
            if os.path.isdir(place):
                return spec_from_file_location(
                    name, os.path.join(place, "__init__.py"), submodule_search_locations=[place]
                )
            return spec_from_file_location(name, f"{place}.py")
        if any(name.startswith(f"{base}.") for base in _VISIBLE):
            return None  # the package's own folder is searched as always
        raise ImportError(hidden(name), name=name)


if __name__ == "mensura":
    sys.meta_path.insert(0, _VisibleFinder)


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise AttributeError(hidden(f"{__name__}.{name}"))
