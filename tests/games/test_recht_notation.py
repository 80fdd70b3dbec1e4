"""How the moves of »Wer behält recht?« are read and written."""

from __future__ import annotations

import itertools
import random
import time
from dataclasses import dataclass

import pytest

from moderator.errors import Ambiguous, PlayerError, Unreadable
from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_state import Buy, Complete, Lay, Pass, Public, Tile
from moderator.games.typdom.state import Exchange
from moderator.inbox.sections import cut
from moderator.mail.model import Line as MailLine
from moderator.match.contract import View, view_for
from moderator.match.orders import OrderSheet, read_lines, split
from tests.games.tables import spelled
from tests.games.typdom_table import Match

GROWING = {
    "squares": {"T20": "A", "T21": "H"},
    "running": {"square": "T20", "direction": "s", "word": "NAHT", "author": 1},
}
FINISHED = {
    "squares": dict(zip(("S20", "T20", "U20", "V20"), "NAHT", strict=True)),
    "finished": {"square": "S20", "direction": "w"},
}
VIEW: View[Public] = view_for(Match("recht", "AENXYZQT", "AB", known="NAHT", board=GROWING).state, 0)
AFTER: View[Public] = view_for(Match("recht", "AENXYZQT", "AB", known="NAHT", board=FINISHED).state, 0)
EMPTY: View[Public] = view_for(Match("recht", "AENXYZQT", "AB", known="NAHT").state, 0)


def written(line: str, view: View[Public] = VIEW) -> str:
    move = GAME.parse(line, view)
    assert GAME.parse(GAME.format(move), view) == move
    return GAME.format(move)


@pytest.mark.parametrize(
    "line",
    [
        "hinten T = NAHT", "T hinten = naht", "hinten T NAHT", "hinten: T, NAHT", "hinten T: Naht", "NAHT: hinten T",
        "NAHT = hinten T", "back T = NAHT", "T behind = naht", "T after, NAHT", "T dahinter, ich sage NAHT an",
        "rechts T = NAHT", "ich lege T hinten und sage NAHT an", "Ich setze hinten ein T an, Ansage: NAHT",
        "unten T -> NAHT", "hinten T → NAHT", "hinten „T“ = „NAHT“", "**hinten T = NAHT**", "*hinten T = NAHT*",
        "I put T at the back and say NAHT", "hinten T = das Wort NAHT", "hinten T (NAHT)",
    ],
)  # fmt: skip
def test_many_ways_to_add_a_tile_behind(line: str) -> None:
    assert written(line) == "hinten T = NAHT"


@pytest.mark.parametrize(
    ("line", "canonical"),
    spelled({
        "vorn S = STERN": [
            "vorn S = STERN", "S davor: Stern", "links S = STERN", "front S = STERN", "S before STERN",
            "vorn S = S*TERN",
        ],
        "S = STERN": ["S = STERN"],
        "T an T22 = NAHT": ["T an T22 = NAHT"],
        "hinten T = NAEHT": ["hinten T = NÄHT"],
        "vorn S = STRASSE": ["vorn S = Straße"],
        "vorn *S = STERN": [
            "vorn *S = STERN", "vorn ★S = STERN", "vorn S = *STERN", "vorn Jolly S = STERN",
            "vorn Stern als S = STERN", "*S vorn = STERN",
        ],
        "vorn S + hinten N = STERN": ["vorn S + hinten N = STERN", "S vorn und N hinten, ich sage STERN an"],
        "vorn S + T = STERN": ["vorn S + T = STERN"],
        "vorn S + vorn T = STERN": ["vorn ST = STERN"],
        "hinten R + hinten N = STERN": ["hinten RN = STERN"],
        "hinten T = WEITER": ["hinten T = WEITER"],
        "hinten T = WORT": ["hinten T = WORT"],
        "hinten N = AN": ["hinten N = AN"],
    }),
)  # fmt: skip
def test_adding_and_announcing(line: str, canonical: str) -> None:
    assert written(line) == canonical


