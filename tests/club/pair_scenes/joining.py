"""Scenes for settings, addresses, joining, watching and for writers whom nobody knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlmodel import select

from moderator.play.create import find_player, new_match
from moderator.store.models import AddressChange, Inbox, Player
from tests.club.club import Club
from tests.club.pair_scenes import Scene, begun, people, two

VOUCHED = "mx.club.example; dkim=pass header.d=home.example"


def writes(club: Club, name: str, body: str, **more: Any) -> None:
    club.write(name, body, Authentication_Results=VOUCHED, **more)
    club.tick()


def nobody_plays(club: Club) -> Scene:
    """Anna and Bert (English) are players, but in no match."""
    people(club, "Anna", "Bert")
    return {}


def lookers_on(club: Club) -> Scene:
    """Anna and Bert play; Cici and Dora (English) do not."""
    scene = two(club)
    people(club, "Cici", "Dora")
    return scene


def watched(club: Club) -> Scene:
    """The same, and Cici and Dora watch."""
    scene = lookers_on(club)
    for name in ("Cici", "Dora"):
        writes(club, name, f"watch {scene['code']}")
    return scene


def with_openings(club: Club, *openings: tuple[str, int]) -> Scene:
    """Open matches: game and seats wanted; Anna has the first seat of each."""
    people(club, "Anna", "Bert", "Cici", "Dora")
    with club.desk() as desk:
        for (game, wanted), name in zip(openings, ("Arratia", "Bozen", "Chur"), strict=False):
            seats = [find_player(desk.session, "Anna")]
            new_match(desk.session, game, name, seats, {}, club.now, wanted=wanted)
    return {"code": "K7Q2", "seats": ["Anna"]}


def given_up(club: Club) -> Scene:
    """Cici has resigned from a match of three; Dora plays nowhere."""
    scene = begun(club, "topwords", ("Anna", "Bert", "Cici"))
    people(club, "Dora", "Emil")
    club.order("Cici", scene["code"], 2, f"Aufgeben {scene['code']}")
    club.tick()
    return scene


def stand_in(club: Club) -> Scene:
    """In a match of three a robot holds the seat of whoever leaves; Dora (English) and Emil play nowhere."""
    scene = begun(club, "topwords", ("Anna", "Bert", "Cici"), terms={"stand_in": "club"})
    people(club, "Dora", "Emil")
    return scene


def held(club: Club) -> Scene:
    """The same, and Cici has left."""
    scene = stand_in(club)
    club.order("Cici", scene["code"], 2, f"Aufgeben {scene['code']}")
    club.tick()
    return scene


def moving(club: Club, *, said: bool = False, dead: bool = False) -> Scene:
    """Anna wants another address; ``said``: the old mailbox has said yes; ``dead``: it does not work any more."""
    scene = two(club)
    if dead:
        _dead(club)
    club.order("anna@new.example", scene["code"], 0, "Adresse anna@new.example")
    club.tick()
    with club.desk() as desk:
        change = desk.session.exec(select(AddressChange)).one()
        scene |= {"old": f"games+ADDR-{change.old_token}@club.example"}
        scene |= {"new": f"games+ADDR-{change.new_token}@club.example"}
    if said:
        club.write("Anna", "JA", to=scene["old"])
        club.tick()
    return scene


def _dead(club: Club) -> None:
    with club.desk() as desk:
        anna = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
        anna.undeliverable = "5.1.1"
        desk.session.add(anna)


def dead_mailbox(club: Club) -> Scene:
    """Mails to Anna come back."""
    scene = two(club)
    _dead(club)
    return scene | {"seat-anna": _seat(club, scene)}


def _seat(club: Club, scene: Scene) -> str:
    return f"games+{scene['code']}-{club.token(scene['code'], 0)}@club.example"


def elsewhere(club: Club) -> Scene:
    """Anna's seat may be reached from anywhere."""
    scene = two(club)
    return scene | {"seat-anna": _seat(club, scene)}


def strangers(club: Club, signup: str) -> Scene:
    """A club that lets everybody in, or nobody; a match waits for one more player."""
    object.__setattr__(club.config.club, "signup", signup)
    return with_openings(club, ("topwords", 2))


def asked(club: Club, line: str) -> Scene:
    """Zoe has written ``line`` and was asked whether it was her."""
    scene = strangers(club, "open")
    club.write("zoe@far.example", line)
    club.tick()
    with club.desk() as desk:
        held = desk.session.exec(select(Inbox).where(Inbox.state == "confirm")).one()
        return scene | {"question": f"games+OK-{held.token}@club.example"}


def two_digests(club: Club) -> Scene:
    """Anna and Bert (English) want one mail a day."""
    scene = two(club)
    for name in ("Anna", "Bert"):
        writes(club, name, "digest on")
    return scene


JOINING_SCENES: dict[str, Callable[[Club], Scene]] = {
    "nobody-plays": nobody_plays,
    "lookers-on": lookers_on,
    "watched": watched,
    "one-opening": lambda club: with_openings(club, ("topwords", 2)),
    "openings": lambda club: with_openings(club, ("topwords", 3), ("tridom", 3)),
    "given-up": given_up,
    "stand-in": stand_in,
    "held": held,
    "moving": moving,
    "moving-half": lambda club: moving(club, said=True),
    "moving-dead": lambda club: moving(club, dead=True),
    "dead-mailbox": dead_mailbox,
    "open-club": lambda club: strangers(club, "open"),
    "closed-club": lambda club: strangers(club, "closed"),
    "newcomer": lambda club: asked(club, "Mitspielen Zoë"),
    "newcomer-english": lambda club: asked(club, "join K7Q2"),
    "digests": two_digests,
    "elsewhere": elsewhere,
}
