"""`moderator doctor`: is everything in place? One line per check; each failing one says the fix. What --deep looks at
besides is in moderator/backup/integrity.py."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator import disk
from moderator.cli.doctor_mail import show, try_mail
from moderator.cli.listing import listed, printing
from moderator.config import Config, load
from moderator.errors import ConfigError, DamageError, ExitCode, LexiconError, ModeratorError, OperatorError, StoreError
from moderator.mail.open import foreign, ways
from moderator.mail.trial.step import FOLDERS, Step
from moderator.paths import LANGUAGES
from moderator.secret_settings import masked

if TYPE_CHECKING:
    from moderator.cli.printed import CheckLine
    from moderator.mail.transport import Way
    from moderator.store.db import Store

CONFIGURATION, DATABASE, READING, SENDING = "configuration", "database", "reading mail", "sending mail"


@click.command()
@click.option("--deep", is_flag=True, help="Also play every match again and look over every row of the database.")
@click.option("--mail", is_flag=True, help="Also send mails to itself, wait for them, and find settings by that.")
@click.option(
    "--wait",
    type=click.FloatRange(min=1),
    default=60,
    metavar="SECONDS",
    help="With --mail: wait for them so long (60).",
)
@click.option("--write/--no-write", default=None, help="With --mail: write the settings found; else you are asked.")
@printing("check", lines=True)
@click.pass_obj
def doctor(
    config_file: Path | None, deep: bool, mail: bool, wait: float | None, write: bool | None, as_json: bool
) -> None:
    """Check configuration, database, mailbox, mail server, dictionary, clock and fonts."""
    if write is not None and not mail:
        raise click.UsageError("--write and --no-write belong to --mail.")
    failed: list[str] = []
    for name, trouble in examine(config_file, trial=mail):
        if trouble:
            failed.append(name)
        show(Step(name, trouble=trouble), as_json)
    count = len(failed)
    if mail and CONFIGURATION not in failed:
        reachable = not any(name.startswith((DATABASE, READING, SENDING)) for name in failed)
        count += try_mail(load(config_file), reachable, wait, write, as_json)
    if deep:
        count += _deep(config_file, as_json)
    if count:
        sys.exit(ExitCode.OPERATOR)


def _deep(config_file: Path | None, as_json: bool) -> int:
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
    said = (
        f"{looked.matches} matches with {looked.moves} moves played again, "
        f"{looked.mails} mails looked at in {perf_counter() - began:.1f} s: {len(faults)} faults"
    )
    for fault in faults:
        listed([(_deeper(trouble=fault), f"FAIL  {fault}")], as_json)
    listed([(_deeper(note=said), f"{'FAIL' if faults else 'ok':<5} {said}")], as_json)
    return len(faults)


def _deeper(trouble: str | None = None, note: str | None = None) -> CheckLine:
    return {"check": "deep", "ok": not trouble, "trouble": trouble, "note": note}


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


def examine(config_file: Path | None, trial: bool = False) -> Iterator[tuple[str, str]]:
    """(check, trouble and fix) pairs; trouble is "" when all is well. ``trial``: one of the mailbox follows."""
    try:
        config = load(config_file)
    except ConfigError as error:
        yield CONFIGURATION, str(error)
        return
    words = config.words.lexicons or config.words.ask_if_in
    way_in, way_out = _ways(config)
    checks: dict[str, Callable[[Config], str]] = {
        f"configuration {config.file}": permissions,
        "room on the disk": room,
        DATABASE: database,
        READING + way_in: mailbox,
        **({} if trial or foreign(config) else {FOLDERS: filing}),
        SENDING + way_out: sender,
        "dictionary" if words else "dictionary (none is named in [words]; enough for games without words)": dictionary,
        "clock": clock,
        "results of finished matches": results,
        "fonts": fonts,
    }
    if config.mail.attach_board:
        to_site = " (mails lead to it on the site instead, once it is written there)" if config.site.url else ""
        checks[f"page to lay tiles on, attached to first mails{to_site}"] = board_pages
    if config.site.folder:
        from moderator.club import archive

        written_in = ", ".join(archive.languages(config))
        checks[f"site {config.path(Path(config.site.folder))} in {written_in}"] = site
    if config.log.file:
        checks[f"log {config.path(Path(config.log.file))}"] = log
    if config.bots:
        checks["programs that play for robots"] = bots
    if config.site.url:
        checks[f"address of the site {config.site.url}"] = site_address
    secrets = config.passwords
    for name, check in checks.items():
        try:
            trouble = check(config)
        except ModeratorError as error:
            trouble = str(error)
        yield masked(name, secrets), masked(trouble, secrets)
    with suppress(ModeratorError):  # then "sending mail" has said so
        yield from return_path(config)
    with suppress(ModeratorError):  # then "database" has
        yield from () if trial else sub_addresses(config)


def permissions(config: Config) -> str:
    """A file that names commands must be written by its owner only, one with a password in it read by nobody else."""
    mode = stat.S_IMODE(config.file.stat().st_mode)
    if mode & 0o022:
        return f"others can change it, and so have commands of theirs run as you. Run: chmod 600 {config.file}"
    if config.passwords and mode & 0o077:
        return f"others can read the password in it. Run: chmod 600 {config.file}"
    return ""


def room(config: Config) -> str:
    """Each folder that we write into has room, and can be written."""
    files = {config.path(config.store.path), config.path(config.words.house)}
    files |= {way.folder for way in ways(config) if way.folder}
    folders = {file if file.is_dir() else file.parent for file in files}
    for folder in sorted(folder for folder in folders if folder.is_dir()):
        left = disk.free(folder)
        if left is not None and left < disk.LEAST_ROOM:
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


def board_pages(config: Config) -> str:
    """They are made, and as small as an attachment should be."""
    from moderator.club import board_page

    for page, language in product(board_page.families(), LANGUAGES):
        size = len(board_page.enclosed(page, language, config.club.name))
        if size > board_page.MOST:
            fix = "Set [mail] attach_board = false, or leave that game's package out."
            return f"{page} has {size / 1000:.0f} kB in {language}. {fix}"
    return ""


def database(config: Config) -> str:
    from moderator.store import probe
    from moderator.store.schema import refuse_other

    refuse_other(probe.version(config.database), "it")
    place = config.database
    if isinstance(place, Path) and stat.S_IMODE(place.stat().st_mode) & 0o077:
        return f"others can read it: all mails, addresses and tiles. Run: chmod 600 {place}"
    return ""


def _ways(config: Config) -> tuple[str, str]:
    """Which servers are asked, and how, in words: to read mail, and to send it."""
    whose = f" by the transport {foreign(config)}" if foreign(config) else ""
    try:
        incoming, outgoing = ways(config)
    except ModeratorError:  # the checks say so, by whatever they use it for
        return whose, whose
    return f"{whose}{_shown(incoming)}", f"{whose}{_shown(outgoing)}"


def _shown(way: Way) -> str:
    return f" at {way.name}{f', {way.how}' if way.how else ''}" if way.name else ""


def mailbox(config: Config) -> str:
    """What a run would read now is read, and left as it is; and the run would not stop at what is old."""
    from moderator.mail.model import Unread
    from moderator.mail.open import open_mailbox
    from moderator.run.intake import DELETE
    from moderator.run.old_mails import Sieve, known_to
    from moderator.store import club_time

    now = club_time.tell(config.database, config.now()).now
    with open_mailbox(config) as box:
        box.waiting()
        with suppress(StoreError), _opened(config) as store:  # "database" has said so
            sieve = Sieve(config, store, box)
            try:
                for batch in box.fetch(known_to(store), config.mail.max_bytes):
                    if not sieve.decided:
                        sieve.through(batch, now)
            except Unread as error:
                return f"{error} {DELETE}"
    return ""


def filing(config: Config) -> str:
    """A mail of our own is put into the mailbox, and moved as those are that were read."""
    from moderator.mail.trial.trial import Trial
    from moderator.store import trials

    with suppress(StoreError):  # as above
        return Trial(config, trials.made_secret(config.database)).folders().trouble
    return ""


def sender(config: Config) -> str:
    """The server takes mails, as far as it says so before the mail itself; and took them when the last run tried."""
    from moderator.mail.model import TAKES_NONE
    from moderator.mail.open import open_sender
    from moderator.mail.smtp import SmtpSender
    from moderator.store import outbox

    chief, server = config.club.moderator, open_sender(config)
    server.check()
    # To the moderator: the club's own address says nothing of mails that the server has to hand on.
    if isinstance(server, SmtpSender) and (met := server.refusal(config.mail.address, chief)):
        if met.result == "dead":
            return f"the server takes no mails to {chief}: {met.answer.rstrip('.')}. Correct [club] moderator."
        return TAKES_NONE + met.answer
    waiting, words = 0, ""
    with suppress(StoreError), _opened(config) as store, store.transaction() as session:  # as above
        waiting, words = outbox.refused(session)
    return f"{TAKES_NONE}{words} Mails that wait for that: {waiting}; each run tries again." if waiting else ""


@contextmanager
def _opened(config: Config) -> Iterator[Store]:
    from moderator.store.db import open_store

    store = open_store(config.database)
    try:
        yield store
    finally:
        store.close()


def return_path(config: Config) -> Iterator[tuple[str, str]]:
    """Where delivery reports come to. Never a fault: without a return path of its own, a mail's report is known by its
    Message-ID."""
    from moderator.club import tokens
    from moderator.mail.model import LOOK_AT
    from moderator.mail.open import open_sender
    from moderator.mail.smtp import SmtpSender

    mail = config.mail
    why = "" if mail.subaddress else 'for [mail] subaddress = ""'
    sender = open_sender(config)
    if isinstance(sender, SmtpSender) and not why:
        met = sender.refusal(tokens.return_path(mail.address, mail.subaddress, tokens.new_token()), mail.address)
        why = f"for {config.smtp.host} takes no other: {met.answer.partition(LOOK_AT)[0]}" if met else ""
    if why:
        known = "a delivery report counts only if it names the Message-ID of the mail"
        yield f"return path (each mail has the plain address, {why}; {known})", ""
    else:
        yield "return path (each mail has one of its own, by which delivery reports are known)", ""


def sub_addresses(config: Config) -> Iterator[tuple[str, str]]:
    """Whether answers to games+TOKEN@… come here is known only from a trial."""
    from moderator.store import trials

    mail = config.mail
    if not mail.subaddress or ways(config)[0].folder:
        return
    local, _, domain = mail.address.rpartition("@")
    name = f"answers to {local}{mail.subaddress}TOKEN@{domain}"
    tried = trials.last(config.database)
    if tried is None or tried.address != mail.address or mail.subaddress not in tried.ways:
        yield f"{name} (whether they come was never tried: `moderator doctor --mail`)", ""
    elif mail.subaddress in tried.good:
        yield f"{name} (they came when it was tried on {tried.day})", ""
    else:
        yield name, f'they did not come when it was tried on {tried.day}. Set [mail] subaddress = ""'


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
    """The machine's clock must fit what is already in the database."""
    from moderator.store import club_time
    from moderator.store.club_time import Doubt

    time = club_time.tell(config.database, config.now())
    if time.newest is None and time.shown.year < 2026:
        return f"it shows {time.shown:%Y-%m-%d}. Set the clock (NTP)."
    return time.said(config.club.zone) if time.doubt is not Doubt.NONE else ""


