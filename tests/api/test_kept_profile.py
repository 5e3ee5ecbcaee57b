"""Profiles in a store: they go on where they were stopped, and their page comes from the records alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.api.test_profiling import SMALL, TINY

import mensura as ms
from mensura.agent.errors import MensuraError
from mensura.api import kept_profile, profile_parts, profile_sizes
from mensura.api.kept_profile import is_profile, profile_of, resume_profile
from mensura.api.profile_setup import Setup
from mensura.records.store import open_store

GIVEN: dict[str, Any] = {"quick": True, "seed": 1, "references": ["sarsa"], "name": "mine"}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_sizes, "QUICK", SMALL)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that measure parts, as they are called."""
    names: list[str] = []
    for name in ("measure_transfer", "measure_robustness", "measure_rate", "measure_behavior"):
        original = getattr(profile_parts, name)

        def noting(*given: Any, name: str = name, original: Any = original) -> Any:
            names.append(name)
            return original(*given)

        monkeypatch.setattr(profile_parts, name, noting)
    return names


@pytest.mark.thorough
def test_a_tiny_profile_goes_on_with_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: list[str]
) -> None:
    monkeypatch.setattr(profile_sizes, "QUICK", TINY)

    def interrupted(*given: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as once:
        once.setattr(profile_parts, "measure_understanding", interrupted)
        with pytest.raises(MensuraError, match="Go on with:  mensura study resume mine"):
            ms.profile("q-learning", store=tmp_path / "s.db", **GIVEN)
    assert set(called) == {"measure_transfer", "measure_robustness", "measure_rate"}
    called.clear()
    found = resume_profile(tmp_path / "s.db", "mine")
    assert called == ["measure_behavior"]
    with open_store(tmp_path / "s.db") as records:
        kept = profile_of(records, records.find("mine"))
    assert kept is not None
    assert kept.to_json() == found.to_json()


@pytest.mark.thorough
def test_it_goes_on_where_it_was_stopped_and_is_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: list[str]
) -> None:
    store = tmp_path / "mensura.db"
    plain = ms.profile("q-learning", **{**GIVEN, "name": ""})

    def interrupted(*given: Any) -> Any:
        raise KeyboardInterrupt

    called.clear()
    with monkeypatch.context() as once:
        once.setattr(profile_parts, "measure_understanding", interrupted)
        with pytest.raises(MensuraError, match="Go on with:  mensura study resume mine"):
            ms.profile("q-learning", store=store, **GIVEN)
    assert set(called) == {"measure_transfer", "measure_robustness", "measure_rate"}
    with open_store(store) as records:
        run = records.find("mine")
        assert run.status == "stopped"
        assert is_profile(records, run)
        assert profile_of(records, run) is None
    called.clear()
    found = resume_profile(store, "mine")
    assert called == ["measure_behavior"]
    assert found.to_json() == plain.to_json()
    called.clear()
    again = ms.profile("q-learning", store=store, **GIVEN)
    assert called == []
    assert again.to_json() == plain.to_json()
    with open_store(store) as records:
        run = records.find("mine")
        assert run.status == "finished"
        assert run.title == "Profile of q-learning on lambda-v1"
        records.delete(run)
        assert records.profiles() == set()


def test_the_same_again_without_a_name_or_a_seed_is_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "mensura.db"

    def nothing(setup: Setup, level: float | None, **_: Any) -> ms.Profile:
        return ms.Profile([], "lambda-v1", setup.seed, quick=True, references=())

    monkeypatch.setattr(kept_profile, "measure", nothing)
    one, two = (ms.profile("random", store=store, quick=True, references=["sarsa"]) for _ in "ab")
    assert one.name == two.name
    assert one.seed == two.seed
    with pytest.raises(MensuraError, match="a profile that differs in level; give this one"):
        ms.profile(
            "random", store=store, quick=True, references=["sarsa"], level=0.5, name=one.name
        )
    ms.assess("random", seed=1, store=store, name="other", budget=50, sittings=2)
    with pytest.raises(MensuraError, match="The run other is no profile"):
        ms.profile("random", store=store, quick=True, references=["sarsa"], name="other")
