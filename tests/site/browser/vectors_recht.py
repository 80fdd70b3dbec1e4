"""Random positions and moves of Wer behält recht?, for the page to lay tiles on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from moderator.errors import PlayerError
from moderator.games.typdom.board import Direction, Run, Table, exchangeable, name, run_through
from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_flow import completions
from moderator.games.typdom.recht_laying import Way, begin, grow, new_directions
from moderator.games.typdom.recht_state import (
    SIDES,
    Buy,
    Complete,
    Finished,
    Lay,
    Move,
    Options,
    Pass,
    Public,
    Running,
    Tile,
    end,
    places,
    position,
)
from moderator.games.typdom.state import Exchange
from moderator.games.typdom.tiles import BLACK, JOLLIES, LETTERS, RED, STAR, VOWELS, Colour, as_held, counted, take
from moderator.match.contract import State, Step
from tests.site.browser.vectors import Family, Vector
from tests.site.browser.vectors_typdom import STANDS, fetch, lying, strokes

MOST_WORD = 9
"""Letters of an announcement: fewer than the others hold tiles, so that only the seat to move runs out of them."""
OTHERS = 12


@dataclass
class Composed:
    """A move as it grows, on the page and in Python."""

    state: State[Public]
    table: Table
    hand: tuple[str, ...]
    steps: list[tuple[object, ...]] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    move: Move | None = None
    way: Direction = "w"
    stopped: bool = False
    """What was done last is refused: nothing follows."""


def vectors(key: str) -> Iterator[Vector]:
    """At most a fifth of the illegal ones is of one kind."""
    dice, forbidden = random.Random(f"zug {key}"), Counter[str]()
    while True:
        state = _position(dice)
        made = _composed(state, dice)
        if made.move is None:
            continue
        move = replace(made.move, exchanges=tuple(made.exchanges))
        vector = Vector(state, (), move, done=tuple(made.steps), way=made.way)
        outcome = vector.played(GAME)
        if isinstance(outcome, PlayerError):
            forbidden[outcome.code] += 1
            if 5 * forbidden[outcome.code] > forbidden.total() + 40:
                continue
            yield vector
        else:
            yield replace(vector, move=outcome.played)


# ---- positions ----


def _position(dice: random.Random) -> State[Public]:
    seats = dice.choice([2, 2, 3, 4])
    options = Options(
        table_size=dice.choice([15, 31, 40, 60]),
        strict_buy=dice.random() < 0.2,
        buy_before_pass=dice.random() < 0.3,
        games=dice.choice([1, 2]),
    )
    table = strokes(options.table_size, dice) if dice.random() < 0.95 else Table(options.table_size)
    stock = tuple(sorted(dice.sample([*RED, *BLACK], dice.choice([0, 1, 2, 9])), key=lambda tile: tile in BLACK))
    if dice.random() < 0.2:
        stock = tuple(tile for tile in stock if tile in dice.choice([RED, BLACK]))
    public = Public(
        options,
        table,
        left=counted(stock),
        gains=((),) * seats,
        passes=dice.randrange(4),
        bought=dice.random() < 0.2,
        gone=(seats - 1,) if seats > 2 and dice.random() < 0.3 else (),
        fresh=tuple(sorted(table.squares)[:1]),
        stake=dice.choice([1, 1, 2]),
    )
    kind = dice.random()
    public = _completing(public, dice) if kind < 0.12 else _running(public, dice) if kind < 0.65 else _new(public, dice)
    rest = tuple(tuple(dice.choices([*RED, *BLACK], k=OTHERS)) for _ in range(seats - 1))
    return State(public, (_hand(public, dice), *rest), stock, (0,) * seats, (0,))


def _hand(public: Public, dice: random.Random) -> tuple[str, ...]:
    """Some of what the announced word needs, of what lying jollies stand for, and anything."""
    running = public.running
    wanted = [public.table.letter(square) for square in exchangeable(public.table)][:2] if dice.random() < 0.5 else []
    if running is not None and dice.random() < 0.7:
        wanted += [*running.word]
    more = dice.choices([*RED, *BLACK, *STANDS, *STANDS, *STANDS], k=dice.choice([1, 3, 8]))
    few = dice.sample(more, 1) if dice.random() < 0.15 and not public.completing else [*wanted, *more]
    return tuple(few)


def _line(table: Table, dice: random.Random) -> tuple[Direction, Run] | None:
    """A run that lies."""
    ways: tuple[Direction, ...] = ("w", "s")
    if not table.squares:
        return None
    way = dice.choice(ways)
    return way, run_through(table, dice.choice(sorted(table.squares)), way)


def _running(public: Public, dice: random.Random) -> Public:
    """With a fragment that may become a word; rarely without an announcement."""
    found = [(line, _word(public.table, *line, dice)) for _ in range(9) if (line := _line(public.table, dice))]
    good = [(line, word) for line, word in found if len(word) > len(line[1])]
    if not good:
        return public
    line, word = good[0]
    if dice.random() < 0.1:
        return replace(public, running=Running(*line))
    authors = [seat for seat in range(1, len(public.gains)) if seat not in public.gone]
    return replace(public, running=Running(*line, word, dice.choice(authors), places(public.table, *line, word)))


def _word(table: Table, way: Direction, run: Run, dice: random.Random) -> str:
    """A word that can come to lie over a run; "" where there is none of that length."""
    step, at = table.step(way), position(table, way, run[0])
    first, last = max(0, at - dice.randrange(4)), min(table.size - 1, at + len(run) - 1 + dice.randrange(4))
    squares = range(run[0] + (first - at) * step, run[0] + (last - at) * step + 1, step)
    word = "".join(table.letter(square) or dice.choice("AEINRST") for square in squares)
    return word if len(word) <= MOST_WORD and places(table, way, run, word) else ""


def _completing(public: Public, dice: random.Random) -> Public:
    """The seat's own announcement has gone round and can lie in several places."""
    line = _line(public.table, dice)
    if line is None:
        return public
    text = public.table.text(line[1])
    word = "".join(dice.choice([text, "E", "N"]) for _ in range(3)) + text + dice.choice(["", "E", text])
    found = places(public.table, *line, word)
    if len(found) < 2 or len(word) > MOST_WORD:
        return public
    return replace(public, running=Running(*line, word, 0, found), completing=True, bought=False)


