"""Random turns of Domi Jongg, for the page to lay tiles on: chains, forks, several heads."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from moderator.errors import PlayerError
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.snake import add, begin, bonuses, lay
from moderator.games.domijongg.state import (
    BRANCHES,
    FOLLOWERS,
    SPECIALS,
    WALL,
    Extension,
    Item,
    Move,
    Options,
    Public,
    is_special,
)
from moderator.match.contract import State, Step
from tests.site.browser.vectors import Family, Vector


@dataclass
class Composed:
    """A turn as it grows, on the page and in Python."""

    begun: Public
    hand: list[str]
    laid: list[tuple[int | str, str]] = field(default_factory=list)
    items: list[tuple[int, Item]] = field(default_factory=list)
    code: str | None = None
    """What the page says of what was done last, where it says so sooner than Python does."""
    stopped: bool = False
    """What was done last is refused: nothing follows."""

    @property
    def move(self) -> Move:
        """What stands at the same head twice running is one chain."""
        runs = groupby(self.items, key=lambda item: item[0])
        return Move(tuple(Extension(head, tuple(item for _, item in run)) for head, run in runs))

    @property
    def public(self) -> Public:
        """The table with what was laid so far."""
        return lay(self.begun, self.move).public if self.items else self.begun

    def lay(self, head: int, item: Item) -> None:
        for tile in item:
            self.hand.remove(tile)
            self.laid.append((head, tile))
        self.items.append((head, item))


def vectors(key: str) -> Iterator[Vector]:
    """At most a third of the illegal ones is of one kind."""
    dice, forbidden = random.Random(f"zug {key}"), Counter[str]()
    while True:
        vector = _vector(dice)
        outcome = vector.played(GAME)
        if isinstance(outcome, PlayerError):
            forbidden[outcome.code] += 1
            if 3 * forbidden[outcome.code] > forbidden.total() + 40:
                continue
        yield vector


def _vector(dice: random.Random) -> Vector:
    while True:
        state = _position(dice)
        made = Composed(state.public, list(state.hands[0]))
        for _ in range(dice.choice([1, 1, 2, 3, 6, 12])):
            if not made.hand or made.stopped:
                break
            _more(made, dice)
        if made.items:
            return _conditional(state, made, dice)


def _conditional(state: State[Public], made: Composed, dice: random.Random) -> Vector:
    """Some have a condition; of most of them the turn is worth as much."""
    move, least = made.move, 0
    if not made.stopped and dice.random() < 0.2:
        turn, hand = lay(state.public, move), state.hands[0]
        whole, large = turn.public.fresh == len(hand), len(hand) > turn.public.full_hand
        points = bonuses(bool(turn.same), turn.forks, whole, large, not state.stock)
        least = dice.choice([points, max(points - 1, 0), points + 1])
    return Vector(state, tuple(made.laid), Move(move.parts, least or None), code=made.code, least=least)


# ---- positions ----


def _position(dice: random.Random) -> State[Public]:
    """A snake of up to forty tiles, rich in flowers and seasons."""
    seats = dice.choice([2, 3, 4])
    options = Options(max_heads=dice.choice([3, 6, 10]), start_count=dice.choice([None, None, 2, 2, 9]))
    public = begin(options, seats, dice.choice([tile for tile in WALL if not is_special(tile)]))
    for _ in range(dice.choice([0, 1, 3, 10, 30])):
        head = dice.randint(1, len(public.tips))
        item = _item(public, head, dice)
        if item:
            public = add(public, head, item)
    public = replace(public, fresh=min(len(public.laid) - 1, dice.randrange(3)))
    hands = [_hand(public, dice), dice.sample(WALL, 5), *(dice.sample(WALL, 4) for _ in range(seats - 2))]
    stock = tuple(dice.sample(WALL, dice.choice([0, 1, 3, 60])))
    return State(public, tuple(map(tuple, hands)), stock, (3, *(0,) * (seats - 1)), (0,))


def _item(public: Public, head: int, dice: random.Random) -> Item:
    """What may lie at a head: one tile, or a fork."""
    lying = public.heads[head - 1]
    if is_special(lying) and len(public.tips) < public.options.max_heads and dice.random() < 0.7:
        return tuple(dice.choices(sorted(BRANCHES[lying]), k=2))
    fits = sorted(FOLLOWERS[lying])
    special = [tile for tile in fits if is_special(tile)]
    return (dice.choice(special if special and dice.random() < 0.4 else fits),)


def _hand(public: Public, dice: random.Random) -> list[str]:
    """Tiles that fit, the same ones that lie, specials, and anything."""
    heads = public.heads
    some = [dice.choice(sorted(FOLLOWERS[tile])) for tile in dice.choices(heads, k=3)]
    some += [tile for lying in heads if is_special(lying) for tile in dice.sample(sorted(BRANCHES[lying]), 3)]
    some += [*dice.choices(heads, k=2), *dice.sample(SPECIALS, 3), *dice.sample(WALL, 4)]
    return dice.sample(some, min(len(some), dice.choice([1, 2, 3, 3, 5, 9, 13])))


# ---- turns ----


def _more(made: Composed, dice: random.Random) -> None:
    """One tile, or a fork, at a head; most of the time where it may go."""
    public, first = made.public, made.items[0][0] if made.items else 0
    heads = range(1, len(public.tips) + 1)
    mine = [head for head in heads if first in (0, head) or head > len(made.begun.tips)]
    head = dice.choice(mine if dice.random() < 0.96 else heads)
    lying = public.heads[head - 1]
    fits = [tile for tile in made.hand if tile in FOLLOWERS[lying]]
    partners = [tile for tile in made.hand if tile in BRANCHES[lying]]
    full = len(public.tips) >= public.options.max_heads
    if head not in mine:
        made.stopped = True
        made.lay(head, (dice.choice(made.hand),))
    elif len(partners) > 1 and dice.random() < 0.7:
        _fork(made, head, partners, full, dice)
    elif fits and dice.random() < 0.93:
        made.lay(head, (dice.choice(fits),))
    elif dice.random() < (0.1 if made.items else 0.5):
        _wrong(made, head, partners, full, dice)


def _fork(made: Composed, head: int, partners: list[str], full: bool, dice: random.Random) -> None:
    """Two tiles at a flower or season; sometimes the second does not belong there."""
    first, second = dice.sample(partners, 2)
    rest = [tile for tile in made.hand if tile not in partners]
    if rest and not full and dice.random() < 0.1:
        second, made.stopped = dice.choice(rest), True
    made.stopped = made.stopped or full
    made.lay(head, (first, second))


def _wrong(made: Composed, head: int, partners: list[str], full: bool, dice: random.Random) -> None:
    """One tile that does not fit, or not alone."""
    lying = made.public.heads[head - 1]
    tile = dice.choice(partners or made.hand)
    if tile in FOLLOWERS[lying]:
        return
    made.stopped = True
    if tile in partners:
        made.code = "too-many-heads" if full else "zug-fork" if len(partners) > 1 else None
    made.lay(head, (tile,))


# ---- what they are held to ----


def seen(vector: Vector, step: Step[Any]) -> Iterator[str]:
    """What a legal one has come across."""
    parts = vector.move.parts
    yield from (note.code for note in step.notes)
    yield f"{len(parts)} parts"
    if len(parts) > 2 and len({part.head for part in parts}) < len(parts):
        yield "back at a head"
    if vector.least:
        yield "condition"


FAMILY = Family(
    "domijongg",
    vectors,
    codes=frozenset(
        {"does-not-fit", "fork-does-not-fit", "fork-needed", "other-head", "scores-less", "too-many-heads"}
    ),
    bonuses=frozenset({"bonus-same", "bonus-fork", "bonus-hand", "bonus-large-hand", "bonus-last"}),
    seen=seen,
    wanted=frozenset({"bonus-same", "bonus-fork", "bonus-hand", "bonus-large-hand", "bonus-last"})
    | frozenset({"1 parts", "2 parts", "3 parts", "back at a head", "condition"}),
)
