"""The published items, as data: the series that are shown, the answer, and k where it is published.

Where the machine, as it is read here, does not give the published answer or k, the item says so and stays.
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
    start: str = "a"
    """The letter with which registers have to start for the published k."""
    differs: str = ""
    """Where the machine disagrees: how."""


PUBLISHED = (
    PublishedItem("a b c d", "e", 7),
    PublishedItem(
        "y y x w w v", "u", 9, start="y", differs="with registers that start at a, k is 11"
    ),
    PublishedItem("a d g j", "m", 9),
    PublishedItem("a a z c y e x", "g", 12),
    PublishedItem(
        "c a b d b c c e c d",
        "d",
        14,
        differs="the cheapest program goes on with f (k 15); d takes an instruction more (k 16)",
    ),
    PublishedItem("a _ a z a y a", "a", None),
    PublishedItem("a x _ v w t u", "y", None),
    PublishedItem("a y w _ w u w u s", "y", None),
)
"""Hernandez-Orallo's C-test; the third, fourth and fifth also in Figure 2 of Hernandez-Orallo and Dowe (2010)."""
