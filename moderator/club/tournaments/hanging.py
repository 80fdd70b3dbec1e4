"""What hangs on the result of a tournament's match: winners who went on, pairings, rungs, reports, places.

The end of such a match is not taken back by the way (``course.undo`` refuses), and where it is done all the same every
mail of the match that is played again says what it is still worth in the tournament.
"""

from __future__ import annotations

from dataclasses import dataclass

from moderator.club.desk import Desk
from moderator.club.tournaments import results, rows
from moderator.club.tournaments.phases import at_once
from moderator.match.contract import Note
from moderator.states import CupStatus, MatchStatus
from moderator.store.models import Cup, CupGame, Match
from moderator.tournaments import knockout
from moderator.tournaments.crosstable import number_text
from moderator.tournaments.field import Result
from moderator.tournaments.formats import of


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
    row = results.game_of(desk, match)
    if row is None:
        return None
    cup = desk.session.get_one(Cup, row.cup_id)
    facts: dict[str, object] = {
        "cup": cup.name,
        "tournament": cup.code,
        "round": cup.round,
        "results": result_text(desk, match, row),
    }
    if row.result is not None and cup.status == CupStatus.FINISHED:
        return Hanging(Note("hangs-final", facts), Note("again-stays", facts))
    if cup.status != CupStatus.RUNNING:
        return None
    done = rows.done(desk.session, cup)
    if of(cup).challenges:
        climbed = f"rungs:{row.number}" in done
        return Hanging(Note("hangs-rungs", facts), Note("again-rungs", facts)) if climbed else None
    if row.result is not None and of(cup).eliminates and row.round < cup.round:
        return Hanging(_winner(desk, cup, row, facts), Note("again-stays", facts))
    return _of_round(cup, row, done, facts)


def _of_round(cup: Cup, row: CupGame, done: set[str], facts: dict[str, object]) -> Hanging | None:
    """In formats that pair round by round: a report has named the result, the next pairings were made by it."""
    if at_once(cup):
        return None
    if of(cup).pairs_by_table and row.round < cup.round:
        return Hanging(Note("hangs-paired", facts), Note("again-paired", facts))
    if f"report:{row.round}" in done:
        reported = facts | {"round": row.round}
        return Hanging(Note("hangs-report", reported), Note("again-report", reported))
    return None


def _winner(desk: Desk, cup: Cup, row: CupGame, facts: dict[str, object]) -> Note:
    t = rows.tournament(desk.session, cup, row.division)
    tie = next(tie for tie in knockout.ties(t, row.round) if {tie.better, tie.other} == set(row.seats))
    through, _ = knockout.outcome(t, row.round, tie)
    return Note("hangs-winner", facts | {"name": t.entrant(through).name})


def result_text(desk: Desk, match: Match, row: CupGame) -> str:
    """``Anna 1, Bert 0``; "" while there is none."""
    if row.result is None:
        return ""
    points = map(number_text, Result.from_json(row.result).points)
    return ", ".join(f"{player.name} {value}" for player, value in zip(desk.players(match), points, strict=True))


def played_again(desk: Desk, match: Match) -> Note | None:
    """What a match that is running is worth in its tournament, where something hangs on how it ended before; None for
    one that is played for the first time."""
    if match.cup_id is None or match.status not in (MatchStatus.RUNNING, MatchStatus.SUSPENDED):
        return None
    found = hanging(desk, match)
    return found.worth if found else None
