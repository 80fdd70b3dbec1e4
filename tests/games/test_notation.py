"""How people write their moves: one canonical notation for each game, and everything that is written instead of it.

The tables are in written.py; Presto has a file of its own.
"""

import itertools
import random
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.common.errors import Ambiguous, Illegal, PlayerError, Unreadable
from moderator.common.mails import Line
from moderator.conformance.notation import parse_mail_text
from moderator.games.domijongg.state import NAMES, HeadExtension
from moderator.games.domijongg.state import JonggTurn as Turn
from moderator.games.dominos.rules import GAME as DOMINOS
from moderator.games.dominos.state import PLACES, SET, DominoPlacement
from moderator.games.topwords.rules import GAME as TOPWORDS
from moderator.games.topwords.state import ALPHABET, LETTERS, LetterExchange, TopwordsPass, TopwordsPlacement
from moderator.games.tridom.board import list_tridom_tiles
from moderator.games.tridom.state import TridomPlacement as LayTriangle
from moderator.games.typdom.recht import GAME as RECHT
from moderator.games.typdom.recht_state import RechtCompletion, RechtPurchase, RechtTile
from moderator.games.typdom.recht_state import RechtLaying as Added
from moderator.games.typdom.recht_state import RechtPass as RechtPass
from moderator.games.typdom.state import JollyExchange as Traded
from moderator.inbox.read import split_sections
from moderator.rules.orders import parse
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.state import View
from tests.games import dominos_table
from tests.games.typdom_table import Match
from tests.games.written import GAMES


@pytest.mark.parametrize(
    ("key", "canonical"), [(key, canonical) for key, written in GAMES.items() for canonical in written.read]
)
def test_a_move_is_read_however_it_is_written(key: str, canonical: str) -> None:
    written = GAMES[key]
    assert written.canonical(canonical) == canonical
    move = written.game.parse_move(canonical, written.view)
    assert written.game.is_standing_order(move) == isinstance(move, AfterDraw)
    for line in written.read[canonical]:
        assert written.canonical(line) == canonical, line
        if key == "domijongg":
            assert written.canonical(line.upper()) == written.canonical(line.lower()) == canonical, line


@pytest.mark.parametrize(
    ("key", "code"), [(key, code) for key, written in GAMES.items() for code in written.unreadable]
)
def test_what_cannot_be_read_is_answered(key: str, code: str) -> None:
    written = GAMES[key]
    for line in written.unreadable[code]:
        with pytest.raises(Unreadable) as raised:
            written.game.parse_move(line, written.view)
        assert raised.value.code == code, line
        assert raised.value.params["line"].rstrip("…") in line
        assert written.named.get(line, {}).items() <= raised.value.params.items()


@pytest.mark.parametrize("key", [key for key, written in GAMES.items() if written.ambiguous])
def test_two_readings_are_both_named(key: str) -> None:
    written = GAMES[key]
    for line, readings in written.ambiguous.items():
        with pytest.raises(Ambiguous) as raised:
            written.game.parse_move(line, written.view)
        assert (raised.value.params["line"], raised.value.params["readings"]) == (line, readings)


@pytest.mark.parametrize(("key", "mail"), [(key, mail) for key, written in GAMES.items() for mail in written.mails])
def test_the_orders_in_a_mail(key: str, mail: str) -> None:
    written = GAMES[key]
    sheet = parse_mail_text(written.game, written.view, mail)
    assert [line.canonical for line in sheet.orders] == written.mails[mail]
    assert sheet.errors == ()
    split = parse.list_alternatives(sheet.text, written.game.style)
    assert [written.canonical(alternative.text) for alternative in split] == written.mails[mail]


@pytest.mark.parametrize("key", GAMES)
def test_what_was_meant_as_a_move_is_told_from_chat(key: str) -> None:
    written = GAMES[key]
    for line in written.meant:
        assert {one.status for one in parse_mail_text(written.game, written.view, line).lines} & {"move", "error"}, line
    for line in written.chat:
        assert {one.status for one in parse_mail_text(written.game, written.view, line).lines} == {"text"}, line


