"""The mailbox's side of a run: mails are copied into the database before any is handled, and moved in the mailbox only
after what they led to is committed; a time without a good look into it moves the deadlines.

Of mails that lay in the mailbox before the club was, a few are read like any others; of many the operator says whether
they are read, or left untouched for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from moderator.common.errors import OperatorError, TransientError
from moderator.common.mails import Mailbox, RawMail, UnreadableMailsError
from moderator.common.text import count_noun
from moderator.mail import trial_letter
from moderator.run.context import RunContext
from moderator.run.log import LOG
from moderator.service.deadlines import DeadlineGuard
from moderator.settings import Config
from moderator.store import due_work, inbox, key_values
from moderator.store.database import IntegrityError, Store, open_store
from moderator.store.due_work import ClockDoubt, ClubTime
from moderator.store.inbox import is_older_mail
from moderator.store.installation import hold_tick_lock

MOST = 50
"""Mails older than the club that are read without a word."""
_READ = "old-mails-are-read"
"""Key of the operator's word, which holds until the mailbox was read to its end."""
_RECENT = timedelta(hours=1)
"""Mails that have come since then are not looked into: the database is asked nothing for them."""
_HEAD = 8_000
"""Bytes of a mail that say how old it is."""


def build_known_filter(store: Store) -> Callable[[Sequence[str]], set[str]]:
    """Build a function that returns which of these places in the mailbox were read by an earlier run, or are left
    unread."""

    def filter_known(keys: Sequence[str]) -> set[str]:
        with store.autocommit_connection() as connection:
            return inbox.load_known_keys(connection, keys)

    return filter_known


@dataclass
class OldMailFilter:
    """A filter that holds back mails that are older than the club."""

    config: Config
    store: Store
    box: Mailbox
    found: int = 0

    @cached_property
    def decided(self) -> str:
        """The operator's decision: "read", "leave", or "" as long as nobody was asked."""
        with self.store.begin_transaction() as session:
            if key_values.find_value(session, _READ) is not None:
                return "read"
            return "leave" if inbox.has_old_mails_left(session) else ""

    def list_old_mails(self, mails: Sequence[RawMail]) -> list[RawMail]:
        with self.store.begin_transaction() as session:
            began = inbox.find_club_start(session) or self.config.read_clock()
        return [mail for mail in mails if is_older_mail(mail.data, mail.received, began)]

    def hold_back_old_mails(self, mails: Sequence[RawMail]) -> list[RawMail]:
        """Leave the old mails where they lie; returns the others."""
        old = self.list_old_mails(mails)
        if old:
            with self.store.begin_transaction() as session:
                inbox.leave_mails_unread(session, [mail.key for mail in old], self.config.read_clock())
        self.found += len(old)
        return [mail for mail in mails if mail not in old]

    def filter_mails(self, mails: Sequence[RawMail], now: datetime) -> Sequence[RawMail]:
        """Return the mails that may be read, where it is ``now`` for the club. Raises OperatorError where so many are
        old that somebody has to decide."""
        if not any(is_older_mail(mail.data, mail.received, now - _RECENT) for mail in mails):
            return mails
        if self.decided == "read":
            return mails
        if self.decided == "leave":
            return self.hold_back_old_mails(mails)
        self.found += len(self.list_old_mails(mails))
        if self.found > MOST:
            raise OperatorError(
                f"Of the {self.box.waiting()} mails in the mailbox more than {MOST} are older than this club.",
                "`moderator tick --from-now` leaves those untouched for ever, `moderator tick --all` reads them.",
            )
        return mails

    def finish_reading(self) -> None:
        """Finish when the mailbox was read to its end: the decision to read old mails is used up."""
        if vars(self).get("decided") == "read":
            with self.store.begin_transaction() as session:
                key_values.delete_value(session, _READ)


def count_mails_left_unread(config: Config) -> int:
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        return inbox.count_left_mails(session)


def allow_old_mails(config: Config) -> None:
    """Let the next run read the mails that are older than the club, also those that were left before."""
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        inbox.forget_left_mails(session)
        key_values.save_value(session, _READ, "yes")


def leave_old_mails(config: Config, box: Mailbox) -> int:
    """Leave the mails that are older than the club where they lie; returns how many. Raises OperatorError while a run
    is at work."""
    with closing(open_store(config.database)) as store, hold_tick_lock(config.database) as mine:
        if not mine:
            raise OperatorError("Another run is at work.", "Try again when it has ended.")
        sieve = OldMailFilter(config, store, box)
        with store.begin_transaction() as session:
            inbox.leave_mails_unread(session, [], config.read_clock())
        for batch in box.fetch(build_known_filter(store), _HEAD):
            sieve.hold_back_old_mails(batch)
        return sieve.found


PATIENCE = timedelta(hours=1)
"""So long deadlines wait for a mail that cannot be read: it may be an order that came in time."""
DELETE = "Delete it or move it away in your mail program; all others are read, and deadlines go on."
FEW = 5
"""So many mails may be damaged; where more cannot be read, it is the mailbox that is."""


