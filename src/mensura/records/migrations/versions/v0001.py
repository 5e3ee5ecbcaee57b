"""The first version of the store."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "run",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("study", sa.Text, nullable=False),
        sa.Column("study_hash", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("command", sa.Text, nullable=False),
        sa.Column("commit_hash", sa.Text, nullable=False),
        sa.Column("versions", sa.Text, nullable=False),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("ended", sa.Text, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("sittings", sa.BigInteger, nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "configuration",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("world", sa.Text, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("assessment", sa.Text, nullable=False),
        sa.Column("assessment_parameters", sa.Text, nullable=False),
    )
    op.create_table(
        "subject",
        sa.Column("id", NUMBER, primary_key=True),
        sa.Column("hash", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("in_process", sa.Boolean, nullable=False),
        sa.Column("ask_once", sa.Boolean, nullable=False),
        sa.Column("limits", sa.Text, nullable=False),
    )
    op.create_table(
        "cell",
        _key("run", NUMBER, sa.ForeignKey("run.id")),
        _key("number", sa.Integer),
        sa.Column("configuration", NUMBER, sa.ForeignKey("configuration.id"), nullable=False),
        sa.Column("subject", NUMBER, sa.ForeignKey("subject.id"), nullable=False),
        sa.Column("condition", sa.Text, nullable=False),
        sa.Column("repetition", sa.Integer, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("levels", sa.Text, nullable=False),
        sa.Column("sittings", sa.BigInteger, nullable=False),
        sa.Column("training", sa.BigInteger, nullable=False),
        sa.Column("keep_training", sa.BigInteger, nullable=False),
        sa.Column("traces", sa.Boolean, nullable=False),
        sa.Column("compiled", sa.Boolean, nullable=False),
        sa.Column("first_sitting", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sitting",
        _key("id", NUMBER),
        sa.Column("status", sa.SmallInteger, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("score", sa.Double, nullable=False),
        sa.Column("interactions", sa.BigInteger, nullable=False),
        sa.Column("wall", sa.Double, nullable=False),
        sa.Column("cpu", sa.Double),
        sa.Column("faults", sa.Integer, nullable=False),
    )
    op.create_table(
        "episode",
        _of_sitting(),
        _key("sequence", sa.Integer),
        sa.Column("configuration", NUMBER, nullable=False),
        sa.Column("learning", sa.Boolean, nullable=False),
        sa.Column("environment", sa.BigInteger, nullable=False),
        sa.Column("complexity", sa.Double),
        sa.Column("reward", sa.Double, nullable=False),
        sa.Column("interactions", sa.BigInteger, nullable=False),
        sa.Column("wall", sa.Double, nullable=False),
        sa.Column("cpu", sa.Double),
        sa.Column("faults", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "fault",
        _of_sitting(),
        _key("number", sa.Integer),
        sa.Column("sequence", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("interaction", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_table(
        "measure",
        _of_sitting(),
        _key("sequence", sa.Integer),
        _key("name", sa.Text),
        sa.Column("value", sa.Double),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "journal",
        _of_sitting(),
        _key("sequence", sa.Integer),
        sa.Column("answers", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "description",
        _of_sitting(),
        _key("sequence", sa.Integer),
        sa.Column("json", sa.Text, nullable=False),
    )
    op.create_table(
        "trace",
        _of_sitting(),
        _key("hash", sa.LargeBinary),
        sqlite_with_rowid=False,
    )


def _key(name: str, *more: object) -> sa.Column[object]:
    return sa.Column(name, *more, primary_key=True, autoincrement=False, nullable=False)  # type: ignore[arg-type]


def _of_sitting() -> sa.Column[object]:
    return _key("sitting", sa.BigInteger)
