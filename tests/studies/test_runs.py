"""Runs in a store: begun once, continued where they stopped, played again from keys and journals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.agent.keys import key, stretched
from mensura.core.journaled import Journal
from mensura.core.registry import WORLDS
from mensura.records.batch import Batch
from mensura.records.cell import Cell
from mensura.records.holding import is_fully_isolated
from mensura.records.journal import unpack
from mensura.records.store import Store, open_store
from mensura.studies import holding, runner
from mensura.studies.desk import Job
from mensura.studies.layout import lay_out
from mensura.studies.replay import replay
from mensura.studies.runs import Manner, begin, resume, run_study
from mensura.studies.study import Study, study_from_plain
from mensura.studies.views import first_view
from mensura.worlds.lambda_star.world import LambdaStar

AGENTS = '''
import os

class Dice:
    def begin(self, task, rng):
        self.rng = rng

    def act(self, observation, reward):
        return int(self.rng.integers(1, 10))

class Talker(Dice):
    def tell(self, observation, reward):
        return {"at": [int(x) for x in observation["position"]]}

    def hear(self, messages):
        self.heard = messages

class Faulty(Dice):
    def act(self, observation, reward):
        action = super().act(observation, reward)
        if action == 9:
            raise ValueError("nine")
        return action

class Counting(Dice):
    """Writes down that it was asked, and dies at its twelfth question, once."""

    def act(self, observation, reward):
        folder = os.environ["COUNTING"]
        with open(folder + "/asked", "a") as file:
            file.write("x")
        if os.path.getsize(folder + "/asked") == 12:
            os._exit(1)
        return 5
'''


@pytest.fixture
def store(tmp_path: Path) -> Any:
    (tmp_path / "agents.py").write_text(AGENTS)
    with open_store(tmp_path / "store.db") as opened:
        yield opened


def study(folder: Path, *subjects: Any, episodes: int = 12, **more: Any) -> Study:
    def placed(one: Any) -> Any:
        if isinstance(one, str):
            return one
        return {**one, "subject": one["subject"].replace("agents.py", f"{folder}/agents.py")}

    return study_from_plain(
        {
            "mensura": 1,
            "name": "small",
            "seed": 7,
            "worlds": [
                {
                    "world": "lambda-star",
                    "parameters": {"rows": 4, "cols": 4, "subjects": 2, "horizon": 5},
                }
            ],
            "subjects": [placed(one) for one in subjects],
            "assessments": [{"assessment": "battery", "parameters": {"episodes": episodes}}],
            **more,
        }
    )


class StopAfter:
    """A watcher that presses Ctrl-C after so many batches."""

    def __init__(self, batches: int) -> None:
        self.left = batches

    def counted(self, cell: Cell, batch: Batch) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def died(self, cell: Cell, job: Job, death: str) -> None:
        raise AssertionError(death)

    def stepped(self, cell: Cell, step: Any) -> None:
        pass


def scores(result: Any) -> list[Any]:
    return [
        (one.subject, one.moments, one.by_complexity, one.histogram, one.learning, one.interactions)
        for condition in result.conditions
        for one in condition.subjects
    ]


MIXED = (
    "local-search",
    {"subject": "sarsa", "training": 3},
    {"subject": "agents.py:Dice", "in_process": True},
)


@pytest.mark.parametrize(
    "stops", [*(pytest.param(one, marks=pytest.mark.thorough) for one in ((1,), (2, 1))), (3, 1, 2)]
)
def test_a_run_that_is_stopped_and_resumed_ends_as_one_that_was_not(
    tmp_path: Path, store: Store, stops: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "GATHER", 0.0)
    small = study(tmp_path, *MIXED, repetitions=2)
    whole = run_study(small, manner=Manner("threads", 2))
    run = begin(store, small)
    done = 0
    for batches in stops:
        partial = resume(
            store, store.find("small"), manner=Manner("threads", 1), watcher=StopAfter(batches)
        )
        assert partial.status == "stopped"
        assert done < partial.done < run.sittings
        done = partial.done
    result = resume(store, store.find("small"), manner=Manner("threads", 2))
    assert result.status == "finished"
    assert scores(result) == scores(whole)
    assert result.done == result.sittings == 72
    assert len(result.conditions[0].subjects[0].repetitions) == 2


def test_a_run_that_goes_on_under_less_isolation_says_so_of_all_of_it(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, less = "full isolation, memory counted", "isolation without Landlock, memory counted"
    monkeypatch.setattr(holding, "holding_of", lambda *_: whole)
    monkeypatch.setattr(runner, "GATHER", 0.0)
    run = begin(store, study(tmp_path, *MIXED))
    resume(store, run, manner=Manner("threads", 1), watcher=StopAfter(1))
    assert {cell.isolation for cell in store.cells(run)} == {whole}
    monkeypatch.setattr(holding, "holding_of", lambda *_: less)
    resume(store, store.find(run.name), manner=Manner("threads", 1))
    assert {cell.isolation for cell in store.cells(run)} == {f"{whole}; {less}"}
    subjects = store.result(run).conditions[0].subjects
    assert not any(is_fully_isolated(one.isolation) for one in subjects)


def test_what_is_finished_is_not_played_again(tmp_path: Path, store: Store) -> None:
    small = study(tmp_path, "local-search")
    first = resume(store, begin(store, small))
    again = resume(store, begin(store, small), watcher=StopAfter(1))
    assert again.status == "finished"
    assert scores(again) == scores(first)
    assert len(store.runs()) == 1


def test_a_study_that_has_changed_is_refused_with_what_changed(
    tmp_path: Path, store: Store
) -> None:
    begin(store, study(tmp_path, "local-search"))
    with pytest.raises(
        MensuraError, match=r"the study has changed since: .*local-search became oracle"
    ):
        begin(store, study(tmp_path, "oracle"))
    other = begin(store, study(tmp_path, "oracle"), name="other")
    assert other.name == "other"


def test_a_fresh_seed_is_drawn_once_and_recorded(tmp_path: Path, store: Store) -> None:
    open_seed = study(tmp_path, "local-search").model_copy(update={"seed": None})
    first = begin(store, open_seed)
    assert begin(store, open_seed) == first
    assert first.study["seed"] == first.seed
    with pytest.raises(MensuraError, match="seed"):
        begin(store, open_seed, seed=(first.seed + 1) % 2**64)


def test_a_run_draws_from_its_stretched_seed_and_tells_whether_it_was_drawn(
    tmp_path: Path, store: Store
) -> None:
    open_seed = study(tmp_path, "local-search").model_copy(update={"seed": None})
    drawn = begin(store, open_seed, name="drawn")
    given = begin(store, open_seed, seed=20261, name="given")
    assert (drawn.fresh_seed, given.fresh_seed) == (True, False)
    assert store.cells(given)[0].seed == stretched(20261) != 20261
    assert store.cells(drawn)[0].seed == stretched(drawn.seed)


def test_the_training_of_the_first_sittings_is_kept(tmp_path: Path, store: Store) -> None:
    small = study(tmp_path, {"subject": "sarsa", "training": 3}, records={"training": 5})
    result = resume(store, begin(store, small))
    (sarsa,) = result.conditions[0].subjects
    assert {number: one.count for number, one in sarsa.learning.groups.items()} == {
        0: 5, 1: 5, 2: 5, 3: 5
    }  # fmt: skip
    assert sarsa.moments.count == 12


def test_replay_gives_identical_rewards_from_keys_and_from_the_journal(
    tmp_path: Path, store: Store
) -> None:
    small = study(
        tmp_path,
        *MIXED,
        {"subject": "agents.py:Talker", "name": "talker"},
        {"subject": "agents.py:Faulty", "name": "faulty", "in_process": True},
        {"subject": "agents.py:Dice+local-search", "name": "mixed"},
        episodes=3,
    )
    run = begin(store, small)
    resume(store, run, manner=Manner("threads", 2))
    for number in range(run.sittings):
        again = replay(store, run, number)
        own = again.cell.subject not in ("local-search", "sarsa")
        assert again.identical
        assert again.from_journal == own
        assert all(one.recorded is not None for one in again.episodes)
    assert replay(store, run, 3 * 3, ask_again=True).identical


def test_replay_tells_when_the_subject_is_not_what_it_was(tmp_path: Path, store: Store) -> None:
    run = begin(store, study(tmp_path, MIXED[2], episodes=3))
    resume(store, run, manner=Manner("threads", 1))
    (tmp_path / "agents.py").write_text("class Dice:\n    def act(self, o, r):\n        return 5\n")
    assert all(replay(store, run, number).identical for number in range(3))
    assert not all(replay(store, run, number, ask_again=True).identical for number in range(3))


def test_what_was_not_played_cannot_be_replayed(tmp_path: Path, store: Store) -> None:
    run = begin(store, study(tmp_path, "oracle"))
    with pytest.raises(MensuraError, match="has not been played yet; resume the run first"):
        replay(store, run, 0)
    with pytest.raises(MensuraError, match="has no sitting 12; its sittings are 0 to 11"):
        replay(store, run, 12)


def test_a_run_under_older_rules_is_read_and_neither_resumed_nor_replayed(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = study(tmp_path, "local-search", "auction")
    present, entry = WORLDS.load("lambda-star"), WORLDS.entries()["lambda-star-v2"]
    with monkeypatch.context() as then:
        # As it was while this version was the present one.
        then.setattr(present, "id", "lambda-star-v0")
        then.setattr(WORLDS, "entries", lambda: {"lambda-star-v0": entry})
        then.setitem(WORLDS._loaded, "lambda-star-v0", present)
        run = begin(store, small)
        resume(store, run, watcher=StopAfter(1), manner=Manner("threads", 1))
        run = store.find(run.name)
        played = store.result(run)
    assert 0 < played.done < played.sittings
    assert played.notes == ()
    assert begin(store, small) == run
    with pytest.raises(MensuraError) as error:
        resume(store, run)
    assert str(error.value).startswith(
        "The run small cannot go on under other rules than it began with: lambda-star-v0 is an older version of "
        "lambda-star-v2, the present one; what changed in v1: under the preset authors-2016"
    )
    with pytest.raises(MensuraError, match=r"Sitting 0 .* cannot be played again .* changed in v1"):
        replay(store, run, 0)
    read = store.result(run)
    assert (read.status, scores(read)) == ("stopped", scores(played))
    assert ["older version of lambda-star-v2" in note for note in read.notes] == [True]
    assert first_view(read) == ("", ())


def test_a_run_keeps_the_defaults_that_it_was_begun_with(store: Store) -> None:
    def chains(**given: Any) -> Study:
        parameters = {"interactions": 100, "sittings": 2, **given}
        return study_from_plain(
            {
                "mensura": 1,
                "name": "chains",
                "seed": 3,
                "subjects": ["random", "follower"],
                "worlds": ["lambda-v1"],
                "assessments": [{"assessment": "anytime", "parameters": parameters}],
            }
        )

    whole = chains(overrun=True)
    # As it was while the last slot was whole by default.
    run = begin(store, replace(lay_out(whole), study=chains()))
    resume(store, run, watcher=StopAfter(1), manner=Manner("threads", 1))
    assert store.find(run.name).status == "stopped"
    with pytest.raises(MensuraError) as error:
        begin(store, chains())
    assert str(error.value) == (
        "The run chains was begun when overrun of anytime was true by default, and now it is false. Go on with it as "
        "it was begun with:  mensura study resume chains  or give this one another name with --name."
    )
    result = resume(store, store.find(run.name))
    assert result.conditions[0].assessment["overrun"] is True
    assert scores(result) == scores(run_study(whole)) != scores(run_study(chains()))


def test_what_a_new_version_leaves_as_it_was_is_drawn_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place,) = lay_out(study(tmp_path, "random"), 5).places
    assert place.root == key(stretched(5), "lambda-star-v2", "battery")
    monkeypatch.setattr(LambdaStar, "drawn_as", "lambda-star-v1", raising=False)
    (place,) = lay_out(study(tmp_path, "random"), 5).places
    assert place.cell.world == "lambda-star-v2"
    assert place.root == key(stretched(5), "lambda-star-v1", "battery")


def test_every_answer_of_own_code_is_in_the_journal(tmp_path: Path, store: Store) -> None:
    run = begin(store, study(tmp_path, "local-search", MIXED[2], episodes=2))
    resume(store, run, manner=Manner("threads", 1))
    assert store.journal(run, 0, 0) == []
    (page,) = store.journal(run, 1, 0)
    kinds = [entry.kind for entry in unpack(page)]
    assert kinds == ["begin"] * 2 + ["act"] * 10 + ["end"] * 2


@pytest.mark.parametrize(
    "executor", ["threads", pytest.param("processes", marks=pytest.mark.thorough)]
)
def test_traces_hold_every_interaction(tmp_path: Path, store: Store, executor: str) -> None:
    run = begin(store, study(tmp_path, "local-search", episodes=4, records={"traces": True}))
    result = resume(store, run, manner=Manner(executor, 1))
    plain = run_study(study(tmp_path, "local-search", episodes=4))
    assert scores(result) == scores(plain)
    for item in range(4):
        trace = store.trace(run, 0, item)
        assert trace["seat"].to_list() == [0, 1] * 5
        assert trace["interaction"].to_list() == [i for i in range(5) for _ in range(2)]
        batch = store.sitting(run, item)[2]
        assert batch is not None
        assert trace["reward"].mean() == pytest.approx(float(batch.score[0]))
        json.loads(trace["observation"][0])


@pytest.mark.thorough
def test_who_is_asked_once_is_not_asked_again_after_a_crash(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker dies in the midst of an episode; its answers until then were safe, and are used again."""
    monkeypatch.setenv("COUNTING", str(tmp_path))
    counting = {"subject": "agents.py:Counting", "in_process": True, "ask_once": True}
    run = begin(store, study(tmp_path, counting, episodes=2))

    class Note(StopAfter):
        deaths = 0

        def died(self, cell: Cell, job: Job, death: str) -> None:
            self.deaths += 1

        def stepped(self, cell: Cell, step: Any) -> None:
            pass

    watcher = Note(-1)
    result = resume(store, run, manner=Manner("processes", 1), watcher=watcher)
    assert watcher.deaths == 1
    assert result.done == 2
    # Two sittings of ten questions, two seats a time. It died over the sixth pair: only that is asked again.
    assert len((tmp_path / "asked").read_text()) == 22
    assert not store.journals(run).exists()
    assert replay(store, run, 0).identical


def test_a_journal_of_another_sitting_is_refused(tmp_path: Path) -> None:
    from mensura.agent.asks import Answer, Ask

    path = tmp_path / "0-0.jsonl"
    with Journal(path) as journal:
        journal.add([Ask("act", 0)], [Answer(5)])
    with Journal(path) as journal, pytest.raises(MensuraError, match="belongs to another episode"):
        journal.take(Ask("act", 1))
