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
