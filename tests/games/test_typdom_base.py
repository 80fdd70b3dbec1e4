"""Tiles and table of Typ-Dom: the box, the deal, where words lie, jollies, the drawing."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from moderator.common.errors import Illegal
from moderator.games.typdom import board, tiles
from moderator.games.typdom.board import LaidWord, Placement, TypdomTable, build_typdom_scene
from tests.games.typdom_table import tiles as split

EVERYTHING = (*tiles.LETTERS * 3, "*r", "*b")


def place(text: str) -> Placement:
    square, direction, word = text.split()
    return Placement(square, "w" if direction == "w" else "s", word)


def lay(table: TypdomTable, text: str, hand: Sequence[str] = EVERYTHING) -> LaidWord:
    return board.lay_typdom_word(table, place(text), hand)


def after(*texts: str, size: int = 40) -> TypdomTable:
    """The table after some placements, with whatever tiles they need."""
    table = TypdomTable(size)
    for text in texts:
        table = lay(table, text).table
    return table


def refused(table: TypdomTable, text: str, hand: Sequence[str] = EVERYTHING) -> Illegal:
    with pytest.raises(Illegal) as caught:
        lay(table, text, hand)
    return caught.value


def test_the_box_holds_80_tiles_of_two_colours() -> None:
    assert (len(tiles.RED), len(tiles.BLACK)) == (30, 50)
    count = Counter(tiles.RED + tiles.BLACK)
    assert (count["E"], count["N"], count["*r"], count["*b"]) == (9, 6, 1, 1)
    assert {tiles.colour(tile) for tile in tiles.RED} == {"red"}
    assert {tiles.colour(tile) for tile in tiles.BLACK} == {"black"}
    assert (tiles.colour("*A"), tiles.colour("*Z"), tiles.colour("*Y")) == ("red", "black", "red")
    assert (tiles.to_rack_tile("*A"), tiles.to_rack_tile("*Z"), tiles.to_rack_tile("A")) == ("*r", "*b", "A")
    assert {tiles.to_rack_tile("*" + letter) for letter in tiles.VOWELS} == {"*r"}
    assert board.split_starred_word("TE*X") == ("T", "E", "*X")


def test_colours_are_shuffled_apart_under_the_labels_of_their_round() -> None:
    asked: dict[str, int] = {}

    def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        asked[label] = len(items)
        return tuple(reversed(items))

    hands, _ = tiles.deal_typdom_hands(3, 2, 5, 8, shuffle)
    assert asked == {"round3/red": 30, "round3/black": 50}
    assert hands[0][0] == "*r"


@pytest.mark.parametrize(
    ("hands", "seat"),
    [
        (["AB", "AZ"], 1), (["AZ", "BZ"], 1), (["AZ", "AZ"], 0),
        (["EIUOOCFHLMNPX", "EIOUDFLLRSTW", "AAEEOBDGJMNRV"], 0), (["*b*rA", "BAA"], 1),
    ],
)  # fmt: skip
def test_who_holds_the_letter_nearest_to_z(hands: list[str], seat: int) -> None:
    assert tiles.get_seat_nearest_to_z([tuple(split(hand)) for hand in hands]) == seat, "jollies do not count"


def test_a_colour_that_is_used_up_is_replaced_by_the_other() -> None:
    assert tiles.draw_by_colour(("A", "B", "E", "C"), ["black", "red"]) == (("B", "A"), ("E", "C"))
    assert tiles.draw_by_colour(("B", "C"), ["red"]) == (("B",), ("C",))
    assert tiles.draw_by_colour((), ["red"]) == ((), ())


def test_squares_have_names() -> None:
    assert board.list_column_names(40)[-1] == "AN"
    assert [board.get_square_name(n) for n in (0, 39, 40, 1599)] == ["A1", "AN1", "A2", "AN40"]
    assert [board.get_square_index(square) for square in ("A1", "AN1", "A2", "AN40")] == [0, 39, 40, 1599]
    assert board.get_square_name(TypdomTable().start) == "T20"
    assert board.get_square_name(TypdomTable(20).start, 20) == "J10"


@pytest.mark.parametrize("square", ["AO1", "A41", "A0", "1A", "A01", "", "T"])
def test_a_square_beyond_the_table_is_refused(square: str) -> None:
    with pytest.raises(Illegal) as caught:
        board.get_square_index(square)
    assert caught.value.code == "square-off-board"
    assert caught.value.params["last"] == "AN40"


def test_extending_a_word_keeps_what_lies() -> None:
    laying = lay(after("S20 w EIS"), "R20 w REISE")
    assert laying.laid == ((board.get_square_index("R20"), "R"), (board.get_square_index("V20"), "E"))
    assert laying.words == ("REISE",)


@pytest.mark.parametrize(
    ("lying", "text", "words", "connects"),
    [
        (["T20 w WORT", "U19 s ROT"], "T20 w WORTE", ("WORTE",), False),
        (["T20 w HAUS", "W20 s SEE", "W22 w ENGE", "Y20 s TAG"], "T20 w HAUSET", ("HAUSET",), True),
        (["T20 w HAUS", "T20 s HALTEN", "T25 w NASE"], "V20 s UNTERS", ("UNTERS",), True),
        (["T20 w HAUS", "T20 s HALTEN", "T25 w NASE"], "W20 s SAUR", ("SAUR",), False),
        (["T20 w WORT", "T20 s WEIN"], "T23 w NAHT", ("NAHT",), False),
        (["T20 w WORT", "U20 s OHR"], "V20 s RW", ("RW", "HW"), False),
    ],
)
def test_every_new_run_is_a_word_and_two_stretches_are_connected(
    lying: list[str], text: str, words: tuple[str, ...], connects: bool
) -> None:
    laying = lay(after(*lying), text)
    assert (laying.words, bool(laying.connects)) == (words, connects)


@pytest.mark.parametrize(
    ("lying", "code", "lines"),
    [
        ([], "no-start", ["A1 w HAUS", "U20 w HAUS"]),
        ([], "too-short", ["T20 w H"]),
        ([], "off-board", ["AL20 w HAUS", "A38 s HAUS"]),
        ([], "square-off-board", ["AO20 w HAUS"]),
        (["T20 w HAUS"], "other-letter", ["T20 w MAUS"]),
        (["T20 w HAUS"], "nothing-laid", ["T20 w HAUS", "U20 w AUS", "V20 w US"]),
        (["T20 w HAUS"], "not-whole-word", ["W20 w SO", "P20 w ROTE"]),
        (["T20 w HAUS"], "not-connected", ["T21 w ALT", "A1 w ALT", "X20 s OHR"]),
    ],
)
def test_a_word_that_cannot_be_laid(lying: list[str], code: str, lines: list[str]) -> None:
    for line in lines:
        assert refused(after(*lying), line).code == code, line


def test_words_do_not_run_around_the_edge() -> None:
    table = TypdomTable(40, {board.get_square_index("AN20"): "A", board.get_square_index("AM20"): "J"})
    laying = lay(TypdomTable(40, {**table.squares, board.get_square_index("A21"): "O"}), "A21 s OHR")
    assert laying.words == ("OHR",)


def test_tiles_must_be_on_the_rack_and_jollies_are_marked() -> None:
    assert lay(TypdomTable(), "T20 w H*AUS", ("H", "*r", "U", "S")).used_tiles == ("H", "*r", "U", "S")
    assert refused(TypdomTable(), "T20 w HAAR", tuple("HARX")).params["letters"] == ["A"]
    for text, hand, code in (
        ("T20 w H*AUS", ("H", "*b", "U", "S"), "wrong-jolly"),
        ("T20 w *HAUS", ("*r", "A", "U", "S"), "wrong-jolly"),
        ("T20 w H*AUS", tuple("HAUS"), "no-jolly"),
        ("T20 w H*A*US", ("H", "*r", "A", "U", "S"), "no-jolly"),
        ("T20 w ANNA", ("A", "N", "N", "*b"), "not-your-letters"),
        ("T20 w AUA", ("U", "*r"), "not-your-letters"),
    ):
        assert refused(TypdomTable(), text, hand).code == code, text
    error = refused(TypdomTable(), "T20 w ANNA", ("A", "N", "N", "*r"))
    assert (error.code, error.params["suggestion"]) == ("mark-jolly", "*ANNA")


def test_a_star_where_a_tile_lies_means_nothing() -> None:
    laying = lay(after("T20 w HAUS"), "T20 s *H*OF", ("*r", "F"))
    assert laying.placement.word == "H*OF"
    assert lay(laying.table, "T22 w FEIN").words == ("FEIN",)
    assert lay(laying.table, "T21 w OHR").placement.word == "OHR"


def test_a_jolly_is_exchanged_for_its_letter() -> None:
    table, hand = board.exchange_jolly(after("T20 w H*AUS"), "U20", "A", ("A", "B"))
    assert hand == ("*r", "B")
    assert table == after("T20 w HAUS")


@pytest.mark.parametrize(
    ("square", "letter", "hand", "code"),
    [
        ("T20", "H", "AEH", "no-jolly-there"), ("A1", "A", "AEH", "no-jolly-there"), ("U20", "E", "AEH", "jolly-shows"),
        ("AO1", "A", "AEH", "square-off-board"), ("U20", "A", "B", "not-your-letters"),
    ],
)  # fmt: skip
def test_an_exchange_that_cannot_be(square: str, letter: str, hand: str, code: str) -> None:
    with pytest.raises(Illegal) as caught:
        board.exchange_jolly(after("T20 w H*AUS"), square, letter, tuple(hand))
    assert caught.value.code == code


def test_a_jolly_with_tiles_on_three_sides_stays() -> None:
    table = after("T20 w H*AUS")
    assert board.list_exchangeable_jollies(table) == (board.get_square_index("U20"),)
    table = lay(table, "U20 s ALT").table
    assert board.list_exchangeable_jollies(table) == ()
    with pytest.raises(Illegal, match="jolly-built-up"):
        board.exchange_jolly(table, "U20", "A", ("A",))
    ends = after("T20 w HAU*S")
    assert board.list_exchangeable_jollies(lay(ends, "W20 s SEE").table) == (board.get_square_index("W20"),)


def test_the_picture_shows_what_is_used_and_one_ring() -> None:
    table = after("O20 w MEXICO", "Q18 s TEX*AS")
    scene = build_typdom_scene(
        table,
        fresh=[board.get_square_index("Q18")],
        runs=[board.get_tile_run(table, board.get_square_index("Q18"), "s")],
    )
    assert scene.columns == tuple("NOPQRSTU")
    assert scene.rows == tuple(str(n) for n in range(17, 24))
    shown = {(scene.columns[c.x] + scene.rows[c.y]): c for c in scene.cells}
    assert {name: cell.letter for name, cell in shown.items()} == {
        name: tile[-1] for name, tile in board.encode_table_squares(table).items()
    }
    assert [name for name, cell in shown.items() if cell.joker] == ["Q21"]
    assert shown["Q18"].fresh
    assert not shown["Q19"].fresh
    assert {c.shape for c in scene.cells if c.letter in "EAIO"} == {"round"}
    assert {c.shape for c in scene.cells if c.letter in "MXCTS"} == {"square"}
    assert scene.words == ((3, 1, 3, 5),)


def test_the_picture_ends_at_the_edge_of_the_table() -> None:
    table = TypdomTable(40, {board.get_square_index(square): "A" for square in ("A1", "A2", "AN40", "AN39")})
    scene = build_typdom_scene(table)
    assert (len(scene.columns), len(scene.rows)) == (40, 40)
    assert all(len(a) <= len(b) for a, b in pairwise(scene.columns))


def test_an_empty_table_shows_its_start() -> None:
    scene = build_typdom_scene(TypdomTable())
    x, y = next(iter(scene.shaded))
    assert (scene.columns[x], scene.rows[y]) == ("T", "20")
