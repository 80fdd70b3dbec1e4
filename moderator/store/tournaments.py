"""Tournaments, who takes part, their pairings and steps: what is asked of the database about them; and what a club has
brought along of its games of before: results of games that were finished elsewhere, and ratings with which players
begin. There is no match behind any of that; it counts for the ratings."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import String, cast, update
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, delete, func, select

from moderator.common.enums import EntryState, GameKind, MatchStatus, TournamentRuling, TournamentStatus
from moderator.store import key_values
from moderator.store.tables import MatchRow, PlayerRow, Tournament, TournamentEntry, TournamentGame, TournamentStepRow

_KEY = "moved-in:"
"""Before the code of what was taken in at once; its number follows, so that they come in order."""


@dataclass(frozen=True)
class OldResult:
    """A game that was finished elsewhere."""

    finished_at: datetime
    game: str
    players: tuple[int, ...]
    """Primary keys in seat order."""
    outcome: dict[str, Any]
    """As ``rules/ending.py`` has it."""


@dataclass(frozen=True)
class FirstRating:
    """The rating with which a player begins in a game."""

    player: int
    game: str
    mu: float
    sigma: float
    games: int
    """From which it comes."""


@dataclass(frozen=True)
class OldResultsBatch:
    """Results and ratings that were moved in at once."""

    code: str
    """R1, R2, …"""
    at: datetime
    results: tuple[OldResult, ...]
    ratings: tuple[FirstRating, ...]


def list_old_results(session: Session) -> list[OldResultsBatch]:
    """List all batches, in the order in which they were moved in."""
    rows = sorted(key_values.list_values_by_prefix(session, _KEY), key=lambda row: int(row.key.removeprefix(_KEY)))
    return [_decode_batch(f"R{row.key.removeprefix(_KEY)}", json.loads(row.value)) for row in rows]


def add_old_results_batch(
    session: Session, at: datetime, results: Sequence[OldResult], ratings: Sequence[FirstRating]
) -> str:
    """Store a batch; returns its code."""
    number = max((int(one.code.removeprefix("R")) for one in list_old_results(session)), default=0) + 1
    values = {
        "at": at.isoformat(),
        "results": [asdict(one) | {"finished_at": one.finished_at.isoformat()} for one in results],
        "ratings": [asdict(one) for one in ratings],
    }
    key_values.save_value(session, f"{_KEY}{number}", json.dumps(values))
    return f"R{number}"


def delete_old_results_batch(session: Session, code: str) -> None:
    """Delete a batch, as if it had never been moved in."""
    key_values.delete_value(session, f"{_KEY}{code.removeprefix('R')}")


def _decode_batch(code: str, values: dict[str, Any]) -> OldResultsBatch:
    return OldResultsBatch(
        code,
        datetime.fromisoformat(values["at"]),
        tuple(
            OldResult(datetime.fromisoformat(one["finished_at"]), one["game"], tuple(one["players"]), one["outcome"])
            for one in values["results"]
        ),
        tuple(FirstRating(**one) for one in values["ratings"]),
    )


GOING = (TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING)
_NAMES = select(Tournament.name).where(Tournament.status != TournamentStatus.CANCELLED).order_by(col(Tournament.id))
"""Asked in every run, so written out once."""


def list_all_tournaments(session: Session) -> Sequence[Tournament]:
    """List all tournaments, oldest first."""
    return session.exec(select(Tournament).order_by(col(Tournament.id))).all()


def list_tournaments_in_states(session: Session, states: Collection[TournamentStatus]) -> Sequence[Tournament]:
    """List the tournaments in one of these states, oldest first."""
    query = select(Tournament).where(col(Tournament.status).in_(states))
    return session.exec(query.order_by(col(Tournament.id))).all()


def list_tournament_names(session: Session) -> Sequence[str]:
    """List the names of all tournaments that were not cancelled, oldest first."""
    return session.exec(_NAMES).all()


def count_tournaments(session: Session) -> int:
    """Count all tournaments."""
    return session.exec(select(func.count()).select_from(Tournament)).one()


def load_tournament_games(session: Session) -> set[str]:
    """Load the keys of the games of all tournaments."""
    return set(session.exec(select(Tournament.game).distinct()))


def list_due_tournaments(session: Session, now: datetime) -> list[int]:
    """List the ids of tournaments for which there may be something to do, those that have waited longest first."""
    query = select(Tournament.id).where(col(Tournament.next_at) <= now)
    found = session.exec(query.order_by(col(Tournament.next_at), col(Tournament.id)))
    return [number for number in found if number is not None]


def defer_tournament(session: Session, tournament: Tournament, until: datetime | None) -> None:
    """Set the tournament's next time to ``until``; not if another worker has ended a match since we looked, and woken
    it."""
    as_seen = update(Tournament).where(
        col(Tournament.id) == tournament.id, col(Tournament.next_at) == tournament.next_at
    )
    session.execute(as_seen.values(next_at=until))


def list_next_seasons(session: Session, tournament: Tournament) -> Sequence[Tournament]:
    """List the tournaments that follow this one and were not cancelled."""
    query = select(Tournament).where(
        Tournament.previous_id == tournament.number, Tournament.status != TournamentStatus.CANCELLED
    )
    return session.exec(query).all()


# ---- who takes part ----


def list_tournaments_of_player(
    session: Session, player_id: int, states: Collection[TournamentStatus]
) -> Sequence[Tournament]:
    """List the tournaments in one of these states in which the player takes part or waits to, oldest first."""
    query = select(Tournament).join(TournamentEntry).where(TournamentEntry.player_id == player_id)
    query = query.where(TournamentEntry.state != EntryState.WITHDRAWN, col(Tournament.status).in_(states))
    return session.exec(query.order_by(col(Tournament.id))).all()


def list_entered_tournaments(session: Session, player_id: int) -> Sequence[tuple[Tournament, TournamentEntry]]:
    """List every tournament that the player has ever entered, with the entry, oldest first."""
    query = select(Tournament, TournamentEntry).join(TournamentEntry).where(TournamentEntry.player_id == player_id)
    return session.exec(query.order_by(col(Tournament.id))).all()


def list_tournaments_moved_since(session: Session, player_id: int, since: datetime) -> Sequence[Tournament]:
    """List the player's running tournaments in which a game of the same division has ended after that, oldest first."""
    ended = (
        select(TournamentGame.id)
        .join(MatchRow, col(MatchRow.id) == col(TournamentGame.match_id))
        .where(
            TournamentGame.tournament_id == Tournament.id,
            TournamentGame.division == TournamentEntry.division,
            col(MatchRow.finished_at) > since,
        )
    )
    query = select(Tournament).join(TournamentEntry, col(TournamentEntry.tournament_id) == col(Tournament.id))
    query = query.where(
        TournamentEntry.player_id == player_id,
        TournamentEntry.state == EntryState.IN,
        Tournament.status == TournamentStatus.RUNNING,
    )
    return session.exec(query.where(ended.exists()).order_by(col(Tournament.id))).all()


