"""»Wer behält recht?« among robots: they have no plan, but a tick must never wait for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from moderator.games.typdom.recht import GAME
from moderator.match.contract import Context
from moderator.match.rng import shuffler, unshuffled
from moderator.match.robot import choose
from moderator.match.table import open_table, submit
from moderator.match.words import WordList
from moderator.states import Level

FILE = Path(__file__).parent.parent / "club" / "words.txt"
WORDS = [word.upper() for word in FILE.read_text(encoding="utf-8").split() if word.isascii()]


@pytest.mark.matrix("games")
@pytest.mark.parametrize("number", range(8))
def test_a_match_of_robots_ends(number: int) -> None:
    ctx = Context(WordList(WORDS, "list"), shuffler(bytes([number]) * 32))
    table, _ = open_table(GAME, 3, GAME.options(), ctx)
    for _ in range(400):
        if table.state.over:
            break
        seat = table.state.to_move[0]
        table, result = submit(GAME, table, seat, choose(GAME, table.state, seat, ctx), ctx)
        assert result.moves[0].alternative
    assert table.state.over


@pytest.mark.matrix("games")
@pytest.mark.parametrize("number", range(6))
def test_no_robot_is_out_by_a_word_of_its_own(number: int) -> None:
    """Whatever others add to an announcement, who has made it has the tiles to finish it."""
    ctx = Context(WordList(WORDS, "list"), shuffler(bytes([40 + number]) * 32))
    levels, announced = (Level.BEGINNER, Level.CLUB, Level.STRONG), 0
    table, _ = open_table(GAME, 3, GAME.options(), ctx)
    for _ in range(400):
        if table.state.over:
            break
        seat = table.state.to_move[0]
        text = choose(GAME, table.state, seat, ctx, levels[seat])
        announced += " = " in text
        table, result = submit(GAME, table, seat, text, ctx)
        assert result.moves[0].alternative
        assert not table.state.public.gone
    assert announced


def test_it_announces_nothing_that_lacks_a_letter() -> None:
    """ABBA with one B, CARIBBEAN with none: only what the rack and the fragment hold."""
    ctx = Context(WordList(["ABBA", "ABT"], "list"), unshuffled)
    fixed = {"racks": [["A", "A", "B", "T"], ["E", "N", "R"]], "stock": ["O", "X"], "starter": 0}
    state = open_table(GAME, 2, GAME.options(), ctx, fixed)[0].state
    for level in Level:
        assert choose(GAME, state, 0, ctx, level).endswith("= ABT"), level
    fixed["racks"][0] = ["A", "A", "B", "L"]
    state = open_table(GAME, 2, GAME.options(), ctx, fixed)[0].state
    for level in Level:
        assert choose(GAME, state, 0, ctx, level) == GAME.pass_text, level


def test_a_beginner_sees_no_premium() -> None:
    """Where the club's robot lays two tiles, it lays one."""
    ctx = Context(WordList(WORDS, "list"), shuffler(bytes([60]) * 32))
    table, _ = open_table(GAME, 2, GAME.options(), ctx)
    instead = []
    for _ in range(60):
        if table.state.over:
            break
        seat = table.state.to_move[0]
        text = choose(GAME, table.state, seat, ctx)
        if " + " in text:
            instead.append(choose(GAME, table.state, seat, ctx, Level.BEGINNER))
        table, _ = submit(GAME, table, seat, text, ctx)
    assert instead
    assert not [text for text in instead if " + " in text]
