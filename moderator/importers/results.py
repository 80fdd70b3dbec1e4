"""What a club brings along of its games of before: results.csv, ratings.csv. There is no match behind them; they count
for the ratings. What is here already is left out, be it from a folder that was moved in or from a match of the club's
own, so that a folder may be moved in again and a list may come back to where it was printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from moderator import games
from moderator.common.errors import OperatorError
from moderator.common.text import suggest
from moderator.importers.files import PlayerDirectory, read_text_file
from moderator.rules.ending import MatchOutcome
from moderator.rules.time.calendar import parse_day, resolve_local_hour
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.store.tables import PlayerRow
from moderator.store.tournaments import FirstRating, OldResult
from moderator.tournaments.csv_file import (
    BadLine,
    OldGame,
    OldRating,
    format_mu_sigma,
    parse_ratings_csv,
    parse_results_csv,
)
from moderator.tournaments.ratings import Rating
from moderator.views import ratings
from moderator.views.unit_of_work import UnitOfWork

RESULTS, RATINGS = "results.csv", "ratings.csv"
Wrong = Callable[[int, str], None]
"""Tells what is wrong in a line."""


@dataclass
class OldRecords:
    """The content of the two files, without what is here already."""

    results: list[OldResult] = field(default_factory=list)
    ratings: list[FirstRating] = field(default_factory=list)
    known: int = 0
    """Games and ratings that are here already."""

    def __bool__(self) -> bool:
        return bool(self.results or self.ratings or self.known)


def read_old_records(work: UnitOfWork, folder: Path, people: PlayerDirectory, faults: list[str]) -> OldRecords:
    """Read the two files. Whatever is wrong is added to ``faults``, with file and line."""
    here = tournaments.list_old_results(work.session)
    found, lines = OldRecords(), _Lines(work, people, faults)
    _read_results(_list_files(folder, RESULTS), here, found, lines)
    _read_ratings(_list_files(folder, RATINGS), here, found, lines)
    return found


def store_old_records(session: Session, now: datetime, old: OldRecords) -> str:
    """Store the records, so that they count from now on; returns their code, "" where there was nothing new."""
    return (
        tournaments.add_old_results_batch(session, now, old.results, old.ratings) if old.results or old.ratings else ""
    )


def take_back_old_records(session: Session, code: str) -> None:
    """Delete what was moved in under this code, as if it had never been there. Raises OperatorError for a code that
    there is not."""
    known = [one.code for one in tournaments.list_old_results(session)]
    if code.upper() not in known:
        what = f"Taken in were: {', '.join(known)}." if known else "No old results or ratings were taken in."
        raise OperatorError(f"There are no old results {code}.", what)
    tournaments.delete_old_results_batch(session, code.upper())


def is_old_records_file(path: Path) -> bool:
    """Return whether it is one of the two files."""
    return path.name.lower() in (RESULTS, RATINGS)


def _list_files(folder: Path, name: str) -> list[Path]:
    """List the files of that name: none, or one; on disks that tell capitals from small letters perhaps more."""
    return [path for path in sorted(folder.glob("*")) if path.name.lower() == name]


# ---- lines ----


class _Lines:
    """A look-up of what lines name; it collects what is wrong with them."""

    def __init__(self, work: UnitOfWork, people: PlayerDirectory, faults: list[str]) -> None:
        self.work, self.people, self._faults = work, people, faults
        self._found: list[tuple[int, str]] = []

    def add_fault(self, line: int, what: str) -> None:
        self._found.append((line, what))

    def report_faults(self, path: Path) -> None:
        """Report what is wrong in this file, in the order of its lines."""
        self._faults += [f"{path.name}:{line}: {what}" for line, what in sorted(self._found, key=lambda one: one[0])]
        self._found.clear()

    def read_values(self, path: Path, read: Callable[[str], tuple[Sequence[Any], Sequence[BadLine]]]) -> Sequence[Any]:
        """Read the values of a file."""
        try:
            found, bad = read(read_text_file(path))
        except BadLine as error:
            found, bad = (), [error]
        except OperatorError as error:
            self._faults.append(str(error))
            return ()
        for one in bad:
            self.add_fault(one.line, one.what)
        return found

    def has_game(self, line: int, key: str, seats: int = 0) -> bool:
        """Return whether there is such a game, for so many players."""
        if key not in games.REGISTRY:
            self.add_fault(line, f"there is no game {key!r}. {suggest(key, sorted(games.REGISTRY))}")
            return False
        game = games.load_game(key)
        if seats and not game.min_seats <= seats <= game.max_seats:
            self.add_fault(line, f"{key} is for {game.min_seats} to {game.max_seats}, not {seats}.")
            return False
        return True

    def find_player(self, line: int, name: str) -> PlayerRow | None:
        found = self.people.find_player(name)
        if found is None:
            self.add_fault(line, self.people.describe_unknown(name))
        return found

    def parse_moment(self, line: int, text: str) -> datetime | None:
        """Parse a day (its beginning on the club's clock), or a moment as we write it; None where that fails."""
        try:
            at = datetime.fromisoformat(text) if "T" in text else None
        except ValueError:
            at = None
        try:
            zone = ZoneInfo(self.work.config.club.zone)
            at = (at if at.tzinfo else at.replace(tzinfo=zone)) if at else resolve_local_hour(parse_day(text), 0, zone)
        except OperatorError as error:
            self.add_fault(line, str(error))
            return None
        if at > self.work.now:
            self.add_fault(line, f"{text} has not come yet.")
            return None
        return at.astimezone(UTC)


# ---- results ----


def _read_results(
    paths: Sequence[Path], here: Sequence[tournaments.OldResultsBatch], found: OldRecords, lines: _Lines
) -> None:
    counted = Counter(_build_result_key(one) for part in here for one in part.results)
    rated = {one.game for part in here for one in part.ratings}
    own = _Own(lines.work)
    for path in paths:
        for old in lines.read_values(path, parse_results_csv):
            result = _build_result(old, lines)
            if result is None:
                continue
            if old.game in rated:
                lines.add_fault(old.lines[0], f"ratings of {old.game} were brought along already; {EITHER}")
            if counted[_build_result_key(result)]:
                counted[_build_result_key(result)] -= 1
                found.known += 1
            elif own.take_match(result, by_day="T" not in old.date):
                found.known += 1
            else:
                found.results.append(result)
        lines.report_faults(path)


EITHER = "of a game either results or ratings are, or its games would count twice."
TWICE = "leave the line out, or those games would count twice."


def _build_result(old: OldGame, lines: _Lines) -> OldResult | None:
    at = lines.parse_moment(old.lines[0], old.date)
    right = lines.has_game(old.lines[0], old.game, len(old.names))
    who = [lines.find_player(line, name) for line, name in zip(old.lines, old.names, strict=True)]
    seated = [one.number for one in who if one is not None]
    if len(set(seated)) < len(seated):
        lines.add_fault(old.lines[0], "somebody plays against themselves.")
    if at is None or not right or len(set(seated)) < len(who):
        return None
    ended = MatchOutcome(old.result.scores, None, old.result.places, tuple(sorted(old.result.forfeits)), old.moves)
    return OldResult(at, old.game, tuple(seated), ended.to_json())


def _build_result_key(one: OldResult) -> tuple[Any, ...]:
    """Build the key that two lists of the same games have in common."""
    ended = one.outcome
    return one.finished_at, one.game, one.players, tuple(ended["scores"]), tuple(ended["places"]), tuple(ended["out"])


class _Own:
    """The matches that were finished here, each of which stands for one game of a list."""

    def __init__(self, work: UnitOfWork) -> None:
        self._zone = ZoneInfo(work.config.club.zone)
        self._left: dict[tuple[Any, ...], list[datetime]] = {}
        for one in ratings.iter_played_entries(work.session):
            key = self._build_match_key(one.finished_at, one.family, map(int, one.players), one.places, one.forfeits)
            self._left.setdefault(key, []).append(one.finished_at)

    def take_match(self, one: OldResult, *, by_day: bool) -> bool:
        """Return whether it is a match of ours that no game before was; ``by_day``: the list knows no time of day."""
        key = self._build_match_key(one.finished_at, one.game, one.players, one.outcome["places"], one.outcome["out"])
        left = self._left.get(key, [])
        same = next((at for at in left if by_day or at == one.finished_at), None)
        if same is not None:
            left.remove(same)
        return same is not None

    def _build_match_key(
        self, at: datetime, game: str, players: Iterable[int], places: Iterable[int], out: Collection[int]
    ) -> tuple[Any, ...]:
        """Build a key of day, game, and how each player ended, in whatever order they sat."""
        ends = [(*one, seat in out) for seat, one in enumerate(zip(players, places, strict=True))]
        return at.astimezone(self._zone).date(), game, tuple(sorted(ends))


# ---- ratings ----


def _read_ratings(
    paths: Sequence[Path], here: Sequence[tournaments.OldResultsBatch], found: OldRecords, lines: _Lines
) -> None:
    begun = {(one.player, one.game): one for part in here for one in part.ratings}
    played = {one.game for part in here for one in part.results} | {one.game for one in found.results}
    rated = cache(lambda game: ratings.compute_club_ratings(lines.work.session, game))
    stands: dict[tuple[int, str], str] = {}
    for path in paths:
        for old in lines.read_values(path, parse_ratings_csv):
            first = _build_rating(old, lines)
            if first is None:
                continue
            key = (first.player, first.game)
            if key in stands:
                lines.add_fault(old.line, f"{old.name} stands there twice for {old.game}, first in {stands[key]}.")
            elif old.game in played:
                lines.add_fault(old.line, f"results of {old.game} are brought along, too; {EITHER}")
            elif key not in begun and _is_same_rating(old.rating, rated(old.game).get(first.player)):
                lines.add_fault(old.line, f"{old.name} has this rating of {old.game} from games played here; {TWICE}")
            elif key not in begun:
                found.ratings.append(first)
            elif begun[key] == first:
                found.known += 1
            else:
                lines.add_fault(old.line, f"{old.name} begins with another rating of {old.game} already.")
            stands.setdefault(key, f"{path.name}:{old.line}")
        lines.report_faults(path)


def _is_same_rating(old: Rating, here: Rating | None) -> bool:
    """Return whether our own list of ratings says the same; with other numbers it comes from other games."""
    return here is not None and 0 < here.games == old.games and format_mu_sigma(here) == format_mu_sigma(old)


def _build_rating(old: OldRating, lines: _Lines) -> FirstRating | None:
    right = lines.has_game(old.line, old.game)
    player = lines.find_player(old.line, old.name)
    if player is None or not right:
        return None
    return FirstRating(player.number, old.game, old.rating.mu, old.rating.sigma, old.rating.games)
