"""Whoever reads what others wrote, and what each may say to a text that is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import Mock

import numpy as np

from fuzz.archives import ARCHIVES
from fuzz.loop import Reader, check_sentence
from fuzz.network import NETWORK
from mensura.agent import loading, protocol, spaces
from mensura.agent.asks import PROBES
from mensura.agent.errors import MensuraError
from mensura.agent.spaces import (
    Box,
    Discrete,
    Record,
    Several,
    Text,
    answer_from_plain,
    space_from_json,
    to_plain,
)
from mensura.agents import address, peer
from mensura.agents.language_model import actions
from mensura.agents.language_model.services import openai, reply
from mensura.complexity.c_test import instructions, search
from mensura.core import xml_tree, yaml_text
from mensura.core.abilities import describe_from_json
from mensura.core.expressions import language
from mensura.core.phenomena import Variable, run
from mensura.studies import (
    entries,
    expand,
    family_file,
    files,
    misfits,
    phase_entries,
    probe_answers,
    schooling,
    study,
)
from mensura.texts import skeleton_files, skeletons
from mensura.worlds.bf import programs
from mensura.worlds.constraints import expressions as cost_expressions
from mensura.worlds.constraints.formats import (
    builder,
    dimacs,
    problem_text,
    pydcop_yaml,
    read_bytes,
    xcsp,
    yaml_writing,
)
from mensura.worlds.framotec import phenomena as framotec_phenomena
from mensura.worlds.framotec import samples
from mensura.worlds.framotec.model import expression, task
from mensura.worlds.framotec.model import files as task_files
from mensura.worlds.framotec.world import Framotec
from mensura.worlds.items.families.table import FAMILIES
from mensura.worlds.items.generator import generate
from mensura.worlds.lambda_class import environment as lambda_environment
from mensura.worlds.lambda_class import notation
from mensura.worlds.lambda_class import phenomena as lambda_phenomena
from mensura.worlds.lambda_class.world import Lambda
from mensura.worlds.lambda_star import phenomena as lambda_star_phenomena
from mensura.worlds.lambda_star.world import LambdaStar
from mensura.worlds.pagi.contract import Sight, Touch
from mensura.worlds.pagi.protocol import comma, commands, controls, messages, reflexes, values
from mensura.worlds.pagi.protocol.controls import SeatControls
from mensura.worlds.pagi.published import binary_format, tsk
from mensura.worlds.pagi.senses import ASPECTS

CORPUS = Path(__file__).parent / "corpus"

MOST_CONDITIONS = 20
"""A study of more, or of more repetitions, is read, and not laid out."""


def _of(*modules: ModuleType) -> tuple[str, ...]:
    return tuple(str(module.__file__) for module in modules)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


# What programs say ----------------------------------------------------------------

LAST = 5
"""The number of the last ask."""


def read_lines(data: bytes) -> None:
    """Read bytes in every way in which a program is read; whatever they are, each has a defined outcome."""
    lines = peer.Lines()
    chunk = 1 + len(data) % 7
    cut = [line for at in range(0, len(data), chunk) for line in lines.cut(data[at : at + chunk])]
    assert cut == data.split(b"\n")[:-1]
    for line in (*cut, data):
        number, value, fault = protocol.read_reply(line, LAST)
        assert number is None or protocol.HELLO < number <= LAST
        assert number is not None or fault is not None
        if fault is None:
            json.dumps(value, allow_nan=False)
            for space in SPACES:
                action = answer_from_plain(space, value)
                if space.contains(action):
                    assert space.contains(answer_from_plain(space, to_plain(action)))
            try:
                described = space_from_json(value)
            except MensuraError as error:
                check_sentence(error)
            else:
                assert space_from_json(described.to_json()) == described
        else:
            assert fault[0] in ("raised", "garbled")
            assert len(fault[1]) <= 500
            assert "\n" not in fault[1]
        try:
            version, speakers, probes = protocol.greeting(line, seats=2)
        except (ValueError, RecursionError, MensuraError):
            pass
        else:
            assert type(version) is int
            assert speakers <= {0, 1}
            assert probes <= set(PROBES)
        try:
            version, token = protocol.introduction(line)
        except (ValueError, RecursionError):
            pass
        else:
            assert type(version) is int
            assert isinstance(token, str)


# What language models answer ---------------------------------------------------------

SPACES = (
    Discrete(4, start=1),
    Box(-1.0, 1.0, (2,)),
    Record((("x", Box(0.0, 1.0, ())), ("y", Box(-1.0, 1.0, (2, 2))))),
    Box(0, 9, (2,), "uint8"),
    Text(20),
    Several(Record((("to", Discrete(3)), ("words", Text(9, "abc\n")))), 2),
)


def read_answers(data: bytes) -> None:
    """Read a response of a service, and its words as actions of every kind."""
    texts = [_text(data)]
    try:
        answer = openai.read_body(data)
    except (reply.PassingError, reply.RefusedError) as error:
        check_sentence(error)
    else:
        texts += [answer.text, *(arguments for _, arguments in answer.calls)]
        assert answer.tokens_in is None or answer.tokens_in >= 0
    for text in texts:
        for space in SPACES:
            for read in (actions.from_call, actions.from_text):
                try:
                    action: Any = read(space, text)
                except actions.NoActionError as error:
                    check_sentence(error)
                else:
                    assert space.contains(action)


# What users write ------------------------------------------------------------------


def read_address(data: bytes) -> None:
    """Read the address of a subject; what is right is written as it was read."""
    try:
        parts = address.parse(_text(data))
    except MensuraError as error:
        check_sentence(error)
        return
    assert address.parse("+".join(map(str, parts))) == parts
    for part in parts:
        for value in part.parameters.values():
            loading.value_of(value)


def read_study(data: bytes) -> None:
    """Read a study file, and lay out its cells."""
    try:
        found = files.parse_study(_text(data))
        few = found.study.repetitions <= MOST_CONDITIONS
        cells = []
        if few and len(expand.conditions(found.study)) <= MOST_CONDITIONS:
            cells = expand.expand(found.study, 0)
    except MensuraError as error:
        check_sentence(error)
    except yaml_text.Misfit as error:
        check_sentence(error)
    else:
        assert [cell.number for cell in cells] == list(range(len(cells)))


def read_task(data: bytes) -> None:
    """Read a task, as YAML and as JSON; what is right is written and read back the same."""
    for read in (task_files.parse_task, task_files.task_from_json):
        try:
            found: Any = read(_text(data))
        except MensuraError as error:
            check_sentence(error)
        else:
            assert task.Task.from_json(json.loads(json.dumps(found.to_json()))) == found


def read_rules(data: bytes) -> None:
    """Read a rule of a Markov algorithm, a word, an expression and an assignment of a task."""
    for read in (
        notation.read_rule,
        notation.read_word,
        expression.parse_expression,
        expression.parse_assignment,
    ):
        try:
            read(_text(data))
        except MensuraError as error:
            check_sentence(error)


WORLDS = (Lambda(horizon=5), LambdaStar(rows=4, cols=4, horizon=5), Framotec())


def read_environment(data: bytes) -> None:
    """Read an environment of any world, and begin to play what is right."""
    try:
        plain = json.loads(data)
    except (ValueError, RecursionError):
        return
    for world in WORLDS:
        try:
            environment = world.build(describe_from_json(world, plain))
            turn = environment.reset(0)
            environment.step([environment.default(seat) for seat in turn.due])
        except MensuraError as error:
            check_sentence(error)


def _described() -> tuple[bytes, ...]:
    found = [world.sample(number) for world in WORLDS for number in range(2)]
    return tuple(json.dumps(one.to_json()).encode() for one in found)


def _shipped_studies() -> tuple[bytes, ...]:
    """The shortest ones, which are the quickest to read."""
    texts = [Path(files.STUDIES.load(name)).read_bytes() for name in files.STUDIES.names()]
    return tuple(sorted(texts, key=len)[:5])


PHASES = b"""mensura: 1
name: school
subjects: [random]
worlds: [{world: lambda, parameters: {cells: 4}}]
assessments: [{assessment: battery, parameters: {episodes: 1, spread: any}}]
phases:
  - {name: a, interactions: 40, measure: checkpoints}
  - name: b
    episodes: 2
    then:
      - [{environment: 1, interactions: 8, learning: false}]
      - [{world: lambda-star, interactions: 4, measure: never}, {name: c, interactions: 0}]
