"""Tables of Dominos for tests: boards, fixed deals, views, random rounds."""

import random
from collections.abc import Sequence
from typing import Any

from moderator.games.dominos.rules import GAME
from moderator.games.dominos.state import (
    SET,
    DominosBoard,
    DominosOptions,
    DominosPublic,
    is_double_domino,
    lay_domino,
    list_fitting_places,
)
from moderator.rules.game import Context, State, View
from moderator.rules.words import AnyWords

ZEROS = "10 21@L 20@L 30@R 43@R 40@R 00@R 50@R 65@R"
"""All tiles with a blank but 60 lie; 60@R blocks the round."""


def context(seed: int | None = None) -> Context:
    """Shuffles depend on seed and label; without a seed they leave the order as it is."""

    def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(items) if seed is None else tuple(random.Random(f"{seed}/{label}").sample(list(items), len(items)))

    return Context(AnyWords(), shuffle)


def board(laid: str | Sequence[str], **values: Any) -> DominosBoard:
    """``66 62@L 61@R``."""
    found = DominosBoard(**values)
    for entry in laid.split() if isinstance(laid, str) else laid:
        tile, _, place = entry.partition("@")
        found = lay_domino(found, max(tile, tile[::-1]), place)
    return found


def view(laid: str = "", hand: str = "64 31 22", **options: Any) -> View[DominosPublic]:
    """What seat 0 sees when it is to move."""
    public = DominosPublic(DominosOptions(**options), board(laid))
    tiles = tuple(hand.split())
    return View(0, public, tiles, (len(tiles), 7), 14, (0, 0), (0,))


def table(
    mine: str, other: str, stock: str = "", laid: str = "", starter: int | None = None, **options: Any
) -> State[DominosPublic]:
    """A fixed deal up to the first choice."""
    fixed: dict[str, Any] = {"racks": [mine.split(), other.split()], "stock": stock.split(), "board": laid.split()}
    if starter is not None:
        fixed["starter"] = starter
    return GAME.setup(2, DominosOptions(**options), context(1), fixed).state


def random_round(dice: random.Random, any_time: bool = False) -> list[str]:
    """All tiles that some order of play can bring on the table, however odd: ``66``, ``62@L``, …"""
    wanted = dice.choice(["plain first", "doubles first", "any"])
    favoured = dice.choice(["L", "R", "N", "S", "LR", "NS", "RS", "LN", "LRNS"])
    left = dice.sample(SET, len(SET))
    first = next(tile for tile in left if wanted != "plain first" or not is_double_domino(tile))
    late = dice.choice([0, 6, 12, 18, 28])
    now, laid = lay_domino(DominosBoard(any_time=any_time), first, ""), [first]
    while True:
        left = [tile for tile in left if tile not in laid[-1]]
        options = [(tile, place) for tile in left for place in list_fitting_places(now, tile)]
        if wanted == "doubles first" or (wanted == "plain first" and len(laid) < late):
            doubles = wanted == "doubles first"
            options = [found for found in options if is_double_domino(found[0]) == doubles] or options
        if dice.random() < 0.95:
            options = [found for found in options if found[1] in favoured] or options
        if not options:
            return laid
        tile, place = dice.choice(options)
        now = lay_domino(now, tile, place)
        laid.append(f"{tile}@{place}")
