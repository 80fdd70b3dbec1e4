"""The pages to lay letters on, in a real browser: Topwords, Kreuzwort-Spiel, Point-Typ-Dom, Presto and Wer behält
recht?"""

from typing import Any

import pytest

from moderator.common.errors import PlayerError
from moderator.games import load_game
from moderator.games.topwords.state import TopwordsOptions
from moderator.games.topwords.state import TopwordsPublic as TopwordsPublic
from moderator.games.typdom.recht_state import RechtLaying, RechtTile
from moderator.language.messages import render_note
from moderator.rules import turn_data
from moderator.rules.game import State
from moderator.rules.state import Note, view_for
from tests.games.presto_table import Match as PrestoMatch
from tests.games.typdom_table import Match
from tests.site.browser.zug_page import Board

pytestmark = pytest.mark.slow

TABLE = {
    **{f"{column}20": letter for column, letter in zip("OPQRST", "MEXICO", strict=True)},
    **dict(zip(("Q18", "Q19", "Q21"), ("T", "E", "*A"), strict=True)),
    **{f"{column}22": letter for column, letter in zip("QRSTUVWX", "SARAJEVO", strict=True)},
}
"""Of the sample game of Point-Typ-Dom."""


def topwords(words: str = "") -> State[TopwordsPublic]:
    board = [""] * 100
    board[44 : 44 + len(words)] = words
    public = TopwordsPublic(TopwordsOptions(), tuple(board), fresh=tuple(range(44, 48)) if words else ())
    return State(public, (tuple("MAOTERN"), tuple("AEINRST")), tuple("ENSIRAT"), (8, 0), (0,))


def typdom(key: str, rack: str = "POLAHN*r*bAS", board: Any = None) -> State[Any]:
    return Match[Any](key, rack, "FLST", stock="ENSIRAT", board=TABLE if board is None else board).state


def presto(*racks: str) -> State[Any]:
    return PrestoMatch(*(racks or ("AAEE*rCGHLMNTX", "TOR", "RUF")), known="EXAMEN LAGE NACHT").state


def recht() -> State[Any]:
    """The worked mails of RULES.md: Anna is to move again."""
    match = Match[Any]("recht", "EAEIOBDGHKRZ*b", "TAEIOUCDFGLNS", stock="ENSIRAT", known="REISE STERN")
    return match.play("E an T20 = REISE", "vorn T = STERN").state


def recht_at(board: dict[str, Any], rack: str) -> State[Any]:
    return Match[Any]("recht", rack, "FLSTEEEE", stock="ENSIRAT", board=board).state


def refusal(key: str, state: State[Any], move: Any) -> str:
    """What a mail would say of a move."""
    with pytest.raises(PlayerError) as error:
        load_game(key).apply_move(state, 0, move, turn_data.CONTEXT)
    return render_note(Note(error.value.code, error.value.params), "de", key)


def test_tiles_are_laid_by_tapping_and_the_mail_holds_the_move(board: Board) -> None:
    page = board.page
    board.open("topwords", topwords("HAUS"))
    assert page.url.endswith("zug/topwords.html"), "the token is out of the address bar"
    assert page.inner_text("h1") == "Topwords"
    assert "20:00" in page.inner_text("#until")
    board.tap("E5 =M")
    assert board.says == "MAUS, 5 Punkte."
    board.tap("#keep H4 #turn =O")
    assert board.order == ["E5 w MAUS", "sonst H4 s OS"]
    board.tap("#keep #pass")
    assert board.order == ["E5 w MAUS", "sonst H4 s OS", "sonst passe"]
    board.tap("!↑")
    assert board.order == ["H4 s OS", "sonst E5 w MAUS", "sonst passe"]


def test_tiles_are_laid_by_keys_and_by_dragging(board: Board) -> None:
    board.open("topwords", topwords(), "en/")
    board.spot("E5").focus()
    board.tap("<n> <o> <t>")
    assert board.order == ["E5 a NOT"]
    board.tap("<Backspace>")
    assert board.order == ["E5 a NO"]
    board.drag("R", "G5")
    assert board.order == ["E5 a NOR"]
    board.tap("=M")
    assert board.order == ["E5 a NORM"]


def test_a_word_that_touches_nothing_is_refused_and_tiles_are_exchanged(board: Board) -> None:
    board.open("topwords", topwords("HAUS"))
    board.tap("A1 =M =A")
    assert board.says == "MA ab A1 berührt nichts, was schon liegt."
    assert not board.order
    assert board.page.is_disabled("#go")
    board.tap("#undo #undo #swap =M =T")
    assert board.order == ["tausche M T"]


