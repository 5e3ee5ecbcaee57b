"""A language model in its seats: what it is told, how it is asked again, and what is kept of it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agents.language_model.server import Act, Server, completion, error, first_action
from tests.agents.toy import Toy

from mensura.agent.spaces import Box
from mensura.agent.task import Limits
from mensura.agents.address import parse
from mensura.agents.language_model import from_model
from mensura.agents.language_model.player import LanguageModel, ModelPlayer
from mensura.agents.language_model.services import patience as service_module
from mensura.core.contract import Episode
from mensura.core.journaled import Journal, Journaled
from mensura.core.loop import Standing, play
from mensura.core.players import Player, Unanswered, drive, told_measures
from mensura.studies.subjects import resolve, settled_address, summary
from mensura.worlds.lambda_class.world import Lambda

KEY = "sk-test-0123456789abcdefghij"
LIMITS = Limits(seconds_per_action=60.0)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")  # here, since it takes a second
    monkeypatch.setattr(service_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server().running() as running:
        yield running


class ToyWorld:
    """A world that has no words of its own."""

    id = "toy-v0"


def subject(server: Server, more: str = "") -> LanguageModel:
    (part,) = parse(f"openai:toy?base_url={server.url}&retries=1{more}")
    made = from_model(part, ToyWorld(), LIMITS)  # type: ignore[arg-type]
    assert isinstance(made, LanguageModel)
    return made


def episode(player: Player, toy: Toy | None = None, limits: Limits = LIMITS) -> Episode:
    return drive(
        play(
            toy or Toy(),
            1,
            world="toy-v0",
            seed=2,
            speakers=player.speakers,
            limits=limits,
            standing=Standing(limits.faults),
        ),
        player,
    )


def acting(*actions: Any) -> Any:
    """A model that does these one after another, and the last one ever after; being checked does not count."""
    left = list(actions)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        checked = request["max_tokens"] == 16
        value = left.pop(0) if len(left) > 1 and not checked else left[0]
        return (
            value
            if isinstance(value, dict)
            else completion(calls=[("act", json.dumps({"action": value}))])
        )

    return answer


def test_a_conversation_tells_rules_observations_and_rewards(server: Server) -> None:
    server.answerer = acting(4, 2, 3, 1)
    player = subject(server).sit(1)
    played = episode(player)
    assert played.faults == ()
    assert played.rewards == ((4 + 2 + 3 + 1) / 4,)
    check, *requests = server.requests
    assert check["max_tokens"] == 16
    assert [len(request["messages"]) for request in requests] == [2, 4, 6, 8]
    system, first, called, result = requests[1]["messages"]
    assert "You are in an environment of the world toy-v0" in system["content"]
    assert "a whole number from 1 to 4" in system["content"]
    assert first["content"].startswith("A new episode begins.\n\nclock: 0\nnoise: [0.")
    assert called["tool_calls"][0]["function"] == {"name": "act", "arguments": '{"action": 4}'}
    assert result["role"] == "tool"
    assert result["content"].startswith("Reward of your last action: 1\n\nclock: 1\nnoise: [")
    assert requests[0]["tools"][0]["function"]["parameters"]["properties"]["action"]["maximum"] == 4


def test_the_next_episode_goes_on_with_what_was_said_until_it_sits_down_anew(
    server: Server,
) -> None:
    model = subject(server)
    player = model.sit(1)
    episode(player, Toy(horizon=2))
    episode(player, Toy(horizon=1))
    last = server.requests[-1]["messages"]
    assert len(last) == 6
    assert "The episode is over." in last[-1]["content"]
    assert last[-1]["content"].index("over") < last[-1]["content"].index("A new episode begins.")
    anew = model.sit(1)
    episode(anew, Toy(horizon=1))
    assert len(server.requests[-1]["messages"]) == 2


def test_text_answers_are_asked_for_and_read(server: Server) -> None:
    server.answerer = acting(completion("I go.\nACTION: 3"))
    player = subject(server, "&answer=text").sit(1)
    assert episode(player, Toy(horizon=1)).rewards == (0.75,)
    assert "tools" not in server.requests[-1]
    assert "ACTION: N" in server.requests[-1]["messages"][0]["content"]


def test_answers_to_a_schema_are_asked_for_and_read(server: Server) -> None:
    server.answerer = acting(
        completion('{"action": 3}'), completion("3"), completion('{"action": 2}')
    )
    player = subject(server, "&answer=json").sit(1)
    played = episode(player, Toy(horizon=2))
    assert played.faults == ()
    assert played.rewards == (1.25,)
    asked = server.requests[-1]
    assert "tools" not in asked
    form = asked["response_format"]["json_schema"]
    assert form["schema"]["properties"]["action"]["maximum"] == 4
    assert '{"action": N}' in asked["messages"][0]["content"]


def test_boxes_are_acted_as_lists(server: Server) -> None:
    server.answerer = acting([0.5, -0.25])
    player = subject(server).sit(1)
    played = episode(player, Toy(horizon=1, action=Box(-1, 1, (2,))))
    assert played.faults == ()
    assert played.rewards == (0.0625,)


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "words": (completion("I go left"), "garbled", "There is no call of the function act."),
    "nothing": (completion(None), "garbled", "There is no call"),
    "refusal": (completion(message={"refusal": "I cannot do that"}), "garbled", "There is no call"),
    "bad arguments": (
        completion(calls=[("act", "{action: 2")]),
        "garbled",
        "cannot be read as JSON",
    ),
    "other argument": (completion(calls=[("act", '{"move": 2}')]), "garbled", 'called "action"'),
    "out of range": (completion(calls=[("act", '{"action": 9}')]), "illegal", "9 is out of range"),
    "other function": (
        completion(calls=[("run", '{"action": 2}')]),
        "garbled",
        "no function 'run'",
    ),
    "two calls": (
        completion(calls=[("act", '{"action": 2}'), ("act", '{"action": 1}')]),
        "garbled",
        "There are 2 different calls",
    ),
    "cut off": (
        completion("well " * 50_000, finish_reason="length"),
        "garbled",
        "It was cut off at 4096 tokens.",
    ),
}


@pytest.mark.parametrize(("bad", "kind", "words"), BAD.values(), ids=BAD)
def test_an_answer_that_is_no_action_is_repaired_once(
    server: Server, bad: dict[str, Any], kind: str, words: str
) -> None:
    server.answerer = acting(bad, 4, 3)
    player = subject(server).sit(1)
    played = episode(player, Toy(horizon=2))
    assert played.faults == ()
    assert played.rewards == (1.75,)
    _, asked, repair, after = server.requests
    assert repair["messages"][: len(asked["messages"])] == asked["messages"]
    told = repair["messages"][-1]["content"]
    assert told.startswith("That was no action: ")
    assert words in told
    assert len(json.dumps(repair)) < 40_000
    # What went wrong is forgotten once it is repaired.
    assert len(after["messages"]) == len(asked["messages"]) + 2
    assert "That was no action" not in json.dumps(after)
    assert told_measures(player)["repairs"] == 1


@pytest.mark.parametrize(("bad", "kind", "words"), BAD.values(), ids=BAD)
def test_the_second_answer_that_is_no_action_is_a_fault(
    server: Server, bad: dict[str, Any], kind: str, words: str
) -> None:
    server.answerer = acting(bad, bad, 3)
    played = episode(subject(server).sit(1), Toy(horizon=2))
    (fault,) = played.faults
    assert fault.kind == kind
    assert words in fault.detail
    assert played.rewards == (1.0,)  # the default, then 3


def test_a_late_answer_is_a_fault_and_the_conversation_goes_on(server: Server) -> None:
    player = subject(server).sit(1)
    server.script = [Act(delay=4.0)]
    played = episode(player, Toy(horizon=2), Limits(seconds_per_action=2.0))
    assert [fault.kind for fault in played.faults] == ["late"]
    assert server.requests[-1]["messages"][2] == {"role": "assistant", "content": "(no answer)"}


def test_a_context_that_the_service_finds_too_long_is_halved(server: Server) -> None:
    player = subject(server).sit(1)
    episode(player, Toy(horizon=4))
    server.script = [Act(400, error("too long", "context_length_exceeded"))]
    assert episode(player, Toy(horizon=1)).faults == ()
    assert len(server.requests[-1]["messages"]) == len(server.requests[-2]["messages"]) - 4


def test_a_refusal_of_unknown_wording_is_tried_with_half_of_the_turns(server: Server) -> None:
    player = subject(server).sit(1)
    episode(player, Toy(horizon=4))
    server.script = [Act(400, error("das ist zu viel"))]
    assert episode(player, Toy(horizon=1)).faults == ()
    assert len(server.requests[-1]["messages"]) == len(server.requests[-2]["messages"]) - 4
    asked = len(server.requests)
    server.script = [Act(400, error("nein"))] * 3
    with pytest.raises(Unanswered, match="nein"):
        episode(player, Toy(horizon=1))
    assert len(server.requests) == asked + 2


def test_what_was_left_out_before_an_interruption_stays_left_out(
    server: Server, tmp_path: Path
) -> None:
    first = journaled(subject(server), tmp_path / "journal")
    asking = play(Toy(horizon=6), 1, world="toy-v0", seed=2, limits=LIMITS)
    asks = next(asking)
    for turn in range(5):  # begin, and four actions
        if turn == 4:
            server.script = [Act(400, error("too long", "context_length_exceeded"))]
        asks = asking.send(first.answer(asks))
    first.close()
    short = server.requests[-1]["messages"]
    second = journaled(subject(server), tmp_path / "journal")
    before = len(server.requests)
    episode(second, Toy(horizon=6))
    second.close()
    # The turn after it has one turn more, and not those that were left out.
    assert server.requests[before]["messages"][:-3] == short[:-1]
    assert "earlier turn" in server.requests[before]["messages"][1]["content"]


@pytest.mark.parametrize("answer", ["tool", "text"])
def test_half_a_character_in_an_answer_harms_nobody(server: Server, answer: str) -> None:
    half = b"\\ud800 ok \\ud83d\\ude00"

    def broken(_: dict[str, Any]) -> bytes:
        good = first_action(_)
        good["choices"][0]["message"]["content"] = "HALF" + (
            "" if answer == "tool" else "\nACTION: 1"
        )
        return json.dumps(good).encode().replace(b"HALF", half)

    server.answerer = broken
    assert episode(subject(server, f"&answer={answer}").sit(1), Toy(horizon=3)).faults == ()
    said = server.requests[-1]["messages"][2]["content"]
    assert said.startswith("\\ud800 ok \U0001f600")


def test_the_same_call_twice_is_one_call(server: Server) -> None:
    call = ("act", '{"action": 1}')
    server.answerer = lambda _: completion(calls=[call, call])
    assert episode(subject(server).sit(1), Toy(horizon=2)).faults == ()
    assert len(server.requests[-1]["messages"][2]["tool_calls"]) == 1
    server.answerer = lambda _: completion(calls=[call, ("act", '{"action": 2}')])
    played = episode(subject(server).sit(1), Toy(horizon=1))
    assert "2 different calls" in played.faults[0].detail


def test_what_the_service_tells_of_an_answer_is_kept_and_thoughts_are_not_sent_again(
    server: Server, tmp_path: Path
) -> None:
    def answer(_: dict[str, Any]) -> dict[str, Any]:
        found = completion(
            calls=[("act", '{"action": 1}')],
            message={"reasoning_content": "left, I think"},
            model="toy-2026-11",
            system_fingerprint="fp_1",
        )
        found["usage"]["prompt_tokens_details"] = {"cached_tokens": 60}
        found["usage"]["completion_tokens_details"] = {"reasoning_tokens": 7}
        return found

    server.answerer = answer
    model = subject(server)
    player = journaled(model, tmp_path / "journal")
    episode(player, Toy(horizon=2))
    told = told_measures(player)
    player.close()
    assert (told["tokens_cached"], told["tokens_reasoning"]) == (180, 21)
    assert not any("I think" in json.dumps(one["messages"]) for one in server.requests)
    kept = (tmp_path / "journal").read_text()
    for wanted in ("left, I think", "toy-2026-11", "fp_1", "tool_calls"):
        assert wanted in kept


def test_a_request_that_timed_out_is_counted(server: Server) -> None:
    player = subject(server).sit(1)
    server.script = [Act(delay=4.0)]
    episode(player, Toy(horizon=1), Limits(seconds_per_action=1.0))
    told = told_measures(player)
    assert (told["requests"], told["requests_timed_out"]) == (0, 1)


def test_the_budget_of_context_is_kept_and_the_instructions_stay(server: Server) -> None:
    server.answerer = lambda request: {
        **completion(calls=[("act", '{"action": 1}')]),
        "usage": {
            "prompt_tokens": len(json.dumps(request["messages"])) // 4,
            "completion_tokens": 5,
        },
    }
    player = subject(server, "&context=600").sit(1)
    episode(player, Toy(horizon=30))
    sizes = [len(json.dumps(request["messages"])) // 4 for request in server.requests[1:]]
    assert max(sizes[2:]) <= 660  # an estimate
    assert all("toy-v0" in r["messages"][0]["content"] for r in server.requests[1:])
    assert "earlier turns are left out" in server.requests[-1]["messages"][1]["content"]


def test_measures_are_sums_since_they_were_last_told(server: Server) -> None:
    player = subject(server, "&price_in=2&price_out=10").sit(1)
    server.script = [Act(500, error("oops"))]
    episode(player)
    told = told_measures(player)
    # The first request of all finds out whether the model answers, and is paid for too.
    assert (told["requests"], told["requests_to_check"]) == (4, 1)
    assert (told["tokens_in"], told["tokens_out"]) == (500, 50)
    assert (told["retries"], told["repairs"]) == (1, 0)
    assert told["cost"] == pytest.approx((500 * 2 + 50 * 10) / 1e6)
    assert told["request_seconds"] > 0
    assert told_measures(player)["requests"] == 0


def test_without_prices_there_is_no_cost_and_without_usage_no_tokens(server: Server) -> None:
    player = subject(server).sit(1)
    episode(player)
    assert "cost" not in told_measures(player)
    server.answerer = lambda _: {**completion(calls=[("act", '{"action": 1}')]), "usage": None}
    episode(player)
    assert set(told_measures(player)) == {"requests", "request_seconds", "retries", "repairs"}


def test_members_tell_and_hear_in_words(server: Server) -> None:
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if request.get("tools"):
            return completion(calls=[("act", '{"action": 2}')])
        return completion("Go up, all of you! " + "x" * 500)

    server.answerer = answer
    player = subject(server, "&tell=true").sit(2)
    assert player.speakers == {0, 1}
    played = episode(player, Toy(horizon=2, subjects=2))
    assert played.faults == ()
    assert played.measures["messages"] == 4
    last = server.requests[-1]["messages"][-1]["content"]
    assert "Seat 0 tells: Go up, all of you! xxx" in last
    assert "You told the others: Go up" in last
    assert "Seat 1 tells" not in last
    assert len(last) < 1000
    assert subject(server).sit(2).speakers == frozenset()


# Journals -------------------------------------------------------------------------


def journaled(model: LanguageModel, path: Path, seats: int = 1) -> Journaled:
    return Journaled(model.sit(seats), Journal(path))


def test_an_interrupted_conversation_goes_on_as_if_nothing_had_been(
    server: Server, tmp_path: Path
) -> None:
    bad = completion("I go left")
    script = [4, bad, 2, 3, 1, 2, 4]
    server.answerer = acting(*script)
    whole = journaled(subject(server), tmp_path / "whole")
    wanted = episode(whole, Toy(horizon=6))
    measures = told_measures(whole)
    whole.close()
    uninterrupted = server.requests[1:]

    server.requests.clear()
    server.answerer = acting(*script)
    first = journaled(subject(server), tmp_path / "journal")
    asking = play(Toy(horizon=6), 1, world="toy-v0", seed=2, limits=LIMITS)
    asks = next(asking)
    for _ in range(4):  # begin, and three actions
        asks = asking.send(first.answer(asks))
    first.close()
    second = journaled(subject(server), tmp_path / "journal")
    resumed = episode(second, Toy(horizon=6))
    assert resumed.rewards == wanted.rewards
    asked = [one for one in server.requests if one["max_tokens"] != 16]
    assert asked == uninterrupted
    again = told_measures(second)
    second.close()
    assert {n: v for n, v in again.items() if n != "request_seconds"} == {
        n: v for n, v in measures.items() if n != "request_seconds"
    }


def test_a_service_that_fails_ends_the_run_and_loses_no_answer(
    server: Server, tmp_path: Path
) -> None:
    server.answerer = acting(2, 3, 4, 1)
    first = journaled(subject(server), tmp_path / "journal", seats=2)
    server.script = [Act(), Act(500, error("down")), Act(500, error("down"))]
    with pytest.raises(Unanswered, match="failed 2 times"):
        episode(first, Toy(horizon=1, subjects=2))
    first.close()
    count = len(server.requests)
    second = journaled(subject(server), tmp_path / "journal", seats=2)
    played = episode(second, Toy(horizon=1, subjects=2))
    second.close()
    assert played.faults == ()
    assert len(server.requests) == count + 2  # the check, and seat 1
    assert played.rewards[0] == 0.5


# What is told of it -----------------------------------------------------------------


def test_the_record_tells_model_host_and_prompts_and_never_the_key(server: Server) -> None:
    address = f"openai:toy?base_url={server.url}"
    world = Lambda()
    model: Any = resolve(address, world)
    hash_ = model.prompts.hash
    settled = settled_address(address, model)
    assert settled == f"{address}&prompt_hash={hash_}"
    assert hash_ in summary(model, world)
    assert settled_address(settled, resolve(settled, world)) == settled
    model.sit(1)
    shown = f"{model!r} {vars(model)!r} {summary(model, world)} {settled}"
    assert KEY not in shown
    assert KEY.encode() not in pickle.dumps([model.settings, model.service, model.prompts])


def test_a_mixed_collective_is_settled_part_by_part(server: Server) -> None:
    address = f"random+openai:toy?base_url={server.url}*2"
    mixed = resolve(address, Lambda(subjects=3))
    settled = settled_address(address, mixed)
    assert settled.startswith("random+openai:toy?base_url=")
    assert "&prompt_hash=" in settled
    assert settled.endswith("*2")


def test_prompts_that_changed_since_are_refused(server: Server, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("Play well. {rules} {instructions} {answer}", encoding="utf-8")
    model: Any = resolve(f"openai:toy?base_url={server.url}&prompt={mine}", Lambda())
    settled = settled_address(str(model.part), model)
    resolve(settled, Lambda()).sit(1)
    mine.write_text("Play badly. {rules} {instructions} {answer}", encoding="utf-8")
    with pytest.raises(Unanswered, match="not those that it began with"):
        resolve(settled, Lambda()).sit(1)


def test_a_player_is_what_the_loop_knows(server: Server) -> None:
    player = subject(server).sit(1)
    assert isinstance(player, ModelPlayer)
    player.close()


def noted(manner: str, action: int, notes: str | None) -> dict[str, Any]:
    """An action with notes, in each manner."""
    if manner == "text":
        return completion(f"{'' if notes is None else f'NOTES: {notes}'}\nACTION: {action}")
    given = json.dumps({"action": action} | ({} if notes is None else {"notes": notes}))
    return completion(given) if manner == "json" else completion(calls=[("act", given)])


@pytest.mark.parametrize("manner", ["tool", "json", "text"])
def test_a_model_is_shown_its_notes_and_the_last_turn(server: Server, manner: str) -> None:
    answers = [noted(manner, 4, "four is\ngood"), noted(manner, 2, None), noted(manner, 3, "new")]
    server.answerer = acting(*answers, noted(manner, 1, None))
    player = subject(server, f"&history=notes&answer={manner}").sit(1)
    played = episode(player)
    assert played.faults == ()
    assert played.rewards == (2.5,)
    requests = [one["messages"] for one in server.requests[1:]]
    assert [len(messages) for messages in requests] == [2, 4, 4, 4]
    shown = [messages[-1]["content"] for messages in requests]
    assert shown[0].startswith("Your notes:\n(none)\n\nA new episode begins.")
    assert shown[1].startswith("Your notes:\nfour is\ngood\n\nReward of your last action: 1")
    assert shown[2].startswith("Your notes:\nfour is\ngood\n\nReward of your last action: 0.5")
    assert shown[3].startswith("Your notes:\nnew\n\n")
    # The last turn is told without the notes, which come once.
    assert json.dumps(requests[1]).count("four is") == 1
    assert requests[2][1]["content"].startswith("(1 earlier turns are left out.)\n\nReward")
    assert "Earlier turns are not shown" in requests[0][0]["content"]
    assert "2,000 characters" in requests[0][0]["content"]


@pytest.mark.parametrize("manner", ["tool", "json", "text"])
def test_notes_in_a_wrong_form_are_mended_as_actions_are(server: Server, manner: str) -> None:
    wrong = {
        "tool": completion(calls=[("act", '{"action": 4, "notes": 1}')]),
        "json": completion('{"action": 4, "notes": ["a"]}'),
        "text": completion("ACTION: 4\nNOTES: a"),
    }[manner]
    server.answerer = acting(wrong, noted(manner, 3, "b"))
    played = episode(subject(server, f"&history=notes&answer={manner}").sit(1), Toy(horizon=1))
    assert played.faults == ()
    assert played.rewards == (0.75,)
    assert "notes" in server.requests[-1]["messages"][-1]["content"].lower()


def test_without_notes_nobody_may_write_any(server: Server) -> None:
    server.answerer = acting(noted("tool", 4, "a"))
    played = episode(subject(server).sit(1), Toy(horizon=1))
    assert [fault.kind for fault in played.faults] == ["garbled"]


def test_notes_are_shown_up_to_a_length(server: Server) -> None:
    server.answerer = acting(noted("tool", 4, "n" * 3000))
    episode(subject(server, "&history=notes").sit(1), Toy(horizon=2))
    assert server.requests[-1]["messages"][-1]["content"].count("n" * 2000) == 1
    assert "n" * 2001 not in server.requests[-1]["messages"][-1]["content"]


def test_a_window_of_turns_is_all_that_is_sent(server: Server) -> None:
    episode(subject(server, "&history=window&window=2").sit(1), Toy(horizon=6))
    lengths = [len(one["messages"]) for one in server.requests[1:]]
    assert lengths == [2, 4, 6, 6, 6, 6]
    assert server.requests[-1]["messages"][1]["content"].startswith(
        "(3 earlier turns are left out.)"
    )


@pytest.mark.parametrize(
    ("manner", "long"),
    [
        ("tool", 0),
        ("text", 9000),
        *(
            pytest.param(*given, marks=pytest.mark.thorough)
            for given in (("json", 0), ("text", 0), ("tool", 9000), ("json", 9000))
        ),
    ],
)
def test_an_interrupted_model_has_its_notes_again(
    server: Server, tmp_path: Path, manner: str, long: int
) -> None:
    script = [
        noted(manner, 4, "a" + "x" * long),
        noted(manner, 1, "b"),
        completion("?"),
        noted(manner, 2, None),
        noted(manner, 3, "c"),
    ]
    more = f"&history=notes&answer={manner}"
    server.answerer = acting(*script)
    whole = journaled(subject(server, more), tmp_path / "whole")
    wanted = episode(whole, Toy(horizon=6))
    whole.close()
    uninterrupted = server.requests[1:]
    for length in range(1, 5):
        server.requests.clear()
        server.answerer = acting(*script)
        first = journaled(subject(server, more), tmp_path / f"journal{length}")
        asking = play(Toy(horizon=6), 1, world="toy-v0", seed=2, limits=LIMITS)
        asks = next(asking)
        for _ in range(length + 1):
            asks = asking.send(first.answer(asks))
        first.close()
        second = journaled(subject(server, more), tmp_path / f"journal{length}")
        assert episode(second, Toy(horizon=6)).rewards == wanted.rewards
        second.close()
        asked = [one for one in server.requests if one["max_tokens"] != 16]
        assert asked == uninterrupted
