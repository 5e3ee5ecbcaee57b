"""Assess an agent of your own from Python: its score with a 95% interval, beside a random subject's."""

from my_agent import MyAgent

import mensura as ms

# Inside this process, which is faster; without in_process it has one of its own, isolated from yours.
subjects = {"my-agent": MyAgent, "random": "random"}
result = ms.assess(subjects, "lambda", budget=3_000, seed=1, in_process=True)
for one in result.scores:
    print(f"{one.label:10} {one.score:+.3f} [{one.low:+.3f}, {one.high:+.3f}]")