def results(config: Config) -> str:
    """Tables and ratings need a result of every finished match."""
    from moderator.store import matches

    with _opened(config) as store, store.transaction() as session:
        lacking = len(matches.finished(session, lacking=True))
    return f"{lacking} have none. Run `moderator upgrade`; it works them out from their logs." if lacking else ""


def site(config: Config) -> str:
    """The folder of the site can be written, and is ours."""
    from moderator.site import tree

    tree.check(config.path(Path(config.site.folder)))
    return ""


def log(config: Config) -> str:
    """A run can write there."""
    from moderator.run.log import not_written

    try:
        disk.own_text(config.path(Path(config.log.file))).close()
    except OSError as error:
        return str(not_written(config, error))
    return ""


def bots(config: Config) -> str:
    """Each plays for a robot that there is, and can be asked."""
    from moderator.bots.order import of
    from moderator.store import players
    from moderator.store.db import open_store

    store = open_store(config.database)
    try:
        with store.transaction() as session:
            for name in config.bots:
                player = players.by_name(session, name)
                if player is None or player.name != name or not player.robot:
                    return f"[bots.{name}]: there is no robot {name}. Run: moderator player add {name} --robot"
    finally:
        store.close()
    return next((f"[bots.{name}]: {why}" for name in config.bots if (why := of(config, name).trouble())), "")


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
