"""The files that environments of a world come from: what commands need to know of them, and sentences that all share.

A world that has such files says so by ``task_files`` (:class:`mensura.core.abilities.Filed`), which gives an object of
a class derived from :class:`TaskFiles`. Samples and a check are all that it needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from mensura.agent.errors import MensuraError, neighbors

if TYPE_CHECKING:
    from mensura.core.yaml_text import Form

Maker: TypeAlias = Callable[..., str | tuple[str, ...]]
"""A function that makes the text of a task file, or of several.

Its parameters have plain types, as commands read them from NAME=VALUE; the first line of its docstring says what it
gives. A parameter ``task`` takes the name of a sample or a file, so that the function changes tasks; an underscore at
the end of a name, as in ``with_``, is not shown. A parameter ``solvable`` is what ``--solvable`` and ``--unsolvable``
set.
"""


class TaskFiles:
    """The task files of a world."""

    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml")
    """How the names of files end, the usual one first."""
    headings: ClassVar[Mapping[str, str]] = {}
    """How a table calls the facts about tasks, where it does not call them as data does."""

    example: ClassVar[str] = ""
    """A command that changes a task, for those who ask what can be done."""

    def samples(self) -> Mapping[str, Path]:
        """The sample tasks that come with the world: their names and files."""
        raise NotImplementedError

    def facts(self, name: str) -> Mapping[str, Any]:
        """What a table of samples tells of one: numbers and words, by name, the same of every sample."""
        return {}

    def check(self, file: Path) -> Sequence[str]:
        """What a file holds, in a few words, and remarks in sentences; an error with the line where it is wrong."""
        raise NotImplementedError

    def recognizes(self, file: Path) -> bool:
        """Whether a file is certainly one of this world; asked where nobody names the world of a file."""
        return False

    def text(self, task: str) -> str:
        """A sample or a file of one's own as the text of a file: as it was written, unless the world says otherwise."""
        return read_file(find(task, self.samples(), self.suffixes))

    def makers(self) -> Mapping[str, Maker]:
        """What makes tasks, by name."""
        return {}

    def importers(self) -> Mapping[str, Maker]:
        """What makes tasks of files in other formats, by how their names end, as "pddl"; the path comes first."""
        return {}


def find(task: str, samples: Mapping[str, Path], suffixes: Iterable[str]) -> Path:
    """The file of a sample, or one's own."""
    if task in samples:
        return samples[task]
    path = Path(task).expanduser()
    if path.suffix not in suffixes and not os.path.isfile(
        path
    ):  # false of what cannot be a name, too
        raise unknown(task, samples, next(iter(suffixes)))
    return path


def unknown(task: str, samples: Iterable[str], suffix: str) -> MensuraError:
    """The sentence about a task that is neither a sample nor a file."""
    return MensuraError(
        f"There is no sample task {task!r}; {neighbors(task, list(samples))} A task of your own is in a {suffix} file."
    )


def read_file(path: Path, form: Form | None = None) -> str:
    """The text of a task file, which is not larger than a form allows; a sentence where there is none."""
    from mensura.core.yaml_text import Form, read_text

    if path.is_dir():
        raise MensuraError(f"{path} is a folder; give the name of a task file in it.")
    try:
        return read_text(path, form or Form("task", "a task", 1_000_000, 100_000))
    except FileNotFoundError:
        raise MensuraError(
            f"There is no file {path}; a path is read from the current folder, here {Path.cwd()}."
        ) from None
    except OSError as error:
        raise MensuraError(f"The task file {path} cannot be read: {error.strerror}.") from None
