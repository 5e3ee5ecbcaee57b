"""What worlds, environments and assessments may have beside what the contract asks of them.

:mod:`mensura.core.contract` says what everybody needs. Here is everything else that the house makes use of: small
protocols, whose members are optional one by one, and one function for each member that says what holds without it.
Nobody else looks whether a member is there; whoever wants to know asks here. What players and agents may have is in
:mod:`mensura.core.players`.

=================  ===========================================================  =====================================
protocol           members                                                      without them
=================  ===========================================================  =====================================
Configured         the fields of a dataclass, ``presets``, ``preset``,          no parameters, no presets
                   ``embed_files``, ``idle``
Hosting            ``subjects``, ``horizon``, ``episode_length``, ``hosting``   the seats of an environment that is
                                                                                drawn; not known; the horizon; the
                                                                                world as it is
Inhabited          ``subject_names``, ``subject_parameters``, ``group``,        registered agents alone
                   ``demo``
Graded             ``graded_by``, ``complexity_bounds``, ``complexity_range``,  the first measure; 256 draws; none;
                   ``references``, ``kind_of``, ``easier``,                     all own subjects; one kind; none;
                   ``usual_assessment``                                         anytime where it can be
Readable           ``describe_from_json``                                       environments are not read from files
Filed              ``task_files``, ``task_parameter``                           no task files; ``task`` where there is
                                                                                such a parameter
Shown              ``view``, ``words``, ``questions``, ``episode_page``         plain ones, from spaces; no questions;
                                                                                no page
Choosy             ``thrown_away``                                              not known
Explorable         ``check_given``, ``check_explorable``, ``fitted``,           of any size; the world; all of them;
                   ``command_parameters``, ``slow_measures``,                   none; rights
                   ``right_parameters``
Bulk               ``sample_many``, ``compiles``, ``rollout``, ``tallies``      the one loop
Planned            ``compiles``, ``play_compiled``                              the one loop
Paced              ``pace``                                                     as quick as most
InBlocks           ``block``                                                    one environment after the other
Sized              ``largest_spaces``, ``room``                                 the spaces of one environment; not known
Pointed            ``raw_measure``                                              rewards are all there is
Importing          ``checkpoints_from``                                         none are read
Fronted            ``frontier``                                                 not known
Published          ``published_spread``                                         not known
Patient            ``holds``                                                    actions are not held
Decidable          ``decided``                                                  every answer counts
Stratified         ``stratum``, ``upright``, ``opposite``, ``void``            no test by strata
Symbolic           ``whole_numbers``                                            numbers are quantities
Perturbing         ``operators``, ``in_training``                               none; the environment itself
Explained          ``phenomena``                                                none
Optimal            ``optimum``                                                  not known
Optimum            ``moment``, ``regrets``                                      (it has both)
Versioned          ``changes``, ``drawn_as``                                    not known; its id
=================  ===========================================================  =====================================
"""

