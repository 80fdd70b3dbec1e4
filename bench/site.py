"""The archive of 200 matches, published again with nothing new, and after one match more has ended.

All in CPU seconds. Floor of the first: read the matches, seats and players with bare SQL and look at each file of the
folder. Targets: the first time at most 0.35 s a match; with nothing new no file written and at most 3 times the floor;
one match more at most 1 s, for its own pages and those that name it.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from sqlmodel import select

from bench.target import at_most
from moderator.common.enums import MatchStatus
from moderator.service.create import get_player
from moderator.service.tournaments import registration
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.settings import Config
from moderator.site.build import update_site
from moderator.site.tree import MANIFEST, SiteUpdate
from moderator.store.tables import MatchRow
from tests.club.club import Club, make_club

TOURNAMENTS, FIELD = 2, 10
"""Round robins and players of each: 90 matches."""
MATCHES = 200
TIMES = 5
OPTIONS: dict[str, Any] = {"target": 30}


def run(matches: int = MATCHES, tournaments: int = TOURNAMENTS) -> None:
    with tempfile.TemporaryDirectory() as name:
        club, folder = _club(Path(name) / "club", matches, tournaments), Path(name) / "site"
        first, took = _publish(club, folder)
        print(f"  {matches} matches, {first.files} files: {took:.1f} s")
        at_most("anew, a match", took / matches, 0.35, " s")
        again, took = min((_publish(club, folder) for _ in range(TIMES)), key=lambda one: one[1])
        if first.written != first.files or again.written or again.removed:
            sys.exit(f"the run was not clean: {first}, {again}")
        floor = min(_floor(club.config, folder) for _ in range(TIMES))
        print(f"    nothing new, no file written  {took:6.3f} s, floor {floor:6.3f} s")
        at_most("beside the floor", took / floor, 3)
        club.match("R2x0", "R2x1", game="dominos", **OPTIONS)
        club.tick()
        more, took = _publish(club, folder)
        at_most(f"one more, {more.written} files written", took, 1, " s")


def _club(folder: Path, matches: int, tournaments: int) -> Club:
    club = make_club(folder)
    names = [f"R2x{number}" for number in range(3 * FIELD)]
    club.players(*names)
    with club.work() as work:
        for number in range(tournaments):
            tournament = registration.create_tournament(work, f"Cup {number}", "dominos", "robin", options=OPTIONS)
            for at in range(FIELD):
                ClubTournament(work, tournament).enter_player(
                    get_player(work.session, names[(5 * number + at) % len(names)])
                )
            ClubTournament(work, tournament).start_tournament_now()
    for number in range(matches - tournaments * FIELD * (FIELD - 1) // 2):
        one, other = names[number % len(names)], names[(7 * number + 1 + number % 3) % len(names)]
        if one == other:
            other = names[(number + 11) % len(names)]
        seed = number.to_bytes(32, "big")
        club.match(one, other, game="dominos", seed=partial(_seed, seed), **OPTIONS)
    while len(club.stored(select(MatchRow.id).where(MatchRow.status == MatchStatus.FINISHED))) < matches:
        club.tick()
    return club


def _seed(seed: bytes, match: MatchRow) -> bytes:
    return seed


def _publish(club: Club, folder: Path) -> tuple[SiteUpdate, float]:
    began = time.process_time()
    done = update_site(club.config, club.now, folder)
    return done, time.process_time() - began


def _floor(config: Config, folder: Path) -> float:
    began = time.process_time()
    with sqlite3.connect(config.database) as database:
        for table in ("match", "seat", "player", "tournament", "tournamententry", "tournamentgame"):
            database.execute(f"SELECT * FROM {table}").fetchall()
    json.loads((folder / MANIFEST).read_text())
    for file in folder.rglob("*"):
        file.stat()
    return time.process_time() - began


if __name__ == "__main__":
    run()
