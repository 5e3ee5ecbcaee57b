"""What an address can say about a model, and the prompts that it may name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mensura.agent.errors import MensuraError
from mensura.agents.address import parse
from mensura.agents.language_model.prompts import (
    FIELDS,
    OF_HOLDING,
    OF_NOTES,
    OWN,
    chosen,
    load,
    styles,
)
from mensura.agents.language_model.settings import Settings, read_settings

pytestmark = pytest.mark.quick


def read(address: str) -> Settings:
    (part,) = parse(address)
    return read_settings(part)


def test_everything_can_stand_in_an_address() -> None:
    settings = read(
        "openai:org/model:8b?base_url=http://127.0.0.1:8080/v1&temperature=0&top_p=0.5&seed=3&max_tokens=20"
        "&answer=text&tell=true&context=500&price_in=1.5&price_out=2&requests_per_minute=10&tokens_per_minute=1e5"
        "&concurrency=2&retries=0&patience=5&key_variable=MY_KEY&reasoning_effort=low&prompt=p"
    )
    assert settings.model == "org/model:8b"
    assert settings.host == "127.0.0.1:8080"
    assert (settings.temperature, settings.seed, settings.answer) == (0.0, 3, "text")
    assert (settings.tell, settings.tokens_per_minute, settings.key_variable) == (
        True,
        1e5,
        "MY_KEY",
    )
    assert settings.cost(2e6, 1e6) == 5.0


def test_batches_cost_half_and_have_many_sittings_under_way() -> None:
    address = "anthropic:m?price_in=1&price_out=2&batch=true"
    settings = read(address)
    assert settings.concurrency == 256
    assert settings.cost(1e6, 1e6) == 1.5
    assert settings.full_cost(1e6, 1e6) == 3.0
    assert read(f"{address}&batch_price=0.4&concurrency=8").cost(1e6, 1e6) == pytest.approx(1.2)
    assert read(f"{address}&concurrency=8").concurrency == 8
    assert read("anthropic:m?price_in=1&price_out=2").cost(1e6, 1e6) == 3.0
    assert read("openai:m?batch=false").concurrency == 16


WRONG = {
    "batch_price=2": "batch_price is 2; it is from 0 to 1",
    "batch=perhaps": "true or false",
    "temprature=0": "no parameter 'temprature'.*temperature",
    "temperature=hot": "temperature is 'hot'; it must be a number",
    "temperature=3": "temperature is 3; it is from 0 to 2",
    "temperature=nan": "must be finite",
    f"seed={'9' * 400}": "must be finite",
    "seed=1.5": "a whole number",
    "answer=yaml": "tool, text or json",
    "tell=maybe": "true or false",
    "context=5": "context is 5",
    "price_in=1": "give both",
    "base_url=localhost": "not the address of a service",
    "base_url=http://h:99999/v1": "not the address of a service",
    "base_url=ftp://h/v1": "not the address of a service",
    "base_url=https://me:secret@host/v1": "keys come from the environment only",
    "api_key=sk-secret": "Keys are not written into addresses",
    "key_variable=sk-secret-123": "and not a key",
    "tool_choice=none": "required, function or auto",
    "body=top_k": "not a JSON object",
    "body=[1]": "not a JSON object",
    'body={"messages": []}': "set by Mensura",
    'body={"temperature": 1}': "write temperature=VALUE",
    'body={"api_key": "secret"}': "Keys are not written",
    'headers={"x y": "1"}': "not the name of a header",
    'headers={"x": 1}': "must be a text",
    'headers={"x": "a\\nb"}': "must be a text",
    'headers={"Authorization": "Bearer secret"}': "holds a key",
    'headers={"x": "$not a name"}': "not a variable",
}


@pytest.mark.parametrize(("parameter", "words"), WRONG.items(), ids=WRONG)
def test_what_cannot_be_is_refused_in_a_sentence_without_secrets(
    parameter: str, words: str
) -> None:
    with pytest.raises(MensuraError, match=words) as caught:
        read(f"openai:m?{parameter}")
    assert "secret" not in str(caught.value)


def test_where_the_service_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert Settings("m").host == "api.openai.com"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://there:1/v1/")
    assert Settings("m").url == "http://there:1/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:pw@there/v1")
    with pytest.raises(MensuraError, match="environment only"):
        _ = Settings("m").url


# Prompts ----------------------------------------------------------------------------


def test_our_prompts_keep_their_own_rules(tmp_path: Path) -> None:
    own = load()
    for name, text in own.texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    copied = load(tmp_path)
    assert copied == own
    assert copied.hash == own.hash
    assert len(own.hash) == 32


def test_the_hash_of_our_prompts_is_that_of_earlier_runs() -> None:
    """Runs are resumed under it, so texts that are not in effect are no part of it."""
    assert load().hash == "624e7f80eb50a98ac919363e53e65fc2"
    assert set(load(notes=True).texts) - set(load().texts) == OF_NOTES
    assert set(load(hold=True).texts) - set(load().texts) == OF_HOLDING


def test_prompts_of_notes_may_be_replaced_where_there_are_notes(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("So far: {notes}", encoding="utf-8")
    assert load(tmp_path) == load()
    assert load(tmp_path, notes=True).fill("notes", notes="x") == "So far: x"


@given(st.sampled_from(sorted(FIELDS)))
def test_any_change_changes_the_hash(name: str) -> None:
    from mensura.agents.language_model.prompts import Prompts

    own = load(notes=True, hold=True)
    changed = Prompts({**own.texts, name: own.texts[name] + " "})
    assert changed.hash != own.hash


def test_a_file_replaces_the_instructions_and_a_folder_what_it_holds(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("Play. {rules} {instructions} {answer}", encoding="utf-8")
    assert load(mine).texts == {
        **load().texts,
        "system": "Play. {rules} {instructions} {answer}",
    }
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "end.txt").write_text("Over: {reward}", encoding="utf-8")
    (tmp_path / "folder" / "notes.md").write_text("for me", encoding="utf-8")
    assert load(tmp_path / "folder").texts == {**load().texts, "end": "Over: {reward}"}


def test_fields_are_filled_once_and_empty_ones_leave_no_gap() -> None:
    filled = load().fill("observation", reward="{observation}", heard="", observation="{reward}")
    assert filled == "Reward of your last action: {observation}\n\n{reward}"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("system.txt", "{rules} {instructions}", r"lacks the field \{answer\}"),
        ("system.txt", "{rules} {answer}", r"lacks the field \{instructions\}"),
        ("system.txt", "{instructions} {answer}", r"lacks the field \{rules\}"),
        ("first.txt", "{observation}", r"lacks the field \{heard\}"),
        ("observation.txt", "{heard} {observation}", r"lacks the field \{reward\}"),
        ("observation.txt", "{reward} {heard}", r"lacks the field \{observation\}"),
        ("notes.txt", "x", r"lacks the field \{notes\}"),
        ("system.txt", "{rules} {answer} {key}", r"has a field \{key\}"),
        ("observe.txt", "x", "none of the prompts.*observation"),
        ("first.txt", "x" * 200_000, "characters"),
    ],
)
def test_prompts_that_cannot_be_are_refused(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(MensuraError, match=words):
        load(tmp_path)


def test_prompts_that_are_not_there_are_missed(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="no file or folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(MensuraError, match="has no prompts"):
        load(tmp_path)


# Styles -----------------------------------------------------------------------------


def test_every_style_keeps_the_rules_of_prompts_and_differs_from_the_others() -> None:
    assert styles() == ["direct", "examples-first", "notepad", "reason-then-act"]
    loaded = [load(), *(load(chosen(name)) for name in styles())]
    assert len({one.hash for one in loaded}) == 5
    for name, one in zip(styles(), loaded[1:], strict=True):
        held = {file.stem for file in (OWN / name).iterdir()}
        assert held == {text for text in one.texts if one.texts[text] != loaded[0].texts[text]}


def test_a_style_tells_of_an_environment_what_ours_tells() -> None:
    """Whatever a style says besides is of no world: none of the words that worlds use for their things."""
    for name in styles():
        text = load(chosen(name)).texts["system"].lower()
        for word in ("star", "diamond", "good", "evil", "cell", "guide", "oracle", "pattern"):
            assert not re.search(rf"\b{word}s?\b", text), (name, word)


def test_a_style_is_named_and_a_path_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "direct").mkdir()
    assert chosen("direct") == OWN / "direct"
    assert chosen("./direct") == Path("direct")
    assert chosen(None) is None
    with pytest.raises(MensuraError, match=r"no style of that name.*notepad"):
        load(chosen("notepads"))


@pytest.mark.parametrize("name", ["notepad", "reason-then-act"])
def test_a_style_that_asks_for_words_is_not_for_answers_that_are_objects(name: str) -> None:
    assert chosen(name, "text") == OWN / name
    with pytest.raises(MensuraError, match="answer=json has no place"):
        chosen(name, "json")
