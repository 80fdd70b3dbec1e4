"""»Wer behält recht?«: laying a tile and announcing a word; what the rules forbid."""

from typing import Any

import pytest

from moderator.common.errors import Undecided
from moderator.games.typdom.board import get_square_index, get_square_name
from moderator.games.typdom.recht_state import RechtLaying, RechtPublic, RechtTile
from moderator.rules.game import Words
from tests.games.topwords_table import ListedWords
from tests.games.typdom_table import Match, codes, refused

WORDS = "NAHT AH STERN REISE EIS REIS REISEN WORT WORTE ANANAS NASE ROT ORT TOR OSTERN TERN ERNTE"


def match(*racks: str, known: str | Words = WORDS, **more: Any) -> Match[RechtPublic]:
    return Match("recht", *racks, known=known, **{"stock": "EEENNN", **more})


def running(letters: str, square: str, direction: str, word: str, author: int = 1, **lying: str) -> dict[str, Any]:
    """A board with a fragment, and tiles beside it."""
    size, step = 40, 1 if direction == "w" else 40
    first = get_square_index(square, size)
    squares = {get_square_name(first + n * step, size): letter for n, letter in enumerate(letters)}
    announced = {"square": square, "direction": direction, "word": word, "author": author}
    return {"squares": {**squares, **lying}, "running": announced}


def finished(word: str, square: str, direction: str, **lying: str) -> dict[str, Any]:
    """A board with a completed word that the next one has to cross."""
    values = running(word, square, direction, "", **lying)
    return {"squares": values["squares"], "finished": {"square": square, "direction": direction}}


def lying(table: Match[RechtPublic]) -> str:
    """``S20 N, T20 A``."""
    public = table.state.public
    return ", ".join(f"{get_square_name(s)} {tile}" for s, tile in sorted(public.table.squares.items()))


def test_the_first_tile_lies_on_t20_with_a_word_that_contains_it() -> None:
    step = match("EAT", "REN").turn("E an T20 = REISE")
    public = step.state.public
    assert (step.state.hands[0], public.running.direction) == (("A", "T"), "w")
    assert [note.code for note in step.notes] == ["announces"]
    assert step.points == 0
    assert step.played == RechtLaying((RechtTile("E", "T20"),), "REISE", "w")
    assert [[get_square_name(s) for s in place] for place in public.running.places] == [
        ["P20", "Q20", "R20", "S20", "T20"],
        ["S20", "T20", "U20", "V20", "W20"],
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("E an U20 = REISE", "start-square"), ("vorn E = REISE", "name-square"), ("E = REISE", "name-square"),
        ("A an T20 = REISE", "lacks-fragment"), ("N an T20 = REISEN", "not-your-letters"),
        ("E an T20 = REISEX", "not-a-word"), ("E an T20 + A an U20 = REISE", "one-tile-only"),
        ("weiter E", "nothing-announced"), ("vollende ab T20", "nothing-to-complete"),
    ],
)  # fmt: skip
def test_what_cannot_begin(text: str, code: str) -> None:
    assert refused(match("EAT", "REN"), text).code == code


@pytest.mark.parametrize("text", ["S = STERN", "S an T19 = STERN", "oben S = STERN", "vorn S = STERN"])
def test_the_place_may_be_left_to_the_word_or_named_in_any_way(text: str) -> None:
    table = match("TNS", "EEE", board=running("TER", "T20", "s", "TERN"))
    step = table.turn(text)
    assert step.played == RechtLaying((RechtTile("S", "front"),), "STERN")
    assert (lying(table), step.detail["fragment"]) == ("T19 S, T20 T, T21 E, T22 R", "STER")


@pytest.mark.parametrize(
    ("letters", "word", "text", "readings"),
    [
        ("NAN", "NANA", "A = ANANAS", ["vorn A = ANANAS", "hinten A = ANANAS"]),
        ("N", "ANANAS", "weiter A", ["weiter vorn A", "weiter hinten A"]),
    ],
)
def test_where_both_ends_are_possible_it_is_asked(letters: str, word: str, text: str, readings: list[str]) -> None:
    board = running(letters, "T20", "w", word, author=2)
    error = refused(match("AANS", "EEE", "AAA", board=board, known="NANA ANANAS"), text)
    assert (error.code, error.params["readings"]) == ("which-side", readings)


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("lacks-fragment", ["vorn S = REISE", "hinten S = STERN", "N an S20 = STERN"]),
        ("not-at-fragment", ["N an T19 = STERN", "N an X20 = STERN", "N an T20 = STERN", "N an W20 s = STERN"]),
        ("not-your-letters", ["vorn X = STERX"]),
        ("one-tile-only", ["vorn S + hinten N = STERN"]),
        ("other-announcement", ["weiter S = OSTERN"]),
        ("no-jolly", ["vorn *S = STERN"]),
    ],
)
def test_what_cannot_be_added(code: str, texts: list[str]) -> None:
    for text in texts:
        assert refused(match("TNS", "EEE", board=running("TER", "T20", "w", "TERN")), text).code == code, text


