"""A club's database in another place: from the file of SQLite to PostgreSQL, or back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from moderator.backup.snapshot import reading
from moderator.config import Config
from moderator.errors import OperatorError
from moderator.store import installation, postgres
from moderator.store.probe import Place

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.engine import Connection
    from sqlmodel import Session

ROWS = 100
"""Rows at hand at a time; some hold a mail of 1 MB."""


def place(text: str) -> Place:
    """What the operator calls a database: a URL, or else a file."""
    return text if postgres.is_url(text) else Path(text)


def move(config: Config, target: Place) -> dict[str, int]:
    """Copy everything into an empty database, all of it or nothing; returns how many rows each table has. What is there
    now stays as it is. Raises OperatorError where the other database is not empty."""
    from sqlmodel import SQLModel

    from moderator.store.db import open_engine, translated
    from moderator.store.schema import migrate

    name = postgres.shown(target) if isinstance(target, str) else str(target)
    with translated(), reading(config) as source:
        if isinstance(target, Path) and not target.exists():
            target.touch(mode=0o600)  # it holds everybody's mails and tiles
        engine = open_engine(target)
        try:
            migrate(engine)
            with engine.begin() as connection:
                tables = SQLModel.metadata.sorted_tables
                if any(_count(connection, table) for table in tables):
                    raise OperatorError(f"{name} is not empty.", "Name a new database.")
                for table in tables:
                    _copy(source, connection, table)
                copied = {table.name: _count(connection, table) for table in tables}
                _go_on(connection, target)
            return copied
        finally:
            engine.dispose()


def _copy(source: Session, target: Connection, table: Table) -> None:
    from sqlalchemy import insert, select

    rows = source.connection().execution_options(yield_per=ROWS).execute(select(table).order_by(*table.primary_key))
    for chunk in rows.mappings().partitions(ROWS):
        target.execute(insert(table), [dict(row) for row in chunk])
    if target.dialect.name == "postgresql" and "id" in table.primary_key:
        postgres.count_on(target, table.name)


def _go_on(connection: Connection, target: Place) -> None:
    """From its first tick the moved club reads the mailbox; what should still run with the old database stops then."""
    from sqlalchemy import delete, insert
    from sqlmodel import SQLModel

    if isinstance(target, Path):
        installation.take_over_in(target)
        return
    values, table = installation.values_to_take_over(), SQLModel.metadata.tables["keyvalue"]
    connection.execute(delete(table).where(table.c.key.in_(values)))
    connection.execute(insert(table), [{"key": key, "value": value} for key, value in values.items()])


def _count(connection: Connection, table: Table) -> int:
    from sqlalchemy import func, select

    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
