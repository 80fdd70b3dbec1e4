"""The move generator against a plain search, and its speed-independent promises."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from moderator.errors import Illegal
from moderator.games.topwords.generate import index_for, pack, placements
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import LETTERS, Options, Place, Public
from moderator.match.contract import Context, State, view_for

Contexts = Callable[..., Context]
Tables = Callable[..., State[Public]]

WORDS = (
    "AB AH AN AU DA DU EI EN ER ES IN JA NU OB OH SO TU UM UR US WO XI ZU ÄH ART AST AUS BAR DAS DEN DER DES EIN EIS "
    "ERZ GUT HAT HUT IST LOS MUT NIE NOT NUN ODE OHR ORT RAT ROT RUF SEE SIE TAT TEE TOR TUN UHR UND VOR WAR WER WIE "
    "ZOO ÄRA ÖDE ÜBEL ABER ALLE AUTO BEIN BROT BUCH DANN EINE ESEL FEST GELD HAUS HERZ HUND JUXE KIND LAST MAUS MOND "
    "NASE NUSS REIS REST ROSE SEIN SINN STEIN STERN STUR TANTE TASSE TEIL TIER TRAUM UNTER WEIN WIESE XENIE ZEIT "
    "REISTEN STEINE STERNE TANTEN UNTERE SEINE EINEN ASTERN RASTEN NISTEN TRISTEN REISENDER EINREISEN TRAUMREISE"
)


def slowly(state: State[Public], seat: int, ctx: Context, words: Iterable[str]) -> dict[Place, int]:
    """Every word on every square in both directions, as the referee sees it."""
    found = {}
    for word in words:
        for letter in LETTERS:
            for number in range(1, 11):
                for direction in ("w", "s"):
                    move = Place(f"{letter}{number}", direction, word)
                    try:
                        found[move] = GAME.apply(state, seat, move, ctx).points
                    except Illegal:
                        continue
    return found


def game(seed: int, options: Options, ctx: Context, turns: int) -> State[Public]:
    """A position after some random legal moves."""
    dice = random.Random(seed)
    shuffled = Context(ctx.words, lambda label, items: tuple(dice.sample(list(items), len(items))))
    state = GAME.setup(2, options, shuffled).state
    for _ in range(turns):
        if state.over:
            break
        if options.pace == "common":
            choices = [m for m, _ in GAME.moves(view_for(state, 0), shuffled)]
            state = GAME.settle(state, {0: dice.choice(choices) if choices else None}, shuffled).state
            continue
        seat = state.to_move[0]
        legal = [m for m, _ in GAME.moves(view_for(state, seat), shuffled)]
        state = (
            GAME.apply(state, seat, dice.choice(legal), shuffled) if legal else GAME.miss(state, seat, shuffled)
        ).state
    return state


CASES: list[tuple[int, dict[str, Any], int]] = [
    (1, {}, 0),
    (2, {}, 3),
    (3, {}, 8),
    (4, {"max_height": 2}, 9),
    (5, {"max_height": 1}, 6),
    (6, {"cover_whole_word": False}, 7),
    (7, {"cover_whole_word": False}, 12),
    (8, {"letter_axis": "rows"}, 6),
    (9, {"pace": "common"}, 6),
    (10, {"pace": "rounds", "rack_size": 9}, 5),
    (11, {"rack_size": 5}, 6),
    (12, {"tiles": {"E": 12, "S": 12, "T": 6, "N": 6, "I": 6, "X": 2}}, 8),
]


@pytest.mark.matrix("games")
@pytest.mark.parametrize(("seed", "options", "turns"), CASES)
def test_the_generator_finds_what_a_plain_search_finds(
    seed: int, options: dict[str, Any], turns: int, context: Contexts
) -> None:
    ctx = context(WORDS)
    state = game(seed, Options(**options), ctx, turns)
    assert not state.over
    seat = state.to_move[0]
    moves = placements(view_for(state, seat), ctx)
    assert len(moves) == len(dict(moves))
    assert dict(moves) == slowly(state, seat, ctx, WORDS.split())


def test_a_dense_board_with_towers(table: Tables, context: Contexts) -> None:
    board = {"D5": "M", "E5": "OAOAO", "F5": "NO", "G5": "D", "F6": "H", "F7": "R", "D6": "U", "D7": "SR", "E7": "EO"}
    state = table("HAUSTEX", "A", board=board)
    ctx = context(WORDS)
    found = dict(placements(view_for(state, 0), ctx))
    assert found
    assert found == slowly(state, 0, ctx, WORDS.split())


def test_the_rack_bonus_is_found_with_the_last_tiles(table: Tables, context: Contexts) -> None:
    ctx = context("HAUS AUS")
    state = table("AUS", "A", stock="", board={"E5": "H"})
    found = dict(placements(view_for(state, 0), ctx))
    assert found[Place("E5", "w", "HAUS")] == 8 + 10
    assert found == slowly(state, 0, ctx, ["HAUS", "AUS"])


def test_words_that_cannot_be_laid_are_left_out(table: Tables) -> None:
    class Odd:
        def judge(self, word: str, base: str | None = None) -> Any:
            raise AssertionError("the generator does not judge")

        def playable(self, max_length: int) -> list[str]:
            return ["AH", "CAFÉ", "HA", "H", "AHHHHHHHHHHH"]

    ctx = Context(Odd(), lambda label, items: tuple(items))
    found = placements(view_for(table("HAE", "A"), 0), ctx)
    assert {move.word for move, _ in found} == {"AH", "HA"}


def test_an_empty_dictionary_or_rack_gives_no_moves(table: Tables, context: Contexts) -> None:
    assert placements(view_for(table("HAUS", "A"), 0), context("")) == []
    assert placements(view_for(table("", "A"), 0), context("HAUS")) == []


def test_the_index_is_kept_as_long_as_its_dictionary(context: Contexts) -> None:
    ctx = context("HAUS MAUS")
    first = index_for(ctx.words)
    assert index_for(ctx.words) is first
    assert index_for(context("HAUS MAUS").words) is not first
    key = id(ctx.words)
    assert key in index_for.known
    del ctx
    gc.collect()
    assert key not in index_for.known or index_for.known[key][1] is not first


def test_a_dictionary_without_weak_references_is_not_kept() -> None:
    class Slotted:
        __slots__ = ()

        def judge(self, word: str, base: str | None = None) -> Any:
            raise AssertionError

        def playable(self, max_length: int) -> list[str]:
            return ["HAUS"]

    words = Slotted()
    assert index_for(words).words == {"HAUS"}
    assert id(words) not in index_for.known


def test_packed_counts_do_not_run_into_each_other() -> None:
    assert pack("A" * 40) == pack("A" * 15)
    assert pack("AAB") == 2 * pack("A") + pack("B")
