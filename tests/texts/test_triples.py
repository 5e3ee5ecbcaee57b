"""Triples, connectives and co-reference, by the rules of the reference on sentences parsed by hand."""

from __future__ import annotations

import pytest
from tests.texts.parsed import sentence

from mensura.texts.skeletons import Skeleton
from mensura.texts.triples import skeleton_of

ACTIVE = "The/the/DET/2/det army/army/NOUN/3/nsubj attacked/attack/VERB/0/root the/the/DET/5/det fort/fort/NOUN/3/obj"
PASSIVE = (
    "The/the/DET/2/det fort/fort/NOUN/4/nsubj:pass was/be/AUX/4/aux:pass attacked/attack/VERB/0/root "
    "by/by/ADP/7/case the/the/DET/7/det army/army/NOUN/4/obl"
)


def read(*sentences: str) -> Skeleton:
    return skeleton_of([sentence(one) for one in sentences])


def test_active_and_passive_give_the_same_triple() -> None:
    assert read(ACTIVE).triples() == read(PASSIVE).triples() == [("army", "attack", "fort")]


@pytest.mark.parametrize(
    ("words", "triples"),
    [
        (  # joined verbs share the subject
            "Kings/king/NOUN/2/nsubj build/build/VERB/0/root forts/fort/NOUN/2/obj and/and/CCONJ/5/cc "
            "feed/feed/VERB/2/conj armies/army/NOUN/5/obj",
            [("king", "build", "fort"), ("king", "feed", "army")],
        ),
        (  # and an object that comes after both
            "Kings/king/NOUN/2/nsubj build/build/VERB/0/root and/and/CCONJ/4/cc guard/guard/VERB/2/conj "
            "forts/fort/NOUN/2/obj",
            [("king", "build", "fort"), ("king", "guard", "fort")],
        ),
        (  # joined nouns multiply the triple
            "Kings/king/NOUN/4/nsubj and/and/CCONJ/3/cc queens/queen/NOUN/1/conj build/build/VERB/0/root "
            "forts/fort/NOUN/4/obj",
            [("king", "build", "fort"), ("queen", "build", "fort")],
        ),
        (  # xcomp inherits the subject
            "Kings/king/NOUN/2/nsubj want/want/VERB/0/root to/to/PART/4/mark build/build/VERB/2/xcomp "
            "forts/fort/NOUN/4/obj",
            [("king", "build", "fort")],
        ),
        (  # or takes the object of what governs it
            "Kings/king/NOUN/2/nsubj order/order/VERB/0/root armies/army/NOUN/2/obj to/to/PART/5/mark "
            "build/build/VERB/2/xcomp forts/fort/NOUN/5/obj",
            [("king", "order", "army"), ("army", "build", "fort")],
        ),
        (  # advcl inherits the subject
            "Fearing/fear/VERB/4/advcl wolves/wolf/NOUN/1/obj ,/,/PUNCT/4/punct build/build/VERB/0/root "
            "kings/king/NOUN/4/nsubj forts/fort/NOUN/4/obj",
            [("king", "fear", "wolf"), ("king", "build", "fort")],
        ),
        (  # relative clauses take their head, as subject
            "Wolves/wolf/NOUN/0/root that/that/PRON/3/nsubj eat/eat/VERB/1/acl:relcl sheep/sheep/NOUN/3/obj",
            [("wolf", "eat", "sheep")],
        ),
        (  # as object, where nothing says so
            "Sheep/sheep/NOUN/0/root wolves/wolf/NOUN/3/nsubj eat/eat/VERB/1/acl:relcl",
            [("wolf", "eat", "sheep")],
        ),
        (  # and of participles
            "Forts/fort/NOUN/0/root guarded/guard/VERB/1/acl by/by/ADP/4/case armies/army/NOUN/2/obl",
            [("army", "guard", "fort")],
        ),
        (  # prepositions
            "Armies/army/NOUN/2/nsubj march/march/VERB/0/root along/along/ADP/4/case roads/road/NOUN/2/obl",
            [("army", "march_along", "road")],
        ),
        (  # in the passive without an agent
            "Forts/fort/NOUN/3/nsubj:pass are/be/AUX/3/aux:pass surrounded/surround/VERB/0/root "
            "with/with/ADP/5/case mines/mine/NOUN/3/obl",
            [("fort", "surround_with", "mine")],
        ),
        (  # copulas
            "Wolves/wolf/NOUN/3/nsubj are/be/AUX/3/cop hunters/hunter/NOUN/0/root",
            [("wolf", "be", "hunter")],
        ),
        (
            "Wolves/wolf/NOUN/4/nsubj are/be/AUX/4/cop in/in/ADP/4/case forests/forest/NOUN/0/root",
            [("wolf", "be_in", "forest")],
        ),
        (
            "Wolves/wolf/NOUN/3/nsubj are/be/AUX/3/cop similar/similar/ADJ/0/root to/to/ADP/5/case dogs/dog/NOUN/3/obl",
            [("wolf", "be_similar_to", "dog")],
        ),
        (  # compounds
            "Rebel/rebel/NOUN/2/compound generals/general/NOUN/3/nsubj lead/lead/VERB/0/root armies/army/NOUN/3/obj",
            [("rebel_general", "lead", "army")],
        ),
        (  # particles
            "Kings/king/NOUN/2/nsubj give/give/VERB/0/root up/up/ADP/2/compound:prt forts/fort/NOUN/2/obj",
            [("king", "give_up", "fort")],
        ),
        (  # whom something is given
            "Kings/king/NOUN/2/nsubj give/give/VERB/0/root generals/general/NOUN/2/iobj forts/fort/NOUN/2/obj",
            [("king", "give", "fort"), ("king", "give_to", "general")],
        ),
    ],
)  # fmt: skip
def test_a_construction_gives_its_triples(words: str, triples: list[tuple[str, str, str]]) -> None:
    assert read(words).triples() == triples


