"""The page to lay tiles on of Wer behält recht?, in a real browser, from the mail to the mail: a tile and a word."""

from __future__ import annotations

import json
from base64 import b64encode
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.club import board_page
from moderator.errors import PlayerError
from moderator.games.typdom.recht import GAME
from moderator.games.typdom.recht_flow import completions
from moderator.games.typdom.recht_state import Lay, Public, Tile
from moderator.games.typdom.tiles import rest_points
from moderator.match import turn_data
from moderator.match.contract import Note, State, view_for
from moderator.pages.messages import sentence
from tests.games.typdom_table import Match
from tests.site.browser import vectors_recht
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.vectors import turn_of
from tests.site.browser.zug_page import check_usable, mailed, opened, order, said, spot, tile

ANNA, BERT = "EAEIOBDGHKRZ*b", "TAEIOUCDFGLNS"
JUDGED = """async ([source, cases]) => {
    const { recht } = await import("data:text/javascript;base64," + source);
    return cases.map(({turn, done, way}) => {
        const after = done.reduce((position, [what, ...given]) => recht[what](position, ...given), recht.start(turn));
        return recht.judge(after, way).notes;
    });
}"""


def dealt(*lines: str, **options: Any) -> State[Public]:
    """The worked mails of RULES.md: Anna is to move again."""
    match = Match[Public]("recht", ANNA, BERT, stock="ENSIRAT", known="REISE STERN", **options)
    return match.play(*(lines or ("E an T20 = REISE", "vorn T = STERN"))).state


def fixed(board: dict[str, Any], rack: str, stock: str = "ENSIRAT", **options: Any) -> State[Public]:
    return Match[Public]("recht", rack, "FLSTEEEE", stock=stock, board=board, **options).state


def gone_round() -> State[Public]:
    """ANANAS has gone round and can lie in two places."""
    letters = {f"{column}20": letter for column, letter in zip("TUV", "ANA", strict=True)}
    running = {"square": "T20", "direction": "w", "word": "ANANAS", "author": 0}
    return fixed({"squares": letters, "running": running}, "ANNASE")


def crossing() -> State[Public]:
    """STERN lies, a new word has to cross it."""
    letters = {f"{column}20": letter for column, letter in zip("RSTUV", "STERN", strict=True)}
    return fixed({"squares": letters, "finished": {"square": "T20", "direction": "w"}}, "LIKDR")


