"""The results of a tournament's matches, and what hangs on them: winners who went on, pairings, rungs, reports, places.

A result is written down in the transaction in which the match ends. The end of such a match is not taken back by the
way (``lifecycle.undo`` refuses), and where it is done all the same every mail of the match that is played again says
what it is worth in the tournament. What hangs on a result that was corrected follows by
``play/tournaments/corrections.py``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from moderator.club.desk import Desk
from moderator.club.endings import to_result
from moderator.club.live_match import log_of
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import at_once
from moderator.match.contract import Note
from moderator.match.outcome import Outcome
from moderator.states import EntryKind, GameKind, MatchStatus, TournamentRuling, TournamentStatus
from moderator.store import events, tournaments
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
    if row is None or match.result is None or row.ruling == TournamentRuling.MODERATOR:
        return
    if not counts_still(desk, row) and not is_played_again(row):
        return
    outcome = Outcome.from_json(match.result)
    kind = GameKind.FORFEIT if any(not outcome.moves[seat] for seat in outcome.out) else GameKind.GAME
    enter(desk, row, to_result(outcome), kind, row.ruling)
    wake(desk, match)


def reopened(desk: Desk, match: Match) -> None:
    """The end of ``match`` was taken back, and its result with it; where the tournament has gone on for good, the
    result holds until there is a new one. Rounds that were paired since then stay as they are; the match has the days
    of a round, if its latest end is over."""
    row = game_of(desk, match)
    if row is None or row.result is None:
        return
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    row.result = None if counts_still(desk, row) else _held(row)
    row.kind, row.ruling = GameKind.GAME if row.result is None else row.kind, TournamentRuling.PLAYED
    if row.ends_at is not None and row.ends_at <= desk.now:
        row.ends_at = rows.latest_end(desk.config, tournament, desk.now)
    desk.session.add(row)
    wake(desk, match)


def counts_still(desk: Desk, row: TournamentGame) -> bool:
    """Whether a result can be written down or taken back as if nothing had been: not when the tournament is over, nor
    when a knock-out has gone on with the winner, or rungs were given."""
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    if tournament.status != TournamentStatus.RUNNING or of(tournament).settled(row.round, tournament.round):
        return False
    return f"rungs:{row.number}" not in tournaments.steps_done(desk.session, tournament)


# ---- a result that takes the place of another one ----
# What was first, and what the next step has to tell, stand beside it in the row.


HAD: Final = "had"
"""Key in the log's entry that takes the end of a match back, see ``built_upon``."""
FIRST, AGAIN, REPLACED = "first", "again", "replaced"
"""Keys in ``TournamentGame.result``: what a corrected game had first; what a match had that is being played again; what
was replaced, until its tournament has followed. Each is the result with its kind and ruling."""


def is_played_again(row: TournamentGame) -> bool:
    """Whether its result only holds until the match is over for the second time."""
    return row.result is not None and AGAIN in row.result


def is_corrected(row: TournamentGame) -> bool:
    """Whether it had another result first."""
    return row.result is not None and FIRST in row.result


def replaced(row: TournamentGame) -> dict[str, Any] | None:
    """What was replaced and is not followed yet."""
    return None if row.result is None else row.result.get(REPLACED)


def followed(row: TournamentGame) -> Result:
    """The tournament has followed; returns the result before."""
    assert row.result is not None
    before = Result.from_json(row.result[REPLACED]["result"])
    row.result = {key: value for key, value in row.result.items() if key != REPLACED}
    return before


def corrected(desk: Desk, tournament: Tournament) -> list[tuple[str, TournamentGame]]:
    """The games that had another result first, with the codes of their matches."""
    rows_ = [row for row in tournaments.pairings(desk.session, tournament) if is_corrected(row)]
    return [(match.code, row) for row in rows_ if (match := rows.match_of(desk.session, row))]


