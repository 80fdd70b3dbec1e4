"""Robots at the table: matches in which only they are left go on by themselves; it is said how well they play; and one
holds a seat until a person is found, who takes it over by mail with all that lies on the rack."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from moderator.common.enums import Level, LogEntryKind, SeatLeftReason
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.rules.ending import find_borrowed_seats, iter_seat_holders
from moderator.rules.robots import choose
from moderator.service import create
from moderator.service.match.match import Match
from moderator.service.match.start import start_match
from moderator.settings import BotSettings
from moderator.site.build import publish_site
from moderator.site.layout import SiteContent
from moderator.site.players import PlayerCareers
from moderator.site.records import is_record_match, list_game_bests
from moderator.store import matches_log
from moderator.store.tables import MatchRow
from moderator.tournaments.csv_file import format_results_csv
from moderator.views import match_cache, ratings
from moderator.views.people import get_play_style
from moderator.words import kinds
from tests.club import steps
from tests.club.club import WORDS, Club, club_of, make_club, taken_once, text
from tests.club.pair_scenes import boss_address, writes
from tests.club.steps import seated, typed
from tests.club.tournament_club import SHORT, found, tournament_of
from tests.match.test_outcome import toy


def boss(club: Club, line: str) -> str:
    club.say("boss@club.example", line, to=boss_address(club))
    return text(club.mails("boss")[-1])


TABLES = [("dominos", "sequential"), ("topwords", "rounds"), ("topwords", "common")]
"""Of every game moderator/conformance/endings.py asks it, without the ticks."""
TOURNAMENTS = [
    pytest.param(
        format, game, pace, id=f"{format}-{game}-{pace}", marks=pytest.mark.matrix("robots' cups", seconds=seconds)
    )
    for format in ("robin", "swiss", "knockout", "tables")
    for game, pace, seconds in (
        ("topwords", "rounds", 0.5), ("topwords", "common", 0.5), ("presto", "", 3),
    )
]  # fmt: skip


@pytest.fixture
def robots(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club", words=[word for word in WORDS if len(kinds.to_word_key(word, "typdom")) < 12])
    made.players("R2", "R2b", "R2c", "Anna")
    return made


def start(club: Club, game: str, pace: str, *names: str) -> str:
    return club.match(*names, game=game, **({"pace": pace} if game == "topwords" else {}))


def ticks(club: Club, code: str, most: int = 60) -> list[int]:
    """Entries after each tick until the match is over."""
    found = [club.row(code).entries]
    while club.row(code).status == "running" and len(found) < most:
        assert club.let_pass(minutes=5).troubles == []
        found.append(club.row(code).entries)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("game", "pace"), TABLES)
def test_two_robots_come_to_the_end(robots: Club, game: str, pace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_cache, "MOST_BY_THEMSELVES", 7)
    code = start(robots, game, pace, "R2", "R2b")
    grown = ticks(robots, code, most=400)
    assert robots.row(code).status == "finished", grown
    assert robots.live(code).table.state.over
    assert robots.mails() == []
    steps = [after - before for before, after in pairwise(grown)]
    assert all(step > 0 for step in steps), "a tick with nothing done while the match runs"
    assert all(step <= 7 * 5 for step in steps), "a tick does so much and no more"


@pytest.mark.parametrize(("game", "pace"), TABLES)
def test_when_the_last_person_leaves_it_ends(robots: Club, game: str, pace: str) -> None:
    code = start(robots, game, pace, "Anna", "R2")
    robots.tick()
    robots.order("Anna", code, 0, f"Aufgeben {code} JA")
    ticks(robots, code)
    assert robots.row(code).status == "finished"


def test_a_paused_match_of_robots_stands_still_and_then_goes_on(robots: Club) -> None:
    with robots.work() as work:
        work.cache.turns_left = 0
        seats = [create.get_player(work.session, name) for name in ("R2", "R2b")]
        match = create.create_match(work, "dominos", "", seats, {})
        start_match(work, match, seed=bytes(32))
        match.stopped = "pause"
        code = match.code
    robots.tick()
    assert robots.row(code).entries == 0
    with robots.work() as work:
        row = work.session.get_one(MatchRow, 1)
        row.stopped = ""
    ticks(robots, code)
    assert robots.row(code).status == "finished"


@pytest.mark.parametrize(("format", "game", "pace"), TOURNAMENTS)
def test_a_tournament_of_robots_alone_ends(
    robots: Club, format: str, game: str, pace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = {"topwords": {"pace": pace, "rounds": 2}, "presto": {"target": None, "rounds": 1}}
    monkeypatch.setitem(SHORT, game, short.get(game, SHORT.get(game)))  # type: ignore[arg-type]
    code = found(robots, format, ["R2", "R2b", "R2c"], game=game)
    robots.wait(days=3)
    for _ in range(25):
        assert robots.let_pass(minutes=30).troubles == []
        if tournament_of(robots, code).status == "finished":
            break
    assert tournament_of(robots, code).status == "finished", tournament_of(robots, code).trouble
    assert robots.mails() == []


ROBOTS = {
    "Ada": (Level.BEGINNER, "Anfänger", "beginner"),
    "Bob": (Level.CLUB, "Club", "club"),
    "Cid": (Level.STRONG, "stark", "strong"),
}
"""Level, as German and as English readers have it."""


@pytest.fixture
@taken_once
def codes(club: Club) -> dict[str, str]:
    """By robot, of three matches of Anna (German) and Bert (English) with one each; nothing was mailed yet."""
    with club.work() as work:
        for name, (level, _, _) in ROBOTS.items():
            create.add_player(work.session, name, None, club.now, level=level)
    return {name: club.match("Anna", "Bert", name, game="tridom") for name in ROBOTS}


def test_the_command_line_and_the_moderators_mail_name_the_level(club: Club, codes: dict[str, str]) -> None:
    for name, code in codes.items():
        level = ROBOTS[name][0]
        assert f"{name} (robot, {level.value})" in typed(club, "match", "show", code).output
        seats = json.loads(typed(club, "match", "show", code, "--json").output)["seats"]
        assert [one["robot"] for one in seats] == [None, None, level.value]
    together = club.match("Anna", "Bert", *ROBOTS, pace="rounds")
    told = boss(club, f"Stand {together}")
    assert all(f"Roboter, {german}." in told for _, german, _ in ROBOTS.values())


def test_the_first_mail_and_the_status_name_it_in_the_readers_language_and_no_other_mail(
    club: Club, codes: dict[str, str]
) -> None:
    club.tick()
    for _ in range(2):
        german, english = ([text(mail) for mail in club.mails(name)] for name in ("Anna", "Bert"))
        for name, (_, in_german, in_english) in ROBOTS.items():
            assert [f"Roboter am Tisch: {name} ({in_german})." in one for one in german].count(True) == 1
            assert [f"Robots at the table: {name} ({in_english})." in one for one in english].count(True) == 1
        club.wait(minutes=11)
        for code in codes.values():
            club.order("Anna", code, 0, "Stand")
            club.order("Bert", code, 1, "Status")
        club.tick()
    club.tick_unread()
    code = codes["Ada"]
    seat = club.live(code).seats_to_act[0]
    club.hand_in(("Anna", "Bert")[seat], code, seat, club.moves(code, seat)[0])
    told = [text(mail) for mail in club.mails()]
    assert told
    assert not [one for one in told if "Roboter am Tisch" in one or "Robots at the table" in one]


@pytest.mark.slow
def test_the_page_of_a_match_names_it_until_it_is_over(club: Club, codes: dict[str, str], tmp_path: Path) -> None:
    club.players("R2 Ada", "R2 Bob")
    over = club.match("R2 Ada", "R2 Bob", game="dominos", target=30)
    while club.row(over).status == "running":
        club.tick()
    with club.work() as work:
        publish_site(SiteContent(work, tmp_path / "site"), tmp_path / "site")
    for name, code in codes.items():
        for language, word, level in (("", "Roboter", ROBOTS[name][1]), ("en/", "robot", ROBOTS[name][2])):
            page = (tmp_path / "site" / f"{language}matches/{code}.html").read_text("utf-8")
            assert f'<span class="robot">{word}, {level}</span>' in page
    assert 'class="robot"' not in (tmp_path / "site" / f"matches/{over}.html").read_text("utf-8")


@pytest.mark.usefixtures("codes")
def test_where_a_program_plays_the_level_says_nothing(club: Club) -> None:
    with_program = replace(club.config, bots={"Bob": BotSettings(command=("true",))})
    with club.work() as work:
        bob, anna = (create.get_player(work.session, name) for name in ("Bob", "Anna"))
        assert [get_play_style(club.config, one) for one in (bob, anna)] == ["club", ""]
        assert get_play_style(with_program, bob) == "program"


TERMS = {"days": 1, "abandon_after": 1, "excused": 0, "stand_in": "beginner"}


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert", "Cici", "Dora", "Emil", Bert="en", Emil="en")


@pytest.fixture
@taken_once
def code(club: Club) -> str:
    """Anna, Bert and Cici play, and a robot comes in for who plays no more."""
    return begin(club)


@pytest.fixture
def held(club: Club, code: str) -> None:
    """In that match Robot beginner holds Cici's seat."""
    resigns(club, "Cici", code, 2)
    club.skip_mails()


