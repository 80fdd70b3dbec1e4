"""»Wer behält recht?«: whose turn it is, buying, announcements that go round, seats that are out, the end of a game."""

from typing import Any

from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_state import RechtCompletion, RechtPublic, RechtPurchase
from moderator.games.typdom.tiles import sum_rest_points
from moderator.rules.state import Note, view_for
from tests.games.test_recht_rules import finished, lying, match, running
from tests.games.typdom_table import Match, codes, refused


def test_the_author_uses_jollies_only_for_what_is_missing() -> None:
    board = running("IS", "T20", "w", "REISEN")
    table = match("XXX", "E*rRN*b", board=board, known="REISEN").play("passe")
    assert lying(table) == "R20 R, S20 E, T20 I, U20 S, V20 *E, W20 N"
    assert table.hand(1) == "*b"
    board = running("IS", "T20", "w", "REISEN", T23="*I", U23="N")  # a lying one is taken
    table = match("XXX", "EIRNO", board=board, known="REISEN IN").play("passe")
    assert codes(table.last.after) == ["exchanged", "completes", "begins"]
    assert table.hand(1) == "O"
    assert "T23 I" in lying(table)


def test_who_lacks_a_letter_is_out_and_pays_everybody() -> None:
    board = running("IS", "T20", "w", "REISEN", author=1)
    table = match("XXX", "AB*b", "EEE", board=board, starter=2, known="REISEN")
    table.turn("passe")
    step = table.turn("passe")
    assert [(note.code, note.seat, note.points) for note in step.after] == [
        ("cannot-complete", 1, 0), ("rest", 1, 0), ("pays-all", 1, -28), ("is-paid", 0, 14), ("is-paid", 2, 14),
    ]  # fmt: skip
    assert [note.params for note in step.after[:2]] == [{"word": "REISEN"}, {"tiles": ["A", "B", "*b"], "rest": 14}]


MORD = running("OR", "T20", "w", "MORD", author=2)
TWICE = running("N", "T20", "w", "ANANAS")
"""The N is the first or the second of ANANAS."""


def test_where_the_word_can_lie_in_two_places_its_author_chooses() -> None:
    table = match("XXX", "AAANSO", board=TWICE, known="ANANAS").play("passe")
    assert [(n.code, n.params.get("squares")) for n in table.last.after] == [("must-complete", ["Q20", "S20"])]
    assert (table.state.to_move, table.state.public.completing) == ((1,), True)
    for text, code in (
        ("weiter A", "complete-first"),
        ("kaufe rot", "complete-first"),
        ("vollende ab R20", "cannot-lie-there"),
    ):
        assert refused(table, text).code == code
    offered = list(GAME.list_moves(view_for(table.state, 1), table.ctx))
    assert offered == [(RechtCompletion("Q20"), 0), (RechtCompletion("S20"), 0)]
    step = table.turn("vollende ab S20")
    assert lying(table) == "S20 A, T20 N, U20 A, V20 N, W20 A, X20 S"
    assert (codes(step.notes), codes(step.after), step.state.to_move) == (["completes"], ["begins"], (1,))
    table = match("XXX", "AAANSO", board=TWICE, known="ANANAS").play("passe")
    table.miss()  # who does not choose gets the first place
    assert codes(table.last.notes) == ["missed", "completes"]
    assert (lying(table)[:5], table.hand(1)) == ("Q20 A", "O")


def test_who_buys_may_still_lay_or_report_on() -> None:
    table = match("XXX", "EEE", "AAA", board=MORD, known="MORD ORT", stock="ETN")
    step = table.turn("kaufe schwarz")
    assert [(note.code, note.params, note.only) for note in step.notes] == [
        ("bought-black", {"count": 1, "left": 1}, None),
        ("drew-tiles", {"tiles": ["T"]}, 0),
    ]
    assert (step.state.to_move, step.state.public.bought) == ((0,), True)
    assert refused(table, "kaufe rot").code == "bought-already"
    step = table.turn("hinten T = ORT")
    assert (step.state.to_move, step.state.public.bought) == ((1,), False)
    step = match("XXX", "EEE", "AAA", board=MORD, known="MORD").turn("kaufe rot, passe")
    assert codes(step.notes) == ["bought-red", "drew-tiles", "reports-on"]
    assert (step.state.to_move, step.state.public.passes) == ((1,), 0)
    step = match("XXX", "EEE", "AAA", board=MORD, known="MORD", stock="E").turn("kaufe schwarz")
    assert codes(step.notes) == ["no-black-left", "bought-red", "drew-tiles"]
    assert refused(match("TXX", "EEE", "AAA", board=MORD, known="MORD", stock=""), "kaufe rot").code == "stock-empty"


def test_a_buyer_is_believed_unless_it_is_agreed_otherwise() -> None:
    for text in ("kaufe rot", "passe"):
        more: dict[str, Any] = {"board": MORD, "known": "MORD ORT"}
        assert refused(match("TXX", "EEE", "AAA", strict_buy=True, **more), text).code == "could-announce"
        match("TXX", "EEE", "AAA", **more).turn(text)
        match("XXX", "EEE", "AAA", strict_buy=True, **more).turn(text)
        # going on with the standing word is never a duty
        match("DXX", "EEE", "AAA", strict_buy=True, **more).turn(text)


