"""The puzzle of the week by mail: one a week to who wants it, of matches that are over, and never twice the same."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from sqlmodel import select

from moderator.common.enums import MatchStatus
from moderator.inbox.forget import forget_player
from moderator.language.messages import render_note
from moderator.notifications.pages import LineOutcome
from moderator.render.mails.outcome import split_first_sentence
from moderator.rules.game import Note
from moderator.rules.robots.choose import survey_position
from moderator.service.create import get_player
from moderator.service.match.match import Match
from moderator.service.puzzles import PuzzleReader, PuzzleWeek
from moderator.settings import load_config
from moderator.store.club_tables import PuzzleAnswer, PuzzleRow
from moderator.store.privacy import load_player_facts
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views import puzzles as club_puzzles
from moderator.words import shipped
from tests.club.club import Club, copied, make_club, text
from tests.club.pair_scenes import best, fewer_turns, last, made, play_puzzled, poor, review_all, told, wants, writes
from tests.club.steps import run, run_well, typed

MONDAY = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
ENDS = datetime(2026, 11, 29, 23, 0, tzinfo=UTC)
"""The first moment at which no answer to the puzzle of that Monday counts."""
SUBJECT = "Die Aufgabe der Woche"
NOWHERE = "J10 w HAUS"
"""A move that is well written, and possible nowhere."""


@pytest.fixture(scope="module", autouse=True)
def few_words() -> Iterator[None]:
    """The club's little dictionary leaves little choice."""
    with fewer_turns():
        yield


@pytest.fixture(scope="module")
def kept_before(tmp_path_factory: pytest.TempPathFactory) -> Club:
    club = made(tmp_path_factory.mktemp("puzzle-club") / "club", 3)
    wants(club, "Anna", "Bert")
    club.skip_mails()
    club.now = MONDAY
    return club


@pytest.fixture(scope="module")
def kept_running(kept_before: Club, tmp_path_factory: pytest.TempPathFactory) -> Club:
    club = copied(kept_before, tmp_path_factory.mktemp("puzzle-runs") / "club")
    club.tick()
    return club


@pytest.fixture
def before(kept_before: Club, tmp_path: Path) -> Club:
    """On Monday, before the first run."""
    return copied(kept_before, tmp_path / "club")


@pytest.fixture
def club(kept_running: Club, tmp_path: Path) -> Club:
    """On Monday, after the first run: puzzle 1 has been mailed to Anna and Bert."""
    return copied(kept_running, tmp_path / "club")


@pytest.fixture
def anna(club: Club) -> EmailMessage:
    """Her mail with puzzle 1; everything that was mailed has been read."""
    return puzzle_mails(club)[0]


def puzzle_mails(club: Club) -> list[EmailMessage]:
    return [mail for mail in club.mails() if str(mail["Subject"]).startswith(SUBJECT)]


def readers(mails: list[EmailMessage]) -> list[str]:
    return sorted(str(mail["To"]).partition(" ")[0] for mail in mails)


def next_week(club: Club) -> str:
    """A week later: the text of Anna's mail."""
    club.let_pass(days=7)
    return text(puzzle_mails(club)[0])


def answer(club: Club, mail: EmailMessage, move: str) -> None:
    name = str(mail["To"]).partition(" ")[0]
    club.say(name, move, to=str(mail["Reply-To"]), subject=f"Re: {mail['Subject']}", In_Reply_To=mail["Message-ID"])


def rows(club: Club) -> list[PuzzleRow]:
    return club.stored(select(PuzzleRow).order_by(PuzzleRow.id))


def answers(club: Club) -> list[PuzzleAnswer]:
    return club.stored(select(PuzzleAnswer).order_by(PuzzleAnswer.id))


def moves(club: Club) -> list[str]:
    return [one.move for one in answers(club)]


def table(club: Club) -> list[tuple[str, int, int, int]]:
    with club.work() as work:
        return [
            (one.name, one.found, one.answered, one.place)
            for one in club_puzzles.build_puzzle_table(work.session, work.config, 2026)
        ]


def wants_it(club: Club, name: str) -> bool:
    with club.work() as work:
        return get_player(work.session, name).puzzles


def set_no_more(club: Club) -> Club:
    """The same club, whose moderator wants no puzzle any more."""
    file = club.folder / "moderator.toml"
    file.write_text(file.read_text(encoding="utf-8") + "[puzzle]\nweekly = false\n", encoding="utf-8")
    return Club(club.folder, load_config(file), club.now, set(club.read))


