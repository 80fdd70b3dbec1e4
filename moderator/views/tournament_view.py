"""A tournament as its readers see it: read once, then told to each of them.

The tournaments of a player at one glance: where they stand in each, and which ones they could join."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from moderator import games
from moderator.common.enums import EntryState, MatchStatus, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.language import spelling
from moderator.notifications.content import (
    Topic,
    TournamentBracket,
    TournamentGameLine,
    TournamentRungs,
    TournamentTable,
    TournamentTie,
    TournamentView,
)
from moderator.rules.ending import EndCause, compute_stopped_scores
from moderator.rules.game import FIRST, Note, first_mover, read_options
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format, round_robin
from moderator.tournaments.formats.contract import Bracket, Meeting, Rungs
from moderator.tournaments.ratings import Rating
from moderator.tournaments.standings import (
    build_crosstable,
    compute_place_ranges,
    compute_places_by_round,
    compute_standings,
    format_fraction,
)
from moderator.views import tournament_rows
from moderator.views.loaded_match import MatchSuspended, build_pairing_ending
from moderator.views.ratings import compute_club_ratings
from moderator.views.tournament_rows import StoredTournament, is_corrected
from moderator.views.unit_of_work import UnitOfWork

WITH_TABLE = ("report", "final", "table")
WITH_GAMES = ("pairings", "warning", "report", "table")
AGREED = ("target",)
"""Options of a game that an invitation names, whether they are as usual or not."""


class TournamentReader(StoredTournament):
    """A reader of one tournament as it stands now: it is loaded once for all mails and pages about it."""

    def __init__(self, work: UnitOfWork, row: Tournament) -> None:
        super().__init__(work.session, row)
        self.work = work
        work.session.flush()  # matches that were made just now
        self.entries, self.divisions = self.list_entered(), self.list_own_divisions()
        self.states = {division: self.build_tournament_state(division) for division in self.divisions}
        self.names = {(e.division, e.number): p.name for e, p in self.entries if e.number}
        self._tables: dict[bool, tuple[TournamentTable, ...]] = {}

    def build_view(self, topic: Topic, player: PlayerRow) -> TournamentView:
        """Build what ``player`` reads of it in a mail about ``topic``."""
        mine = next((entry for entry, one in self.entries if one.id == player.id), None)
        numbered = mine if mine is not None and mine.number else None
        own = numbered.division if numbered else 0
        games = self.games if topic in WITH_GAMES else ()
        with_table = topic in WITH_TABLE or (topic == "pairings" and self._has_round_before)
        return replace(
            self.build_common_view(topic),
            own=own,
            yours=tuple(self._iter_yours(topic, numbered)),
            before=tuple(self._iter_before(topic, numbered)),
            games=tuple(line for line in games if not own or own == line.division),
            tables=tuple(self._with_own_number(table, numbered) for table in self._mail_tables) if with_table else (),
            challengeable=self._list_challengeable_names(mine) if topic in WITH_TABLE else (),
            rating=self._compute_rating_change(numbered) if numbered and topic == "final" else None,
            you_in=mine is not None and mine.state != EntryState.WITHDRAWN,
        )

    def _compute_rating_change(self, mine: TournamentEntry) -> tuple[int, int] | None:
        """Return the rating after the tournament, and by how much it differs from that before; None without one."""
        now = self._ratings.get(mine.player_id)
        return None if now is None else (now.rounded, now.rounded - round(mine.rating))

    @cached_property
    def _ratings(self) -> dict[int, Rating]:
        own = {row.match_id for row in self.list_all_pairings()}
        return compute_club_ratings(self.session, self.row.game, self.row.finished_at, own)

    @property
    def _has_round_before(self) -> bool:
        return self.row.round > 1 and self.format.in_rounds and not self.is_played_at_once

    def _iter_yours(self, topic: Topic, mine: TournamentEntry | None) -> Iterator[TournamentGameLine]:
        if topic == "final":
            yield from self._iter_lines_of(self.list_all_pairings(), mine)
        elif topic in WITH_GAMES:
            for line in self._iter_lines_of(self.round_pairings, mine):
                yield self._with_outlook(line) if topic == "warning" and not line.points else line

    def _iter_before(self, topic: Topic, mine: TournamentEntry | None) -> Iterator[TournamentGameLine]:
        over = {"report": self.row.round, "pairings": self.row.round - 1}.get(topic, 0)
        if over and (topic == "report" or self._has_round_before):
            yield from self._iter_lines_of((row for row in self.list_all_pairings() if row.round == over), mine)

    def _with_outlook(self, line: TournamentGameLine) -> TournamentGameLine:
        """Return an open game with what would count now, and whose turn it is."""
        match = next((row for row in self.matches.values() if row.code == line.match), None)
        if match is None or match.status != MatchStatus.RUNNING:
            return line
        try:
            live = self.work.cache.load_match(self.session, match)
        except MatchSuspended:
            return line
        awaited = tuple(line.names[seat] for seat in live.seats_to_act if not live.has_submitted(seat))
        score = self.settings.adjudicate == "score"
        points = compute_stopped_scores(live.game, live.table) if score else None
        return replace(line, standing=points or (), awaited=awaited)

    def build_common_view(self, topic: Topic) -> TournamentView:
        """Build what every reader of it may know."""
        row, settings = self.row, self.settings
        planned = settings.get_own_setting("rounds", 0) if self.format.planned else 0
        return TournamentView(
            topic=topic,
            code=row.code,
            name=row.name,
            game=row.game,
            format=row.format,
            status=row.status,
            round=row.round,
            rounds=self.states[1].rounds if 1 in self.states else planned,
            entrants=tuple(p.name for e, p in self.entries if e.state == EntryState.IN),
            standby=tuple(p.name for e, p in self.entries if e.state == EntryState.STANDBY),
            places=settings.most,
            closes_at=row.closes_at,
            ends_at=max(tournament_rows.list_latest_ends(self.round_pairings), default=None)
            if self.format.in_rounds
            else None,
            seats=self.format.get_most_seats(settings),
            legs=self.format.count_games_of_two(settings),
            third=settings.get_own_setting("third", False),
            starter=_find_starter_seat(row),
            reach=settings.get_own_setting("reach", 0),
            division=settings.get_own_setting("division", 0),
            at_once=self.is_played_at_once,
            adjudicate=settings.adjudicate,
            season=self.count_seasons(),
            least=settings.least,
            round_days=settings.compute_round_days(row.format),
            move_days=int(row.terms.get("days", self.work.config.deadlines.days)),
            options=self._build_announced_options(),
            fields=tuple(tuple(n for (d, _), n in self.names.items() if d == one) for one in self.divisions),
        )

    def _build_announced_options(self) -> dict[str, Any]:
        """Build the options of the games that an invitation names; {} where the game is no longer known here."""
        try:
            game, chosen = games.load_game(self.row.game), tournament_rows.get_game_options(self.row)
        except OperatorError:
            return {}
        usual = asdict(game.options())
        return {
            name: value
            for name, value in chosen.items()
            if name in AGREED or (value != usual.get(name) and name not in (FIRST, "pace"))
        }

    @cached_property
    def round_pairings(self) -> list[TournamentGame]:
        """The pairings of the round to show."""
        return self.list_round_pairings()

    @cached_property
    def matches(self) -> dict[int, MatchRow]:
        return tournaments.load_tournament_matches(self.session, self.row)

    @cached_property
    def games(self) -> tuple[TournamentGameLine, ...]:
        """The lines of those pairings."""
        return tuple(self.build_game_line(row) for row in self.round_pairings)

    def _iter_lines_of(
        self, rows: Iterable[TournamentGame], mine: TournamentEntry | None
    ) -> Iterator[TournamentGameLine]:
        """Yield those of the pairings that are an entrant's, with the seat in each."""
        for row in rows:
            if mine is not None and row.division == mine.division and mine.number in row.seats:
                yield replace(self.build_game_line(row), you=row.seats.index(mine.number))

    def build_game_line(self, row: TournamentGame) -> TournamentGameLine:
        """Build the line of a pairing."""
        ended = build_pairing_ending(row)
        match = self.matches.get(row.match_id or 0)
        return TournamentGameLine(
            round=row.round,
            board=row.board,
            names=tuple(self.names[row.division, number] for number in row.seats),
            match=match.code if match else "",
            kind=row.kind,
            points=() if ended is None else tuple(map(format_fraction, ended.counts)),
            scores=() if ended is None else ended.sums,
            how=EndCause.PLAYED if ended is None else ended.how,
            division=row.division,
            corrected=is_corrected(row),
        )

    def build_tables(self, last: bool = False) -> tuple[TournamentTable, ...]:
        """Build the tables of all divisions; ``last``: with the way there."""
        if last not in self._tables:
            self._tables[last] = tuple(self._build_table(d, t, last) for d, t in sorted(self.states.items()))
        return self._tables[last]

    @cached_property
    def _mail_tables(self) -> tuple[TournamentTable, ...]:
        """The tables of all divisions as mails show them: place, name, points, and who goes up and down."""
        return tuple(self._build_mail_table(d, t) for d, t in sorted(self.states.items()))

    def _build_mail_table(self, division: int, t: TournamentState) -> TournamentTable:
        over = self.row.status == TournamentStatus.FINISHED
        stands = get_format(t).build_standing(t, self.row.state, self.row.round, over)
        if stands is not None:
            return TournamentTable(division, to_named_standings(stands, self._list_names_by_number(t)))
        up, down = self._count_division_movers(division - 1), self._count_division_movers(division)
        moved = (up, down) if over else (0, 0)
        return TournamentTable(division, build_crosstable(t), up=moved[0], down=moved[1])

    def _list_names_by_number(self, t: TournamentState) -> dict[int, str]:
        return {entrant.number: entrant.name for entrant in t.entrants}

    def _build_table(self, division: int, t: TournamentState, last: bool) -> TournamentTable:
        names = self._list_names_by_number(t)
        over = last or self.row.status == TournamentStatus.FINISHED
        stands = get_format(t).build_standing(t, self.row.state, self.row.round, over)
        if stands is not None:
            return TournamentTable(division, to_named_standings(stands, names))
        running = self.row.status == TournamentStatus.RUNNING
        left = self.compute_points_left(division)
        table = build_crosstable(t, compute_place_ranges(t) if running else None, left)
        if not last:
            return TournamentTable(division, table)
        up, down = self._count_division_movers(division - 1), self._count_division_movers(division)
        return TournamentTable(division, table, compute_places_by_round(t), up=up, down=down)

    def _count_division_movers(self, division: int) -> int:
        """Count those who change places between a division of a league and the next lower one; 0 where there is
        none."""
        neighbours = [self.states.get(division), self.states.get(division + 1)]
        if not self.format.divisions or None in neighbours:
            return 0
        return min(
            round_robin.count_movers(len(t.entrants), self.settings.own.movers) for t in neighbours if t is not None
        )

    def _with_own_number(self, table: TournamentTable, mine: TournamentEntry | None) -> TournamentTable:
        """Return the table with the reader's number in it."""
        return replace(table, you=mine.number) if mine is not None and mine.division == table.division else table

    def _list_challengeable_names(self, mine: TournamentEntry | None) -> tuple[str, ...]:
        if mine is None or self.row.status != TournamentStatus.RUNNING or mine.state != EntryState.IN:
            return ()
        return tuple(self.names[1, number] for number in self.list_challengeable_today(self.work, mine.number))


