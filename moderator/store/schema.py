"""Bringing a database to the version this program needs. Only `moderator init`, `upgrade`, `restore` and `move-store`
change one, and each of them wholly or not at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.common.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

HEAD = "0019"
"""The newest migration; a test keeps it equal to what lies in migrations/versions."""
BASE, BASE_PROGRAM = "0010", "0.2.0"
"""The oldest migration, and the moderator whose tables it makes, which upgrades whatever is older."""
_SQLITE_MISFITS = (1, 19)
"""SQLITE_ERROR (a table that is not there, or is there already), SQLITE_CONSTRAINT."""
_POSTGRES_MISFITS = ("23", "42")
"""Classes of SQLSTATE: a broken constraint, a statement that does not fit the tables."""


def migrate_database(engine: Engine, target: str = HEAD) -> None:
    """Apply the missing migrations up to ``target``, in one transaction: whatever stops it, the database is as it was.

    Raises StoreError where a database does not fit the migrations; its rows must be linked as ever at the end."""
    from alembic.util import CommandError
    from sqlalchemy.exc import DBAPIError

    with engine.connect() as connection:
        _disable_foreign_keys(connection)
        try:
            with connection.begin():
                _refuse_foreign_database(connection)
                from alembic import command
                from alembic.config import Config

                settings = Config()
                settings.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
                settings.attributes["connection"] = connection
                command.upgrade(settings, target)
                _check_foreign_keys(connection)
        except CommandError as error:  # a version that never was
            raise _build_migration_error(str(error)) from error
        except DBAPIError as error:
            if not _is_misfit(error.orig):
                raise
            raise _build_migration_error(" ".join(str(error.orig).split())) from error


def _disable_foreign_keys(connection: Connection) -> None:
    """Disable SQLite's checks of foreign keys on this connection.

    What SQLite cannot alter is made anew: the old table is dropped while others point to it. This has to be said
    outside a transaction, where SQLAlchemy would begin one; and no other caller gets this connection later."""
    if connection.dialect.name == "sqlite":
        raw: Any = connection.connection.driver_connection
        connection.detach()
        raw.execute("PRAGMA foreign_keys=OFF")


def _check_foreign_keys(connection: Connection) -> None:
    """Raise StoreError where a row points to one that is not there; PostgreSQL checks that all the time."""
    if connection.dialect.name != "sqlite":
        return
    broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchone()
    if broken:
        raise _build_migration_error(f"row {broken[1]} of {broken[0]} points to a row of {broken[2]} that is not there")


def refuse_older_version(found: str, what: str, command: str = "upgrade") -> None:
    """Raise StoreError where ``what`` is of a version that only an older program upgrades: by ``command``."""
    if found < BASE:
        raise StoreError(
            f"{what} is of version {found}, which is older than moderator {BASE_PROGRAM}.",
            f"Install moderator {BASE_PROGRAM} and run `moderator {command}`, "
            "then install this version and run `moderator upgrade`.",
        )


def refuse_foreign_version(found: str, what: str, command: str = "upgrade") -> None:
    """Raise StoreError where this program cannot upgrade ``what`` for its version."""
    refuse_older_version(found, what, command)
    if found != "none" and found > HEAD:
        raise StoreError(f"{what} is of version {found}, this program knows {HEAD}.", "Install a newer moderator.")


def refuse_other_version(found: str, what: str) -> None:
    """Raise StoreError where ``what`` is of any other version than this program's, and say what to do."""
    refuse_foreign_version(found, what)
    if found != HEAD:
        raise StoreError(f"{what} is of version {found}, this program needs {HEAD}.", "Run `moderator upgrade`.")


def _refuse_foreign_database(connection: Connection) -> None:
    from alembic.migration import MigrationContext

    refuse_foreign_version(MigrationContext.configure(connection).get_current_revision() or HEAD, "The database")


def _is_misfit(cause: BaseException | None) -> bool:
    """Return whether the tables or rows are not what the migrations expect; else it is the disk, a lock or the
    server."""
    code, state = getattr(cause, "sqlite_errorcode", 0), str(getattr(cause, "sqlstate", None) or "")
    return code & 0xFF in _SQLITE_MISFITS or state.startswith(_POSTGRES_MISFITS)


def _build_migration_error(what: str) -> StoreError:
    return StoreError(
        f"The database cannot be brought to version {HEAD}: {what}. Nothing was changed.",
        "Go on with the version of moderator that you had, and report this line.",
    )
