"""What the authors of PAGI World published: 32 recorded messages and task files, which are not ours to ship.

Whoever has them names the folder above ``pagi`` in ``MENSURA_PUBLISHED_PROBLEMS``.
"""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.worlds.pagi.small_room import SmallRoom

from mensura.agent.errors import MensuraError
from mensura.agents.listening import Listener
from mensura.worlds.pagi.contract import STEPS, Sight
from mensura.worlds.pagi.protocol.controls import SeatControls
from mensura.worlds.pagi.published.tsk import import_tsk, read_tsk

DATA = Path(os.environ.get("MENSURA_PUBLISHED_PROBLEMS", "")) / "pagi"

pytestmark = pytest.mark.skipif(
    not (DATA / "packetsender_pagi_commands.ini").is_file(),
    reason="MENSURA_PUBLISHED_PROBLEMS names no folder with them",
)


def recorded() -> dict[str, bytes]:
    """The messages by their names."""
    text = (DATA / "packetsender_pagi_commands.ini").read_text()
    found = re.findall(r"^\[(.+?)\]$(?:\n(?!\[).*)*?\nhexString=(.*)$", text, re.MULTILINE)
    return {unquote(name): bytes.fromhex(code) for name, code in found}


def test_all_recorded_messages_are_understood_by_who_may_arrange_the_world() -> None:
    messages = recorded()
    assert len(messages) == 32
    answers = {}
    for name, data in messages.items():
        room = SmallRoom()
        room.seen["V", 3, 4] = Sight((0.0, 0.0, 0.0, 0.0), "cat", "cat")
        controls = SeatControls(0, frozenset({"arranges", "names"}))
        controls.take(data.decode("ascii"), room)
        for _ in range(STEPS):
            controls.act(room)
            room.step()
        answers[name] = [json.loads(line) for line in controls.answers(room).splitlines()]
    wrong = [name for name, told in answers.items() if any(one.get("type") == "errorMsg" for one in told)]  # fmt: skip
    assert wrong == ["Sensor Request ERR"]
    silent = [name for name, told in answers.items() if not told]
    assert sorted(silent) == [
        "EstablishConnection",
        "RemoveConnection",
        'say "hello world"',
        'say "hello world" N',
    ]
    assert answers["FindObj cat"] == [{"type": "object", "content": "V3.4"}]
    assert answers["SetReflex"] == [{"type": "update", "content": "reflexUpdated,myCustomReflex"}]


def test_recorded_messages_work_together_in_one_connection() -> None:
    messages = recorded()
    room = SmallRoom()
    controls = SeatControls(0, frozenset({"arranges", "names"}))
    controls.take((messages["SetReflex"] + messages["SetState"]).decode(), room)
    controls.act(room)
    assert room.done == [("say", "P", "hello world", 10.0, 5.0, -3.0)]
    controls.take(messages["RemoveReflex"].decode(), room)
    room.done.clear()
    controls.act(room)
    assert room.done == []


def test_published_task_files_are_read() -> None:
    counts = {
        path.stem: len(read_tsk(path.read_bytes()).objects)
        for path in sorted(DATA.glob("*.tsk"))
        if path.stem != "MyTask"
    }
    assert counts == {"dilemma": 17, "hero": 11, "something": 10, "test": 7}
    hero = import_tsk(DATA / "hero.tsk")
    assert hero.count("kind: floatingHorizontalWall") == 3


def test_the_published_file_that_is_broken_off_is_refused() -> None:
    with pytest.raises(MensuraError, match="it ends in the middle"):
        import_tsk(DATA / "MyTask.tsk")


def test_the_published_client_for_python_3_plays_unchanged(tmp_path: Path) -> None:
    """Its calls that can work: those that the client itself gets right."""
    if not (DATA / "pagi_api.py").is_file():
        pytest.skip("the folder has no pagi_api.py")
    pytest.importorskip("pymunk")
    from importlib.util import module_from_spec, spec_from_file_location

    from mensura.web.pagi.free_play import FreePlay

    spec = spec_from_file_location("published_pagi_api", DATA / "pagi_api.py")
    assert spec is not None
    assert spec.loader is not None
    published = module_from_spec(spec)
    spec.loader.exec_module(published)
    play = FreePlay("catch", Listener.without_introduction("127.0.0.1", 0), speed=100.0)
    play.start()
    try:
        world = published.PAGIWorld("127.0.0.1", play.listener.port, 60)
        try:
            world.print_text("hello")
            world.set_state("s", 1000)
            world.remove_state("s")
            world.set_reflex("r", "s", "addForce|J|1000")
            world.remove_reflex("r")
            agent = world.agent
            assert agent.jump() in (True, False)
            agent.rotate(10)
            agent.send_force(10, 20)
            assert len(agent.get_position()) == 2
            assert len(agent.left_hand.get_position()) == 2
            assert sum(map(len, agent.get_periphal_vision())) == 176
            assert sum(map(len, agent.get_detailed_vision())) == 651
        finally:
            world.disconnect()
    finally:
        play.stop()


def test_recorded_messages_are_answered_over_a_socket_in_a_published_task() -> None:
    pytest.importorskip("pymunk")
    from mensura.web.pagi.free_play import FreePlay

    messages = {name: data for name, data in recorded().items() if name != "LoadTask"}
    play = FreePlay(str(DATA / "hero.tsk"), Listener.without_introduction("127.0.0.1", 0))
    try:
        with socket.create_connection(("127.0.0.1", play.listener.port), 60) as client:
            client.sendall(b"".join(messages.values()) + messages["Sensor Request A"])
            told: list[dict[str, Any]] = []
            while sum(one.get("type") == "A" for one in told) < 2:
                play.frame()
                told = [json.loads(line.text) for line in play._lines if line.way == "out"
                        and not line.text.endswith("...")]  # fmt: skip
            client.sendall(recorded()["LoadTask"])
            while not any(one.get("content") == "loadTask,hero.tsk,OK" for one in told):
                play.frame()
                told = [json.loads(line.text) for line in play._lines if line.way == "out"
                        and not line.text.endswith("...")]  # fmt: skip
    finally:
        play.stop()
    wrong = [one["content"] for one in told if one.get("type") == "errorMsg"]
    assert len(wrong) == 1
    assert "Merr" in wrong[0]
    kinds = [one["sensorCode"] for one in told if "sensorCode" in one]
    assert kinds == ["B0", "L0", "P0.3", "R0", "V0.3"]
