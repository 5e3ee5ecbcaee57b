"""A client of PAGI World in plain Python: it stores reflexes in the body, and then listens.

Start `mensura assess pagi://:42209 --world pagi --task catch` or `mensura pagi serve --task catch`, and then
`python3 pagi_client.py 42209`. A hand is held up, and closes as soon as it touches something: that is quicker than any
answer to a message could be. Each episode begins with a line ``SC,...`` and a body without reflexes.
"""

import socket
import sys

REFLEXES = (
    "setReflex,up,-caught,addForce|RHvec|[60*(0-RPx)]|[60*(3.4-RPy)]",
    "setReflex,close,R4_p|=|1;-caught,addForce|RHG|1;setState|caught|2000",
)


def main(port: int) -> None:
    """Play until the other end hangs up; one line for each thing that happened."""
    with socket.create_connection(("127.0.0.1", port)) as world, world.makefile("rw") as lines:
        print("\n".join(REFLEXES), file=lines, flush=True)
        begun = False
        for line in lines:
            if line.startswith("SC,"):
                if begun:
                    print("\n".join(REFLEXES), file=lines, flush=True)
                begun = True
            if not line.startswith(("reflexFired,up", "RHvec")):
                print(line.rstrip(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 42209)
