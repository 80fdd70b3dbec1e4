"""Whether anything is wanted of a seat: the one answer that mails, pages, reminders and deadlines read."""

from __future__ import annotations

from enum import StrEnum


class SeatStatus(StrEnum):
    """What a match has of a seat now, and whether it waits for more."""

    TO_MOVE = "to-move"
    """It is its turn, and nothing of it is here."""
    ILLEGAL = "illegal"
    """It is its turn, and nothing that it has sent can be played now."""
    SUBMITTED = "submitted"
    """It is its turn, and what it has sent can be played: nothing more is wanted."""
    DEFERRED = "deferred"
    """It is its turn, and its order can be played, but is not tried before the deadline or a word of its player."""
    PASSED_ROUND = "passed-round"
    """In a race: its player has given this round up."""
    ON_HOLD = "on-hold"
    """It is its turn, but the match waits for a ruling of the moderator."""
    UNCONFIRMED = "unconfirmed"
    """The match was begun elsewhere, and its players have yet to say that it stands here as it stood there."""
    IDLE = "idle"
    """It is not its turn."""
    ELIMINATED = "eliminated"
    """It is out by the rules, until the next deal if there is one."""
    LEFT = "left"
    """It plays no more."""
    OVER = "over"
    """The match is over."""

    @property
    def is_wanted(self) -> bool:
        """True where its player must send something."""
        return self in (SeatStatus.TO_MOVE, SeatStatus.ILLEGAL)

    @property
    def is_awaited(self) -> bool:
        """True where the match goes on only with something of this seat."""
        return self.is_wanted or self is SeatStatus.DEFERRED

    @property
    def is_to_act(self) -> bool:
        """True where it is the seat's turn, whatever is here of it."""
        return self.is_awaited or self in (SeatStatus.SUBMITTED, SeatStatus.PASSED_ROUND, SeatStatus.ON_HOLD)

    @property
    def is_out(self) -> bool:
        """True where nothing that its player sends is played in this round."""
        return self in (SeatStatus.ELIMINATED, SeatStatus.LEFT, SeatStatus.OVER)
