"""A match's page shows its review from the run on in which it is whole; a running match's page shows none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.club import reviews
from moderator.config import Config
from moderator.review.review import Reviewed
from moderator.store.models import Match
from tests.club.club import Club, make_club
from tests.club.test_reviews import PLENTY, with_seconds
from tests.site import pages

HEADING = {"": "Nachbetrachtung", "en/": "Review"}


@pytest.fixture
def ended(tmp_path: Path) -> tuple[Club, str, str]:
    """With a site; a finished match of robots, and one that runs."""
    club = make_club(tmp_path)
    club.players("R2", "R2b", "Anna", "Bert")
    file = club.config.file
    file.write_text(file.read_text("utf-8") + '[site]\nfolder = "site"\n', "utf-8")
    config: Config = replace(club.config, site=replace(club.config.site, folder="site"))
    object.__setattr__(config, "file", file)
    club = replace(club, config=config)
    code, running = club.match("R2", "R2b", game="dominos", target=30), club.match("Anna", "Bert", game="dominos")
    for _ in range(20):
        club.wait(minutes=5)
        club.tick()
        if club.row(code).status == "finished":
            return club, code, running
    raise AssertionError("no end")


def _left(turn: Reviewed, point: str) -> str:
    """What the column of points left says, with what may follow; where there was one turn only, nothing is compared."""
    assert (turn.equity is None) == (turn.of == 1)
    return f"{turn.loss:.1f}".removesuffix(".0").replace(".", point)


def idle(club: Club) -> None:
    with_seconds(club, PLENTY).tick()


def test_the_page_is_written_anew_when_the_review_is_whole(ended: tuple[Club, str, str]) -> None:
    club, code, running = ended
    folder = club.folder / "site"
    for language in HEADING:
        assert "review" not in pages.read(folder, f"{language}matches/{code}.html").ids
    before = pages.contents(folder)
    idle(club)
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        found = reviews.whole(desk.session, match)
    assert found is not None
    for language, heading in HEADING.items():
        page = pages.read(folder, f"{language}matches/{code}.html")
        assert "review" in page.ids
        assert heading in page.text
        lefts = [_left(one, "." if language else ",") for one in found.turns]
        assert [row[4] for row in page.rows if len(row) == 6 and row[0].isdecimal()] == lefts
        assert "review" not in pages.read(folder, f"{language}matches/{running}.html").ids
    changed = pages.changed(before, pages.contents(folder))
    assert f"matches/{code}.html" in changed
    assert f"matches/{running}.html" not in changed


@pytest.mark.slow
def test_the_letter_has_the_find(ended: tuple[Club, str, str]) -> None:
    """That of a match which ended in the letter's time, once its review is whole."""
    club, code, _ = ended
    folder = club.folder / "site"
    assert "find" not in pages.read(folder, "letter.html").ids
    idle(club)
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        found = reviews.whole(desk.session, match)
    assert found is not None
    assert found.find is not None
    one = found.turns[found.find]
    for language, words in (("", f"das Beste von {one.of}"), ("en/", f"the best of {one.of}")):
        page = pages.read(folder, f"{language}letter.html")
        assert "find" in page.ids
        assert words in page.text
        assert code in page.text