def begin(club: Club, *names: str, terms: dict[str, object] | None = None, game: str = "tridom") -> str:
    return steps.begin(club, *(names or steps.NAMES), game=game, terms=TERMS if terms is None else terms)


def resigns(club: Club, name: str, code: str, seat: int) -> None:
    club.hand_in(name, code, seat, f"resign {code} YES")


def asks(club: Club, name: str, line: str) -> str:
    """What is answered to a mail without a token."""
    club.skip_mails()
    club.wait(minutes=11)
    writes(club, name, line)
    return text(club.mails(name)[-1])


def test_what_stands_below_is_no_order_for_the_robots_seat(club: Club, code: str) -> None:
    seat = club.live(code).seats_to_act[0]
    name, move = seated(club, code)[seat], club.moves(code, seat)[-1]
    live = club.live(code)
    own = choose.choose_robot_move(live.game, live.table.state, seat, live.context, Level.BEGINNER)
    club.hand_in(name, code, seat, f"resign {code} YES\n{move}\nnach Ziehen: bester\nwarten")
    entries = [(one.kind, one.text) for one in club.log(code) if one.seat == seat]
    assert entries[0][0] == LogEntryKind.HAND_OVER
    assert [text for _, text in entries[1:]] == [own]
    assert not [kind for kind, _ in entries if kind in (LogEntryKind.ORDER, LogEntryKind.FLAG)]
    assert len(club.mails(name)) == 1


