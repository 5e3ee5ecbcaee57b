"""How Mensura starts Python: with modules from where this process has them, never from the current folder.

Python looks for modules in the current folder first when it is started with ``-m`` or ``-c``, and wherever the
variables ``PYTHON*`` tell it to. The current folder is where people keep the agents that they assess: a file
``secrets.py`` there would be executed, with all rights of this process, in place of Python's own.

This module imports nothing that is not in memory already: it is the first that a command imports.
"""

import os
import sys

_PACKAGE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
"""The folder that holds this package."""

_PROGRAM = "import sys; sys.path[:] = {}; from {} import main; sys.exit(main())"


def our_python(module: str, *arguments: str) -> list[str]:
    """The command that calls ``main()`` of a module of ours in a fresh interpreter, with these as ``sys.argv[1:]``.

    It neither looks into the current folder nor reads the variables ``PYTHON*``.
    """
    bytecode = ["-B"] if sys.dont_write_bytecode else []
    program = _PROGRAM.format(ascii(import_path()), module)
    return [sys.executable, "-I", *bytecode, "-c", program, *arguments]


def import_path() -> list[str]:
    """Where this process finds modules, without the current folder.

    That is left out wherever it came from: ``-m``, ``-c`` or an empty entry of PYTHONPATH. It stays where this
    package lies in it. Where PYTHONPATH names it, which is a decision of the user's, it comes last, so that no file
    in it takes the place of Python's own or of an installed one.
    """
    here = _current_folder()
    path = [os.path.abspath(one) for one in sys.path if one and not _is_left_out(one, here)]
    if here and here != _PACKAGE and _is_named(here):
        path.append(here)
    return path


def leave_out_current_folder() -> None:
    """Import nothing from the current folder from now on, as where Python was started with ``-m`` in it."""
    sys.path[:] = import_path()


def _is_left_out(entry: str, here: str) -> bool:
    real = os.path.realpath(entry)
    return real == here != _PACKAGE


def _is_named(here: str) -> bool:
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    named = not sys.flags.ignore_environment
    return named and any(one and os.path.realpath(one) == here for one in entries)


def _current_folder() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except FileNotFoundError:  # it was removed meanwhile
        return ""
