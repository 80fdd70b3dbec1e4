"""A tournament as values, for ``moderator cup show --json`` and ``standings --json``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from moderator.states import TournamentStatus
from moderator.tournaments.formats import of

if TYPE_CHECKING:
    from moderator.cli.printed_tournaments import (
        ChallengeLine,
        EntrantLine,
        MeetingLine,
        OpenGame,
        StandingsLine,
        TableRow,
        TournamentLine,
        TournamentStep,
        TournamentWhole,
    )
    from moderator.club.desk import Desk
    from moderator.store.models import Player, Tournament, TournamentEntry
    from moderator.tournaments.field import TournamentState
    from moderator.tournaments.formats.contract import Meeting


def whole(desk: Desk, row: Tournament, line: TournamentLine, log: bool) -> TournamentWhole:
    """``line``: as it is listed; ``log``: with the steps that were done."""
    from moderator.club.tournaments import results, rows
    from moderator.club.tournaments.results import played_again
    from moderator.store import tournaments

    again = [match.code for match in tournaments.matches_of(desk.session, row).values() if played_again(desk, match)]
    steps: list[TournamentStep] = [{"at": one.at, "step": one.step} for one in tournaments.steps(desk.session, row)]
    found: TournamentWhole = {
        **line,
        "settings": row.settings,
        "options": rows.game_options(row),
        "terms": row.terms,
        "seed": row.seed,
        "entered": [_entrant(entry, player) for entry, player in tournaments.entries(desk.session, row)],
        "games": list(_open_games(desk, row)),
        "challenges": list(_challenges(desk, row)),
        "played_again": again,
        "corrected": [code for code, _ in results.corrected(desk, row)],
        "steps": steps if log else None,
    }
    return found


def _entrant(entry: TournamentEntry, player: Player) -> EntrantLine:
    return {
        "number": entry.number or None,
        "name": player.name,
        "division": entry.division,
        "state": entry.state,
        "left": None if entry.left is None else entry.left - 1,
        "rating": entry.rating or None,
        "rated": entry.rated,
        "place": entry.place,
    }


def _open_games(desk: Desk, row: Tournament) -> Iterator[OpenGame]:
    from moderator.club.tournaments import rows
    from moderator.store import tournaments

    if row.status != TournamentStatus.RUNNING:
        return
    matches = tournaments.matches_of(desk.session, row)
    for game in rows.open_games(tournaments.pairings(desk.session, row)):
        who = rows.numbered(desk.session, row, game.division)
        match = matches.get(game.match_id or 0)
        yield {
            "division": game.division,
            "round": game.round,
            "board": game.board,
            "players": [who[number].name for number in game.seats],
            "match": match.code if match else None,
            "status": match.status if match else None,
            "trouble": match.trouble or None if match else None,
            "deadline": match.deadline if match else None,
        }


def _challenges(desk: Desk, row: Tournament) -> Iterator[ChallengeLine]:
    from moderator.club.tournaments import rows

    if row.status != TournamentStatus.RUNNING:
        return
    waiting = [one for one in of(row).asked(row.state) if not one.accepted]
    who = rows.numbered(desk.session, row, 1) if waiting else {}
    for one in waiting:
        challenger, challenged = who[one.challenger].name, who[one.challenged].name
        yield {"challenger": challenger, "challenged": challenged, "until": one.until}


# ---- tables ----


def standing(row: Tournament, division: int, t: TournamentState, rounds: int | None) -> StandingsLine:
    """``t``: of the division, after so many rounds; None = now."""
    from moderator.tournaments.formats.contract import Bracket, Rungs

    names = {one.number: one.name for one in t.entrants}
    now = rounds is None
    over = now and row.status == TournamentStatus.FINISHED
    found: StandingsLine = {"tournament": row.code, "division": division, "rounds": rounds}
    match of(t).stands(t, row.state, row.round, over):
        case Rungs(order):
            found["rungs"] = [names[number] for number in order]
        case Bracket(meetings, places):
            found["meetings"] = [_meeting(one, names) for one in meetings]
            found["places"] = [{"place": place, "name": names[number]} for place, number in places]
        case _:
            found["ties"], found["table"] = _table(t, now and row.status == TournamentStatus.RUNNING)
    return found


def _meeting(one: Meeting, names: dict[int, str]) -> MeetingLine:
    return {
        "round": one.round,
        "players": [names[number] for number in one.numbers],
        "points": [str(points) for points in one.points],
        "winner": None if one.through is None else names[one.through],
        "third": one.third,
    }


def _table(t: TournamentState, with_places: bool) -> tuple[list[str], list[TableRow]]:
    """Codes of the tie-breaks and the lines; ``with_places``: those that are still possible, too."""
    from moderator.tournaments.standings import final_places, standings

    table = standings(t)
    ranges = final_places(t) if with_places else {}
    lines: list[TableRow] = []
    for row in table.rows:
        line: TableRow = {
            "place": row.place,
            "number": row.entrant.number,
            "name": row.entrant.name,
            "played": row.played,
            "points": str(row.points),
            "ties": [" ".join(map(_number, value)) for value in row.ties],
            "left": row.entrant.left is not None,
        }
        if row.entrant.number in ranges:
            line["best"], line["worst"] = ranges[row.entrant.number]
        lines.append(line)
    return list(table.columns), lines


def _number(value: Fraction) -> str:
    return str(value)
