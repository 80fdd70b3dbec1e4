"""What waits for the moderator: each kind is found once, and each line that is offered for it is taken, on the command
line and by mail."""

import json
import os
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.cli.lists import OpenedClub
from moderator.cli.today import may_anything_wait
from moderator.commands.moderator_call import render_sentences
from moderator.common import disk
from moderator.inbox.agenda import daily_notice
from moderator.inbox.agenda.daily_notice import Agenda, format_remedy
from moderator.inbox.agenda.tasks import NEW_ADDRESS
from moderator.notifications.task import Task, TaskKind
from moderator.service.create import create_match, get_player
from moderator.settings import load_config
from moderator.store import due_work, key_values
from moderator.store.due_work import load_club_time
from moderator.store.tables import DeferredNews, InboxRow
from moderator.views.match_cache import MatchCache
from moderator.views.people import get_chief
from tests.attack.post import started
from tests.cli.running import run_command, type_command
from tests.club.club import Club, club_of, copied, text
from tests.club.pair_scenes import boss_address
from tests.club.test_trouble import ask_club
from tests.club.tournament_club import found as tournament
from tests.servers import postgres

ADDRESS = "boss@club.example"
ON_A_FILE = pytest.mark.skipif(postgres.VARIABLE in os.environ, reason="PostgreSQL is backed up by pg_dump")


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = club_of(tmp_path / "club", "Anna", "Bert", "Cici", settings='subaddress = "+"')
    made.tick()
    return made


def waits(club: Club) -> tuple[Task, ...]:
    with club.work() as work:
        found = Agenda(work).list_tasks()
    if found:
        seen = OpenedClub(club.config, work.clock or load_club_time(club.config.database, work.now))
        assert may_anything_wait(seen), "the quick look must see whatever the thorough one finds"
    return found


def outage(club: Club) -> None:
    started(club)
    with club.work() as work:
        key_values.save_value(work.session, due_work.POLLED, (club.now - timedelta(days=3)).isoformat())


def suspended(club: Club) -> None:
    with club.at(started(club)) as (_, match):
        match.status, match.trouble = "suspended", "its log does not replay"


def word(club: Club) -> None:
    code, asked = ask_club(club)
    club.hand_in("Anna", code, 0, f"E5 w {asked}")


def cup(club: Club) -> None:
    tournament(club, "robin", ("Anna",), least=3)
    club.let_pass(days=2)


def adjudication(club: Club) -> None:
    tournament(club, "robin", ("Anna", "Bert"), adjudicate="moderator", round_days=10, terms={"days": 60})
    for _ in range(14):
        club.let_pass(days=1)


def wait_behind_the_deadline(club: Club, code: str, hours: int) -> None:
    deadline = club.row(code).deadline
    assert deadline
    club.wait(seconds=(deadline - club.now).total_seconds() + hours * 3600)


def late(club: Club) -> None:
    code = club.start("Anna", "Bert", terms={"grace": 5})
    wait_behind_the_deadline(club, code, 1)


def due(club: Club) -> None:
    """The last hours of a turn that costs its seat if it is missed."""
    code = club.start("Anna", "Bert", terms={"excused": 0, "abandon_after": 1})
    wait_behind_the_deadline(club, code, -6)


def make_mail_bounce(club: Club) -> None:
    started(club)
    with club.work() as work:
        get_player(work.session, "Anna").undeliverable = "550 5.1.1 no such user"


def protest(club: Club) -> None:
    code = started(club)
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    club.hand_in("Bert", code, 1, "Einspruch: das ist kein Wort")


def stranger(club: Club) -> None:
    club.say("zoe@far.example", "Mitspielen als Zoe")


def held(club: Club, **headers: str) -> None:
    club.hand_in("Anna", started(club), 0, "passe", **(headers or {"Precedence": "bulk"}))


def quarantine(club: Club) -> None:
    held(club)
    with club.work() as work:
        row = work.session.exec(select(InboxRow)).one()
        row.state, row.note = "quarantine", "Traceback\nKeyError: 'x'"


def paused(club: Club) -> None:
    code = started(club)
    boss(club, f"Pause {code}: Ferien")
    club.wait(days=20)


def clock(club: Club) -> None:
    started(club)
    club.now -= timedelta(days=400)


def not_begun(club: Club) -> None:
    with club.work() as work:
        row = create_match(
            work, "dominos", "Arratia", [get_player(work.session, name) for name in ("Anna", "Bert")], {}
        )
        row.trouble = "The dictionary de is not there."


