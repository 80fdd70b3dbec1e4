"""The results of a tournament's matches, and what hangs on them: winners who went on, pairings, rungs, reports, places.

A result is written down in the transaction in which the match ends. The end of such a match is not taken back by the
way (``lifecycle.undo`` refuses), and where it is done all the same every mail of the match that is played again says
what it is still worth in the tournament."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import at_once
from moderator.match.contract import Note
from moderator.match.outcome import Outcome
from moderator.states import GameKind, MatchStatus, TournamentRuling, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Match, Tournament, TournamentGame
from moderator.tournaments.crosstable import number_text
from moderator.tournaments.field import Result, finished
from moderator.tournaments.formats import knockout, of


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
        row.ends_at = rows.latest_end(desk.config, desk.session.get_one(Tournament, row.tournament_id), desk.now)
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


@dataclass(frozen=True)
class Hanging:
    """``built``: what was built on the result. ``worth``: what a match that is played again means there."""

    built: Note
    worth: Note

    @property
    def would_be(self) -> Note:
        """``worth``, before it is decided that it is played again."""
        return Note(f"if-{self.worth.code}", self.worth.params)


def hanging(desk: Desk, match: Match) -> Hanging | None:
    """What was built on the result of ``match``; None where nothing is, or where it has none. Also for a match that is
    being played again."""
    row = game_of(desk, match)
    if row is None:
        return None
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    facts: dict[str, object] = {
        "cup": tournament.name,
        "tournament": tournament.code,
        "round": tournament.round,
        "results": result_text(desk, match, row),
    }
    if row.result is not None and tournament.status == TournamentStatus.FINISHED:
        return Hanging(Note("hangs-final", facts), Note("again-stays", facts))
    if tournament.status != TournamentStatus.RUNNING:
        return None
    done = tournaments.steps_done(desk.session, tournament)
    if of(tournament).challenges:
        climbed = f"rungs:{row.number}" in done
        return Hanging(Note("hangs-rungs", facts), Note("again-rungs", facts)) if climbed else None
    if row.result is not None and of(tournament).eliminates and row.round < tournament.round:
        return Hanging(_winner(desk, tournament, row, facts), Note("again-stays", facts))
    return _of_round(tournament, row, done, facts)


def _of_round(tournament: Tournament, row: TournamentGame, done: set[str], facts: dict[str, object]) -> Hanging | None:
    """In formats that pair round by round: a report has named the result, the next pairings were made by it."""
    if at_once(tournament):
        return None
    if of(tournament).pairs_by_table and row.round < tournament.round:
        return Hanging(Note("hangs-paired", facts), Note("again-paired", facts))
    if f"report:{row.round}" in done:
        reported = facts | {"round": row.round}
        return Hanging(Note("hangs-report", reported), Note("again-report", reported))
    return None


def _winner(desk: Desk, tournament: Tournament, row: TournamentGame, facts: dict[str, object]) -> Note:
    t = rows.state_of(desk.session, tournament, row.division)
    tie = next(tie for tie in knockout.ties(t, row.round) if {tie.better, tie.other} == set(row.seats))
    through, _ = knockout.outcome(t, row.round, tie)
    return Note("hangs-winner", facts | {"name": t.entrant(through).name})


def result_text(desk: Desk, match: Match, row: TournamentGame) -> str:
    """``Anna 1, Bert 0``; "" while there is none."""
    if row.result is None:
        return ""
    points = map(number_text, Result.from_json(row.result).points)
    return ", ".join(f"{player.name} {value}" for player, value in zip(desk.players(match), points, strict=True))


def played_again(desk: Desk, match: Match) -> Note | None:
    """What a match that is running is worth in its tournament, where something hangs on how it ended before; None for
    one that is played for the first time."""
    if match.tournament_id is None or match.status not in (MatchStatus.RUNNING, MatchStatus.SUSPENDED):
        return None
    found = hanging(desk, match)
    return found.worth if found else None
