"""Random positions and moves of Kreuzwort-Spiel and Point-Typ-Dom, for the page to lay tiles on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from moderator import games
from moderator.errors import PlayerError
from moderator.games.typdom.board import (
    Direction,
    Place,
    Table,
    exchange,
    exchangeable,
    lay,
    name,
    neighbours,
    run_through,
)
from moderator.games.typdom.state import Exchange, Public, Turn
from moderator.games.typdom.tiles import BLACK, JOLLIES, LETTERS, RED, STAR, VOWELS, Colour, as_held, counted, take
from moderator.match.contract import State, Step
from tests.site.browser.vectors import Family, Vector

MOST_LYING = 70
STANDS = {JOLLIES["red"]: sorted(VOWELS), JOLLIES["black"]: sorted(set(LETTERS) - VOWELS)}


class Exchanges(Protocol):
    """What grows on the page and in Python, and may take a jolly off the board."""

    table: Table
    hand: tuple[str, ...]
    steps: list[tuple[object, ...]]
    exchanges: list[Exchange]
    way: Direction
    stopped: bool


@dataclass
class Composed:
    """A turn as it grows, on the page and in Python."""

    table: Table
    hand: tuple[str, ...]
    steps: list[tuple[object, ...]] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    buys: list[Colour] = field(default_factory=list)
    way: Direction = "w"
    connects: bool = False
    """The last word laid joins others."""
    wrong: bool = False
    """A jolly stands for what it cannot."""
    stopped: bool = False
    """What was done last is refused: nothing follows."""

    @property
    def turn(self) -> Turn:
        return Turn(tuple(self.places), tuple(self.exchanges), tuple(sorted(self.buys, reverse=True)))


def vectors(key: str) -> Iterator[Vector]:
    """At most a quarter of the illegal ones is of one kind."""
    dice, forbidden = random.Random(f"zug {key}"), Counter[str]()
    while True:
        state = _position(key, dice)
        made = _composed(state, dice)
        if not made.steps or not (made.places or made.buys or made.stopped):
            continue
        vector = Vector(state, (), made.turn, done=tuple(made.steps), way=made.way)
        outcome = vector.played(games.load(key))
        if isinstance(outcome, PlayerError):
            forbidden[outcome.code] += 1
            if 4 * forbidden[outcome.code] > forbidden.total() + 40:
                continue
            if made.wrong and outcome.code != "no-second-word":
                # The page refuses a jolly as it is laid, before it knows where the word will be.
                vector = replace(vector, code="wrong-jolly")
        yield vector


# ---- positions ----


def _position(key: str, dice: random.Random) -> State[Public]:
    options = games.load(key).options(table_size=dice.choice([15, 31, 40, 60]), strict_buy=dice.random() < 0.2)
    table = strokes(options.table_size, dice)
    wanted = [table.letter(square) for square in exchangeable(table)][:2] if dice.random() < 0.7 else []
    tiles = [*RED, *BLACK, *STANDS, *STANDS, *STANDS]
    hands = tuple((*wanted, *dice.choices(tiles, k=dice.choice([1, 3, 8, 11]))) for _ in range(2))
    stock = tuple(sorted(dice.sample([*RED, *BLACK], dice.choice([0, 1, 2, 9])), key=lambda tile: tile in BLACK))
    if dice.random() < 0.2:
        stock = tuple(tile for tile in stock if tile in dice.choice([RED, BLACK]))
    out = 1 if key == "point" and dice.random() < 0.2 else None
    public = Public(options, table, left=counted(stock), out=out, gains=((), ()), starter=dice.randrange(2))
    return State(public, hands, stock, (0, 0), (0,))


def strokes(size: int, dice: random.Random) -> Table:
    """Strokes of letters that cross: what words they are is nothing to geometry."""
    squares: dict[int, str] = {}
    start = Table(size).start
    jollies = dice.choice([0.05, 0.3])
    for _ in range(dice.choice([0, 1, 2, 4, 9])):
        at = dice.choice(sorted(squares)) if squares else start
        step = dice.choice([1, size])
        line = at % size if step == 1 else at // size
        first, last = max(0, line - dice.randrange(4)), min(size - 1, line + dice.randrange(1, 5))
        for square in range(at + (first - line) * step, at + (last - line) * step + 1, step):
            if square not in squares and len(squares) < MOST_LYING:
                squares[square] = (STAR if dice.random() < jollies else "") + dice.choice(LETTERS)
    return Table(size, squares)


# ---- moves ----


def _composed(state: State[Public], dice: random.Random) -> Composed:
    made = Composed(state.public.table, state.hands[0])
    if dice.random() < 0.5:
        _exchange(made, dice)
    kind = dice.random()
    if made.stopped:
        return made
    if kind < 0.2:
        _buy(made, dice, dice.choice([1, 1, 2, 3, 4]))
        return made
    if kind < 0.27:
        _cover(made, dice)
        return made
    _word(made, dice)
    if made.places and not made.stopped and dice.random() < (0.8 if made.connects else 0.1):
        _second(made, dice)
    if made.places and not made.stopped and dice.random() < 0.2:
        _buy(made, dice, dice.choice([1, 1, 1, 2]))
    return made


def lying(made: Exchanges) -> tuple[list[int], list[int]]:
    """The squares of the jollies that lie, and of those whose letter is held."""
    jollies = [square for square, tile in made.table.squares.items() if tile.startswith(STAR)]
    held = [square for square in jollies if made.table.letter(square) in made.hand]
    return jollies, held


def fetch(made: Exchanges, square: int) -> None:
    """Take what lies on a square for its letter."""
    where, letter = name(square, made.table.size), made.table.letter(square)
    made.steps.append(("act", "zug-fetch", square, made.way))
    made.exchanges.append(Exchange(letter, where))
    try:
        made.table, made.hand = exchange(made.table, where, letter, made.hand)
    except PlayerError:
        made.stopped = True


def _exchange(made: Composed, dice: random.Random) -> None:
    """A jolly that lies, or something else, for its letter."""
    jollies, held = lying(made)
    at = held or jollies if dice.random() < 0.9 else sorted(made.table.squares)
    if not at:
        return
    fetch(made, dice.choice(at))


def _buy(made: Composed, dice: random.Random, count: int) -> None:
    for _ in range(count):
        colours: tuple[Colour, ...] = ("red", "black")
        made.buys.append(dice.choice(colours))
        made.steps.append(("act", f"zug-buy-{made.buys[-1]}", 0, made.way))


def _second(made: Composed, dice: random.Random) -> None:
    """One more word; also where none is allowed."""
    before = len(made.steps)
    made.steps.append(("act", "zug-second", 0, made.way))
    _word(made, dice)
    if len(made.places) < 2:
        del made.steps[before:]


def _word(made: Composed, dice: random.Random) -> None:
    """Tiles of the rack in a line without a gap; most of the time at something that lies."""
    table, size, rack = made.table, made.table.size, list(made.hand)
    dice.shuffle(rack)
    near = [square for lying in table.squares for square in neighbours(lying, size) if square not in table.squares]
    free = [square for square in near or [table.start] if dice.random() < 0.5] or [table.start]
    first = dice.choice(sorted(free)) if dice.random() < (0.95 if near else 0.7) else dice.randrange(size * size)
    ways: tuple[Direction, ...] = ("w", "s")
    way, count = dice.choice(ways), dice.choice([1, 1, 2, 3, 3, len(rack)])
    gaps = [(square, way) for way in ways for square in near if _gap(table, square, way)]
    if gaps and dice.random() < 0.5:
        (first, way), count = dice.choice(gaps), dice.choice([1, 3])
    step, room = table.step(way), size - (first % size if way == "w" else first // size)
    laid: dict[int, str] = {}
    for square in range(first, first + room * step, step):
        if len(laid) == count or not rack:
            break
        if square not in table.squares:
            laid[square] = _shown(made, square, rack.pop(), dice)
    if laid:
        made.way = way
        _placed(made, laid)


def _gap(table: Table, square: int, way: Direction) -> bool:
    """Whether a tile there joins what lies before it and behind it."""
    lying = {one for one in neighbours(square, table.size) if one in table.squares}
    return {square - table.step(way), square + table.step(way)} <= lying


def _shown(made: Composed, square: int, tile: str, dice: random.Random) -> str:
    """A tile as it will lie; rarely a jolly that stands for what it cannot."""
    if not tile.startswith(STAR):
        made.steps.append(("put", square, tile))
        return tile
    other = next(one for one in STANDS if one != tile)
    wrong = other not in made.hand and dice.random() < 0.2
    letter = dice.choice(STANDS[other if wrong else tile])
    made.steps.append(("put", square, tile, letter))
    made.wrong = made.wrong or wrong
    return STAR + letter


def _placed(made: Composed, laid: dict[int, str]) -> None:
    """The word that the tiles make; of a lone one in the direction that was meant, if there is one."""
    after = Table(made.table.size, {**made.table.squares, **laid})
    first = min(laid)
    other: Direction = "s" if made.way == "w" else "w"
    meant = made.way if len(laid) > 1 or len(run_through(after, first, made.way)) > 1 else other
    run = run_through(after, first, meant)
    word = "".join(laid.get(square, after.letter(square)) for square in run)
    made.places.append(Place(name(run[0], after.size), meant, word))
    try:
        laying = lay(made.table, made.places[-1], made.hand)
        made.table, made.connects = laying.table, laying.connects
        made.hand = take(made.hand, [as_held(tile) for tile in laid.values()])
    except PlayerError:
        made.stopped = True


def _cover(made: Composed, dice: random.Random) -> None:
    """A tile where another one lies."""
    table, plain = made.table, [tile for tile in made.hand if not tile.startswith(STAR)]
    lying = [square for square in table.squares if square % table.size < table.size - 1]
    if lying and plain:
        square, tile = dice.choice(lying), dice.choice(plain)
        if tile != table.letter(square):
            made.steps.append(("put", square, tile))
            made.places.append(Place(name(square, table.size), "w", f"{tile}{table.letter(square + 1) or 'A'}"))
            made.stopped = True


# ---- what they are held to ----


def seen(vector: Vector, step: Step[Any]) -> Iterator[str]:
    """What a legal one has come across."""
    turn = vector.move
    yield f"{len(turn.places)} words"
    if len(turn.places) == 2 and turn.exchanges:
        yield "2 words with an exchange"
    if turn.buys and turn.exchanges:
        yield "bought with an exchange"
    if turn.buys and turn.places:
        yield "bought for a word"
    if any(STAR in place.word for place in turn.places):
        yield "jolly"
    for note in (*step.notes, *step.after):
        yield note.code


_BOUGHT = frozenset({"bought-red", "bought-black", "no-red-left", "no-black-left", "passed"})
_CAME_ABOUT = frozenset(
    {"0 words", "1 words", "2 words", "2 words with an exchange", "bought with an exchange", "jolly"}
)
_POINT_WANTED = _BOUGHT | _CAME_ABOUT | {"went-out"}
_KREUZWORT = Family(
    "typdom",
    vectors,
    codes=frozenset(
        {
            "buy-too-many",
            "jolly-built-up",
            "no-buy-with-word",
            "no-jolly-there",
            "no-second-word",
            "no-start",
            "not-connected",
            "not-your-letters",
            "other-letter",
            "too-short",
            "wrong-jolly",
        }
    ),
    bonuses=_BOUGHT | {"second-missing"},
    ends=frozenset({"out"}),
    params=False,
    seen=seen,
    wanted=_BOUGHT | _CAME_ABOUT | {"second-missing", "out", "bought for a word"},
)
FAMILIES = {
    "kreuzwort": _KREUZWORT,
    "point": replace(_KREUZWORT, bonuses=_BOUGHT | {"went-out"}, ends=frozenset(), wanted=_POINT_WANTED),
}
