"""Runs tell whether their seed was drawn for them."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("run", sa.Column("fresh_seed", sa.Boolean, nullable=True))