"""

FAMILY = b"""mensura: 1
tasks:
  - {name: one, world: lambda, parameters: {cells: 4, actions: 3}, environment: 1}
  - {world: lambda, preset: paper}
  - {name: two, world: lambda-star}
"""


def read_family(data: bytes) -> None:
    """Read text as a family of tasks."""
    try:
        tasks = family_file.parse_family(_text(data))
    except MensuraError as error:
        check_sentence(error)
    else:
        assert len(tasks) >= 2


# Programs and answers ---------------------------------------------------------------


def read_programs(data: bytes) -> None:
    """Read text as a program of both machines, and as a series of letters."""
    text = _text(data)
    try:
        codes = programs.encode(text)
        assert len(codes) == len(text)
    except MensuraError as error:
        check_sentence(error)
    for read in (instructions.read_program, search.read_series):
        try:
            read(text)
        except ValueError as error:
            check_sentence(error)


def read_open_answers(data: bytes) -> None:
    """Read text as an open answer to items of every family."""
    text = _text(data).strip()
    for family in FAMILIES.values():
        try:
            part = family.read(text)
        except MensuraError as error:
            check_sentence(error)
        else:
            assert family.read(family.text(part)) == part


def _open_answers() -> Iterator[bytes]:
    for name, family in FAMILIES.items():
        for item in generate(name, 2, 1).items:
            yield family.text(item.answer).encode()


# What is answered about phenomena --------------------------------------------------------

SYSTEMS = tuple(
    world.phenomena()[0].system
    for world in (
        LambdaStar(rows=3, cols=3),
        Lambda(cells=3, actions=3),
        Framotec(task="locking-plotter"),
    )
)
CASES = 2


def read_probes(data: bytes) -> None:
    """Read bytes as every kind of answer about phenomena, and run whatever is a model."""
    text = _text(data)
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = text
    for system in SYSTEMS:
        _read_all(system, value, text)


def _read_all(system: Any, value: Any, text: str) -> None:
    """Read an answer about one system."""
    legal = system.environment(system.rules).legal
    whole = Variable("cell", "subject", 0, 3, whole=True)
    for read in (
        lambda: probe_answers.read_prediction("probability", value, None),
        lambda: probe_answers.read_prediction("number", value, None),
        lambda: probe_answers.read_prediction("value", value, whole),
        lambda: probe_answers.read_plan(value, system, lambda one: legal(0, one)),
        lambda: probe_answers.read_explanation(value, system.parts, CASES),
        lambda: run(system, probe_answers.read_model(text, system), 1, system.actions[:2]),
    ):
        try:
            read()
        except MensuraError as error:
            check_sentence(error)


# Problems of constraints --------------------------------------------------------------


def read_problems(data: bytes) -> None:
    """Read bytes as a file of each format; what is a problem is written and read again."""
    for suffix in (".yaml", ".xml", ".col"):
        try:
            problem = read_bytes(data, suffix, f"p{suffix}", most_tuples=10_000)
            text = problem_text(problem)
        except MensuraError as error:
            check_sentence(error)
            continue
        again = read_bytes(text.encode(), ".yaml", "again")
        assert again.digest == problem.digest
        assert again.maximize == problem.maximize


def read_skeletons(data: bytes) -> None:
    """Read bytes as a skeleton of each format; what is one is written and read again."""
    for read in (_skeleton_of_yaml, skeleton_files.from_graphml):
        try:
            skeleton = read(data, "s")
        except MensuraError as error:
            check_sentence(error)
            continue
        again = skeleton_files.from_yaml(skeleton_files.to_yaml(skeleton), "again")
        assert sorted(again.triples()) == sorted(skeleton.triples())


def _skeleton_of_yaml(data: bytes, place: str) -> skeletons.Skeleton:
    return skeleton_files.from_yaml(data.decode("utf-8", "replace"), place)


PROBLEMS = (
    b"objective: max\ndomains: {d: {values: [R, G]}, e: {values: [1 .. 3]}}\n"
    b"variables: {v: {domain: d, cost_function: 0.1 if v == 'R' else 2}, w: {domain: e, initial_value: 2}}\n"
    b"constraints:\n  c: {type: intention, function: 5 if v == 'R' and w > 1 else w}\n"
    b"  e: {type: extensional, variables: [v, w], default: 0, values: {3: R 1 | G 2, inf: R 3}}\n"
    b"agents: [a, b]\ndistribution_hints: {must_host: {a: [v]}}\n",
    b'<instance><agents nbAgents="1"><agent name="A"/></agents><domains><domain name="D">1..2 5</domain></domains>'
    b'<variables><variable agent="A" name="x" domain="D"/><variable name="y" domain="D"/></variables><relations>'
    b'<relation name="R" arity="2" semantics="soft" defaultCost="infinity">5:1 1|2 2|7: 5 1</relation></relations>'
    b"<predicates><predicate name='P'><parameters>int X int Y</parameters><expression><functional>"
    b"or(eq(X,3),gt(abs(sub(X,Y)),1))</functional></expression></predicate></predicates><constraints>"
    b'<constraint name="c" scope="x y" reference="R"/><constraint scope="y x" reference="P">'
    b"<parameters>y x</parameters></constraint></constraints></instance>",
    b"c colors 4\np edge 3 3\ne 1 2\ne 2 3\ne 3 2\n",
)


def read_commands(data: bytes) -> None:
    """What a client of PAGI World sends, in two frames, and a seat that is restored in between."""
    text = data.decode("latin-1")
    room: Any = Mock()
    room.seconds, room.take_events.return_value = 0.0, []
    room.velocity.return_value = room.place.return_value = room.hand.return_value = (1.0, -2.0)
    room.rotation.return_value = 0.5
    room.aspects.return_value = np.linspace(-2.0, 2.0, ASPECTS)
    room.jump.return_value = room.grip.return_value = room.release.return_value = True
    room.touch.return_value = Touch(True, 60.0, (0.1, 0.2, 0.3, 0.4), 5.0, "apple")
    room.look.return_value = Sight((0.1, 0.2, 0.3, 0.4), "apple", "a")
    room.names.side_effect = lambda seat, field: ["a"] * (651 if field == "V" else 176)
    room.item.return_value = None
    room.create.return_value = room.load.return_value = ""
    seat = SeatControls(0, frozenset({"arranges", "names"}))
    for half in (text[: len(text) // 2], text[len(text) // 2 :]):
        seat.take(half, room)
        seat.act(room)
        answers = seat.answers(room)
        assert not answers or answers.endswith("\n")
        restored = SeatControls(0, frozenset({"arranges", "names"}))
        restored.restore(json.loads(json.dumps(seat.as_plain())))
        seat = restored


def read_stream_of_task(data: bytes) -> None:
    """A task file of PAGI World's authors."""
    try:
        saved = tsk.read_tsk(data)
    except MensuraError:
        return
    tsk.as_yaml(saved, "name")