def test_two_words_are_laid_one_after_the_other_or_tiles_are_bought(board: Board) -> None:
    board.open("point", typdom("point"))
    assert "Point-Typ-Dom" in board.page.inner_text("h1")
    board.lay("T19", "PL", "s")
    assert board.says == "POLA, 8 Punkte."
    board.tap("!Zweites_Wort")
    assert "Jetzt das zweite Wort" in board.says
    board.lay("U19", "HON")
    assert board.order == ["T19 s POLA + T19 w PHON"]
    assert board.says.endswith("18 Punkte.")
    board.tap("#keep !Rot_kaufen !Schwarz_kaufen !Rot_kaufen")
    assert board.order == ["T19 s POLA + T19 w PHON", "sonst kaufe 2 rot 1 schwarz"]
    board.tap("!Rot_kaufen")
    assert board.says == "Du darfst höchstens 3 Steine kaufen."
    assert board.order[1] == "sonst kaufe 2 rot 1 schwarz"


def test_a_jolly_is_taken_from_the_table_and_asks_for_its_letter(board: Board) -> None:
    board.open("point", typdom("point", "AHRM"))
    assert board.label("Q21") == "Q21: A, ein Jolly"
    board.tap("T20 !Jolly_holen")
    assert board.says == "Auf T20 liegt kein Jolly."
    board.tap("Q21 !Jolly_holen")
    assert board.says.startswith("Der Jolly ist auf deiner Bank.")
    board.lay("W21", "H", "s")
    board.tap("=roter_Jolly")
    assert board.says == "Für welchen Buchstaben soll der Stein stehen?"
    assert board.page.locator("#rack button").all_inner_texts() == list("AEIOUY")
    board.tap("=E")
    assert board.order == ["tausche A an Q21; W21 s HV*E"]
    board.tap("#keep")
    assert board.label("Q21") == "Q21: A, ein Jolly"


def test_a_jolly_is_laid_by_keys(board: Board) -> None:
    board.open("point", typdom("point", "TXS*r*b", board={}))
    board.spot("T20").focus()
    board.tap("<t> <*> <e> <x> <*> <t> <s>")
    assert board.order == ["T20 w T*EX*TS"]
    board.tap("<*>")
    assert board.says == "* liegt nicht mehr auf deiner Bank."
    board.tap("<Backspace> <Backspace> <*>")
    assert board.page.locator("#rack button").count() == 20
    board.tap("<Escape>")
    assert board.order == ["T20 w T*EX"]


def test_the_table_grows_with_the_chosen_square(board: Board) -> None:
    board.open("kreuzwort", typdom("kreuzwort"))
    before = board.page.locator("#board [data-spot]").count()
    board.walk("T20", *["ArrowRight"] * 25)
    assert board.page.evaluate("document.activeElement.getAttribute('aria-label')") == "AN20: leer, nach rechts"
    assert board.page.locator("#board [data-spot]").count() > before
    assert board.in_sight(":focus")
    assert board.page.evaluate("scrollY") == 0


def open_with_examen(board: Board) -> None:
    """The whole rack is laid, right; NACHT from its first letter on, which lies there."""
    board.open("presto", presto())
    assert [one.split("\n")[0] for one in board.page.locator("#rack button").all_inner_texts()] == list("AE★CGHLMNTX")
    assert board.tile("E").get_attribute("aria-label") == "E, 2 Steine"
    board.lay("T20", "EXAM*E")
    board.tap("=N")
    board.lay("V19", "LGE", "s")
    board.lay("Y20", "ACHT", "s")