def fetch_mails(run: RunContext, box: Mailbox) -> None:
    """Copy new mails into the inbox, a batch per transaction.

    A few that cannot be read hold nothing up for long, and `moderator today` names them. Raises TransientError;
    OperatorError where many are older than the club and nobody has decided what becomes of those."""
    sieve, unread, summary = OldMailFilter(run.config, run.store, box), dict[str, str](), run.summary
    try:
        for batch in box.fetch(build_known_filter(run.store), run.config.mail.max_bytes):
            mails, own = split_off_trials(run.store, batch)
            summary.trials += [mail.key for mail in own]
            summary.taken += save_mails(run.store, sieve.filter_mails(mails, run.now), run.now, unread=True)
        sieve.finish_reading()
    except UnreadableMailsError as error:
        if len(error.mails) > FEW:
            raise TransientError(f"{error} Until they can be read, no deadline is looked at.") from error
        unread = dict(error.mails)
    summary.unread = unread


def record_unread_mails(run: RunContext, noted: str) -> bool:
    """Record the mails that cannot be read, and since when; returns whether that is long ago for all of them.

    Of each the operator is notified once, when it is. ``noted``: what earlier runs have recorded."""
    unread, before, now = run.summary.unread, key_values.UnreadableMail.decode_all(noted), run.now
    kept = [before.get(key) or key_values.UnreadableMail(where, now) for key, where in unread.items()]
    for one in kept:
        if not one.told and now - one.since >= PATIENCE:
            run.summary.add_trouble(f"The mailbox does not hand out a mail ({one.where}). {DELETE}")
            one.told = True
    if before or kept:
        due_work.save_value_at(
            run.store.place, due_work.UNREAD, key_values.UnreadableMail.encode_all(dict(zip(unread, kept, strict=True)))
        )
    return all(one.told for one in kept)


def split_off_trials(store: Store, mails: Sequence[RawMail]) -> tuple[list[RawMail], list[RawMail]]:
    """Split mails into those for the games, and those that `moderator doctor --mail` has sent to try the mailbox, with
    reports on them."""
    if not any(trial_letter.may_be_trial_mail(mail.data) for mail in mails):
        return list(mails), []
    secret = key_values.find_trial_secret(store.place)
    own = [mail for mail in mails if trial_letter.is_trial_mail(mail.data, secret)]
    if own:
        LOG.info("%d mails of `doctor --mail` put out of the way", len(own))
    return [mail for mail in mails if mail not in own], own


def save_mails(store: Store, mails: Sequence[RawMail], now: datetime, unread: bool = False) -> int:
    """Save mails in the inbox; returns how many are new. ``unread``: see ``inbox.insert_mails``."""
    try:
        with store.begin_transaction() as session:
            taken = inbox.insert_mails(session, mails, now, unread)
    except IntegrityError:  # another worker has just taken in one of them; now that is known
        with store.begin_transaction() as session:
            taken = inbox.insert_mails(session, mails, now)
    for number in taken:
        LOG.info("mail %d taken in", number)
    return len(taken)


def move_handled_mails(run: RunContext, box: Mailbox) -> None:
    """Move the handled mails out of the mailbox's inbox, all at once, and with them those of a trial."""
    with run.store.autocommit_connection() as connection:
        processed, failed = inbox.list_unfiled_keys(connection)
    if processed or failed or run.summary.trials:
        box.file_away([*processed, *run.summary.trials], failed)
        # Should power fail before this is on the disk, the next run looks for them in vain, and notes it again.
        with run.store.autocommit_connection() as connection:
            inbox.mark_filed(connection, [*processed, *failed])


def detect_outage(run: RunContext, time: ClubTime, began: datetime) -> None:
    """Detect whether the mailbox was not read to its end for too long before this poll; then move the deadlines.

    They move before anything is done that they could count for, and they move once, also if the process dies right
    after."""
    why = _find_outage_reason(run, time)
    if time.since is not None and why:
        run.cache.catching_up = True
        with run.stop_clock(began).begin_transaction() as work:
            moved = DeadlineGuard(work).move_deadlines_after_outage(time.since, began)
            key_values.record_poll(work.session.connection(), began)
        back = "; `moderator clock undo` moves them back" if moved else ""
        run.summary.add_trouble(f"{why}: the deadlines of {count_noun(moved, 'match')} moved{back}", mailed=True)
    else:
        with run.store.autocommit_connection() as connection:
            key_values.record_poll(connection, began)


def _find_outage_reason(run: RunContext, time: ClubTime) -> str:
    guard = run.config.guard
    return time.find_outage_reason(run.config.database, guard.outage_hours, guard.settling_time, run.config.club.zone)


def weigh_clock(run: RunContext, time: ClubTime) -> ClubTime:
    """Return the same time, or one in doubt where deadlines would move further than they may without the moderator's
    word.

    The time that was lost is marked, so that nothing that this run takes in hides it."""
    if time.since is None or time.doubt is not ClockDoubt.NONE or not _find_outage_reason(run, time):
        return time
    due_work.mark_mailbox_silent_at(run.store.place, time.since)
    if time.confirmed:
        return time
    with run.stop_clock(time.now).begin_transaction() as work:
        asks = DeadlineGuard(work).needs_clock_confirmation(time.since, time.shown)
    return time.with_ahead_doubt() if asks else time


def ask_about_clock(run: RunContext, time: ClubTime) -> None:
    if time.since is not None:
        with run.stop_clock(time.now).begin_transaction() as work:
            DeadlineGuard(work).ask_clock_confirmation(time.since, time.shown)
