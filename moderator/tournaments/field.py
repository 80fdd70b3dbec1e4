"""The values that all of a tournament's logic works on: entrants, games with their results, the tournament itself.

Plain frozen values. ``to_json``/``from_json`` keep them (fractions as text, "1/2"); a round trip gives equal values.

Lots from a recorded seed, and seeding by rating or by lot: by SHA-256, so that every Python draws the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeVar

from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError
from moderator.common.text import suggest

HALF = Fraction(1, 2)
KINDS = [kind.value for kind in GameKind]
_fraction = cache(Fraction)
"""A stored tournament has the same few fractions a thousand times."""


@dataclass(frozen=True)
class Entrant:
    """Someone who takes part."""

    number: int
    """Stays for ever: the number in the crosstable and the seed (1 = strongest)."""
    name: str
    rating: float = 0.0
    joined: int = 1
    """First round it can be paired in."""
    left: int | None = None
    """Round from which on it plays no more; None = still in."""

    def is_active(self, number: int) -> bool:
        """Return whether it can be paired in ``round``."""
        return self.joined <= number and (self.left is None or number < self.left)

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "name": self.name,
            "rating": self.rating,
            "joined": self.joined,
            "left": self.left,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entrant:
        left = data.get("left")
        return cls(
            int(data["number"]),
            str(data["name"]),
            float(data.get("rating", 0.0)),
            int(data.get("joined", 1)),
            None if left is None else int(left),
        )


@dataclass(frozen=True)
class Result:
    """The result of a game, seat by seat (the order of ``Game.seats``)."""

    scores: tuple[int, ...]
    """Game points; 0 for all in a bye or a game that was not played."""
    points: tuple[Fraction, ...]
    """Tournament points, 0 to 1 a seat."""
    places: tuple[int, ...]
    """From 1; equal scores share the better place."""
    forfeits: frozenset[int] = frozenset()
    """Seats (from 0, not entrants) that lost by forfeit: no points, behind all others."""

    def to_json(self) -> dict[str, Any]:
        return {
            "scores": list(self.scores),
            "points": [str(p) for p in self.points],
            "places": list(self.places),
            "forfeits": sorted(self.forfeits),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Result:
        return cls(
            tuple(int(s) for s in data["scores"]),
            tuple(_fraction(p) for p in data["points"]),
            tuple(int(p) for p in data["places"]),
            frozenset(int(s) for s in data.get("forfeits", ())),
        )


@dataclass(frozen=True)
class Game:
    """One game of the tournament, or a bye. ``(round, table)`` names it: no two games of a tournament share both."""

    round: int
    table: int
    """From 1. The two games of a knock-out tie stand at two tables."""
    seats: tuple[int, ...]
    """Entrant numbers in seat order. One seat = bye."""
    result: Result | None = None
    """None = not finished."""
    kind: GameKind = GameKind.GAME

    def __post_init__(self) -> None:
        if len(set(self.seats)) != len(self.seats) or (self.kind == GameKind.BYE) != (len(self.seats) == 1):
            raise ValueError(f"round {self.round}, table {self.table}: seats {self.seats} of a {self.kind}")
        if self.result is not None and len(self.result.points) != len(self.seats):
            raise ValueError(f"round {self.round}, table {self.table}: {len(self.seats)} seats, {self.result}")

    def get_points(self, entrant: int) -> Fraction:
        """Return the tournament points of ``get_entrant`` here: 0 while the game runs, 0 for someone who does not sit
        here."""
        if self.result is None or entrant not in self.seats:
            return Fraction(0)
        return self.result.points[self.seats.index(entrant)]

    def to_json(self) -> dict[str, Any]:
        return {
            "round": self.round,
            "table": self.table,
            "seats": list(self.seats),
            "result": None if self.result is None else self.result.to_json(),
            "kind": self.kind.value,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Game:
        kind = data.get("kind", "game")
        if kind not in KINDS:
            raise OperatorError(f"There is no kind of game {kind!r}.", suggest(kind, KINDS))
        result = data.get("result")
        return cls(
            int(data["round"]),
            int(data["table"]),
            tuple(int(s) for s in data["seats"]),
            None if result is None else Result.from_json(result),
            GameKind(kind),
        )


@dataclass(frozen=True)
class TournamentState:
    """A tournament at one moment."""

    format: str
    """Key of it, see formats/."""
    entrants: tuple[Entrant, ...]
    """By number."""
    games: tuple[Game, ...] = ()
    """By round and table."""
    rounds: int = 0
    """Planned rounds; 0 = open-ended (ladder)."""
    seed: int = 0
    """Of every lot drawn in this tournament."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """JSON values; who reads an option names it in its docstring."""

    def get_entrant(self, number: int) -> Entrant:
        """Return the entrant of that number. Raises OperatorError if nobody has it."""
        for one in self.entrants:
            if one.number == number:
                return one
        raise OperatorError(f"There is no entrant number {number}.", "See `moderator cup show`.")

    def with_games(self, more: Iterable[Game]) -> TournamentState:
        """Return the tournament with ``more`` games; a game with the same round and table takes the place of the old
        one."""
        games = {(g.round, g.table): g for g in self.games} | {(g.round, g.table): g for g in more}
        return replace(self, games=tuple(games[key] for key in sorted(games)))

    def with_entrants(self, more: Iterable[Entrant]) -> TournamentState:
        """Return the tournament with ``more`` entrants; one with the same number takes the place of the old one."""
        entrants = {e.number: e for e in self.entrants} | {e.number: e for e in more}
        return replace(self, entrants=tuple(entrants[number] for number in sorted(entrants)))

    def to_json(self) -> dict[str, Any]:
        return {
            "format": self.format,
            "entrants": [e.to_json() for e in self.entrants],
            "games": [g.to_json() for g in self.games],
            "rounds": self.rounds,
            "seed": self.seed,
            "options": dict(self.options),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> TournamentState:
        return cls(
            data["format"],
            tuple(Entrant.from_json(e) for e in data["entrants"]),
            tuple(Game.from_json(g) for g in data.get("games", ())),
            int(data.get("rounds", 0)),
            int(data.get("seed", 0)),
            dict(data.get("options", {})),
        )


def compute_shared_places(scores: Sequence[int]) -> tuple[int, ...]:
    """Return the places, from 1; equal scores share the better place: ``(30, 50, 30) -> (2, 1, 2)``."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def compute_place_points(scores: Sequence[int]) -> tuple[Fraction, ...]:
    """Return tournament points: of k seats the first gets 1, the last 0, the others in even steps; ties split.

    Two seats: 1, 1/2, 0. The sum is always k/2, so that tables of three and of four compare."""
    if len(scores) == 1:
        return (Fraction(1),)
    below = [2 * sum(o < s for o in scores) + sum(o == s for o in scores) - 1 for s in scores]
    return tuple(Fraction(b, 2 * (len(scores) - 1)) for b in below)


