"""Skeletons of texts are kept, so that a corpus is parsed once."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "skeleton",
        sa.Column("digest", sa.Text, nullable=False, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="skeleton_pk"),
    )
