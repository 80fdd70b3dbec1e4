"""A tournament as its readers see it: read once, then told to each of them.

The tournaments of a player at one glance: where they stand in each, and which ones they could join."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from moderator import games
from moderator.club import spelling
from moderator.club.desk import Desk
from moderator.club.endings import of_pairing
from moderator.club.tournaments import results, rows
from moderator.club.tournaments.reviewed import per_move
from moderator.club.tournaments.rows import at_once, of_round, settings_of
from moderator.errors import OperatorError
from moderator.match.contract import Note, first_mover, read_options
from moderator.match.ending import How
from moderator.pages.tournament_view import (
    Topic,
    TournamentBracket,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentTie,
    TournamentView,
)
from moderator.states import EntryState, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Match, Player, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments.crosstable import crosstable, number_text
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import of, robin
from moderator.tournaments.formats.contract import Bracket, Meeting, Rungs
from moderator.tournaments.standings import final_places, progress, standings

WITH_TABLE = ("report", "final", "table")
WITH_GAMES = ("pairings", "warning", "report", "table")


class Seen:
    """A tournament as it stands now, read once for all its readers."""

    def __init__(self, desk: Desk, tournament: Tournament) -> None:
        self.desk, self.tournament, self.settings = desk, tournament, settings_of(tournament)
        session = desk.session
        session.flush()  # matches that were made just now
        self.entries = tournaments.entries(session, tournament)
        self.divisions = tournaments.divisions(session, tournament)
        self.states = {d: rows.state_of(session, tournament, d) for d in self.divisions}
        self.names = {(e.division, e.number): p.name for e, p in self.entries if e.number}
        self._tables: dict[bool, tuple[TournamentTable, ...]] = {}

    def view(self, topic: Topic, player: Player) -> TournamentView:
        """What ``player`` reads of it in a mail about ``topic``."""
        mine = next((entry for entry, one in self.entries if one.id == player.id), None)
        numbered = mine if mine is not None and mine.number else None
        own = numbered.division if numbered else 0
        games = self.games if topic in WITH_GAMES else ()
        return replace(
            self.common(topic),
            own=own,
            yours=tuple(replace(line, you=seat) for seat, line in self._yours(numbered)) if games else (),
            games=tuple(line for line in games if not own or own == line.division),
            tables=tuple(self._own(table, numbered) for table in self.tables(topic == "final"))
            if topic in WITH_TABLE
            else (),
            challengeable=self._challengeable(mine) if topic in WITH_TABLE else (),
            you_in=mine is not None and mine.state != EntryState.WITHDRAWN,
        )

    def common(self, topic: Topic) -> TournamentView:
        """What every reader of it may know."""
        tournament, settings = self.tournament, self.settings
        planned = getattr(settings.own, "rounds", 0) if of(tournament).planned else 0
        return TournamentView(
            topic=topic,
            code=tournament.code,
            name=tournament.name,
            game=tournament.game,
            format=tournament.format,
            status=tournament.status,
            round=tournament.round,
            rounds=self.states[1].rounds if 1 in self.states else planned,
            entrants=tuple(p.name for e, p in self.entries if e.state == EntryState.IN),
            standby=tuple(p.name for e, p in self.entries if e.state == EntryState.STANDBY),
            places=settings.most,
            closes_at=tournament.closes_at,
            ends_at=max(rows.latest_ends(self.round), default=None) if of(tournament).in_rounds else None,
            seats=of(tournament).seats(settings),
            legs=of(tournament).games_of_two(settings),
            third=getattr(settings.own, "third", False),
            starter=_starter(tournament),
            reach=getattr(settings.own, "reach", 0),
            division=getattr(settings.own, "division", 0),
            at_once=at_once(tournament),
            adjudicate=settings.adjudicate,
            fields=tuple(tuple(n for (d, _), n in self.names.items() if d == one) for one in self.divisions),
        )

    @cached_property
    def round(self) -> list[TournamentGame]:
        """The pairings that are shown."""
        return of_round(self.desk.session, self.tournament)

    @cached_property
    def matches(self) -> dict[int, Match]:
        return tournaments.matches_of(self.desk.session, self.tournament)

    @cached_property
    def games(self) -> tuple[TournamentGameLine, ...]:
        """Those of the round."""
        return tuple(self.line(row) for row in self.round)

    def _yours(self, mine: TournamentEntry | None) -> Iterator[tuple[int, TournamentGameLine]]:
        """The games of an entrant with the seat in each."""
        for row, line in zip(self.round, self.games, strict=True):
            if mine is not None and row.division == mine.division and mine.number in row.seats:
                yield row.seats.index(mine.number), line

    def line(self, row: TournamentGame) -> TournamentGameLine:
        """A pairing."""
        ended = of_pairing(row)
        match = self.matches.get(row.match_id or 0)
        return TournamentGameLine(
            round=row.round,
            board=row.board,
            names=tuple(self.names[row.division, number] for number in row.seats),
            match=match.code if match else "",
            kind=row.kind,
            points=() if ended is None else tuple(map(number_text, ended.counts)),
            scores=() if ended is None else ended.sums,
            how=How.PLAYED if ended is None else ended.how,
            division=row.division,
            corrected=results.is_corrected(row),
        )

    def tables(self, last: bool = False) -> tuple[TournamentTable, ...]:
        """Of all divisions; ``last``: with the way there."""
        if last not in self._tables:
            self._tables[last] = tuple(self._table(d, t, last) for d, t in sorted(self.states.items()))
        return self._tables[last]

    def _table(self, division: int, t: TournamentState, last: bool) -> TournamentTable:
        names = {entrant.number: entrant.name for entrant in t.entrants}
        over = last or self.tournament.status == TournamentStatus.FINISHED
        stands = of(t).stands(t, self.tournament.state, self.tournament.round, over)
        if stands is not None:
            return TournamentTable(division, in_names(stands, names))
        running = self.tournament.status == TournamentStatus.RUNNING
        left = per_move(self.desk.session, self.tournament, division)
        table = crosstable(t, final_places(t) if running else None, left)
        if not last:
            return TournamentTable(division, table)
        up, down = self._movers(division - 1), self._movers(division)
        return TournamentTable(division, table, progress(t), up=up, down=down)

    def _movers(self, division: int) -> int:
        """How many change places between a division of a league and the next lower one; 0 where there is none."""
        neighbours = [self.states.get(division), self.states.get(division + 1)]
        if not of(self.tournament).divisions or None in neighbours:
            return 0
        return min(robin.movers(len(t.entrants), self.settings.own.movers) for t in neighbours if t is not None)

    def _own(self, table: TournamentTable, mine: TournamentEntry | None) -> TournamentTable:
        """The same with the reader's number in it."""
        return replace(table, you=mine.number) if mine is not None and mine.division == table.division else table

    def _challengeable(self, mine: TournamentEntry | None) -> tuple[str, ...]:
        if mine is None or self.tournament.status != TournamentStatus.RUNNING or mine.state != EntryState.IN:
            return ()
        return tuple(self.names[1, number] for number in rows.challengeable(self.desk, self.tournament, mine.number))


