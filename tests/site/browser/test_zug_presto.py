"""The page of Presto, in a real browser, from the mail to the mail: a crossword is laid, put right, listed and sent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.errors import Illegal
from moderator.games.typdom.presto import GAME
from moderator.games.typdom.presto_state import Public
from moderator.games.typdom.tiles import VOWELS
from moderator.match import turn_data
from moderator.match.contract import Note, State, view_for
from moderator.pages.messages import sentence
from moderator.words.house import Ruling, append
from tests.club.club import text
from tests.games.presto_table import Match
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.zug_page import check_usable, mailed, opened, order, said, spot, tile

RACKS = ("AAEE*rCGHLMNTX", "TOR", "RUF")
WORDS = "EXAMEN LAGE NACHT"
SIX = ("Anna", "Bert", "Cici", "Dora", "Emil", "Fritz")


def dealt(*racks: str, **options: Any) -> State[Public]:
    return Match(*(racks or RACKS), known=WORDS, **options).state


def act(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def lay(page: Page, square: str, letters: str, down: bool = False) -> None:
    """Letters of the rack from a square on; behind a star what a jolly stands for."""
    if page.inner_text("#spot").split()[0] != square:
        spot(page, square).click()
    if ("↓" in page.inner_text("#spot")) != down:
        page.click("#turn")
    for star, letter in re.findall(r"(\*?)(\w)", letters):
        if star:
            page.locator(f'#rack [aria-label$="olly"].{"round" if letter in VOWELS else "tile:not(.round)"}').click()
        tile(page, letter).click()


def examen(page: Page) -> None:
    """The whole rack, right; NACHT from its first letter on, which lies there."""
    lay(page, "T20", "EXAM*E")
    tile(page, "N").click()
    lay(page, "V19", "LGE", down=True)
    lay(page, "Y20", "ACHT", down=True)


@pytest.mark.slow
def test_a_crossword_is_laid_by_tapping_and_the_mail_holds_it(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt()
        opened(archive, page, "presto", state)
        assert page.url.endswith("zug/presto.html")
        assert tile(page, "E").get_attribute("aria-label") == "E, 2 Steine"
        assert [one.split("\n")[0] for one in page.locator("#rack button").all_inner_texts()] == list("AE★CGHLMNTX")
        examen(page)
        assert order(page) == ["Gitter (..L / EXAM*EN / ..G..A / ..E..C / .....H / .....T)"]
        assert said(page) == (
            f"{order(page)[0]} · Deine Wörter: EXAMEN, LAGE, NACHT. · "
            "4 Punkte, wenn deine Mail die nächste fehlerfreie ist"
        )
        assert spot(page, "X20").get_attribute("aria-label") == "X20: E, ein Jolly"
        assert spot(page, "Y20").get_attribute("aria-label") == "Y20: N"
        assert spot(page, "Z20").get_attribute("aria-label") == "Z20: leer"
        match = Match(*RACKS, known=WORDS)
        assert match.send(0, order(page)[0]).points == 4


@pytest.mark.slow
def test_what_is_wrong_is_said_as_in_the_mails(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt()
        opened(archive, page, "presto", state)
        lay(page, "T20", "EXA")
        lay(page, "T22", "CH")
        lay(page, "W18", "LG", down=True)
        move = GAME.parse("T20 w EXA + T22 w CH + W18 s LG", view_for(state, 0))
        with pytest.raises(Illegal) as error:
            GAME.apply(state, 0, move, turn_data.CONTEXT)
        told = sentence(Note(error.value.code, error.value.params), "de", "presto")
        assert said(page) == f"Deine Wörter: EXA, CH, LG. · {told}"
        assert "Nicht mit dem Rest verbunden: LG, CH." in told
        assert "roter Jolly" in told
        assert not page.is_visible("#send")
        assert page.is_disabled("#keep")


@pytest.mark.slow
def test_words_go_back_to_the_rack(archive: Archive, chromium: Browser) -> None:
    """All but the letters that belong to others."""
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "presto", dealt())
        examen(page)
        act(page, "Wort zurück")  # the cursor is right behind it
        assert said(page).startswith("Deine Wörter: EXAMEN, LAGE. · Noch nicht richtig. Übrig sind noch: A, C, H, T.")
        page.locator("[data-go=ArrowLeft]").click()
        act(page, "Wort zurück")
        assert said(page) == "Hier liegt in dieser Richtung kein Wort."
        spot(page, "U20").click()
        spot(page, "U20").click()
        assert page.inner_text("#spot") == "U20 X →"
        act(page, "Wort zurück")
        assert said(page).startswith("Deine Wörter: LAGE. ·")
        assert spot(page, "V20").get_attribute("aria-label") == "V20: A"
        act(page, "Von vorn")
        assert said(page).startswith("Tippe auf ein Feld")
        assert page.locator("#rack button").count() == 11


@pytest.mark.slow
def test_it_is_laid_by_keys_and_by_dragging(archive: Archive, chromium: Browser) -> None:
    """Keys go on behind what lies; what is dragged onto a tile takes its place."""
    for view in looked(chromium, archive):
        page, state = view.page, dealt("TEXS*r", "TOR")
        opened(archive, page, "presto", state, "en/")
        spot(page, "T20").focus()
        for key in ("t", "ArrowLeft", "t", "*", "n"):
            page.keyboard.press(key)
        assert said(page) == "Your red jolly stands for vowels only."
        page.keyboard.press("*")
        assert page.locator("#rack button").all_inner_texts() == list("AEIOUY")
        for key in ("a", "x"):
            page.keyboard.press(key)
        assert said(page) == "Your words: TAX. · Not right yet. Left over: E, S."
        drag(page, "S", "T20")
        assert said(page) == "Your words: SAX. · Not right yet. Left over: E, T."
        drag(page, "T", "T20")
        drag(page, "S", "X20")
        assert said(page) == "Your words: TAX. · Not right yet. Left over: E. Not joined to the rest: S."
        drag(page, "E", "V21")
        assert said(page) == "Your words: TAX, XE. · Not right yet. Not joined to the rest: S."
        spot(page, "X20").click()
        page.click("#undo")
        spot(page, "V22").click()
        tile(page, "S").click()
        assert order(page) == ["Grid (T*AX / ..E / ..S)"]
        assert Match("TEXS*r", "TOR", known="TAX XES").send(0, order(page)[0]).points == 4
        page.keyboard.press("Backspace")
        page.locator("#undo").click()
        assert not page.is_visible("#send")


def drag(page: Page, letter: str, square: str) -> None:
    source, target = tile(page, letter).bounding_box(), spot(page, square).bounding_box()
    page.mouse.move(source["x"] + 20, source["y"] + 20)
    page.mouse.down()
    page.mouse.move(target["x"] + 10, target["y"] + 10, steps=5)
    page.mouse.up()


@pytest.mark.slow
def test_a_kept_crossword_stays_and_nothing_goes_behind_giving_up(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt()
        opened(archive, page, "presto", state)
        examen(page)
        page.click("#keep")
        first = order(page)
        assert spot(page, "T20").get_attribute("aria-label") == "T20: E"
        act(page, "Wort zurück")
        lay(page, "V18", "H")
        for square, letter in (("V17", "C"), ("U22", "A"), ("T22", "T")):
            lay(page, square, letter)
        assert order(page) == [*first, "sonst Gitter (..C / ..H / ..L / EXAM*EN / ..G / TAE)"]
        act(page, "Runde aufgeben")
        assert order(page) == [*first, "sonst Gitter (..C / ..H / ..L / EXAM*EN / ..G / TAE)", "sonst passe"]
        moves = [GAME.parse(line.removeprefix("sonst "), view_for(state, 0)) for line in order(page)]
        assert [GAME.format(move) for move in moves] == [line.removeprefix("sonst ") for line in order(page)]


@pytest.mark.slow
def test_what_has_happened_and_what_is_agreed_stands_above(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        match = Match("TORE", "TOR", "RUF", "EIS", known="TOR RUF EIS", finish_with_one_left=True)
        match.send(1, "TOR")
        match.send(2, "passe")
        opened(archive, page, "presto", match.state)
        assert page.inner_text("#more") == (
            "Schon fertig: Jörg. Nicht mehr dabei: 3. Ein Stein darf übrig bleiben, für die halben Punkte."
        )
        lay(page, "T20", "TOR")
        assert said(page).endswith(
            "Ein Stein ist übrig geblieben. · Deine Wörter: TOR. · 1 Punkt, wenn deine Mail die nächste fehlerfreie ist"
        )
        assert match.send(0, order(page)[0]).points == 1


@pytest.mark.slow
@pytest.mark.parametrize(("dark", "language"), [(False, ""), (True, "en/")])
def test_it_can_be_used_by_all(archive: Archive, chromium: Browser, dark: bool, language: str) -> None:
    """On a phone: at first all squares have a finger's size, and a table that grows is scrolled inside the page."""
    for view in looked(chromium, archive, dark=dark):
        page = view.page
        opened(archive, page, "presto", dealt("".join("EANTIRSOUL" * 4), "TOR"), language)
        assert squares(page) >= 44
        check_usable(page)
        lay(page, "T20", "EANTIRSOULEA")
        lay(page, "Z19", "NTIRSOULEA", down=True)
        assert 34 <= squares(page) < 44
        check_usable(page)
        inside = page.evaluate(
            "(() => { const board = document.getElementById('board').getBoundingClientRect(), "
            "here = document.querySelector('.cursor').getBoundingClientRect(); "
            "return board.top <= here.top && here.bottom <= board.bottom && board.right <= innerWidth; })()"
        )
        assert inside


