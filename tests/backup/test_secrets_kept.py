"""Passwords are nowhere but in the configuration: not in the database, not in what is printed, in no backup, whatever
fails."""

import base64
import dataclasses
import os
import subprocess
import sys
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.backup.archive import clear_secrets
from moderator.cli import cli
from moderator.cli.doctor import find_permission_trouble
from moderator.cli.init import create_database
from moderator.common.errors import ConfigError, TransientError
from moderator.mail.network import mask_secret
from moderator.mail.settings import TRANSPORTS
from moderator.run import handle
from moderator.run.log import mask_log_line
from moderator.settings import load_config
from moderator.store.database import open_store
from moderator.store.tables import InboxRow
from tests.club.club import Club
from tests.mail.imap_box import scripted
from tests.packages import installed, write
from tests.servers.fake_smtp import CLOSE, FakeSmtp
from tests.servers.process import free_ports

IMAP, SMTP = "Im@pGeheim-4711", "SmtpGeheim-4712"
ODD = "Käse-Geheim-4713"
USER = "games"
CONFIG = """\
[club]
moderator = "boss@club.example"
[mail]
address = "games@club.example"
[imap]
host = "127.0.0.1"
port = {imap}
security = "plain"
user = "games"
password = "{imap_password}"
timeout = 2
[smtp]
host = "127.0.0.1"
port = {smtp}
security = "plain"
user = "games"
password = "{smtp_password}"
timeout = 2
[words]
lexicons = []
"""


def encoded(secret: str) -> list[str]:
    """The forms in which it travels."""
    forms = [secret, f"\0{USER}\0{secret}", f"{USER}\0{USER}\0{secret}"]
    return [secret, *(base64.b64encode(form.encode()).decode() for form in forms)]


def club_at(folder: Path, imap: int = 0, smtp: int = 0, imap_password: str = IMAP, smtp_password: str = SMTP) -> Club:
    """At servers on these ports; 0 = one at which nobody answers."""
    file, (nobody,) = folder / "moderator.toml", free_ports(1)
    values = {"imap_password": imap_password, "smtp_password": smtp_password}
    file.write_text(CONFIG.format(imap=imap or nobody, smtp=smtp or nobody, **values), encoding="utf-8")
    os.chmod(file, 0o600)
    config = load_config(file)
    create_database(config)
    club = Club(folder, config)
    club.players("Anna", "Bert")
    club.match("Anna", "Bert", game="dominos")
    return club


def everything(club: Club) -> bytes:
    """All bytes of all files but the settings; of a backup what is in it."""
    found = b""
    for path in club.folder.rglob("*"):
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                found += b"".join(archive.read(name) for name in archive.namelist())
        elif path.is_file() and path != club.config.file:
            found += path.read_bytes()
    return found


def run(club: Club, *words: str) -> str:
    """All that a command prints, and the traceback of what it raises."""
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    raised = done.exc_info[1] if done.exc_info else None
    return done.output + ("".join(traceback.format_exception(raised)) if raised else "")


def assert_kept(club: Club, printed: str, *secrets: str) -> None:
    stored = everything(club)
    for secret in secrets:
        for form in encoded(secret):
            assert form not in printed
            assert form.encode() not in stored


REFUSALS: dict[str, Callable[[str], dict[str, str]]] = {
    "refused": lambda pw: {"LOGIN": "NO [AUTHENTICATIONFAILED] wrong", "AUTHENTICATE": "NO wrong"},
    "repeated": lambda pw: {
        "LOGIN": f"NO user {USER} and password {pw} do not fit",
        "AUTHENTICATE": f"NO {pw} is wrong",
    },
    "repeated as it was sent": lambda pw: {
        "LOGIN": f'BAD unknown command: LOGIN "{USER}" "{pw}"',
        "AUTHENTICATE": f"BAD what is {base64.b64encode(f'{chr(0)}{USER}{chr(0)}{pw}'.encode()).decode()}?",
    },
    "hang up": lambda pw: {"LOGIN": "HANGUP", "AUTHENTICATE": "HANGUP"},
    "no inbox": lambda pw: {"SELECT": "NO no such mailbox", "STATUS": f"NO {USER} has none"},
}


@pytest.mark.matrix("backup")
@pytest.mark.parametrize("password", [IMAP, ODD])
@pytest.mark.parametrize("name", REFUSALS)
def test_whatever_the_imap_server_says(tmp_path: Path, name: str, password: str) -> None:
    for words in (["tick", "-v"], ["doctor"]):
        with scripted(REFUSALS[name](password if password.isascii() else IMAP)) as port:
            club = club_at(tmp_path, port, imap_password=password)
            printed = run(club, *words)
            tmp_path.joinpath("moderator.sqlite").unlink()
        assert printed
        assert_kept(club, printed, password, SMTP)


