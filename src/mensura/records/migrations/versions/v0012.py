"""Episodes may begin in checkpoints, which are kept with the pools that they are of."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "start",
        sa.Column("sitting", sa.BigInteger, nullable=False, autoincrement=False),
        sa.Column("sequence", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("snapshot", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("sitting", "sequence", name="start_pk"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "snapshot",
        sa.Column("digest", sa.Text, nullable=False, autoincrement=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="snapshot_pk"),
    )
    op.create_table(
        "pool",
        sa.Column("digest", sa.Text, nullable=False, autoincrement=False),
        sa.Column("world", sa.Text, nullable=False),
        sa.Column("environments", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pool_pk"),
    )
    op.create_table(
        "checkpoint",
        sa.Column("pool", sa.Text, nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("snapshot", sa.Text, nullable=False),
        sa.Column("environment", sa.Integer, nullable=False),
        sa.Column("player", sa.Text, nullable=False),
        sa.Column("episode", sa.Text, nullable=False),
        sa.Column("interaction", sa.BigInteger, nullable=False),
        sa.Column("score", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("pool", "number", name="checkpoint_pk"),
        sa.ForeignKeyConstraint(("pool",), ("pool.digest",), name="checkpoint_pool_fk"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "run_pool",
        sa.Column("run", number, nullable=False, autoincrement=False),
        sa.Column("pool", sa.Text, nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("run", "pool", name="run_pool_pk"),
        sa.ForeignKeyConstraint(("run",), ("run.id",), name="run_pool_run_fk"),
        sa.ForeignKeyConstraint(("pool",), ("pool.digest",), name="run_pool_pool_fk"),
        sqlite_with_rowid=False,
    )
