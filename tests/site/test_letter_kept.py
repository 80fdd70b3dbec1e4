"""What the round letter keeps from one day to the next: after any change it says what one that is made anew says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlmodel import col, select

from moderator.backup.backup import reading
from moderator.cli import cli
from moderator.club.desk import Desk
from moderator.club.live_match import Walked, walk
from moderator.club.run_cache import RunCache
from moderator.config import load
from moderator.site import letter, letter_parts, run
from moderator.site.site import Site
from moderator.store.models import Event, Player
from moderator.words import house
from moderator.words.house import Ruling
from tests.club.club import Club, plain_boards


class Kept:
    """A club with its site, whose letter is made with what is kept and without."""

    def __init__(self, club: Club, played_again: list[str]) -> None:
        self.club, self.folder, self.played_again = club, club.folder / "site", played_again

    def letters(self, folder: Path | None) -> dict[str, bytes]:
        with reading(self.club.config) as session:
            site = Site(Desk(self.club.config, session, self.club.now, RunCache(self.club.config)), folder)
            return {file.path: file.make() for file in letter.files(site)}

    def same(self) -> list[str]:
        """The letter is what it would be anew; returns the matches that were played again for it."""
        fresh = self.letters(None)
        self.played_again.clear()
        assert self.letters(self.folder) == fresh
        again = sorted(self.played_again)
        run.bring_up(self.club.config, self.club.now, self.folder)
        for page, data in fresh.items():
            assert (self.folder / page).read_bytes() == data, page
        return again

    def step(self) -> list[str]:
        """The next day."""
        self.club.wait(days=1)
        return self.same()

    def command(self, *words: str) -> None:
        done = CliRunner().invoke(cli, ["--config", str(self.club.folder / "moderator.toml"), *words])
        assert done.exit_code == 0, done.output

    def move(self, code: str, seat: int, name: str) -> None:
        before = len(self.club.log(code))
        self.club.order(name, code, seat, self.club.moves(code, seat)[0])
        self.club.tick()
        assert len(self.club.log(code)) > before


@pytest.fixture
def kept(club: Club, monkeypatch: pytest.MonkeyPatch) -> Kept:
    plain_boards(club)
    played_again: list[str] = []

    def counted(session: object, match: object, terms: object) -> Walked:
        played_again.append(match.code)  # type: ignore[attr-defined]
        return walk(session, match, terms)  # type: ignore[arg-type]

    monkeypatch.setattr(letter_parts, "walk", counted)
    return Kept(club, played_again)


@pytest.mark.slow
def test_only_a_match_that_has_moved_is_played_again(kept: Kept) -> None:
    one, other = kept.club.match("Anna", "Bert"), kept.club.match("Bert", "Cici")
    assert kept.same() == sorted((one, other))
    assert kept.step() == []
    kept.move(one, 0, "Anna")
    assert kept.step() == [one]
    assert kept.step() == []


@pytest.mark.slow
def test_after_an_order_an_undo_a_notice_and_a_pause(kept: Kept) -> None:
    code, other = kept.club.match("Anna", "Bert"), kept.club.match("Anna", "Cici", game="dominos")
    kept.same()
    for seat, name in enumerate(("Anna", "Bert")):
        kept.move(code, seat, name)
        assert kept.step() == [code]
    kept.command("match", "rollback", code, "--entry", "2")
    assert kept.step() == [code]
    kept.command("match", "notice", code, "Am Dienstag ist Pause.")
    assert kept.step() == [code]
    kept.command("match", "pause", code)
    kept.step()
    kept.command("match", "replace", other, "Cici", "Bert")
    assert kept.step() == [other]


@pytest.mark.matrix("site")
def test_after_another_name_language_and_club(kept: Kept) -> None:
    codes = sorted((kept.club.match("Anna", "Bert"), kept.club.match("Bert", "Cici")))
    kept.same()
    with kept.club.desk() as desk:
        anna = desk.session.exec(select(Player).where(Player.name == "Anna")).one()
        anna.name, anna.name_key = "Anna-Lena", "anna-lena"
        desk.session.add(anna)
    assert len(kept.step()) == 1
    settings = kept.club.config.file
    text = settings.read_text(encoding="utf-8").replace("[club]", '[club]\nlanguage = "en"', 1)
    settings.write_text(text, encoding="utf-8")
    kept.club.config = load(settings)
    assert kept.step() == codes


@pytest.mark.slow
def test_after_rulings_on_words(kept: Kept) -> None:
    code = kept.club.match("Anna", "Bert")
    kept.same()
    own = kept.club.config.path(kept.club.config.words.house)
    house.append(own, Ruling("Xylo", "allow", reason="gilt", date="2026-11-21"))
    assert kept.step() == []
    kept.move(code, 0, "Anna")
    played = kept.club.log(code)[-1].text.split()[-1]
    house.append(own, Ruling(played, "deny", date="2026-11-22"))
    assert kept.step() == [code]


@pytest.mark.matrix("site")
def test_over_the_end_of_a_match_and_of_a_month(kept: Kept) -> None:
    code, other = kept.club.match("Anna", "Bert", rounds=1), kept.club.match("Bert", "Cici")
    kept.same()
    while kept.club.row(code).status == "running":
        seat = kept.club.live(code).awaited[0]
        kept.club.order(("Anna", "Bert")[seat], code, seat, "passe")
        kept.club.tick()
    assert kept.step() == [code]
    kept.club.now = datetime(2026, 12, 2, 12, tzinfo=UTC)
    kept.same()
    kept.move(other, 0, "Bert")
    assert set(kept.step()) == {other}
    assert kept.letters(kept.folder).keys() >= {"letter.html", "letters/2026-11.html"}


@pytest.mark.matrix("site")
def test_a_log_of_the_same_length_with_another_end_is_another_log(kept: Kept) -> None:
    """As after a backup was restored and played on."""
    code = kept.club.match("Anna", "Bert")
    kept.move(code, 0, "Anna")
    kept.same()
    with kept.club.desk() as desk:
        last = desk.session.exec(select(Event).order_by(col(Event.id).desc())).first()
        assert last is not None
        last.at = last.at.replace(microsecond=1)
        desk.session.add(last)
    assert kept.step() == [code]
