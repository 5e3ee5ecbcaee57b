"""Files of problems: round trips, what each format says, and a sentence with file and line for what is wrong."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.sizes import examples
from tests.worlds.constraints.problems import problems

from mensura.agent.errors import MensuraError
from mensura.worlds.constraints.formats import problem_text, read_bytes, read_problem
from mensura.worlds.constraints.generators import FAMILIES
from mensura.worlds.constraints.problem import Problem
from mensura.worlds.constraints.truth import certify


def read(text: str, suffix: str = ".yaml") -> Problem:
    return read_bytes(text.encode(), suffix, f"p{suffix}")


# Round trips ----------------------------------------------------------------------------


@settings(max_examples=examples(10, 60), deadline=None)
@given(problems())
def test_a_problem_that_is_written_and_read_is_the_same(problem: Problem) -> None:
    again = read(problem_text(problem))
    assert again.digest == problem.digest
    assert again.variables == problem.variables
    assert again.agents == problem.agents
    assert again.maximize == problem.maximize
    assert problem_text(again) == problem_text(problem)


@pytest.mark.parametrize("name", FAMILIES)
def test_problems_of_every_family_are_written_and_read(name: str) -> None:
    size = {"n": 60} if name == "scale-free" else {}
    problem = FAMILIES[name].problem(np.random.default_rng(1), **size)
    again = read(problem_text(problem))
    assert again.digest == problem.digest
    assert again.places == problem.places
    assert again.description_bits == problem.description_bits


def test_a_coloring_is_written_as_a_graph_and_read() -> None:
    problem = FAMILIES["coloring"].problem(np.random.default_rng(1), nodes=9, links=12, colors=4)
    text = problem_text(problem, ".col")
    assert text.startswith("c colors 4\np edge 9 12\ne ")
    assert read(text, ".col").digest == problem.digest
    assert len(read_bytes(text.encode(), ".col", "g", colors=2).variables[0].values) == 2


def test_names_and_values_that_yaml_would_bend_come_back() -> None:
    text = problem_text(
        read(
            "domains: {d: {values: ['yes', 'null', '1.5', é, 'a: b', 'x y']}}\n"
            "variables: {'on': {domain: d, cost_function: 3}, 'a.b': {domain: d}}\n"
        )
    )
    again = read(text)
    assert [one.name for one in again.variables] == ["on", "a.b"]
    assert again.variables[0].values == ("yes", "null", "1.5", "é", "a: b", "x y")


# What formats say -----------------------------------------------------------------------

EXAMPLE = """\
name: example
objective: max
domains:
  colors: {values: [R, G]}
  levels: {values: [1 .. 3]}
external_variables:
  sun: {domain: levels, initial_value: 2}
variables:
  v: {domain: colors, cost_function: 0.5 if v == 'R' else 0}
  w: {domain: levels, initial_value: 3, noise_level: 0.2}
  z: {domain: levels}
constraints:
  one: {type: intention, function: 10 if v == 'R' and w > 1 else 0}
  two: {type: intention, function: w * sun + z}
  three:
    type: extensional
    variables: [z, v]
    default: -inf
    values:
      4: 1 R | 2 G
      0.5: 3 R
agents: {a: {capacity: 3}, b: {}, c: {}}
distribution_hints:
  must_host: {b: [v, w]}
