"""`moderator doctor`: is everything in place? One line per check; each failing one says the fix."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from moderator.config import Config, load
from moderator.errors import ConfigError, LexiconError, ModeratorError, OperatorError


@click.command()
@click.pass_obj
def doctor(config_file: Path | None) -> None:
    """Check configuration, database, mailbox, mail server, dictionary, clock and fonts."""
    failed = 0
    for name, trouble in examine(config_file):
        if trouble:
            failed += 1
        click.echo(f"{'FAIL' if trouble else 'ok':<5} {name}{': ' + trouble if trouble else ''}")
    if failed:
        sys.exit(1)


def examine(config_file: Path | None) -> Iterator[tuple[str, str]]:
    """(check, trouble and fix) pairs; trouble is "" when all is well."""
    try:
        config = load(config_file)
    except ConfigError as error:
        yield "configuration", str(error)
        return
    words = config.words.lexicons or config.words.ask_if_in
    checks: dict[str, Callable[[Config], str]] = {
        f"configuration {config.file}": permissions,
        "database": database,
        "reading mail": mailbox,
        "sending mail": sender,
        "dictionary" if words else "dictionary (none is named in [words]; enough for games without words)": dictionary,
        "clock": clock,
        "fonts": fonts,
    }
    for name, check in checks.items():
        try:
            yield name, check(config)
        except ModeratorError as error:
            yield name, str(error)


def permissions(config: Config) -> str:
    """A file with a password in it should be readable by its owner only."""
    secret = any((config.imap.password, config.smtp.password))
    mode = stat.S_IMODE(config.file.stat().st_mode)
    if secret and mode & 0o077:
        return f"others can read the password in it. Run: chmod 600 {config.file}"
    return ""


def database(config: Config) -> str:
    from moderator.store import probe
    from moderator.store.schema import HEAD

    found = probe.version(config.path(config.store.path))
    return "" if found == HEAD else f"it is of version {found}, needed is {HEAD}. Run `moderator upgrade`."


def mailbox(config: Config) -> str:
    from moderator.mail.open import open_mailbox

    box = open_mailbox(config)
    try:
        box.waiting()
    finally:
        box.close()
    return ""


def sender(config: Config) -> str:
    from moderator.mail.open import open_sender

    open_sender(config).check()
    return ""


def dictionary(config: Config) -> str:
    from moderator.desk.live import Shelf
    from moderator.games.topwords.rules import GAME

    if config.words.lexicons or config.words.ask_if_in:
        try:
            Shelf(config).dictionary(GAME.options()).check()
        except LexiconError as error:
            return f"{error} A club without games of words needs none: [words] lexicons = []"
    return ""


def clock(config: Config) -> str:
    """The machine's clock must not lie before what is already in the database."""
    from sqlmodel import col, select

    from moderator.store.db import open_store
    from moderator.store.models import Event

    store = open_store(config.path(config.store.path))
    try:
        with store.transaction() as session:
            last = session.exec(select(Event.at).order_by(col(Event.id).desc()).limit(1)).first()
    finally:
        store.close()
    now = datetime.now(UTC)
    if now.year < 2026 or (last and last > now + timedelta(minutes=5)):
        return f"it shows {now:%Y-%m-%d %H:%M} UTC, but the log has an entry of {last}. Set the clock (NTP)."
    return ""


def fonts(config: Config) -> str:
    from moderator.render.png import self_test

    try:
        self_test()
    except OperatorError as error:
        return str(error)
    return ""
