"""Random moves of Dominos, Tridom, SuperTridom and Domi Jongg, for the pages to lay tiles on."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count, groupby, repeat

from moderator.common.errors import PlayerError
from moderator.games.domijongg.snake import add_snake_item, begin_snake
from moderator.games.domijongg.snake import lay_jongg_turn as lay_snake
from moderator.games.domijongg.state import (
    BRANCHES,
    FOLLOWERS,
    SPECIALS,
    WALL,
    HeadExtension,
    Item,
    JonggTurn,
    is_special_tile,
)
from moderator.games.domijongg.state import DomiJonggOptions as SnakeOptions
from moderator.games.domijongg.state import DomiJonggPublic as SnakePublic
from moderator.games.dominos.state import PLACES, SET, DominosOptions, DominosPublic, list_fitting_places
from moderator.games.dominos.state import DominoPlacement as LayBone
from moderator.games.tridom.board import START, Cell, Corners, TridomBoard, list_tridom_tiles
from moderator.games.tridom.state import TridomOptions as TridomOptions
from moderator.games.tridom.state import TridomPlacement as LayTriangle
from moderator.games.tridom.state import TridomPublic as TridomPublic
from moderator.rules.game import State
from moderator.rules.orders.conditions import AfterDraw
from tests.games.dominos_table import board, random_round
from tests.site.browser.vectors import Family, Vector, limit_kinds, names, set_least

# ---- Dominos: tables of any length, however odd the order in which they came about ----


def dominos_position(dice: random.Random) -> State[DominosPublic]:
    any_time = dice.random() < 0.3
    laid = random_round(dice, any_time)
    # Without its last tile any table leaves one that can be laid; the first ones are the most different.
    table = board(laid[: dice.choice([0, 1, 2, 3, dice.randint(0, len(laid) - 1)])], any_time=any_time)
    left = [tile for tile in SET if tile not in {one for one, _ in table.laid}]
    dice.shuffle(left)
    hand = left[: dice.choice([1, 2, 7, 12])]
    other = left[len(hand) : len(hand) + 7] or ["00"]
    drew = dice.choice([None, 0])
    public = DominosPublic(DominosOptions(spinner_any_time=any_time), table, drew=drew)
    return State(
        public, (tuple(hand), tuple(other)), tuple(left[len(hand) + 7 :]), (dice.choice([0, 35, 90]), 20), (0,)
    )


def _lay_bone(dice: random.Random) -> Vector:
    """A move that is possible, or any."""
    state = dominos_position(dice)
    table, hand = state.public.board, state.hands[0]
    found = [tile for tile in hand if list_fitting_places(table, tile)]
    if state.public.drew == 0 and found and dice.random() < 0.2:
        return Vector("dominos", state, (), AfterDraw())
    tile = dice.choice(found if found and dice.random() < 0.8 else hand if dice.random() < 0.9 else SET)
    places = list_fitting_places(table, tile)
    place = dice.choice(places if places and dice.random() < 0.8 else PLACES) if table.line else ""
    spot: int | str = place
    if table.line and dice.random() < 0.2:  # no end is named: a tile of the table instead
        spot, place = 0, places[0] if len(places) == 1 else ""
    return set_least(Vector("dominos", state, ((spot, tile),), LayBone(tile, place)), dice)


DOMINOS = Family(
    "dominos",
    lambda key: map(_lay_bone, repeat(random.Random(f"zug {key}"))),
    codes=names("not-your-tile, does-not-fit, place-missing, place-closed, no-spinner, scores-less"),
    bonuses=names("scored, no-score"),
    ends={"went-out": "zug-out", "target-reached": "zug-target"},
    wanted=names(
        "went-out, target-reached, DominoPlacement, AfterDraw, scored, no-score, condition, last tile, at , at L, at "
        "R, at N, at S"
    ),
)


# ---- Tridom and SuperTridom: tables as they come about, and those that a record begins with ----


CLOSING = 0.6
"""How often a tile is laid where all three corners are known, if it can: so that circles are closed."""


def lay_triangles(dice: random.Random, tiles: list[str], laid: int) -> tuple[TridomBoard, int]:
    """Up to so many of the tiles, which are taken away, and the place of the last."""
    a, b, c = (int(digit) for digit in tiles.pop())
    board, last = TridomBoard().with_tile(START, (a, b, c)), 1
    for _ in range(laid):
        found = list(board.iter_placements(tiles))
        closed = [one for one in found if None not in board.free[one[1]]]
        if not found:
            break
        tile, cell, lying = dice.choice(closed if closed and dice.random() < CLOSING else found)
        tiles.remove(tile)
        board, last = board.with_tile(cell, lying), board.places[cell]
    return board, last


def tridom_position(dice: random.Random, mirrored: bool) -> State[TridomPublic]:
    tiles = dice.sample(list_tridom_tiles(mirrored), k=len(list_tridom_tiles(mirrored)))
    board, last = lay_triangles(dice, tiles, dice.randint(0, 45))
    rack = tiles[: dice.choice([1, 2, 5, 9])]
    closing = _find_closing(board, tiles, dice)
    if closing and dice.random() < 0.7:
        rack[-1] = dice.choice(closing)[0]
    public = TridomPublic(
        TridomOptions(double_hexagon=dice.choice([50, 60, 100]), bonus=dice.choice(["highest", "sum"])),
        mirrored,
        board,
        ((0,), (0,)),
        drawn=dice.choice([0, 0, 0, 1, 3]),
        last=last,
    )
    stock = [tile for tile in tiles if tile not in rack]
    return State(public, (tuple(rack), tuple(stock[:3])), tuple(stock[3:]), (0, 0), (0,))


def _find_closing(board: TridomBoard, tiles: Iterable[str], dice: random.Random) -> list[tuple[str, Cell, Corners]]:
    """Ways to lay one of the tiles where all corners are known; mostly only those that close most circles."""
    found = [one for one in board.iter_placements(tiles) if None not in board.free[one[1]]]
    most = max((board.count_hexagons(cell) for _, cell, _ in found), default=0)
    return [one for one in found if board.count_hexagons(one[1]) == most] if dice.random() < 0.7 else found


def _lay_triangle(key: str, dice: random.Random) -> Vector:
    """A move that is possible, or any."""
    state = tridom_position(dice, mirrored=key == "supertridom")
    public, hand = state.public, state.hands[0]
    if public.drawn and dice.random() < 0.3 and public.board.has_fit_for(hand[-1:]):
        return Vector(key, state, (), AfterDraw())
    found = list(public.board.iter_placements(hand))
    closing = _find_closing(public.board, hand, dice)
    if found and dice.random() < 0.8:
        tile, cell, _ = dice.choice(closing if closing and dice.random() < 0.7 else found)
        place = public.board.places[cell]
    else:
        tile = dice.choice(hand if dice.random() < 0.9 else list_tridom_tiles(public.mirrored))
        place = dice.randint(1, len(public.board.cells) + (dice.random() < 0.2) * 20)
    return set_least(Vector(key, state, ((place, tile),), LayTriangle(tile, place)), dice)


TRIDOM = Family(
    "tridom",
    lambda key: map(_lay_triangle, repeat(key), repeat(random.Random(f"zug {key}"))),
    codes=names("not-your-tile, no-such-place, taken, does-not-fit-up, does-not-fit-down, scores-less"),
    bonuses=names("bonus-bridge, bonus-sides, bonus-hexagon"),
    words=lambda step: [{"word": step.played.tile, "points": sum(map(int, step.played.tile))}] if step.notes else [],
    wanted=names("TridomPlacement, AfterDraw, bonus-bridge, bonus-sides, bonus-hexagon 1, 2 notes, last tile"),
)


# ---- Domi Jongg: chains, forks, several heads ----


def domijongg_vectors(key: str) -> Iterator[Vector]:
    dice = random.Random(f"zug {key}")
    return limit_kinds(filter(None, (_compose_snake(dice) for _ in count())), 3)


def _compose_snake(dice: random.Random) -> Vector | None:
    """Tiles and forks at heads, most of the time where they may go; the first that may not is the last."""
    state = _snake(dice)
    public, hand, code = state.public, list(state.hands[0]), None
    items = list[tuple[int, Item]]()
    for _ in range(dice.choice([1, 1, 2, 3, 6, 12])):
        heads = range(1, len(public.tips) + 1)
        mine = [head for head in heads if not items or head in (items[0][0], *heads[len(state.public.tips) :])]
        head = dice.choice(mine if dice.random() < 0.96 else heads)
        item, said = _choose_item(public, head, hand, dice)
        if not item:
            continue
        for tile in item:
            hand.remove(tile)
        items.append((head, item))
        try:
            public = lay_snake(state.public, _join(items)).public
        except PlayerError:
            code = said if head in mine else None
            break
    laid = tuple((head, tile) for head, item in items for tile in item)
    return set_least(Vector("domijongg", state, laid, _join(items), code=code), dice) if items else None


def _join(items: list[tuple[int, Item]]) -> JonggTurn:
    """What stands at the same head twice running is one chain."""
    runs = groupby(items, key=lambda item: item[0])
    return JonggTurn(tuple(HeadExtension(head, tuple(item for _, item in run)) for head, run in runs))


def _choose_item(public: SnakePublic, head: int, hand: list[str], dice: random.Random) -> tuple[Item, str | None]:
    """What to lay at a head, () = nothing; and what the page says of it where it says so sooner than Python does."""
    lying, full = public.heads[head - 1], len(public.tips) >= public.options.max_heads
    fits = [tile for tile in hand if tile in FOLLOWERS[lying]]
    partners = [tile for tile in hand if tile in BRANCHES[lying]]
    rest = [tile for tile in hand if tile not in partners]
    if len(partners) > 1 and dice.random() < 0.7:
        first, second = dice.sample(partners, 2)
        return (first, dice.choice(rest) if rest and not full and dice.random() < 0.1 else second), None
    if fits and dice.random() < 0.93:
        return (dice.choice(fits),), None
    if not hand or dice.random() < 0.7:
        return (), None
    said = "too-many-heads" if full else "zug-fork" if len(partners) > 1 else None
    return (dice.choice(partners or hand),), said if partners else None


def _snake(dice: random.Random) -> State[SnakePublic]:
    """A snake of up to forty tiles, rich in flowers and seasons."""
    seats = dice.choice([2, 3, 4])
    options = SnakeOptions(max_heads=dice.choice([3, 6, 10]), start_count=dice.choice([None, None, 2, 2, 9]))
    public = begin_snake(options, seats, dice.choice([tile for tile in WALL if not is_special_tile(tile)]))
    for _ in range(dice.choice([0, 1, 3, 10, 30])):
        head = dice.randint(1, len(public.tips))
        item = _item(public, head, dice)
        if item:
            public = add_snake_item(public, head, item)
    public = replace(public, fresh=min(len(public.laid) - 1, dice.randrange(3)))
    hands = [_snake_hand(public, dice), dice.sample(WALL, 5), *(dice.sample(WALL, 4) for _ in range(seats - 2))]
    stock = tuple(dice.sample(WALL, dice.choice([0, 1, 3, 60])))
    return State(public, tuple(map(tuple, hands)), stock, (3, *(0,) * (seats - 1)), (0,))


def _item(public: SnakePublic, head: int, dice: random.Random) -> Item:
    """What may lie at a head: one tile, or a fork."""
    lying = public.heads[head - 1]
    if is_special_tile(lying) and len(public.tips) < public.options.max_heads and dice.random() < 0.7:
        return tuple(dice.choices(sorted(BRANCHES[lying]), k=2))
    fits = sorted(FOLLOWERS[lying])
    special = [tile for tile in fits if is_special_tile(tile)]
    return (dice.choice(special if special and dice.random() < 0.4 else fits),)


def _snake_hand(public: SnakePublic, dice: random.Random) -> list[str]:
    """Tiles that fit, the same ones that lie, specials, and anything."""
    heads = public.heads
    some = [dice.choice(sorted(FOLLOWERS[tile])) for tile in dice.choices(heads, k=3)]
    some += [tile for lying in heads if is_special_tile(lying) for tile in dice.sample(sorted(BRANCHES[lying]), 3)]
    some += [*dice.choices(heads, k=2), *dice.sample(SPECIALS, 3), *dice.sample(WALL, 4)]
    return dice.sample(some, min(len(some), dice.choice([1, 2, 3, 3, 5, 9, 13])))


SNAKE_BONUSES = names("bonus-same, bonus-fork, bonus-hand, bonus-large-hand, bonus-last")
DOMIJONGG = Family(
    "domijongg",
    domijongg_vectors,
    codes=names("does-not-fit, fork-does-not-fit, fork-needed, other-head, scores-less, too-many-heads"),
    bonuses=SNAKE_BONUSES,
    wanted=SNAKE_BONUSES | names("1 parts, 2 parts, 3 parts, condition"),
)


FAMILIES = {"dominos": DOMINOS, "tridom": TRIDOM, "supertridom": TRIDOM, "domijongg": DOMIJONGG}
