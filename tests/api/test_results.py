"""What a result shows: in a notebook, in a terminal, as a frame, a figure, a report, data."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mensura as ms
from mensura.api.results import ranking
from mensura.records.results import SubjectResult
from mensura.statistics.moments import Moments


def test_a_terminal_shows_a_table_with_intervals(result: ms.Result) -> None:
    lines = str(result).splitlines()
    assert lines[0].startswith("Scores on echo-v1: mean reward")
    assert lines[1].split() == ["subject", "score", "95%", "interval", "episodes"]
    assert lines[3].startswith("q-learning")
    assert "seed 1" in lines[-1]
    assert repr(result) == str(result)


def test_a_notebook_shows_the_same_table(result: ms.Result) -> None:
    html = result._repr_html_()
    assert html.count("<tr>") == 3
    assert '<td style="text-align:left">q-learning</td>' in html
    assert "ran inside the Python process" in html


def test_names_cannot_write_html_or_command_a_terminal(my_agent: Any) -> None:
    label = "<script>alert(1)</script>&\"'"
    result = ms.assess({label: my_agent}, "echo", "battery", episodes=2, seed=1)
    html = result._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#x27;" in html
    from mensura.api.tables import Table

    table = Table("a\x1b[2J", [("b\x1b", False)], [["c\nd"]])
    assert "\x1b" not in table.text() + table.html()
    assert table.text().splitlines()[-1] == "c\\nd"


def test_frames_hold_scores_and_sittings(
    result: ms.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = result.frame()
    assert isinstance(frame, pandas.DataFrame)
    assert set(frame.subject) == {"MyAgent", "q-learning"}
    assert len(result.frame("sittings")) == 24
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame = result.frame()
    assert isinstance(frame, polars.DataFrame)
    assert frame["score"].to_list() == [row["score"] for row in result.rows()]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ms.MensuraError, match=r"pandas or polars: pip install 'mensura\[data\]'"):
        result.frame()
    with pytest.raises(ms.MensuraError, match="it is 'scores' or 'sittings'"):
        result.frame("episodes")


def test_a_plot_is_a_figure_that_a_notebook_shows(
    result: ms.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = pytest.importorskip("matplotlib.figure")
    plot = result.plot()
    assert isinstance(plot, figure.Figure)
    (axes,) = plot.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["q-learning", "MyAgent"]
    assert plot._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    with pytest.raises(ms.MensuraError, match=r"pip install 'mensura\[report\]'"):
        result.plot()


@pytest.mark.usefixtures("words_only")
def test_a_report_is_written_with_the_first_environment_also_of_a_notebooks_agent(
    result: ms.Result, tmp_path: Path
) -> None:
    page = result.report(str(tmp_path / "r.html")).read_text()
    assert "MyAgent" in page
    assert "The first environment" in page
    assert "ran inside the Python process" in page


def test_data_can_be_written_as_json(result: ms.Result) -> None:
    data = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert data["seed"] == 1
    assert [row["subject"] for row in data["scores"]] == ["MyAgent", "q-learning"]


def test_scores_that_are_not_a_subjects_own_come_last_and_are_told() -> None:
    class Silent:
        def act(self, observation: Any, reward: float) -> None:
            return None

    made = {"silent": lambda: Silent(), "random": "random"}
    result = ms.assess(made, "echo", "battery", episodes=5, seed=1)
    assert [(one.label, one.valid) for one in result.scores] == [
        ("random", True),
        ("silent", False),
    ]
    assert "silent (invalid)" in str(result)
    assert "No valid score: silent." in str(result)
    assert "by default" in str(result)
    only = ms.assess({"silent": lambda: Silent()}, "echo", "battery", episodes=2, seed=1)
    with pytest.raises(ms.MensuraError, match="There is no valid score to draw"):
        only.plot()


def test_a_score_that_is_not_a_subjects_own_comes_last_however_high_it_is() -> None:
    high, low = Moments.of(np.array([0.8, 0.9])), Moments.of(np.array([0.1, 0.2]))
    invalid = SubjectResult("lucky", moments=high, actions=10, defaults=10)
    valid = SubjectResult("honest", moments=low, actions=10)
    assert ranking([invalid, valid]) == [valid, invalid]


def test_several_conditions_are_told_apart() -> None:
    study = ms.Study.from_plain(
        {
            "mensura": 1,
            "name": "two",
            "seed": 1,
            "subjects": ["random"],
            "worlds": ["echo", {"world": "echo", "preset": "long"}],
            "assessments": [{"assessment": "battery", "parameters": {"episodes": 2}}],
        }
    )
    result = study.run()
    assert [one.condition for one in result.scores] == ["echo", "echo, long"]
    assert str(result).splitlines()[1].split()[0] == "condition"
    assert len(result.plot().axes[0].get_yticklabels()) == 2
