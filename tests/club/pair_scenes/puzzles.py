"""Scenes with a puzzle of the week: the matches it is taken from were played by robots."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from moderator.outbox.lists import secret_of
from moderator.play.create import find_player
from tests.club import puzzle_club
from tests.club.club import Club
from tests.club.pair_scenes import Scene, people

MONDAY = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


def none(club: Club) -> Scene:
    """Anna and Bert want it, and no match is over."""
    people(club, "Anna", "Bert")
    puzzle_club.wants(club, "Anna", "Bert")
    return {"code": "", "seats": []}


def running(club: Club) -> Scene:
    """It is Monday, and Anna and Bert have this week's."""
    people(club, "Anna", "Bert")
    puzzle_club.play(club, ("supertridom",), 1)
    puzzle_club.wants(club, "Anna", "Bert")
    club.now = MONDAY
    club.tick()
    with club.desk() as desk:
        secrets = {name: secret_of(desk, find_player(desk.session, name)) for name in ("Anna", "Bert")}
    to = {f"puzzle-{name.lower()}": f"games+PUZZ-{secret}@club.example" for name, secret in secrets.items()}
    return {"code": "", "seats": [], "best": puzzle_club.last(club).best} | to


def over(club: Club) -> Scene:
    """The week is over; its solution was not told yet."""
    scene = running(club)
    club.wait(days=6, hours=20)
    return scene


PUZZLE_SCENES: dict[str, Callable[[Club], Scene]] = {"puzzle": running, "puzzle-none": none, "puzzle-over": over}
