"""Scenes for press, protests, leave, undo and the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlmodel import select

from moderator.club.tokens import moderator_token
from moderator.play.create import add_player
from moderator.store.models import Leave, Match, Watcher
from tests.club.club import Club
from tests.club.pair_scenes import Scene, begun, people

NAMES = ("Anna", "Bert", "Cici")


def three(club: Club, names: tuple[str, ...] = NAMES, **more: Any) -> Scene:
    """Anna, Bert (English) and Cici in turn; Anna is to move."""
    return begun(club, "topwords", names, **more)


def moved(club: Club, **more: Any) -> Scene:
    """The same after Anna's first move: Bert is to move."""
    scene = three(club, **more)
    club.order("Anna", scene["code"], 0, club.moves(scene["code"], 0)[0])
    club.tick()
    return scene


def two_moves(club: Club) -> Scene:
    """Anna and Bert have moved, Cici is to move."""
    scene = moved(club)
    club.order("Bert", scene["code"], 1, club.moves(scene["code"], 1)[0])
    club.tick()
    return scene


def wish(club: Club) -> Scene:
    """Anna asks to take her move back."""
    scene = moved(club)
    club.order("Anna", scene["code"], 0, "Rücknahme")
    club.tick()
    return scene


def wish_half(club: Club) -> Scene:
    """Bert has agreed, Cici has not answered."""
    scene = wish(club)
    club.order("Bert", scene["code"], 1, "agree")
    club.tick()
    return scene


def with_robot(club: Club) -> Scene:
    """Anna has moved, then the robot; Anna is to move again."""
    with club.desk() as desk:
        add_player(desk.session, "R2D2", None, club.now)
    scene = begun(club, "topwords", ("Anna", "R2D2"))
    club.order("Anna", scene["code"], 0, club.moves(scene["code"], 0)[0])
    club.tick()
    return scene


def protested(club: Club) -> Scene:
    """Anna protests; ``protest`` is the address that the moderator answers to."""
    scene = two_moves(club)
    club.order("Anna", scene["code"], 0, "Einspruch: HAUS war nicht verbunden.")
    club.tick()
    (mail,) = [mail for mail in club.mails() if "boss@" in str(mail["To"])]
    with club.desk() as desk:
        boss = f"games+BOSS-{moderator_token(desk.session)}@club.example"
    return scene | {"protest": str(mail["Reply-To"]), "boss": boss}


def on_leave(club: Club) -> Scene:
    """Anna has leave from 24 December to 2 January."""
    scene = two(club)
    club.order("Anna", scene["code"], 0, "Urlaub 24.12. bis 2.1.")
    club.tick()
    return scene


def two(club: Club, **more: Any) -> Scene:
    return begun(club, "topwords", ("Anna", "Bert"), **more)


def away_now(club: Club) -> Scene:
    """Anna has been on leave since yesterday."""
    scene = two(club)
    with club.desk() as desk:
        first, last = club.now.date().replace(day=19), club.now.date().replace(day=30)
        anna = desk.players(desk.session.exec(select(Match)).one())[0]
        desk.session.add(Leave(player_id=anna.number, first=first, last=last, announced_at=club.now))
    return scene


def two_leaves(club: Club) -> Scene:
    scene = on_leave(club)
    club.order("Anna", scene["code"], 0, "Urlaub 1.3.-5.3.")
    club.tick()
    return scene


def watched(club: Club) -> Scene:
    """Dora watches what Anna, Bert and Cici play."""
    scene = three(club)
    people(club, "Dora")
    with club.desk() as desk:
        from moderator.play.create import find_player

        match = desk.session.exec(select(Match)).one()
        dora = find_player(desk.session, "Dora")
        desk.session.add(Watcher(match_id=match.number, player_id=dora.number, since=club.now))
    return scene


def two_matches(club: Club) -> Scene:
    """Anna and Bert in two matches; in the second one leave does not count."""
    scene = two(club)
    begun(club, "topwords", ("Bert", "Anna"), terms={"leave": False})
    return scene


def finished(club: Club) -> Scene:
    """Anna has won, as Bert has resigned."""
    scene = two(club)
    club.order("Bert", scene["code"], 1, f"resign {scene['code']}")
    club.tick()
    return scene


@dataclass(frozen=True)
class With:
    """A scene with time rules of its own."""

    scene: Callable[..., Scene]
    terms: dict[str, Any]

    def __call__(self, club: Club) -> Scene:
        return self.scene(club, terms=self.terms)


def rounds(club: Club) -> Scene:
    """Pace rounds; Anna has stored an order."""
    scene = begun(club, "topwords", NAMES, pace="rounds")
    club.order("Anna", scene["code"], 0, club.moves(scene["code"], 0)[0])
    club.tick()
    return scene


def first_round(club: Club) -> Scene:
    """Pace rounds; nobody has sent anything."""
    return begun(club, "topwords", NAMES, pace="rounds")


LETTER_SCENES: dict[str, Callable[[Club], Scene]] = {
    "three": three,
    "moved": moved,
    "two-moves": two_moves,
    "wish": wish,
    "wish-half": wish_half,
    "with-robot": with_robot,
    "protested": protested,
    "on-leave": on_leave,
    "away-now": away_now,
    "two-leaves": two_leaves,
    "press-watched": watched,
    "two-matches": two_matches,
    "resigned": finished,
    "stored": rounds,
    "first-round": first_round,
    "banked": With(moved, {"bank": 5, "grace": 2}),
}
