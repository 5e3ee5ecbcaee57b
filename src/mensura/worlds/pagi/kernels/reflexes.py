"""Which reflexes hold, of those that compare what is sensed with numbers."""

from mensura.core.compiled import door

REFLEX, ASPECT, SIGN, NUMBER = range(4)
SIGNS = "<>=!{}"
"""Less, more, near, not near, at most, at least."""
NEAR = 0.01
"""Numbers that are so near to each other are equal."""


@door
def hold(aspects, comparisons, out):
    """Mark the reflexes all of whose comparisons hold, and count them.

    A row of ``comparisons`` has the reflex, the number of an aspect, the number of a sign and what is compared with.
    """
    for n in range(out.shape[0]):
        out[n] = True
    for row in range(comparisons.shape[0]):
        value = aspects[int(comparisons[row, ASPECT])]
        number = comparisons[row, NUMBER]
        sign = int(comparisons[row, SIGN])
        if sign == 0:
            holds = value < number
        elif sign == 1:
            holds = value > number
        elif sign == 2:
            holds = abs(value - number) <= NEAR
        elif sign == 3:
            holds = abs(value - number) > NEAR
        elif sign == 4:
            holds = value <= number
        else:
            holds = value >= number
        if not holds:
            out[int(comparisons[row, REFLEX])] = False
    count = 0
    for n in range(out.shape[0]):
        count += int(out[n])
    return count
