"""Submissions of Presto as people write them: drawn in many ways, as placements, among prose."""

import pytest

from moderator.common.errors import Unreadable
from moderator.games.typdom.board import SIZE
from moderator.games.typdom.presto_notation import (
    STYLE,
    PrestoPass,
    format_presto_move,
    parse_presto_move,
)
from moderator.games.typdom.presto_state import CrosswordLayout, assign_jollies, format_crossword
from moderator.rules.orders.parse import ParsedOrders, parse_order_lines
from tests.mail.new_text import new_text

NACHT = "Gitter (..L / EXAMEN / ..G..A / ..E..C / .....H / .....T)"


def sheet(text: str, hand: tuple[str, ...] = ()) -> ParsedOrders:
    """A mail, read as we read it."""
    lines, _ = new_text(text)
    return parse_order_lines(lines, lambda line: parse_presto_move(line, hand), format_presto_move, STYLE)


ROWS = ("..L...", "EXAMEN", "..G..A", "..E..C", ".....H", ".....T")
CUT = [row.rstrip(".") for row in ROWS]
DRAWINGS = {
    "dots": "\n".join(ROWS),
    **{f"{sign} for an empty square": "\n".join(ROWS).replace(".", sign) for sign in "-_–#□"},
    "dots, ends left out": "\n".join(CUT),
    "indented in disorder": "  ..L...\n EXAMEN\n    ..G..A\n..E..C\n  .....H\n\t.....T",
    "small": "\n".join(ROWS).lower(),
    "as phones do it": "\n".join(row.capitalize() for row in ROWS),
    "as phones do it after dots": ". . L . . .\nE x a m e n\n. . G . . A\n. . E . . C\n. . . . . H\n. . . . . T",
    "blanks for empty squares": "\n".join(CUT).replace(".", " "),
    "blanks, wide": "\n".join(" ".join(row).replace(".", " ") for row in CUT),
    "blanks, wider": "\n".join("  ".join(row).replace(".", " ") for row in CUT),
    "blanks, wide, indented": "\n".join("   " + " ".join(row).replace(".", " ") for row in CUT),
    "no-break spaces": "\u00a0\u00a0L\nEXAMEN\n\u00a0\u00a0G\u00a0\u00a0A\n\u00a0\u00a0E\u00a0\u00a0C\n     H\n     T",
    "tabs": "\n".join(map("\t".join, CUT)),
    "bars": "\n".join(map("|".join, ROWS)),
    "names of rows": "\n".join(f"{n} {row}" for n, row in enumerate(ROWS, 1)),
    "names of rows with a bar": "\n".join(f"{n}| {' '.join(row)}" for n, row in enumerate(CUT, 1)),
    "names of rows and columns": "\n".join(f"{n or '':>2} {' '.join(row)}" for n, row in enumerate(("ABCDEF", *ROWS))),
    "blanks and names": "   TUVWXY\n19   L\n20 EXAMEN\n21   G  A\n22   E  C\n23      H\n24      T",
    "an empty row around": "\n".join(("......", *ROWS, "......")),
    "empty lines between": "\n\n".join(ROWS),
}


@pytest.mark.parametrize("drawn", DRAWINGS.values(), ids=DRAWINGS)
def test_ways_of_drawing(drawn: str) -> None:
    assert sheet(drawn).text == NACHT
    (order,) = sheet(f"Hallo Spielleiter,\n\nfertig!\n\n{drawn}\n\nViele Grüße\nAnna").orders
    assert (order.canonical, order.status) == (NACHT, "move")
    for title in ("Gitter:", "Mein Gitter", "Grid:", "Zug:", "Fertig!", "Hier meine Lösung:"):
        assert sheet(f"{title}\n{drawn}").text == NACHT, title


def test_prose_right_below_or_above_is_no_part_of_it() -> None:
    drawn = DRAWINGS["dots"]
    for prose in ("Anna", "Fertig", "Hallo zusammen", "Gruß", "Liebe Grüße, Anna", "Schönen Abend noch."):
        assert sheet(f"{drawn}\n{prose}").text == NACHT
        assert sheet(f"{prose}\n{drawn}").text == NACHT
    found = sheet(f"Hallo!\n{drawn}\nTschüss, Anna")
    assert [(line.number, line.status) for line in found.lines] == [(1, "text"), (2, "move"), (8, "text")]