def list_entries_with_players(
    session: Session, tournament: Tournament, division: int | None = None
) -> list[tuple[TournamentEntry, PlayerRow]]:
    """List everybody in a tournament, those who wait or have left included: by division and number, before the start by
    the time of joining."""
    query = select(TournamentEntry, PlayerRow).join(PlayerRow, col(PlayerRow.id) == col(TournamentEntry.player_id))
    query = query.where(TournamentEntry.tournament_id == tournament.number)
    if division is not None:
        query = query.where(TournamentEntry.division == division)
    entry = TournamentEntry
    return list(session.exec(query.order_by(col(entry.division), col(entry.number), col(entry.at), col(entry.id))))


def find_tournament_entry(session: Session, tournament: Tournament, player: PlayerRow) -> TournamentEntry | None:
    """Find the player's row, also one that was withdrawn."""
    query = select(TournamentEntry).where(
        TournamentEntry.tournament_id == tournament.number, TournamentEntry.player_id == player.number
    )
    return session.exec(query).first()


def list_numbered_entries(session: Session, tournament: Tournament) -> Sequence[TournamentEntry]:
    """List the entries that have a number in the tournament, in the order of joining."""
    query = select(TournamentEntry).where(
        TournamentEntry.tournament_id == tournament.number, TournamentEntry.number > 0
    )
    return session.exec(query.order_by(col(TournamentEntry.id))).all()


