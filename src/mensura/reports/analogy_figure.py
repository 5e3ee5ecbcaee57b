"""Two skeletons side by side as SVG: relations above concepts, pairs on one line and colored by how alike they are."""

from __future__ import annotations

from html import escape

from mensura.core import palette
from mensura.texts.mapping import Mapping
from mensura.texts.skeletons import Skeleton, spoken

ROW = 22
"""Height of a line."""
WIDTH = 1000
LEFT, RIGHT = 400, 600
"""Where the names of source and target begin, from the middle outwards."""
LONGEST = 28


def figure(mapping: Mapping) -> str:
    """The figure. A join is thicker and darker the more alike two words are, and its Lin is written beside it."""
    rows = _rows(mapping)
    place = [
        {node: k for k, pair in enumerate(rows) if (node := pair[side]) is not None}
        for side in range(2)
    ]
    height = ROW * (len(rows) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(_told(mapping), quote=True)}" font-size="13" font-family="sans-serif">'
    ]
    for side, (skeleton, x) in enumerate(((mapping.source, LEFT), (mapping.target, RIGHT))):
        anchor = "end" if side == 0 else "start"
        name = escape(_short(skeleton.name or ("source", "target")[side]))
        parts.append(
            f'<text x="{x}" y="{ROW - 6}" text-anchor="{anchor}" font-weight="bold">{name}</text>'
        )
        parts += _edges(skeleton, place[side], side)
        for node, row in place[side].items():
            y = ROW * (row + 1.5) + 4
            label = escape(_label(skeleton, node))
            matched = rows[row][1 - side] is not None
            color = palette.BLACK if matched else "#666666"
            parts.append(
                f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{label}</text>'
            )
    lins = {pair.source: pair.lin for pair in mapping.pairs}
    for row, (one, two) in enumerate(rows):
        if one is not None and two is not None:
            lin, y = lins[one], ROW * (row + 1.5)
            parts.append(
                f'<line x1="{LEFT + 6}" y1="{y}" x2="{RIGHT - 6}" y2="{y}" stroke="{_shade(lin)}" '
                f'stroke-width="{1 + 3 * lin:.1f}"/>'
                f'<text x="{WIDTH // 2}" y="{y - 3}" text-anchor="middle" font-size="10">{lin:.2f}</text>'
            )
    return "".join([*parts, "</svg>"])


def _rows(mapping: Mapping) -> list[tuple[int | None, int | None]]:
    """Relations that correspond, those left, then concepts in the same manner."""
    first, other = len(mapping.source.concepts), len(mapping.target.concepts)
    pairs = [(one.source, one.target) for one in mapping.pairs]
    rows: list[tuple[int | None, int | None]] = []
    for relations in (True, False):
        rows += [pair for pair in pairs if (pair[0] >= first) == relations]
        rows += [(k, None) for k in mapping.left_in_source if (k >= first) == relations]
        rows += [(None, k) for k in mapping.left_in_target if (k >= other) == relations]
    return rows


def _edges(skeleton: Skeleton, place: dict[int, int], side: int) -> list[str]:
    """From each relation to its subject, drawn through, and to its object, dashed, around the names."""
    found = []
    first = len(skeleton.concepts)
    room = 12 + 7 * max((len(_label(skeleton, k)) for k in place), default=0)
    for k, one in enumerate(skeleton.relations, first):
        for node, dashes in ((one.subject, ""), (one.object, ' stroke-dasharray="4 3"')):
            begin, end = (ROW * (place[n] + 1.5) for n in (k, node))
            far = 20 + min(160.0, abs(end - begin) / 3)
            x = LEFT - room if side == 0 else RIGHT + room
            control = x - far if side == 0 else x + far
            found.append(
                f'<path d="M{x},{begin:.0f} C{control:.0f},{begin:.0f} {control:.0f},{end:.0f} {x},{end:.0f}" '
                f'fill="none" stroke="#8a8a8a" stroke-opacity="0.6"{dashes}/>'
            )
    return found


def _label(skeleton: Skeleton, node: int) -> str:
    word = skeleton.node(node)
    text = spoken(word.lemma)
    return _short(f"not {text}" if getattr(word, "negated", False) else text)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _shade(lin: float) -> str:
    """Light for unlike words, dark blue for like ones."""
    light, dark = (190, 200, 210), (0, 70, 140)
    mixed = [round(a + (b - a) * lin) for a, b in zip(light, dark, strict=True)]
    return "#{:02x}{:02x}{:02x}".format(*mixed)


def _told(mapping: Mapping) -> str:
    return (
        f"{len(mapping.pairs)} pairs of nodes between {mapping.source.name or 'the source'} and "
        f"{mapping.target.name or 'the target'}; the table below names them."
    )
