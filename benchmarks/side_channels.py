"""How much two sittings can still tell each other: by cached files one after the other, by a busy processor at once.

python -m benchmarks.side_channels

The figures stand in docs/isolation.md. Both ends know each other's plan, so this is the most there is, and not what an
agent finds by chance.
"""

import hashlib
import mmap
import os
import resource
import sys
import time
from time import perf_counter

BITS = 512
SLOT = 0.02
SLOTS = 200


def files() -> list[str]:
    """Files that every sitting can read and that nobody happens to have open."""
    found: list[str] = []
    for here, _, names in sorted(os.walk("/usr/share")):
        for name in sorted(names):
            path = os.path.join(here, name)
            if not os.path.islink(path) and os.path.getsize(path) >= 4096:
                found.append(path)
                if len(found) == BITS:
                    return found
    return found


def touched(path: str) -> bool:
    """Touch the first page of a file; whether it had to be read from the disk."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ) as page:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        page[0]
        return resource.getrusage(resource.RUSAGE_SELF).ru_majflt > before


def message(length: int) -> list[int]:
    """What is sent: as many ones as zeros, in an order that both know."""
    order = sorted(range(length), key=lambda number: hashlib.sha256(b"%d" % number).digest())
    return [place % 2 for place in order]


def send_by_cache() -> str:
    begun = perf_counter()
    for path, bit in zip(files(), message(BITS), strict=False):
        if bit:
            touched(path)
    return f"{perf_counter() - begun}"


def receive_by_cache() -> str:
    begun = perf_counter()
    paths = files()
    right = sum(touched(path) != bool(bit) for path, bit in zip(paths, message(BITS), strict=False))
    return f"{right} {len(paths)} {perf_counter() - begun}"


def send_by_load(start: float) -> str:
    for number, bit in enumerate(message(SLOTS)):
        until = start + (number + 1) * SLOT
        while bit and time.time() < until:
            pass
        time.sleep(max(0.0, until - time.time()))
    return ""


def receive_by_load(start: float) -> str:
    counts = []
    time.sleep(max(0.0, start - time.time()))
    for number in range(SLOTS):
        until, count = start + (number + 1) * SLOT, 0
        while time.time() < until:
            count += 1
        counts.append(count)
    middle = sorted(counts)[SLOTS // 2]
    right = sum(
        (count < middle) == bool(bit) for count, bit in zip(counts, message(SLOTS), strict=True)
    )
    return f"{max(right, SLOTS - right)} {SLOTS}"


def main() -> None:
    """Play both ends, each in a cage of its own."""
    from mensura.agent.task import Limits
    from mensura.agents.isolation.cage import for_command
    from mensura.agents.peer import Ended
    from mensura.agents.process import Child

    def started(*words: str) -> Child:
        # On one processor, as sittings are on a machine that is busy.
        command = ["taskset", "-c", "0", sys.executable, "-I", "-S", __file__, *words]
        return Child(command, for_command(command, Limits()))

    def heard(child: Child) -> str:
        said = b""
        try:
            while True:
                said += b"".join(child.lines(perf_counter() + 60))
        except Ended:
            return said.decode() or child.epitaph()

    for path in files():
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    sent = heard(started("send_by_cache"))
    sys.stdout.write(
        f"cache: sent in {sent} s; right, of, seconds: {heard(started('receive_by_cache'))}\n"
    )
    start = str(time.time() + 2)
    ends = [started("send_by_load", start), started("receive_by_load", start)]
    heard(ends[0])
    sys.stdout.write(f"load: right, of slots of {SLOT} s: {heard(ends[1])}\n")


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.stdout.write(globals()[sys.argv[1]](*map(float, sys.argv[2:])) + "\n")
    else:
        main()
