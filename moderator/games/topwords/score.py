"""Points of a move: every tile of every changed word counts, the hidden ones too."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.engine.contract import Note
from moderator.games.topwords.board import Laying
from moderator.games.topwords.state import Options, Run
from moderator.games.topwords.tiles import RACK_POINTS, RARE, RARE_POINTS


def run_points(board: Sequence[str], run: Run) -> int:
    """Tiles in all squares of a run; doubled if no square holds more than one."""
    tiles = sum(len(board[square]) for square in run)
    return 2 * tiles if tiles == len(run) else tiles


def earns_rack_bonus(options: Options, held: int, stock: int) -> bool:
    """Whether using all ``held`` tiles is worth the bonus: a full rack, or whatever is left at the end."""
    return held >= options.full_rack or stock == 0


def score(laying: Laying, options: Options, held: int, stock: int) -> tuple[int, list[int], list[Note]]:
    """(points in all, points of each changed word, a note for each bonus).

    ``held`` = tiles on the rack before the move, ``stock`` = tiles in the stock before it.
    """
    words = [run_points(laying.board, run) for run in laying.runs]
    notes = []
    if len(laying.laid) == held and earns_rack_bonus(options, held, stock):
        notes.append(Note("bonus-rack", {"count": held, "points": RACK_POINTS}, points=RACK_POINTS))
    rare = [letter for _, letter in laying.laid if letter in RARE]
    if rare:
        bonus = RARE_POINTS * len(rare)
        notes.append(Note("bonus-rare", {"letters": rare, "points": bonus}, points=bonus))
    return sum(words) + sum(note.points for note in notes), words, notes