OFFER = "250-fake\r\n250 AUTH PLAIN LOGIN"
SMTP_REFUSALS: dict[str, Callable[[str, str], str | None]] = {
    "refused": lambda verb, line: "535 5.7.8 no" if verb == "AUTH" else None,
    "repeated": lambda verb, line: f"535 5.7.8 what is {line}?" if verb == "AUTH" else None,
    "repeated in clear": lambda verb, line: f"535 password {SMTP} is wrong" if verb == "AUTH" else None,
    "busy": lambda verb, line: f"454 4.7.0 later: {line}" if verb == "AUTH" else None,
    "hang up": lambda verb, line: CLOSE if verb == "AUTH" else None,
    "refused later": lambda verb, line: f"550 5.7.1 go away, {USER}" if verb == "MAIL" else None,
    "dead": lambda verb, line: "550 5.1.1 nobody there" if verb == "RCPT" else None,
}


@pytest.mark.parametrize(("name", "password"), [*((name, SMTP) for name in SMTP_REFUSALS), ("dead", ODD)])
def test_whatever_the_smtp_server_says(tmp_path: Path, name: str, password: str) -> None:
    def script(verb: str, line: str, nth: int) -> str | None:
        return OFFER if verb == "EHLO" else SMTP_REFUSALS[name](verb, line)

    with FakeSmtp.started(script) as fake:
        club = club_at(tmp_path, smtp=fake.port, smtp_password=password)
        printed = run(club, "tick", "-v") + run(club, "doctor")
        assert any(line.startswith("AUTH") for line in fake.lines)
    assert_kept(club, printed, IMAP, password)


def test_a_bug_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The traceback in quarantine, and all that is printed: also where the settings themselves get into an error."""
    club = club_at(tmp_path)

    def broken(work: object) -> None:
        raise RuntimeError(f"{getattr(work, 'config', None)!r}")

    monkeypatch.setattr(handle, "dispatch_mail", broken)
    raw = b"From: anna@home.example\r\nMessage-ID: <1@x>\r\n\r\nhello\r\n"
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), "receive"], input=raw)
    printed = done.output + run(club, "quarantine", "list") + run(club, "quarantine", "show", "1")
    assert "RuntimeError: Config(" in printed
    assert_kept(club, printed, IMAP, SMTP)
    store = open_store(club.config.database)
    with store.begin_transaction() as session:
        assert "RuntimeError" in session.get_one(InboxRow, 1).note
    store.close()


@pytest.mark.slow
def test_backup_audit_and_the_rest(tmp_path: Path) -> None:
    club = club_at(tmp_path)
    printed = run(club, "backup", str(tmp_path / "b.zip"))
    printed += run(club, "backup", str(tmp_path / "backups"), "--keep", "3")
    printed += run(club, "restore", str(tmp_path / "b.zip"), "--force")
    printed += run(club, "restore", str(tmp_path / "b.zip"), "--force", "--no-mails")
    printed += run(club, "reread", "--since", "2026-01-01")
    printed += run(club, "audit", "--since", "2026-01-01") + run(club, "doctor", "--deep") + run(club, "tick")
    assert "Restored as of" in printed
    assert_kept(club, printed, IMAP, SMTP)


@pytest.mark.parametrize(
    "line",
    [
        "password = 4711471147",
        'password = ["geheim-4711471147"]',
        'password = "geheim-4711471147',
        "password = geheim-4711471147",
    ],
)
def test_a_mistake_in_the_settings(tmp_path: Path, line: str) -> None:
    file = tmp_path / "moderator.toml"
    head = '[club]\nmoderator = "a@x.example"\n[mail]\naddress = "b@x.example"\n[imap]\n'
    file.write_text(head + line + "\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert "4711471147" not in "".join(traceback.format_exception(caught.value))
    assert "moderator.toml" in str(caught.value)


def test_settings_do_not_show_their_secrets(tmp_path: Path) -> None:
    club = club_at(tmp_path)
    assert IMAP not in repr(club.config)
    assert SMTP not in str(club.config)
    assert club.config.imap.password == IMAP
    assert dataclasses.asdict(club.config.imap)["password"] == IMAP


@pytest.mark.slow
def test_a_command_gets_no_secret_and_leaves_none(tmp_path: Path) -> None:
    """password_command: its secret is in no file and no output of a real run, also not when the server is away."""
    club = club_at(tmp_path)
    text = club.config.file.read_text(encoding="utf-8").replace(f'password = "{IMAP}"', 'password_command = "cat pw"')
    club.config.file.write_text(text.replace(f'password = "{SMTP}"', 'token_command = "cat pw"'), encoding="utf-8")
    (tmp_path / "pw").write_text(f"{IMAP}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "moderator", "--config", str(club.config.file), "tick", "-v"],
        cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    (tmp_path / "pw").unlink()
    assert "mails taken in" in done.stdout
    assert_kept(club, done.stdout + done.stderr, IMAP)


NAMES = (
    "password", "passwd", "passphrase", "secret", "token", "api_key", "apikey", "key", "credential", "credentials",
    "auth", "pw", "pass", "client_secret", "API-KEY", "clientSecret", "accessToken", "smtp_password", "private_key",
    "bearer", "Passwort", "authorization", "psk", "session_cookie", "password_command", "key_command",
)  # fmt: skip
SHAPES = {
    "a text": '{name} = "{secret}"',
    "single quotes": "{name} = '{secret}'   # it was another before",
    "a list": '{name} = ["{secret}", "{secret}-2"]',
    "a table": '[transport.post.{name}]\nuser = "{secret}"',
    "a table in a line": '{name} = {{ user = "{secret}" }}',
    "in a table": '[transport.post.more]\n{name} = "{secret}"',
    "in a table of a list": '[[transport.post.more]]\n{name} = "{secret}"',
    "in a list of tables in a line": 'more = [{{ {name} = "{secret}" }}]',
    "a dotted name": '{name}.one = "{secret}"',
    "over two lines": '{name} = """\n{secret}"""',
    "a remark": '# {name} = "{secret}"',
}
IN_TEXT = (
    "postgresql://club:{}@db.example/club", "https://u:{}@x.example/a?b=1", "postgresql://db/club?user=c&password={}",
    "host=db password={} user=c", "https://x.example/send?token={}&to=1", "post --api-key={} --all", "amqp://a:{}@x/y",
)  # fmt: skip
"""Settings whose names say nothing."""
PLANTED = "zx9-geheim-4712"
TRANSPORT = """class Post:
    contract = 1
    def mailbox(self, setup): raise RuntimeError(repr(dict(setup.table)))
    def sender(self, setup): raise ConnectionError(str(setup.table))
    def ways(self, setup): return None
