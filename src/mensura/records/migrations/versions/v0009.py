"""Studies of people have conditions, everybody a way through them; rooms in which several play together."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

COLUMNS: dict[str, dict[str, Any]] = {
    "people_study": {"courses": sa.Integer, "course_quotas": sa.Text},
    "participant": {"course": sa.Integer, "room": sa.Integer},
}
"""What is added to each table; older rows have nothing there."""

TABLES = ("room_answer", "room_seat", "room")
"""The new tables, each before those that its rows refer to."""


def upgrade() -> None:
    for table, columns in COLUMNS.items():
        for name, kind in columns.items():
            op.add_column(table, sa.Column(name, kind, nullable=True))
    op.create_table(
        "room",
        *_keys("number"),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("study", "number", name="room_pk"),
        sa.ForeignKeyConstraint(("study",), ("people_study.run",), name="room_study_fk"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "room_seat",
        *_keys("room", "seat", "since"),
        sa.Column("participant", sa.Integer, nullable=True),
        sa.PrimaryKeyConstraint("study", "room", "seat", "since", name="room_seat_pk"),
        _of_room("room_seat"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "room_answer",
        *_keys("room", "turn", "seat"),
        sa.Column("kind", sa.Text, primary_key=True, autoincrement=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=True),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("response_ms", sa.Double, nullable=True),
        sa.Column("waited_ms", sa.Double, nullable=False),
        sa.Column("kept", sa.Text, nullable=True),
        sa.PrimaryKeyConstraint("study", "room", "turn", "seat", "kind", name="room_answer_pk"),
        _of_room("room_answer"),
        sqlite_with_rowid=False,
    )


def _keys(*names: str) -> list[sa.Column[Any]]:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    return [
        sa.Column("study", number, primary_key=True, autoincrement=False),
        *(sa.Column(name, sa.Integer, primary_key=True, autoincrement=False) for name in names),
    ]


def _of_room(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ("study", "room"), ("room.study", "room.number"), name=f"{table}_study_fk"
    )
