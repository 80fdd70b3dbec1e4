"""Who takes part: a new tournament, joining and leaving it, the numbers and divisions when it begins."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from moderator import games
from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.common.text import count_noun
from moderator.rules.game import FIRST, Note, new_options
from moderator.service.create import check_time_rules, try_deal
from moderator.service.tournaments.pairings import TournamentGames
from moderator.store import tournaments
from moderator.store.tables import PlayerRow, Tournament, TournamentEntry
from moderator.tournaments import field, formats
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import get_format, round_robin, tables
from moderator.tournaments.formats.contract import State
from moderator.tournaments.formats.swiss import add_late_entrant
from moderator.tournaments.ratings import NEWCOMER
from moderator.tournaments.standings import count_finished_games
from moderator.views import tournament_rows
from moderator.views.ratings import compute_entry_rating, compute_rating_numbers
from moderator.views.tournament_rows import TournamentSettings, encode_tournament_settings, parse_tournament_settings
from moderator.views.unit_of_work import UnitOfWork

SEED_BITS = 48
LONGEST_NAME = 40


def create_tournament(
    work: UnitOfWork,
    name: str,
    game_key: str,
    format_key: str,
    *,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> Tournament:
    """Create a tournament that nobody has joined yet, see ``store_tournament``. Raises OperatorError for anything in it
    that cannot be, also for what the start of its games would refuse, at a table that lacks a seat as well."""
    seats = formats.load_format(format_key).get_most_seats(parse_tournament_settings(settings or {}, format_key))
    values = options or {}
    game = games.load_game(game_key)
    asks = any(one.name == FIRST for one in fields(game.options))
    chosen = new_options(game, {**({FIRST: "seat"} if asks else {}), **values}, f"{game_key} options")
    try_deal(work.cache, game_key, chosen, {*range(games.load_game(game_key).min_seats, seats), seats})
    return store_tournament(work, name, game_key, format_key, options=chosen, settings=settings, **more)


def store_tournament(
    work: UnitOfWork,
    name: str,
    game_key: str,
    format_key: str,
    *,
    options: Mapping[str, Any],
    terms: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
    seed: int | None = None,
    previous: Tournament | None = None,
) -> Tournament:
    """Store a tournament as ``create_tournament``, but without trying its deal: where nothing of it is dealt any
    more."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or any(not c.isprintable() for c in name):
        raise OperatorError(f"{name!r} is no name.", f"Take 1 to {LONGEST_NAME} letters.")
    session, chosen = work.session, parse_tournament_settings(settings or {}, format_key)
    if opens_at and closes_at and closes_at <= opens_at:
        raise OperatorError("The registration would end before it begins.", "Name a later --closes.")
    check_time_rules(work.config, work.now, game_key, terms or {})
    tournament = Tournament(
        code=f"T{tournaments.count_tournaments(session) + 1}",
        name=name,
        game=game_key,
        format=format_key,
        options=dict(options),
        terms=dict(terms or {}),
        settings=encode_tournament_settings(chosen),
        seed=str(secrets.randbits(SEED_BITS) if seed is None else seed),
        opens_at=opens_at,
        closes_at=closes_at,
        next_at=opens_at,
        previous_id=previous.id if previous else None,
        created_at=work.now,
    )
    session.add(tournament)
    session.flush()
    return tournament


def _check_half_unfinished(t: TournamentState) -> None:
    for one in t.entrants:
        done, total = count_finished_games(t, one.number)
        if one.left is None and 2 * done > total:
            raise OperatorError(
                f"{one.name} has finished {done} of {count_noun(total, 'game')}: too late for somebody new.",
                "A newcomer may join until somebody has finished more than half of their games.",
            )


def build_late_entrant_games(t: TournamentState, late_entrant: int) -> list[Game]:
    """Build the games of ``late_entrant`` against all who have not left, as rounds after the last one. Raises
    OperatorError if fewer than two still play."""
    staying = {one.number for one in t.entrants if one.left is None}
    among = [game for game in t.games if staying.issuperset(game.seats)]
    if not among:
        raise OperatorError("Fewer than two still play.", "The tournament ends by itself.")
    later = max(game.round for game in t.games) - max(game.round for game in among)
    return [
        replace(game, round=game.round + later)
        for game in tables.build_late_games(among, late_entrant, get_format(t).twice)
    ]


