"""The round letter: what stands in it for which time, as a page, as one file, as PDF; and what is kept of it from one
day to the next, so that after any change it says what one that is made anew says."""

import re
import sys
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pypdf
import pytest
from sqlmodel import col, select

from moderator.common.errors import OperatorError
from moderator.service import create
from moderator.service.create import add_player
from moderator.settings import load_config
from moderator.site import build, letter, letter_parts
from moderator.site.feeds import list_logged_tournaments
from moderator.site.layout import PageView, SiteContent
from moderator.site.letter_parts import LetterMatches, Period, RoundLetter, TournamentPart
from moderator.store.database import open_reading_session
from moderator.store.tables import EventRow, LetterRow, MatchRow, PlayerRow
from moderator.views.loaded_match import ReplayedMatch, rebuild_with_history
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from moderator.words import house_rulings
from moderator.words.house_rulings import HouseRuling
from tests.cli.running import type_command
from tests.club import tournament_club
from tests.club.club import Club
from tests.site.pages import move, pass_to_the_end, play_to_the_end, publish, read, set_site

WILD = '#import "/etc/passwd": *'
PRESS = (
    "$x$ *fett* _kursiv_ [in] @ref",
    "<label> // nichts /* da */",
    '#read("/etc/passwd") \\u{41}',
    "= 1. - + / ~ --- ...",
)


def made(club: Club, since: datetime | None = None, language: str = "de", *, scenes: bool = False) -> RoundLetter:
    with build.open_site(club.config, club.now) as site:
        return letter.build_letter_since(site, since or club.now - timedelta(days=30), language, scenes)


def test_running_and_finished_matches_with_board_and_scores(club: Club) -> None:
    done, runs = pass_to_the_end(club, "Anna", "Bert"), club.match("Bert", "Cici")
    text = move(club, runs, 0, "Bert")
    found = made(club)
    (match,), (over,) = found.running, found.finished
    assert (match.code, over.code) == (runs, done)
    assert text.split()[-1] in match.last
    assert [(line.name, line.score) for line in match.table] == [
        ("Bert", club.live(runs).table.state.scores[0]),
        ("Cici", 0),
    ]
    assert 'role="img" aria-label="' in match.svg
    assert any(fact.startswith("Frist\u00a0") for fact in match.facts)
    assert any(fact.startswith("beendet am 20.11.2026") for fact in over.facts)
    club.wait(days=3)
    later = made(club, club.now - timedelta(days=1))
    assert [one.code for one in later.matches] == [runs], "what ended before is in no letter, and what runs is in all"
    assert done not in str(later)
    assert [fact for fact in later.running[0].facts if "Züge" in fact] == []


def test_racks_and_orders_stay_hidden(club: Club) -> None:
    code = club.match("Anna", "Bert", pace="rounds")
    before = made(club).running[0].svg
    order = move(club, code, 0)
    found = made(club)
    assert order.split()[-1] not in str(found.running[0].facts) + found.running[0].last
    assert found.running[0].svg == before


def test_press_comes_with_the_end_and_only_what_was_for_all(club: Club) -> None:
    done, runs = pass_to_the_end(club, "Anna", "Bert"), club.match("Anna", "Bert")
    with club.work() as work:
        for code, seats, text, delivered in (
            (done, [], "Bis bald! anna@home.example", True),
            (done, [1], "Nur für Bert", True),
            (done, [], "Noch nicht zugestellt", False),
            (runs, [], "Noch geheim", True),
        ):
            row = create.get_match(work.session, code)
            anna = create.get_player(work.session, "Anna")
            at = work.now if delivered else None
            work.session.add(
                LetterRow(
                    match_id=row.number, player_id=anna.number, seats=seats, text=text, at=work.now, delivered_at=at
                )
            )
    found = made(club)
    assert [(said.by, said.text) for one in found.matches for said in one.press] == [("Anna", "Bis bald! …")]


