"""The tournaments of a player at one glance: where they stand in each, and which ones they could join."""

from __future__ import annotations

from typing import Any

from sqlmodel import col, select

from moderator.club import game_names
from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.phases import at_once
from moderator.club.tournaments.settings import settings_of
from moderator.match.contract import Note
from moderator.states import CupStatus, EntryState
from moderator.store.models import Cup, CupEntry, Player
from moderator.tournaments.field import Tournament
from moderator.tournaments.formats import of
from moderator.tournaments.ladder import Ladder
from moderator.tournaments.standings import standings

AFTERWARDS = 60
"""Days for which a finished one is listed."""


def facts(desk: Desk, cup: Cup, language: str) -> dict[str, Any]:
    """What sentences about a tournament may say: ``cup`` = code, ``title``, ``game``, ``reason`` = its format,
    ``count`` = how many take part, ``most`` = places (0 = no limit), ``until`` = end of the registration."""
    return {
        "cup": cup.code,
        "title": cup.name,
        "game": game_names.name(cup.game, language),
        "reason": f"cups-{of(cup).words}",
        "count": rows.taken(desk.session, cup),
        "most": settings_of(cup).most,
        "until": cup.closes_at,
    }


def mine(desk: Desk, player: Player, over: bool = False) -> tuple[Note, ...]:
    """A line for each tournament in which ``player`` takes part or waits to; ``over``: also for those that have ended
    of late."""
    query = select(Cup, CupEntry).join(CupEntry).where(CupEntry.player_id == player.number)
    found = []
    for cup, entry in desk.session.exec(query.order_by(col(Cup.id))):
        if cup.status in (CupStatus.PLANNED, CupStatus.OPEN, CupStatus.RUNNING) and entry.state != EntryState.WITHDRAWN:
            found.append(_line(desk, cup, entry, player))
        elif over and entry.number and _lately(desk, cup):
            code = "cups-mine-over" if entry.place is not None else "cups-mine-ended"
            found.append(Note(code, facts(desk, cup, player.language) | {"place": entry.place}))
    return tuple(found)


def _lately(desk: Desk, cup: Cup) -> bool:
    return cup.finished_at is not None and (desk.now - cup.finished_at).days <= AFTERWARDS


def _line(desk: Desk, cup: Cup, entry: CupEntry, player: Player) -> Note:
    known = facts(desk, cup, player.language)
    if entry.state == EntryState.STANDBY:
        return Note("cups-mine-standby", known | {"place": waiting(desk, cup, entry)})
    if cup.status != CupStatus.RUNNING:
        return Note("cups-mine-open" if cup.closes_at else "cups-mine-planned", known)
    t = rows.tournament(desk.session, cup, entry.division)
    known |= {"round": cup.round, "rounds": t.rounds, "of": len(t.entrants), "division": entry.division}
    known |= {"open": sum(game.result is None and entry.number in game.seats for game in t.games)}
    if of(cup).challenges:
        return _on_the_ladder(desk, cup, entry, known)
    if of(cup).eliminates:
        return Note("cups-mine-knockout" if _goes_on(t, entry.number) else "cups-mine-out", known)
    code = "cups-mine-league" if of(cup).divisions else "cups-mine-at-once" if at_once(cup) else "cups-mine-round"
    place = standings(t).row(entry.number).place
    return Note(code if any(game.result for game in t.games) else "cups-mine-begun", known | {"place": place})


def _on_the_ladder(desk: Desk, cup: Cup, entry: CupEntry, known: dict[str, Any]) -> Note:
    ladder = Ladder.from_json(cup.state)
    known |= {"place": ladder.rung(entry.number), "of": len(ladder.rungs)}
    for one in ladder.challenges:
        if one.challenged == entry.number and one.accepted is None:
            by = rows.numbered(desk.session, cup, 1)[one.challenger].name
            return Note("cups-mine-challenged", known | {"name": by, "until": one.due(ladder.terms)})
    return Note("cups-mine-ladder", known)


def _goes_on(t: Tournament, number: int) -> bool:
    """Whether somebody is still in a knock-out: has a game in its last round."""
    last = max((game.round for game in t.games), default=0)
    return any(game.round == last and number in game.seats for game in t.games)


def waiting(desk: Desk, cup: Cup, entry: CupEntry) -> int:
    """Place on the standby list, from 1."""
    return 1 + [other.id for other, _ in rows.standby(desk.session, cup)].index(entry.id)


def joinable(desk: Desk, player: Player | None = None) -> list[Cup]:
    """Tournaments whose registration is open, and those that one may join while they run, the oldest first; without
    those in which ``player`` has an entry that counts."""
    query = select(Cup).where(col(Cup.status).in_((CupStatus.OPEN, CupStatus.RUNNING))).order_by(col(Cup.id))
    found = []
    for cup in desk.session.exec(query):
        entry = rows.entry_of(desk.session, cup, player) if player else None
        if (entry is None or (entry.state == EntryState.WITHDRAWN and not entry.number)) and admits(desk, cup) == "now":
            found.append(cup)
    return found


def admits(desk: Desk, cup: Cup) -> str:
    """What joining would lead to: ``now`` (a place, or one on the standby list before the start), ``maybe`` (the
    standby list of a running one, from which the moderator may take somebody), ``no``."""
    if cup.status == CupStatus.OPEN:
        return "now"
    if cup.status != CupStatus.RUNNING:
        return "no"
    if of(cup).round_robin:
        return "maybe"
    settings = settings_of(cup)
    full = bool(settings.most) and rows.taken(desk.session, cup) >= settings.most
    if not of(cup).late_entry or not settings.late_entry or full:
        return "no"
    return "now" if of(cup).challenges or cup.round < rows.tournament(desk.session, cup).rounds else "no"


def open_lines(desk: Desk, player: Player) -> tuple[Note, ...]:
    """A line for each tournament that ``player`` could join."""
    return tuple(_open_line(facts(desk, cup, player.language), cup) for cup in joinable(desk, player))


def _open_line(known: dict[str, Any], cup: Cup) -> Note:
    if cup.status == CupStatus.RUNNING:
        return Note("cups-open-late", known)
    if known["most"] and known["count"] >= known["most"]:
        return Note("cups-open-full", known)
    limited = "-places" if known["most"] else ""
    return Note(f"cups-open{limited}" if cup.closes_at else f"cups-open{limited}-undated", known)