def test_it_waits_for_the_clubs_daily_hour(before: Club) -> None:
    last_week, too_early, on_time = (22, 20, 0), (23, 5, 59), (23, 6, 0)  # 6:59 and 7:00 in Berlin
    sent = []
    for day, hour, minute in (last_week, too_early, on_time):
        before.now = datetime(2026, 11, day, hour, minute, tzinfo=UTC)
        before.tick()
        sent.append(len(puzzle_mails(before)))
    assert sent == [0, 0, 2]


@pytest.mark.slow
def test_a_machine_that_was_off_brings_it_late_and_leaves_out_what_is_over(club: Club) -> None:
    puzzle_mails(club)
    club.wait(days=17)  # from Monday to Thursday, two weeks later
    club.tick()
    found = puzzle_mails(club)
    assert len(found) == 2
    assert "Aufgabe Nr. 2" in text(found[0])
    assert len(rows(club)) == 2
    club.now = datetime(2026, 12, 14, 8, 0, tzinfo=UTC)
    club.tick()
    assert "Aufgabe Nr. 3" in text(puzzle_mails(club)[0])


def test_a_match_that_is_not_over_gives_none(before: Club) -> None:
    with before.work() as work:
        for match in work.session.exec(select(MatchRow)):
            match.status = MatchStatus.SUSPENDED
    before.tick()
    assert rows(before) == []
    assert puzzle_mails(before) == []


@pytest.mark.slow
def test_matches_of_other_games_give_none(tmp_path: Path) -> None:
    """In which six tries are enough."""
    club = make_club(tmp_path / "club")
    code = told(club, "dominos", moves=9)["code"]
    club.hand_in("Bert", code, 1, f"Aufgeben {code} JA")
    review_all(club)
    wants(club, "Anna")
    club.skip_mails()
    club.now = MONDAY + timedelta(days=7)
    assert not club.tick().troubles
    assert rows(club) == []
    assert club.mails() == []


def test_a_club_that_wants_none_has_none(before: Club) -> None:
    club = set_no_more(before)
    club.tick()
    assert rows(club) == []
    writes(club, "Anna", "Aufgabe an")
    assert "gibt es keine Aufgabe der Woche" in text(club.mails("Anna")[-1])


def test_the_last_solution_is_told_where_no_more_are_set(club: Club) -> None:
    club.skip_mails()
    again = set_no_more(club)
    again.let_pass(days=7)
    solutions = [text(mail) for mail in again.mails() if "Lösung" in str(mail["Subject"])]
    assert len(solutions) == 2
    assert f"»{best(club)}«" in solutions[0]
    again.let_pass(days=7)
    assert len(rows(again)) == 1
    assert again.mails() == []


def test_the_last_answer_counts_and_the_solution_names_who_found_it_the_week_after(
    club: Club, anna: EmailMessage
) -> None:
    solution = best(club)
    answer(club, anna, poor(club))
    receipt = text(club.mail("Anna"))
    assert "Ich habe deine Antwort notiert" in receipt
    assert "Gefunden" not in receipt
    answer(club, anna, solution)
    assert "Sie ersetzt" in text(club.mail("Anna"))
    assert moves(club) == [solution]
    mail = next_week(club)
    assert "Gefunden von Anna." in mail
    assert f"»{solution}«" in mail
    assert table(club) == [("Anna", 1, 1, 1)]


@pytest.mark.parametrize("day", [datetime(2026, 10, 19, 8, tzinfo=UTC), datetime(2027, 3, 22, 8, tzinfo=UTC)])
def test_the_last_minute_is_sundays_also_when_the_clock_changes(before: Club, day: datetime) -> None:
    before.now = day
    with before.work() as work:
        end = club_puzzles.compute_puzzle_end(
            work.config, club_puzzles.compute_puzzle_monday(work.config, work.now)
        ).astimezone(ZoneInfo("Europe/Berlin"))
    assert (end.weekday(), end.hour, end.minute) == (6, 23, 59)
    assert (end.date() - day.date()).days == 6


@pytest.mark.parametrize("word", ["", "Aufgabe "])
def test_an_answer_to_the_mail_before_is_none_to_this_one(club: Club, anna: EmailMessage, word: str) -> None:
    next_week(club)
    answer(club, anna, word + best(club))
    assert "ältere Mail" in text(club.mail("Anna"))
    assert answers(club) == []