class TournamentEntrants(TournamentGames):
    """A tournament and who takes part in it."""

    def enter_player(self, player: PlayerRow) -> TournamentEntry:
        """Let the player take part: at once, from the next round on, or on the standby list (``state`` of the entry
        says which).

        Raises OperatorError for someone who is in it already, or a tournament that is over."""
        session, settings = self.session, self.settings
        entry = self.find_entry(player)
        if entry is not None and entry.state != EntryState.WITHDRAWN:
            raise OperatorError(f"{player.name} is in {self.row.code} already.", "See `moderator cup show`.")
        if self.row.status not in (TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING):
            raise OperatorError(f"Tournament {self.row.code} is {self.row.status}.", "See `moderator cup list`.")
        if entry is None:
            entry = TournamentEntry(tournament_id=self.row.number, player_id=player.number, at=self.now)
        elif entry.number:
            raise OperatorError(
                f"{player.name} has left {self.row.code} before.", "Who has left a running one stays out."
            )
        taken, waiting = self.count_taken_places(), self.list_standby_entries()
        entry.state, entry.at = EntryState.IN, self.now
        if settings.most and (taken >= settings.most or waiting):
            entry.state = EntryState.STANDBY  # nobody overtakes those who wait
        elif self.row.status == TournamentStatus.RUNNING:
            self._enter_late(settings, entry, player)
        session.add(entry)
        session.flush()
        return entry

    def _enter_late(self, settings: TournamentSettings, entry: TournamentEntry, player: PlayerRow) -> None:
        """Let somebody join a running tournament: a Swiss one from its next round on, a ladder on the lowest rung."""
        t = self.build_tournament_state()
        if not self.format.is_open_in(settings, self.row.round, t.rounds):
            entry.state = EntryState.STANDBY
            return
        entry.rating = compute_entry_rating(self.session, self.row.game, player)
        number = max((e.number for e in t.entrants), default=0) + 1
        now = self.format.add_entrant(self.row.state, number)
        if now is not None:
            entry.number = number
            self.session.add(entry)
            self.save_format_state(now)
            return
        joined = add_late_entrant(t, player.name, entry.rating, self.row.round + 1)
        entry.number, entry.joined = joined.entrants[-1].number, self.row.round + 1
        known = {(game.round, game.table) for game in t.games}
        self.session.add(entry)
        self.save_pairings(1, [g for g in joined.games if (g.round, g.table) not in known], None)

    def save_format_state(self, now: State) -> None:
        """Save what the tournament's format keeps from now on; the tournament is due for its next step."""
        self.row.state, self.row.next_at = dict(now), self.now

    def fill_free_places(self) -> None:
        """Give free places to those who have waited longest on the standby list; they are notified."""
        running = self.row.status == TournamentStatus.RUNNING
        for player in self._enter_from_standby() if running else self.move_up_standby():
            entry = self.find_entry(player)
            late = "-late" if running and self.format.in_rounds and entry is not None else ""
            facts = {"round": entry.joined} if late and entry is not None else {}
            self.notify_about_tournament("news", [player], [Note(f"cup-moved-up{late}", facts)])

    def _enter_from_standby(self) -> list[PlayerRow]:
        """Let those join the running tournament from the standby list who can; returns them."""
        settings = self.settings
        free = settings.most - self.count_taken_places()
        moved: list[PlayerRow] = []
        for entry, player in self.list_standby_entries():
            if len(moved) < free:
                entry.state = EntryState.IN
                self._enter_late(settings, entry, player)
                self.session.flush()
                moved += [player] if entry.state == EntryState.IN else []
        return moved

    def move_up_standby(self) -> list[PlayerRow]:
        """Give a free place, before the start, to each who has waited longest on the standby list; returns them."""
        most, waiting = self.settings.most, self.list_standby_entries()
        moved = waiting[: max(0, most - self.count_taken_places())] if most else waiting
        for entry, _ in moved:
            entry.state = EntryState.IN
        return [player for _, player in moved]

    def assign_entrant_numbers(self) -> None:
        """Give everybody who is in a division and a number in its table, by ``seeding``, because the tournament
        begins."""
        settings = self.settings
        joined = [one for one in self.list_entered() if one[0].state == EntryState.IN]
        shown = compute_rating_numbers(self.session, self.row.game)
        for entry, player in joined:
            entry.rating = float(shown.get(player.number, NEWCOMER.rounded))
        seeded = field.build_seeded_entrants(
            [(player.name, entry.rating) for entry, player in joined], settings.seeding, int(self.row.seed)
        )
        by_name = {player.name: entry for entry, player in joined}
        order = [by_name[entrant.name] for entrant in seeded]
        parts: Sequence[Sequence[TournamentEntry]] = [order]
        if self.format.divisions:
            parts = self._split_into_divisions(settings, order)
        for division, part in enumerate(parts, 1):
            for place, entry in enumerate(part, 1):
                entry.division, entry.number = division, place
        self.session.flush()

    def _split_into_divisions(
        self, settings: TournamentSettings, order: list[TournamentEntry]
    ) -> list[list[TournamentEntry]]:
        """Split the entrants by strength in the first season, later by who went up and down."""
        by_player = {entry.player_id: entry for entry in order}
        if self.row.previous_id is None:
            found = round_robin.cut_divisions([entry.player_id for entry in order], settings.own.division)
        else:
            found = self._build_league_season(settings, list(by_player))
        return [[by_player[player] for player in division] for division in found]

    def _build_league_season(self, settings: TournamentSettings, joined: Sequence[int]) -> round_robin.Divisions:
        """Build the divisions of the next season; ``joined`` by strength: all who take part in it."""
        before = TournamentEntrants(self.work, self.session.get_one(Tournament, self.row.previous_id))
        tables = before.list_final_tables()
        known = {player for table in tables for player in table}
        earlier = before._load_last_divisions()
        others = [player for player in joined if player not in known]
        return round_robin.build_next_season(
            tables,
            settings.own.division,
            settings.own.movers,
            leaving=known.difference(joined),
            returning=[(player, earlier[player] - 1) for player in others if player in earlier],
            new=[player for player in others if player not in earlier],
        )

    def _load_last_divisions(self) -> dict[int, int]:
        """Load the division that each player was in when it last played in this league."""
        found: dict[int, int] = {}
        season: Tournament | None = self.row
        while season is not None:
            for entry in tournaments.list_numbered_entries(self.session, season):
                found.setdefault(entry.player_id, entry.division)
            season = self.session.get(Tournament, season.previous_id) if season.previous_id else None
        return found

    # ---- joining late ----
    #
    # Somebody joins a running round robin by the moderator's word: one more round, in which they meet everybody.

    def join_round_robin(self, player: PlayerRow) -> list[Game]:
        """Give ``player``, new or on the standby list, the next number (of a league: in its lowest division) and a game
        against everybody who still plays, by the latest end that is published. Everybody is notified.

        Raises OperatorError for someone who is or was in it, where it is full, and when somebody has finished more than
        half of their games already."""
        session, settings = self.session, self.settings
        entry = self.find_entry(player) or TournamentEntry(
            tournament_id=self.row.number, player_id=player.number, at=self.now
        )
        if entry.id is not None and entry.state != EntryState.STANDBY:
            was = "has left" if entry.state == EntryState.WITHDRAWN else "is in"
            raise OperatorError(
                f"{player.name} {was} {self.row.code} already.", f"See `moderator cup show {self.row.code}`."
            )
        taken = self.count_taken_places()
        if settings.most and taken >= settings.most:
            raise OperatorError(
                f"{self.row.code} is full: {taken} of {settings.most} play.", "Somebody would have to leave."
            )
        entry.division = self.list_own_divisions()[-1]
        t = self.build_tournament_state(entry.division)
        _check_half_unfinished(t)
        ends = tournament_rows.list_latest_ends(
            tournament_rows.filter_open_games(tournaments.list_pairings(session, self.row))
        )
        if not ends or max(ends) <= self.now:
            raise OperatorError(
                f"The latest end of {self.row.code} has come.", f"`moderator cup extend {self.row.code}` puts it off."
            )
        entry.number = max(one.number for one in t.entrants) + 1
        games = build_late_entrant_games(t, entry.number)
        entry.state, entry.at, entry.joined = EntryState.IN, self.now, games[0].round
        entry.rating = compute_entry_rating(session, self.row.game, player)
        session.add(entry)
        session.flush()
        self.create_tournament_games(entry.division, games, max(ends))
        beside = [one for e, one in self.list_entered(entry.division) if e.state == EntryState.IN and e.id != entry.id]
        self.notify_about_tournament("news", beside, [Note("cup-late-entry", {"name": player.name})])
        self.notify_about_tournament("news", [player], [Note("cup-let-in", {"count": len(games)})])
        self.row.next_at = self.now
        return games

    def withdraw_player(self, entry: TournamentEntry, player: PlayerRow) -> int:
        """Withdraw ``player``: before the start without a trace, later all open games of theirs in it are given up.
        Returns how many those were. Raises OperatorError for someone who is not in it."""
        if entry.state == EntryState.WITHDRAWN or self.row.status in (
            TournamentStatus.FINISHED,
            TournamentStatus.CANCELLED,
        ):
            raise OperatorError(
                f"{player.name} does not play in {self.row.code} (any more).", "See `moderator cup show`."
            )
        waited = entry.state == EntryState.STANDBY
        entry.state = EntryState.WITHDRAWN
        if self.row.status == TournamentStatus.RUNNING and not waited:
            entry.left = self.row.round + 1
        self.row.next_at = self.now
        self.session.flush()
        if not waited:
            self.fill_free_places()
        if waited or not entry.number:
            return 0
        self.save_format_state(self.format.remove_entrant(self.row.state, entry.number))
        mine = [row for row in self.list_open_pairings(entry.division) if entry.number in row.seats]
        for row in mine:
            self._give_up_game(row, entry.number)
        return len(mine)
