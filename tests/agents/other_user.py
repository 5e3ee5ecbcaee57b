"""Runs a Python module as a user without any rights, for tests that root must not pass by being root:

HOME=FOLDER TMPDIR=FOLDER python -m tests.agents.other_user MODULE ARGUMENT...

The folder becomes that user's.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

USER = 31_337
ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module so; who is no root runs it as it is."""
    way = ["-m", "tests.agents.other_user"] if os.getuid() == 0 else ["-m"]
    import mensura

    source = Path(mensura.__file__).parents[1]
    with tempfile.TemporaryDirectory(prefix="other-user-", dir="/tmp") as home:
        return subprocess.run(
            [sys.executable, *way, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{source}:{ROOT}", "HOME": home, "TMPDIR": home},
            capture_output=True,
            text=True,
            timeout=120,
        )


def show_python() -> None:
    """Where our interpreter lies in a folder that only root may enter, put another in its place, for us alone."""
    from mensura.agents.isolation import linux

    for path in dict.fromkeys(os.path.realpath(one) for one in (sys.base_prefix, sys.prefix, ROOT)):
        parts = Path(path).parents
        closed = [one for one in parts if not one.stat().st_mode & 0o1]
        if not closed:
            continue
        linux.unshare(linux.CLONE_NEWNS)
        linux.keep_mounts_to_ourselves()
        held = linux.taken(path, linux.NO_SETUID)
        linux.mount("tmpfs", str(closed[-1]), linux.NO_SETUID, "mode=755")
        os.makedirs(path)
        linux.hang(held, path)


if __name__ == "__main__":
    show_python()
    os.chown(os.environ["HOME"], USER, USER)
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    os.execv(sys.executable, [sys.executable, "-m", *sys.argv[1:]])
