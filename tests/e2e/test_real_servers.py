"""A match over real servers, driven by the command line as cron would: Dovecot, Postfix, STARTTLS, sub-addresses."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.cli.session import opened
from moderator.match.rng import commit, round_seed
from moderator.match.robot import choose
from moderator.run.watch import LONGEST_WAIT
from moderator.store.models import Match, Outbox
from tests.e2e.killer import Killer, Request
from tests.e2e.server_club import ServerClub, make_server_club
from tests.servers import eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

pytestmark = pytest.mark.servers
FRESH = 4
"""Moves of a match that processes of their own play."""


@pytest.fixture
def club(tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> ServerClub:
    return make_server_club(tmp_path, dovecot, postfix, new_box)


def moderator(club: ServerClub, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "moderator", "--config", str(club.file), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_doctor_finds_everything_in_place(club: ServerClub) -> None:
    done = moderator(club, "doctor")
    assert done.returncode == 0, done.stdout
    assert "FAIL" not in done.stdout


def test_a_move_travels_from_mail_to_mails(club: ServerClub) -> None:
    code = club.start(["Anna", "Bert"])
    assert moderator(club, "tick").returncode == 0
    assert eventually(lambda: all(len(club.inbox(name)) == 1 for name in ("Anna", "Bert")))
    assert code in str(club.inbox("Anna")[0]["Reply-To"])
    club.reply("Anna", "tausche alle\nsonst passe")
    assert eventually(lambda: len(club.box.folder("INBOX")) == 1)
    done = moderator(club, "tick")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert eventually(lambda: all(len(club.inbox(name)) == 2 for name in ("Anna", "Bert")))
    answer = club.inbox("Anna")[1]
    assert "zählt" in str(answer["Subject"])
    assert str(answer["References"]).split()[0] == str(club.inbox("Anna")[0]["Message-ID"])
    assert club.box.folder("INBOX") == []
    assert len(club.box.folder("Processed")) == 1
    assert moderator(club, "tick", "-v").stdout.startswith("0 mails taken in")


@pytest.mark.matrix("e2e")
def test_a_match_of_several_rounds_travels_to_its_end(club: ServerClub, killer: Killer) -> None:
    """Tridom, both players with standing orders and a premove; every mail real, until the seeds are revealed. After the
    first ticks from the command line, those that follow are forked from a process that has imported everything."""
    code = club.start(["Anna", "Bert"], game="tridom", target=1)
    moderator(club, "tick")
    for name in ("Anna", "Bert"):
        assert eventually(lambda name=name: len(club.inbox(name)) == 1)  # type: ignore[misc]
        club.reply(name, "nach Ziehen: bester\nEinzelzug an")
    assert eventually(lambda: len(club.box.folder("INBOX")) == 2)
    assert moderator(club, "tick").returncode == 0
    for number in range(60):
        seat, move = next_move(club, code)
        if seat is None:
            break
        name = ("Anna", "Bert")[seat]
        before = len(club.inbox(name))
        club.reply(name, move)
        assert eventually(lambda: len(club.box.folder("INBOX")) == 1)
        if number < FRESH:
            done = moderator(club, "tick")
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        else:
            killer.run(Request(str(club.file), str(club.file.with_name("steps"))))
        assert eventually(lambda name=name, before=before: len(club.inbox(name)) > before)  # type: ignore[misc]
    with opened(club.file) as desk:
        match = desk.session.exec(select(Match).where(Match.code == code)).one()
        assert match.status == "finished"
        master = bytes.fromhex(match.seed)
    for name in ("Anna", "Bert"):
        mails = ["".join(mail.get_body(("plain",)).get_content().split()) for mail in club.inbox(name)]  # type: ignore[union-attr]
        assert commit(round_seed(master, 1)) in mails[0]
        assert round_seed(master, 1).hex() in mails[-1]
        assert not any(master.hex() in mail for mail in mails)
    record = club.file.with_name("record.json")
    record.write_text(moderator(club, "export", code).stdout, encoding="utf-8")
    assert moderator(club, "verify", str(record)).returncode == 0


def next_move(club: ServerClub, code: str) -> tuple[int | None, str]:
    """The seat to move and a robot's move for it; None when the match is over."""
    with opened(club.file) as desk:
        live = desk.cache.live(desk.session, desk.session.exec(select(Match).where(Match.code == code)).one())
        state = live.table.state
        if state.over:
            return None, ""
        return state.to_move[0], choose(live.game, state, state.to_move[0], live.context)


