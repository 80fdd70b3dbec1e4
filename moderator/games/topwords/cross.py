"""What a tile laid on a square does to the words that cross the line."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.games.topwords.board import run_through
from moderator.games.topwords.state import SIZE, Public


@dataclass(frozen=True)
class Crossings:
    """Per square 0..99, for moves at right angles to ``step``."""

    allowed: list[str]
    """Rack letters (each once, sorted) that may be laid there; without the one on top."""
    points: list[int]
    """What the changed crossing word scores; 0 where none crosses."""
    beside: frozenset[int]
    """Empty or occupied squares with an occupied neighbour across."""
    unbound: str
    """All rack letters; the very object stands in ``allowed`` where nothing limits the square."""


def crossings(public: Public, words: frozenset[str], hand: tuple[str, ...], step: int) -> Crossings:
    """Look at every square for a tile laid there; ``step`` (1 or 10) is the crossing direction."""
    board, highest = public.board, public.options.max_height
    unbound = "".join(sorted(set(hand)))
    allowed: list[str] = []
    points: list[int] = []
    beside: list[int] = []
    probe = list(board)
    for square, stack in enumerate(board):
        place = square // SIZE if step == SIZE else square % SIZE
        before = place > 0 and board[square - step] != ""
        after = place < SIZE - 1 and board[square + step] != ""
        letters = unbound if len(stack) < highest else ""
        gained = 0
        if stack:
            letters = letters.replace(stack[-1], "")
        if before or after:
            beside.append(square)
            probe[square] = stack + "?"
            run = run_through(probe, square, step)
            probe[square] = stack
            text = [board[s][-1:] for s in run]
            at = run.index(square)
            head, tail = "".join(text[:at]), "".join(text[at + 1 :])
            letters = "".join(letter for letter in letters if head + letter + tail in words)
            tiles = 1 + sum(len(board[s]) for s in run)
            gained = 2 * tiles if tiles == len(run) else tiles
        allowed.append(letters)
        points.append(gained)
    return Crossings(allowed, points, frozenset(beside), unbound)
