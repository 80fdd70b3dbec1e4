"""What a game is worth when it is broken off: each game's own sums, and what no formula can say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from moderator.games import load
from moderator.games.topwords.state import Options as Topwords
from moderator.match.contract import Context, Game, State, view_for
from moderator.match.outcome import less_racks, stopped_scores
from moderator.match.seats import stop
from moderator.match.table import Table
from moderator.match.words import AnyWords
from tests.games import domijongg_table, dominos_table, presto_table, tridom_table, typdom_table
from tests.match.toy import TOY, Toy

CTX = Context(AnyWords(), lambda label, items: tuple(items))


def broken_off(key: str, state: State[Any]) -> tuple[int, ...] | None:
    """Asked of the running game; what is kept is the same once it is stopped."""
    game: Game[Any, Any] = load(key)
    table = Table(state, state.public.options.pace, 0)
    points = stopped_scores(game, table)
    assert not state.over
    assert less_racks(game, stop(table).state) == points
    assert stopped_scores(game, stop(table)) == state.scores  # it is over now
    return points


def topwords(line: str, *racks: str, **options: Any) -> State[Any]:
    game = load("topwords")
    fixed = {"racks": [list(rack) for rack in racks], "stock": ["N", "N"]}
    state = game.setup(2, Topwords(**options), CTX, fixed).state
    return game.apply(state, 0, game.parse(line, view_for(state, 0)), CTX).state


@pytest.mark.parametrize(("penalty", "points"), [(0, (8, 0)), (5, (8 - 5 * 5, 0 - 5 * 7)), (1, (3, -7))])
def test_topwords_charges_what_its_end_charges(penalty: int, points: tuple[int, ...]) -> None:
    # MOND scores 8; E S T and two drawn tiles are left, the other seat has all seven.
    state = topwords("D5 w MOND", "MONDEST", "ACHLLER", leftover_penalty=penalty)
    assert broken_off("topwords", state) == points


def test_a_common_rack_costs_nobody_anything() -> None:
    state = topwords("D5 w MOND", "MONDESTA", pace="common", leftover_penalty=5)
    assert broken_off("topwords", replace(state, scores=(8, 6))) == (8, 6)


def test_dominos_takes_off_all_pips() -> None:
    # 66 opens (12, nothing), 63@R counts 12 + 3 = 15. Left: 64 31 = 14 pips, 60 65 = 17 pips.
    state = dominos_table.table("66 64 31", "63 60 65", stock="22 21", starter=0)
    game = load("dominos")
    state = game.apply(state, 1, game.parse("63@R", view_for(state, 1)), dominos_table.context(1)).state
    assert state.scores == (0, 15)
    assert broken_off("dominos", state) == (-14, -2)


def test_tridom_takes_off_the_sum_of_the_rest() -> None:
    # 555 opens for 15 + 20, 355 scores 13. Left: 11 + 14 + 13 + 7 = 45 and 3 + 4 = 7.
    dealt = tridom_table.fixed("555 335 455 445 034", "355 012 112", stock="001 255 345").state
    state = tridom_table.play(tridom_table.GAME, dealt, "355@2").state
    assert broken_off("tridom", state) == (35 - 45, 13 - 7)


def test_supertridom_counts_mirror_images_alike() -> None:
    state = tridom_table.fixed("555 354 345", "355 012", stock="001", game=tridom_table.SUPER).state
    assert broken_off("supertridom", state) == (35 - 24, -16)


def test_domi_jongg_counts_the_points_as_they_are() -> None:
    # Carla cannot lay and pays a point; tiles in hand cost nothing.
    dealt = domijongg_table.table("J3 K9 W B5 B7", "B3 T3 E T2 N", "S W DW W F1", starter=1)
    state = domijongg_table.play(dealt, "rechts: B3").state
    assert state.scores == (0, 0, -1)
    assert broken_off("domijongg", state) == (0, 0, -1)


@pytest.mark.parametrize(("stake", "points"), [(1, (30 - 11, -4, -15)), (2, (30 - 22, -8, -30))])
def test_kreuzwort_takes_off_the_rest(stake: int, points: tuple[int, ...]) -> None:
    # B and the black jolly 1 + 10, FKLV 4, AAUYBJM 12 + 3; twice that in a game that counts double.
    state = typdom_table.Match("kreuzwort", "B*b", "FKLV", "AAUYBJM", stock="EN", games=3).state
    state = replace(state, public=replace(state.public, stake=stake), scores=(30, 0, 0))
    assert broken_off("kreuzwort", state) == points


def test_point_takes_off_the_values_of_the_letters() -> None:
    # MEXICO 19, an L is left (2). S A R A J E V O is worth 20, a jolly in hand 10.
    match = typdom_table.Match("point", "MEXICOL", "SARAJEVO*r", stock="EN", known="MEXICO").play("T20 w MEXICO")
    assert broken_off("point", match.state) == (17, -30)


def test_presto_counts_the_points_as_they_are() -> None:
    match = presto_table.Match("AAEEECGHLMNTX", "EEIOGLNN", "AAEEUBDF", known="EXAMEN LAGE NACHT")
    match.send(0, "..L", "EXAMEN", "..G..A", "..E..C", ".....H", ".....T")
    assert broken_off("presto", match.state) == (4, 0, 0)


def test_recht_takes_nothing_more_off_who_is_out() -> None:
    # The author of REISE cannot complete it and pays the rest of B, 1, to each. Left: A F = 4, B C = 2.
    match = typdom_table.Match("recht", "EB", "AF", "BC", stock="NN", known="REISE")
    match.play("E an T20 = REISE", "passe", "passe")
    assert match.state.scores == (-2, 1, 1)
    assert broken_off("recht", match.state) == (-2, 1 - 4, 1 - 2)
    doubled = replace(match.state, public=replace(match.state.public, stake=2))
    assert broken_off("recht", doubled) == (-2, 1 - 8, 1 - 4)


class OneUnknown(Toy):
    """Knows the value of no rack but that of seat 0."""

    def rack_value(self, state: State[Any], seat: int) -> int | None:
        return 3 if seat == 0 else None


@pytest.mark.parametrize("game", [TOY, OneUnknown()])
def test_what_no_formula_settles_is_left_to_the_moderator(game: Toy) -> None:
    state = game.setup(2, game.options(), CTX).state
    assert stopped_scores(game, Table(state, "sequential", 0)) is None
    over = replace(state, to_move=(), scores=(7, 5))
    assert stopped_scores(game, Table(over, "sequential", 0)) == (7, 5)
