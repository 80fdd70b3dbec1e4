"""Plays a small club with the program as it is here, and packs it for the tests that upgrade it later on:

    python -m tests.clubs.make

A migration needs a new club, of the version that it makes; so does one that is changed before it is out. The clubs of
older versions stay as programs of their time have played them, that of 0010 moderator 0.2.0 (see each one's made.json).
"""

import email
import hashlib
import json
import os
import re
import sqlite3
import tarfile
import tempfile
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from unittest.mock import patch

from click.testing import CliRunner

from moderator.cli import cli
from moderator.common.tokens import MOST
from moderator.games import REGISTRY
from moderator.inbox import pipeline
from moderator.inbox.identify import PER_SENDER
from moderator.mail.build import extract_all_text
from moderator.mail.maildir import deliver_to_maildir
from moderator.mail.parse import parse_mail_bytes
from moderator.service import create
from moderator.service.match import start
from moderator.store.schema import HEAD
from tests.club.club import WORDS, Club, make_club
from tests.helpers import READ

FOLDER = Path(__file__).with_name("packed")
PARTS = ("made.json", "moderator.toml", "moderator.sqlite", "words.txt", "lexicons", "house.tsv", "backup")
"""What of a club's folder is packed, where it is there. ``backup``: what is in the zip file that it made."""
GENUINE = "mx.club.example; dkim=pass header.d=home.example; dmarc=pass header.from=home.example"
PROOF = {"Authentication_Results": GENUINE}
PEOPLE = ("Anna", "Bert", "Cora", "Dora")
FAULT = "BOOM"
"""A mail with it is met by a fault of the program."""
HELD = "<held-{}@home.example>"
"""Message-ID of a mail that is held, for each reason that there is."""
REPORT = f"""\
From: mailer-daemon@elsewhere.example
To: games@club.example
Message-ID: {HELD.format("unproven-bounce")}
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; elsewhere.example

Final-Recipient: rfc822; dora@home.example
Action: failed
Status: 5.1.1

--b--
"""
KEPT = 200
"""Letters of the text of a mail that is sent; and the hash of its seed, wherever that stands."""


def packed(version: str) -> Path:
    return FOLDER / f"{version}.tar.xz"


def versions() -> list[str]:
    """Those of which there is a club, oldest first."""
    return sorted(file.name.partition(".")[0] for file in FOLDER.glob("*.tar.xz"))


def unpack(version: str, folder: Path) -> datetime:
    """Put the club there; returns when it was left."""
    with tarfile.open(packed(version)) as archive:
        archive.extractall(folder, filter="data")
    return datetime.fromisoformat(json.loads((folder / "made.json").read_text(encoding="utf-8"))["now"])


def play(folder: Path) -> None:
    """Of each game a match that runs, stored orders, a ruling that is waited for, a mail in quarantine, one to be read
    and one to be sent, a finished match, tournaments, a backup."""
    club = make_club(folder)
    club.now = datetime.now(UTC).replace(microsecond=0)
    club.players(*PEOPLE, "R2 Ada", Bert="en")
    _execute(club, "UPDATE player SET board = 'text'")
    others = [game for game in REGISTRY if game != "topwords"]
    running = [club.match("Anna", "Bert"), *(_deal(club, game, "Anna", "Bert") for game in others)]
    _go_on(club)
    for _ in range(3):
        _play_turn(club, *running)
    _play_to_the_end(club)
    _store_orders(club, running)
    _write_commands(club, running)
    _ask_for_a_ruling(club)
    _write_trouble(club)
    _hold_mails(club)
    _play_tournaments(club)
    _go_on(club)
    _leave_waiting(club)
    _shorten(club)
    _back_up(club)
    with closing(sqlite3.connect(folder / "moderator.sqlite", isolation_level=None)) as connection:
        for line in ("PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode=DELETE", "VACUUM"):
            connection.execute(line)
    made = {"now": club.now.isoformat(), "version": HEAD}
    (folder / "made.json").write_text(json.dumps(made), encoding="utf-8")


def _execute(club: Club, statement: str, *values: Any) -> list[Any]:
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as connection:
        rows = connection.execute(statement, values).fetchall()
        connection.commit()
        return rows


def _go_on(club: Club) -> None:
    club.tick()
    club.wait(minutes=5)


def _run(club: Club, *words: str) -> None:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    if done.exit_code:
        raise RuntimeError(f"{words}: {done.output} {done.exception}")


# ---- matches ----


def _deal(club: Club, game: str, *names: str, **options: Any) -> str:
    with club.work() as work:
        seats = [create.get_player(work.session, name) for name in names]
        match = create.create_match(work, game, f"Arratia {game}", seats, options)
        start.start_match(work, match, seed=hashlib.sha256(game.encode()).digest())
        return str(match.code)


