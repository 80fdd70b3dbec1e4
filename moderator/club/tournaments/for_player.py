"""The tournaments of a player at one glance: where they stand in each, and which ones they could join."""

from __future__ import annotations

from typing import Any

from moderator.club import spelling
from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import at_once
from moderator.club.tournaments.settings import settings_of
from moderator.match.contract import Note
from moderator.states import EntryState, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Player, Tournament, TournamentEntry
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import of
from moderator.tournaments.formats.ladder import Ladder
from moderator.tournaments.standings import standings

AFTERWARDS = 60
"""Days for which a finished one is listed."""


def facts(desk: Desk, tournament: Tournament, language: str) -> dict[str, Any]:
    """What sentences about a tournament may say: ``cup`` = code, ``title``, ``game``, ``reason`` = its format,
    ``count`` = how many take part, ``most`` = places (0 = no limit), ``until`` = end of the registration."""
    return {
        "cup": tournament.code,
        "title": tournament.name,
        "game": spelling.game_name(tournament.game, language),
        "reason": f"cups-{of(tournament).words}",
        "count": rows.taken(desk.session, tournament),
        "most": settings_of(tournament).most,
        "until": tournament.closes_at,
    }


def mine(desk: Desk, player: Player, over: bool = False) -> tuple[Note, ...]:
    """A line for each tournament in which ``player`` takes part or waits to; ``over``: also for those that have ended
    of late."""
    found = []
    for tournament, entry in tournaments.with_entry(desk.session, player.number):
        if tournament.status in tournaments.GOING and entry.state != EntryState.WITHDRAWN:
            found.append(_line(desk, tournament, entry, player))
        elif over and entry.number and _lately(desk, tournament):
            code = "cups-mine-over" if entry.place is not None else "cups-mine-ended"
            found.append(Note(code, facts(desk, tournament, player.language) | {"place": entry.place}))
    return tuple(found)


def _lately(desk: Desk, tournament: Tournament) -> bool:
    return tournament.finished_at is not None and (desk.now - tournament.finished_at).days <= AFTERWARDS


def _line(desk: Desk, tournament: Tournament, entry: TournamentEntry, player: Player) -> Note:
    known = facts(desk, tournament, player.language)
    if entry.state == EntryState.STANDBY:
        return Note("cups-mine-standby", known | {"place": waiting(desk, tournament, entry)})
    if tournament.status != TournamentStatus.RUNNING:
        return Note("cups-mine-open" if tournament.closes_at else "cups-mine-planned", known)
    t = rows.state_of(desk.session, tournament, entry.division)
    known |= {"round": tournament.round, "rounds": t.rounds, "of": len(t.entrants), "division": entry.division}
    known |= {"open": sum(game.result is None and entry.number in game.seats for game in t.games)}
    if of(tournament).challenges:
        return _on_the_ladder(desk, tournament, entry, known)
    if of(tournament).eliminates:
        return Note("cups-mine-knockout" if _goes_on(t, entry.number) else "cups-mine-out", known)
    code = (
        "cups-mine-league"
        if of(tournament).divisions
        else "cups-mine-at-once"
        if at_once(tournament)
        else "cups-mine-round"
    )
    place = standings(t).row(entry.number).place
    return Note(code if any(game.result for game in t.games) else "cups-mine-begun", known | {"place": place})


def _on_the_ladder(desk: Desk, tournament: Tournament, entry: TournamentEntry, known: dict[str, Any]) -> Note:
    ladder = Ladder.from_json(tournament.state)
    known |= {"place": ladder.rung(entry.number), "of": len(ladder.rungs)}
    for one in ladder.challenges:
        if one.challenged == entry.number and one.accepted is None:
            by = rows.numbered(desk.session, tournament, 1)[one.challenger].name
            return Note("cups-mine-challenged", known | {"name": by, "until": one.due(ladder.terms)})
    return Note("cups-mine-ladder", known)


def _goes_on(t: TournamentState, number: int) -> bool:
    """Whether somebody is still in a knock-out: has a game in its last round."""
    last = max((game.round for game in t.games), default=0)
    return any(game.round == last and number in game.seats for game in t.games)


def waiting(desk: Desk, tournament: Tournament, entry: TournamentEntry) -> int:
    """Place on the standby list, from 1."""
    return 1 + [other.id for other, _ in rows.standby(desk.session, tournament)].index(entry.id)


def joinable(desk: Desk, player: Player | None = None) -> list[Tournament]:
    """Tournaments whose registration is open, and those that one may join while they run, the oldest first; without
    those in which ``player`` has an entry that counts."""
    found = []
    for tournament in tournaments.in_states(desk.session, (TournamentStatus.OPEN, TournamentStatus.RUNNING)):
        entry = tournaments.entry_of(desk.session, tournament, player) if player else None
        if (entry is None or (entry.state == EntryState.WITHDRAWN and not entry.number)) and admits(
            desk, tournament
        ) == "now":
            found.append(tournament)
    return found


def admits(desk: Desk, tournament: Tournament) -> str:
    """What joining would lead to: ``now`` (a place, or one on the standby list before the start), ``maybe`` (the
    standby list of a running one, from which the moderator may take somebody), ``no``."""
    if tournament.status == TournamentStatus.OPEN:
        return "now"
    if tournament.status != TournamentStatus.RUNNING:
        return "no"
    if of(tournament).round_robin:
        return "maybe"
    settings = settings_of(tournament)
    full = bool(settings.most) and rows.taken(desk.session, tournament) >= settings.most
    rounds = rows.state_of(desk.session, tournament).rounds
    return "now" if not full and of(tournament).takes_late(settings, tournament.round, rounds) else "no"


def open_lines(desk: Desk, player: Player) -> tuple[Note, ...]:
    """A line for each tournament that ``player`` could join."""
    return tuple(
        _open_line(facts(desk, tournament, player.language), tournament) for tournament in joinable(desk, player)
    )


def _open_line(known: dict[str, Any], tournament: Tournament) -> Note:
    if tournament.status == TournamentStatus.RUNNING:
        return Note("cups-open-late", known)
    if known["most"] and known["count"] >= known["most"]:
        return Note("cups-open-full", known)
    limited = "-places" if known["most"] else ""
    return Note(f"cups-open{limited}" if tournament.closes_at else f"cups-open{limited}-undated", known)
