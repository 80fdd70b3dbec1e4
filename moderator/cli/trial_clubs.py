"""`moderator demo`: the real thing on this machine, without account, server or configuration.

Nothing is played by magic: the reader's move is written as a mail into the incoming Maildir, and the same ``tick``
that an organiser puts into cron reads it and writes the answers.
"""

from __future__ import annotations

import email
import email.policy
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from datetime import datetime, time
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from moderator import __version__, games
from moderator.cli.init import create_database
from moderator.cli.progress import show_working
from moderator.cli.session import open_club, parse_start_day
from moderator.cli.texts import say_lines
from moderator.common.disk import LANGUAGES
from moderator.common.errors import OperatorError
from moderator.games import REGISTRY
from moderator.language.messages import render_label
from moderator.mail.maildir import deliver_to_maildir
from moderator.rules.game import FIRST, Game
from moderator.rules.robots.choose import rank_moves
from moderator.rules.time.calendar import parse_day
from moderator.run.rehearsal import SETTINGS, create_sandbox, play_archive, run_sandbox_to
from moderator.run.tick import run_tick
from moderator.service.create import add_player, create_match
from moderator.service.match.start import start_match
from moderator.settings import CLOCK, Config, WordSettings, load_config
from moderator.store import matches
from moderator.views.match_cache import MatchCache
from moderator.words import shipped
from moderator.words.build.sources import build_quick_lexicon
from moderator.words.compiled import SUFFIX


@click.command()
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), default=Path("demo"), show_default=True)
@click.option("--move", "line", default="", help='Play on: mail this line as "Du", e.g. --move "E5 w HAUS".')
@click.option("--game", type=click.Choice(list(REGISTRY)), default="topwords", show_default=True)
@click.option("--language", type=click.Choice(LANGUAGES), default="de", show_default=True)
def demo(folder: Path, line: str, game: str, language: str) -> None:
    """Play a match against robots, without a mailbox. Every mail is a real file in FOLDER."""
    if line:
        for text in play_demo_move(folder, line):
            say_lines(text)
        return
    for text in run_demo(folder, language, game):
        say_lines(text)


# ---- the demonstration: robots and the reader at a table, every mail a real file in a Maildir ----


READER = "you@demo.example"
MARK = ".moderator-demo"
"""File that says whose folder it is: it holds the version of the program and the language of its dictionary."""
DEMO_LEXICONS = WordSettings().folder

DEMO_SETTINGS = """\
[club]
name = "Demo"
moderator = "moderator@demo.example"
language = "{language}"

[mail]
address = "games@demo.example"
transport = "maildir"

[words]
lexicons = ["{words}"]
"""


def run_demo(folder: Path, language: str = "de", game: str = "topwords") -> Iterator[str]:
    """Set up, deal, play one turn of the reader's, and show what mails it made. Yields lines to print."""
    rules = games.load_game(game)
    config = _prepare_demo(folder, language, rules)
    cache = MatchCache(config)
    _deal_demo_match(config, cache, language, rules)
    if rules.uses_words and language not in config.words.lexicons:
        yield f"moderator brings no words of the language {language!r}: the words are German."
    _run_demo_tick(config)
    first = _read_newest_mail(config)
    yield from _iter_mail_lines(first, "The mail that opens your game")
    order = "; sonst ".join(_list_demo_orders(config, cache)[:3]) or "passe"
    yield f"=== Your answer, dropped into {config.resolve_path(config.maildir.inbox)} as a mail: {order}"
    _deliver_answer_mail(config, first, order)
    _run_demo_tick(config)
    last = _read_newest_mail(config)
    yield from _iter_mail_lines(last, "What came back")
    page = _save_html(config, last)
    yield f"The same mail as your mail program shows it, with the board as a picture: {page}"
    yield "Your turn, with the tiles of the last mail:"
    program = os.path.relpath(sys.argv[0]) if Path(sys.argv[0]).name == "moderator" else "python -m moderator"
    yield f'    {program} demo --folder {folder} --move "{(_list_demo_orders(config, cache) or ["passe"])[-1]}"'


