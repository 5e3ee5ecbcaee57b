"""Which files of the product a process in a cage reads, as JSON, for a process of its own:

python -m tests.agents.walked class|cmd|sb3 [no-namespaces] [no-isolation] [everything]
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from time import perf_counter

from mensura.agent.task import Limits
from mensura.agents.address import Part
from mensura.agents.isolation import product
from mensura.agents.isolation.cage import Cage, for_class, for_command
from mensura.agents.isolation.code import within
from mensura.agents.peer import Ended
from mensura.agents.process import Child

SMALLEST = 200
"""Files of fewer bytes say nothing, and others have the same."""

WALK = """
import hashlib, json, os, stat, sys

with open(sys.argv[1]) as file:
    wanted = json.load(file)
sizes = {size for size, _ in wanted["digests"].values()}
digests = {digest: path for path, (_, digest) in wanted["digests"].items()}
found, seen = [], 0
def look(path):
    global seen
    try:
        status = os.stat(path)
        seen += stat.S_ISREG(status.st_mode)
        if not stat.S_ISREG(status.st_mode) or status.st_size not in sizes:
            return
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return
    digest = hashlib.blake2b(data).hexdigest()
    if digest in digests:
        found.append([path, digests[digest]])
for path in wanted["digests"]:
    look(path)
for top in wanted["tops"]:
    for here, folders, files in os.walk(top):
        folders[:] = [name for name in folders if os.path.join(here, name) not in ("/proc", "/sys")]
        for name in files:
            look(os.path.join(here, name))
print(json.dumps({"found": found, "seen": seen}), flush=True)
"""


def files_of_the_product() -> Iterator[Path]:
    """All files of ours but those that everybody may see, byte code among them."""
    folders = [*product.hidden(), *(place for place in product.checkout() if "." not in place)]
    for place in map(Path, folders):
        for path in place.rglob("*") if place.is_dir() else [place]:
            if not any(within(str(path), seen) for seen in product.visible()) and path.is_file():
                yield path


def digests() -> dict[str, tuple[int, str]]:
    """The size and the digest of each of these files that says something, by path."""
    seen = {
        blake2b(path.read_bytes()).hexdigest()
        for place in map(Path, product.visible())
        for path in place.rglob("*")
        if path.is_file()
    }
    texts = ((str(path), path.read_bytes()) for path in files_of_the_product())
    pairs = {path: (len(data), blake2b(data).hexdigest()) for path, data in texts}
    return {
        path: (size, digest)
        for path, (size, digest) in pairs.items()
        if size > SMALLEST and digest not in seen and "LICENSE" not in path  # which others have too
    }


def cage_of(kind: str, folder: str, limits: Limits) -> Cage:
    """The cage of a class in a folder, of a program there, or of a trained model."""
    if kind == "cmd":
        return for_command([sys.executable, f"{folder}/agent.py"], limits)
    name = f"{folder}/agent.py:A" if kind == "class" else "mensura.agent.sb3:Model"
    return for_class(Part(name), limits)


def walked(
    kind: str, namespaces: bool, everything: bool, isolation: bool = True
) -> dict[str, object]:
    """What a process finds that tries every file by name, and with ``everything`` all that it can reach from /."""
    with tempfile.TemporaryDirectory(prefix="mensura-") as folder:
        Path(folder, "agent.py").write_text("class A: ...\n")
        wanted = Path(folder, "wanted.json")
        wanted.touch()
        limits = Limits(readable=(str(wanted),), isolation=isolation)
        cage = cage_of(kind, folder, limits)
        # Without a tree of its own "/" cannot be listed; what can be, the cage says.
        tops = ["/", *cage.readable, *cage.own, *cage.listed] if everything else []
        wanted.write_text(
            json.dumps({"digests": digests(), "tops": tops if not namespaces else tops[:1]})
        )
        for path in (Path(folder), wanted):
            path.chmod(0o755)
        command = [sys.executable, "-I", "-S", "-c", WALK, str(wanted)]
        child = Child(command, replace(cage, namespaces=namespaces))
        return _said(child)


def _said(child: Child) -> dict[str, object]:
    lines: list[bytes] = []
    try:
        while not lines:
            lines = child.lines(perf_counter() + 300.0)
    except Ended:
        raise RuntimeError(child.epitaph()) from None
    finally:
        child.close(0.0)
    told: dict[str, object] = json.loads(lines[0])
    return told


if __name__ == "__main__":
    told = walked(
        sys.argv[1],
        namespaces="no-namespaces" not in sys.argv,
        everything="everything" in sys.argv,
        isolation="no-isolation" not in sys.argv,
    )
    sys.stdout.write(json.dumps(told))