def test_who_sat_there_is_answered_and_counts_for_nothing(club: Club, anna: EmailMessage) -> None:
    puzzle = last(club)
    with club.work() as work:
        match = work.session.get_one(MatchRow, puzzle.match_id)
        seat = next(iter(work.list_seated(match)))[0]
        seat.player_id = get_player(work.session, "Anna").number
    answer(club, anna, puzzle.best)
    assert "zählt deshalb nicht" in text(club.mail("Anna"))
    assert "aber außer Wertung, weil selbst in der Partie dabei: Anna." in next_week(club)
    assert table(club) == []


def test_a_match_that_runs_again_takes_its_puzzle_along(club: Club, anna: EmailMessage) -> None:
    solution = best(club)
    with club.work() as work:
        match = work.session.get_one(MatchRow, last(club).match_id)
        match.status = MatchStatus.SUSPENDED
    answer(club, anna, solution)
    assert "gilt nicht mehr" in text(club.mail("Anna"))
    mail = next_week(club)
    assert "zurückgezogen" in mail
    assert solution not in mail.partition("Aufgabe Nr. 2")[0]


def test_a_match_that_ended_again_before_monday_has_lost_its_puzzle(club: Club) -> None:
    puzzle = last(club)
    with club.work() as work:
        match = work.session.get_one(MatchRow, puzzle.match_id)
        Match.load(work, match).undo_to_entry(match.entries - 2, Note("undone"), force=True)
    assert last(club).withdrawn_at is not None


def test_what_the_moderator_withdraws_counts_for_nothing(club: Club, anna: EmailMessage) -> None:
    answer(club, anna, best(club))
    with club.work() as work:
        assert PuzzleWeek(work).withdraw_puzzle() is not None
        assert PuzzleWeek(work).withdraw_puzzle() is None
    assert "Aufgabe Nr. 1 ist zurückgezogen und zählt nicht." in next_week(club)
    assert table(club) == []


def test_answers_are_among_what_is_known_of_a_player_and_go_with_them(club: Club, anna: EmailMessage) -> None:
    puzzle = last(club)
    answer(club, anna, puzzle.best)
    with club.work() as work:
        known = load_player_facts(work.session, get_player(work.session, "Anna"))["puzzle_answers"]
        assert [one["points"] for one in known] == [puzzle.most]
        forget_player(work, "Anna", resign=False)
    assert answers(club) == []
    assert not any(one.puzzles for one in club.stored(PlayerRow) if one.address is None)


def test_unsubscribing_ends_it_and_says_so_and_a_machine_that_answers_does_not(club: Club, anna: EmailMessage) -> None:
    club.say("Anna", "Ich bin im Urlaub.", to=str(anna["Reply-To"]), Auto_Submitted="auto-replied")
    assert wants_it(club, "Anna")
    club.say("Anna", "", to=str(anna["List-Unsubscribe"]).partition("mailto:")[2].partition("?")[0])
    assert "Die Aufgabe der Woche kommt nicht mehr." in text(club.mail("Anna"))
    club.let_pass(days=7)
    assert readers(puzzle_mails(club)) == ["Bert"]


def test_the_address_of_a_forwarded_mail_opens_the_puzzle_alone(club: Club, anna: EmailMessage) -> None:
    """Whoever has the address may answer; a command in it is none."""
    club.start("Anna", "Bert")
    club.skip_mails()
    club.say("Xaver", "Aufgabe aus\nStand\nE5 w HAUS", to=str(anna["Reply-To"]))
    assert wants_it(club, "Anna")
    found = club.mails()
    assert [str(mail["To"]) for mail in found] == ["Anna <anna@home.example>"]
    assert "Erledigt" not in text(found[0])


def test_a_move_in_an_answer_with_a_command_is_no_order_in_the_one_match(club: Club, anna: EmailMessage) -> None:
    code = club.start("Anna", "Bert")
    move = club.moves(code, club.live(code).table.state.to_move[0])[0]
    answer(club, anna, f"Aufgabe aus\n{move}")
    assert club.log(code) == []
    assert not wants_it(club, "Anna")


def ask_whether(club: Club, said: str) -> Callable[[], str]:
    """A mail without a token, of which Anna's mailbox is asked. Returns what confirms it and gives the answer."""
    club.say("Anna", said)
    address = str(club.mails("Anna")[-1]["Reply-To"])

    def confirm() -> str:
        club.say("Anna", "Ja", to=address)
        return text(club.mails("Anna")[-1])

    return confirm


