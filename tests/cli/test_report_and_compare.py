"""``mensura report`` and ``mensura compare``, as a person types them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.records.toys import make_batch, make_cells, new_run
from tests.reports.reading import check

from mensura.agent.keys import Key
from mensura.records.store import open_store

Typed = Callable[..., tuple[int, str, str]]

SCORES = {"strong": 0.6, "middling": 0.3, "weak": 0.0}


def record(
    name: str,
    subjects: Sequence[str] = tuple(SCORES),
    conditions: Sequence[str] = ("toy-v0",),
    seed: Key = 5,
    gain: float = 0.0,
    part: float = 1.0,
    **fields: object,
) -> None:
    """A run in the store of the folder, whose subjects have known scores; a part of it if told."""
    with open_store() as store:
        cells = make_cells(subjects, 24, conditions=conditions, seed=seed)
        cells = [replace(cell, **fields) for cell in cells]
        run = store.begin(new_run(name, cells))
        with store.seize(run) as lease:
            for cell in cells:
                batch = make_batch(cell, 0, int(24 * part))
                noise = np.random.default_rng(cell.number).normal(0, 0.02, len(batch))
                lease.commit([replace(batch, score=SCORES.get(cell.name, 0.1) + gain + noise)])
            if part == 1.0:
                lease.finish("finished")


@pytest.mark.usefixtures("words_only")
def test_a_report_is_written_from_the_store(mensura: Typed) -> None:
    subjects = ("strong", "weak")
    record("trial", subjects)
    status, out, err = mensura("report", "trial", "-o", "page.html", "--figures", "figures")
    assert (status, err) == (0, "")
    assert "page.html" in out
    page = check(Path("page.html").read_text(encoding="utf-8"))
    assert [row[0] for row in page.tables["score-table"][1:]] == [*subjects]
    kinds = sorted({path.suffix for path in Path("figures").iterdir()})
    assert kinds == [".pdf", ".svg"]
    assert f"{len(list(Path('figures').iterdir()))} files of figures" in out


@pytest.mark.usefixtures("words_only")
def test_several_runs_share_a_report(mensura: Typed) -> None:
    record("before")
    record("after", gain=0.2)
    assert mensura("report", "before", "after", "-o", "page.html")[0] == 0
    page = check(Path("page.html").read_text(encoding="utf-8"))
    assert [row[0] for row in page.tables["condition-table"][1:]] == [
        "before: toy-v0",
        "after: toy-v0",
    ]


@pytest.mark.usefixtures("words_only")
def test_an_unfinished_run_is_reported_as_far_as_it_is(mensura: Typed) -> None:
    record("half", part=0.5)
    assert mensura("report", "half")[0] == 0
    prose = check(Path("report.html").read_text(encoding="utf-8")).prose
    assert "This run is not finished" in prose
    assert "36 of 72 sittings (50%)" in prose
    _, out, _ = mensura("compare", "half")
    assert "half is not finished, so more scores may come." in out


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store of four runs."""
    folder = tmp_path_factory.mktemp("four")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("MENSURA_STORE", raising=False)
        record("trial")
        record("single", ("strong",))
        record("other", ("somebody", "else"))
        record("empty", part=0.0)
    return folder


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("report", "trail"), "did you mean trial"),
        (("report", "trial", "-o", "nowhere/page.html"), "does not exist"),
        (("report", "empty"), "The run empty has no subjects with episodes"),
        (("report", "trial", "trial"), "named twice"),
        (("compare", "trail"), "did you mean trial"),
        (("compare", "empty"), "The run empty has no scores yet"),
        (("compare", "trial", "trial", "trial"), "3 runs were named"),
        (("compare", "trial", "--subject", "stron"), "did you mean strong?"),
        (("compare", "trial", "--level", "95"), "between 0 and 1"),
        (("compare", "trial", "--correction", "holms"), "did you mean holm?"),
        (("compare", "single"), "no two subjects under the same condition"),
        (("compare", "trial", "other"), "no subject under the same condition in common"),
        (("compare", "trial", "other", *("--subject", "a") * 3), "3 subjects were named"),
        (("compare", "trial", "--store", "missing.db"), "missing.db"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    mensura: Typed, four: Path, words: tuple[str, ...], sentence: str
) -> None:
    shutil.copytree(four, Path.cwd(), dirs_exist_ok=True)
    before = sorted(path.name for path in Path.cwd().iterdir())
    status, out, err = mensura(*words)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in Path.cwd().iterdir()) == before