"""


def test_yaml_is_read_as_it_says() -> None:
    problem = read(EXAMPLE)
    assert problem.maximize
    assert problem.agents == ("a", "b")  # c has nothing
    assert [one.agent for one in problem.variables] == [1, 1, 0]
    assert problem.variables[0].costs == (-0.5, 0.0)
    assert problem.variables[1].values == (1, 2, 3)
    assert problem.variables[1].initial == 2
    verdict = certify(problem)
    assert verdict.assignment is not None
    # R, 3 and 1 give 0.5 + 10 + (6 + 1) + 4.
    assert verdict.assignment == (0, 2, 0)
    assert verdict.value == -21.5


@pytest.mark.parametrize("function", ["-(v) + (w)", "-(v - w)", "v - w", "w - v", "-v * 2 - w"])
@pytest.mark.parametrize("objective", ["min", "max"])
def test_expressions_are_written_with_the_right_sign(function: str, objective: str) -> None:
    text = f"objective: {objective}\ndomains: {{d: {{values: [0 .. 3]}}}}\n"
    text += "variables: {v: {domain: d}, w: {domain: d}}\n"
    problem = read(text + f"constraints: {{c: {{type: intention, function: {function}}}}}\n")
    assert read(problem_text(problem)).digest == problem.digest
    assert "intention" in problem_text(problem)


def test_constraints_of_one_expression_share_a_relation() -> None:
    names = [f"v{i}" for i in range(6)]
    text = "domains: {d: {values: [0 .. 2]}}\nvariables:\n"
    text += "".join(f"  {name}: {{domain: d}}\n" for name in names) + "constraints:\n"
    for one, other in itertools.pairwise(names):
        text += f"  c{one}: {{type: intention, function: 1 if {one} == {other} else 0}}\n"
    problem = read(text)
    assert len(problem.constraints) == 5
    assert [one.source for one in problem.relations] == ["1 if x0 == x1 else 0"]
    assert problem.agents == tuple(names)


XCSP = """\
<?xml version="1.0" encoding="UTF-8"?>
<instance>
  <presentation name="small" maximize="false" format="XCSP 2.1_FRODO"/>
  <agents nbAgents="2"><agent name="a"/><agent name="b"/></agents>
  <domains nbDomains="1"><domain name="D" nbValues="3">1..2 5</domain></domains>
  <variables nbVariables="3">
    <variable name="x" domain="D" agent="a"/>
    <variable name="y" domain="D" agent="b"/>
    <variable name="z" domain="D" agent="b"/>
  </variables>
  <relations nbRelations="3">
    <relation name="soft" arity="2" nbTuples="4" semantics="soft" defaultCost="9">5: 1 1|2 2|0:1 2|
      infinity: 5 5</relation>
    <relation name="yes" arity="1" nbTuples="2" semantics="supports">1|5</relation>
    <relation name="no" arity="2" nbTuples="1" semantics="conflicts">5 5</relation>
  </relations>
  <predicates nbPredicates="1">
    <predicate name="far">
      <parameters>int A int B int K</parameters>
      <expression><functional>not(and(le(abs(sub(A, B)), K), ne(A, 2)))</functional></expression>
    </predicate>
  </predicates>
  <constraints nbConstraints="4" initialCost="7" maximalCost="infinity">
    <constraint name="c1" arity="2" scope="x y" reference="soft"/>
    <constraint name="c2" arity="1" scope="z" reference="yes"/>
    <constraint name="c3" arity="2" scope="y z" reference="no"/>
    <constraint name="c4" arity="2" scope="x z" reference="far"><parameters>x z 1</parameters></constraint>
  </constraints>
