"""Kreuzwort-Spiel: the second word as a duty, buying, exchanging jollies, the end and its sums, series."""

import pytest

from moderator.common.errors import OperatorError, Undecided
from moderator.games.typdom.rules import KREUZWORT, POINT
from moderator.games.typdom.state import PointOptions
from moderator.rules.state import view_for
from moderator.rules.words import AnyWords
from tests.games.topwords_table import ListedWords
from tests.games.typdom_table import Match, codes, points, refused

STOCK = "EEAANNRRSS*r*b"
WORDS = "HAUS SEE RAT OHR EIS REISE UHR AS TEE ES SE ART TOR ROT OS HASE SAU NASE EN ER RE"


def match(*racks: str, **more: object) -> Match:
    more.setdefault("stock", STOCK)
    more.setdefault("known", WORDS)
    return Match("kreuzwort", *racks, **more)  # type: ignore[arg-type]


def test_a_word_takes_its_tiles_and_the_turn_passes_on() -> None:
    game = match("HAUSB", "SEEXX")
    step = game.turn("T20 w HAUS")
    assert game.hand(0) == "B"
    assert step.points == 0
    assert step.state.scores == (0, 0)
    assert step.state.to_move == (1,)
    assert step.detail == {"words": [{"word": "HAUS", "points": 0}]}
    assert game.game.export(step.state.public)["squares"] == {"T20": "H", "U20": "A", "V20": "U", "W20": "S"}


def test_every_word_must_count() -> None:
    """The printed counter-example: R beside W makes no sense."""
    board = {"T20": "W", "U20": "O", "V20": "R", "W20": "T", "S18": "T"}
    error = refused(match("SERNX", "B", board=board, known="STERN WORT"), "S17 s STERN")
    assert (error.code, error.params["word"]) == ("not-a-word", "RWORT")
    exchanged = match("AXY", "B", board={"T20": "*A", "U20": "S"})
    assert refused(exchanged, "tausche A an T20; U20 s SXY").code == "not-a-word"
    error = refused(match("XYZ", "ABC"), "T20 w XYZ")
    assert error.code == "not-a-word"
    assert error.params == {"word": "XYZ", "words": ["XYZ"], "reason": "unknown", "source": "list", "why": {}}


JOINED = {"S20": "H", "T20": "A", "U20": "U", "V20": "S", "V21": "E", "V22": "E", "S21": "O", "S22": "H", "S23": "R"}
"""HAUS across, HOHR down from its H, SEE down from its S. Between the H and the E of row 22 two squares are free."""


def connected(**more: object) -> Match:
    """``S22 w HERE`` joins the two words that hang down with E and R."""
    return match("ERTEHX", "BXX", board=JOINED, known="HERE REH ET EH TE HE RE", **more)


def test_the_second_word_is_laid_on_what_the_first_one_made() -> None:
    step = connected().turn("S22 w HERE + U22 s REH")
    assert [word["word"] for word in step.detail["words"]] == ["HERE", "REH"]
    assert step.state.hands[0] == ("T", "X")
    assert (step.notes, len(step.state.public.runs)) == ((), 2)
    error = refused(match("HAUSEE", "B"), "T20 w HAUS + W20 s SEE")  # nothing is connected
    assert (error.code, error.params["word"]) == ("no-second-word", "HAUS")


def test_who_lays_no_second_word_buys_one_tile() -> None:
    game = connected(stock="EEAAN*b")
    step = game.turn("S22 w HERE")
    assert codes(step.notes) == ["second-missing", "bought-red", "drew-tiles"]
    assert step.notes[1].params == {"count": 1, "left": 3}
    assert (step.notes[2].only, step.notes[2].params) == (0, {"tiles": ["E"]})
    assert game.hand(0) == "TEHXE"
    step = connected(stock="EEAAN*b").turn("S22 w HERE + kaufe schwarz")
    assert codes(step.notes) == ["second-missing", "bought-black", "drew-tiles"]
    assert step.state.hands[0][-1] == "N"
    assert KREUZWORT.format_move(step.played) == "S22 w HERE + kaufe schwarz"
    assert refused(connected(), "S22 w HERE + kaufe 2 rot").params == {"most": 1}
    assert codes(connected(stock="").turn("S22 w HERE").notes) == ["second-missing"]