def test_another_drawing_without_a_marker_is_a_fallback_too() -> None:
    found = sheet(f"{DRAWINGS['dots']}\n\noder vielleicht so:\n\nBAR\n.R.\n.T.")
    assert [line.status for line in found.lines if line.status != "text"] == ["move", "fallback"]
    assert sheet("SONST\n....O\n....R").text == "Gitter (SONST / ....O / ....R)"  # in capitals it is no marker


@pytest.mark.parametrize(
    "text",
    [
        "Hallo!\nIch bin noch nicht fertig.\nGruß\nAnna", "hallo\nanna", "A  U  U\nH  S  T\nB  C  D",
        "A \tE \tE \tE \tE \tI \tO \tO\nU \tY\nF \tG \tH \tH\nN \tN \tN \tP \tR", "Spieler\nZug\nGesamt",
        "HALLO\nANNA", "LIEBE GRUESSE\nANNA", "ICH HABE NOCH NICHTS\nBIS MORGEN DANN", "- Anna\n- Bert\n- Christian",
        "* Anna\n* Bert", "na ja...\nmal sehen...", "z.B.\nusw.", "Viele Grüße aus Wien\nAnna", "...\n...",
        "-----\n_____", "A B C D E F G H\nI J K L M N O P\nQ R S T", "AAEEECGH\nLMNTXBCD\nKL",
        "A\nA\nE\nE\nE\nC\nG\nH\nL", "ABCDEFGH\n1234", "EXAMEN", "1ǀ . . L\n2ǀ E X A M E N\n3ǀ . . G",
        "ǀ X ǀ Y ǀ\nǀ A ǀ B ǀ", "Reihe 1 ab A: A *B\nReihe 2 ab A: C", "Fertig!", "20.11.2026\n10:15",
    ],
)  # fmt: skip
def test_what_is_no_drawing(text: str) -> None:
    assert sheet(text).orders == ()
    assert sheet(text).errors == ()


@pytest.mark.parametrize(
    ("text", "code", "params"),
    [
        ("ÄPFEL\n.B", "grid-umlaut", {"letter": "Ä", "letters": "AE"}),
        ("STRAßE\n.B...", "grid-umlaut", {"letter": "SS", "letters": "SS"}),
        ("Gitter (EXAMEN / 7)", "grid-letter", {"letter": "7"}),
        ("Gitter (EX* / B)", "grid-star", {"row": "EX*"}),
        ("Gitter (. / .)", "grid-empty", {}),
        (f"Gitter ({'A' * 41})", "grid-too-large", {"most": SIZE}),
        ("T20 w EXAMEN + T20 s TOR", "two-letters", {"letters": ["E", "T"]}),
        ("AK20 w EXAMEN", "off-board", {"room": 4}),
        ("T20 EXAMEN", "no-direction", {}),
        ("T20 w EXAMEN + Y20 s", "no-word", {}),
    ],
)
def test_drawings_and_placements_that_cannot_be_read(text: str, code: str, params: dict[str, object]) -> None:
    (error,) = [line.error for line in sheet(text).errors]
    assert error.code == code
    assert {name: error.params[name] for name in params} == params
    assert "line" in error.params


def test_a_jolly_in_a_drawing() -> None:
    for row in ("EX*AMEN", "EXaMEN", "EX★AMEN", "EX(A)MEN", "E X *A M E N", "E X A* M E N", "E X a M E N"):
        assert sheet(f"..L\n{row}\n..G").text == "Gitter (..L / EX*AMEN / ..G)", row
    for row in ("  L\nEX*AMEN\n  G  A", "   L\nEX*AMEN\n   G  A"):  # it does not move the columns
        assert sheet(row).text == "Gitter (..L / EX*AMEN / ..G..A)"