def act(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def refusal(state: State[Public], move: Any) -> str:
    """What a mail would say of a move."""
    with pytest.raises(PlayerError) as error:
        GAME.apply(state, 0, move, turn_data.CONTEXT)
    return sentence(Note(error.value.code, error.value.params), "de", "recht")


def played(state: State[Public], line: str) -> list[str]:
    """The first notes of a line of the mail, as the game reads it."""
    step = GAME.apply(state, 0, GAME.parse(line, view_for(state, 0)), turn_data.CONTEXT)
    return [note.code for note in step.notes]


@pytest.mark.slow
def test_a_tile_is_laid_and_a_word_announced(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt()
        opened(archive, page, "recht", state)
        assert page.inner_text("#more").startswith(
            "Angesagt ist STERN von Jörg. Auf dem Tisch liegt TE ab S20 w. Wird STERN"
        )
        assert page.eval_on_selector_all(".spot.open", "all => all.map(one => one.ariaLabel)") == [
            "R20: leer",
            "U20: leer",
        ]
        assert page.inner_text("#spot").startswith("U20")
        tile(page, "R").click()
        assert order(page) == ["weiter hinten R"]
        assert "Baut weiter an STERN, der Ansage von Jörg; auf dem Tisch liegt TER." in said(page)
        assert "Damit ist die Ansage herum: Jörg muss STERN sofort vollenden oder scheidet aus." in said(page)
        page.fill("#word", "Tieräer")
        assert said(page) == "TIERAEER enthält nicht TER, was dann ab S20 läge."
        assert not page.is_visible("#send")
        page.fill("#word", "Winter")
        assert order(page) == ["hinten R = WINTER"]
        assert "fehlt dir für WINTER: N. Dann scheidest du aus und zahlst jedem" in said(page)
        page.click("#keep")
        assert page.input_value("#word") == ""
        spot(page, "R20").click()
        tile(page, "A").click()
        page.locator("#word").press_sequentially("TATEN")
        assert order(page)[1] == "sonst vorn A = TATEN"
        page.fill("#word", "Kater")
        assert order(page) == ["hinten R = WINTER", "sonst vorn A = KATER"]
        assert "vollendest du KATER mit 2 eigenen Steinen" in said(page)
        page.click("#keep")
        act(page, "Rot kaufen")
        assert "Danach bist du noch am Zug." in said(page)
        act(page, "Weitermelden")
        lines = order(page)
        assert lines == ["hinten R = WINTER", "sonst vorn A = KATER", "sonst kaufe rot, passe"]
        assert played(state, lines[0]) == ["announces"]
        assert played(state, "kaufe rot, passe") == ["bought-red", "drew-tiles", "reports-on"]


@pytest.mark.slow
def test_what_the_rules_forbid_is_said_as_in_the_mails(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt()
        opened(archive, page, "recht", state)
        spot(page, "W20").click()
        tile(page, "R").click()
        assert said(page) == refusal(state, Lay((Tile("R", "W20"),), "STERN"))
        assert not page.is_visible("#send")
        spot(page, "U20").click()
        tile(page, "D").click()
        assert said(page) == refusal(state, Lay((Tile("D", "U20"),), "", goes_on=True))
        page.fill("#word", "Müdé")
        assert said(page) == (
            "In MUEDÉ steht É. Gelegt werden nur die Buchstaben A bis Z; Ä, Ö, Ü werden zu AE, OE, UE."
        )
        page.fill("#word", "")
        spot(page, "R20").click()
        tile(page, "A").click()
        assert said(page) == refusal(state, Lay((Tile("D", "U20"), Tile("A", "R20")), "X" * 9))
        act(page, "Schwarz kaufen")
        assert said(page).startswith("Kauf zuerst: Schick nur »kaufe rot«")
        act(page, "Von vorn")
        act(page, "Schwarz kaufen")
        assert order(page) == ["kaufe schwarz"]
        tile(page, "D").click()
        assert said(page).startswith("Kauf zuerst: Schick nur »kaufe rot«")
        assert order(page) == ["kaufe schwarz"]


@pytest.mark.slow
def test_a_new_word_crosses_the_last_one_and_may_have_two_tiles(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, crossing()
        opened(archive, page, "recht", state, "en/")
        assert "It must cross STERN, which lies from R20 across." in page.inner_text("#more")
        assert page.inner_text("#spot").endswith("↓")
        spot(page, "W20").click()
        tile(page, "K").click()
        assert said(page) == "From W20 a new word does not cross STERN, which was finished last."
        spot(page, "T19").click()
        tile(page, "L").click()
        spot(page, "T21").click()
        tile(page, "I").click()
        assert said(page) == "Write the word that you announce into the field."
        page.fill("#word", "kleid")
        assert order(page) == ["L at T19 down + I at T21 = KLEID"]
        assert "The new word crosses in the vowel E: one more tile." in said(page)
        assert played(state, order(page)[0]) == ["premium-vowel", "announces"]


@pytest.mark.slow
def test_an_announcement_that_has_gone_round_is_completed(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, gone_round()
        assert state.public.completing
        opened(archive, page, "recht", state)
        assert "Deine Ansage ANANAS ist herum" in page.inner_text("#more")
        assert page.eval_on_selector_all(".spot.open", "all => all.map(one => one.ariaLabel)") == ["R20: leer"]
        assert not page.is_visible("#word")
        tile(page, "E").click()
        assert said(page) == "Deine Ansage ANANAS ist herum: Vollende sie zuerst."
        spot(page, "T19").click()
        act(page, "Hier vollenden")
        assert "kannst du es nicht vollenden, nur ab R20, T20." in said(page)
        spot(page, "R20").click()
        act(page, "Hier vollenden")
        assert order(page) == ["vollende ab R20"]
        assert "ANANAS liegt dann ab R20, mit 3 eigenen Steinen." in said(page)
        assert not page.is_visible("text=Weitermelden")
        assert played(state, order(page)[0]) == ["completes"]


@pytest.mark.slow
def test_a_jolly_is_fetched_and_laid_by_keys(archive: Archive, chromium: Browser) -> None:
    board = {
        "squares": {"T20": "*T", "U20": "E"},
        "running": {"square": "T20", "direction": "w", "word": "TEE", "author": 1},
    }
    for view in looked(chromium, archive):
        page, state = view.page, fixed(board, "TAR")
        opened(archive, page, "recht", state)
        spot(page, "T20").click()
        act(page, "Jolly holen")
        assert said(page).startswith("Der Jolly ist auf deiner Bank. Jetzt leg ihn")
        spot(page, "V20").focus()
        page.keyboard.press("*")
        page.keyboard.press("s")
        page.fill("#word", "TEST")
        assert order(page) == ["tausche T an T20; hinten *S = TEST"]
        assert played(state, order(page)[0]) == ["exchanged", "announces"]
        spot(page, "V20").focus()
        page.keyboard.press("Backspace")
        assert not page.is_visible("#send")


@pytest.mark.slow
def test_what_an_announcement_risks_is_what_it_will_cost(chromium: Browser) -> None:
    """The page says whether its author could complete it, and what it costs not to; Python counts it anew."""
    cases, expected = [], []
    for vector in islice(vectors_recht.vectors("recht"), 900):
        step, seat = vector.played(GAME), 0
        if isinstance(step, PlayerError) or not isinstance(vector.move, Lay) or vector.move.goes_on:
            continue
        after = step.state.public
        if after.running is None or after.running.author != seat or after.round > 1 or step.state.over:
            continue
        hand, others = step.state.hands[seat], len(step.state.hands) - 1
        ways, rest = completions(after, hand), rest_points(hand) * after.stake
        expected.append(len(ways[0].laid) if ways else (rest, rest * others))
        asked = {"turn": json.loads(turn_of(vector.state, "recht")), "done": vector.done, "way": vector.way}
        cases.append(asked)
    page = chromium.new_page()
    answers = page.evaluate(JUDGED, [b64encode(board_page.source("recht").encode()).decode(), cases])
    page.close()
    found = []
    for notes in answers:
        (params,) = [note["params"] for note in notes if note["code"] in ("zug-can-complete", "zug-risks")]
        assert params["word"]
        found.append(params["count"] if "count" in params else (params["rest"], params["points"]))
    assert found == expected
    assert len(found) > 150
    assert {type(one) for one in found} == {int, tuple}


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_used_by_all(archive: Archive, chromium: Browser, dark: bool) -> None:
    """On a phone, with a move under way."""
    for view in looked(chromium, archive, dark=dark):
        page = view.page
        opened(archive, page, "recht", dealt())
        tile(page, "R").click()
        page.fill("#word", "WINTER")
        page.click("#keep")
        spot(page, "R20").click()
        act(page, "schwarzer Jolly")
        check_usable(page)
        tile(page, "S").click()
        page.fill("#word", "STERN")
        assert order(page) == ["hinten R = WINTER", "sonst weiter vorn *S"]
        check_usable(page)
        assert page.evaluate("document.querySelector('[data-spot]').getBoundingClientRect().width") >= 34


@pytest.mark.slow
def test_a_link_in_a_mail_opens_the_page_and_the_page_opens_the_answer(tmp_path: Path, chromium: Browser) -> None:
    """The whole way, from a mail of the program to a mail that it plays."""
    turn = mailed(tmp_path / "club", "recht")
    best = next(move for move in turn.club.moves(turn.code, turn.seat) if "*" not in move)
    letter, word = best[0], best.rpartition(" = ")[2]

    def lay(page: Page) -> None:
        tile(page, letter).click()
        page.fill("#word", word.lower())

    turn.answered(chromium, lay)
    assert turn.played == f"{letter} an T20 w = {word}"
