"""Alembic's entry; called by ``moderator.store.schema`` with an open connection."""

from alembic import context
from sqlmodel import SQLModel

from moderator.store import tables  # noqa: F401 - imported so that the tables are known

context.configure(
    connection=context.config.attributes["connection"], target_metadata=SQLModel.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