def test_who_did_not_answer_is_told_and_takes_the_seat_back(club: Club, code: str) -> None:
    seat = club.live(code).seats_to_act[0]
    name = seated(club, code)[seat]
    for _ in range(5):
        if seated(club, code)[seat] == name:
            club.skip_mails()
            club.let_pass(days=1, hours=2)
    assert seated(club, code)[seat] == "Robot beginner"
    shown = text(club.mails(name)[-1])
    assert re.search(r"mehrmals nicht gemeldet. Deshalb spielt Robot beginner|not answered several times", shown)
    (line,) = re.findall(rf"[»“]((?:ÜBERNEHMEN|TAKEOVER) {code})[«”]", shown)
    writes(club, name, line)
    club.tick()
    assert seated(club, code)[seat] == name


def test_whose_seat_nobody_has_played_for_long_reads_nothing_of_who_takes_it(club: Club) -> None:
    """That the seat passes was told; the moderator has decided nothing."""
    code = begin(club, terms={"days": 1})
    resigns(club, "Cici", code, 2)
    club.skip_mails()
    writes(club, "Dora", f"ÜBERNEHMEN {code}")
    assert "Dora" in seated(club, code)
    assert not club.mails("Cici")


def test_who_is_on_the_standby_list_comes_first(club: Club, code: str) -> None:
    writes(club, "Dora", "Ersatzspieler an")
    club.skip_mails()
    resigns(club, "Cici", code, 2)
    assert seated(club, code) == ["Anna", "Bert", "Dora"]
    assert "Dora spielt von jetzt an für Cici" in text(club.mail("Anna"))
    assert code in str(club.mail("Dora")["Subject"])


