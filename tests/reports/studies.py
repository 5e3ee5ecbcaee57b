"""Studies for tests: results and samples that belong together, with known scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mensura.agent.keys import key
from mensura.records.results import RunResult, StudyResult, SubjectResult
from mensura.statistics.moments import Grouped, Histogram, Moments
from mensura.statistics.sample import Sample

MEANS = {"strong": 0.7, "middling": 0.4, "weak": 0.0}


def condition(
    title: str,
    means: Mapping[str, float] = MEANS,
    episodes: int = 40,
    repetitions: int = 1,
    training: int = 0,
    **fields: Any,
) -> tuple[RunResult, list[Sample]]:
    """One condition: subjects with these means, on environments that are as hard for one as for another."""
    subjects, samples = [], []
    hard = np.random.default_rng(key(1, title)).normal(0, 0.05, episodes * repetitions)
    for name, mean in means.items():
        rng = np.random.default_rng(key(2, title, name))
        scores = (mean + hard + rng.normal(0, 0.05, len(hard))).clip(-1, 1)
        complexity = rng.integers(2, 8, len(hard))
        run = np.repeat(np.arange(repetitions), episodes)
        curve = np.tile(np.arange(training + 1), 10) if training else np.empty(0, np.int64)
        subjects.append(
            SubjectResult(
                name,
                **{
                    "summary": f"it is {name}",
                    "training": training,
                    "moments": Moments.of(scores),
                    "by_complexity": Grouped().add(complexity, scores),
                    "histogram": Histogram.even(-1.0, 1.0, 80).add(scores),
                    "learning": Grouped().add(curve, mean * curve / max(training, 1)),
                    "interactions": 100 * episodes,
                    "seconds": 0.25,
                    "repetitions": tuple(float(scores[run == i].mean()) for i in range(repetitions))
                    if repetitions > 1
                    else (),
                    **fields,
                },
            )
        )
        samples.append(
            Sample(
                name,
                scores,
                np.arange(len(scores), dtype=np.uint64),
                run,
                complexity.astype(np.float64),
                title,
            )
        )
    result = RunResult(
        title=title,
        world="lambda-star-v2",
        world_parameters={"rows": 7, "cols": 9},
        assessment={"name": "battery", "episodes": episodes, "measure": "K", "spread": (2, 7)},
        seed=99,
        subjects=tuple(subjects),
        started="2026-01-02T03:04:05+00:00",
        seconds=3.0,
        version="0.1.0",
        machine="a machine",
    )
    return result, samples


def study(
    conditions: Sequence[tuple[RunResult, list[Sample]]],
    levels: Sequence[Mapping[str, str]] = (),
    **fields: Any,
) -> tuple[StudyResult, list[Sample]]:
    """A run of these conditions with their samples."""
    done = sum(one.moments.count for result, _ in conditions for one in result.subjects)
    result = StudyResult(
        **{
            "name": "trial",
            "title": "A trial of reports",
            "status": "finished",
            "conditions": tuple(result for result, _ in conditions),
            "levels": tuple(levels),
            "study": {"mensura": 1, "name": "trial", "seed": 99},
            "seed": 99,
            "sittings": done,
            "done": done,
            "commit": "0123abc",
            "versions": {"mensura": "0.1.0", "numpy": "2.2"},
            "machine": "a machine",
            "started": "2026-01-02T03:04:05+00:00",
            "ended": "2026-01-02T03:04:08+00:00",
            "seconds": 3.0,
            **fields,
        }
    )
    return result, [sample for _, samples in conditions for sample in samples]


def grid() -> tuple[StudyResult, list[Sample]]:
    """Two crossed factors: size matters, color does not."""
    conditions, levels = [], []
    for size, gain in (("small", 0.0), ("large", 0.2)):
        for color in ("red", "blue"):
            means = {name: mean + gain for name, mean in MEANS.items()}
            conditions.append(condition(f"world, {size}, {color}", means))
            levels.append({"size": size, "color": color})
    factors = [{"name": "size", "axis": "side [cells]"}, {"name": "color"}]
    return study(conditions, levels, study={"mensura": 1, "name": "trial", "factors": factors})