def test_words_go_back_to_the_rack_but_for_letters_of_others(board: Board) -> None:
    open_with_examen(board)
    (grid,) = board.order
    assert grid == "Gitter (..L / EXAM*EN / ..G..A / ..E..C / .....H / .....T)"
    assert board.says == (
        f"{grid}, 4 Punkte, wenn deine Mail die nächste fehlerfreie ist. Deine Wörter: EXAMEN, LAGE, NACHT."
    )
    assert [board.label(square) for square in ("X20", "Y20", "Z20")] == [
        "X20: E, ein Jolly, von dir gelegt",
        "Y20: N, von dir gelegt",
        "Z20: leer",
    ]
    board.tap("!Wort_zurück")  # the cursor is right behind it
    assert board.says == "Noch nicht richtig. Übrig sind noch: A, C, H, T. Deine Wörter: EXAMEN, LAGE."
    board.spot("X20").click()
    board.tap("!Wort_zurück")
    assert board.says == "Hier liegt in dieser Richtung kein Wort."
    for _ in range(2):
        board.spot("U20").click()
    assert board.label("U20") == "U20: X, von dir gelegt, nach rechts"
    board.tap("!Wort_zurück")
    assert board.says.endswith("Deine Wörter: LAGE.")
    assert board.label("V20") == "V20: A, von dir gelegt"
    board.tap("!Von_vorn")
    assert board.says.startswith("Tippe auf ein Feld")
    assert board.page.locator("#rack button").count() == 11


def test_what_is_wrong_with_a_crossword_is_said_as_in_the_mails(board: Board) -> None:
    state = presto()
    board.open("presto", state)
    board.lay("T20", "EXA")
    board.lay("T22", "CH")
    board.lay("W18", "LG", "s")
    told = refusal(
        "presto", state, load_game("presto").parse_move("T20 w EXA + T22 w CH + W18 s LG", view_for(state, 0))
    )
    assert board.says == f"{told} Deine Wörter: EXA, CH, LG."
    assert "Nicht mit dem Rest verbunden: LG, CH." in told
    assert "roter Jolly" in told
    assert not board.order
    assert board.page.is_disabled("#go")


def test_a_crossword_is_laid_by_keys_and_by_dragging(board: Board) -> None:
    board.open("presto", presto("TEXS*r", "TOR"), "en/")
    board.spot("T20").focus()
    board.tap("<t> <ArrowLeft> <t> <*> <n>")
    assert board.says == "Your red joker stands for vowels only."
    board.tap("<*>")
    assert board.page.locator("#rack button").all_inner_texts() == list("AEIOUY")
    board.tap("<a> <x>")
    assert board.says == "Not right yet. Left over: E, S. Your words: TAX."
    for letter, square, said in (
        ("S", "T20", "Not right yet. Left over: E, T. Your words: SAX."),
        ("T", "T20", "Not right yet. Left over: E, S. Your words: TAX."),
        ("S", "X20", "Not right yet. Left over: E. Not joined to the rest: S. Your words: TAX."),
        ("E", "V21", "Not right yet. Not joined to the rest: S. Your words: TAX, XE."),
    ):
        board.drag(letter, square)
        assert board.says == said
    board.tap("X20 #undo V22 =S")
    (grid,) = board.order
    assert grid == "Grid (T*AX / ..E / ..S)"
    board.tap("<Backspace> #undo")
    assert not board.order


def test_a_kept_crossword_stays_and_nothing_goes_behind_giving_up(board: Board) -> None:
    open_with_examen(board)
    board.tap("#keep")
    first = board.order
    assert board.label("T20") == "T20: E, von dir gelegt"
    board.tap("!Wort_zurück")
    board.tap("V18 =H V17 =C U22 =A T22 =T")
    second = "sonst Gitter (..C / ..H / ..L / EXAM*EN / ..G / TAE)"
    assert board.order == [*first, second]
    board.tap("!Runde_aufgeben #surely")
    assert board.order == [*first, second, "sonst passe"]


def test_what_has_happened_and_what_is_agreed_stands_above(board: Board) -> None:
    match = PrestoMatch("TORE", "TOR", "RUF", "EIS", known="TOR RUF EIS", finish_with_one_left=True)
    match.send(1, "TOR")
    match.send(2, "passe")
    board.open("presto", match.state)
    assert board.page.inner_text("#says small") == (
        "Schon fertig: Jörg. Nicht mehr dabei: Cora. Ein Stein darf übrig bleiben, für die halben Punkte."
    )
    board.lay("T20", "TOR")
    assert board.says.endswith(
        "1 Punkt, wenn deine Mail die nächste fehlerfreie ist. Ein Stein ist übrig geblieben. Deine Wörter: TOR."
    )


def test_a_crossword_that_grows_is_scrolled_inside_the_page(board: Board) -> None:
    board.open("presto", presto("EANTIRSOUL" * 4, "TOR"))
    assert board.smallest() >= 44
    board.lay("T20", "EANTIRSOULEA")
    board.lay("Z19", "NTIRSOULEA", "s")
    board.check_usable()
    assert board.in_sight(".cursor")