def test_without_the_term_no_robot_comes_in_and_a_match_of_one_is_over(club: Club) -> None:
    code = begin(club, terms={"days": 1})
    resigns(club, "Cici", code, 2)
    assert seated(club, code) == ["Anna", "Bert", "Cici"]
    assert club.live(code).table.out == (2,)
    code = begin(club, "Anna", "Bert", game="dominos")
    resigns(club, "Bert", code, 1)
    assert club.row(code).status == "finished"
    assert seated(club, code) == ["Anna", "Bert"]


def test_a_second_one_is_another_robot(club: Club) -> None:
    code = begin(club, "Anna", "Bert", "Cici", "Dora")
    for name, seat in (("Cici", 2), ("Dora", 3)):
        resigns(club, name, code, seat)
    assert seated(club, code) == ["Anna", "Bert", "Robot beginner", "Robot beginner 2"]


def test_the_first_mail_says_so_where_it_may_come_to_that(club: Club) -> None:
    said = "spielt ein Roboter weiter, bis jemand den Platz übernimmt"
    for players, terms, expected in (
        (("Anna", "Bert", "Cici"), TERMS, True),
        (("Anna", "Bert"), TERMS, False),
        (("Anna", "Bert", "Cici"), {}, False),
    ):
        club.start(*players, game="tridom", terms=terms)
        assert (said in text(club.mail("Anna"))) is expected
        club.skip_mails()


def test_whoever_looks_for_a_seat_of_that_game_is_offered_it_and_nobody_else(club: Club, code: str, held: None) -> None:
    """Whoever asks for any game: tests/pairs/joining."""
    others = (("Dora", "Ersatzspieler Dominos"), ("Dora", "Mitspielen Topwords"), ("Anna", "Ersatzspieler an"))
    for name, line in others:
        assert f"Kürzel {code}" not in asks(club, name, line), line
    for name, line in (("Dora", "Ersatzspieler Tridom"), ("Emil", "Join Tridom"), ("Emil", "Takeover")):
        assert code in asks(club, name, line), line


def test_a_stranger_who_joins_reads_of_it(club: Club, code: str, held: None) -> None:
    object.__setattr__(club.config.club, "signup", "open")
    club.say("zoe@far.example", "Mitspielen")
    club.say("zoe@far.example", "Ja", to=str(club.mail("zoe@far")["Reply-To"]))
    told = text(club.mail("zoe@far"))
    assert f"Kürzel {code}: Tridom" in told
    assert "den ein Roboter hält (Robot beginner)" in told


