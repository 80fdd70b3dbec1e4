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
from moderator.rules.game import FIRST, Note, new_options
from moderator.service.create import check_time_rules, try_deal
from moderator.service.tournaments import notify, pairing
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.store.tables import PlayerRow, Tournament, TournamentEntry
from moderator.tournaments import designs, field, formats
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import get_format, round_robin
from moderator.tournaments.formats.swiss import add_late_entrant
from moderator.tournaments.ratings import NEWCOMER
from moderator.tournaments.standings import count_finished_games
from moderator.views import tournament_rows
from moderator.views.ratings import compute_entry_rating, compute_rating_numbers
from moderator.views.tournament_rows import (
    TournamentSettings,
    encode_tournament_settings,
    get_tournament_settings,
    parse_tournament_settings,
)
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
    chosen = _build_game_options(game_key, options or {})
    try_deal(work.cache, game_key, chosen, {*range(games.load_game(game_key).min_seats, seats), seats})
    return store_tournament(work, name, game_key, format_key, options=chosen, settings=settings, **more)


def _build_game_options(game_key: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a tournament's games: its pairings say who begins, where a game asks."""
    game = games.load_game(game_key)
    asks = any(one.name == FIRST for one in fields(game.options))
    return new_options(game, {**({FIRST: "seat"} if asks else {}), **values}, f"{game_key} options")


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


def enter_player(work: UnitOfWork, tournament: Tournament, player: PlayerRow) -> TournamentEntry:
    """Let the player take part: at once, from the next round on, or on the standby list (``state`` of the entry says
    which).

    Raises OperatorError for someone who is in it already, or a tournament that is over."""
    session, settings = work.session, get_tournament_settings(tournament)
    entry = tournaments.find_tournament_entry(session, tournament, player)
    if entry is not None and entry.state != EntryState.WITHDRAWN:
        raise OperatorError(f"{player.name} is in {tournament.code} already.", "See `moderator cup show`.")
    if tournament.status not in (TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING):
        raise OperatorError(f"Tournament {tournament.code} is {tournament.status}.", "See `moderator cup list`.")
    if entry is None:
        entry = TournamentEntry(tournament_id=tournament.number, player_id=player.number, at=work.now)
    elif entry.number:
        raise OperatorError(
            f"{player.name} has left {tournament.code} before.", "Who has left a running one stays out."
        )
    taken, waiting = (
        tournament_rows.count_taken_places(session, tournament),
        tournament_rows.list_standby_entries(session, tournament),
    )
    entry.state, entry.at = EntryState.IN, work.now
    if settings.most and (taken >= settings.most or waiting):
        entry.state = EntryState.STANDBY  # nobody overtakes those who wait
    elif tournament.status == TournamentStatus.RUNNING:
        _enter_late(work, tournament, settings, entry, player)
    session.add(entry)
    session.flush()
    return entry


def _enter_late(
    work: UnitOfWork, tournament: Tournament, settings: TournamentSettings, entry: TournamentEntry, player: PlayerRow
) -> None:
    """Let somebody join a running tournament: a Swiss one from its next round on, a ladder on the lowest rung."""
    t = tournament_rows.build_tournament_state(work.session, tournament)
    if not get_format(tournament).is_open_in(settings, tournament.round, t.rounds):
        entry.state = EntryState.STANDBY
        return
    entry.rating = compute_entry_rating(work.session, tournament.game, player)
    number = max((e.number for e in t.entrants), default=0) + 1
    now = get_format(tournament).add_entrant(tournament.state, number)
    if now is not None:
        entry.number = number
        work.session.add(entry)
        tournament_rows.save_format_state(work, tournament, now)
        return
    joined = add_late_entrant(t, player.name, entry.rating, tournament.round + 1)
    entry.number, entry.joined = joined.entrants[-1].number, tournament.round + 1
    known = {(game.round, game.table) for game in t.games}
    work.session.add(entry)
    tournament_rows.save_pairings(
        work.session, tournament, 1, [g for g in joined.games if (g.round, g.table) not in known], None
    )


def fill_free_places(work: UnitOfWork, tournament: Tournament) -> None:
    """Give free places to those who have waited longest on the standby list; they are notified."""
    for player in (
        _enter_from_standby(work, tournament)
        if tournament.status == TournamentStatus.RUNNING
        else move_up_standby(work.session, tournament)
    ):
        notify.notify_about_tournament(
            work, tournament, "news", [player], [Note("cup-moved-up", {"cup": tournament.name})]
        )


def _enter_from_standby(work: UnitOfWork, tournament: Tournament) -> list[PlayerRow]:
    """Let those join the running tournament from the standby list who can; returns them."""
    settings = get_tournament_settings(tournament)
    free = settings.most - tournament_rows.count_taken_places(work.session, tournament)
    moved: list[PlayerRow] = []
    for entry, player in tournament_rows.list_standby_entries(work.session, tournament):
        if len(moved) < free:
            entry.state = EntryState.IN
            _enter_late(work, tournament, settings, entry, player)
            work.session.add(entry)
            work.session.flush()
            moved += [player] if entry.state == EntryState.IN else []
    return moved


def move_up_standby(session: Session, tournament: Tournament) -> list[PlayerRow]:
    """Give a free place, before the start, to each who has waited longest on the standby list; returns them."""
    most, waiting = (
        get_tournament_settings(tournament).most,
        tournament_rows.list_standby_entries(session, tournament),
    )
    moved = waiting[: max(0, most - tournament_rows.count_taken_places(session, tournament))] if most else waiting
    for entry, _ in moved:
        entry.state = EntryState.IN
        session.add(entry)
    return [player for _, player in moved]


def assign_entrant_numbers(session: Session, tournament: Tournament) -> None:
    """Give everybody who is in a division and a number in its table, by ``seeding``, because the tournament begins."""
    settings = get_tournament_settings(tournament)
    joined = [
        one for one in tournaments.list_entries_with_players(session, tournament) if one[0].state == EntryState.IN
    ]
    shown = compute_rating_numbers(session, tournament.game)
    for entry, player in joined:
        entry.rating = float(shown.get(player.number, NEWCOMER.rounded))
    seeded = field.build_seeded_entrants(
        [(player.name, entry.rating) for entry, player in joined], settings.seeding, int(tournament.seed)
    )
    by_name = {player.name: entry for entry, player in joined}
    order = [by_name[entrant.name] for entrant in seeded]
    parts: Sequence[Sequence[TournamentEntry]] = [order]
    if get_format(tournament).divisions:
        parts = _split_into_divisions(session, tournament, settings, order)
    for division, part in enumerate(parts, 1):
        for place, entry in enumerate(part, 1):
            entry.division, entry.number = division, place
            session.add(entry)
    session.flush()


def _split_into_divisions(
    session: Session, tournament: Tournament, settings: TournamentSettings, order: list[TournamentEntry]
) -> list[list[TournamentEntry]]:
    """Split the entrants by strength in the first season, later by who went up and down."""
    by_player = {entry.player_id: entry for entry in order}
    if tournament.previous_id is None:
        found = round_robin.cut_divisions([entry.player_id for entry in order], settings.own.division)
    else:
        found = _build_league_season(session, tournament, settings, list(by_player)).divisions
    return [[by_player[player] for player in division] for division in found]


def _build_league_season(
    session: Session, tournament: Tournament, settings: TournamentSettings, joined: Sequence[int]
) -> round_robin.LeagueSeason:
    """Build the divisions of the next season; ``joined`` by strength: all who take part in it."""
    before = session.get_one(Tournament, tournament.previous_id)
    tables = list_final_tables(session, before)
    known = {player for table in tables for player in table}
    earlier = _load_last_divisions(session, before)
    others = [player for player in joined if player not in known]
    return round_robin.build_next_season(
        tables,
        settings.own.division,
        settings.own.movers,
        leaving=known.difference(joined),
        returning=[(player, earlier[player] - 1) for player in others if player in earlier],
        new=[player for player in others if player not in earlier],
    )


def list_final_tables(session: Session, tournament: Tournament) -> list[list[int]]:
    """List the player ids of a finished season by place, the highest division first; who did not count comes last."""
    order = sorted(
        tournaments.list_numbered_entries(session, tournament),
        key=lambda e: (e.division, e.place is None, e.place or 0, e.number),
    )
    last = max((entry.division for entry in order), default=0)
    return [[e.player_id for e in order if e.division == division] for division in range(1, last + 1)]


def _load_last_divisions(session: Session, tournament: Tournament) -> dict[int, int]:
    """Load the division that each player was in when it last played in this league."""
    found: dict[int, int] = {}
    season: Tournament | None = tournament
    while season is not None:
        for entry in tournaments.list_numbered_entries(session, season):
            found.setdefault(entry.player_id, entry.division)
        season = session.get(Tournament, season.previous_id) if season.previous_id else None
    return found


# ---- joining late ----
#
# Somebody joins a running round robin by the moderator's word: one more round, in which they meet everybody.


def join_round_robin(work: UnitOfWork, tournament: Tournament, player: PlayerRow) -> list[Game]:
    """Give ``player``, new or on the standby list, the next number (of a league: in its lowest division) and a game
    against everybody who still plays, by the latest end that is published. Everybody is notified.

    Raises OperatorError for someone who is or was in it, where it is full, and when somebody has finished more than
    half of their games already."""
    session, settings = work.session, get_tournament_settings(tournament)
    entry = tournaments.find_tournament_entry(session, tournament, player) or TournamentEntry(
        tournament_id=tournament.number, player_id=player.number, at=work.now
    )
    if entry.id is not None and entry.state != EntryState.STANDBY:
        was = "has left" if entry.state == EntryState.WITHDRAWN else "is in"
        raise OperatorError(
            f"{player.name} {was} {tournament.code} already.", f"See `moderator cup show {tournament.code}`."
        )
    taken = tournament_rows.count_taken_places(session, tournament)
    if settings.most and taken >= settings.most:
        raise OperatorError(
            f"{tournament.code} is full: {taken} of {settings.most} play.", "Somebody would have to leave."
        )
    entry.division = tournaments.list_divisions(session, tournament)[-1]
    t = tournament_rows.build_tournament_state(session, tournament, entry.division)
    _check_half_unfinished(t)
    ends = tournament_rows.list_latest_ends(
        tournament_rows.filter_open_games(tournaments.list_pairings(session, tournament))
    )
    if not ends or max(ends) <= work.now:
        raise OperatorError(
            f"The latest end of {tournament.code} has come.", f"`moderator cup extend {tournament.code}` puts it off."
        )
    entry.number = max(one.number for one in t.entrants) + 1
    games = build_late_entrant_games(t, entry.number)
    entry.state, entry.at, entry.joined = EntryState.IN, work.now, games[0].round
    entry.rating = compute_entry_rating(session, tournament.game, player)
    session.add(entry)
    session.flush()
    pairing.create_tournament_games(work, tournament, entry.division, games, max(ends))
    notify.notify_about_tournament(
        work,
        tournament,
        "news",
        notify.list_tournament_players(work.session, tournament),
        [Note("cup-late-entry", {"cup": tournament.name, "name": player.name})],
    )
    tournament.next_at = work.now
    session.add(tournament)
    return games


def _check_half_unfinished(t: TournamentState) -> None:
    for one in t.entrants:
        done, total = count_finished_games(t, one.number)
        if one.left is None and 2 * done > total:
            raise OperatorError(
                f"{one.name} has finished {done} of {total} games: too late for somebody new.",
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
        for game in designs.build_late_games(among, late_entrant, get_format(t).twice)
    ]
