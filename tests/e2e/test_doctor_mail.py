"""`moderator doctor --mail` on real mailboxes: good ones, and each kind of bad one; what it writes and leaves behind,
and what becomes of runs at the same time."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from moderator.cli import cli, session
from moderator.common.errors import OperatorError
from moderator.diagnostics import mailbox, providers
from moderator.diagnostics.mailbox import FETCHED_AT_ONCE, ImapBox
from moderator.mail import trial_letter
from moderator.mail.imap_folders import FOLDER
from moderator.settings import load_config
from moderator.store import key_values
from tests.e2e.server_club import ServerClub, make_server_club
from tests.servers import eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.name_server import NameServer
from tests.servers.postfix import Postfix

pytestmark = pytest.mark.servers

ZONE = """
test        IN MX 10 mx.test.example.
test        IN TXT "v=spf1 mx -all"
_dmarc.test IN TXT "v=DMARC1; p=reject"
own         IN MX 10 mx00.kundenserver.de.
"""
CHECKED = "Authentication-Results: mx.test.example; spf=pass smtp.mailfrom=test.example; dmarc=pass"
DETAIL = "lmtp_save_to_detail_mailbox = yes\nlda_mailbox_autocreate = yes\n"


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    with NameServer(ZONE).started() as server:
        monkeypatch.setattr(providers, "build_system_resolver", server.resolver)
        yield server


@pytest.fixture
def club(tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> ServerClub:
    return make_server_club(tmp_path, dovecot, postfix, new_box)


@contextmanager
def elsewhere(
    folder: Path, extra: str = "", users: str = "(gm-|player)[^@]*", aliases: str = "", prefix: str = "", imap: str = ""
) -> Iterator[ServerClub]:
    """A club on servers of its own kind."""
    with ExitStack() as stack:
        dovecot = stack.enter_context(Dovecot.started(prefix, imap))
        postfix = stack.enter_context(Postfix.started(dovecot, extra, users, aliases))
        club = make_server_club(folder, dovecot, postfix, lambda user: Box(dovecot, user))
        stack.callback(club.box.close)
        yield club


def trial(club: ServerClub, *words: str, wait: int = 20) -> Result:
    done = CliRunner().invoke(cli, ["--config", str(club.file), "doctor", "--mail", "--wait", str(wait), *words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def lines(done: Result, club: ServerClub) -> list[str]:
    """Those of the trial, without what differs from run to run."""
    said = done.output.replace(club.box.user, "games").replace(str(club.file), "FILE")
    found = re.sub(r"after \d+\.\d s", "after N s", said).splitlines()
    return found[next(n for n, line in enumerate(found) if "folders for read mails" in line) :]


def nothing_is_left(club: ServerClub) -> bool:
    folders = [name for _, _, name in club.box.client().list_folders()]
    return not any(club.box.folder(name) for name in folders if name != FOLDER)  # the mark that runs leave there


@pytest.mark.slow
def test_a_good_mailbox_is_told_line_by_line(club: ServerClub) -> None:
    done = trial(club)
    assert lines(done, club) == [
        "ok    folders for read mails: a mail was moved to 'Processed' and 'Failed'",
        "ok    mail to games@test.example: came to INBOX after N s",
        "ok    mail to games+probe@test.example: came to INBOX after N s, so answers bring their match along",
        "note  who checks the senders: not known, for what came has no Authentication-Results. Until [mail] "
        "authserv_id names one, no sender counts as checked.",
        "ok    mails of the trial: 2 removed",
        "ok    mails for test.example (MX): go to mx.test.example",
        "ok    SPF: v=spf1 mx -all",
        "note  DKIM: what came bears no signature; a mail to another provider would tell for sure.",
        "ok    DMARC: v=DMARC1; p=reject",
    ]
    assert done.exit_code == 0
    assert "never tried" not in done.output
    assert nothing_is_left(club)
    assert club.run("tick", "-v").stdout.startswith("mails taken in 0")
    plain = club.run("doctor").stdout
    assert re.search(r"TOKEN@test.example \(they came when it was tried on \d{4}-\d\d-\d\d\)", plain)


@dataclass(frozen=True)
class Case:
    """A mailbox on servers of its own kind, and what a trial of it must say."""

    servers: dict[str, str]
    said: tuple[str, ...]
    """Patterns, each of which a line begins with."""
    status: int = 1


HEADER = "smtpd_{0}_restrictions = check_{0}_access static:{{PREPEND " + CHECKED + "}}\n"
PROBE = r"mail to games\+probe@test\.example: "
SORTS = {
    "sent back": Case(
        {"extra": "transport_maps = regexp:{ {/\\+probe@/ gone:} }\n"},
        (
            rf"FAIL  {PROBE}was not taken \(x-unix; user unknown\)",
            r"note  settings in FILE: .*`moderator doctor --mail --write` writes them\.",
        ),
    ),
    "never comes": Case(
        {"extra": "transport_maps = regexp:{ {/\\+probe@/ discard:} }\n"},
        (
            rf"FAIL  {PROBE}did not come within \d+ s, so",
            "ok    mails of the trial: 1 removed; 1 may still come, which the next run puts out of the way",
        ),
    ),
    "junk": Case(
        {"aliases": "/^(gm-[^@+]*)(\\+probe)?@test\\.example$/ $1+Junk@test.example\n", "imap": DETAIL},
        (
            "FAIL  mail to games@test.example: came to the folder 'Junk', where moderator does not",
            rf"note  {PROBE}came to 'Junk'\. That says nothing",
        ),
    ),
    "a folder of their own": Case({"imap": DETAIL}, (rf"FAIL  {PROBE}came to 'probe', so players' answers",)),
    "two filters": Case(
        {"extra": HEADER.format("sender") + HEADER.format("helo")},
        ("FAIL  who checks the senders: mx.test.example writes several headers .2. into a mail",),
    ),
    "copies in Sent": Case(
        {"aliases": "/^(gm-[^@+]*)@test\\.example$/ $1@test.example, $1+Sent@test.example\n", "imap": DETAIL},
        ("ok    mail to games@test.example: came to INBOX after N s$",),
    ),
    "without UIDPLUS": Case({"imap": "imap_capability = IMAP4rev1 IDLE\n"}, ("ok    mails of the trial: 2",), 0),
    "said to be Gmail": Case(
        {
            "imap": "imap_capability = IMAP4rev1 IDLE UIDPLUS MOVE SPECIAL-USE X-GM-EXT-1\n"
            "namespace inbox {\n  mailbox Bin {\n    special_use = \\Trash\n    auto = create\n  }\n}\n"
        },
        ("ok    mails of the trial: 2 removed",),
        0,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("sort", SORTS)
def test_each_sort_of_mailbox_is_told_and_nothing_is_left(tmp_path: Path, sort: str) -> None:
    case = SORTS[sort]
    with elsewhere(tmp_path, **case.servers) as club:
        before = club.file.read_text()
        done = trial(club, wait=5)
        found = lines(done, club)
        for pattern in case.said:
            assert any(re.match(pattern, line) for line in found), (pattern, found)
        assert done.exit_code == case.status
        assert club.file.read_text() == before
        assert nothing_is_left(club)  # reports, too
        if sort == "junk":  # nothing is known of the address with a plus
            assert key_values.find_last_trial(club.config.database) is None
        if sort == "copies in Sent":
            assert "Sent" not in "".join(found)
        if sort == "said to be Gmail":  # each mail goes by way of the bin; one of three was moved about before
            assert int(club.box.client().select_folder("Bin")[b"UIDNEXT"]) == 4


def plays(club: ServerClub) -> None:
    """A move travels to the mailbox and is answered, with the settings as they stand in the file."""
    club.start(["Anna", "Bert"])
    assert club.run("tick").returncode == 0
    assert eventually(lambda: len(club.inbox("Anna")) == 1)
    club.reply("Anna", "tausche alle\nsonst passe")
    assert eventually(lambda: len(club.box.folder("INBOX")) == 1)
    assert club.run("tick").returncode == 0
    assert eventually(lambda: len(club.inbox("Anna")) == 2)
    assert "✓" in str(club.inbox("Anna")[1]["Subject"])


@pytest.mark.slow
def test_a_mailbox_without_plus_plays_on_with_what_was_written(tmp_path: Path) -> None:
    with elsewhere(tmp_path, "recipient_delimiter =\n", "(gm-|player)[^@+]*") as club:
        before = club.file.read_text()
        done = trial(club, "--no-write")
        assert done.exit_code == 1
        said = "\n".join(lines(done, club))
        assert "FAIL  mail to games+probe@test.example: was not taken (550 5.1.1 " in said
        assert 'so players\' answers would be lost. Set [mail] subaddress = "".' in said
        assert said.endswith('note  settings in FILE: not written: [mail] subaddress = "".')
        assert club.file.read_text() == before
        assert "FAIL  answers to" in club.run("doctor").stdout
        done = trial(club, "--write")
        assert done.exit_code == 0
        assert "ok    settings in FILE: written: " in lines(done, club)[-1]
        assert load_config(club.file).mail.subaddress == ""
        assert "doctor" in club.run("audit").stdout
        assert "FAIL" not in trial(club).output  # such addresses are not used any more
        assert "FAIL" not in club.run("doctor").stdout
        plays(club)
        assert "+" not in str(club.inbox("Anna")[0]["Reply-To"])


@pytest.mark.slow
def test_the_server_that_checks_senders_is_found_and_believed_from_then_on(tmp_path: Path, names: NameServer) -> None:
    sender = f"smtpd_sender_restrictions = check_sender_access static:{{PREPEND {CHECKED}}}\n"
    with elsewhere(tmp_path, sender) as club:
        done = trial(club, "--write")
        assert (
            "note  who checks the senders: mx.test.example. So that moderator believes it, set [mail] auth"
            in done.output
        )
        assert done.exit_code == 0
        assert load_config(club.file).mail.authserv_id == "mx.test.example"
        assert names.asked.count("test.example. MX") == 1
        assert "ok    who checks the senders: mx.test.example, as [mail] authserv_id says" in trial(club).output
        club.file.write_text(club.file.read_text().replace("mx.test.example", "old.example"))
        done = trial(club)
        assert "FAIL  who checks the senders: mx.test.example, and not old.example: no sender" in done.output
        assert done.exit_code == 1


@pytest.mark.slow
def test_from_the_settings_that_init_writes_to_a_match_that_is_played(
    club: ServerClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The five minutes of docs/run/mailbox.md: what is filled in by hand here is what nobody can know."""
    by_hand = club.file.read_text()
    club.file.unlink()
    club.run("init", "--address", club.box.address, "--offline")
    chief = re.search(r'^moderator = "(.*)"', by_hand, re.MULTILINE)
    assert chief
    text = club.file.read_text().replace("you@example.org", chief[1])
    for section in ("imap", "smtp"):
        values = by_hand.partition(f"[{section}]\n")[2].partition("[")[0]
        head, mark, rest = text.partition(f"\n[{section}]\n")
        gone = r"(?m)^(?:host|user|password_command) = .*\n"
        text = head + mark + values + re.sub(gone, "", rest, count=3)
    club.file.write_text(text)
    done = trial(club, "--write")
    assert done.exit_code == 0, done.output
    assert re.sub(r"\s+#.*", "", club.file.read_text()) == re.sub(r"\s+#.*", "", text)  # nothing had to be written
    plays(club)


