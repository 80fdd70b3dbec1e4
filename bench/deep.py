"""`moderator doctor --deep`: how many stored moves are played again per second, against the bare replay of the logs.

Matches of seven games between robots, as they are stored; seconds are of CPU. Targets: at least 2,000 moves per second;
at least half as fast as the bare replay, which has the logs in memory and looks at nothing.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from sqlmodel import Session, col, func, select

from bench.target import at_least
from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.rules import replay
from moderator.rules.replay import LogEntry
from moderator.settings import Config
from moderator.store.database import open_reading_session
from moderator.store.tables import MatchRow, SeatRow
from moderator.views.loaded_match import build_match_context, load_log_entries, load_match_rules
from tests.club.club import make_club

MATCHES = {"topwords": 6, "dominos": 40, "tridom": 25, "supertridom": 25, "domijongg": 12, "kreuzwort": 3, "point": 3}
"""Game -> how many. The robots of the other two need minutes for a match."""


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        club = make_club(Path(name))
        club.players("R2A", "R2B")
        for game, count in MATCHES.items():
            for number in range(count):
                club.match("R2A", "R2B", game=game, seed=lambda match, n=number: bytes([n + 1]) * 32)
        club.tick()
        _deep(club.config)


def _deep(config: Config) -> None:
    with open_reading_session(config.database) as session:
        logs = [
            (match, load_log_entries(session, match), _seats(session, match))
            for match in session.exec(select(MatchRow)).all()
        ]
        moves, bare = _bare(logs)
        looked, began = CheckedCounts(), time.process_time()
        faults = list(iter_integrity_faults(session, config, looked))
        took = time.process_time() - began
    if faults or looked.moves != moves:
        sys.exit(f"not clean: {moves} moves, {looked}, {[str(fault) for fault in faults]}")
    print(f"  {looked.matches} matches of {len(MATCHES)} games, {moves} moves, {looked.mails} mails")
    print(f"    doctor --deep {took:6.2f} s")
    at_least("moves a second", moves / took, 2000)
    print(f"    bare replay   {bare:6.2f} s  {moves / bare:6.0f} moves/s")
    at_least("beside the bare replay", bare / took, 0.5)


def _seats(session: Session, match: MatchRow) -> int:
    return int(session.exec(select(func.count()).where(col(SeatRow.match_id) == match.id)).one())


def _bare(logs: list[tuple[MatchRow, list[LogEntry], int]]) -> tuple[int, float]:
    """(moves, seconds of CPU) of nothing but playing the logs again."""
    moves, began = 0, time.process_time()
    for match, entries, seats in logs:
        game, options = load_match_rules(match)
        _, results, _ = replay.rebuild_from_log(game, seats, options, build_match_context(match), None, entries)
        moves += sum(len(result.moves) for result in results)
    return moves, time.process_time() - began


if __name__ == "__main__":
    run()
