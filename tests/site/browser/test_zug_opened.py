"""The touch board where it comes from elsewhere than a link: from a mail's attachment, from a puzzle, from an
old mail; and that it says where its position is an old one."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from sqlmodel import select

from moderator.rules import turn_data
from moderator.site import build
from moderator.store.tables import MatchRow, PuzzleAnswer
from moderator.views import puzzles as club_puzzles
from tests.club import pair_scenes as puzzle_club
from tests.club.club import Club, club_of, make_club
from tests.club.test_turn_file import configured
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.zug_page import OPEN, Board, Served, lay_words, link_in, put_on_web, send_mail, serving

pytestmark = pytest.mark.slow


def order_first(club: Club, code: str, seat: int) -> None:
    club.hand_in(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])


def save_part(club: Club, folder: Path, kind: str) -> Path:
    """The one file of that kind in the new mails to Anna."""
    parts = [part for mail in club.mails("anna") for part in mail.iter_attachments()]
    (part,) = [one for one in parts if one.get_content_type() == kind]
    file = folder / str(part.get_filename())
    file.write_bytes(part.get_payload(decode=True))
    return file


def begin(folder: Path, *seats: str) -> tuple[Club, str, Path]:
    """A club, a match of it, and the page that came with Anna's first mail."""
    club = club_of(folder / "club", "Anna", "Bert")
    configured(club, attach_board=True)
    code = club.start(*seats)
    return club, code, save_part(club, folder, "text/html")


def test_the_attached_page_opens_at_its_position_and_takes_the_files_of_later_mails(
    tmp_path: Path, chromium: Browser
) -> None:
    club, code, file = begin(tmp_path, "Anna", "Bert")
    assert file.name == f"brett-{code}.html"
    for view in looked(chromium, Archive(tmp_path, {})):
        page, board = view.page, Board(view.page, Archive(tmp_path, {}))
        page.goto(file.as_uri())
        page.wait_for_selector(OPEN)
        board.check_usable()
        word = min(club.moves(code, 0), key=len).split(" (")[0]
        lay_words(board, word)
        send_mail(page, club, "anna")
        club.tick()
        assert club.live(code).last[0][0] == word
        club.mails()
        order_first(club, code, 1)
        board.tap("#anew")  # another day
        page.fill("#paste", "was anderes")
        assert page.inner_text("#wrong") == "Öffne den Link in deiner Mail noch einmal."
        page.set_input_files("#file", save_part(club, tmp_path, turn_data.KIND))
        page.wait_for_selector(OPEN)
        assert page.locator("#board .fresh").count()
        assert not page.is_visible("#ask")


def test_the_attached_page_without_a_position_asks_for_one(tmp_path: Path, chromium: Browser) -> None:
    club, code, file = begin(tmp_path, "Bert", "Anna")
    club.hand_in("Bert", code, 0, club.moves(code, 0)[0])
    for view in looked(chromium, Archive(tmp_path, {})):
        view.page.goto(file.as_uri())
        view.page.wait_for_selector("#ask:not([hidden])")
        assert not view.page.is_visible("#play")
        view.page.fill("#paste", save_part(club, tmp_path, turn_data.KIND).read_text(encoding="utf-8"))
        view.page.wait_for_selector(OPEN)


def test_what_is_laid_on_the_board_of_a_puzzle_is_the_answer(tmp_path: Path, chromium: Browser) -> None:
    club = puzzle_club.made(tmp_path / "club", 2)
    put_on_web(club)
    puzzle_club.wants(club, "Anna")
    club.mails()
    club.now = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
    with puzzle_club.fewer_turns():
        club.tick()
    mail, puzzle = club.mail("Anna"), puzzle_club.last(club)
    file = next(part for part in mail.iter_attachments() if str(part.get_filename()).startswith("turn-PUZZ-"))
    turn = turn_data.decode_turn(file.get_payload(decode=True))
    with club.work() as work:
        match = work.session.exec(select(MatchRow).where(MatchRow.id == puzzle.match_id)).one()
        there = club_puzzles.find_puzzle_position(work.session, work.cache, puzzle)
    read = turn_data.build_turn_view(turn, there.game)
    assert (read.hand, read.scores) == (there.view.hand, there.view.scores)
    assert turn_data.build_table_values(there.game, read) == turn_data.build_table_values(there.game, there.view)
    assert match.code not in file.get_payload(decode=True).decode()
    site = Archive(club.folder / "site", {})
    for view in looked(chromium, site):
        view.page.goto(site.address(link_in(mail)))
        view.page.wait_for_selector(OPEN)
        assert view.page.text_content("#match") == "Topwords: Aufgabe Nr. 1"
        board = Board(view.page, site)
        lay_words(board, puzzle.best)
        assert f"{puzzle.most} Punkte" in board.says
        send_mail(view.page, club, "Anna")
    club.tick()
    assert {one.move for one in club.stored(PuzzleAnswer)} == {puzzle.best}


