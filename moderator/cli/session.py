"""What a command of the command line begins with: settings, database and one transaction, a line of what was done, by
whom; and values as they are typed: options of a game, settings of a tournament, dates."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import click

from moderator.config import Config, load
from moderator.errors import ConfigError, OperatorError, StoreError
from moderator.states import By

if TYPE_CHECKING:
    from moderator.club.desk import Desk
    from moderator.store.db import Session, Store


_EVERYBODY = ("ALL", "ALLE")


@contextmanager
def opened(config_file: Path | None) -> Iterator[Desk]:
    """A desk whose work is committed when the block ends without an error. What a command typed here has changed is
    written down with it (store/audit.py)."""
    from moderator.club.desk import Desk
    from moderator.club.run_cache import RunCache
    from moderator.store import club_time, key_values
    from moderator.store.club_time import Doubt
    from moderator.store.db import Touched, open_store

    config = load(config_file)
    store = open_store(config.database)
    time = club_time.tell(config.database, config.now())
    if time.doubt is not Doubt.NONE:
        click.echo(f"moderator: {time.said(config.club.zone)}", err=True)
    try:
        with store.transaction() as session:
            touched = Touched(session)
            desk = Desk(config, session, time.now, RunCache(config), clock=time)
            yield desk
            session.flush()
            if touched.written and time.since and time.lost(config.guard.outage_hours):
                key_values.mark_silent(session, time.since)
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
                _record(session, config.now(), set())


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
    named = str(context.params.get("code") or "")
    only = next(iter(codes)) if len(codes) == 1 else ""
    about = code_of(session, named, action, only) if named else only
    audit.record(session, now, By.CLI, user(), action, about=about, detail=_typed(context.params))


def code_of(session: Session, named: str, action: str = "", gone: str = "") -> str:
    """What a match or tournament that may have been named by its name is called in the log of commands; ``action``: by
    which command; ``gone``: the one that the command has deleted."""
    from moderator.club.tournaments.rows import find_tournament
    from moderator.play.create import find_match

    if named.upper() in _EVERYBODY:
        return ""
    for find in (find_tournament, find_match) if action.startswith("cup ") else (find_match, find_tournament):
        with suppress(OperatorError):
            return find(session, named).code
    return gone or named.upper()


def somebody_there() -> bool:
    """Who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def user() -> str:
    """Who is logged in, also behind sudo."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (OSError, KeyError):  # a user number without a name, as in a container
        return str(os.getuid())


def _typed(params: Mapping[str, Any]) -> str:
    """The arguments and options that were given. None of our commands takes a password or a token there."""
    given = {name: value for name, value in params.items() if name != "code" and value not in (None, "", False, ())}
    return ", ".join(f"{name} {_shown_value(value)}".removesuffix(" True") for name, value in given.items())


def _shown_value(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


# ---- values as they are typed ----


@contextmanager
def typed_values() -> Iterator[None]:
    """What is wrong with them is a command that is written wrongly, and no setting of the club's."""
    try:
        yield
    except ConfigError as error:
        raise click.UsageError(str(error)) from error


def read_option(text: str) -> tuple[str, Any]:
    """``rack_size=8`` as (name, value); values are read as TOML, anything else is a text."""
    import tomllib

    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: write it as name=value, e.g. pace=rounds")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def read_setting(text: str) -> tuple[str, Any]:
    """``rounds=5`` as (name, value), see club/tournaments/rows.py."""
    name, value = read_option(text)
    if name == "late_points":  # 0 and 1/2 are both texts there
        value = str(value)
    if name == "tiebreaks" and isinstance(value, str):
        value = [code.strip() for code in value.split(",") if code.strip()]
    return name, value


# ---- dates as an operator types them, and moments as the command line prints them: on the club's clock ----


def end_of(text: str, config: Config, now: datetime | None = None) -> datetime:
    """The hour of the ZAT on that day, in the club's zone. Raises OperatorError for a moment before ``now``."""
    from moderator.match.time.calendar import local, read_day

    moment = local(read_day(text), config.deadlines.hour, ZoneInfo(config.club.zone))
    if now is not None and moment <= now:
        raise OperatorError(f"{shown(moment, config)} is over.", "Name a later day.")
    return moment


def start_of(text: str, config: Config) -> datetime:
    """The beginning of that day in the club's zone. Raises OperatorError."""
    from moderator.match.time.calendar import local, read_day

    return local(read_day(text), 0, ZoneInfo(config.club.zone))


def shown(moment: datetime | None, config: Config) -> str:
    """``2026-12-24 20:00`` in the club's zone; "" for none."""
    return "" if moment is None else f"{moment.astimezone(ZoneInfo(config.club.zone)):%Y-%m-%d %H:%M}"