READERS = {
    "programs": Reader(
        read_programs,
        _of(programs, instructions, search),
        (b",.,.#", b"+[>.<-]%,.#", b"W + LOOPTOP", b"a a z c y e x", b"a _ a z"),
        (b"[", b"]", b"#", b"LOOPTOP", b"A<-B", b"_", b"W "),
    ),
    "items": Reader(
        read_open_answers,
        _of(*(sys.modules[type(one).__module__] for one in FAMILIES.values())),
        tuple(_open_answers()),
        (b"turned 90", b"nothing", b"left: ", b", ", b"tiny", b"square", b"-"),
    ),
    "probes": Reader(
        read_probes,
        _of(probe_answers, lambda_star_phenomena, lambda_phenomena, framotec_phenomena),
        (
            b'{"causes": [["actions", "subject", 1]], "without": [true, false]}',
            b'{"causes": [{"cause": "good", "effect": "reward", "sign": -1}], "without": [true, true]}',
            b'{"1": 0.5, "2": 0.5}',
            b"[1, 2, 5]",
            b"0.25",
            b'{"good_moves": [6, 4], "evil_moves": [5, 5], "good_start": 3}',
            b'{"good_and_evil": {"kind": "pattern", "moves": [0, 1]}}',
            b"{motors: [{name: position_motor, targets: {position: 1}, power: 9}]}",
            *(system.rules.encode() for system in SYSTEMS),
        ),
        (b'"causes"', b'"without"', b"true", b"1e999", b"NaN", b"-1", b'"good_moves"', b'"kind"'),
    ),
    "protocol": Reader(
        read_lines,
        _of(protocol, peer, spaces),
        tuple(file.read_bytes() for file in sorted((CORPUS / "protocol").iterdir())),
        (
            b'"id"',
            b'"value"',
            b'"error"',
            b'"kind":"garbled"',
            b'"version"',
            b'"speakers":[0]',
            b'"kind":"text"',
            b'"longest":3',
            b'"kind":"several"',
            b'"dtype":"uint8"',
        ),
    ),
    "answers": Reader(
        read_answers,
        _of(actions, openai, spaces),
        tuple(file.read_bytes() for file in sorted((CORPUS / "answers").iterdir())),
        (
            b'"choices"',
            b'"message"',
            b'"content"',
            b'"tool_calls"',
            b"ACTION: ",
            b"<think>",
            b"</think>",
        ),
    ),
    "addresses": Reader(
        read_address,
        _of(address),
        (
            b"random",
            b"q-learning?gamma=0.5*3+oracle",
            b"agents.py:Mine?depth=3",
            b"cmd:./agent --fast",
            b"tcp://host:1",
        ),
        (b"?", b"*", b"+", b"%2B", b"%", b"&", b"=", b"://"),
    ),
    "studies": Reader(
        read_study,
        _of(files, study, entries, expand, misfits, yaml_text),
        _shipped_studies(),
        (
            b"subjects:",
            b"worlds:",
            b"factors:",
            b"levels:",
            b"parameters:",
            b"limits:",
            b"episodes:",
            b"seed:",
            b"!!",
        ),
    ),
    "phases": Reader(
        read_study,
        _of(files, study, phase_entries, schooling, expand, misfits, yaml_text),
        (PHASES,),
        (
            b"phases:",
            b"then:",
            b"interactions:",
            b"episodes:",
            b"environment:",
            b"measure:",
            b"checkpoints",
            b"never",
        ),
    ),
    "families": Reader(
        read_family,
        _of(family_file, misfits, yaml_text),
        (FAMILY,),
        (b"tasks:", b"world:", b"preset:", b"environment:", b"name:"),
    ),
    "tasks": Reader(
        read_task,
        _of(task_files, task, language, yaml_text),
        (
            *(path.read_bytes() for path in samples.shipped().values()),
            *(
                json.dumps(samples.read_task(name).to_json()).encode()
                for name in list(samples.shipped())[:3]
            ),
        ),
        (
            b"objects:",
            b"transitions:",
            b"motors:",
            b"goals:",
            b"assignments:",
            b"velocity",
            b"uniform(",
            b"max(",
        ),
    ),
    "environments": Reader(read_environment, _of(lambda_environment, task), _described()),
    "rules": Reader(
        read_rules,
        _of(notation, language),
        (
            "πω_2 → A_1:⊙".encode(),
            b"a.position += a.velocity * dt",
            b"min(1, x.value ** 2) if y > 3 else -2",
        ),
        ("→".encode(), "⊙".encode(), b"|", b"**", b"<=", b" if ", b" else ", b"not "),
    ),
    "problems": Reader(
        read_problems,
        _of(builder, cost_expressions, dimacs, pydcop_yaml, xcsp, xml_tree, yaml_writing),
        PROBLEMS,
        (
            b"inf",
            b"1e999",
            b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
            b"&amp;",
            b"..",
            b" | ",
            b"round(",
            b"|",
            b"conflicts",
        ),
    ),
    "skeletons": Reader(
        read_skeletons,
        _of(skeleton_files, skeletons),
        (
            b"relations: [[a, b, c], [c, d, a]]\nlinks: [[1, because, 2]]\nsentences: [x]\n",
            b'<graphml><key id="k" attr.name="kind"/><graph><node id="a"/><node id="b"/><node id="r"><data key="k">'
            b'relation</data></node><edge source="a" target="r"/><edge source="r" target="b"/></graph></graphml>',
        ),
        (b"subject:", b"negated:", b"modifiers:", b"concepts:", b"<edge ", b"relation", b"role"),
    ),
    "commands": Reader(
        read_commands,
        _of(comma, controls, commands, messages, reflexes, values),
        (
            b"sensorRequest,B0\naddForce,LHvec,[2*Sx],-3\nsetState,s,100\nsetReflex,r,s;B0_tmp|>|[Sx*2],addForce|J|1\n",
            b"setReflex,r,B0_tmp|>|60;Sx|!|1,sensorRequest|MDN\n",
            b"findObj,a,PD\nsay,P,hello,1,2,3\ncreateItem,c,a.png,1,2,3,4,0.5,6,5\nloadTask,hero.tsk\ngetActiveStates\n",
            b'{"messageType":"setReflex","stringContent":"r","floatContent":0.0,"vectorContent":{"x":0.0,"y":0.0},'
            b'"otherStrings":["s"],"messages":[{"messageType":"say","stringContent":"hi","otherStrings":["P"]}\n]}\n'
            b'{"messageType":"addForce","stringContent":"BMV","otherStrings":["2*BPy"]}\n',
        ),
        (b"nan", b"1e999", b"|", b";", b"[", b"]", b"}\n", b"V3.4_vq1", b"^", b"-1", b"setReflex"),
    ),
    "streams": Reader(
        read_stream_of_task,
        _of(binary_format, tsk),
        tuple(path.read_bytes() for path in sorted((CORPUS / "streams").iterdir())),
        (
            b"\x0e\xff\xff\xff\x7f",
            b"\x09\x01\0\0\0",
            b"\xff\xff\xff\xff\x07",
            b"\x0b",
            b"\x10",
            b"_size",
        ),
    ),
    **ARCHIVES,
    **NETWORK,
}
"""By name."""
