"""`moderator doctor`: is everything in place? One line per check; each failing one says the fix. What --deep looks at
besides is in moderator/backup/integrity.py."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from moderator import disk
from moderator.config import Config, load
from moderator.errors import ConfigError, DamageError, LexiconError, ModeratorError, OperatorError

LEAST_ROOM = 50_000_000
"""Bytes; a club writes some megabytes a day."""


@click.command()
@click.option("--deep", is_flag=True, help="Also play every match again and look over every row of the database.")
@click.pass_obj
def doctor(config_file: Path | None, deep: bool) -> None:
    """Check configuration, database, mailbox, mail server, dictionary, clock and fonts."""
    failed = 0
    for name, trouble in examine(config_file):
        if trouble:
            failed += 1
        click.echo(f"{'FAIL' if trouble else 'ok':<5} {name}{': ' + trouble if trouble else ''}")
    if deep:
        failed += _deep(config_file)
    if failed:
        sys.exit(1)


def _deep(config_file: Path | None) -> int:
    """Print the faults that a deep look finds, and what it looked at; returns how many there are."""
    from time import perf_counter

    from moderator.backup.backup import reading
    from moderator.backup.integrity import Looked, examine, size

    config, looked, began = load(config_file), Looked(), perf_counter()
    try:
        with reading(config) as session, _bar(size(session)) as step:
            faults = [str(fault) for fault in examine(session, config, looked, step)]
    except DamageError as error:  # this is the look that its hint asks for
        faults = [f"{error.message} Restore the newest backup: `moderator restore FILE --force`."]
    for fault in faults:
        click.echo(f"FAIL  {fault}")
    click.echo(
        f"{'FAIL' if faults else 'ok':<5} {looked.matches} matches with {looked.moves} moves played again, "
        f"{looked.mails} mails looked at in {perf_counter() - began:.1f} s: {len(faults)} faults"
    )
    return len(faults)


@contextmanager
def _bar(steps: int) -> Iterator[Callable[[str], None]]:
    """Progress on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    with click.progressbar(length=steps, file=sys.stderr) as bar:

        def step(what: str) -> None:
            bar.label = what
            bar.update(1)

        yield step


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
        "room on the disk": room,
        "database": database,
        "reading mail": mailbox,
        "sending mail": sender,
        "dictionary" if words else "dictionary (none is named in [words]; enough for games without words)": dictionary,
        "clock": clock,
        "results of finished matches": results,
        "fonts": fonts,
    }
    if config.site.folder:
        checks[f"site {config.path(Path(config.site.folder))}"] = site
    if config.site.url:
        checks[f"address of the site {config.site.url}"] = site_address
    for name, check in checks.items():
        try:
            yield name, check(config)
        except ModeratorError as error:
            yield name, str(error)
    with suppress(ModeratorError):  # then "sending mail" has said so
        yield from return_path(config)


def permissions(config: Config) -> str:
    """A file that names commands must be written by its owner only, one with a password in it read by nobody else."""
    from moderator.store.postgres import shown

    secret = config.imap.password or config.smtp.password or shown(config.store.url) != config.store.url
    mode = stat.S_IMODE(config.file.stat().st_mode)
    if mode & 0o022:
        return f"others can change it, and so have commands of theirs run as you. Run: chmod 600 {config.file}"
    if secret and mode & 0o077:
        return f"others can read the password in it. Run: chmod 600 {config.file}"
    return ""


def room(config: Config) -> str:
    """Each folder that we write into has room, and can be written."""
    files = {config.path(config.store.path), config.path(config.words.house)}
    if config.mail.transport == "maildir":
        files |= {config.path(config.maildir.inbox), config.path(config.maildir.outbox)}
    folders = {file if file.is_dir() else file.parent for file in files}
    for folder in sorted(folder for folder in folders if folder.is_dir()):
        left = disk.free(folder)
        if left is not None and left < LEAST_ROOM:
            why, fix = disk.full(folder)
            return f"{why}. {fix}" if left < disk.SCANT else f"{folder} has {left / 1e6:.0f} MB left. Make room there."
        try:
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(disk.PAGE))
                probe.flush()
                os.fsync(probe.fileno())
        except OSError as error:
            message, fix = disk.described(error, "write into", folder, "Check its permissions.")
            return f"{message} {fix}"
    return ""


def database(config: Config) -> str:
    from moderator.store import probe
    from moderator.store.schema import HEAD

    found = probe.version(config.database)
    if found != HEAD:
        return f"it is of version {found}, needed is {HEAD}. Run `moderator upgrade`."
    place = config.database
    if isinstance(place, Path) and stat.S_IMODE(place.stat().st_mode) & 0o077:
        return f"others can read it: all mails, addresses and tiles. Run: chmod 600 {place}"
    return ""


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


def return_path(config: Config) -> Iterator[tuple[str, str]]:
    """Where delivery reports come to. Never a fault: without a return path of its own, a mail's report is known by its
    Message-ID."""
    from moderator.club import tokens
    from moderator.mail.smtp import SmtpSender

    mail = config.mail
    why = "" if mail.subaddress else 'for [mail] subaddress = ""'
    if mail.transport == "imap" and not why:
        words = SmtpSender(config.smtp).refusal(
            tokens.return_path(mail.address, mail.subaddress, tokens.new_token()), mail.address
        )
        why = f"for {config.smtp.host} takes no other: {words}" if words else ""
    if why:
        known = "a delivery report counts only if it names the Message-ID of the mail"
        yield f"return path (each mail has the plain address, {why}; {known})", ""
    else:
        yield "return path (each mail has one of its own, by which delivery reports are known)", ""


def dictionary(config: Config) -> str:
    from moderator.club.run_cache import RunCache
    from moderator.games.topwords.rules import GAME

    if config.words.lexicons or config.words.ask_if_in:
        try:
            RunCache(config).dictionary(GAME.options()).check()
        except LexiconError as error:
            return f"{error} A club without games of words needs none: [words] lexicons = []"
    return ""


def clock(config: Config) -> str:
    """The machine's clock must not lie before what is already in the database."""
    from moderator.store import events
    from moderator.store.db import open_store

    store = open_store(config.database)
    try:
        with store.transaction() as session:
            last = events.latest(session)
    finally:
        store.close()
    now = datetime.now(UTC)
    if now.year < 2026 or (last and last > now + timedelta(minutes=5)):
        return f"it shows {now:%Y-%m-%d %H:%M} UTC, but the log has an entry of {last}. Set the clock (NTP)."
    return ""


def results(config: Config) -> str:
    """Tables and ratings need a result of every finished match."""
    from moderator.store import matches
    from moderator.store.db import open_store

    store = open_store(config.database)
    try:
        with store.transaction() as session:
            lacking = len(matches.finished(session, lacking=True))
    finally:
        store.close()
    return f"{lacking} have none. Run `moderator upgrade`; it works them out from their logs." if lacking else ""


def site(config: Config) -> str:
    """The folder of the site can be written, and is ours."""
    from moderator.site import tree

    tree.check(config.path(Path(config.site.folder)))
    return ""


def site_address(config: Config) -> str:
    """It is one that mails, feeds and messengers can follow."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(config.site.url)
        whole = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
    except ValueError:
        whole = False
    if whole and not set(config.site.url) & set(' <>"\n\t'):
        return ""
    return f"{config.site.url} is no address on the web. Set [site] url, as https://club.example/archive."


def fonts(config: Config) -> str:
    from moderator.pages.png import self_test

    try:
        self_test()
    except OperatorError as error:
        return str(error)
    return ""
