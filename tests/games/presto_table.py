"""A table of Presto with fixed racks, for tests."""

from typing import Any

from moderator.games.typdom.presto import GAME
from moderator.games.typdom.presto_state import PrestoOptions, PrestoPublic
from moderator.rules.game import State, Step
from moderator.rules.state import Context, Words, view_for
from moderator.rules.words import WordList
from tests.games.typdom_table import tiles

SOURCE = "Wörterbuch 1"


class Match:
    """A match that goes on with each submission. The words that count are ``known``."""

    def __init__(self, *racks: str, known: str | Words = "", stock: str = "", **options: Any) -> None:
        words = WordList(known.split(), SOURCE) if isinstance(known, str) else known
        self.ctx = Context(words, lambda label, items: tuple(items))
        fixed = {"racks": [tiles(rack) for rack in racks], "stock": tiles(stock)}
        self.last: Step[PrestoPublic] = GAME.setup(len(racks), PrestoOptions(**options), self.ctx, fixed)

    @property
    def state(self) -> State[PrestoPublic]:
        return self.last.state

    def send(self, seat: int, *rows: str) -> Step[PrestoPublic]:
        """A seat submits a drawing, or ``passe``. Raises PlayerError."""
        text = rows[0] if len(rows) == 1 and not rows[0].isupper() else f"Gitter ({' / '.join(rows)})"
        move = GAME.parse_move(text, view_for(self.state, seat))
        self.last = GAME.apply_move(self.state, seat, move, self.ctx)
        return self.last

    def miss(self, seat: int) -> Step[PrestoPublic]:
        self.last = GAME.pass_turn(self.state, seat, self.ctx)
        return self.last
