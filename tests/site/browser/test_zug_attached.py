"""The page to lay tiles on that came with a mail: saved, opened from its file, and used for the next mails, too."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from moderator.match import turn_data
from tests.club.club import Club, make_club
from tests.club.test_board_file import configured
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.zug_page import check_usable, spot, tile


def saved(club: Club, folder: Path, kind: str) -> Path:
    """The one file of that kind in the new mails to Anna."""
    parts = [part for mail in club.mails("anna") for part in mail.iter_attachments()]
    (part,) = [one for one in parts if one.get_content_type() == kind]
    file = folder / str(part.get_filename())
    file.write_bytes(part.get_payload(decode=True))
    return file


def laid(club: Club, page: Page, code: str) -> str:
    """Lay the best move of Anna's, and write the mail that the page opens; returns the move."""
    word = min(club.moves(code, 0), key=len).split(" (")[0]
    square, way, letters = word.split()
    spot(page, square).click()
    if way == "s":
        page.click("#turn")
    for letter in letters:
        tile(page, letter).click()
    answer = urlsplit(page.get_attribute("#send", "href") or "")
    club.write("anna", parse_qs(answer.query)["body"][0], to=unquote(answer.path), subject="Re:")
    club.tick()
    return word


def begun(folder: Path, *seats: str) -> tuple[Club, str, Path]:
    """A club, a match of it, and the page that came with Anna's first mail."""
    club = make_club(folder / "club")
    club.players("Anna", "Bert")
    configured(club, attach_board=True)
    code = club.match(*seats)
    club.tick()
    return club, code, saved(club, folder, "text/html")


@pytest.mark.slow
def test_it_opens_at_its_position_and_takes_the_files_of_later_mails(tmp_path: Path, chromium: Browser) -> None:
    club, code, file = begun(tmp_path, "Anna", "Bert")
    assert file.name == f"brett-{code}.html"
    for view in looked(chromium, Archive(tmp_path, {})):
        page = view.page
        page.goto(file.as_uri())
        page.wait_for_selector("#play:not([hidden])")
        assert "Stand nach Eintrag 0" in page.inner_text("#about")
        check_usable(page)
        word = laid(club, page, code)
        assert club.live(code).last[0][0] == word
        club.mails()
        club.order("Bert", code, 1, club.moves(code, 1)[0])
        club.tick()
        page.reload()  # another day
        page.fill("#paste", "was anderes")
        assert "keine Stellung" in page.inner_text("#wrong")
        page.set_input_files("#file", saved(club, tmp_path, turn_data.KIND))
        page.wait_for_function("document.getElementById('about').textContent.endsWith('Eintrag 2')")
        assert page.inner_text("#wrong") == ""
        assert page.is_visible("#ask")
        check_usable(page)


@pytest.mark.slow
def test_without_a_position_it_asks_for_one(tmp_path: Path, chromium: Browser) -> None:
    club, code, file = begun(tmp_path, "Bert", "Anna")
    club.order("Bert", code, 0, club.moves(code, 0)[0])
    club.tick()
    for view in looked(chromium, Archive(tmp_path, {})):
        page = view.page
        page.goto(file.as_uri())
        page.wait_for_selector("#ask:not([hidden])")
        assert not page.is_visible("#play")
        page.fill("#paste", saved(club, tmp_path, turn_data.KIND).read_text(encoding="utf-8"))
        page.wait_for_selector("#play:not([hidden])")
        assert "Stand nach Eintrag 1" in page.inner_text("#about")
