"""Orders that stay stored until they are played, replaced or withdrawn; and pace ``race``: all seats may act, and what
is handed in first is played first."""

from typing import Any

import pytest

from moderator.common.enums import LogEntryKind
from moderator.common.errors import Illegal
from moderator.games.dominos.rules import GAME as DOMINOS
from moderator.games.typdom.presto import GAME
from moderator.games.typdom.presto_state import PrestoOptions, PrestoPublic
from moderator.rules import replay
from moderator.rules.game import Context, view_for
from moderator.rules.orders.parse import keep_standing, merge_stored
from moderator.rules.replay import LogEntry
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.shuffling import build_shuffle
from moderator.rules.table import (
    MatchState,
    list_alternative_previews,
    miss_seat,
    open_match_state,
    preview_order,
    try_order,
    withdraw_from_state,
)
from tests.games import dominos_table
from tests.games.topwords_table import ListedWords

TOR, RUF, QUO, ZZZ = "Gitter (TOR)", "Gitter (RUF)", "Gitter (QUO)", "Gitter (ZZZ)"
RACKS = [list("TOR"), list("RUF"), list("QUO"), list("TOR"), list("QUO")]
FIXED = {"racks": RACKS}
CTX = dominos_table.context(1)


def context() -> Context:
    return Context(ListedWords("TOR RUF", ask="QUO"), build_shuffle(bytes(32)))


def opened(**options: int) -> MatchState[PrestoPublic]:
    return open_match_state(GAME, 5, PrestoOptions(**options), context(), FIXED)[0]  # type: ignore[arg-type]


def test_all_are_awaited_a_wrong_submission_leaves_all_as_it_was_and_a_preview_shows_the_own_words_only() -> None:
    table = opened()
    assert table.state.to_move == (0, 1, 2, 3, 4)
    assert not table.is_simultaneous
    table, result = try_order(GAME, table, 3, TOR, context())
    assert (result.moves[0].played, result.moves[0].points, result.notes) == ("fertig", 4, ())
    table, result = try_order(GAME, table, 0, f"{ZZZ}; sonst {TOR}", context())
    (played,) = result.moves
    assert (played.alternative, played.points, [one.code for one in played.refused]) == (2, 2, ["not-right"])
    assert table.state.over
    assert table.state.scores == (2, 0, 0, 4, 0)
    table = opened()
    after, result = try_order(GAME, table, 0, ZZZ, context())
    assert after == table
    assert result.moves[0].refused[0].code == "not-right"
    table, _ = try_order(GAME, opened(), 0, TOR, context())
    _, result = try_order(GAME, table, 0, TOR, context())
    assert [(one.code, one.params) for one in result.moves[0].refused] == [("not-awaited", {"seats": [1, 2, 3, 4]})]
    with pytest.raises(Illegal, match="not-awaited"):
        miss_seat(GAME, table, 0, context())
    (seen,) = preview_order(GAME, opened(), 0, TOR, context())
    assert (seen.points, seen.canonical) == (4, TOR)
    assert [note.code for note in seen.notes] == ["finished-1", "own-words"]


def test_a_deadline_takes_the_seats_one_by_one() -> None:
    table, _ = try_order(GAME, opened(), 1, RUF, context())
    for seat in (0, 2, 3, 4):
        assert not table.state.over
        table, result = miss_seat(GAME, table, seat, context())
    assert table.state.over
    assert result.notes[0].code == "blocked"
    with pytest.raises(Illegal, match="game-over"):
        miss_seat(GAME, table, 3, context())


def test_orders_stand_as_they_came_and_are_forgotten_with_the_round() -> None:
    table = opened()
    for seat, text in ((2, QUO), (4, f"{QUO}; sonst passe")):
        table, _ = try_order(GAME, table, seat, text, context())
    assert list(table.orders) == [2, 4]
    again, _ = try_order(GAME, table, 2, QUO, context())
    assert list(again.orders) == [2, 4], "what is tried again keeps its place"
    other, _ = try_order(GAME, table, 2, f"{QUO}; sonst {ZZZ}", context())
    assert list(other.orders) == [4, 2]
    assert list(withdraw_from_state(table, 2)[0].orders) == [4]
    table, _ = try_order(GAME, opened(rounds=2), 2, QUO, context())
    for seat in (0, 1, 3, 4):
        table, _ = miss_seat(GAME, table, seat, context())
        assert table.orders == {2: QUO}
    table, _ = miss_seat(GAME, table, 2, context())
    assert table.state.public.round == 2
    assert table.orders == {}
    table, _ = try_order(GAME, opened(rounds=2), 2, QUO, context())
    for seat, text in ((0, TOR), (1, RUF)):
        table, _ = try_order(GAME, table, seat, text, context())
    assert (table.state.public.round, table.orders) == (2, {})


AFTER = "nach Ziehen: bester"


def tiles() -> MatchState[Any]:
    """Seat 0 may choose, and has drawn nothing."""
    return MatchState(dominos_table.table("64 62 31", "65 41 22", "55 44", "66", starter=0), "sequential", 0)


