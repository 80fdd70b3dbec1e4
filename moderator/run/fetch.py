"""The mailbox's side of a run: mails are copied into the database before any is handled, and moved in the mailbox only
after what they led to is committed; a time without a good look into it moves the deadlines. And what a run did, for
the operator's eyes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from moderator.common.errors import TransientError
from moderator.mail import trial_letter
from moderator.mail.model import Mailbox, RawMail, UnreadableMailsError
from moderator.run.log import LOG
from moderator.settings import Config
from moderator.store import due_work, trials
from moderator.store.club_time import ClockDoubt, ClubTime

if TYPE_CHECKING:
    from moderator.store.database import Store
    from moderator.views.match_cache import MatchCache


@dataclass
class RunSummary:
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
    mailed: set[str] = field(default_factory=set)
    """Those of them that the moderator reads in a mail: cron need not tell them a second time."""
    away: list[str] = field(default_factory=list)
    """Servers that did not answer; only worth a word when it lasts."""
    reached: set[str] = field(default_factory=set)
    """Servers that did, as ``host:port``; "" = the run took place (no other was at it) and has reached its end."""

    unread: Mapping[str, str] = field(default_factory=dict)
    """Where the mails lie that the mailbox does not hand out."""
    trials: list[str] = field(default_factory=list)
    """Where mails lie by which `moderator doctor --mail` tries the mailbox: they are only put out of the way."""

    _hit: dict[str, list[str]] = field(default_factory=dict, repr=False)
    """By what is wrong: the mails, matches and players that it concerns."""

    def add_trouble(self, line: str, logged: str = "", about: str = "", mailed: bool = False) -> None:
        """Add a line once, however many things it concerns.

        ``about``: one of them, which the line then names. ``logged``: instead of a line that quotes more than the log
        should hold; ``mailed``: the moderator reads of it in a mail."""
        hit = self._hit.setdefault(line, [])
        before = _format_affected(hit, line)
        hit += [about] if about and about not in hit else []
        named = _format_affected(hit, line)
        if before in self.troubles:
            self.troubles[self.troubles.index(before)] = named
            self.mailed.discard(before)
        else:
            self.troubles.append(named)
        if mailed:
            self.mailed.add(named)
        if before != named or not about:
            LOG.error("%s", logged or (f"{about}: {line}" if about else line))

    def count_handled(self) -> None:
        """Count a mail that has been handled."""
        self.handled += 1
        if self.show:
            self.show(self.handled, max(self.waiting, self.handled))

    @property
    def is_quiet(self) -> bool:
        return not any(
            value
            for name, value in vars(self).items()
            if name not in ("show", "waiting", "reached", "trials", "unread", "_hit")
        )


MOST_NAMED = 5
"""Things that one line names."""
PATIENCE = timedelta(hours=1)
"""So long deadlines wait for a mail that cannot be read: it may be an order that came in time."""
DELETE = "Delete it or move it away in your mail program; all others are read, and deadlines go on."
FEW = 5
"""So many mails may be damaged; where more cannot be read, it is the mailbox that is."""


def _format_affected(hit: Sequence[str], line: str) -> str:
    more = f" and {len(hit) - MOST_NAMED} more" if len(hit) > MOST_NAMED else ""
    return f"{', '.join(hit[:MOST_NAMED])}{more}: {line}" if hit else line


def fetch_mails(config: Config, store: Store, box: Mailbox, now: Callable[[], datetime], summary: RunSummary) -> None:
    """Copy new mails into the inbox, a batch per transaction.

    A few that cannot be read hold nothing up for long, and `moderator today` names them. Raises TransientError;
    OperatorError where many are older than the club and nobody has decided what becomes of those."""
    from moderator.run.old_mails import OldMailFilter, build_known_filter

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
    from moderator.store import key_values

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
    from moderator.store import inbox
    from moderator.store.database import IntegrityError

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
    from moderator.store import inbox

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
    from moderator.service import deadlines
    from moderator.service.desk import Desk
    from moderator.store import key_values

    if time.since is not None and (why := outage_reason(config, time)):
        cache.catching_up = True
        with store.begin_transaction() as session:
            moved = deadlines.move_deadlines_after_outage(Desk(config, session, began, cache), time.since, began)
            key_values.record_poll(session.connection(), began)
        back = "; `moderator clock undo` moves them back" if moved else ""
        summary.add_trouble(f"{why}: the deadlines of {moved} matches moved{back}", mailed=True)
    else:
        with store.autocommit_connection() as connection:
            key_values.record_poll(connection, began)


def outage_reason(config: Config, time: ClubTime) -> str:
    """Return why deadlines should move: so long without a poll, or a clock that was put forward by more than what is
    waited after each deadline anyway; "" = they should not."""
    if time.since is None:
        return ""
    if time.has_poll_gap(config.guard.outage_hours):
        return f"no poll since {time.since.astimezone(ZoneInfo(config.club.zone)):%Y-%m-%d %H:%M}"
    settle = config.guard.settling_time
    if time.shown - time.since > settle:
        forward = due_work.clock_jump(config.database, time.since, time.shown)
        if forward > settle:
            return f"the clock was put forward by {forward}"
    return ""


def weigh_clock(config: Config, store: Store, cache: MatchCache, time: ClubTime) -> ClubTime:
    """Return the same time, or one in doubt where deadlines would move further than they may without the moderator's
    word.

    The time that was lost is marked, so that nothing that this run takes in hides it."""
    from moderator.service import deadlines
    from moderator.service.desk import Desk

    if time.since is None or time.doubt is not ClockDoubt.NONE or not outage_reason(config, time):
        return time
    due_work.mark_mailbox_silent_at(store.place, time.since)
    if time.confirmed:
        return time
    with store.begin_transaction() as session:
        asks = deadlines.needs_clock_confirmation(Desk(config, session, time.now, cache), time.since, time.shown)
    return time.with_ahead_doubt() if asks else time


def ask_about_clock(config: Config, store: Store, cache: MatchCache, time: ClubTime) -> None:
    """Ask the moderator whether the clock is right."""
    from moderator.service import deadlines
    from moderator.service.desk import Desk

    if time.since is not None:
        with store.begin_transaction() as session:
            deadlines.ask_clock_confirmation(Desk(config, session, time.now, cache), time.since, time.shown)
