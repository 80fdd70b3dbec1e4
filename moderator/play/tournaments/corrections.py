"""A result that a tournament had already is another one now: what hangs on it follows, and everybody is told.

The result itself is written by ``club/tournaments/results.py``, with what it replaces beside it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from moderator.club.desk import Desk
from moderator.club.tournaments import results, rows
from moderator.club.tournaments.rows import at_once
from moderator.match.contract import Note
from moderator.outbox import tournament_mails
from moderator.play.tournaments import season
from moderator.play.tournaments.judging import Step, judge_now
from moderator.states import TournamentRuling, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Tournament, TournamentGame
from moderator.tournaments.formats import of


def next_step(desk: Desk, tournament: Tournament) -> Step | None:
    """The first result that was corrected and that nothing has followed yet, or the judging of a game that is played
    again."""
    done = tournaments.steps_done(desk.session, tournament)
    for row in tournaments.pairings(desk.session, tournament):
        if results.replaced(row) is not None:
            code = "cup-corrected" if row.ruling == TournamentRuling.MODERATOR else "cup-corrected-replay"
            return Step(name(desk, tournament, row), partial(follow, row=row, code=code))
        if results.is_played_again(row) and (step := judge_now(desk, row, done)):
            return step
    return None


def next_moment(desk: Desk, tournament: Tournament) -> datetime | None:
    """When a game that is played again, while its first result still holds, comes to its latest end."""
    every = filter(results.is_played_again, tournaments.pairings(desk.session, tournament))
    return min((end for end in rows.latest_ends(every) if end > desk.now), default=None)


def name(desk: Desk, tournament: Tournament, row: TournamentGame) -> str:
    """The stamp of the next correction of a game: ``correct:17:1``."""
    stem = f"correct:{row.number}:"
    return f"{stem}{1 + sum(step.startswith(stem) for step in tournaments.steps_done(desk.session, tournament))}"


def follow(desk: Desk, tournament: Tournament, row: TournamentGame, why: str = "", code: str = "cup-corrected") -> None:
    """Rungs, places and ratings follow the corrected result; pairings stay. Everybody who takes part reads it."""
    before, done = results.followed(row), tournaments.steps_done(desk.session, tournament)
    if f"rungs:{row.number}" in done:
        tournament.state = dict(of(tournament).corrected(tournament.state, rows.as_game(row)))
    desk.session.add_all((row, tournament))
    desk.session.flush()
    if tournament.status == TournamentStatus.FINISHED:
        season.place(desk, tournament)
        if "ratings" in done:
            season.rate(desk, tournament)
    match = rows.match_of(desk.session, row)
    facts = {"cup": tournament.name, "match": match.code if match else ""}
    facts |= {"before": results.in_words(desk, row, before), "now": results.in_words(desk, row)}
    note = Note(f"{code}-why", facts | {"line": why.rstrip(".")}) if why else Note(code, facts)
    tournament_mails.corrected(desk, tournament, [note, *_stays(desk, tournament, row)])


def _stays(desk: Desk, tournament: Tournament, row: TournamentGame) -> Iterator[Note]:
    """What was built on the result before."""
    if of(tournament).in_rounds and not at_once(tournament) and row.round < tournament.round:
        yield Note("cup-corrected-pairings")
    following = tournaments.next_seasons(desk.session, tournament)
    if following and following[0].round:
        yield Note("cup-corrected-season", {"cup": following[0].name})
