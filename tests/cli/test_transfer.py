"""``mensura transfer``, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SMALL = ("--interactions", "40", "--learners", "2", "--episodes", "2", "--seed", "1")


def test_it_prints_the_matrix_and_writes_a_page_and_data(mensura: Any, words_only: None) -> None:
    assert mensura("transfer", "--example").status == 0
    typed = mensura(
        *("transfer", "q-learning", "--family", "family.yaml", *SMALL),
        *("--report", "page.html", "--json", "data.json"),
    )
    assert typed.status == 0, typed.err
    assert "trained in" in typed.out
    assert "untrained" in typed.out
    assert "Of 12 transfers to another task" in typed.out
    data = json.loads(Path("data.json").read_text(encoding="utf-8"))
    assert data["measured"]["tasks"] == ["first", "second", "third", "mixed"]
    assert (data["trainings"], data["seed"], len(data["pairs"])) == (8, 1, 12)
    page = Path("page.html").read_text(encoding="utf-8")
    for words in (
        "Raw transfer",
        "Learning curves",
        "jump-start",
        "regret",
        "--family family.yaml",
    ):
        assert words in page
    again = mensura("transfer", "q-learning", "--family", "family.yaml", *SMALL)
    assert again.out == typed.out[: len(again.out)]


def test_pairs_are_trained_in_one_after_the_other_where_that_is_asked(mensura: Any) -> None:
    mensura("transfer", "--example")
    typed = mensura(
        "transfer", "q-learning", "--family", "family.yaml", *SMALL, "--measures", "pairs"
    )
    assert typed.status == 0, typed.err
    assert "forgetting, control" in typed.out
    assert "composite time transfer [interactions]" in typed.out


def test_the_world_of_an_option_is_that_of_tasks_without_one(mensura: Any) -> None:
    Path("f.yaml").write_text("mensura: 1\ntasks: [{environment: 1}, {environment: 2}]\n")
    typed = mensura("transfer", "random", "--world", "lambda", "--family", "f.yaml", *SMALL)
    assert typed.status == 0, typed.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Nobody is to be trained; name a subject"),
        (("q-learning",), "name its file with --family"),
        (("q-learning", "--family", "none.yaml"), "There is no file none.yaml"),
        (
            ("openai:MODEL", "--family", "family.yaml"),
            "Runs of that size have to be confirmed: add --yes, ask for less with --interactions",
        ),
        (("nobody", "--family", "family.yaml"), "There is no subject 'nobody'"),
        (("random", "--family", "family.yaml", "--measures", "x"), "'x' is nothing that can be"),
    ],
)
def test_bad_input_is_one_sentence(mensura: Any, words: tuple[str, ...], sentence: str) -> None:
    mensura("transfer", "--example")
    typed = mensura("transfer", *words)
    assert typed.status == 2
    assert sentence in typed.err
    assert typed.err.count("\n") == 1


def test_whoever_cannot_be_saved_is_trained_anew_and_it_says_so(mensura: Any) -> None:
    mensura("transfer", "--example")
    Path("plain.py").write_text(
        "class Plain:\n    def act(self, observation, reward):\n        return 1\n"
    )
    typed = mensura("transfer", "plain.py:Plain", "--in-process", "--family", "family.yaml", *SMALL)
    assert typed.status == 0, typed.err
    assert "cannot be saved, so it was trained anew for every cell" in " ".join(typed.out.split())


def test_ctrl_c_ends_it_and_leaves_nothing_behind(
    mensura: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mensura.api import transferring

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    mensura("transfer", "--example")
    monkeypatch.setattr(transferring, "run_transfer", interrupted)
    typed = mensura("transfer", "q-learning", "--family", "family.yaml", "--json", "data.json")
    assert typed.status == 130
    assert "Traceback" not in typed.err
    assert not Path("data.json").exists()


@pytest.mark.usefixtures("words_only")
def test_a_kept_run_is_shown_again_and_its_page_comes_from_records_alone(mensura: Any) -> None:
    assert mensura("transfer", "--example").status == 0
    words = ("transfer", "q-learning", "--family", "family.yaml", *SMALL, "--store", "s.db")
    typed = mensura(*words, "--name", "tables", "--report", "one.html")
    assert typed.status == 0, typed.err
    assert "kept as the run tables" in typed.out
    assert mensura(*words, "--name", "tables").out == typed.out.split("The report")[0]
    Path("family.yaml").unlink()
    assert mensura("report", "tables", "--store", "s.db", "-o", "two.html").status == 0
    assert Path("one.html").read_text() == Path("two.html").read_text()
    assert "learners" in mensura("runs", "show", "tables", "--store", "s.db").out
    assert mensura("replay", "tables", "0", "--store", "s.db").status == 0


def test_a_level_outside_of_the_scale_is_refused(mensura: Any) -> None:
    assert mensura("transfer", "--example").status == 0
    typed = mensura("transfer", "random", "--family", "family.yaml", *SMALL, "--level", "1.5")
    assert typed.status == 2
    assert "The level 1.5 is no performance; performance lies in [-1, 1]." in typed.err
