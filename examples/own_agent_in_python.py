"""Assess an agent of your own from Python: its score with a 95% interval, beside a random subject's."""

from my_agent import MyAgent

from mensura.assessments.anytime import Anytime
from mensura.core.players import InProcess
from mensura.studies.runner import run
from mensura.studies.subjects import resolve
from mensura.worlds.lambda_class.world import Lambda

world = Lambda()
people = [InProcess("my-agent", MyAgent), resolve("random", world)]
result = run(world, people, Anytime(interactions=3_000), seed=1)
for one in result.subjects:
    print(f"{one.subject:10} {one.score.value:+.3f} [{one.score.low:+.3f}, {one.score.high:+.3f}]")
