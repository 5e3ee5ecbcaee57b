"""Models that see: the picture that people see, drawn for their seat, sent with every observation and drawn again."""

from __future__ import annotations

import io
import json
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, error
from tests.agents.toy import Toy

from mensura.agent.errors import MensuraError
from mensura.agent.keys import fold
from mensura.agent.spaces import Discrete
from mensura.agents.language_model.actions import function
from mensura.agents.language_model.conversation import Conversation, Said, characters
from mensura.agents.language_model.player import LanguageModel
from mensura.agents.language_model.services import patience, service_of
from mensura.agents.language_model.services.anthropic import blocks
from mensura.agents.language_model.services.gemini import parts
from mensura.agents.language_model.settings import Settings
from mensura.agents.language_model.sight import IN_PICTURE, Sight, sight
from mensura.core.abilities import picture_of
from mensura.core.loop import play
from mensura.core.players import Unanswered, drive
from mensura.core.registry import WORLDS
from mensura.records.journal import unpack
from mensura.records.store import open_store
from mensura.studies import runs, transcripts
from mensura.studies.place import Place
from mensura.studies.spending import outlays
from mensura.studies.study import study_from_plain

LOOKS = ("lambda-v1", "lambda-star-v2", "framotec-v1", "echo-v1")


def drawn(world: str, key: int = 1) -> Any:
    """An environment of a world, at its beginning."""
    made = WORLDS.load(world)()
    environment = made.build(made.sample(key))
    environment.reset(key)
    return environment


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


@pytest.mark.parametrize("world", LOOKS)
def test_the_picture_of_every_world_is_a_png_of_the_size_that_is_told(world: str) -> None:
    from PIL import Image

    environment = drawn(world)
    seen = Sight(environment.picture(0))
    image = Image.open(io.BytesIO(b64decode(seen.png)))
    assert image.format == "PNG"
    assert abs(image.width - seen.width) <= 1
    assert abs(image.height - seen.height) <= 1
    assert max(image.size) <= 801
    assert seen.tokens == seen.width * seen.height / 750
    assert seen.to_json() == {"width": seen.width, "height": seen.height}
    again = Sight(drawn(world).picture(0))
    assert (again.png, again.hash) == (seen.png, seen.hash)
    assert Sight(environment.picture()).hash != seen.hash  # where nothing is hidden


def shown_conversation() -> tuple[Conversation, Sight]:
    seen = Sight(drawn("echo-v1").picture(0))
    conversation = Conversation(100_000, system="rules")
    conversation.picture = seen
    conversation.add("first", Said("", '{"action": 1}'))
    conversation.picture = seen
    return conversation, seen


def test_pictures_stay_with_their_turns_and_are_counted() -> None:
    conversation, seen = shown_conversation()
    messages = conversation.messages("second")
    assert [message.get("picture") for message in messages] == [None, seen, None, seen]
    plain = [{name: one for name, one in m.items() if name != "picture"} for m in messages]
    assert characters(messages) == pytest.approx(characters(plain) + 2 * 3 * seen.tokens)
    conversation.budget = 10
    assert [message.get("picture") for message in conversation.messages("second")] == [None, seen]
    assert conversation.dropped == 1


def test_each_wire_has_its_own_form_of_pictures(server: Server) -> None:
    conversation, seen = shown_conversation()
    messages = conversation.messages("second")
    service = service_of(Settings("toy", base_url=server.url))
    service.complete(messages, [function(Discrete(2))], 60.0)
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{seen.png}"}}
    _, first, _, result, after = server.requests[0]["messages"]
    assert first["content"] == [{"type": "text", "text": "first"}, part]
    assert (result["role"], result["content"]) == ("tool", "second")
    assert after == {"role": "user", "content": [part]}

    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": seen.png},
    }
    first, _, last = blocks(messages, in_calls=True)
    assert first["content"] == [{"type": "text", "text": "first"}, image]
    assert last["content"][0]["content"] == [{"type": "text", "text": "second"}, image]

    blob = {"inline_data": {"mime_type": "image/png", "data": b64decode(seen.png)}}
    first, _, last = parts(messages, in_calls=True)
    assert first["parts"] == [{"text": "first"}, blob]
    assert last["parts"][0]["function_response"]["response"] == {"output": "second"}
    assert last["parts"][1] == blob


@pytest.mark.parametrize("scheme", ["anthropic", "gemini"])
def test_the_sdks_send_pictures(scheme: str, server: Server) -> None:
    conversation, seen = shown_conversation()
    service = service_of(Settings("toy", scheme, base_url=server.root, retries=0))
    server.script = [Act(400, error("no"))]
    with pytest.raises(MensuraError):
        service.complete(conversation.messages("second"), [function(Discrete(2))], 60.0)
    sent = json.dumps(server.requests[0]).replace("-", "+").replace("_", "/")
    assert sent.count(seen.png.replace("-", "+").replace("_", "/")) == 2