def test_an_answer_counts_by_when_it_came_not_by_when_it_was_confirmed(club: Club) -> None:
    club.now = came = ENDS - timedelta(minutes=30)
    confirm = ask_whether(club, f"Aufgabe {best(club)}")
    assert answers(club) == []
    club.now = ENDS + timedelta(hours=3)
    confirm()
    assert [(one.move, one.at.replace(tzinfo=UTC)) for one in answers(club)] == [(best(club), came)]


def test_an_answer_that_came_too_late_counts_for_nothing_when_it_is_confirmed(club: Club) -> None:
    club.now = ENDS
    confirm = ask_whether(club, f"Aufgabe {best(club)}")
    assert "Zeit war bis Sonntag, 29. November, 23:59 Uhr" in confirm()
    assert answers(club) == []


@pytest.mark.slow
def test_an_answer_from_before_the_puzzle_is_none(club: Club, tmp_path: Path) -> None:
    """Not even one that is the best move of the puzzle that was set since; and as it answers no mail, nothing is said
    of an older one."""
    ahead = copied(club, tmp_path / "ahead")
    ahead.let_pass(days=7)
    assert last(ahead).number == 2
    club.now = ENDS - timedelta(minutes=30)
    confirm = ask_whether(club, f"Aufgabe {best(ahead)}")
    club.now = ahead.now
    club.tick()
    assert best(club) == best(ahead)
    said = confirm()
    assert "bevor Aufgabe Nr. 2 gestellt war" in said
    assert "ältere Mail" not in said
    assert answers(club) == []
    writes(club, "Anna", f"Aufgabe {best(club)}")
    assert moves(club) == [best(club)]


def test_an_older_answer_replaces_no_later_one_when_it_is_confirmed(club: Club, anna: EmailMessage) -> None:
    confirm = ask_whether(club, f"Aufgabe {poor(club)}")
    club.wait(hours=1)
    answer(club, anna, best(club))
    assert f"was du später geschickt hast: »{best(club)}«" in confirm()
    assert moves(club) == [best(club)]