@pytest.mark.parametrize(
    ("rows", "hand", "expected"),
    [
        (("TOR",), "TOR", ("TOR",)), (("T*OR",), ["T", "*r", "R"], ("T*OR",)),
        (("TOR",), ["T", "*r", "R"], ("T*OR",)), (("*TOR",), ["T", "*r", "R"], ("T*OR",)),
        (("OTTO",), ["T", "T", "O", "*r"], ("*OTTO",)), (("OTT*O",), ["T", "T", "O", "*r"], ("OTT*O",)),
        (("TOR",), ["T", "*b", "R"], ("TOR",)), (("T*O*R",), ["T", "O", "*b"], ("TO*R",)),
    ],
)  # fmt: skip
def test_jollies_stand_where_they_are_needed(rows: tuple[str, ...], hand: list[str], expected: tuple[str, ...]) -> None:
    assert assign_jollies(CrosswordLayout(rows), hand).rows == expected


def test_ways_of_writing_on_one_line() -> None:
    for text in (
        "Gitter (TOR / .R / .T)", "gitter: TOR/.R/.T", "Gitter: TOR/-R-/-T-", "GRID (tor / .r / .t)",
        "Grid: T O R / . R / . T", "Kreuzwort: (TOR / _R_ / _T_)", "crossword [TOR | .R. | .T.]",
        "Mein Gitter: TOR / .R / .T.", "  Gitter   ( TOR/.R/.T )  ",
    ):  # fmt: skip
        assert sheet(text).text == "Gitter (TOR / .R / .T)", text
    for text in ("passe", "Passe.", "pass", "ich passe", "Ich gebe auf!", "aufgeben", "I give up"):
        assert sheet(text).moves == (PrestoPass(),), text
    with pytest.raises(Unreadable, match="line-too-long"):
        parse_presto_move("Gitter (" + "A / " * 300 + ")")


def test_our_own_line_may_come_back_wrapped() -> None:
    long = format_crossword(CrosswordLayout(("EXAMEN" * 4, *["." * 20 + "A"] * 6)))
    words = long.split(" ")
    for at in range(1, len(words)):
        for further in range(at + 1, len(words)):
            lines = [" ".join(words[:at]), " ".join(words[at:further]), " ".join(words[further:])]
            if "(" in lines[0]:
                assert sheet("\n".join(lines)).text == long


ROSEN = "Gitter (WINTER / .G...O / .*E...S / .L...E / .....N)"


@pytest.mark.parametrize(
    "text",
    [
        "T20 w WINTER\nU20 s IG*EL\nY20 s ROSEN", "T20 w WINTER + U20 s IG*EL + Y20 s ROSEN",
        "T20 w WINTER + U20 s IG*EL\n+ Y20 s ROSEN", "T20 w WINTER; U20 s IG*EL; Y20 s ROSEN",
        "T20 w WINTER, U20 s IG*EL und Y20 s ROSEN", "t20 waagerecht Winter\nu20 senkrecht Ig*el\ny20 runter Rosen",
        "1. T20 w WINTER\n2. U20 s IG*EL\n3. Y20 s ROSEN", "- T20 w WINTER\n- U20 s IG*EL\n- Y20 s ROSEN",
        "WINTER T20 w\nIG(E)L U20 s\nROSEN Y20 s", "20Tw WINTER\n20Us IG*EL\n20Ys ROSEN",
        "Zug: T20 w WINTER\nU20 s IG*EL\nY20 s ROSEN",
        "T20 w WINTER\n\nund dazu noch:\n\nU20 s IG*EL\n\nY20 s ROSEN 7", "Y20 s ROSEN\nU20 s IG*EL\nT20 w WINTER",
        "A1 w WINTER\nB1 s IG*EL\nF1 s ROSEN", "T20 w WINTER (IGEL, ROSEN)\nU20 s IG*EL\nY20 s ROSEN",
    ],
)  # fmt: skip
def test_placements_are_one_submission(text: str) -> None:
    assert sheet(text).text == ROSEN
    assert len(sheet(text).orders) == 1