@pytest.mark.slow
def test_folders_that_are_called_otherwise_are_found_and_used(tmp_path: Path) -> None:
    """A server that has all folders below the inbox, and does not say so."""
    with elsewhere(tmp_path, prefix="INBOX.", imap="imap_capability = IMAP4rev1 IDLE UIDPLUS MOVE\n") as club:
        done = trial(club, "--write")
        assert 'Set [imap] processed = "INBOX.Processed", [imap] failed = "INBOX.Failed".' in lines(done, club)[0]
        assert done.exit_code == 0
        assert load_config(club.file).imap.processed == "INBOX.Processed"
        plays(club)
        assert len(club.box.folder("INBOX.Processed")) == 1


@pytest.mark.slow
@pytest.mark.parametrize("capabilities", ["IMAP4rev1 IDLE", "IMAP4rev1 IDLE UIDPLUS"])
def test_mails_of_others_are_never_removed(tmp_path: Path, capabilities: str) -> None:
    """Also by a server that can only remove all that is marked as deleted, or has no MOVE: here lies a mail that
    somebody has marked so, and may take back."""
    with elsewhere(tmp_path, imap=f"imap_capability = {capabilities}\n") as club:
        club.box.client().append("INBOX", b"Subject: keep me\r\n\r\nhello\r\n", flags=[rb"\Deleted"])
        assert trial(club).exit_code == 0
        left = club.box.folder("INBOX")
        assert sum(b"keep me" in mail for mail in left) == 1
        if "UIDPLUS" in capabilities:
            assert len(left) == 1
        # What is left is known as a trial's.
        assert club.run("tick", "-v").stdout.startswith("mails taken in 1")


