"""What the archive tells and what it does not: of a match's newest entry, of hidden tiles, of puzzles of the week, of
reviews, of tables for training."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moderator.common.enums import MatchStatus
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.language.messages import translate_move
from moderator.review.review import Reviewed
from moderator.rules.game import Note
from moderator.service import create
from moderator.service.create import get_match, get_player
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.site import build, letter, matches, records, rules
from moderator.site.board import build_replay_frames
from moderator.site.build import publish_site
from moderator.site.layout import SiteContent
from moderator.site.players import PlayerCareers
from moderator.store.reviews import find_last_puzzle, iter_reviewed_turns, list_all_puzzles
from moderator.store.tables import MatchRow, PuzzleAnswer
from moderator.views import ratings
from moderator.views.loaded_match import MatchSuspended
from moderator.views.puzzles import complete_match_review, find_complete_review
from tests.club import pair_scenes as puzzle_club
from tests.club.club import Club, club_of, copied
from tests.club.test_reviews import PLENTY, with_seconds
from tests.site import pages
from tests.site.pages import move, publish, set_site

MONDAY = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


def newest(club: Club, code: str) -> int:
    """What the archive, brought up to date, tells a touch board; and nothing else."""
    found: dict[str, Any] = json.loads((publish(club) / "matches" / f"{code}.now.json").read_text())
    assert list(found) == ["entry"]
    assert type(found["entry"]) is int
    return int(found["entry"])


@pytest.mark.slow
def test_a_move_and_what_is_taken_back_are_told(club: Club) -> None:
    code = club.match("Anna", "Bert")
    assert newest(club, code) == 0
    move(club, code, 0)
    move(club, code, 1)
    assert newest(club, code) == club.row(code).entries == 2
    with club.at(code) as (work, match):
        Match.load(work, match).undo_to_entry(1, Note("rolled-back-to-plain"))
        notify_match_events(work)
    assert newest(club, code) == club.row(code).entries == 3


@pytest.mark.slow
def test_an_order_that_is_only_stored_is_not_told(club: Club) -> None:
    """It has a number in the log, but that it is there is nobody's business until the round is over."""
    code = club.match("Anna", "Bert", pace="rounds")
    for seat in (0, 1):
        move(club, code, seat)
        assert club.row(code).entries == seat + 1
        assert newest(club, code) == 0
    club.let_pass(days=9)
    assert newest(club, code) == club.row(code).entries == 3
    with club.work() as work:
        shown = build_replay_frames(work, get_match(work.session, code))
    assert [frame.entry for frame in shown] == [0, 3]


