"""A move is read in whatever friendly words it stands, dictated and with its blanks missed; never as another move."""

import itertools
from string import ascii_uppercase
from typing import Any

import pytest

from moderator.common.errors import Ambiguous
from moderator.common.mails import Line
from moderator.games import REGISTRY, load_game
from moderator.rules.game import Game, State
from moderator.rules.orders.forgiving import NUMBER_OF, is_greeting_line
from moderator.rules.orders.parse import ParsedOrders, parse_order_lines
from moderator.rules.state import View, view_for
from tests.games import domijongg_table
from tests.games.matches import TABLES, a_match

ENDS = (
    " LG Anna", ", LG Anna", ". LG", " lg", " VG", " – viele Grüße", " - viele Grüße, Anna", ", liebe Grüße",
    ". Liebe Gruesse aus Bremen", " Gruß Anna", ". Gruß, Anna!", " mfg", " danke!", ", danke schön", " bitte", "",
    " vielen Dank im Voraus", ". Schönen Abend noch!", ". Schönes Wochenende, eure Anna", ", bis morgen", " viel Glück",
    ", cheers", ", cheers, Anna", " thanks!", ", thank you",
    ". Best wishes, Anna", " please", ". Have fun!", " danke, lg",
    ", merci !", " Merci beaucoup", ", s'il te plaît", ". Cordialement, Anna", ", bises",
    ". À bientôt, Zoé", " bonne soirée",
    " :)", " ;-)", " :-D", " 😀", "😀", " 🎉🎉", " ❤️ lg", " *grins*", " haha", "!", " ...",
)  # fmt: skip
BEGINNINGS = (
    "Hallo, ", "Hallo zusammen, ", "Hi Anna! ", "Moin moin, ", "Guten Abend, ", "Liebe Leute: ", "Dear all, ", "ok, ",
    "Na gut, ", "Mein Zug ist ", "Mein Zug lautet: ", "My move is ", "😀 ", "Bitte ",
    "Bonjour, ", "Salut Anna ! ", "Chère Anna, ",
)  # fmt: skip
COURTESIES = (
    "LG", "Viele Grüße", "Viele Grüße, Anna", "Mit freundlichen Grüßen", "Liebe Grüße aus dem Urlaub",
    "Hallo zusammen,",
    "Hi Anna!", "Danke!", "Vielen Dank im Voraus", "Schönen Abend noch", "Good luck!", "Kind regards, Anna", ":-)",
    "🎉", "Bis morgen, Anna", "Bonjour Anna,", "Salut à tous,", "Merci d’avance",
    "Bien cordialement, Anna", "Amitiés, Zoé", "À bientôt",
)  # fmt: skip


def read(game: Game[Any, Any], view: View[Any], *lines: str) -> ParsedOrders:
    numbered = [Line(number, text) for number, text in enumerate(lines, start=1)]
    return parse_order_lines(numbered, lambda text: game.parse_move(text, view), game.format_move, game.style)


def positions(key: str, pace: str) -> list[tuple[State[Any], int, str]]:
    """(state, seat, one of its moves) of a random match."""
    match = a_match(key, pace, 1)
    text = match.game.pass_text
    found = [(match.first.state, match.first.state.to_move[0], text)] if text else []
    for played in match.calls[::3]:
        if played.name == "apply_move" and played.seat is not None:
            found.append((played.before, played.seat, match.game.format_move(played.move)))
        elif played.name == "evaluate_round":
            found += [(played.before, seat, match.game.format_move(move)) for seat, move in played.move.items() if move]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("key", "pace"), TABLES)
def test_friendly_words_change_no_move(key: str, pace: str) -> None:
    game = load_game(key)
    seen = positions(key, pace)
    assert seen
    for state, seat, move in seen:
        if "\n" in move:
            continue  # a drawn crossword has lines of its own
        view = view_for(state, seat)
        for before, behind in [*itertools.product(BEGINNINGS, ("", ENDS[0])), *itertools.product(("",), ENDS)]:
            sheet = read(game, view, f"{before}{move}{behind}")
            assert sheet.text == move, (f"{before}{move}{behind}", sheet)


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_friendly_words_are_no_move(key: str) -> None:
    game = load_game(key)
    state, seat, _ = positions(key, game.paces[0])[0]
    for text in COURTESIES:
        sheet = read(game, view_for(state, seat), text)
        assert is_greeting_line(text), text
        assert {line.status for line in sheet.lines} == {"text"}, (text, sheet)


