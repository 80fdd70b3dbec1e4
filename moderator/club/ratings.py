"""What finished matches are worth: the result of each (``Match.result``), and the ratings of the players of a game.

A result is written when a match ends, and can be worked out from its log again, for matches that ended before it was
kept, and to make sure of the others. Ratings are never stored: they come from all results whenever they are asked
for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, log_of, rebuild
from moderator.match import replay
from moderator.match.outcome import Outcome, outcome
from moderator.store import matches, tournaments
from moderator.store.db import Session
from moderator.store.models import Match, Player
from moderator.tournaments.field import Result
from moderator.tournaments.rating import NEWCOMER, Entry, Rating, ratings


def result_of(live: LiveMatch, log: list[replay.Entry]) -> Outcome:
    """Of a match that is over: what its result is for tables and ratings. A game that was stopped is ranked by its
    score less the racks, or by its score where that says nothing."""
    ended = outcome(live.game, live.table, log, adjudicated=True)
    return ended if ended.points is not None else ended.awarded(ended.scores)


def refill(desk: Desk, number: int) -> bool:
    """Work the result of a finished match out from its log. True = it was lacking or another one. Raises Suspended
    for a log that does not replay."""
    match = desk.session.get_one(Match, number)
    found = result_of(rebuild(desk.session, match, desk.config.deadlines), log_of(desk.session, match)).to_json()
    if match.result == found:
        return False
    match.result = found
    desk.session.add(match)
    return True


def ledger(session: Session, game: str = "") -> list[Entry]:
    """All finished matches with a result, as the ratings count them; ``game``: only of this one."""
    sitting = matches.players_of_finished(session, game)
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
