"""What a link shows in a messenger, pictures of boards, and the site map: only where the site has an address."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from moderator.club.live_match import Suspended
from moderator.site import matches, run
from tests.club.club import Club, plain_boards
from tests.site.pages import changed, contents
from tests.site.test_publish import move, with_site

URL = "https://club.example/archive"


@pytest.fixture
def club(club: Club) -> Club:
    plain_boards(club)
    return club


def published(club: Club) -> Path:
    run.bring_up(club.config, club.now, club.folder / "site")
    return club.folder / "site"


def tags(page: Path) -> dict[str, str]:
    """Name or property of the head's ``meta`` -> content."""
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', page.read_text(encoding="utf-8"))
    assert len(found) == len(dict(found)), page
    return {name: unescape(text) for name, text in found}


def test_a_link_shows_title_words_and_the_board(club: Club) -> None:
    with_site(club, url=f"{URL}/", public=True)
    code = club.match("Anna", "Bert")
    move(club, code, 0, "Anna")
    club.tick()
    site = published(club)
    for language, start in (("", "de"), ("en/", "en")):
        said = tags(site / language / "matches" / f"{code}.html")
        assert said["og:title"].startswith("Topwords")
        assert said["og:description"] == said["description"]
        assert said["og:description"].startswith(f"Anna {club.live(code).table.state.scores[0]}, Bert 0. ")
        assert said["og:url"] == f"{URL}/{language}matches/{code}.html"
        assert said["og:locale"].startswith(start)
        assert said["og:image"] == f"{URL}/matches/{code}.png"
    for page in site.rglob("*.html"):
        if page.parent.name == "calendar":
            continue
        said = tags(page)
        assert said["description"]
        assert said["og:url"] == f"{URL}/{page.relative_to(site).as_posix()}"
        picture = site / said["og:image"].removeprefix(f"{URL}/")
        assert min(Image.open(BytesIO(picture.read_bytes())).size) >= 200, page


def test_without_an_address_there_is_neither_picture_nor_map(club: Club) -> None:
    with_site(club, public=True)
    code = club.match("Anna", "Bert")
    club.tick()
    site = published(club)
    assert not [name for name in tags(site / "matches" / f"{code}.html") if name.startswith("og:")]
    assert not list(site.rglob("*.png"))
    assert not (site / "sitemap.xml").exists()


@pytest.mark.slow
def test_the_map_lists_every_page_of_a_public_site(club: Club) -> None:
    with_site(club, url=URL, public=True)
    club.match("Anna", "Bert")
    club.tick()
    site = published(club)
    listed = [one.text or "" for one in ElementTree.parse(site / "sitemap.xml").iter() if one.tag.endswith("}loc")]
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"calendar/index.html"}
    assert sorted(listed) == sorted(f"{URL}/{page}" for page in pages)
    with_site(club, url=URL)
    assert not (published(club) / "sitemap.xml").exists()


@pytest.mark.slow
def test_pictures_follow_the_board_and_nothing_else(club: Club) -> None:
    with_site(club, url=URL, public=True)
    code, other = club.match("Anna", "Bert"), club.match("Anna", "Cici")
    club.tick()
    before = contents(published(club))
    assert run.bring_up(club.config, club.now, club.folder / "site").written == 0
    move(club, code, 0, "Anna")
    club.tick()
    now = changed(before, contents(published(club)))
    assert {f"matches/{code}.svg", f"matches/{code}.png"} <= now
    assert not {f"matches/{other}.svg", f"matches/{other}.png", "sitemap.xml", "static/tile.png"} & now
    drawn = (club.folder / "site" / "matches" / f"{code}.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert "prefers-color-scheme: dark" in drawn
    assert set(re.findall(r"var\((--[\w-]+)\)", drawn)) <= set(re.findall(r"(--[\w-]+):", drawn))


def test_a_match_that_cannot_be_shown_has_the_sign(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    with_site(club, url=URL)
    code = club.match("Anna", "Bert")
    row = club.row(code)

    def broken(*_: object) -> tuple[()]:
        raise Suspended(row, "its log does not fit")

    monkeypatch.setattr(matches, "frames", broken)
    site = published(club)
    assert (site / "matches" / f"{code}.svg").read_bytes() == (site / "static" / "tile.svg").read_bytes()
    assert (site / "matches" / f"{code}.png").read_bytes() == (site / "static" / "tile.png").read_bytes()