def play_demo_move(folder: Path, line: str) -> Iterator[str]:
    """Mail one order of the reader's and show the answer. Yields lines to print."""
    if not (folder / MARK).exists():
        raise OperatorError(f"There is no demo in {folder}.", "Run `moderator demo` first.")
    config = load_config(folder / "moderator.toml")
    before = _read_newest_mail(config)
    _deliver_answer_mail(config, before, line)
    _run_demo_tick(config)
    last = _read_newest_mail(config)
    yield from _iter_mail_lines(last, "What came back")
    yield f"With the board as a picture: {_save_html(config, last)}"


def _prepare_demo(folder: Path, language: str, rules: Game[Any, Any]) -> Config:
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise OperatorError(f"{folder} is not empty and not a demo of ours.", "Name another with --folder.")
    words = language if language in shipped.NAMES else "de"
    made = f"{__version__} {words}"
    kept = _clear_demo_folder(folder, made)
    (folder / MARK).write_text(made, encoding="utf-8")
    (folder / "moderator.toml").write_text(DEMO_SETTINGS.format(language=language, words=words), encoding="utf-8")
    config = load_config(folder / "moderator.toml")
    create_database(config)
    if rules.uses_words and not kept:
        build_quick_lexicon(config.resolve_path(config.words.folder), words)
    return config


def _clear_demo_folder(folder: Path, made: str) -> bool:
    """Clear the folder of a demo; returns whether its dictionary stays, which takes longest to make: as long as it is
    of the same program and language, as the mark says."""
    lexicons, mark = folder / DEMO_LEXICONS, folder / MARK
    kept = mark.exists() and mark.read_text(encoding="utf-8") == made and any(lexicons.glob(f"*{SUFFIX}"))
    folder.mkdir(parents=True, exist_ok=True)
    for one in folder.iterdir():
        if kept and one == lexicons:
            continue
        if one.is_dir():
            shutil.rmtree(one)
        else:
            one.unlink()
    return kept


def _deal_demo_match(config: Config, cache: MatchCache, language: str, rules: Game[Any, Any]) -> None:
    with open_club(config.file, cache) as work:
        names = ((render_label("press-you", language), READER), ("Robot Ada", None), ("Robot Zuse", None))[
            : rules.max_seats
        ]
        seats = [add_player(work.session, name, address, work.now, language=language) for name, address in names]
        options = {"tiles": "english-100"} if rules.key == "topwords" and language == "en" else {}
        options |= {FIRST: "seat"} if hasattr(rules.options(), FIRST) else {}  # the reader need not wait
        start_match(work, create_match(work, rules.key, "Arratia", seats, options))


def _run_demo_tick(config: Config) -> None:
    summary = run_tick(config)
    if summary.quarantined or summary.troubles:
        raise OperatorError("; ".join([*summary.quarantined, *summary.troubles]), "Please report this.")


def _list_demo_orders(config: Config, cache: MatchCache) -> list[str]:
    """Return the orders that the reader could give now, the best first."""
    cache.forget_lookups()
    with open_club(config.file, cache) as work:
        (match,) = matches.list_all_matches(work.session)
        live = work.cache.load_match(work.session, match)
        context = work.cache.build_context(live)
        moves = rank_moves(live.game, live.table.state, 0, context)
    return [text for text, _ in moves]


def _deliver_answer_mail(config: Config, answered: EmailMessage, line: str) -> None:
    """Deliver a mail of the reader's, as a mail program would write it: the order above, the old mail quoted below."""
    mail = EmailMessage(policy=email.policy.SMTP)
    mail["From"], mail["To"] = READER, answered["Reply-To"]
    mail["Subject"] = "Re: " + str(answered["Subject"])
    mail["Date"] = now = config.read_clock()
    mail["Message-ID"] = f"<{now.timestamp()}@demo.example>"
    mail["In-Reply-To"] = answered["Message-ID"]
    quoted = "\n".join("> " + old for old in _get_plain_text(answered).splitlines())
    mail.set_content(f"{line}\n\n{answered['From']} schrieb:\n{quoted}\n")
    deliver_to_maildir(config.resolve_path(config.maildir.inbox), mail.as_bytes())