def _find_starter_seat(tournament: Tournament) -> int | None:
    """Find the seat that makes the first move; also None where the game is no longer known here."""
    try:
        game = games.load_game(tournament.game)
        return first_mover(game, read_options(game, tournament.options))
    except OperatorError:
        return None


def to_named_standings(
    bracket_or_rungs: Bracket | Rungs, names: Mapping[int, str]
) -> TournamentBracket | TournamentRungs:
    """Convert a bracket or rungs to one with names for numbers."""
    if isinstance(bracket_or_rungs, Rungs):
        rungs = tuple((at, names[number]) for at, number in enumerate(bracket_or_rungs.order, 1))
        asked = tuple((names[one.challenger], names[one.challenged], one.accepted) for one in bracket_or_rungs.asked)
        unplayed = tuple((names[one], names[other], day) for one, other, day in bracket_or_rungs.unplayed)
        return TournamentRungs(rungs, asked, unplayed)
    order = tuple((place, names[number]) for place, number in bracket_or_rungs.places)
    return TournamentBracket(tuple(_build_named_tie(one, names) for one in bracket_or_rungs.meetings), order)


def _build_named_tie(one: Meeting, names: Mapping[int, str]) -> TournamentTie:
    return TournamentTie(
        one.round,
        tuple(names[number] for number in one.numbers),
        tuple(map(format_fraction, one.points)),
        one.sums,
        one.numbers.index(one.through) if one.through in one.numbers else None,
        one.third,
    )