MEANT = [
    ("topwords", "E fünf waagerecht Haus", "E5 w HAUS"),
    ("topwords", "E fünf waagerecht eins", "E5 w EINS"),
    ("topwords", "E five across HOUSE", "E5 w HOUSE"),
    ("topwords", "E5wHAUS", "E5 w HAUS"),
    ("topwords", "5EwHAUS lg", "E5 w HAUS"),
    ("topwords", "E5 w DANKE", "E5 w DANKE"),
    ("topwords", "E5 w DANKE, danke", "E5 w DANKE"),
    ("topwords", "E5 w GRUSS LG Anna", "E5 w GRUSS"),
    ("topwords", "E5 w HAUS, thanks!", "E5 w HAUS"),
    ("topwords", "E5 w HAUS (DANKE) 12", "E5 w HAUS (DANKE) 12"),
    ("topwords", "I'll play HAUS at E5 across.", "E5 w HAUS"),
    ("topwords", "Ich spiele das Wort Haus auf E5 waagerecht und freue mich", "E5 w HAUS"),
    ("recht", "Ich finde nichts und kaufe 1x rot", "kaufe rot"),
    ("recht", "Ich sehe nichts, passe", "passe"),
    ("dominos", "an links bitte den sechs-vierer", "64@L"),
    ("topwords", "Mein Wort: drecksau ab A4 waagerecht", "A4 w DRECKSAU"),
]


@pytest.mark.parametrize(("key", "text", "move"), MEANT)
def test_what_is_meant(key: str, text: str, move: str) -> None:
    state, seat, _ = positions(key, "sequential")[-1]
    assert read(load_game(key), view_for(state, seat), text).text == move, read(
        load_game(key), view_for(state, seat), text
    )


def test_a_tile_is_put_in_many_words() -> None:
    state, seat, move = positions("tridom", "sequential")[-1]
    (tile, place), game = move.split("@"), load_game("tridom")
    spoken = " ".join(next(word for word, digit in NUMBER_OF.items() if digit == sign) for sign in tile)
    for form in ("lege {} auf die {}", "{} Nr. {}", "{} an Nummer {}", "{}#{}", "{} an die {}", "die {} an die {} :)"):
        assert read(game, view_for(state, seat), form.format(tile, place)).text == move, form
    for text in (f"{spoken} an {place}", f"Ich lege die {tile} an die {place}"):
        assert read(game, view_for(state, seat), text).text == move, text


def test_a_row_of_a_crossword_is_no_smiley() -> None:
    """``X)`` at the end of a drawing, ``XD`` in it: it is read as it stands; without brackets it is asked about."""
    state, seat, _ = positions("presto", "race")[0]
    game, view = load_game("presto"), view_for(state, seat)
    for first, second in itertools.product(ascii_uppercase, ["", "D", "P"]):
        for drawing in (f"Gitter (AB / {first}{second})", f"Gitter (AB / {first}{second} / E)"):
            assert read(game, view, drawing).text == drawing
            assert read(game, view, f"{drawing} :-)").text == drawing
        (line,) = read(game, view, f"Gitter: AB / {first}{second}").lines
        assert line.status == "move" or isinstance(line.error, Ambiguous), line


def test_a_name_that_is_a_tile_is_asked_about() -> None:
    view = view_for(domijongg_table.table("B3 K4 DR", "DW"), 0)
    assert read(load_game("domijongg"), view, "1 DR").text == "1: DR"
    (line,) = read(load_game("domijongg"), view, "1: B3 LG rot").lines
    assert isinstance(line.error, Ambiguous)
    assert line.error.params["readings"] == ["1: B3", "1: B3, DR"]


@pytest.mark.parametrize("text", ["E5 w", "E5 w VIELEN DANK", "Hallo E5", "danke E5"])
def test_no_half_of_a_line_is_a_move(text: str) -> None:
    state, seat, _ = positions("topwords", "sequential")[0]
    assert not read(load_game("topwords"), view_for(state, seat), text).orders