def test_after_an_outage_a_receipt_names_its_game(
    club: Club, anna: EmailMessage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for no mail at the end of the run, which would not know of which game a move is."""
    seen, receipt = [], PuzzleReader.notify_receipt

    def spied(reader: PuzzleReader, game: str, lines: tuple[LineOutcome, ...]) -> None:
        seen.append(reader.work.cache.catching_up)
        receipt(reader, game, lines)

    monkeypatch.setattr(PuzzleReader, "notify_receipt", spied)
    club.wait(days=3, away=True)
    with club.work() as work:
        there = club_puzzles.find_puzzle_position(work.session, work.cache, last(club))
    refused = there.judge_move(NOWHERE).refused
    assert refused is not None
    answer(club, anna, NOWHERE)
    assert seen == [True]
    headline, _ = split_first_sentence(render_note(Note(refused.code, refused.params), "de", "topwords"))
    assert text(club.mail("Anna")).startswith(headline)


def test_the_position_is_worked_out_once_for_all_who_read_it(before: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """In two languages; and each mail is made in a transaction of its own."""
    wants(before, "Cora")
    with before.work() as work:
        get_player(work.session, "Cora").language = "en"
    worked, transactions, real, send = [], [], club_puzzles.find_puzzle_position, PuzzleReader.notify_puzzle
    monkeypatch.setattr(club_puzzles, "find_puzzle_position", lambda *where: worked.append(where) or real(*where))

    def spied(reader: PuzzleReader, *more: object, **named: object) -> None:
        transactions.append(reader.work.session)
        send(reader, *more, **named)

    monkeypatch.setattr(PuzzleReader, "notify_puzzle", spied)
    before.tick()
    assert len(worked) == 1
    assert len({id(one) for one in transactions}) == len(transactions) == 3
    assert readers(before.mails()) == ["Anna", "Bert", "Cora", "Testrunde"], "the moderator reads of the day"


def test_a_run_that_died_over_the_mails_is_continued(before: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    send = PuzzleReader.notify_puzzle

    def dying(reader: PuzzleReader, *more: object, **named: object) -> None:
        if reader.player.name == "Bert":
            raise KeyboardInterrupt
        send(reader, *more, **named)

    with monkeypatch.context() as patch:
        patch.setattr(PuzzleReader, "notify_puzzle", dying)
        with pytest.raises(KeyboardInterrupt):
            before.tick()
    before.tick()
    assert readers(puzzle_mails(before)) == ["Anna", "Bert"]
    wants(before, "Cora")
    before.let_pass(days=1)
    assert puzzle_mails(before) == []


def test_a_mail_that_cannot_be_made_keeps_nobody_elses(before: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    send = PuzzleReader.notify_puzzle
    monkeypatch.setattr(
        PuzzleReader,
        "notify_puzzle",
        lambda reader, *more: 1 / 0 if reader.player.name == "Anna" else send(reader, *more),
    )
    assert any("the puzzle of the week" in one for one in before.tick().troubles)
    assert readers(puzzle_mails(before)) == ["Bert"]
    assert not before.tick().troubles


def check_weeks(club: Club, weeks: int) -> None:
    """Two runs a day for so many weeks: a mail to Anna and to Bert on each Monday, and each position once."""
    mailed = []
    for day in range(7 * weeks):
        for hour in (5, 9):
            club.now = MONDAY.replace(hour=hour) + timedelta(days=day)
            club.let_pass(seconds=1)
            if found := puzzle_mails(club):
                mailed.append((club.now.weekday(), readers(found)))
    assert mailed == [(0, ["Anna", "Bert"])] * weeks
    assert len(rows(club)) == weeks
    assert len({(one.match_id, one.entry, one.seat) for one in rows(club)}) == weeks
    with club.work() as work:
        status = {work.session.get_one(MatchRow, one.match_id).status for one in rows(club)}
    assert status == {MatchStatus.FINISHED}


@pytest.mark.slow
def test_each_monday_of_two_weeks_brings_another_position(before: Club) -> None:
    check_weeks(before, 2)


@pytest.mark.matrix("puzzles", seconds=60)
def test_each_monday_of_a_year_brings_another_position(tmp_path: Path) -> None:
    """With both changes of the clock, a match that runs all the while, and Cora, who wants none."""
    club = made(tmp_path / "club", 16)
    wants(club, "Anna", "Bert")
    running = club.match("Anna", "Bert")
    club.skip_mails()
    check_weeks(club, 52)
    assert club.row(running).number not in {one.match_id for one in rows(club)}


@pytest.mark.matrix("puzzles", seconds=13)
def test_words_of_the_whole_dictionary(tmp_path: Path) -> None:
    """The one that comes with us: the best of all that can be laid is the one that is asked for, and it is found."""
    words = sorted({word.upper() for word, _ in shipped.iter_shipped_words("de") if len(word) <= 10})
    club = make_club(tmp_path / "club", words=words)
    club.players("Anna", "Bert")
    play_puzzled(club, 1)
    wants(club, "Anna", "Bert")
    club.skip_mails()
    club.now = MONDAY
    assert not club.tick().troubles
    puzzle = last(club)
    with club.work() as work:
        there = club_puzzles.find_puzzle_position(work.session, work.cache, puzzle)
        known = survey_position(there.game, there.state, there.seat, there.context).found
    assert known[0] == (puzzle.best, puzzle.most)
    assert len(known) == puzzle.turns
    answer(club, puzzle_mails(club)[0], puzzle.best)
    assert [one.points for one in answers(club)] == [puzzle.most]


@pytest.mark.slow
def test_the_command_line_lists_them_and_withdraws_the_one_that_runs(club: Club, anna: EmailMessage) -> None:
    answer(club, anna, best(club))

    found = json.loads(typed(club, "puzzle", "list", "--json").output)
    assert [(one["puzzle"], one["state"], one["found"]) for one in found["puzzles"]] == [(1, "running", None)]
    assert "(running)" in typed(club, "puzzle", "list").output
    assert run_well(club, "puzzle", "skip") == "Puzzle 1 is withdrawn.\n"
    assert "No puzzle runs." in str(run(club, "puzzle", "skip").exception)
    club.let_pass(days=7)
    answer(club, puzzle_mails(club)[0], best(club))
    next_week(club)
    found = json.loads(typed(club, "puzzle", "list", "--json", "--year", "2026").output)
    assert [(one["state"], one["found"]) for one in found["puzzles"]] == [
        ("running", None),
        ("over", ["Anna"]),
        ("withdrawn", None),
    ]
    assert found["table"] == [{"place": 1, "name": "Anna", "found": 1, "answered": 1}]
    assert "  1. Anna: 1 of 1 answered" in typed(club, "puzzle", "list", "--year", "2026").output