# ---- for one player ----


AFTERWARDS = 60
"""Days for which a finished one is listed."""


class TournamentSummary(StoredTournament):
    """The summary of a tournament that one player reads."""

    def build_tournament_facts(self, language: str) -> dict[str, Any]:
        """Build the values that sentences about a tournament may have: ``cup`` = code, ``title``, ``game``, ``reason``
        = its format, ``count`` = how many take part, ``most`` = places (0 = no limit), ``until`` = end of the
        registration."""
        return {
            "cup": self.row.code,
            "title": self.row.name,
            "game": spelling.get_game_name(self.row.game, language),
            "reason": f"cups-{self.format.words}",
            "count": self.count_taken_places(),
            "most": self.settings.most,
            "until": self.row.closes_at,
        }

    def build_entered_note(self, entry: TournamentEntry, language: str) -> Note:
        """Build what somebody reads who has just been entered."""
        known, running = self.build_tournament_facts(language), self.row.status == TournamentStatus.RUNNING
        if entry.state == EntryState.STANDBY:
            code = "-late" if running else "" if self.row.closes_at else "-undated"
            return Note(f"cups-standby{code}", known | {"place": self.compute_standby_place(entry)})
        stands = self.find_bracket_or_rungs() if running else None
        if isinstance(stands, Rungs):
            return Note("cups-joined-ladder", known | {"place": stands.find_rung(entry.number)})
        if running:
            return Note("cups-joined-late", known | {"round": entry.joined})
        return Note("cups-joined" if self.row.closes_at else "cups-joined-undated", known)

    def build_entry_line(self, entry: TournamentEntry, language: str) -> Note:
        """Build the line of a tournament that is planned or on, for whoever has the entry."""
        known = self.build_tournament_facts(language)
        if entry.state == EntryState.STANDBY:
            return Note("cups-mine-standby", known | {"place": self.compute_standby_place(entry)})
        if self.row.status != TournamentStatus.RUNNING:
            return Note("cups-mine-open" if self.row.closes_at else "cups-mine-planned", known)
        t = self.build_tournament_state(entry.division)
        known |= {"round": self.row.round, "rounds": t.rounds, "of": len(t.entrants), "division": entry.division}
        known |= {"open": sum(game.result is None and entry.number in game.seats for game in t.games)}
        stands = get_format(t).build_standing(t, self.row.state, self.row.round)
        if isinstance(stands, Rungs):
            return _build_ladder_line(t, stands, entry, known)
        if stands is not None:
            return Note("cups-mine-knockout" if _is_still_in_bracket(t, entry.number) else "cups-mine-out", known)
        code = (
            "cups-mine-league"
            if self.format.divisions
            else "cups-mine-at-once"
            if self.is_played_at_once
            else "cups-mine-round"
        )
        place = compute_standings(t).get_row(entry.number).place
        return Note(code if any(game.result for game in t.games) else "cups-mine-begun", known | {"place": place})


