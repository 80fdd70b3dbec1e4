"""The results of a tournament's matches, written down in the transaction in which a match ends."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.tournaments import phases
from moderator.match.outcome import Outcome
from moderator.states import GameKind, TournamentRuling, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Match, Tournament, TournamentGame
from moderator.tournaments.field import finished
from moderator.tournaments.formats import of


def game_of(desk: Desk, match: Match) -> TournamentGame | None:
    """The pairing that ``match`` was made for."""
    if match.tournament_id is None:
        return None
    return tournaments.pairing_of(desk.session, match.number)


def ended(desk: Desk, match: Match) -> None:
    """``match`` is over: what it means for its tournament. Who gave up without a single move of their own did not
    play: that is a forfeit."""
    row = game_of(desk, match)
    if row is None or match.result is None or row.ruling == TournamentRuling.MODERATOR or not counts_still(desk, row):
        return
    outcome = Outcome.from_json(match.result)
    row.result = finished(outcome.points or outcome.scores, outcome.out).to_json()
    row.kind = GameKind.FORFEIT if any(not outcome.moves[seat] for seat in outcome.out) else GameKind.GAME
    desk.session.add(row)
    wake(desk, match)


def reopened(desk: Desk, match: Match) -> None:
    """The end of ``match`` was taken back, and its result with it. Rounds that were paired since then stay as they are;
    the match has the days of a round, if its latest end is over."""
    row = game_of(desk, match)
    if row is None or not counts_still(desk, row):
        return
    row.result, row.kind, row.ruling = None, GameKind.GAME, TournamentRuling.PLAYED
    if row.ends_at is not None and row.ends_at <= desk.now:
        row.ends_at = phases.latest_end(desk.config, desk.session.get_one(Tournament, row.tournament_id), desk.now)
    desk.session.add(row)
    wake(desk, match)


def counts_still(desk: Desk, row: TournamentGame) -> bool:
    """Whether a result can be written down or taken back: not when the tournament is over, nor when a knock-out has
    gone on with the winner."""
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    return tournament.status == TournamentStatus.RUNNING and not (
        of(tournament).eliminates and row.round < tournament.round
    )


def wake(desk: Desk, match: Match) -> None:
    """The next tick looks at the tournament."""
    tournament = desk.session.get_one(Tournament, match.tournament_id)
    if tournament.status == TournamentStatus.RUNNING:
        tournament.next_at = desk.now
        desk.session.add(tournament)
