"""Tournaments that do not go as planned: nobody comes, nobody is left, no pairing is possible, a dictionary is gone."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator import games
from moderator.common.enums import LogEntryKind, MatchStatus, SeatLeftReason
from moderator.inbox.agenda import daily_notice
from moderator.render.mails.headline import format_points
from moderator.service.create import get_player
from moderator.service.match.match import Match
from moderator.service.notify import notify_match_events
from moderator.service.tournaments import pairings, steps
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.store import tournaments
from moderator.store.tables import MatchRow, OutboxRow, PlayerRow, SeatRow, Tournament, TournamentGame
from moderator.tournaments.field import Result, compute_place_points
from moderator.tournaments.standings import format_fraction
from moderator.views import ratings, tournament_rows
from moderator.views.loaded_match import load_log_entries
from moderator.views.match_state import AwaitedSeats
from moderator.views.tournament_rows import find_tournament_game
from moderator.views.tournament_view import TournamentReader
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club, make_club
from tests.club.steps import run_well
from tests.club.tournament_club import (
    SHORT,
    MailLog,
    Table,
    at,
    done,
    enter,
    entries_of,
    found,
    games_of,
    judge,
    logged_instead,
    names_of,
    open_games,
    store_open,
    tournament_of,
    withdraw,
)
from tests.site.pages import publish

ROBOTS = ("R2a", "R2b", "R2c", "R2d", "R2e")
PEOPLE = ("Anna", "Bert", "Cici", "Dora", "Emil", "Fritz")


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    monkeypatch.setattr(daily_notice, "AGAIN", 365)  # only the mails of tournaments are counted here
    made = make_club(tmp_path)
    with store_open():
        made.players(*PEOPLE, *ROBOTS)
        yield made


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> MailLog:
    return logged_instead(monkeypatch)


def begun(club: Club, format: str, names: Sequence[str], **settings: Any) -> str:
    code = found(club, format, names, **settings)
    club.let_pass(days=2)
    return code


def judge_all(club: Club, code: str, rounds: int = 4, result: str = "1-0") -> None:
    """The moderator's word on all games, until it is over."""
    for _ in range(rounds):
        for row in open_games(club, code):
            judge(club, code, row, result)
        club.tick()
    assert tournament_of(club, code).status == "finished"


def settle(club: Club, code: str, how: Callable[..., Any], **more: Any) -> None:
    """What the moderator says to what it waits for."""
    with at(club, code) as (work, tournament):
        how(ClubTournament(work, tournament), **more)
    club.tick()


def notices(club: Club) -> int:
    """Mails to the moderator."""
    return len(club.stored(select(OutboxRow).where(OutboxRow.recipient == "boss@club.example")))


def places(club: Club, code: str = "T1") -> dict[str, int | None]:
    return {name: entry.place for name, entry in entries_of(club, code).items()}


def test_with_too_few_it_waits_for_the_moderator_or_somebody_who_joins(club: Club, told: MailLog) -> None:
    code = begun(club, "robin", ("Anna", "Bert"), least=3)
    assert (tournament_of(club).status, tournament_of(club).trouble) == ("open", "cup-too-few")
    assert notices(club) == 1
    club.let_pass(days=3)
    assert notices(club) == 1, "the moderator is told once"
    settle(club, code, ClubTournament.clear_trouble)
    assert (tournament_of(club).trouble, notices(club)) == ("cup-too-few", 2), "settled without a change it asks again"
    enter(club, code, "Cici")
    settle(club, code, ClubTournament.clear_trouble)
    assert (tournament_of(club).status, tournament_of(club).trouble, len(games_of(club))) == ("running", "", 3)


