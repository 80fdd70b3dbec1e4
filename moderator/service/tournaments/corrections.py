"""A result that a tournament had already is another one now: what hangs on it follows, and everybody is told.

The result itself is written by ``service/tournaments/results.py``, with what it replaces beside it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from moderator.common.enums import TournamentRuling, TournamentStatus
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.service.tournaments import notify, results, season
from moderator.service.tournaments.game_rulings import GameStep, find_judging_step
from moderator.store import tournaments
from moderator.store.tables import Tournament, TournamentGame
from moderator.tournaments.formats import get_format
from moderator.views import tournament_rows
from moderator.views.tournament_rows import is_played_at_once


def find_correction_step(desk: Desk, tournament: Tournament) -> GameStep | None:
    """Find the first result that was corrected and that nothing has followed yet, or the judging of a game that is
    played again."""
    done = tournaments.load_done_steps(desk.session, tournament)
    for row in tournaments.list_pairings(desk.session, tournament):
        if results.find_replaced_result(row) is not None:
            code = "cup-corrected" if row.ruling == TournamentRuling.MODERATOR else "cup-corrected-replay"
            return GameStep(
                build_correction_stamp(desk, tournament, row), partial(apply_correction, row=row, code=code)
            )
        if results.is_played_again(row) and (step := find_judging_step(desk, row, done)):
            return step
    return None


def compute_next_correction_time(desk: Desk, tournament: Tournament) -> datetime | None:
    """Compute when a game that is played again, while its first result still holds, comes to its latest end."""
    every = filter(results.is_played_again, tournaments.list_pairings(desk.session, tournament))
    return min((end for end in tournament_rows.list_latest_ends(every) if end > desk.now), default=None)


def build_correction_stamp(desk: Desk, tournament: Tournament, row: TournamentGame) -> str:
    """Build the stamp of the next correction of a game: ``correct:17:1``."""
    stem = f"correct:{row.number}:"
    return f"{stem}{1 + sum(step.startswith(stem) for step in tournaments.load_done_steps(desk.session, tournament))}"


def apply_correction(
    desk: Desk, tournament: Tournament, row: TournamentGame, why: str = "", code: str = "cup-corrected"
) -> None:
    """Let rungs, places and ratings follow the corrected result; pairings stay. Everybody who takes part reads it."""
    before, done = results.mark_followed(row), tournaments.load_done_steps(desk.session, tournament)
    if f"rungs:{row.number}" in done:
        tournament.state = dict(get_format(tournament).correct_result(tournament.state, tournament_rows.as_game(row)))
    desk.session.add_all((row, tournament))
    desk.session.flush()
    if tournament.status == TournamentStatus.FINISHED:
        season.save_final_places(desk, tournament)
        if "ratings" in done:
            season.save_final_ratings(desk, tournament)
    match = tournament_rows.find_game_match(desk.session, row)
    facts = {"cup": tournament.name, "match": match.code if match else ""}
    facts |= {"before": results.format_game_result(desk, row, before), "now": results.format_game_result(desk, row)}
    note = Note(f"{code}-why", facts | {"line": why.rstrip(".")}) if why else Note(code, facts)
    notify.notify_corrected_result(desk, tournament, [note, *_iter_unchanged_notes(desk, tournament, row)])


def _iter_unchanged_notes(desk: Desk, tournament: Tournament, row: TournamentGame) -> Iterator[Note]:
    """Yield notes on what was built on the result before."""
    if get_format(tournament).in_rounds and not is_played_at_once(tournament) and row.round < tournament.round:
        yield Note("cup-corrected-pairings")
    following = tournaments.list_next_seasons(desk.session, tournament)
    if following and following[0].round:
        yield Note("cup-corrected-season", {"cup": following[0].name})
