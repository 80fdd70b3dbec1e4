"""Where the moderator's mails of tests/pairs/boss are written; ``boss`` is the address with the moderator's token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moderator.club.tokens import moderator_token
from moderator.config import load
from moderator.play import refereeing
from moderator.play.create import find_match, find_player, new_match, start_match
from tests.club.club import Club
from tests.club.pair_scenes import people

Scene = dict[str, Any]
KIND = bytes.fromhex("00" * 31 + "07")


def dealt(club: Club, game: str, names: tuple[str, ...], **options: Any) -> Scene:
    """A match that has just been dealt and mailed; Dora and Emil play in none."""
    terms = options.pop("terms", None)
    people(club, *names, "Dora", "Emil")
    with club.desk() as desk:
        seats = [find_player(desk.session, name) for name in names]
        match = new_match(desk.session, game, "Arratia", seats, options, club.now, terms=terms)
        start_match(desk, match, seed=KIND)
        code, token = match.code, moderator_token(desk.session)
    club.tick()
    return {"code": code, "seats": list(names), "boss": f"games+BOSS-{token}@club.example"}


def two(club: Club) -> Scene:
    """Anna and Bert at Topwords, Anna to move in round 1."""
    return dealt(club, "topwords", ("Anna", "Bert"))


def three(club: Club) -> Scene:
    """Three players, one after the other, with extra days."""
    return dealt(club, "topwords", ("Anna", "Bert", "Cici"), terms={"bank": 3})


def moved(club: Club) -> Scene:
    """Anna, Bert and Anna again have moved: round 2, Bert to move."""
    scene = two(club)
    for seat, name in ((0, "Anna"), (1, "Bert"), (0, "Anna")):
        _best(club, scene, name, seat)
    return scene


def _best(club: Club, scene: Scene, name: str, seat: int) -> None:
    club.wait(hours=3)
    moves = club.moves(scene["code"], seat)
    club.order(name, scene["code"], seat, moves[0] if moves else "passe")
    club.tick()


def rounds(club: Club) -> Scene:
    """Three in rounds; only Anna's order is here."""
    scene = dealt(club, "topwords", ("Anna", "Bert", "Cici"), pace="rounds")
    _best(club, scene, "Anna", 0)
    return scene


def evaluated(club: Club) -> Scene:
    """Round 1 of three in rounds is evaluated, all had sent an order."""
    scene = dealt(club, "topwords", ("Anna", "Bert", "Cici"), pace="rounds")
    for seat, name in enumerate(scene["seats"]):
        _best(club, scene, name, seat)
    club.wait(days=8)
    club.tick()
    return scene


def paused(club: Club) -> Scene:
    """The clock stands."""
    from moderator.commands.moderator import clockwork
    from moderator.play.create import find_match

    scene = two(club)
    with club.desk() as desk:
        clockwork.pause(desk, find_match(desk.session, scene["code"]))
    club.wait(days=2)
    club.tick()
    return scene


def held(club: Club) -> Scene:
    """Anna's move waits for a word that no list has."""
    scene = dealt(club, "topwords", ("Anna", "Bert"), unknown_words="ask")
    word = "".join(club.live(scene["code"]).table.state.hand(0)[:3])
    club.order("Anna", scene["code"], 0, f"E5 w {word}")
    club.tick()
    return scene


def waiting(club: Club) -> Scene:
    """A mail of Anna's with her own token waits, because it says that a list has sent it."""
    scene = two(club)
    move = club.moves(scene["code"], 0)[0]
    club.order("Anna", scene["code"], 0, move, List_Id="<spiele.home.example>")
    club.tick()
    return scene


def tiles(club: Club) -> Scene:
    """Dominos between Anna and Bert."""
    return dealt(club, "dominos", ("Anna", "Bert"))


def late(club: Club) -> Scene:
    """Anna has missed a turn, Bert is awaited, on leave soon, and Cici's mail comes back."""
    from datetime import date

    from moderator.store.models import Leave

    scene = three(club)
    club.wait(days=11)
    club.tick()
    with club.desk() as desk:
        for name in ("Bert", "Cici"):
            player = find_player(desk.session, name)
            if name == "Cici":
                player.undeliverable = "550 no such user"
            else:
                leave = Leave(
                    player_id=player.number, first=date(2026, 12, 24), last=date(2027, 1, 2), announced_at=club.now
                )
                desk.session.add(leave)
            desk.session.add(player)
    return scene


def resigned(club: Club) -> Scene:
    """The match is over: Bert has resigned."""
    scene = moved(club)
    club.order("Bert", scene["code"], 1, f"Aufgeben {scene['code']}")
    club.tick()
    return scene


def led(club: Club) -> Scene:
    """Anna and Bert at Topwords; Karl is the referee, Lea, who reads English, the deputy."""
    scene = two(club)
    with club.desk() as desk:
        match = find_match(desk.session, scene["code"])
        for name, language in (("Karl", "de"), ("Lea", "en")):
            row = refereeing.add(desk, name, f"{name.lower()}@ref.example", language)
            refereeing.name_for(desk, match, row, deputy=name == "Lea")
            scene[name.lower()] = f"games+BOSS-{row.token}@club.example"
    club.tick()
    return scene


def english(scene: Callable[[Club], Scene]) -> Callable[[Club], Scene]:
    """The same club with a moderator who reads English."""

    def in_english(club: Club) -> Scene:
        file = club.folder / "moderator.toml"
        file.write_text(
            file.read_text(encoding="utf-8").replace("[mail]", 'language = "en"\n[mail]', 1), encoding="utf-8"
        )
        club.config = load(file)
        return scene(club)

    return in_english


_GERMAN: dict[str, Callable[[Club], Scene]] = {
    "boss-two": two,
    "boss-three": three,
    "boss-moved": moved,
    "boss-rounds": rounds,
    "boss-evaluated": evaluated,
    "boss-paused": paused,
    "boss-held": held,
    "boss-waiting": waiting,
    "boss-tiles": tiles,
    "boss-late": late,
    "boss-resigned": resigned,
    "boss-led": led,
}
BOSS_SCENES = _GERMAN | {f"{name}-en": english(scene) for name, scene in _GERMAN.items()}
