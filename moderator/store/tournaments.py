"""Tournaments, who takes part, their pairings and steps: what is asked of the database about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import String, cast, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, delete, func, select

from moderator.states import EntryState, GameKind, MatchStatus, TournamentRuling, TournamentStatus
from moderator.store.models import (
    Match,
    Player,
    Tournament,
    TournamentEntry,
    TournamentGame,
    TournamentStep,
)

GOING = (TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING)
_NAMES = select(Tournament.name).where(Tournament.status != TournamentStatus.CANCELLED).order_by(col(Tournament.id))
"""Asked in every run, so written out once."""


def every(session: Session) -> Sequence[Tournament]:
    """All, oldest first."""
    return session.exec(select(Tournament).order_by(col(Tournament.id))).all()


def in_states(session: Session, states: Collection[TournamentStatus]) -> Sequence[Tournament]:
    """Those in one of these states, oldest first."""
    query = select(Tournament).where(col(Tournament.status).in_(states))
    return session.exec(query.order_by(col(Tournament.id))).all()


def names(session: Session) -> Sequence[str]:
    """Of all that were not cancelled, oldest first."""
    return session.exec(_NAMES).all()


def count(session: Session) -> int:
    """How many there are."""
    return session.exec(select(func.count()).select_from(Tournament)).one()


def games(session: Session) -> set[str]:
    """Keys of the games of all tournaments."""
    return set(session.exec(select(Tournament.game).distinct()))


def due(session: Session, now: datetime) -> list[int]:
    """Ids of tournaments for which there may be something to do, what has waited longest first."""
    query = select(Tournament.id).where(col(Tournament.next_at) <= now)
    found = session.exec(query.order_by(col(Tournament.next_at), col(Tournament.id)))
    return [number for number in found if number is not None]


def sleep(session: Session, tournament: Tournament, until: datetime | None) -> None:
    """Nothing to do before ``until``; unless another worker has ended a match since we looked, and woken it."""
    as_seen = update(Tournament).where(
        col(Tournament.id) == tournament.id, col(Tournament.next_at) == tournament.next_at
    )
    session.execute(as_seen.values(next_at=until))


def next_seasons(session: Session, tournament: Tournament) -> Sequence[Tournament]:
    """Those that follow a tournament and were not cancelled."""
    query = select(Tournament).where(
        Tournament.previous_id == tournament.number, Tournament.status != TournamentStatus.CANCELLED
    )
    return session.exec(query).all()


# ---- who takes part ----


def of_player(session: Session, player_id: int, states: Collection[TournamentStatus]) -> Sequence[Tournament]:
    """Tournaments in one of these states in which the player takes part or waits to, oldest first."""
    query = select(Tournament).join(TournamentEntry).where(TournamentEntry.player_id == player_id)
    query = query.where(TournamentEntry.state != EntryState.WITHDRAWN, col(Tournament.status).in_(states))
    return session.exec(query.order_by(col(Tournament.id))).all()


def with_entry(session: Session, player_id: int) -> Sequence[tuple[Tournament, TournamentEntry]]:
    """Every tournament that the player has ever entered, oldest first."""
    query = select(Tournament, TournamentEntry).join(TournamentEntry).where(TournamentEntry.player_id == player_id)
    return session.exec(query.order_by(col(Tournament.id))).all()


def moved_since(session: Session, player_id: int, since: datetime) -> Sequence[Tournament]:
    """The player's running tournaments in which a game of the same division has ended after that, oldest first."""
    ended = (
        select(TournamentGame.id)
        .join(Match, col(Match.id) == col(TournamentGame.match_id))
        .where(
            TournamentGame.tournament_id == Tournament.id,
            TournamentGame.division == TournamentEntry.division,
            col(Match.finished_at) > since,
        )
    )
    query = select(Tournament).join(TournamentEntry, col(TournamentEntry.tournament_id) == col(Tournament.id))
    query = query.where(
        TournamentEntry.player_id == player_id,
        TournamentEntry.state == EntryState.IN,
        Tournament.status == TournamentStatus.RUNNING,
    )
    return session.exec(query.where(ended.exists()).order_by(col(Tournament.id))).all()


