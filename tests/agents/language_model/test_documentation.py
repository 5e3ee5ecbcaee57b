"""The page on language models names all that can be set, and shows what is said."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from mensura.agents.language_model.prompts import FIELDS, styles
from mensura.agents.language_model.settings import OF_ADDRESS, Settings
from mensura.core import usage

pytestmark = pytest.mark.quick

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "assess-a-language-model.md"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_every_setting_is_named_with_its_default(page: str) -> None:
    for field in fields(Settings):
        if field.name in (*OF_ADDRESS, "prompt_hash"):
            continue
        row = next(
            line
            for line in page.splitlines()
            if line.startswith("| `") and f"`{field.name}`" in line
        )
        if field.default is not None:
            shown = f"{field.default:g}" if isinstance(field.default, float) else str(field.default)
            assert shown.lower() in row.replace("`", "").lower(), row
    assert "`prompt_hash`" in page


def test_every_prompt_is_named_with_its_fields(page: str) -> None:
    for name, (needed, possible) in FIELDS.items():
        row = next(
            line for line in page.splitlines() if line.startswith("|") and f"`{name}.txt`" in line
        )
        for field in (*needed, *possible):
            assert f"{{{field}}}" in row, row


def test_every_measure_is_named(page: str) -> None:
    names = [v for name, v in vars(usage).items() if name.isupper() and isinstance(v, str)]
    assert len(names) == 13
    assert tuple(names) == usage.USAGE
    for name in names:
        assert f"`{name}`" in page


def test_every_option_of_the_command_is_named(page: str) -> None:
    from typer.main import get_command

    from mensura.cli.main import app

    command = get_command(app).commands["assess"]  # type: ignore[attr-defined]
    told = [
        option
        for parameter in command.params
        if "anguage models" in (getattr(parameter, "rich_help_panel", None) or "")
        for option in parameter.opts
    ]
    assert len(told) == 18
    for option in told:
        if option not in ("--tokens-per-minute", "--requests-per-minute"):
            assert f"`{option}`" in page or f"`{option} " in page, option


def test_every_style_of_prompts_is_named_here_and_in_the_help(page: str) -> None:
    from typer.main import get_command

    from mensura.cli.main import app

    command = get_command(app).commands["assess"]  # type: ignore[attr-defined]
    (option,) = (one for one in command.params if one.name == "prompt")
    for name in styles():
        assert f"| `{name}` |" in page
        assert name in option.help
