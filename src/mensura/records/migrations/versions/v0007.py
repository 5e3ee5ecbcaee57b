"""Symbols have a meaning for each participant; what was kept of people after they withdrew is removed."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

OF_SITTINGS = ("episode", "fault", "measure", "journal", "description", "trace")

WITHDRAWN = """
SELECT participant.study, participant.number, cell.first_sitting + participant.number
FROM participant JOIN cell ON cell.run = participant.study AND cell.number = 0
WHERE participant.state = 'withdrawn' OR (
    participant.state = 'finished' AND NOT EXISTS (
        SELECT 1 FROM answer
        WHERE answer.study = participant.study AND answer.participant = participant.number AND answer.number = 0
    )
)
"""
"""Whoever withdrew: an answer that was on its way could be written afterwards, and the last one made them finished,
with a score but without the answers before it."""


def upgrade() -> None:
    op.add_column("people_study", sa.Column("own_symbols", sa.Boolean, nullable=True))
    database = op.get_bind()
    for study, number, sitting in database.execute(sa.text(WITHDRAWN)).all():
        who = {"study": study, "number": number}
        for table in ("answer", "questionnaire"):
            database.execute(
                sa.text(f"DELETE FROM {table} WHERE study = :study AND participant = :number"), who
            )
        for table in OF_SITTINGS:
            database.execute(sa.text(f"DELETE FROM {table} WHERE sitting = :id"), {"id": sitting})
        database.execute(sa.text("DELETE FROM sitting WHERE id = :id"), {"id": sitting})
        database.execute(
            sa.text(
                "UPDATE participant SET state = 'withdrawn', score = NULL WHERE study = :study AND number = :number"
            ),
            who,
        )
