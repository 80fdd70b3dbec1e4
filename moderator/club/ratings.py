"""Ratings of the players of a game: recomputed from the results of all finished matches whenever they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from moderator.match.outcome import Outcome
from moderator.store import matches, seats, tournaments
from moderator.store.models import Player
from moderator.store.transaction import Session
from moderator.tournaments.field import Result
from moderator.tournaments.rating import NEWCOMER, Entry, Rating, ratings


def ledger(session: Session, game: str = "") -> list[Entry]:
    """All finished matches with a result, as the ratings count them; ``game``: only of this one."""
    sitting = seats.players_of_finished(session, game)
    return list(_entries(matches.results(session, game), sitting, _ruled(session)))


def _ruled(session: Session) -> dict[int, Result]:
    """What the moderator has said about games of tournaments, by match."""
    return {match: Result.from_json(result) for match, result in tournaments.ruled(session).items()}


def _entries(
    found: Iterable[tuple[int | None, str, datetime | None, Mapping[str, Any] | None]],
    seats: dict[int, list[int]],
    ruled: Mapping[int, Result],
) -> Iterable[Entry]:
    for number, family, finished_at, result in found:
        players = tuple(str(player) for player in seats.get(number or 0, ()))
        if number is None or finished_at is None or not result or len(set(players)) < len(players):
            continue
        outcome, word = Outcome.from_json(result), ruled.get(number)
        places = word.places if word else outcome.places
        out = word.forfeits if word else frozenset(outcome.out)
        yield Entry(finished_at, f"{number:012}", players, places, out, outcome.moves, family)


def rated(session: Session, game: str) -> dict[int, Rating]:
    """The rating of everybody who has a rated match of ``game``, by player id."""
    return {int(player): rating for player, rating in ratings(ledger(session, game), game).items()}


def current(session: Session, game: str) -> dict[int, int]:
    """The same as the number that players see."""
    return {player: rating.shown for player, rating in rated(session, game).items()}


def before(session: Session, game: str, player: Player) -> float:
    """With which ``player`` enters a tournament of ``game``."""
    return float(current(session, game).get(player.number, NEWCOMER.shown))
