"""A tick that advances 500 running games of tournaments, against the same mails in the same games without a tournament.

Two shapes: 14 round robins of 9 players (504 games), and one of 32 (496). In each, one tick takes a move in every game,
a second one a resignation in every game, so that all end at once and the final reports go out. Boards as text: then a
mail costs least, and what the tournament adds weighs most. Target: at most 3 times, both.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from email.utils import format_datetime
from pathlib import Path

from sqlmodel import col, select

from bench.target import at_most
from moderator.rules.robots.choose import rank_moves
from moderator.service.create import create_match, get_player
from moderator.service.match.start import start_match
from moderator.service.tournaments import registration
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store.database import open_store
from moderator.store.tables import MatchRow, Tournament
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club, make_club, plain_boards

SHAPES = ((14, 9), (1, 32))
"""(tournaments, players of each)."""
GAME = "dominos"


def run(shapes: Sequence[tuple[int, int]] = SHAPES) -> None:
    with tempfile.TemporaryDirectory() as name:
        _measure(_club(Path(name) / "warm", 3, 3), "warm", 1, 3)
        for tournaments, players in shapes:
            costs = {}
            for kind in ("plain", "tournament"):
                club = _club(Path(name) / f"{kind}{tournaments}", tournaments, players)
                costs[kind] = _measure(club, kind, tournaments, players)
            games = tournaments * players * (players - 1) // 2
            print(f"  {tournaments} round robins of {players}, {games} games (seconds of processor time)")
            for step in ("deal", "move", "end"):
                plain, ours = costs["plain"][step], costs["tournament"][step]
                print(f"    {step:<5} plain {plain:6.2f}   tournament {ours:6.2f}   ratio {ours / plain:.2f}")
                if step != "deal":
                    at_most(f"{step}, tournament beside plain", ours / plain, 3)


def _club(folder: Path, tournaments: int, players: int) -> Club:
    club = make_club(folder)
    club.players(*(f"P{tournament}x{n}" for tournament in range(tournaments) for n in range(players)))
    plain_boards(club)
    return club


def _measure(club: Club, kind: str, tournaments: int, players: int) -> dict[str, float]:
    """Seconds of each step."""
    names = [[f"P{tournament}x{n}" for n in range(players)] for tournament in range(tournaments)]
    began = time.process_time()
    if kind == "plain":
        _deal(club, names)
    else:
        _set_up(club, names)
    costs = {"deal": time.process_time() - began + _tick(club)}
    club.wait(hours=1)
    costs["move"] = _tick(club, _mails(club, _move))
    club.wait(hours=1)
    costs["end"] = _tick(club, _mails(club, _resignation))
    _check_over(club)
    return costs


def _tick(club: Club, mails: int = 0) -> float:
    began = time.process_time()
    summary = club.tick()
    took = time.process_time() - began
    if summary.handled != mails or summary.troubles or summary.quarantined:
        sys.exit(f"the run was not clean: {summary}")
    return took


def _deal(club: Club, names: list[list[str]]) -> None:
    """Everybody of a group against everybody, each match dealt in a transaction, as a tournament does it."""
    store, cache = open_store(club.config.database), MatchCache(club.config)
    for pair in (pair for group in names for pair in itertools.combinations(group, 2)):
        with store.begin_transaction() as session:
            work = UnitOfWork(club.config, session, club.now, cache)
            seats = [get_player(session, name) for name in pair]
            start_match(work, create_match(work, GAME, "Herbst", seats, {}))
    store.close()


def _set_up(club: Club, names: list[list[str]]) -> None:
    """A tournament for each group; the next tick pairs and deals."""
    with club.work() as work:
        for number, group in enumerate(names):
            tournament = registration.create_tournament(work, f"Herbst {number}", GAME, "robin")
            for name in group:
                ClubTournament(work, tournament).enter_player(get_player(work.session, name))
            ClubTournament(work, tournament).start_tournament_now()


def _running(club: Club) -> list[str]:
    with club.work() as work:
        query = select(MatchRow.code).where(MatchRow.status == "running").order_by(col(MatchRow.id))
        return list(work.session.exec(query))


def _mails(club: Club, line: Callable[[UnitOfWork, MatchRow, LiveMatch], tuple[int, str]]) -> int:
    """One mail with a ``line`` for every running game; how many."""
    codes = _running(club)
    with club.work() as work:
        for code in codes:
            match = work.session.exec(select(MatchRow).where(MatchRow.code == code)).one()
            number, text = line(work, match, work.cache.load_match(work.session, match))
            seat, player = work.list_seated(match)[number]
            to = f"games+{code}-{seat.token}@club.example"
            club.write(player.name, f"{text}\n", to=to, Date=format_datetime(club.now))
    return len(codes)


def _move(work: UnitOfWork, match: MatchRow, live: LiveMatch) -> tuple[int, str]:
    seat = live.table.state.to_move[0]
    return seat, rank_moves(live.game, live.table.state, seat, work.cache.build_context(live))[0][0]


def _resignation(work: UnitOfWork, match: MatchRow, live: LiveMatch) -> tuple[int, str]:
    return 0, f"Aufgeben {match.code}"


def _check_over(club: Club) -> None:
    with club.work() as work:
        states = set(work.session.exec(select(MatchRow.status))) | set(work.session.exec(select(Tournament.status)))
    if states != {"finished"}:
        sys.exit(f"the run was not clean: matches and tournaments are {states}")


if __name__ == "__main__":
    run()