def _new(public: Public, dice: random.Random) -> Public:
    """A word was completed, or none yet."""
    line = _line(public.table, dice) if dice.random() < 0.9 else None
    return replace(public, finished=Finished(*line)) if line and len(line[1]) > 1 else public


# ---- moves ----


def _composed(state: State[Public], dice: random.Random) -> Composed:
    made = Composed(state, state.public.table, state.hands[0])
    if dice.random() < 0.3:
        _exchange(made, dice)
    if made.stopped:
        made.move = Pass()
    elif state.public.completing and dice.random() < 0.8:
        _complete(made, dice)
    elif dice.random() < 0.3:
        _hand_on(made, dice)
    else:
        _lay(made, dice)
    return made


def _exchange(made: Composed, dice: random.Random) -> None:
    """A jolly that lies, or something else, for its letter."""
    _, held = lying(made)
    at = held if dice.random() < 0.9 else sorted(made.table.squares)
    if not at or (made.state.public.completing and at != held):
        return
    fetch(made, dice.choice(at))


def _complete(made: Composed, dice: random.Random) -> None:
    public = replace(made.state.public, table=made.table)
    size, running, found = made.table.size, public.running, completions(public, made.hand)
    assert running is not None
    good = [way.place[0] for way in found]
    if len(good) > 0:
        square = (
            dice.choice(good)
            if dice.random() < 0.7
            else dice.choice([square for place in running.places for square in place])
        )
        made.steps.append(("act", "zug-complete", square, made.way))
        made.move = Complete(name(square, size))


def _hand_on(made: Composed, dice: random.Random) -> None:
    """A tile bought, the turn handed on, or both."""
    colours: tuple[Colour, ...] = ("red", "black")
    colour, kind = dice.choice(colours), dice.choice(["buy", "pass", "both"])
    if kind != "pass":
        made.steps.append(("act", f"zug-buy-{colour}", 0, made.way))
    if kind != "buy":
        made.steps.append(("act", "zug-report-on", 0, made.way))
    made.move = Pass() if kind == "pass" else Buy(colour, kind == "both")


def _lay(made: Composed, dice: random.Random) -> None:
    """Tiles one after the other, each where one may go, but for the last; then the word."""
    public, laid = replace(made.state.public, table=made.table), list[tuple[int, str]]()
    way, wrong = None, False
    for _ in range(dice.choice([1, 2, 3])):
        if not made.hand or (way is not None and len(way.laid) >= way.allowed and dice.random() < 0.9):
            break
        tile = dice.choice(made.hand)
        square, letter = _square(public, made, way, dice), _shown(made, public, way, tile, dice)
        if square is None or square in dict(laid):
            break
        made.hand = take(made.hand, [tile])
        made.steps.append(("put", square, tile, letter[-1]))
        laid.append((square, letter))
        wrong = as_held(letter) != tile
        way = None if wrong else _grown(public, way, square, letter, made.way)
        if way is None:
            break
    if not laid or (wrong and len(laid) > 1):
        return
    word = _announced(public, way, dice) if way is not None else "WORT"
    standing = public.running.word if public.running is not None else ""
    goes_on = bool(standing) and word in ("", standing) and dice.random() < 0.9
    if not word and not standing:
        return
    typed = "" if goes_on and dice.random() < 0.5 else word or standing
    made.steps.append(("said", typed if dice.random() < 0.5 else f" {typed.lower()}"))
    tiles = tuple(Tile(letter, name(square, made.table.size)) for square, letter in laid)
    made.move = Lay(tiles, typed, way.direction if way is not None and public.running is None else "", not typed)