def test_a_match_without_a_page_has_no_number_and_of_one_whose_log_does_not_fit_nothing_is_known(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unfit(_: object, row: MatchRow) -> None:
        raise MatchSuspended(row, "its log does not fit")

    with club.work() as work:
        seats = [get_player(work.session, name) for name in ("Anna", "Bert")]
        waiting = create.create_match(work, "topwords", "Arratia", seats, {}).code
    code = club.match("Anna", "Bert")
    monkeypatch.setattr(matches, "build_replay_frames", unfit)
    assert newest(club, code) == 0
    assert list((club.folder / "site").rglob(f"{waiting}*")) == []


@pytest.fixture(scope="module")
def puzzled(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """Two weeks: Anna found the first puzzle, Bert did not; the second one runs. With its site."""
    club = puzzle_club.made(tmp_path_factory.mktemp("puzzles-site") / "club", 3)
    puzzle_club.wants(club, "Anna", "Bert")
    club.now = MONDAY
    with puzzle_club.fewer_turns():
        club.tick()
    mails = {str(mail["To"]).partition(" ")[0]: mail for mail in club.mails() if "Aufgabe" in str(mail["Subject"])}
    with club.work() as work:
        assert get_player(work.session, "Bert").puzzles
    for name, text in (("Anna", puzzle_club.best(club)), ("Bert", puzzle_club.poor(club))):
        club.write(name, text, to=str(mails[name]["Reply-To"]))
    club.tick()
    club.wait(days=7)
    with puzzle_club.fewer_turns():
        club.tick()
    assert puzzle_club.last(club).number == 2
    publish(club)
    return club


def first_puzzle(club: Club) -> tuple[str, str, str]:
    """The first puzzle's best move, as German and as English readers have it, and the code of its match."""
    with club.work() as work:
        puzzle = list_all_puzzles(work.session)[-1]
        match = work.session.get_one(MatchRow, puzzle.match_id)
        return translate_move(puzzle.best, "de", match.game), translate_move(puzzle.best, "en", match.game), match.code


@pytest.mark.slow
def test_a_puzzle_that_was_told_has_a_page_and_a_section_in_the_letter(puzzled: Club) -> None:
    german, english, code = first_puzzle(puzzled)
    site = puzzled.folder / "site"
    for language, text, found, until, count in (
        ("", german, "Gefunden von Anna.", "läuft bis", "1 von 1"),
        ("en/", english, "Found by Anna.", "runs until", "1 of 1"),
    ):
        page = pages.read(site, f"{language}puzzles.html")
        assert text in page.text
        assert found in page.text
        assert until in page.text
        assert [row for row in page.rows if len(row) == 4][1:] == [["1.", "Anna", "1", "1"], ["2.", "Bert", "0", "1"]]
        assert any(f"matches/{code}.html" in link.to for link in page.links)
        page = pages.read(site, f"{language}letter.html")
        assert "puzzles" in page.ids
        assert text in page.text
        assert ["1.", "Anna", count] in page.rows
    with build.open_site(puzzled.config, puzzled.now) as opened:
        made = letter.build_letter_since(opened, MONDAY, "de")
        assert made.puzzles
        assert letter.render_letter_pdf(made, "de", puzzled.now, puzzled.config).startswith(b"%PDF")


@pytest.mark.slow
def test_a_puzzle_that_runs_is_on_no_page_and_the_one_before_only_while_its_match_is_over(
    puzzled: Club, tmp_path: Path
) -> None:
    """Worlds that differ in the solution of the puzzle that runs, and in who has answered it, have the same site."""
    club, before = copied(puzzled, tmp_path / "club"), pages.contents(puzzled.folder / "site")
    with club.work() as work:
        puzzle = find_last_puzzle(work.session)
        puzzle.best, puzzle.most, puzzle.hardness, puzzle.turns = "NOWHERE@9", 987, 9.9, 654
        anna = get_player(work.session, "Anna").number
        work.session.add(
            PuzzleAnswer(puzzle_id=puzzle.number, player_id=anna, move="NOWHERE@9", points=987, at=club.now)
        )
    build.update_site(club.config, club.now, tmp_path / "site")
    assert pages.changed(before, pages.contents(tmp_path / "site")) == set()
    club.now = datetime(2026, 12, 2, tzinfo=UTC)
    build.update_site(club.config, club.now, tmp_path / "site")
    assert "puzzles" not in pages.read(tmp_path / "site", "letter.html").ids
    assert "puzzles" in pages.read(tmp_path / "site", "letters/2026-11.html").ids
    german, _, code = first_puzzle(club)
    with club.work() as work:
        get_match(work.session, code).status = MatchStatus.RUNNING
    build.update_site(club.config, club.now, tmp_path / "site")
    assert german not in pages.read(tmp_path / "site", "puzzles.html").text


def test_a_club_without_puzzles_has_no_page_of_them(club: Club) -> None:
    site = publish(club)
    assert not (site / "puzzles.html").exists()
    assert "puzzles.html" not in (site / "index.html").read_text(encoding="utf-8")


@pytest.fixture
def ended(tmp_path: Path) -> tuple[Club, str, str]:
    """With a site; a finished match of robots, and one that runs."""
    club = club_of(tmp_path, "R2", "R2b", "Anna", "Bert")
    set_site(club, folder="site")
    code, running = club.match("R2", "R2b", game="dominos", target=30), club.match("Anna", "Bert", game="dominos")
    for _ in range(20):
        club.let_pass(minutes=5)
        if club.row(code).status == "finished":
            return club, code, running
    raise AssertionError("no end")


def _left(turn: Reviewed, point: str) -> str:
    """What the column of points left says, with what may follow; where there was one turn only, nothing is compared."""
    assert (turn.equity is None) == (turn.of == 1)
    return f"{turn.loss:.1f}".removesuffix(".0").replace(".", point)


@pytest.mark.slow
def test_page_and_letter_are_written_anew_when_the_review_is_whole(ended: tuple[Club, str, str]) -> None:
    club, code, running = ended
    folder = club.folder / "site"
    for language in ("", "en/"):
        assert "review" not in pages.read(folder, f"{language}matches/{code}.html").ids
    assert "find" not in pages.read(folder, "letter.html").ids
    before = pages.contents(folder)
    with_seconds(club, PLENTY).tick()
    with club.work() as work:
        found = find_complete_review(work.session, get_match(work.session, code))
    best = found.turns[found.find]
    for language, heading, words in (
        ("", "Nachbetrachtung", f"der beste von {best.of}"),
        ("en/", "Review", f"the best of {best.of}"),
    ):
        page = pages.read(folder, f"{language}matches/{code}.html")
        assert "review" in page.ids
        assert heading in page.text
        lefts = [_left(one, "." if language else ",") for one in found.turns if one.has_choice()]
        assert sorted(row[4] for row in page.rows if len(row) == 6 and row[0].isdecimal()) == sorted(lefts)
        assert "review" not in pages.read(folder, f"{language}matches/{running}.html").ids
        page = pages.read(folder, f"{language}letter.html")
        assert "find" in page.ids
        assert words in page.text
        assert code in page.text
    changed = pages.changed(before, pages.contents(folder))
    assert f"matches/{code}.html" in changed
    assert f"matches/{running}.html" not in changed


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    """Anna has beaten Ada, a robot, to the end of a match that is reviewed."""
    club = club_of(tmp_path_factory.mktemp("training") / "club", "Anna", "R2 Ada")
    code = club.match("Anna", "R2 Ada", game="dominos", target=30)
    while club.row(code).status == "running":
        move(club, code, 0)
        club.wait(minutes=20)
    with club.work() as work:
        complete_match_review(work.session, work.cache, get_match(work.session, code), work.now)
    return club, code


@pytest.fixture
def training(trained: tuple[Club, str], tmp_path: Path) -> tuple[Club, str]:
    """A copy to mark."""
    club = copied(trained[0], tmp_path / "club")
    set_site(club, url="https://club.example")
    return club, trained[1]


def mark(club: Club, code: str) -> None:
    with club.work() as work:
        get_match(work.session, code).training = True


def _career(site: SiteContent, ask: Callable[[PlayerCareers, int], Any]) -> Any:
    return ask(PlayerCareers(site), get_player(site.work.session, "Anna").number)


def _letter(site: SiteContent) -> Any:
    started = site.matches[0].started
    return letter.build_letter_since(site, started, "en")


PLACES: dict[str, Callable[[SiteContent], object]] = {
    "ratings": lambda site: ratings.load_rating_ledger(site.work.session),
    "games with ratings": lambda site: ratings.load_rated_games(site.work.session),
    "results for another club": lambda site: ratings.list_exportable_games(site.work.session)[0],
    "records": lambda site: records.list_game_bests(
        site, [one for one in site.matches if records.is_record_match(one)]
    ),
    "won, lost, best move": lambda site: _career(site, PlayerCareers.list_records),
    "head to head": lambda site: _career(site, PlayerCareers.list_opponents),
    "rating list": lambda site: PlayerCareers(site).rank_players("dominos"),
    "what pages of players hang on": lambda site: PlayerCareers(site).sources,
    "example of the rules": rules._list_example_matches,
    "round letter": lambda site: _letter(site).matches,
    "find of the month": lambda site: _letter(site).find,
    "positions for puzzles": lambda site: list(iter_reviewed_turns(site.work.session, "dominos")),
}


def places_with(club: Club) -> set[str]:
    """The places that say something of the club's one match."""
    with club.work() as work:
        return {name for name, ask in PLACES.items() if ask(SiteContent(work))}


def pages_with(club: Club, folder: Path, code: str) -> set[str]:
    with club.work() as work:
        publish_site(SiteContent(work, folder), folder)
    found = {path for path, data in pages.contents(folder).items() if code in data.decode("utf-8", "ignore")}
    return {path for path in found if f"matches/{code}." not in path and not path.startswith(("en/", "."))}


@pytest.mark.slow
def test_what_a_match_came_to_is_told_everywhere_and_of_training_only_in_lists(
    training: tuple[Club, str], tmp_path: Path
) -> None:
    """A new page that tells of matches has to say whether it tells of these."""
    club, code = training
    assert places_with(club) == PLACES.keys()
    lists = {"index.html", "matches.html", "matches-2026.html", "players/1.html", "players/2.html"}
    others = {"records.html", "rules/dominos.html", "letter.html", "feed.atom"}
    assert pages_with(club, tmp_path / "site", code) - {"letters/2026-11.html", "sitemap.xml"} == lists | others
    mark(club, code)
    assert places_with(club) == set()
    assert pages_with(club, tmp_path / "site", code) - {"sitemap.xml"} == lists
    page = (tmp_path / "site" / "players" / "1.html").read_text("utf-8")
    assert code in page, "who has only practised has a page and a line"
    assert "list-table" not in page
    line = (tmp_path / "site" / "players.html").read_text("utf-8").partition("Anna")[2].partition("</tr>")[0]
    assert re.findall('class="points[^>]*>([^<]*)', line) == ["0", "0", ""]


def test_the_moderator_is_not_told_who_is_late_where_nobody_waits(tmp_path: Path) -> None:
    club = club_of(tmp_path, "Anna", "R2 Ada")
    code = club.start("Anna", "R2 Ada", game="dominos", terms={"grace": 5})
    deadline = club.row(code).deadline
    club.wait(seconds=(deadline - club.now).total_seconds() + 3600)

    def late() -> list[str]:
        with club.work() as work:
            return [str(task.facts["match"]) for task in Agenda(work).list_tasks() if "match" in task.facts]

    assert late() == [code]
    mark(club, code)
    assert late() == []


def test_whether_a_match_counts_is_asked_of_the_row_as_of_the_database(training: tuple[Club, str]) -> None:
    """``Listed.counts`` is the same condition, worked out by the database."""
    club, _ = training
    for marked in (False, True):
        with club.work() as work:
            row = work.session.get_one(MatchRow, 1)
            row.training = marked
            work.session.flush()
            (listed,) = SiteContent(work).matches
            assert (listed.counts, listed.training) == (not marked, marked)
