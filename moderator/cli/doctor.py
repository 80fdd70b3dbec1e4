"""`moderator doctor`: is everything in place? One line per check; each failing one says the fix. What --deep looks at
besides is in moderator/backup/integrity.py."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import product
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import click

from moderator.backup.integrity import CheckedCounts, count_check_steps, iter_integrity_faults
from moderator.bots.program import build_bot_program
from moderator.cli import session
from moderator.cli.group import print_rows, with_json_option
from moderator.cli.json_types import CheckLine
from moderator.cli.texts import MisuseError, say_lines, translate_text
from moderator.common import disk, tokens
from moderator.common.disk import LANGUAGES
from moderator.common.errors import (
    ConfigError,
    DamageError,
    ExitCode,
    LexiconError,
    ModeratorError,
    OperatorError,
    StoreError,
)
from moderator.common.mails import LOOK_AT, TAKES_NONE, UnreadableMailsError
from moderator.common.secret_settings import mask_secrets
from moderator.common.text import count_noun
from moderator.diagnostics.mail_trial import WAIT, Trial
from moderator.diagnostics.mailbox import FOLDERS, TrialStep
from moderator.diagnostics.settings_file import change_settings_file
from moderator.games.topwords.rules import GAME
from moderator.mail.smtp import SmtpSender
from moderator.mail.transport import Way
from moderator.mail.transports import find_foreign_transport, get_mail_ways, open_mailbox, open_sender
from moderator.render import touch_board
from moderator.render.png import check_font
from moderator.rules.time.calendar import to_local_day
from moderator.run.fetch import DELETE, OldMailFilter, build_known_filter
from moderator.run.log import build_log_error
from moderator.settings import Config, load_config
from moderator.site import tree
from moderator.store import due_work, key_values, matches, outbox, players
from moderator.store.database import open_reading_session, open_store
from moderator.store.due_work import ClockDoubt
from moderator.store.schema import refuse_other_version
from moderator.views import links
from moderator.views.match_cache import MatchCache


def print_check_step(step: TrialStep, as_json: bool) -> None:
    values: CheckLine = {
        "check": step.name,
        "ok": not step.trouble,
        "trouble": step.trouble or None,
        "note": step.doubt or step.says or None,
    }
    print_rows([(values, str(step))], as_json)


def run_mailbox_trial(config: Config, reachable: bool, wait: float | None, write: bool | None, as_json: bool) -> int:
    """Show each step, write what was found; returns how many things are left that are wrong. ``reachable``: see
    ``Trial.iter_steps``; ``write``: None = the operator is asked, if one sits there; else nothing is written."""
    wait = wait or WAIT
    if reachable and sys.stderr.isatty() and not as_json:
        say_lines(f"Mails are sent to {config.mail.address} and waited for, {wait:g} seconds at most …", err=True)
    # Runs know the mails of the trial by it. Without a database none is sent.
    trial = Trial(config, key_values.get_or_create_trial_secret(config.database) if reachable else "", wait)
    steps = []
    for step in trial.iter_steps(reachable):
        print_check_step(step, as_json)
        steps.append(step)
    if trial.good is not None:
        # For `moderator doctor` without a trial.
        day = to_local_day(config.read_clock(), config.club.zone).isoformat()
        with suppress(ModeratorError):
            key_values.record_trial(
                config.database, key_values.TrialResult(config.mail.address, day, trial.ways, trial.good)
            )
    return _write_found_settings(config, steps, write, as_json)


def _write_found_settings(config: Config, steps: Sequence[TrialStep], write: bool | None, as_json: bool) -> int:
    """Write the settings that were found; the steps that are wrong without them count no more then. Returns how many
    wrong steps are left."""
    wrong = [step for step in steps if step.trouble]
    settings = list(dict.fromkeys(setting for step in steps for setting in step.settings))
    if not settings:
        return len(wrong)
    name = f"settings in {config.file}"
    found = "; ".join(map(str, settings))
    if write is None and not as_json and session.can_ask_operator():
        write = click.confirm(translate_text(f"Write into {config.file}: {found}?"), default=True)
    if not write:
        hint = "" if write is False else " `moderator doctor --mail --write` writes them."
        print_check_step(TrialStep(name, doubt=f"not written: {found}.{hint}"), as_json)
        return len(wrong)
    try:
        change_settings_file(config.file, settings)
        session.record_outside_change(load_config(config.file))
    except OperatorError as error:
        print_check_step(TrialStep(name, trouble=str(error)), as_json)
        return len(wrong) + 1
    print_check_step(
        TrialStep(name, f"written: {found}. A `moderator watch` that runs reads them when it is started anew"), as_json
    )
    return len([step for step in wrong if not step.settings])


CONFIGURATION, DATABASE, READING, SENDING = "configuration", "database", "reading mail", "sending mail"


@click.command()
@click.option("--deep", is_flag=True, help="Also replay every match and check every row of the database.")
@click.option("--mail", is_flag=True, help="Also send test mails to the mailbox, to find the right settings.")
@click.option(
    "--wait",
    type=click.FloatRange(min=1),
    default=60,
    metavar="SECONDS",
    help="With --mail: how long to wait, in seconds [60].",
)
@click.option("--write/--no-write", default=None, help="With --mail: write the settings found. [default: ask]")
@with_json_option("check", lines=True)
@click.pass_obj
def doctor(
    config_file: Path | None, deep: bool, mail: bool, wait: float | None, write: bool | None, as_json: bool
) -> None:
    """Check settings, database, mailbox, mail server, dictionaries, clock."""
    if write is not None and not mail:
        raise MisuseError("--write and --no-write belong to --mail.")
    failed: list[str] = []
    for name, trouble in iter_checks(config_file, trial=mail):
        if trouble:
            failed.append(name)
        print_check_step(TrialStep(name, trouble=trouble), as_json)
    count = len(failed)
    if mail and CONFIGURATION not in failed:
        reachable = not any(name.startswith((DATABASE, READING, SENDING)) for name in failed)
        count += run_mailbox_trial(load_config(config_file), reachable, wait, write, as_json)
    if deep:
        count += _print_deep_faults(config_file, as_json)
    if count:
        sys.exit(ExitCode.OPERATOR)


def _print_deep_faults(config_file: Path | None, as_json: bool) -> int:
    """Print the faults that a deep look finds, and what it looked at; returns how many there are."""
    config, looked, began = load_config(config_file), CheckedCounts(), perf_counter()
    try:
        with open_reading_session(config.database) as session, _show_progress_bar(count_check_steps(session)) as step:
            faults = [str(fault) for fault in iter_integrity_faults(session, config, looked, step)]
    except DamageError as error:  # this is the look that its hint asks for
        faults = [f"{error.message} Restore the newest backup: `moderator restore FILE --force`."]
    said = (
        f"{count_noun(looked.matches, 'match')} with {count_noun(looked.moves, 'move')} played again, "
        f"{count_noun(looked.mails, 'mail')} looked at in {perf_counter() - began:.1f} s: "
        f"{count_noun(len(faults), 'fault')}"
    )
    for fault in faults:
        print_rows([(_build_deep_line(trouble=fault), f"FAIL  {fault}")], as_json)
    print_rows([(_build_deep_line(note=said), f"{'FAIL' if faults else 'ok':<5} {said}")], as_json)
    return len(faults)


def _build_deep_line(trouble: str | None = None, note: str | None = None) -> CheckLine:
    return {"check": "deep", "ok": not trouble, "trouble": trouble, "note": note}


@contextmanager
def _show_progress_bar(steps: int) -> Iterator[Callable[[str], None]]:
    """Show progress on a terminal, nothing elsewhere. Each call of the value names the step that begins."""
    if not sys.stderr.isatty():
        yield lambda what: None
        return
    with click.progressbar(length=steps, file=sys.stderr) as bar:

        def advance_bar(what: str) -> None:
            bar.label = what
            bar.update(1)

        yield advance_bar


def iter_checks(config_file: Path | None, trial: bool = False) -> Iterator[tuple[str, str]]:
    """Yield (check, trouble and fix); trouble is "" when all is well. ``trial``: one of the mailbox follows."""
    try:
        config = load_config(config_file)
    except ConfigError as error:
        yield CONFIGURATION, str(error)
        return
    words = config.words.lexicons or config.words.ask_if_in
    way_in, way_out = _describe_mail_ways(config)
    checks: dict[str, Callable[[Config], str]] = {
        f"configuration {config.file}": find_permission_trouble,
        "room on the disk": find_disk_trouble,
        DATABASE: find_database_trouble,
        READING + way_in: find_mailbox_trouble,
        **({} if trial or find_foreign_transport(config) else {FOLDERS: find_filing_trouble}),
        SENDING + way_out: find_sender_trouble,
        "dictionary"
        if words
        else "dictionary (none is named in [words]; enough for games without words)": find_dictionary_trouble,
        "clock": find_clock_trouble,
        "results of finished matches": find_results_trouble,
        "fonts": find_font_trouble,
    }
    if config.mail.attach_board:
        to_site = " (mails lead to it on the site instead, once it is written there)" if config.site.url else ""
        checks[f"touch board, attached to first mails{to_site}"] = find_board_page_trouble
    if config.site.folder:
        written_in = ", ".join(links.list_site_languages(config))
        checks[f"site {config.site_folder} in {written_in}"] = find_site_trouble
    if config.log.file:
        checks[f"log {config.resolve_path(Path(config.log.file))}"] = find_log_trouble
    if config.bots:
        checks["programs that play for robots"] = find_bot_trouble
    if config.site.url:
        checks[f"address of the site {config.site.url}"] = find_site_address_trouble
    secrets = config.passwords
    for name, check in checks.items():
        try:
            trouble = check(config)
        except ModeratorError as error:
            trouble = str(error)
        yield mask_secrets(name, secrets), mask_secrets(trouble, secrets)
    with suppress(ModeratorError):  # then "sending mail" has said so
        yield from iter_return_path_checks(config)
    with suppress(ModeratorError):  # then "database" has
        yield from () if trial else iter_sub_address_checks(config)


def find_permission_trouble(config: Config) -> str:
    """Return what is wrong with the file: one that names commands must be written by its owner only, one with a
    password in it read by nobody else."""
    mode = stat.S_IMODE(config.file.stat().st_mode)
    if mode & 0o022:
        return f"others can change it, and so have commands of theirs run as you. Run `chmod 600 {config.file}`."
    if config.passwords and mode & 0o077:
        return f"others can read the password in it. Run `chmod 600 {config.file}`."
    return ""


def find_disk_trouble(config: Config) -> str:
    """Return which folder that we write into has no room, or cannot be written."""
    files = {config.resolve_path(config.store.path), config.resolve_path(config.words.house)}
    files |= {way.folder for way in get_mail_ways(config) if way.folder}
    folders = {file if file.is_dir() else file.parent for file in files}
    for folder in sorted(folder for folder in folders if folder.is_dir()):
        left = disk.find_free_bytes(folder)
        if left is not None and left < disk.LEAST_ROOM:
            why, fix = disk.describe_full_disk(folder)
            return f"{why}. {fix}" if left < disk.SCANT else f"{folder} has {left / 1e6:.0f} MB left. Make room there."
        try:
            with tempfile.TemporaryFile(dir=folder) as probe:
                probe.write(bytes(disk.PAGE))
                probe.flush()
                os.fsync(probe.fileno())
        except OSError as error:
            message, fix = disk.describe_os_error(error, "write into", folder, "Check its permissions.")
            return f"{message} {fix}"
    return ""


def find_board_page_trouble(config: Config) -> str:
    """Return which touch board is not made, or larger than an attachment should be."""
    for page, language in product(touch_board.map_board_pages(), LANGUAGES):
        size = len(touch_board.render_enclosed_page(page, language, config.club.name))
        if size > touch_board.MOST:
            fix = "Set [mail] attach_board = false, or leave that game's package out."
            return f"{page} has {size / 1000:.0f} kB in {language}. {fix}"
    return ""


def find_database_trouble(config: Config) -> str:
    refuse_other_version(due_work.load_schema_version(config.database), "it")
    place = config.database
    if isinstance(place, Path) and stat.S_IMODE(place.stat().st_mode) & 0o077:
        return f"others can read it: all mails, addresses and tiles. Run `chmod 600 {place}`."
    return ""


def _describe_mail_ways(config: Config) -> tuple[str, str]:
    """Return the servers that are asked, and how, in words: to read mail, and to send it."""
    whose = f" by the transport {find_foreign_transport(config)}" if find_foreign_transport(config) else ""
    try:
        incoming, outgoing = get_mail_ways(config)
    except ModeratorError:  # the checks say so, by whatever they use it for
        return whose, whose
    return f"{whose}{_describe_way(incoming)}", f"{whose}{_describe_way(outgoing)}"


def _describe_way(way: Way) -> str:
    return f" at {way.name}{f', {way.how}' if way.how else ''}" if way.name else ""


def find_mailbox_trouble(config: Config) -> str:
    """Return what is wrong with the mailbox: what a run would read now is read, and left as it is; and the run would
    not stop at what is old."""
    now = due_work.load_club_time(config.database, config.read_clock()).now
    with open_mailbox(config) as box:
        box.waiting()
        with suppress(StoreError), closing(open_store(config.database)) as store:  # "database" has said so
            sieve = OldMailFilter(config, store, box)
            try:
                for batch in box.fetch(build_known_filter(store), config.mail.max_bytes):
                    if not sieve.decided:
                        sieve.filter_mails(batch, now)
            except UnreadableMailsError as error:
                return f"{error} {DELETE}"
    return ""


def find_filing_trouble(config: Config) -> str:
    """Return what is wrong with the folders: a mail of our own is put into the mailbox, and moved as those are that
    were read."""
    with suppress(StoreError):  # as above
        return Trial(config, key_values.get_or_create_trial_secret(config.database)).test_folders().trouble
    return ""


def find_sender_trouble(config: Config) -> str:
    """Return what is wrong with the server that sends: it takes mails, as far as it says so before the mail itself; and
    took them when the last run tried."""
    chief, server = config.club.moderator, open_sender(config)
    server.check()
    # To the moderator: the club's own address says nothing of mails that the server has to hand on.
    if isinstance(server, SmtpSender) and (met := server.find_refusal(config.mail.address, chief)):
        if met.result == "dead":
            return f"the server takes no mails to {chief}: {met.answer.rstrip('.')}. Correct [club] moderator."
        return TAKES_NONE + met.answer
    waiting, words = 0, ""
    # As above.
    with suppress(StoreError), closing(open_store(config.database)) as store, store.begin_transaction() as session:
        waiting, words = outbox.summarize_refused_mails(session)
    return f"{TAKES_NONE}{words} Mails that wait for that: {waiting}; each run tries again." if waiting else ""


def iter_return_path_checks(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the address that delivery reports come to. Never a fault: without a return path of its own, a mail's report
    is known by its Message-ID."""
    mail = config.mail
    why = "" if mail.subaddress else 'for [mail] subaddress = ""'
    sender = open_sender(config)
    if isinstance(sender, SmtpSender) and not why:
        met = sender.find_refusal(
            tokens.build_return_path(mail.address, mail.subaddress, tokens.generate_token()), mail.address
        )
        why = f"for {config.smtp.host} takes no other: {met.answer.partition(LOOK_AT)[0]}" if met else ""
    if why:
        known = "a delivery report counts only if it names the Message-ID of the mail"
        yield f"return path (each mail has the plain address, {why}; {known})", ""
    else:
        yield "return path (each mail has one of its own, by which delivery reports are known)", ""


