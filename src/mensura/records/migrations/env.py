"""Where Alembic begins: it migrates the connection that :mod:`mensura.records.versions` hands it."""

from alembic import context

from mensura.records.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
