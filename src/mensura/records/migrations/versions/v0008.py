"""People join a study by one link; pilots, quotas, an end, waves; versions of consent; own questions."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

COLUMNS = {
    "people_study": {
        "token": sa.Text,
        "pilot_token": sa.Text,
        "secret": sa.LargeBinary,
        "quota": sa.BigInteger,
        "ends": sa.Text,
        "wave": sa.Text,
        "piloted": sa.BigInteger,
    },
    "participant": {
        "external": sa.Text,
        "wave": sa.Text,
        "consented": sa.Text,
        "consent_version": sa.Integer,
        "consent_language": sa.Text,
        "before_at": sa.Text,
        "checked_at": sa.Text,
        "tries": sa.Integer,
        "after_at": sa.Text,
        "device": sa.Text,
        "excluded": sa.Text,
    },
}
"""What is added to each table; older rows have nothing there."""


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind, nullable=True))
    op.execute(
        "UPDATE participant SET after_at = '' WHERE EXISTS (SELECT 1 FROM questionnaire WHERE "
        "questionnaire.study = participant.study AND questionnaire.participant = participant.number)"
    )
    op.create_table(
        "consent_text",
        sa.Column(
            "study",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("language", sa.Text, primary_key=True, autoincrement=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("study", "version", "language", name="consent_text_pk"),
        sa.ForeignKeyConstraint(("study",), ("people_study.run",), name="consent_text_study_fk"),
        sqlite_with_rowid=False,
    )
