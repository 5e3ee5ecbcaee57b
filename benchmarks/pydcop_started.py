"""Starts pyDCOP 0.1.1 on a Python and libraries newer than it: names that have moved are put back where it looks.

    PYTHON benchmarks/pydcop_started.py solve --algo dpop FILE

PYTHON is that of an environment with ``pip install pydcop "numpy<2"``. Nothing of what it computes is changed.
"""

import collections
import collections.abc
import shutil
import sys
import types
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import pulp  # type: ignore[import-not-found]
import yaml  # type: ignore[import-untyped]

for _name in ("Callable", "Iterable", "Mapping", "Sequence"):
    setattr(collections, _name, getattr(collections.abc, _name))
np.asscalar = lambda one: one.item()  # type: ignore[attr-defined]
_solvers: Any = types.ModuleType("pulp.solvers")
_solvers.GLPK_CMD = pulp.GLPK_CMD
sys.modules["pulp.solvers"] = _solvers
_load = yaml.load
yaml.load = lambda text, Loader=yaml.FullLoader: _load(text, Loader=Loader)

if __name__ == "__main__":
    _program = shutil.which("dcop.py", path=str(Path(sys.executable).parent))
    if _program is None:
        sys.exit(
            "This Python has no pyDCOP: pip install pydcop 'numpy<2' in an environment of its own."
        )
    sys.argv[0] = _program
    run_path(_program, run_name="__main__")
