"""What open-spiel's search gets to see of our games is what a player in its seat sees (`bench/ismcts.py`); what
docs/inside/robots.md says of the robots' strength is what was played, as `bench/robots.json` has it."""

import hashlib
import re
from itertools import pairwise, product
from random import Random

import pytest

from bench import empty, losses, robots
from bench.ismcts import GAMES, Position
from bench.kept import printed
from bench.shares import Share
from moderator.common.enums import Level
from moderator.games import load_game
from moderator.rules import shuffling
from moderator.rules.game import Context, view_for
from moderator.rules.robots import choose
from moderator.rules.words import AnyWords


def begun(key: str, number: int) -> Position:
    game = load_game(key)
    seed = hashlib.sha256(f"peer/{number}".encode()).digest()
    ctx = Context(AnyWords(), shuffling.build_shuffle(shuffling.build_round_seeds(seed)))
    state = game.setup(2, game.options(), ctx).state
    return Position(game, ctx, state, state.public.round)


@pytest.mark.parametrize("key", GAMES)
def test_another_world_looks_the_same_to_the_seat_whose_turn_it_is(key: str) -> None:
    """Until the round ends, which is worth the same to both with another sign. Who goes on with a copy leaves the
    position alone."""
    position, dice, others = begun(key, 7), Random(7), 0
    while not position.is_terminal():
        view = view_for(position.state, position.current_player())
        shuffle = choose.build_world_shuffle(position.game, view)
        state = choose.redeal_unseen(position.game, view, shuffle, "world1")
        world = Position(position.game, position.ctx, state, position.round)
        others += world.state != position.state
        assert world.information_state_string() == position.information_state_string()
        assert world.moves() == position.moves()
        position.clone().apply_action(0)
        assert world.information_state_string() == position.information_state_string()
        position.apply_action(dice.choice(position.legal_actions()))
    assert others
    mine, theirs = position.returns()
    assert -1 <= mine == -theirs <= 1


TEXT = robots.DOCUMENT.read_text(encoding="utf-8")


def test_the_table_is_that_of_what_was_played() -> None:
    rows = robots.played_rows()
    assert len({(row.game, row.upper) for row in rows}) == len(rows) >= 15
    assert printed(robots.DOCUMENT, "robots") == robots.table(rows)


LONG = pytest.mark.matrix("robots' strength", seconds=4)
DEALS = [
    pytest.param(row, id=f"{row.game}-{row.upper}", marks=() if row.game == "dominos" else LONG)
    for row in robots.played_rows()
]


@pytest.mark.parametrize("row", DEALS)
def test_a_row_is_of_the_robots_of_today(row: robots.Row) -> None:
    """Its first deal, played again, is the same to the last move."""
    words = robots.dictionary(row.game)
    lower: robots.Player = robots.LOT if row.lower == robots.LOT else Level(row.lower)
    again = robots.deal(row.game, Level(row.upper), lower, 0, words, floor=1.0)
    assert again.moves == row.first, "`python -m bench.robots --write` has to be run again"


def test_the_table_of_empty_turns_is_that_of_what_was_played() -> None:
    rows = empty.played_rows()
    assert printed(empty.DOCUMENT, "empty") == empty.table(rows)
    assert {(row.level, row.seats) for row in rows} == set(product([level.value for level in Level], empty.SEATS))


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=f"{row.level}-{row.seats}", marks=pytest.mark.matrix("empty turns", seconds=4))
        for row in empty.played_rows()
    ],
)
def test_a_row_of_empty_turns_is_of_the_robots_of_today(row: empty.Row) -> None:
    _, _, moves = empty.played(Level(row.level), row.seats, 0, robots.dictionary("recht"))
    assert moves == row.first, "`python -m bench.empty --write` has to be run again"


def test_shares_beside_the_peer_are_those_of_their_counts() -> None:
    rows = re.findall(
        r"^\| \w+ \| [\w ]+ \| (\d+) \| (\d+), (\d+), (\d+) \| (\d+%) \| (\d+%) to (\d+%) \|$", TEXT, re.M
    )
    assert len(rows) == 3
    for played, won, equal, lost, *told in rows:
        found = Share(int(won), int(equal), int(lost))
        assert found.played == int(played)
        assert told == [f"{value:.0%}" for value in (found.value, *found.interval())]


ROWS = [
    pytest.param(key, who, marks=() if (key, who) == ("dominos", "greedy") else LONG)
    for key in losses.GAMES
    for who in losses.PLAYERS
]


def test_table_of_losses_is_that_of_what_was_played() -> None:
    rows = losses.played_rows()
    assert printed(losses.DOCUMENT, "losses") == losses.table(rows)
    for key in losses.GAMES:
        means = [rows[key][who].mean for who in losses.PLAYERS]
        assert all(more > less for more, less in pairwise(means)), key


@pytest.mark.parametrize(("key", "who"), ROWS)
def test_a_row_is_of_the_players_and_the_review_of_today(key: str, who: losses.Player) -> None:
    """Its first match, played and reviewed again, is the same."""
    again = losses.looked(key, who, 0, losses.dictionary(key))
    assert again.digest == losses.played_rows()[key][who].first, "`python -m bench.losses --write` has to be run again"
