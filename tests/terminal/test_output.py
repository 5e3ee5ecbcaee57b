"""What is said while something takes long."""

from threading import Event

import pytest

from mensura.terminal import output

pytestmark = pytest.mark.quick


def test_what_takes_long_is_said_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Event()
    monkeypatch.setattr(output, "SOON", 0.0)
    told = output.complain
    monkeypatch.setattr(output, "complain", lambda line: (told(line), said.set()))
    with output.working("Drawing the figures"):
        assert said.wait(60)
    assert capsys.readouterr().err == "Drawing the figures ...\n"


def test_what_is_done_at_once_is_not_said(capsys: pytest.CaptureFixture[str]) -> None:
    with output.working("Drawing the figures"):
        pass
    assert capsys.readouterr() == ("", "")


def test_notes_go_through_the_console_that_moves_something(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = output.PlainConsole()
    with output.live(out):
        output.note("Compiling")
    output.note("Training")
    assert capsys.readouterr() == ("Compiling\n", "Training\n")
