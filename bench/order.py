"""One order by mail, from a Maildir to a Maildir: the processor time of a tick that handles nothing else.

In matches of two that are under way, with a dictionary of 300,000 words; the process is warm, as one that watches is.
Floor, measured in turn with it: the same bytes with no game at all. Read the mail and take it apart, write it and the
mails that it led to into a bare database in two transactions, write those mails, move the one that came. Targets: at
most 10 times that with boards as text, be the mails a quarter of an hour apart or all at one time, and 16 times with
pictures; 12 ms for each picture, of which no piece is at hand; the 30th mail in a row of one sender costs what the
first does; and a tick that is made 10 ms slower on purpose is seen.
"""

from __future__ import annotations

import email
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from sqlmodel import select

from bench.target import at_least, at_most
from moderator.games.topwords.state import TopwordsOptions
from moderator.mail.maildir import deliver_to_maildir
from moderator.render import boards as pictures
from moderator.render import pieces
from moderator.rules.robots import choose
from moderator.rules.state import view_for
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.match_cache import MatchCache
from moderator.words.build.sources import build_quick_lexicon
from moderator.words.dictionary import Dictionary
from tests.club.club import Club, make_club

MATCHES, ORDERS, WARM = 4, 10, 2
"""The first orders of each match only warm the process up."""
AT_MOST = {"text": 10, "png": 16}
"""Board -> times the floor."""
APART = (timedelta(minutes=15), timedelta())
"""Between two mails."""
ROW, ROWS = 30, 3
"""Mails in a row of one sender, and how many such rows."""
SLOWER = 0.010
"""Seconds."""
PICTURE = 12
"""ms."""


@dataclass
class Costs:
    """Seconds of processor time, one each per order."""

    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    pictures: list[float] = field(default_factory=list)


def run(matches: int = MATCHES, orders: int = ORDERS) -> None:
    with tempfile.TemporaryDirectory() as name:
        club = prepared(Path(name) / "club")
        for board, most in AT_MOST.items():
            for apart in APART if board == "text" else APART[:1]:
                costs = measured(club, board, matches, orders, apart=apart)
                ours, floor = (1000 * statistics.median(found) for found in (costs.ours, costs.floor))
                print(f"  {len(costs.ours)} orders, {ours:.1f} ms each; no game {floor:.2f} ms")
                at_most(f"an order beside no game, boards as {board}, {apart} apart", ours / floor, most)
                if costs.pictures:
                    at_most("a picture", 1000 * statistics.median(costs.pictures), PICTURE, " ms")
                elif not apart:
                    _measure_slower(club, matches, orders, ours)
        _measure_row(club)


def _measure_slower(club: Club, matches: int, orders: int, before: float) -> None:
    def tick() -> object:
        until = time.process_time() + SLOWER
        while time.process_time() < until:
            pass
        return club.tick()

    costs = measured(club, "text", matches, orders, tick)
    at_least("a slowdown by 10 ms, as measured", 1000 * statistics.median(costs.ours) - before, 700 * SLOWER, " ms")


def _measure_row(club: Club) -> None:
    """Measure mails of one sender that say other things at one time, none of them an order."""
    code = club.match("Anna", "Bert")
    club.tick()
    first, last = [], []
    for row in range(ROWS):
        club.now += timedelta(hours=1)
        for number in range(ROW):
            club.order("Anna", code, 0, f"kein Zug {row}.{number}")
            began = time.process_time()
            club.tick()
            (first if 0 < number <= 3 else last if number >= ROW - 3 else []).append(time.process_time() - began)
            club.mails()
    at_most(
        f"the {ROW}th mail in a row beside the first ones", statistics.median(last) / statistics.median(first), 1.05
    )


def prepared(folder: Path) -> Club:
    """A club of two with a large dictionary."""
    club = make_club(folder)
    build_quick_lexicon(folder / "lexicons")
    club.players("Anna", "Bert")
    return club