def test_nobody_buys_beside_a_word_or_two() -> None:
    for game, text in (
        (match("HAUSB", "B"), "T20 w HAUS + kaufe rot"),
        (connected(), "S22 w HERE + U22 s REH + kaufe rot"),
        (point("ERHEX", "B", board=JOINED), "S22 w HERE + kaufe rot"),
    ):
        assert refused(game, text).code == "no-buy-with-word"


def test_strict_buying_needs_a_hand_without_a_word() -> None:
    for text in ("kaufe rot", "passe"):
        assert refused(match("HAUSB", "C", strict_buy=True), text).code == "could-lay"
    assert match("XYB", "C", strict_buy=True).turn("kaufe rot").state.to_move == (1,)
    assert match("HAUSB", "C", strict_buy=True).miss().state.to_move == (1,)
    assert match("HAUSB", "C", known=AnyWords(), strict_buy=True).turn("kaufe rot").state.to_move == (1,)
    assert refused(connected(strict_buy=True), "S22 w HERE").code == "could-lay-second"
    game = match("ERX", "BXX", board=JOINED, known="HERE", strict_buy=True)
    assert codes(game.turn("S22 w HERE").notes)[0] == "second-missing"


def test_a_jolly_is_taken_and_laid_anew() -> None:
    game = match("HA*rS", "AEB", board={"T20": "H", "U20": "*A", "V20": "U", "W20": "S"}, starter=1)
    step = game.turn("tausche A an U20; W20 s S*EE")
    assert KREUZWORT.export(step.state.public)["squares"]["U20"] == "A"
    assert KREUZWORT.export(step.state.public)["squares"]["W21"] == "*E"
    assert game.hand(1) == "B"
    assert codes(step.notes) == ["exchanged"]
    assert step.notes[0].params == {"letter": "A", "square": "U20"}
    assert KREUZWORT.format_move(step.played) == "tausche A an U20; W20 s S*EE"


@pytest.mark.parametrize("paid", [True, False])
def test_the_winner_is_credited_the_rests_and_the_losers_pay_them(paid: bool) -> None:
    step = match("HAUS", "B*r", "AX", losers_pay=paid).turn("T20 w HAUS")
    assert step.state.over
    assert step.state.scores == ((15, -11, -4) if paid else (15, 0, 0))
    assert KREUZWORT.find_winners(step.state) == (0,)
    assert codes(step.after) == ["out", "rest", "rest", *["pays"] * 2 * paid, "credited", "match-won"]
    assert step.after[-2].params == {"items": [11, 4], "points": 15}
    assert points(step.after, 3) == list(step.state.scores)


def test_a_blocked_game_ends_by_itself() -> None:
    step = match("HAUSX", "QB", "BBBBB", stock="").turn("T20 w HAUS")
    assert step.state.over
    assert codes(step.after)[:3] == ["cannot-lay", "cannot-lay", "cannot-lay"]
    assert step.state.scores == (2 + 5, -2, -5)
    assert codes(step.after)[3:] == ["blocked", "rest", "rest", "rest", "pays", "pays", "credited", "match-won"]


def test_equal_lowest_rests_have_no_winner() -> None:
    step = match("HAUSX", "B", "BBB", stock="").turn("T20 w HAUS")
    assert step.state.over
    assert KREUZWORT.find_winners(step.state) == ()
    assert codes(step.after)[-2:] == ["blocked-equal", "match-undecided"]
    assert step.after[-2].params == {"seats": [0, 1], "rest": 1}


def test_after_a_game_without_a_winner_the_next_one_counts_double() -> None:
    game = match("HAUSX", "B", stock="", games=2, known=AnyWords())
    game.play("T20 w HAUS", "passe", "passe")
    public = game.state.public
    assert (public.round, public.stake, game.state.scores) == (2, 2, (0, 0))
    assert codes(game.last.after)[-2:] == ["next-round-double", "starts"]
    assert not public.table.squares
    seat = game.state.to_move[0]
    word = "".join(game.state.hands[seat])
    assert len(word) == 13
    step = game.turn(f"H20 w {word}")
    assert step.state.over
    assert codes(step.after)[:4] == ["out", "rest", "pays", "credited-double"]
    assert (step.state.scores[seat], sum(step.state.scores)) == (2 * (5 * 3 + 8), 0)