@pytest.mark.parametrize(
    ("line", "canonical"),
    spelled({
        "weiter T": ["weiter T", "T weiter", "weiter: T", "weiter mit T", "continue T"],
        "weiter *T": ["weiter *T"],
        "weiter vorn T": ["weiter vorn T"],
        "weiter hinten T": ["continue back T", "weiter T hinten"],
        "weiter T = NAHT": ["weiter T = NAHT", "weiter T (NAHT)"],
        "weiter vorn N + hinten T": ["weiter vorn N + hinten T"],
    }),
)  # fmt: skip
def test_going_on(line: str, canonical: str) -> None:
    assert written(line) == canonical


@pytest.mark.parametrize(
    ("line", "canonical"),
    spelled({
        "E an T20 = REISE": [
            "E an T20 = REISE", "E at T20 = REISE", "start E at T20 = REISE", "Ich beginne mit E an T20: REISE",
            "E T20 REISE", "E an 20T = REISE", "T20 E = REISE", "T20: E = REISE", "I put E on T20 = REISE",
        ],
        "E an T20 w = REISE": [
            "E an T20 w = REISE", "E an T20 waagerecht = REISE", "T20 w E = REISE", "E at T20 across = REISE",
        ],
        "E an T20 s = REISE": ["E an T20 = REISE (senkrecht)", "E an T20 = REISE s", "E an T20 ↓ = REISE"],
        "S an T20 s = STERN": ["S an T20 s = STERN", "T20 s S = STERN"],
        "S an T20 = STERN": ["S an T20 = STERN", "T20 S = STERN"],
        "W an T20 w = WORT": ["W an T20 w = WORT"],
        "*E an T20 = REISE": ["*E an T20 = REISE"],
        "E an AA7 = REISE": ["E an AA7 = REISE"],
        "E an T21 + R an T22 = KERN": ["E an T21 + R an T22 = KERN", "E an T21, R auf T22 = KERN"],
        "E an T21 + R = KERN": ["E an T21 + R = KERN"],
        "I an T20 w = EIN": ["I an T20 w = EIN"],
        "E an T21 w + R an U21 = KERN": ["ER an T21 w = KERN"],
    }),
)  # fmt: skip
def test_starting_a_word(line: str, canonical: str) -> None:
    assert written(line, EMPTY) == canonical


def test_letters_in_one_piece_run_across_the_finished_word() -> None:
    assert written("ER an T21 = KERN", AFTER) == "E an T21 + R an T22 = KERN"
    assert written("ER an T21 = KERN", EMPTY) == "E an T21 + R an U21 = KERN"


@pytest.mark.parametrize(
    ("line", "canonical"),
    spelled({
        "kaufe rot": ["kaufe rot", "buy red", "kaufe Vokal"],
        "kaufe schwarz": ["Ich kaufe einen schwarzen Stein", "buy a black tile"],
        "kaufe rot, passe": ["kaufe rot, passe", "kaufe rot; passe", "kaufe rot, dann passe", "buy red, pass"],
        "kaufe schwarz, passe": ["kaufe schwarz und passe"],
        "passe": ["passe", "ich passe diesmal", "weitermelden", "ich melde weiter", "report on"],
        "vollende ab T19": ["vollende ab T19", "vollende NAHT ab T19", "complete from T19"],
        "tausche A an H7; hinten T = NAHT": [
            "tausche A an H7; hinten T = NAHT", "tausche A an H7, hinten T = NAHT",
            "exchange A at H7; back T = NAHT",
        ],
        "tausche A an H7, E an K3; weiter T": ["tausche A an H7 und E an K3; weiter T"],
        "tausche A an H7; passe": ["tausche den Jolly an H7 gegen A; passe"],
        "tausche A an H7; kaufe rot, passe": ["tausche A an H7; kaufe rot, passe"],
        "tausche A an H7; E an T20 = REISE": ["tausche A an H7; E an T20 = REISE"],
        "tausche A an H7; E an T20 + S = REISE": ["tausche A an H7; E an T20 + S = REISE"],
        "tausche A an H7, S an H9; E an T20 + S = REISE": ["tausche A an H7; S an H9; E an T20 + S = REISE"],
        "tausche A an H7; vollende ab T19": ["tausche A an H7; vollende ab T19"],
    }),
)  # fmt: skip
def test_buying_passing_exchanging_completing(line: str, canonical: str) -> None:
    assert written(line) == canonical


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
def test_the_pronoun_is_no_tile() -> None:
    """Every way to lay × every way to announce × what stands between them × which comes first; also where I is laid."""
    count = 0
    for letter, word in (("T", "BRETT"), ("I", "NEIN"), ("S", "SIS"), ("*N", "NEIN")):
        for laid, said in itertools.product(LAID, SAID):
            for text in (
                *(f"{laid.format(letter)}{joint} {said} {word}" for joint in (",", ".", ":", ";", " -", " –", "")),
                f"{laid.format(letter)} ({said} {word})",
                f"{said} {word}: {laid.format(letter)}",
            ):
                assert written(text) == f"hinten {letter} = {word}", text
                count += 1
                if count % 17 == 0:
                    assert mailed(text) == f"hinten {letter} = {word}", text
    assert count > 5000


