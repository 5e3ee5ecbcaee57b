"""Every command of the README and the docs works as it is printed, from the folder where a reader would type it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.agents.language_model.server import Server
from tests.readers import ROOT, Begun, Line, Reader, lines, pages
from tests.web.test_people import new_study

from mensura.api import leaderboard_entry, profile_sizes, robustness
from mensura.api.profile_sizes import Size
from mensura.studies import runs
from mensura.web.people.live import Given
from mensura.web.people.studies import People

TWO_TERMINALS = "two programs that wait for each other: tests/cli/test_listening.py"
CLUSTER = "needs a cluster: tests/studies/test_ray_cluster.py"
ADAPTIVE = "calibrates for long: tests/assessments/test_adaptive.py"
INSPECT = "needs inspect: tests/adapters/test_inspect.py"
SERVED = "needs their service, or weights: tests/agents/language_model/services"
SB3 = "needs a model: tests/agents/test_sb3.py"

PLAYED = "needs people who played: tests/web/test_people.py, tests/training/test_training.py"
AUTHORS = "needs files that are not ours: tests/training/test_games.py makes some in their layout"
ELSEWHERE = {
    "python3 examples/clients/client.py listen 7001": TWO_TERMINALS,
    "python3 examples/clients/client.py connect 7001": TWO_TERMINALS,
    "mensura assess tcp://127.0.0.1:7001": TWO_TERMINALS,
    "mensura assess tcp://127.0.0.1:7001 --assessment battery --episodes 1000": TWO_TERMINALS,
    "mensura assess --listen 7001": TWO_TERMINALS,
    "mensura assess --listen 0.0.0.0:7001": TWO_TERMINALS,
    "ray start --head --port 6379                  # on the first machine, say 10.0.0.1": CLUSTER,
    "ray start --address 10.0.0.1:6379             # on each of the others": CLUSTER,
    "mensura study run my-study.yaml --executor ray --address 10.0.0.1:6379": CLUSTER,
    "mensura study resume my-study --executor ray --address 10.0.0.1:6379": CLUSTER,
    "mensura study run my-study.yaml --executor ray": "tests/studies/test_executors.py starts Ray",
    "mensura assess pagi://:42209 --world pagi --task catch": "needs a client: tests/worlds/pagi/test_clients.py",
    "mensura pagi watch pagi://:42209 --task catch --episodes 3": "needs a client: tests/web/test_pagi_pages.py",
    "mensura pagi serve --task catch --port 42209": "goes on until Ctrl-C: tests/worlds/pagi/test_free_play.py",
    "mensura checkpoints from-run STUDY --marked -o marked.pool": PLAYED,
    (
        "mensura train dqn --world atari --set game=private_eye --experience run:STUDY --experiences 1M -o "
        "with-people.zip"
    ): PLAYED,
    "mensura reproduce checkpoint-replay-2016 --checkpoints FOLDER --seed 1": AUTHORS,
    (
        "mensura reproduce checkpoint-replay-2016 --checkpoints FOLDER --train --device cuda --seed 1"
    ): AUTHORS,
    "createdb minds": "a program of PostgreSQL",
    "mensura study run my-study.yaml --store postgresql://localhost/minds": "tests/records, on a server of their own",
    "inspect eval mensura/anytime --model openai/MODEL -T budget=200 -T sittings=20": INSPECT,
    "inspect eval mensura/battery --model anthropic/MODEL -T world=lambda-star -T episodes=50": INSPECT,
    "mensura assess anthropic:MODEL random --budget 200 --sittings 10 --max-cost 5": SERVED,
    "mensura assess openai:MODEL --batch --assessment battery --episodes 200 --max-cost 5": SERVED,
    "mensura assess gemini:MODEL random --budget 200 --sittings 10 --max-cost 5": SERVED,
    "mensura profile openai:MODEL --quick --set horizon=10 --seed 1 --report model.html": (
        "needs a service that answers probes: tests/agents/language_model/test_profiled.py"
    ),
    'mensura assess "gguf:model.gguf?max_tokens=24" random --answer json --context 2000 --budget 10': SERVED,
    "mensura assess sb3:ppo.zip --world lambda-star --grid 5x5 --agents 1 --assessment battery": SB3,
    "mensura assess random q-learning sarsa linear --world echo --assessment adaptive --seed 1": ADAPTIVE,
    (
        "mensura assess n-gram random --world items --preset mixed --assessment adaptive --with memory=continuous "
        "--seed 2011 --store people.db --name adaptive-programs"
    ): ADAPTIVE,
}
"""Commands that are not typed here, each with its reason."""

CHECKED = ["mensura", "reproduce", "language-models"]
"""A study of subjects whose abilities are known ends badly where they do not come out, so nobody cuts it down."""

FOLLOWED_ELSEWHERE = {
    "docs/worlds/constraints-problems.md": "tests/worlds/constraints/test_documentation.py",
    "docs/worlds/framotec.md": "tests/worlds/framotec/test_documentation.py",
    "docs/worlds/framotec-analysis.md": "tests/worlds/framotec/test_analysis_documentation.py",
    "docs/worlds/lambda.md": "tests/worlds/lambda_class/test_documentation.py",
    "docs/how-to/add-a-world.md": "tests/api/test_scaffolding.py",
    "docs/how-to/write-a-world.md": "tests/worlds/kit/test_documentation.py",
}
"""Pages whose commands other tests type, and look at what they made."""

DEAR = {
    "README.md",
    "docs/assessments.md",
    "docs/complexity-c-test.md",
    "docs/how-to/analogies-between-texts.md",
    "docs/how-to/assess-a-language-model.md",
    "docs/how-to/assess-any-program.md",
    "docs/how-to/assess-your-agent.md",
    "docs/how-to/checkpoints.md",
    "docs/how-to/choose-a-task.md",
    "docs/how-to/compare-runs.md",
    "docs/how-to/measure-learn-rate.md",
    "docs/how-to/measure-robustness.md",
    "docs/how-to/measure-transfer.md",
    "docs/how-to/measure-understanding.md",
    "docs/how-to/people-and-items.md",
    "docs/how-to/profile-a-subject.md",
    "docs/how-to/read-a-report.md",
    "docs/how-to/records.md",
    "docs/how-to/reproduce-a-paper.md",
    "docs/how-to/study-files.md",
    "docs/how-to/train-in-phases.md",
    "docs/isolation.md",
    "docs/tutorial.md",
    "docs/worlds/analogies.md",
    "docs/worlds/atari.md",
    "docs/worlds/bf.md",
    "docs/worlds/constraints-tutorial.md",
    "docs/worlds/constraints.md",
    "docs/worlds/imitation.md",
    "docs/worlds/items.md",
    "docs/worlds/lambda-star-commons.md",
    "docs/worlds/lambda-star-coverage.md",
    "docs/worlds/lambda-star-emergence.md",
    "docs/worlds/lambda-star-heterogeneous.md",
    "docs/worlds/lambda-star-landscape.md",
    "docs/worlds/lambda-star-reactive.md",
    "docs/worlds/pagi.md",
    "docs/worlds/perturbed.md",
    "docs/worlds/winograd.md",
    "docs/worth.md",
}
"""Pages whose commands take long, each of which has quicker tests in tests/cli: for `make thorough`."""

SMALL_STUDY = """
mensura: 1
name: {name}
title: small
subjects: [random, oracle, local-search]
worlds: [lambda-star-v2]
assessments: [{{assessment: battery, parameters: {{episodes: 2}}}}]
"""

AGENT = """
class MyAgent:
    def begin(self, task, rng):
        self.task, self.rng = task, rng

    def act(self, observation, reward):
        return self.task.action_space.sample(self.rng)


