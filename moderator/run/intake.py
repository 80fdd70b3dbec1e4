"""The mailbox's side of a run: mails are copied into the database before any is handled, and moved in the mailbox only
after what they led to is committed; a time without a good look into it moves the deadlines. And what a run did, for
the operator's eyes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from moderator.config import Config
from moderator.errors import TransientError
from moderator.mail.model import Mailbox, RawMail, Unread
from moderator.mail.trial import letter
from moderator.run.log import LOG
from moderator.store import probe, trials
from moderator.store.club_time import ClubTime, Doubt

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

    def trouble(self, line: str, logged: str = "", about: str = "", mailed: bool = False) -> None:
        """Note a line once, however many things it hits; ``about``: one of them, which the line then names. ``logged``:
        instead of a line that quotes more than the log should hold; ``mailed``: the moderator is told of it in a mail.
        """
        hit = self._hit.setdefault(line, [])
        before = _about(hit, line)
        hit += [about] if about and about not in hit else []
        named = _about(hit, line)
        if before in self.troubles:
            self.troubles[self.troubles.index(before)] = named
            self.mailed.discard(before)
        else:
            self.troubles.append(named)
        if mailed:
            self.mailed.add(named)
        if before != named or not about:
            LOG.error("%s", logged or (f"{about}: {line}" if about else line))

    def one_handled(self) -> None:
        """Count a mail that has been handled."""
        self.handled += 1
        if self.show:
            self.show(self.handled, max(self.waiting, self.handled))

    @property
    def quiet(self) -> bool:
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


def _about(hit: Sequence[str], line: str) -> str:
    more = f" and {len(hit) - MOST_NAMED} more" if len(hit) > MOST_NAMED else ""
    return f"{', '.join(hit[:MOST_NAMED])}{more}: {line}" if hit else line


def take_in(config: Config, store: Store, box: Mailbox, now: Callable[[], datetime], summary: Summary) -> None:
    """Copy new mails into the inbox, a batch per transaction. A few that cannot be read keep nothing waiting for long,
    and `moderator today` names them. Raises TransientError; OperatorError where many are older than the club and nobody
    has decided what becomes of those."""
    from moderator.run.old_mails import Sieve, known_to

    sieve, unread = Sieve(config, store, box), dict[str, str]()
    try:
        for batch in box.fetch(known_to(store), config.mail.max_bytes):
            mails, own = without_trials(store, batch)
            summary.trials += [mail.key for mail in own]
            summary.taken += store_mails(store, sieve.through(mails, now()), now(), unread=True)
        sieve.has_ended()
    except Unread as error:
        if len(error.mails) > FEW:
            raise TransientError(f"{error} Until they can be read, no deadline is looked at.") from error
        unread = dict(error.mails)
    summary.unread = unread


def are_long_unread(store: Store, noted: str, now: datetime, summary: Summary) -> bool:
    """Note the mails that cannot be read, and since when; whether that is long ago for all of them. Of each the
    operator is told once, when it is. ``noted``: by earlier runs."""
    from moderator.store import key_values

    unread, before = summary.unread, key_values.Unread.read(noted)
    kept = [before.get(key) or key_values.Unread(where, now) for key, where in unread.items()]
    for one in kept:
        if not one.told and now - one.since >= PATIENCE:
            summary.trouble(f"The mailbox does not hand out a mail ({one.where}). {DELETE}")
            one.told = True
    if before or kept:
        probe.note(store.place, probe.UNREAD, key_values.Unread.written(dict(zip(unread, kept, strict=True))))
    return all(one.told for one in kept)


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


def look_back(config: Config, store: Store, cache: RunCache, time: ClubTime, began: datetime, summary: Summary) -> None:
    """The mailbox was read to its end. If that had not been so for too long, deadlines move before anything is done
    that they could count for; they move once, also if the process dies right afterwards."""
    from moderator.club.desk import Desk
    from moderator.play import deadlines
    from moderator.store import key_values

    if time.since is not None and (why := lost(config, time)):
        cache.catching_up = True
        with store.transaction() as session:
            moved = deadlines.after_outage(Desk(config, session, began, cache), time.since, began)
            key_values.note_poll(session.connection(), began)
        back = "; `moderator clock undo` moves them back" if moved else ""
        summary.trouble(f"{why}: the deadlines of {moved} matches moved{back}", mailed=True)
    else:
        with store.marks() as connection:
            key_values.note_poll(connection, began)


def lost(config: Config, time: ClubTime) -> str:
    """Why deadlines should move: so long without a poll, or a clock that was put forward by more than what is waited
    after each deadline anyway; "" = they should not."""
    if time.since is None:
        return ""
    if time.lost(config.guard.outage_hours):
        return f"no poll since {time.since.astimezone(ZoneInfo(config.club.zone)):%Y-%m-%d %H:%M}"
    settle = config.guard.settle
    if time.shown - time.since > settle:
        forward = probe.put_forward(config.database, time.since, time.shown)
        if forward > settle:
            return f"the clock was put forward by {forward}"
    return ""


def weigh(config: Config, store: Store, cache: RunCache, time: ClubTime) -> ClubTime:
    """The same, or in doubt where deadlines would move further than they may without the moderator's word. What was
    lost is marked, so that nothing that this run takes in hides it."""
    from moderator.club.desk import Desk
    from moderator.play import deadlines

    if time.since is None or time.doubt is not Doubt.NONE or not lost(config, time):
        return time
    probe.mark_silent(store.place, time.since)
    if time.confirmed:
        return time
    with store.transaction() as session:
        asks = deadlines.needs_word(Desk(config, session, time.now, cache), time.since, time.shown)
    return time.asked() if asks else time


def ask_for_word(config: Config, store: Store, cache: RunCache, time: ClubTime) -> None:
    """Put it to the moderator whether the clock is right."""
    from moderator.club.desk import Desk
    from moderator.play import deadlines

    if time.since is not None:
        with store.transaction() as session:
            deadlines.ask_for_word(Desk(config, session, time.now, cache), time.since, time.shown)
