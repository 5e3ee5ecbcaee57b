"""Studies of people have conditions, and everybody a way through them."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


COLUMNS: dict[str, dict[str, Any]] = {
    "people_study": {"courses": sa.Integer, "course_quotas": sa.Text},
    "participant": {"course": sa.Integer},
}
"""What is added to each table; older rows have nothing there."""


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind, nullable=True))
