"""The results of a tournament's matches, and what hangs on them: winners who went on, pairings, rungs, reports, places.

A result is written down in the transaction in which the match ends. The end of such a match is not taken back by the
way (``lifecycle.undo`` refuses), and where it is done all the same every mail of the match that is played again says
what it is worth in the tournament. What hangs on a result that was corrected follows by
``service/tournaments/corrections.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from moderator.common.enums import GameKind, LogEntryKind, MatchStatus, TournamentRuling, TournamentStatus
from moderator.rules.ending import MatchOutcome
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.store import matches_log, tournaments
from moderator.store.tables import MatchRow, Tournament, TournamentGame
from moderator.tournaments.crosstable import format_fraction
from moderator.tournaments.field import Result
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Bracket
from moderator.views import tournament_rows
from moderator.views.endings import to_tournament_result
from moderator.views.loaded_match import load_log_entries
from moderator.views.tournament_rows import is_played_at_once


def find_tournament_game(desk: Desk, match: MatchRow) -> TournamentGame | None:
    """Find the pairing that ``match`` was made for."""
    if match.tournament_id is None:
        return None
    return tournaments.find_pairing_of_match(desk.session, match.number)


def record_ended_match(desk: Desk, match: MatchRow) -> None:
    """Record for its tournament that ``match`` is over. Somebody who gave up without a single move of their own did not
    play: that is a forfeit."""
    row = find_tournament_game(desk, match)
    if row is None or match.result is None or row.ruling == TournamentRuling.MODERATOR:
        return
    if not can_change_result(desk, row) and not is_played_again(row):
        return
    outcome = MatchOutcome.from_json(match.result)
    kind = GameKind.FORFEIT if any(not outcome.moves[seat] for seat in outcome.out) else GameKind.GAME
    record_game_result(desk, row, to_tournament_result(outcome), kind, row.ruling)
    wake_tournament(desk, match)


def reopen_match_result(desk: Desk, match: MatchRow) -> None:
    """Take back the result of ``match``, whose end was taken back; where the tournament has gone on for good, the
    result holds until there is a new one. Rounds that were paired since then stay as they are; the match has the days
    of a round, if its latest end is over."""
    row = find_tournament_game(desk, match)
    if row is None or row.result is None:
        return
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    row.result = None if can_change_result(desk, row) else _with_held_result(row)
    row.kind, row.ruling = GameKind.GAME if row.result is None else row.kind, TournamentRuling.PLAYED
    if row.ends_at is not None and row.ends_at <= desk.now:
        row.ends_at = tournament_rows.compute_latest_end(desk.config, tournament, desk.now)
    desk.session.add(row)
    wake_tournament(desk, match)


def can_change_result(desk: Desk, row: TournamentGame) -> bool:
    """Return whether a result can be written down or taken back as if nothing had been: not when the tournament is
    over, nor when a knock-out has gone on with the winner, or rungs were given."""
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    if tournament.status != TournamentStatus.RUNNING or get_format(tournament).is_settled(row.round, tournament.round):
        return False
    return f"rungs:{row.number}" not in tournaments.load_done_steps(desk.session, tournament)


# ---- a result that takes the place of another one ----
# What was first, and what the next step has to tell, stand beside it in the row.


HAD: Final = "had"
"""Key in the log's entry that takes the end of a match back, see ``find_dependent_result``."""
FIRST, AGAIN, REPLACED = "first", "again", "replaced"
"""Keys in ``TournamentGame.result``: what a corrected game had first; what a match had that is being played again; what
was replaced, until its tournament has followed. Each is the result with its kind and ruling."""


def is_played_again(row: TournamentGame) -> bool:
    """Return whether the game's result only holds until the match is over for the second time."""
    return row.result is not None and AGAIN in row.result


def is_corrected(row: TournamentGame) -> bool:
    """Return whether the game had another result first."""
    return row.result is not None and FIRST in row.result


def find_replaced_result(row: TournamentGame) -> dict[str, Any] | None:
    """Find what was replaced and is not followed yet."""
    return None if row.result is None else row.result.get(REPLACED)


def mark_followed(row: TournamentGame) -> Result:
    """Mark that the tournament has followed; returns the result before."""
    assert row.result is not None
    before = Result.from_json(row.result[REPLACED]["result"])
    row.result = {key: value for key, value in row.result.items() if key != REPLACED}
    return before


def list_corrected_games(desk: Desk, tournament: Tournament) -> list[tuple[str, TournamentGame]]:
    """List the games that had another result first, with the codes of their matches."""
    rows_ = [row for row in tournaments.list_pairings(desk.session, tournament) if is_corrected(row)]
    return [(match.code, row) for row in rows_ if (match := tournament_rows.find_game_match(desk.session, row))]


def record_game_result(
    desk: Desk, row: TournamentGame, result: Result, kind: GameKind, ruling: TournamentRuling
) -> None:
    """Record the result of a game from now on. Another one that it had before is stored beside it, and is to be
    followed; the very first one, given again, is as if there had been no other."""
    old = row.result or _find_taken_back_result(desk, row)
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
    desk.session.add(row)


def _copy_result_values(row: TournamentGame) -> dict[str, Any]:
    assert row.result is not None
    plain = {key: value for key, value in row.result.items() if key not in (FIRST, AGAIN, REPLACED)}
    return {"result": plain, "kind": row.kind.value, "ruling": row.ruling.value}


def _with_held_result(row: TournamentGame) -> dict[str, Any]:
    """Return the result that holds, or is stored in the log, until the game is over again."""
    assert row.result is not None
    return row.result | {AGAIN: row.result.get(AGAIN) or _copy_result_values(row)}