def _square(public: Public, made: Composed, way: Way | None, dice: random.Random) -> int | None:
    """Where a tile may go; sometimes anywhere."""
    table, running, finished = public.table, public.running, public.finished
    if dice.random() < 0.06:
        return dice.choice(sorted(table.squares)) if table.squares and dice.random() < 0.4 else dice.randrange(15)
    if way is None and running is None:
        if not table.squares:
            return table.start
        made.way = dice.choice(new_directions(finished))
        through = dice.choice(sorted(table.squares) if finished is None else finished.run)
        way = Way(table, made.way, run_through(table, through, made.way))
    way = way or Way(table, running.direction if running else "w", running.run if running else ())
    found = [square for side in SIDES if (square := end(way.table, way.direction, way.run, side)) is not None]
    made.way = way.direction
    return dice.choice(found) if found else None


def _shown(made: Composed, public: Public, way: Way | None, tile: str, dice: random.Random) -> str:
    """A tile as it will lie; rarely a jolly that stands for what it cannot."""
    if not tile.startswith(STAR):
        return tile
    other = next(one for one in STANDS if one != tile)
    wrong = other not in made.hand and dice.random() < 0.2
    wanted = [c for c in (public.running.word if public.running else "") if (c in VOWELS) == (tile == JOLLIES["red"])]
    return STAR + dice.choice(STANDS[other] if wrong else wanted or STANDS[tile])


def _grown(public: Public, way: Way | None, square: int, letter: str, wanted: Direction) -> Way | None:
    """The way with one more tile, as far as it is easily told."""
    if way is None and public.running is None and public.table.squares:
        return None if square in public.table.squares else begin(public.finished, public.table, wanted, square, letter)
    if way is None and public.running is None:
        return grow(Way(public.table, wanted), square, letter) if square == public.table.start else None
    if way is None and public.running is not None:
        way = Way(public.table, public.running.direction, public.running.run)
    assert way is not None
    free = [end(way.table, way.direction, way.run, side) for side in SIDES]
    return grow(way, square, letter) if square in free and (not way.laid or len(way.laid) < way.allowed) else None


def _announced(public: Public, way: Way, dice: random.Random) -> str:
    """A word that may come to lie there, most of the time; "" = the one that stands."""
    kind, text = dice.random(), way.table.text(way.run)
    standing = public.running.word if public.running is not None else ""
    if standing and (kind < 0.1 or places(way.table, way.direction, way.run, standing)) and kind < 0.5:
        return ""
    if kind < 0.56:
        return "".join(dice.choices(LETTERS, k=dice.choice([1, 4, 5, 6, 7, 8])))
    if kind < 0.66:
        return (
            "".join(dice.choices("EN", k=dice.randrange(6)))
            + text
            + "".join(dice.choices("EN", k=dice.randrange(1, 6)))
        )
    return _word(way.table, way.direction, way.run, dice) or f"{text}EN"


# ---- what they are held to ----


def seen(vector: Vector, step: Step[Any]) -> Iterator[str]:
    """What a legal one has come across."""
    move = vector.move
    yield type(move).__name__
    if move.exchanges:
        yield f"{type(move).__name__} with an exchange"
    if isinstance(move, Lay):
        yield f"{len(move.tiles)} tiles"
        yield "goes on" if move.goes_on else "announces"
        if any(tile.letter.startswith(STAR) for tile in move.tiles):
            yield "jolly"
        if move.direction:
            yield f"new {move.direction}"
    for note in (*step.notes, *step.after):
        yield note.code


_BONUSES = frozenset(
    {
        "announces",
        "bought-black",
        "bought-red",
        "finishes",
        "no-black-left",
        "no-red-left",
        "premium-square",
        "premium-vowel",
        "reports-on",
    }
)
_MOVES = frozenset({"Lay", "Buy", "Pass", "Complete"})
FAMILY = Family(
    "recht",
    vectors,
    codes=frozenset(
        {
            "bought-already",
            "cannot-lie-there",
            "complete-first",
            "does-not-cross",
            "jolly-built-up",
            "lacks-fragment",
            "no-jolly-there",
            "no-room",
            "not-at-fragment",
            "not-your-letters",
            "one-tile-only",
            "start-square",
            "stock-empty",
            "taken",
            "too-short",
            "touches-nothing",
            "wrong-jolly",
        }
    ),
    bonuses=_BONUSES,
    ends=frozenset({"out", "blocked"}),
    seen=seen,
    wanted=_BONUSES
    | _MOVES
    | {f"{one} with an exchange" for one in _MOVES}
    | {"1 tiles", "2 tiles", "goes on", "jolly", "new w", "new s", "out", "blocked"},
)
