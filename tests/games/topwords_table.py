"""A dictionary that is a list, and a Topwords table with a fixed deal."""

from collections.abc import Mapping, Sequence
from typing import Any

from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import TopwordsOptions, TopwordsPublic, get_stack_index
from moderator.rules.game import State, Verdict
from moderator.rules.state import Context, Words


class ListedWords(Words):
    """Accepts ``known`` (None = every word), asks about ``ask``, accepts a key of ``bases`` with that base form."""

    def __init__(self, known: str | None = None, ask: str = "", bases: Mapping[str, str] | None = None) -> None:
        self.known = None if known is None else frozenset(known.split())
        self.waiting = frozenset(ask.split())
        self.bases = dict(bases or {})
        self.judged: list[tuple[str, str | None]] = []

    def judge(self, word: str, base: str | None = None) -> Verdict:
        self.judged.append((word, base))
        if base is not None and self.bases.get(word) == base:
            return Verdict(word, "accept", "base-form", "list")
        if word in self.waiting:
            return Verdict(word, "ask", "unknown", "list")
        if word not in self.bases and (self.known is None or word in self.known):
            return Verdict(word, "accept", "", "list")
        return Verdict(word, "reject", "unknown", "list", {"edition": "1"})

    def playable(self, max_length: int) -> Sequence[str]:
        return sorted(word for word in self.known or () if 2 <= len(word) <= max_length)


def context(known: str | None = None, ask: str = "", bases: Mapping[str, str] | None = None) -> Context:
    return Context(ListedWords(known, ask, bases), lambda label, items: tuple(items))


def table(
    *racks: str,
    stock: str = "N" * 40,
    board: Mapping[str, str] | None = None,
    starter: int = 0,
    seats: int = 0,
    **options: Any,
) -> State[TopwordsPublic]:
    chosen = TopwordsOptions(**options)
    rows = [[""] * 10 for _ in range(10)]
    for square, stack in (board or {}).items():
        y, x = divmod(get_stack_index(square, chosen), 10)
        rows[y][x] = stack
    fixed = {"racks": [list(r) for r in racks], "stock": list(stock), "board": rows, "starter": starter}
    return GAME.setup(seats or max(2, len(racks)), chosen, context(), fixed).state
