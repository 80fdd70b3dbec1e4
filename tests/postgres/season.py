"""Mails for workers: many matches at once, each order as soon as the one before it was played, and all else that
players write meanwhile.

``python -m tests.postgres.season CONFIG WORKERS SEED KILLS SENT`` lets several workers handle them, of which one
dies by SIGKILL now and then. Each is a process that runs one tick after the other. It goes on until its standard input
ends and prints how many it has killed; at most KILLS, and never two before some mails were sent, so that a slow machine
does not kill all that is begun. While a mail is tried again nobody dies: one that has cost three lives goes to the
quarantine, as it should, and here it would be chance.

The workers are forked from this process, which has imported everything and played a little: that is what takes long.
What they send is accepted by a line in the file SENT, so that a mail that is sent twice is seen twice.
"""

import email
import hashlib
import importlib
import os
import random
import select as streams
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from itertools import islice, product
from pathlib import Path
from unittest import mock

from sqlmodel import Session, col, func, select

from moderator.common import tokens
from moderator.common.mails import Ready
from moderator.mail.maildir import deliver_to_maildir
from moderator.mail.transport import OneByOne
from moderator.service.create import create_match, get_player
from moderator.service.match.start import start_match
from moderator.store import due_work
from moderator.store.tables import EventRow, OutboxRow
from moderator.views.unit_of_work import UnitOfWork
from tests.backlog.week import play_ahead
from tests.club.club import Club
from tests.faults.killer import warm
from tests.helpers import WRITE

CHOICE = 3
COPIES = 0.05
"""Share of the mails that lie in the mailbox twice."""
PRESS = "Presse sofort an alle: hallo {0}"
ASIDE = ("HILFE", "Status", "Brett", "E9 w QUARK", "Kommt ihr am Samstag?", PRESS, "Verlauf")
"""What players write besides; {0} is a number."""
SETTINGS = "replies_per_day = 100000\n[guard]\nbacklog = 1000000\n"


@dataclass
class Line:
    """The orders of a match, to be written one after the other."""

    match: int
    orders: list[bytes]
    written: int = 0


@dataclass
class Season:
    club: Club
    chance: random.Random
    lines: list[Line] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    """Matches whose turn is over."""
    aside: list[bytes] = field(default_factory=list)
    besides: int = 0
    """How many there were of those."""
    press: int = 0
    """How many of them were letters to all."""
    mails: int = 0
    """Written so far, without copies."""
    before: int = 0
    """The last mail that had left when the workers began."""

    @property
    def orders(self) -> int:
        return sum(len(line.orders) for line in self.lines)

    def feed(self, session: Session) -> bool:
        """Write what can be written now; False = nothing is left to write."""
        query = select(EventRow.match_id, func.count()).where(EventRow.kind == "move").group_by(col(EventRow.match_id))
        played: dict[int, int] = dict(session.exec(query).all())
        for line in self.lines:
            if line.written < len(line.orders) and played.get(line.match, 0) >= line.written:
                self._write(line.orders[line.written])
                line.written += 1
        ahead = 1 - sum(line.written for line in self.lines) / self.orders
        while len(self.aside) > ahead * self.besides:
            self._write(self.aside.pop())
        return ahead > 0

    def _write(self, data: bytes) -> None:
        for _ in range(2 if self.chance.random() < COPIES else 1):
            deliver_to_maildir(self.club.config.resolve_path(self.club.config.maildir.inbox), data)
        self.mails += 1


def prepare(club: Club, seed: int, matches: int, orders: int, mails: int, late: int = 0) -> Season:
    """``matches`` of ``orders`` each, and so much besides that it makes ``mails``; ``late`` more matches in which
    somebody has missed the turn. Mails that say so leave with the first tick."""
    season = Season(club, random.Random(seed))
    names = ["".join(letters) for letters in islice(product("BDFGKMNPRST", "aeou", "fgkst"), matches)]
    club.players(*names)
    now = datetime.now(UTC)
    club.now = now - timedelta(days=10)
    for n in range(late):
        code = club.match(names[n], names[n - 1], game="dominos")
        season.late.append(club.row(code).number)
    club.tick()
    with club.work() as work:
        season.before = work.session.exec(select(func.max(OutboxRow.id))).one() or 0
    club.now = now
    due_work.record_poll_at(club.config.database, now - timedelta(minutes=5))
    with club.work() as work:
        for n in range(matches):
            season.lines.append(_line(work, season, n, names[n], names[n - 1], orders))
    while season.orders + len(season.aside) < mails:
        season.aside.append(_aside(season, len(season.aside), names))
    season.besides = len(season.aside)
    return season


