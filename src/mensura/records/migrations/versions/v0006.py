"""Records tell how often the default was played, how much was asked, and what subjects printed."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sitting", sa.Column("asked", sa.BigInteger, nullable=True))
    op.add_column("episode", sa.Column("defaults", sa.BigInteger, nullable=True))
    op.create_table(
        "printed",
        sa.Column("sitting", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("sitting", name="printed_pk"),
    )
