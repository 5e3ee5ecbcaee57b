"""Analogies by structure mapping alone, with the mapper of the world of analogies.

A and B together are one structure: what is in each of them and how that is related, and what became of what. So are C
and an option. The option is chosen whose structure has the most relations in common with that of A and B (Gentner,
1983); what figures or letters are in themselves counts for nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from mensura.texts.graphs import Graph, Relation, Search
from mensura.worlds.items.families.family import Part
from mensura.worlds.items.families.geometric_analogies import RELATIONS
from mensura.worlds.items.observations import Seen
from mensura.worlds.items.subjects.analogy import differences
from mensura.worlds.items.subjects.chooser import LETTERS, Chooser, are_letters
from mensura.worlds.items.subjects.figure_scenes import CIRCLES, Figures, is_geometric, read_figures

Told = tuple[Hashable, int, int]
"""A relation between two things, by name."""
MOST_LETTERS = 5
"""Of a string: with longer ones the search has no end in a moment."""


class StructureMapper(Chooser):
    """Letter and geometric analogies by the structure that both pairs share (Gentner, 1983)"""

    def values(self, seen: Seen) -> Sequence[float] | None:
        """How many relations A and B have in common with C and each option."""
        if is_geometric(seen):
            a, b, c = map(read_figures, seen.shown)
            told = _of_figures(a, b)
            others = [_of_figures(c, read_figures(option)) for option in seen.options]
        elif _are_short_strings(seen):
            before, after, asked = seen.shown
            told = _of_letters(before, after)
            others = [_of_letters(asked, option) for option in seen.options]
        else:
            return None
        labels: dict[Hashable, int] = {}
        base = _graph(told, labels)
        graphs = [_graph(other, labels) for other in others]
        # What the other has beyond what both share counts against it, as in the Jaccard index of the paper.
        values = []
        for graph in graphs:
            common = Search(base, graph).best().common
            values.append(common / (len(base.relations) + len(graph.relations) - common))
        return values


def _graph(told: tuple[int, list[Told]], labels: dict[Hashable, int]) -> Graph:
    count, relations = told
    named = {Relation(labels.setdefault(name, len(labels)), a, b): None for name, a, b in relations}
    return Graph(count, tuple(named))


def _of_figures(before: Figures, after: Figures) -> tuple[int, list[Told]]:
    """Figures of both scenes, how they stand, and how each role's figure was changed."""
    numbers: dict[tuple[int, int], int] = {}
    for side, scene in enumerate((before, after)):
        for role in scene.present:
            numbers[side, role] = len(numbers)
    found: list[Told] = []
    for side, scene in enumerate((before, after)):
        if {0, 1} <= set(scene.present):
            found.append((("stands", side, RELATIONS[scene.relation]), numbers[side, 0], numbers[side, 1]))  # fmt: skip
        if 2 in scene.present:
            roles = (role for role in scene.present if role != 2)
            found += [(("corner", side), numbers[side, 2], numbers[side, role]) for role in roles]
    for role, figure in enumerate(after.figures):
        old = before.figures[role] if role < len(before.figures) else None
        if figure is None:
            continue
        sources = [(role, old)] if old is not None else list(enumerate(before.figures))
        for source, one in sources:
            if one is None:
                continue
            pair = numbers[0, source], numbers[1, role]
            changes = differences(one, figure, CIRCLES)
            found.append((("becomes", source == role), *pair))
            found += [(("change", k, change), *pair) for k, change in enumerate(changes)]
    return len(numbers), found


def _are_short_strings(seen: Seen) -> bool:
    parts = (*seen.shown, *seen.options)
    longest = max((len(part) for part in parts), default=0)
    return len(seen.shown) == 3 and 1 < longest <= MOST_LETTERS and are_letters(seen)


def _of_letters(before: Part, after: Part) -> tuple[int, list[Told]]:
    """Letters of both strings: how each follows the one before, and by how much those in one place differ."""
    found: list[Told] = []
    places = [range(len(before)), range(len(before), len(before) + len(after))]
    for side, (text, numbers) in enumerate(zip((before, after), places, strict=True)):
        for k in range(1, len(text)):
            step = (text[k] - text[k - 1]) % LETTERS
            found.append((("next", side), numbers[k - 1], numbers[k]))
            found.append((("step", side, step), numbers[k - 1], numbers[k]))
    for k in range(min(len(before), len(after))):
        left = (after[k] - before[k]) % LETTERS
        right = (after[-1 - k] - before[-1 - k]) % LETTERS
        found.append((("from the left", left), places[0][k], places[1][k]))
        found.append((("from the right", right), places[0][-1 - k], places[1][-1 - k]))
    return len(before) + len(after), found
