"""A club on real servers: its mailbox in Dovecot, its mails out through Postfix, players with real mailboxes. And a
short evening on it, to be copied: the starting mails of a match are queued, an order and a wish for help come."""

import email
import shutil
import smtplib
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from sqlmodel import select

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.cli.init import create_database
from moderator.cli.session import open_club
from moderator.service.create import add_player, create_match, get_player
from moderator.service.match.start import start_match
from moderator.settings import Config, load_config
from moderator.store.tables import EventRow, InboxRow, OutboxRow, SeatRow
from moderator.views.unit_of_work import UnitOfWork
from moderator.words.build.sources import build_lexicon
from tests.club.club import WORDS, plain_boards
from tests.helpers import READ, WRITE
from tests.servers import DOMAIN, PASSWORD, eventually
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
NAMES = ("Anna", "Bert")
ANSWERS = {"start": 2, "turn": 2, "help": 1}
"""The mails of a whole evening, by kind."""


@dataclass
class ServerClub:
    config: Config
    box: Box
    players: dict[str, Box]
    postfix: Postfix

    @property
    def file(self) -> Path:
        return self.config.file

    def work(self) -> AbstractContextManager[UnitOfWork]:
        return open_club(self.file)

    def start(self, names: Sequence[str], game: str = "topwords", **options: object) -> str:
        with open_club(self.file) as work:
            seats = [get_player(work.session, name) for name in names]
            first = {"first": "seat"} if game == "topwords" else {}
            match = create_match(work, game, "Arratia", seats, {**first, **options})
            start_match(work, match)
            return match.code

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The program, as cron would start it."""
        command = [sys.executable, "-m", "moderator", "--config", str(self.file), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    def inbox(self, name: str) -> list[EmailMessage]:
        """What a player has received so far, oldest first."""
        found = []
        for raw in self.players[name].folder("INBOX"):
            mail = email.message_from_bytes(raw, policy=READ)
            assert isinstance(mail, EmailMessage)
            found.append(mail)
        return found

    def reply(self, name: str, body: str) -> None:
        """Answer the player's newest mail through the real mail server, the old mail quoted below."""
        answered = self.inbox(name)[-1]
        mail = EmailMessage(policy=WRITE)
        mail["From"] = f"{name} <{self.players[name].address}>"
        mail["To"] = str(answered["Reply-To"])
        mail["Subject"] = "Re: " + str(answered["Subject"])
        mail["Message-ID"] = f"<{uuid.uuid4()}@home.example>"
        mail["In-Reply-To"] = str(answered["Message-ID"])
        part = answered.get_body(("plain",))
        quoted = [f"> {line}" for line in part.get_content().splitlines()]
        mail.set_content("\n".join([body, "", "Am 20.11.2026 um 10:15 schrieb Testrunde:", *quoted]))
        with smtplib.SMTP(self.postfix.host, self.postfix.smtp_port, timeout=30) as server:
            server.send_message(mail)


def settings(box: Box, boss: Box, dovecot: Dovecot, postfix: Postfix) -> str:
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
        security="starttls",
    )