def enter(desk: Desk, row: TournamentGame, result: Result, kind: GameKind, ruling: TournamentRuling) -> None:
    """The result of a game from now on. Another one that it had before is kept, and is to be followed; the very first
    one, said again, is as if there had been no other."""
    old = row.result or _taken_back(desk, row)
    had = old.get(AGAIN) or (_kept(row) if old else None)
    row.result, row.kind, row.ruling = result.to_json(), kind, ruling
    if had is not None:
        first = old.get(FIRST) or had
        if _is_same(result, Result.from_json(first["result"])):
            row.result, row.kind, row.ruling = (
                first["result"],
                GameKind(first["kind"]),
                TournamentRuling(first["ruling"]),
            )
        else:
            row.result = row.result | {FIRST: first}
        if _kept(row) != had or REPLACED in old:
            row.result = row.result | {REPLACED: old.get(REPLACED) or had}
    desk.session.add(row)


def _kept(row: TournamentGame) -> dict[str, Any]:
    assert row.result is not None
    plain = {key: value for key, value in row.result.items() if key not in (FIRST, AGAIN, REPLACED)}
    return {"result": plain, "kind": row.kind.value, "ruling": row.ruling.value}


def _held(row: TournamentGame) -> dict[str, Any]:
    """What holds, or is kept in the log, until the game is over again."""
    assert row.result is not None
    return row.result | {AGAIN: row.result.get(AGAIN) or _kept(row)}


def built_upon(desk: Desk, match: Match) -> dict[str, Any]:
    """For the log, when the end of ``match`` is taken back: the result that something was built on; {} = none."""
    row = game_of(desk, match)
    return {HAD: _held(row)} if row is not None and row.result is not None and hanging(desk, match) else {}


def _taken_back(desk: Desk, row: TournamentGame) -> dict[str, Any]:
    """That result again, of a game that has none while it is played again."""
    match = rows.match_of(desk.session, row)
    if match is None or not events.has(desk.session, match.number, (EntryKind.UNDO,)):
        return {}
    log = [entry for entry in log_of(desk.session, match) if entry.kind == EntryKind.UNDO and HAD in entry.outcome]
    return dict(log[-1].outcome[HAD]) if log else {}


def _is_same(result: Result, first: Result) -> bool:
    """``1-0`` is the same as 310:250, if that was first: it names no scores."""
    bare = not any(result.scores) and (result.points, result.forfeits) == (first.points, first.forfeits)
    return result == first or bare


def wake(desk: Desk, match: Match) -> None:
    """The next tick looks at the tournament."""
    tournament = desk.session.get_one(Tournament, match.tournament_id)
    if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
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
        "results": result_text(desk, row),
    }
    if row.result is not None and tournament.status == TournamentStatus.FINISHED:
        return Hanging(Note("hangs-final", facts), Note("again-final", facts))
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
        return Hanging(Note("hangs-winner", facts | {"name": name}), Note("again-winner", facts)) if name else None
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


def result_text(desk: Desk, row: TournamentGame) -> str:
    """``Anna 1, Bert 0``; "" while there is none."""
    if row.result is None:
        return ""
    points = map(number_text, Result.from_json(row.result).points)
    return ", ".join(f"{name} {own}" for name, own in zip(_names(desk, row), points, strict=True))


def in_words(desk: Desk, row: TournamentGame, result: Result | None = None, first: bool = False) -> str:
    """``Anna 1 (310), Bert 0 (250)``, without play ``Anna +, Bert –``: of a game that is over, or ``result`` of it.
    ``first``: the very first one."""
    assert row.result is not None
    found = result or Result.from_json(row.result[FIRST]["result"] if first else row.result)
    points = ["–" if seat in found.forfeits else number_text(own) for seat, own in enumerate(found.points)]
    if found.forfeits and len(points) == 2:
        points = [own.replace("1", "+") for own in points]
    behind = [f" ({score})" if any(found.scores) else "" for score in found.scores]
    named = zip(_names(desk, row), points, behind, strict=True)
    return ", ".join(f"{name} {own}{more}" for name, own, more in named)


def _names(desk: Desk, row: TournamentGame) -> list[str]:
    tournament = desk.session.get_one(Tournament, row.tournament_id)
    who = rows.numbered(desk.session, tournament, row.division)
    return [who[number].name for number in row.seats]


def played_again(desk: Desk, match: Match) -> Note | None:
    """What a match that is running is worth in its tournament, where something hangs on how it ended before; None for
    one that is played for the first time."""
    if match.tournament_id is None or match.status not in (MatchStatus.RUNNING, MatchStatus.SUSPENDED):
        return None
    found = hanging(desk, match)
    return found.worth if found else None
