"""``mensura analogy``: what it prints and writes, and what it says where it cannot."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mensura.agent.errors import MensuraError
from mensura.cli.analogy import app
from mensura.texts.evaluations.translation import stories_of, story_pairs
from mensura.web.experimenter import study_from_text

RUNNER = CliRunner()


def typed(*words: str) -> str:
    found = RUNNER.invoke(app, list(words), catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return " ".join(found.output.split())


@pytest.fixture
def stories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MENSURA_STORE", str(tmp_path / "store.db"))
    folder = tmp_path / "stories"
    folder.mkdir()
    for name in ("the ferry", "the kite", "the rumor"):
        sentences = stories_of()[name].split(". ")
        (folder / f"{name.split()[1]}.txt").write_text(". ".join(sentences[:6]))
    return folder


def test_two_stories_are_mapped_and_reported(stories: Path, tmp_path: Path) -> None:
    report, data = tmp_path / "map.html", tmp_path / "map.json"
    said = typed(
        "map", str(stories / "ferry.txt"), str(stories / "kite.txt"), "--report", str(report), "--json", str(data)
    )  # fmt: skip
    assert "ferryman corresponds to fisherman" in said
    found = json.loads(data.read_text())
    pairs = {one["source"]: one["target"] for one in found["pairs"]}
    assert pairs["ferryman"] == "fisherman"
    assert pairs["water push boat"] == "air pull boat"
    page = report.read_text()
    assert "<svg" in page
    assert "He pulled the heavy ferry with a rope" in page
    assert "What the source suggests of the target" in page


def test_the_stories_that_come_along_are_written(tmp_path: Path) -> None:
    typed("stories", "-o", str(tmp_path / "some"))
    assert (tmp_path / "some" / "the-ferry.txt").read_text().startswith("A ferryman")
    file = str(tmp_path / "some" / "the-ferry.txt")
    with pytest.raises(MensuraError, match="is a file; name a folder"):
        RUNNER.invoke(app, ["stories", "-o", file], catch_exceptions=False)


def test_a_required_pair_is_kept(stories: Path, tmp_path: Path) -> None:
    data = tmp_path / "map.json"
    typed(
        "map", str(stories / "ferry.txt"), str(stories / "kite.txt"), "--require", "ferryman=child", "--json", str(data)
    )  # fmt: skip
    pairs = {one["source"]: one["target"] for one in json.loads(data.read_text())["pairs"]}
    assert pairs["ferryman"] == "child"


@pytest.mark.thorough
def test_the_analogous_story_is_ranked_first(stories: Path, tmp_path: Path) -> None:
    (stories / "empty.txt").write_text("")
    report = tmp_path / "rank.html"
    said = typed("rank", str(stories / "ferry.txt"), str(stories), "--report", str(report))
    assert "Left out: empty.txt." in said
    assert said.index("kite.txt") < said.index("rumor.txt")
    assert "ferry.txt" not in said.replace("Sources for ferry", "")
    assert "too few texts to say how AS is distributed" in report.read_text()
    assert said.count("empty.txt") >= 1
    pytest.importorskip("ladybug")
    graphs = f"ladybug:{tmp_path / 'graphs'}"
    told = typed("novelty", str(stories / "ferry.txt"), str(stories), "--graphs", graphs)
    assert "Nearest in structure: kite.txt" in told


def test_skeletons_are_shown_and_written(stories: Path, tmp_path: Path) -> None:
    assert "verb: watch object: wind" in typed("skeleton", str(stories / "kite.txt"))
    for name in ("kite.yaml", "kite.graphml"):
        file = tmp_path / name
        typed("skeleton", str(stories / "kite.txt"), "-o", str(file))
        assert "proved: no mapping is better" in typed("map", str(file), str(file))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["map", "FERRY", "none.txt"], "none.txt cannot be read"),
        (["map", "FERRY", "FERRY", "--require", "boat"], "a pair is written source=target"),
        (["map", "FERRY", "FERRY", "--require", "boot=boat"], "'boot' is no concept of the source"),
        (["map", "FERRY", "FERRY", "--senses", "best"], "common, first, all are known"),
        (["map", "FERRY", "FERRY", "--semantics", "-1"], "from 0 to 1000"),
        (["map", "FERRY", "FERRY", "--part", "title"], "The part 'title' is unknown"),
        (["map", "FERRY", "FERRY", "--part", "abstract"], "has no abstract"),
        (["skeleton", "FERRY", "-o", "ferry.txt"], "to a file .yaml or .graphml"),
        (["evaluate", "plagiarism", "FOLDER"], "file_information.csv cannot be read"),
        (["evaluate", "translation", "apertium:spanish"], "is no translator"),
        (["evaluate", "translation", "openai:gpt"], "is no translator"),
        (["categories", "train", "FERRY"], "columns sentence and category are needed"),
    ],
)
def test_what_cannot_be_is_one_sentence(stories: Path, words: list[str], sentence: str) -> None:
    names = {"FERRY": str(stories / "ferry.txt"), "FOLDER": str(stories)}
    with pytest.raises(MensuraError, match=sentence):
        RUNNER.invoke(app, [names.get(one, one) for one in words], catch_exceptions=False)


# Evaluations


def test_clones_are_all_found_equal(tmp_path: Path) -> None:
    data = tmp_path / "clones.json"
    typed("evaluate", "clones", "--count", "4", "--nodes", "60", "--seed", "1", "--json", str(data))
    assert [one["optimal"] for one in json.loads(data.read_text())] == [4, 4]


def test_there_are_18_stories_of_100_to_300_words_in_pairs() -> None:
    assert [len(both) for both in story_pairs().values()] == [2] * 9
    assert all(100 <= len(text.split()) <= 300 for text in stories_of().values())


@pytest.mark.thorough
def test_translators_that_change_less_keep_more_structure(tmp_path: Path) -> None:
    same = f"{sys.executable} -c 'import sys; sys.stdout.write(sys.stdin.read())'"
    spoil = """import sys; sys.stdout.write(sys.stdin.read().replace("boat", "thing").replace(" the", " to"))"""
    worse = f"{sys.executable} -c '{spoil}'"
    data, report = tmp_path / "t.json", tmp_path / "t.html"
    said = typed(
        "evaluate", "translation", f"cmd:{same}|{same}", f"cmd:{same}|{worse}", "cmd:false|cat", "--stories", "3",
        "--json", str(data), "--report", str(report),
    )  # fmt: skip
    found = json.loads(data.read_text())
    first, second, third = found["translators"].values()
    assert first["AS"] == [1.0] * 3
    assert max(second["AS"]) < 1.0
    assert third["AS"] == []
    assert "are in the expected order" in said
    assert "It failed three times in a row" in said
    assert "<svg" in report.read_text()


@pytest.fixture
def plagiarism(tmp_path: Path) -> Path:
    """A small corpus of our own in the form of the published one."""
    folder = tmp_path / "plagiarism"
    folder.mkdir()
    texts = stories_of()
    source, other = texts["the lake"], texts["the key"]
    parts = source.split(". ")
    kinds = {
        "orig_taska.txt": ("orig", source),
        "g0_taska.txt": ("cut", ". ".join(parts[:-1])),
        "g1_taska.txt": ("light", source.replace("pike", "perch").replace("people", "citizens")),
        "g2_taska.txt": ("heavy", ". ".join([*parts[:4], *other.split(". ")[:5]])),
        "g3_taska.txt": ("non", other),
    }
    lines = ["File,Task,Category"]
    for name, (kind, text) in kinds.items():
        (folder / name).write_text(text)
        lines.append(f"{name},a,{kind}")
    (folder / "file_information.csv").write_text("\n".join(lines))
    return folder


@pytest.mark.thorough
def test_scores_fall_with_the_level_of_plagiarism(
    stories: Path, plagiarism: Path, tmp_path: Path
) -> None:
    data, report = tmp_path / "p.json", tmp_path / "p.html"
    typed(
        "evaluate", "plagiarism", str(plagiarism), "--seed", "1", "--json", str(data), "--report", str(report)
    )  # fmt: skip
    found = {one["score"]: one for one in json.loads(data.read_text())["trends"]}
    assert set(found) == {"S", "J", "AS", "TF-IDF", "LSA"}
    assert found["AS"]["medians"][0] > found["AS"]["medians"][2] > found["AS"]["medians"][3]
    assert "<svg" in report.read_text()


def test_a_table_of_plagiarism_that_is_wrong_is_named_with_its_line(
    stories: Path, plagiarism: Path
) -> None:
    table = plagiarism / "file_information.csv"
    table.write_text(table.read_text().replace("a,heavy", "a,strong"))
    with pytest.raises(MensuraError, match="line 5: the category 'strong' is none of"):
        RUNNER.invoke(app, ["evaluate", "plagiarism", str(plagiarism)], catch_exceptions=False)


@pytest.mark.thorough
def test_triples_are_read_as_the_developers_annotated_them(tmp_path: Path) -> None:
    data = tmp_path / "t.json"
    said = typed("evaluate", "triples", "--json", str(data))
    found: Any = json.loads(data.read_text())
    assert "annotated by the developers" in said
    assert found["precision"] > 0.85
    assert found["recall"] > 0.8


# Categories


def test_categories_are_trained_and_read(stories: Path, tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    labelled, model = tmp_path / "labelled.csv", tmp_path / "c.npz"
    rows = ["sentence,category"]
    for k in range(10):
        rows.append(f"We propose a new method number {k} for rivers,Approach")
        rows.append(f"Previous work on topic {k} was slow,Background")
        rows.append(f"Results show gains of {k} percent,Outcome")
    labelled.write_text("\n".join(rows))
    said = typed("categories", "train", str(labelled), "-o", str(model))
    assert "30 sentences, 3 categories; 100% right in 5-fold cross-validation, 33% if" in said
    text = tmp_path / "a.txt"
    text.write_text(
        "We propose a method for the boats of the town. Results show the gains of the method."
    )
    told = typed("categories", "read", str(text), "--model", str(model))
    assert told.index("Approach") < told.index("Outcome")
    shown = typed("skeleton", str(text), "--categories", str(model))
    assert "category: Approach" in shown
    assert "category: Outcome" in shown
    with pytest.raises(MensuraError, match="is no classifier"):
        RUNNER.invoke(
            app, ["categories", "read", str(text), "--model", str(labelled)], catch_exceptions=False
        )


def test_a_study_of_ratings_is_written_whole_or_not_at_all(stories: Path, tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    pair = f"{stories / 'ferry.txt'}={stories / 'kite.txt'}"
    for wrong, sentence in (
        (["ferry.txt"], "a pair is written SOURCE=TARGET"),
        ([pair, pair], "named twice"),
        ([pair, "--name", "no name"], "name"),
        ([pair, "--part", "middle"], "middle"),
        ([f"{stories / 'ferry.txt'}={stories / 'none.txt'}"], "cannot be read"),
    ):
        with pytest.raises(MensuraError, match=sentence):
            RUNNER.invoke(app, ["ratings", "make", *wrong, "-o", str(file)], catch_exceptions=False)
        assert not file.exists()
    said = typed("ratings", "make", pair, "-o", str(file), "--seed", "3")
    assert "ferry and kite:" in said
    study = study_from_text(file.read_text())
    assert study.people is not None
    assert (study.seed, study.people.design) == (3, "within")