def test_a_mail_takes_it_over_once_with_all_that_lies_on_the_rack(club: Club, code: str, held: None) -> None:
    before, token = club.live(code).table.state, club.token(code, 2)
    writes(club, "Dora", f"Übernehmen {code}")
    after = club.live(code).table.state
    assert seated(club, code) == ["Anna", "Bert", "Dora"]
    assert (after.hands, after.scores, after.stock) == (before.hands, before.scores, before.stock)
    assert club.token(code, 2) != token
    assert "Dora spielt von jetzt an für Robot beginner" in text(club.mail("Anna"))
    assert "Dora plays for Robot beginner from now on" in text(club.mail("Bert"))
    assert code in str(club.mail("Dora")["Subject"])
    assert club.mails() == [], "a robot is told nothing"
    club.hand_in("Dora", code, 2, "Stand")
    assert "Roboter am Tisch" not in text(club.mail("Dora"))
    assert "There is no seat to take over" in asks(club, "Emil", f"Take over {code}")
    assert seated(club, code) == ["Anna", "Bert", "Dora"]


def test_an_empty_seat_is_taken_before_a_robot_goes(club: Club, code: str, held: None) -> None:
    with club.at(code) as (work, match):
        Match.load(work, match).retire_seat(1, SeatLeftReason.EJECTED)
    writes(club, "Dora", f"Übernehmen {code}")
    assert seated(club, code) == ["Anna", "Dora", "Robot beginner"]


def test_the_moderator_puts_one_in_and_is_told_as_long_as_it_stays(club: Club) -> None:
    """Also where two play: the organiser wants the match to go on."""
    code = begin(club, "Anna", "Bert", terms={}, game="dominos")
    with club.work() as work:
        create.add_player(work.session, "Ada", None, club.now, level=Level.STRONG)

    def waits() -> list[str]:
        with club.work() as work:
            return [
                str(task.facts["player"]) for task in Agenda(work).list_tasks() if task.note.code == "today-stand-in"
            ]

    assert waits() == []
    assert "Ada" in boss(club, f"Ersetzen {code} Bert durch Ada")
    assert "hält ihn ein Roboter (Ada)" in text(club.mails("Anna")[0])
    assert waits() == ["Ada"]
    writes(club, "Dora", f"Übernehmen {code}")
    assert seated(club, code) == ["Anna", "Dora"]
    assert waits() == []


def test_a_robot_that_was_dealt_in_keeps_its_seat(club: Club) -> None:
    with club.work() as work:
        create.add_player(work.session, "Ada", None, club.now)
    code = begin(club, "Anna", "Ada", terms={}, game="dominos")
    assert seated(club, code) == ["Anna", "Ada"]
    assert "kein Platz zu übernehmen" in asks(club, "Dora", f"Übernehmen {code}")
    assert "wartet" not in asks(club, "Dora", "Ersatzspieler an")


def test_at_a_table_for_training_nobody_comes_in(club: Club) -> None:
    writes(club, "Anna", "Üben Dominos")
    with club.work() as work:
        match = work.session.get_one(MatchRow, 1)
        code = match.code
        other = create.add_player(work.session, "Ada", None, club.now, level=Level.STRONG)
        Match.load(work, match).hand_over_seat(1, other)
    assert "kein Platz zu übernehmen" in asks(club, "Dora", f"Übernehmen {code}")


def test_a_borrowed_seat_counts_for_who_made_more_than_half_of_its_moves() -> None:
    match = toy(2).enter("move", 0, "A1 HAUS").enter("move", 1, "A1 ROT").enter("hand-over", 0, "7")
    assert find_borrowed_seats(match.log, [7, 9]) == {0}  # none of one
    match.enter("move", 0, "A1 TOR").enter("move", 1, "pass")
    assert find_borrowed_seats(match.log, [7, 9]) == {0}  # one of two
    match.enter("move", 0, "A1 NASE")
    assert find_borrowed_seats(match.log, [7, 9]) == frozenset()  # two of three
    match.enter("undo", text=str(len(match.log) - 1))
    assert find_borrowed_seats(match.log, [7, 9]) == {0}
    match = toy(2).enter("move", 0, "A1 HAUS").enter("hand-over", 0, "8").enter("move", 1, "pass")
    match.enter("hand-over", 0, "7")
    assert [here for _, here in iter_seat_holders(match.log, [7, 9])] == [(None, 9), (8, 9), (8, 9), (7, 9)]


