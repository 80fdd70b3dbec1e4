"""Where the tiles lie: for any legal snake of up to ten heads, and for ever."""

from __future__ import annotations

import random

import pytest

from moderator.games.domijongg import layout
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.snake import begin, lay, one
from moderator.games.domijongg.state import BRANCHES, FOLLOWERS, NAMES, Options, Public, is_special
from tests.games.domijongg_table import match


def beside(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def check(public: Public, before: Public | None = None) -> int:
    """Everything that a drawing needs. Returns how many tiles lie elsewhere than beside their predecessor."""
    cells = [laid.cell for laid in public.laid]
    labels = public.plan.labels
    assert len(set(cells)) == len(cells)
    assert len(set(labels)) == len(labels) == len(public.tips) <= 10
    assert not set(labels) & set(cells)
    assert all(0 <= x < layout.COLUMNS and y >= 0 for x, y in (*cells, *labels))
    assert all(beside(public.laid[tip].cell, label) for tip, label in zip(public.tips, labels, strict=True))
    if before is not None:
        assert public.laid[: len(before.laid)] == before.laid
    return sum(laid.at >= 0 and not beside(laid.cell, public.laid[laid.at].cell) for laid in public.laid)


def wander(dice: random.Random, tiles: int, fork: float, one_head: float) -> list[Public]:
    """A snake from any tiles whatsoever: the layout has to cope with more than the 144 of the set. ``fork``: how
    likely a special forks, ``one_head``: how likely the same head goes on."""
    public = begin(Options(), 2, "N")
    seen, head = [public], 1
    while len(public.laid) < tiles:
        if dice.random() > one_head:
            head = dice.randrange(len(public.tips)) + 1
        tip = public.heads[head - 1]
        if is_special(tip) and len(public.tips) < 10 and dice.random() < fork:
            item = (dice.choice(sorted(BRANCHES[tip])), dice.choice(sorted(BRANCHES[tip])))
        else:
            specials = [tile for tile in FOLLOWERS[tip] if is_special(tile)]
            wanted = sorted(specials if specials and dice.random() < 0.3 else FOLLOWERS[tip])
            item = (dice.choice(wanted),)
        public = lay(public, one(head, item)).public
        seen.append(public)
    return seen


def soak(seed: int) -> int:
    dice = random.Random(seed)
    seen = wander(dice, dice.choice((60, 144, 144, 200)), dice.random(), dice.choice((0.0, 0.5, 0.9, 1.0)))
    for before, public in zip([None, *seen], seen, strict=False):
        jumps = check(public, before)
    return jumps


@pytest.mark.matrix("games")
@pytest.mark.parametrize("seed", range(60))
def test_any_snake_has_a_place_for_every_tile_and_every_number(seed: int) -> None:
    assert soak(seed) <= 20


@pytest.mark.matrix("games")
def test_many_snakes() -> None:
    jumps = [soak(seed) for seed in range(1000, 1200)]
    assert max(jumps) <= 30


def test_a_picture_is_not_too_tall_and_heads_seldom_jump() -> None:
    jumps, rows = [], []
    for seed in range(8):
        public = match(seed, 2, games=1)[-1].state.public
        jumps.append(check(public))
        rows.append(1 + max(laid.cell[1] for laid in public.laid))
    assert sum(jumps) / len(jumps) <= 5
    assert max(rows) <= 30


def test_the_same_turns_give_the_same_cells() -> None:
    dice = random.Random(3)
    public = wander(dice, 80, 0.8, 0.5)[-1]
    layout.grow.cache_clear()
    layout.fork.cache_clear()
    again = wander(random.Random(3), 80, 0.8, 0.5)[-1]
    assert again == public


def test_ten_heads() -> None:
    public = begin(Options(), 2, "N")
    for number, special in enumerate(("F1", "F2", "F3", "F4", "J1", "J2", "J3", "J4"), start=3):
        head = len(public.tips)
        public = lay(public, one(head, (special,))).public
        public = lay(public, one(head, ("E", "N"))).public
        assert len(public.tips) == number
        check(public)
    for _ in range(5):
        for head in range(1, 11):
            public = lay(public, one(head, ("S",))).public
            check(public)
    scene = GAME.scene(type("V", (), {"public": public})())  # type: ignore[arg-type]
    assert [head.number for head in scene.heads] == list(range(1, 11))


def test_the_plan_depends_on_specials_only() -> None:
    """So that cells tell nothing, and every snake is covered by the soak."""
    plan = layout.begin()
    assert {layout.grow(plan, 1, is_special(tile)) for tile in NAMES} == {
        layout.grow(plan, 1, True),
        layout.grow(plan, 1, False),
    }
