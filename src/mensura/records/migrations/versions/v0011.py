"""Runs may be profiles, whose parts are kept."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "part",
        sa.Column("run", number, nullable=False, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False, autoincrement=False),
        sa.Column("subject", sa.Text, nullable=False, autoincrement=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run", "name", "subject", name="part_pk"),
        sa.ForeignKeyConstraint(("run",), ("run.id",), name="part_run_fk"),
        sqlite_with_rowid=False,
    )
