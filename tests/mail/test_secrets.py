"""Passwords by command, and that they stay secret."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from moderator.config import Config, Imap, Maildir, Smtp, load
from moderator.errors import ConfigError
from moderator.mail import network
from moderator.mail.maildir import MaildirMailbox, MaildirSender
from moderator.mail.open import open_mailbox, open_sender
from moderator.mail.smtp import SmtpSender


@pytest.mark.parametrize(
    ("command", "secret"),
    [
        ("echo pw", "pw"),
        ("printf 'first\\nsecond\\n'", "first"),
        ("printf 'windows\\r\\n'", "windows"),
        ("printf ' with spaces '", " with spaces "),
        ("printf 'gr\\303\\274n'", "grün"),
        ("echo noise >&2; echo pw | cat", "pw"),
    ],
)
def test_the_first_line_counts(command: str, secret: str) -> None:
    assert network.password("imap", Imap(user="gm", password_command=command)) == secret
    assert network.token("smtp", Smtp(user="gm", token_command=command)) == secret


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
        network.password("imap", Imap(user="gm", password_command=command))
    assert "s3cret" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_command_that_hangs() -> None:
    start = time.monotonic()
    with pytest.raises(ConfigError, match=r"no answer in 0\.2 seconds"):
        network.first_line("[imap] password_command", "sleep 20", seconds=0.2)
    assert time.monotonic() - start < 15


def test_what_is_missing_or_double() -> None:
    assert network.password("imap", Imap(user="gm", password="pw")) == "pw"
    with pytest.raises(ConfigError, match=r"\[smtp\] has a user but no password.*password_command"):
        network.password("smtp", Smtp(user="gm"))
    with pytest.raises(ConfigError, match=r"both password and password_command"):
        network.password("imap", Imap(user="gm", password="pw", password_command="echo pw"))
    with pytest.raises(ConfigError, match="needs a user"):
        network.token("imap", Imap(token_command="echo x"))


def test_the_transport_is_chosen_by_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "moderator.toml"
    head = '[club]\nmoderator = "a@test.example"\n[mail]\naddress = "b@test.example"\n'
    file.write_text(f'{head}transport = "maildir"\n[maildir]\ninbox = "in"\noutbox = "{tmp_path}/elsewhere"\n')
    config: Config = load(file)
    assert config.maildir == Maildir(Path("in"), tmp_path / "elsewhere")
    with open_mailbox(config) as box:
        assert isinstance(box, MaildirMailbox)
    assert (tmp_path / "in" / "new").is_dir()
    sender = open_sender(config)
    assert isinstance(sender, MaildirSender)
    sender.check()
    assert (tmp_path / "elsewhere" / "new").is_dir()

    file.write_text(f'{head}[imap]\nhost = "192.0.2.1"\nsecurity = "plain"\n[smtp]\nhost = "mx.example.org"\n')
    assert isinstance(open_sender(load(file)), SmtpSender)
    with pytest.raises(ConfigError, match=r"\[imap\] security"):
        open_mailbox(load(file))
