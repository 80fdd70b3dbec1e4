"""A club on real servers: its mailbox in Dovecot, its mails out through Postfix, players with real mailboxes."""

from __future__ import annotations

import email
import smtplib
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

from moderator.cli.init import make_database
from moderator.cli.session import opened
from moderator.club.desk import Desk
from moderator.config import Config, load
from moderator.play.create import add_player, new_match, start_match
from moderator.words.sources import build
from tests.club.club import WORDS
from tests.policies import READ, WRITE
from tests.servers import DOMAIN, PASSWORD
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

CONFIG = """\
[club]
name = "Testrunde"
moderator = "{boss}@test.example"
[mail]
address = "{user}@test.example"
[imap]
host = "{host}"
port = {imap_port}
security = "{security}"
ca_file = "{imap_ca}"
user = "{user}"
password = "{password}"
[smtp]
host = "{host}"
port = {smtp_port}
security = "{security}"
ca_file = "{smtp_ca}"
user = "{user}"
password = "{password}"
"""


@dataclass
class ServerClub:
    config: Config
    box: Box
    players: dict[str, Box]
    postfix: Postfix

    @property
    def file(self) -> Path:
        return self.config.file

    def desk(self) -> AbstractContextManager[Desk]:
        return opened(self.file)

    def start(self, names: Sequence[str], game: str = "topwords", **options: object) -> str:
        """Deal a match between these players."""
        with opened(self.file) as desk:
            assert isinstance(desk, Desk)
            from moderator.play.create import find_player

            seats = [find_player(desk.session, name) for name in names]
            match = new_match(desk.session, game, "Arratia", seats, options, desk.now)
            start_match(desk, match)
            return match.code

    def inbox(self, name: str) -> list[EmailMessage]:
        """What a player has received so far, oldest first."""
        found = []
        for raw in self.players[name].folder("INBOX"):
            mail = email.message_from_bytes(raw, policy=READ)
            assert isinstance(mail, EmailMessage)
            found.append(mail)
        return found

    def reply(self, name: str, body: str, *, quote: bool = True) -> None:
        """Answer the player's newest mail through the real mail server, the old mail quoted below."""
        answered = self.inbox(name)[-1]
        mail = EmailMessage(policy=WRITE)
        mail["From"] = f"{name} <{self.players[name].address}>"
        mail["To"] = str(answered["Reply-To"])
        mail["Subject"] = "Re: " + str(answered["Subject"])
        mail["Message-ID"] = f"<{uuid.uuid4()}@home.example>"
        mail["In-Reply-To"] = str(answered["Message-ID"])
        part = answered.get_body(("plain",))
        old = part.get_content().splitlines() if part and quote else []
        quoted = [f"> {line}" for line in old]
        mail.set_content("\n".join([body, "", "Am 20.11.2026 um 10:15 schrieb Testrunde:", *quoted]))
        with smtplib.SMTP(self.postfix.host, self.postfix.smtp_port, timeout=30) as server:
            server.send_message(mail)


def settings(box: Box, boss: Box, dovecot: Dovecot, postfix: Postfix, security: str = "starttls") -> str:
    """Of a club whose mailbox ``box`` lies on these servers, and of its moderator."""
    return CONFIG.format(
        boss=boss.user,
        user=box.user,
        host=dovecot.host,
        imap_port=dovecot.imap_port,
        smtp_port=postfix.smtp_port,
        imap_ca=dovecot.ca_file,
        smtp_ca=postfix.ca_file,
        password=PASSWORD,
        security=security,
    )


def make_server_club(
    folder: Path,
    dovecot: Dovecot,
    postfix: Postfix,
    new_box: Callable[[str], Box],
    names: Sequence[str] = ("Anna", "Bert"),
    security: str = "starttls",
) -> ServerClub:
    """A club with these players, a small dictionary and no match."""
    mark = uuid.uuid4().hex[:8]
    box = new_box(f"gm-{mark}")
    boss = new_box(f"playerboss{mark}")
    file = folder / "moderator.toml"
    file.write_text(settings(box, boss, dovecot, postfix, security), encoding="utf-8")
    file.chmod(0o600)
    (folder / "words.txt").write_text("\n".join(WORDS), encoding="utf-8")
    build("de", [str(folder / "words.txt")], folder / "lexicons")
    config = load(file)
    make_database(config)
    players = {name: new_box(f"player{name.lower()}{mark}") for name in names}
    with opened(file) as desk:
        for name, mailbox in players.items():
            add_player(desk.session, name, f"{mailbox.user}@{DOMAIN}", desk.now)
    return ServerClub(config, box, {**players, "boss": boss}, postfix)