</instance>
"""


def test_xcsp_is_read_as_it_says() -> None:
    problem = read(XCSP, ".xml")
    inf = np.inf
    assert problem.variables[0].values == (1, 2, 5)
    tables = [problem.relations[one.relation].costs.tolist() for one in problem.constraints]
    assert tables[0] == [[5, 0, 9], [9, 5, 9], [9, 9, inf]]
    assert tables[1] == [0, inf, 0]
    assert tables[2] == [[0, 0, 0], [0, 0, 0], [0, 0, inf]]
    assert tables[3] == [[inf, inf, 0], [0, 0, 0], [0, 0, inf]]
    assert [one.agent for one in problem.variables] == [0, 1, 1]


def test_all_different_is_a_constraint_for_each_pair_and_utilities_are_turned() -> None:
    text = XCSP.replace('maximize="false"', 'maximize="true"')
    assert read(text.replace("infinity: 5 5", "-infinity: 5 5"), ".xml").relations[0].costs[
        0
    ].tolist() == [-5, 0, -9]
    text = XCSP.replace('scope="y z" reference="no"', 'scope="y z" reference="global:allDifferent"')
    table = read(text, ".xml").constraints[2]
    assert read(text, ".xml").relations[table.relation].tightness == pytest.approx(1 / 3)


def test_doubled_links_of_a_graph_are_read_once() -> None:
    problem = read("c a graph\np edge 3 3\ne 1 2\ne 2 1\ne 2 3\n", ".col")
    assert [one.scope for one in problem.constraints] == [(0, 1), (1, 2)]
    assert len(problem.variables[0].values) == 3


# What is wrong --------------------------------------------------------------------------

BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><instance>&c;</instance>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>\n<instance>&b;</instance>'
MANY = "domains: {d: {values: [1 .. 5000]}}\nvariables: {a: {domain: d}, b: {domain: d}}\n"


@pytest.mark.parametrize(
    ("suffix", "text", "sentence"),
    [
        (".yaml", EXAMPLE.replace("[z, v]", "[zz, v]"), "line 15: There is no variable 'zz'"),
        (".yaml", EXAMPLE.replace("[R, G]", "[]"), "line 4: The domain 'colors' is empty"),
        (".yaml", EXAMPLE.replace("[R, G]", "[R, R]"), "line 4: .* a value twice"),
        (".yaml", EXAMPLE.replace("4: 1 R", "1e999: 1 R"), "line 20: The cost 1e999 overflows"),
        (".yaml", EXAMPLE.replace("4: 1 R", "1e30: 1 R"), "line 15: A cost of 1e.30 overflows"),
        (".yaml", EXAMPLE.replace("4: 1 R", "4: 1 B"), "line 20: 'B' is no value of v"),
        (".yaml", EXAMPLE.replace("4: 1 R", "4: 1 R R"), "line 20: '1 R R' has 3 values"),
        (".yaml", EXAMPLE.replace("0.5: 3 R", "0.5: 1 R"), "line 21: .* has two costs"),
        (".yaml", EXAMPLE.replace("    default: -inf\n", ""), "line 15: .* 3 tuples; give them"),
        (".yaml", EXAMPLE.replace("w > 1", "open('x')"), "line 13: .*open.* is not understood"),
        (".yaml", EXAMPLE.replace("w > 1", "q > 1"), "line 13: There is no variable 'q'"),
        (".yaml", EXAMPLE.replace("w * sun", "w / (w - w)"), "line 14: It divides by zero"),
        (".yaml", EXAMPLE.replace("objective: max", "objective: most"), "line 2: .* min or max"),
        (".yaml", EXAMPLE.replace("{domain: colors, cost", "{domian: colors, cost"), "did you mean domain"),
        (".yaml", EXAMPLE.replace("b: [v, w]", "bb: [v, w]"), "line 24: There is no agent 'bb'"),
        (".yaml", EXAMPLE.replace("initial_value: 3", "initial_value: 4"), "line 10: .* no value"),
        (".yaml", EXAMPLE.replace("domains:", "domain:"), "no field 'domain'; did you mean domains"),
        (".yaml", "a: [", "line 1: this is not YAML"),
        (".yaml", "- 1", "line 1: A problem begins with fields"),
        (".yaml", MANY + "constraints: {c: {type: intention, function: a + b}}", "line 3: A table of 25000000"),
        (".yaml", MANY + "constraints: {c: {type: intention, function: 1, source: ./x.py}}", "is not run"),
        (".xml", BOMB, "p.xml, line 1: Document types and entities are refused"),
        (".xml", OUTSIDE, "line 1: Document types and entities are refused"),
        (".xml", "<instance>", "line 1: this is not XML: no element found"),
        (".xml", "<a/>", "line 1: A problem is an <instance>, not <a>"),
        (".xml", "<a>" * 60, "too many within one another"),
        (".xml", XCSP.replace("1..2 5", ""), "line 5: The domain 'D' is empty"),
        (".xml", XCSP.replace("1..2 5", "1..2"), "line 5: It says that there are 3 values; there are 2"),
        (".xml", XCSP.replace('scope="y z"', 'scope="y q"'), "line 26: There is no variable 'q'"),
        (".xml", XCSP.replace('reference="no"', 'reference="nope"'), "did you mean no"),
        (".xml", XCSP.replace('agent="a"/>\n', 'agent="c"/>\n'), "line 7: There is no agent 'c'"),
        (".xml", XCSP.replace("|2 2|", "|2 7|"), "line 12: '7' is no value of y"),
        (".xml", XCSP.replace("5: 1 1", "1 1"), "line 12: The first tuple"),
        (".xml", XCSP.replace("0:1 2|", ""), "says that there are 4 tuples; there are 3"),
        (".xml", XCSP.replace("le(abs", "print(abs"), "line 20: A functional expression is made of"),
        (".xml", XCSP.replace("ne(A, 2)", "ne(Q, 2)"), "There is no parameter 'Q'"),
        (".xml", XCSP.replace("x z 1<", "x z<"), "line 27: The predicate has 3 parameters; 2"),
        (".col", "p edge 3\n", "line 1: The line that begins with p"),
        (".col", "p edge 3 1\ne 1 4\n", "p.col, line 2: There is no node 4; nodes are 1 to 3"),
        (".col", "p edge 3 1\ne 1 1\n", "line 2: Node 1 is linked to itself"),
        (".col", "e 1 2\n", "line 1: A link stands before"),
        (".col", "x\n", "line 1: A line begins with"),
        (".txt", "", "problems are in files that end in"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(suffix: str, text: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence) as caught:
        read(text, suffix)
    assert str(caught.value)[-1] in ".?"


def test_sentences_stay_short_where_there_are_many_names() -> None:
    many = "".join(f"  v{i}: {{domain: d}}\n" for i in range(300))
    text = "domains: {d: {values: [0 .. 900]}}\nvariables:\n" + many + "constraints:\n  c: "
    for rest, sentence in (
        ("{type: intention, function: v7 + w}", "There is no variable 'w'; there are 300 others."),
        ("{type: intention, function: v7 + v301}", "did you mean"),
        (
            "{type: extensional, variables: v7, values: {1: x}}",
            "'x' is no value of v7; there are 901",
        ),
    ):
        with pytest.raises(MensuraError, match=sentence) as caught:
            read(text + rest)
        assert len(str(caught.value)) < 200


def test_the_limit_of_tables_is_a_parameter() -> None:
    with pytest.raises(MensuraError, match="beyond the limit of 5"):
        read_bytes(EXAMPLE.encode(), ".yaml", "p", most_tuples=5)


def test_costs_that_overflow_together_are_refused() -> None:
    text = "domains: {d: {values: [0, 1]}}\nvariables: {v: {domain: d}}\nconstraints:\n"
    text += "".join(f"  c{i}: {{type: intention, function: 1e15 * v}}\n" for i in range(10))
    with pytest.raises(MensuraError, match=r"add up to 1e\+16, which overflows"):
        read(text)


@pytest.mark.parametrize("family", ["queens", "sensors", "meetings"])
def test_only_colorings_are_graphs(family: str) -> None:
    problem = FAMILIES[family].problem(np.random.default_rng(1))
    with pytest.raises(MensuraError, match="is not a coloring"):
        problem_text(problem, ".col")


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    for path, sentence in (
        (tmp_path, "is a folder"),
        (tmp_path / "none.yaml", "There is no file"),
        (tmp_path / "bytes.yaml", "is not text in UTF-8"),
    ):
        if path.name == "bytes.yaml":
            path.write_bytes(b"\xff\xfe\xff")
        with pytest.raises(MensuraError, match=sentence):
            read_problem(path)
    with pytest.raises(MensuraError, match="written to files that end in"):
        problem_text(read(EXAMPLE), ".xml")
