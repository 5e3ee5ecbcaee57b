"""Lin's similarity between all words of two lists."""

from mensura.core.compiled import door, rule


@rule
def above(begin, end, senses, parent_begins, parents, content, least, stack, out, at):
    """Write all synsets above the senses of a word to ``out`` from ``at`` on; the place after the last one.

    ``least`` holds the smallest information content among the senses below each of them; it is infinite elsewhere.
    """
    for k in range(begin, end):
        sense = senses[k]
        own = content[sense]
        stack[0] = sense
        left = 1
        while left > 0:
            left -= 1
            one = stack[left]
            if own >= least[one]:
                continue  # it, and so all above it, is reached from a sense of less content
            if least[one] == float("inf"):
                out[at] = one
                at += 1
            least[one] = own
            for p in range(parent_begins[one], parent_begins[one + 1]):
                stack[left] = parents[p]
                left += 1
    return at


@door
def lin_table(
    begins,
    senses,
    split,
    parent_begins,
    parents,
    content,
    least,
    stack,
    lists,
    ends,
    values,
    found,
    best,
):
    """Fill ``best`` with Lin's similarity of words of two lists, ``found`` with the ancestor of each two.

    Words 0 to ``split`` - 1 are the first list, the others the second. Lin of two words is that of their best senses;
    since the best ancestor of two senses has the most content, that is the highest 2 IC(c) / (IC(a) + IC(b)) over all
    common ancestors c, with a and b the senses of least content below c. ``least`` is infinite everywhere, and again
    afterwards. ``lists`` and ``values`` have room for the ancestors of the second list, then of a word. -1 in ``found``
    where the words have nothing in common.
    """
    words = begins.shape[0] - 1
    at = 0
    for word in range(split, words):
        start = at
        at = above(
            begins[word],
            begins[word + 1],
            senses,
            parent_begins,
            parents,
            content,
            least,
            stack,
            lists,
            at,
        )
        for k in range(start, at):
            values[k] = least[lists[k]]
            least[lists[k]] = float("inf")
        ends[word - split] = at
    for word in range(split):
        last = above(
            begins[word],
            begins[word + 1],
            senses,
            parent_begins,
            parents,
            content,
            least,
            stack,
            lists,
            at,
        )
        k = 0
        for other in range(words - split):
            top = 0.0
            which = -1
            while k < ends[other]:
                one = lists[k]
                ratio = 2.0 * content[one] / (least[one] + values[k])
                if ratio > top or (ratio == top and which >= 0 and content[one] > content[which]):
                    top = ratio
                    which = one
                k += 1
            best[word, other] = top
            found[word, other] = which
        for k in range(at, last):
            least[lists[k]] = float("inf")
    return at
