"""Cells may have phases of training before them."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "cell", sa.Column("phases", sa.Text, nullable=False, server_default=sa.text("''"))
    )
