"""A table for training has its page and stands in lists of matches. Nothing that it came to is said of its players: in
no rating, record, statistic, letter, feed or puzzle. The same match without the mark is told in all these places."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moderator.club import ratings, reviews
from moderator.config import Site as Settings
from moderator.outbox.asked import promptness_of
from moderator.play.create import find_match, find_player
from moderator.site import letter, records, rules
from moderator.site.players import Careers
from moderator.site.run import publish
from moderator.site.site import Site
from moderator.store import puzzles
from moderator.store.models import Match
from moderator.today.daily_notice import tasks
from tests.club.club import Club, copied, make_club
from tests.site.pages import contents


def build(folder: Path) -> tuple[Club, str]:
    """Anna has beaten Ada, a robot, to the end of a match that is reviewed."""
    club = make_club(folder, kept=True)
    club.players("Anna", "R2 Ada")
    code = club.match("Anna", "R2 Ada", game="dominos", target=30)
    while club.row(code).status == "running":
        club.order("Anna", code, 0, club.moves(code, 0)[0])
        club.tick()
        club.wait(minutes=20)
    with club.desk() as desk:
        reviews.at_once(desk.session, desk.cache, find_match(desk.session, code), desk.now)
    return club, code


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    return build(tmp_path_factory.mktemp("training") / "club")


@pytest.fixture
def played(kept: tuple[Club, str], tmp_path: Path) -> tuple[Club, str]:
    club = copied(kept[0], tmp_path / "club")
    config = replace(club.config, site=Settings(url="https://club.example"))
    object.__setattr__(config, "file", club.config.file)
    return replace(club, config=config), kept[1]


def mark(club: Club, code: str) -> None:
    with club.desk() as desk:
        match = find_match(desk.session, code)
        match.training = True
        desk.session.add(match)


def _career(site: Site, ask: Callable[[Careers, int], Any]) -> Any:
    careers = Careers(site)
    return ask(careers, find_player(site.desk.session, "Anna").number)


PLACES: dict[str, Callable[[Site], object]] = {
    "ratings": lambda site: ratings.ledger(site.desk.session),
    "games with ratings": lambda site: ratings.rated_games(site.desk.session),
    "results for another club": lambda site: ratings.as_results(site.desk.session)[0],
    "records": lambda site: records.chapters(site, [one for one in site.matches if records.recorded(one)]),
    "won, lost, best move": lambda site: _career(site, Careers.records),
    "head to head": lambda site: _career(site, Careers.against),
    "rating list": lambda site: Careers(site).ranking("dominos"),
    "what pages of players hang on": lambda site: Careers(site).sources,
    "example of the rules": rules._examples,
    "round letter": lambda site: letter.since(site, site.matches[0].started, "en").matches,  # type: ignore[arg-type]
    "find of the month": lambda site: letter.since(site, site.matches[0].started, "en").find,  # type: ignore[arg-type]
    "positions for puzzles": lambda site: list(puzzles.reviewed(site.desk.session)),
    "promptness": lambda site: promptness_of(site.desk, find_player(site.desk.session, "Anna")),
}


def told(club: Club) -> dict[str, object]:
    """What each place says of the club's one match."""
    with club.desk() as desk:
        return {name: ask(Site(desk)) for name, ask in PLACES.items()}


def test_what_a_match_came_to_is_told_everywhere_and_of_training_nowhere(played: tuple[Club, str]) -> None:
    club, code = played
    assert {name for name, said in told(club).items() if not said} == set()
    mark(club, code)
    assert {name for name, said in told(club).items() if said} == set()


def pages_with(club: Club, folder: Path, code: str) -> set[str]:
    with club.desk() as desk:
        publish(desk, folder)
    found = {path for path, data in contents(folder).items() if code in data.decode("utf-8", "ignore")}
    return {path for path in found if f"matches/{code}." not in path and not path.startswith(("en/", "."))}


def test_of_its_pages_only_lists_of_matches_name_it(played: tuple[Club, str], tmp_path: Path) -> None:
    """A new page that tells of matches has to say whether it tells of these."""
    club, code = played
    year, anna, robot = "matches-2026.html", "players/1.html", "players/2.html"
    lists = {"index.html", year, anna, robot}
    others = {"records.html", "rules/dominos.html", "letter.html", "feed.atom"}
    assert pages_with(club, tmp_path / "site", code) - {"letters/2026-11.html", "sitemap.xml"} == lists | others
    mark(club, code)
    assert pages_with(club, tmp_path / "site", code) - {"sitemap.xml"} == lists


def test_a_player_who_has_only_practised_has_a_page_and_a_line(played: tuple[Club, str], tmp_path: Path) -> None:
    club, code = played
    mark(club, code)
    with club.desk() as desk:
        publish(desk, tmp_path / "site")
    page = (tmp_path / "site" / "players" / "1.html").read_text("utf-8")
    assert code in page
    assert "list-table" not in page
    line = (tmp_path / "site" / "players.html").read_text("utf-8").partition("Anna")[2].partition("</tr>")[0]
    assert [cell.partition("<")[0] for cell in line.split('class="points">')[1:]] == ["0", "0", ""]


def test_the_moderator_is_not_told_who_is_late_where_nobody_waits(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    club.players("Anna", "R2 Ada")
    code = club.match("Anna", "R2 Ada", game="dominos", terms={"grace": 5})
    club.tick()
    deadline = club.row(code).deadline
    assert deadline is not None
    club.wait(seconds=(deadline - club.now).total_seconds() + 3600)

    def late() -> list[str]:
        with club.desk() as desk:
            return [str(task.facts["match"]) for task in tasks(desk) if "match" in task.facts]

    assert late() == [code]
    mark(club, code)
    assert late() == []


def test_the_rule_is_asked_of_the_row_as_of_the_database(played: tuple[Club, str]) -> None:
    """``Listed.counts`` is the same condition, worked out by the database."""
    club, _ = played
    for training in (False, True):
        with club.desk() as desk:
            row = desk.session.get_one(Match, 1)
            row.training = training
            desk.session.add(row)
            desk.session.flush()
            (listed,) = Site(desk).matches
            assert (listed.counts, listed.training) == (not training, training)
