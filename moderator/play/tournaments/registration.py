"""Who takes part: a new tournament, joining and leaving it, the numbers and divisions when it begins."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from moderator import games
from moderator.club.desk import Desk
from moderator.club.ratings import before, current
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import Settings, plain, read, settings_of
from moderator.errors import OperatorError
from moderator.match.contract import FIRST, Note, new_options
from moderator.outbox import tournament_mails
from moderator.play.create import check_terms
from moderator.play.tournaments import pairing
from moderator.play.trial_deal import try_deal
from moderator.states import EntryState, TournamentStatus
from moderator.store import tournaments
from moderator.store.db import Session
from moderator.store.models import Player, Tournament, TournamentEntry
from moderator.tournaments import designs, field, formats
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import of, robin
from moderator.tournaments.formats.swiss import join as late_byes
from moderator.tournaments.rating import NEWCOMER
from moderator.tournaments.standings import finished_share

SEED_BITS = 48
LONGEST_NAME = 40


def new_tournament(
    desk: Desk,
    name: str,
    game_key: str,
    format: str,
    *,
    options: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> Tournament:
    """A tournament that nobody has joined yet, see ``set_up``. Raises OperatorError for anything in it that cannot be,
    also for what the start of its games would refuse, at a table that lacks a seat as well."""
    seats = formats.load(format).seats(read(settings or {}, format))
    chosen = _options(game_key, options or {})
    try_deal(desk.cache, game_key, chosen, {*range(games.load(game_key).min_seats, seats), seats})
    return set_up(desk, name, game_key, format, options=chosen, settings=settings, **more)


def _options(game_key: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Of a tournament's games: its pairings say who begins, where a game asks."""
    game = games.load(game_key)
    asks = any(one.name == FIRST for one in fields(game.options))
    return new_options(game, {**({FIRST: "seat"} if asks else {}), **values}, f"{game_key} options")


