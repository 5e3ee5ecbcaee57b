"""Lines that are no letters: what an agent says to the environment itself."""

CLAIM = "claim no solution"
"""The line by which an agent says that the problem has no solution."""
REPORTS = {
    "checks": "checks",
    "nogood-checks": "nogood_checks",
    "obsolete": "obsolete",
    "learned-nogoods": "learned_nogoods",
    "learned-costs": "learned_costs",
}
"""Lines that report to the environment, as ``"checks 57"``, and what of a state they add to: constraint checks, checks
of nogoods, letters that came too late, and what letters said of constraints of others, as nogoods and as numbers."""
