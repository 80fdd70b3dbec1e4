"""The board of a puzzle of the week: its mail leads there, and what is laid there is the answer."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from playwright.sync_api import Browser
from sqlmodel import select

from moderator.club import puzzles as club_puzzles
from moderator.config import Site as Settings
from moderator.match import turn_data
from moderator.site import run
from moderator.store.models import Match, PuzzleAnswer
from tests.club import puzzle_club
from tests.club.club import Club
from tests.site.browser.conftest import Archive, looked


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    def make(folder: Path) -> Club:
        made = puzzle_club.made(folder / "club", ("supertridom",), 2)
        settings = replace(made.config, site=Settings(folder="site", url="https://club.example/archive"))
        object.__setattr__(settings, "file", made.config.file)
        object.__setattr__(made, "config", settings)
        run.bring_up(made.config, made.now, made.folder / "site")
        puzzle_club.wants(made, "Anna")
        made.mails()
        made.now = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
        made.tick()
        return made

    return make(tmp_path_factory.mktemp("zug-puzzle"))


@pytest.mark.slow
def test_what_is_laid_there_is_the_answer(club: Club, chromium: Browser) -> None:
    mail = club.mail("Anna")
    html = mail.get_body(("html",))
    assert html is not None
    (link,) = re.findall(r'href="https://club\.example/archive/(zug/\w+\.html#[\w-]+)"', html.get_content())
    file = next(part for part in mail.iter_attachments() if str(part.get_filename()).startswith("turn-PUZZ-"))
    turn = turn_data.read(file.get_payload(decode=True))
    puzzle = puzzle_club.last(club)
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.id == puzzle.match_id)).one()
        there = club_puzzles.position(desk, puzzle)
    assert there is not None
    read = turn_data.view_of(turn, there.game)
    assert read is not None
    assert (read.hand, read.scores) == (there.view.hand, there.view.scores)
    assert turn_data.table_of(there.game, read) == turn_data.table_of(there.game, there.view)
    assert match.code not in file.get_payload(decode=True).decode()
    stone, _, number = puzzle.best.partition("@")
    for view in looked(chromium, Archive(club.folder / "site", {})):
        page = view.page
        page.goto(f"{Archive(club.folder / 'site', {}).address('')}/{link}")
        page.wait_for_selector("#play:not([hidden])")
        assert page.inner_text("#about") == "SuperTridom: Aufgabe Nr. 1"
        page.locator(f'#board [data-spot="{number}"]').click()
        page.locator("#rack button", has_text=stone).first.click()
        assert f"{puzzle.most} Punkte" in page.inner_text("#says")
        answer = urlsplit(page.get_attribute("#send", "href") or "")
        club.write("Anna", parse_qs(answer.query)["body"][0], to=unquote(answer.path), subject="Re: Aufgabe")
    club.tick()
    with club.desk() as desk:
        assert {one.move for one in desk.session.exec(select(PuzzleAnswer))} == {puzzle.best}
