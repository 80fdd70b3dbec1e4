"""The turn as data: what docs/build/turn.md says of it, its size, and that it comes back as the same position."""

import dataclasses
import json
import random
import re
import zlib
from base64 import urlsafe_b64decode
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator.common.errors import RecordError
from moderator.conformance.touch_board import build_full_turn_data
from moderator.games import OWN, REGISTRY, load_game
from moderator.games.typdom.board import TypdomTable
from moderator.games.typdom.tiles import BLACK, RED
from moderator.language.messages import render_code
from moderator.rules import shuffling, table, turn_data
from moderator.rules.game import Game, State
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.state import Context, view_for
from moderator.rules.turn_data import TurnData
from moderator.rules.words import WordList
from tests.schemas.validators import validator

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = validator("turn")
PAGE = "\n".join((DOCS / "build" / name).read_text(encoding="utf-8") for name in ("turn.md", "boards.md"))
EXAMPLES = re.findall(r"```json\n(.*?)\n```.*?<!-- play: (.*?) -->", PAGE, re.DOTALL)
WORDS = WordList(a + b for a in "AEIOUBCDFGHKLMNPRST" for b in "AEIOUBCDFGHKLMNPRST")
SEATS = {"topwords": (2, 6), "dominos": (2,), "domijongg": (2, 8), "tridom": (2, 6), "supertridom": (2, 6)}
MOVES = 60


@cache
def positions(key: str, moves: int = MOVES) -> list[tuple[Game[Any, Any], Any, State[Any], int, str]]:
    """(game, options, state, seat to move, what its robot then played) of whole matches."""
    found = []
    game = load_game(key)
    for seats in SEATS.get(key, (2, 4)):
        options = game.options()
        ctx = Context(WORDS, shuffling.build_shuffle(shuffling.build_round_seeds(bytes(32)), (), "K7Q2"))
        now, _ = table.open_match_state(game, seats, options, ctx)
        for _ in range(moves):
            if now.state.over:
                break
            seat = now.state.to_move[0]
            text = choose_robot_move(game, now.state, seat, ctx)
            found.append((game, options, now.state, seat, text))
            after, _ = table.try_order(game, now, seat, text, ctx) if text else table.miss_seat(game, now, seat, ctx)
            now = after if after.state is not now.state else table.miss_seat(game, now, seat, ctx)[0]
    return found


def unpacked(text: str) -> bytes:
    return zlib.decompress(urlsafe_b64decode(text + "=" * (-len(text) % 4)), wbits=-15)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_every_turn_is_as_the_schema_says_and_comes_back_out_of_an_address(key: str) -> None:
    for game, options, state, seat, _ in positions(key):
        turn = build_full_turn_data(game, state, seat, options)
        written = turn_data.encode_turn(turn)
        assert written is not None
        SCHEMA.validate(json.loads(written))
        text = turn_data.encode_turn_link(turn)
        assert 0 < len(text) <= turn_data.MOST_IN_A_LINK
        assert re.fullmatch(r"[\w-]+", text, re.ASCII)
        left_out = turn_data.FOR_RULES if turn.picture else ()
        assert json.loads(unpacked(text)) == {
            key: value for key, value in json.loads(written).items() if key not in left_out
        }


def test_the_largest_that_can_be_fits() -> None:
    """Every tile on the table, as many seats as can be, options of one's own, long names."""
    game = load_game("topwords")
    tiles = dict.fromkeys("ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ", 30)
    options = game.options(tiles=tiles)
    ctx = Context(WORDS, shuffling.build_shuffle(bytes(32), (), "K7Q2"))
    state = game.setup(99, options, ctx).state
    board = ("ÄÖÜÄÖ",) * 100
    full = dataclasses.replace(state, public=dataclasses.replace(state.public, board=board), scores=(-1234,) * 99)
    turn = build_full_turn_data(game, full, 98, options)
    assert len(json.loads(turn_data.encode_turn(turn) or b"")["names"]) == 99
    crowded = dataclasses.replace(turn, board={"": 4000 * "x"})
    assert "names" not in json.loads(turn_data.encode_turn(crowded) or b"")
    for key in ("kreuzwort", "point", "recht"):
        game = load_game(key)
        options = game.options(table_size=60)
        state = game.setup(5, options, ctx).state
        letters = [tile if len(tile) == 1 else "*A" for tile in (*RED, *BLACK)]
        squares = {59 * 60 + 59 - 45 * n: letter for n, letter in enumerate(letters)}
        public = dataclasses.replace(state.public, table=TypdomTable(60, squares), fresh=tuple(squares)[:15])
        hands = (tuple(letters[:40]),) * 5
        crowded = dataclasses.replace(state, public=public, hands=hands, scores=(-1234,) * 5)
        assert turn_data.encode_turn(build_full_turn_data(game, crowded, 4, options)) is not None, key


