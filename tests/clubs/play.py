"""Plays a small club with the program it finds: of each game a match that runs, stored orders, a ruling that is waited
for, a mail in quarantine, one that waits to be read and one to be sent, a finished match, tournaments, a backup.

Started by make.py beside the sources of any version (``python -m tests.clubs.play FOLDER``), so it uses only what all
of them have, and their own tests/club/club.py; what a version does not know it leaves out.
"""

from __future__ import annotations

import email
import hashlib
import json
import os
import re
import sqlite3
import sys
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from email.message import EmailMessage
from importlib import import_module
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from moderator.cli import cli
from moderator.games import REGISTRY
from moderator.mail.maildir import deliver
from moderator.store.schema import HEAD
from tests.club.club import WORDS, Club, make_club
from tests.policies import READ


def _module(now: str, before: str) -> Any:
    """Of moderator; ``before``: where it was in versions up to 0009."""
    try:
        return import_module(f"moderator.{now}")
    except ModuleNotFoundError:
        return import_module(f"moderator.{before}")


handle, create = _module("inbox.handle", "desk.handle"), _module("play.create", "desk.create")
TURNS = 3
"""Moves in each match."""
PROOF = {
    "Authentication_Results": "mx.club.example; dkim=pass header.d=home.example; dmarc=pass header.from=home.example"
}
PEOPLE = ("Anna", "Bert", "Cora", "Dora")
FAULT = "BOOM"
"""A mail with it is met by a fault of the program."""
GAMES = [game for game in REGISTRY if HEAD > "0001" or game == "topwords"]
"""Which can be played by mail: at first the rules of the others were there, and nothing more."""


def main(folder: Path) -> None:
    club = make_club(folder)
    club.now = datetime.now(UTC).replace(microsecond=0)
    club.players(*PEOPLE, "R2 Ada", Bert="en")
    _execute(club, "UPDATE player SET board = 'text'")
    running = [_topwords(club)] + [_deal(club, game, "Anna", "Bert") for game in GAMES if game != "topwords"]
    _step(club)
    for _ in range(TURNS):
        _turn(club, *running)
    _to_the_end(club)
    _store_orders(club, running)
    _commands(club, running)
    _ask_for_a_ruling(club)
    _trouble(club)
    _tournaments(club)
    _step(club)
    _leave_waiting(club)
    _shorten(club)
    _backup(club)
    with closing(sqlite3.connect(folder / "moderator.sqlite", isolation_level=None)) as connection:
        for line in ("PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode=DELETE", "VACUUM"):
            connection.execute(line)
    (folder / "made.json").write_text(json.dumps({"now": club.now.isoformat()}), encoding="utf-8")


def _execute(club: Club, statement: str) -> None:
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as connection:
        connection.execute(statement)
        connection.commit()


def _step(club: Club) -> None:
    club.tick()
    club.wait(minutes=5)


def _run(club: Club, *words: str) -> bool:
    """Type a command; False where this version has none of that name."""
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    if "No such command" in done.output:
        return False
    if done.exit_code:
        raise RuntimeError(f"{words}: {done.output} {done.exception}")
    return True


# ---- matches ----


def _deal(club: Club, game: str, *names: str, **options: Any) -> str:
    with club.desk() as desk:
        seats = [create.find_player(desk.session, name) for name in names]
        match = create.new_match(desk.session, game, f"Arratia {game}", seats, options, club.now)
        create.start_match(desk, match, seed=hashlib.sha256(game.encode()).digest())
        return str(match.code)


def _topwords(club: Club, *names: str, **options: Any) -> str:
    """Dealt letters of which the small dictionary has words."""
    return str(club.match(*(names or ("Anna", "Bert")), **options))


def _turn(club: Club, *codes: str, passing: bool = False) -> None:
    """The best move of who is to move (in games of rounds: of all)."""
    for code in codes:
        for seat in club.live(code).table.state.to_move:
            moves = [] if passing else club.moves(code, seat)
            club.order(_name(club, code, seat), code, seat, moves[0] if moves else "passe")
    _step(club)


def _name(club: Club, code: str, seat: int) -> str:
    query = """SELECT player.name FROM player JOIN seat ON player.id = player_id JOIN "match" ON "match".id = match_id
        WHERE code = ? AND number = ?"""
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as connection:
        return str(connection.execute(query, (code, seat)).fetchone()[0])


def _to_the_end(club: Club) -> None:
    """A match against the robot; at first one of two people who pass, after a move each."""
    names = ("Cora", "R2 Ada") if "dominos" in GAMES else ("Cora", "Dora")
    code = _deal(club, "dominos", *names, target=20) if "dominos" in GAMES else _topwords(club, *names)
    _step(club)
    for number in range(80):
        if club.live(code).table.state.over:
            return
        _turn(club, code, passing="dominos" not in GAMES and number > 1)
    raise RuntimeError("the match does not end")


