"""Steps that tests of a club take again and again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from click.testing import CliRunner, Result
from sqlmodel import select

from moderator.cli import cli
from moderator.club.desk import Desk
from moderator.club.live_match import context_of, rules_of
from moderator.store.models import Match, Player
from tests.club.club import Club, text

NAMES = ("Anna", "Bert", "Cici")
VOUCHED = {"Authentication_Results": "mx.club.example; dmarc=pass header.from=home.example"}


def deal(club: Club, *names: str, game: str = "dominos", **more: Any) -> str:
    """Deal a match in which the first seat is to move, of Dominos, which is the quickest; returns its code."""
    seats = names or NAMES[:2]
    if game != "topwords":
        more.setdefault("seed", lambda match: _first_seat_begins(match, len(seats)))
    return club.match(*seats, game=game, **more)


def _first_seat_begins(match: Match, seats: int) -> bytes:
    game, options = rules_of(match)
    for number in range(200):
        match.seed = number.to_bytes(32, "big").hex()
        if game.setup(seats, options, context_of(match)).state.to_move[0] == 0:
            return bytes.fromhex(match.seed)
    raise AssertionError("another seat begins always")


def begin(club: Club, *names: str, **more: Any) -> str:
    """Deal a match and read its first mails."""
    code = deal(club, *names, **more)
    club.tick()
    club.mails()
    return code


def play(club: Club, code: str, seat: int, body: str = "", **headers: str) -> None:
    """Write from the seat of Anna, Bert or Cici, without a text its best move, and let the club read it."""
    club.order(NAMES[seat], code, seat, body or club.moves(code, seat)[0], **headers)
    club.tick()


def ask(club: Club, code: str, seat: int, body: str) -> str:
    """The first mail that answers what the seat has written."""
    play(club, code, seat, body)
    return next(text(mail) for mail in club.mails() if f"{NAMES[seat].lower()}@" in str(mail["To"]))


def wait_until(club: Club, moment: datetime) -> None:
    club.wait(seconds=(moment - club.now).total_seconds())


def zat(club: Club, code: str) -> datetime:
    """When the turn that runs is over."""
    found = club.row(code).deadline
    assert found is not None
    return found


def player(club: Club, name: str) -> Player:
    with club.desk() as desk:
        return desk.session.exec(select(Player).where(Player.name == name)).one()


def change(club: Club, name: str, **values: Any) -> None:
    """Give the player's row other values."""
    with club.desk() as desk:
        row = desk.session.exec(select(Player).where(Player.name == name)).one()
        for key, value in values.items():
            setattr(row, key, value)
        desk.session.add(row)


def match_row(desk: Desk, code: str) -> Match:
    return desk.session.exec(select(Match).where(Match.code == code)).one()


def run(club: Club, *words: str, stdin: bytes = b"") -> Result:
    """A command of the command line."""
    return CliRunner().invoke(cli, ["--config", str(club.config.file), *words], input=stdin)


def run_well(club: Club, *words: str, stdin: bytes = b"") -> str:
    """What a command prints that must not fail."""
    done = run(club, *words, stdin=stdin)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.stdout