def build_result(scores: Sequence[int], forfeits: Iterable[int] = ()) -> Result:
    """Return the result of a game that ended with ``scores``. Seats in ``forfeits`` get nothing and stand behind all
    others.

    If all forfeit, nobody gets anything (two seats: 0 - 0) and all share the last place."""
    lost = frozenset(forfeits)
    seats = range(len(scores))
    floor = min(scores) - 1
    ranked = [floor if seat in lost else scores[seat] for seat in seats]
    points = tuple(Fraction(0) if s in lost else p for s, p in enumerate(compute_place_points(ranked)))
    order = tuple(len(scores) if s in lost else place for s, place in enumerate(compute_shared_places(ranked)))
    return Result(tuple(scores), points, order, lost)


def build_bye(number: int, table: int, entrant: int, points: Fraction | int = 1) -> Game:
    """Return a round without opponent: the full point, or half or nothing for a round missed by joining late."""
    return Game(number, table, (entrant,), Result((0,), (Fraction(points),), (1,)), GameKind.BYE)


def decide_by_absence(game: Game, absent: Iterable[int]) -> Game:
    """Return ``game`` as decided without having been played; ``absent``: entrant numbers that forfeit."""
    lost = [game.seats.index(number) for number in absent]
    return replace(game, result=build_result([0] * len(game.seats), lost), kind=GameKind.FORFEIT)


def list_games_of(t: TournamentState, entrant: int) -> tuple[Game, ...]:
    """Return everything that ``get_entrant`` has in the tournament: running and finished games, byes, forfeits."""
    return tuple(g for g in t.games if entrant in g.seats)


def sum_points(t: TournamentState, entrant: int) -> Fraction:
    """Return the tournament points of ``get_entrant``, byes and forfeits included; running games count nothing."""
    return sum((g.get_points(entrant) for g in list_games_of(t, entrant)), Fraction(0))


def list_opponents(t: TournamentState, entrant: int) -> tuple[int, ...]:
    """Return the opponents that ``get_entrant`` met, in the order of the games, once for each game; running games
    count, games won or lost without play do not."""
    met = (g.seats for g in list_games_of(t, entrant) if g.kind == GameKind.GAME)
    return tuple(other for seats in met for other in seats if other != entrant)


# ---- lots ----


T = TypeVar("T")

SeedBy = Literal["rating", "lot", "order"]


def draw_lot(seed: int, *label: object) -> int:
    """Return the lot drawn for ``label``: 64 bits, the same in every run."""
    text = "|".join(map(str, ("moderator/tournament/1", seed, *label)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Draws:
    """An endless row of drawn numbers, fixed by ``seed`` and ``label``."""

    def __init__(self, seed: int, label: str) -> None:
        self._numbers = _iter_drawn_numbers(f"moderator/tournament/1|{seed}|{label}")

    def draw_below(self, limit: int) -> int:
        """Draw a number from 0 to ``limit - 1``, each as likely; ``limit`` at most 2**32."""
        fair = (1 << 32) - (1 << 32) % limit
        number = next(self._numbers)
        while number >= fair:
            number = next(self._numbers)
        return number % limit

    def shuffle_items(self, items: Sequence[T]) -> list[T]:
        """Return ``items`` in drawn order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.draw_below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order


def _iter_drawn_numbers(name: str) -> Iterator[int]:
    counter = 0
    while True:
        digest = hashlib.sha256(f"{name}|{counter}".encode()).digest()
        for first in range(0, 32, 4):
            yield int.from_bytes(digest[first : first + 4], "big")
        counter += 1


def build_seeded_entrants(
    applicants: Sequence[tuple[str, float]], by: SeedBy = "rating", seed: int = 0
) -> tuple[Entrant, ...]:
    """Return entrants numbered from 1 in seeding order; ``applicants`` are (name, rating) pairs.

    rating: the highest first, equal ones by lot; lot: by lot; order: as given. Except for "order" the order of the
    applicants does not matter. Raises OperatorError if two have the same name."""
    names = [name for name, _ in applicants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise OperatorError(f"Two entrants are called {twice[0]!r}.", "Give each its own name.")
    order = list(applicants)
    if by != "order":
        order.sort(key=lambda one: (-one[1] if by == "rating" else 0.0, draw_lot(seed, "seeding", one[0]), one[0]))
    return tuple(Entrant(number, name, rating) for number, (name, rating) in enumerate(order, start=1))