def _store_orders(club: Club, running: list[str]) -> None:
    """What waits for the others, for one's own turn, and for ever."""
    code = _topwords(club, "Anna", "Bert", "Cora", pace="rounds")
    _step(club)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    if "presto" in GAMES:  # the first one may have ended by now
        code = _deal(club, "presto", "Cora", "Dora")
        _step(club)
        club.order("Dora", code, 1, (*club.moves(code, 1), "passe")[0])
    for code in running:
        for waiting in {0, 1} - set(club.live(code).table.state.to_move):
            club.order(_name(club, code, waiting), code, waiting, "nach Ziehen: bester")
    _step(club)


def _ask_for_a_ruling(club: Club) -> None:
    """A word that the dictionary does not know: one of a possible move's, read backwards."""
    code = _topwords(club, "Cora", "Anna", unknown_words="ask")
    _step(club)
    known = {word.upper() for word in WORDS}
    for _ in range(10):
        (seat,) = club.live(code).table.state.to_move
        for move in club.moves(code, seat):
            word = max(re.findall(r"[A-ZÄÖÜ]{2,}", move), key=len)
            if word[::-1] not in known:
                club.order(_name(club, code, seat), code, seat, move.replace(word, word[::-1]))
                break
        _step(club)
        if club.row(code).held:
            return
    raise RuntimeError("nobody is asked about a word")


# ---- people, trouble ----


def _commands(club: Club, running: list[str]) -> None:
    """Mails of players; a version that does not know a command answers that it could not be read."""
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
    _step(club)


def _trouble(club: Club) -> None:
    """Mails of strangers, of machines, and one that cannot be handled."""
    real = handle.read_mail

    def fragile(data: bytes, **how: Any) -> Any:
        if FAULT.encode() in data:
            raise RuntimeError("a fault of ours")
        return real(data, **how)

    club.write("stranger@elsewhere.example", "Was ist das hier?")
    club.write("list@elsewhere.example", "News!", Precedence="bulk")
    club.write("Bert", FAULT, **PROOF)
    nameless = "From: <cora@home.example>\r\nTo: games@club.example\r\n\r\nSTAND\r\n"  # it has no Message-ID
    file = deliver(club.config.path(club.config.maildir.inbox), nameless.encode())
    os.utime(file, (club.now.timestamp(), club.now.timestamp()))
    handle.read_mail = fragile
    try:
        _step(club)
    finally:
        handle.read_mail = real


def _leave_waiting(club: Club) -> None:
    """A mail that was taken in and not read, one that was made and not sent: so a machine leaves it that stops."""
    club.write("Bert", "help", subject="left waiting", **PROOF)
    _step(club)
    _execute(club, "UPDATE inbox SET state = 'received', attempts = 0 WHERE id = (SELECT max(id) FROM inbox)")
    _execute(club, "UPDATE outbox SET state = 'queued', sent_at = NULL WHERE id = (SELECT max(id) FROM outbox)")


# ---- tournaments, backup ----


def _tournaments(club: Club) -> None:
    """One that runs, with a result, and one that can be joined."""
    game = ("--game", "tridom", "-o", "target=40")
    if not _run(club, "cup", "new", "Herbstcup", *game, "--format", "swiss", "--set", "rounds=3", "--seed", "5"):
        return
    _run(club, "cup", "new", "Winterliga", *game, "--format", "league")
    _run(club, "cup", "open", "T1")
    _run(club, "cup", "open", "T2")
    _run(club, "cup", "join", "T1", *PEOPLE)
    _run(club, "cup", "join", "T2", "Anna")
    _run(club, "cup", "start", "T1")
    for _ in range(3):
        _step(club)
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as connection:
        (games,) = connection.execute(
            "SELECT name FROM sqlite_master WHERE name IN ('cupgame', 'tournamentgame')"
        ).fetchone()
        query = f'SELECT code FROM "match" JOIN {games} ON "match".id = match_id ORDER BY "match".id'
        first, second = (code for (code,) in connection.execute(query).fetchall())
    _run(club, "cup", "adjudicate", "T1", first, "1-0")
    _turn(club, second)


KEPT = 200
"""Letters of the text of a mail that is sent; and the hash of its seed, wherever that stands."""


def _shorten(club: Club) -> None:
    """Of the mails that are sent keep the beginning of the text alone: a tenth of the size."""
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as connection:
        query = "SELECT outbox_id, raw FROM letter JOIN outbox ON outbox.id = outbox_id WHERE state = 'sent'"
        for number, raw in connection.execute(query).fetchall():
            mail = email.message_from_bytes(raw, policy=READ)
            assert isinstance(mail, EmailMessage)
            plain = mail.get_body(("plain",))
            assert plain is not None
            text = plain.get_content()
            mail.clear_content()
            seals = "\n".join(re.findall(r"[0-9a-f]{64}", "".join(text.split())))  # `doctor --deep` looks for them
            mail.set_content(f"{text[:KEPT]}\n{seals}\n")
            connection.execute("UPDATE letter SET raw = ? WHERE outbox_id = ?", (mail.as_bytes(), number))
        connection.commit()
        connection.execute("VACUUM")


def _backup(club: Club) -> None:
    """Its parts beside the club: most of them are in there already, and what is a zip cannot be packed any smaller."""
    file = club.folder / "backup.zip"
    if _run(club, "backup", str(file)):
        with zipfile.ZipFile(file) as archive:
            archive.extractall(club.folder / "backup")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
