"""The mailbox's side of a run: mails are copied into the database before any is handled, and moved in the mailbox only
after what they led to is committed; a time without a good look into it moves the deadlines. And what a run did, for
the operator's eyes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from moderator.config import Config
from moderator.mail.model import Mailbox, RawMail
from moderator.mail.trial import letter
from moderator.run.log import LOG
from moderator.store import probe, trials

if TYPE_CHECKING:
    from moderator.club.run_cache import RunCache
    from moderator.store.db import Store


@dataclass
class Summary:
    show: Callable[[int, int], None] | None = field(default=None, repr=False)
    """Is told after each mail how many have been handled, of how many that waited."""
    taken: int = 0
    waiting: int = 0
    """Mails that were there to be handled when the run began with that."""
    handled: int = 0
    quarantined: list[str] = field(default_factory=list)
    """One line per mail that our own code could not handle."""
    deadlines: int = 0
    reminders: int = 0
    digests: int = 0
    steps: int = 0
    """Of tournaments: registrations opened, rounds paired, games begun or settled, reports."""
    reviews: int = 0
    """Of finished matches, that have become whole."""
    sent: int = 0
    retry: int = 0
    dead: int = 0
    troubles: list[str] = field(default_factory=list)
    """One line each for what the operator must look at: suspended matches, refused mails."""
    away: list[str] = field(default_factory=list)
    """Servers that did not answer; only worth a word when it lasts."""
    reached: set[str] = field(default_factory=set)
    """Servers that did, as ``host:port``; "" = the run took place (no other was at it) and has reached its end."""

    trials: list[str] = field(default_factory=list)
    """Where mails lie by which `moderator doctor --mail` tries the mailbox: they are only put out of the way."""

    def trouble(self, line: str, logged: str = "") -> None:
        """Note a line once, however many matches it hits. ``logged``: instead of a line that quotes more than the log
        should hold."""
        if line not in self.troubles:
            self.troubles.append(line)
            LOG.error("%s", logged or line)

    def one_handled(self) -> None:
        """Count a mail that has been handled."""
        self.handled += 1
        if self.show:
            self.show(self.handled, max(self.waiting, self.handled))

    @property
    def quiet(self) -> bool:
        return not any(
            value for name, value in vars(self).items() if name not in ("show", "waiting", "reached", "trials")
        )


def take_in(store: Store, box: Mailbox, max_bytes: int, now: Callable[[], datetime], summary: Summary) -> None:
    """Copy new mails into the inbox, a batch per transaction."""
    from moderator.store import inbox

    def known(keys: Sequence[str]) -> set[str]:
        with store.marks() as connection:
            return inbox.known(connection, keys)

    for batch in box.fetch(known, max_bytes):
        mails, own = without_trials(store, batch)
        summary.trials += [mail.key for mail in own]
        summary.taken += store_mails(store, mails, now(), unread=True)


def without_trials(store: Store, mails: Sequence[RawMail]) -> tuple[list[RawMail], list[RawMail]]:
    """Mails for the games; those that `moderator doctor --mail` has sent to try the mailbox, and reports on them."""
    if not any(letter.may_be_trial(mail.data) for mail in mails):
        return list(mails), []
    secret = trials.secret(store.place)
    own = [mail for mail in mails if letter.is_trial(mail.data, secret)]
    if own:
        LOG.info("%d mails of `doctor --mail` put out of the way", len(own))
    return [mail for mail in mails if mail not in own], own


def store_mails(store: Store, mails: Sequence[RawMail], now: datetime, unread: bool = False) -> int:
    """Take mails in; returns how many are new. ``unread``: see ``inbox.take_in``."""
    from moderator.store import inbox
    from moderator.store.db import IntegrityError

    try:
        with store.transaction() as session:
            taken = inbox.take_in(session, mails, now, unread)
    except IntegrityError:  # another worker has just taken in one of them; now that is known
        with store.transaction() as session:
            taken = inbox.take_in(session, mails, now)
    for number in taken:
        LOG.info("mail %d taken in", number)
    return len(taken)


def file_away(store: Store, box: Mailbox, trials: Sequence[str]) -> None:
    """Move the handled mails out of the mailbox's inbox, all at once, and with them those of a trial."""
    from moderator.store import inbox

    with store.marks() as connection:
        processed, failed = inbox.unfiled(connection)
    if processed or failed or trials:
        box.file_away([*processed, *trials], failed)
        # Should power fail before this is on the disk, the next run looks for them in vain, and notes it again.
        with store.marks() as connection:
            inbox.set_filed(connection, [*processed, *failed])


def look_back(
    config: Config, store: Store, cache: RunCache, before: datetime | None, began: datetime, summary: Summary
) -> None:
    """The mailbox was read to its end, as it last was ``before``. If that had not been so for too long, deadlines move
    before anything is done that they could count for; they move once, also if the process dies right afterwards."""
    from moderator.club.desk import Desk
    from moderator.play import deadlines
    from moderator.store import key_values

    if before is not None and (why := lost(config, before, began)):
        cache.catching_up = True
        with store.transaction() as session:
            moved = deadlines.after_outage(Desk(config, session, began, cache), before, began)
            key_values.note_poll(session.connection(), began)
        summary.trouble(f"{why}: the deadlines of {moved} matches moved")
    else:
        with store.marks() as connection:
            key_values.note_poll(connection, began)


def lost(config: Config, before: datetime | None, began: datetime) -> str:
    """Why deadlines should move: so long without a poll, or a clock that was put forward by more than what is waited
    after each deadline anyway; "" = they should not."""
    if before is None:
        return ""
    if config.guard.outage(before, began):
        return f"no poll since {before.astimezone(ZoneInfo(config.club.zone)):%Y-%m-%d %H:%M}"
    settle = config.guard.settle
    if began - before > settle and (forward := probe.put_forward(config.database, before, began)) > settle:
        return f"the clock was put forward by {forward}"
    return ""