class MyLearner(MyAgent):
    pass
"""


def study(reader: Reader, *names: str) -> None:
    for name in names:
        Path(f"{name}.yaml").write_text(SMALL_STUDY.format(name=name))


def played(reader: Reader, *names: str) -> None:
    """Runs of these names in the store."""
    study(reader, *names)
    for name in names:
        reader.type(Line("before", 0, f"mensura study run {name}.yaml --seed 1 --executor threads"))


def compared(reader: Reader) -> None:
    """Runs to compare, one of them under a seed that nobody chose; two scores are enough for a leaderboard here."""
    reader.patch.setattr(leaderboard_entry, "FEWEST", 2)
    played(reader, "before", "after")
    study(reader, "my-run")
    reader.type(Line("before", 0, "mensura study run my-run.yaml --executor threads"))


def agent(reader: Reader, name: str = "my_agent.py") -> None:
    if not Path(name).exists():
        Path(name).write_text(AGENT)


def model_server(reader: Reader) -> None:
    pytest.importorskip("openai")
    server = Server()
    reader.entered.enter_context(server.running())
    reader.stands_in = True
    reader.patch.setenv("OPENAI_BASE_URL", server.url)
    Path("prices.yaml").write_text("MODEL: {in: 0.15, out: 0.60}")
    reader.patch.setenv("MENSURA_PRICES", str(Path("prices.yaml").resolve()))
    for url in ("http://127.0.0.1:8080/v1", "URL"):
        reader.instead[url] = server.url


def model_with_key(reader: Reader) -> None:
    model_server(reader)
    reader.patch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")


def eight(reader: Reader) -> None:
    reader.type(Line("before", 0, "mensura worlds show --seed 8 --description eight.json"))


def allowed(reader: Reader) -> None:
    agent(reader)
    Path("agents").mkdir()
    Path("agents/mine.py").write_text(AGENT.replace("MyAgent", "Mine"))
    program = Path("my-agent")
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)


def weights(reader: Reader) -> None:
    Path("agent.py").write_text(AGENT.replace("MyAgent", "Agent"))
    Path("weights.npz").write_bytes(b"weights")


def downloaded(reader: Reader) -> None:
    """The file that the research view hands out."""
    words = (
        "--set rows=6 --set cols=6 --set subjects=3 --seed 7 --description lambda-star-v2-7.json"
    )
    reader.type(Line("before", 0, f"mensura worlds show lambda-star {words}"))


def people_on_items(reader: Reader) -> None:
    """A study of people on items in the store, with two who have finished."""
    people = People(Path("people.db"))
    study = new_study(
        people,
        "items",
        assessment="attempts",
        parameters={"attempts": 20},
        world="items-v1",
        world_parameters={"family": "mixed"},
        places=10,
        seed=2011,
    )
    for one, _ in people.invite(study, 2):
        people.consent(one)
        live = people.live(study.id, one.number)
        while not live.is_over:
            action = None if live.waits_for_beginning else 1 + live.number % 4
            live.take(Given(live.number, action, 0.0, 2000.0, 2100.0))
        people.finish(live, study.id)
    people.end()


def few_environments(reader: Reader) -> None:
    """Robustness in fewer environments than by default."""
    agent(reader)
    reader.patch.setattr(robustness, "EPISODES", 2)


def small_profile(reader: Reader) -> None:
    """A profile of fewer environments and tasks than a quick one has."""
    small = Size(10, 2, 16, 2, 1, 6, 16, (0.0, 1.0), 2, False, 1, 1)
    reader.patch.setattr(profile_sizes, "QUICK", small)


BEFORE: dict[str, Callable[[Reader], None]] = {
    "README.md": agent,
    "docs/assessments.md": eight,
    "docs/how-to/assess-a-language-model.md": model_server,
    "docs/how-to/assess-your-agent.md": agent,
    "docs/how-to/compare-runs.md": compared,
    "docs/how-to/measure-robustness.md": few_environments,
    "docs/how-to/people-and-items.md": people_on_items,
    "docs/how-to/profile-a-subject.md": small_profile,
    "docs/how-to/ray.md": lambda reader: study(reader, "my-study"),
    "docs/how-to/read-a-report.md": lambda reader: played(reader, "my-run", "before", "after"),
    "docs/how-to/records.md": lambda reader: played(reader, "lambda-star-2016"),
    "docs/how-to/research-view.md": downloaded,
    "docs/how-to/serve.md": allowed,
    "docs/how-to/survive.md": lambda reader: study(reader, "my-study"),
    "docs/isolation.md": weights,
    "docs/tutorial.md": agent,
    "docs/worlds/constraints.md": model_with_key,
}
"""What a reader has who comes to a page: files and runs that the page takes for granted."""


@pytest.fixture
def reader(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Reader]:
    with Reader(tmp_path, monkeypatch, capsys) as one:
        yield one


WITH_COMMANDS = [
    str(page.relative_to(ROOT))
    for page in pages()
    if str(page.relative_to(ROOT)) not in FOLLOWED_ELSEWHERE and list(lines(page))
]


WITH_FIGURES = ("README.md", "docs/tutorial.md")
"""Pages whose reports are drawn whole, also at small size; the figures have tests of their own."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough) if name in DEAR else name
        for name in WITH_COMMANDS
    ],
)
def test_every_command_of_the_page_works(
    name: str, reader: Reader, full_size: bool, request: pytest.FixtureRequest
) -> None:
    if name not in WITH_FIGURES:
        request.getfixturevalue("words_only")
    page = ROOT / name
    reader.write(page)
    if name in BEFORE:
        BEFORE[name](reader)
    typed = [line for line in lines(page) if line.text not in ELSEWHERE]
    for place, line in enumerate(typed):
        later = {tuple(one.words[1:3]) for one in typed[place + 1 :]}
        command = line.words[1:3]
        reader.whole = line.words == CHECKED
        # A run that is to be resumed is interrupted; and published studies are long.
        stopped = command == ["study", "run"] and ("study", "resume") in later
        if stopped or (command[:1] == ["reproduce"] and not full_size):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(runs, "resume", begun)
                reader.type(line)
        else:
            reader.type(line)
        if command == ["study", "copy"] and not full_size:
            # As the README says: change it.
            copied = Path(line.words[-1] if "-o" in line.words else f"{line.words[3]}.yaml")
            assert copied.stat().st_size > 0
            small = SMALL_STUDY.format(name=line.words[3])
            if "--model" in line.words:
                text = copied.read_text()
                small = text.replace("episodes: 20", "episodes: 2").replace(
                    "horizon: 20", "horizon: 3"
                )
                assert small != text
            copied.write_text(small)


def begun(*_: object, **__: object) -> None:
    raise Begun


def test_what_is_typed_elsewhere_stands_on_a_page() -> None:
    shown = {line.text for page in pages() for line in lines(page)}
    assert set(ELSEWHERE) <= shown
    for page, test in FOLLOWED_ELSEWHERE.items():
        assert (ROOT / page).exists()
        assert (ROOT / test).exists()


def test_readme_and_docs_call_the_program_by_one_name() -> None:
    for page in pages():
        assert ".venv/bin/mensura" not in page.read_text(encoding="utf-8"), page
