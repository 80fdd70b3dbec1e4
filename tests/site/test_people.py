"""The lists and pages of matches, players, tournaments, records, rules and words; and what counts as a record."""

import re
import shutil
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, col, select

from moderator import games
from moderator.language import spelling
from moderator.language.messages import load_rules_text
from moderator.rules.log import EngineResult, PlayedMove
from moderator.rules.replay import LogEntry
from moderator.rules.time.clock import TimeRules
from moderator.site.index import LATEST, RESULTS
from moderator.site.layout import VALUES, ValueCache
from moderator.site.records import Feat, extract_highlights
from moderator.store.tables import MatchRow, PlayerRow, Question, SeatRow, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import load_format
from moderator.tournaments.formats.ladder import Ladder
from moderator.views import ratings
from moderator.views.loaded_match import LiveMatch, rebuild_match
from moderator.words import house_rulings
from moderator.words.house_rulings import HouseRuling
from tests.club.club import Club, copied
from tests.site.pages import ADDRESS as AN_ADDRESS
from tests.site.pages import Page, changed, contents, pages, read
from tests.site.people_club import ADDRESS, ROBOTS, TRAP, WAY, mine, player_page

pytestmark = pytest.mark.slow


@dataclass
class Built:
    club: Club
    folder: Path
    pages: dict[str, Page]

    def all(self, query: Any) -> list[Any]:
        """What the club's database answers."""
        return self.club.stored(query)

    def source(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def page_of(self, name: str) -> Page:
        """That of a player."""
        return read(self.folder, player_page(self.club, name))


@pytest.fixture(scope="module")
def built(people: tuple[Club, Path]) -> Built:
    club, site = people
    return Built(club, site, pages(site))


@pytest.fixture(scope="module")
def published(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lists alone, as they are made for a copy of the club."""
    root = tmp_path_factory.mktemp("published")
    mine(copied(built.club, root / "club"), root / "site")
    return root / "site"


@pytest.fixture
def fresh(built: Built, published: Path, tmp_path: Path) -> Built:
    """A copy to change, published."""
    shutil.copytree(published, tmp_path / "site")
    return Built(copied(built.club, tmp_path / "club"), tmp_path / "site", {})


def after(fresh: Built) -> set[str]:
    """What another run changes."""
    before = contents(fresh.folder)
    mine(fresh.club, fresh.folder)
    return changed(before, contents(fresh.folder))


def both(*paths: str) -> set[str]:
    return {*paths, *(f"en/{path}" for path in paths)}


@pytest.mark.slow
def test_every_link_leads_to_a_file_and_a_place_in_it_and_every_page_can_be_reached(built: Built) -> None:
    count = 0
    for page in built.pages.values():
        assert len(page.ids) == len(set(page.ids)), page.path
        for link in page.links:
            assert link.to.startswith("mailto:games@club.example?") or not re.match(r"[a-z]+:|//", link.to), page.path
            if link.to.startswith("mailto:"):
                continue
            target = page.target(link.to) if not link.to.startswith("#") else page.path
            assert (built.folder / target).is_file(), (page.path, link.to)
            anchor = link.to.partition("#")[2]
            assert not anchor or anchor in built.pages[target].ids, (page.path, link.to)
            count += 1
    assert count > 1000
    seen, waiting = set(), ["index.html"]
    while waiting:
        path = waiting.pop()
        if path in built.pages and path not in seen:
            seen.add(path)
            waiting += [built.pages[path].target(link.to) for link in built.pages[path].links]
    assert {path for path in built.pages.keys() - seen if not path.startswith("calendar/")} == set()


@pytest.mark.slow
def test_no_address_stands_anywhere_and_names_that_bite_are_text_and_no_path(built: Built) -> None:
    for path, data in contents(built.folder).items():
        if not path.endswith(".ics"):  # their names of entries look like addresses
            assert set(AN_ADDRESS.findall(data.decode())) <= {built.club.config.mail.address}, path
        assert not path.endswith(".html") or TRAP[:6] not in data.decode(), path
    assert built.page_of(TRAP).title.startswith(TRAP)
    assert re.fullmatch(r"players/\d+\.html", player_page(built.club, WAY))
    assert WAY in built.pages["players.html"].text
    assert not [path for path in built.folder.parent.iterdir() if path.name not in ("club", "site")]
    page = built.page_of(ADDRESS)
    assert page.title.startswith("…")
    assert "spy" not in built.source(page.path)


def test_both_languages_have_the_same_pages(built: Built) -> None:
    german = {path for path in built.pages if not path.startswith("en/")}
    assert {f"en/{path}" for path in german if not path.startswith("calendar/")} == built.pages.keys() - german
    assert all(
        page.lang == ("en" if path.startswith("en/") else "de")
        for path, page in built.pages.items()
        if not path.startswith("calendar/")
    )
    assert "Zuletzt beendet" in built.pages["index.html"].text
    assert "Latest results" in built.pages["en/index.html"].text
    assert "None" not in built.pages["en/tournaments/T2.html"].text


def test_the_first_page_says_who_leads_and_whose_turn_it_is(built: Built) -> None:
    with built.club.work() as work:
        running = work.session.exec(select(MatchRow).where(MatchRow.status == "running")).all()
        awaited = {
            m.code: [work.list_players(m)[s].name for s in work.cache.load_match(work.session, m).seats_awaited]
            for m in running
        }
        scores = {m.code: work.cache.load_match(work.session, m).table.state.scores for m in running}
    source = built.source("index.html")
    assert len(awaited) == 2
    for code, names in awaited.items():
        line = source.partition(f"matches/{code}.html")[2].partition("</li>")[0].replace("&lt;", "<")
        assert f"am Zug: {', '.join(names)}".replace(">", "&gt;") in line
        assert all(str(score) in line for score in scores[code])


def test_all_finished_matches_stand_under_their_year(built: Built) -> None:
    codes = set(built.all(select(MatchRow.code).where(MatchRow.status == "finished")))
    years = {when.year for when in built.all(select(MatchRow.finished_at)) if when}
    listed = {link.to for year in years for link in built.pages[f"matches-{year}.html"].to("matches/") if link.text}
    assert listed == {f"matches/{code}.html" for code in codes}
    for page, count in (("index.html", RESULTS), ("matches.html", LATEST)):
        assert len([link for link in built.pages[page].to("matches/") if link.text]) == count + 2


def test_only_who_plays_has_a_page_and_robots_are_marked(built: Built) -> None:
    text = built.pages["players.html"].text
    assert "Nieda" not in text
    assert f"{ROBOTS[0]} Roboter" in text
    assert "Anna Roboter" not in text
    seated = set(built.all(select(SeatRow.player_id)))
    assert {path for path in built.pages if path.startswith("players/")} == {f"players/{n}.html" for n in seated}
    assert "Roboter" in built.page_of(ROBOTS[0]).text


def test_a_players_page_counts_matches_and_ratings(built: Built) -> None:
    page = built.page_of("Anna")
    with built.club.work() as work:
        anna = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Anna")).one()
        rated = ratings.compute_club_ratings(work.session, "dominos")[anna.number]
        query = select(SeatRow, MatchRow).join(MatchRow).where(SeatRow.player_id == anna.id, MatchRow.game == "dominos")
        ends = [m.result["places"][seat.number] for seat, m in work.session.exec(query) if m.result]
        first = [m.result["places"].count(1) for s, m in work.session.exec(query) if m.result]
    alone = sum(place == 1 and n == 1 for place, n in zip(ends, first, strict=True))
    row = next(row for row in page.rows if row[0] == "Dominos")
    assert row[1].split()[0] == str(rated.rounded)
    curve = f"Rating in Dominos over {rated.games} games, from 1000 to {rated.rounded}"
    assert curve in built.source(f"en/{page.path}")
    assert (row[2], row[3]) == (str(alone), str(len(ends) - ends.count(1)))
    assert "Kreuzwort" in page.text
    assert "Beste Züge" in page.text
    assert "Turniere" in page.text
    assert page.to("tournaments/T1.html")


def test_a_players_page_counts_who_won_against_whom(built: Built) -> None:
    with built.club.work() as work:
        numbers = {one.name: one.number for one in work.session.exec(select(PlayerRow))}
        seats: dict[int, dict[int, int]] = {}
        for seat in work.session.exec(select(SeatRow)):
            seats.setdefault(seat.match_id, {})[seat.player_id] = seat.number
        over = [m for m in work.session.exec(select(MatchRow)) if m.status == "finished" and m.result]
    compared = 0
    for name in ("Anna", ROBOTS[0]):
        me, page = numbers[name], built.pages[f"players/{numbers[name]}.html"]
        shown = {row[0].partition(" Robot")[0]: row[1:] for row in page.rows if len(row) == 3 and row[0] != "Gegner"}
        for other, number in numbers.items():
            ends = []
            for match in over:
                places = match.result.get("places") or ()
                if {me, number} <= seats[match.id].keys() and places and me != number:
                    mine_, theirs = (places[seats[match.id][one]] for one in (me, number))
                    ends.append((mine_ > theirs) - (mine_ < theirs))
            shared = f" und {ends.count(0)} geteilt" if ends.count(0) else ""
            told = [f"{ends.count(-1)}{shared}", str(ends.count(1))]
            assert shown.get(other, ["0"] * 2) == told, (name, other)
            compared += bool(ends)
    assert compared > 4


def test_best_moves_lead_to_the_moment_they_were_played(built: Built) -> None:
    players = [page for path, page in built.pages.items() if path.startswith("players/")]
    links = [(page.target(link.to), link) for page in players for link in page.links if "#zug" in link.to]
    assert len(links) > 10
    for target, link in links:
        assert _points_at(built, target, link.to.partition("#zug")[2], link.text.split()[-2])


def _points_at(built: Built, path: str, moment: str, points: str) -> bool:
    """Whether the list of moves has so many points at that moment."""
    rows = re.findall(rf'<li[^>]* data-n="{moment}".*?</li>', built.source(path), re.DOTALL)
    return any(f'<span class="points">{points}</span>' in row for row in rows)


def test_the_list_has_every_tournament_with_its_winner(built: Built) -> None:
    page = built.pages["tournaments.html"]
    assert {link.to for link in page.to("tournaments/T")} == {f"tournaments/T{n}.html" for n in range(1, 8)}
    query = select(PlayerRow.name).join(TournamentEntry).join(Tournament)
    (winner,) = built.all(query.where(Tournament.code == "T2", TournamentEntry.place == 1))
    assert f"Gewonnen: {winner}" in page.text
    assert "Herbst <i>" in page.text


@pytest.mark.parametrize("code", ["T1", "T2", "T4", "T5"])
def test_each_result_leads_to_the_match_it_comes_from(built: Built, code: str) -> None:
    page = built.pages[f"tournaments/{code}.html"]
    with built.club.work() as work:
        rows = work.session.exec(
            select(TournamentGame, MatchRow)
            .join(MatchRow, col(MatchRow.id) == col(TournamentGame.match_id))
            .join(Tournament)
            .where(Tournament.code == code)
        ).all()
        wanted = {match.code: len(row.seats) for row, match in rows}
        names = {match.code: {player.name for player in work.list_players(match)} for _, match in rows}
    tables = "".join(re.findall(r'<table class="cross.*?</table>', built.source(page.path), re.DOTALL))
    found = re.findall(r'<a[^>]*href="\.\./matches/(\w+)\.html" aria-label="([^"]*)"', tables)
    for match, said in found:
        assert all(name in said for name in names[match]), said
    assert {match: [m for m, _ in found].count(match) for match, _ in found} == wanted


def test_a_tournaments_page_says_how_it_was_played(built: Built) -> None:
    swiss = built.pages["tournaments/T2.html"].text
    assert "Die Schlusstabelle" in swiss
    assert "Bh" in swiss, swiss
    assert "Die Punkte aller Gegner" in swiss, swiss
    assert "Gespielt wird bis 30 Punkte" in swiss
    assert "Die Plätze im Verlauf" in swiss
    assert "polyline" in built.source("tournaments/T2.html")
    league = built.pages["tournaments/T5.html"]
    assert "steigt ab" in league.text
    assert "steigt auf" in league.text
    assert [link.text for link in league.to("tournaments/T7")] == ["Die Saison danach: Doppelt"]
    assert [link.text for link in built.pages["tournaments/T7.html"].to("tournaments/T5")] == ["Die Saison davor: Liga"]
    assert "Freilos" in built.pages["tournaments/T3.html"].text
    ladder = built.pages["tournaments/T6.html"]
    assert [row[0] for row in ladder.rows if row[0].endswith(".")] == ["1.", "2.", "3."]


def test_the_bracket_names_both_sides_of_every_tie(built: Built) -> None:
    bracket = built.source("tournaments/T3.html").partition('<ol class="bracket">')[2].partition("</ol>")[0]
    assert [len(part.split('class="pair"')) - 1 for part in bracket.split("<h3>")[1:]] == [4, 2, 1, 1]
    query = select(TournamentGame.match_id).join(Tournament).where(Tournament.code == "T3")
    assert bracket.count("../matches/") == len([match for match in built.all(query) if match is not None])
    assert "noch offen" not in bracket


def test_records_are_what_no_match_has_more_of(built: Built) -> None:
    page = built.pages["records.html"]
    with built.club.work() as work:
        rows = [
            (row.result or {}, [player.robot for player in work.list_players(row)])
            for row in work.session.exec(
                select(MatchRow).where(MatchRow.status == "finished", MatchRow.game == "tridom")
            )
        ]
    scores = [s for result, robots in rows for s, robot in zip(result["scores"], robots, strict=True) if not robot]
    moves = [sum(result["moves"]) for result, robots in rows if not all(robots)]
    tridom = page.text.partition(" Tridom ")[2].partition(" Kreuzwort")[0]
    assert f"Höchster Punktestand {max(scores)} Punkte" in tridom
    assert f"Meiste Züge {max(moves)} Züge" in tridom
    assert not any(name in page.text for name in ROBOTS)
    assert "Längstes Wort" in page.text
    assert "Längstes Wort" not in tridom


MOVE = r'<span class="aside">([^<]*) </span></span><a href="#zug\d+">[^<]*</a><span class="points">(\d+)</span>'
"""Who made a move in the list of a match, and its points."""


def test_the_highest_move_of_all_is_the_record(built: Built) -> None:
    best = 0
    for code in built.all(select(MatchRow.code).where(MatchRow.status == "finished", MatchRow.game == "dominos")):
        moves = re.findall(MOVE, built.source(f"matches/{code}.html"))
        best = max([best, *(int(points) for name, points in moves if name not in ROBOTS)])
    link = next(link for link in built.pages["records.html"].links if "#zug" in link.to)
    assert f"Höchster Zug {best} Punkte" in built.pages["records.html"].text.partition("Dominos")[2]
    assert _points_at(built, link.to.partition("#")[0], link.to.partition("#zug")[2], str(best))


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_rules_are_those_of_the_mails(built: Built, language: str) -> None:
    place = "" if language == "de" else "en/"
    for game in games.REGISTRY:
        page = built.pages[f"{place}rules/{game}.html"]
        rules = load_rules_text(game, language)
        blocks = [block for section in rules.sections for block in section.blocks]
        for text in [rules.title, *(line for b in blocks for line in ([b] if isinstance(b, str) else b))]:
            assert " ".join(text.split()) in page.text, (game, text)
        assert spelling.get_game_name(game, language) in built.pages[f"{place}rules.html"].text
    assert '<svg class="board"' in built.source(f"{place}rules/tridom.html")


def test_rulings_stand_by_date_and_by_letter(built: Built) -> None:
    text = built.pages["words.html"].text
    assert "QUARKS gilt steht im <b>Duden</b>" in text
    by_date, _, by_letter = text.partition("Von A bis Z")
    assert by_date.index("5.11.2026") < by_date.index("ZZZ") < by_date.index("XI") < by_date.index("2.11.2026")
    assert by_letter.index("ALT") < by_letter.index("QUARKS") < by_letter.index("XI") < by_letter.index("ZZZ")
    assert "ALT" not in by_date
    assert "ZZZ gilt nicht nur in Topwords" in text
    assert "Gelten nicht" in built.pages["words-shipped.html"].text


def test_a_ruling_for_one_match_leads_to_it(fresh: Built) -> None:
    code = fresh.all(select(MatchRow.code).where(MatchRow.status == "finished", MatchRow.game == "dominos"))[0]
    rule(fresh, HouseRuling("KATZ", "allow", scope=code))
    assert after(fresh) == both("words.html")
    assert read(fresh.folder, "words.html").to(f"matches/{code}.html")


def rule(fresh: Built, ruling: HouseRuling) -> None:
    assert house_rulings.append_ruling(fresh.club.config.resolve_path(fresh.club.config.words.house), ruling)


def test_a_word_that_a_running_match_has_asked_for_is_no_news_before_its_end(fresh: Built) -> None:
    with fresh.club.work() as work:
        match = work.session.exec(
            select(MatchRow).where(MatchRow.status == "running", MatchRow.game == "topwords")
        ).one()
        now = fresh.club.now
        asked = Question(match_id=match.number, word="GEHEIM", token="x", asked_at=now, answered_at=now, ruling="deny")
        work.session.add(asked)
        code = match.code
    rule(fresh, HouseRuling("GEHEIM", "deny", reason="nicht im Duden", date="2026-11-06"))
    rule(fresh, HouseRuling("HIER", "allow", date="2026-11-06", scope=code))
    assert after(fresh) == set()
    with fresh.club.work() as work:
        match = work.session.exec(select(MatchRow).where(MatchRow.code == code)).one()
        match.status, match.finished_at = "finished", fresh.club.now
    mine(fresh.club, fresh.folder)
    text = read(fresh.folder, "words.html").text
    assert "GEHEIM gilt nicht" in text
    assert "HIER gilt" in text


def test_a_list_that_cannot_be_read_is_an_empty_one(fresh: Built) -> None:
    fresh.club.config.resolve_path(fresh.club.config.words.house).write_text("QUARKS\t\t\tperhaps\n", encoding="utf-8")
    mine(fresh.club, fresh.folder)
    assert "Noch keine." in read(fresh.folder, "words.html").text


def test_a_new_name_is_written_where_it_stands_and_nowhere_else(fresh: Built) -> None:
    texts = {path: read(fresh.folder, path) for path in contents(fresh.folder)}
    spoken = {path for path in texts if TRAP.replace(">", "&gt;").replace("<", "&lt;") in fresh.source(path)}
    with fresh.club.work() as work:
        work.session.exec(select(PlayerRow).where(PlayerRow.name == TRAP)).one().name = "Zahm"
    assert after(fresh) == spoken
    assert fresh.page_of("Zahm").title.startswith("Zahm")


def test_a_result_of_the_moderator_changes_its_tournament(fresh: Built) -> None:
    with fresh.club.work() as work:
        row = work.session.exec(
            select(TournamentGame).join(Tournament).where(Tournament.code == "T2", TournamentGame.kind == "game")
        ).first()
        turned = row.result | {name: row.result[name][::-1] for name in ("points", "places", "scores")}
        row.result, row.ruling = turned, "moderator"
    found = after(fresh)
    assert both("tournaments/T2.html") <= found
    assert not any(path.startswith(("en/tournaments", "tournaments/")) for path in found - both("tournaments/T2.html"))
    assert "vom Spielleiter entschieden" in read(fresh.folder, "tournaments/T2.html").text


def test_what_is_gone_has_no_page_any_more(fresh: Built) -> None:
    trap = player_page(fresh.club, TRAP)
    assert (fresh.folder / trap).is_file()
    with fresh.club.work() as work:
        query = (
            select(MatchRow)
            .join(SeatRow)
            .join(PlayerRow, col(PlayerRow.id) == col(SeatRow.player_id))
            .where(PlayerRow.name == TRAP)
        )
        for match in work.session.exec(query).all():
            match.status = "open"
        work.session.exec(select(Tournament).where(Tournament.code == "T4")).one().status = "cancelled"
    mine(fresh.club, fresh.folder)
    left = contents(fresh.folder)
    assert trap not in left
    assert f"en/{trap}" not in left
    assert "tournaments/T4.html" not in left
    assert "T4" not in str([link.to for link in read(fresh.folder, "tournaments.html").links])
    assert TRAP not in read(fresh.folder, "players.html").text


def test_matches_are_played_again_only_once_for_the_lists(fresh: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that a ruling may decide something in after each one, the others when nothing is remembered of them."""
    looked: list[int] = []

    def counted(session: Session, match: MatchRow, terms: TimeRules) -> LiveMatch:
        looked.append(match.number)
        return rebuild_match(session, match, terms)

    monkeypatch.setattr("moderator.views.match_cache.rebuild_match", counted)
    running = fresh.club.stored(select(MatchRow).where(MatchRow.status == "running"))
    words = sorted(match.number for match in running if match.game == "topwords")
    rule(fresh, HouseRuling("NEU", "allow", date="2026-12-01"))
    assert after(fresh) == both("words.html")
    assert sorted(looked) == words
    looked.clear()
    (fresh.folder / VALUES).write_text("{damaged", encoding="utf-8")
    rule(fresh, HouseRuling("NEUER", "allow", date="2026-12-02"))
    assert after(fresh) == both("words.html")
    assert len(set(looked)) == len(looked) == 2


def entry_of(
    seat: int, text: str, points: int, *words: tuple[str, int], kind: Any = "move", alternative: int = 1
) -> LogEntry:
    detail = {"words": [{"word": word, "points": worth} for word, worth in words]}
    played = PlayedMove(seat, text, text, alternative, points, detail)
    return LogEntry(kind, seat, text, EngineResult((played,)).to_json())


NOTE = {"code": "exchanged", "params": {"count": 2}, "seat": 0, "points": 0, "only": None}
EXCHANGED = {"moves": [{**entry_of(0, "tausche A B", 1).outcome["moves"][0], "notes": [NOTE]}]}
ROUND = EngineResult((PlayedMove(0, "a", "a", 1, 4), PlayedMove(1, "b", "b", 1, 6))).to_json()


@pytest.mark.parametrize(
    ("log", "best"),
    [
        (
            [entry_of(0, "eins", 5), entry_of(1, "zwei", 50), LogEntry("undo", None, "1"), entry_of(1, "drei", 6)],
            [Feat(7, 5, "eins", 1), Feat(9, 6, "drei", 2)],
        ),
        (
            [
                *(
                    LogEntry("order", 0, "eins"),
                    entry_of(1, "nur versucht", 0, alternative=0),
                    LogEntry("notice", None, "Hallo"),
                ),
                *(entry_of(0, "eins", 5), LogEntry("retire", 1, "resigned"), entry_of(0, "zwei", 9)),
            ],
            [Feat(7, 9, "zwei", 3)],
        ),
        ([LogEntry("evaluate", None, "", ROUND)], [Feat(7, 4, "a", 1), Feat(9, 6, "b", 1)]),
        (
            [
                *(entry_of(0, "von wem", 99), LogEntry("hand-over", 0, "8"), entry_of(0, "acht", 30)),
                *(LogEntry("hand-over", 0, "7"), entry_of(0, "sieben", 10)),
            ],
            [Feat(8, 30, "acht", 3), Feat(7, 10, "sieben", 5)],
        ),
        ([LogEntry("move", 0, "tausche A B", EXCHANGED)], [Feat(7, 1, "tausche 2", 1)]),
    ],
    ids=["undone", "entries that tell nothing", "a round is one moment", "who had the seat then", "exchanged tiles"],
)
def test_what_counts_as_the_best_move(log: list[LogEntry], best: list[Feat]) -> None:
    assert list(extract_highlights(log, [7, 9]).best) == best


def test_the_best_move_and_the_longest_word_of_each_player() -> None:
    log = [
        entry_of(0, "A1 w HAUS", 8, ("HAUS", 8)),
        entry_of(1, "A1 s HUND", 12, ("HUND", 9), ("AU", 3)),
        entry_of(0, "B1 w UHR", 20, ("UHR", 14), ("TIER", 6)),
        entry_of(1, "C1 w EI", 12, ("EI", 12)),
    ]
    found = extract_highlights(log, [7, 9])
    assert found.best == (Feat(7, 20, "B1 w UHR", 3), Feat(9, 12, "A1 s HUND", 2))
    assert found.words == (Feat(7, 8, "HAUS", 1), Feat(9, 9, "HUND", 2))


def test_values_are_kept_for_their_key_and_match_and_a_damaged_file_is_worth_nothing(tmp_path: Path) -> None:
    first = ValueCache(tmp_path)
    assert first.get_or_make("standing", 1, "a", lambda: [1, 2]) == [1, 2]
    assert first.get_or_make("standing", 2, "a", lambda: [3]) == [3]
    first.save_values({1})
    second = ValueCache(tmp_path)
    assert second.has_value("standing", 1, "a")
    assert not second.has_value("standing", 1, "b")
    assert not second.has_value("standing", 2, "a")
    assert second.get_or_make("standing", 1, "b", lambda: [4]) == [4]
    text = (tmp_path / VALUES).read_text(encoding="utf-8")
    for damaged in (text.replace('"version": "', '"version": "0.'), text[:-3], "[]", '{"version": 1}'):
        (tmp_path / VALUES).write_text(damaged, encoding="utf-8")
        assert not ValueCache(tmp_path).has_value("standing", 1, "a")
    (tmp_path / VALUES).unlink()
    ValueCache(None).save_values({1})
    assert list(tmp_path.iterdir()) == []


def test_the_bracket_says_why_one_of_two_with_equal_points_goes_on(built: Built) -> None:
    why = r"gleich viele Punkte: die Partiepunkte entscheiden, (\d+) : (\d+)"
    tied = re.search(why, built.pages["tournaments/T3.html"].text)
    assert tied
    assert tied[1] != tied[2]


def test_a_ladder_names_the_challenges_that_ended_without_a_game() -> None:
    format, day = load_format("ladder"), date(2026, 11, 20)
    ladder = Ladder((1, 2, 3), met=((1, 2, day), (2, 3, day)))
    played = TournamentState("ladder", (), (Game(1, 1, (3, 2)),))
    assert format.build_standing(played, ladder.to_json(), 0).unplayed == ((1, 2, day),)
