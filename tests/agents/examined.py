"""What a cheat comes to, as JSON, for a process of its own:

python -m tests.agents.examined [no-namespaces] [no-isolation]
"""

import json
import sys
from dataclasses import asdict

from mensura.agents.isolation.examination import examine

if __name__ == "__main__":
    found = examine(
        namespaces="no-namespaces" not in sys.argv,
        isolation="no-isolation" not in sys.argv,
        guessing=0.05,  # which has tests of its own
    )
    sys.stdout.write(json.dumps([asdict(one) for one in found]))
