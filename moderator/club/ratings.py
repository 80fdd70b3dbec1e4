"""What finished matches are worth: the result of each (``Match.result``), and the ratings of the players of a game.

A result is written when a match ends, and can be worked out from its log again, for matches that ended before it was
kept, and to make sure of the others. Ratings are never stored: they come from all results whenever they are asked for,
and from what the club has brought along: results of games that were finished elsewhere, or ratings to begin with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from moderator.club.desk import Desk
from moderator.club.endings import Decided, of_stored
from moderator.club.live_match import LiveMatch, log_of, rebuild
from moderator.match import replay
from moderator.match.outcome import Outcome, borrowed, outcome
from moderator.store import events, matches, old_results, players, tournaments
from moderator.store.db import Session
from moderator.store.models import Match, Player
from moderator.tournaments.field import Result
from moderator.tournaments.rating import NEWCOMER, Entry, Rating, ordered, ratings

if TYPE_CHECKING:
    from moderator.tournaments.csvfile import OldGame


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
    """All finished matches with a result, as the ratings count them, and all that was brought along; ``game``: only
    of this one."""
    return [*played(session, game), *brought(session, game)]


def played(session: Session, game: str = "") -> Iterable[Entry]:
    """The finished matches alone; ``game``: only of this one."""
    sitting = matches.players_of_finished(session, game)
    said = tournaments.decided(session)
    return _entries(matches.results(session, game), sitting, said, _borrowed(session, sitting))


def borrowed_seats(session: Session) -> dict[int, frozenset[int]]:
    """By finished match the seats that count for nobody."""
    return _borrowed(session, matches.players_of_finished(session))


def brought(session: Session, game: str = "") -> list[Entry]:
    """What counts of what was brought along from elsewhere; ``game``: only of this one."""
    found = []
    for part in old_results.every(session):
        found += [entry for entry in _of_part(part) if game in ("", entry.family)]
    return found


def rated_games(session: Session) -> set[str]:
    """Keys of the games of which something counts."""
    return matches.games_with_results(session) | {entry.family for entry in brought(session)}


def _of_part(part: old_results.Brought) -> Iterator[Entry]:
    for one in part.ratings:
        begins = Rating(one.mu, one.sigma, one.games)
        yield Entry(
            part.at, f"{part.code}-{one.game}-{one.player}", (str(one.player),), (1,), family=one.game, begins=begins
        )
    for number, old in enumerate(part.results):
        ended = Outcome.from_json(old.outcome)
        seated, out = tuple(map(str, old.players)), frozenset(ended.out)
        yield Entry(old.finished_at, _key(part, number), seated, ended.places, out, ended.moves, old.game)


def as_results(session: Session, game: str = "") -> tuple[list[OldGame], list[str]]:
    """All games that count, in that order, as another club can bring them along; and the games left out because
    ratings were brought along: its players' ratings say more than its results."""
    from moderator.tournaments.csvfile import OldGame

    entries = ordered(ledger(session, game))
    without = sorted({entry.family for entry in entries if entry.begins is not None})
    names = {str(player.number): player.name for player in players.every(session)}
    scores = {
        f"{number:012}": Outcome.from_json(result).scores for number, _, _, result in matches.results(session, game)
    }
    for part in old_results.every(session):
        scores |= {_key(part, n): tuple(old.outcome["scores"]) for n, old in enumerate(part.results)}
    found = []
    for entry in entries:
        if entry.family not in without:
            result = Result(scores[entry.id], (), entry.places, entry.forfeits)
            who = tuple(names[player] for player in entry.players)
            found.append(OldGame((), entry.finished_at.isoformat(), entry.family, who, result, entry.moves))
    return found, without


def _key(part: old_results.Brought, number: int) -> str:
    """Of an old result: behind the matches of the same moment, in the order of the list."""
    return f"{part.code[0]}{part.code[1:]:>06}-{number:06}"


def _borrowed(session: Session, sitting: Mapping[int, list[int]]) -> dict[int, frozenset[int]]:
    """By match the seats that count for nobody: they changed hands, and half of their moves or more were somebody
    else's."""
    changed = [number for number in events.with_hand_overs(session) if number in sitting]
    return {number: borrowed(log, sitting[number]) for number, log in events.logs(session, changed)}


def _entries(
    found: Iterable[tuple[int | None, str, datetime | None, Mapping[str, Any] | None]],
    seats: dict[int, list[int]],
    said: Mapping[int, Decided],
    borrowed: Mapping[int, frozenset[int]],
) -> Iterable[Entry]:
    for number, family, finished_at, result in found:
        seated = tuple(str(player) for player in seats.get(number or 0, ()))
        if number is None or finished_at is None or not result or len(set(seated)) < len(seated):
            continue
        ended = of_stored(result, said.get(number))
        assert ended is not None
        # Whoever gave such a seat up has no moves in it that count, and so it is rated for nobody.
        gone = borrowed.get(number, frozenset())
        moves = tuple(0 if seat in gone else made for seat, made in enumerate(ended.moves))
        yield Entry(finished_at, f"{number:012}", seated, ended.places, gone.union(ended.out), moves, family)


def rated(
    session: Session, game: str, until: datetime | None = None, own: Collection[int | None] = ()
) -> dict[int, Rating]:
    """The rating of everybody who has a rated game of ``game``, or brought a rating along, by player id. ``until``: as
    it was then, with the matches ``own`` whenever they ended."""
    entries = ledger(session, game)
    if until is not None:
        kept = {f"{match:012}" for match in own if match}
        entries = [entry for entry in entries if entry.finished_at <= until or entry.id in kept]
    return {int(player): rating for player, rating in ratings(entries, game).items()}


def current(session: Session, game: str) -> dict[int, int]:
    """The same as the number that players see."""
    return {player: rating.shown for player, rating in rated(session, game).items()}


def before(session: Session, game: str, player: Player) -> float:
    """With which ``player`` enters a tournament of ``game``."""
    return float(current(session, game).get(player.number, NEWCOMER.shown))
