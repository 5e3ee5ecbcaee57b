"""The worked Markov algorithms of Insa-Cabrera (2011), with the misprints corrected."""

from mensura.worlds.lambda_class.markov import Program

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
