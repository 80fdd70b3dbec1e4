"""The post: mail files that go in, and mails that come out, as a mail program sees them."""

from __future__ import annotations

import email
import os
import re
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path

from tests.policies import READ, WRITE

CODE = re.compile(r" \[(?P<code>[A-Z0-9]{4})-[A-Z0-9]+\]$")
BLANK = re.compile(r"\r?\n\r?\n")


@dataclass(frozen=True)
class Letter:
    """A mail that somebody got."""

    reader: str
    code: str
    """Of the match; "" = about none."""
    subject: str
    """Without the token at its end."""
    first: str
    """The first paragraph: what a phone shows before the mail is opened."""
    body: str
    reply_to: str
    answers: str
    """Message-ID of the mail that it answers."""

    def __str__(self) -> str:
        return f"To {self.reader} [{self.code}]\n  Subject: {self.subject}\n  First line: {self.first}"


class Post:
    """The two folders of mail of a club."""

    def __init__(self, club: Path) -> None:
        self.out = club / "mail" / "out" / "new"
        self.into = club / "mail" / "in"
        for part in ("new", "cur", "tmp"):
            (self.into / part).mkdir(parents=True, exist_ok=True)
        self.known: set[str] = set()
        self.written = 0

    def write(self, sender: str, to: str, text: str, at: datetime) -> str:
        """Leave a mail in the inbox, as if it had come ``at`` that time; its Message-ID."""
        self.written += 1
        mail = EmailMessage(policy=WRITE)
        mail["From"], mail["To"], mail["Subject"] = f"{sender} <{sender.lower()}@home.example>", to, "Re: moderator"
        mail["Message-ID"], mail["Date"] = f"<{self.written}.{sender.lower()}@home.example>", at
        mail.set_content(text + "\n")
        file = self.into / "new" / f"{self.written:06}.eml"
        file.write_bytes(mail.as_bytes())
        os.utime(file, (at.timestamp(), at.timestamp()))
        return str(mail["Message-ID"])

    def fetch(self) -> list[Letter]:
        """What came out since the last time, in order."""
        fresh = sorted(file for file in self.out.iterdir() if file.name not in self.known) if self.out.is_dir() else []
        self.known.update(file.name for file in fresh)
        return [_letter(file.read_bytes()) for file in fresh]


def _letter(data: bytes) -> Letter:
    mail = email.message_from_bytes(data, policy=READ)
    assert isinstance(mail, EmailMessage)
    part = mail.get_body(("plain",))
    body = str(part.get_content()) if part else ""
    subject = " ".join(str(mail["Subject"]).split())
    token = CODE.search(subject)
    return Letter(
        reader=str(mail["To"]).split()[0],
        code=token["code"] if token else "",
        subject=CODE.sub("", subject),
        first=" ".join(BLANK.split(body)[0].split()),
        body=body.replace("\r\n", "\n"),
        reply_to=str(mail["Reply-To"] or ""),
        answers=str(mail["In-Reply-To"] or "").strip(),
    )