def _play_turn(club: Club, *codes: str) -> None:
    """The best move of who is to move (in games of rounds: of all)."""
    for code in codes:
        for seat in club.live(code).table.state.to_move:
            moves = club.moves(code, seat)
            club.order(_find_name(club, code, seat), code, seat, moves[0] if moves else "passe")
    _go_on(club)


def _find_name(club: Club, code: str, seat: int) -> str:
    query = """SELECT player.name FROM player JOIN seat ON player.id = player_id JOIN "match" ON "match".id = match_id
        WHERE code = ? AND number = ?"""
    return str(_execute(club, query, code, seat)[0][0])


def _play_to_the_end(club: Club) -> None:
    code = _deal(club, "dominos", "Cora", "R2 Ada", target=20)
    _go_on(club)
    for _ in range(80):
        if club.live(code).table.state.over:
            return
        _play_turn(club, code)
    raise RuntimeError("the match does not end")


def _store_orders(club: Club, running: list[str]) -> None:
    """What waits for the others, for one's own turn, and for ever."""
    code = club.match("Anna", "Bert", "Cora", pace="rounds")
    _go_on(club)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    code = _deal(club, "presto", "Cora", "Dora")  # the first one may have ended by now
    _go_on(club)
    club.order("Dora", code, 1, (*club.moves(code, 1), "passe")[0])
    for code in running:
        for waiting in {0, 1} - set(club.live(code).table.state.to_move):
            club.order(_find_name(club, code, waiting), code, waiting, "nach Ziehen: bester")
    _go_on(club)


def _ask_for_a_ruling(club: Club) -> None:
    """A word that the dictionary does not know: one of a possible move's, read backwards."""
    code = club.match("Cora", "Anna", unknown_words="ask")
    _go_on(club)
    known = {word.upper() for word in WORDS}
    for _ in range(10):
        (seat,) = club.live(code).table.state.to_move
        for move in club.moves(code, seat):
            word = max(re.findall(r"[A-ZÄÖÜ]{2,}", move), key=len)
            if word[::-1] not in known:
                club.order(_find_name(club, code, seat), code, seat, move.replace(word, word[::-1]))
                break
        _go_on(club)
        if club.row(code).held:
            return
    raise RuntimeError("nobody is asked about a word")


# ---- people, trouble ----


def _write_commands(club: Club, running: list[str]) -> None:
    year = club.now.year + 1
    for seat, name, line in (
        (0, "Anna", "Presse an alle: Hallo zusammen!"),
        (1, "Bert", "protest: I doubt that"),
        (0, "Anna", "warten"),
        (1, "Bert", "STAND"),
    ):
        club.order(name, running[0], seat, line)
    for name, line in (
        ("Anna", f"Urlaub 1.2.{year} bis 5.2.{year}"),
        ("Dora", "ERSATZSPIELER an"),
        ("Dora", f"zuschauen {running[0]}"),
        ("Cora", "Einzelzug an"),
        ("Dora", "Adresse dora@new.example"),
    ):
        club.write(name, line, **PROOF)
    _go_on(club)


def _write_trouble(club: Club) -> None:
    def fragile(data: bytes, **how: Any) -> Any:
        if FAULT.encode() in data:
            raise RuntimeError("a fault of ours")
        return parse_mail_bytes(data, **how)

    club.write("stranger@elsewhere.example", "Was ist das hier?")
    club.write("list@elsewhere.example", "News!", Precedence="bulk")
    club.write("Bert", FAULT, Message_ID=HELD.format("crash"), **PROOF)
    _deliver(club, "From: <cora@home.example>\r\nTo: games@club.example\r\n\r\nSTAND\r\n")  # it has no Message-ID
    with patch.object(pipeline, "parse_mail_bytes", fragile):
        _go_on(club)


def _deliver(club: Club, mail: str) -> None:
    file = deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), mail.encode())
    os.utime(file, (club.now.timestamp(), club.now.timestamp()))


def _leave_waiting(club: Club) -> None:
    """A mail that was taken in and not read, one that was made and not sent: so a machine leaves it that stops."""
    club.write("Bert", "help", subject="left waiting", **PROOF)
    _go_on(club)
    _execute(club, "UPDATE inbox SET state = 'received', attempts = 0 WHERE id = (SELECT max(id) FROM inbox)")
    _execute(club, "UPDATE outbox SET state = 'queued', sent_at = NULL WHERE id = (SELECT max(id) FROM outbox)")


# ---- mails that are held ----


def _hold_mails(club: Club) -> None:
    """One for each reason; that of a fault is held by ``_write_trouble``."""
    code, suspended = _deal(club, "dominos", "Cora", "Dora"), _deal(club, "tridom", "Cora", "Dora")
    _go_on(club)
    _play_turn(club, suspended)
    seat = club.live(code).seats_awaited[0]
    move = (*club.moves(code, seat), "passe")[0]
    club.order(_find_name(club, code, seat), code, seat, move)
    _go_on(club)
    club.order(_find_name(club, code, seat), code, seat, move, Message_ID=HELD.format("repeat"))
    club.order("Cora", code, 0, "STAND", Message_ID=HELD.format("machine-header"), Precedence="bulk")
    club.write("Dora", "STAND", Message_ID=HELD.format("sender"))
    _deliver(club, REPORT)
    _hold_while_tokens_are_guessed(club, code)
    _hold_newcomers(club)
    _hold_for_a_match(club, suspended)


