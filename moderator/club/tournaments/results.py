"""The results of a tournament's matches, written down in the transaction in which a match ends."""

from __future__ import annotations

from sqlmodel import select

from moderator.club.desk import Desk
from moderator.club.tournaments import phases
from moderator.match.outcome import Outcome
from moderator.states import CupRuling, CupStatus, GameKind
from moderator.store.models import Cup, CupGame, Match
from moderator.tournaments.field import finished
from moderator.tournaments.formats import of


def game_of(desk: Desk, match: Match) -> CupGame | None:
    """The pairing that ``match`` was made for."""
    if match.cup_id is None:
        return None
    return desk.session.exec(select(CupGame).where(CupGame.match_id == match.number)).first()


def ended(desk: Desk, match: Match) -> None:
    """``match`` is over: what it means for its tournament. Who gave up without a single move of their own did not
    play: that is a forfeit."""
    row = game_of(desk, match)
    if row is None or match.result is None or row.ruling == CupRuling.MODERATOR or not counts_still(desk, row):
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
    row.result, row.kind, row.ruling = None, GameKind.GAME, CupRuling.PLAYED
    if row.ends_at is not None and row.ends_at <= desk.now:
        row.ends_at = phases.latest_end(desk.config, desk.session.get_one(Cup, row.cup_id), desk.now)
    desk.session.add(row)
    wake(desk, match)


def counts_still(desk: Desk, row: CupGame) -> bool:
    """Whether a result can be written down or taken back: not when the tournament is over, nor when a knock-out has
    gone on with the winner."""
    cup = desk.session.get_one(Cup, row.cup_id)
    return cup.status == CupStatus.RUNNING and not (of(cup).eliminates and row.round < cup.round)


def wake(desk: Desk, match: Match) -> None:
    """The next tick looks at the tournament."""
    cup = desk.session.get_one(Cup, match.cup_id)
    if cup.status == CupStatus.RUNNING:
        cup.next_at = desk.now
        desk.session.add(cup)