TRANSPORT = Post()
"""


def planted() -> list[str]:
    """A table of a transport that nobody here knows, with a secret in it."""
    shaped = [shape.format(name=name, secret=PLANTED) for name in NAMES for shape in SHAPES.values()]
    commands = [f'password_command = "{way} {PLANTED}"' for way in ("echo", "printf %s", "sh -c", "X=1 y")]
    return [*shaped, *commands, *(f'where = "{text.format(PLANTED)}"' for text in IN_TEXT), *(
        f'more = {{ to = ["a", "{text.format(PLANTED)}"] }}' for text in IN_TEXT)]  # fmt: skip


@pytest.mark.slow
def test_a_secret_of_whatever_name_is_in_nothing_that_is_written(tmp_path: Path) -> None:
    """No copy of the settings, no line of the log, no answer of doctor's, who wants the file for its owner alone."""
    with installed(
        write(tmp_path / "site", "post", {"post.py": TRANSPORT}, {TRANSPORTS.group: {"post": "post:TRANSPORT"}})
    ):
        (tmp_path / "club").mkdir()
        club = club_at(tmp_path / "club")
        whole = club.config.file.read_text(encoding="utf-8")
        for number, table in enumerate(planted()):
            text = f"{whole}\n[transport.post]\nhost = 'post.example'\n{table}\n"
            club.config.file.write_text(text, encoding="utf-8")
            copied = clear_secrets(text)
            assert PLANTED not in (copied or ""), table
            config = load_config(club.config.file)
            if table.startswith("#"):
                continue
            assert PLANTED not in mask_log_line(f"refused: {text}", config.passwords), table
            assert PLANTED not in mask_log_line(f"said {PLANTED}", config.passwords), table
            club.config.file.chmod(0o644)
            assert "chmod 600" in find_permission_trouble(config), table
            club.config.file.chmod(0o600)
            if number % 40 == 0:
                club.config.file.write_text(text.replace("[imap]", 'transport = "post"\n[imap]'), encoding="utf-8")
                said = CliRunner().invoke(cli, ["--config", str(club.config.file), "doctor"]).output
                said += CliRunner().invoke(cli, ["--config", str(club.config.file), "tick", "-v"]).output
                assert PLANTED not in said, table


def test_what_is_no_secret_is_kept_in_a_backup() -> None:
    for kept in (
        'authserv_id = "mx.example"', 'author = "Anna"', 'keyboard = "de"', 'password_command = "pass show club/imap"',
        'token_file = "/run/token"', "tokens = true", 'url = "https://club.example/a"', 'url = "postgresql://u@h/db"',
        'where = "games+TOKEN@club.example"', 'keyboards = 3', 'passed = 3', 'token_command = "cat ~/.pw"',
    ):  # fmt: skip
        assert clear_secrets(f"[x]\n{kept}\n") == f"[x]\n{kept}\n"


def test_masking() -> None:
    error = mask_secret(TransientError(f"no {IMAP}, {encoded(IMAP)[2]} and {encoded(IMAP)[3]}"), USER, IMAP)
    assert str(error) == "no …, … and …"
    token = base64.b64encode(f"user={USER}\1auth=Bearer {IMAP}\1\1".encode()).decode()
    hinted = mask_secret(ConfigError(f"refused {token}", "Correct it."), USER, IMAP)
    assert str(hinted) == "refused … Correct it."
    assert str(mask_secret(TransientError("pw is short"), USER, "pw")) == "pw is short"