def test_official_words_and_rulings_of_the_time_and_not_those_that_would_tell(club: Club) -> None:
    code = club.match("Anna", "Bert")
    type_command(club, "match", "notice", code, "Am Dienstag ist Pause.")
    club.wait(minutes=1)
    assert made(club).running[0].notices == ("Am Dienstag ist Pause.",)
    assert made(club, club.now).running[0].notices == ()
    place = club.config.resolve_path(club.config.words.house)
    for word, day, scope in (
        ("ALT", "2026-10-19", "all"),
        ("HEUTE", "2026-11-20", "all"),
        ("GEHEIM", "2026-11-20", code),
        ("NEU", "2026-11-21", "all"),
    ):
        house_rulings.append_ruling(
            place, HouseRuling(word, "allow" if word == "HEUTE" else "deny", reason="darum", date=day, scope=scope)
        )
    found = made(club, datetime(2026, 11, 1, tzinfo=UTC))
    assert [(word.word, word.ruling, word.reason) for word in found.words] == [("HEUTE", "gilt", "darum")]
    assert made(club, datetime(2026, 11, 1, tzinfo=UTC), "en").words[0].ruling == "counts"


def test_tables_of_tournaments_as_they_stood(club: Club) -> None:
    club.players("R2 Eins", "R2 Zwei")
    tournament_club.found(club, "robin", ["R2 Eins", "R2 Zwei", "Anna"], days=1)
    club.wait(days=1)
    for _ in range(3):
        club.tick()  # the robots play their game to its end
    club.wait(days=2)
    before = club.now
    club.wait(hours=1)
    for row in tournament_club.open_games(club):
        tournament_club.judge(club, "T1", row, "1:0")
    club.tick()
    (tournament,) = made(club, before - timedelta(days=60)).tournaments
    assert tournament.facts == ("T1", "Tridom", "beendet")
    assert sum(points(tournament)) == 3
    assert {name for _, name, _ in tournament.tables[0]} == {"R2 Eins", "R2 Zwei", "Anna"}
    with build.open_site(club.config, club.now) as site:
        period = Period("", before - timedelta(days=60), before)
        view = PageView(site, letter.PAGE, "de")
        then = letter.build_round_letter(
            view, LetterMatches(site, period, letter.list_played_matches(site, period)), list_logged_tournaments(site)
        )
    (tournament,) = then.tournaments
    assert tournament.facts == ("T1", "Tridom", "Runde 1")
    assert sum(points(tournament)) == 1
    assert len(tournament.games) == 1


def points(tournament: TournamentPart) -> list[float]:
    return [float(points.replace("½", ".5").replace(",", ".")) for table in tournament.tables for _, _, points in table]


@pytest.mark.slow
def test_a_month_that_is_over_keeps_its_letter(club: Club) -> None:
    code = club.match("Anna", "Bert")
    move(club, code, 0)
    scores = {line.score for line in made(club).running[0].table}
    club.now = datetime(2026, 12, 2, 12, tzinfo=UTC)
    folder = publish(club)
    for page in ("letters/2026-11.html", "en/letters/2026-11.html", "letter.html", "en/letter.html"):
        assert (folder / page).is_file()
    assert not (folder / "letters" / "2026-12.html").exists()
    month = folder / "letters" / "2026-11.html"
    before = month.read_bytes()
    assert "Rundbrief November 2026" in read(folder, "letters/2026-11.html").text
    assert "Rundbrief Dezember 2026" in read(folder, "letter.html").text
    assert read(folder, "letter.html").to("letters/2026-11.html")
    move(club, code, 1)
    publish(club)
    assert month.read_bytes() == before
    assert {line.score for line in made(club).running[0].table} != scores


@pytest.mark.slow
def test_the_newest_letter_is_made_anew_once_a_day_and_when_a_match_begins_or_ends(club: Club) -> None:
    code = club.match("Anna", "Bert")
    page = publish(club) / "letter.html"
    first = page.read_bytes()
    move(club, code, 0)
    publish(club)
    assert page.read_bytes() == first
    other = club.match("Bert", "Cici")
    publish(club)
    second = page.read_text(encoding="utf-8")
    assert other in second
    club.wait(days=1)
    publish(club)
    assert page.read_text(encoding="utf-8") != second


def test_a_letter_in_one_file_needs_no_other(club: Club) -> None:
    with club.work() as work:
        add_player(work.session, "<script>alert(1)</script>", "wild@home.example", club.now)
    pass_to_the_end(club, "Anna", "<script>alert(1)</script>")
    with build.open_site(club.config, club.now) as site:
        data = letter.render_standalone_letter(
            site, letter.build_letter_since(site, club.now - timedelta(days=1), "en"), "en"
        ).decode()
    assert re.findall(r'(?:href|src)="(?!#)', data) == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in data
    assert "@page" in data
    assert not re.search(r"<script|<link|url\(|@import", data)


