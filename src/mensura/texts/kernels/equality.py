"""Whether two graphs are equal up to the numbers of their nodes: color refinement with individualization."""

from mensura.core.compiled import door, int64, mix, rule, uint64


@rule
def refine(colors, fresh, ends, first, nodes):
    """One round: the color of a node and those around it make its new color."""
    for node in range(nodes):
        fresh[node] = mix(colors[node] + uint64(1))
    for k in range(ends.shape[0]):
        relation = first + k
        subject = ends[k, 0]
        target = ends[k, 1]
        fresh[relation] += mix(colors[subject] ^ uint64(0x51ED270B7A3F9D11))
        fresh[relation] += mix(colors[target] ^ uint64(0x2545F4914F6CDD1D))
        fresh[subject] += mix(colors[relation] ^ uint64(0x9FB21C651E98DF25))
        fresh[target] += mix(colors[relation] ^ uint64(0xD6E8FEB86659FD93))
    for node in range(nodes):
        colors[node] = mix(fresh[node])
    return 0


@rule
def counted(one, two, nodes, keys, tallies):
    """How many colors the first graph has, or -1 where the second has not the same ones equally often.

    ``keys`` and ``tallies`` are a table with open addressing, twice as large as there are nodes and a power of two.
    """
    size = keys.shape[0]
    for k in range(size):
        tallies[k, 0] = 0
        tallies[k, 1] = 0
    found = 0
    for side in range(2):
        for node in range(nodes):
            color = one[node] if side == 0 else two[node]
            k = int64(color & uint64(size - 1))
            while tallies[k, 0] > 0 and keys[k] != color:
                k = (k + 1) & (size - 1)
            if tallies[k, 0] == 0:
                if side == 1:
                    return -1
                keys[k] = color
                found += 1
            tallies[k, side] += 1
    for k in range(size):
        if tallies[k, 0] != tallies[k, 1]:
            return -1
    return found


@rule
def place_of(color, keys, tallies):
    """The place of a color in the table."""
    size = keys.shape[0]
    k = int64(color & uint64(size - 1))
    while tallies[k, 0] > 0 and keys[k] != color:
        k = (k + 1) & (size - 1)
    return k


@rule
def settle(one, two, fresh, ends_one, ends_two, first, nodes, keys, tallies, work):
    """Refine both graphs until colors tell no more apart; how many there are, or -1."""
    known = counted(one, two, nodes, keys, tallies)
    while known >= 0:
        refine(one, fresh, ends_one, first, nodes)
        refine(two, fresh, ends_two, first, nodes)
        work[0] += 1
        now = counted(one, two, nodes, keys, tallies)
        if now == known:
            break
        known = now
    return known


@door
def equal_graphs(
    colors, fresh, saved, ends_one, ends_two, first, likeness, keys, tallies, limit, work, found
):
    """1 if a mapping of all nodes onto all was found; ``found`` is the node of the second for each of the first.

    Both graphs have ``first`` concepts and as many relations, whose subject and object are the rows of ``ends``.
    ``colors`` (2, nodes) are those to begin with: equal ones may be paired. Where colors leave several, a concept is
    given the one that is most alike and all is refined again. ``limit`` is the most rounds.
    """
    nodes = colors.shape[1]
    one = colors[0]
    two = colors[1]
    work[0] = 0
    known = settle(one, two, fresh, ends_one, ends_two, first, nodes, keys, tallies, work)
    mark = uint64(0)
    while 0 <= known < nodes and work[0] < limit:
        # a node whose color is not its own, a concept if there is one
        chosen = -1
        for node in range(nodes):
            if tallies[place_of(one[node], keys, tallies), 0] > 1:
                chosen = node
                break
        for node in range(nodes):
            saved[0, node] = one[node]
            saved[1, node] = two[node]
        mark += uint64(1)
        tried = -1
        last = 2.0
        known = -1
        while work[0] < limit:
            # the next one by likeness, then by number
            best = -1
            for node in range(nodes):
                if saved[1, node] == saved[0, chosen]:
                    alike = likeness[chosen, node] if chosen < first else 0.0
                    if (alike < last or (alike == last and node > tried)) and (
                        best < 0 or alike > (likeness[chosen, best] if chosen < first else 0.0)
                    ):
                        best = node
            if best < 0:
                break
            tried = best
            last = likeness[chosen, best] if chosen < first else 0.0
            for node in range(nodes):
                one[node] = saved[0, node]
                two[node] = saved[1, node]
            one[chosen] = mix(saved[0, chosen] ^ (mark << uint64(20)))
            two[best] = one[chosen]
            known = settle(one, two, fresh, ends_one, ends_two, first, nodes, keys, tallies, work)
            if known >= 0:
                break
    if known < nodes:
        return 0
    for node in range(nodes):
        tallies[place_of(two[node], keys, tallies), 1] = node
    for node in range(nodes):
        found[node] = tallies[place_of(one[node], keys, tallies), 1]
    for k in range(ends_one.shape[0]):
        image = found[first + k] - first
        if image < 0:
            return 0
        for role in range(2):
            if found[ends_one[k, role]] != ends_two[image, role]:
                return 0
    return 1


@door
def refined(colors, fresh, ends, first):
    """One round of refinement of one graph."""
    return refine(colors, fresh, ends, first, colors.shape[0])
