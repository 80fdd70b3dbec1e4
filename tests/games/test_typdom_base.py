"""Tiles and table of Typ-Dom: the box, the deal, where words lie, jollies, the drawing."""

from collections import Counter
from collections.abc import Sequence

import pytest

from moderator.common.errors import Illegal
from moderator.games.typdom import board, tiles
from moderator.games.typdom.board import LaidWord, Placement, TypdomTable

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
