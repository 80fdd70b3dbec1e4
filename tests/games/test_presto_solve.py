"""The robot of Presto: whole racks as crosswords, never anything wrong."""

from __future__ import annotations

import random

import pytest

from moderator.games.typdom.presto import GAME, check
from moderator.games.typdom.presto_layout import solve, used
from moderator.games.typdom.presto_state import Options
from moderator.match.contract import Context, view_for
from moderator.match.robot import choose
from moderator.match.table import open_table, submit
from moderator.match.words import AnyWords, WordList
from tests.games.typdom_table import tiles

KNOWN = "EXAMEN LAGE NACHT TOR ROT RUF ART RAT TAG TEE ES EI REISE REIS EIS NASE"
WORDS = WordList(KNOWN.split())


def unshuffled(label: str, items: object) -> tuple[str, ...]:
    return tuple(items)  # type: ignore[arg-type]


@pytest.mark.parametrize("rack", ["TORUF", "EXAMENLAGNCHT", "REISE", "TOR", "EI", "NASEEI", "T*rR", "EXAMEN*bAGE"])
def test_a_rack_that_can_be_laid(rack: str) -> None:
    hand = tiles(rack)
    found = solve(hand, 0, WORDS)
    assert found is not None
    check(found, hand, 0, Context(WORDS, unshuffled))


@pytest.mark.parametrize("rack", ["TORX", "QXZ", "E", "TT", "TX*r"])
def test_a_rack_that_cannot(rack: str) -> None:
    assert solve(tiles(rack), 0, WORDS) is None


def test_without_a_list_nothing_is_found() -> None:
    assert solve(tiles("TOR"), 0, AnyWords()) is None


def test_one_tile_is_left_only_if_need_be() -> None:
    assert sum(used(solve(tiles("TORX"), 1, WORDS)).values()) == 3  # type: ignore[arg-type]
    assert sum(used(solve(tiles("TORUF"), 1, WORDS)).values()) == 5  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_found_is_right(seed: int) -> None:
    dice = random.Random(seed)
    words = sorted(WORDS.words)
    hand = [letter for word in dice.sample(words, 3) for letter in word]
    if dice.random() < 0.5:
        hand[dice.randrange(len(hand))] = "*r"
    found = solve(hand, 1, WORDS)
    if found is not None:
        check(found, hand, 1, Context(WORDS, unshuffled))
    assert solve(hand, 1, WORDS) == found, "the same rack, the same crossword"


def test_robots_play_a_match() -> None:
    ctx = Context(WORDS, unshuffled)
    racks = [tiles(rack) for rack in ("TOR", "QXZ", "REISE", "TAG")]
    table, _ = open_table(GAME, 4, Options(), ctx, {"racks": racks})
    sent = []
    for seat in range(4):
        if table.state.over:
            break
        sent.append(choose(GAME, table.state, seat, ctx))
        table, result = submit(GAME, table, seat, sent[-1], ctx)
        assert result.moves[0].alternative == 1
    assert sent[1] == "passe"
    assert table.state.scores == (4, 0, 2, 0)
    assert table.state.over


def test_a_listed_move_is_the_robots() -> None:
    state = GAME.setup(2, Options(), Context(WORDS, unshuffled), {"racks": [tiles("TOR"), tiles("QX")]}).state
    ctx = Context(WORDS, unshuffled)
    assert [points for _, points in GAME.moves(view_for(state, 0), ctx)] == [4]
    assert list(GAME.moves(view_for(state, 1), ctx)) == []
    assert not GAME.listable(view_for(state, 0))