def given_up(club: Club) -> None:
    code = club.start("Anna", "Bert", "Cici", terms={"days": 1, "abandon_after": 1, "excused": 0})
    wait_behind_the_deadline(club, code, 24)
    club.tick()


def robot(club: Club) -> None:
    """tests/bots/test_programs.py has a program that fails."""
    file = club.config.file
    file.write_text(f'{file.read_text(encoding="utf-8")}\n[bots.R2]\ncommand = ["./r2"]\n', encoding="utf-8")
    club.config = load_config(file)
    code = started(club)
    with club.work() as work:
        key_values.save_value(
            work.session, key_values.build_bot_key("R2"), f"{club.now.isoformat()} {code} it took too long"
        )


def backup(club: Club) -> None:
    object.__setattr__(club.config.club, "backup_days", 7)
    club.let_pass(days=8)


def unread(club: Club) -> None:
    started(club)
    mail = key_values.UnreadableMail("UID 2, INBOX, imap.club.example", club.now)
    with club.work() as work:
        key_values.save_value(work.session, due_work.UNREAD, key_values.UnreadableMail.encode_all({"7:2": mail}))


def unsent(club: Club) -> None:
    """tests/club/test_trouble.py has mails that cannot be made."""
    with club.work() as work:
        number = get_player(work.session, "Anna").number
        work.session.add(DeferredNews(player_id=number, kind="news", at=club.now, fault="KeyError at report.py:7"))