@pytest.mark.parametrize("format", ["robin", "knockout", "tables", "league", "swiss"])
def test_a_tournament_that_everybody_leaves_ends_with_places(club: Club, told: MailLog, format: str) -> None:
    code = begun(club, format, PEOPLE[:4], seats=4, at_once=False, seeding="order", rounds=3 * (format == "swiss"))
    for name in PEOPLE[:4]:
        withdraw(club, code, name)
    club.tick()
    if format == "swiss":
        assert tournament_of(club).trouble == "cup-no-pairing", "there is nobody to pair; the moderator ends it"
        settle(club, code, ClubTournament.end_after_round)
        assert all(places(club).values())
    assert tournament_of(club).status == "finished"
    assert all(row.result for row in games_of(club))
    assert told.count("final") == Counter(PEOPLE[:4])
    if format in ("robin", "league"):
        expected = {"Anna": None, "Bert": None, "Cici": 2, "Dora": 1}
        assert places(club) == expected, "who has most games won without play"
    else:
        assert min(place or 9 for place in places(club).values()) == 1


NAMES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("swiss", {"rounds": 2}, ["Herbstcup 1.1", "Herbstcup 1.2"]),
    ("league", {"division": 2}, ["Herbstcup · 1. Liga 1.1", "Herbstcup · 2. Liga 1.1"]),
    ("knockout", {"legs": 1}, ["Herbstcup · Halbfinale 1", "Herbstcup · Halbfinale 2"]),
    ("knockout", {"legs": 2}, [f"Herbstcup · Halbfinale {n}" for n in ("1.1", "1.2", "2.1", "2.2")]),
]


@pytest.mark.parametrize(("format", "settings", "names"), NAMES)
def test_games_are_called_by_stage_and_division(
    club: Club, told: MailLog, format: str, settings: dict[str, Any], names: list[str]
) -> None:
    begun(club, format, PEOPLE[:4], seeding="order", **settings)
    with club.work() as work:
        assert sorted(work.session.exec(select(MatchRow.name)).all()) == names


def test_who_waits_moves_up_as_soon_as_somebody_leaves_and_nobody_is_overtaken(club: Club, told: MailLog) -> None:
    code = found(club, "robin", PEOPLE[:3], most=3)
    withdraw(club, code, "Anna")
    assert enter(club, code, "Anna").state == "in", "the last free place"
    for name in ("Dora", "Emil"):
        assert enter(club, code, name).state == "standby"
    withdraw(club, code, "Anna")
    states = {name: entry.state for name, entry in entries_of(club).items()}
    assert states == {"Anna": "withdrawn", "Bert": "in", "Cici": "in", "Dora": "in", "Emil": "standby"}
    with at(club, code) as (work, tournament):
        entry = tournaments.find_tournament_entry(work.session, tournament, get_player(work.session, "Bert"))
        entry.state = "withdrawn"
    assert enter(club, code, "Fritz").state == "standby"
    club.let_pass(days=2)
    assert {name for name, entry in entries_of(club).items() if entry.number} == {"Cici", "Dora", "Emil"}
    assert [told.notes(name) for name in ("Dora", "Emil", "Fritz")] == [["cup-moved-up"], ["cup-moved-up"], []]


@pytest.mark.slow
def test_in_a_running_swiss_tournament_who_waits_joins_for_somebody_who_leaves(club: Club, told: MailLog) -> None:
    code = begun(club, "swiss", PEOPLE[:5], most=4, rounds=3)
    assert entries_of(club)["Emil"].state == "standby"
    withdraw(club, code, "Anna")
    emil = entries_of(club)["Emil"]
    assert (emil.state, emil.number, emil.joined) == ("in", 5, 2)
    assert told.notes("Emil") == ["cup-moved-up-late"]
    judge_all(club, code)
    assert sum(emil.number in row.seats for row in games_of(club)) == 3, "a bye without points, then two rounds"


