"""A tournament as its readers see it: read once, then told to each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import at_once, of_round
from moderator.club.tournaments.settings import settings_of
from moderator.errors import OperatorError
from moderator.pages.tournament_view import Topic, TournamentGameLine, TournamentTable, TournamentTie, TournamentView
from moderator.states import EntryState, GameKind, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Match, Player, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments.crosstable import crosstable, number_text
from moderator.tournaments.field import Result, TournamentState
from moderator.tournaments.formats import knockout, ladder, of, robin
from moderator.tournaments.formats.ladder import Ladder
from moderator.tournaments.standings import final_places, progress

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
            ends_at=max(rows.latest_ends(self.round), default=None),
            seats=of(tournament).seats(settings),
            legs=of(tournament).games_of_two(settings),
            reach=getattr(settings.own, "reach", 0),
            division=getattr(settings.own, "division", 0),
            at_once=at_once(tournament),
            adjudicate=settings.adjudicate,
            fields=tuple(tuple(n for (d, _), n in self.names.items() if d == one) for one in self.divisions),
        )

    @cached_property
    def round(self) -> list[TournamentGame]:
        """The pairings that are shown: a ladder has no rounds, only games that are open."""
        if of(self.tournament).challenges:
            return rows.open_games(tournaments.pairings(self.desk.session, self.tournament))
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
        result = None if row.result is None else Result.from_json(row.result)
        match = self.matches.get(row.match_id or 0)
        return TournamentGameLine(
            round=row.round,
            board=row.board,
            names=tuple(self.names[row.division, number] for number in row.seats),
            match=match.code if match else "",
            kind=row.kind,
            points=() if result is None else tuple(map(number_text, result.points)),
            scores=result.scores if result is not None and row.kind == GameKind.GAME else (),
            ruling=row.ruling,
            division=row.division,
        )

    def tables(self, last: bool = False) -> tuple[TournamentTable, ...]:
        """Of all divisions; ``last``: with the way there."""
        if last not in self._tables:
            self._tables[last] = tuple(self._table(d, t, last) for d, t in sorted(self.states.items()))
        return self._tables[last]

    def _table(self, division: int, t: TournamentState, last: bool) -> TournamentTable:
        names = {entrant.number: entrant.name for entrant in t.entrants}
        if of(t).challenges:
            now = Ladder.from_json(self.tournament.state)
            rungs = tuple((at, names[number]) for at, number in enumerate(now.rungs, 1))
            challenges = ((names[c.challenger], names[c.challenged], c.accepted is not None) for c in now.challenges)
            return TournamentTable(division, order=rungs, challenges=tuple(challenges))
        if of(t).eliminates:
            order = knockout.placing(t) if last else ()
            ties = tuple(tie for round in range(1, self.tournament.round + 1) for tie in ties_of_round(t, round))
            return TournamentTable(division, order=tuple((place, names[number]) for place, number in order), ties=ties)
        running = self.tournament.status == TournamentStatus.RUNNING
        table = crosstable(t, final_places(t) if running else None)
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
        if (
            mine is None
            or not of(self.tournament).challenges
            or self.tournament.status != TournamentStatus.RUNNING
            or mine.state != EntryState.IN
        ):
            return ()
        now, today = rows.ladder_of(self.tournament), self.desk.today
        away = rows.on_leave(self.desk, self.tournament)
        return tuple(self.names[1, number] for number in ladder.possible(now, mine.number, today, away))


def ties_of_round(t: TournamentState, round: int) -> Iterator[TournamentTie]:
    """The ties of a round; none while a result before it has been taken back."""
    try:
        ties = knockout.ties(t, round)
    except OperatorError:
        return
    for tie in ties:
        numbers = [number for number in (tie.better, tie.other) if number is not None]
        games = [g for g in t.games if g.round == round and g.table in (2 * tie.number - 1, 2 * tie.number)]
        try:
            winner, _ = knockout.outcome(t, round, tie)
        except OperatorError:
            winner = 0
        done = tie.other is not None and any(game.result is not None for game in games)
        points = [sum((game.points(number) for game in games), Fraction(0)) for number in numbers]
        yield TournamentTie(
            round,
            tuple(t.entrant(number).name for number in numbers),
            tuple(map(number_text, points)) if done else (),
            numbers.index(winner) if winner in numbers else None,
            third=round == t.rounds and tie.number == 2,
        )