def measured(
    club: Club,
    board: str,
    matches: int,
    orders: int,
    tick: Callable[[], object] | None = None,
    apart: timedelta = timedelta(),
) -> Costs:
    """Play new matches by mail and note what each order costs, and what its bytes alone do."""
    with club.work() as work:
        for player in work.session.exec(select(PlayerRow)):
            player.board = board
            work.session.add(player)
    costs, bare = Costs(), _Bare(Path(tempfile.mkdtemp(dir=club.folder)))
    words = MatchCache(club.config).get_dictionary(TopwordsOptions())
    codes = [club.match("Anna", "Bert", seed=partial(_seed, n)) for n in range(matches)]
    club.tick()
    club.mails()
    for number in range(WARM + orders):
        for code in codes:
            club.now += apart
            mail, picture = _next(club, code, words)
            began = time.process_time()
            summary = (tick or club.tick)()
            took = time.process_time() - began
            sent = [bytes(mail) for mail in club.mails()]
            if len(sent) != 2:
                sys.exit(f"the run was not clean: {summary}, {len(sent)} mails")
            if number >= WARM:
                costs.ours.append(took)
                costs.floor.append(bare.pass_on(mail, sent))
                if board == "png":
                    costs.pictures.append(picture())
    bare.close()
    return costs


def _seed(number: int, match: MatchRow) -> bytes:
    return bytes([number + 1]) * 32


def _next(club: Club, code: str, words: Dictionary) -> tuple[bytes, Callable[[], float]]:
    """Somebody's order of three alternatives lies in the mailbox. Its bytes; what draws the board anew and tells how
    long that took."""
    live = club.live(code)
    (seat,) = live.table.state.to_move
    context = replace(live.context, words=words)
    moves = [text for text, _ in choose.rank_moves(live.game, live.table.state, seat, context)[:3]]
    quote = "\n".join(f"> {n}  .   .   .   .   .   .   .   .   .   ." for n in range(20))
    said = "\n".join([*moves[:1], *(f"Ersatz: {move}" for move in moves[1:])]) or "passe"
    mail = club.order(("Anna", "Bert")[seat], code, seat, f"{said}\n\nAm 20.11.2026 schrieb Testrunde:\n{quote}\n")

    def drawn() -> float:
        after = club.live(code)
        scene = after.game.build_scene(view_for(after.table.state, None))
        pictures.render_board_png.cache_clear()
        pictures.draw_board.cache_clear()
        pieces.forget_pieces()
        began = time.process_time()
        pictures.render_board_png(scene, pictures.get_mail_crop(scene))
        return time.process_time() - began

    return mail, drawn


class _Bare:
    """A mailbox and a database with nothing between them."""

    def __init__(self, folder: Path) -> None:
        self.inbox, self.outbox, self.done = (folder / name for name in ("in", "out", "done"))
        for box in (self.inbox, self.outbox, self.done):
            for part in ("tmp", "new", "cur"):
                (box / part).mkdir(parents=True)
        self.database = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
        self.database.execute("PRAGMA journal_mode = WAL")
        self.database.execute("PRAGMA synchronous = FULL")
        self.database.execute("CREATE TABLE mail (id INTEGER PRIMARY KEY, raw BLOB)")

    def pass_on(self, mail: bytes, sent: list[bytes]) -> float:
        """Seconds of processor time."""
        deliver_to_maildir(self.inbox, mail)
        began = time.process_time()
        for path in (self.inbox / "new").iterdir():
            raw = path.read_bytes()
            self._keep([raw])
            email.message_from_bytes(raw).get_payload(decode=True)
            self._keep(sent)
            for each in sent:
                deliver_to_maildir(self.outbox, each)
            path.rename(self.done / "cur" / path.name)
        return time.process_time() - began

    def _keep(self, mails: list[bytes]) -> None:
        self.database.execute("BEGIN IMMEDIATE")
        self.database.executemany("INSERT INTO mail (raw) VALUES (?)", [(mail,) for mail in mails])
        self.database.execute("COMMIT")

    def close(self) -> None:
        self.database.close()


if __name__ == "__main__":
    run()
