"""Runs whose episodes begin in checkpoints: replayed, resumed and played by other processes without the pool's file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mensura.agent.errors import MensuraError
from mensura.api.checkpoints import record
from mensura.records.pool_shelf import SHELF, PoolShelf
from mensura.records.store import Store, open_store
from mensura.studies.layout import Layout, lay_out
from mensura.studies.replay import replay
from mensura.studies.runs import Manner, begin, resume, run_study
from mensura.studies.study import study_from_plain
from mensura.studies.subjects import resolve
from mensura.worlds.echo import Echo

THREADS = Manner("threads", 1)
WORLD = Echo(horizon=20)


@pytest.fixture(autouse=True)
def bare_shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is at hand that another test put there."""
    for name, value in vars(PoolShelf()).items():
        monkeypatch.setattr(SHELF, name, value)


@pytest.fixture
def pool(tmp_path: Path) -> Path:
    path = tmp_path / "a.pool"
    record(
        resolve("random", WORLD), WORLD, every=4, count=12, seed=3, training=0, pictures=False
    ).write(path)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "store.db") as opened:
        yield opened


def laid_out(pool: Path, repetitions: int = 1, **given: Any) -> Layout:
    return lay_out(
        study_from_plain(
            {
                "mensura": 1,
                "name": "started",
                "seed": 5,
                "repetitions": repetitions,
                "worlds": [{"world": "echo", "parameters": {"horizon": 20}}],
                "subjects": ["random", {"subject": "q-learning", "training": 0}],
                "assessments": [
                    {
                        "assessment": "human-starts",
                        "parameters": {"pool": str(pool), "evaluations": 9, **given},
                    }
                ],
            }
        )
    )


def forget(pool: Path) -> None:
    """The file is gone, and nothing is at hand."""
    pool.unlink()
    for name, value in vars(PoolShelf()).items():
        setattr(SHELF, name, value)


def test_a_run_is_replayed_to_the_bit_without_its_pool(store: Store, pool: Path) -> None:
    run = begin(store, laid_out(pool))
    resume(store, run, manner=THREADS)
    forget(pool)
    for number in range(6):
        again = replay(store, run, number)
        assert again.identical
        assert len(again.episodes) == 3
    starts = store.frame("starts", run)
    assert len(starts) == 18
    by_subject = starts.partition_by("subject")
    assert by_subject[0]["snapshot"].to_list() == by_subject[1]["snapshot"].to_list()


@pytest.mark.thorough
def test_a_run_goes_on_without_its_pool_in_other_processes(store: Store, pool: Path) -> None:
    layout = laid_out(pool)
    calm = run_study(layout, manner=THREADS)
    run = begin(store, layout)
    forget(pool)
    result = resume(store, run, manner=Manner("processes", 2))
    for one, other in zip(calm.conditions[0].subjects, result.conditions[0].subjects, strict=True):
        assert one.moments == other.moments
    assert not (store.journals(run) / "pools").exists()


@pytest.mark.thorough
def test_a_study_without_a_store_reaches_workers_of_other_processes(pool: Path) -> None:
    layout = laid_out(pool)
    one = run_study(layout, manner=Manner("processes", 1))
    assert one.conditions[0].subjects[0].moments.count == 3


def test_a_pool_that_has_changed_is_another_study(store: Store, pool: Path) -> None:
    begin(store, laid_out(pool))
    record(
        resolve("random", WORLD), WORLD, every=4, count=8, seed=4, training=0, pictures=False
    ).write(pool)
    with pytest.raises(MensuraError, match="the study has changed since"):
        begin(store, laid_out(pool))


def test_what_makes_no_sense_is_found_before_anything_is_played(pool: Path, tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="cannot be read"):
        laid_out(tmp_path / "none.pool")
    with pytest.raises(MensuraError, match="evaluations is 0"):
        laid_out(pool, evaluations=0)
    with pytest.raises(MensuraError, match="ask for more evaluations instead"):
        laid_out(pool, repetitions=2)
