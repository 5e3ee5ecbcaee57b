"""Of which kind each optional member of a world is: it decides what a world around another hands on.

A wrapper, as company or noise before the eyes, changes how episodes go. So it hands on what tells of the world inside
and what says where environments come from, and has what plays or shows them only where it says so itself. A member
that is not listed is not handed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum


class Kind(Enum):
    """What a member is about."""

    TELLS = "about the world itself: a wrapper hands it on"
    DRAWS = "where environments come from: a wrapper hands it on"
    PLAYS = (
        "how episodes are computed, what spaces they have, or what takes or makes a description or a world: a wrapper "
        "has it only if it defines it"
    )


_MEMBERS = {
    Kind.TELLS: (
        "presets", "preset", "idle", "subjects", "horizon", "episode_length", "holds", "whole_numbers", "own_prompts",
        "operators", "subject_names", "subject_parameters", "group", "demo", "graded_by", "references",
        "usual_assessment", "view", "words", "episode_page", "conversation", "talk", "problem", "tallies",
        "published_spread", "changes", "frontier", "check_given", "check_explorable", "command_parameters",
        "slow_measures", "right_parameters", "content",
    ),
    Kind.DRAWS: (
        "embed_files", "task_files", "task_parameter", "thrown_away", "complexity_bounds", "complexity_range",
        "drawn_as",
    ),
    Kind.PLAYS: (
        "hosting", "in_training", "kind_of", "easier", "fitted", "describe_from_json", "questions", "phenomena",
        "optimum", "pair_count", "pair", "pair_words", "stratum", "upright", "opposite", "void", "sample_many",
        "compiles", "rollout", "play_compiled", "pace", "block", "largest_spaces", "room", "checkpoints_from",
    ),
}  # fmt: skip

KINDS: Mapping[str, Kind] = {name: kind for kind, names in _MEMBERS.items() for name in names}
"""The kind of every member, by its name."""

OF_CLASSES = (
    "presets", "changes", "task_files", "task_parameter", "embed_files", "published_spread", "demo", "check_given",
)  # fmt: skip
"""Members that a class of worlds is asked for, not only a world."""


def is_handed_on(name: str) -> bool:
    """Whether a world around another has this member of the one inside."""
    return KINDS.get(name) in (Kind.TELLS, Kind.DRAWS)