def _read_newest_mail(config: Config) -> EmailMessage:
    folder = config.resolve_path(config.maildir.outbox) / "new"
    mails = [
        (path, email.message_from_bytes(path.read_bytes(), policy=email.policy.default)) for path in folder.iterdir()
    ]
    mine = [(path, mail) for path, mail in mails if READER in str(mail["To"])]
    _, newest = max(mine, key=lambda found: (found[0].stat().st_mtime_ns, found[0].name))
    assert isinstance(newest, EmailMessage)
    return newest


def _get_plain_text(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part else ""


def _iter_mail_lines(mail: EmailMessage, title: str) -> Iterator[str]:
    yield f"=== {title}"
    for header in ("From", "To", "Subject"):
        yield f"{header}: {mail[header]}"
    yield ""
    yield _get_plain_text(mail)


def _save_html(config: Config, mail: EmailMessage) -> Path:
    """Save the HTML part with its pictures beside it, for a browser."""
    part = mail.get_body(("html",))
    html = str(part.get_content()) if part else ""
    for image in mail.walk():
        if image.get_content_type() == "image/png":
            data = image.get_payload(decode=True)
            assert isinstance(data, bytes)
            name = f"board-{hashlib.sha256(data).hexdigest()[:12]}.png"
            (config.file.parent / name).write_bytes(data)
            html = html.replace(f"cid:{str(image['Content-ID']).strip('<>')}", name)
    page = config.file.parent / "mail.html"
    page.write_text(html, encoding="utf-8")
    return page


# ---- `moderator sandbox`: a copy of the club whose clock is turned by hand.


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--to", "until", help='Let time pass up to then: 2027-01-01 or "24.12.2026 20:00", on the club\'s clock.')
@click.pass_obj
def sandbox(config_file: Path | None, folder: Path, until: str | None) -> None:
    """See what would happen: copy the club into FOLDER and let time pass there. Nothing is sent. Call it again with a
    later --to, and it goes on from there. Mails that you put into FOLDER/in (.eml) are read at the next call."""
    there = (folder / CLOCK).exists()
    config = load_config(folder / SETTINGS if there else config_file)
    moment = parse_day_and_hour(until, config) if until else None
    if not there:
        if moment is not None and moment < config.read_clock():
            raise OperatorError(f"{until} is over.", "Name a later time.")
        create_sandbox(config, folder, config.read_clock())
        say_lines(f"{folder} holds a copy of {config.club.name}, which sends nothing: --config {folder / SETTINGS}")
    if moment is not None:
        with show_working("Letting time pass"):
            lines = list(run_sandbox_to(folder, moment))
        say_lines("\n".join(lines))


def parse_day_and_hour(text: str, config: Config) -> datetime:
    """Return the time that is meant by a day (its beginning), or a day and an hour, in the club's zone. Raises
    OperatorError."""
    found = re.fullmatch(r"(?P<day>\S.*?)(?:[ T](?P<hour>\d{1,2}):(?P<minute>\d\d))?", text.strip())
    if not found:
        raise OperatorError(f"{text!r} is no time.", 'Write it as 2027-01-01 or "2027-01-01 20:00".')
    day, hour, minute = parse_day(found["day"]), int(found["hour"] or 0), int(found["minute"] or 0)
    if hour > 23 or minute > 59:
        raise OperatorError(f"{text!r} is no time.", 'Write it as 2027-01-01 or "2027-01-01 20:00".')
    return datetime.combine(day, time(hour, minute), ZoneInfo(config.club.zone))


@click.command()
@click.argument("archive", type=click.Path(path_type=Path))
@click.option("--since", help="Ignore mails from before this day, e.g. 2026-12-24.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Write the answers into this folder (.eml)."
)
@click.pass_obj
def rehearse(config_file: Path | None, archive: Path, since: str | None, out: Path | None) -> None:
    """Play an archive of mails against a copy of the database. ARCHIVE is an mbox file, a Maildir or a folder of .eml
    files; each mail is read at its own time. Nothing is sent, nothing is changed."""
    config = load_config(config_file)
    with show_working("Playing the mails"):
        lines = list(play_archive(config, archive, parse_start_day(since, config) if since else None, out))
    say_lines("\n".join(lines))