@pytest.mark.parametrize(("example", "order"), EXAMPLES, ids=[json.loads(one)["game"] for one, _ in EXAMPLES])
def test_the_examples_of_the_page_are_true_and_can_be_played(example: str, order: str) -> None:
    SCHEMA.validate(json.loads(example))
    data = turn_data.decode_turn(example.encode())
    game = load_game(data.game)
    view = turn_data.build_turn_view(data, game)
    assert view is not None
    assert turn_data.build_table_values(game, view) == data.board
    state = turn_data.build_possible_state(game, view, turn_data.parse_turn_options(data, game))
    (looked,) = table.preview_order(
        game, table.MatchState(state, view.public.options.pace, 0), data.seat, order, turn_data.CONTEXT
    )
    assert looked.refused is None, looked
    assert f"`{order}`" in PAGE


def test_every_key_and_an_example_of_each_family_stands_on_the_page() -> None:
    assert {json.loads(example)["game"] for example, _ in EXAMPLES} >= set(OWN) - {"point", "supertridom"}
    page = PAGE
    keys = {one.name for one in dataclasses.fields(TurnData)}
    assert keys == set(SCHEMA.schema["properties"])
    for key in keys:
        assert f"`{key}`" in page, key
    for name in ("topwords", "words", "recht", "presto", "dominos", "tridom", "domijongg"):
        for key in SCHEMA.schema["$defs"][name]["properties"]:
            assert f"`{key}`" in page, (name, key)


def test_what_is_no_turn_is_refused_and_keys_that_are_not_known_are_left_alone() -> None:
    bare = b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"turn": 2}', b'{"turn": 1}'
    for text in (*bare, b"[" * 50_000, b'{"turn": 1' + b" " * 70_000 + b"}"):
        with pytest.raises(RecordError):
            turn_data.decode_turn(text)
    values = json.loads(EXAMPLES[0][0]) | {"later": {"any": "thing"}}
    assert turn_data.decode_turn(json.dumps(values).encode()) == turn_data.decode_turn(EXAMPLES[0][0].encode())
    long = dataclasses.replace(
        turn_data.decode_turn(EXAMPLES[0][0].encode()), board={"": random.Random(1).randbytes(3000).hex()}
    )
    assert turn_data.encode_turn_link(long) == "", "what is too long for an address is none"


@pytest.mark.parametrize("key", ["dominos", "supertridom", "tridom"])
def test_the_file_has_each_legal_move_as_the_game_plays_it(key: str) -> None:
    """And shows all that lies, nothing else."""
    for game, options, state, seat, _ in positions(key):
        turn = build_full_turn_data(game, state, seat, options)
        view = view_for(state, seat)
        legal = {game.format_move(move): points for move, points in game.list_moves(view, turn_data.CONTEXT)}
        assert {move[0]: move[1] for move in turn.moves} == legal
        lying = sorted(game.list_table_tiles(state.public))
        assert sorted(len(tile) for *_, tile in turn.picture["lies"]) == [len(tile) + 1 for tile in lying]
        places = [free[0] for free in turn.picture["free"]]
        for text, points, said, tile, place, *_, face in turn.moves:
            step = game.apply_move(state, seat, game.parse_move(text, view), turn_data.CONTEXT)
            assert (step.points, step.played.tile, step.played.place) == (points, tile, place)
            assert place in places
            assert sorted(face[1:]) == sorted(tile)
            assert all(render_code(note.code, "de", key, **note.params) in said for note in step.notes)
