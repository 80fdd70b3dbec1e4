"""Scenes for commands that ask for something: matches of several games, with a past."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from sqlmodel import select

from moderator.club import clock, reviews
from moderator.match.contract import Note
from moderator.play import lifecycle
from moderator.play.create import find_match, find_player, new_match
from moderator.store.models import Leave, Match
from tests.club.club import Club
from tests.club.pair_scenes import Scene, begun, people

NAMES = ("Anna", "Bert")


def told(club: Club, game: str = "topwords", moves: int = 2, **more: object) -> Scene:
    """Anna and Bert have moved in turn, so many moves in all; each of the robot's choice."""
    scene = begun(club, game, NAMES, **more)  # type: ignore[arg-type]
    for _ in range(moves):
        seat = club.live(scene["code"]).table.state.to_move[0]
        club.order(NAMES[seat], scene["code"], seat, club.moves(scene["code"], seat)[0])
        club.wait(days=1)
        club.tick()
    return scene


def exchanged(club: Club) -> Scene:
    """Anna has moved, Bert has exchanged two tiles, Anna has passed."""
    scene = told(club, moves=1)
    hand = club.live(scene["code"]).table.state.hands[1]
    for name, seat, text in (("Bert", 1, f"exchange {hand[0]} {hand[1]}"), ("Anna", 0, "passe")):
        club.order(name, scene["code"], seat, text)
        club.tick()
    return scene


def taken_back(club: Club) -> Scene:
    """Two moves were taken back by the moderator; Anna has moved again."""
    scene = told(club, moves=2)
    with club.desk() as desk:
        match = find_match(desk.session, scene["code"])
        lifecycle.undo(desk, match, desk.cache.live(desk.session, match), 0, Note("game-stopped"))
        desk.progress.clear()
    club.order("Anna", scene["code"], 0, club.moves(scene["code"], 0)[1])
    club.tick()
    return scene


def missed(club: Club) -> Scene:
    """In turn: Anna has missed hers, Bert has moved."""
    scene = begun(club, "topwords", NAMES, terms={"bank": 3})
    club.wait(days=13)
    club.tick()
    club.order("Bert", scene["code"], 1, club.moves(scene["code"], 1)[0])
    club.tick()
    return scene


def rounds(club: Club, game: str = "topwords", pace: str = "rounds") -> Scene:
    """One round is over: Anna has moved, Bert's move was not legal, Cici has sent nothing."""
    scene = begun(club, game, ("Anna", "Bert", "Cici"), pace=pace)
    code = scene["code"]
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    club.order("Bert", code, 1, "A1 w QUARZ")
    club.tick()
    club.wait(days=8)
    club.tick()
    return scene


def several(club: Club) -> Scene:
    """Anna in four matches: her turn, not her turn, an order stored, paused; another is open, and she has leave."""
    scene = told(club, moves=2)
    begun(club, "dominos", ("Bert", "Anna"))
    third = begun(club, "topwords", ("Anna", "Bert", "Cici"), pace="rounds")
    club.order("Anna", third["code"], 0, club.moves(third["code"], 0)[0])
    club.tick()
    paused = begun(club, "tridom", NAMES)
    people(club, "Dora")
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == paused["code"])).one()
        clock.pause(desk, match, desk.cache.live(desk.session, match))
        dora = find_player(desk.session, "Dora")
        new_match(desk.session, "domijongg", "Winter", [dora], {}, club.now, wanted=3)
        anna = find_player(desk.session, "Anna").number
        desk.session.add(Leave(player_id=anna, first=date(2026, 12, 24), last=date(2027, 1, 2), announced_at=club.now))
    return scene


def finished(club: Club) -> Scene:
    """The match was stopped after two moves; its review is made."""
    scene = told(club, moves=2)
    club.order("Bert", scene["code"], 1, f"resign {scene['code']}")
    club.tick()
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == scene["code"])).one()
        reviews.at_once(desk.session, desk.cache, match, club.now)
    return scene


def nobody(club: Club) -> Scene:
    """Emil and Dora (English) play in no match."""
    people(club, "Emil", "Dora")
    return {"code": "", "seats": []}


ASKING_SCENES: dict[str, Callable[[Club], Scene]] = {
    "told": told,
    "told-dominos": lambda club: told(club, "dominos", 3),
    "told-tridom": lambda club: told(club, "tridom", 2),
    "told-domijongg": lambda club: told(club, "domijongg", 2),
    "race": lambda club: begun(club, "presto", NAMES),
    "kreuzwort": lambda club: begun(club, "kreuzwort", NAMES),
    "exchanged": exchanged,
    "taken-back": taken_back,
    "missed": missed,
    "round-over": rounds,
    "common-over": lambda club: rounds(club, pace="common"),
    "several": several,
    "finished": finished,
    "nobody": nobody,
}
