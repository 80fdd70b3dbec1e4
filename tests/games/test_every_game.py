"""What every game of ours has to do beyond what ``moderator/conformance`` asks of any game."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import moderator
from moderator.common.errors import ConfigError, Illegal, RecordError
from moderator.common.typed import build_dataclass
from moderator.conformance.deals import MOST_LEAVING, begin_driven_match, iter_play_out_findings
from moderator.conformance.sentences import OURS, list_own_codes
from moderator.conformance.subject import GameSubject
from moderator.games import REGISTRY, folder, load_game
from moderator.render.mail import require_template_folder as templates
from moderator.rules.log import PlayedMove
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.shuffling import keep_order
from moderator.rules.state import Context, Note, view_for
from moderator.rules.words import AnyWords
from tests.games.matches import TABLES

KEYS = sorted(REGISTRY)
games = pytest.mark.parametrize("key", KEYS)

QUICK = {"dominos": 40, "tridom": 30, "supertridom": 40, "domijongg": 10, "topwords": 4, "recht": 4}
FEW, TIMES = 2, 2
"""Matches of games that are slow to play, and how many times as many the long list has."""
SHORT: Mapping[str, tuple[Mapping[str, Any], ...]] = {
    "dominos": ({"target": 60}, {"target": 60, "leader": "round_winner", "blocked_winner": "lowest_hand"}),
    "tridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "supertridom": ({"target": 60}, {"target": 90, "bonus": "sum"}),
    "domijongg": ({"games": 1}, {"games": 2, "max_heads": 3}),
    "topwords": ({}, {"exchange": False, "leftover_penalty": 5}),
    "kreuzwort": ({}, {"games": 2, "strict_buy": True}),
    "point": ({}, {"strict_buy": True}),
    "presto": ({"rounds": 2}, {"target": 4, "finish_with_one_left": True}),
    "recht": ({}, {"games": 2, "strict_buy": True, "buy_before_pass": True}),
}
"""Key -> options of matches that do not take long."""
RECOUNTED = ("dominos", "tridom", "supertridom", "domijongg")
"""In their matches of test_recount.py seats leave as well."""


def end_match(key: str, pace: str, seed: int) -> None:
    """Robots play, some miss turns, seats leave at random moments; each of their turns is missed as soon as it comes.

    No deadline lies between such turns: a circle of them without an end would hang the run.
    """
    subject = GameSubject(key, settings=SHORT.get(key, ({}, {}))[seed % 2])
    assert (
        list(
            iter_play_out_findings(begin_driven_match(subject, pace, seed, leaving=True, most_seats=MOST_LEAVING), seed)
        )
        == []
    )


@pytest.mark.parametrize(("key", "pace"), [table for table in TABLES if table[0] not in RECOUNTED])
def test_a_match_ends_though_seats_leave(key: str, pace: str) -> None:
    end_match(key, pace, 0)


@pytest.mark.matrix("game matches", seconds=2)
@pytest.mark.parametrize(("key", "pace"), TABLES)
def test_many_matches_end_though_seats_leave(key: str, pace: str) -> None:
    for seed in range(1000, 1000 + TIMES * QUICK.get(key, FEW)):
        end_match(key, pace, seed)


WRONG_OPTIONS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "dominos": [{"target": 0}, {"leader": "nobody"}],
    "tridom": [{"target": 0}, {"double_hexagon": 49}, {"double_hexagon": 101}, {"double_hexagon": -1}],
    "domijongg": [
        {"games": 0}, {"games": 25}, {"start_count": 1}, {"start_count": 13}, {"max_heads": 1}, {"max_heads": 11},
        {"pace": "rounds"}, {"heads": 3},
    ],
    "topwords": [
        {"tiles": {"ß": 3}}, {"tiles": {"A": -1}}, {"tiles": {"A": 10**9}}, {"tiles": "dutch-100"}, {"rack_size": 0},
        {"pass_rounds": 0}, {"rounds": 0}, {"leftover_penalty": -5}, {"pace": "race"}, {"claims": "loose"},
        {"hieght": 5},
    ],
    "kreuzwort": [{"games": 0}, {"games": 100}, {"table_size": 14}, {"table_size": 61}],
    "point": [{"red": 0}, {"black": 26}],
    "presto": [{"rounds": 0}, {"target": 0}, {"rounds": 2, "target": 4}],
}  # fmt: skip
TWO = [["A"], ["B"]]
TRIDOM = {"racks": [["345"], ["001"]]}
DOMINOS = {"racks": [["64"], ["65"]]}
DOMIJONGG = {"racks": [["B1"], ["B2"]]}
WRONG_DEALS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "dominos": [
        {"racks": [["64"]]}, {"racks": [["64"], []]}, {"racks": [["64"], ["46"]]}, {"racks": [["67"], ["64"]]},
        {"racks": [[64], ["65"]]}, {"racks": "6465"}, {**DOMINOS, "stock": "66"}, {**DOMINOS, "board": ["66", "62"]},
        {**DOMINOS, "board": ["66", "62@N"]}, {**DOMINOS, "board": ["66", "55@L"]},
        {**DOMINOS, "board": ["66", "62@X"]}, {**DOMINOS, "board": ["66@L"]}, {**DOMINOS, "board": "66"},
        {**DOMINOS, "starter": 2}, {"stock": ["64", "65"]},
    ],
    "tridom": [
        {"racks": [["345"]], "stock": []}, {"racks": [["346"], ["001"]]}, {"racks": [["34"], ["001"]]},
        {"racks": ["345", "001"]}, {"racks": [[], []], "stock": ["001"]}, {**TRIDOM, "board": {}},
        {**TRIDOM, "board": []}, {**TRIDOM, "board": {"(0;0)": "345"}}, {**TRIDOM, "board": {"(0,0)": "346"}},
        {**TRIDOM, "board": {"(0,0)": 345}}, {**TRIDOM, "board": {"(0,0)": "354"}},
        {**TRIDOM, "board": {"(0,0)": "345", "(1,0)": "345"}}, {**TRIDOM, "starter": 2}, {**TRIDOM, "starter": "0"},
        {"racks": [[], ["001"]], "starter": 0},
    ],
    "domijongg": [
        {"racks": [["B1"]]}, {"racks": [["B1"], ["b1"]], "single": "K3"}, {**DOMIJONGG, "stock": ["F1", "J2"]},
        {**DOMIJONGG, "single": "F1"}, {**DOMIJONGG, "single": "K3", "board": ["K4"]},
        {**DOMIJONGG, "board": {"K3": 1}}, {**DOMIJONGG, "board": ["K3", "1: DR"]},
        {**DOMIJONGG, "board": ["K3", "K4"]}, {**DOMIJONGG, "single": "K3", "starter": 2},
        {**DOMIJONGG, "single": "K3", "starter": True}, {**DOMIJONGG, "single": 3},
    ],
    "topwords": [
        {"racks": [["A"]]}, {"racks": [["A"], ["a"]]}, {"racks": [["A"], "B"], "stock": []},
        {"racks": TWO, "stock": ["*"]}, {"starter": 2}, {"starter": "0"}, {"board": [[""] * 10] * 9},
        {"board": [[""] * 9 + ["AAAAAA"]] + [[""] * 10] * 9}, {"board": [[""] * 9 + ["1"]] + [[""] * 10] * 9},
    ],
    "kreuzwort": [
        {"racks": [["A"], []]}, {"stock": ["A"]}, {"starter": 2}, {"board": ["A"]}, {"racks": TWO, "stock": "AB"},
        {"racks": [["A"]]}, {"racks": [["A"], ["*"]]}, {"racks": [["A"], ["ä"]]}, {"racks": [["A"], "B C"]},
        *({"board": board} for board in ({"T20": "*"}, {"T20": "Ä"}, {"ZZ9": "A"}, {"T20": "AB"}, {"T20": 1})),
    ],
    "recht": [
        {"racks": [["T"], ["E"]], "board": {"squares": {"T20": "A"}, **wrong}}
        for wrong in (
            {"what": 1}, {"finished": ["T20"]}, {"running": {"square": "T20", "direction": "q"}},
            {"running": {"square": "U20", "direction": "w"}}, {"running": {"square": "ZZ", "direction": "w"}},
            {"running": {"square": "T20", "direction": "w", "word": "NAHT", "author": 2}},
            {"running": {"square": "T20", "direction": "w", "word": "STERN", "author": 1}},
        )
    ],
    "presto": [{"racks": [["A", "B"]]}, {"racks": TWO}, {"stock": ["A"]}],
}  # fmt: skip


@pytest.mark.parametrize("key", WRONG_OPTIONS)
def test_wrong_options_are_refused(key: str) -> None:
    for values in WRONG_OPTIONS[key]:
        with pytest.raises(ConfigError):
            build_dataclass(load_game(key).options, values, "options")


@pytest.mark.parametrize("key", WRONG_DEALS)
def test_a_wrong_deal_in_a_record_is_refused(key: str) -> None:
    game = load_game(key)
    for deal in WRONG_DEALS[key]:
        with pytest.raises(RecordError) as caught:
            game.setup(2, game.options(), Context(AnyWords(), keep_order), deal)
        assert caught.value.message


@games
def test_only_a_seat_to_move_acts(key: str) -> None:
    game, ctx = load_game(key), Context(AnyWords(), keep_order)
    state = game.setup(game.min_seats, game.options(), ctx).state
    turn = state.to_move[0]
    move = game.parse_move(choose_robot_move(game, state, turn, ctx).partition(";")[0], view_for(state, turn))
    for seat in {*range(state.seats)} - {*state.to_move}:
        assert [*game.list_moves(view_for(state, seat), ctx)] == [*game.list_moves(view_for(state, None), ctx)] == []
        with pytest.raises(Illegal, match="not-your-turn") as raised:
            game.apply_move(state, seat, move, ctx)
        assert raised.value.params == {"seats": [turn]}


@games
def test_no_sentence_is_left_over(key: str) -> None:
    """Each is spoken by the game, by what it may use of others, or by its touch board."""
    ours = Path(moderator.__file__).parent
    files = [*folder(key).glob("*.py"), *(ours / "games").glob("*.py"), *(ours / "render").rglob("*.py")]
    files += [*folder(key).glob("*.js"), ours / "site" / "build.py", *(templates() / "site").glob("zug*")]
    spoken = "\n".join(one.read_text(encoding="utf-8") for one in files)
    own = [code for code in list_own_codes(key, "de") if code not in OURS and not code.startswith(("how-to-", "form-"))]
    own = [code.removesuffix("-several") for code in own]  # of one that a game speaks, see aftermath.py
    own = [code.removesuffix("-unknown") for code in own]  # of one whose reason it is, see messages.py
    spoken += "".join(  # what the engine says instead, by whether something was sent
        f'"{said.code}"'
        for text in ("", "E5 w HAUS")
        for code in ("missed", "passed")
        for said in PlayedMove(0, text, None, 0, notes=(Note(code, seat=0),)).reported_notes
    )
    assert [code for code in own if f'"{code}"' not in spoken] == []
