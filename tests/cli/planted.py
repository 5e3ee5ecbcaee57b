"""A folder with an agent, and beside it a module of every name that Mensura might import; commands typed in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import packages_distributions
from pathlib import Path

from mensura.core.interpreter import import_path

PLANTED = """
import os
open(os.path.join({marks!r}, {name!r}), "w").close()
raise ImportError("this is not the module that you want")
"""

AGENT = """
class Still:
    def act(self, observation, reward):
        return 5
"""

STUDY = """
mensura: 1
name: planted
seed: 1
worlds: [{world: lambda-star, parameters: {rows: 4, cols: 4, subjects: 2, horizon: 5}}]
subjects:
  - {subject: random}
  - {subject: "my_agent.py:Still", name: by file}
  - {subject: "my_module:Still", name: by module}
  - {subject: "my_module:Still", name: inside, in_process: true}
assessments: [{assessment: battery, parameters: {episodes: 2}}]
"""

SCRIPT = "import sys; sys.path[:] = {}; {}"
"""A program that finds modules as the script `mensura` does, which has its own folder first on its path."""

TYPING = """
from mensura.cli.main import main
for words in {commands!r}:
    sys.argv = ["mensura", *words]
    try:
        main()
    except SystemExit as end:
        if end.code not in (None, 0, 1):  # 1: a check that found something
            raise SystemExit(f"{{words}} ended with status {{end.code}}")
"""


class Planted:
    """The folder. A module that is executed leaves a mark."""

    def __init__(self, parent: Path) -> None:
        self.folder = parent / "folder"
        self.marks = parent / "marks"
        self.marks.mkdir()
        self.folder.mkdir()
        names = sys.stdlib_module_names | packages_distributions().keys()
        for name in names | {"sitecustomize", "usercustomize"}:
            self.plant(name)
        (self.folder / "my_agent.py").write_text(AGENT)
        (self.folder / "my_module.py").write_text(AGENT)
        (self.folder / "study.yaml").write_text(STUDY)
        # Numba would read this, and the code that lies in such a cache.
        (self.folder / ".numba_config.yaml").write_text(f"cache_dir: {self.marks}\nopt: '0'\n")

    def plant(self, name: str) -> None:
        """Put a module there."""
        text = PLANTED.format(marks=str(self.marks), name=name)
        (self.folder / f"{name}.py").write_text(text)

    def run(self, program: str) -> str:
        """Execute a program, which finds modules as the script `mensura` does; what it printed."""
        return self.start(["-P", "-c", SCRIPT.format(import_path(), program)])

    def type(self, *commands: str) -> str:
        """Type commands, one after the other; what they printed."""
        return self.run(TYPING.format(commands=[command.split() for command in commands]))

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str] | None = None,
        said: str = "",
        status: int = 0,
    ) -> str:
        """Start Python in the folder, tell it something on its standard input; what it printed."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            input=said,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout

    def executed(self) -> list[str]:
        """Which of the modules were executed."""
        return sorted(one.name for one in self.marks.iterdir())