from mensura.core.abilities.assessments import (
    Assessing,
    account_of,
    brings_company,
    check_fits,
    command_defaults,
    default_measure,
    exercises_of,
    expected_interactions,
    expected_seconds,
    measure_of,
    populated,
    seconds_of,
    spread_of,
    tells_complexities,
    trains,
)
from mensura.core.abilities.environments import (
    Decidable,
    Pictured,
    Rows,
    Telling,
    clock_of,
    instructions_for,
    measures_of,
    picture_of,
    step_rows,
    tells_decided,
)
from mensura.core.abilities.pages import (
    Explorable,
    bounded,
    check_explorable,
    check_given,
    command_parameters,
    fitted,
    right_parameters,
    slow_measures,
)
from mensura.core.abilities.subjects import (
    Assessed,
    EnoughError,
    Learning,
    Meter,
    Retelling,
    answer_seconds,
    hurry,
    is_asked_once,
    is_concurrent,
    is_person,
    is_told_in_words,
    learns_with,
    members_of,
    rehearsing,
    retelling,
    settled_part,
    summary_of,
    training_of,
    waits_by_itself,
    waits_of,
)
from mensura.core.abilities.worlds import (
    REQUIRED,
    Bulk,
    Choosy,
    Configured,
    Explained,
    Filed,
    Fronted,
    Graded,
    Hosting,
    Importing,
    InBlocks,
    Inhabited,
    Optimal,
    Optimum,
    Paced,
    Patient,
    Perturbing,
    Planned,
    Pointed,
    Published,
    Readable,
    Shown,
    Sized,
    Stratified,
    Symbolic,
    Versioned,
    allows_holding,
    changes,
    check_is_world,
    checkpoints_from,
    complexity_bounds,
    complexity_range,
    default_of,
    demo,
    describe_from_json,
    drawn_as,
    easier,
    episode_page,
    file_embedder,
    frontier,
    graded_by,
    group,
    horizon,
    horizon_of,
    hosting,
    idle_parameters,
    in_training,
    is_readable,
    kind_of,
    largest_spaces,
    make,
    operators,
    optimum,
    own_questions,
    own_view,
    own_words,
    pace,
    parameters,
    phenomena,
    presets,
    published_spread,
    raw_measure,
    references,
    room,
    seats,
    seats_of,
    subject_names,
    subject_parameters,
    tallies,
    task_files,
    task_parameter,
    thrown_away,
    usual_assessment,
    values,
    whole_numbers,
)

__all__ = [
    "REQUIRED",
    "Assessed",
    "Assessing",
    "Bulk",
    "Choosy",
    "Configured",
    "Decidable",
    "EnoughError",
    "Explained",
    "Explorable",
    "Filed",
    "Fronted",
    "Graded",
    "Hosting",
    "Importing",
    "InBlocks",
    "Inhabited",
    "Learning",
    "Meter",
    "Optimal",
    "Optimum",
    "Paced",
    "Patient",
    "Perturbing",
    "Pictured",
    "Planned",
    "Pointed",
    "Published",
    "Readable",
    "Retelling",
    "Rows",
    "Shown",
    "Sized",
    "Stratified",
    "Symbolic",
    "Telling",
    "Versioned",
    "account_of",
    "allows_holding",
    "answer_seconds",
    "bounded",
    "brings_company",
    "changes",
    "check_explorable",
    "check_fits",
    "check_given",
    "check_is_world",
    "checkpoints_from",
    "clock_of",
    "command_defaults",
    "command_parameters",
    "complexity_bounds",
    "complexity_range",
    "default_measure",
    "default_of",
    "demo",
    "describe_from_json",
    "drawn_as",
    "easier",
    "episode_page",
    "exercises_of",
    "expected_interactions",
    "expected_seconds",
    "file_embedder",
    "fitted",
    "frontier",
    "graded_by",
    "group",
    "horizon",
    "horizon_of",
    "hosting",
    "hurry",
    "idle_parameters",
    "in_training",
    "instructions_for",
    "is_asked_once",
    "is_concurrent",
    "is_person",
    "is_readable",
    "is_told_in_words",
    "kind_of",
    "largest_spaces",
    "learns_with",
    "make",
    "measure_of",
    "measures_of",
    "members_of",
    "operators",
    "optimum",
    "own_questions",
    "own_view",
    "own_words",
    "pace",
    "parameters",
    "phenomena",
    "picture_of",
    "populated",
    "presets",
    "published_spread",
    "raw_measure",
    "references",
    "rehearsing",
    "retelling",
    "right_parameters",
    "room",
    "seats",
    "seats_of",
    "seconds_of",
    "settled_part",
    "slow_measures",
    "spread_of",
    "step_rows",
    "subject_names",
    "subject_parameters",
    "summary_of",
    "tallies",
    "task_files",
    "task_parameter",
    "tells_complexities",
    "tells_decided",
    "thrown_away",
    "training_of",
    "trains",
    "usual_assessment",
    "values",
    "waits_by_itself",
    "waits_of",
    "whole_numbers",
]
