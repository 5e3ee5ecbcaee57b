"""Runs a Python module as on a kernel that was built without seccomp:

python -m tests.agents.no_seccomp MODULE ARGUMENT...
"""

import os
import sys

from mensura.agents.isolation import linux

PRCTL = {"x86_64": 157, "aarch64": 167}
SET_SECCOMP, INVALID = 22, 22


def refuse_filters() -> None:
    """Let whoever wants to install a filter of system calls hear that there is no such thing."""
    linux.gain_nothing()
    linux.install_filter(
        [
            (linux._LOAD, 0, 0, linux._NUMBER),
            (linux._EQUAL, 0, 3, PRCTL[os.uname().machine]),
            (linux._LOAD, 0, 0, linux._FIRST_ARGUMENT),
            (linux._EQUAL, 0, 1, SET_SECCOMP),
            (linux._RETURN, 0, 0, linux._REFUSE | INVALID),
            (linux._RETURN, 0, 0, linux._ALLOW),
        ]
    )


if __name__ == "__main__":
    refuse_filters()
    os.execv(sys.executable, [sys.executable, "-m", *sys.argv[1:]])
