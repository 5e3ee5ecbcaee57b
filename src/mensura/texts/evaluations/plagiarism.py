"""Answers at four levels of plagiarism, from near copy to none (Clough and Stevenson 2011): does the score fall?"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mensura.agent.errors import MensuraError
from mensura.agent.keys import Key, key
from mensura.texts.corpus import BRIEFLY, kept_or_made
from mensura.texts.mapping import Options, map_skeletons
from mensura.texts.word_vectors import latent, tf_idf

if TYPE_CHECKING:
    from mensura.texts.graph_stores import SkeletonStore

LEVELS = ("cut", "light", "heavy", "non")
"""Near copy, light revision, heavy revision, not plagiarized: as the published table calls them."""
TABLE = "file_information.csv"
RESAMPLES = 1_000


class Answer(NamedTuple):
    """One answer with its scores."""

    file: str
    task: str
    level: int
    """Its place in LEVELS."""
    scores: dict[str, float]


class Trend(NamedTuple):
    """How one score goes with the level."""

    score: str
    medians: tuple[float, ...]
    tau: float
    """Kendall's tau-b between score and level, positive where less is copied with a lower score."""
    low: float
    high: float


def read_table(folder: Path) -> list[tuple[str, str, str]]:
    """File, task and level of each text; MensuraError where the table cannot be used."""
    path = folder / TABLE
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error):
        raise MensuraError(
            f"{path} cannot be read; a corpus of plagiarism has that table with File, Task and Category."
        ) from None
    found = []
    for number, row in enumerate(rows, 2):
        try:
            file, task, level = (row[name].strip() for name in ("File", "Task", "Category"))
        except (KeyError, AttributeError):
            raise MensuraError(
                f"{path}, line {number}: File, Task and Category are needed."
            ) from None
        if level not in (*LEVELS, "orig"):
            known = ", ".join((*LEVELS, "orig"))
            raise MensuraError(f"{path}, line {number}: the category {level!r} is none of {known}.")
        if Path(file).name != file:
            raise MensuraError(f"{path}, line {number}: {file!r} is no name of a file beside it.")
        found.append((file, task, level))
    if {level for _, _, level in found} < {*LEVELS, "orig"}:
        raise MensuraError(
            f"{path} lacks texts of a level; {', '.join((*LEVELS, 'orig'))} are needed."
        )
    return found


def scored(
    folder: Path,
    options: Options = BRIEFLY,
    tell: Callable[[str], None] | None = None,
    store: SkeletonStore | None = None,
) -> tuple[list[Answer], dict[str, str]]:
    """All answers with their scores against their source, also by yardsticks; and what was left out, with why."""
    rows = read_table(folder)
    texts: dict[str, str] = {}
    skeletons: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    for number, (file, _, _) in enumerate(rows, 1):
        if tell:
            tell(f"{number} of {len(rows)}: {file}")
        try:
            texts[file] = (folder / file).read_bytes().decode("utf-8", "replace")
            skeletons[file] = kept_or_made(texts[file], Path(file).stem, store)
        except OSError as error:
            left_out[file] = f"{file} cannot be read: {error.strerror}."
        except MensuraError as error:
            left_out[file] = str(error)
    sources = {task: file for file, task, level in rows if level == "orig"}
    names = list(skeletons)
    words = tf_idf([texts[name] for name in names])
    spaces = {"TF-IDF": words, "LSA": latent(words)}
    place = {name: k for k, name in enumerate(names)}
    answers = []
    for file, task, level in rows:
        source = sources.get(task, "")
        if level == "orig" or file not in skeletons or source not in skeletons:
            continue
        found = map_skeletons(skeletons[source], skeletons[file], options)
        scores = {"S": found.semantic, "J": found.jaccard, "AS": found.score}
        for name, table in spaces.items():
            scores[name] = float(table[place[file]] @ table[place[source]])
        answers.append(Answer(file, task, LEVELS.index(level), scores))
    if {one.level for one in answers} != set(range(len(LEVELS))):
        raise MensuraError(f"{folder}: of some level no text could be used.")
    return answers, left_out


def trends(answers: Sequence[Answer], seed: Key) -> list[Trend]:
    """How each score goes with the level, with 95% intervals by resampling answers."""
    levels = np.array([one.level for one in answers])
    rng = np.random.default_rng(key(seed, "plagiarism"))
    draws = rng.integers(len(answers), size=(RESAMPLES, len(answers)))
    found = []
    for name in answers[0].scores:
        values = np.array([one.scores[name] for one in answers])
        taus = np.array([_tau(values[some], levels[some]) for some in draws])
        low, high = np.nanpercentile(taus, [2.5, 97.5])
        medians = tuple(float(np.median(values[levels == k])) for k in range(len(LEVELS)))
        found.append(Trend(name, medians, _tau(values, levels), float(low), float(high)))
    return found


def _tau(values: Any, levels: Any) -> float:
    from scipy.stats import kendalltau

    return float(-kendalltau(values, levels).statistic)