def iter_sub_address_checks(config: Config) -> Iterator[tuple[str, str]]:
    """Yield whether answers to games+TOKEN@… come here, which is known only from a trial."""
    mail = config.mail
    if not mail.subaddress or get_mail_ways(config)[0].folder:
        return
    local, _, domain = mail.address.rpartition("@")
    name = f"answers to {local}{mail.subaddress}TOKEN@{domain}"
    tried = key_values.find_last_trial(config.database)
    if tried is None or tried.address != mail.address or mail.subaddress not in tried.ways:
        yield f"{name} (whether they come was never tried: `moderator doctor --mail`)", ""
    elif mail.subaddress in tried.good:
        yield f"{name} (they came when it was tried on {tried.day})", ""
    else:
        yield name, f'they did not come when it was tried on {tried.day}. Set [mail] subaddress = ""'


def find_dictionary_trouble(config: Config) -> str:
    if config.words.lexicons or config.words.ask_if_in:
        try:
            MatchCache(config).get_dictionary(GAME.options()).verify_files()
        except LexiconError as error:
            return f"{error} A club without games of words needs none: [words] lexicons = []"
    return ""


def find_clock_trouble(config: Config) -> str:
    """Return what is wrong with the machine's clock: it must fit what is already in the database."""
    time = due_work.load_club_time(config.database, config.read_clock())
    if time.newest is None and time.shown.year < 2026:
        return f"it shows {time.shown:%Y-%m-%d}. Set the clock (NTP)."
    return time.format_doubt(config.club.zone) if time.doubt is not ClockDoubt.NONE else ""