def squares(page: Page) -> float:
    width: float = page.evaluate("document.querySelector('[data-spot]').getBoundingClientRect().width")
    return width


@pytest.mark.slow
def test_a_link_in_a_mail_opens_the_page_and_the_page_opens_the_answer(tmp_path: Path, chromium: Browser) -> None:
    """The whole way, from a mail of the program to one that it plays: a cross of two words that the house allows."""
    turn = mailed(tmp_path / "club", "presto", *SIX)
    club = turn.club
    hand = sorted(club.live(turn.code).table.state.hands[0])
    letters = [{"*r": "*A", "*b": "*B"}.get(one, one) for one in hand]
    across, down = letters[:8], [letters[0], *letters[8:]]
    for word in (across, down):
        plain = "".join(word).replace("*", "")
        append(club.config.path(club.config.words.house), Ruling(plain, "allow", "test", "2026-11-20"))

    def lay_cross(page: Page) -> None:
        lay(page, "T20", "".join(across))
        lay(page, "T21", "".join(down[1:]), down=True)

    turn.answered(chromium, lay_cross)
    assert text(club.mail("anna")).startswith("Fehlerfrei!")
    for seat, name in enumerate(SIX[1:], 1):
        club.order(name, turn.code, seat, "passe")
    club.wait(minutes=5)
    club.tick()
    assert club.live(turn.code).table.state.scores == (4, 0, 0, 0, 0, 0)
