"""Robots in the games of words: legal at every level, by what their seat sees alone, right at the end of Topwords."""

import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator.common.enums import Level
from moderator.games import load_game
from moderator.games.topwords import strong
from moderator.games.topwords.generate import list_topwords_placements
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import ALPHABET, TopwordsOptions, TopwordsPass
from moderator.games.typdom.presto import GAME as PRESTO
from moderator.games.typdom.presto import check_crossword
from moderator.games.typdom.presto_state import PrestoOptions as PrestoOptions
from moderator.games.typdom.presto_state import count_used_tiles, find_crossword
from moderator.rules import shuffling
from moderator.rules.game import State
from moderator.rules.robots import choose
from moderator.rules.state import Context, view_for
from moderator.rules.table import open_match_state, try_order
from moderator.rules.words import AnyWords, WordList
from tests.games.typdom_table import tiles
from tests.helpers import looks_alike

FILE = Path(__file__).parent.parent / "club" / "words.txt"
KEYS = ("topwords", "kreuzwort", "point", "presto", "recht")
TURNS = 12
SHORT = "AB AN DA DU ER ES IM IN JA OB SO UM WO ZU EIS EIN NIE RAT TEE TOR UNS ART ORT REH SEE"


@cache
def words() -> WordList:
    """A few words of two and three letters besides, so that something fits everywhere."""
    common = [word.upper() for word in FILE.read_text(encoding="utf-8").split()]
    return WordList([word for word in (*common, *SHORT.split()) if ALPHABET.issuperset(word)], "list")


def context(number: int) -> Context:
    return Context(words(), shuffling.build_shuffle(shuffling.build_round_seeds(number.to_bytes(32, "big"))))


@pytest.mark.slow
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("key", KEYS)
def test_a_robot_plays_what_is_legal_and_the_same_in_two_worlds_that_look_alike(key: str, level: Level) -> None:
    game, ctx = load_game(key), context(5)
    table, _ = open_match_state(game, 2, game.options(), ctx)
    laid = 0
    for turn in range(TURNS):
        if table.state.over:
            break
        state, seat = table.state, table.state.to_move[0]
        other = looks_alike(state, seat, random.Random(turn))
        future = replace(ctx, shuffle=shuffling.build_shuffle(b"another future".ljust(32)))
        assert view_for(other, seat) == view_for(state, seat)
        text = choose.choose_robot_move(game, state, seat, ctx, level)
        if turn % 3 == 0:
            assert choose.choose_robot_move(game, other, seat, future, level) == text
        table, result = try_order(game, table, seat, text, ctx)
        assert result.moves[0].alternative, (text, result)
        laid += text != game.pass_text
    assert laid or key in ("presto", "recht")


def ended(number: int) -> State[Any]:
    """A match with the stock empty and three tiles on each rack."""
    ctx = context(number)
    state = GAME.setup(
        2, TopwordsOptions(rack_size=3, tiles={"E": 5, "A": 4, "N": 4, "S": 3, "R": 3, "T": 3}), ctx
    ).state
    while state.stock:
        seat = state.to_move[0]
        found = sorted(
            list_topwords_placements(view_for(state, seat), ctx), key=lambda one: (-one[1], GAME.format_move(one[0]))
        )
        if not found:
            return state
        state = GAME.apply_move(state, seat, found[0][0], ctx).state
    return state


def by_force(state: State[Any], ctx: Context) -> int:
    """The lead at the end of the seat to move, if both play as well as can be."""
    seat, best = state.to_move[0], -(10**6)
    for move in (*(move for move, _ in list_topwords_placements(view_for(state, seat), ctx)), TopwordsPass()):
        after = GAME.apply_move(state, seat, move, ctx).state
        best = max(best, after.scores[seat] - after.scores[1 - seat] if after.over else -by_force(after, ctx))
    return best


@pytest.mark.slow
def test_the_end_of_topwords_is_played_as_well_as_can_be() -> None:
    """Where few moves are left; a search that was not cut short against all moves to the end."""
    looked = 0
    for number in [*range(120)][::4]:
        ctx, state = context(number), ended(number)
        if state.over or state.stock:
            continue
        search = strong._EndgameSearch(
            ctx, lambda state, seat, move, ctx=ctx: GAME.apply_move(state, seat, move, ctx).state
        )
        move = search.choose_best_move(state)
        if search.cut or search.left == 0:
            continue
        looked += 1
        seat = state.to_move[0]
        after = GAME.apply_move(state, seat, move, ctx).state
        lead = after.scores[seat] - after.scores[1 - seat] if after.over else -by_force(after, ctx)
        assert lead == by_force(state, ctx), number
    assert looked


def test_kept_letters_have_a_value_each() -> None:
    assert {*strong.load_leave_values()} == {*ALPHABET, strong.AGAIN}
    assert strong.evaluate_leave("") == 0
    assert strong.evaluate_leave("EE") == strong.evaluate_leave("E") + strong.load_leave_values()[strong.AGAIN]


def test_the_unseen_tiles_are_those_of_the_set_that_are_not_seen() -> None:
    state = GAME.setup(2, TopwordsOptions(), context(1)).state
    assert strong.list_unseen_letters(view_for(state, 0)) == sorted([*state.hands[1], *state.stock])


KNOWN = "EXAMEN LAGE NACHT TOR ROT RUF ART RAT TAG TEE ES EI REISE REIS EIS NASE"
PRESTO_WORDS = WordList(KNOWN.split())


def test_presto_lays_a_rack_that_can_be_laid() -> None:
    for rack in ("TORUF", "EXAMENLAGNCHT", "REISE", "TOR", "EI", "NASEEI", "T*rR", "EXAMEN*bAGE"):
        found = find_crossword(tiles(rack), 0, PRESTO_WORDS)
        assert found is not None, rack
        check_crossword(found, tiles(rack), 0, Context(PRESTO_WORDS, shuffling.keep_order))
    for rack in ("TORX", "QXZ", "E", "TT", "TX*r"):
        assert find_crossword(tiles(rack), 0, PRESTO_WORDS) is None, rack
    assert find_crossword(tiles("TOR"), 0, AnyWords()) is None  # without a list nothing is found
    for rack, laid in (("TORX", 3), ("TORUF", 5)):  # one tile is left only if need be
        assert sum(count_used_tiles(find_crossword(tiles(rack), 1, PRESTO_WORDS)).values()) == laid  # type: ignore[arg-type]


def test_presto_a_listed_move_is_the_robots() -> None:
    ctx = Context(PRESTO_WORDS, shuffling.keep_order)
    state = PRESTO.setup(2, PrestoOptions(), ctx, {"racks": [tiles("TOR"), tiles("QX")]}).state
    assert [points for _, points in PRESTO.list_moves(view_for(state, 0), ctx)] == [4]
    assert list(PRESTO.list_moves(view_for(state, 1), ctx)) == []
    assert not PRESTO.can_list_moves(view_for(state, 0))