@pytest.mark.parametrize(("name", "begins"), [("letter.html", b"<!doctype html>"), ("letter.pdf", b"%PDF-")])
def test_the_command_writes_a_letter(club: Club, name: str, begins: bytes) -> None:
    club.match("Anna", "Bert")
    file = club.folder / name
    words = ("publish", "--since", "2026-11-01", "--letter", str(file), "--language", "en")
    assert re.fullmatch(rf".*{name}: \d+ kB\.\n", type_command(club, *words))
    assert file.read_bytes().startswith(begins)


def test_what_players_write_is_data_to_the_typesetter(club: Club) -> None:
    """The document says word for word what they wrote: nothing of it was read as markup."""
    with club.work() as work:
        add_player(work.session, WILD, "wild@home.example", club.now)
        add_player(work.session, "$x$", "wild2@home.example", club.now)
    code = pass_to_the_end(club, WILD, "$x$")
    with club.work() as work:
        row = work.session.exec(select(MatchRow).where(MatchRow.code == code)).one()
        row.name = '#panic("title") ]'
        anna = create.get_player(work.session, "Anna")
        work.session.add(
            LetterRow(
                match_id=row.number, player_id=anna.number, text="\n".join(PRESS), at=work.now, delivered_at=work.now
            )
        )
    found = made(club)
    pages = pypdf.PdfReader(BytesIO(letter.render_letter_pdf(found, "de", club.now, club.config))).pages
    said = "".join("".join(page.extract_text() for page in pages).split())
    for words in (WILD, "$x$", '#panic("title") ]', *PRESS):
        assert "".join(words.split()) in said, words
    assert "root:" not in said


@pytest.mark.slow
def test_every_board_is_laid_out_and_heard_and_links_lead_to_the_archive(club: Club) -> None:
    club.players("R2 Eins", "R2 Zwei")
    codes = {club.match("R2 Eins", "R2 Zwei", game=game) for game in ("dominos", "tridom", "domijongg", "topwords")}
    club.tick()
    set_site(club, url="https://club.example/archive/")
    for language, title in (
        ("de", "Rundbrief Oktober – November 2026"),
        ("en", "Round letter October – November 2026"),
    ):
        found = made(club, language=language, scenes=True)
        data = letter.render_letter_pdf(found, language, club.now, club.config)
        assert letter.render_letter_pdf(found, language, club.now, club.config) == data, (
            "the same letter gives the same file"
        )
        document = pypdf.PdfReader(BytesIO(data))
        objects = [document.get_object(number) for number in range(1, int(document.trailer["/Size"]))]
        heard = [one["/Alt"] for one in objects if isinstance(one, dict) and one.get("/S") == "/Figure"]
        assert sorted(heard) == sorted(match.heard for match in found.finished)
        assert len(heard) == 4
        assert all(len(words) > 40 for words in heard)
        links = {note.get_object()["/A"]["/URI"] for page in document.pages for note in page.get("/Annots", ())}
        there = "" if language == "de" else "en/"
        assert links == {f"https://club.example/archive/{there}matches/{code}.html" for code in codes}
        assert document.metadata.title == title


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [
        (date(2026, 11, 1), date(2026, 11, 30), "November 2026"),
        (date(2026, 1, 20), date(2026, 3, 1), "Januar – März 2026"),
        (date(2025, 12, 31), date(2026, 1, 1), "Dezember 2025 – Januar 2026"),
        (date(2025, 11, 2), date(2026, 11, 1), "November 2025 – November 2026"),
    ],
)
def test_a_letter_of_any_time_names_its_months(first: date, last: date, said: str) -> None:
    assert letter.format_month_span(first, last, "de") == said


