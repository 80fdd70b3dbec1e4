"""What can be announced: against trying everything out, and how soon the first answer comes."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Any

import pytest

from moderator.errors import PlayerError
from moderator.games.typdom.board import name
from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_search import MOST_WORDS, can_lay
from moderator.games.typdom.recht_state import Lay, Options, Public, Tile
from moderator.games.typdom.tiles import JOLLIES, LETTERS, STAR, colour
from moderator.match.contract import Context, State, Verdict, view_for
from moderator.match.words import AnyWords, WordList
from tests.games.test_recht_rules import finished, match, running

TEXT = "AN AST EI EIN EINE EIS ER ES IN NEST OST OSTERN RAST REIS REISE REST ROSE SEE SO STEIN STERN TEE TEIL TOR ZEIT"
WORDS = TEXT.split()


def positions(seed: int) -> Iterator[tuple[State[Public], Context]]:
    """Some positions of a match by chance."""
    dice = random.Random(seed)
    ctx = Context(
        WordList(WORDS), lambda label, items: tuple(random.Random(f"{seed}{label}").sample(list(items), len(items)))
    )
    state = GAME.setup(2 + seed % 2, Options(), ctx).state
    for _ in range(14):
        if state.over or state.public.completing:
            return
        yield state, ctx
        seat = state.to_move[0]
        legal = [move for move, _ in GAME.moves(view_for(state, seat), ctx)]
        step = GAME.apply(state, seat, dice.choice(legal), ctx) if legal else GAME.miss(state, seat, ctx)
        state = step.state


def tried_out(state: State[Public], ctx: Context) -> set[str]:
    """Every move with one tile that the rules let through."""
    seat, public = state.to_move[0], state.public
    held = {tile for tile in state.hands[seat] if not tile.startswith(STAR)}
    jollies = {STAR + c for c in LETTERS if JOLLIES[colour(c)] in state.hands[seat] and c not in held}
    letters = sorted(held | jollies)
    moves: list[Lay] = []
    if public.running is not None:
        for letter, side in product(letters, ("front", "back")):
            moves.append(Lay((Tile(letter, side),), goes_on=True))
            moves += [Lay((Tile(letter, side),), word) for word in WORDS if word != public.running.word]
    else:
        near = public.table.squares or {public.table.start: ""}
        around = {square + step for square in near for step in (-40, -1, 0, 1, 40)}
        for letter, square, word in product(letters, sorted(around - set(public.table.squares)), WORDS):
            for direction in ("w", "s"):
                moves.append(Lay((Tile(letter, name(square)),), word, direction))  # type: ignore[arg-type]
    return {GAME.format(move) for move in moves if legal(state, seat, move, ctx)}


def legal(state: State[Public], seat: int, move: Lay, ctx: Context) -> bool:
    try:
        GAME.apply(state, seat, move, ctx)
    except PlayerError:
        return False
    return True


@pytest.mark.matrix("games")
def test_the_list_is_what_trying_everything_finds() -> None:
    compared = 0
    for seed in range(3):
        for state, ctx in positions(seed):
            offered = [move for move, _ in GAME.moves(view_for(state, state.to_move[0]), ctx)]
            single = [GAME.format(move) for move in offered if isinstance(move, Lay) and len(move.tiles) == 1]
            assert len(single) == len(set(single))
            assert tried_out(state, ctx) == set(single)
            assert all(legal(state, state.to_move[0], move, ctx) for move in offered if isinstance(move, Lay))
            compared += len(single)
    assert compared > 200


def test_two_tiles_are_offered_where_a_premium_allows_them() -> None:
    table = match("TUX", "EE", board=finished("NAHT", "S20", "w"), known="NAHT STAUB")
    offered = [GAME.format(move) for move, _ in GAME.moves(view_for(table.state, 0), table.ctx)]
    assert "T an T19 s + U an T21 = STAUB" in offered
    assert "T an T19 s = STAUB" in offered


def test_nothing_is_offered_out_of_turn() -> None:
    table = match("TUX", "EE", board=finished("NAHT", "S20", "w"), known="NAHT STAUB")
    assert list(GAME.moves(view_for(table.state, 1), table.ctx)) == []
    assert list(GAME.moves(view_for(table.state, None), table.ctx)) == []


def test_a_jolly_stands_for_what_the_rack_lacks() -> None:
    table = match("T*b", "EE", "AA", board=running("ER", "T20", "w", "STERN", author=2), known="STERN WERT")
    offered = {GAME.format(move) for move, _ in GAME.moves(view_for(table.state, 0), table.ctx)}
    assert offered == {"weiter vorn T", "hinten T = WERT", "weiter hinten *N", "vorn *W = WERT"}
    assert not GAME.listable(view_for(table.state, 0))
    assert GAME.listable(view_for(table.state, 1))


# ---- whether there is any ----


@pytest.mark.parametrize(
    ("hand", "new", "anything"),
    [("XYQ", False, False), ("SXY", False, True), ("TXY", True, True), ("*bQX", True, True), ("*rXQ", False, False)],
)
def test_whether_anything_can_be_laid(hand: str, new: bool, anything: bool) -> None:
    board = running("TER", "T20", "w", "STERN", author=2)
    table = match(hand, "EE", "AA", board=board, known="STERN TERT")
    assert can_lay(table.state, 0, table.ctx, new=True) is new
    assert can_lay(table.state, 0, table.ctx, new=False) is anything


def test_a_lying_jolly_may_be_what_makes_it_possible() -> None:
    board = running("TER", "T20", "w", "STERN", author=2, V21="*D")
    for hand, found in (("DX", True), ("XX", False)):
        table = match(hand, "EE", "AA", board=board, known="STERN RD")
        assert can_lay(table.state, 0, table.ctx, new=False) is found


def test_where_any_word_counts_nobody_can_tell() -> None:
    table = match("XYQ", "EE", "AA", board=running("TER", "T20", "w", "STERN", author=2), known=AnyWords())
    assert can_lay(table.state, 0, table.ctx, new=False) is None
    assert table.turn("passe").state.to_move == (1,)


def many_words(count: int) -> list[str]:
    dice = random.Random(1)
    return sorted({"".join(dice.choices("ENISRATDHULCGMOBWFKZPVJYXQ", k=dice.randint(2, 12))) for _ in range(count)})


class Listing:
    """A large dictionary that remembers how long the words were that it was asked to list."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.known = frozenset(words)
        self.asked: list[int] = []

    def judge(self, word: str, base: str | None = None) -> Verdict:
        return Verdict(word, "accept" if word in self.known else "reject")

    def playable(self, max_length: int) -> Sequence[str]:
        self.asked.append(max_length)
        return [word for word in self.words if len(word) <= max_length]


def test_the_first_answer_comes_soon() -> None:
    words = Listing(many_words(100_000))
    known: Any = words
    table = match("ENRTLUGHDCF*r*b", "AEI", known=known)
    start = time.process_time()
    first = next(iter(GAME.moves(view_for(table.state, 0), table.ctx)))
    assert can_lay(table.state, 0, table.ctx, new=True)
    assert time.process_time() - start < 0.2
    assert first[1] == 0
    assert max(words.asked) <= 4


def test_announcements_are_listed_up_to_a_limit() -> None:
    words: Any = Listing([word for word in many_words(30_000) if "E" in word])
    table = match("EX", "AEI", known=words)
    moves = (move for move, _ in GAME.moves(view_for(table.state, 0), table.ctx) if isinstance(move, Lay))
    listed = list(islice(moves, 3 * MOST_WORDS))
    across = [move for move in listed if move.direction == "w" and move.tiles == (Tile("E", "T20"),)]
    assert len(across) == MOST_WORDS
    assert [len(move.word) for move in across] == sorted(len(move.word) for move in across)
