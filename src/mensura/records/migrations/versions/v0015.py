"""Where environments come from, and how subjects were held."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

COLUMNS = {"cell": {"content": sa.Text, "isolation": sa.Text}}
"""What is added to each table; older rows have nothing there."""


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind, nullable=True))
