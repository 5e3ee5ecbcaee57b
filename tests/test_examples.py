"""Every example runs as a newcomer would run it, and says what the README says."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
SCORE = re.compile(r"^(\S.*?) +([+-]\d\.\d{3}) \[([+-]\d\.\d{3}), ([+-]\d\.\d{3})\]$", re.MULTILINE)


def output_of(program: str, *arguments: str, there: Path = EXAMPLES) -> str:
    """What a program prints, run in a folder with warnings as errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / program), *arguments],
        cwd=there,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def scores_in(text: str) -> dict[str, tuple[float, float, float]]:
    """The printed scores with their intervals, by subject."""
    return {name: (float(a), float(b), float(c)) for name, a, b, c in SCORE.findall(text)}


def test_every_example_is_tried_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert all(path.name in text for path in EXAMPLES.glob("*.*") if path.is_file())


def test_my_agent_keeps_the_contract_and_is_the_one_of_the_readme() -> None:
    from mensura.agent.in_process import InProcess
    from mensura.agents.address import load, parse
    from mensura.testing import check_subject
    from mensura.worlds.lambda_class.world import Lambda

    source = EXAMPLES / "my_agent.py"
    agent = load(parse(f"{source}:MyAgent")[0])
    assert check_subject(InProcess("my-agent", agent), Lambda(horizon=12)) == []
    classes = [
        ast.dump(node)
        for text in (source.read_text(encoding="utf-8"), *python_in(ROOT / "README.md"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef) and node.name == "MyAgent"
    ]
    assert len(classes) == 2
    assert classes[0] == classes[1]


@pytest.mark.thorough
def test_my_agent_stands_where_the_readme_says() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    quoted = re.search(r'with `--seed 1`: "(.+?)"', readme)
    assert quoted
    words = ("assess", "my_agent.py:MyAgent", "--seed", "1")
    command = (sys.executable, "-m", "mensura.cli.main", *words)
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=True)
    assert f"my_agent.py:MyAgent is {quoted[1]}." in " ".join(done.stdout.split())


