"""XML as a small tree with lines, read by expat. Entities and document types are refused, so that nothing grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from mensura.agent.errors import LocatedError, MensuraError

MOST_ELEMENTS = 5_000_000
DEEPEST = 50


@dataclass
class Element:
    """A tag with its attributes, text and children."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What stands in it, without what stands in its children."""
        return "".join(self.parts)

    def child(self, tag: str) -> Element | None:
        """The first child with a tag."""
        return next((one for one in self.children if one.tag == tag), None)

    def get(self, name: str) -> str:
        """An attribute that must be there."""
        if name not in self.attributes:
            raise MensuraError(f"<{self.tag}> needs the attribute {name}.")
        return self.attributes[name]


def parse_xml(data: bytes, place: str) -> Element:
    """The outermost element of a file; ``place`` is how errors call it."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    open_elements: list[Element] = []
    roots: list[Element] = []
    count = 0

    def fail(sentence: str) -> LocatedError:
        return LocatedError(f"{place}, line {parser.CurrentLineNumber}: {sentence}")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST_ELEMENTS or len(open_elements) >= DEEPEST:
            raise fail("The file has too many elements, or too many within one another.")
        element = Element(tag, attributes, parser.CurrentLineNumber)
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    def end(_: str) -> None:
        open_elements.pop()

    def text(part: str) -> None:
        if open_elements:
            open_elements[-1].parts.append(part)

    def refuse(*_: object) -> None:
        raise fail("Document types and entities are refused; write the values themselves.")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse  # type: ignore[assignment]
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        words = expat.errors.messages.get(error.code, "it cannot be read")
        raise LocatedError(f"{place}, line {error.lineno}: this is not XML: {words}.") from None
    except (ValueError, LookupError):
        raise LocatedError(f"{place}, line 1: this is not XML in a known encoding.") from None
    return roots[0]