def _starter(tournament: Tournament) -> int | None:
    """The seat that makes the first move; also None where the game is no longer known here."""
    try:
        game = games.load(tournament.game)
        return first_mover(game, read_options(game, tournament.options))
    except OperatorError:
        return None


def in_names(stands: Bracket | Rungs, names: Mapping[int, str]) -> TournamentBracket | TournamentRungs:
    """The same with names for numbers."""
    if isinstance(stands, Rungs):
        rungs = tuple((at, names[number]) for at, number in enumerate(stands.order, 1))
        asked = tuple((names[one.challenger], names[one.challenged], one.accepted) for one in stands.asked)
        return TournamentRungs(rungs, asked)
    order = tuple((place, names[number]) for place, number in stands.places)
    return TournamentBracket(tuple(_tie(one, names) for one in stands.meetings), order)


def _tie(one: Meeting, names: Mapping[int, str]) -> TournamentTie:
    return TournamentTie(
        one.round,
        tuple(names[number] for number in one.numbers),
        tuple(map(number_text, one.points)),
        one.sums,
        one.numbers.index(one.through) if one.through in one.numbers else None,
        one.third,
    )


# ---- for one player ----


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
    stands = of(t).stands(t, tournament.state, tournament.round)
    if isinstance(stands, Rungs):
        return _on_rungs(t, stands, entry, known)
    if stands is not None:
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


def _on_rungs(t: TournamentState, stands: Rungs, entry: TournamentEntry, known: dict[str, Any]) -> Note:
    known |= {"place": stands.rung(entry.number), "of": len(stands.order)}
    for one in stands.asked:
        if one.challenged == entry.number and not one.accepted:
            by = t.entrant(one.challenger).name
            return Note("cups-mine-challenged", known | {"name": by, "until": one.until})
    return Note("cups-mine-ladder", known)


def _goes_on(t: TournamentState, number: int) -> bool:
    """Whether somebody is still in a bracket: has a game in its last round."""
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
