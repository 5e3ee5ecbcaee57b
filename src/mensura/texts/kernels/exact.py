"""The largest common structure of two small graphs, by a search that leaves nothing out."""

from mensura.core.compiled import door

FREE, MUST, NEVER = 0, 1, 2
"""Whether a pair of concepts may be part of the mapping, must be, or must not."""


@door
def most_common(
    relations, depths, begins, order, images, concepts, asked, answer, rule, floor, work, found
):
    """The most relations that a mapping has in common, if they are more than ``floor``; else ``floor``.

    ``relations`` (n, 3) are of the first graph: label and two nodes; nodes are its concepts, then its relations, and
    no relation comes before one that it is about. ``order`` are its concepts as they are mapped, ``depths`` its
    relations as they are decided by that, those after concept d from ``begins[d]`` on. ``images[label, a, b]`` is the
    relation of the second graph with these nodes, or -1; it has so many ``concepts``. Pairs of relations follow from
    pairs of concepts, as no two relations of a graph are the same. ``found`` is the mapping, -1 for what is not mapped.
    """
    count = order.shape[0]
    total = relations.shape[0]
    # choice, image of each concept, of each relation, matched so far; then what is used of the second graph
    choice = work[0]
    place = work[1]
    image = work[2]
    matched = work[3]
    used = work[4]
    used[:] = 0
    best = floor
    choice[0] = -1
    matched[0] = 0
    depth = 0
    while depth >= 0:
        if depth == count:
            if matched[count] > best:
                best = matched[count]
                for one in range(count):
                    found[one] = place[one]
            depth -= 1
            continue
        concept = order[depth]
        last = choice[depth]
        if 0 <= last < concepts:
            used[last] = 0
        here = rule if concept == asked else FREE
        chosen = last + 1
        while chosen < concepts and (
            used[chosen] == 1
            or (here == MUST and chosen != answer)
            or (here == NEVER and chosen == answer)
        ):
            chosen += 1
        if chosen > concepts or (chosen == concepts and here == MUST):
            depth -= 1
            continue
        choice[depth] = chosen
        if chosen < concepts:
            used[chosen] = 1
            place[concept] = chosen
        else:
            place[concept] = -1
        common = matched[depth]
        for k in range(begins[depth], begins[depth + 1]):
            one = depths[k]
            first = relations[one, 1]
            second = relations[one, 2]
            a = place[first] if first < count else image[first - count]
            b = place[second] if second < count else image[second - count]
            if first >= count and a >= 0:
                a += concepts
            if second >= count and b >= 0:
                b += concepts
            image[one] = images[relations[one, 0], a, b] if a >= 0 and b >= 0 else -1
            if image[one] >= 0:
                common += 1
        matched[depth + 1] = common
        if common + total - begins[depth + 1] <= best:
            continue
        depth += 1
        if depth < count:
            choice[depth] = -1
    return best