def rated(club: Club, code: str) -> list[tuple[tuple[str, ...], frozenset[int], tuple[int, ...]]]:
    with club.at(code) as (work, match):
        Match.load(work, match).stop_match()
    with club.work() as work:
        return [(one.players, one.forfeits, one.moves) for one in ratings.load_rating_ledger(work.session, "tridom")]


def play(club: Club, code: str, turns: int) -> None:
    for _ in range(turns):
        seat = club.live(code).seats_to_act[0]
        club.hand_in(seated(club, code)[seat], code, seat, club.moves(code, seat)[0])


@pytest.mark.slow
def test_a_seat_that_a_person_took_late_is_rated_for_nobody(club: Club) -> None:
    """Neither for who gave it up nor for who has it; the others are rated among themselves."""
    code = begin(club, terms={"stand_in": "beginner"})
    play(club, code, 9)
    resigns(club, "Cici", code, 2)
    writes(club, "Dora", f"Übernehmen {code}")
    ((players, gone, moves),) = rated(club, code)
    assert gone == {2}
    assert moves[2] == 0
    assert min(moves[:2]) >= 3
    with club.work() as work:
        known = ratings.compute_club_ratings(work.session, "tridom")
        by_name = {name: create.get_player(work.session, name).number for name in ("Anna", "Bert", "Cici", "Dora")}
    assert set(known) == {by_name["Anna"], by_name["Bert"]}
    assert players[2] == str(by_name["Dora"])
    with club.work() as work:
        site = SiteContent(work)
        careers = PlayerCareers(site)
        played = {name: sum(one.played for one in careers.list_records(number)) for name, number in by_name.items() if
                  number in site.people}  # fmt: skip
        assert played == {"Anna": 1, "Bert": 1, "Dora": 0}
        assert {name: careers.count_finished(by_name[name]) for name in played} == played
        assert [one.player.name for one in careers.list_opponents(by_name["Anna"])] == ["Bert"]
        assert careers.list_opponents(by_name["Dora"]) == ()
        (chapter,) = list_game_bests(site, [match for match in site.matches if is_record_match(match)])
        held = {one.kind: one.player.name for one in chapter.best if one.player is not None}
        assert "Dora" not in (held["score"], held.get("lead"))


@pytest.mark.slow
def test_a_seat_that_was_taken_early_is_rated_for_who_has_played_it(club: Club) -> None:
    code = begin(club, terms={"stand_in": "beginner"})
    play(club, code, 3)
    resigns(club, "Cici", code, 2)
    writes(club, "Dora", f"Übernehmen {code}")
    play(club, code, 9)
    ((_, gone, moves),) = rated(club, code)
    assert gone == frozenset()
    assert moves[2] > 2
    with club.work() as work:
        dora = create.get_player(work.session, "Dora").number
        (record,) = PlayerCareers(SiteContent(work)).list_records(dora)
        assert record.played == 1


def test_a_list_of_results_for_another_club_rates_it_alike(club: Club) -> None:
    code = begin(club, terms={"stand_in": "beginner"})
    play(club, code, 3)
    resigns(club, "Cici", code, 2)
    rated(club, code)
    with club.work() as work:
        (game,), _ = ratings.list_exportable_games(work.session, "tridom")
    assert game.moves[2] == 0
    assert game.result.forfeits == {2}
    assert "Robot beginner" in format_results_csv([game])


def test_where_nobody_came_in_no_log_is_read(club: Club, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play(club, code, 3)
    asked: list[list[int]] = []
    real = matches_log.iter_match_logs
    monkeypatch.setattr(
        matches_log, "iter_match_logs", lambda session, ids: asked.append(list(ids)) or real(session, ids)
    )
    assert len(rated(club, code)) == 1
    assert asked == [[]]
    assert not [entry for entry in club.log(code) if entry.kind == LogEntryKind.HAND_OVER]