def list_tournament_entries(session: Session, tournament: Tournament) -> Sequence[TournamentEntry]:
    """List all entries of a tournament, those who wait or have left included."""
    return session.exec(select(TournamentEntry).where(TournamentEntry.tournament_id == tournament.number)).all()


def list_divisions(session: Session, tournament: Tournament) -> list[int]:
    """List the divisions, from 1 = highest; [] before the start."""
    query = select(TournamentEntry.division).where(
        TournamentEntry.tournament_id == tournament.number, TournamentEntry.number > 0
    )
    return sorted(session.exec(query.distinct()))


# ---- pairings ----


def list_pairings(session: Session, tournament: Tournament, division: int | None = None) -> list[TournamentGame]:
    """List all pairings of a tournament, by division, round and board."""
    query = select(TournamentGame).where(TournamentGame.tournament_id == tournament.number)
    if division is not None:
        query = query.where(TournamentGame.division == division)
    order = (col(TournamentGame.division), col(TournamentGame.round), col(TournamentGame.board))
    return list(session.exec(query.order_by(*order)))


def find_pairing_of_match(session: Session, match_id: int) -> TournamentGame | None:
    """Find the pairing that a match was made for."""
    return session.exec(select(TournamentGame).where(TournamentGame.match_id == match_id)).first()


def load_tournament_matches(session: Session, tournament: Tournament) -> dict[int, MatchRow]:
    """Load the tournament's matches by id."""
    query = select(MatchRow).join(TournamentGame, col(TournamentGame.match_id) == col(MatchRow.id))
    return {
        match.number: match for match in session.exec(query.where(TournamentGame.tournament_id == tournament.number))
    }


def load_undealt_match_ids(session: Session, tournament: Tournament) -> set[int]:
    """Load the ids of the tournament's matches that are not dealt yet."""
    query = select(TournamentGame.match_id).join(MatchRow, col(TournamentGame.match_id) == col(MatchRow.id))
    query = query.where(TournamentGame.tournament_id == tournament.number, MatchRow.status == MatchStatus.OPEN)
    return {number for number in session.exec(query) if number is not None}


def load_decided_results(session: Session) -> dict[int, tuple[TournamentRuling, dict[str, Any]]]:
    """Load the games of tournaments that were not played to the end: how each was settled and its result as JSON, by
    the match's id."""
    game = TournamentGame
    query = sql_select(*map(col, (game.match_id, game.ruling, game.result))).where(
        col(game.ruling) != TournamentRuling.PLAYED, col(game.match_id).is_not(None)
    )
    return {match: (ruling, dict(result)) for match, ruling, result in session.execute(query) if result}


# ---- for pages and checks ----


def list_named_entries(session: Session) -> Sequence[tuple[TournamentEntry, str]]:
    """List everybody in any tournament, with names: by division and number, before the start by the time of joining."""
    query = select(TournamentEntry, PlayerRow.name).join(PlayerRow, col(PlayerRow.id) == col(TournamentEntry.player_id))
    order = (col(TournamentEntry.division), col(TournamentEntry.number), col(TournamentEntry.id))
    return session.exec(query.order_by(*order)).all()


def load_entry_players(session: Session) -> dict[tuple[int, int, int], int]:
    """Load the player of each (tournament, division, number)."""
    query = select(
        TournamentEntry.tournament_id, TournamentEntry.division, TournamentEntry.number, TournamentEntry.player_id
    )
    return {(tournament, division, number): player for tournament, division, number, player in session.exec(query)}


def list_troubled_tournaments(session: Session) -> Sequence[Tournament]:
    """List the tournaments of which a step waits for the moderator, oldest first."""
    return session.exec(select(Tournament).where(Tournament.trouble != "").order_by(col(Tournament.id))).all()