def study(server: Server, see: str, world: str = "lambda-v1", **more: Any) -> Any:
    return study_from_plain(
        {
            "mensura": 1,
            "name": "sights",
            "title": "sights",
            "seed": 7,
            "subjects": [
                {
                    "subject": "openai:toy",
                    "parameters": {"base_url": server.url, "retries": 0, "see": see, **more},
                }
            ],
            "worlds": [{"world": world, "parameters": {"horizon": 4}}],
            "assessments": [
                {"assessment": "battery", "parameters": {"episodes": 1, "spread": "any"}}
            ],
        }
    )


def plays(server: Server) -> list[dict[str, Any]]:
    """What was asked but for the checks."""
    return [request for request in server.requests if request["max_tokens"] != 16]


def pictures(request: dict[str, Any]) -> list[str]:
    found = []
    for message in request["messages"]:
        if isinstance(message["content"], list):
            found += [one["image_url"]["url"] for one in message["content"] if "image_url" in one]
    return found


@pytest.mark.parametrize("see", ["picture", "both"])
def test_a_model_sees_what_people_see_and_the_record_can_show_it_again(
    server: Server, see: str
) -> None:
    with open_store("store.db") as store:
        run = runs.begin(store, study(server, see))
        runs.resume(store, run)
        (cell,) = store.cells(run)
        told = transcripts.transcript(store, run, 0, pictures=True)
        (page,) = store.journal(run, 0, 0)
    assert [len(pictures(request)) for request in plays(server)] == [1, 2, 3, 4]
    first = json.dumps(plays(server)[0]["messages"][1]["content"])
    assert (IN_PICTURE in first) == (see == "picture")
    assert ("You are on cell" in first) == (see == "both")

    # The same as on pages for people: what the seat may see, drawn from the environment.
    place = Place.of(cell)
    plan = next(place.assessment.sitting(place.world, fold(place.root, 0)))
    environment = place.world.build(plan.description)
    environment.reset(plan.key)
    seen = Sight(picture_of(environment, 0))
    assert pictures(plays(server)[0]) == [f"data:image/png;base64,{seen.png}"]

    # The journal has the hash and no pixels; transcripts tell the size, and draw the picture.
    assert next(e.attachment["picture"] for e in unpack(page) if e.kind == "act") == seen.hash
    assert seen.png.encode() not in Path("store.db").read_bytes()
    (step, *_) = told.interactions
    assert step.exchanges[0].requests[0][-1]["picture"] == seen.to_json()
    assert f"[picture, {seen.width} x {seen.height} pixels]" in transcripts.blocks(step)[0][1][1]
    assert step.picture.startswith("<svg")


@pytest.mark.thorough
def test_an_interrupted_run_shows_the_same_pictures(server: Server) -> None:
    with open_store("whole.db") as store:
        runs.resume(store, runs.begin(store, study(server, "picture")))
    whole = [request["messages"] for request in plays(server)]
    server.requests.clear()
    with open_store("store.db") as store:
        run = runs.begin(store, study(server, "picture"))
        server.script = [Act(), Act(), Act(), Act(500, error("down"))]
        with pytest.raises(MensuraError, match="go on with"):
            runs.resume(store, run)
        runs.resume(store, store.find("sights"))
    again = [request["messages"] for request in plays(server)]
    assert again == [*whole[:3], *whole[2:]]


def test_pictures_are_in_the_estimate(server: Server) -> None:
    found = {}
    for see in ("text", "both"):
        with open_store(f"{see}.db") as store:
            cells = store.cells(runs.begin(store, study(server, see)))
        (outlay,) = outlays([Place.of(cell) for cell in cells])
        found[see] = outlay.tokens_in
    tokens = Sight(drawn("lambda-v1").picture(0)).tokens
    assert found["both"] > found["text"] + 5 * tokens
    assert not plays(server)


def test_a_world_without_a_picture_is_named_in_a_sentence_before_anything_is_asked(
    server: Server,
) -> None:
    class ToyWorld:
        id = "toy-v0"

    assert sight(None) is None
    from mensura.agents.address import parse
    from mensura.agents.language_model.settings import read_settings

    (part,) = parse(f"openai:toy?base_url={server.url}&see=picture")
    model = LanguageModel(part, read_settings(part), ToyWorld())  # type: ignore[arg-type]
    player = model.retelling(1)
    with pytest.raises(Unanswered, match=r"The world toy-v0 has no picture .* leave out see=pict"):
        drive(play(Toy(), 1, world="toy-v0", seed=2), player)
    assert not server.requests


def test_the_command_has_an_option_for_it(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from mensura.cli.main import main

    words = ["mensura", "assess", "openai:toy", "--base-url", server.url, "--see", "both"]
    monkeypatch.setattr(sys, "argv", [*words, "--sittings", "1", "--budget", "3", "--seed", "1"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code, capsys.readouterr()
    assert all(pictures(request) for request in plays(server))
