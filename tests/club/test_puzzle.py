"""The puzzle of the week by mail: one a week to who wants it, of matches that are over, and never twice the same."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner, Result
from sqlmodel import select

from moderator.cli import cli
from moderator.club import puzzles as club_puzzles
from moderator.club.desk import Desk
from moderator.config import load
from moderator.match.contract import Note
from moderator.match.survey import survey
from moderator.outbox import puzzle_mail
from moderator.pages.messages import sentence
from moderator.pages.pages import LineRead
from moderator.play import lifecycle
from moderator.play import puzzles as play_puzzles
from moderator.play.create import find_player
from moderator.states import MatchStatus
from moderator.store.models import Match, Player, Puzzle, PuzzleAnswer
from moderator.words import shipped
from tests.club import puzzle_club
from tests.club.club import Club, copied, make_club, text
from tests.club.pair_scenes import writes
from tests.schemas.validators import also_as_json

MONDAY = datetime(2026, 11, 23, 8, 0, tzinfo=UTC)
SUBJECT = "Die Aufgabe der Woche"
NOWHERE = {"dominos": "00@Z", "tridom": "555@999", "supertridom": "555@999"}
"""Moves that are well written, and possible nowhere."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Club:
    return puzzle_club.made(tmp_path_factory.mktemp("puzzle-club") / "club")


@pytest.fixture
def club(kept: Club, tmp_path: Path) -> Club:
    made = copied(kept, tmp_path / "club")
    puzzle_club.wants(made, "Anna", "Bert")
    made.mails()
    made.now = MONDAY
    return made


def puzzle_mails(club: Club) -> list[EmailMessage]:
    return [mail for mail in club.mails() if str(mail["Subject"]).startswith(SUBJECT)]


def answer(club: Club, mail: EmailMessage, move: str) -> None:
    name = str(mail["To"]).partition(" ")[0]
    club.write(name, move, to=str(mail["Reply-To"]), subject=f"Re: {mail['Subject']}", In_Reply_To=mail["Message-ID"])
    club.tick()


def rows(club: Club) -> list[Puzzle]:
    with club.desk() as desk:
        return list(desk.session.exec(select(Puzzle).order_by(Puzzle.id)))


def answers(club: Club) -> list[PuzzleAnswer]:
    with club.desk() as desk:
        return list(desk.session.exec(select(PuzzleAnswer).order_by(PuzzleAnswer.id)))


@pytest.mark.slow
def test_monday_brings_one_mail_to_who_wants_it(club: Club) -> None:
    club.tick()
    found = puzzle_mails(club)
    assert sorted(str(mail["To"]).partition(" ")[0] for mail in found) == ["Anna", "Bert"]
    club.tick()
    club.wait(days=1)
    club.tick()
    assert puzzle_mails(club) == []


@pytest.mark.slow
def test_it_waits_for_the_clubs_daily_hour(club: Club) -> None:
    club.now = datetime(2026, 11, 22, 20, 0, tzinfo=UTC)  # of the week before hours are left
    club.tick()
    assert puzzle_mails(club) == []
    club.now = datetime(2026, 11, 23, 5, 59, tzinfo=UTC)  # 6:59 in Berlin
    club.tick()
    assert puzzle_mails(club) == []
    club.now = datetime(2026, 11, 23, 6, 0, tzinfo=UTC)
    club.tick()
    assert len(puzzle_mails(club)) == 2


@pytest.mark.slow
def test_the_solution_names_who_found_it_the_week_after(club: Club) -> None:
    club.tick()
    anna, _ = puzzle_mails(club)
    best = puzzle_club.last(club).best
    answer(club, anna, best)
    told = text(club.mail("Anna"))
    assert "ist notiert" in told
    assert "Gefunden" not in told
    club.wait(days=7)
    club.tick()
    told = text(puzzle_mails(club)[1])
    assert "Gefunden von Anna." in told
    assert f"»{best}«" in told
    with club.desk() as desk:
        lines = club_puzzles.table(desk, 2026)
    assert [(one.name, one.found, one.answered, one.place) for one in lines] == [("Anna", 1, 1, 1)]