@contextmanager
def fetches(box: dict[str, int]) -> Iterator[None]:
    """Counts in ``box`` the mails that are asked for, and the bytes that come."""
    from imapclient import IMAPClient

    real = IMAPClient.fetch

    def counted(self: IMAPClient, uids: Sequence[int], *words: Any) -> Any:
        found = real(self, uids, *words)
        came = sum(len(data) for items in found.values() for data in items.values() if isinstance(data, bytes))
        box["most"], box["bytes"] = max(box.get("most", 0), len(uids)), box.get("bytes", 0) + came
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IMAPClient, "fetch", counted)
        yield


@pytest.mark.slow
def test_a_folder_that_appears_meanwhile_is_searched_and_what_came_is_fetched_bit_by_bit(club: ServerClub) -> None:
    """An old folder under a new name, say. Where no folder could be made nothing was put and nothing is fetched; nor
    are old mails, wherever they lie."""
    day = datetime(2026, 11, 23, tzinfo=UTC)
    ours = [trial_letter.compose_trial_mail(club.box.address, "Club", "", "secret", day) for _ in range(120)]
    old = b"Subject: an old one\r\n\r\n" + 40 * (b"x" * 70 + b"\r\n")
    client = club.box.client()
    for name in ("INBOX", "Sent", "Archive", "Trash"):
        if not client.folder_exists(name):
            client.create_folder(name)
        for _ in range(120):
            client.append(name, old)
    fetched: dict[str, int] = {}
    box = ImapBox(club.box.imap(processed="a//b"))
    with fetches(fetched), pytest.raises(OperatorError, match="has no folder 'a//b' and makes none"):
        box.move_trial_mail(ours[0])
    with fetches(fetched):
        assert box.remove_trial_mails(ours[:1]) == []
    box.close()
    assert fetched == {}
    box = ImapBox(club.box.imap())
    box.skip_present_mails()
    client.rename_folder("Archive", "Attic")
    for one in ours:
        client.append("INBOX", one.data)
    client.append("Attic", ours[0].data)
    with fetches(fetched):
        assert len(box.fetch_arrived(everywhere=True)) == 121
        assert box.fetch_arrived(everywhere=True) == []
    assert fetched["bytes"] == sum(len(one.data) for one in [*ours, ours[0]])
    assert fetched["most"] <= FETCHED_AT_ONCE
    assert len(box.remove_trial_mails(ours)) == 120  # what lay in two places counts once
    box.close()
    assert len(club.box.folder("Attic")) == len(club.box.folder("Sent")) == len(club.box.folder("INBOX")) == 120


