"""A match that was begun elsewhere and has just been taken up here."""

from __future__ import annotations

from collections.abc import Callable

from moderator.play import moving_in
from moderator.play.announce import announce
from moderator.play.create import find_player, new_match
from moderator.store import matches
from tests.club.club import Club
from tests.club.pair_scenes import Scene, people

POSITION = {
    "round": 2,
    "turn": 1,
    "board": ["66", "62@L", "61@R"],
    "stock_order": "11 30 32 40 42 43 44 52 53 54 00",
    "player": [
        {"score": 35, "gains": [5], "rack": "64 31 55 21 10 63"},
        {"score": 20, "rack": "65 41 22 33 51 50 20 60"},
    ],
}


def waiting(club: Club) -> Scene:
    """Anna (German) and Bert (English), who is to move, have been asked whether all is right."""
    people(club, "Anna", "Bert")
    with club.desk() as desk:
        seats = [find_player(desk.session, name) for name in ("Anna", "Bert")]
        match = new_match(desk.session, "dominos", "Arratia", seats, {}, club.now)
        moving_in.take_up(desk, match, POSITION, None)
        announce(desk)
        code = match.code
    club.tick()
    return {"code": code, "seats": ["Anna", "Bert"]}


def half(club: Club) -> Scene:
    """Anna has said that it is."""
    scene = waiting(club)
    with club.desk() as desk:
        match = matches.by_code(desk.session, scene["code"])
        assert match is not None
        moving_in.confirm(desk, match, desk.cache.live(desk.session, match), 0)
    return scene


MOVING_IN_SCENES: dict[str, Callable[[Club], Scene]] = {"moving-in": waiting, "moving-in-half": half}
