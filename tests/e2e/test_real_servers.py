"""What only real servers show, driven by the command line as cron would: Dovecot, Postfix, STARTTLS, sub-addresses."""

import re
import shlex
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.run.watch import LONGEST_WAIT
from moderator.service.create import add_player
from moderator.settings import load_config
from moderator.store.tables import InboxRow, MatchRow, OutboxRow, PlayerRow
from tests.e2e.server_club import ServerClub, make_server_club, settings
from tests.printed.test_typed import first_steps
from tests.servers import DOMAIN, eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

pytestmark = pytest.mark.servers


@pytest.fixture
def club(tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> ServerClub:
    return make_server_club(tmp_path, dovecot, postfix, new_box)


@pytest.mark.slow
def test_doctor_finds_everything_in_place_and_says_where_reports_come_to(club: ServerClub) -> None:
    done = club.run("doctor")
    assert done.returncode == 0, done.stdout
    assert "FAIL" not in done.stdout
    assert "(whether they come was never tried: `moderator doctor --mail`)" in done.stdout
    assert "ok    return path (each mail has one of its own" in done.stdout
    club.file.write_text(club.file.read_text().replace("[imap]", 'subaddress = ""\n[imap]'))
    said = club.run("doctor").stdout
    assert 'ok    return path (each mail has the plain address, for [mail] subaddress = ""' in said


@pytest.mark.slow
def test_a_move_travels_from_mail_to_mails(club: ServerClub) -> None:
    code = club.start(["Anna", "Bert"])
    assert club.run("tick").returncode == 0
    assert eventually(lambda: all(len(club.inbox(name)) == 1 for name in ("Anna", "Bert")))
    assert code in str(club.inbox("Anna")[0]["Reply-To"])
    club.reply("Anna", "tausche alle\nsonst passe")
    assert eventually(lambda: len(club.box.folder("INBOX")) == 1)
    done = club.run("tick")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert eventually(lambda: all(len(club.inbox(name)) == 2 for name in ("Anna", "Bert")))
    answer = club.inbox("Anna")[1]
    assert "✓" in str(answer["Subject"])
    assert str(answer["References"]).split()[0] == str(club.inbox("Anna")[0]["Message-ID"])
    assert club.box.folder("INBOX") == []
    assert len(club.box.folder("Processed")) == 1
    assert club.run("tick", "-v").stdout.startswith("mails taken in 0")


@pytest.mark.slow
def test_an_idle_tick_never_loads_the_orm(club: ServerClub) -> None:
    club.run("tick")
    code = (
        "import sys\nfrom pathlib import Path\nfrom moderator.settings import load_config\n"
        "from moderator.run.tick import run_tick\n"
        f"summary = run_tick(load_config(Path({str(club.file)!r})))\nassert summary.is_quiet\n"
        "print([m for m in ('sqlalchemy', 'sqlmodel', 'jinja2', 'aiosmtplib', 'resvg_py') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_watch_answers_within_seconds(club: ServerClub) -> None:
    """That is: woken by the mail, and not when its longest wait is over. On a busy machine it starts slowly."""
    code = club.start(["Anna", "Bert"])
    club.run("tick")
    assert eventually(lambda: len(club.inbox("Anna")) == 1)
    command = [sys.executable, "-m", "moderator", "--config", str(club.file), "watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        time.sleep(2)
        club.reply("Anna", "passe")
        answered = eventually(lambda: len(club.inbox("Anna")) == 2, LONGEST_WAIT - 5)
        process.terminate()
        assert answered, process.communicate(timeout=30)[0]
    with club.work() as work:
        assert work.session.exec(select(MatchRow.entries).where(MatchRow.code == code)).one() == 1


@pytest.mark.slow
def test_a_mail_that_bounces_comes_back_to_its_own_return_path(club: ServerClub) -> None:
    """Postfix takes it, finds that it cannot deliver it, and reports that to the address that the mail left under."""
    with club.work() as work:
        add_player(work.session, "Dora", "dora@gone.test.example", work.now)
    code = club.start(["Dora", "Bert"])
    assert club.run("tick").returncode == 0
    assert eventually(lambda: len(club.box.folder("INBOX")) == 1)
    (report,) = club.box.folder("INBOX")
    with club.work() as work:
        row = work.session.exec(select(OutboxRow).where(OutboxRow.recipient == "dora@gone.test.example")).one()
        assert row.return_token
        assert f"To: {club.box.user}+BACK-{row.return_token}@test.example".encode() in report
    assert club.run("tick").returncode == 0
    with club.work() as work:
        dora = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Dora")).one()
        assert dora.undeliverable == "5.1.1"
        assert work.session.exec(select(MatchRow).where(MatchRow.code == code)).one().stopped == "mail"
        assert work.session.exec(select(InboxRow.state)).one() == "machine"
        assert work.session.exec(select(OutboxRow.state).where(OutboxRow.recipient == dora.address)).one() == "returned"
    assert eventually(lambda: len(club.inbox("boss")) == 1)
    told = club.inbox("boss")[0].get_body(("plain",))
    assert "player set Dora --address" in " ".join(told.get_content().split())


@pytest.mark.slow
def test_the_mail_that_arrived_first_is_handled_first_wherever_it_lies(club: ServerClub) -> None:
    now, addresses = datetime.now(UTC).replace(microsecond=0), [club.players[name].address for name in ("Bert", "Anna")]
    with club.work() as work:
        for player in work.session.exec(select(PlayerRow)):
            player.created_at = now - timedelta(hours=1)
    for address, ago in zip(addresses, (60, 90), strict=True):
        mail = f"From: {address}\r\nTo: {club.box.address}\r\nMessage-ID: <{ago}@home.example>\r\n\r\nHILFE\r\n"
        club.box.client().append("INBOX", mail.encode(), msg_time=now - timedelta(seconds=ago))
    done = club.run("tick")
    assert (done.returncode, done.stderr) == (0, "")
    with club.work() as work:
        assert work.session.exec(select(OutboxRow.recipient).order_by(OutboxRow.id)).all() == addresses[::-1]


@pytest.mark.slow
def test_the_first_steps_lead_to_an_answered_mail(
    tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]
) -> None:
    """From an empty folder to the first answered mail, each line of docs/run/start.md typed."""
    mark, file = uuid.uuid4().hex[:8], tmp_path / "moderator.toml"
    games, boss = new_box(f"gm-{mark}"), new_box(f"playerboss{mark}")
    players = {name: new_box(f"player{name.lower()}{mark}") for name in ("Anna", "Bert")}
    steps = first_steps()
    assert [step.split()[1] for step in steps][:4] == ["init", "lexicon", "player", "player"]
    for number, step in enumerate(steps):
        words = shlex.split(re.sub(r"(anna|bert)@example.org", rf"player\g<1>{mark}@{DOMAIN}", step))[1:]
        command = [sys.executable, "-m", "moderator", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
        if number == 0:
            assert 'host = "imap.gmx.net"' in file.read_text(encoding="utf-8")
            file.write_text(settings(games, boss, dovecot, postfix), encoding="utf-8")
    club = ServerClub(load_config(file), games, players, postfix)
    assert eventually(lambda: all(len(club.inbox(name)) == 1 for name in players))
    club.reply("Anna", "passe")
    assert eventually(lambda: len(games.folder("INBOX")) == 1)
    assert club.run("tick").returncode == 0
    assert eventually(lambda: len(club.inbox("Anna")) == 2)
    assert "✓" in str(club.inbox("Anna")[1]["Subject"])
