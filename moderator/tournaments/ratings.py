"""Ratings: openskill's Plackett-Luce over all finished games, two to six seats, always recomputed from the first one.

The result is a pure function of the ledger, taken in the order (finished_at, id): the same ledger gives the same bits,
in whatever order it is handed in. Shown is 1000 + 40 · (mu − 25); a place is given only to those whose rating has
settled (sigma below 4). Who was rated elsewhere begins with that rating, by an entry of the ledger that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from openskill.models.weng_lin.plackett_luce import PlackettLuceRating

MU: Final = 25.0
SIGMA: Final = 25.0 / 3.0
SETTLED: Final = 4.0
"""Sigma below which a rating is settled: about 45 games of two seats, 60 of four (below 6: about 13 and 19)."""
SETTLED_AFTER: Final = 45
MINIMUM_MOVES: Final = 4
"""A forfeit with fewer moves of one's own is unrated."""


@dataclass(frozen=True)
class RatingEntry:
    """A finished game. ``players`` are lasting names (addresses, numbers) in seat order, ``places`` from 1 beside
    them, equal where tied. ``forfeits``: seats that gave up; ``moves``: how many moves each seat made (none given
    = enough). ``family`` names the kind of game."""

    finished_at: datetime
    id: str
    players: tuple[str, ...]
    places: tuple[int, ...]
    forfeits: frozenset[int] = frozenset()
    moves: tuple[int, ...] = ()
    family: str = ""
    begins: Rating | None = None
    """No game: the rating with which its one player begins, before the first game of the ledger."""


@dataclass(frozen=True)
class Rating:
    mu: float = MU
    sigma: float = SIGMA
    games: int = 0

    @property
    def rounded(self) -> int:
        """The number that players see: 1000 for a newcomer."""
        return round(1000 + 40 * (self.mu - MU))

    @property
    def is_settled(self) -> bool:
        return self.sigma < SETTLED


NEWCOMER: Final = Rating()


def estimate_rating(shown: float, games: int = 0) -> Rating:
    """Return the rating of which only the number shown is known, and how many games it comes from: as certain as after
    so many games of two seats (what is known of a strength, 1/sigma², grows by the same with each)."""
    each = (SETTLED**-2 - SIGMA**-2) / SETTLED_AFTER
    return Rating(MU + (shown - 1000) / 40, (SIGMA**-2 + games * each) ** -0.5, games)


@dataclass(frozen=True)
class RankedPlayer:
    """A line of the rating list. ``place`` is None until the rating has settled; equal numbers share a place."""

    place: int | None
    player: str
    rating: Rating


def order_ledger(ledger: Iterable[RatingEntry]) -> list[RatingEntry]:
    """Return the entries as they are counted: by the moment of their end, then by id. Raises ValueError for a game that
    stands in the ledger twice, or whose players and places do not fit."""
    entries = sorted(ledger, key=lambda entry: (entry.finished_at, entry.id))
    if len({entry.id for entry in entries}) != len(entries):
        raise ValueError("a game stands twice in the ledger of ratings")
    for entry in entries:
        if len(entry.players) != len(entry.places) or len(set(entry.players)) != len(entry.players):
            raise ValueError(f"game {entry.id}: {len(entry.players)} players, {len(entry.places)} places")
    return entries


def list_rated_seats(entry: RatingEntry) -> tuple[int, ...]:
    """List the seats that this game rates: all but those that gave up before ``MINIMUM_MOVES`` moves of their own.
    Empty when fewer than two are left."""
    early = {
        seat for seat in entry.forfeits if entry.moves and seat < len(entry.moves) and entry.moves[seat] < MINIMUM_MOVES
    }
    seats = tuple(seat for seat in range(len(entry.players)) if seat not in early)
    return seats if len(seats) > 1 else ()


def get_initial_ratings(ledger: Iterable[RatingEntry], family: str | None = None) -> dict[str, Rating]:
    """Return the rating with which each player begins who was rated elsewhere, by player. ``family``: in this kind of
    game."""
    return {
        entry.players[0]: entry.begins
        for entry in ledger
        if entry.begins is not None and family in (None, entry.family)
    }


def compute_ratings(ledger: Iterable[RatingEntry], family: str | None = None) -> dict[str, Rating]:
    """Return the rating of everybody with a rated game, or with one from elsewhere, by player. ``family``: only the
    games of this kind; None = all."""
    entries = list(ledger)
    begun = get_initial_ratings(entries, family)
    found: dict[str, PlackettLuceRating] = {}
    counts = {player: one.games for player, one in begun.items()}
    for _, after in _iter_rated_games(entries, family):
        for player, rating in after.items():
            found[player] = rating
            counts[player] = counts.get(player, 0) + 1
    rated = {player: Rating(one.mu, one.sigma, counts[player]) for player, one in found.items()}
    return dict(sorted((begun | rated).items()))


def compute_rating_histories(
    ledger: Iterable[RatingEntry], family: str | None = None
) -> dict[str, list[tuple[RatingEntry, Rating]]]:
    """Return each player's rated games with the rating after each; the last one is that of ``compute_ratings``."""
    entries = list(ledger)
    before = {player: one.games for player, one in get_initial_ratings(entries, family).items()}
    found: dict[str, list[tuple[RatingEntry, Rating]]] = {}
    for entry, after in _iter_rated_games(entries, family):
        for player, rating in after.items():
            course = found.setdefault(player, [])
            games = before.get(player, 0) + len(course) + 1
            course.append((entry, Rating(rating.mu, rating.sigma, games)))
    return found


def _iter_rated_games(
    ledger: Sequence[RatingEntry], family: str | None
) -> Iterator[tuple[RatingEntry, dict[str, PlackettLuceRating]]]:
    """Yield each game that counts, in order, with what it made of its players."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    begun = get_initial_ratings(ledger, family)
    found = {player: model.rating(mu=one.mu, sigma=one.sigma) for player, one in begun.items()}
    for entry in order_ledger(ledger):
        seats = list_rated_seats(entry) if family is None or entry.family == family else ()
        if not seats:
            continue
        players = [entry.players[seat] for seat in seats]
        teams = [[found[player] if player in found else model.rating()] for player in players]
        ranks = [float(entry.places[seat]) for seat in seats]
        rated = model.rate(teams, ranks=ranks)
        after = {player: team[0] for player, team in zip(players, rated, strict=True)}
        found |= after
        yield entry, after


def compute_ratings_by_family(ledger: Iterable[RatingEntry]) -> dict[str, dict[str, Rating]]:
    """Return what ``compute_ratings`` does for each kind of game by itself."""
    entries = list(ledger)
    families = sorted({entry.family for entry in entries})
    return {family: compute_ratings([e for e in entries if e.family == family]) for family in families}


def build_rating_list(rated: Mapping[str, Rating]) -> list[RankedPlayer]:
    """Return the rating list: the settled ones with their places, then the others, each by the number shown and
    name."""
    settled = sorted((p for p in rated if rated[p].is_settled), key=lambda p: (-rated[p].rounded, p))
    others = sorted((p for p in rated if not rated[p].is_settled), key=lambda p: (-rated[p].rounded, p))
    numbers = [rated[player].rounded for player in settled]
    first = {number: place for place, number in reversed(list(enumerate(numbers, 1)))}
    placed = [RankedPlayer(first[rated[player].rounded], player, rated[player]) for player in settled]
    return [*placed, *(RankedPlayer(None, player, rated[player]) for player in others)]
