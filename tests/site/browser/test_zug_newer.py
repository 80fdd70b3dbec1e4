"""The page to lay tiles on says that its position is an old one: in the archive where it stands, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.match import turn_data, turn_link
from moderator.site import run
from tests.club.club import Club, make_club, plain_boards
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.zug_page import Served, check_usable, serving, spot, tile


@dataclass
class Played:
    folder: Path
    """Of the archive."""
    code: str
    """Of a match with two moves."""
    turns: tuple[dict[str, Any], dict[str, Any]]
    """What its first mail and its newest one brought."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return _played(tmp_path_factory.mktemp("newer"))


def _played(folder: Path) -> Played:
    club = make_club(folder / "club")
    plain_boards(club)
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    club.tick()
    first = brought(club)
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, club.moves(code, seat)[0])
        club.tick()
    run.bring_up(club.config, club.now, folder / "site")
    return Played(folder / "site", code, (first, brought(club)))


def brought(club: Club) -> dict[str, Any]:
    files = [part for mail in club.mails("anna") for part in mail.walk() if part.get_content_type() == turn_data.KIND]
    (file,) = files
    found: dict[str, Any] = json.loads(file.get_content())
    return found


@pytest.fixture
def served(played: Played) -> Iterator[Served]:
    with serving(played.folder) as archive:
        yield archive


def opened(page: Page, archive: Archive, turn: dict[str, Any], language: str = "") -> None:
    packed = turn_link.packed(json.dumps(turn).encode())
    page.goto("about:blank")  # another fragment alone opens nothing anew
    page.goto(archive.address(f"{language}zug/topwords.html") + "#" + packed)
    page.wait_for_selector("#play:not([hidden])")
    page.wait_for_load_state("networkidle")


@pytest.mark.slow
def test_an_old_position_is_told_with_a_link_to_the_match(served: Served, played: Played, chromium: Browser) -> None:
    for view in looked(chromium, served):
        page = view.page
        opened(page, served, played.turns[0])
        assert "Stand nach Eintrag 0" in page.inner_text("#about")
        line = page.locator("#newer[role=status]")
        assert line.inner_text().startswith("Inzwischen steht die Partie bei Eintrag 2.")
        spot(page, "E5").click()
        tile(page, played.turns[0]["rack"][0]).click()
        check_usable(page)
        with page.context.expect_page() as other:  # what is laid here stays
            line.get_by_role("link", name="Zur Partie").click()
        other.value.wait_for_load_state()
        assert other.value.url == served.address(f"matches/{played.code}.html")
        assert page.is_visible("#play")
        opened(page, served, played.turns[0], "en/")
        assert line.inner_text().startswith("The match has gone on to entry 2.")
        with page.context.expect_page() as other:
            line.get_by_role("link", name="To the match").click()
        assert other.value.url == served.address(f"en/matches/{played.code}.html")
    assert {path.partition("/")[2] for path in served.asked if path.endswith(".json")} == {
        f"site/matches/{played.code}.now.json"
    }


@pytest.mark.slow
def test_the_newest_position_is_not_called_old(served: Served, played: Played, chromium: Browser) -> None:
    for view in looked(chromium, served):
        opened(view.page, served, played.turns[1])
        assert "Stand nach Eintrag 2" in view.page.inner_text("#about")
        assert view.page.inner_text("#newer") == ""
        opened(view.page, served, played.turns[0])
        assert view.page.inner_text("#newer")
        view.page.evaluate("document.getElementById('ask').hidden = false")
        view.page.fill("#paste", json.dumps(played.turns[1]))  # another position in the same page
        view.page.wait_for_function("document.getElementById('about').textContent.endsWith('Eintrag 2')")
        view.page.wait_for_load_state("networkidle")
        assert view.page.inner_text("#newer") == ""


@pytest.mark.slow
@pytest.mark.parametrize("match", ["ZZZZ", "../zug/topwords", "https://elsewhere.example/x"])
def test_of_a_match_that_is_not_in_the_archive_nothing_is_said(
    served: Served, played: Played, chromium: Browser, match: str
) -> None:
    """Nor of what is no match, asked for under another name: the fragment is anybody's."""
    for view in looked(chromium, served):
        opened(view.page, served, played.turns[0] | {"match": match})
        assert view.page.inner_text("#newer") == ""
        assert [path.count("/") for path in served.asked if path.endswith("json")] == [3]
        assert all("404" in error for error in view.errors)
        view.errors.clear()


@pytest.mark.slow
def test_without_a_network_nothing_is_said(served: Served, played: Played, chromium: Browser) -> None:
    for view in looked(chromium, served):
        page = view.page
        page.goto(served.address("zug/topwords.html"))
        page.context.set_offline(True)
        page.fill("#paste", json.dumps(played.turns[0]))
        page.wait_for_selector("#play:not([hidden])")
        spot(page, "E5").click()
        tile(page, played.turns[0]["rack"][0]).click()
        assert page.inner_text("#newer") == ""
        assert all("DISCONNECTED" in error or ".now.json" in error for error in view.errors)
        view.errors.clear()


@pytest.mark.slow
def test_from_a_folder_nothing_is_asked(played: Played, chromium: Browser) -> None:
    asked: list[str] = []
    for view in looked(chromium, Archive(played.folder, {})):
        view.page.on("request", lambda request: asked.append(request.url))
        opened(view.page, Archive(played.folder, {}), played.turns[0])
        assert view.page.inner_text("#newer") == ""
        assert [address.partition("#")[0] for address in asked] == [view.page.url]
