"""Mails as an attacker would write them, byte by byte, and what became of them."""

import email
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any, TypeVar, cast

from sqlmodel import Session, select

from moderator.delivery.deliver import deliver_notifications
from moderator.inbox.pipeline import dispatch_mail
from moderator.mail.maildir import deliver_to_maildir
from moderator.store.database import Store, open_store
from moderator.store.tables import InboxRow, MatchRow, PlayerRow
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from tests.club.club import Club
from tests.helpers import READ

MARKS = {
    "Auto-Submitted": "auto-generated",
    "X-Autoreply": "yes",
    "List-Id": "<runde.example>",
    "List-Unsubscribe": "<mailto:x@y.example>",
    "Mailing-List": "runde",
    "Precedence": "bulk",
    "X-Precedence": "junk",
    "X-Loop": "yes",
    "Return-Path": "<>",
    "Subject": "Abwesenheitsnotiz: Urlaub",
}
"""One header each by which a mail looks like a machine's."""
T = TypeVar("T")
BOSS = "boss@club.example"
"""The referee, who gets what no program understands."""
VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"


def as_bytes(club: Club, body: str, headers: Sequence[str], to: str) -> bytes:
    """Exactly these header lines (From among them), and what every mail has."""
    club.sent += 1
    head = [*headers, f"To: {to}", f"Message-ID: <raw-{club.sent}@far.example>", "MIME-Version: 1.0"]
    if not any(line.lower().startswith("content-type:") for line in headers):
        head.append("Content-Type: text/plain; charset=utf-8")
    return "\r\n".join([*head, "", body]).encode("utf-8", "surrogateescape")


def raw(club: Club, body: str, *headers: str, to: str = "games@club.example") -> InboxRow:
    """Deliver it, run a tick, and return the mail as it was kept."""
    deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), as_bytes(club, body, headers, to))
    return ticked(club)


@dataclass(frozen=True)
class Tried:
    """What a mail would lead to."""

    state: str
    mails: list[EmailMessage]
    """The answers."""
    moved: bool
    """Whether it is still Anna's turn in both matches, or not."""
    matches: list[dict[str, Any]]
    players: list[dict[str, Any]]
    leaves: int

    @property
    def to(self) -> list[str]:
        """Bare addresses of those who would be written to."""
        return [str(mail["To"]).rpartition("<")[2].strip(">") for mail in self.mails]

    @property
    def told(self) -> str:
        return "\n".join(everything(mail) for mail in self.mails)


class _UndoneError(Exception):
    """Raised to end the transaction."""


def undone(store: Store, see: Callable[[Session], T]) -> T:
    """What is seen in a transaction that comes to nothing."""
    found: list[T] = []
    with suppress(_UndoneError), store.begin_transaction() as session:
        found.append(see(session))
        raise _UndoneError
    return found[0]


@dataclass
class Still:
    """A club where each mail is handled, looked at, and undone: some hundred cases need one club."""

    club: Club
    one: str
    """Anna against Bert."""
    two: str
    """Anna against Cici."""
    _store: list[Store] = field(default_factory=list)

    def seat(self, number: int, code: str = "") -> str:
        return seat_address(self.club, code or self.one, number)

    def tried(self, body: str, *headers: str, to: str = "games@club.example") -> Tried:
        data = as_bytes(self.club, body, headers, to)
        if not self._store:
            self._store.append(open_store(self.club.config.database))
        return undone(self._store[0], lambda session: _seen(*handled(self.club, session, data)))


def handled(club: Club, session: Session, data: bytes) -> tuple[UnitOfWork, InboxRow]:
    """What has become of a mail."""
    row = InboxRow(digest="x", received_at=club.now, taken_at=club.now, size=len(data), raw=data)
    session.add(row)
    session.flush()
    work = UnitOfWork(club.config, session, club.now, MatchCache(club.config), row)
    dispatch_mail(work)
    session.flush()
    return work, row


def _seen(work: UnitOfWork, row: InboxRow) -> Tried:
    matches = work.session.exec(select(MatchRow).order_by(MatchRow.id)).all()  # type: ignore[arg-type]
    players = work.session.exec(select(PlayerRow).order_by(PlayerRow.id)).all()  # type: ignore[arg-type]
    running = [match for match in matches if match.status == "running"]
    turns = [work.cache.load_match(work.session, match).table.state.to_move for match in running]
    mails = [email.message_from_bytes(one.data, policy=READ) for one in deliver_notifications(work)]
    return Tried(
        row.state,
        [cast(EmailMessage, mail) for mail in mails],
        turns != [(0,), (0,)],
        [match.model_dump() for match in matches],
        [player.model_dump() for player in players],
        sum(len(work.cache.list_player_leaves(work.session, player.number)) for player in players),
    )


def ticked(club: Club) -> InboxRow:
    """Run a tick in which nothing may fail; the newest mail as it was kept."""
    summary = club.tick()
    assert (summary.quarantined, summary.troubles) == ([], [])
    with club.work() as work:
        row = work.session.exec(select(InboxRow).order_by(InboxRow.id.desc())).first()  # type: ignore[union-attr]
        assert row.state != "received"
        return InboxRow(**row.model_dump())


def seat_address(club: Club, code: str, seat: int) -> str:
    return f"games+{code}-{club.token(code, seat)}@club.example"


def everything(mail: EmailMessage) -> str:
    """All that a reader's program gets to see: decoded headers, texts, HTML, calendars, file names."""
    parts = [f"{name}: {value}" for name, value in mail.items()]
    for part in mail.walk():
        parts.append(str(part.get_filename()))
        if part.get_content_maintype() == "text":
            parts.append(str(part.get_content()))
    return "\n".join(parts)


def started(club: Club, *names: str, **more: object) -> str:
    """A match that is under way, its first mails read."""
    code = club.match(*(names or ("Anna", "Bert")), **more)  # type: ignore[arg-type]
    club.tick_unread()
    return code


def to_move(club: Club, code: str) -> tuple[int, ...]:
    return tuple(club.live(code).table.state.to_move)