@pytest.mark.slow
@pytest.mark.parametrize("format", ["robin", "tables", "knockout", "league", "swiss"])
def test_leaving_between_the_numbers_and_the_pairings_plays_no_game(club: Club, told: MailLog, format: str) -> None:
    """The run dies after the registration is closed; somebody's mail is handled before the next one pairs."""
    code = found(club, format, PEOPLE[:4], seats=3)
    club.wait(days=3)
    with at(club, code) as (work, tournament):
        assert ClubTournament(work, tournament).advance_tournament()
    withdraw(club, code, "Anna")
    club.tick()
    with club.work() as work:
        for match in work.session.exec(select(MatchRow)):
            assert "Anna" not in [player.name for player in work.list_players(match)]


@pytest.mark.slow
def test_a_table_of_three_goes_on_as_two_where_it_was_not_dealt_yet(club: Club, told: MailLog) -> None:
    """Nobody gets points for a game that the others could have played."""
    code = begun(club, "tables", PEOPLE[:6], seats=3, rounds=3, at_once=False)
    anna = entries_of(club)["Anna"].number
    later = [row for row in games_of(club) if row.round > 1 and anna in row.seats]
    assert later
    withdraw(club, code, "Anna")
    for _ in range(3):
        for row in open_games(club):
            if row.round == tournament_of(club).round:
                judge(club, code, row, " ".join(str(10 * seat) for seat in row.seats))
        club.tick()
    assert tournament_of(club).status == "finished"
    for before in later:
        (now,) = [row for row in games_of(club) if (row.round, row.board) == (before.round, before.board)]
        assert now.seats == [number for number in before.seats if number != anna]
        assert now.kind == "game"
        assert Result.from_json(now.result or {}).scores != (0, 0)
    with at(club, code) as (work, _):
        for match in work.session.exec(select(MatchRow)):
            seats = work.session.exec(select(SeatRow.number).where(SeatRow.match_id == match.id)).all()
            assert sorted(seats) == list(range(len(seats)))


@pytest.mark.parametrize(("name", "following"), [
    ("Liga", "Liga 2"), ("Liga 9", "Liga 10"), ("Liga 2027", "Liga 2028"), ("L" * 40, "L" * 38 + " 2"),
    ("L" * 38 + " 9", "L" * 37 + " 10"),
])  # fmt: skip
def test_the_next_season_has_a_name_that_is_possible(name: str, following: str) -> None:
    assert steps.build_season_name(name) == following


def test_who_let_most_games_go_is_not_in_the_next_season_unasked(club: Club, told: MailLog) -> None:
    code = begun(club, "league", PEOPLE[:4], division=4, again_days=5, seeding="order")
    for row in open_games(club):
        lost = {0: "+--", 1: "--+"}[1 - row.seats.index(4)] if 4 in row.seats else "1-0"
        judge(club, code, row, lost)
    club.tick()
    assert set(entries_of(club, "T2")) == set(PEOPLE[:3])


def test_in_the_next_season_people_have_gone_up_and_down_and_who_is_new_begins_at_the_bottom(club: Club) -> None:
    code = begun(club, "league", PEOPLE, division=3, again_days=21, seeding="order", name="Liga 2027")
    for row in open_games(club):
        judge(club, code, row, "1-0" if row.seats == sorted(row.seats) else "0-1")
    club.tick()
    enter(club, "T2", ROBOTS[0])
    withdraw(club, "T2", "Bert")
    club.let_pass(days=22)
    assert (tournament_of(club, "T2").name, tournament_of(club, "T2").round) == ("Liga 2028", 1)
    divisions = {name: entry.division for name, entry in entries_of(club, "T2").items() if entry.number}
    assert divisions == {"Anna": 1, "Dora": 1, "Emil": 1, "Fritz": 2, "Cici": 2, ROBOTS[0]: 2}


