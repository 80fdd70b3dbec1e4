"""What the transport of another package does against its contract is told in one line, and what we raise ourselves in
the midst of it comes out as it is."""

import errno
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from moderator.common.disk import get_example_config
from moderator.common.errors import ConfigError, OperatorError, StoreError, TransientError
from moderator.common.mails import RawMail, Ready, Sent
from moderator.diagnostics.settings_file import Setting, change_settings, change_settings_file
from moderator.mail import network
from moderator.mail.guarded import BATCH_MAILS, HEAD_BYTES, GuardedMailbox, GuardedSender, GuardedTransport
from moderator.mail.settings import TRANSPORTS, ImapSettings, SmtpSettings
from moderator.mail.transport import OneByOne, Refused, Setup, Way

NOW = datetime(2026, 11, 20, tzinfo=UTC)
MAIL = RawMail("1", b"From: a@b.example\n\nHi", NOW, 22)
SETUP = Setup("odd", "games@club.example", Path("/nowhere"))
OUT = [Ready(number, "games+1@club.example", "anna@home.example", b"x") for number in (1, 2, 3)]


class Odd:
    contract = 1

    def __init__(self, **does: Any) -> None:
        self.does = does
        self.closed = False

    def __getattr__(self, name: str) -> Any:
        return self.does[name]

    def mailbox(self, setup: Setup) -> Any:
        return self

    def sender(self, setup: Setup) -> Any:
        return self

    def ways(self, setup: Setup) -> tuple[Way, Way]:
        return Way("in.example:1"), Way("out.example:2")


def box(**does: Any) -> GuardedMailbox:
    made = GuardedTransport("odd", Odd(**does)).mailbox(SETUP)
    assert isinstance(made, GuardedMailbox)
    return made


def sender(send: Callable[..., None]) -> GuardedSender:
    made = GuardedTransport("odd", Odd(send=send)).sender(SETUP)
    assert isinstance(made, GuardedSender)
    return made


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*words: Any) -> Any:
        raise error

    return call


def fetched(mails: Any, known: Callable[[Sequence[str]], set[str]] = lambda keys: set()) -> list[list[RawMail]]:
    return [*box(fetch=lambda asked, most: mails).fetch(known, 1_000_000)]


def test_our_own_need_no_guard_and_say_which_contract_they_keep() -> None:
    assert {TRANSPORTS.load_registered(name).contract for name in TRANSPORTS.own} == {TRANSPORTS.contract}


@pytest.mark.parametrize(
    ("error", "kind", "told"),
    [
        (KeyError("secret"), OperatorError, "The transport 'odd' has a fault: KeyError at test_guarded.py:"),
        (ConnectionRefusedError(111, "refused"), TransientError, "mails at in.example:1: [Errno 111] refused"),
        (TimeoutError(), TransientError, "cannot read mails at in.example:1: TimeoutError"),
        (TransientError("Away."), TransientError, "cannot read mails at in.example:1: Away."),
        (OperatorError("Wrong.", "Mend it."), OperatorError, "Wrong. Mend it."),
        (OSError(errno.EACCES, "denied"), OperatorError, "what it needs: [Errno 13] denied. Correct [transport.odd]"),
    ],
)  # fmt: skip
def test_what_it_raises_is_one_of_our_errors(error: Exception, kind: type[Exception], told: str) -> None:
    for call in ("waiting", "marks"):
        with pytest.raises(kind) as raised:
            getattr(box(**{call: raising(error)}), call)()
        assert told in str(raised.value)
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("mails", "why"),
    [
        ([[b"From: a"]], "bytes is no RawMail"),
        ([[replace(MAIL, key="")]], "has no key"),
        ([[replace(MAIL, data="text")]], "are no bytes"),  # type: ignore[arg-type]
        ([[replace(MAIL, size=None)]], "size is no number"),  # type: ignore[arg-type]
        ([[replace(MAIL, key="a\0")]], "cannot be printed"),
        ([[replace(MAIL, place="\udc80")]], "cannot be printed"),
        ([[replace(MAIL, received=datetime(1, 1, 1, tzinfo=UTC))]], "in the year 1"),
        ([[replace(MAIL, received=datetime(2026, 11, 20))]], "needs a time zone"),  # noqa: DTZ001
        (None, "TypeError"),
    ],
)
def test_what_is_no_mail_is_not_taken_in(mails: Any, why: str) -> None:
    with pytest.raises(OperatorError, match=why):
        fetched(mails)


