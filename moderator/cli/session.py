"""Settings, database and one transaction for a command; and a line of what was done, by whom."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.config import Config, load
from moderator.errors import StoreError
from moderator.states import By

if TYPE_CHECKING:
    from moderator.club.desk import Desk
    from moderator.store.db import Store
    from moderator.store.transaction import Session

_EVERYBODY = ("ALL", "ALLE")


@contextmanager
def opened(config_file: Path | None) -> Iterator[Desk]:
    """A desk whose work is committed when the block ends without an error. What a command typed here has changed is
    written down with it (store/audit.py)."""
    from moderator.club.desk import Desk
    from moderator.club.live_match import RunCache
    from moderator.store.db import open_store
    from moderator.store.transaction import Touched

    config = load(config_file)
    store = open_store(config.database)
    try:
        with store.transaction() as session:
            touched = Touched(session)
            desk = Desk(config, session, datetime.now(UTC), RunCache(config))
            yield desk
            session.flush()
            touched.codes.update(progress.match.code for progress in desk.progress.values())
            if touched.written:
                _record(session, desk.now, touched.codes)
    finally:
        store.close()


def done(config: Config) -> None:
    """Write down a command that changed something besides the database. Nothing where there is no database (of this
    version) yet."""
    with _store_if_any(config) as store:
        if store is not None:
            with store.transaction() as session:
                _record(session, datetime.now(UTC), set())


def write_rulings(config: Config) -> None:
    """The house list has all rulings that were made by mail, before it is shown or gets another one. Raises
    LexiconError."""
    from moderator.club.house_list import bring_up_to_date

    with _store_if_any(config) as store:
        if store is not None:
            bring_up_to_date(config, store)


@contextmanager
def _store_if_any(config: Config) -> Iterator[Store | None]:
    """The database; None where there is none (of this version) yet."""
    from moderator.store import probe
    from moderator.store.db import open_store
    from moderator.store.schema import HEAD

    try:
        found = probe.version(config.database)
    except StoreError:
        found = ""
    if found != HEAD:
        yield None
        return
    store = open_store(config.database)
    try:
        yield store
    finally:
        store.close()


def _record(session: Session, now: datetime, codes: set[str]) -> None:
    """One line for the command that is running; nothing if none is (a script that uses these functions)."""
    import click

    from moderator.store import audit

    context = click.get_current_context(silent=True)
    if context is None:
        return
    action = context.command_path.partition(" ")[2] or context.command_path
    named = str(context.params.get("code") or "").upper()
    about = "" if named in _EVERYBODY else named or (codes.pop() if len(codes) == 1 else "")
    audit.record(session, now, By.CLI, user(), action, about=about, detail=_typed(context.params))


def user() -> str:
    """Who is logged in, also behind sudo."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (OSError, KeyError):  # a user number without a name, as in a container
        return str(os.getuid())


def _typed(params: Mapping[str, Any]) -> str:
    """The arguments and options that were given. None of our commands takes a password or a token there."""
    given = {name: value for name, value in params.items() if name != "code" and value not in (None, "", False, ())}
    return ", ".join(f"{name} {_shown(value)}".removesuffix(" True") for name, value in given.items())


def _shown(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
