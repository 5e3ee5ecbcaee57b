"""``mensura agents check`` on addresses of every kind: it keeps the contract, or a sentence says what is wrong."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[2] / "examples" / "clients"


@pytest.mark.parametrize(
    ("program", "client", "world"),
    [
        (sys.executable, "client.py", "framotec"),
        ("bash", "client.sh", "lambda"),
        pytest.param("node", "client.js", "lambda-star", marks=pytest.mark.thorough),
    ],
)
def test_programs_in_several_languages_keep_the_contract(
    mensura, program: str, client: str, world: str
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    typed = mensura("agents", "check", f"cmd:{program} {CLIENTS / client}", "--world", world)
    assert typed.status == 0, typed.out + typed.err
    assert "keeps the contract" in typed.out


def test_a_program_that_listens_keeps_the_contract(mensura) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(CLIENTS / "client.py"), "listen", str(port)]
    with subprocess.Popen(command) as client:
        try:
            for _ in range(100):
                typed = mensura("agents", "check", f"tcp://127.0.0.1:{port}")
                if "Nobody listens" not in typed.out:
                    break
            assert typed.status == 0, typed.out
        finally:
            client.kill()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("cmd:cat",), "answered the handshake with"),
        (("cmd:false",), "died while starting: exit status 1"),
        (("tcp://127.0.0.1:9",), "Nobody listens at tcp://127.0.0.1:9"),
        (("openai:some", "--base-url", "http://127.0.0.1:9"), "The service at 127.0.0.1:9 failed"),
    ],
)
def test_who_cannot_sit_down_is_told_why(
    mensura, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], sentence: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    typed = mensura("agents", "check", *words)
    assert typed.status == 1
    assert sentence in typed.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Name who is assessed"),
        (("random", "--listen", "0"), "One subject is checked at a time"),
        (("cmd:",), "names nothing after cmd:; write it as in cmd:./my-agent --fast"),
        (("sb3:no.zip",), "There is no file no.zip"),
        (("random", "--price-in", "1"), "--price-in is of language models"),
    ],
)
def test_bad_input_is_a_sentence(mensura, words: tuple[str, ...], sentence: str) -> None:
    typed = mensura("agents", "check", *words)
    assert typed.status == 2
    assert sentence in typed.err
