"""An end that was asked for politely comes, even if the first asking is lost."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as on Unix")

PROGRAM = """
import signal, sys, time
from mensura.core import interrupts

interrupts.AGAIN = 0.2
signal.signal(signal.SIGTERM, interrupts.interrupt)


class Finalized:
    def __del__(self):  # what is raised here is printed and forgotten
        print("ready", flush=True)
        time.sleep(60)


try:
    Finalized()
    print("forgotten", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    interrupts.noticed()
    time.sleep(0.6)
    print("undisturbed", flush=True)
"""


def test_who_did_not_notice_is_asked_again_and_who_did_is_left_alone() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert "Exception ignored" in err
    assert out == "forgotten\nundisturbed\n"
    assert process.returncode == 0
