"""What time it is for the club. The machine's clock may be wrong: behind, as that of a machine that has just started,
or ahead. So it is held against what is known to have happened: the last poll, the newest entry of a log, the newest
mail.

The club's time never goes back. Where the clock shows less than what is known, or so much more that deadlines would
move by more than ``MOST``, the club stays at the newest thing that is known, until the clock is set or the moderator
has said that it is right (`moderator clock right`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from time import monotonic

from moderator.rules.time.calendar import format_local_time
from moderator.store import due_work
from moderator.store.due_work import ClockEvidence, Place

MOST = timedelta(days=14)
"""No deadline moves by more than that before the moderator has said that it should."""
SAME = timedelta(minutes=1)
"""A clock that is behind by less is put right without a word."""
STEP = timedelta(hours=1)
"""Within a run the clock does not get further ahead of the time that has passed."""
VALID = timedelta(days=1)
"""So long the moderator's word holds that the clock is right."""


class ClockDoubt(Enum):
    """The reason for which the clock is not followed."""

    NONE = ""
    BEHIND = "behind"
    """It shows less than what is known to have happened."""
    AHEAD = "ahead"
    """If it is right, deadlines move further than they may without being asked."""


@dataclass(frozen=True)
class ClubTime:
    """The club's time at one moment, with what it was derived from."""

    shown: datetime
    """By the machine's clock."""
    now: datetime
    """The club's."""
    newest: datetime | None = None
    """When the newest thing happened that is known."""
    polled: datetime | None = None
    """When the mailbox was last read to its end."""
    since: datetime | None = None
    """How long deadlines could have been missed for: since then; None = the mailbox was never read."""
    doubt: ClockDoubt = ClockDoubt.NONE
    confirmed: bool = False
    """The moderator has said that the clock is right."""

    def has_poll_gap(self, hours: int) -> bool:
        """Return whether the mailbox was not read for so many hours or longer."""
        return self.since is not None and self.shown - self.since >= timedelta(hours=hours)

    def find_outage_reason(self, place: Place, hours: int, settle: timedelta, zone: str) -> str:
        """Return why deadlines should move: so long without a poll, or a clock that was put forward by more than what
        is waited after each deadline anyway (``settle``); "" = they should not."""
        if self.since is None:
            return ""
        if self.has_poll_gap(hours):
            return f"no poll since {format_local_time(self.since, zone)}"
        if self.shown - self.since > settle:
            forward = due_work.compute_clock_jump(place, self.since, self.shown)
            if forward > settle:
                return f"the clock was put forward by {forward}"
        return ""

    def with_ahead_doubt(self) -> ClubTime:
        """Return a copy in doubt ("ahead"), where the moderator has to say whether the deadlines move."""
        return replace(self, doubt=ClockDoubt.AHEAD, now=self.newest or self.now)

    def format_doubt(self, zone: str) -> str:
        """Format the doubt as a line for the operator."""

        def format_moment(moment: datetime | None) -> str:
            return format_local_time(moment, zone) if moment else "never"

        if self.doubt is ClockDoubt.BEHIND:
            return (
                f"The clock shows {format_moment(self.shown)}, but something has happened at "
                f"{format_moment(self.newest)}: nobody is late and"
                " no deadline moves. Set the clock; or, if it is right, run `moderator clock right`."
            )
        return (
            f"The clock shows {format_moment(self.shown)}, and the mailbox was not read since "
            f"{format_moment(self.since)}: no mail is handled"
            " and nobody is late. Set the clock; or, if it is right, run `moderator clock right`: the deadlines move."
        )


def load_club_time(place: Place, shown: datetime) -> ClubTime:
    """Load the club's time, where the machine's clock shows ``shown``."""
    return compute_club_time(due_work.load_clock_evidence(place), shown)


def compute_club_time(known: ClockEvidence, shown: datetime) -> ClubTime:
    """Compute the club's time from what is known already and what the machine's clock shows."""
    newest = max(filter(None, (known.polled, known.entry, known.mail)), default=None)
    if newest is None:
        return ClubTime(shown, shown)
    since = known.polled
    if since is not None and shown - since > MOST:  # noted under a wrong clock, perhaps
        since = newest
    if known.silent and since and known.polled and known.silent >= known.polled:
        since = known.silent
    confirmed = known.right is not None and abs(shown - known.right) < VALID
    found = ClubTime(shown, max(shown, newest), newest, known.polled, since, confirmed=confirmed)
    if shown < newest - SAME:
        return replace(found, doubt=ClockDoubt.BEHIND)
    asks = since is not None and shown - since > MOST and known.deadlines and not confirmed
    return found.with_ahead_doubt() if asks else found


class RunningClock:
    """The club's time while a run goes on. A clock that jumps meanwhile is not followed."""

    def __init__(self, ask: Callable[[], datetime], time: ClubTime) -> None:
        self.ask, self.time, self.began = ask, time, monotonic()

    def __call__(self) -> datetime:
        if self.time.doubt is not ClockDoubt.NONE:
            return self.time.now
        latest = self.time.now + timedelta(seconds=monotonic() - self.began) + STEP
        return min(max(self.ask(), self.time.now), latest)
