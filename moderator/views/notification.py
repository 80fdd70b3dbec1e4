"""What somebody is to be told, as a value. Whoever decides notes it (``service/notifications.py``) and makes no mail of
it; at the end of the transaction ``delivery/deliver.py`` builds the page, and decides when it is
read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from moderator.common.enums import MailKind
from moderator.notifications.content import Topic
from moderator.notifications.pages import MailPayload, Page, PendingCommand
from moderator.rules.game import Note
from moderator.store.tables import InboxRow, MatchRow, PlayerRow, SeatRow, Tournament


@dataclass(frozen=True)
class Recipient:
    """The reader of a mail: a player, with the match that it is about and the seat there (None: a watcher); without a
    player the chief, a referee, or a mailbox of somebody unknown."""

    player: PlayerRow | None = None
    match: MatchRow | None = None
    seat: SeatRow | None = None
    referee: bool = False
    """A referee, to whom notices go at once."""


@dataclass(frozen=True)
class MatchNews:
    """News of the recipient's match. The rest of the mail is how the match stands at delivery."""

    kind: MailKind
    payload: MailPayload
    with_tournament: bool = False
    """The mail says what the match is to its tournament."""


@dataclass(frozen=True)
class TournamentNews:
    """A tournament as it stands at delivery."""

    tournament: Tournament
    topic: Topic
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class DailyMail:
    """The daily mail, with all that has waited for it since then."""

    since: datetime


@dataclass(frozen=True)
class MailCopy:
    """A mail that the player was sent before. ``AGAIN``: it answers the mail at hand; of any other kind it never
    arrived, and is what it was."""

    raw: bytes
    kind: MailKind
    match_id: int | None
    round: int


News = Page | MatchNews | TournamentNews | DailyMail | MailCopy | PendingCommand
"""A page is finished already; a command that asks for a mail is carried out at the end of the run."""


@dataclass(frozen=True)
class Notification:
    """One mail to one reader, as it was decided."""

    to: Recipient
    news: News
    answers: bool = False
    """It replies to ``mail``."""
    once: bool = False
    """The reader would not get it another time, so no daily cap on answers stops it."""
    waited: bool = False
    """It has waited for its time already, or must not wait."""
    outbox_kind: MailKind | None = None
    """The kind that the outbox counts it as, if not its own."""
    mail: InboxRow | None = None
    """The mail at hand when it was decided."""

    @property
    def kind(self) -> MailKind:
        """The kind of mail that it becomes."""
        match self.news:
            case TournamentNews():
                return MailKind.TOURNAMENT
            case DailyMail():
                return MailKind.DIGEST
            case PendingCommand():
                return MailKind.ASKED
            case news:
                return news.kind
