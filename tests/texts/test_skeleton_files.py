"""Skeletons as YAML and GraphML: what is written is read back, and what is wrong is named with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.texts.skeleton_files import (
    from_graphml,
    from_yaml,
    read_skeleton,
    to_graphml,
    to_yaml,
)
from mensura.texts.skeletons import Concept, Skeleton, Verb

ATOM = """name: atom
relations:
  - [electron, orbit, nucleus]
  - {id: pull, subject: nucleus, verb: attract, object: electron}
  - {id: turn, subject: electron, verb: revolve around, object: nucleus, negated: true, sentences: [0]}
links:
  - [turn, because, pull]
concepts:
  electron: {modifiers: [small]}
sentences: [Electrons do not revolve.]
"""


@st.composite
def skeletons(draw: Any) -> Skeleton:
    word = st.text("abcæ<&'\" -", min_size=1, max_size=5).map(
        lambda text: "x" + "_".join(text.split())
    )
    names = draw(st.lists(word, min_size=2, max_size=5, unique=True))
    sentences = tuple(draw(st.lists(st.text("abc :", max_size=8), max_size=2)))
    numbers = st.lists(st.integers(0, len(sentences) - 1), max_size=2) if sentences else st.just([])
    concepts = tuple(
        Concept(name, draw(word), tuple(draw(numbers)), tuple(draw(st.lists(word, max_size=2))))
        for name in names
    )
    relations: list[Verb] = []
    for name in names:  # every concept is in a relation
        other = draw(st.sampled_from([one for one in names if one != name]))
        ends = [names.index(name), names.index(other)]
        relations.append(Verb(draw(word), *ends, draw(word), (), draw(st.booleans())))
    first = len(names)
    for _ in range(draw(st.integers(0, 2))):
        one, two = draw(
            st.lists(
                st.integers(first, first + len(relations) - 1), min_size=2, max_size=2, unique=True
            )
        )
        relations.append(Verb(draw(word), one, two, draw(word)))
    return Skeleton(concepts, tuple(relations), sentences, draw(word))


def test_a_skeleton_is_written_by_hand() -> None:
    atom = from_yaml(ATOM, "atom.yaml")
    assert [one.lemma for one in atom.concepts] == ["electron", "nucleus"]
    assert (
        atom.told(len(atom) - 1)
        == "(electron not revolve around nucleus) because (nucleus attract electron)"
    )
    assert atom.relations[2].head == "revolve"
    assert atom.concepts[0].modifiers == ("small",)
    assert atom.passages(4) == ["Electrons do not revolve."]


def ordered(skeleton: Skeleton) -> Skeleton:
    """With concepts in the order in which relations name them, as readers have it."""
    order = list(
        dict.fromkeys(
            n
            for one in skeleton.relations
            for n in (one.subject, one.object)
            if n < len(skeleton.concepts)
        )
    )
    place = {old: new for new, old in enumerate(order)} | {
        k: k for k in range(len(skeleton.concepts), len(skeleton))
    }
    return Skeleton(
        tuple(skeleton.concepts[k] for k in order),
        tuple(
            one._replace(subject=place[one.subject], object=place[one.object])
            for one in skeleton.relations
        ),
        skeleton.sentences,
        skeleton.name,
    )


@settings(max_examples=examples(25, 100), deadline=None)
@given(skeletons())
def test_yaml_gives_back_what_was_written(skeleton: Skeleton) -> None:
    assert from_yaml(to_yaml(skeleton), "x.yaml") == ordered(skeleton)


@settings(max_examples=examples(25, 100), deadline=None)
@given(skeletons())
def test_graphml_gives_back_the_graph_that_was_written(skeleton: Skeleton) -> None:
    back = from_graphml(to_graphml(skeleton).encode(), "x.graphml")
    assert back.triples() == skeleton.triples()
    assert [back.told(k) for k in range(len(back))] == [
        skeleton.told(k) for k in range(len(skeleton))
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[electron, orbit, nucleus]", "[electron, orbit]", "line 3: A relation is"),
        ("[electron, orbit, nucleus]", "[electron, orbit, electron]", "line 3: A relation holds"),
        ("verb: attract", "verb: [a]", "line 4: This is a text, not a list"),
        ("id: turn", "id: pull", "line 5: There are two relations 'pull'"),
        (
            "[turn,",
            "[torn,",
            r"line 7: There is no relation 'torn' before this; did you mean turn\?",
        ),
        ("sentences: [0]", "sentences: [3]", "line 5: These are numbers of sentences"),
        ("  electron: {", "  proton: {", "line 9: No relation is about the concept 'proton'"),
        ("negated: true", "negated: 3", "line 5: negated is true or false"),
        ("links:", "lines:", r"line 6: 'lines' is unknown here; did you mean links\?"),
        ("relations:", "relations: [", "this is not YAML"),
    ],
)
def test_what_is_wrong_in_yaml_is_named_with_its_line(old: str, new: str, sentence: str) -> None:
    with pytest.raises(MensuraError, match=sentence):
        from_yaml(ATOM.replace(old, new), "atom.yaml")


GRAPH = """<graphml><key id="k" attr.name="kind"/><graph>
<node id="a"/>
<node id="b"/>
<node id="r"><data key="k">relation</data></node>
<node id="s"><data key="k">relation</data></node>
<edge source="a" target="r"/>
<edge source="r" target="b"/>
<edge source="b" target="s"/>
<edge source="s" target="a"/>
</graph></graphml>"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('<edge source="a" target="r"/>', "", "line 4: the relation 'r' has no subject"),
        ('source="a" target="r"', 'source="c" target="r"', "line 6: there is no node 'c'"),
        ('source="a" target="r"', 'source="s" target="r"', "line 6: between two relations an edge needs a role"),
        ('source="a" target="r"', 'source="b" target="r"', "line 4: the relation 'r' needs two"),
        ('source="b" target="s"', 'source="b" target="r"', "line 8: the relation 'r' has two nodes as its subject"),
        ("relation</data></node>\n<node id=\"s\"", "verb</data></node>\n<node id=\"s\"", "line 4: kind is concept or"),
        ('id="b"', 'id="a"', "line 3: a node needs an id of its own"),
        ("</graph>", "", "line 10: this is not XML"),
        ("<graphml>", "<graph>", "not XML"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_graphml_is_named_with_its_line(old: str, new: str, sentence: str) -> None:
    assert from_graphml(GRAPH.encode(), "g.graphml").triples() == [("a", "r", "b"), ("b", "s", "a")]
    with pytest.raises(MensuraError, match=sentence):
        from_graphml(GRAPH.replace(old, new).encode(), "g.graphml")


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MensuraError, match="cannot be read"):
        read_skeleton(tmp_path / "none.yaml")


def test_a_part_has_its_relations_with_all_that_they_are_about() -> None:
    atom = from_yaml(ATOM, "atom.yaml")
    whole = atom.part([len(atom) - 1])
    assert [one.lemma for one in whole.relations] == ["attract", "revolve_around", "because"]
    assert atom.of_sentences([0]).triples() == [("electron", "revolve_around", "nucleus")]
