"""What a club brings along of its games of before: results.csv, ratings.csv. There is no match behind them; they count
for the ratings. What is here already is left out, be it from a folder that was moved in or from a match of the club's
own, so that a folder may be moved in again and a list may come back to where it was printed."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from moderator import games
from moderator.club import ratings
from moderator.club.desk import Desk
from moderator.errors import OperatorError
from moderator.match.outcome import Outcome
from moderator.match.time.calendar import local, read_day
from moderator.run.move_in_files import People, text_of
from moderator.store import old_results
from moderator.store.models import Player
from moderator.store.old_results import FirstRating, OldResult
from moderator.tournaments.csvfile import BadLine, OldGame, OldRating, printed, read_ratings, read_results
from moderator.tournaments.rating import Rating

RESULTS, RATINGS = "results.csv", "ratings.csv"
Wrong = Callable[[int, str], None]
"""Tells what is wrong in a line."""


@dataclass
class Old:
    """What stands in the two files, without what is here already."""

    results: list[OldResult] = field(default_factory=list)
    ratings: list[FirstRating] = field(default_factory=list)
    known: int = 0
    """Games and ratings that are here already."""

    def __bool__(self) -> bool:
        return bool(self.results or self.ratings or self.known)


def read(desk: Desk, folder: Path, people: People, faults: list[str]) -> Old:
    """Whatever is wrong goes to ``faults``, with file and line."""
    here = old_results.every(desk.session)
    found, lines = Old(), _Lines(desk, people, faults)
    _results(_files(folder, RESULTS), here, found, lines)
    _ratings(_files(folder, RATINGS), here, found, lines)
    return found


def take_in(desk: Desk, old: Old) -> str:
    """It counts from now on; returns its code, "" where there was nothing new."""
    return old_results.add(desk.session, desk.now, old.results, old.ratings) if old.results or old.ratings else ""


def take_back(desk: Desk, code: str) -> None:
    """What was taken in under this code was never there. Raises OperatorError for a code that there is not."""
    known = [one.code for one in old_results.every(desk.session)]
    if code.upper() not in known:
        what = f"Taken in were: {', '.join(known)}." if known else "No old results or ratings were taken in."
        raise OperatorError(f"There are no old results {code}.", what)
    old_results.remove(desk.session, code.upper())


def is_old(path: Path) -> bool:
    """Whether it is one of the two files."""
    return path.name.lower() in (RESULTS, RATINGS)


def _files(folder: Path, name: str) -> list[Path]:
    """None, or one; on disks that tell capitals apart perhaps more."""
    return [path for path in sorted(folder.glob("*")) if path.name.lower() == name]


# ---- lines ----


class _Lines:
    """What lines name, looked up; what is wrong with them is told."""

    def __init__(self, desk: Desk, people: People, faults: list[str]) -> None:
        self.desk, self.people, self._faults = desk, people, faults
        self._found: list[tuple[int, str]] = []

    def wrong(self, line: int, what: str) -> None:
        self._found.append((line, what))

    def tell(self, path: Path) -> None:
        """What is wrong in this file, in the order of its lines."""
        self._faults += [f"{path.name}:{line}: {what}" for line, what in sorted(self._found, key=lambda one: one[0])]
        self._found.clear()

    def of(self, path: Path, read: Callable[[str], tuple[Sequence[Any], Sequence[BadLine]]]) -> Sequence[Any]:
        """The values of a file."""
        try:
            found, bad = read(text_of(path))
        except BadLine as error:
            found, bad = (), [error]
        except OperatorError as error:
            self._faults.append(str(error))
            return ()
        for one in bad:
            self.wrong(one.line, one.what)
        return found

    def game(self, line: int, key: str, seats: int = 0) -> bool:
        """Whether there is such a game, for so many players."""
        if key not in games.REGISTRY:
            close = difflib.get_close_matches(key, games.REGISTRY, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"Known: {', '.join(sorted(games.REGISTRY))}."
            self.wrong(line, f"there is no game {key!r}. {hint}")
            return False
        game = games.load(key)
        if seats and not game.min_seats <= seats <= game.max_seats:
            self.wrong(line, f"{key} is for {game.min_seats} to {game.max_seats}, not {seats}.")
            return False
        return True

    def player(self, line: int, name: str) -> Player | None:
        found = self.people.called(name)
        if found is None:
            self.wrong(line, self.people.nobody(name))
        return found

    def moment(self, line: int, text: str) -> datetime | None:
        """A day (its beginning on the club's clock), or a moment as we write it."""
        try:
            at = datetime.fromisoformat(text) if "T" in text else None
        except ValueError:
            at = None
        try:
            zone = ZoneInfo(self.desk.config.club.zone)
            at = (at if at.tzinfo else at.replace(tzinfo=zone)) if at else local(read_day(text), 0, zone)
        except OperatorError as error:
            self.wrong(line, str(error))
            return None
        if at > self.desk.now:
            self.wrong(line, f"{text} has not come yet.")
            return None
        return at.astimezone(UTC)


# ---- results ----


def _results(paths: Sequence[Path], here: Sequence[old_results.Brought], found: Old, lines: _Lines) -> None:
    counted = Counter(_same(one) for part in here for one in part.results)
    rated = {one.game for part in here for one in part.ratings}
    own = _Own(lines.desk)
    for path in paths:
        for old in lines.of(path, read_results):
            result = _result(old, lines)
            if result is None:
                continue
            if old.game in rated:
                lines.wrong(old.lines[0], f"ratings of {old.game} were brought along already; {EITHER}")
            if counted[_same(result)]:
                counted[_same(result)] -= 1
                found.known += 1
            elif own.take(result, by_day="T" not in old.date):
                found.known += 1
            else:
                found.results.append(result)
        lines.tell(path)


EITHER = "of a game either results or ratings are, or its games would count twice."
TWICE = "leave the line out, or those games would count twice."


def _result(old: OldGame, lines: _Lines) -> OldResult | None:
    at = lines.moment(old.lines[0], old.date)
    right = lines.game(old.lines[0], old.game, len(old.names))
    who = [lines.player(line, name) for line, name in zip(old.lines, old.names, strict=True)]
    seated = [one.number for one in who if one is not None]
    if len(set(seated)) < len(seated):
        lines.wrong(old.lines[0], "somebody plays against themselves.")
    if at is None or not right or len(set(seated)) < len(who):
        return None
    ended = Outcome(old.result.scores, None, old.result.places, tuple(sorted(old.result.forfeits)), old.moves)
    return OldResult(at, old.game, tuple(seated), ended.to_json())


def _same(one: OldResult) -> tuple[Any, ...]:
    """What two lists of the same games have in common."""
    ended = one.outcome
    return one.finished_at, one.game, one.players, tuple(ended["scores"]), tuple(ended["places"]), tuple(ended["out"])


class _Own:
    """Matches that were finished here, each of which stands for one game of a list."""

    def __init__(self, desk: Desk) -> None:
        self._zone = ZoneInfo(desk.config.club.zone)
        self._left: dict[tuple[Any, ...], list[datetime]] = {}
        for one in ratings.played(desk.session):
            key = self._key(one.finished_at, one.family, map(int, one.players), one.places, one.forfeits)
            self._left.setdefault(key, []).append(one.finished_at)

    def take(self, one: OldResult, *, by_day: bool) -> bool:
        """Whether it is a match of ours that no game before was; ``by_day``: the list knows no time of day."""
        key = self._key(one.finished_at, one.game, one.players, one.outcome["places"], one.outcome["out"])
        left = self._left.get(key, [])
        same = next((at for at in left if by_day or at == one.finished_at), None)
        if same is not None:
            left.remove(same)
        return same is not None

    def _key(
        self, at: datetime, game: str, players: Iterable[int], places: Iterable[int], out: Collection[int]
    ) -> tuple[Any, ...]:
        """Day, game, and how each player ended, in whatever order they sat."""
        ends = [(*one, seat in out) for seat, one in enumerate(zip(players, places, strict=True))]
        return at.astimezone(self._zone).date(), game, tuple(sorted(ends))


# ---- ratings ----


def _ratings(paths: Sequence[Path], here: Sequence[old_results.Brought], found: Old, lines: _Lines) -> None:
    begun = {(one.player, one.game): one for part in here for one in part.ratings}
    played = {one.game for part in here for one in part.results} | {one.game for one in found.results}
    rated = cache(lambda game: ratings.rated(lines.desk.session, game))
    stands: dict[tuple[int, str], str] = {}
    for path in paths:
        for old in lines.of(path, read_ratings):
            first = _rating(old, lines)
            if first is None:
                continue
            key = (first.player, first.game)
            if key in stands:
                lines.wrong(old.line, f"{old.name} stands there twice for {old.game}, first in {stands[key]}.")
            elif old.game in played:
                lines.wrong(old.line, f"results of {old.game} are brought along, too; {EITHER}")
            elif key not in begun and _same_rating(old.rating, rated(old.game).get(first.player)):
                lines.wrong(old.line, f"{old.name} has this rating of {old.game} from games played here; {TWICE}")
            elif key not in begun:
                found.ratings.append(first)
            elif begun[key] == first:
                found.known += 1
            else:
                lines.wrong(old.line, f"{old.name} begins with another rating of {old.game} already.")
            stands.setdefault(key, f"{path.name}:{old.line}")
        lines.tell(path)


def _same_rating(old: Rating, here: Rating | None) -> bool:
    """Whether our own list of ratings says the same; with other numbers it comes from other games."""
    return here is not None and 0 < here.games == old.games and printed(here) == printed(old)


def _rating(old: OldRating, lines: _Lines) -> FirstRating | None:
    right = lines.game(old.line, old.game)
    player = lines.player(old.line, old.name)
    if player is None or not right:
        return None
    return FirstRating(player.number, old.game, old.rating.mu, old.rating.sigma, old.rating.games)
