"""Random crosswords of Presto, right ones and others, for the page to lay tiles on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from moderator.games.typdom.board import SIZE, neighbours
from moderator.games.typdom.presto import HANDS
from moderator.games.typdom.presto_layout import layout_of
from moderator.games.typdom.presto_state import Options, Public
from moderator.games.typdom.tiles import BLACK, JOLLIES, LETTERS, RED, STAR, VOWELS, as_held
from moderator.match.contract import State, Step
from tests.site.browser.vectors import Family, Vector

STANDS = {JOLLIES["red"]: sorted(VOWELS), JOLLIES["black"]: sorted(set(LETTERS) - VOWELS)}
Squares = dict[int, str]
"""Square of the page's table -> tile as it lies there."""


def vectors(key: str) -> Iterator[Vector]:
    dice = random.Random(f"zug {key}")
    while True:
        state = _dealt(dice)
        fewer = dice.choice([0, 0, 0, 0, 1, 1, 2, 5])
        hand = list(state.hands[0])
        dice.shuffle(hand)
        laid = _laid(hand[: max(1, len(hand) - fewer)], dice)
        made = Vector(state, (), _layout(laid), done=tuple(_steps(laid, dice)))
        wrong = _wrong_jolly(made, laid) if dice.random() < 0.2 else None
        yield wrong or made


def _dealt(dice: random.Random) -> State[Public]:
    """Tiles from the box, as many as somebody gets, or fewer."""
    seats = dice.choice(sorted(HANDS))
    red, black = (dice.choice([most, dice.randint(1, most)]) for most in HANDS[seats])
    hand = (*dice.sample(RED, red), *dice.sample(BLACK, black))
    finished = (1,) if seats > 2 and dice.random() < 0.4 else ()
    public = Public(
        Options(finish_with_one_left=dice.random() < 0.4), finished=finished, gains=(0,) * seats, empty=len(finished)
    )
    hands = (hand, *(("A", "B") for _ in range(seats - 1)))
    others = tuple(seat for seat in range(seats) if seat not in finished)
    return State(public, hands, (), (0,) * seats, others, (None,) * seats)


def _laid(tiles: list[str], dice: random.Random) -> Squares:
    """One beside the other: in strokes that cross, or anyhow; rarely some of them apart."""
    square = dice.randrange(SIZE) + SIZE * dice.randrange(SIZE)
    laid: Squares = {}
    step, straight, apart = 1, dice.choice([0.3, 0.8, 0.95]), dice.choice([0, 0, 0, 0.1])
    for tile in tiles:
        laid[square] = STAR + dice.choice(STANDS[tile]) if tile in STANDS else tile
        if square + step in laid or square + step not in neighbours(square, SIZE) or dice.random() > straight:
            square, step = dice.choice(sorted(laid)), dice.choice([-SIZE, -1, 1, SIZE])
        free = [one for one in neighbours(square, SIZE) if one not in laid]
        near = [one for lying in laid for one in neighbours(lying, SIZE) if one not in laid]
        square = square + step if square + step in free else dice.choice(free or near)
        if dice.random() < apart:
            square = dice.choice([one for one in range(SIZE * SIZE) if one not in laid])
    return laid


def _layout(laid: Squares) -> Any:
    return layout_of({(square % SIZE, square // SIZE): tile for square, tile in laid.items()})


def _steps(laid: Squares, dice: random.Random) -> Iterator[tuple[object, ...]]:
    """In any order; sometimes a tile lies elsewhere before, or is taken away and laid again."""
    order = list(laid.items())
    dice.shuffle(order)
    for square, tile in order:
        put = ("put", square, as_held(tile), tile[-1])
        yield put
        if dice.random() < 0.05:
            yield ("take", square)
            yield put


def _wrong_jolly(vector: Vector, laid: Squares) -> Vector | None:
    """The last tile laid is a jolly that stands for what it cannot: the page says so as it is laid, and Python of the
    whole, in which the letter is missing."""
    found = next((square for square, tile in laid.items() if tile.startswith(STAR)), None)
    if found is None:
        return None
    jolly = as_held(laid[found])
    letter = "N" if jolly == JOLLIES["red"] else "E"
    if list(laid.values()).count(letter) < list(vector.state.hands[0]).count(letter):
        return None  # one that is left would do
    rest = tuple(step for step in vector.done if step[1] != found)
    code = "fault-jolly-red" if jolly == JOLLIES["red"] else "fault-jolly-black"
    done = (*rest, ("put", found, jolly, letter))
    return replace(vector, move=_layout({**laid, found: STAR + letter}), code=code, done=done)


def seen(vector: Vector, step: Step[Any]) -> Iterator[str]:
    """What a legal one has come across."""
    yield f"{step.points} points"
    yield f"{len(vector.state.scores)} seats"
    yield from (note.code for note in step.notes)
    if any(STAR in row for row in vector.move.rows):
        yield "jolly"
    if any(step[0] == "take" for step in vector.done):
        yield "taken back"


FAMILY = Family(
    "presto",
    vectors,
    codes=frozenset(
        {
            "not-right",
            "fault-apart",
            "fault-jolly-black",
            "fault-jolly-red",
            "fault-left",
            "fault-left-many",
            "fault-missing",
        }
    ),
    bonuses=frozenset({"one-left", "own-words"}),
    seen=seen,
    wanted=frozenset({"1 points", "2 points", "4 points", "2 seats", "6 seats", "jolly", "one-left", "taken back"}),
)
