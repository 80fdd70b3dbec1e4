"""The results of a tournament's matches, and what hangs on them: winners who went on, pairings, rungs, reports, places.

A result is written down in the transaction in which the match ends. The end of such a match is not taken back by the
way (``Match.undo_to_entry`` refuses), and where it is done all the same every mail of the match that is played again
says what it is worth in the tournament. What hangs on a result that was corrected follows by
``service/tournaments/steps.py``."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from moderator.common.enums import GameKind, LogEntryKind, TournamentRuling, TournamentStatus
from moderator.rules.ending import MatchOutcome
from moderator.store import matches_log, tournaments
from moderator.store.database import Session
from moderator.store.tables import MatchRow, Tournament, TournamentGame
from moderator.tournaments.field import Result
from moderator.tournaments.formats import get_format
from moderator.views import tournament_rows
from moderator.views.loaded_match import load_log_entries, to_tournament_result
from moderator.views.tournament_rows import (
    AGAIN,
    FIRST,
    REPLACED,
    StoredTournament,
    find_consequences,
    find_tournament_game,
    is_played_again,
)
from moderator.views.unit_of_work import UnitOfWork


def record_ended_match(session: Session, now: datetime, match: MatchRow) -> None:
    """Record for its tournament that ``match`` is over. Somebody who gave up without a single move of their own did not
    play: that is a forfeit."""
    row = find_tournament_game(session, match)
    if row is None or match.result is None or row.ruling == TournamentRuling.MODERATOR:
        return
    if not can_change_result(session, row) and not is_played_again(row):
        return
    outcome = MatchOutcome.from_json(match.result)
    kind = GameKind.FORFEIT if any(not outcome.moves[seat] for seat in outcome.out) else GameKind.GAME
    record_game_result(session, row, to_tournament_result(outcome), kind, row.ruling)
    wake_tournament(session, now, match)


def reopen_match_result(work: UnitOfWork, match: MatchRow) -> None:
    """Take back the result of ``match``, whose end was taken back; where the tournament has gone on for good, the
    result holds until there is a new one. Rounds that were paired since then stay as they are; the match has the days
    of a round, if its latest end is over."""
    row = find_tournament_game(work.session, match)
    if row is None or row.result is None:
        return
    tournament = work.session.get_one(Tournament, row.tournament_id)
    row.result = None if can_change_result(work.session, row) else _with_held_result(row)
    row.kind, row.ruling = GameKind.GAME if row.result is None else row.kind, TournamentRuling.PLAYED
    if row.ends_at is not None and row.ends_at <= work.now:
        row.ends_at = StoredTournament(work.session, tournament).compute_latest_end(work.config, work.now)
    wake_tournament(work.session, work.now, match)


def can_change_result(session: Session, row: TournamentGame) -> bool:
    """Return whether a result can be written down or taken back as if nothing had been: not when the tournament is
    over, nor when a knock-out has gone on with the winner, or rungs were given."""
    tournament = session.get_one(Tournament, row.tournament_id)
    if tournament.status != TournamentStatus.RUNNING or get_format(tournament).is_settled(row.round, tournament.round):
        return False
    return f"rungs:{row.number}" not in tournaments.load_done_steps(session, tournament)


# ---- a result that takes the place of another one ----
# What was first, and what the next step has to tell, stand beside it in the row.


HAD: Final = "had"
"""Key in the log's entry that takes the end of a match back, see ``find_dependent_result``."""


def find_replaced_result(row: TournamentGame) -> dict[str, Any] | None:
    """Find what was replaced and is not followed yet."""
    return None if row.result is None else row.result.get(REPLACED)


def mark_followed(row: TournamentGame) -> Result:
    """Mark that the tournament has followed; returns the result before."""
    assert row.result is not None
    before = Result.from_json(row.result[REPLACED]["result"])
    row.result = {key: value for key, value in row.result.items() if key != REPLACED}
    return before


def record_game_result(
    session: Session, row: TournamentGame, result: Result, kind: GameKind, ruling: TournamentRuling
) -> None:
    """Record the result of a game from now on. Another one that it had before is stored beside it, and is to be
    followed; the very first one, given again, is as if there had been no other."""
    old = row.result or _find_taken_back_result(session, row)
    had = old.get(AGAIN) or (_copy_result_values(row) if old else None)
    row.result, row.kind, row.ruling = result.to_json(), kind, ruling
    if had is not None:
        first = old.get(FIRST) or had
        if _is_same_result(result, Result.from_json(first["result"])):
            row.result, row.kind, row.ruling = (
                first["result"],
                GameKind(first["kind"]),
                TournamentRuling(first["ruling"]),
            )
        else:
            row.result = row.result | {FIRST: first}
        if _copy_result_values(row) != had or REPLACED in old:
            row.result = row.result | {REPLACED: old.get(REPLACED) or had}


def _copy_result_values(row: TournamentGame) -> dict[str, Any]:
    assert row.result is not None
    plain = {key: value for key, value in row.result.items() if key not in (FIRST, AGAIN, REPLACED)}
    return {"result": plain, "kind": row.kind.value, "ruling": row.ruling.value}


def _with_held_result(row: TournamentGame) -> dict[str, Any]:
    """Return the result that holds, or is stored in the log, until the game is over again."""
    assert row.result is not None
    return row.result | {AGAIN: row.result.get(AGAIN) or _copy_result_values(row)}


def find_dependent_result(session: Session, match: MatchRow) -> dict[str, Any]:
    """Find the result that something was built on, for the log, when the end of ``match`` is taken back; {} = none."""
    row = find_tournament_game(session, match)
    return (
        {HAD: _with_held_result(row)}
        if row is not None and row.result is not None and find_consequences(session, match)
        else {}
    )


def _find_taken_back_result(session: Session, row: TournamentGame) -> dict[str, Any]:
    """Find the result that the log stores, of a game that has none while it is played again."""
    match = tournament_rows.find_game_match(session, row)
    if match is None or not matches_log.has_event_of_kind(session, match.number, (LogEntryKind.UNDO,)):
        return {}
    log = [
        entry for entry in load_log_entries(session, match) if entry.kind == LogEntryKind.UNDO and HAD in entry.outcome
    ]
    return dict(log[-1].outcome[HAD]) if log else {}


def _is_same_result(result: Result, first: Result) -> bool:
    """Return whether the two are one result: ``1-0`` is the same as 310:250, if that was first, as it names no
    scores."""
    bare = not any(result.scores) and (result.points, result.forfeits) == (first.points, first.forfeits)
    return result == first or bare


def wake_tournament(session: Session, now: datetime, match: MatchRow) -> None:
    """Let the next tick look at the tournament."""
    tournament = session.get_one(Tournament, match.tournament_id)
    if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
        tournament.next_at = now
