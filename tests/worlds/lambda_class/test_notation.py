"""The notation of rules: read, written, and what it is short for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sizes import examples

from mensura.agent.errors import MensuraError
from mensura.worlds.lambda_class.notation import read_rule, read_word
from mensura.worlds.lambda_class.rules import (
    AnySymbol,
    Choice,
    PlainRule,
    Recall,
    Rule,
    Side,
    StoreString,
    Symbol,
    check_symbol,
    write_word,
)

CHARACTERS = "ab01.,·-+|:>[](){}\\^_→∉πω"

subscripts = st.text("aI019", min_size=1, max_size=3)
symbols = st.builds(
    lambda base, subscript: f"{base}_{subscript}" if subscript else base,
    st.sampled_from(CHARACTERS),
    st.just("") | subscripts,
)


def plain(text: str, alphabet: str = "ab") -> list[tuple[str, str]]:
    """Left and right of each plain rule that a rule is short for."""
    rules = read_rule(text).plain(read_word(alphabet))
    return [("".join(rule.left), "".join(rule.right)) for rule in rules]


# Words --------------------------------------------------------------------------


def test_a_subscript_is_a_number_or_a_letter_or_stands_in_braces() -> None:
    assert read_word("πω_2A_1:⊙") == ("π", "ω_2", "A_1", ":", "⊙")
    assert read_word("E_IHI") == ("E_I", "H", "I")
    assert read_word("a_12b") == ("a_12", "b")
    assert read_word("a_1 2 a_{up}s") == ("a_1", "2", "a_up", "s")
    assert read_word(r"\__1[|]") == ("__1", "[", "|", "]")


def test_words_are_written_as_one_would() -> None:
    assert write_word(("1", "0", "|")) == "10|"
    assert write_word(("A_1", "2", "a_up", "E_I", "H")) == "A_1 2a_{up}E_IH"


@given(st.lists(symbols))
def test_words_are_read_back(word: list[str]) -> None:
    assert read_word(write_word(word)) == tuple(word)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a∇", "The word 'a∇' has '∇' at character 2; a symbol belongs there."),
        ("_1", "has '_' at character 1; a symbol belongs there."),
        ("a_", "ends after character 2; a subscript of letters or digits belongs there, after _."),
        ("a_+", "has '+' at character 3; a subscript of letters or digits belongs there"),
        ("a_{1", "ends after character 4; } belongs there"),
        ("a_{}", "has '}' at character 4; a subscript of letters or digits"),
        ("a\\", "ends after character 2; a character that is to be a symbol belongs there"),
        ("\\χ", "has 'χ' at character 2; a character that is to be a symbol"),
    ],
)
def test_what_is_no_word_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        read_word(text)
    assert sentence in str(error.value)


@pytest.mark.parametrize("symbol", ["", " ", "Δ", "χ_1", "∇"])
def test_blanks_and_marks_are_no_symbols(symbol: str) -> None:
    with pytest.raises(MensuraError, match="a symbol begins with a character other than blanks"):
        check_symbol(symbol)


@pytest.mark.parametrize("symbol", ["ab", "a_", "a_+", "a_1 "])
def test_a_symbol_is_one_character_and_perhaps_a_subscript(symbol: str) -> None:
    with pytest.raises(MensuraError, match="after its first character comes nothing, or _"):
        check_symbol(symbol)


# What rules are short for -------------------------------------------------------


def test_the_example_of_the_thesis_is_short_for_its_six_rules() -> None:
    """Section 3.6.6, with n_a = 2 and no further objects."""
    rule = read_rule("[(χ_1∉{A_1, π})] A_1 (π|⊙)_2 → (π|⊙)_2 [χ_1]")
    expected = [
        ("A_2 A_1 π", "π A_2"),
        ("A_2 A_1 ⊙", "⊙ A_2"),
        ("⊙ A_1 π", "π ⊙"),
        ("⊙ A_1 ⊙", "⊙ ⊙"),
        ("A_1 π", "π"),
        ("A_1 ⊙", "⊙"),
    ]
    assert rule.plain(("A_1", "A_2", "π", "⊙")) == tuple(
        PlainRule(read_word(left), read_word(right)) for left, right in expected
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a -> b", ["a>b"]),
        ("->", [">"]),
        ("[a|b]c -> c", ["ac>c", "bc>c", "c>c"]),
        ("(a|bc)a ->", ["aa>", "bca>"]),
        ("(a|)b -> a", ["ab>a", "b>a"]),
        ("χχ ->", ["aa>", "ab>", "ac>", "ba>", "bb>", "bc>", "ca>", "cb>", "cc>"]),
        ("χ_1χ_1 -> χ_1", ["aa>a", "bb>b", "cc>c"]),
        ("(χ_1∉{a})(χ_1∉{b}) ->", ["cc>"]),
        ("(χ∉{a})_1b -> bχ_1", ["bb>bb", "cb>bc"]),
        ("(χ∉{a, b, c}) -> a", []),
        ("(a|b)_1χ_1 -> χ_1(a|b)_1", ["aa>aa", "ab>ba", "ac>ca", "ba>ab", "bb>bb", "bc>cb"]),
        ("(a|b)_1(a|b)_1 -> c", ["aa>c", "bb>c"]),
        ("(a|b)_1(a|b)_2 -> (a|b)_2", ["aa>a", "ab>b", "ba>a", "bb>b"]),
        ("[a]_1b -> b[a]_1", ["ab>ba", "b>b"]),
        ("[aχ_1]b -> [bχ_1]c", ["aab>bac", "abb>bbc", "acb>bcc", "b>c"]),
        ("[χ_1]c -> [b[χ_1]]", ["ac>ba", "bc>bb", "cc>bc", "c>"]),
        ("(a(b|c)|b)a ->", ["aba>", "aca>", "ba>"]),
        ("(aχ_1|bχ_1) -> χ_1", ["aa>a", "ab>b", "ac>c", "ba>a", "bb>b", "bc>c"]),
        ("(χa|b)_1c -> (χa|b)_1", ["aac>aa", "bac>ba", "cac>ca", "bc>b"]),
        ("(χ_1|a)b -> [χ_1]", ["ab>a", "bb>b", "cb>c", "ab>"]),
    ],
)
def test_every_choice_is_put_in_place_the_leftmost_slowest(text: str, expected: list[str]) -> None:
    assert [f"{left}>{right}" for left, right in plain(text, "abc")] == expected


def test_what_is_stored_is_known_beforehand() -> None:
    def stored(text: str) -> list[tuple[str | None, bool]]:
        rules = read_rule(text).plain(("a", "b"))
        return [(None if r.stores is None else "".join(r.stores), r.stores_string) for r in rules]

    assert stored("a(a|ab)^Δ -> b") == [("a", False), ("ab", False)]
    assert stored("[a]^Δb ->") == [("a", False), (None, False)]
    assert stored("(a^Δ|b)_1 -> (a|b)_1") == [("a", False), (None, False)]
    assert stored("χ_1^Δ ->") == [("a", False), ("b", False)]
    assert stored("χ_1 -> χ_1^Δ") == [("a", False), ("b", False)]
    assert stored("-> a^Δb") == [("a", False)]
    assert stored("-> aΔb") == [(None, True)]
    assert stored("[χ_1]b -> [χ_1Δ]") == [(None, True), (None, True), (None, False)]
    assert stored("[χ_1]b -> [bχ_1^Δ]") == [("a", False), ("b", False), (None, False)]


def test_a_rule_that_is_short_for_too_many_is_refused_at_once() -> None:
    rule = read_rule("χ" * 40 + " ->")
    with pytest.raises(
        MensuraError, match="plain rules on an alphabet of 20 symbols; at most 10000"
    ):
        rule.plain(tuple("abcdefghijklmnopqrst"))
    hidden = read_rule(
        "".join(f"(χ_{n}|a)" for n in range(9)) + "".join(f"χ_{n}" for n in range(9)) + "->"
    )
    with pytest.raises(MensuraError, match="at most 10000"):
        hidden.plain(("a", "b"))


def test_a_long_rule_is_no_trouble() -> None:
    assert len(read_rule("a" * 5000 + "->").plain(("a",))[0].left) == 5000


# Reading and writing ------------------------------------------------------------


def test_arrows_and_ends_are_written_in_two_ways() -> None:
    assert read_rule("a → b") == read_rule("a->b") == read_rule(" a  ->  b ")
    assert read_rule("a →· b") == read_rule("a->.b") == Rule((Symbol("a"),), (Symbol("b"),), True)
    assert read_rule(r"a -> \.b") == Rule((Symbol("a"),), (Symbol("."), Symbol("b")))
    assert read_rule("l--> r") == Rule((Symbol("l"), Symbol("-")), (Symbol("r"),))


def test_a_stroke_is_a_symbol_outside_of_brackets() -> None:
    assert read_rule("|0 -> 0||").left == (Symbol("|"), Symbol("0"))
    assert read_rule(r"(a|\|) ->").left == (Choice(((Symbol("a"),), (Symbol("|"),))),)


def test_a_rule_is_written_back_as_the_thesis_writes_it() -> None:
    for text in (
        "S(L|R)^Δ -> S",
        "π[⊙]ω_1 -> ∇Φ",
        "π(χ∉{L, R, :}) -> π",
        "->. s",
        "[E_I|E_D]H(I|D)Φ_F -> Φ_F",
        "(I|D)_1Φ_F -> Φ_F(I|D)_1",
        "H -> HIIIDDDΔ",
        "|0 -> 0||",
        "0 ->",
    ):
        assert str(read_rule(text)) == text


def test_the_length_of_a_rule_counts_symbols_marks_and_the_arrow() -> None:
    assert read_rule("ω_1L -> E_I").symbols() == ("ω_1", "L", "→", "E_I")
    assert read_rule("S(L|R)^Δ -> S").symbols() == ("S", "(", "L", "|", "R", ")", "^Δ", "→", "S")
    assert read_rule("(χ_1∉{a, b})[c] ->. χ_1").symbols() == (
        *("(", "χ", "_1", "∉", "{", "a", "b", "}", ")", "[", "c", "]"),
        *("→·", "χ", "_1"),
    )


def items(right: bool) -> st.SearchStrategy[Side]:
    """Sides of rules; on the right only what needs nothing on the left."""
    leaf: st.SearchStrategy[object] = st.builds(Symbol, symbols)
    if right:
        leaf |= st.builds(Recall)
        return st.lists(leaf, max_size=4).map(tuple)  # type: ignore[arg-type]
    leaf |= st.builds(AnySymbol, st.lists(symbols, max_size=3).map(tuple), st.just("") | subscripts)
    side = st.recursive(
        st.lists(leaf, max_size=3).map(tuple),
        lambda inner: st.lists(
            leaf
            | st.builds(
                Choice,
                st.lists(inner, min_size=1, max_size=3).map(tuple),
                st.booleans(),
                st.just("") | subscripts,
            ),
            max_size=4,
        ).map(tuple),
        max_leaves=6,
    )
    return side  # type: ignore[return-value]


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    left, right = draw(items(right=False)), draw(items(right=True))
    bound = [item for item in left if isinstance(item, AnySymbol | Choice) and item.subscript]
    if bound:
        right += (draw(st.sampled_from(bound)),)
    store = draw(st.sampled_from(["nothing", "string", "left", "right"]))
    if store == "string":
        right += (StoreString(),)
    elif store == "left":
        left += (Symbol("x", stored=True),)
    elif store == "right":
        right = (Symbol(".", stored=True), *right)
    return Rule(left, right, draw(st.booleans()))


@settings(max_examples=examples(8, 100))
@given(rules())
def test_rules_are_read_back(rule: Rule) -> None:
    text = str(rule)
    assert read_rule(text) == rule
    assert str(read_rule(text)) == text


@given(st.text("ab_1^Δ∇χ∉{},[]()|\\->. ", max_size=25))
def test_any_text_is_a_rule_or_gets_a_sentence(text: str) -> None:
    try:
        rule = read_rule(text)
    except MensuraError:
        return
    assert read_rule(str(rule)) == rule


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ab", "The rule 'ab' ends after character 2; an arrow -> belongs between its two sides."),
        ("a -> b -> c", "has '>' at character 9; a symbol belongs there, and \\> is the symbol >."),
        (
            "[a -> b",
            "The rule '[a -> b' has '-' at character 4; ] belongs there, for the bracket of",
        ),
        ("a) -> b", "has ')' at character 2; a symbol belongs there, and \\) is the symbol )."),
        ("(a|b] -> b", "has ']' at character 5; a symbol belongs there"),
        ("a^b -> b", "has 'b' at character 3; Δ belongs there, after ^."),
        ("aΔ -> b", "has 'Δ' at character 2; Δ belongs on the right; ^Δ after a symbol"),
        ("∇ -> b", "has '∇' at character 1; ∇ belongs on the right"),
        ("(χ∉a) -> b", "has 'a' at character 4; symbols in braces belong there, as in (χ∉{a, b})."),
        (
            "(χ∉{a b}) -> b",
            "has 'b' at character 7; , or } belongs there, for the brace of character 4",
        ),
        ("(χ∉{a,}) -> b", "has '}' at character 7; a symbol belongs there."),
        ("(χ∉{a -> b", "has '-' at character 7; , or } belongs there"),
        ("(χ∉{a} -> b", "has '-' at character 8; ) belongs there, for the bracket of character 1."),
        ("(χ_1∉{a})_2 -> b", "has '(' at character 1; one subscript is enough."),
        ("a{b -> c", "has '{' at character 2; a symbol belongs there, and \\{ is the symbol {."),
        ("a∉b -> c", "has '∉' at character 2"),
        ("a -> b\\", "ends after character 7; a character that is to be a symbol"),
        (
            "(" * 60 + " -> b",
            "has '(' at character 51; choices stand in one another 50 deep at most",
        ),
        ("a -> χ", "'a -> χ' has no meaning: χ on the right of a rule needs a subscript"),
        ("(a|b) -> (a|b)", "Alternatives on the right of a rule need a subscript"),
        ("[a]b -> [a|b]", "Alternatives on the right of a rule need a subscript"),
        ("[a]b -> [a]", "[ ] on the right of a rule holds nothing with a subscript"),
        ("a -> χ_1", "χ_1 on the right of a rule stands nowhere on its left"),
        ("a -> (a|∇)_1", "(a|∇)_1 on the right of a rule stands nowhere on its left"),
        ("(a|b)_1 -> (a|c)_1", "(a|c)_1 on the right of a rule stands nowhere on its left"),
        (
            "[χ_1]b -> χ_1",
            "χ_1 on the right of a rule may be absent on its left; [χ_1] would be right.",
        ),
        ("a^Δb^Δ -> c", "A rule stores at most once; it has more than one Δ."),
        ("a^Δ -> bΔ", "A rule stores at most once"),
        ("a -> ΔΔ", "A rule stores at most once"),
    ],
)
def test_what_is_no_rule_gets_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MensuraError) as error:
        read_rule(text)
    assert sentence in str(error.value)


def test_sides_that_cannot_be_written_are_refused() -> None:
    with pytest.raises(MensuraError, match="stands on the right of a rule"):
        Rule((Recall(),), ())
    with pytest.raises(MensuraError, match="'ab' is no symbol"):
        Rule((Symbol("ab"),), ())
    with pytest.raises(MensuraError, match="'Δ' is no symbol"):
        Rule((AnySymbol(("Δ",)),), ())
    with pytest.raises(MensuraError, match="Alternatives are at least one"):
        Rule((Choice(()),), ())
