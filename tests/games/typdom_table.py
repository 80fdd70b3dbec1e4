"""A table of Kreuzwort-Spiel or Point-Typ-Dom with a fixed deal, for tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import pytest

from moderator.common.errors import Illegal
from moderator.games import load_game
from moderator.games.typdom.state import TypdomPublic
from moderator.rules.game import State, Step
from moderator.rules.state import Context, Note, Words, view_for
from moderator.rules.words import WordList

P = TypeVar("P", bound=TypdomPublic)
"""The public state of the game played."""


def tiles(text: str) -> list[str]:
    """``AE*rN`` as a list of tiles."""
    return re.findall(r"\*[rb]|[A-Z]", text)


class Match(Generic[P]):
    """A match that goes on with each turn. The words that count are ``known``, or any. ``Match[Public]`` tells the type
    checker which game it is."""

    def __init__(
        self,
        key: str,
        *racks: str,
        stock: str = "",
        board: dict[str, str] | None = None,
        starter: int = 0,
        known: str | Words = "",
        **options: Any,
    ) -> None:
        self.game = load_game(key)
        words = WordList(known.split()) if isinstance(known, str) else known
        self.ctx = Context(words, lambda label, items: tuple(items))
        fixed = {
            "racks": [tiles(rack) for rack in racks],
            "stock": tiles(stock),
            "board": board or {},
            "starter": starter,
        }
        self.last: Step[P] = self.game.setup(len(racks), self.game.options(**options), self.ctx, fixed)

    @property
    def state(self) -> State[P]:
        return self.last.state

    def turn(self, text: str) -> Step[P]:
        """The seat to move plays. Raises PlayerError."""
        seat = self.state.to_move[0]
        move = self.game.parse_move(text, view_for(self.state, seat))
        self.last = self.game.apply_move(self.state, seat, move, self.ctx)
        return self.last

    def play(self, *texts: str) -> Match[P]:
        for text in texts:
            self.turn(text)
        return self

    def miss(self) -> Step[P]:
        self.last = self.game.pass_turn(self.state, self.state.to_move[0], self.ctx)
        return self.last

    def hand(self, seat: int) -> str:
        return "".join(self.state.hands[seat])


def refused(match: Match[Any], text: str) -> Illegal:
    before = match.state
    with pytest.raises(Illegal) as caught:
        match.turn(text)
    assert match.state == before
    return caught.value


def codes(notes: Sequence[Note]) -> list[str]:
    return [note.code for note in notes]


def points(notes: Sequence[Note], seats: int) -> list[int]:
    """What some notes bring to each seat."""
    return [sum(note.points for note in notes if note.seat == seat) for seat in range(seats)]