def checked_by_nobody_named(club: Club) -> None:
    file = club.config.file
    named = re.compile(r"^authserv_id = .*$", re.MULTILINE)
    file.write_text(named.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
    club.config = load_config(file)
    held(club, Authentication_Results="mx.club.example; spf=pass")


SCENES: dict[TaskKind, Callable[[Club], object]] = {
    TaskKind.OUTAGE: outage,
    TaskKind.CLOCK: clock,
    TaskKind.DISK: started,
    TaskKind.UNREAD: unread,
    TaskKind.SUSPENDED: suspended,
    TaskKind.NOT_BEGUN: not_begun,
    TaskKind.WORD: word,
    TaskKind.TOURNAMENT: cup,
    TaskKind.ADJUDICATION: adjudication,
    TaskKind.DUE: due,
    TaskKind.LATE: late,
    TaskKind.BOUNCED: make_mail_bounce,
    TaskKind.PROTEST: protest,
    TaskKind.STRANGER: stranger,
    TaskKind.MAIL: held,
    TaskKind.QUARANTINE: quarantine,
    TaskKind.UNSENT: unsent,
    TaskKind.PAUSED: paused,
    TaskKind.GIVEN_UP: given_up,
    TaskKind.ROBOT: robot,
    TaskKind.BACKUP: backup,
    TaskKind.SENDERS: checked_by_nobody_named,
    TaskKind.UNKNOWN: lambda club: club.say("stranger@else.example", "Gutes Wetter heute"),
}


def boss(club: Club, line: str) -> str:
    club.mails("boss")
    club.say(ADDRESS, line, to=boss_address(club))
    heads = ("Alles ausgeführt", "Nicht alles ist ausgeführt", "Ausgeführt ist davon nichts")
    return text(next(mail for mail in club.mails("boss") if str(mail["Subject"]).startswith(heads)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=ON_A_FILE if kind is TaskKind.BACKUP else ()) for kind in TaskKind]
)
def test_what_waits_is_found_once_and_each_line_for_it_is_taken(
    club: Club, kind: TaskKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is said in both languages and to programs."""
    assert not waits(club), "nothing that is fine"
    if kind is TaskKind.DISK:
        monkeypatch.setattr(disk, "LEAST_ROOM", 1 << 60)
    SCENES[kind](club)
    type_command(club, "today")
    (task,) = (one for one in waits(club) if one.kind is kind)
    assert task.remedies
    with club.work() as work:
        english, german = (
            render_sentences(work.config, work.now, [task.note], language)[0] for language in ("en", "de")
        )
        (told,) = render_sentences(
            work.config, work.now, daily_notice.build_task_notes(get_chief(work.config), [task]), "de"
        )
    assert english != german
    assert "{" not in english + german
    assert told.startswith(german)
    for number, remedy in enumerate(task.remedies):
        assert f"»{format_remedy(remedy, 'de')}«" in told
        words = ("anna@new.example" if word == NEW_ADDRESS else word for word in remedy.shell)
        done = run_command(copied(club, tmp_path / f"shell{number}"), *words)
        assert (done.exit_code, remedy.shell[0]) in ((0, remedy.shell[0]), (1, "doctor")), done.output
        if remedy.mail is not None:
            answer = boss(copied(club, tmp_path / f"mail{number}"), format_remedy(remedy, "de"))
            assert format_remedy(remedy, "de") in answer
            assert "nicht ausgeführt" not in answer, answer
            assert "keiner meiner Befehle" not in answer, answer


def test_today_has_all_of_it_by_mail_on_the_command_line_and_as_json(club: Club) -> None:
    suspended(club)
    held(club)
    told = boss(club, "Heute")
    assert told.index("does not replay") < told.index("»Annehmen 1« / »Verwerfen 1«")
    lines = type_command(club, "today").splitlines()
    assert lines[1] == f"    moderator match resume {waits(club)[0].facts['match']}"
    rows = [json.loads(line) for line in type_command(club, "today", "--json").splitlines()]
    assert [row["kind"] for row in rows] == ["suspended", "mail"]
    assert rows[1]["commands"] == ["moderator quarantine accept 1", "moderator quarantine drop 1"]


def test_where_all_is_fine_that_is_said_and_no_match_is_opened(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be hundreds of matches in time."""
    started(club)
    assert type_command(club, "today") == "Nothing waits for you.\n"
    assert "Es wartet nichts auf dich." in boss(club, "heute")
    monkeypatch.setattr(MatchCache, "load_readonly", lambda *_: pytest.fail("its row says enough"))
    assert not waits(club)


def test_a_dead_address_stands_there_also_without_a_match_but_is_no_cause_for_a_notice(club: Club) -> None:
    with club.work() as work:
        get_player(work.session, "Anna").undeliverable = "550 5.1.1 no such user"
    (task,) = waits(club)
    assert task.remedies[0].shell_line == f"moderator player set Anna --address {NEW_ADDRESS}"
    assert run_command(club, *task.remedies[0].shell).exit_code == 1, "nobody has put an address in"
    club.let_pass(days=10)
    assert not notices(club)


def test_what_is_over_is_told_once(club: Club) -> None:
    given_up(club)
    club.let_pass(days=7)
    assert sum("ausgeschieden" in notice for notice in notices(club)) == 1


def notices(club: Club) -> list[str]:
    return [said for said in map(text, club.mails("boss")) if "Antworte mit einer Zeile für jede Sache" in said]


@pytest.mark.slow
def test_a_mail_a_day_only_when_there_is_something_new_and_again_after_some_days(club: Club) -> None:
    club.let_pass(days=1)
    assert not notices(club)
    held(club)
    club.let_pass(days=1)
    (first,) = notices(club)
    assert "»Annehmen 1«" in first
    assert "Befehlszeile" not in first, "a mail will do for all of it"
    for _ in range(2):
        club.let_pass(days=1)
        assert not notices(club)
    stranger(club)
    club.let_pass(days=1)
    (second,) = notices(club)
    assert second.index("zoe@far.example") < second.index("Schon gemeldet") < second.index("»Annehmen 1«")
    for _ in range(2):
        club.let_pass(days=1)
    assert not notices(club)
    club.let_pass(days=1)
    (again,) = notices(club)
    assert "Schon gemeldet" not in again, "there is nothing new to tell it from"
    boss(club, "Verwerfen 1\nVerwerfen 2")
    for _ in range(5):
        club.let_pass(days=1)
    assert not notices(club)


def test_a_fault_that_was_told_at_once_stands_in_the_notice_without_making_one(club: Club) -> None:
    cup(club)
    club.mails()
    club.let_pass(days=1)
    assert not notices(club)
    stranger(club)
    club.let_pass(days=1)
    (told,) = notices(club)
    assert "kann nicht beginnen" in told
    assert "Befehlszeile" in told


def test_the_look_at_what_waits_is_taken_once_a_day(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[None] = []
    tasks = Agenda.list_tasks
    monkeypatch.setattr(Agenda, "list_tasks", lambda agenda, who: (looked.append(None), tasks(agenda, who))[1])
    for _ in range(48):
        club.let_pass(hours=1)
    assert len(looked) == 2


@ON_A_FILE
def test_a_backup_is_reminded_of_until_one_is_made(club: Club) -> None:
    backup(club)
    assert [task.kind for task in waits(club)] == [TaskKind.BACKUP]
    type_command(club, "backup", club.folder / "copy.zip")
    assert not waits(club)