def mailed(text: str) -> str:
    """What the desk takes out of a line of a mail."""
    (section,) = cut([MailLine(1, text)])
    assert section.commands == []
    return read_lines(section.lines, lambda line: GAME.parse(line, VIEW), GAME.format, GAME.style).text


def test_what_is_read() -> None:
    assert GAME.parse("vorn *S + N = STERN", VIEW) == Lay((Tile("*S", "front"), Tile("N")), "STERN")
    assert GAME.parse("E an T20 w = REISE", EMPTY) == Lay((Tile("E", "T20"),), "REISE", "w")
    assert GAME.parse("weiter hinten T = NAHT", VIEW) == Lay((Tile("T", "back"),), "NAHT", goes_on=True)
    assert GAME.parse("buy red, pass", VIEW) == Buy("red", then_pass=True)
    assert GAME.parse("exchange A at H7; pass", VIEW) == Pass((Exchange("A", "H7"),))
    assert GAME.parse("complete from t19", VIEW) == Complete("T19")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "empty-line"), ("x" * 2000, "line-too-long"), ("hinten T", "no-announcement"),
        ("hinten T = N", "no-announcement"), ("hinten = NAHT", "no-letter"), ("weiter", "no-letter"),
        ("weiter so", "no-letter"), ("T20 w NAHT", "no-letter"), ("STERN", "no-letter"), ("T: NAHT", "no-place"),
        ("hinten T = NAHT oder STERN", "extra-words"), ("hinten XY = NAHT", "extra-words"),
        ("hinten 5 = NAHT", "extra-words"), ("Danke = NAHT", "extra-words"),
        ("hinten T S = NAHT", "too-many-letters"), ("hinten Ö = STROEH", "too-many-letters"),
        ("ER an AN21 w = KERN", "too-many-letters"), ("weiter NT", "no-letter"),
        ("hinten É = NAHT", "foreign-letter"), ("E an ZZ99 = REISE", "square-off-board"), ("kaufe 2 rot", "buy-one"),
        ("kaufe blau", "buy-colour"), ("kaufe rot und lege hinten T = NAHT", "buy-first"),
        ("hinten T = NAHT, passe", "unclear-turn"), ("tausche A an H7", "exchange-then"),
        ("tausche A und B an H7; passe", "exchange-unclear"), ("vollende", "complete-where"),
        ("vollende STERN ab T19", "extra-words"),
    ],
)  # fmt: skip
def test_unreadable(line: str, code: str) -> None:
    with pytest.raises(Unreadable) as caught:
        GAME.parse(line, VIEW)
    assert caught.value.code == code
    assert "line" in caught.value.params


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("vorn hinten T = NAHT", "two-sides"), ("T an T22 vorn = NAHT", "two-sides"),
        ("E an T20 U20 = REISE", "two-squares"), ("E an T20 waagerecht senkrecht = REISE", "two-directions"),
    ],
)  # fmt: skip
def test_ambiguous(line: str, code: str) -> None:
    with pytest.raises(Ambiguous) as caught:
        GAME.parse(line, VIEW)
    assert caught.value.code == code
    assert len(caught.value.params["readings"]) == 2


@pytest.mark.parametrize(
    "line",
    [
        "Hallo zusammen,", "Gruß, Anna", "Re: Partie", "PS: danke", "Weiter so mit dem Spiel!", "Vor allem A war gut",
        "Vor allem A",
        "Ich war gestern in Wien", "After I left", "Bis bald, Bert", "Anna: hinten wird es eng", "Danke: super",
        "Angesagt ist NAHT von Anna.", "Prima, Anna! Weiter.", "Ich sage nichts an",
    ],
)  # fmt: skip
def test_chat_is_no_move(line: str) -> None:
    with pytest.raises(PlayerError):
        GAME.parse(line, VIEW)