def list_own_tournaments(session: Session, now: datetime, player: PlayerRow, over: bool = False) -> tuple[Note, ...]:
    """List a line for each tournament in which ``player`` takes part or waits to; ``over``: also for those that have
    ended recently."""
    found = []
    for tournament, entry in tournaments.list_entered_tournaments(session, player.number):
        if tournament.status in tournaments.GOING and entry.state != EntryState.WITHDRAWN:
            found.append(TournamentSummary(session, tournament).build_entry_line(entry, player.language))
        elif over and entry.number and _is_recently_finished(now, tournament):
            code = "cups-mine-over" if entry.place is not None else "cups-mine-ended"
            facts = TournamentSummary(session, tournament).build_tournament_facts(player.language)
            found.append(Note(code, facts | {"place": entry.place}))
    return tuple(found)


def _is_recently_finished(now: datetime, tournament: Tournament) -> bool:
    return tournament.finished_at is not None and (now - tournament.finished_at).days <= AFTERWARDS


def _build_ladder_line(t: TournamentState, rungs: Rungs, entry: TournamentEntry, known: dict[str, Any]) -> Note:
    known |= {"place": rungs.find_rung(entry.number), "of": len(rungs.order)}
    for one in rungs.asked:
        if one.challenged == entry.number and not one.accepted:
            by = t.get_entrant(one.challenger).name
            return Note("cups-mine-challenged", known | {"name": by, "until": one.until})
    return Note("cups-mine-ladder", known)


def _is_still_in_bracket(t: TournamentState, number: int) -> bool:
    """Return whether somebody is still in a bracket: has a game in its last round."""
    last = max((game.round for game in t.games), default=0)
    return any(game.round == last and number in game.seats for game in t.games)


def list_joinable_tournaments(session: Session, player: PlayerRow | None = None) -> list[Tournament]:
    """List the tournaments whose registration is open, and those that one may join while they run, the oldest first;
    without those in which ``player`` has an entry that counts."""
    found = []
    for tournament in tournaments.list_tournaments_in_states(
        session, (TournamentStatus.OPEN, TournamentStatus.RUNNING)
    ):
        entry = tournaments.find_tournament_entry(session, tournament, player) if player else None
        if (entry is None or (entry.state == EntryState.WITHDRAWN and not entry.number)) and StoredTournament(
            session, tournament
        ).get_admission() == "now":
            found.append(tournament)
    return found


def list_joinable_lines(session: Session, player: PlayerRow) -> tuple[Note, ...]:
    """List a line for each tournament that ``player`` could join."""
    return tuple(
        _build_joinable_line(TournamentSummary(session, tournament).build_tournament_facts(player.language), tournament)
        for tournament in list_joinable_tournaments(session, player)
    )


def _build_joinable_line(known: dict[str, Any], tournament: Tournament) -> Note:
    if tournament.status == TournamentStatus.RUNNING:
        return Note("cups-open-late", known)
    if known["most"] and known["count"] >= known["most"]:
        return Note("cups-open-full", known)
    limited = "-places" if known["most"] else ""
    return Note(f"cups-open{limited}" if tournament.closes_at else f"cups-open{limited}-undated", known)
