"""A turn in the games where whole words are laid: Kreuzwort-Spiel and Point-Typ-Dom."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.games.typdom.board import Place
from moderator.games.typdom.tiles import Colour


@dataclass(frozen=True, slots=True)
class Exchange:
    """Take the jolly from ``square`` for the letter that it stands for."""

    letter: str
    square: str


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything that a seat does in its turn, in this order; nothing at all = pass."""

    places: tuple[Place, ...] = ()
    """One or two words."""
    exchanges: tuple[Exchange, ...] = ()
    """Before the words."""
    buys: tuple[Colour, ...] = ()
    """Red ones first. Instead of a word, or of the second one that is due."""
    points: int | None = None
    """What the player counts for the words in all."""