def test_without_typst_the_operator_is_told_what_to_install(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.match("Anna", "Bert")
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(OperatorError, match="typst") as caught:
        letter.render_letter_pdf(made(club), "de", club.now, club.config)
    assert "pip install typst" in str(caught.value.hint)


class Kept:
    """A club with its site, whose letter is made with what is kept and without."""

    def __init__(self, club: Club, played_again: list[str]) -> None:
        self.club, self.folder, self.played_again = club, club.folder / "site", played_again

    def letters(self, folder: Path | None) -> dict[str, bytes]:
        with open_reading_session(self.club.config.database) as session:
            site = SiteContent(
                UnitOfWork(self.club.config, session, self.club.now, MatchCache(self.club.config)), folder
            )
            return {file.path: file.make() for file in letter.iter_letter_files(site)}

    def same(self) -> list[str]:
        """The letter is what it would be anew; returns the matches that were played again for it."""
        fresh = self.letters(None)
        self.played_again.clear()
        assert self.letters(self.folder) == fresh
        again = sorted(self.played_again)
        build.update_site(self.club.config, self.club.now, self.folder)
        for page, data in fresh.items():
            assert (self.folder / page).read_bytes() == data, page
        return again

    def step(self) -> list[str]:
        """The next day."""
        self.club.wait(days=1)
        return self.same()

    def move(self, code: str, seat: int, name: str = "") -> None:
        before = len(self.club.log(code))
        move(self.club, code, seat, name)
        assert len(self.club.log(code)) > before


@pytest.fixture
def kept(club: Club, monkeypatch: pytest.MonkeyPatch) -> Kept:
    played_again: list[str] = []

    def counted(session: object, match: object, terms: object) -> ReplayedMatch:
        played_again.append(match.code)  # type: ignore[attr-defined]
        return rebuild_with_history(session, match, terms)  # type: ignore[arg-type]

    monkeypatch.setattr(letter_parts, "rebuild_with_history", counted)
    return Kept(club, played_again)


@pytest.mark.slow
def test_after_an_order_an_undo_a_notice_and_a_pause(kept: Kept) -> None:
    code, other = kept.club.match("Anna", "Bert"), kept.club.match("Anna", "Cici", game="dominos")
    assert kept.same() == sorted((code, other))
    assert kept.step() == []
    for seat in (0, 1):
        kept.move(code, seat)
        assert kept.step() == [code]
    type_command(kept.club, "match", "rollback", code, "--entry", "2")
    assert kept.step() == [code]
    type_command(kept.club, "match", "notice", code, "Am Dienstag ist Pause.")
    assert kept.step() == [code]
    type_command(kept.club, "match", "pause", code)
    kept.step()
    type_command(kept.club, "match", "replace", other, "Cici", "Bert")
    assert kept.step() == [other]


@pytest.mark.slow
def test_after_another_name_language_and_club(kept: Kept) -> None:
    codes = sorted((kept.club.match("Anna", "Bert"), kept.club.match("Bert", "Cici")))
    kept.same()
    with kept.club.work() as work:
        anna = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Anna")).one()
        anna.name, anna.name_key = "Anna-Lena", "anna-lena"
    assert len(kept.step()) == 1
    settings = kept.club.config.file
    text = settings.read_text(encoding="utf-8").replace("[club]", '[club]\nlanguage = "en"', 1)
    settings.write_text(text, encoding="utf-8")
    kept.club.config = load_config(settings)
    assert kept.step() == codes


@pytest.mark.slow
def test_after_rulings_on_words(kept: Kept) -> None:
    code = kept.club.match("Anna", "Bert")
    kept.same()
    own = kept.club.config.resolve_path(kept.club.config.words.house)
    house_rulings.append_ruling(own, HouseRuling("Xylo", "allow", reason="gilt", date="2026-11-21"))
    assert kept.step() == []
    kept.move(code, 0)
    played = kept.club.log(code)[-1].text.split()[-1]
    house_rulings.append_ruling(own, HouseRuling(played, "deny", date="2026-11-22"))
    assert kept.step() == [code]


@pytest.mark.slow
def test_over_the_end_of_a_match_and_of_a_month(kept: Kept) -> None:
    code, other = kept.club.match("Anna", "Bert", rounds=1), kept.club.match("Bert", "Cici")
    kept.same()
    play_to_the_end(kept.club, code, "Anna", "Bert")
    assert kept.step() == [code]
    kept.club.now = datetime(2026, 12, 2, 12, tzinfo=UTC)
    kept.same()
    kept.move(other, 0, "Bert")
    assert set(kept.step()) == {other}
    assert kept.letters(kept.folder).keys() >= {"letter.html", "letters/2026-11.html"}


@pytest.mark.slow
def test_a_log_of_the_same_length_with_another_end_is_another_log(kept: Kept) -> None:
    """As after a backup was restored and played on."""
    code = kept.club.match("Anna", "Bert")
    kept.move(code, 0)
    kept.same()
    with kept.club.work() as work:
        last = work.session.exec(select(EventRow).order_by(col(EventRow.id).desc())).first()
        last.at = last.at.replace(microsecond=1)
    assert kept.step() == [code]