def set_up(
    desk: Desk,
    name: str,
    game_key: str,
    format: str,
    *,
    options: Mapping[str, Any],
    terms: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
    seed: int | None = None,
    previous: Tournament | None = None,
) -> Tournament:
    """The same where nothing of it is dealt any more. ``options``: all of them, as ``new_options`` makes them."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or any(not c.isprintable() for c in name):
        raise OperatorError(f"{name!r} is no name.", f"Take 1 to {LONGEST_NAME} letters.")
    session, chosen = desk.session, read(settings or {}, format)
    if opens_at and closes_at and closes_at <= opens_at:
        raise OperatorError("The registration would end before it begins.", "Name a later --closes.")
    check_terms(desk, game_key, terms or {})
    tournament = Tournament(
        code=f"T{tournaments.count(session) + 1}",
        name=name,
        game=game_key,
        format=format,
        options=dict(options),
        terms=dict(terms or {}),
        settings=plain(chosen),
        seed=str(secrets.randbits(SEED_BITS) if seed is None else seed),
        opens_at=opens_at,
        closes_at=closes_at,
        next_at=opens_at,
        previous_id=previous.id if previous else None,
        created_at=desk.now,
    )
    session.add(tournament)
    session.flush()
    return tournament


def enter(desk: Desk, tournament: Tournament, player: Player) -> TournamentEntry:
    """Take part: at once, from the next round on, or on the standby list (``state`` of the entry says which).

    Raises OperatorError for someone who is in it already, or a tournament that is over."""
    session, settings = desk.session, settings_of(tournament)
    entry = tournaments.entry_of(session, tournament, player)
    if entry is not None and entry.state != EntryState.WITHDRAWN:
        raise OperatorError(f"{player.name} is in {tournament.code} already.", "See `moderator cup show`.")
    if tournament.status not in (TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING):
        raise OperatorError(f"Tournament {tournament.code} is {tournament.status}.", "See `moderator cup list`.")
    if entry is None:
        entry = TournamentEntry(tournament_id=tournament.number, player_id=player.number, at=desk.now)
    elif entry.number:
        raise OperatorError(
            f"{player.name} has left {tournament.code} before.", "Who has left a running one stays out."
        )
    taken, waiting = rows.taken(session, tournament), rows.standby(session, tournament)
    entry.state, entry.at = EntryState.IN, desk.now
    if settings.most and (taken >= settings.most or waiting):
        entry.state = EntryState.STANDBY  # nobody overtakes those who wait
    elif tournament.status == TournamentStatus.RUNNING:
        _late(desk, tournament, settings, entry, player)
    session.add(entry)
    session.flush()
    return entry


def _late(desk: Desk, tournament: Tournament, settings: Settings, entry: TournamentEntry, player: Player) -> None:
    """Somebody joins a running tournament: a Swiss one from its next round on, a ladder on the lowest rung."""
    t = rows.state_of(desk.session, tournament)
    if not of(tournament).takes_late(settings, tournament.round, t.rounds):
        entry.state = EntryState.STANDBY
        return
    entry.rating = before(desk.session, tournament.game, player)
    number = max((e.number for e in t.entrants), default=0) + 1
    now = of(tournament).joined(tournament.state, number)
    if now is not None:
        entry.number = number
        desk.session.add(entry)
        rows.save_state(desk, tournament, now)
        return
    joined = late_byes(t, player.name, entry.rating, tournament.round + 1)
    entry.number, entry.joined = joined.entrants[-1].number, tournament.round + 1
    known = {(game.round, game.table) for game in t.games}
    desk.session.add(entry)
    rows.store(desk.session, tournament, 1, [g for g in joined.games if (g.round, g.table) not in known], None)


def fill(desk: Desk, tournament: Tournament) -> None:
    """Free places go to those who have waited longest on the standby list; they are told."""
    for player in (
        _late_ones(desk, tournament) if tournament.status == TournamentStatus.RUNNING else move_up(desk, tournament)
    ):
        tournament_mails.send(desk, tournament, "news", [player], [Note("cup-moved-up", {"cup": tournament.name})])


def _late_ones(desk: Desk, tournament: Tournament) -> list[Player]:
    """Who can join the running tournament from the standby list has done so."""
    settings = settings_of(tournament)
    free = settings.most - rows.taken(desk.session, tournament)
    moved: list[Player] = []
    for entry, player in rows.standby(desk.session, tournament):
        if len(moved) < free:
            entry.state = EntryState.IN
            _late(desk, tournament, settings, entry, player)
            desk.session.add(entry)
            desk.session.flush()
            moved += [player] if entry.state == EntryState.IN else []
    return moved


def move_up(desk: Desk, tournament: Tournament) -> list[Player]:
    """Before the start: who has waited longest on the standby list gets a free place. Who has."""
    most, waiting = settings_of(tournament).most, rows.standby(desk.session, tournament)
    moved = waiting[: max(0, most - rows.taken(desk.session, tournament))] if most else waiting
    for entry, _ in moved:
        entry.state = EntryState.IN
        desk.session.add(entry)
    return [player for _, player in moved]


def number(desk: Desk, tournament: Tournament) -> None:
    """The tournament begins: everybody who is in gets a division and a number in its table, by ``seeding``."""
    settings = settings_of(tournament)
    joined = [one for one in tournaments.entries(desk.session, tournament) if one[0].state == EntryState.IN]
    shown = current(desk.session, tournament.game)
    for entry, player in joined:
        entry.rating = float(shown.get(player.number, NEWCOMER.shown))
    seeded = field.seeded(
        [(player.name, entry.rating) for entry, player in joined], settings.seeding, int(tournament.seed)
    )
    by_name = {player.name: entry for entry, player in joined}
    order = [by_name[entrant.name] for entrant in seeded]
    parts: Sequence[Sequence[TournamentEntry]] = [order]
    if of(tournament).divisions:
        parts = _divisions(desk, tournament, settings, order)
    for division, part in enumerate(parts, 1):
        for place, entry in enumerate(part, 1):
            entry.division, entry.number = division, place
            desk.session.add(entry)
    desk.session.flush()


def _divisions(
    desk: Desk, tournament: Tournament, settings: Settings, order: list[TournamentEntry]
) -> list[list[TournamentEntry]]:
    """By strength in the first season, later by who went up and down."""
    by_player = {entry.player_id: entry for entry in order}
    if tournament.previous_id is None:
        found = robin.cut([entry.player_id for entry in order], settings.own.division)
    else:
        found = _next_season(desk, tournament, settings, list(by_player)).divisions
    return [[by_player[player] for player in division] for division in found]


def _next_season(desk: Desk, tournament: Tournament, settings: Settings, joined: Sequence[int]) -> robin.Season:
    """``joined`` by strength: all who take part in this season."""
    before = desk.session.get_one(Tournament, tournament.previous_id)
    tables = final_tables(desk.session, before)
    known = {player for table in tables for player in table}
    earlier = _last_divisions(desk.session, before)
    others = [player for player in joined if player not in known]
    return robin.next_season(
        tables,
        settings.own.division,
        settings.own.movers,
        leaving=known.difference(joined),
        returning=[(player, earlier[player] - 1) for player in others if player in earlier],
        new=[player for player in others if player not in earlier],
    )


def final_tables(session: Session, tournament: Tournament) -> list[list[int]]:
    """Player ids of a finished season by place, the highest division first; who did not count comes last."""
    order = sorted(
        tournaments.entrants(session, tournament), key=lambda e: (e.division, e.place is None, e.place or 0, e.number)
    )
    last = max((entry.division for entry in order), default=0)
    return [[e.player_id for e in order if e.division == division] for division in range(1, last + 1)]


def _last_divisions(session: Session, tournament: Tournament) -> dict[int, int]:
    """The division each player was in when it last played in this league."""
    found: dict[int, int] = {}
    season: Tournament | None = tournament
    while season is not None:
        for entry in tournaments.entrants(session, season):
            found.setdefault(entry.player_id, entry.division)
        season = session.get(Tournament, season.previous_id) if season.previous_id else None
    return found


# ---- joining late ----
#
# Somebody joins a running round robin by the moderator's word: one more round, in which they meet everybody.


def join_robin(desk: Desk, tournament: Tournament, player: Player) -> list[Game]:
    """``player``, new or on the standby list, gets the next number (of a league: in its lowest division) and a game
    against everybody who still plays, by the latest end that is published. Everybody is told.

    Raises OperatorError for someone who is or was in it, where it is full, and when somebody has finished more than
    half of their games already."""
    session, settings = desk.session, settings_of(tournament)
    entry = tournaments.entry_of(session, tournament, player) or TournamentEntry(
        tournament_id=tournament.number, player_id=player.number, at=desk.now
    )
    if entry.id is not None and entry.state != EntryState.STANDBY:
        was = "has left" if entry.state == EntryState.WITHDRAWN else "is in"
        raise OperatorError(
            f"{player.name} {was} {tournament.code} already.", f"See `moderator cup show {tournament.code}`."
        )
    taken = rows.taken(session, tournament)
    if settings.most and taken >= settings.most:
        raise OperatorError(
            f"{tournament.code} is full: {taken} of {settings.most} play.", "Somebody would have to leave."
        )
    entry.division = tournaments.divisions(session, tournament)[-1]
    t = rows.state_of(session, tournament, entry.division)
    _check_half(t)
    ends = rows.latest_ends(rows.open_games(tournaments.pairings(session, tournament)))
    if not ends or max(ends) <= desk.now:
        raise OperatorError(
            f"The latest end of {tournament.code} has come.", f"`moderator cup extend {tournament.code}` puts it off."
        )
    entry.number = max(one.number for one in t.entrants) + 1
    games = games_of(t, entry.number)
    entry.state, entry.at, entry.joined = EntryState.IN, desk.now, games[0].round
    entry.rating = before(session, tournament.game, player)
    session.add(entry)
    session.flush()
    pairing.lay_out(desk, tournament, entry.division, games, max(ends))
    tournament_mails.send(
        desk,
        tournament,
        "news",
        tournament_mails.players(desk, tournament),
        [Note("cup-late-entry", {"cup": tournament.name, "name": player.name})],
    )
    tournament.next_at = desk.now
    session.add(tournament)
    return games


def _check_half(t: TournamentState) -> None:
    for one in t.entrants:
        done, total = finished_share(t, one.number)
        if one.left is None and 2 * done > total:
            raise OperatorError(
                f"{one.name} has finished {done} of {total} games: too late for somebody new.",
                "A newcomer may join until somebody has finished more than half of their games.",
            )


def games_of(t: TournamentState, newcomer: int) -> list[Game]:
    """The games of ``newcomer`` against all who have not left, as rounds after the last one. Raises OperatorError if
    fewer than two still play."""
    staying = {one.number for one in t.entrants if one.left is None}
    among = [game for game in t.games if staying.issuperset(game.seats)]
    if not among:
        raise OperatorError("Fewer than two still play.", "The tournament ends by itself.")
    later = max(game.round for game in t.games) - max(game.round for game in among)
    return [replace(game, round=game.round + later) for game in designs.late(among, newcomer, of(t).twice)]
