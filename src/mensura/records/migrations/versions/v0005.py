"""People may do other things than to choose a number."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("answer", sa.Column("value", sa.Text, nullable=True))