def _line(work: UnitOfWork, season: Season, number: int, first: str, second: str, orders: int) -> Line:
    """A match and its orders: one of the best moves each time, as it is mailed."""
    players = [get_player(work.session, name) for name in (first, second)]
    game, options = ("topwords", {"pass_rounds": 1000}) if number % 2 else ("dominos", {"target": 1000})
    match = create_match(work, game, f"Arratia {number}", players, options)
    start_match(work, match, seed=number.to_bytes(32, "big"))
    seats, written = [seat for seat, _ in work.list_seated(match)], []
    played = play_ahead(work, match, orders, lambda moves: season.chance.choice(moves[:CHOICE]))
    for n, (seat, text) in enumerate(played):
        to = tokens.build_token_address("games@club.example", "+", match.code, seats[seat].token)
        answers = f"<turn{n}@club.example>"  # each another mail: a second pass is no copy of the first
        written.append(mail(f"{match.code}.{n}", players[seat].address or "", to, text, In_Reply_To=answers))
    return Line(match.number, written)


def _aside(season: Season, number: int, names: list[str]) -> bytes:
    """A mail that moves nothing: a wish, a letter, nonsense, a stranger's, a machine's, an order for a wrong seat."""
    address = f"{season.chance.choice(names).lower()}@home.example"
    kind = number % 10
    if kind == 8:
        return mail(f"aside.{number}", "stranger@far.example", "games@club.example", "E5 w HAUS")
    if kind == 9:
        return mail(f"aside.{number}", address, "games@club.example", "Bin im Urlaub.", Auto_Submitted="auto-replied")
    text = season.chance.choice(ASIDE)
    season.press += text == PRESS
    line = season.chance.choice(season.lines)
    to = str(email.message_from_bytes(line.orders[0])["To"])
    return mail(f"aside.{number}", address, to, text.format(number))


def mail(number: str, sender: str, to: str, body: str, **headers: str) -> bytes:
    made = EmailMessage(policy=WRITE)
    made["From"], made["To"], made["Message-ID"] = sender, to, f"<{number}@home.example>"
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    made.set_content(body)
    return made.as_bytes()


# ---- workers ----

PAUSE = 0.05
LEAST, MOST = 6, 16
"""Mails sent between two deaths."""
LINE = 70
"""Bytes."""


class Ledger(OneByOne):
    """A sender: a mail is accepted when its line stands in the file, written in one piece."""

    def __init__(self, file: Path) -> None:
        self._handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def check(self) -> None:
        """It is always there."""

    def deliver(self, mail: Ready) -> str:
        os.write(self._handle, f"{mail.row} {hashlib.sha256(mail.data).hexdigest()}\n".encode())
        return "accepted"


def work(config_file: str, sent: Path) -> None:
    """Ticks until SIGTERM, which ends the one at hand first. What goes wrong stands in SENT.err."""
    from moderator.run import steps, tick
    from moderator.settings import load_config

    going = True

    def stop(*_: object) -> None:
        nonlocal going
        going = False

    signal.signal(signal.SIGTERM, stop)
    config, ledger = load_config(Path(config_file)), Ledger(sent)
    mock.patch.object(steps, "open_sender", return_value=ledger).start()
    while going:
        try:
            summary = tick.run_tick(config)
            wrong = f"{summary}\n" if summary.quarantined or summary.troubles or summary.away else ""
        except BaseException:
            summary, wrong = None, traceback.format_exc()
        if wrong:
            with Path(f"{sent}.err").open("a", encoding="utf-8") as stream:
                stream.write(wrong)
        if summary is None or summary.is_quiet:
            time.sleep(PAUSE)


def tried_again(config_file: str) -> bool:
    """Whether a mail waits or is in hand whose worker has died. (No connection stays open: workers are forked.)"""
    import psycopg

    from moderator.settings import load_config

    query = "SELECT 1 FROM inbox WHERE state = 'received' AND attempts >= 2 LIMIT 1"
    with psycopg.connect(load_config(Path(config_file)).store.url) as connection:
        return connection.execute(query).fetchone() is not None


def main(config_file: str, workers: str, seed: str, kills: str, sent: str) -> None:
    for name in ("psycopg", "sqlalchemy.dialects.postgresql.psycopg"):
        importlib.import_module(name)
    warm()
    chance, killed, left = random.Random(int(seed)), 0, int(kills)

    def start() -> int:
        child = os.fork()
        if child == 0:
            try:
                work(config_file, Path(sent))
            finally:
                os._exit(0)
        return child

    herd, done, fatal = [start() for _ in range(int(workers))], Path(sent), MOST * LINE
    while not streams.select([sys.stdin], [], [], chance.uniform(0.01, 0.1))[0]:
        if killed < left and done.exists() and done.stat().st_size >= fatal and not tried_again(config_file):
            which = chance.randrange(len(herd))
            os.kill(herd[which], signal.SIGKILL)
            os.waitpid(herd[which], 0)
            herd[which] = start()
            killed += 1
            fatal = done.stat().st_size + chance.randint(LEAST, MOST) * LINE
    for child in herd:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
    print(killed, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