def test_batches_are_parted_mails_cut_and_none_is_given_twice() -> None:
    many = [replace(MAIL, key=str(number)) for number in range(250)]
    assert [len(batch) for batch in fetched([many])] == [BATCH_MAILS, BATCH_MAILS, 50]
    assert fetched([[MAIL], [MAIL, MAIL]]) == [[MAIL]]
    assert fetched([[MAIL, replace(MAIL, key="2")]], lambda keys: {"1"} & {*keys}) == [[replace(MAIL, key="2")]]
    large = replace(MAIL, data=b"x" * 2_000_000, size=2_000_000)
    (((cut,),),) = [fetched([[large]])]
    assert (len(cut.data), cut.size, cut.truncated) == (HEAD_BYTES, 2_000_000, True)


def test_what_we_raise_comes_out_as_it_is_a_number_of_mails_is_one_and_closing_never_fails() -> None:
    """Also where the transport has caught it."""

    def fetch(known: Callable[[Sequence[str]], set[str]], most: int) -> Any:
        try:
            known(["1"])
        except Exception:
            yield [MAIL]

    locked = StoreError("The database is locked.")
    with pytest.raises(StoreError) as raised:
        [*box(fetch=fetch).fetch(raising(locked), 10)]
    assert raised.value is locked
    ours = ZeroDivisionError()
    with pytest.raises(ZeroDivisionError):
        sender(lambda mails, begin, report, more: begin(mails[0])).send(OUT, raising(ours), lambda sent: None)
    with pytest.raises(OperatorError, match="says that None mails wait"):
        box(waiting=lambda: None).waiting()
    box(close=raising(KeyError())).close()


def sent_by(send: Callable[..., None]) -> tuple[list[tuple[int, str]], str]:
    reported: list[tuple[int, str]] = []
    try:
        sender(send).send(OUT, lambda mail: True, lambda sent: reported.append((sent.row, sent.result)))
    except (OperatorError, TransientError) as error:
        return reported, str(error)
    return reported, ""


def test_a_mail_at_which_it_fails_is_tried_again_and_the_others_are_as_they_were() -> None:
    def send(mails: Sequence[Ready], begin: Any, report: Any, more: Any) -> None:
        for mail in mails:
            begin(mail)
            if mail.row == 2:
                raise KeyError("bug")
            report(Sent(mail.row, "sent"))

    reported, told = sent_by(send)
    assert reported == [(1, "sent"), (2, "retry")]
    assert "has a fault: KeyError" in told


def test_a_mail_is_begun_and_reported_once_with_its_sender_and_results_are_known_ones() -> None:
    found: list[Sent] = []

    def send(mails: Sequence[Ready], begin: Any, report: Any, more: Any) -> None:
        begin(mails[0])
        report(Sent(1, "sent", "250 OK"))
        report(Sent(1, "retry"))

    with pytest.raises(OperatorError, match="reports 'retry' of a mail that it has not begun, or has reported already"):
        sender(send).send(OUT, lambda mail: True, found.append)
    assert found == [Sent(1, "sent", "250 OK", "games+1@club.example")]

    def twice(mails: Sequence[Ready], begin: Any, report: Any, more: Any) -> None:
        assert [begin(mails[0]), begin(mails[0])] == [True, False]
        report(Sent(1, "gone"))  # type: ignore[arg-type]

    reported, told = sent_by(twice)
    assert reported == [(1, "retry")]
    assert "reports 'gone'" in told


def test_one_by_one() -> None:
    class Post(OneByOne):
        def check(self) -> None: ...

        def deliver(self, mail: Ready) -> str:
            if mail.row == 1:
                raise Refused("no such mailbox")
            if mail.row == 3:
                raise TransientError("The office is closed.")
            return f"took {mail.row}"

    reported: list[Sent] = []
    with pytest.raises(TransientError):
        Post().send(OUT, lambda mail: True, reported.append)
    assert reported == [
        Sent(1, "dead", "no such mailbox"),
        Sent(2, "sent", "took 2", "games+1@club.example"),
        Sent(3, "retry", "The office is closed."),
    ]


# ---- secrets that commands give ----


