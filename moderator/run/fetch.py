"""The mailbox's side of a run: mails are copied into the database before any is handled, and moved in the mailbox only
after what they led to is committed; a time without a good look into it moves the deadlines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from moderator.common.errors import TransientError
from moderator.common.mails import Mailbox, RawMail, UnreadableMailsError
from moderator.delivery.deliver import open_unit_of_work
from moderator.mail import trial_letter
from moderator.run.log import LOG, RunSummary
from moderator.run.old_mails import OldMailFilter, build_known_filter
from moderator.service import deadlines
from moderator.settings import Config
from moderator.store import due_work, inbox, key_values, trials
from moderator.store.club_time import ClockDoubt, ClubTime
from moderator.store.database import IntegrityError, Store
from moderator.views.desk import Desk
from moderator.views.match_cache import MatchCache

PATIENCE = timedelta(hours=1)
"""So long deadlines wait for a mail that cannot be read: it may be an order that came in time."""
DELETE = "Delete it or move it away in your mail program; all others are read, and deadlines go on."
FEW = 5
"""So many mails may be damaged; where more cannot be read, it is the mailbox that is."""


def fetch_mails(config: Config, store: Store, box: Mailbox, now: Callable[[], datetime], summary: RunSummary) -> None:
    """Copy new mails into the inbox, a batch per transaction.

    A few that cannot be read hold nothing up for long, and `moderator today` names them. Raises TransientError;
    OperatorError where many are older than the club and nobody has decided what becomes of those."""
    sieve, unread = OldMailFilter(config, store, box), dict[str, str]()
    try:
        for batch in box.fetch(build_known_filter(store), config.mail.max_bytes):
            mails, own = split_off_trials(store, batch)
            summary.trials += [mail.key for mail in own]
            summary.taken += save_mails(store, sieve.filter_mails(mails, now()), now(), unread=True)
        sieve.finish_reading()
    except UnreadableMailsError as error:
        if len(error.mails) > FEW:
            raise TransientError(f"{error} Until they can be read, no deadline is looked at.") from error
        unread = dict(error.mails)
    summary.unread = unread


def record_unread_mails(store: Store, noted: str, now: datetime, summary: RunSummary) -> bool:
    """Record the mails that cannot be read, and since when; returns whether that is long ago for all of them.

    Of each the operator is notified once, when it is. ``noted``: what earlier runs have recorded."""
    unread, before = summary.unread, key_values.UnreadableMail.decode_all(noted)
    kept = [before.get(key) or key_values.UnreadableMail(where, now) for key, where in unread.items()]
    for one in kept:
        if not one.told and now - one.since >= PATIENCE:
            summary.add_trouble(f"The mailbox does not hand out a mail ({one.where}). {DELETE}")
            one.told = True
    if before or kept:
        due_work.save_value_at(
            store.place, due_work.UNREAD, key_values.UnreadableMail.encode_all(dict(zip(unread, kept, strict=True)))
        )
    return all(one.told for one in kept)


def split_off_trials(store: Store, mails: Sequence[RawMail]) -> tuple[list[RawMail], list[RawMail]]:
    """Split mails into those for the games, and those that `moderator doctor --mail` has sent to try the mailbox, with
    reports on them."""
    if not any(trial_letter.may_be_trial_mail(mail.data) for mail in mails):
        return list(mails), []
    secret = trials.find_trial_secret(store.place)
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


def move_handled_mails(store: Store, box: Mailbox, trials: Sequence[str]) -> None:
    """Move the handled mails out of the mailbox's inbox, all at once, and with them those of a trial."""
    with store.autocommit_connection() as connection:
        processed, failed = inbox.list_unfiled_keys(connection)
    if processed or failed or trials:
        box.file_away([*processed, *trials], failed)
        # Should power fail before this is on the disk, the next run looks for them in vain, and notes it again.
        with store.autocommit_connection() as connection:
            inbox.mark_filed(connection, [*processed, *failed])


def detect_outage(
    config: Config, store: Store, cache: MatchCache, time: ClubTime, began: datetime, summary: RunSummary
) -> None:
    """Detect whether the mailbox was not read to its end for too long before this poll; then move the deadlines.

    They move before anything is done that they could count for, and they move once, also if the process dies right
    after."""
    guard = config.guard
    why = time.find_outage_reason(config.database, guard.outage_hours, guard.settling_time, config.club.zone)
    if time.since is not None and why:
        cache.catching_up = True
        with store.begin_transaction() as session:
            with open_unit_of_work(config, session, began, cache) as desk:
                moved = deadlines.move_deadlines_after_outage(desk, time.since, began)
            key_values.record_poll(session.connection(), began)
        back = "; `moderator clock undo` moves them back" if moved else ""
        summary.add_trouble(f"{why}: the deadlines of {moved} matches moved{back}", mailed=True)
    else:
        with store.autocommit_connection() as connection:
            key_values.record_poll(connection, began)


def weigh_clock(config: Config, store: Store, cache: MatchCache, time: ClubTime) -> ClubTime:
    """Return the same time, or one in doubt where deadlines would move further than they may without the moderator's
    word.

    The time that was lost is marked, so that nothing that this run takes in hides it."""
    guard = config.guard
    if time.since is None or time.doubt is not ClockDoubt.NONE:
        return time
    if not time.find_outage_reason(config.database, guard.outage_hours, guard.settling_time, config.club.zone):
        return time
    due_work.mark_mailbox_silent_at(store.place, time.since)
    if time.confirmed:
        return time
    with store.begin_transaction() as session:
        asks = deadlines.needs_clock_confirmation(Desk(config, session, time.now, cache), time.since, time.shown)
    return time.with_ahead_doubt() if asks else time


def ask_about_clock(config: Config, store: Store, cache: MatchCache, time: ClubTime) -> None:
    """Ask the moderator whether the clock is right."""
    if time.since is not None:
        with (
            store.begin_transaction() as session,
            open_unit_of_work(config, session, time.now, cache) as desk,
        ):
            deadlines.ask_clock_confirmation(desk, time.since, time.shown)
