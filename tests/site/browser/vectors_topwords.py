"""Moves of Topwords on any board."""

from __future__ import annotations

import random
from collections.abc import Iterator

from moderator.games.topwords import board as rules
from moderator.games.topwords.state import ALPHABET, SIZE, STEP, Options, Place, Public, name
from moderator.match.contract import State
from tests.site.browser.vectors import Family, Vector


def position(dice: random.Random) -> State[Public]:
    """What words lie there is nothing to geometry."""
    options = Options(
        pace=dice.choice(["sequential", "rounds", "common"]),
        max_height=dice.choice([2, 3, 5]),
        cover_whole_word=dice.random() < 0.6,
        letter_axis=dice.choice(["columns", "rows"]),
    )
    full, letters = dice.choice([0.0, 0.1, 0.3, 0.5]), sorted(ALPHABET)
    stacks = tuple(
        "".join(dice.choices(letters, k=dice.choice([1, 1, 1, 2, options.max_height]))) if dice.random() < full else ""
        for _ in range(SIZE * SIZE)
    )
    rack = tuple(dice.choices([*letters, "Q", "X"], k=dice.choice([1, 2, 7, options.full_rack])))
    hands = (rack,) if options.pace == "common" else (rack, rack)
    stock = dice.choice([(), tuple("ENSIRAT")])
    return State(Public(options, stacks), hands, stock, (0, 0), (0, 1) if options.pace != "sequential" else (0,))


def laying(state: State[Public], dice: random.Random) -> tuple[dict[int, str], Place] | None:
    """Tiles of the rack in a line without a gap, and the move that this is."""
    stacks, rack = state.public.board, list(state.hands[0])
    direction = dice.choice("ws")
    at, step = dice.randrange(SIZE * SIZE), STEP[direction]
    room = SIZE - (at % SIZE if direction == "w" else at // SIZE)
    laid: dict[int, str] = {}
    dice.shuffle(rack)
    covering = dice.choice([0.2, 0.9])
    for square in range(at, at + dice.randint(1, room) * step, step):
        if (not stacks[square] or dice.random() < covering) and rack and rack[-1] != stacks[square][-1:]:
            laid[square] = rack.pop()
        elif not stacks[square]:
            break
    if not laid:
        return None
    after = [stack + laid.get(square, "") for square, stack in enumerate(stacks)]
    if len(laid) == 1:
        direction = "w" if len(rules.run_through(after, min(laid), STEP["w"])) > 1 else "s"
    run = rules.run_through(after, min(laid), STEP[direction])
    word = "".join(after[square][-1] for square in run)
    return laid, Place(name(run[0], state.public.options), direction, word)


def vectors(game: str) -> Iterator[Vector]:
    dice = random.Random("zug")
    while True:
        state = position(dice)
        found = laying(state, dice)
        if found is not None:
            laid, move = found
            # The page refuses a tile as it is laid, before it knows how long the word will be.
            full = any(len(state.public.board[square]) >= state.public.options.max_height for square in laid)
            yield Vector(state, tuple(laid.items()), move, "too-high" if full else None)


FAMILY = Family(
    "topwords",
    vectors,
    codes=frozenset({"too-high", "no-centre", "not-connected", "too-short", "covers-whole-word"}),
    bonuses=frozenset({"bonus-rack", "bonus-rare"}),
    params=False,
)
