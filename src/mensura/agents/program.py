"""Programs in any language that we start: ``cmd:./my-agent --fast`` talks over its standard streams."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits
from mensura.agents.address import EXAMPLES, Part
from mensura.agents.process import ProcessPlayer
from mensura.core.contract import World


def from_command(part: Part, world: World, limits: Limits) -> ProgramSubject:
    """The program that an address of the scheme ``cmd`` names, with its arguments as a shell would cut them."""
    if part.parameters:
        raise MensuraError(
            f"{part} has parameters, which a program cannot be given so; write arguments, as in {EXAMPLES['cmd']}, "
            "and a '?' that belongs to one as %3F."
        )
    try:
        command = shlex.split(part.target)
    except ValueError as error:
        raise MensuraError(
            f"The command {part.target!r} cannot be cut into words: {error}."
        ) from None
    return ProgramSubject(part.label, command, limits)


class ProgramSubject:
    """A program that speaks the protocol over its standard streams, started once for each sitting, without a shell."""

    concurrent = True
    """Sittings may be played side by side: each has a process of its own."""

    def __init__(self, name: str, command: list[str], limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.command = (found(command[0]), *command[1:])

    def sit(self, seats: int, memory: bytes | None = None) -> ProcessPlayer:
        """Start the program."""
        return ProcessPlayer(self.name, self.command, seats, self.limits, memory=memory)


def _behind(program: str) -> str:
    """The program behind one of pyenv's, which only looks for another and could not find it in a cage."""
    path = Path(program)
    pyenv = path.parent.parent / "bin" / "pyenv"
    if path.parent.name != "shims" or not pyenv.exists():
        return program  # as it is written: without its ./ it would be looked for on the PATH
    said = subprocess.run([pyenv, "which", path.name], capture_output=True, text=True)
    real = said.stdout.strip()
    return real if said.returncode == 0 and real else program


def found(program: str) -> str:
    """The path of a program: as it is written, or on the PATH; MensuraError where it cannot be run."""
    path = shutil.which(program)
    if path is not None:
        return _behind(path)
    here = Path(program)
    if os.sep not in program:
        hint = f"; one in this folder is written ./{program}" if here.is_file() else ""
        raise MensuraError(f"There is no program {program} on the PATH{hint}.")
    if here.is_dir():
        raise MensuraError(f"{program} is a folder; name a program in it, as {program}/agent.")
    if not here.exists():
        raise MensuraError(
            f"There is no program {program}; a path is read from the current folder, here {Path.cwd()}."
        )
    raise MensuraError(f"{program} may not be executed; make it so with: chmod +x {program}")
