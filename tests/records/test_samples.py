"""Single scores as they come are those that a store gives back."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.records.toys import make_batch, make_cells, make_chains, new_run, same
from tests.sizes import examples

from mensura.records import samples
from mensura.records.samples import SampleCollector, collected_samples
from mensura.records.store import Store

NAMES = itertools.count()


@pytest.mark.thorough
@pytest.mark.parametrize("make", [make_batch, make_chains])
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=examples(4, 20),
    deadline=None,
)
@given(data=st.data())
def test_samples_of_a_live_run_in_any_order_are_those_of_the_store(
    store: Store, make, data: st.DataObject
) -> None:
    cells = make_cells(("a", "b"), 30, conditions=("x", "y"), repetitions=2)
    run = store.begin(new_run(f"run-{next(NAMES)}", cells))
    kept = [SampleCollector(cell) for cell in cells]
    cuts = sorted(data.draw(st.sets(st.integers(1, 29), max_size=4)))
    parts = [make(cell, *pair) for cell in cells for pair in itertools.pairwise([0, *cuts, 30])]
    with store.seize(run) as lease:
        for batch in data.draw(st.permutations(parts)):
            lease.commit([batch])
            kept[batch.cell].add(batch)
        lease.finish("finished")
    live, stored = collected_samples(kept), store.samples(run)
    assert len(live) == len(stored) == 4
    for one, other in zip(live, stored, strict=True):
        assert same(replace(one, measures={}), replace(other, measures={}))
        assert one.measures.keys() == other.measures.keys()
        assert all(same(one.measures[name], other.measures[name]) for name in one.measures)


def test_sittings_in_several_environments_go_by_their_number() -> None:
    """Subjects that chose other environments are paired all the same."""
    cells = make_cells(("a", "b"), 20)
    kept = [SampleCollector(cell) for cell in cells]
    for one, cell in zip(kept, cells, strict=True):
        one.add(make_chains(cell))
    first, second = collected_samples(kept)
    alone = np.arange(20) % 5 == 0
    assert (first.environment == second.environment).tolist() == (~alone).tolist()
    assert len(set(first.environment.tolist())) == 20


def test_environments_made_by_hand_are_not_one() -> None:
    cell = make_cells(("a",), 20)[0]
    batch = make_batch(cell)
    none = replace(batch.episodes, environment=np.zeros(len(batch.episodes), np.uint64))
    kept = SampleCollector(cell)
    kept.add(replace(batch, episodes=none))
    (found,) = collected_samples([kept])
    assert len(set(found.environment.tolist())) == 20


def test_too_many_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "SITTINGS", 15)
    cells = make_cells(("a", "b"), 20)
    kept = [SampleCollector(cell) for cell in cells]
    kept[0].add(make_batch(cells[0], 0, 10))
    kept[1].add(make_batch(cells[1], 0, 10))
    kept[1].add(make_batch(cells[1], 10, 20))
    (found,) = collected_samples(kept)
    assert (found.label, len(found)) == ("a", 10)