def entries(
    session: Session, tournament: Tournament, division: int | None = None
) -> list[tuple[TournamentEntry, Player]]:
    """Everybody in it, also who waits or has left: by division and number, before the start by the time of joining."""
    query = select(TournamentEntry, Player).join(Player, col(Player.id) == col(TournamentEntry.player_id))
    query = query.where(TournamentEntry.tournament_id == tournament.number)
    if division is not None:
        query = query.where(TournamentEntry.division == division)
    entry = TournamentEntry
    return list(session.exec(query.order_by(col(entry.division), col(entry.number), col(entry.at), col(entry.id))))


def entry_of(session: Session, tournament: Tournament, player: Player) -> TournamentEntry | None:
    """The player's row, also one that was withdrawn."""
    query = select(TournamentEntry).where(
        TournamentEntry.tournament_id == tournament.number, TournamentEntry.player_id == player.number
    )
    return session.exec(query).first()


def entrants(session: Session, tournament: Tournament) -> Sequence[TournamentEntry]:
    """Who has a number in it, whoever joined first."""
    query = select(TournamentEntry).where(
        TournamentEntry.tournament_id == tournament.number, TournamentEntry.number > 0
    )
    return session.exec(query.order_by(col(TournamentEntry.id))).all()


def entry_rows(session: Session, tournament: Tournament) -> Sequence[TournamentEntry]:
    """Everybody in it, also who waits or has left."""
    return session.exec(select(TournamentEntry).where(TournamentEntry.tournament_id == tournament.number)).all()


def divisions(session: Session, tournament: Tournament) -> list[int]:
    """From 1 = highest; [] before the start."""
    query = select(TournamentEntry.division).where(
        TournamentEntry.tournament_id == tournament.number, TournamentEntry.number > 0
    )
    return sorted(session.exec(query.distinct()))


# ---- pairings ----


def pairings(session: Session, tournament: Tournament, division: int | None = None) -> list[TournamentGame]:
    """All, by division, round and board."""
    query = select(TournamentGame).where(TournamentGame.tournament_id == tournament.number)
    if division is not None:
        query = query.where(TournamentGame.division == division)
    order = (col(TournamentGame.division), col(TournamentGame.round), col(TournamentGame.board))
    return list(session.exec(query.order_by(*order)))


def pairing_of(session: Session, match_id: int) -> TournamentGame | None:
    """The pairing that a match was made for."""
    return session.exec(select(TournamentGame).where(TournamentGame.match_id == match_id)).first()


def matches_of(session: Session, tournament: Tournament) -> dict[int, Match]:
    """Its matches by primary key."""
    query = select(Match).join(TournamentGame, col(TournamentGame.match_id) == col(Match.id))
    return {
        match.number: match for match in session.exec(query.where(TournamentGame.tournament_id == tournament.number))
    }


def undealt(session: Session, tournament: Tournament) -> set[int]:
    """Primary keys of its matches that nobody has seen yet."""
    query = select(TournamentGame.match_id).join(Match, col(TournamentGame.match_id) == col(Match.id))
    query = query.where(TournamentGame.tournament_id == tournament.number, Match.status == MatchStatus.OPEN)
    return {number for number in session.exec(query) if number is not None}


def decided(session: Session) -> dict[int, tuple[TournamentRuling, dict[str, Any]]]:
    """Of the games of tournaments that were not played to the end: match -> how it was settled, result as JSON."""
    game = TournamentGame
    query = sql_select(*map(col, (game.match_id, game.ruling, game.result))).where(
        col(game.ruling) != TournamentRuling.PLAYED, col(game.match_id).is_not(None)
    )
    return {match: (ruling, dict(result)) for match, ruling, result in session.execute(query) if result}


# ---- for pages and checks ----


def named_entries(session: Session) -> Sequence[tuple[TournamentEntry, str]]:
    """Everybody in any tournament, with names: by division and number, before the start by the time of joining."""
    query = select(TournamentEntry, Player.name).join(Player, col(Player.id) == col(TournamentEntry.player_id))
    order = (col(TournamentEntry.division), col(TournamentEntry.number), col(TournamentEntry.id))
    return session.exec(query.order_by(*order)).all()