def test_moves_are_single_words_with_their_points() -> None:
    game = match("HAUS", "B")
    found = {
        KREUZWORT.format_move(move): points for move, points in KREUZWORT.list_moves(view_for(game.state, 0), game.ctx)
    }
    assert {"T20 w HAUS", "Q20 w HAUS"} <= found.keys()
    assert "P20 w HAUS" not in found
    assert set(found.values()) == {0}
    assert list(KREUZWORT.list_moves(view_for(game.state, 1), game.ctx)) == []
    assert KREUZWORT.can_list_moves(view_for(game.state, 0))
    assert not KREUZWORT.can_list_moves(view_for(match("HA*bS", "B").state, 0))


def test_words_wait_for_the_moderator() -> None:
    with pytest.raises(Undecided) as caught:
        match("HAUS", "B", known=ListedWords(ask="HAUS")).turn("T20 w HAUS")
    assert caught.value.words == ("HAUS",)


POINT_WORDS = "HAUS SEE OHR RAT AS ES HASE TEE HERE REH"


def point(*racks: str, **more: object) -> Match:
    return Match("point", *racks, **{"stock": STOCK, "known": POINT_WORDS, **more})  # type: ignore[arg-type]


def test_point_a_word_counts_all_its_letters_but_jollies_and_crossing_words() -> None:
    step = point("HASX", "B", board={"U20": "U", "U21": "H", "U22": "R"}).turn("S20 w HAUS")
    assert (step.points, step.state.scores) == (3 + 1 + 1 + 2, (7, 0))
    crossing = {"T20": "R", "T21": "A", "U22": "S"}
    step = point("TX", "B", board=crossing, known="RAT TS").turn("T20 s RAT")
    assert step.detail["words"] == [{"word": "RAT", "points": 6}, {"word": "TS", "points": 0}]
    assert step.points == 6
    assert point("H*rUSX", "SEEX").turn("T20 w H*AUS").points == 3 + 0 + 1 + 2
    assert point("HUSX", "B", board={"U20": "*A", "U21": "S"}).turn("T20 w HAUS").points == 6


def test_point_up_to_three_tiles_are_bought_in_any_colours() -> None:
    game = point("X", "B")
    step = game.turn("kaufe 2 rot 1 schwarz")
    assert (game.hand(0), codes(step.notes)) == ("XEEN", ["bought-red", "bought-black", "drew-tiles"])
    error = refused(point("X", "B"), "kaufe 4 rot")
    assert (error.code, error.params) == ("buy-too-many", {"most": 3})
    step = point("X", "B", stock="EN").turn("kaufe 3 rot")
    assert (step.state.hands[0], codes(step.notes)) == (("X", "E", "N"), ["bought-red", "bought-black", "drew-tiles"])


def test_point_the_first_one_out_gets_ten_points_and_the_round_is_played_out() -> None:
    game = point("HAUSX", "EE", "OR*bX")
    game.turn("T20 w HAUS")
    step = game.turn("W20 s SEE")
    assert step.points == 4 + 10
    assert codes(step.notes) == ["went-out"]
    assert step.notes[0].points == 10
    assert (step.state.over, step.state.to_move) == (False, (2,))
    last = game.turn("passe")
    assert codes(last.notes) == ["passed"]
    assert last.state.over
    assert last.state.scores == (7 - 9, 14, -(1 + 2 + 10 + 9))
    assert codes(last.after) == [
        "out", "sum-laid", "left-over", "sum-total", "sum-laid", "sum-total", "sum-laid", "left-over", "sum-total",
        "match-won",
    ]  # fmt: skip
    assert last.after[0].seat == 1
    assert points(last.after, 3) == [-9, 0, -22]
    assert last.after[1].params == {"items": [7], "points": 7}
    assert POINT.find_winners(last.state) == (1,)


def test_point_the_seat_before_the_opening_one_ends_the_round() -> None:
    game = point("ORX", "HAUSX", "EE", starter=1).play("T20 w HAUS", "W20 s SEE")
    assert game.state.to_move == (0,)
    assert game.turn("passe").state.over
    step = point("HAUSX", "EE").play("T20 w HAUS").turn("W20 s SEE")
    assert (step.state.over, step.state.scores) == (True, (7 - 9, 14))


def test_point_larger_hands_may_be_agreed() -> None:
    ctx = point("A", "B").ctx
    step = POINT.setup(3, PointOptions(red=8, black=12), ctx)
    assert [len(hand) for hand in step.state.hands] == [20] * 3
    with pytest.raises(OperatorError, match="fewer seats"):
        POINT.setup(4, PointOptions(red=8, black=12), ctx)