def _hold_while_tokens_are_guessed(club: Club, code: str) -> None:
    guesser = "guesser@elsewhere.example"
    for first in range(0, PER_SENDER, MOST):
        wrong = (f"games+{code}-{number:010}@club.example" for number in range(first, first + MOST))
        club.write(guesser, "STAND", to=", ".join(wrong))
    _go_on(club)
    to_seat = f"games+{code}-{club.token(code, 1)}@club.example"
    club.write(guesser, "STAND", to=to_seat, Message_ID=HELD.format("guessing"))
    _go_on(club)


def _hold_newcomers(club: Club) -> None:
    """One who is asked, and one about whom the moderator decides."""
    for signup in ("open", "closed"):
        object.__setattr__(club.config.club, "signup", signup)
        club.write(f"{signup}@far.example", "mitspielen", Message_ID=HELD.format(f"newcomer-{signup}"))
        _go_on(club)


def _hold_for_a_match(club: Club, code: str) -> None:
    """A match whose log was changed by a hand that then put it right."""
    query = 'SELECT event.id, outcome FROM event JOIN "match" ON "match".id = match_id WHERE code = ? AND kind = ?'
    (number, outcome), *_ = _execute(club, query, code, "move")
    wrong = re.sub(r'"points": \d+', '"points": 999', outcome)
    _execute(club, "UPDATE event SET outcome = ? WHERE id = ?", wrong, number)
    club.order("Cora", code, 0, "STAND", Message_ID=HELD.format("match-suspended"))
    _go_on(club)
    _execute(club, "UPDATE event SET outcome = ? WHERE id = ?", outcome, number)


def resume_matches(club: Club) -> None:
    """Have the matches go on that are suspended: what was wrong with them was put right when the club was left."""
    for (code,) in _execute(club, "SELECT code FROM \"match\" WHERE status = 'suspended'"):
        _run(club, "match", "resume", code)


# ---- tournaments, backup ----


def _play_tournaments(club: Club) -> None:
    game = ("--game", "tridom", "-o", "target=40")
    _run(club, "cup", "add", "Herbstcup", *game, "--format", "swiss", "--set", "rounds=3", "--seed", "5")
    _run(club, "cup", "add", "Winterliga", *game, "--format", "league")
    _run(club, "cup", "open", "T1")
    _run(club, "cup", "open", "T2")
    _run(club, "cup", "join", "T1", *PEOPLE)
    _run(club, "cup", "join", "T2", "Anna")
    _run(club, "cup", "start", "T1")
    for _ in range(3):
        _go_on(club)
    query = 'SELECT code FROM "match" JOIN tournamentgame ON "match".id = match_id ORDER BY "match".id'
    (first,), (second,) = _execute(club, query)
    _run(club, "cup", "adjudicate", "T1", first, "1-0")
    _play_turn(club, second)


def _shorten(club: Club) -> None:
    """Of the mails that are sent keep the beginning of the text alone: a tenth of the size."""
    query = "SELECT outbox_id, raw FROM letter JOIN outbox ON outbox.id = outbox_id WHERE state = 'sent'"
    for number, raw in _execute(club, query):
        mail = email.message_from_bytes(raw, policy=READ)
        assert isinstance(mail, EmailMessage)
        plain = mail.get_body(("plain",))
        text, whole = plain.get_content(), "".join(extract_all_text(raw).split())
        mail.clear_content()
        seals = "\n".join(re.findall(r"[0-9a-f]{64}", whole))  # `doctor --deep` looks for them
        mail.set_content(f"{text[:KEPT]}\n{seals}\n")
        _execute(club, "UPDATE letter SET raw = ? WHERE outbox_id = ?", mail.as_bytes(), number)
    _execute(club, "VACUUM")


def _back_up(club: Club) -> None:
    """Its parts beside the club: most of them are in there already, and what is a zip cannot be packed any smaller."""
    file = club.folder / "backup.zip"
    _run(club, "backup", str(file))
    with zipfile.ZipFile(file) as archive:
        archive.extractall(club.folder / "backup")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="moderator-club-") as name:
        folder = Path(name) / "club"
        play(folder)
        with tarfile.open(packed(HEAD), "w:xz", preset=9) as archive:
            for part in PARTS:
                if (folder / part).exists():
                    archive.add(folder / part, part)
    print(f"{packed(HEAD)}: {packed(HEAD).stat().st_size} bytes")


if __name__ == "__main__":
    main()