# ---- in a mail ----


@dataclass
class Line:
    number: int
    text: str


def sheet(text: str) -> OrderSheet:
    lines = [Line(n, line) for n, line in enumerate(text.splitlines(), start=1)]
    return read_lines(lines, lambda line: GAME.parse(line, VIEW), GAME.format, GAME.style)


@pytest.mark.parametrize(
    ("mail", "orders"),
    [
        ("Hallo,\nhinten T = NAHT\nGruß, Anna", ["hinten T = NAHT"]),
        ("1. hinten T = NAHT\n2. weiter T\n3. kaufe rot", ["hinten T = NAHT", "weiter T", "kaufe rot"]),
        ("hinten T = NAHT; sonst vorn S = STERN; sonst passe", ["hinten T = NAHT", "vorn S = STERN", "passe"]),
        ("hinten T = NAHT sonst weiter T", ["hinten T = NAHT", "weiter T"]),
        ("Zug: hinten T = NAHT\nErsatz: *S vorn = STERN", ["hinten T = NAHT", "vorn *S = STERN"]),
        ("back T = NAHT\nelse continue T\nelse buy red, pass", ["hinten T = NAHT", "weiter T", "kaufe rot, passe"]),
        ("kaufe rot\npasse\nGruß", ["kaufe rot, passe"]),
        ("kaufe rot\nLiebe Grüße", ["kaufe rot"]),
        ("kaufe rot; sonst passe", ["kaufe rot", "passe"]),
        ("tausche A an H7; hinten T = NAHT; sonst weiter T", ["tausche A an H7; hinten T = NAHT", "weiter T"]),
        ("tausche A an H7\nhinten T = NAHT", ["tausche A an H7; hinten T = NAHT"]),
        ("- hinten T = NAHT\n- weiter T", ["hinten T = NAHT", "weiter T"]),
    ],
)
def test_orders_in_a_mail(mail: str, orders: list[str]) -> None:
    read = sheet(mail)
    assert [line.canonical for line in read.orders] == orders
    assert not read.errors
    assert [alternative.text for alternative in split(read.text, GAME.style)] == orders


@pytest.mark.parametrize("line", ["hinten T", "vorn: S", "kaufe blau", "E an T20 = N", "S davor", "vollende"])
def test_what_was_meant_as_a_move_is_answered(line: str) -> None:
    assert [found.status for found in sheet(line).lines] == ["error"]


@pytest.mark.parametrize(
    "line", ["Weiter so!", "After I left it was late", "Vor allem Anna", "oben ist es schön", "Unter uns: gut!"]
)
def test_chat_is_left_alone(line: str) -> None:
    assert {found.status for found in sheet(line).lines} == {"text"}


PIECES_TEXT = """
vorn hinten weiter E S W A I T *S *E ST ER an at T20 20T AA7 AN40 ZZ9 w s → ↓ = : , + und ; ( ) STERN NAHT REISE WORT AN
WEITER KAUFE PASSE kaufe rot schwarz passe vollende ab tausche Jolly gegen back front continue put ich sage links 5
rechts Ö ß é * + . ! - Stern sonst E2 T-20
"""
PIECES = PIECES_TEXT.split()


@pytest.mark.slow
@pytest.mark.parametrize("view", [VIEW, AFTER, EMPTY], ids=["growing", "finished", "empty"])
def test_whatever_is_read_is_written_so_that_it_is_read_again(view: View[Public]) -> None:
    dice, read = random.Random(7), 0
    for _ in range(4000):
        blank = " " if dice.random() < 0.9 else ""
        line = blank.join(dice.choice(PIECES) for _ in range(dice.randint(1, 8)))
        try:
            move = GAME.parse(line, view)
        except PlayerError:
            continue
        read += 1
        assert GAME.parse(GAME.format(move), view) == move, line
    assert read > 100


LONG = ["kaufe " + "rot " * 300, "tausche " * 150, "vorn " + "S + " * 300, "hinten (" * 150, "E an " * 250]


@pytest.mark.parametrize("line", LONG)
def test_long_lines_are_answered_at_once(line: str) -> None:
    start = time.process_time()
    sheet(line)
    assert time.process_time() - start < 0.5
