"""How a store of an older version becomes one of this version: Alembic's revisions, in `versions`."""
