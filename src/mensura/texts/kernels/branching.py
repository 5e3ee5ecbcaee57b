"""The best mapping of two skeletons of at most 64 relations each, by branch and bound over relations."""

from mensura.core.compiled import door, int64, rule, uint64

UNDECIDED, MAPPED, LEFT_OUT = 0, 1, 2


@rule
def bits_in(mask):
    """How many bits are set."""
    mask = mask - ((mask >> uint64(1)) & uint64(0x5555555555555555))
    mask = (mask & uint64(0x3333333333333333)) + ((mask >> uint64(2)) & uint64(0x3333333333333333))
    mask = (mask + (mask >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return int64((mask * uint64(0x0101010101010101)) >> uint64(56))


@rule
def look(
    ends,
    orders,
    concepts,
    about,
    image,
    decided,
    masks,
    free,
    free_concept,
    links,
    best_alike,
    weights,
    sums,
):
    """Which relations each undecided one may still be paired with; the bound on the value, and the one to decide next.

    ``about[role, node]`` are the relations of the second graph that have a node in a role, as bits; ``free`` those not
    taken, ``free_concept[role]`` those whose concept in a role is not, and ``links`` those between relations. ``sums``
    are relations, orders above 1, concepts and likeness so far, and the likeness that concepts left may add.
    """
    able = 0
    higher = 0
    alike = sums[3] + sums[4]
    union = uint64(0)
    chosen = -1
    best_rank = -1
    for one in range(ends.shape[0]):
        if decided[one] != UNDECIDED:
            continue
        mask = free
        known = 0
        open_end = False
        for role in range(2):
            node = ends[one, role]
            if node < concepts:
                if image[node] >= 0:
                    mask &= about[role, image[node]]
                    known += 1
                else:
                    mask &= free_concept[role]
            else:
                end = node - concepts
                if decided[end] == MAPPED:
                    mask &= about[role, image[node]]
                    known += 1
                elif decided[end] == LEFT_OUT or masks[end] == uint64(0):
                    mask = uint64(0)
                else:
                    mask &= links
                    open_end = True
        masks[one] = mask
        if mask == uint64(0):
            continue
        able += 1
        higher += orders[one] - 1
        alike += best_alike[one]
        union |= mask
        if not open_end:
            rank = 128 * known + 64 - bits_in(mask)
            if rank > best_rank:
                best_rank = rank
                chosen = one
    able = min(able, bits_in(union))
    sums[5] = (
        (sums[0] + able) * weights[0]
        + (sums[1] + higher) * weights[1]
        - sums[2]
        + alike * weights[2]
    )
    return chosen


@rule
def put(
    one,
    other,
    ends,
    others,
    orders,
    concepts,
    image,
    support,
    about,
    alike,
    concept_alike,
    free_concept,
    sums,
    top,
):
    """Pair two relations, and the concepts that they are about."""
    for role in range(2):
        node = ends[one, role]
        if node < concepts:
            support[node] += 1
            if support[node] == 1:
                to = others[other, role]
                image[node] = to
                for r in range(2):
                    free_concept[r] &= ~about[r, to]
                sums[2] += 1
                sums[3] += concept_alike[node, to]
                sums[4] -= top[node]
    sums[0] += 1
    sums[1] += orders[one] - 1
    sums[3] += alike[one, other]
    return 0


@rule
def take_back(
    one,
    other,
    ends,
    others,
    orders,
    concepts,
    image,
    support,
    about,
    alike,
    concept_alike,
    free_concept,
    sums,
    top,
):
    """Undo it."""
    for role in range(2):
        node = ends[one, role]
        if node < concepts:
            support[node] -= 1
            if support[node] == 0:
                to = others[other, role]
                image[node] = -1
                for r in range(2):
                    free_concept[r] |= about[r, to]
                sums[2] -= 1
                sums[3] -= concept_alike[node, to]
                sums[4] += top[node]
    sums[0] -= 1
    sums[1] -= orders[one] - 1
    sums[3] -= alike[one, other]
    return 0


@rule
def next_of(one, mask, alike, concept_alike, ends, others, concepts, image):
    """Of the relations that are set, the one that is most alike together with the concepts that it brings."""
    best = -1
    most = -1.0
    for other in range(others.shape[0]):
        if (mask >> uint64(other)) & uint64(1):
            value = alike[one, other]
            for role in range(2):
                node = ends[one, role]
                if node < concepts and image[node] < 0:
                    value += concept_alike[node, others[other, role]]
            if value > most:
                most = value
                best = other
    return best


@door
def best_mapping(
    ends, others, orders, concepts, other_concepts, about, links, alike, concept_alike, best_alike, top, weights,
    image, support, decided, masks, free_concept, sums, trail, open_masks, best, steps, found
):  # fmt: skip
    """Search until nothing is left or ``steps`` are done: 1 and the best value in ``best[0]``, or 0.

    ``found`` is the node of the second graph for each of the first, -1: none. A mapping is worth ``weights[0]`` for
    each relation, ``weights[1]`` for each order above 1 and ``weights[2]`` for all likeness, less one for each concept.
    ``image`` and ``support`` hold required pairs of concepts. A mapping is searched for that is worth more than
    ``best[0]``. ``trail`` has of each depth the relation, and its partner, -1 before the first and -2 for none.
    """
    count = ends.shape[0]
    free = uint64(0)
    for other in range(others.shape[0]):
        free |= uint64(1) << uint64(other)
    depth = 0
    entering = True
    done = 0
    while depth >= 0:
        if entering:
            done += 1
            if done > steps:
                return 0
            value = sums[0] * weights[0] + sums[1] * weights[1] - sums[2] + sums[3] * weights[2]
            if value > best[0] + 1e-9:
                best[0] = value
                for node in range(concepts):
                    found[node] = image[node]
                for one in range(count):
                    found[concepts + one] = image[concepts + one] if decided[one] == MAPPED else -1
            chosen = look(
                ends, orders, concepts, about, image, decided, masks, free, free_concept, links, best_alike, weights,
                sums,
            )  # fmt: skip
            if chosen < 0 or sums[5] <= best[0] + 1e-9:
                depth -= 1
                entering = False
                continue
            trail[depth, 0] = chosen
            trail[depth, 1] = -1
            open_masks[depth] = masks[chosen]
            entering = False
        one = trail[depth, 0]
        last = trail[depth, 1]
        if last >= 0:
            take_back(
                one, last, ends, others, orders, concepts, image, support, about, alike, concept_alike, free_concept,
                sums, top,
            )  # fmt: skip
            free |= uint64(1) << uint64(last)
            decided[one] = UNDECIDED
        elif last == -2:
            decided[one] = UNDECIDED
            depth -= 1
            continue
        if open_masks[depth] == uint64(0):
            trail[depth, 1] = -2
            decided[one] = LEFT_OUT
        else:
            other = next_of(
                one, open_masks[depth], alike, concept_alike, ends, others, concepts, image
            )
            open_masks[depth] &= ~(uint64(1) << uint64(other))
            trail[depth, 1] = other
            put(
                one, other, ends, others, orders, concepts, image, support, about, alike, concept_alike, free_concept,
                sums, top,
            )  # fmt: skip
            free &= ~(uint64(1) << uint64(other))
            decided[one] = MAPPED
            image[concepts + one] = other_concepts + other
        depth += 1
        entering = True
    return 1
