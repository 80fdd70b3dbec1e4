"""Where the mails of tests/pairs are written: each scene sets up a club and returns what a mail may refer to.

``code``: the match; ``seats``: its players in seat order. Other keys are addresses that a pair's ``to`` may name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moderator.play.create import add_player, find_player, new_match, start_match
from tests.club.club import Club, plain_boards

Scene = dict[str, Any]
RACKS = bytes.fromhex("00" * 31 + "07")


def two(club: Club, game: str = "topwords", **options: Any) -> Scene:
    """Anna (German) and Bert (English) in their first turn; Anna is to move."""
    return begun(club, game, ("Anna", "Bert"), **options)


def begun(club: Club, game: str, names: tuple[str, ...], terms: dict[str, Any] | None = None, **options: Any) -> Scene:
    """A match that has just been dealt and mailed."""
    people(club, *names)
    with club.desk() as desk:
        seats = [find_player(desk.session, name) for name in names]
        match = new_match(desk.session, game, "Arratia", seats, options, club.now, terms=terms)
        start_match(desk, match, seed=RACKS)
        code = match.code
    club.tick()
    return {"code": code, "seats": list(names)}


def people(club: Club, *names: str) -> None:
    """Players, each once; Bert reads English, everybody a board of characters."""
    from sqlmodel import select

    from moderator.store.models import Player

    with club.desk() as desk:
        there = set(desk.session.exec(select(Player.name)))
        for name in names:
            if name not in there:
                language = "en" if name in ("Bert", "Dora") else "de"
                add_player(desk.session, name, f"{name.lower()}@home.example", club.now, language=language)
    plain_boards(club)


def three_rounds(club: Club) -> Scene:
    """Anna, Bert and Cici in pace rounds: everybody is awaited."""
    return begun(club, "topwords", ("Anna", "Bert", "Cici"), pace="rounds")


SCENES: dict[str, Callable[[Club], Scene]] = {"two": two, "rounds": three_rounds}

from tests.club.pair_scenes.boss import BOSS_SCENES  # noqa: E402 - its scenes are made of those above

SCENES |= BOSS_SCENES

from tests.club.pair_scenes.letters import LETTER_SCENES  # noqa: E402 - likewise

SCENES |= LETTER_SCENES

from tests.club.pair_scenes.asking import ASKING_SCENES  # noqa: E402 - likewise

SCENES |= ASKING_SCENES

from tests.club.pair_scenes.joining import JOINING_SCENES  # noqa: E402 - likewise

SCENES |= JOINING_SCENES

from tests.club.pair_scenes.cup import TOURNAMENT_SCENES  # noqa: E402 - likewise

SCENES |= TOURNAMENT_SCENES

from tests.club.pair_scenes.moving_in import MOVING_IN_SCENES  # noqa: E402 - likewise

SCENES |= MOVING_IN_SCENES

from tests.club.pair_scenes.puzzles import PUZZLE_SCENES  # noqa: E402 - the same

SCENES |= PUZZLE_SCENES
