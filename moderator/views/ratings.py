"""What finished matches are worth: the result of each (``Match.result``), and the ratings of the players of a game.

A result is written when a match ends, and can be worked out from its log again, for matches that ended before it was
kept, and to make sure of the others. Ratings are never stored: they come from all results whenever they are asked for,
and from what the club has brought along: results of games that were finished elsewhere, or ratings to begin with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from moderator.rules import replay
from moderator.rules.ending import MatchOutcome, build_match_outcome, find_borrowed_seats
from moderator.store import matches, matches_log, players, tournaments
from moderator.store.database import Session
from moderator.store.tables import PlayerRow
from moderator.tournaments.csv_file import OldGame
from moderator.tournaments.field import Result
from moderator.tournaments.ratings import NEWCOMER, Rating, RatingEntry, compute_ratings, order_ledger
from moderator.views.loaded_match import Decided, LiveMatch, build_stored_ending


def build_rated_outcome(live: LiveMatch, log: list[replay.LogEntry]) -> MatchOutcome:
    """Build the outcome of a match that is over, as tables and ratings count it. A game that was stopped is ranked by
    its score less the racks, or by its score where that says nothing."""
    ended = build_match_outcome(live.game, live.table, log, adjudicated=True)
    return ended if ended.points is not None else ended.with_points(ended.scores)


def load_rating_ledger(session: Session, game: str = "") -> list[RatingEntry]:
    """Load all finished matches with a result, as the ratings count them, and all that was brought along; ``game``:
    only of this one."""
    return [*iter_played_entries(session, game), *load_brought_entries(session, game)]


def iter_played_entries(session: Session, game: str = "") -> Iterable[RatingEntry]:
    """Yield the finished matches alone; ``game``: only of this one."""
    sitting = matches.load_players_of_finished(session, game)
    said = tournaments.load_decided_results(session)
    return _iter_match_entries(
        matches.list_match_results(session, game), sitting, said, _load_borrowed_by_match(session, sitting)
    )


def load_borrowed_seats(session: Session) -> dict[int, frozenset[int]]:
    """Load by finished match the seats that count for nobody."""
    return _load_borrowed_by_match(session, matches.load_players_of_finished(session))


def load_brought_entries(session: Session, game: str = "") -> list[RatingEntry]:
    """Load what counts of what was brought along from elsewhere; ``game``: only of this one."""
    found = []
    for part in tournaments.list_old_results(session):
        found += [entry for entry in _iter_batch_entries(part) if game in ("", entry.family)]
    return found


def load_rated_games(session: Session) -> set[str]:
    """Load the keys of the games of which something counts."""
    return matches.load_games_with_results(session) | {entry.family for entry in load_brought_entries(session)}


def _iter_batch_entries(part: tournaments.OldResultsBatch) -> Iterator[RatingEntry]:
    for one in part.ratings:
        begins = Rating(one.mu, one.sigma, one.games)
        yield RatingEntry(
            part.at, f"{part.code}-{one.game}-{one.player}", (str(one.player),), (1,), family=one.game, begins=begins
        )
    for number, old in enumerate(part.results):
        ended = MatchOutcome.from_json(old.outcome)
        seated, out = tuple(map(str, old.players)), frozenset(ended.out)
        yield RatingEntry(
            old.finished_at, _build_old_result_key(part, number), seated, ended.places, out, ended.moves, old.game
        )


def list_exportable_games(session: Session, game: str = "") -> tuple[list[OldGame], list[str]]:
    """List all games that count, in that order, as another club can bring them along; and the games left out because
    ratings were brought along: their players' ratings say more than their results."""
    entries = order_ledger(load_rating_ledger(session, game))
    without = sorted({entry.family for entry in entries if entry.begins is not None})
    names = {str(player.number): player.name for player in players.list_all_players(session)}
    scores = {
        f"{number:012}": MatchOutcome.from_json(result).scores
        for number, _, _, result in matches.list_match_results(session, game)
    }
    for part in tournaments.list_old_results(session):
        scores |= {_build_old_result_key(part, n): tuple(old.outcome["scores"]) for n, old in enumerate(part.results)}
    found = []
    for entry in entries:
        if entry.family not in without:
            result = Result(scores[entry.id], (), entry.places, entry.forfeits)
            who = tuple(names[player] for player in entry.players)
            found.append(OldGame((), entry.finished_at.isoformat(), entry.family, who, result, entry.moves))
    return found, without


def _build_old_result_key(part: tournaments.OldResultsBatch, number: int) -> str:
    """Build the key of an old result: behind the matches of the same moment, in the order of the list."""
    return f"{part.code[0]}{part.code[1:]:>06}-{number:06}"


def _load_borrowed_by_match(session: Session, sitting: Mapping[int, list[int]]) -> dict[int, frozenset[int]]:
    """Load by match the seats that count for nobody: they changed hands, and half of their moves or more were somebody
    else's."""
    changed = [number for number in matches_log.list_handed_over_match_ids(session) if number in sitting]
    return {
        number: find_borrowed_seats(log, sitting[number])
        for number, log in matches_log.iter_match_logs(session, changed)
    }


def _iter_match_entries(
    found: Iterable[tuple[int | None, str, datetime | None, Mapping[str, Any] | None]],
    seats: dict[int, list[int]],
    decided: Mapping[int, Decided],
    borrowed: Mapping[int, frozenset[int]],
) -> Iterable[RatingEntry]:
    for number, family, finished_at, result in found:
        seated = tuple(str(player) for player in seats.get(number or 0, ()))
        if number is None or finished_at is None or not result or len(set(seated)) < len(seated):
            continue
        ended = build_stored_ending(result, decided.get(number))
        assert ended is not None
        # Whoever gave such a seat up has no moves in it that count, and so it is rated for nobody.
        gone = borrowed.get(number, frozenset())
        moves = tuple(0 if seat in gone else made for seat, made in enumerate(ended.moves))
        yield RatingEntry(finished_at, f"{number:012}", seated, ended.places, gone.union(ended.out), moves, family)


def compute_club_ratings(
    session: Session, game: str, until: datetime | None = None, own: Collection[int | None] = ()
) -> dict[int, Rating]:
    """Compute the rating of everybody who has a rated game of ``game``, or brought a rating along, by player id.
    ``until``: as it was then, with the matches ``own`` whenever they ended."""
    entries = load_rating_ledger(session, game)
    if until is not None:
        kept = {f"{match:012}" for match in own if match}
        entries = [entry for entry in entries if entry.finished_at <= until or entry.id in kept]
    return {int(player): rating for player, rating in compute_ratings(entries, game).items()}


def compute_rating_numbers(session: Session, game: str) -> dict[int, int]:
    """Compute by player id the rating of ``game`` as the number that players see."""
    return {player: rating.rounded for player, rating in compute_club_ratings(session, game).items()}


def compute_entry_rating(session: Session, game: str, player: PlayerRow) -> float:
    """Compute the rating with which ``player`` enters a tournament of ``game``."""
    return float(compute_rating_numbers(session, game).get(player.number, NEWCOMER.rounded))
