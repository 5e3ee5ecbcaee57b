"""The published items, as data: the series that are shown, the answer, and k where it is published.

Where the machine, as it is read here, does not give the published answer or k, the item says so and stays. Programs are
what `explain` finds, kept here since some searches take minutes.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedItem:
    """One item of the publications."""

    series: str
    """What is shown; _ is a blank."""
    answer: str
    k: int | None
    """The published complexity; None where we know of none."""
    program: str
    """The cheapest program with the published answer."""
    start: str = "a"
    """The letter with which registers have to start for the published k."""
    differs: str = ""
    """Where the machine disagrees: how."""


PUBLISHED = (
    PublishedItem("a b c d", "e", 7, "W + LOOPTOP"),
    PublishedItem(
        "y y x w w v",
        "u",
        9,
        "W W - W - LOOPTOP",
        start="y",
        differs="with registers that start at a, k is 11",
    ),
    PublishedItem("a d g j", "m", 9, "W + + + LOOPTOP"),
    PublishedItem("a a z c y e x", "g", 12, "A<-C W A<-B W + + B<-A LOOPTOP"),
    PublishedItem(
        "c a b d b c c e c d",
        "d",
        14,
        "+ + W C<-A A<-B W + A<-B + LOOPS B<-A LOOPTOP",
        differs="the cheapest program goes on with f (k 15); d takes an instruction more (k 16)",
    ),
    PublishedItem("a _ a z a y a", "a", None, "W A<-C W A<-B LOOPTOP"),
    PublishedItem("a x _ v w t u", "y", None, "W - - - W + LOOPTOP"),
    PublishedItem("a y w _ w u w u s", "y", None, "W - - W - - W + + LOOPTOP"),
)
"""Hernandez-Orallo's C-test; the third, fourth and fifth also in Figure 2 of Hernandez-Orallo and Dowe (2010)."""


@dataclass(frozen=True)
class SheetSeries:
    """A series of the published sheet whose published answer we do not know."""

    series: str
    continuation: str
    """What the cheapest program writes next; it is among the sheet's options."""
    program: str
    doubt: str = ""
    """The condition of the judgment that does not hold; empty where it is unquestionable."""


SHEET = (
    SheetSeries("a b a b a b", "a", "W + W - LOOPTOP"),
    SheetSeries("a c b d c e", "d", "W + + W - LOOPTOP"),
    SheetSeries("a c z b y a", "x", "A<-C W + + W LOOPTOP"),
    SheetSeries("a a z z y y", "x", "W W - LOOPTOP"),
    SheetSeries("a a a b b b c", "c", "W W W + LOOPTOP"),
    SheetSeries("a z b d c e g f", "h", "W - W + + W + + LOOPTOP", "stable"),
    SheetSeries("a a a a b b b b c", "c", "W W W W + LOOPTOP"),
    SheetSeries("a a c y a w y", "u", "W A<-C - C<-A + W + + LOOPTOP"),
    SheetSeries("a b d e g", "h", "W + W + + LOOPTOP"),
    SheetSeries("a a b b z a b b", "y", "A<-C W A<-B W + W W LOOPTOP"),
    SheetSeries("z a y x x u w", "r", "- W B<-A A<-C W - - C<-A A<-B LOOPTOP"),
    SheetSeries("z a x a v a", "t", "A<-C - W C<-A A<-B W LOOPTOP"),
    SheetSeries("a b a z a a y z a", "x", "A<-C W + W A<-B W LOOPTOP"),
    SheetSeries("a a a z b b y", "c", "A<-C W A<-B W W + B<-A LOOPTOP", "no rival"),
    SheetSeries("a a d a z c a", "y", "W A<-C W + + + W A<-B LOOPTOP", "stable"),
    SheetSeries("a z b z z y b y", "y", "W - W A<-B + W A<-C - W LOOPTOP", "stable"),
)
"""Further series of the sheet."""