def test_a_tile_is_laid_and_a_word_announced(board: Board) -> None:
    page = board.page
    board.open("recht", recht())
    assert page.inner_text("#says small").startswith(
        "Jörg hat STERN angesagt. Auf dem Tisch liegt TE ab S20 waagerecht. Wird STERN"
    )
    assert all("open" in (board.spot(one).get_attribute("class") or "") for one in ("R20", "U20"))
    assert board.cursor == "U20"
    board.tap("=R")
    assert board.order == ["weiter hinten R"]
    page.fill("#word", "Tieräer")
    assert board.says == "TIERAEER enthält TER nicht, und das läge dann ab S20."
    assert not board.order
    page.fill("#word", "Winter")
    assert board.order == ["hinten R = WINTER"]
    board.tap("#keep")
    assert page.input_value("#word") == ""
    board.tap("R20 =A")
    page.locator("#word").press_sequentially("TATEN")
    assert board.order[1] == "sonst vorn A = TATEN"
    page.fill("#word", "Kater")
    assert board.order == ["hinten R = WINTER", "sonst vorn A = KATER"]
    board.tap("#keep !Rot_kaufen")
    assert "Danach bist du noch am Zug." in board.says
    board.tap("!Weitermelden")
    assert board.order == ["hinten R = WINTER", "sonst vorn A = KATER", "sonst kaufe rot, passe"]


def test_what_the_rules_of_announcing_forbid_is_said_as_in_the_mails(board: Board) -> None:
    state = recht()
    board.open("recht", state)
    board.tap("W20 =R")
    assert board.says == "R passt dort nicht."
    assert not board.order
    board.tap("U20 =D")
    assert board.says == refusal("recht", state, RechtLaying((RechtTile("D", "U20"),), "", goes_on=True))
    board.page.fill("#word", "Müdé")
    assert board.says == ("In MUEDÉ steht É. Gelegt werden nur die Buchstaben A bis Z; Ä, Ö, Ü werden zu AE, OE, UE.")
    board.page.fill("#word", "")
    board.tap("R20 =A")
    assert board.says == "A passt dort nicht."
    board.tap("!Schwarz_kaufen")
    assert board.says.startswith("Kauf zuerst: Schick nur »kaufe rot«")
    board.tap("!Von_vorn !Schwarz_kaufen")
    assert board.order == ["kaufe schwarz"]
    board.tap("=D")
    assert board.says.startswith("Kauf zuerst: Schick nur »kaufe rot«")
    assert board.order == ["kaufe schwarz"]


def test_a_new_word_crosses_the_last_one_and_may_have_two_tiles(board: Board) -> None:
    letters = {f"{column}20": letter for column, letter in zip("RSTUV", "STERN", strict=True)}
    state = recht_at({"squares": letters, "finished": {"square": "T20", "direction": "w"}}, "LIKDR")
    board.open("recht", state, "en/")
    assert "It must cross STERN, which lies from R20 across." in board.page.inner_text("#says small")
    assert board.page.locator("#board .cursor.s").count()
    board.tap("W20 =K")
    assert board.says == "K does not fit there."
    board.tap("T19 =L T21 =I")
    assert board.says == "Write the word that you announce into the field."
    board.page.fill("#word", "kleid")
    assert board.order == ["L at T19 d + I at T21 = KLEID"]
    assert "The new word crosses in the vowel E: one more tile." in board.says


def test_an_announcement_that_has_gone_round_is_completed(board: Board) -> None:
    letters = {f"{column}20": letter for column, letter in zip("TUV", "ANA", strict=True)}
    running = {"square": "T20", "direction": "w", "word": "ANANAS", "author": 0}
    state = recht_at({"squares": letters, "running": running}, "ANNASE")
    assert state.public.completing
    board.open("recht", state)
    assert "muss die eigene Ansage jetzt vollenden" in board.page.inner_text("#says small")
    assert board.page.locator("#board .open").count() == 1
    assert not board.page.is_visible("#word")
    board.tap("=E")
    assert board.says == "Deine Ansage ANANAS ist wieder bei dir: Vollende sie zuerst."
    board.tap("T19 !Hier_vollenden")
    assert "kannst du es nicht vollenden, nur ab R20, T20." in board.says
    board.tap("R20 !Hier_vollenden")
    assert board.order == ["vollende ab R20"]
    assert not board.page.is_visible("text=Weitermelden")