@pytest.mark.usefixtures("words_only")
def test_the_subjects_of_a_run_are_compared_on_the_same_environments(mensura: Typed) -> None:
    record("trial")
    status, out, _ = mensura("compare", "trial", "--json", "table.json", "-o", "page.html")
    assert status == 0
    rows = json.loads(Path("table.json").read_text())
    assert [(row["one"], row["two"]) for row in rows] == [
        ("strong", "middling"),
        ("strong", "weak"),
        ("middling", "weak"),
    ]
    for row in rows:
        assert row["paired"]
        assert row["n_one"] == 24
        assert row["verdict"] == "higher"
        assert row["difference"] == pytest.approx(SCORES[row["one"]] - SCORES[row["two"]], abs=0.02)
    assert "paired on the same environments" in " ".join(out.split())
    assert "3 of 3 comparisons are settled" in out
    assert "strong scores higher than weak: by 0." in " ".join(out.split())
    page = check(Path("page.html").read_text(encoding="utf-8"))
    assert "mensura compare trial" in page.prose


def test_subjects_can_be_picked_and_come_in_the_order_given(mensura: Typed) -> None:
    record("trial")
    mensura("compare", "trial", "-s", "weak", "-s", "strong", "--json", "t.json")
    (row,) = json.loads(Path("t.json").read_text())
    assert (row["one"], row["two"], row["verdict"]) == ("weak", "strong", "lower")
    mensura("compare", "trial", "-s", "weak", "--json", "t.json")
    assert {row["one"] for row in json.loads(Path("t.json").read_text())} == {"weak"}


def test_two_runs_with_one_seed_are_paired_and_with_two_are_not(mensura: Typed) -> None:
    record("before")
    record("after", gain=0.01)
    record("elsewhere", seed=6)
    mensura("compare", "after", "before", "--json", "t.json")
    rows = json.loads(Path("t.json").read_text())
    assert [(row["one"], row["two"]) for row in rows] == [
        (f"{name} in after", f"{name} in before") for name in SCORES
    ]
    assert all(row["paired"] for row in rows)
    _, out, _ = mensura("compare", "elsewhere", "before", "--json", "t.json")
    assert not any(row["paired"] for row in json.loads(Path("t.json").read_text()))
    assert "independent samples" in " ".join(out.split())


def test_runs_of_one_subject_each_are_compared_whatever_their_names(mensura: Typed) -> None:
    record("old", ("strong",))
    record("new", ("middling",))
    mensura("compare", "old", "new", "--json", "t.json")
    (row,) = json.loads(Path("t.json").read_text())
    assert (row["one"], row["two"]) == ("strong in old", "middling in new")


def test_runs_in_different_worlds_are_not_compared_unless_somebody_insists(mensura: Typed) -> None:
    record("here")
    record("there", world="lambda-v1", assessment="exercises")
    status, _, err = mensura("compare", "here", "there", "--json", "t.json")
    assert status == 2
    assert "strong in here and strong in there cannot be compared" in err
    assert "and lambda-v1), the assessment (" in err
    assert not Path("t.json").exists()
    status, out, _ = mensura("compare", "here", "there", "--anyway", "--json", "t.json")
    assert status == 0
    words = " ".join(out.split())
    assert "3 comparisons of 3 are of scores that are not comparable" in words
    assert words.count("- not comparable: ") == 3
    assert "settled" not in words
    assert all(len(row["differs"]) == 2 for row in json.loads(Path("t.json").read_text()))


def test_how_much_was_played_does_not_keep_runs_from_being_compared(mensura: Typed) -> None:
    record("short", assessment_parameters={"episodes": 24, "pace": "person"})
    record("long", assessment_parameters={"episodes": 48, "sittings": 3})
    assert mensura("compare", "short", "long")[0] == 0


def test_one_subject_of_each_run_can_be_picked(mensura: Typed) -> None:
    record("first")
    record("second")
    mensura("compare", "first", "second", "-s", "strong", "-s", "weak", "--json", "t.json")
    (row,) = json.loads(Path("t.json").read_text())
    assert (row["one"], row["two"]) == ("strong in first", "weak in second")


def test_of_many_comparisons_only_open_ones_are_told_in_sentences(mensura: Typed) -> None:
    record("many", [f"subject-{i}" for i in range(7)])
    _, out, _ = mensura("compare", "many")
    assert "of 21 comparisons are settled" in out
    assert out.count("\n- Whether") <= 12
    assert "scores higher than" not in out
