"""What a seat has stored: moves until they are played, replaced or withdrawn, standing orders until withdrawn."""

from __future__ import annotations

from typing import Any

import pytest

from moderator.match import replay
from moderator.match.alternatives import keep, standing
from moderator.match.contract import Context, view_for
from moderator.match.replay import Entry
from moderator.match.rng import round_seeds, shuffler
from moderator.match.robot import ranked
from moderator.match.table import Table, found, miss, open_table, preview, submit, withdraw
from moderator.match.words import AnyWords
from tests.match.tiles import TILES, Options

AFTER = "nach Ziehen: bester"


def context(seed: int = 0) -> Context:
    return Context(AnyWords(), shuffler(round_seeds(bytes([seed]) * 32), (), "K7Q2"))


def opened(seed: int = 0) -> Table[Any]:
    return open_table(TILES, 2, Options(), context(seed))[0]


def kept(before: str, text: str, moves: bool = True) -> str:
    return keep(TILES, view_for(opened().state, 0), before, text, moves)


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", "17@T", "17@T"),
        ("", "17@T; sonst 18@T", "17@T; sonst 18@T"),
        ("17@T", "18@T", "18@T"),
        ("17@T", AFTER, f"17@T; sonst {AFTER}"),
        (AFTER, "17@T; sonst 18@T", f"17@T; sonst 18@T; sonst {AFTER}"),
        (f"17@T; sonst {AFTER}", "18@T", f"18@T; sonst {AFTER}"),
        (AFTER, "after draw: best", AFTER),
        (f"17@T; sonst {AFTER}", f"{AFTER}; 18@T", f"18@T; sonst {AFTER}"),
        ("", "nach dem Ziehen bester Platz", AFTER),
        (AFTER, "was es jetzt nicht gibt", f"was es jetzt nicht gibt; sonst {AFTER}"),
    ],
)
def test_new_moves_take_the_place_of_moves_and_standing_orders_stay(before: str, text: str, after: str) -> None:
    assert kept(before, text) == after


def test_of_a_refused_order_only_the_standing_order_is_kept() -> None:
    assert kept("17@T", "18@T", moves=False) == "17@T"
    assert kept("17@T", f"18@T; {AFTER}", moves=False) == f"17@T; sonst {AFTER}"
    assert standing(TILES, view_for(opened().state, 0), "17@T", f"18@T; {AFTER}", AFTER) == AFTER


def drawn_table() -> tuple[Table[Any], Context, int]:
    """A table at which the seat to move has drawn."""
    for seed in range(200):
        ctx = context(seed)
        table = opened(seed)
        for _ in range(8):
            if table.state.over or table.state.public.drawn:
                break
            seat = table.state.to_move[0]
            table, _ = submit(TILES, table, seat, ranked(TILES, table.state, seat, ctx)[0][0], ctx)
        if not table.state.over and table.state.public.drawn:
            return table, ctx, table.state.to_move[0]
    raise AssertionError("nobody ever draws")


def undrawn() -> tuple[Table[Any], Context]:
    seed = next(seed for seed in range(50) if not opened(seed).state.public.drawn)
    return opened(seed), context(seed)


def test_a_standing_order_is_kept_while_nothing_was_drawn_and_is_no_failure() -> None:
    table, ctx = undrawn()
    after, result = submit(TILES, table, 0, AFTER, ctx)
    (move,) = result.moves
    assert (move.alternative, move.refused) == (0, ())
    assert (after.orders, after.state) == ({0: AFTER}, table.state)


def test_a_standing_order_plays_the_drawn_tile_and_stays() -> None:
    table, ctx, seat = drawn_table()
    tile = table.state.public.drawn
    after, result = submit(TILES, table, seat, f"99@T; sonst {AFTER}", ctx)
    assert result.moves[0].played == f"{tile}@T"
    assert [refused.code for refused in result.moves[0].refused] == ["not-your-tile"]
    assert after.orders == {seat: AFTER}


def test_moves_that_were_stored_outlast_the_standing_order_that_was_played() -> None:
    table, ctx, seat = drawn_table()
    stored = f"99@T; sonst {AFTER}"
    table, _ = replay.step(TILES, table, Entry("order", seat, stored), ctx)
    after, result = submit(TILES, table, seat, stored, ctx)
    assert result.moves[0].alternative == 2
    assert after.orders == {seat: stored}


def test_a_played_move_leaves_the_standing_order_only() -> None:
    table, ctx = undrawn()
    best = ranked(TILES, table.state, 0, ctx)[0][0]
    table, _ = submit(TILES, table, 0, f"99@T; {AFTER}", ctx)
    assert table.orders == {0: AFTER}, "of a refused order the standing part is kept"
    after, result = submit(TILES, table, 0, best, ctx)
    assert (result.moves[0].played, after.orders) == (best, {0: AFTER})
    again, _ = withdraw(after, 0)
    assert again.orders == {}


def test_a_missed_turn_costs_nothing_that_is_stored() -> None:
    table, ctx = undrawn()
    stored = f"99@T; sonst {AFTER}"
    table, _ = replay.step(TILES, table, Entry("order", 0, stored), ctx)
    after, result = miss(TILES, table, 0, ctx)
    assert [note.code for note in result.moves[0].notes] == ["missed"]
    assert after.orders == {0: stored}


def test_a_standing_order_is_never_previewed() -> None:
    table, ctx, seat = drawn_table()
    for who in (seat, 1 - seat):
        (seen,) = preview(TILES, table, who, AFTER, ctx)
        assert (seen.canonical, seen.points, seen.refused, seen.detail) == (AFTER, None, None, {})


def test_what_was_found_tells_of_each_alternative() -> None:
    table, ctx = undrawn()
    best = ranked(TILES, table.state, 0, ctx)[0][0]
    _, result = submit(TILES, table, 0, f"{best} ab 99; sonst {best}; sonst {AFTER}", ctx)
    first, second, third = found(result.moves[0], 3)
    assert first is not None
    assert first.refused is not None
    assert (first.refused.code, first.refused.params["at_least"]) == ("scores-less", 99)
    assert second is not None
    assert second.points == int(best[1])
    assert third is None


def test_a_match_with_standing_orders_replays() -> None:
    ctx, table, entries = context(3), opened(3), list[Entry]()
    for _ in range(60):
        if table.state.over:
            break
        seat = table.state.to_move[0]
        text = table.orders.get(seat) or f"{AFTER}; 99@T"
        table, result = submit(TILES, table, seat, text, ctx)
        if not result.moves[0].alternative:
            best = ranked(TILES, table.state, seat, ctx)[0][0]
            entries.append(Entry("order", seat, table.orders[seat]))
            table, result = submit(TILES, table, seat, best, ctx)
            text = best
        entries.append(Entry("move", seat, text, result.to_json()))
    assert table.state.over
    again, _, _ = replay.rebuild(TILES, 2, Options(), ctx, None, entries)
    assert again == table