def places(session: Session) -> dict[tuple[int, int, int], int]:
    """(tournament, division, number) -> player."""
    query = select(
        TournamentEntry.tournament_id, TournamentEntry.division, TournamentEntry.number, TournamentEntry.player_id
    )
    return {(tournament, division, number): player for tournament, division, number, player in session.exec(query)}


def in_trouble(session: Session) -> Sequence[Tournament]:
    """Those of which a step waits for the moderator, oldest first."""
    return session.exec(select(Tournament).where(Tournament.trouble != "").order_by(col(Tournament.id))).all()


def with_latest_end(session: Session) -> Sequence[tuple[TournamentGame, Tournament]]:
    """Pairings of running tournaments that have a latest end."""
    query = select(TournamentGame, Tournament).join(Tournament)
    query = query.where(Tournament.status == TournamentStatus.RUNNING, col(TournamentGame.ends_at).is_not(None))
    return session.exec(query).all()


def plain(session: Session) -> dict[int, tuple[Any, ...]]:
    """Tournament -> settings, options, terms and state as they are written; their JSON is not read."""
    values = (Tournament.settings, Tournament.options, Tournament.terms, Tournament.state)
    found: Any = session.connection().execute(
        sql_select(col(Tournament.id), *(cast(column, String) for column in values))
    )
    return {row[0]: tuple(row[1:]) for row in found}


class PlainPairing(NamedTuple):
    """A pairing of which the JSON is not read."""

    division: int
    round: int
    board: int
    kind: GameKind
    match_id: int | None
    ruling: TournamentRuling
    seats: str
    result: str | None
    ends_at: datetime | None


def plain_pairings(session: Session) -> dict[int, list[PlainPairing]]:
    """Tournament -> its pairings in the order in which they were made."""
    game = TournamentGame
    columns = (game.tournament_id, game.division, game.round, game.board, game.kind, game.match_id, game.ruling)
    query = sql_select(*map(col, columns), cast(game.seats, String), cast(game.result, String), col(game.ends_at))
    found: dict[int, list[PlainPairing]] = {}
    rows: Any = session.connection().execute(query.order_by(col(game.id)))
    for row in rows:
        found.setdefault(row[0], []).append(PlainPairing(*row[1:]))
    return found


def with_matches(
    session: Session, unread: Collection[tuple[str, int]] = ()
) -> Sequence[tuple[TournamentGame, Tournament, Match]]:
    """Every pairing that is played as a match, oldest first; without those of an ``unread`` row (table, number)."""
    query = select(TournamentGame, Tournament, Match)
    query = query.join(Tournament, col(Tournament.id) == TournamentGame.tournament_id)
    query = query.join(Match, col(Match.id) == TournamentGame.match_id)
    for model in (TournamentGame, Tournament, Match):
        query = query.where(col(model.id).not_in([row for table, row in unread if table == model.__tablename__]))
    return session.exec(query.order_by(col(TournamentGame.id))).all()


# ---- steps ----


def steps_of_all(session: Session) -> dict[int, list[tuple[str, datetime]]]:
    """Tournament -> (step, when it was done), in that order."""
    query = select(TournamentStep.tournament_id, TournamentStep.step, TournamentStep.at)
    found: dict[int, list[tuple[str, datetime]]] = {}
    for tournament, step, at in session.exec(query.order_by(col(TournamentStep.id))):
        found.setdefault(tournament, []).append((step, at))
    return found


def steps_since(session: Session, since: datetime) -> Sequence[str]:
    """What was done of all tournaments after that: pair:2, report:1, …"""
    return session.exec(select(TournamentStep.step).where(TournamentStep.at > since)).all()


def steps(session: Session, tournament: Tournament) -> Sequence[TournamentStep]:
    """What is stamped as done, in that order."""
    query = select(TournamentStep).where(TournamentStep.tournament_id == tournament.number)
    return session.exec(query.order_by(col(TournamentStep.id))).all()


def steps_done(session: Session, tournament: Tournament) -> set[str]:
    """Names of the steps that are stamped as done."""
    return set(session.exec(select(TournamentStep.step).where(TournamentStep.tournament_id == tournament.number)))


def forget_step(session: Session, tournament: Tournament, step: str) -> None:
    """Have it done once more."""
    stamped = col(TournamentStep.tournament_id) == tournament.number, col(TournamentStep.step) == step
    session.exec(delete(TournamentStep).where(*stamped))