def find_dependent_result(desk: Desk, match: MatchRow) -> dict[str, Any]:
    """Find the result that something was built on, for the log, when the end of ``match`` is taken back; {} = none."""
    row = find_tournament_game(desk, match)
    return (
        {HAD: _with_held_result(row)}
        if row is not None and row.result is not None and find_consequences(desk, match)
        else {}
    )


def _find_taken_back_result(desk: Desk, row: TournamentGame) -> dict[str, Any]:
    """Find the result that the log stores, of a game that has none while it is played again."""
    match = tournament_rows.find_game_match(desk.session, row)
    if match is None or not matches_log.has_event_of_kind(desk.session, match.number, (LogEntryKind.UNDO,)):
        return {}
    log = [
        entry
        for entry in load_log_entries(desk.session, match)
        if entry.kind == LogEntryKind.UNDO and HAD in entry.outcome
    ]
    return dict(log[-1].outcome[HAD]) if log else {}


def _is_same_result(result: Result, first: Result) -> bool:
    """Return whether the two are one result: ``1-0`` is the same as 310:250, if that was first, as it names no
    scores."""
    bare = not any(result.scores) and (result.points, result.forfeits) == (first.points, first.forfeits)
    return result == first or bare


def wake_tournament(desk: Desk, match: MatchRow) -> None:
    """Let the next tick look at the tournament."""
    tournament = desk.session.get_one(Tournament, match.tournament_id)
    if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
        tournament.next_at = desk.now
        desk.session.add(tournament)


@dataclass(frozen=True)
class ResultConsequences:
    """The things built on a result: ``built`` says what they are, ``worth`` what a match that is played again means
    there."""

    built: Note
    worth: Note

    @property
    def worth_if_replayed(self) -> Note:
        """``worth``, before it is decided that it is played again."""
        return Note(f"if-{self.worth.code}", self.worth.params)


def find_consequences(desk: Desk, match: MatchRow) -> ResultConsequences | None:
    """Find what was built on the result of ``match``; None where nothing is, or where it has none. Also for a match
    that is being played again."""
    row = find_tournament_game(desk, match)
    if row is None:
        return None
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    facts: dict[str, object] = {
        "cup": tournament.name,
        "tournament": tournament.code,
        "round": tournament.round,
        "results": format_game_points(desk, row),
    }
    if row.result is not None and tournament.status == TournamentStatus.FINISHED:
        return ResultConsequences(Note("hangs-final", facts), Note("again-final", facts))
    if tournament.status != TournamentStatus.RUNNING:
        return None
    if is_played_at_once(tournament):  # there is no round after it, and no report
        return None
    done = tournaments.load_done_steps(desk.session, tournament)
    taken, reported = f"rungs:{row.number}" in done, f"report:{row.round}" in done
    built = get_format(tournament).find_dependants(row.round, tournament.round, taken=taken, reported=reported)
    if built is None:
        return None
    if built == "winner":
        name = _find_winner_name(desk, row)
        return (
            ResultConsequences(Note("hangs-winner", facts | {"name": name}), Note("again-winner", facts))
            if name
            else None
        )
    if built == "report":
        facts |= {"round": row.round}
    return ResultConsequences(Note(f"hangs-{built}", facts), Note(f"again-{built}", facts))


def _find_winner_name(desk: Desk, row: TournamentGame) -> str:
    """Find the name of the entrant who went on by the meeting that a game is of; "" where nobody did."""
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    t = tournament_rows.build_tournament_state(desk.session, tournament, row.division)
    stands = get_format(tournament).build_standing(t, tournament.state, row.round)
    meetings = stands.meetings if isinstance(stands, Bracket) else ()
    own = (one for one in meetings if one.round == row.round and set(one.numbers) == set(row.seats))
    through = next((one.through for one in own), None)
    return t.get_entrant(through).name if through is not None else ""


def format_game_points(desk: Desk, row: TournamentGame) -> str:
    """Format ``Anna 1, Bert 0``; "" while there is none."""
    if row.result is None:
        return ""
    points = map(format_fraction, Result.from_json(row.result).points)
    return ", ".join(f"{name} {own}" for name, own in zip(_list_game_names(desk, row), points, strict=True))


def format_game_result(desk: Desk, row: TournamentGame, result: Result | None = None, first: bool = False) -> str:
    """Format ``Anna 1 (310), Bert 0 (250)``, without play ``Anna +, Bert –``: of a game that is over, or ``result`` of
    it. ``first``: the very first one."""
    assert row.result is not None
    found = result or Result.from_json(row.result[FIRST]["result"] if first else row.result)
    points = ["–" if seat in found.forfeits else format_fraction(own) for seat, own in enumerate(found.points)]
    if found.forfeits and len(points) == 2:
        points = [own.replace("1", "+") for own in points]
    behind = [f" ({score})" if any(found.scores) else "" for score in found.scores]
    named = zip(_list_game_names(desk, row), points, behind, strict=True)
    return ", ".join(f"{name} {own}{more}" for name, own, more in named)


def _list_game_names(desk: Desk, row: TournamentGame) -> list[str]:
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    who = tournament_rows.load_numbered_players(desk.session, tournament, row.division)
    return [who[number].name for number in row.seats]


def find_replay_note(desk: Desk, match: MatchRow) -> Note | None:
    """Find the note that says what a match that is running is worth in its tournament, where something hangs on how it
    ended before; None for one that is played for the first time."""
    if match.tournament_id is None or match.status not in (MatchStatus.RUNNING, MatchStatus.SUSPENDED):
        return None
    found = find_consequences(desk, match)
    return found.worth if found else None
