"""Local search over pairs of concepts: two are swapped as long as that pays, then some at random, and so on."""

from mensura.core.compiled import below, door, draw, rule


@rule
def link_worth(link, chains, image_of, link_counts):
    """1 if the relation between two edges holds between their images, too."""
    one = image_of[chains[link, 0]]
    two = image_of[chains[link, 1]]
    return 1.0 if one >= 0 and two >= 0 and link_counts[one, two] > 0 else 0.0


@rule
def change(
    a, b, place, edges, begins, incident, edge_at, worth, image_of, chains, chain_begins, chain_of, link_counts, alike,
    stamp, marks, now
):  # fmt: skip
    """What it is worth to swap the images of two concepts. They are swapped afterwards.

    ``marks`` has a row for edges and one for links, with the last ``stamp`` at which each was looked at.
    """
    before = alike[a, place[a]] + alike[b, place[b]]
    for turn in range(2):
        one = a if turn == 0 else b
        for k in range(begins[one], begins[one + 1]):
            edge = incident[k]
            if marks[0, edge] == stamp:
                continue
            marks[0, edge] = stamp
            if image_of[edge] >= 0:
                before += worth[edge, image_of[edge]]
            for n in range(chain_begins[edge], chain_begins[edge + 1]):
                link = chain_of[n]
                if marks[1, link] != stamp:
                    marks[1, link] = stamp
                    before += link_worth(link, chains, image_of, link_counts)
    held = place[a]
    place[a] = place[b]
    place[b] = held
    after = alike[a, place[a]] + alike[b, place[b]]
    for turn in range(2):
        one = a if turn == 0 else b
        for k in range(begins[one], begins[one + 1]):
            edge = incident[k]
            image_of[edge] = edge_at[place[edges[edge, 0]], place[edges[edge, 1]]]
            if marks[0, edge] != stamp + 1:
                marks[0, edge] = stamp + 1
                if image_of[edge] >= 0:
                    after += worth[edge, image_of[edge]]
    for turn in range(2):
        one = a if turn == 0 else b
        for k in range(begins[one], begins[one + 1]):
            for n in range(chain_begins[incident[k]], chain_begins[incident[k] + 1]):
                link = chain_of[n]
                if marks[1, link] != stamp + 1:
                    marks[1, link] = stamp + 1
                    after += link_worth(link, chains, image_of, link_counts)
    now[0] += after - before
    return after - before


@rule
def swap_back(a, b, place, edges, begins, incident, edge_at, image_of):
    """Undo a swap."""
    held = place[a]
    place[a] = place[b]
    place[b] = held
    for turn in range(2):
        one = a if turn == 0 else b
        for k in range(begins[one], begins[one + 1]):
            edge = incident[k]
            image_of[edge] = edge_at[place[edges[edge, 0]], place[edges[edge, 1]]]
    return 0


@door
def improve(
    place, best_place, movable, concepts, edges, begins, incident, edge_at, worth, image_of, chains, chain_begins,
    chain_of, link_counts, alike, marks, now, key, budget, restarts
):  # fmt: skip
    """Improve a mapping of concepts; the best one is left in ``best_place``, its gain over the first is returned.

    ``place`` is a permutation of as many numbers as the larger graph has concepts; the first graph has ``concepts`` of
    them, and ``edges`` between them. ``edge_at[a, b]`` is the edge of the second graph between two places, or -1, and
    ``worth[edge, image]`` what it is worth to pair two edges. ``budget`` is the most swaps that are looked at.
    """
    total = place.shape[0]
    for edge in range(edges.shape[0]):
        image_of[edge] = edge_at[place[edges[edge, 0]], place[edges[edge, 1]]]
    now[0] = 0.0
    best = 0.0
    for one in range(total):
        best_place[one] = place[one]
    stamp = 2
    looked = 0
    for restart in range(restarts + 1):
        if restart > 0:
            for one in range(total):
                place[one] = best_place[one]
            for edge in range(edges.shape[0]):
                image_of[edge] = edge_at[place[edges[edge, 0]], place[edges[edge, 1]]]
            now[0] = best
            for k in range(2 + restart % 3):
                a = below(draw(key, restart, 2 * k), concepts)
                b = below(draw(key, restart, 2 * k + 1), total)
                if a != b and movable[a] and movable[b]:
                    stamp += 2
                    change(
                        a, b, place, edges, begins, incident, edge_at, worth, image_of, chains, chain_begins, chain_of,
                        link_counts, alike, stamp, marks, now,
                    )  # fmt: skip
        better = True
        while better and looked < budget:
            better = False
            for a in range(concepts):
                if not movable[a]:
                    continue
                for b in range(total):
                    if b == a or not movable[b] or (b < a and b < concepts):
                        continue
                    looked += 1
                    stamp += 2
                    gain = change(
                        a, b, place, edges, begins, incident, edge_at, worth, image_of, chains, chain_begins, chain_of,
                        link_counts, alike, stamp, marks, now,
                    )  # fmt: skip
                    if gain > 1e-9:
                        better = True
                    else:
                        now[0] -= gain
                        swap_back(a, b, place, edges, begins, incident, edge_at, image_of)
        if now[0] > best + 1e-9:
            best = now[0]
            for one in range(total):
                best_place[one] = place[one]
        if looked >= budget:
            break
    return best
