"""The worked Markov algorithms of Insa-Cabrera (2011), misprints corrected, and the environments of example 3.1.1."""

from collections.abc import Sequence
from typing import Any

from mensura.agent.errors import MensuraError
from mensura.agent.keys import below_array, key, numbers, prf_array
from mensura.worlds.lambda_class.behaviors import Markov, Pattern
from mensura.worlds.lambda_class.description import Description
from mensura.worlds.lambda_class.markov import Program
from mensura.worlds.lambda_class.space import grid, ring

BINARY_TO_UNARY = Program.parse("""
    |0 -> 0||
    1 -> 0|
    0 ->
    """)
"""Section 2.1.6: a binary number becomes as many strokes."""

ACTIONS = ("s", "l", "r")
"""What objects do in the reactive environment of figure 3.3: stay, left, right."""

_ALPHABET = (*ACTIONS, "S", "L", "R", "π", "⊙", "ω_1", ":")
"""Actions; then what is observed: actions on the cells that they lead to, the subject, Good or Evil, the object."""

CORRIDOR = Program.parse("""
    L -> lr+:
    C -> l-r+:
    R ->. l-r
    -> LCCCCR
    """)
"""The space of figure 3.3: six cells in a row. Its last rule is printed with three C, its result with four."""

RUNAWAY = Program.parse(
    """
    S(L|R)^Δ -> S
    π[⊙]ω_1 -> ∇Φ
    π(χ∉{L, R, :}) -> π
    π(L|R)^Δ ->
    RΦ ->. l
    LΦ ->. r
    ->. s
    """,
    _ALPHABET,
)
"""The object ω_1 of figure 3.3: it stays, unless the subject comes to its cell, and then leaves on the other side."""

GOOD_AND_EVIL = Program.parse(
    """
    ω_1(χ∉{L, R, :}) -> ω_1
    ω_1L -> E_I
    ω_1R -> E_D
    (π|ω_1|S|L|R|:) ->
    ⊙(E_I|E_D)_1 -> (E_I|E_D)_1⊙
    ⊙⊙ -> Φ_I∇Φ_F
    [E_I|E_D]H(I|D)Φ_F -> Φ_F
    (I|D)_1Φ_F -> Φ_F(I|D)_1
    Φ_IΦ_F -> HΔ
    (E_IHI|E_DHD) ->. s
    HI ->. l
    HD ->. r
    H -> HIIIDDDΔ
    """,
    _ALPHABET,
)
"""Good and Evil of figure 3.3: three cells left, three right, but they stay rather than enter the cell of ω_1.

The last rule is printed with four I; its text says three.
"""


# Example 3.1.1: high K, yet easy ------------------------------------------------


def mu_1(period: int = 1000, **switches: Any) -> Description:
    """The first environment of example 3.1.1: no pattern at all for 1,000 interactions, which then repeat.

    All of them have to be written down, so K is high; whoever remembers them has nothing else to learn.
    """
    space = grid(3, 3)
    moves = below_array(prf_array(key(311, "mu_1"), numbers(0, period), 0), space.actions)
    return Description(space=space, good_and_evil=Pattern(tuple(moves.tolist())), **switches)


_AT_POWERS_OF_TWO = Program.parse("""
    QF -> T
    F1 -> G
    G0 -> G
    G1 ->. a_1
    G,cc ->. a_3
    G,c ->. a_2
    G, ->. a_1
    (⊙|A_1|A_2|A_3) ->
    :π -> πn
    : ->
    π -> Q∇Z
    Q -> T0,
    cZ -> Zdd
    ,Z -> +,
    1+ -> +0
    0+ -> 1
    T+ -> T1
    n -> d
    ddd ->
    d -> c
    T -> FΔ
    """)
"""In the memory a binary count of interactions and, after a comma, a number h below 3, of strokes c.

The observation becomes as many strokes n as there are cells before the subject's (rules 8 to 10) and the memory is
recalled before them (11, 12). The strokes of h are doubled (13), the count goes up by one (14 to 17), and all strokes
are added up modulo 3 (18 to 20): h becomes 2h + cell. Once that is stored (21), one who finds a single 1 in the count
goes by h (2, 3, 5 to 7), and else stays (4).
"""


def mu_2(**switches: Any) -> Description:
    """The second environment of example 3.1.1: nothing moves, except in interactions whose number is a power of 2.

    In these, Good and Evil go left or right or stay, by all that the subject has done so far: the numbers of the cells
    where it was, each weighed by the power of 2 of how long ago that is, modulo 3. Of 1,000 interactions ten are like
    this.
    """
    return Description(space=ring(5), good_and_evil=Markov(_AT_POWERS_OF_TWO), **switches)


_UNLOCKED = """
    mn -> nm
    QX ->. a_1
    QC -> E
    C0 -> C
    C1 -> H
    H0 -> H
    H1 -> C
    C ->. a_1
    H ->. a_2
    QL -> T
    (⊙|A_1|A_2) ->
    :π -> πnm
    : ->
    π -> Q∇Z
    Q -> TWORD,K
    cZn -> Z
    cZ -> Y
    Zn -> Y
    cY -> Y
    Yn -> Y
    f,Y -> ,K
    s,Z -> ,K
    (s,Y|f,Z) ->. a_1X^Δ
    K(Y|Z) -> K
    Kn -> K
    T,Km -> T,K
    T,K -> C0Δ
    (0|1)_1(Y|Z) -> (0|1)_1+
    +m -> +
    1+ -> +0
    0+ -> 1
    E+ -> E1
    E -> CΔ
    m -> c
    K ->
    T -> LΔ
    L ->. a_1
    """
"""In the memory, after L, what the subject has yet to do, the next last (f: go forth, s: stay), and after a comma as
many strokes c as cells before it; or X, once it did something else; or, once it has done all, C and a binary count.

The observation becomes as many strokes n and m as there are cells before the subject's (rules 1, 11 to 13), and the
memory is recalled before them (14, 15). Strokes n and c cancel out (16), and if some are left the subject has moved
(17 to 20: Y, else Z), as it should (21, 22) or not (23). The strokes m are those to be remembered (34 to 37). Once
nothing is left to be done (26, 27), Good and Evil go forth whenever the count, which goes up by one (28 to 33), has an
odd number of ones (4 to 9).
"""


def mu_3(sequence: Sequence[int] = (1, 0, 1, 1, 0, 0, 1, 0, 1, 0), **switches: Any) -> Description:
    """The third environment of example 3.1.1: nothing ever moves, unless the subject begins with one sequence.

    The actions are two, 0 to stay and 1 to go forth. After that very sequence of n Good and Evil begin to go forth or
    stay as the Thue-Morse sequence has it, which never repeats; after the other 2^n - 1 sequences they stay for good.
    """
    if not sequence or not set(sequence) <= {0, 1}:
        raise MensuraError(f"The sequence is {tuple(sequence)!r}; it is of actions 0 and 1.")
    word = "".join("sf"[action] for action in reversed(sequence))
    program = Program.parse(_UNLOCKED.replace("WORD", word))
    return Description(space=ring(4, ways=1), good_and_evil=Markov(program), **switches)