@pytest.mark.matrix("whole tournaments", seconds=1.5)
@pytest.mark.parametrize("count", range(4, 10))
def test_the_usual_number_of_swiss_rounds_always_finds_its_pairings(club: Club, told: MailLog, count: int) -> None:
    chance = random.Random(count)
    names = [f"P{number}" for number in range(count)]
    with club.work() as work:  # without an address: nobody writes, and nothing is written to them
        work.session.add_all(PlayerRow(name=name, name_key=name.casefold(), created_at=club.now) for name in names)
    for attempt in range(3):
        code = begun(club, "swiss", names, name=f"Nummer {attempt}")
        while rows := open_games(club, code):
            for row in rows:
                judge(club, code, row, chance.choice(("1-0", "0-1", "½-½")))
            club.tick()
        assert (tournament_of(club, code).status, tournament_of(club, code).trouble) == ("finished", "")


def test_a_knock_out_with_byes_and_a_tie_that_both_leave(club: Club, told: MailLog) -> None:
    code = begun(club, "knockout", PEOPLE[:6], seeding="order", legs=1)
    assert [row.seats for row in games_of(club) if row.kind == "bye"] == [[1], [2]]
    by_seats = {tuple(sorted(row.seats)): row for row in open_games(club)}
    judge(club, code, by_seats[4, 5], "1-0")
    withdraw(club, code, "Anna")
    withdraw(club, code, names_of(club)[by_seats[4, 5].seats[0]])  # the two were to meet in round 2
    judge(club, code, by_seats[3, 6], "1-0")
    club.tick()
    assert tournament_of(club).round == 2
    (tie,) = [row for row in games_of(club) if row.round == 2 and 1 in row.seats]
    assert tie.kind == "forfeit"
    assert Result.from_json(tie.result or {}).forfeits == {0, 1}
    judge_all(club, code)
    (last,) = [row for row in games_of(club) if row.round == 3]
    assert 1 in last.seats, "the better seed stays in the bracket and loses the next tie"
    assert (last.kind, places(club)["Anna"]) == ("forfeit", 2)
    assert sorted(place or 0 for place in places(club).values()) == [1, 2, 3, 3, 5, 5]


def test_without_its_dictionary_a_tournament_waits_and_the_other_goes_on(club: Club, told: MailLog) -> None:
    words = found(club, "robin", ("Anna", "Bert"), game="topwords")
    tiles = found(club, "robin", ROBOTS[:2], name="Steine", game="dominos")
    folder = club.config.resolve_path(club.config.words.folder)
    away = folder.with_name("away")
    folder.rename(away)
    assert club.let_pass(days=2).troubles == []
    assert tournament_of(club, tiles).status == "finished"
    waiting = tournament_of(club, words)
    assert (waiting.status, waiting.round, waiting.trouble) == ("running", 1, "cup-failed")
    assert "pair:1" in done(club, words)
    away.rename(folder)
    club.wait(days=1)
    settle(club, words, ClubTournament.retry_troubled_step)
    assert not club.tick().troubles
    assert {match.status for match in club.stored(MatchRow)} == {"finished", "running"}


