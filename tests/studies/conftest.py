"""A world in plain Python, registered as an installed package would register it, for studies in other processes."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

ENTRY = """\
[mensura.worlds]
line-v3 = tests.adapters.worlds:LineWorld
"""


@pytest.fixture(scope="module")
def plain_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a world that a process plays without importing Numba, here and in what is started meanwhile."""
    folder = tmp_path_factory.mktemp("installed")
    package = folder / "line-3.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: line\nVersion: 3\n")
    (package / "entry_points.txt").write_text(ENTRY)
    paths = [str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(folder)])
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        yield "line-v3"
