"""A week's mail to a club: orders, commands, mistakes, machines, strangers and some large ones, in order of arrival.

``python -m tests.backlog.week CONFIG`` runs a tick over it in a process of its own, and prints what it did, and what
memory it took at most.
"""

import importlib
import itertools
import json
import os
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

from moderator.rules import table
from moderator.rules.robots import choose
from moderator.run.tick import run_tick
from moderator.service.create import create_match, get_player
from moderator.service.match.start import start_match
from moderator.settings import load_config
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import build_match_context, load_match_rules
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club

MOVES = 6
"""Of a match so many orders are moves; the others pass."""
SPAN = timedelta(days=7)
BEGINNING = datetime.now(UTC).replace(microsecond=0) - SPAN
SORTS = ("machine", "stranger", "list", "mistake", "help", "board", "large")
WEIGHTS = (40, 30, 20, 4, 3, 2, 1)


@dataclass(frozen=True)
class Place:
    code: str
    name: str
    address: str


@dataclass(frozen=True)
class Week:
    club: Club
    orders: dict[str, list[tuple[Place, str]]]
    """Of each match, in the order in which they must be read."""


def dealt(club: Club, matches: int, orders: int, board: str = "png") -> Week:
    """A club with so many matches, and ``orders`` orders for each of them."""
    people = [f"Spieler{n}" for n in range(max(2, matches // 2))]
    club.players(*people)
    made: dict[str, list[tuple[Place, str]]] = {}
    with club.work() as work:
        for number in range(matches):
            pair = [get_player(work.session, people[(number + step) % len(people)]) for step in (0, 1)]
            for player in pair:
                player.board = board
            match = create_match(work, "topwords", f"Woche {number}", pair, {"pass_rounds": 500})
            start_match(work, match, seed=number.to_bytes(32, "big"))
            places = [
                Place(match.code, player.name, f"games+{match.code}-{seat.token}@club.example")
                for seat, player in work.list_seated(match)
            ]
            played = play_ahead(work, match, orders, lambda moves: moves[0], MOVES)
            made[match.code] = [(places[seat], text) for seat, text in played]
    return Week(club, made)


def play_ahead(
    work: UnitOfWork, match: MatchRow, count: int, pick: Callable[[list[str]], str], moves: int = 1000
) -> Iterator[tuple[int, str]]:
    """So many orders of a match of two that has begun: picked among the best moves, of which there are so many, then
    passes."""
    game, options = load_match_rules(match)
    context = build_match_context(match)
    if game.uses_words:
        context = replace(context, words=work.cache.get_dictionary(options))
    state, _ = table.open_match_state(game, 2, options, context)
    for turn in range(count):
        seat = state.state.to_move[0]
        ranked = choose.rank_moves(game, state.state, seat, context) if turn < moves else ()
        text = pick([move for move, _ in ranked]) if ranked else "passe"
        yield seat, text
        state, _ = table.try_order(game, state, seat, text, context)


def mails(week: Week, count: int, seed: int = 1) -> Iterator[bytes]:
    lots = random.Random(seed)
    orders = [order for turn in itertools.zip_longest(*week.orders.values()) for order in turn if order]
    at = sorted(lots.sample(range(count), len(orders)))
    waiting = dict(zip(at, orders, strict=True))
    places = [found[0][0] for found in week.orders.values()]
    for number in range(count):
        if number in waiting:
            place, text = waiting[number]
            answers = f"In-Reply-To: <turn{number}@club.example>"  # each another mail: it is no copy of the one before
            yield mail(number, f"{place.name} <{place.name.lower()}@home.example>", place.address, f"{text}\n", answers)
        else:
            yield _OTHERS[lots.choices(SORTS, WEIGHTS)[0]](number, lots.choice(places))


def mail(number: int, sender: str, to: str, body: str, *head: str) -> bytes:
    lines = [f"From: {sender}", f"To: {to}", "Subject: Zug", f"Message-ID: <{number}@home.example>", *head]
    lines += [f"Date: {format_datetime(BEGINNING)}", "Content-Type: text/plain; charset=utf-8", "", body]
    return "\r\n".join(lines).encode()


def _of_player(number: int, place: Place, body: str) -> bytes:
    return mail(number, f"{place.name} <{place.name.lower()}@home.example>", place.address, body)


_OTHERS: dict[str, Callable[[int, Place], bytes]] = {
    "machine": lambda n, _: mail(
        n, f"r{n}@else.example", "games@club.example", "Weg!\n", "Auto-Submitted: auto-replied"
    ),
    "stranger": lambda n, _: mail(n, f"s{n}@else.example", "games@club.example", "Hallo, wer seid ihr?\n"),
    "list": lambda n, _: mail(n, "liste@else.example", "games@club.example", "Neues!\n" * 50, "List-Id: <l.example>"),
    "mistake": lambda n, place: _of_player(n, place, "E5 quer HAUS, oder so?\n"),
    "help": lambda n, place: _of_player(n, place, "HILFE\n"),
    "board": lambda n, place: _of_player(n, place, "Brett\n"),
    "large": lambda n, _: mail(n, f"g{n}@else.example", "games@club.example", ("x" * 76 + "\r\n") * 13_000),
}


def into_maildir(week: Week, count: int) -> None:
    """Put the mails into the club's mailbox, each with its own time of arrival."""
    folder = week.club.config.resolve_path(week.club.config.maildir.inbox) / "new"
    folder.mkdir(parents=True, exist_ok=True)
    step = SPAN.total_seconds() / count
    for number, data in enumerate(mails(week, count)):
        # The names say nothing about the order.
        file = folder / f"{(number * 7919) % 1_000_003:07d}.{number}"
        file.write_bytes(data)
        when = BEGINNING.timestamp() + number * step
        os.utime(file, (when, when))


# ---- measured ----

PRELOADED = """moderator.run.steps moderator.run.send moderator.run.handle moderator.service.deadlines
    moderator.games.topwords.rules css_inline jinja2 resvg_py"""
"""What takes long to import and has nothing to do with the number of mails."""


def main(file: Path) -> None:
    for name in PRELOADED.split():
        importlib.import_module(name)
    began, before = time.perf_counter(), time.process_time()
    summary = run_tick(load_config(file))
    found = {
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - before,
        "mebibytes": _peak() / 1024,
        "handled": summary.handled,
    }
    found |= {"sent": summary.sent, "digests": summary.digests}
    found["troubles"] = [*summary.troubles, *summary.away, *summary.quarantined]
    print(json.dumps(found))


def _peak() -> int:
    """Kibibytes of the process since it was started. Linux: the parent's size at the fork is not counted, unlike in
    ``ru_maxrss``."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main(Path(sys.argv[1]))
