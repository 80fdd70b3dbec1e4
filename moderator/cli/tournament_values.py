"""A tournament as values, for ``moderator cup show --json`` and ``standings --json``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from moderator.common.enums import TournamentStatus
from moderator.tournaments.formats import get_format

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
    from moderator.service.desk import Desk
    from moderator.store.tables import PlayerRow, Tournament, TournamentEntry
    from moderator.tournaments.field import TournamentState
    from moderator.tournaments.formats.contract import Meeting


def build_tournament_values(desk: Desk, row: Tournament, line: TournamentLine, log: bool) -> TournamentWhole:
    """Return a tournament as values. ``line``: as it is listed; ``log``: with the steps that were done."""
    from moderator.service.tournaments import results
    from moderator.service.tournaments.results import find_replay_note
    from moderator.store import tournaments
    from moderator.views import tournament_rows

    again = [
        match.code
        for match in tournaments.load_tournament_matches(desk.session, row).values()
        if find_replay_note(desk, match)
    ]
    steps: list[TournamentStep] = [
        {"at": one.at, "step": one.step} for one in tournaments.list_tournament_steps(desk.session, row)
    ]
    found: TournamentWhole = {
        **line,
        "settings": row.settings,
        "options": tournament_rows.get_game_options(row),
        "terms": row.terms,
        "seed": row.seed,
        "entered": [
            _build_entrant_line(entry, player)
            for entry, player in tournaments.list_entries_with_players(desk.session, row)
        ],
        "games": list(_iter_open_games(desk, row)),
        "challenges": list(_iter_challenges(desk, row)),
        "played_again": again,
        "corrected": [code for code, _ in results.list_corrected_games(desk, row)],
        "steps": steps if log else None,
    }
    return found


def _build_entrant_line(entry: TournamentEntry, player: PlayerRow) -> EntrantLine:
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


def _iter_open_games(desk: Desk, row: Tournament) -> Iterator[OpenGame]:
    from moderator.store import tournaments
    from moderator.views import tournament_rows

    if row.status != TournamentStatus.RUNNING:
        return
    matches = tournaments.load_tournament_matches(desk.session, row)
    for game in tournament_rows.filter_open_games(tournaments.list_pairings(desk.session, row)):
        who = tournament_rows.load_numbered_players(desk.session, row, game.division)
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


def _iter_challenges(desk: Desk, row: Tournament) -> Iterator[ChallengeLine]:
    from moderator.views import tournament_rows

    if row.status != TournamentStatus.RUNNING:
        return
    waiting = [one for one in get_format(row).list_challenges(row.state) if not one.accepted]
    who = tournament_rows.load_numbered_players(desk.session, row, 1) if waiting else {}
    for one in waiting:
        challenger, challenged = who[one.challenger].name, who[one.challenged].name
        yield {"challenger": challenger, "challenged": challenged, "until": one.until}


# ---- tables ----


def build_standings_values(row: Tournament, division: int, t: TournamentState, rounds: int | None) -> StandingsLine:
    """Return the standings as values. ``t``: of the division, after so many rounds; None = now."""
    from moderator.tournaments.formats.contract import Bracket, Rungs

    names = {one.number: one.name for one in t.entrants}
    now = rounds is None
    over = now and row.status == TournamentStatus.FINISHED
    found: StandingsLine = {"tournament": row.code, "division": division, "rounds": rounds}
    match get_format(t).build_standing(t, row.state, row.round, over):
        case Rungs(order):
            found["rungs"] = [names[number] for number in order]
        case Bracket(meetings, places):
            found["meetings"] = [_build_meeting_line(one, names) for one in meetings]
            found["places"] = [{"place": place, "name": names[number]} for place, number in places]
        case _:
            found["ties"], found["table"] = _build_table_lines(t, now and row.status == TournamentStatus.RUNNING)
    return found


def _build_meeting_line(one: Meeting, names: dict[int, str]) -> MeetingLine:
    return {
        "round": one.round,
        "players": [names[number] for number in one.numbers],
        "points": [str(points) for points in one.points],
        "winner": None if one.through is None else names[one.through],
        "third": one.third,
    }


def _build_table_lines(t: TournamentState, with_places: bool) -> tuple[list[str], list[TableRow]]:
    """Return the codes of the tie-breaks and the lines; ``with_places``: the places that are still possible, too."""
    from moderator.tournaments.standings import compute_place_ranges, compute_standings

    table = compute_standings(t)
    ranges = compute_place_ranges(t) if with_places else {}
    lines: list[TableRow] = []
    for row in table.rows:
        line: TableRow = {
            "place": row.place,
            "number": row.entrant.number,
            "name": row.entrant.name,
            "played": row.played,
            "points": str(row.points),
            "ties": [" ".join(map(_format_number, value)) for value in row.ties],
            "left": row.entrant.left is not None,
        }
        if row.entrant.number in ranges:
            line["best"], line["worst"] = ranges[row.entrant.number]
        lines.append(line)
    return list(table.columns), lines


def _format_number(value: Fraction) -> str:
    return str(value)