def make_server_club(folder: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> ServerClub:
    """A club with two players, a small dictionary and no match."""
    mark = uuid.uuid4().hex[:8]
    box = new_box(f"gm-{mark}")
    boss = new_box(f"playerboss{mark}")
    file = folder / "moderator.toml"
    file.write_text(settings(box, boss, dovecot, postfix), encoding="utf-8")
    file.chmod(0o600)
    (folder / "words.txt").write_text("\n".join(WORDS), encoding="utf-8")
    build_lexicon("de", [str(folder / "words.txt")], folder / "lexicons")
    config = load_config(file)
    create_database(config)
    players = {name: new_box(f"player{name.lower()}{mark}") for name in NAMES}
    with open_club(file) as work:
        for name, mailbox in players.items():
            add_player(work.session, name, f"{mailbox.user}@{DOMAIN}", work.now)
    return ServerClub(config, box, {**players, "boss": boss}, postfix)


# ---- an evening ----


@dataclass(frozen=True)
class Template:
    """A club with a match whose starting mails are queued."""

    club: ServerClub
    dovecot: Dovecot
    code: str
    token: str

    def copy(self, folder: Path, imap_port: int = 0, smtp_port: int = 0) -> ServerClub:
        """The same club under names of its own; all have the same length, so the bytes can be exchanged in place. With
        ports its connections go there, unencrypted, so that lines can be told apart."""
        old, new = self.club.box.user.partition("-")[2], uuid.uuid4().hex[:8]
        shutil.copytree(self.club.file.parent, folder)
        for name in ("moderator.toml", "moderator.sqlite"):
            file = folder / name
            file.write_bytes(file.read_bytes().replace(old.encode(), new.encode()))
        if imap_port:
            file = folder / "moderator.toml"
            text = file.read_text(encoding="utf-8").replace("starttls", "plain")
            text = text.replace("[smtp]", "[smtp]\nconnections = 1\ndata_timeout = 10")
            for was, now in ((self.dovecot.imap_port, imap_port), (self.club.postfix.smtp_port, smtp_port)):
                text = text.replace(f"port = {was}", f"port = {now}\ntimeout = 10")
            file.write_text(text, encoding="utf-8")
        boxes = {name: Box(self.dovecot, box.user.replace(old, new)) for name, box in self.club.players.items()}
        config = load_config(folder / "moderator.toml")
        return ServerClub(config, Box(self.dovecot, config.imap.user), boxes, self.club.postfix)

    def letter(self, club: ServerClub, number: int, body: str) -> bytes:
        head = f"From: Anna <{club.players['Anna'].address}>\r\nTo: {club.box.address}\r\n"
        head += f"Subject: [{self.code}-{self.token}]\r\nMessage-ID: <{number}@home.example>\r\n"
        return f"{head}\r\n{body}\r\n".encode()

    def write(self, club: ServerClub, *bodies: str) -> None:
        club.box.deliver(*(self.letter(club, number, body) for number, body in enumerate(bodies)))


def make_template(folder: Path, dovecot: Dovecot, postfix: Postfix) -> Template:
    folder.mkdir()
    club = make_server_club(folder, dovecot, postfix, lambda user: Box(dovecot, user))
    code = club.start(NAMES)
    with club.work() as work:
        token = work.session.exec(select(SeatRow.token).where(SeatRow.number == 0)).one()
    plain_boards(club)  # type: ignore[arg-type]
    return Template(club, dovecot, code, token)


def wrong(club: ServerClub, repeated: int = 0, filed: int | None = 2, mails: Any = ANSWERS) -> list[str]:
    """What is not as it should be after the evening: a pass was played, these ``mails`` went out, each once or, of
    ``repeated`` ones, twice; so many mails lie in the folder of those that were handled (None = any number)."""
    with club.work() as work:
        found = [str(fault) for fault in iter_integrity_faults(work.session, work.config, CheckedCounts())]
        events = work.session.exec(select(EventRow.kind, EventRow.text)).all()
        states = set(work.session.exec(select(InboxRow.state)))
        rows = work.session.exec(select(OutboxRow)).all()
    kinds = Counter((row.kind, row.state) for row in rows)
    if (events, states) != ([("move", "passe")], {"done"}):
        found.append(f"log: {events}, inbox: {states}")
    if kinds != {(kind, "sent"): count for kind, count in mails.items()}:
        found.append(f"outbox: {kinds}")
    there, done = (len(club.box.folder(name)) for name in ("INBOX", "Processed"))
    if there or filed not in (None, done):
        found.append(f"{there} mails still in the mailbox, {done} filed away")
    if not eventually(lambda: not under_way(club.postfix)):
        found.append("mails don't leave the server")
    arrived = {name: Counter(str(mail["Message-ID"]) for mail in club.inbox(name)) for name in NAMES}
    for name, ids in arrived.items():
        if ids.keys() != {row.message_id for row in rows if row.recipient == club.players[name].address}:
            found.append(f"{name} has {len(ids)} mails")
    twice = sum(ids.total() - len(ids) for ids in arrived.values())
    return found + ([f"{twice} mails came twice"] if twice > repeated else [])


def under_way(postfix: Postfix) -> bool:
    queues = (postfix.folder / "spool" / name for name in ("maildrop", "incoming", "active", "deferred"))
    return any(path.is_file() for queue in queues for path in queue.rglob("*"))
