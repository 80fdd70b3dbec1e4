"""Every way to write a Topwords move, and what is said about the wrong ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.errors import Ambiguous, PlayerError, Unreadable
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import ALPHABET, LETTERS, Exchange, Move, Options, Pass, Place, Public
from moderator.match.contract import Context, State, View, view_for
from tests.games.tables import spelled

Tables = Callable[..., State[Public]]

VIEW: View[Public] = View(0, Public(Options()), tuple("ALLESXY"), (7, 7), 86, (0, 0), (0,))


def read(line: str) -> Move:
    return GAME.parse(line, VIEW)


@pytest.mark.parametrize(
    "line",
    [
        "E5 w HAUS", "E5w HAUS", "5E w haus", "5Ew Haus", "e5 W hAUS", "HAUS E5 w", "Haus ab E5 waagerecht",
        "haus, e5, w", "E5 HAUS w", "w E5 HAUS", "E5 waagrecht HAUS", "E5 waag. HAUS", "E5 across HAUS",
        "E5 horizontal Haus", "E5 h HAUS", "E5 a HAUS", "E5 quer HAUS", "E5 rechts HAUS", "E5 → HAUS",
        "E5: w: HAUS!", "E 5 w HAUS", "E05 w HAUS", " E5\tw\u00a0HAUS. ", "Ｅ５ ｗ ＨＡＵＳ", "E5 w HA\u00adUS",
        "E5 w „HAUS“", "Ich lege HAUS ab E5 waagerecht", "E5 w HAUS ()",
    ],
)  # fmt: skip
def test_one_move_in_many_ways(line: str) -> None:
    assert read(line) == Place("E5", "w", "HAUS")


@pytest.mark.parametrize(
    "way", ["s", "S", "senk", "senkrecht", "v", "vertikal", "vertical", "d", "down", "runter", "↓"]
)
def test_downwards(way: str) -> None:
    assert read(f"J10 {way} Maus") == read(f"Maus 10J {way}") == Place("J10", "s", "MAUS")


@pytest.mark.parametrize(
    ("line", "named", "points"),
    [
        ("E5w HAUS (AH, US) 14", ("AH", "US"), 14), ("E5 waagerecht HAUS (AH) 12 Punkte", ("AH",), 12),
        ("E5 across HAUS = 14", (), 14), ("E5 w HAUS 14", (), 14), ("E5 w HAUS, 14 Pkt.", (), 14),
        ("E5 w HAUS 14P", (), 14), ("E5 w HAUS für 14 Punkte", (), 14), ("E5 w HAUS 8+6=14", (), 14),
        ("E5 w HAUS (AH und US) = 14", ("AH", "US"), 14), ("E5 w HAUS (AH/US, 14)", ("AH", "US"), 14),
        ("E5 w HAUS (AH US) (ON)", ("AH", "US", "ON"), None), ("E5 w HAUS (14)", (), 14),
        ("E5 w HAUS [ah; us] 14", ("AH", "US"), 14), ("E5 w HAUS (AH 4, US 4) 14", ("AH", "US"), 14),
        ("E5 w HAUS, AH, US 14", ("AH", "US"), 14), ("E5 w HAUS + AH + US = 14", ("AH", "US"), 14),
        ("HAUS (AH, US) E5 w 14", ("AH", "US"), 14), ("E5 w HAUS (AH (US)) 14", ("AH", "US"), 14),
        ("E5 w HAUS 0", (), 0),
    ],
)  # fmt: skip
def test_claims(line: str, named: tuple[str, ...], points: int | None) -> None:
    assert read(line) == Place("E5", "w", "HAUS", named, points)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("E5 w größe", "GRÖSSE"), ("E5 w GRÖẞE", "GRÖSSE"), ("E5 w a\u0308pfel", "ÄPFEL"), ("E5 w QUER", "QUER"),
        ("E5 w PASSE", "PASSE"), ("E5 w TAUSCHE", "TAUSCHE"), ("E5 w FÜR 14", "FÜR"), ("E5 w PUNKTE 14", "PUNKTE"),
        ("E5 w AB", "AB"), ("TAUSCHE E5 w", "TAUSCHE"), ("PASSE E5 w", "PASSE"), ("E5 quer W", "QUER"),
    ],
)  # fmt: skip
def test_words(line: str, word: str) -> None:
    move = read(line)
    assert isinstance(move, Place)
    assert (move.square, move.direction, move.word) == ("E5", "w", word)


def test_the_base_form_of_a_separable_verb() -> None:
    assert read("E5 w ixte (ausixen)") == Place("E5", "w", "IXTE", ("AUSIXEN",))


@pytest.mark.parametrize(
    "line", ["passe", "Passe!", "ich passe", "PASS", "I pass", "Ich passe diesmal leider.", "passen"]
)
def test_passes(line: str) -> None:
    assert read(line) == Pass()


@pytest.mark.parametrize(
    ("line", "letters"),
    spelled({
        "AEN": [
            "tausche A E N", "tausche AEN", "tausche: a, e, n", "Tausche a, e und n!", "exchange AEN",
            "ich tausche A E N aus",
        ],
        "A": ["ich tausche A"],
        "AN": ["swap a and n"],
        "ÄSS": ["tausche Ä ß"],
        "UND": ["tausche UND"],
        "AUS": ["tausche AUS"],
        "ALLESXY": ["tausche alles", "exchange all"],
        "ALLE": ["tausche A L L E"],
    }),
)  # fmt: skip
def test_exchanges(line: str, letters: str) -> None:
    if line in ("tausche alles", "exchange all"):
        view = View(0, VIEW.public, tuple("QQRSTXY"), (7, 7), 86, (0, 0), (0,))
        assert GAME.parse(line, view) == Exchange(tuple("QQRSTXY"))
    else:
        assert read(line) == Exchange(tuple(letters))


def test_all_or_the_letters_of_all() -> None:
    with pytest.raises(Ambiguous) as caught:
        read("tausche alle")
    assert caught.value.code == "exchange-all-or-letters"
    assert caught.value.params["readings"] == ["tausche A L L E S X Y", "tausche A L L E"]


@pytest.mark.parametrize(
    ("line", "code", "params"),
    [
        ("", "empty-line", {}),
        ("  ...  ", "empty-line", {}),
        ("Hallo Spielleiter", "no-square", {}),
        ("w HAUS", "no-square", {}),
        ("K5 w HAUS", "square-off-board", {"square": "K5"}),
        ("E11 w HAUS", "square-off-board", {"square": "E11"}),
        ("E0 w HAUS", "square-off-board", {"square": "E0"}),
        ("Ä5 w HAUS", "square-off-board", {"square": "Ä5"}),
        ("E5 HAUS", "no-direction", {"square": "E5"}),
        ("E5wHAUS", "no-direction", {"square": "E5"}),
        ("E5", "no-word", {}),
        ("E5 w", "no-word", {}),
        ("E5 w 14", "no-word", {}),
        ("E5 w HAUS bitte", "extra-words", {"words": ["BITTE"]}),
        ("E5 w HAUS AH US", "extra-words", {"words": ["AH", "US"]}),
        ("E5 w HAUS (AH", "open-parenthesis", {}),
        ("E5 w CAFÉ", "foreign-letter", {"letter": "É", "word": "CAFÉ"}),
        ("E5 w ДОМ", "foreign-letter", {"letter": "Д"}),
        ("E5 w U-BAHN", "foreign-letter", {"letter": "-"}),
        ("E5 w GEHT'S", "foreign-letter", {"letter": "'"}),
        ("E5 w HAUS (ÇA)", "foreign-letter", {"letter": "Ç"}),
        ("E5 w HAUS ٣", "foreign-letter", {"letter": "٣"}),
        ("E5 w HAUS 8 14", "unclear-points", {}),
        ("E5 w HAUS 99999", "unclear-points", {}),
        ("E5 w HAUS (14) 15", "unclear-points", {}),
        ("E5 w HAUS (14, 15)", "unclear-points", {}),
        ("E5 w HAUS (99999)", "unclear-points", {}),
        ("tausche", "exchange-no-letters", {}),
        ("tausche 3", "exchange-no-letters", {}),
    ],
)
def test_what_cannot_be_read(line: str, code: str, params: dict[str, Any]) -> None:
    with pytest.raises(Unreadable) as caught:
        read(line)
    assert caught.value.code == code
    assert caught.value.params["line"] == line
    assert params.items() <= caught.value.params.items()


@pytest.mark.parametrize(
    ("line", "code", "readings"),
    [
        ("E5 w HAUS F6 s", "two-squares", ["E5", "F6"]),
        ("D5 quer RUNTER", "two-directions", ["D5 w RUNTER", "D5 s QUER"]),
    ],
)
def test_what_can_be_read_twice(line: str, code: str, readings: list[str]) -> None:
    with pytest.raises(Ambiguous) as caught:
        read(line)
    assert (caught.value.code, caught.value.params["line"]) == (code, line)
    assert caught.value.params["readings"] == readings


def test_a_reading_that_leaves_the_board_does_not_count() -> None:
    assert read("E5 senkrecht RECHTS") == Place("E5", "s", "RECHTS")


def test_a_view_without_hands_reads_the_same(table: Tables, context: Callable[..., Context]) -> None:
    view = view_for(table("HAUS", "AB"), None)
    assert GAME.parse("E5 w HAUS", view) == Place("E5", "w", "HAUS")
    with pytest.raises(Unreadable) as caught:
        GAME.parse("tausche alle", View(None, view.public, (), (4, 2), 0, (0, 0), (0,)))
    assert caught.value.code == "exchange-no-letters"


WORD = st.text(sorted(ALPHABET), min_size=1, max_size=10)
SQUARE = st.builds(lambda a, n: f"{a}{n}", st.sampled_from(LETTERS), st.integers(1, 10))
ODD = "QUER RECHTS SENKRECHT RUNTER PASSE TAUSCHE PUNKTE P W S A H UND AND ALLE FÜR AB ICH"
KEYWORDS = st.sampled_from(ODD.split(" "))
PLACES = st.builds(
    Place,
    SQUARE,
    st.sampled_from(("w", "s")),
    WORD | KEYWORDS,
    st.lists(WORD | KEYWORDS, max_size=6).map(tuple),
    st.none() | st.integers(0, 9999),
)
EXCHANGES = st.lists(st.sampled_from(sorted(ALPHABET)), min_size=1, max_size=8).map(lambda x: Exchange(tuple(x)))


@given(PLACES | EXCHANGES | st.just(Pass()))
def test_what_is_written_is_read_again(move: Move) -> None:
    assert GAME.parse(GAME.format(move), VIEW) == move


PIECES = st.sampled_from(
    ["E5", "5E", "w", "s", " ", "HAUS", "(", ")", ",", "=", "14", "Punkte", "tausche", "passe", "alle", "und"]
)


@given(st.text(max_size=60) | st.lists(PIECES, max_size=14).map("".join) | st.lists(PIECES, max_size=14).map(" ".join))
def test_any_text_is_a_move_or_a_player_error(text: str) -> None:
    move: Move | PlayerError
    try:
        move = read(text)
    except PlayerError as error:
        move = error
    if isinstance(move, PlayerError):
        assert move.params["line"] == text
    else:
        assert read(GAME.format(move)) == move


@pytest.mark.parametrize(
    "bomb",
    [
        "\ufdfa" * 1000, "a" + "\u0301\u0316" * 499, "(" * 1000, "(" * 500 + ")" * 500, "E5 " * 333, "1" * 1000,
        "E5w" * 333, "=," * 500, "\u202e" * 1000, "\ud800" * 900, "𒐫" * 1000, "x" * 1_000_000, "\x00" * 1000,
        "ﬃ" * 900,
    ], ids=ascii,
)  # fmt: skip
def test_bombs_are_refused_fast(bomb: str) -> None:
    start = time.process_time()
    with pytest.raises(PlayerError):
        read(bomb)
    assert time.process_time() - start < 0.5