def kept(before: str, text: str, moves: bool = True) -> str:
    return merge_stored(DOMINOS, view_for(tiles().state, 0), before, text, moves)


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", "64@L", "64@L"),
        ("", "64@L; sonst 62@L", "64@L; sonst 62@L"),
        ("64@L", "62@L", "62@L"),
        ("64@L", AFTER, f"64@L; sonst {AFTER}"),
        (AFTER, "64@L; sonst 62@L", f"64@L; sonst 62@L; sonst {AFTER}"),
        (f"64@L; sonst {AFTER}", "62@L", f"62@L; sonst {AFTER}"),
        (AFTER, "after draw: best", AFTER),
        (f"64@L; sonst {AFTER}", f"{AFTER}; 62@L", f"62@L; sonst {AFTER}"),
        ("", "nach dem Ziehen bester Platz", AFTER),
        (AFTER, "was es jetzt nicht gibt", f"was es jetzt nicht gibt; sonst {AFTER}"),
    ],
)
def test_new_moves_take_the_place_of_moves_and_standing_orders_stay(before: str, text: str, after: str) -> None:
    assert kept(before, text) == after


def test_of_a_refused_order_only_the_standing_order_is_kept_and_it_is_no_failure_while_nothing_was_drawn() -> None:
    assert kept("64@L", "62@L", moves=False) == "64@L"
    assert kept("64@L", f"62@L; {AFTER}", moves=False) == f"64@L; sonst {AFTER}"
    assert keep_standing(DOMINOS, view_for(tiles().state, 0), "64@L", f"62@L; {AFTER}", AFTER) == AFTER
    after, result = try_order(DOMINOS, tiles(), 0, AFTER, CTX)
    (move,) = result.moves
    assert (move.alternative, move.refused) == (0, ())
    assert (after.orders, after.state) == ({0: AFTER}, tiles().state)


def test_a_standing_order_plays_the_drawn_tile_and_stays_with_the_moves_that_were_stored() -> None:
    table = MatchState(dominos_table.table("11 10", "64 31", "65 22", "66", starter=0), "sequential", 0)
    assert table.state.public.drew == 0
    for who in (0, 1):
        (seen,) = preview_order(DOMINOS, table, who, AFTER, CTX)
        assert (seen.canonical, seen.points, seen.refused, seen.detail) == (AFTER, None, None, {})
    stored = f"43@L; sonst {AFTER}"
    after, result = try_order(DOMINOS, table, 0, stored, CTX)
    assert result.moves[0].played == "65@L"
    assert [refused.code for refused in result.moves[0].refused] == ["not-your-tile"]
    assert after.orders == {0: AFTER}
    table, _ = replay.apply_log_entry(DOMINOS, table, LogEntry(LogEntryKind.ORDER, 0, stored), CTX)
    after, result = try_order(DOMINOS, table, 0, stored, CTX)
    assert result.moves[0].alternative == 2
    assert after.orders == {0: stored}


def test_a_played_move_leaves_the_standing_order_only_and_a_missed_turn_costs_nothing_that_is_stored() -> None:
    table, _ = try_order(DOMINOS, tiles(), 0, f"43@L; {AFTER}", CTX)
    assert table.orders == {0: AFTER}, "of a refused order the standing part is kept"
    after, result = try_order(DOMINOS, table, 0, "62@L", CTX)
    assert (result.moves[0].played, after.orders) == ("62@L", {0: AFTER})
    assert withdraw_from_state(after, 0)[0].orders == {}
    table, _ = replay.apply_log_entry(DOMINOS, tiles(), LogEntry(LogEntryKind.ORDER, 0, f"43@L; sonst {AFTER}"), CTX)
    after, result = miss_seat(DOMINOS, table, 0, CTX)
    assert [note.code for note in result.moves[0].notes] == ["missed"]
    assert after.orders == table.orders


def test_what_was_found_tells_of_each_alternative() -> None:
    _, result = try_order(DOMINOS, tiles(), 0, f"64@L ab 99; sonst 62@L; sonst {AFTER}", CTX)
    first, second, third = list_alternative_previews(result.moves[0], 3)
    assert first.refused is not None
    assert (first.refused.code, first.refused.params["at_least"]) == ("scores-less", 99)
    assert second.points == result.moves[0].points
    assert third is None


def test_a_match_with_standing_orders_replays() -> None:
    options, entries = DOMINOS.options(target=20), list[LogEntry]()
    table, _ = open_match_state(DOMINOS, 2, options, CTX)
    while not table.state.over:
        seat = table.state.to_move[0]
        text = table.orders.get(seat) or f"{AFTER}; 43@N"
        table, result = try_order(DOMINOS, table, seat, text, CTX)
        if not result.moves[0].alternative:
            text = choose_robot_move(DOMINOS, table.state, seat, CTX)
            entries.append(LogEntry(LogEntryKind.ORDER, seat, table.orders[seat]))
            table, result = try_order(DOMINOS, table, seat, text, CTX)
        entries.append(LogEntry(LogEntryKind.MOVE, seat, text, result.to_json()))
    assert replay.rebuild_from_log(DOMINOS, 2, options, CTX, None, entries)[0] == table
