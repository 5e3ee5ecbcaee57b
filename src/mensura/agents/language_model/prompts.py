"""Prompts are files: those beside this module, any of which a user may replace. Their hash goes into the record.

A style is a folder of those that differ from ours, with a name by which it can be chosen.

What stands in braces is filled in. Nothing else in a file has a meaning.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mensura.agent.errors import MensuraError, neighbors

OWN = Path(__file__).with_name("prompts")
IN_WORDS = ("notepad", "reason-then-act")
"""The styles that ask for words before the action, for which an answer that is an object has no place."""

LONGEST = 100_000
"""So many characters a file may have."""

FIELDS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "system": (("rules", "instructions", "answer"), ()),
    "first": (("heard", "observation"), ()),
    "observation": (("reward", "heard", "observation"), ()),
    "end": (("reward",), ("observation",)),
    "repair": ((), ("wrong", "answer")),
    "tell": (("observation",), ()),
    "tool": (("action",), ()),
    "text": (("action",), ("example",)),
    "json": (("action",), ("example",)),
    "notes": (("notes",), ()),
    "notes_tool": ((), ("longest",)),
    "notes_text": ((), ("longest",)),
    "notes_json": ((), ("longest",)),
    "hold_tool": ((), ("longest",)),
    "hold_text": ((), ("longest",)),
    "hold_json": ((), ("longest",)),
}
"""The files by name, each with what it has to hold and what it may hold: what a world tells is never left out.

system: what is said once and never dropped. first: the first observation of an episode. observation: every other one.
end: the last one, for which no action is asked. repair: after an answer that is no action. tell: what asks for a
message to the others. tool, text, json: how an action is answered. notes: what shows a model its own notes.
notes_tool, notes_text, notes_json: how it rewrites them. hold_tool, hold_text, hold_json: how an action is held for
several interactions.
"""

OF_NOTES = frozenset(("notes", "notes_tool", "notes_text", "notes_json"))
"""Those that are in effect only where a model keeps notes."""

OF_HOLDING = frozenset(("hold_tool", "hold_text", "hold_json"))
"""Those that are in effect only where a model may hold an action."""

_FIELD = re.compile(r"\{([a-z_]+)\}")
_GAP = re.compile(r"\n{3,}")


@dataclass(frozen=True)
class Prompts:
    """The texts that a model is given."""

    texts: Mapping[str, str]

    @cached_property
    def hash(self) -> str:
        """BLAKE2b of all of them, 16 bytes in hexadecimal."""
        digest = hashlib.blake2b(digest_size=16)
        for name in sorted(self.texts):
            for piece in (name, self.texts[name]):
                data = piece.encode()
                digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()

    def fill(self, name: str, **values: str) -> str:
        """One of them with its fields filled in; lines that are left empty are closed up."""
        filled = _FIELD.sub(lambda found: values.get(found[1], found[0]), self.texts[name])
        lines = "\n".join(line.rstrip() for line in filled.splitlines())
        return _GAP.sub("\n\n", lines).strip()


def styles() -> list[str]:
    """The names of the styles that are shipped."""
    return sorted(folder.name for folder in OWN.iterdir() if folder.is_dir())


def chosen(
    prompt: str | None, answer: str = "tool", own: Mapping[str, Path] | None = None
) -> Path | None:
    """The folder or file of prompts that a name or a path says.

    The name of one of the world's ``own`` comes first, then that of a style, then a path.
    """
    if prompt is None:
        return None
    if own and prompt in own:
        return own[prompt]
    if prompt not in styles():
        if own and not Path(prompt).expanduser().exists():
            raise MensuraError(
                f"There is no file or folder {prompt} with prompts, and neither a prompt of this world nor a style of "
                f"that name; {neighbors(prompt, [*own, *styles()])}"
            )
        return Path(prompt)
    if prompt in IN_WORDS and answer == "json":
        raise MensuraError(
            f"The prompts {prompt} ask for words before the action, which answer=json has no place for; use tool or "
            "text."
        )
    return OWN / prompt


def load(replaced: Path | None = None, *, notes: bool = False, hold: bool = False) -> Prompts:
    """Our prompts, those in the folder ``replaced`` instead of ours of the same name; a file replaces system.txt.

    Only those that are in effect: without ``notes`` none of :data:`OF_NOTES`, without ``hold`` none of
    :data:`OF_HOLDING`.
    """
    idle = (frozenset() if notes else OF_NOTES) | (frozenset() if hold else OF_HOLDING)
    texts = {name: _read(OWN / f"{name}.txt") for name in FIELDS if name not in idle}
    if replaced is None:
        return Prompts(texts)
    path = replaced.expanduser()
    if path.is_dir():
        files = {file.stem: file for file in sorted(path.iterdir()) if file.suffix == ".txt"}
        if not files:
            raise MensuraError(
                f"The folder {replaced} has no prompts; they are files called {', '.join(f'{n}.txt' for n in FIELDS)}."
            )
        for name, file in files.items():
            if name not in FIELDS:
                raise MensuraError(
                    f"{file} is none of the prompts; {neighbors(name, list(FIELDS))}"
                )
    elif path.is_file():
        files = {"system": path}
    else:
        raise MensuraError(
            f"There is no file or folder {replaced} with prompts, and no style of that name; "
            f"{neighbors(str(replaced), styles())}"
        )
    for name, file in files.items():
        text = _checked(name, _read(file), file)
        if name in texts:
            texts[name] = text
    return Prompts(texts)


def _read(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MensuraError(f"The prompt {file} cannot be read: {error}.") from None
    if len(text) > LONGEST:
        raise MensuraError(f"The prompt {file} has over {LONGEST} characters; shorten it.")
    return text


def _checked(name: str, text: str, file: Path) -> str:
    needed, possible = FIELDS[name]
    found = set(_FIELD.findall(text))
    for field in found:
        if field not in (*needed, *possible):
            known = neighbors(field, [*needed, *possible])
            raise MensuraError(f"The prompt {file} has a field {{{field}}}; {known}")
    for field in needed:
        if field not in found:
            raise MensuraError(
                f"The prompt {file} lacks the field {{{field}}}; write it where that belongs."
            )
    return text