@dataclass
class Played(Served):
    code: str = ""
    """Of a match with two moves."""
    first: dict[str, Any] = field(default_factory=dict)
    """What its first mail brought."""
    newest: dict[str, Any] = field(default_factory=dict)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    folder = tmp_path_factory.mktemp("newer")
    club = make_club(folder / "club")
    club.players("Anna", "Bert")
    code = club.start("Anna", "Bert")
    first = json.loads(save_part(club, folder, turn_data.KIND).read_bytes())
    for seat in (0, 1):
        order_first(club, code, seat)
    build.update_site(club.config, club.now, folder / "site")
    newest = json.loads(save_part(club, folder, turn_data.KIND).read_bytes())
    with serving(folder / "site") as web:
        yield Played(web.folder, {}, web.url, web.asked, code, first, newest)


def open_turn(page: Page, archive: Archive, turn: dict[str, Any], language: str = "") -> None:
    packed = turn_data.encode_turn_link(turn_data.decode_turn(json.dumps(turn).encode()))
    page.goto("about:blank")  # another fragment alone opens nothing anew
    page.goto(archive.address(f"{language}zug/topwords.html") + "#" + packed)
    page.wait_for_selector(OPEN)
    page.wait_for_load_state("networkidle")


def test_an_old_position_is_told_with_a_link_to_the_match(played: Played, chromium: Browser) -> None:
    played.asked.clear()
    for view in looked(chromium, played):
        page, board = view.page, Board(view.page, played)
        for language, said, link in (
            ("", "Inzwischen ist die Partie weitergegangen.", "Zur Partie"),
            ("en/", "The match has gone on.", "To the match"),
        ):
            open_turn(page, played, played.first, language)
            line = page.locator("#newer[role=status]")
            assert line.inner_text().startswith(said)
            board.tap(f"E5 ={played.first['rack'][0]}")
            board.check_usable()
            with page.context.expect_page() as other:  # what is laid here stays
                line.get_by_role("link", name=link).click()
            other.value.wait_for_load_state()
            assert other.value.url == played.address(f"{language}matches/{played.code}.html")
            assert page.is_visible("#play")
    assert {path.partition("/")[2] for path in played.asked if path.endswith(".json")} == {
        f"site/matches/{played.code}.now.json"
    }


def test_the_newest_position_is_not_called_old(played: Played, chromium: Browser) -> None:
    for view in looked(chromium, played):
        page = view.page
        open_turn(page, played, played.newest)
        assert page.inner_text("#newer") == ""
        open_turn(page, played, played.first)
        assert page.inner_text("#newer")
        page.evaluate("document.getElementById('ask').hidden = false")
        page.fill("#paste", json.dumps(played.newest))  # another position in the same page
        page.wait_for_selector("#ask", state="hidden")
        page.wait_for_load_state("networkidle")
        assert page.inner_text("#newer") == ""


@pytest.mark.parametrize("match", ["ZZZZ", "../zug/topwords", "https://elsewhere.example/x"])
def test_of_a_match_that_is_not_in_the_archive_nothing_is_said(played: Played, chromium: Browser, match: str) -> None:
    """Nor of what is no match, asked for under another name: the fragment is anybody's."""
    played.asked.clear()
    for view in looked(chromium, played):
        open_turn(view.page, played, played.first | {"match": match})
        assert view.page.inner_text("#newer") == ""
        assert [path.count("/") for path in played.asked if path.endswith("json")] == [3]
        assert all("404" in error for error in view.errors)
        view.errors.clear()


def test_without_a_network_or_from_a_folder_nothing_is_said(played: Played, chromium: Browser) -> None:
    for view in looked(chromium, played):
        page = view.page
        page.goto(played.address("zug/topwords.html"))
        page.wait_for_load_state("networkidle")
        page.context.set_offline(True)
        page.fill("#paste", json.dumps(played.first))
        page.wait_for_selector(OPEN)
        Board(page, played).tap(f"E5 ={played.first['rack'][0]}")
        assert page.inner_text("#newer") == ""
        assert all("DISCONNECTED" in error or ".now.json" in error for error in view.errors)
        view.errors.clear()
    asked, folder = list[str](), Archive(played.folder, {})
    for view in looked(chromium, folder):
        view.page.on("request", lambda request: asked.append(request.url))
        open_turn(view.page, folder, played.first)
        assert view.page.inner_text("#newer") == ""
        assert [address.partition("#")[0] for address in asked] == [view.page.url]
