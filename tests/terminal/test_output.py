"""What is said while something takes long."""

from threading import Event

import pytest

from mensura.terminal import output

pytestmark = pytest.mark.quick

NAME = "openai:smile:"
"""A name that Rich would read as an emoji, if it were let."""


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


def test_names_are_not_read_as_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    output.table(NAME, [("subject :+1:", False), ("score", True)], [(NAME, ":heart:")])
    output.say(f"{NAME} took 1 request.")
    output.note(NAME)
    output.complain(NAME)
    out, err = capsys.readouterr()
    assert out.count(NAME) == 3
    assert ":+1:" in out
    assert ":heart:" in out
    assert err.count(NAME) == 2


def test_what_moves_in_a_terminal_is_not_read_as_emoji_or_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setattr(output.PlainConsole, "is_terminal", True)
    with output.working(f"Playing {NAME} [red]a[/red]"):
        pass
    assert f"Playing {NAME} [red]a[/red] ..." in capsys.readouterr().err
    with output.status("Playing") as now:
        now(f"Scoring {NAME} [red]b[/red]")
    assert f"Scoring {NAME} [red]b[/red] ..." in capsys.readouterr().err
