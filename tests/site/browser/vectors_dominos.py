"""Moves of Dominos on tables of any length, however odd the order in which they came about."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from moderator.games.dominos.state import PLACES, SET, Lay, Options, Public, fitting, lay, points, total
from moderator.match.conditions import AfterDraw
from moderator.match.contract import State, Step
from tests.games.dominos_table import board, random_round
from tests.site.browser.vectors import Family, Vector


def position(dice: random.Random) -> State[Public]:
    any_time = dice.random() < 0.3
    laid = random_round(dice, any_time)
    # Without its last tile any table leaves one that can be laid; the first ones are the most different.
    table = board(laid[: dice.choice([0, 1, 2, 3, dice.randint(0, len(laid) - 1)])], any_time=any_time)
    left = [tile for tile in SET if tile not in {one for one, _ in table.laid}]
    dice.shuffle(left)
    hand = left[: dice.choice([1, 2, 7, 12])]
    other = left[len(hand) : len(hand) + 7] or ["00"]
    drew = dice.choice([None, 0])
    public = Public(Options(spinner_any_time=any_time), table, drew=drew)
    return State(
        public, (tuple(hand), tuple(other)), tuple(left[len(hand) + 7 :]), (dice.choice([0, 35, 90]), 20), (0,)
    )


def laying(state: State[Public], dice: random.Random) -> Vector:
    """A move that is possible, or any."""
    table, hand = state.public.board, state.hands[0]
    found = [tile for tile in hand if fitting(table, tile)]
    if state.public.drew == 0 and found and dice.random() < 0.2:
        return Vector(state, (), AfterDraw())
    tile = dice.choice(found if found and dice.random() < 0.8 else hand if dice.random() < 0.9 else SET)
    places = fitting(table, tile)
    if not table.line:
        return conditional(state, "", tile, "", dice)
    if dice.random() < 0.2:  # no end is named: a tile of the table instead
        return conditional(state, 0, tile, places[0] if len(places) == 1 else "", dice)
    place = dice.choice(places if places and dice.random() < 0.8 else PLACES)
    return conditional(state, place, tile, place, dice)


def conditional(state: State[Public], spot: int | str, tile: str, place: str, dice: random.Random) -> Vector:
    """Some have a condition; of most of them the move is worth as much."""
    table, least = state.public.board, 0
    if tile in state.hands[0] and (place in fitting(table, tile)) and dice.random() < 0.3:
        won = points(total(lay(table, tile, place)))
        least = dice.choice([won, max(won - 5, 0), won + 1])
    return Vector(state, ((spot, tile),), Lay(tile, place, least or None), least=least)


def vectors(game: str) -> Iterator[Vector]:
    dice = random.Random(f"zug {game}")
    while True:
        yield laying(position(dice), dice)


def seen(vector: Vector, step: Step[Any]) -> Iterator[str]:
    yield type(vector.move).__name__
    yield from (note.code for note in step.notes)
    yield f"at {step.played.place}"
    if vector.least:
        yield "condition"
    if len(vector.state.hands[0]) == 1:
        yield "out"


FAMILY = Family(
    "dominos",
    vectors,
    codes=frozenset({"not-your-tile", "does-not-fit", "place-missing", "place-closed", "no-spinner", "scores-less"}),
    bonuses=frozenset({"scored", "no-score"}),
    seen=seen,
    wanted=frozenset({"Lay", "AfterDraw", "scored", "no-score", "condition", "out"})
    | frozenset({"at ", "at L", "at R", "at N", "at S"}),
)
