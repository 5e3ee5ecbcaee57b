"""Studies of people: who takes part, every answer as it came, and what they say afterwards."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "people_study",
        _key("run", NUMBER, sa.ForeignKey("run.id")),
        sa.Column("theme", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("closed", sa.Boolean, nullable=False),
        sa.Column("places", sa.BigInteger, nullable=False),
        sa.Column("invited", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "participant",
        _key("study", NUMBER, sa.ForeignKey("people_study.run")),
        _key("number", sa.Integer),
        sa.Column("pseudonym", sa.Text, nullable=False),
        sa.Column("code", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("score", sa.Double, nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "answer",
        _key("study", NUMBER),
        _key("participant", sa.Integer),
        _key("number", sa.Integer),
        sa.Column("action", sa.Integer, nullable=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("response_ms", sa.Double, nullable=True),
        sa.Column("waited_ms", sa.Double, nullable=False),
        _of_participant(),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "questionnaire",
        _key("study", NUMBER),
        _key("participant", sa.Integer),
        _key("question", sa.Text),
        sa.Column("answer", sa.Text, nullable=False),
        _of_participant(),
        sqlite_with_rowid=False,
    )


def _key(name: str, *more: object) -> sa.Column[object]:
    return sa.Column(name, *more, primary_key=True, autoincrement=False, nullable=False)  # type: ignore[arg-type]


def _of_participant() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ("study", "participant"), ("participant.study", "participant.number")
    )