def list_pairings_with_end(session: Session) -> Sequence[tuple[TournamentGame, Tournament]]:
    """List the pairings of running tournaments that have a latest end."""
    query = select(TournamentGame, Tournament).join(Tournament)
    query = query.where(Tournament.status == TournamentStatus.RUNNING, col(TournamentGame.ends_at).is_not(None))
    return session.exec(query).all()


def load_raw_tournaments(session: Session) -> dict[int, tuple[Any, ...]]:
    """Load settings, options, terms and state of each tournament as they are written; their JSON is not read."""
    values = (Tournament.settings, Tournament.options, Tournament.terms, Tournament.state)
    found: Any = session.connection().execute(
        sql_select(col(Tournament.id), *(cast(column, String) for column in values))
    )
    return {row[0]: tuple(row[1:]) for row in found}


class RawPairing(NamedTuple):
    """A pairing whose JSON is not read."""

    division: int
    round: int
    board: int
    kind: GameKind
    match_id: int | None
    ruling: TournamentRuling
    seats: str
    result: str | None
    ends_at: datetime | None


def load_raw_pairings(session: Session) -> dict[int, list[RawPairing]]:
    """Load the pairings of each tournament, in the order in which they were made."""
    game = TournamentGame
    columns = (game.tournament_id, game.division, game.round, game.board, game.kind, game.match_id, game.ruling)
    query = sql_select(*map(col, columns), cast(game.seats, String), cast(game.result, String), col(game.ends_at))
    found: dict[int, list[RawPairing]] = {}
    rows: Any = session.connection().execute(query.order_by(col(game.id)))
    for row in rows:
        found.setdefault(row[0], []).append(RawPairing(*row[1:]))
    return found


def list_pairings_with_matches(
    session: Session, unread: Collection[tuple[str, int]] = ()
) -> Sequence[tuple[TournamentGame, Tournament, MatchRow]]:
    """List every pairing that is played as a match, oldest first; without those of an ``unread`` row (table,
    number)."""
    query = select(TournamentGame, Tournament, MatchRow)
    query = query.join(Tournament, col(Tournament.id) == TournamentGame.tournament_id)
    query = query.join(MatchRow, col(MatchRow.id) == TournamentGame.match_id)
    for model in (TournamentGame, Tournament, MatchRow):
        query = query.where(col(model.id).not_in([row for table, row in unread if table == model.__tablename__]))
    return session.exec(query.order_by(col(TournamentGame.id))).all()


# ---- steps ----


def load_all_tournament_steps(session: Session) -> dict[int, list[tuple[str, datetime]]]:
    """Load (step, time when it was done) of each tournament, in that order."""
    query = select(TournamentStepRow.tournament_id, TournamentStepRow.step, TournamentStepRow.at)
    found: dict[int, list[tuple[str, datetime]]] = {}
    for tournament, step, at in session.exec(query.order_by(col(TournamentStepRow.id))):
        found.setdefault(tournament, []).append((step, at))
    return found


def list_steps_since(session: Session, since: datetime) -> Sequence[str]:
    """List the steps of all tournaments that were done after that: pair:2, report:1, …"""
    return session.exec(select(TournamentStepRow.step).where(TournamentStepRow.at > since)).all()


def list_tournament_steps(session: Session, tournament: Tournament) -> Sequence[TournamentStepRow]:
    """List the steps that are stamped as done, in that order."""
    query = select(TournamentStepRow).where(TournamentStepRow.tournament_id == tournament.number)
    return session.exec(query.order_by(col(TournamentStepRow.id))).all()


def load_done_steps(session: Session, tournament: Tournament) -> set[str]:
    """Load the names of the steps that are stamped as done."""
    return set(session.exec(select(TournamentStepRow.step).where(TournamentStepRow.tournament_id == tournament.number)))


def forget_tournament_step(session: Session, tournament: Tournament, step: str) -> None:
    """Forget that a step was done, so that it is done once more."""
    stamped = col(TournamentStepRow.tournament_id) == tournament.number, col(TournamentStepRow.step) == step
    session.exec(delete(TournamentStepRow).where(*stamped))
