"""The site tells of a puzzle of the week when its solution was told, never of the one that runs; so does the letter."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.pages.notation import in_words
from moderator.play.create import find_player
from moderator.site import run
from moderator.states import MatchStatus
from moderator.store.models import Match
from tests.club import puzzle_club
from tests.club.club import Club, copied
from tests.site import pages

MONDAY = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """Two weeks: Anna found the first puzzle, Bert did not; the second one runs."""

    def make(folder: Path) -> Club:
        club = puzzle_club.made(folder / "club", ("supertridom",), 3)
        puzzle_club.wants(club, "Anna", "Bert")
        club.now = MONDAY
        club.tick()
        mails = {str(mail["To"]).partition(" ")[0]: mail for mail in club.mails() if "Aufgabe" in str(mail["Subject"])}
        with club.desk() as desk:
            poor = next(one for one in mails["Bert"].get_body(("plain",)).get_content().split("»") if "@" in one)
            assert find_player(desk.session, "Bert").puzzles
        for name, move in (("Anna", puzzle_club.best(club)), ("Bert", poor.partition("«")[0])):
            club.write(name, move, to=str(mails[name]["Reply-To"]))
        club.tick()
        club.wait(days=7)
        club.tick()
        assert puzzle_club.last(club).number == 2
        return club

    return make(tmp_path_factory.mktemp("puzzles-site"))


@pytest.fixture
def club(kept: Club, tmp_path: Path) -> Club:
    return copied(kept, tmp_path / "club")


def first(club: Club) -> tuple[str, str, str]:
    """The first puzzle's best move, as German and as English readers have it, and the code of its match."""
    with club.desk() as desk:
        from moderator.store.puzzles import every

        puzzle = every(desk.session)[-1]
        match = desk.session.get_one(Match, puzzle.match_id)
        return in_words(puzzle.best, "de", match.game), in_words(puzzle.best, "en", match.game), match.code


@pytest.mark.slow
def test_the_page_tells_what_was_told(club: Club, tmp_path: Path) -> None:
    run.bring_up(club.config, club.now, tmp_path / "site")
    german, english, code = first(club)
    for path, move, found, until in (
        ("puzzles.html", german, "Gefunden von Anna.", "läuft bis"),
        ("en/puzzles.html", english, "Found by Anna.", "runs until"),
    ):
        page = pages.read(tmp_path / "site", path)
        assert move in page.text
        assert found in page.text
        assert until in page.text
        assert [row for row in page.rows if len(row) == 4][1:] == [["1.", "Anna", "1", "1"], ["2.", "Bert", "0", "1"]]
        assert any(f"matches/{code}.html" in link.to for link in page.links)


@pytest.mark.slow
def test_what_runs_is_on_no_page(club: Club, tmp_path: Path) -> None:
    """Worlds that differ in the solution of the puzzle that runs, and in who has answered it, have the same site."""
    run.bring_up(club.config, club.now, tmp_path / "site")
    with club.desk() as desk:
        from moderator.store.models import PuzzleAnswer
        from moderator.store.puzzles import last

        puzzle = last(desk.session)
        assert puzzle is not None
        puzzle.best, puzzle.most, puzzle.hardness, puzzle.turns = "NOWHERE@9", 987, 9.9, 654
        desk.session.add(puzzle)
        anna = find_player(desk.session, "Anna").number
        desk.session.add(
            PuzzleAnswer(puzzle_id=puzzle.number, player_id=anna, move="NOWHERE@9", points=987, at=club.now)
        )
    run.bring_up(club.config, club.now, tmp_path / "other")
    assert pages.changed(pages.contents(tmp_path / "site"), pages.contents(tmp_path / "other")) == set()


@pytest.mark.slow
def test_a_match_that_runs_again_takes_its_puzzle_off_the_page(club: Club, tmp_path: Path) -> None:
    run.bring_up(club.config, club.now, tmp_path / "site")
    german, _, code = first(club)
    with club.desk() as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        match.status = MatchStatus.RUNNING
        desk.session.add(match)
    run.bring_up(club.config, club.now, tmp_path / "site")
    assert german not in pages.read(tmp_path / "site", "puzzles.html").text


@pytest.mark.slow
def test_the_letter_has_a_section(club: Club, tmp_path: Path) -> None:
    run.bring_up(club.config, club.now, tmp_path / "site")
    german, english, _ = first(club)
    for path, move, count in (("letter.html", german, "1 von 1"), ("en/letter.html", english, "1 of 1")):
        page = pages.read(tmp_path / "site", path)
        assert "puzzles" in page.ids
        assert move in page.text
        assert ["1.", "Anna", count] in page.rows
    later = replace(club, now=datetime(2026, 12, 2, tzinfo=UTC))
    run.bring_up(later.config, later.now, tmp_path / "site")
    assert "puzzles" not in pages.read(tmp_path / "site", "letter.html").ids
    assert "puzzles" in pages.read(tmp_path / "site", "letters/2026-11.html").ids


@pytest.mark.slow
@pytest.mark.matrix("site")
def test_the_letter_on_paper_has_it(club: Club) -> None:
    pytest.importorskip("typst")
    from moderator.site import letter

    with run.opened(club.config, club.now) as site:
        made = letter.since(site, MONDAY, "de")
        assert made.puzzles
        assert letter.pdf(made, "de", club.now, club.config).startswith(b"%PDF")


@pytest.mark.slow
def test_a_club_without_puzzles_has_no_page(tmp_path: Path) -> None:
    from tests.club.club import make_club

    club = make_club(tmp_path / "club")
    run.bring_up(club.config, club.now, tmp_path / "site")
    assert not (tmp_path / "site" / "puzzles.html").exists()
    assert "puzzles.html" not in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
