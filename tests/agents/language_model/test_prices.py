"""Prices that users keep in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.language_model import from_model
from mensura.agents.language_model.player import LanguageModel
from mensura.agents.language_model.prices import price_of, prices_file
from mensura.worlds.lambda_class.world import Lambda

FILE = """
cheap: {in: 0.15, out: 0.60}
org/model:8b: {in: 2, out: 8}
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "prices.yaml"
    file.write_text(FILE)
    monkeypatch.setenv("MENSURA_PRICES", str(file))
    return file


def model(address: str) -> LanguageModel:
    (part,) = parse(address)
    made = from_model(part, Lambda(), Limits())
    assert isinstance(made, LanguageModel)
    return made


@pytest.mark.usefixtures("kept")
def test_a_model_has_the_prices_of_the_file_unless_it_says_others() -> None:
    assert price_of("cheap") == (0.15, 0.60)
    assert price_of("org/model:8b") == (2, 8)
    assert price_of("another") is None
    known = model("openai:cheap")
    assert (known.settings.price_in, known.settings.price_out) == (0.15, 0.60)
    # They are part of the record, since files change.
    assert known.settled.parameters["price_out"] == "0.6"
    assert "price_in" not in known.name
    own = model("openai:cheap?price_in=1&price_out=2")
    assert (own.settings.price_in, own.settings.price_out) == (1, 2)
    assert model("openai:another").settings.price_in is None


def test_the_file_is_among_the_settings_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MENSURA_PRICES", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert price_of("cheap") is None
    prices_file().parent.mkdir()
    prices_file().write_text(FILE)
    assert price_of("cheap") == (0.15, 0.60)
    prices_file().write_text("")
    assert price_of("cheap") is None


WRONG = {
    "cheap: {in: a, out: 1}": "The price 'in' of cheap is 'a'; it must be a number",
    "cheap: {in: -1, out: 1}": "at least 0",
    "cheap: {in: .nan, out: 1}": "it must be a number",
    "cheap: {in: true, out: 1}": "it must be a number",
    "cheap: {in: 1}": "The prices of cheap are two",
    "cheap: 3": "The prices of cheap are two",
    "- cheap": "no list of prices",
    "cheap: 2026-13-45": "no YAML",
    "cheap: {in: 1,\n  out": "line 2",
}


@pytest.mark.parametrize(("text", "words"), WRONG.items(), ids=WRONG)
def test_what_is_no_price_is_told_in_a_sentence(kept: Path, text: str, words: str) -> None:
    kept.write_text(text)
    with pytest.raises(MensuraError, match=words) as caught:
        price_of("other")
    assert str(kept) in str(caught.value)


def test_a_file_that_is_named_and_not_there_is_missed(kept: Path) -> None:
    kept.unlink()
    with pytest.raises(MensuraError, match="which MENSURA_PRICES names"):
        price_of("cheap")