@pytest.mark.slow
def test_an_idle_tick_never_loads_the_orm(club: ServerClub) -> None:
    moderator(club, "tick")
    code = (
        "import sys\nfrom pathlib import Path\nfrom moderator.config import load\nfrom moderator.run.tick import tick\n"
        f"summary = tick(load(Path({str(club.file)!r})))\nassert summary.quiet\n"
        "print([m for m in ('sqlalchemy', 'sqlmodel', 'jinja2', 'aiosmtplib', 'resvg_py') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.matrix("e2e")
def test_a_mail_to_a_dead_address_is_buried_and_the_moderator_told(club: ServerClub) -> None:
    with opened(club.file) as desk:
        from moderator.play.create import find_player

        find_player(desk.session, "Bert").address = "nobody@test.example"
    club.start(["Anna", "Bert"])
    done = moderator(club, "tick")
    assert "nobody@test.example" in done.stderr
    with opened(club.file) as desk:
        states = dict(desk.session.exec(select(Outbox.recipient, Outbox.state)).all())
    assert states["nobody@test.example"] == "dead"
    moderator(club, "tick")
    assert eventually(lambda: len(club.inbox("boss")) == 1)


@pytest.mark.matrix("e2e")
def test_watch_answers_within_seconds(club: ServerClub) -> None:
    """That is: woken by the mail, and not when its longest wait is over. On a busy machine it starts slowly."""
    code = club.start(["Anna", "Bert"])
    moderator(club, "tick")
    assert eventually(lambda: len(club.inbox("Anna")) == 1)
    command = [sys.executable, "-m", "moderator", "--config", str(club.file), "watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        time.sleep(2)
        club.reply("Anna", "passe")
        answered = eventually(lambda: len(club.inbox("Anna")) == 2, LONGEST_WAIT - 5)
        process.terminate()
        assert answered, process.communicate(timeout=30)[0]
    with opened(club.file) as desk:
        assert desk.session.exec(select(Match.entries).where(Match.code == code)).one() == 1


@pytest.mark.slow
def test_a_wrong_password_is_one_line_with_the_fix(club: ServerClub) -> None:
    text = club.file.read_text()
    club.file.write_text(text.replace('password = "pw"', 'password = "wrong"'))
    done = moderator(club, "tick")
    club.file.write_text(text)
    assert done.returncode in (1, 78)
    assert len(done.stderr.strip().splitlines()) == 1
    assert "password" in done.stderr


@pytest.mark.slow
def test_a_mail_that_bounces_comes_back_to_its_own_return_path(club: ServerClub) -> None:
    """Postfix takes it, finds that it cannot deliver it, and reports that to the address that the mail left under."""
    from moderator.play.create import add_player
    from moderator.store.models import Inbox, Player

    with opened(club.file) as desk:
        add_player(desk.session, "Dora", "dora@gone.test.example", desk.now)
    code = club.start(["Dora", "Bert"])
    assert moderator(club, "tick").returncode == 0
    assert eventually(lambda: len(club.box.folder("INBOX")) == 1)
    (report,) = club.box.folder("INBOX")
    with opened(club.file) as desk:
        row = desk.session.exec(select(Outbox).where(Outbox.recipient == "dora@gone.test.example")).one()
        assert row.return_token
        assert f"To: {club.box.user}+BACK-{row.return_token}@test.example".encode() in report
    assert moderator(club, "tick").returncode == 0
    with opened(club.file) as desk:
        dora = desk.session.exec(select(Player).where(Player.name == "Dora")).one()
        assert dora.undeliverable == "5.1.1"
        assert desk.session.exec(select(Match).where(Match.code == code)).one().stopped == "mail"
        assert desk.session.exec(select(Inbox.state)).one() == "machine"
        assert desk.session.exec(select(Outbox.state).where(Outbox.recipient == dora.address)).one() == "returned"
    assert eventually(lambda: len(club.inbox("boss")) == 1)
    told = club.inbox("boss")[0].get_body(("plain",))
    assert told is not None
    assert "player set Dora --address" in " ".join(told.get_content().split())


@pytest.mark.matrix("e2e")
def test_the_doctor_says_where_reports_come_to(club: ServerClub) -> None:
    assert "ok    return path (each mail has one of its own" in moderator(club, "doctor").stdout
    club.file.write_text(club.file.read_text().replace("[imap]", 'subaddress = ""\n[imap]'))
    said = moderator(club, "doctor").stdout
    assert 'ok    return path (each mail has the plain address, for [mail] subaddress = ""' in said