@pytest.mark.slow
def test_the_last_answer_counts(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    answer(club, anna, puzzle_club.last(club).best)
    poor = next(one for one in text(anna).split("»") if "@" in one).partition("«")[0]
    answer(club, anna, poor)
    assert [one.move for one in answers(club)] == [poor]
    assert "Sie ersetzt" in text(club.mails("Anna")[-1])


@pytest.mark.slow
def test_after_sunday_no_answer_counts(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    club.now = datetime(2026, 11, 29, 22, 59, tzinfo=UTC)
    answer(club, anna, puzzle_club.last(club).best)
    assert len(answers(club)) == 1
    club.mails()
    club.now = datetime(2026, 11, 29, 23, 0, tzinfo=UTC)
    answer(club, anna, "00@L")
    assert "Zeit war bis Sonntag, 29. November, 23:59 Uhr" in text(club.mail("Anna"))
    assert len(answers(club)) == 1


@pytest.mark.slow
def test_an_answer_to_the_mail_before_is_none_to_this_one(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    club.wait(days=7)
    club.tick()
    club.mails()
    answer(club, anna, puzzle_club.last(club).best)
    assert "ältere Mail" in text(club.mail("Anna"))
    assert answers(club) == []


@pytest.mark.slow
def test_who_sat_there_is_answered_and_counts_for_nothing(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    puzzle = puzzle_club.last(club)
    with club.desk() as desk:
        match = desk.session.get_one(Match, puzzle.match_id)
        seat = next(iter(desk.seated(match)))[0]
        seat.player_id = find_player(desk.session, "Anna").number
        desk.session.add(seat)
    answer(club, anna, puzzle.best)
    assert "zählt deshalb nicht" in text(club.mail("Anna"))
    club.wait(days=7)
    club.tick()
    assert "Außer Wertung, weil selbst dabei: Anna." in text(puzzle_mails(club)[0])
    with club.desk() as desk:
        assert club_puzzles.table(desk, 2026) == ()


@pytest.mark.slow
def test_a_match_that_runs_again_takes_its_puzzle_along(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    puzzle = puzzle_club.last(club)
    with club.desk() as desk:
        match = desk.session.get_one(Match, puzzle.match_id)
        match.status = MatchStatus.SUSPENDED
        desk.session.add(match)
    answer(club, anna, puzzle.best)
    assert "gilt nicht mehr" in text(club.mail("Anna"))
    club.wait(days=7)
    club.tick()
    told = text(puzzle_mails(club)[0])
    assert "zurückgezogen" in told
    assert puzzle.best not in told.partition("Aufgabe Nr. 2")[0]


@pytest.mark.slow
def test_what_the_moderator_withdraws_counts_for_nothing(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    answer(club, anna, puzzle_club.last(club).best)
    with club.desk() as desk:
        assert play_puzzles.withdraw(desk) is not None
        assert play_puzzles.withdraw(desk) is None
    club.wait(days=7)
    club.tick()
    assert "Aufgabe Nr. 1 ist zurückgezogen worden" in text(puzzle_mails(club)[0])
    with club.desk() as desk:
        assert club_puzzles.table(desk, 2026) == ()


@pytest.mark.slow
def test_unsubscribing_ends_it_and_says_so(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    address = str(anna["List-Unsubscribe"]).partition("mailto:")[2].partition("?")[0]
    club.write("Anna", "", to=address)
    club.tick()
    told = text(club.mail("Anna"))
    assert "Die Aufgabe der Woche kommt nicht mehr." in told
    club.wait(days=7)
    club.tick()
    assert [str(mail["To"]).partition(" ")[0] for mail in puzzle_mails(club)] == ["Bert"]


@pytest.mark.slow
def test_a_machine_that_answers_it_unsubscribes_nobody(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    club.write("Anna", "Ich bin im Urlaub.", to=str(anna["Reply-To"]), Auto_Submitted="auto-replied")
    club.tick()
    with club.desk() as desk:
        assert find_player(desk.session, "Anna").puzzles


@pytest.mark.slow
def test_the_address_of_a_forwarded_mail_opens_the_puzzle_alone(club: Club) -> None:
    """Whoever has the address may answer; a command in it is none."""
    club.match("Anna", "Bert")
    club.tick()
    anna = next(mail for mail in puzzle_mails(club) if "Anna" in str(mail["To"]))
    club.mails()
    club.write("Xaver", "Aufgabe aus\nStand\nE5 w HAUS", to=str(anna["Reply-To"]))
    club.tick()
    with club.desk() as desk:
        assert find_player(desk.session, "Anna").puzzles
    found = club.mails()
    assert [str(mail["To"]) for mail in found] == ["Anna <anna@home.example>"]
    assert "Erledigt" not in text(found[0])


@pytest.mark.slow
def test_a_move_in_an_answer_with_a_command_is_no_order_in_the_one_match(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    anna = next(mail for mail in puzzle_mails(club) if "Anna" in str(mail["To"]))
    move = club.moves(code, club.live(code).table.state.to_move[0])[0]
    answer(club, anna, f"Aufgabe aus\n{move}")
    assert club.log(code) == []
    with club.desk() as desk:
        assert not find_player(desk.session, "Anna").puzzles


@pytest.mark.slow
def test_commands_in_an_answer_are_told_like_those_of_any_other_mail(club: Club) -> None:
    code = club.match("Anna", "Bert")
    club.tick()
    anna = next(mail for mail in puzzle_mails(club) if "Anna" in str(mail["To"]))
    club.mails()
    answer(club, anna, "Urlaub 1.12.-5.12.")
    assert "Erledigt" in text(club.mail("Anna"))
    club.mails()
    answer(club, anna, f"Aufgeben {code}")
    assert club.row(code).status == MatchStatus.FINISHED
    found = club.mails()
    assert sorted(str(mail["To"]).partition(" ")[0] for mail in found) == ["Anna", "Bert"]
    assert all("Anna" in text(mail) and code in str(mail["Subject"]) for mail in found)


@pytest.mark.slow
def test_a_club_that_wants_none_has_none(club: Club) -> None:
    file = club.folder / "moderator.toml"
    file.write_text(file.read_text(encoding="utf-8") + "[puzzle]\nweekly = false\n", encoding="utf-8")
    again = Club(club.folder, load(file), club.now)
    again.tick()
    assert rows(again) == []
    again.write("Anna", "Aufgabe an", Authentication_Results="mx.club.example; dkim=pass header.d=home.example")
    again.tick()
    assert "gibt es keine Aufgabe der Woche" in text(again.mails("Anna")[-1])


@pytest.mark.slow
def test_the_last_solution_is_told_where_no_more_are_set(club: Club) -> None:
    club.tick()
    puzzle_mails(club)
    best = puzzle_club.best(club)
    file = club.folder / "moderator.toml"
    file.write_text(file.read_text(encoding="utf-8") + "[puzzle]\nweekly = false\n", encoding="utf-8")
    again = Club(club.folder, load(file), club.now)
    again.wait(days=7)
    again.mails()
    again.tick()
    told = [text(mail) for mail in again.mails() if "Lösung" in str(mail["Subject"])]
    assert len(told) == 2
    assert f"»{best}«" in told[0]
    again.wait(days=7)
    again.tick()
    assert len(rows(again)) == 1
    assert again.mails() == []


@pytest.mark.slow
def test_an_answer_with_the_command_word_to_an_older_mail_is_none(club: Club) -> None:
    club.tick()
    anna = puzzle_mails(club)[0]
    club.wait(days=7)
    club.tick()
    club.mails()
    answer(club, anna, f"Aufgabe {puzzle_club.best(club)}")
    assert "ältere Mail" in text(club.mail("Anna"))
    assert answers(club) == []


@pytest.mark.slow
def test_a_match_that_ended_again_before_monday_has_lost_its_puzzle(club: Club) -> None:
    club.tick()
    puzzle = puzzle_club.last(club)
    with club.desk() as desk:
        match = desk.session.get_one(Match, puzzle.match_id)
        lifecycle.undo(desk, match, desk.cache.live(desk.session, match), match.entries - 2, Note("undone"), force=True)
    assert puzzle_club.last(club).withdrawn_at is not None


def asked_whether(club: Club, said: str) -> str:
    """Anna's mail without a token, of which her mailbox is asked; the address that says yes to it."""
    club.write("Anna", said)
    club.tick()
    return str(club.mails("Anna")[-1]["Reply-To"])


@pytest.mark.slow
def test_an_answer_counts_by_when_it_came_not_by_when_it_was_confirmed(club: Club) -> None:
    club.tick()
    best = puzzle_club.best(club)
    club.now = datetime(2026, 11, 29, 22, 30, tzinfo=UTC)  # half an hour before the end
    came, address = club.now, asked_whether(club, f"Aufgabe {best}")
    assert answers(club) == []
    club.now = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    club.write("Anna", "Ja", to=address)
    club.tick()
    assert [(one.move, one.at.replace(tzinfo=UTC)) for one in answers(club)] == [(best, came)]


@pytest.mark.slow
def test_an_answer_that_came_too_late_counts_for_nothing_when_it_is_confirmed(club: Club) -> None:
    club.tick()
    club.now = datetime(2026, 11, 29, 23, 0, tzinfo=UTC)
    address = asked_whether(club, f"Aufgabe {puzzle_club.best(club)}")
    club.write("Anna", "Ja", to=address)
    club.tick()
    assert "Zeit war bis Sonntag, 29. November, 23:59 Uhr" in text(club.mails("Anna")[-1])
    assert answers(club) == []


@pytest.mark.slow
def test_an_answer_from_before_the_puzzle_is_none(club: Club, tmp_path: Path) -> None:
    """Not even one that is the best move of the puzzle that was set since; and as it answers no mail, nothing is said
    of an older one."""
    club.tick()
    ahead = copied(club, tmp_path / "ahead")
    ahead.now = MONDAY + timedelta(days=7)
    ahead.tick()
    assert puzzle_club.last(ahead).number == 2
    club.now = datetime(2026, 11, 29, 22, 30, tzinfo=UTC)
    address = asked_whether(club, f"Aufgabe {puzzle_club.best(ahead)}")
    club.now = ahead.now
    club.tick()
    assert puzzle_club.best(club) == puzzle_club.best(ahead)
    club.mails()
    club.write("Anna", "Ja", to=address)
    club.tick()
    said = text(club.mail("Anna"))
    assert "bevor Aufgabe Nr. 2 gestellt war" in said
    assert "ältere Mail" not in said
    assert answers(club) == []
    writes(club, "Anna", f"Aufgabe {puzzle_club.best(club)}")
    assert [one.move for one in answers(club)] == [puzzle_club.best(club)]


@pytest.mark.slow
def test_an_older_answer_replaces_no_later_one_when_it_is_confirmed(club: Club) -> None:
    club.tick()
    anna = next(mail for mail in puzzle_mails(club) if "Anna" in str(mail["To"]))
    best = puzzle_club.best(club)
    poor = next(one for one in text(anna).split("»") if "@" in one).partition("«")[0]
    address = asked_whether(club, f"Aufgabe {poor}")
    club.wait(hours=1)
    answer(club, anna, best)
    club.write("Anna", "Ja", to=address)
    club.tick()
    assert f"was du später geschickt hast: »{best}«" in text(club.mails("Anna")[-1])
    assert [one.move for one in answers(club)] == [best]


@pytest.mark.slow
def test_a_receipt_after_an_outage_speaks_of_its_game(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for no mail at the end of the run, which would not know of which game a move is."""
    club.tick()
    anna = next(mail for mail in puzzle_mails(club) if "Anna" in str(mail["To"]))
    seen, receipt = [], puzzle_mail.receipt

    def spied(desk: Desk, player: Player, game: str, lines: tuple[LineRead, ...]) -> None:
        seen.append(desk.cache.catching_up)
        receipt(desk, player, game, lines)

    monkeypatch.setattr(puzzle_mail, "receipt", spied)
    club.wait(days=3, away=True)
    puzzle = puzzle_club.last(club)
    with club.desk() as desk:
        game = desk.session.get_one(Match, puzzle.match_id).game
        there = club_puzzles.position(desk, puzzle)
    assert there is not None
    refused = there.judge(NOWHERE[game]).refused
    assert refused is not None
    answer(club, anna, NOWHERE[game])
    assert seen == [True]
    assert sentence(Note(refused.code, refused.params), "de", game) in text(club.mail("Anna"))


@pytest.mark.slow
def test_the_position_is_worked_out_once_for_all_who_read_it(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """In two languages; and each mail is made in a transaction of its own."""
    puzzle_club.wants(club, "Cora")
    with club.desk() as desk:
        find_player(desk.session, "Cora").language = "en"
    worked, transactions, real, send = [], [], club_puzzles.position, puzzle_mail.send
    monkeypatch.setattr(club_puzzles, "position", lambda desk, puzzle: worked.append(puzzle) or real(desk, puzzle))

    def spied(desk: Desk, *more: object, **named: object) -> bool:
        transactions.append(desk.session)
        return send(desk, *more, **named)

    monkeypatch.setattr(puzzle_mail, "send", spied)
    club.tick()
    assert len(worked) == 1
    assert len({id(one) for one in transactions}) == len(transactions) == 3
    assert (
        len([mail for mail in club.mails() if "uzzle" in str(mail["Subject"]) or SUBJECT in str(mail["Subject"])]) == 3
    )


@pytest.mark.slow
def test_a_run_that_died_over_the_mails_is_continued(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        send = puzzle_mail.send

        def dying(desk: Desk, player: Player, *more: object, **named: object) -> bool:
            if player.name == "Bert":
                raise KeyboardInterrupt
            return send(desk, player, *more, **named)

        patch.setattr(puzzle_mail, "send", dying)
        with pytest.raises(KeyboardInterrupt):
            club.tick()
    club.tick()
    assert sorted(str(mail["To"]).partition(" ")[0] for mail in puzzle_mails(club)) == ["Anna", "Bert"]
    puzzle_club.wants(club, "Cora")
    club.wait(days=1)
    club.tick()
    assert puzzle_mails(club) == []


@pytest.mark.slow
def test_a_mail_that_cannot_be_made_keeps_nobody_elses(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    send = puzzle_mail.send
    monkeypatch.setattr(
        puzzle_mail, "send", lambda desk, player, *more: 1 / 0 if player.name == "Anna" else send(desk, player, *more)
    )
    assert any("the puzzle of the week" in one for one in club.tick().troubles)
    assert [str(mail["To"]).partition(" ")[0] for mail in puzzle_mails(club)] == ["Bert"]
    assert not club.tick().troubles


@pytest.mark.slow
def test_a_running_match_gives_none(club: Club) -> None:
    with club.desk() as desk:
        for match in desk.session.exec(select(Match)):
            match.status = MatchStatus.SUSPENDED
            desk.session.add(match)
    club.tick()
    assert rows(club) == []
    assert puzzle_mails(club) == []


@pytest.mark.slow
def test_answers_are_among_what_is_known_of_a_player_and_go_with_them(club: Club) -> None:
    from moderator.people.forgotten import forget
    from moderator.store.about_player import facts

    club.tick()
    anna = puzzle_mails(club)[0]
    puzzle = puzzle_club.last(club)
    answer(club, anna, puzzle.best)
    with club.desk() as desk:
        known = facts(desk.session, find_player(desk.session, "Anna"))["puzzle_answers"]
        assert [one["points"] for one in known] == [puzzle.most]
        forget(desk, "Anna", resign=False)
    assert answers(club) == []
    with club.desk() as desk:
        assert not any(one.puzzles for one in desk.session.exec(select(Player)) if one.address is None)


@pytest.mark.slow
def test_the_last_minute_is_sundays_on_the_clubs_clock_whatever_the_clock_does(club: Club) -> None:
    place = ZoneInfo("Europe/Berlin")
    for day in (datetime(2026, 10, 19, 8, tzinfo=UTC), datetime(2027, 3, 22, 8, tzinfo=UTC)):
        club.now = day
        with club.desk() as desk:
            last = club_puzzles.last_minute(desk, club_puzzles.monday(desk)).astimezone(place)
        assert (last.weekday(), last.hour, last.minute) == (6, 23, 59)
        assert (last.date() - day.date()).days == 6


def a_year(club: Club, weeks: int) -> tuple[Counter[str], list[datetime]]:
    """So many weeks from Monday on, a tick twice a day; returns who got how many mails, and when."""
    got: Counter[str] = Counter()
    moments = []
    for day in range(7 * weeks):
        for hour in (5, 9):
            club.now = MONDAY.replace(hour=hour) + timedelta(days=day)
            club.wait(seconds=1)
            club.tick()
            for mail in puzzle_mails(club):
                got[str(mail["To"]).partition(" ")[0]] += 1
                moments.append(club.now)
    return got, moments


def check_year(club: Club, weeks: int) -> None:
    got, moments = a_year(club, weeks)
    assert got == {"Anna": weeks, "Bert": weeks}
    assert {moment.weekday() for moment in moments} == {0}
    found = rows(club)
    assert len(found) == weeks
    assert len({(one.match_id, one.entry, one.seat) for one in found}) == weeks
    with club.desk() as desk:
        status = {desk.session.get_one(Match, one.match_id).status for one in found}
    assert status == {MatchStatus.FINISHED}


@pytest.mark.slow
def test_some_weeks(club: Club) -> None:
    check_year(club, 3)


@pytest.mark.slow
@pytest.mark.matrix("club")
def test_fifty_two_weeks(club: Club) -> None:
    """With both changes of the clock, a match that runs all the while, and Cora, who wants none."""
    running = club.match("Anna", "Bert", game="supertridom")
    check_year(club, 52)
    assert club.row(running).number not in {one.match_id for one in rows(club)}


@pytest.mark.slow
def test_domi_jongg_alone_gives_none(tmp_path: Path) -> None:
    club = puzzle_club.made(tmp_path / "club", ("domijongg",), 1)
    puzzle_club.wants(club, "Anna")
    club.mails()
    club.now = MONDAY
    assert not club.tick().troubles
    assert rows(club) == []
    assert club.mails() == []


@pytest.mark.slow
@pytest.mark.matrix("club")
def test_words_of_the_whole_dictionary(tmp_path: Path) -> None:
    """The one that comes with us: the best of all that can be laid is the one that is asked for, and it is found."""
    words = sorted({word.upper() for word, _ in shipped.words("de") if len(word) <= 10})
    club = make_club(tmp_path / "club", words=words)
    club.players("Anna", "Bert")
    puzzle_club.play(club, ("topwords",), 1)
    puzzle_club.wants(club, "Anna", "Bert")
    club.mails()
    club.now = MONDAY
    assert not club.tick().troubles
    puzzle = puzzle_club.last(club)
    with club.desk() as desk:
        there = club_puzzles.position(desk, puzzle)
        assert there is not None
        known = survey(there.game, there.state, there.seat, there.context).found
    assert known[0] == (puzzle.best, puzzle.most)
    assert len(known) == puzzle.turns
    answer(club, next(mail for mail in puzzle_mails(club) if "Anna" in str(mail["To"])), puzzle.best)
    assert [one.points for one in answers(club)] == [puzzle.most]


@pytest.mark.slow
def test_a_machine_that_was_off_brings_it_late_and_leaves_out_what_is_over(club: Club) -> None:
    club.tick()
    assert len(puzzle_mails(club)) == 2
    club.wait(days=17)  # from Monday to Thursday, two weeks later
    club.tick()
    found = puzzle_mails(club)
    assert len(found) == 2
    assert "Aufgabe Nr. 2" in text(found[0])
    assert len(rows(club)) == 2
    club.now = datetime(2026, 12, 14, 8, 0, tzinfo=UTC)
    club.tick()
    assert "Aufgabe Nr. 3" in text(puzzle_mails(club)[0])


@pytest.mark.slow
def test_the_command_line_lists_them_and_withdraws_the_one_that_runs(club: Club) -> None:
    club.tick()
    answer(club, puzzle_mails(club)[0], puzzle_club.last(club).best)

    def moderator(*words: str) -> Result:
        also_as_json(club.folder / "moderator.toml", *words)
        return CliRunner().invoke(cli, ["--config", str(club.folder / "moderator.toml"), *words])

    found = json.loads(moderator("puzzle", "list", "--json").output)
    assert [(one["puzzle"], one["state"], one["found"]) for one in found["puzzles"]] == [(1, "running", None)]
    assert "(running)" in moderator("puzzle", "list").output
    assert moderator("puzzle", "skip").output == "Puzzle 1 is withdrawn.\n"
    assert "No puzzle runs." in str(moderator("puzzle", "skip").exception)
    club.wait(days=7)
    club.tick()
    answer(club, puzzle_mails(club)[0], puzzle_club.last(club).best)
    club.wait(days=7)
    club.tick()
    found = json.loads(moderator("puzzle", "list", "--json", "--year", "2026").output)
    assert [(one["state"], one["found"]) for one in found["puzzles"]] == [
        ("running", None),
        ("over", ["Anna"]),
        ("withdrawn", None),
    ]
    assert found["table"] == [{"place": 1, "name": "Anna", "found": 1, "answered": 1}]
    assert "  1. Anna: 1 of 1 answered" in moderator("puzzle", "list", "--year", "2026").output
