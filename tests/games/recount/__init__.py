"""A second referee for the tile games, written from the printed rules alone and as plainly as a school book.

It knows nothing of ``moderator.games``: lists, dictionaries and brute force. test_recount.py plays whole matches and
compares the engine with it after every event. Each model has ``hands`` (in no order), ``stock`` (next first),
``scores``, ``turn`` (the seat that has a choice), ``round``, ``winners``, ``totals`` (at the end of each round),
``drew`` (whether the seat to move had to), and the methods that match.py calls.
"""

from collections.abc import Callable, Sequence

Shuffle = Callable[[str, Sequence[str]], Sequence[str]]
"""(label, tiles) -> the tiles in the order of that label."""


class Referee:
    def __init__(self, seats: int, shuffle: Shuffle) -> None:
        self.shuffle = shuffle
        self.scores = [0] * seats
        self.winners: list[int] = []
        self.totals: list[list[int]] = []
        self.turn: int | None = None
        self.drew = False
        self.round = 0