def test_going_on_finds_its_end_by_the_word_which_may_be_named() -> None:
    board = running("TER", "T20", "w", "STERN", author=2)
    table = match("TNS", "EEE", "AAA", board=board)
    step = table.turn("hinten N = STERN")
    assert step.played == RechtLaying((RechtTile("N", "back"),), goes_on=True)
    assert (codes(step.notes), step.notes[0].params["seat"]) == (["goes-on"], 2)
    table = match("TNSX", "EEE", "AAA", board=board)
    assert refused(table, "weiter X").code == "lacks-fragment"
    assert table.turn("weiter S").played == RechtLaying((RechtTile("S", "front"),), goes_on=True)


def test_a_jolly_shows_its_letter() -> None:
    table = match("T*bS", "EEE", board=running("TER", "T20", "w", "STERNE"), known=WORDS + " STERNE")
    table.turn("hinten *N = STERN")
    assert lying(table).endswith("W20 *N")
    assert table.hand(0) == "TS"


@pytest.mark.parametrize(
    ("hand", "text", "code"),
    [
        ("T*rS", "hinten *N = STERN", "wrong-jolly"),
        ("TBS", "hinten *N = STERN", "no-jolly"),
        ("T*bB", "hinten N = STERN", "mark-jolly"),
    ],
)
def test_jollies_are_never_used_silently(hand: str, text: str, code: str) -> None:
    assert refused(match(hand, "EEE", board=running("TER", "T20", "w", "TERN")), text).code == code


def test_a_jolly_is_taken_before_laying() -> None:
    table = match("NES", "EEE", board=running("TER", "T20", "w", "TERN", U20="*E"))
    step = table.turn("tausche E an U20; vorn S = STERN")
    assert codes(step.notes) == ["exchanged", "announces"]
    assert lying(table) == "S20 S, T20 T, U20 E, V20 R"
    assert table.hand(0) == "N*r"


@pytest.mark.parametrize(
    ("letters", "square", "word", "text", "code"),
    [
        ("RE", "AM20", "TIERE", "hinten I = REISE", "edge-back"),
        ("R", "AM20", "TRE", "hinten E = REISE", "no-room"),
        ("RE", "A20", "REI", "vorn T = TRE", "edge-front"),
    ],
)
def test_a_word_needs_room(letters: str, square: str, word: str, text: str, code: str) -> None:
    table = match("ITE", "EEE", board=running(letters, square, "w", word), known="TIERE REISE REI TRE")
    assert refused(table, text).code == code
    bumping = running("RE", "T20", "w", "TIERE", X20="B", X21="O", X22="B")
    assert refused(match("IE", "EE", board=bumping, known="TIERE REIS"), "hinten I = REIS").code == "no-room"


def test_a_word_may_take_in_lying_tiles() -> None:
    board = running("RE", "T20", "w", "TIERE", X20="E", X21="H")
    table = match("IE", "EE", board=board, known="TIERE REISE EH")
    table.turn("hinten I = REISE")
    assert [len(place) for place in table.state.public.running.places] == [5]
    table = match(
        "SE", "EE", board=running("REI", "T20", "w", "REIHE", X20="E", X21="H"), known="REISE REIHE EH REISEN"
    )
    step = table.turn("hinten S = REISEN")
    assert step.detail["fragment"] == "REISE"


def test_words_across_must_make_sense() -> None:
    board = running("RE", "T20", "w", "TIERE", V21="W")
    error = refused(match("IE", "EE", board=board, known="TIERE REISE"), "hinten I = REISE")
    assert error.code == "senseless-beside"
    assert (error.params["word"], error.params["beside"]) == ("REISE", "IW")
    later = running("RE", "T20", "w", "TIERE", W21="W")
    error = refused(match("IE", "EE", board=later, known="TIERE REISE"), "hinten I = REISE")
    assert error.params["beside"] == "SW"
    step = match("IE", "EE", board=board, known="TIERE REISE IW").turn("hinten I = REISE")
    assert step.detail["words"] == [{"word": "IW", "points": 0}]


