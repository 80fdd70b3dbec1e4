"""»Wer behält recht?« among robots: they have no plan, but a tick must never wait for them."""

from __future__ import annotations

from pathlib import Path

from moderator.games.typdom.recht import GAME
from moderator.match.contract import Context
from moderator.match.rng import shuffler
from moderator.match.robot import choose
from moderator.match.table import open_table, submit
from moderator.match.words import WordList
from tests.every import for_every
from tests.slow import share

WORDS = (Path(__file__).parent.parent / "club" / "words.txt").read_text(encoding="utf-8").split()


@for_every("number", share(range(8)))
def test_a_match_of_robots_ends(number: int) -> None:
    ctx = Context(WordList([word for word in WORDS if word.isascii()], "list"), shuffler(bytes([number]) * 32))
    table, _ = open_table(GAME, 3, GAME.options(), ctx)
    for _ in range(400):
        if table.state.over:
            break
        seat = table.state.to_move[0]
        table, result = submit(GAME, table, seat, choose(GAME, table.state, seat, ctx), ctx)
        assert result.moves[0].alternative
    assert table.state.over
