"""Whether what people do may be used further, and the moments that they mark."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

COLUMNS = {"participant": {"reuse": sa.Boolean}, "answer": {"marked": sa.Boolean}}
"""What is added to each table; older rows have nothing there."""


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind, nullable=True))