def test_a_tournament_that_fails_holds_up_no_other(club: Club, told: MailLog, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = found(club, "knockout", ROBOTS[:2], game="dominos")
    other = found(club, "robin", ROBOTS[:2], name="Anderer", game="dominos")

    def fail(*_: object) -> None:
        raise ValueError("no such tie")

    with monkeypatch.context() as patched:
        patched.setattr("moderator.tournaments.formats.knockout.pair_knockout_round", fail)
        club.wait(days=2)
        assert "no such tie" in club.tick().troubles[0]
    assert (tournament_of(club, broken).trouble, tournament_of(club, other).status) == ("cup-failed", "finished")
    assert notices(club) == 1
    assert club.tick().is_quiet
    settle(club, broken, ClubTournament.retry_troubled_step)
    assert tournament_of(club, broken).status == "finished"


@pytest.mark.slow
def test_who_cannot_be_reached_gets_no_mail_and_is_judged_at_the_end(club: Club) -> None:
    with club.work() as work:
        bert = get_player(work.session, "Bert")
        bert.undeliverable = "550 no such user"
    begun(club, "robin", ("Anna", "Bert", "R2a"), round_days=20)
    Table(club, silent={"Bert"}).to_the_end(most=30)
    about = Counter(mail.recipient for mail in club.stored(OutboxRow) if mail.kind == "cup")
    assert about == {"anna@home.example": 3}, "pairings, warning, final report"
    bert_number = entries_of(club)["Bert"].number
    judged = [row for row in games_of(club) if bert_number in row.seats]
    assert {row.ruling for row in judged} == {"score"}, "the clock stood for Bert: nobody forfeits"


def test_at_the_latest_end_the_moderator_is_asked_once_where_that_was_agreed(club: Club, told: MailLog) -> None:
    code = begun(club, "robin", PEOPLE[:3], adjudicate="moderator", round_days=10, terms={"days": 60})
    Table(club, silent=set(PEOPLE)).days(9, lambda: told.count("warning") == Counter(PEOPLE[:3]))
    before = notices(club)
    for _ in range(5):
        club.let_pass(days=2)
    assert notices(club) == before + 3, "one for each game"
    assert told.count("warning") == Counter(PEOPLE[:3])
    for row, result in zip(open_games(club), ("1-0", "80:75", "½-½"), strict=True):
        judge(club, code, row, result)
    club.tick()
    assert tournament_of(club).status == "finished"
    assert {row.ruling for row in games_of(club)} == {"moderator"}
    assert {match.status for match in club.stored(MatchRow)} == {"finished"}


def test_games_are_adjudicated_at_the_published_hour_and_not_before(club: Club, told: MailLog) -> None:
    begun(club, "robin", PEOPLE[:2], round_days=5, terms={"days": 60})
    (row,) = games_of(club)
    assert row.ends_at is not None
    club.let_pass(seconds=(row.ends_at - club.now).total_seconds() - 1)
    assert open_games(club)
    club.let_pass(seconds=1)
    (row,) = games_of(club)
    assert (row.ruling, tournament_of(club).status) == ("score", "finished")


@pytest.mark.parametrize(("days", "capped"), [(60, True), (2, False)])
def test_no_mail_names_a_deadline_behind_the_end_of_the_game(club: Club, days: int, capped: bool) -> None:
    begun(club, "robin", PEOPLE[:2], round_days=5, terms={"days": days})
    (row,) = games_of(club)
    assert row.ends_at is not None
    with club.work() as work:
        match = work.session.get_one(MatchRow, row.match_id)
        live = work.cache.load_match(work.session, match)
        assert match.deadline is not None
        assert (match.deadline > row.ends_at) == capped
        for seat in range(2):
            assert AwaitedSeats(work, match, live).compute_seat_deadline(seat) == min(match.deadline, row.ends_at)


@pytest.mark.parametrize(("result", "seat"), [("1-0", 0), ("0-1", 1)])
def test_the_moderators_word_counts_for_the_ratings_too(club: Club, told: MailLog, result: str, seat: int) -> None:
    code = begun(club, "robin", PEOPLE[:2])
    Table(club).day()
    (row,) = open_games(club)
    judge(club, code, row, result)
    winner = names_of(club)[row.seats[seat]]
    with club.work() as work:
        rated = ratings.compute_club_ratings(work.session, "tridom")
        best = max(rated, key=lambda number: rated[number].mu)
        assert work.session.get_one(PlayerRow, best).name == winner


# ---- a match has one end, whoever tells of it ----

SAID = {
    "de": (
        r"ewonnen",
        r"Du hast gewonnen",
        r"Unentschieden|Niemand hat",
        r"Punktestand|so entschieden",
        r"Partie so",
    ),
    "en": (r"\bwon\b", r"You have won", r"A draw|Nobody has", r"the score|referee", r"game counts like"),
    "fr": (r"gagne|as gagné", r"Tu as gagné", r"Partie nulle|Personne", r"les points|arbitre", r"compte ainsi"),
}
"""Of who has won, of the reader, of nobody, of the sums, of what it counts in the tournament."""
WON = {"de": r"[Gg]ewonnen", "en": r"\b[Ww]on\b", "fr": r"[Gg]agné"}
"""In the subject of the mail of an end, for who has won."""
WAYS = ("retire 0", "1-0", "deadline", "½-½", "retire 1", "310:250", "", "0-1", "+--", "250:310", "0-0")
LARGE = ("deadline", "retire 0", "300:200:100", "retire 0 1", "100:300:300", "")
Told = tuple[frozenset[str], dict[str, str], dict[str, str]]


def read_end(text: str, names: Sequence[str], language: str, reader: str = "") -> Told:
    """Who has won (nobody where it is level), the sums, and what it counts, as a text says it."""
    wins, own, level, sums, counts = SAID[language]
    found: dict[str, dict[str, str]] = {sums: {}, counts: {}}
    won: set[str] = set()
    for part in re.split(r"(?<=[.!?])\s", " ".join(text.split())):
        if re.search(wins, part) and not re.search(level, part):
            won |= {name for name in names if re.search(rf"\b{name}\b", part)}
            won |= {reader} if re.search(own, part) else set()
        for kind, values in found.items():
            if re.search(kind, part):
                one = r"\b{}\b[^,]*?([−½\d]+(?:[.,]\d+)?)(?=[,.;]|$)"
                values |= {n: v.replace(",", ".") for n in names for v in re.findall(one.format(n), part)}
    return frozenset(won), found[sums], found[counts]


def expected(way: str, names: Sequence[str], points: Sequence[int], shown: bool) -> Told:
    """What all texts must say of a match that ended so; ``points`` rank the seats, and are told if ``shown``."""
    sums = {name: str(one).replace("-", "−") for name, one in zip(names, points, strict=True)} if shown else {}
    worth = [format_fraction(one) for one in compute_place_points(points)]
    if way[1:2] == "-" and not shown:
        worth = [{"+": "1", "-": "0"}.get(one, one) for one in (way[0], way[-1])]
    best = [name for name, one in zip(names, worth, strict=True) if one == "1"]
    tied = [name for name, one in zip(names, points, strict=True) if one == max(points)]
    won = best or ([] if len(tied) == len(names) or "0-0" in way else tied)
    return frozenset(won), sums, dict(zip(names, worth, strict=True))


def end(work: UnitOfWork, tournament: Tournament, row: TournamentGame, way: str) -> Told | None:
    """Bring a match to its end; None = it is played on, or judged at its latest end."""
    match = work.session.get_one(MatchRow, row.match_id)
    names = [player.name for player in work.list_players(match)]
    if way in ("", "deadline"):
        return None
    if way.startswith("retire"):
        gone = [int(seat) for seat in way.split()[1:]]
        for seat in gone:
            Match.load(work, match).retire_seat(seat, SeatLeftReason.RESIGNED)
        staying = [seat not in gone for seat in range(len(names))]
        counts = {name: str(int(stays)) for name, stays in zip(names, staying, strict=True)}
        won = frozenset(name for name, one in counts.items() if one == "1")
        return (won, {}, counts) if len(won) == 1 else None
    ClubTournament(work, tournament).rule_on_game(row, pairings.parse_game_result(way, len(names)))
    points = list(map(int, way.split(":"))) if ":" in way else [0] * len(names)
    return expected(way, names, points, shown=":" in way)


def judged(work: UnitOfWork, match: MatchRow) -> Told:
    """What must be said of a match that ended by itself or at its latest end, from its log alone."""
    live = work.cache.load_match(work.session, match)
    state, names = live.table.state, [player.name for player in work.list_players(match)]
    stopped = any(entry.kind == LogEntryKind.STOP for entry in load_log_entries(work.session, match))
    game: Any = live.game
    off = [game.find_rack_value(state, s) if stopped and len(state.hands) > 1 else 0 for s in range(len(names))]
    points = [score - less for score, less in zip(state.scores, off, strict=True)]
    out, low = live.table.out, min(points) - 1
    ranked = [low if seat in out else one for seat, one in enumerate(points)]
    won, _, counts = expected("", names, ranked, shown=True)
    sums = expected("", names, points, shown=stopped and len(names) - len(out) > 1)[1]
    return won, sums, counts | {names[seat]: "0" for seat in out} if stopped or out else {}


@pytest.mark.matrix("whole tournaments", seconds=6)
@pytest.mark.parametrize(
    ("format", "game"),
    [
        (format, game)
        for format in ("robin", "double", "swiss", "knockout", "tables", "league")
        for game in sorted(games.REGISTRY)
        if (format, game) != ("tables", "dominos")  # a game for two
    ],
)
def test_every_text_of_a_matchs_end_names_the_same_winners_and_sums(club: Club, format: str, game: str) -> None:
    names, dice = PEOPLE, random.Random(f"{format} {game}")
    with club.work() as work:
        for name, language in zip(names, ("de", "en", "fr") * 2, strict=True):
            get_player(work.session, name).language = language
    code = begun(club, format, names, game=game, round_days=20, seats=3, division=3, legs=2)
    table = Table(club)
    table.day()
    rows_, known = open_games(club, code), dict[str, Told | None]()
    ways = LARGE if format == "tables" else WAYS
    for at_, row in enumerate(rows_, dice.randrange(len(ways))):
        with at(club, code) as (work, tournament):
            kept = work.session.get_one(TournamentGame, row.number)
            match = work.session.get_one(MatchRow, kept.match_id)
            if match.status == MatchStatus.RUNNING:
                known[match.code] = end(work, tournament, kept, ways[at_ % len(ways)])
                notify_match_events(work)
    club.let_pass(days=1)
    for _ in range(4 if game in SHORT else 0):
        table.day()
    club.let_pass(days=30)
    mails = {name: club.mails(name) for name in names}
    site = publish(club)
    page = (site / f"tournaments/{code}.html").read_text("utf-8")
    assert "dieselbe Wertung" in page, "nobody had one, so number 1 had not the highest"
    assert tournament_of(club, code).status != "finished" or "gespielt vom 22.11.2026" in page, "not from the list on"
    for match_code, told in known.items():
        with club.at(match_code) as (work, match):
            assert match.status == MatchStatus.FINISHED
            seated, want = [player.name for player in work.list_players(match)], told or judged(work, match)
            line = TournamentReader(work, tournament_rows.get_tournament(work.session, code)).build_game_line(
                find_tournament_game(work.session, match)
            )
        for name in seated:
            language = ("de", "en", "fr")[names.index(name) % 3]
            subject = [str(m["Subject"]) for m in mails[name] if f"[{match_code}-" in str(m["Subject"])][-1]
            assert bool(re.search(WON[language], subject)) == (name in want[0]), (subject, want)
            assert len(seated) > 2 or all(points in subject for points in want[1].values()), (subject, want)
        for language, folder in (("de", ""), ("en", "en/"), ("fr", "fr/")):
            page = (site / f"{folder}matches/{match_code}.html").read_text("utf-8")
            (head,) = re.findall(r'<p class="facts">(.*?)</p>', page, re.DOTALL)[:1]
            facts = ". ".join(re.sub(r"<[^>]*>", "", head).split(" · "))
            assert read_end(facts, seated, language)[:2] == want[:2]
        shown = run_well(club, "match", "show", match_code)
        assert read_end(". ".join(shown.splitlines()), seated, "en") == want
        assert not want[2] or dict(zip(line.names, line.points, strict=True)) == want[2]
        assert not want[1] or dict(zip(line.names, map(format_points, line.scores), strict=True)) == want[1]