def find_results_trouble(config: Config) -> str:
    """Return how many results are missing: tables and ratings need one of every finished match."""
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        lacking = len(matches.list_finished_match_ids(session, without_result=True))
    return f"{lacking} have none. Run `moderator upgrade`; it works them out from their logs." if lacking else ""


def find_site_trouble(config: Config) -> str:
    """Check that the folder of the site can be written, and is ours. Raises OperatorError."""
    tree.check_site_folder(config.resolve_path(Path(config.site.folder)))
    return ""


def find_log_trouble(config: Config) -> str:
    """Return why a run cannot write its log."""
    try:
        disk.open_private_text(config.resolve_path(Path(config.log.file))).close()
    except OSError as error:
        return str(build_log_error(config, error))
    return ""


def find_bot_trouble(config: Config) -> str:
    """Return which program does not play for a robot that there is, or cannot be asked."""
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        for name in config.bots:
            player = players.find_player_by_name(session, name)
            if player is None or player.name != name or not player.robot:
                return f"[bots.{name}]: there is no robot {name}. Run `moderator player add {name} --robot`."
    for name in config.bots:
        if why := build_bot_program(config, name).find_start_trouble():
            return f"[bots.{name}]: {why}"
    return ""


def find_site_address_trouble(config: Config) -> str:
    """Return why the address of the site is none that mails, feeds and messengers can follow."""
    try:
        parts = urlsplit(config.site.url)
        whole = parts.scheme in ("http", "https") and parts.hostname and not (parts.query or parts.fragment)
    except ValueError:
        whole = False
    if whole and not set(config.site.url) & set(' <>"\n\t'):
        return ""
    return f"{config.site.url} is no address on the web. Set [site] url, as https://club.example/archive."


def find_font_trouble(config: Config) -> str:
    """Check that pictures can be drawn. Raises OperatorError."""
    check_font()
    return ""