def test_only_places_with_sensible_words_across_count() -> None:
    """AN stands in ANANAS twice; only in one place does no letter come to lie beside the W."""
    board = running("N", "T20", "w", "AN", R21="W")
    table = match("AX", "AA", board=board, known="AN ANANAS")
    table.turn("vorn A = ANANAS")
    assert [get_square_name(place[0]) for place in table.state.public.running.places] == ["S20"]


def test_a_new_word_crosses_the_finished_one() -> None:
    table = match("SEX", "EE", board=finished("NAHT", "S20", "w"), known="NAHT AS TAS NAHTS")
    for text, code in (
        ("S an W20 = NAHTS", "does-not-cross"), ("S an T22 = TAS", "does-not-cross"),
        ("S an T21 w = TAS", "does-not-cross"), ("S an T20 = TAS", "taken"), ("vorn S = TAS", "name-square"),
    ):  # fmt: skip
        assert refused(table, text).code == code, text
    step = table.turn("S an T21 = TAS")
    assert step.played == RechtLaying((RechtTile("S", "T21"),), "TAS", "s")
    assert step.detail["fragment"] == "AS"
    assert step.state.public.running.direction == "s"


def test_a_new_word_may_lengthen_one_that_crosses_already() -> None:
    board = finished("NAHT", "S20", "w", V21="O", V22="R")
    step = match("ESX", "EE", board=board, known="NAHT TOR TORES TORE").turn("E an V23 = TORES")
    assert step.detail["fragment"] == "TORE"


def test_a_new_word_may_be_complete_with_its_first_tile() -> None:
    table = match("SEX", "EE", board=finished("NAHT", "S20", "w"), known="NAHT AS")
    step = table.turn("S an T21 = AS")
    assert codes(step.notes) == ["finishes"]
    assert (step.state.public.running, step.state.to_move) == (None, (1,))
    unfinished = match("SEX", "EE", board={"T20": "A"}, known="AS")  # any tile may be crossed
    assert refused(unfinished, "S an W20 = AS").code == "touches-nothing"
    unfinished.turn("S an T21 = AS")
    assert lying(unfinished) == "T20 A, T21 S"


def test_crossing_in_a_vowel_allows_two_tiles() -> None:
    known = "NAHT STAUB TAU"
    table = match("TSUX", "EE", board=finished("NAHT", "S20", "w"), known=known)
    step = table.turn("T an T19 + U an T21 = STAUB")
    assert codes(step.notes) == ["premium-vowel", "announces"]
    assert step.detail["fragment"] == "TAU"
    table = match("TSUX", "EE", board=finished("NAHT", "S20", "w"), known=known)
    assert table.turn("ST an T18 = STAUB").detail["fragment"] == "STA"
    table = match("TSUX", "EE", board=finished("NAHT", "S20", "w"), known=known)
    assert refused(table, "S an T18 + T an T19 + U an T21 = STAUB").params["count"] == 2


SQUARE = {"U21": "S", "V21": "O"}
"""Two tiles below the line of a fragment at T20; a tile on V20 makes a square if U20 is taken."""


def test_the_order_of_the_tiles_counts_for_nothing() -> None:
    """Only V20 earns the premium, though the other tile is named first."""
    board = running("RE", "T20", "w", "TIERE", **SQUARE)
    table = match("IDX", "EE", board=board, known="TIERE DREI ES IO SO")
    assert table.turn("vorn D + hinten I = DREI").detail["fragment"] == "DREI"


@pytest.mark.parametrize(
    ("waiting", "beside"), [("REISE", {}), ("IW", {"V21": "W"}), ("REISE IW SW", {"V21": "W", "W21": "W"})]
)
def test_unknown_words_wait_for_the_moderator(waiting: str, beside: dict[str, str]) -> None:
    board = running("RE", "T20", "w", "TIERE", **beside)
    with pytest.raises(Undecided) as caught:
        match("IE", "EE", board=board, known=ListedWords(ask=waiting)).turn("hinten I = REISE")
    assert " ".join(caught.value.words) == waiting
    table = match("IE", "EE", board=board, known=ListedWords("REISE IW SW TIERE"))
    assert table.turn("hinten I = REISE").state.to_move == (1,)
