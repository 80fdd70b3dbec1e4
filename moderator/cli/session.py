"""What a command of the command line begins with: settings, database and one transaction, a line of what was done, by
whom; and values as they are typed: options of a game, settings of a tournament, dates."""

from __future__ import annotations

import getpass
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from moderator.cli.texts import MisuseError, say_lines
from moderator.common.enums import Actor
from moderator.common.errors import ConfigError, OperatorError, StoreError
from moderator.rules.time.calendar import format_local_time, parse_day, resolve_local_hour
from moderator.service.create import get_match
from moderator.settings import Config, load_config
from moderator.store import audit, due_work, key_values
from moderator.store.database import ChangeRecorder, Session, Store, open_store
from moderator.store.due_work import ClockDoubt
from moderator.store.schema import HEAD
from moderator.views.match_cache import MatchCache, flush_house_rulings
from moderator.views.tournament_rows import get_tournament
from moderator.views.unit_of_work import UnitOfWork

_EVERYBODY = ("ALL", "ALLE")


@contextmanager
def open_club(config_file: Path | None, cache: MatchCache | None = None) -> Iterator[UnitOfWork]:
    """Open a unit of work that is committed when the block ends without an error. What a command typed here has
    changed is written down with it (store/audit.py). ``cache``: of a command that opens the club several times."""
    config = load_config(config_file)
    store = open_store(config.database)
    time = due_work.load_club_time(config.database, config.read_clock())
    if time.doubt is not ClockDoubt.NONE:
        say_lines(f"moderator: {time.format_doubt(config.club.zone)}", err=True)
    with closing(store), store.begin_transaction() as session:
        touched = ChangeRecorder(session)
        work = UnitOfWork(config, session, time.now, cache or MatchCache(config), clock=time)
        yield work
        if work.notifications:
            from moderator.delivery.deliver import deliver_notifications  # it loads all that mails are made with

            deliver_notifications(work)
        session.flush()
        if touched.written and time.since and time.has_poll_gap(config.guard.outage_hours):
            key_values.mark_mailbox_silent(session, time.since)
        touched.codes.update(progress.match.code for progress in work.progress.values())
        if touched.written:
            _record_command(session, work.now, touched.codes)


def record_outside_change(config: Config) -> None:
    """Record a command that changed something besides the database. Nothing happens where there is no database (of this
    version) yet."""
    with _open_store_if_any(config) as store:
        if store is not None:
            with store.begin_transaction() as session:
                _record_command(session, config.read_clock(), set())


def write_mailed_rulings(config: Config) -> None:
    """Write all rulings that were made by mail into the house list, before it is shown or gets another one. Raises
    LexiconError."""
    with _open_store_if_any(config) as store:
        if store is not None:
            flush_house_rulings(config, store)


@contextmanager
def _open_store_if_any(config: Config) -> Iterator[Store | None]:
    """Open the database; None where there is none (of this version) yet."""
    try:
        found = due_work.load_schema_version(config.database)
    except StoreError:
        found = ""
    if found != HEAD:
        yield None
        return
    with closing(open_store(config.database)) as store:
        yield store


def _record_command(session: Session, now: datetime, codes: set[str]) -> None:
    """Record one line for the command that is running; nothing if none is (a script that uses these functions)."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    action = context.command_path.partition(" ")[2] or context.command_path
    named = str(context.params.get("code") or "")
    only = next(iter(codes)) if len(codes) == 1 else ""
    about = find_audited_code(session, named, action, only) if named else only
    audit.record_audit(
        session, now, Actor.CLI, get_operator_name(), action, about=about, detail=_format_parameters(context.params)
    )


def find_audited_code(session: Session, named: str, action: str = "", gone: str = "") -> str:
    """Return the code of a match or tournament that may have been named by its name, for the log of commands;
    ``action``: by which command; ``gone``: the code of the one that the command has deleted."""
    if named.upper() in _EVERYBODY:
        return ""
    for find in (get_tournament, get_match) if action.startswith("cup ") else (get_match, get_tournament):
        with suppress(OperatorError):
            return find(session, named).code
    return gone or named.upper()


def can_ask_operator() -> bool:
    """Return whether somebody sits at the terminal who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def get_operator_name() -> str:
    """Return the name of the user who is logged in, also behind sudo."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (OSError, KeyError):  # a user number without a name, as in a container
        return str(os.getuid())


def _format_parameters(params: Mapping[str, Any]) -> str:
    """Return the arguments and options that were given. None of our commands takes a password or a token there."""
    given = {name: value for name, value in params.items() if name != "code" and value not in (None, "", False, ())}
    texts = {name: " ".join(map(str, value)) if isinstance(value, tuple) else value for name, value in given.items()}
    return ", ".join(f"{name} {text}".removesuffix(" True") for name, text in texts.items())


# ---- values as they are typed ----


@contextmanager
def with_usage_errors() -> Iterator[None]:
    """Turn a ConfigError of the block into a usage error: a typed value that is wrong is a command written wrongly, and
    no setting of the club's."""
    try:
        yield
    except ConfigError as error:
        raise MisuseError(str(error)) from error


def parse_typed_option(text: str) -> tuple[str, Any]:
    """Parse ``rack_size=8`` as (name, value); values are read as TOML, anything else is a text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise MisuseError(f"{text!r}: write it as name=value, e.g. pace=rounds")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


def parse_typed_setting(text: str) -> tuple[str, Any]:
    """Parse ``rounds=5`` as (name, value), see views/tournament_rows.py."""
    name, value = parse_typed_option(text)
    if name == "late_points":  # 0 and 1/2 are both texts there
        value = str(value)
    if name == "tiebreaks" and isinstance(value, str):
        value = [code.strip() for code in value.split(",") if code.strip()]
    return name, value


# ---- dates as an operator types them, and moments as the command line prints them: on the club's clock ----


def parse_end_day(text: str, config: Config, now: datetime | None = None) -> datetime:
    """Return the hour of the deadline on that day, in the club's zone. Raises OperatorError for a time before
    ``now``."""
    moment = resolve_local_hour(parse_day(text), config.deadlines.hour, ZoneInfo(config.club.zone))
    if now is not None and moment <= now:
        raise OperatorError(f"{format_club_time(moment, config)} is over.", "Name a later day.")
    return moment


def parse_start_day(text: str, config: Config) -> datetime:
    """Return the beginning of that day in the club's zone. Raises OperatorError."""
    return resolve_local_hour(parse_day(text), 0, ZoneInfo(config.club.zone))


def format_club_time(moment: datetime | None, config: Config) -> str:
    """Return ``2026-12-24 20:00`` in the club's zone; "" for none."""
    return "" if moment is None else format_local_time(moment, config.club.zone)