@pytest.mark.parametrize(
    ("command", "secret"),
    [
        ("printf 'first\\nsecond\\n'", "first"),
        ("printf 'windows\\r\\n'", "windows"),
        ("printf ' gr\\303\\274n '", " grün "),
        ("echo noise >&2; echo pw | cat", "pw"),
    ],
)
def test_the_first_line_counts(command: str, secret: str) -> None:
    assert network.fetch_secret("imap", ImapSettings(user="gm", password_command=command)) == secret
    assert network.fetch_secret("smtp", SmtpSettings(user="gm", token_command=command)) == secret


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("echo s3cret; echo s3cret >&2; exit 3", "failed with exit code 3"),
        ("true", "empty first line"),
        ("printf '\\ns3cret'", "empty first line"),
        ("printf 's3cret\\377'", "no UTF-8"),
        ("no-such-command-at-all s3cret-argument", "exit code 127"),
    ],
)
def test_a_command_that_fails_tells_how_but_not_what(command: str, words: str) -> None:
    with pytest.raises(ConfigError, match=rf"\[imap\] password_command .*{words}.*by hand") as caught:
        network.fetch_secret("imap", ImapSettings(user="gm", password_command=command))
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_command_that_hangs_or_a_secret_that_is_missing_or_double_is_told() -> None:
    start = time.monotonic()
    with pytest.raises(ConfigError, match=r"no answer in 0\.2 seconds"):
        network.run_secret_command("[imap] password_command", "sleep 20", seconds=0.2)
    assert time.monotonic() - start < 15
    assert network.fetch_secret("imap", ImapSettings(user="gm", password="pw")) == "pw"
    with pytest.raises(ConfigError, match=r"\[smtp\] has a user but no password.*password_command"):
        network.fetch_secret("smtp", SmtpSettings(user="gm"))
    with pytest.raises(ConfigError, match=r"both password and password_command"):
        network.fetch_secret("imap", ImapSettings(user="gm", password="pw", password_command="echo pw"))
    with pytest.raises(ConfigError, match="needs a user"):
        network.fetch_secret("imap", ImapSettings(token_command="echo x"))


# ---- settings in the configuration file ----

OTHERS = '[imap]\nsubaddress = "x"\n[mail]\n# subaddress = "-"\n'
NONE = Setting("mail", "subaddress", "")
ID = Setting("mail", "authserv_id", "mx.club.example")
FOLDER = Setting("imap", "processed", "INBOX.Erledigte Züge")
EXAMPLE = get_example_config().read_text(encoding="utf-8")


def test_what_init_wrote_changes_in_the_lines_alone() -> None:
    text = change_settings(EXAMPLE, [NONE, ID, FOLDER])
    both = zip(EXAMPLE.splitlines(), text.splitlines(), strict=True)
    old, new = zip(*((before, after) for before, after in both if before != after), strict=True)
    settings = 'subaddress = ""', 'authserv_id = "mx.club.example"', 'processed = "INBOX.Erledigte Züge"'
    assert tuple(line.partition("#")[0].rstrip() for line in new) == settings
    assert all(line.startswith("# ") for line in old)
    assert [line.rpartition("#")[2] for line in new] == [line.rpartition("#")[2] for line in old]
    assert change_settings(text, [NONE, ID, FOLDER]) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('[mail]\nsubaddress = "+" # mine\n', '[mail]\nsubaddress = ""  # mine\n'),
        ("[mail]\n  subaddress='+'\n", '[mail]\nsubaddress = ""\n'),
        ('# [mail]\n[ mail ]  # here\r\nsubaddress = "+"\r\n', '# [mail]\n[ mail ]  # here\r\nsubaddress = ""\r\n'),
        # What is set counts, not the remark above it, nor another section's.
        (f'{OTHERS}subaddress = "+"\n', f'{OTHERS}subaddress = ""\n'),
        ('[mail]\naddress = "a@b"\n', '[mail]\nsubaddress = ""\naddress = "a@b"\n'),
        ("[mail]", '[mail]\nsubaddress = ""\n'),
        ('[club]\nname = "x"\n\n', '[club]\nname = "x"\n\n[mail]\nsubaddress = ""\n'),
    ],
)
def test_a_line_is_set_where_it_belongs(before: str, after: str) -> None:
    assert change_settings(before, [NONE]) == after


@pytest.mark.parametrize(
    "text",
    [
        'mail = {address = "a@b", subaddress = "+"}\n',
        'mail.subaddress = "+"\n',
        '[mail]\nname = """\n[mail]\nsubaddress = "+"\n"""\nsubaddress = "+"\n[imap]\nx = """\n[mail]\n"""\n',
        '"mail".address = "a"\n',
    ],
)
def test_what_is_written_in_ways_of_its_own_is_never_spoilt(text: str, tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        change_settings_file(file, [NONE])
    assert '[mail] subaddress = ""' in raised.value.hint
    assert file.read_text() == text


def test_owner_permissions_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "moderator.toml"
    real.write_text(EXAMPLE)
    real.chmod(0o640)
    link.symlink_to(real)
    change_settings_file(link, [ID])
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert 'authserv_id = "mx.club.example"' in real.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moderator.toml", "real.toml"]