CONDITION = st.none() | st.integers(0, 999)
ITEMS = st.tuples(st.sampled_from(NAMES)) | st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES))
PARTS = st.lists(
    st.builds(HeadExtension, st.integers(1, 10), st.lists(ITEMS, min_size=1, max_size=5).map(tuple)),
    min_size=1,
    max_size=4,
    unique_by=lambda part: part.head,
)
KEYWORDS = "QUER RECHTS SENKRECHT RUNTER PASSE TAUSCHE PUNKTE P W S A H UND AND ALLE FÜR AB ICH"
WORD = st.text(sorted(ALPHABET), min_size=1, max_size=10) | st.sampled_from(KEYWORDS.split())
SQUARE = st.builds(lambda letter, number: f"{letter}{number}", st.sampled_from(LETTERS), st.integers(1, 10))
MOVES: Mapping[str, st.SearchStrategy[Any]] = {
    "domijongg": st.builds(Turn, PARTS.map(tuple), CONDITION),
    "dominos": st.just(AfterDraw())
    | st.builds(DominoPlacement, st.sampled_from(SET), st.sampled_from(PLACES), CONDITION),
    "tridom": st.builds(LayTriangle, st.sampled_from(list_tridom_tiles(mirrored=False)), st.integers(1, 14), CONDITION),
    "supertridom": st.builds(
        LayTriangle, st.sampled_from(list_tridom_tiles(mirrored=True)), st.integers(1, 14), CONDITION
    ),
    "topwords": st.just(TopwordsPass())
    | st.lists(st.sampled_from(sorted(ALPHABET)), min_size=1, max_size=8).map(
        lambda letters: LetterExchange(tuple(letters))
    )
    | st.builds(
        TopwordsPlacement,
        SQUARE,
        st.sampled_from("ws"),
        WORD,
        st.lists(WORD, max_size=6).map(tuple),
        st.none() | st.integers(0, 9999),
    ),
}


@pytest.mark.parametrize("key", MOVES)
@given(data=st.data())
def test_any_move_is_read_as_it_is_written(key: str, data: st.DataObject) -> None:
    game, view, move = GAMES[key].game, GAMES[key].view, data.draw(MOVES[key])
    text = game.format_move(move)
    assert game.parse_move(text, view) == move
    assert [one.text for one in parse.list_alternatives(f"{text}; sonst {text}", game.style)] == [text, text]


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize(
    "line",
    [
        "den " * 49, "225 " * 49, "2-" * 99, "ich lege " * 22, "an platz " * 22, "( " * 99, "2 2 5 " * 33, "= " * 99,
        "\ufdfa" * 1000, "a" + "\u0301\u0316" * 499, "(" * 1000, "(" * 500 + ")" * 500, "E5 " * 333, "1" * 1000,
        "E5w" * 333, "=," * 500, "\u202e" * 1000, "\ud800" * 900, "𒐫" * 1000, "x" * 1_000_000, "\x00" * 1000,
        "ﬃ" * 900, "kaufe " + "rot " * 300, "tausche " * 150, "vorn " + "S + " * 300, "hinten (" * 150, "E an " * 250,
    ],
    ids=lambda line: ascii(line[:8]),
)  # fmt: skip
def test_hostile_lines_are_refused_at_once(key: str, line: str) -> None:
    start = time.process_time()
    with pytest.raises(PlayerError):
        GAMES[key].game.parse_move(line, GAMES[key].view)
    assert time.process_time() - start < 0.5


def test_dominos_asks_which_of_two_ends_with_the_same_number() -> None:
    with pytest.raises(Ambiguous) as raised:
        DOMINOS.parse_move("63 an 6", dominos_table.view("66", "63"))
    assert (raised.value.code, raised.value.params["readings"]) == ("which-end", ["63@L", "63@R"])


def test_dominos_lets_the_rules_refuse_a_tile_that_fits_nowhere() -> None:
    laid = "66 62@L 61@R 64@N"
    move = DOMINOS.parse_move("33", dominos_table.view(laid, "33 42"))
    with pytest.raises(Illegal) as raised:
        DOMINOS.apply_move(dominos_table.table("33 42", "55", "", laid), 0, move, dominos_table.context())
    assert raised.value.params["ends"] == {"L": 2, "R": 1, "N": 4, "S": 6}


def test_on_an_empty_table_of_dominos_places_mean_nothing() -> None:
    for line in ("64", "64@L", "64 rechts", "64 an 4"):
        assert DOMINOS.parse_move(line, dominos_table.view("", "64")) == DominoPlacement("64")
    for condition in (None, 5):
        assert DOMINOS.parse_move(
            DOMINOS.format_move(DominoPlacement("64", "", condition)), dominos_table.view("", "64")
        ) == DominoPlacement("64", "", condition)


