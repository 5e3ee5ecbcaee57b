"""Skeletons as files: YAML that people write, and GraphML that other programs write.

::

    name: atom
    relations:
      - [electron, orbit, nucleus]
      - {id: pull, subject: nucleus, verb: attract, object: electron}
      - {id: turn, subject: electron, verb: revolve_around, object: nucleus, head: revolve}
    links:
      - [turn, because, pull]
    concepts:                       # optional, for those that need more than a name
      electron: {modifiers: [small]}
    sentences: [Electrons orbit ...]  # optional, with sentences: [0] at relations, concepts and links
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from mensura.agent.errors import MensuraError, neighbors
from mensura.core.xml_tree import Element, parse_xml
from mensura.core.yaml_text import Form, Misfit, Where, parse_yaml, read_text, shown
from mensura.texts.skeletons import Concept, Skeleton, Verb

FORM = Form("skeleton", "relations: [[subject, verb, object], ...]", 2_000_000, 200_000)
FIELDS = ("name", "relations", "links", "concepts", "sentences")
OF_NODES = ("head", "sentences", "modifiers", "category")
OF_RELATIONS = ("id", "subject", "verb", "object", "negated", *OF_NODES)


def read_skeleton(path: Path) -> Skeleton:
    """The skeleton of a file ``.yaml`` or ``.graphml``."""
    try:
        if path.suffix == ".graphml":
            return from_graphml(path.read_bytes(), str(path))
        return from_yaml(read_text(path, FORM), str(path))
    except OSError as error:
        raise MensuraError(f"{path} cannot be read: {error.strerror}.") from None


# YAML


def from_yaml(text: str, place: str) -> Skeleton:
    """The skeleton that a text describes; ``place`` is how errors call it."""
    data, lines = parse_yaml(text, place, FORM)
    try:
        return _described(data, Path(place).stem)
    except Misfit as misfit:
        raise lines.located(misfit) from None


def _described(data: Any, name: str) -> Skeleton:
    if not isinstance(data, dict):
        raise Misfit((), f"A skeleton is a mapping with {FORM.needs}, not {shown(data)}.")
    _known(data, FIELDS, ())
    sentences = _texts(data.get("sentences") or [], ("sentences",))
    builder = _Builder(len(sentences))
    relations = data.get("relations")
    if not isinstance(relations, list) or not relations:
        raise Misfit(("relations",), f"A skeleton needs {FORM.needs}.")
    for k, one in enumerate(relations):
        builder.relation(one, ("relations", k))
    links = data.get("links") or []
    if not isinstance(links, list):
        raise Misfit(("links",), "Links are a list of [relation, connective, relation].")
    for k, one in enumerate(links):
        builder.link(one, ("links", k))
    builder.attributes(data.get("concepts") or {})
    return Skeleton(
        tuple(builder.concepts),
        tuple(builder.relations),
        tuple(sentences),
        _text(data.get("name", name), ("name",)),
    )


class _Builder:
    """Gathers nodes by their names."""

    def __init__(self, sentences: int) -> None:
        self.concepts: list[Concept] = []
        self.relations: list[Verb] = []
        self._sentences = sentences
        self._places: dict[str, int] = {}
        self._ids: dict[str, int] = {}

    def relation(self, given: Any, where: Where) -> None:
        """A relation between concepts."""
        fields = self._fields(given, where)
        subject, target = (
            self._concept(fields[role], (*where, role)) for role in ("subject", "object")
        )
        if subject == target:
            raise Misfit(where, "A relation holds between two different concepts.")
        self._ids[self._id(fields, where)] = len(self.relations)
        self.relations.append(self._verb(fields, subject, target, where))

    def link(self, given: Any, where: Where) -> None:
        """A relation between relations, which are named by id or, from 1, by number."""
        fields = self._fields(given, where)
        count = len(self.concepts)
        ends = []
        for role in ("subject", "object"):
            name = str(fields[role])
            if name not in self._ids:
                raise Misfit(
                    (*where, role),
                    f"There is no relation {name!r} before this; {neighbors(name, list(self._ids))}",
                )
            ends.append(count + self._ids[name])
        if ends[0] == ends[1]:
            raise Misfit(where, "A link holds between two different relations.")
        self._ids[self._id(fields, where)] = len(self.relations)
        self.relations.append(self._verb(fields, ends[0], ends[1], where))

    def attributes(self, given: Any) -> None:
        """What else is known of concepts."""
        if not isinstance(given, dict):
            raise Misfit(("concepts",), "Concepts are a mapping of names to what is known of them.")
        for name, fields in given.items():
            where = ("concepts", name)
            if name not in self._places:
                hint = neighbors(name, list(self._places))
                raise Misfit(where, f"No relation is about the concept {name!r}; {hint}")
            if not isinstance(fields, dict):
                raise Misfit(
                    where, f"What is known of a concept is a mapping, not {shown(fields)}."
                )
            _known(fields, OF_NODES, where)
            place = self._places[name]
            self.concepts[place] = self.concepts[place]._replace(**self._node(fields, where))

    def _fields(self, given: Any, where: Where) -> dict[str, Any]:
        if isinstance(given, list) and len(given) == 3:
            given = dict(zip(("subject", "verb", "object"), given, strict=True))
        if not isinstance(given, dict):
            raise Misfit(where, "A relation is [subject, verb, object], or a mapping with these.")
        _known(given, OF_RELATIONS, where)
        for role in ("subject", "verb", "object"):
            if role not in given:
                raise Misfit(where, f"A relation needs a {role}.")
        return given

    def _id(self, fields: Mapping[str, Any], where: Where) -> str:
        name = str(fields.get("id", len(self.relations) + 1))
        if name in self._ids:
            raise Misfit(where, f"There are two relations {name!r}; give each an id of its own.")
        return name

    def _concept(self, given: Any, where: Where) -> int:
        name = _lemma(given, where)
        if name not in self._places:
            self._places[name] = len(self.concepts)
            self.concepts.append(Concept(name, _head(name, last=True)))
        return self._places[name]

    def _verb(self, fields: Mapping[str, Any], one: int, two: int, where: Where) -> Verb:
        lemma = _lemma(fields["verb"], (*where, "verb"))
        negated = fields.get("negated", False)
        if not isinstance(negated, bool):
            raise Misfit((*where, "negated"), f"negated is true or false, not {shown(negated)}.")
        more = {"head": _head(lemma, last=False), **self._node(fields, where)}
        return Verb(lemma, one, two, negated=negated, **more)

    def _node(self, fields: Mapping[str, Any], where: Where) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in ("head", "category"):
            if name in fields:
                found[name] = _text(fields[name], (*where, name))
        if "modifiers" in fields:
            found["modifiers"] = tuple(_texts(fields["modifiers"], (*where, "modifiers")))
        if "sentences" in fields:
            given = fields["sentences"]
            able = isinstance(given, list) and all(
                type(k) is int and 0 <= k < self._sentences for k in given
            )
            if not able:
                raise Misfit(
                    (*where, "sentences"),
                    f"These are numbers of sentences, from 0; there are {self._sentences}.",
                )
            found["sentences"] = tuple(given)
        return found


def _known(data: Mapping[str, Any], fields: tuple[str, ...], where: Where) -> None:
    for name in data:
        if name not in fields:
            raise Misfit((*where, name), f"{name!r} is unknown here; {neighbors(name, [*fields])}")


def _text(given: Any, where: Where) -> str:
    if not isinstance(given, str) or len(given) > 10_000:
        raise Misfit(where, f"This is a text, not {shown(given)}.")
    return given


def _texts(given: Any, where: Where) -> list[str]:
    if not isinstance(given, list):
        raise Misfit(where, f"This is a list of texts, not {shown(given)}.")
    return [_text(one, (*where, k)) for k, one in enumerate(given)]


def _lemma(given: Any, where: Where) -> str:
    text = "_".join(_text(given, where).split())
    if not text:
        raise Misfit(where, "A name is needed here.")
    return text


def _head(lemma: str, last: bool) -> str:
    """The part of a compound that WordNet knows: the last noun, the first verb."""
    parts = lemma.strip("_").split("_")
    return "" if len(parts) == 1 else parts[-1 if last else 0]


def to_yaml(skeleton: Skeleton) -> str:
    """The text that :func:`from_yaml` makes the same skeleton of."""
    import yaml

    count = len(skeleton.concepts)
    data: dict[str, Any] = {"name": skeleton.name, "relations": []}
    for k, one in enumerate(skeleton.relations):
        ends = [
            skeleton.concepts[n].lemma if n < count else str(n - count + 1)
            for n in (one.subject, one.object)
        ]
        fields: dict[str, Any] = {"subject": ends[0], "verb": one.lemma, "object": ends[1]}
        if one.negated:
            fields["negated"] = True
        fields |= _plain(one, _head(one.lemma, last=False))
        if one.subject >= count:
            data.setdefault("links", []).append({"id": str(k + 1), **fields})
        else:
            data["relations"].append({"id": str(k + 1), **fields})
    concepts = {
        one.lemma: fields
        for one in skeleton.concepts
        if (fields := _plain(one, _head(one.lemma, last=True)))
    }
    if concepts:
        data["concepts"] = concepts
    if skeleton.sentences:
        data["sentences"] = list(skeleton.sentences)
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100))


def _plain(node: Concept | Verb, head: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if node.head != head:
        fields["head"] = node.head
    if node.sentences:
        fields["sentences"] = list(node.sentences)
    if node.modifiers:
        fields["modifiers"] = list(node.modifiers)
    if node.category:
        fields["category"] = node.category
    return fields


# GraphML

KEYS = {"kind": "node", "lemma": "node", "head": "node", "negated": "node", "role": "edge"}


def from_graphml(data: bytes, place: str) -> Skeleton:
    """Nodes with a ``lemma`` and a ``kind`` (concept or relation); edges subject -> relation -> object.

    Between two relations an edge needs a ``role``: subject, of the one that it leads to, or object, of the one that
    it comes from.
    """
    root = parse_xml(data, place)

    def fail(element: Element, sentence: str) -> MensuraError:
        return MensuraError(f"{place}, line {element.line}: {sentence}")

    graph = next((one for one in root.children if _tag(one) == "graph"), None)
    if _tag(root) != "graphml" or graph is None:
        raise fail(root, "this is no GraphML: it needs <graphml> with a <graph> in it.")
    keys = {
        one.attributes.get("id", ""): one.attributes.get("attr.name", "")
        for one in root.children
        if _tag(one) == "key"
    }
    nodes: dict[str, tuple[Element, dict[str, str]]] = {}
    for element in graph.children:
        if _tag(element) == "node":
            fields = _data(element, keys)
            name = element.attributes.get("id", "")
            if not name or name in nodes:
                raise fail(element, f"a node needs an id of its own, not {name!r}.")
            if fields.get("kind", "concept") not in ("concept", "relation"):
                raise fail(element, f"kind is concept or relation, not {fields['kind']!r}.")
            nodes[name] = (element, fields)
    ends = _ends(graph, nodes, keys, fail)
    return _joined(nodes, ends, fail, graph.attributes.get("id", Path(place).stem))


def _tag(element: Element) -> str:
    return element.tag.rpartition(":")[2]


def _data(element: Element, keys: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for one in element.children:
        if _tag(one) == "data":
            key = one.attributes.get("key", "")
            found[keys.get(key, key)] = one.text.strip()
    return found


Fail = Callable[[Element, str], MensuraError]


def _ends(
    graph: Element, nodes: Mapping[str, Any], keys: Mapping[str, str], fail: Fail
) -> dict[str, dict[str, str]]:
    """Subject and object of each relation."""
    ends: dict[str, dict[str, str]] = {}
    for element in graph.children:
        if _tag(element) != "edge":
            continue
        source, target = (element.attributes.get(side, "") for side in ("source", "target"))
        for name in (source, target):
            if name not in nodes:
                raise fail(element, f"there is no node {name!r}; {neighbors(name, list(nodes))}")
        are = [nodes[name][1].get("kind", "concept") == "relation" for name in (source, target)]
        role = _data(element, keys).get("role", "")
        if not role and are == [True, True]:
            raise fail(element, "between two relations an edge needs a role: subject or object.")
        role = role or ("subject" if are[1] else "object")
        if role not in ("subject", "object"):
            raise fail(element, f"a role is subject or object, not {role!r}.")
        owner, other = (target, source) if role == "subject" else (source, target)
        if not are[owner == target]:
            raise fail(element, f"{owner!r} is a concept; a {role} belongs to a relation.")
        if role in ends.setdefault(owner, {}):
            raise fail(element, f"the relation {owner!r} has two nodes as its {role}.")
        ends[owner][role] = other
    return ends


def _joined(
    nodes: Mapping[str, tuple[Element, dict[str, str]]],
    ends: Mapping[str, dict[str, str]],
    fail: Fail,
    name: str,
) -> Skeleton:
    """The skeleton of nodes whose ends are known."""
    concepts: list[Concept] = []
    relations: list[Verb] = []
    place: dict[str, int] = {}
    waiting: list[str] = []
    for one, (element, fields) in nodes.items():
        lemma = "_".join(fields.get("lemma", one).split())
        if not lemma:
            raise fail(element, "a node needs a lemma.")
        if fields.get("kind", "concept") == "relation":
            waiting.append(one)
        elif any(one in two.values() for two in ends.values()):
            place[one] = len(concepts)
            concepts.append(Concept(lemma, fields.get("head", _head(lemma, last=True))))
    while waiting:
        ready = [one for one in waiting if all(end in place for end in ends.get(one, {}).values())]
        if not ready:
            raise fail(nodes[waiting[0]][0], f"the relation {waiting[0]!r} is about itself.")
        for one in ready:
            element, fields = nodes[one]
            missing = [role for role in ("subject", "object") if role not in ends.get(one, {})]
            if missing:
                raise fail(element, f"the relation {one!r} has no {missing[0]}.")
            both = [place[ends[one][role]] for role in ("subject", "object")]
            if both[0] == both[1] or (both[0] < len(concepts)) != (both[1] < len(concepts)):
                raise fail(element, f"the relation {one!r} needs two concepts, or two relations.")
            lemma = "_".join(fields.get("lemma", one).split())
            place[one] = len(concepts) + len(relations)
            head = fields.get("head", _head(lemma, last=False))
            negated = fields.get("negated") == "true"
            relations.append(Verb(lemma, both[0], both[1], head, negated=negated))
        waiting = [one for one in waiting if one not in ready]
    if not relations:
        raise fail(next(iter(nodes.values()))[0] if nodes else _NOWHERE, "there is no relation.")
    return Skeleton(tuple(concepts), tuple(relations), (), name)


_NOWHERE = Element("graph", {}, 1)


def to_graphml(skeleton: Skeleton) -> str:
    """The text that :func:`from_graphml` reads; sentences are left out."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<graphml>"]
    for key, of in KEYS.items():
        kind = "boolean" if key == "negated" else "string"
        lines.append(f'  <key id="{key}" for="{of}" attr.name="{key}" attr.type="{kind}"/>')
    lines.append(f'  <graph id={quoteattr(skeleton.name)} edgedefault="directed">')
    count = len(skeleton.concepts)
    for k in range(len(skeleton)):
        node = skeleton.node(k)
        fields = {"kind": "relation" if k >= count else "concept", "lemma": node.lemma}
        fields["head"] = node.head
        if isinstance(node, Verb) and node.negated:
            fields["negated"] = "true"
        inside = "".join(
            f'<data key="{key}">{escape(value)}</data>' for key, value in fields.items()
        )
        lines.append(f'    <node id="n{k}">{inside}</node>')
    for k, one in enumerate(skeleton.relations, count):
        for role, source, target in (("subject", one.subject, k), ("object", k, one.object)):
            lines.append(
                f'    <edge source="n{source}" target="n{target}"><data key="role">{role}</data></edge>'
            )
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])
