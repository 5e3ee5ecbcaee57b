"""Write the shipped calibrations of the adaptive test: ``python benchmarks/calibrate.py``, for minutes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import mensura.assessments
from mensura.assessments.calibration import SHIPPED, entry
from mensura.core.registry import WORLDS

COMMAND = "python benchmarks/calibrate.py"
WORLDS_SHIPPED = ("lambda-v1",)


def main() -> None:
    """Calibrate each world as it is by default, by each of its measures."""
    entries = []
    for name in WORLDS_SHIPPED:
        world = WORLDS.load(name)()
        for measure in world.measures:
            print(f"{name}: {measure}")
            entries.append(entry(world, measure))
    text = json.dumps({"command": COMMAND, "calibrations": entries}, indent=1)
    # The numbers of a list stand on one line.
    text = re.sub(r"\[([-\d.,e\s]+)\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    path = Path(mensura.assessments.__file__).with_name(SHIPPED)
    path.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