def test_a_bought_tile_that_allows_a_new_word_keeps_a_strict_seat_at_its_turn() -> None:
    table = match("XXX", "EEE", "AAA", strict_buy=True, board=MORD, known="MORD ORT", stock="T")
    step = table.turn("kaufe schwarz, passe")
    assert codes(step.notes) == ["bought-black", "drew-tiles", "can-announce-now"]
    assert step.played == RechtPurchase("black")
    assert step.state.to_move == (0,)
    assert refused(table, "passe").code == "could-announce"


def blocked(*racks: str, **more: Any) -> Match[RechtPublic]:
    board = finished("ORT", "T20", "w")
    return match(*racks, board=board, known="ORT", stock="", **more).play("passe")


def test_blocked_the_lowest_rest_wins_what_the_others_have() -> None:
    table = blocked("XB", "A", "EEE")
    assert codes(table.last.after) == [
        "cannot-lay", "cannot-lay", "blocked", "rest", "rest", "rest", "pays", "pays", "credited", "match-won",
    ]  # fmt: skip
    assert table.state.scores == (12, -3, -9)
    assert table.last.after[2].seat is None


def test_a_double_game_doubles_every_payment() -> None:
    table = blocked("A", "E", "EEE", games=2)
    state, seat = table.state, table.state.to_move[0]
    letter = next(tile for tile in state.hands[seat] if tile.isalpha())
    table.ctx.words.words = frozenset({f"{letter}QQQQQ"})  # type: ignore[attr-defined]
    table.play(f"{letter} an T20 = {letter}QQQQQ", "passe", "passe")
    rest = 2 * sum_rest_points(table.state.hands[seat])
    assert table.state.scores[seat] == -2 * rest
    assert [score for other, score in enumerate(table.state.scores) if other != seat] == [rest, rest]


def situation(table: Match[RechtPublic]) -> list[Note]:
    return list(GAME.describe_situation(view_for(table.state, None)))


def test_the_situation_tells_what_is_announced_or_to_be_begun() -> None:
    table = match("SXX", "EEE", "AAA", board=running("OR", "T20", "s", "MORD", author=2), known="MORD ROT")
    params = {"word": "MORD", "fragment": "OR", "square": "T20", "direction": "s"}
    assert situation(table) == [Note("announced", params, seat=2)]
    assert codes(situation(table.play("kaufe rot"))) == ["announced", "has-bought"]
    assert [(note.code, note.seat) for note in situation(table.play("passe"))] == [("announced", 2), ("goes-round", 2)]
    assert situation(match("SXX", "EEE")) == [Note("first-tile", {"square": "T20"}, seat=0)]
    across = Note("new-word-across", {"word": "ORT", "square": "T20", "direction": "w"}, seat=0)
    assert situation(match("SXX", "EEE", board=finished("ORT", "T20", "w"))) == [across]
    assert situation(match("SXX", "EEE", board={"T20": "A"})) == [Note("new-word", seat=0)]


def test_the_situation_tells_who_is_out_and_what_is_to_be_chosen() -> None:
    board = running("IS", "T20", "w", "REISEN", author=1)
    table = match("XXX", "AB", "TEE", board=board, starter=2, known="REISEN").play("passe", "passe")
    assert [(note.code, note.seat) for note in situation(table)] == [("unannounced", None), ("is-out", 1)]
    table = match("XXX", "AAANSO", board=TWICE, known="ANANAS").play("passe")
    assert codes(situation(table)) == ["announced", "choose-place"]
    assert codes(situation(blocked("A", "E", games=2))) == ["first-tile", "counts-double"]
    assert situation(blocked("A", "EE")) == []


def test_the_fragment_is_framed() -> None:
    table = match("TXX", "EEE", "AAA", board=running("OR", "T20", "s", "MORD", author=2, S17="A"), known="MORD ORT")
    grid = GAME.build_scene(view_for(table.state, 0))
    assert grid.words == ((2, 4, 2, 5),)
    table.turn("hinten T = ORT")
    grid = GAME.build_scene(view_for(table.state, 0))
    assert grid.words == ((2, 4, 2, 6),)
    assert [(cell.x, cell.y) for cell in grid.cells if cell.fresh] == [(2, 6)]


def test_the_public_state_as_json() -> None:
    table = match("TXX", "EEE", "AAA", board=MORD, known="MORD ORT")
    exported = GAME.export(table.state.public)
    announced = {"squares": ["T20", "U20"], "direction": "w", "letters": "OR", "word": "MORD", "author": 2}
    assert exported.pop("running") == {**announced, "places": [["S20", "T20", "U20", "V20"]]}
    names = ("round", "starter", "stake", "finished", "passes", "bought", "completing", "out")
    assert [exported.pop(name) for name in names] == [1, 0, 1, None, 0, False, False, []]
    assert exported == {"squares": {"T20": "O", "U20": "R"}, "stock": {"red": 3, "black": 3}}
    table.turn("hinten T = ORT")
    public = GAME.export(table.state.public)
    assert public["running"] is None
    assert public["finished"] == {"squares": ["T20", "U20", "V20"], "direction": "w", "letters": "ORT"}
