"""Files beside an agent: whatever they are called, nothing of ours executes them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.planted import Planted

from mensura.core.interpreter import our_python

COMMANDS = (
    "--version",
    "assess my_agent.py:Still my_module:Still random --world lambda-star --grid 4x4 --iterations 5"
    " --assessment battery --episodes 2 --name first --store runs.db --json table.json --rows rows.csv",
    "assess my_agent.py:Still --in-process --world lambda --assessment battery --episodes 2 --iterations 5",
    "study check study.yaml",
    "study run study.yaml --executor threads --workers 1 --store runs.db",
    "study run study.yaml --executor processes --workers 1 --store second.db",
    "study resume planted --store runs.db",
    "runs list --store runs.db",
    "runs show planted --store runs.db",
    "runs export planted --store runs.db --output rows",
    "replay planted 0 --store runs.db",
    "report planted --store runs.db --output report.html",
    "compare planted --store runs.db",
    "runs delete first --yes --store runs.db",
    "watch my_agent.py:Still --world lambda-star --grid 4x4 --iterations 3 --pause 0",
    "worlds show lambda",
    "agents list",
    "agents check my_agent.py:Still",
    "assessments",
    "reproduce",
    "tasks list",
    "tasks operations",
    "tasks show car-race",
    "tasks copy car-race -o task.yaml",
    "tasks check task.yaml",
    "tasks change car-race add-noise distortion=2 -o foggy.yaml",
    "tasks properties car-race",
    "analyze estimate car-race",
    "analyze distance car-race parking",
    "assess sarsa --world framotec --assessment attempts --with attempts=2 --with sittings=1 --training 0 --keep lives",
    "agents ages lives",
)

LONGER = (
    "study shipped",
    "study copy emergence",
    "worlds list",
    "worlds parameters lambda",
    "study status planted --store runs.db",
    "demo",
    "agents isolation",
    "reproduce coverage --episodes 2",
)
"""At full size."""

ON_THE_WEB = """
import asyncio
from mensura.core import compiled
from mensura.web import readings
from mensura.web.apart import Apart
from mensura.web.jobs import Jobs
from mensura.web.settings import Settings

jobs = Jobs(Settings(store="served.db"))
text = open("study.yaml").read().split("\\nsubjects:")[0]
text += "\\nsubjects: [random]\\nassessments: [battery]\\n"
print(jobs.check(text)["name"])
apart = Apart()
print("standings", asyncio.run(apart(readings.leaderboard, "served.db")))
apart.close()
print("level", int(compiled.config.OPT))
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    return Planted(tmp_path_factory.mktemp("planted"))


@pytest.mark.thorough
@pytest.mark.long
def test_no_command_executes_a_file_beside_an_agent(planted: Planted, full_size: bool) -> None:
    planted.type(*COMMANDS, *(LONGER if full_size else ()))
    assert planted.executed() == []


@pytest.mark.slow
def test_no_worker_of_ray_executes_a_file_beside_an_agent(planted: Planted) -> None:
    said = planted.type("study run study.yaml --executor ray --workers 1 --store ray.db")
    assert "by module" in said
    assert planted.executed() == []


@pytest.mark.thorough
def test_no_process_of_the_server_executes_a_file_beside_an_agent(planted: Planted) -> None:
    lines = planted.run(ON_THE_WEB).splitlines()
    assert lines == ["planted", "standings []", "level 3"]
    assert planted.executed() == []


def test_python_started_with_a_module_leaves_the_current_folder_out(tmp_path: Path) -> None:
    planted = Planted(tmp_path)
    needed = planted.start(["-I", "-c", "import runpy, sys; print(*sys.modules)"]).split()
    for name in (
        "mensura",
        *needed,
    ):  # Python itself takes them before it comes to anything of ours
        (planted.folder / f"{name}.py").unlink(missing_ok=True)
    planted.start(["-m", "mensura.cli.main", "worlds", "list"])
    assert planted.executed() == []


@pytest.mark.thorough
def test_the_variables_of_python_do_not_reach_what_we_start(planted: Planted) -> None:
    program = our_python("mensura.web.study_process")[1:]
    variables = {"PYTHONPATH": str(planted.folder), "PYTHONHOME": "/nowhere", "PYTHONINSPECT": "1"}
    done = planted.start(
        program, variables, said='{"do": "check", "text": "1", "place": "x"}', status=2
    )
    assert "error" in done
    assert planted.executed() == []
