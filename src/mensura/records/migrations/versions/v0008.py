"""People join a study by one link with an id of their own; pilots, quotas, an end, waves."""

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
    "participant": {"external": sa.Text, "wave": sa.Text},
}
"""What is added to each table; older rows have nothing there."""


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind, nullable=True))
