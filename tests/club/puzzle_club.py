"""A club with robots' matches that are over and reviewed, for tests of the puzzle of the week."""

from __future__ import annotations

from pathlib import Path

from sqlmodel import select

from moderator.club.reviews import at_once
from moderator.play.create import find_player
from moderator.states import MatchStatus
from moderator.store.models import Match, Puzzle
from tests.club.club import Club, make_club
from tests.review.played import little_thought


def review_all(club: Club) -> None:
    """What idle time does. What a puzzle is taken by are points, not what may follow."""
    with club.desk() as desk, little_thought():
        for match in desk.session.exec(select(Match).where(Match.status == MatchStatus.FINISHED)).all():
            at_once(desk.session, desk.cache, match, desk.now)


def wants(club: Club, *names: str) -> None:
    """They have asked for it."""
    with club.desk() as desk:
        for name in names:
            player = find_player(desk.session, name)
            player.puzzles, player.board = True, "text"
            desk.session.add(player)


def last(club: Club) -> Puzzle:
    """The puzzle that was set last."""
    with club.desk() as desk:
        return desk.session.exec(select(Puzzle).order_by(Puzzle.id.desc())).first()


def best(club: Club) -> str:
    return last(club).best


def made(folder: Path, games: tuple[str, ...], count: int) -> Club:
    """Of robots; Anna and Bert play nowhere."""
    club = make_club(folder, kept=True)
    club.players("Anna", "Bert", "Cora")
    play(club, games, count)
    return club


def play(club: Club, games: tuple[str, ...], count: int) -> None:
    """So many matches of each game, to their end, and their reviews."""
    club.players("R2 Ada", "R2 Bob")
    for number in range(count):
        for game in games:
            seats = ("R2 Ada", "R2 Bob") if number % 2 else ("R2 Bob", "R2 Ada")
            club.match(*seats, game=game, seed=lambda match: bytes([match.number, *range(31)]))
    while _running(club):
        club.tick()
    review_all(club)


def _running(club: Club) -> bool:
    with club.desk() as desk:
        return desk.session.exec(select(Match.id).where(Match.status == MatchStatus.RUNNING)).first() is not None
