"""Tile matches by mail: seeds that lead to a wanted position, and robots' moves mailed until it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from moderator import games
from moderator.club.live_match import context_of, rules_of
from moderator.errors import PlayerError
from moderator.match.conditions import AfterDraw
from moderator.match.contract import Context, Game, view_for
from moderator.match.rng import unshuffled
from moderator.match.robot import choose
from moderator.match.table import Table, open_table, submit
from moderator.match.words import AnyWords
from moderator.store.models import Match
from tests.club.club import Club

NAMES = ("Anna", "Bert", "Cici")
TILE_GAMES = [key for key in sorted(games.REGISTRY) if not games.load(key).uses_words]
WITH_STANDING = ["dominos", "supertridom", "tridom"]
"""Games that know ``nach Ziehen: bester``."""
Wanted = Callable[[Game[Any, Any], Table[Any]], bool]
NO_WORDS = Context(AnyWords(), unshuffled)
FOUND: dict[Any, bytes] = {}


def has_drawn(game: Game[Any, Any], table: Table[Any]) -> bool:
    """The seat to move has drawn in this turn, so that its standing order would be played."""
    if game.key not in WITH_STANDING:
        return False
    try:
        game.apply(table.state, table.state.to_move[0], AfterDraw(), NO_WORDS)
    except PlayerError:
        return False
    return True


def has_not_drawn(game: Game[Any, Any], table: Table[Any]) -> bool:
    return not has_drawn(game, table)


def has_no_choice(game: Game[Any, Any], table: Table[Any]) -> bool:
    """The seat to move has exactly one legal move, and it is not the first of the match."""
    return table.entries > 0 and len(moves_of(game, table, 2)) == 1


def moves_of(game: Game[Any, Any], table: Table[Any], most: int) -> list[Any]:
    """Legal moves of the seat to move."""
    return list(islice(game.moves(view_for(table.state, table.state.to_move[0]), NO_WORDS), most))


def robots(match: Match, seats: int, moves: int) -> Iterator[Table[Any]]:
    """The table after the deal and after each of at most ``moves`` moves of robots."""
    game, options = rules_of(match)
    context = context_of(match)
    table, _ = open_table(game, seats, options, context)
    yield table
    for _ in range(moves):
        if table.state.over:
            return
        seat = table.state.to_move[0]
        table, _ = submit(game, table, seat, choose(game, table.state, seat, context), context)
        yield table


def seed_where(wanted: Wanted, first: Wanted | None = None, moves: int = 12) -> Callable[[Match], bytes]:
    """A seed from which two robots come to a wanted position within so many moves, before the match is over;
    ``first`` is what the deal must be."""

    def search(match: Match) -> bytes:
        key = match.game, str(match.options), wanted, first, moves
        for number in range(400):
            if key in FOUND:
                return FOUND[key]
            game, match.seed = games.load(match.game), number.to_bytes(32, "big").hex()
            tables = [table for table in robots(match, 2, moves) if not table.state.over]
            if (first is None or first(game, tables[0])) and any(wanted(game, table) for table in tables):
                FOUND[key] = bytes.fromhex(match.seed)
        raise AssertionError("no seed leads there")

    return search


def robot_move(club: Club, code: str) -> str:
    """What a robot would do now for the seat to move."""
    live = club.live(code)
    return choose(live.game, live.table.state, live.table.state.to_move[0], live.context)


def mail_moves(club: Club, code: str, until: Wanted, moves: int = 12) -> int:
    """Mail robots' moves until the position is the wanted one; returns the seat to move."""
    for _ in range(moves + 1):
        live = club.live(code)
        seat: int = live.table.state.to_move[0]
        if until(live.game, live.table):
            return seat
        club.order(NAMES[seat], code, seat, choose(live.game, live.table.state, seat, live.context))
        summary = club.tick()
        assert (summary.quarantined, summary.troubles) == ([], [])
    raise AssertionError("the position was not reached")
