"""Kreuzwort-Spiel: the second word as a duty, buying, exchanging jollies, the end and its sums, series."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from moderator.errors import ConfigError, Illegal, OperatorError, RecordError, Undecided, Unreadable
from moderator.games.typdom.rules import KREUZWORT as GAME
from moderator.games.typdom.state import Options
from moderator.match.contract import Verdict, view_for
from moderator.match.words import AnyWords
from tests.games.typdom_table import Match, codes, points

STOCK = "EEAANNRRSS*r*b"
WORDS = "HAUS SEE RAT OHR EIS REISE UHR AS TEE ES SE ART TOR ROT OS HASE SAU NASE EN ER RE"


def match(*racks: str, **more: object) -> Match:
    more.setdefault("stock", STOCK)
    more.setdefault("known", WORDS)
    return Match("kreuzwort", *racks, **more)  # type: ignore[arg-type]


def refused(game: Match, text: str) -> Illegal:
    with pytest.raises(Illegal) as caught:
        game.turn(text)
    return caught.value


# ---- words ----


def test_a_word_takes_its_tiles_and_the_turn_passes_on() -> None:
    game = match("HAUSB", "SEEXX")
    step = game.turn("T20 w HAUS")
    assert game.hand(0) == "B"
    assert step.points == 0
    assert step.state.scores == (0, 0)
    assert step.state.to_move == (1,)
    assert step.detail == {"words": [{"word": "HAUS", "points": 0}]}
    assert game.game.export(step.state.public)["squares"] == {"T20": "H", "U20": "A", "V20": "U", "W20": "S"}


def test_every_crossing_word_must_count() -> None:
    """The printed counter-example: R beside W makes no sense."""
    board = {"T20": "W", "U20": "O", "V20": "R", "W20": "T", "S18": "T"}
    error = refused(match("SERNX", "B", board=board, known="STERN WORT"), "S17 s STERN")
    assert (error.code, error.params["word"]) == ("not-a-word", "RWORT")


def test_a_refused_word_tells_its_reason_and_source() -> None:
    error = refused(match("XYZ", "ABC"), "T20 w XYZ")
    assert error.code == "not-a-word"
    assert error.params == {"word": "XYZ", "words": ["XYZ"], "reason": "unknown", "source": "list", "why": {}}


def test_claims_are_compared_and_do_not_matter() -> None:
    step = match("HAUSB", "SEEXX").turn("T20 w HAUS (AH) 7")
    assert codes(step.notes) == ["claim-points", "claim-words-extra"]
    assert {note.only for note in step.notes} == {0}


# ---- the second word ----


def test_without_connection_there_is_no_second_word() -> None:
    game = match("HAUSEE", "B")
    error = refused(game, "T20 w HAUS + W20 s SEE")
    assert error.code == "no-second-word"
    assert error.params["word"] == "HAUS"


JOINED = {"S20": "H", "T20": "A", "U20": "U", "V20": "S", "V21": "E", "V22": "E", "S21": "O", "S22": "H", "S23": "R"}
"""HAUS across, HOHR down from its H, SEE down from its S. Between the H and the E of row 22 two squares are free."""


def connected(**more: object) -> Match:
    """``S22 w HERE`` joins the two words that hang down with E and R."""
    return match("ERTEHX", "BXX", board=JOINED, known="HERE REH ET EH TE HE RE", **more)


def test_the_second_word_is_laid_on_what_the_first_one_made() -> None:
    step = connected().turn("S22 w HERE + U22 s REH")
    assert [word["word"] for word in step.detail["words"]] == ["HERE", "REH"]
    assert step.state.hands[0] == ("T", "X")
    assert step.notes == ()
    assert len(step.state.public.runs) == 2


def test_the_second_word_gives_no_third() -> None:
    with pytest.raises(Unreadable):
        connected().turn("S22 w HERE + U22 s REH + T22 s ET")


def test_who_lays_no_second_word_buys() -> None:
    game = connected(stock="EEAAN*b")
    step = game.turn("S22 w HERE")
    assert codes(step.notes) == ["second-missing", "bought-red", "drew-tiles"]
    assert step.notes[1].params == {"count": 1, "left": 3}
    assert step.notes[2].only == 0
    assert step.notes[2].params == {"tiles": ["E"]}
    assert game.hand(0) == "TEHXE"


def test_the_colour_may_be_chosen() -> None:
    step = connected(stock="EEAAN*b").turn("S22 w HERE + kaufe schwarz")
    assert codes(step.notes) == ["second-missing", "bought-black", "drew-tiles"]
    assert step.state.hands[0][-1] == "N"
    assert GAME.format(step.played) == "S22 w HERE + kaufe schwarz"


def test_only_one_tile_is_bought_for_a_missing_second_word() -> None:
    assert refused(connected(), "S22 w HERE + kaufe 2 rot").params == {"most": 1}


def test_an_empty_stock_sells_nothing() -> None:
    step = connected(stock="").turn("S22 w HERE")
    assert codes(step.notes) == ["second-missing"]


def test_who_is_out_with_the_first_word_needs_no_second() -> None:
    game = match("ER", "BXX", board=JOINED, known="HERE")
    step = game.turn("S22 w HERE")
    assert codes(step.notes) == []
    assert step.state.over
    assert step.state.scores == (3, 0)


def test_nobody_buys_beside_a_word_or_two() -> None:
    assert refused(match("HAUSB", "B"), "T20 w HAUS + kaufe rot").code == "no-buy-with-word"
    assert refused(connected(), "S22 w HERE + U22 s REH + kaufe rot").code == "no-buy-with-word"


# ---- buying ----


@pytest.mark.parametrize(("text", "bought"), [("kaufe rot", "E"), ("kaufe schwarz", "N")])
def test_a_tile_of_the_named_colour_is_bought(text: str, bought: str) -> None:
    game = match("B", "C", stock="NRESA")
    step = game.turn(text)
    assert game.hand(0) == "B" + bought
    assert step.state.to_move == (1,)
    assert sum(note.code.startswith("bought") for note in step.notes) == 1
    assert {note.only for note in step.notes if "tiles" in note.params} == {0}


def test_only_one_tile_is_bought() -> None:
    assert refused(match("B", "C"), "kaufe 2 rot").params == {"most": 1}


def test_a_used_up_colour_is_replaced() -> None:
    step = match("B", "C", stock="NR").turn("kaufe rot")
    assert codes(step.notes) == ["no-red-left", "bought-black", "drew-tiles"]


@pytest.mark.parametrize(("stock", "bought"), [("EEN", "E"), ("ENN", "N"), ("EN", "N")])
def test_passing_and_missing_buy_the_colour_with_more_tiles(stock: str, bought: str) -> None:
    passed, missed = match("B", "C", stock=stock), match("B", "C", stock=stock)
    assert codes(passed.turn("passe").notes)[0].startswith("bought")
    assert codes(missed.miss().notes)[0] == "missed"
    assert passed.hand(0) == missed.hand(0) == "B" + bought


def test_what_is_left_is_public_by_colour() -> None:
    step = match("B", "C", stock="EEN").turn("kaufe rot")
    assert GAME.export(step.state.public)["stock"] == {"red": 1, "black": 1}


def test_strict_buying_needs_a_hand_without_a_word() -> None:
    assert refused(match("HAUSB", "C", strict_buy=True), "kaufe rot").code == "could-lay"
    assert refused(match("HAUSB", "C", strict_buy=True), "passe").code == "could-lay"
    assert match("XYB", "C", strict_buy=True).turn("kaufe rot").state.to_move == (1,)
    assert match("HAUSB", "C", strict_buy=True).miss().state.to_move == (1,)


def test_strict_buying_looks_for_a_second_word_too() -> None:
    assert refused(connected(strict_buy=True), "S22 w HERE").code == "could-lay-second"
    game = match("ERX", "BXX", board=JOINED, known="HERE", strict_buy=True)
    assert codes(game.turn("S22 w HERE").notes)[0] == "second-missing"


def test_where_any_word_counts_a_buyer_is_believed() -> None:
    game = match("HAUSB", "C", known=AnyWords(), strict_buy=True)
    assert game.turn("kaufe rot").state.to_move == (1,)


# ---- jollies ----


def test_a_jolly_is_taken_and_laid_anew() -> None:
    game = match("HA*rS", "AEB", board={"T20": "H", "U20": "*A", "V20": "U", "W20": "S"}, starter=1)
    step = game.turn("tausche A an U20; W20 s S*EE")
    assert GAME.export(step.state.public)["squares"]["U20"] == "A"
    assert GAME.export(step.state.public)["squares"]["W21"] == "*E"
    assert game.hand(1) == "B"
    assert codes(step.notes) == ["exchanged"]
    assert step.notes[0].params == {"letter": "A", "square": "U20"}
    assert GAME.format(step.played) == "tausche A an U20; W20 s S*EE"


def test_a_jolly_may_be_taken_before_buying() -> None:
    game = match("A", "B", board={"T20": "*A", "U20": "S"}, stock="N")
    step = game.turn("tausche A an T20; kaufe schwarz")
    assert step.state.hands[0] == ("*r", "N")
    assert codes(step.notes) == ["exchanged", "bought-black", "drew-tiles"]


def test_nothing_is_exchanged_if_the_word_is_refused() -> None:
    game = match("AXY", "B", board={"T20": "*A", "U20": "S"})
    before = game.state
    assert refused(game, "tausche A an T20; U20 s SXY").code == "not-a-word"
    assert game.state is before


def test_an_exchange_starts_the_circle_of_passes_anew() -> None:
    game = match("BX", "AX", board={"T20": "*A", "U20": "S"}, stock="", known=AnyWords())
    game.play("passe", "tausche A an T20; passe")
    assert not game.state.over
    assert game.turn("passe").state.over


# ---- the end ----


def test_the_winner_is_credited_the_rests() -> None:
    step = match("HAUS", "B*r", "AX").turn("T20 w HAUS")
    assert step.state.over
    assert step.state.scores == (11 + 4, 0, 0)
    assert GAME.winners(step.state) == (0,)
    assert codes(step.after) == ["out", "rest", "rest", "credited", "match-won"]
    credited = step.after[3]
    assert credited.params == {"items": [11, 4], "points": 15}
    assert points(step.after, 3) == [15, 0, 0]


def test_a_seat_that_can_lay_nothing_passes_by_itself_when_the_stock_is_empty() -> None:
    step = match("HAUSX", "QQ", "SEE", stock="").turn("T20 w HAUS")
    assert codes(step.after) == ["cannot-lay"]
    assert step.after[0].seat == 1
    assert step.state.to_move == (2,)


def test_a_blocked_game_ends_by_itself() -> None:
    step = match("HAUSX", "QB", "BBBBB", stock="").turn("T20 w HAUS")
    assert step.state.over
    assert codes(step.after)[:3] == ["cannot-lay", "cannot-lay", "cannot-lay"]
    assert step.state.scores == (2 + 5, 0, 0)
    assert codes(step.after)[3:] == ["blocked", "rest", "rest", "rest", "credited", "match-won"]


def test_a_seat_that_could_lay_may_still_pass() -> None:
    game = match("HAUSX", "SEE", stock="")
    game.turn("T20 w HAUS")
    step = game.turn("passe")
    assert codes(step.notes) == ["passed"]
    assert step.state.over


def test_equal_lowest_rests_have_no_winner() -> None:
    step = match("HAUSX", "B", "BBB", stock="").turn("T20 w HAUS")
    assert step.state.over
    assert GAME.winners(step.state) == ()
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
    assert codes(step.after)[:3] == ["out", "rest", "credited-double"]
    assert step.state.scores[seat] == 2 * (5 * 3 + 8)


def test_the_next_game_is_opened_by_who_is_nearest_to_z() -> None:
    labels: list[str] = []

    def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        labels.append(label)
        return tuple(items)

    game = match("HAUS", "B", games=2)
    game.ctx = replace(game.ctx, shuffle=shuffle)
    step = game.turn("T20 w HAUS")
    assert labels == ["round2/red", "round2/black"]
    assert codes(step.after) == ["out", "rest", "credited", "sum-total", "sum-total", "next-round", "starts"]
    assert step.state.to_move == (step.state.public.starter,) == (1,)
    assert step.state.scores == (1, 0)
    assert Counter([*step.state.stock, *step.state.hands[0], *step.state.hands[1]]).total() == 80


# ---- the rest of the contract ----


def test_the_deal_gives_five_red_and_eight_black() -> None:
    game = match("HAUS", "B")
    step = GAME.setup(5, Options(), game.ctx)
    assert [len(hand) for hand in step.state.hands] == [13] * 5
    assert len(step.state.stock) == 15
    assert codes(step.notes) == ["starts"]


@pytest.mark.parametrize("seats", [1, 6])
def test_two_to_five_can_play(seats: int) -> None:
    with pytest.raises(OperatorError):
        GAME.setup(seats, Options(), match("A", "B").ctx)


@pytest.mark.parametrize("options", [{"games": 0}, {"games": 100}, {"table_size": 14}, {"table_size": 61}])
def test_options_have_limits(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        Options(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "fixed",
    [
        {"racks": [["A"], []]}, {"stock": ["A"]}, {"starter": 2}, {"board": ["A"]},
        {"racks": [["A"], ["B"]], "stock": "AB"},
    ],
)  # fmt: skip
def test_a_wrong_record_is_refused(fixed: dict[str, object]) -> None:
    with pytest.raises(RecordError):
        GAME.setup(2, Options(), match("A", "B").ctx, fixed)


def test_a_board_takes_its_tiles_out_of_the_box() -> None:
    step = GAME.setup(2, Options(), match("A", "B").ctx, {"board": {"T20": "X", "U20": "*A"}})
    everything = [*step.state.stock, *(tile for hand in step.state.hands for tile in hand)]
    assert len(everything) == 78
    assert "X" not in everything
    assert "*r" not in everything


def test_moves_are_single_words_with_their_points() -> None:
    game = match("HAUS", "B")
    found = {GAME.format(move): points for move, points in GAME.moves(view_for(game.state, 0), game.ctx)}
    assert "T20 w HAUS" in found
    assert "Q20 w HAUS" in found
    assert "P20 w HAUS" not in found
    assert set(found.values()) == {0}
    assert list(GAME.moves(view_for(game.state, 1), game.ctx)) == []


def test_a_robot_lays_many_tiles_and_a_second_word() -> None:
    game = connected()
    turn = GAME.greedy(view_for(game.state, 0), game.ctx)
    assert turn is not None
    assert len(turn.places) == 2
    assert game.game.apply(game.state, 0, turn, game.ctx).state.to_move == (1,)
    stuck = match("XYZ", "B")
    assert GAME.greedy(view_for(stuck.state, 0), stuck.ctx) is None


def test_a_hand_with_a_jolly_is_not_listed_wholly() -> None:
    assert GAME.listable(view_for(match("HAUS", "B").state, 0))
    assert not GAME.listable(view_for(match("HA*bS", "B").state, 0))


def test_words_wait_for_the_moderator() -> None:
    class Asking(AnyWords):
        def judge(self, word: str, base: str | None = None) -> Verdict:
            return Verdict(word, "ask", "unknown", "list")

    with pytest.raises(Undecided) as caught:
        match("HAUS", "B", known=Asking()).turn("T20 w HAUS")
    assert caught.value.words == ("HAUS",)


def test_only_the_seat_to_move_plays() -> None:
    game = match("HAUSX", "B")
    with pytest.raises(Illegal, match="not-your-turn"):
        game.game.apply(game.state, 1, game.game.parse("passe", view_for(game.state, 1)), game.ctx)
    over = match("HAUS", "B").play("T20 w HAUS")
    with pytest.raises(Illegal, match="game-over"):
        over.game.miss(over.state, 0, over.ctx)