def python_in(page: Path) -> list[str]:
    """The blocks of Python on a page."""
    return re.findall(r"^```python.*?\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.slow
def test_an_own_agent_is_assessed_from_python() -> None:
    scores = scores_in(output_of("own_agent_in_python.py"))
    score, low, high = scores["my-agent"]
    assert low < score < high
    assert scores["random"][1] < 0 < scores["random"][2]
    assert low > scores["random"][2]


@pytest.mark.thorough
def test_the_cells_of_the_notebook_run_and_show_what_they_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    book = json.loads((EXAMPLES / "first_steps.ipynb").read_text(encoding="utf-8"))
    assert all(not cell.get("outputs") for cell in book["cells"])
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in book["cells"]:
        if cell["cell_type"] != "code":
            continue
        program = ast.parse("".join(cell["source"]))
        last = program.body.pop() if isinstance(program.body[-1], ast.Expr) else None
        exec(compile(program, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            look = getattr(value, "_repr_png_", None) or getattr(value, "_repr_html_", None)
            shown.append(value if look is None else look())
    worlds, table, figure, frame, comparisons, film, study = shown
    assert "echo-v1" in worlds
    assert "MyAgent" in table
    assert figure.startswith(b"\x89PNG")
    assert "<table" in frame
    assert "local-search minus random" in comparisons
    assert film.startswith('<img src="data:image/svg+xml;base64,')
    assert "q-learning" in study
    assert {path.suffix for path in tmp_path.iterdir()} >= {".html", ".db"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/how-to/assess-your-agent.md",
        "docs/how-to/compare-runs.md",
        "docs/how-to/study-files.md",
        "docs/reference/python.md",
    ],
)
def test_what_a_page_types_in_python_runs(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mensura as ms

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    monkeypatch.delenv("MENSURA_STORE", raising=False)
    small = {
        "budget=10_000": "budget=20, sittings=2",
        "budget=1_000, sittings=8": "budget=20, sittings=2",
    }
    if page.endswith("compare-runs.md"):
        for name in ("my-run", "before", "after"):
            ms.assess(["random", "q-learning"], "echo", "battery", episodes=3, seed=1, name=name)
    if page.endswith("study-files.md"):
        file = "mensura: 1\nname: first\nsubjects: [random]\nworlds: [echo]\n"
        Path("first.yaml").write_text(
            file + "assessments: [{assessment: battery, parameters: {episodes: 2}}]\n"
        )
    blocks = [text for text in python_in(ROOT / page) if "import mensura as ms" in text]
    assert blocks
    for block in blocks:
        for long, short in small.items():
            block = block.replace(long, short)
        exec(compile(block, page, "exec"), {"__name__": "__main__"})
    sys.modules.pop("my_agent", None)


@pytest.mark.thorough
def test_a_group_plays_through_pettingzoo() -> None:
    lines = output_of("pettingzoo_loop.py").splitlines()
    assert [line.partition(":")[0] for line in lines] == [f"subject_{i}" for i in range(5)]
    assert all(line.endswith("over 50 interactions") for line in lines)


@pytest.mark.thorough
def test_ppo_trains_and_is_assessed(full_size: bool) -> None:
    pytest.importorskip("stable_baselines3")
    steps, episodes = ("60000", "100") if full_size else ("1024", "5")
    out = output_of("ppo_on_lambda_star.py", "--steps", steps, "--episodes", episodes)
    scores = scores_in(out)
    trained = f"PPO, {int(steps):,} steps"
    assert set(scores) == {"PPO, untrained", trained, "random", "local-search", "oracle"}
    if full_size:
        assert scores[trained][1] > scores["PPO, untrained"][2]


@pytest.mark.thorough
def test_ppo_trains_on_a_device(full_size: bool, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    seconds = "20" if full_size else "1"
    given = "--seconds", seconds, "--envs", "64", "-o", str(tmp_path / "ppo.svg")
    out = output_of("ppo_on_a_gpu.py", *given, there=tmp_path)
    assert re.search(r"^cpu, 64 environments: [\d,]+ interactions in", out)
    assert (tmp_path / "ppo.svg").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.thorough
def test_ppo_learns_the_car_race(full_size: bool) -> None:
    pytest.importorskip("stable_baselines3")
    steps, attempts = ("100000", "20") if full_size else ("2048", "2")
    out = output_of("ppo_on_framotec.py", "--steps", steps, "--attempts", attempts)
    found = re.findall(r"^(\S.*?) +solved +(\d+)%", out, re.MULTILINE)
    solved = {name: int(share) for name, share in found}
    trained = f"PPO, {int(steps):,} steps"
    assert set(solved) == {"PPO, untrained", trained, "random", "plotter", "pid", "coasting"}
    assert solved["plotter"] == solved["pid"] == solved["coasting"] == 100
    if full_size:
        assert solved[trained] == 100


@pytest.mark.thorough
def test_ppo_is_trained_at_obstacles_and_tested_at_gaps(full_size: bool) -> None:
    pytest.importorskip("stable_baselines3")
    steps, episodes = ("100000", "20") if full_size else ("2048", "1")
    out = output_of("ppo_on_pagi.py", "--steps", steps, "--episodes", episodes)
    found = re.findall(r"^(\S.*?) +untrained +(\d+)% +trained +(\d+)%", out, re.MULTILINE)
    assert [name for name, *_ in found] == ["obstacles", "higher obstacles", "gaps", "wide gaps"]


@pytest.mark.thorough
def test_models_are_trained_saved_and_assessed_by_their_files(
    full_size: bool, tmp_path: Path
) -> None:
    pytest.importorskip("stable_baselines3")
    steps, episodes = ("60000", "100") if full_size else ("600", "3")
    out = output_of("sb3_models.py", "--steps", steps, "--episodes", episodes, there=tmp_path)
    for name in ("sb3:ppo.zip?rescale=true", "sb3:dqn.zip?rescale=true", "local-search", "random"):
        assert f"│ {name} " in out
    assert "fault" not in out
    assert {path.name for path in tmp_path.iterdir()} == {"ppo.zip", "dqn.zip"}


@pytest.mark.thorough
def test_a_group_is_trained_through_pettingzoo_and_assessed(
    full_size: bool, tmp_path: Path
) -> None:
    pytest.importorskip("stable_baselines3")
    steps, episodes = ("120000", "100") if full_size else ("600", "3")
    out = output_of(
        "group_on_lambda_star.py", "--steps", steps, "--episodes", episodes, there=tmp_path
    )
    assert "│ sb3:group.zip " in out
    assert "fault" not in out


@pytest.mark.thorough
@pytest.mark.parametrize(
    "page", ["docs/how-to/gymnasium-and-pettingzoo.md"], ids=lambda page: Path(page).stem
)
def test_the_code_on_a_page_runs(page: str, tmp_path: Path) -> None:
    """Block after block in one program, as a reader would type them."""
    program = tmp_path / "page.py"
    program.write_text("\n".join(python_in(ROOT / page)), encoding="utf-8")
    output_of(str(program))