def test_a_verb_without_an_object_is_an_attribute_only() -> None:
    alone = read("Wolves/wolf/NOUN/2/nsubj howl/howl/VERB/0/root")
    assert len(alone) == 0
    both = read("Wolves/wolf/NOUN/2/nsubj howl/howl/VERB/0/root", ACTIVE.replace("army", "wolf"))
    assert both.concepts[0].modifiers == ("howl",)


def test_nodes_know_their_sentences_adjectives_and_negations() -> None:
    found = read(
        "Wolves/wolf/NOUN/2/nsubj sleep/sleep/VERB/0/root",
        "Gray/gray/ADJ/2/amod wolves/wolf/NOUN/5/nsubj do/do/AUX/5/aux not/not/PART/5/advmod "
        "eat/eat/VERB/0/root dogs/dog/NOUN/5/obj",
    )
    wolf, dog = found.concepts
    assert wolf.sentences == (0, 1)
    assert set(wolf.modifiers) == {"gray", "sleep"}
    assert dog.sentences == (1,)
    assert found.relations[0].negated
    assert found.told(2) == "wolf not eat dog"
    assert found.passages(1) == ["Gray wolves do not eat dogs"]


def test_connectives_are_relations_between_relations() -> None:
    found = read(
        "Kings/king/NOUN/2/nsubj build/build/VERB/0/root forts/fort/NOUN/2/obj because/because/SCONJ/6/mark "
        "wolves/wolf/NOUN/6/nsubj eat/eat/VERB/2/advcl sheep/sheep/NOUN/6/obj"
    )
    assert found.told(len(found) - 1) == "(king build fort) because (wolf eat sheep)"
    assert found.orders[-1] == 2
    then = read(
        ACTIVE,
        "Therefore/therefore/ADV/3/advmod kings/king/NOUN/3/nsubj build/build/VERB/0/root walls/wall/NOUN/3/obj",
    )
    assert then.told(len(then) - 1) == "(army attack fort) therefore (king build wall)"


# Co-reference

KING = "The/the/DET/2/det king/king/NOUN/3/nsubj built/build/VERB/0/root a/a/DET/5/det fort/fort/NOUN/3/obj"


@pytest.mark.parametrize(
    ("second", "triple"),
    [
        ("He/he/PRON/2/nsubj loved/love/VERB/0/root dogs/dog/NOUN/2/obj", ("king", "love", "dog")),
        ("It/it/PRON/2/nsubj held/hold/VERB/0/root dogs/dog/NOUN/2/obj", ("fort", "hold", "dog")),
        (
            "Dogs/dog/NOUN/2/nsubj loved/love/VERB/0/root him/he/PRON/2/obj",
            ("dog", "love", "king"),
        ),
        ("We/we/PRON/2/nsubj love/love/VERB/0/root dogs/dog/NOUN/2/obj", ("we", "love", "dog")),
    ],
)
def test_pronouns_stand_for_what_agrees_with_them(second: str, triple: tuple[str, ...]) -> None:
    assert read(KING, second).triples()[1] == triple


@pytest.mark.parametrize("pronoun", ["She/she", "They/they"])
def test_a_pronoun_that_nothing_agrees_with_gives_no_triple(pronoun: str) -> None:
    second = f"{pronoun}/PRON/2/nsubj loved/love/VERB/0/root dogs/dog/NOUN/2/obj"
    assert len(read(KING, second).triples()) == 1


def test_they_may_stand_for_several_that_are_joined() -> None:
    found = read(
        "The/the/DET/2/det king/king/NOUN/5/nsubj and/and/CCONJ/4/cc queen/queen/NOUN/2/conj "
        "built/build/VERB/0/root forts/fort/NOUN/5/obj",
        "They/they/PRON/2/nsubj loved/love/VERB/0/root dogs/dog/NOUN/2/obj",
    )
    assert ("king", "love", "dog") in found.triples()


def test_a_definite_repeat_is_the_compound_before_it() -> None:
    found = read(
        "A/a/DET/3/det rebel/rebel/NOUN/3/compound general/general/NOUN/4/nsubj saw/see/VERB/0/root "
        "forts/fort/NOUN/4/obj",
        "The/the/DET/2/det general/general/NOUN/3/nsubj loved/love/VERB/0/root dogs/dog/NOUN/3/obj",
        "A/a/DET/2/det general/general/NOUN/3/nsubj feared/fear/VERB/0/root dogs/dog/NOUN/3/obj",
    )
    subjects = [one[0] for one in found.triples()]
    assert subjects == ["rebel_general", "rebel_general", "general"]
    assert found.concepts[0].head == "general"
