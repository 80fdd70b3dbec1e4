"""The results of a tournament's matches, and what hangs on them: winners who went on, pairings, rungs, reports, places.

A result is written down in the transaction in which the match ends. The end of such a match is not taken back by the
way (``lifecycle.undo`` refuses), and where it is done all the same every mail of the match that is played again says
what it is still worth in the tournament."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.club.desk import Desk
from moderator.club.endings import to_result
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import at_once
from moderator.match.contract import Note
from moderator.match.outcome import Outcome
from moderator.states import GameKind, MatchStatus, TournamentRuling, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Match, Tournament, TournamentGame
from moderator.tournaments.crosstable import number_text
from moderator.tournaments.field import Result
from moderator.tournaments.formats import of
from moderator.tournaments.formats.contract import Bracket


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
    row.result = to_result(outcome).to_json()
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
    return tournament.status == TournamentStatus.RUNNING and not of(tournament).settled(row.round, tournament.round)


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
    if at_once(tournament):  # there is no round after it, and no report
        return None
    done = tournaments.steps_done(desk.session, tournament)
    taken, reported = f"rungs:{row.number}" in done, f"report:{row.round}" in done
    built = of(tournament).built_on(row.round, tournament.round, taken=taken, reported=reported)
    if built is None:
        return None
    if built == "winner":
        name = _through(desk, row)
        return Hanging(Note("hangs-winner", facts | {"name": name}), Note("again-stays", facts)) if name else None
    if built == "report":
        facts |= {"round": row.round}
    return Hanging(Note(f"hangs-{built}", facts), Note(f"again-{built}", facts))


def _through(desk: Desk, row: TournamentGame) -> str:
    """Who went on by the meeting that a game is of; "" where nobody did."""
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    t = rows.state_of(desk.session, tournament, row.division)
    stands = of(tournament).stands(t, tournament.state, row.round)
    meetings = stands.meetings if isinstance(stands, Bracket) else ()
    own = (one for one in meetings if one.round == row.round and set(one.numbers) == set(row.seats))
    through = next((one.through for one in own), None)
    return t.entrant(through).name if through is not None else ""


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