def test_all_of_a_rack_of_topwords_is_exchanged() -> None:
    view = GAMES["topwords"].view
    for line in ("tausche alles", "exchange all"):
        other = View(0, view.public, tuple("QQRSTXY"), (7, 7), 86, (0, 0), (0,))
        assert TOPWORDS.parse_move(line, other) == LetterExchange(tuple("QQRSTXY"))
    nobody = View(None, view.public, (), (4, 2), 0, (0, 0), (0,))
    assert TOPWORDS.parse_move("E5 w HAUS", nobody) == TopwordsPlacement("E5", "w", "HAUS")
    with pytest.raises(Unreadable, match="exchange-no-letters"):
        TOPWORDS.parse_move("tausche alle", nobody)


def test_a_small_table_of_typ_dom_names_its_last_square() -> None:
    small = Match("kreuzwort", "AENHUS", "B", table_size=15)
    with pytest.raises(Unreadable) as caught:
        small.turn("T20 w HAUS")
    assert caught.value.params["last"] == "O15"


VIEW = GAMES["recht"].view


def test_recht_reads_tiles_words_and_purchases() -> None:
    assert RECHT.parse_move("vorn *S + N = STERN", VIEW) == Added((RechtTile("*S", "front"), RechtTile("N")), "STERN")
    first = RECHT.parse_move("E an T20 w = REISE", GAMES["recht, nothing lies"].view)
    assert first == Added((RechtTile("E", "T20"),), "REISE", "w")
    assert RECHT.parse_move("weiter hinten T = NAHT", VIEW) == Added((RechtTile("T", "back"),), "NAHT", goes_on=True)
    assert RECHT.parse_move("buy red, pass", VIEW) == RechtPurchase("red", then_pass=True)
    assert RECHT.parse_move("exchange A at H7; pass", VIEW) == RechtPass((Traded("A", "H7"),))
    assert RECHT.parse_move("complete from t19", VIEW) == RechtCompletion("T19")


SAID = (
    "I announce", "I say", "I call", "I am announcing", "I'm announcing", "I’m calling", "I will announce", "I'll say",
    "and I announce", "then I announce", "I then announce", "I hereby announce", "announcing", "announce", "I now call",
    "ich sage", "ich sage an",
)  # fmt: skip
LAID = (
    "{} behind", "behind {}", "I lay {} behind", "I put {} at the back", "{} hinten", "I add {} behind",
    "I'll put {} behind", "I place {} at the end", "ich lege {} hinten",
)  # fmt: skip


@pytest.mark.slow
def test_recht_knows_that_the_pronoun_is_no_tile() -> None:
    """Every way to lay × every way to announce × what stands between them × which comes first; also where I is laid."""
    count = 0
    for letter, word in (("T", "BRETT"), ("I", "NEIN"), ("S", "SIS"), ("*N", "NEIN")):
        for laid, said in itertools.product(LAID, SAID):
            for text in (
                *(f"{laid.format(letter)}{joint} {said} {word}" for joint in (",", ".", ":", ";", " -", " –", "")),
                f"{laid.format(letter)} ({said} {word})",
                f"{said} {word}: {laid.format(letter)}",
            ):
                assert GAMES["recht"].canonical(text) == f"hinten {letter} = {word}", text
                count += 1
                if count % 17 == 0:
                    assert split_sections([Line(1, text)])[0].commands == []
                    assert parse_mail_text(RECHT, VIEW, text).text == f"hinten {letter} = {word}", text
    assert count > 5000


RECHT_PIECES_TEXT = """
vorn hinten weiter E S W A I T *S *E ST ER an at T20 20T AA7 AN40 ZZ9 w s → ↓ = : , + und ; ( ) STERN NAHT REISE WORT AN
WEITER KAUFE PASSE kaufe rot schwarz passe vollende ab tausche Jolly gegen back front continue put ich sage links 5
rechts Ö ß é * + . ! - Stern sonst E2 T-20
"""
RECHT_PIECES = RECHT_PIECES_TEXT.split()


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in GAMES if key.startswith("recht")])
def test_recht_reads_again_what_it_wrote(key: str) -> None:
    dice, read, view = random.Random(7), 0, GAMES[key].view
    for _ in range(4000):
        blank = " " if dice.random() < 0.9 else ""
        line = blank.join(dice.choice(RECHT_PIECES) for _ in range(dice.randint(1, 8)))
        try:
            move = RECHT.parse_move(line, view)
        except PlayerError:
            continue
        read += 1
        assert RECHT.parse_move(RECHT.format_move(move), view) == move, line
    assert read > 100