@pytest.mark.slow
def test_runs_at_the_same_time_take_none_of_its_mails_in(club: ServerClub) -> None:
    """A tick after another; each may come across a mail of the trial anywhere."""
    stop, runs = threading.Event(), list[subprocess.CompletedProcess[str]]()
    key_values.get_or_create_trial_secret(club.config.database)

    def tick() -> None:
        while not stop.is_set():
            command = [sys.executable, "-m", "moderator", "--config", str(club.file), "tick", "-v"]
            runs.append(subprocess.run(command, capture_output=True, text=True, check=False))

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        done = [trial(club) for _ in range(3)]
    finally:
        stop.set()
        thread.join()
    assert [one.exit_code for one in done] == [0, 0, 0], done[0].output
    assert runs
    assert all(run.stdout.startswith("mails taken in 0") for run in runs)
    assert all("came to" in "".join(lines(one, club)[1:3]) for one in done)
    assert nothing_is_left(club)
    assert [name for name in club.players if club.inbox(name)] == []


@pytest.mark.slow
def test_a_terminal_is_asked_before_another_way_that_works_is_written(
    club: ServerClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = club.file.read_text().replace("[imap]", 'subaddress = ""\n[imap]')
    club.file.write_text(text)
    monkeypatch.setattr(session, "can_ask_operator", lambda: True)
    arguments = ["--config", str(club.file), "doctor", "--mail"]
    done = CliRunner().invoke(cli, arguments, input="n\n")
    assert "note  mail to games+probe@test.example" in "\n".join(lines(done, club))
    assert f'Write into {club.file}: [mail] subaddress = "+"? [Y/n]: n' in done.output
    assert club.file.read_text() == text
    CliRunner().invoke(cli, arguments, input="\n")
    assert club.file.read_text() == text.replace('subaddress = ""', 'subaddress = "+"')


@pytest.mark.slow
def test_programs_get_an_object_a_line_also_of_a_dns_that_is_away(club: ServerClub, names: NameServer) -> None:
    rows = [json.loads(line) for line in trial(club, "--json").output.splitlines()]
    assert all(set(row) == {"check", "ok", "trouble", "note"} for row in rows)
    assert {"mail to " + club.box.address, "SPF", "DMARC"} <= {row["check"] for row in rows}
    names.mood = "silent"
    done = trial(club)
    assert done.exit_code == 0
    assert lines(done, club)[-1] == (
        "note  DNS of test.example: could not be looked at: the DNS does not answer about test.example "
        "(not within 0.6 seconds)."
    )


@pytest.mark.slow
def test_without_a_login_nothing_is_sent_and_the_provider_is_named(club: ServerClub) -> None:
    text = re.sub(r'(?<=password = ").*(?=")', "wrong", club.file.read_text())
    said = {}
    for address in (club.box.address, "games@gmx.de", "games@own.example"):
        club.file.write_text(re.sub(r"(?m)^address = .*", f'address = "{address}"', text))
        done = trial(club)
        assert done.exit_code == 1
        said[address.partition("@")[2]] = done.output
    plain = said["test.example"]
    assert re.search(
        r"FAIL  reading mail at 127.0.0.1:\d+, over TLS \(STARTTLS\): 127.0.0.1 refuses the login of", plain
    )
    assert ": [AUTHENTICATIONFAILED] Authentication failed. Correct [imap] user or password." in plain
    assert "note  mails to itself: none was sent. First mend what stands above." in plain
    assert "ok    SPF" in plain
    assert nothing_is_left(club)
    assert (
        "note  mailboxes of gmx.de: GMX has its servers at imap.gmx.net and mail.gmx.net. Allow POP3 and IMAP in the "
        "mailbox's settings." in said["gmx.de"]
    )
    assert (
        "note  mails for own.example (MX): go to mx00.kundenserver.de of IONOS. IONOS has its servers at imap."
        in said["own.example"]
    )


@pytest.mark.slow
def test_an_interrupted_trial_leaves_nothing(club: ServerClub, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*words: object) -> None:
        assert eventually(lambda: len(club.box.folder("INBOX")) == 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(mailbox.RoundTrip, "_wait_for_mails", stopped)
    CliRunner().invoke(cli, ["--config", str(club.file), "doctor", "--mail"])
    assert nothing_is_left(club)


def test_without_a_database_nothing_is_sent(club: ServerClub) -> None:
    club.config.resolve_path(club.config.store.path).unlink()
    done = trial(club)
    assert done.exit_code == 1
    assert "FAIL  database: There is no database" in done.output
    assert "note  mails to itself: none was sent." in done.output
