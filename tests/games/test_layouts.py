"""Where the tiles lie: for any legal snake of up to ten heads, and for ever."""

import random
from collections.abc import Sequence
from itertools import combinations, pairwise

import pytest

from moderator.games.domijongg import state
from moderator.games.domijongg.snake import begin_snake, lay_jongg_turn
from moderator.games.domijongg.state import (
    BRANCHES,
    FOLLOWERS,
    DomiJonggOptions,
    DomiJonggPublic,
    HeadExtension,
    JonggTurn,
    is_special_tile,
)
from moderator.games.dominos.rules import build_dominoes_scene
from moderator.rules.scenes import Bone, Layout
from tests.games.dominos_table import board, random_round


def are_beside(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def check_snake(public: DomiJonggPublic, before: DomiJonggPublic | None = None) -> int:
    """Everything that a drawing needs. Returns how many tiles lie elsewhere than beside their predecessor."""
    cells = [laid.cell for laid in public.laid]
    labels = public.plan.labels
    assert len(set(cells)) == len(cells)
    assert len(set(labels)) == len(labels) == len(public.tips) <= 10
    assert not set(labels) & set(cells)
    assert all(0 <= x < state.COLUMNS and y >= 0 for x, y in (*cells, *labels))
    assert all(are_beside(public.laid[tip].cell, label) for tip, label in zip(public.tips, labels, strict=True))
    if before is not None:
        assert public.laid[: len(before.laid)] == before.laid
    return sum(laid.at >= 0 and not are_beside(laid.cell, public.laid[laid.at].cell) for laid in public.laid)


def wander(dice: random.Random, tiles: int, fork: float, one_head: float) -> list[DomiJonggPublic]:
    """A snake from any tiles whatsoever: the layout has to cope with more than the 144 of the set. ``fork``: how
    likely a special forks, ``one_head``: how likely the same head goes on."""
    public = begin_snake(DomiJonggOptions(), 2, "N")
    seen, head = [public], 1
    while len(public.laid) < tiles:
        if dice.random() > one_head:
            head = dice.randrange(len(public.tips)) + 1
        tip = public.heads[head - 1]
        if is_special_tile(tip) and len(public.tips) < 10 and dice.random() < fork:
            item = (dice.choice(sorted(BRANCHES[tip])), dice.choice(sorted(BRANCHES[tip])))
        else:
            specials = [tile for tile in FOLLOWERS[tip] if is_special_tile(tile)]
            wanted = sorted(specials if specials and dice.random() < 0.3 else FOLLOWERS[tip])
            item = (dice.choice(wanted),)
        public = lay_jongg_turn(public, JonggTurn((HeadExtension(head, (item,)),))).public
        seen.append(public)
    return seen


@pytest.mark.matrix("game layouts", seconds=0.2)
@pytest.mark.parametrize("seed", range(150))
def test_any_snake_has_a_place_for_every_tile_and_every_number(seed: int) -> None:
    dice, jumps = random.Random(seed), 0
    seen = wander(dice, dice.choice((60, 144, 144, 200)), dice.random(), dice.choice((0.0, 0.5, 0.9, 1.0)))
    for before, public in zip([None, *seen], seen, strict=False):
        jumps = check_snake(public, before)
    assert jumps <= 20


def test_a_picture_is_not_too_tall_and_heads_seldom_jump() -> None:
    """Of six snakes with ten heads each, as crowded as can be."""
    seen = [wander(random.Random(seed), 100, 0.9, 0.5)[-1] for seed in range(6)]
    assert [len(public.tips) for public in seen] == [10] * 6
    assert sum(map(check_snake, seen)) <= 32
    assert max(laid.cell[1] for public in seen for laid in public.laid) < 20


Box = tuple[float, float, float, float]


def meet(one: Box, other: Box, *, touching: bool = False) -> bool:
    """Whether two rectangles overlap (or touch along more than a point)."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return (across >= 0 and down >= 0 and across + down > 0) if touching else (across > 0 and down > 0)


def halves(bone: Bone) -> list[tuple[int, Box]]:
    x, y = bone.x, bone.y
    centres = [(x, y - 0.5), (x, y + 0.5)] if bone.upright else [(x - 0.5, y), (x + 0.5, y)]
    return [
        (value, (cx - 0.5, cy - 0.5, cx + 0.5, cy + 0.5)) for value, (cx, cy) in zip(bone.values, centres, strict=True)
    ]


def chains(laid: Sequence[str], scene: Layout) -> list[list[Bone]]:
    """The tiles that follow each other: the line from left to right, N and S each from the spinner outwards."""
    spinner = next((bone for bone in scene.bones if bone.spinner), None)
    line, arms = [scene.bones[0]], {"N": [spinner], "S": [spinner]}
    for entry, bone in zip(laid[1:], scene.bones[1:], strict=True):
        place = entry[-1]
        if place == "L":
            line.insert(0, bone)
        elif place == "R":
            line.append(bone)
        else:
            arms[place].append(bone)
    return [line, *([bone for bone in arm if bone] for arm in arms.values())]


def check_pinwheel(laid: Sequence[str], any_time: bool) -> None:
    scene = build_dominoes_scene(board(laid, any_time=any_time))
    sizes = [(bone, 0.5, 1) if bone.upright else (bone, 1, 0.5) for bone in scene.bones]
    boxes = [(one.x - x, one.y - y, one.x + x, one.y + y) for one, x, y in (*sizes, *((e, 1, 1) for e in scene.ends))]
    assert not any(meet(one, other) for one, other in combinations(boxes, 2)), laid
    for chain in chains(laid, scene):
        for bone, other in pairwise(chain):
            touching = [
                (a, b) for a, here in halves(bone) for b, there in halves(other) if meet(here, there, touching=True)
            ]
            assert any(a == b for a, b in touching), (laid, bone, other)


def turned_behind_a_double(laid: Sequence[str]) -> bool:
    """Whether an arm changes its direction right behind a double that lies across it."""
    for chain in chains(laid, build_dominoes_scene(board(laid))):
        for before, double, after in zip(chain, chain[1:], chain[2:], strict=False):
            came = (double.x - before.x, double.y - before.y)
            left = (after.x - double.x, after.y - double.y)
            across = double.values[0] == double.values[1] and came[0 if double.upright else 1] != 0 in came
            if across and (came[0] * left[1] != came[1] * left[0] or 0 not in left):
                return True
    return False


def check_rounds(seed: int, count: int) -> None:
    dice = random.Random(seed)
    for _ in range(count):
        any_time = dice.random() < 0.2
        laid = random_round(dice, any_time)
        for length in (len(laid), *dice.sample(range(1, len(laid)), min(2, len(laid) - 1))):
            check_pinwheel(laid[:length], any_time)


def test_hundreds_of_rounds() -> None:
    check_rounds(1, 50)


@pytest.mark.matrix("game layouts", seconds=0.2)
@pytest.mark.parametrize("seed", range(2, 40))
def test_many_more_rounds(seed: int) -> None:
    check_rounds(seed, 100)


def test_no_arm_turns_behind_a_double_that_lies_across_and_rounds_stay_small() -> None:
    dice, extent = random.Random(9), 0.0
    for laid in (random_round(dice) for _ in range(40)):
        assert not turned_behind_a_double(laid)
        bones = build_dominoes_scene(board(laid)).bones
        for places in ([bone.x for bone in bones], [bone.y for bone in bones]):
            extent += max(places) - min(places)
    assert extent <= 1418
