"""Assess an agent of your own from Python: its score with a 95% interval, beside a random subject's."""

from my_agent import MyAgent

from mensura.assessments.battery import Battery
from mensura.core.players import InProcess
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_star.world import LambdaStar

world = LambdaStar(rows=10, cols=10, subjects=5, horizon=50)
people = [InProcess("my-agent", MyAgent), resolve("random", world)]
result = run(world, people, Battery(100, spread=(2, 23)), seed=1)
for one in result.subjects:
    print(f"{one.subject:10} {one.score.value:+.3f} [{one.score.low:+.3f}, {one.score.high:+.3f}]")
