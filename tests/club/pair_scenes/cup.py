"""Scenes with tournaments: open, full, running, over; a ladder with challenges; ratings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from sqlmodel import func, select

from moderator.club.tournaments import rows
from moderator.play.create import add_player, find_player, take_seat
from moderator.play.tournaments import challenges, registration
from moderator.store import tournaments
from moderator.store.models import Leave, Match, Tournament
from tests.club.club import Club
from tests.club.pair_scenes import Scene, people
from tests.club.pair_scenes.joining import with_openings

EVERYBODY = ("Anna", "Bert", "Cici", "Dora", "Emil")
NAMES = ("Herbstpokal", "Winterliga 2", "Osterpokal")


def tournament(
    club: Club,
    format: str,
    *names: str,
    game: str = "dominos",
    opens: float | None = 0,
    closes: float | None = 7,
    running: bool = False,
    **settings: Any,
) -> Scene:
    """One more tournament of the club, which ``names`` have joined; days until it opens and closes. ``running``: it has
    begun, and everything is dealt and mailed."""
    people(club, *EVERYBODY)
    day = timedelta(days=1)
    with club.desk() as desk:
        number = int(desk.session.exec(select(func.count()).select_from(Tournament)).one())
        made = registration.new_tournament(
            desk.session,
            NAMES[number],
            game,
            format,
            club.now,
            options={"target": 30} if game == "dominos" else {},
            settings={"invite": False, "seeding": "order"} | settings,
            opens_at=None if opens is None else club.now + day * opens,
            closes_at=None if closes is None else club.now + day * closes,
            seed=5,
        )
        code = made.code
    club.tick()
    with club.desk() as desk:
        for name in names:
            registration.enter(desk, rows.find_tournament(desk.session, code), find_player(desk.session, name))
            desk.now += timedelta(seconds=1)
    if running:
        club.wait(days=7 if closes is None else closes)
        with club.desk() as desk:
            row = rows.find_tournament(desk.session, code)
            row.closes_at = row.next_at = club.now
            desk.session.add(row)
        club.tick()
        club.tick()
    return {}


def two_open(club: Club) -> Scene:
    """Nobody but Cici and Dora has joined one of them."""
    tournament(club, "swiss", "Cici", "Dora")
    return tournament(club, "robin", "Cici", closes=None, most=6)


def a_glance(club: Club) -> Scene:
    """Anna and Bert play in one, wait for another, and could join a third."""
    tournament(club, "robin", "Anna", "Bert", "Cici", running=True)
    tournament(club, "swiss", "Cici", "Dora", "Bert", "Anna", most=2)
    return tournament(club, "knockout", "Cici", "Dora", "Emil")


def ladder(club: Club, *, asked: bool = False, locked: bool = False, away: bool = False, **settings: Any) -> Scene:
    """Rungs: Dora, Cici, Bert, Anna, the robot R2a, Emil; two rungs up may be challenged. ``asked``: Anna has
    challenged Bert; ``locked``: Bert has refused her without a price; ``away``: Bert is on leave."""
    people(club, *EVERYBODY)
    with club.desk() as desk:
        add_player(desk.session, "R2a", None, club.now)
    on_it = ("Dora", "Cici", "Bert", "Anna", "R2a", "Emil")
    scene = tournament(club, "ladder", *on_it, running=True, reach=2, **settings)
    with club.desk() as desk:
        row = rows.find_tournament(desk.session, "T1")
        if asked or locked:
            challenges.challenge(desk, row, 4, 3)
        if locked:
            challenges.refuse(desk, row, 3)
        if away:
            day = desk.today
            bert = find_player(desk.session, "Bert")
            desk.session.add(
                Leave(player_id=bert.number, first=day, last=day + timedelta(days=9), announced_at=club.now)
            )
    club.tick()
    return scene


def over(club: Club) -> Scene:
    """A tournament of Anna and Bert is over, one was cancelled."""
    tournament(club, "robin", "Anna", "Bert", running=True)
    tournament(club, "swiss", "Anna", "Cici")
    with club.desk() as desk:
        first, second = (rows.find_tournament(desk.session, code) for code in ("T1", "T2"))
        first.status, first.finished_at, second.status = "finished", club.now, "cancelled"
        for at, (entry, _) in enumerate(tournaments.entries(desk.session, first), 1):
            entry.place = at
    return {}


def rated(club: Club, games: int = 60) -> Scene:
    """Anna and Bert have played so often that their ratings of Topwords are settled; Cici has played once."""
    people(club, *EVERYBODY)
    with club.desk() as desk:
        for number in range(games):
            names = ("Anna", "Cici") if number == 0 else ("Anna", "Bert")
            seats = [find_player(desk.session, name) for name in names]
            match = Match(code=f"Z9Z{number:03}", name="Arratia", game="topwords", created_at=club.now)
            won = number % 3 > 0
            scores = [210, 150] if won else [120, 190]
            match.result = {
                "scores": scores,
                "points": scores,
                "places": [1, 2] if won else [2, 1],
                "out": [],
                "moves": [9, 9],
            }
            match.status, match.finished_at = "finished", club.now + timedelta(minutes=number)
            desk.session.add(match)
            desk.session.flush()
            for seat in seats:
                take_seat(desk.session, match, seat)
    return {}


def with_match(club: Club) -> Scene:
    """A match with a free seat and a tournament are open."""
    with_openings(club, ("topwords", 3))
    return tournament(club, "swiss", "Cici", "Dora")


TOURNAMENT_SCENES: dict[str, Callable[[Club], Scene]] = {
    "cup-open": lambda club: tournament(club, "swiss", "Cici", "Dora"),
    "cup-in": lambda club: tournament(club, "swiss", "Cici", "Dora", "Anna", "Bert"),
    "cup-full": lambda club: tournament(club, "swiss", "Cici", "Dora", most=2),
    "cup-waiting": lambda club: tournament(club, "swiss", "Cici", "Dora", "Anna", "Bert", most=2),
    "cup-planned": lambda club: tournament(club, "swiss", opens=5, closes=12),
    "cup-some-day": lambda club: tournament(club, "swiss", opens=None, closes=None),
    "cups-open": two_open,
    "cups-glance": a_glance,
    "cup-robin": lambda club: tournament(club, "robin", "Anna", "Bert", "Cici", running=True),
    "cup-swiss": lambda club: tournament(club, "swiss", "Anna", "Bert", "Cici", "Dora", running=True),
    "cup-knockout": lambda club: tournament(club, "knockout", "Cici", "Dora", "Emil", running=True),
    "cup-over": over,
    "cup-ladder": ladder,
    "cup-ladder-asked": lambda club: ladder(club, asked=True),
    "cup-ladder-free": lambda club: ladder(club, asked=True, refusal="none"),
    "cup-ladder-locked": lambda club: ladder(club, locked=True, refusal="none"),
    "cup-ladder-away": lambda club: ladder(club, away=True),
    "cup-rated": rated,
    "cup-new-ratings": lambda club: rated(club, 3),
    "cup-and-match": with_match,
}
