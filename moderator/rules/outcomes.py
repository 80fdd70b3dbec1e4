"""What the referee has decided: a value for each thing that may become of a player's order, and of a match.

Whoever decides makes one of these; subject, headline and sentences of the mails are computed from them and from
nothing else (render/mails/headline.py, render/mails/stored_order.py). Each ``match`` over one of the unions ends with
``assert_never``, so that the type checker names every place that a new kind concerns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard, assert_never, get_args

from moderator.common.enums import MailKind


@dataclass(frozen=True)
class OrderPlayed:
    """The order was played at once."""


@dataclass(frozen=True)
class OrderStored:
    """Kept until its time comes (the ZAT, the player's turn, the end of a race's round), and possible as things
    stand. ``words``: those that the moderator has still to rule on, in an alternative behind the one that would be
    played."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class StandingOrderStored:
    """A standing order is kept, and there was no move beside it."""


@dataclass(frozen=True)
class RoundPassed:
    """The player is out of this round of a race: the order that is kept is no solution."""


@dataclass(frozen=True)
class OrderUndecided:
    """Kept, but whether it counts hangs on ``words`` that the moderator has still to rule on."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class OrderStoredIllegal:
    """Kept, but nothing of it is possible as things stand: the player is not in by it."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class MatchOnHold:
    """The match waits for a ruling on ``words`` of the order."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class OrderEvaluated:
    """With the mail the round was complete, and it was played. ``possible``: whether something of the player's order
    was, when its turn came."""

    possible: bool


@dataclass(frozen=True)
class OrderIllegal:
    """Refused: nothing legal in it."""


@dataclass(frozen=True)
class OrderLate:
    """An order that came after the end of the turn."""


@dataclass(frozen=True)
class OrderMissing:
    """There was no order in the mail. ``unread``: or nobody knows, as something in it could not be read."""

    unread: bool = False


@dataclass(frozen=True)
class OrderWithdrawn:
    """No order, but the wish to take the stored one back, which is done."""


@dataclass(frozen=True)
class NothingToWithdraw:
    """No order, but the wish to take the stored one back, where nothing was stored."""


@dataclass(frozen=True)
class CommandDone:
    """Commands only, and all of them are done."""


@dataclass(frozen=True)
class CommandRefused:
    """Commands only, and one could not be done."""


@dataclass(frozen=True)
class ConfirmationAsked:
    """Nothing was done: the player is asked whether a line is meant."""


OrderDecision = (
    OrderPlayed
    | OrderStored
    | StandingOrderStored
    | RoundPassed
    | OrderUndecided
    | OrderStoredIllegal
    | MatchOnHold
    | OrderEvaluated
    | OrderIllegal
    | OrderLate
    | OrderMissing
    | OrderWithdrawn
    | NothingToWithdraw
    | CommandDone
    | CommandRefused
    | ConfirmationAsked
)
"""What became of what a player sent for one match."""

Accepted = OrderStored | OrderUndecided | OrderStoredIllegal
"""The order stands in the match's table, and has something that is to be played."""


MatchDecision = Literal[
    MailKind.START,  # the match has begun; or, for the reader, as somebody who has just taken over a seat
    MailKind.TURN,  # the position or the awaited seats have changed
    MailKind.CORRECTION,  # something that was reported before does not hold any more
    MailKind.END,  # the match is over
    MailKind.REMINDER,  # the ZAT is near, and nothing that can be played is here of the reader
    MailKind.STATUS,  # nothing: the reader wanted to know how things stand, or the deadline has moved
    MailKind.REFEREE,  # the moderator has stored a move for the reader, moved the deadline or stopped the clock
]
"""What happened to a match that its reader did not decide alone, by the kind of the mail that tells it."""


def is_match_decision(kind: MailKind) -> TypeGuard[MatchDecision]:
    """Return whether mails of this kind tell what happened to a match."""
    return kind in get_args(MatchDecision)


def list_undecided_words(decided: OrderDecision) -> tuple[str, ...]:
    """List the words of the order that the moderator has still to rule on."""
    return decided.words if isinstance(decided, Accepted | MatchOnHold) else ()


def needs_attention(decided: OrderDecision) -> bool:
    """Return whether its player must do something again, or believes something that is not so."""
    match decided:
        case (
            OrderIllegal()
            | OrderStoredIllegal()
            | OrderLate()
            | OrderMissing()
            | NothingToWithdraw()
            | CommandRefused()
            | ConfirmationAsked()
        ):
            return True
        case OrderEvaluated(possible):
            return not possible
        case (
            OrderPlayed()
            | OrderStored()
            | StandingOrderStored()
            | RoundPassed()
            | OrderUndecided()
            | MatchOnHold()
            | OrderWithdrawn()
            | CommandDone()
        ):
            return False
        case _:
            assert_never(decided)


def outcome_code(decided: OrderDecision) -> str:
    """Return the name of a decision in the database and in the names of sentences."""
    match decided:
        case OrderPlayed():
            return "played"
        case OrderStored():
            return "stored"
        case StandingOrderStored():
            return "stored-standing"
        case RoundPassed():
            return "gave-up-race"
        case OrderUndecided():
            return "waits"
        case OrderStoredIllegal():
            return "vain"
        case MatchOnHold():
            return "held"
        case OrderEvaluated(possible):
            return "counted" if possible else "lost"
        case OrderIllegal():
            return "refused"
        case OrderLate():
            return "late"
        case OrderMissing(unread):
            return "unopened" if unread else "nothing"
        case OrderWithdrawn():
            return "withdrawn"
        case NothingToWithdraw():
            return "nothing-stored"
        case CommandDone():
            return "done"
        case CommandRefused():
            return "misused"
        case ConfirmationAsked():
            return "asked-back"
        case _:
            assert_never(decided)


def all_outcomes(words: tuple[str, ...] = ()) -> tuple[OrderDecision, ...]:
    """Return one decision of each kind, with these words where some may be open."""
    return (
        OrderPlayed(),
        OrderStored(words),
        StandingOrderStored(),
        RoundPassed(),
        OrderUndecided(words),
        OrderStoredIllegal(words),
        MatchOnHold(words),
        OrderEvaluated(possible=True),
        OrderEvaluated(possible=False),
        OrderIllegal(),
        OrderLate(),
        OrderMissing(),
        OrderMissing(unread=True),
        OrderWithdrawn(),
        NothingToWithdraw(),
        CommandDone(),
        ConfirmationAsked(),
        CommandRefused(),
    )


def get_outcome_by_code(name: str, words: Sequence[str] = ()) -> OrderDecision:
    """Return the decision of that name: ``get_outcome_by_code(outcome_code(d), list_undecided_words(d)) == d``. Raises
    KeyError."""
    return {outcome_code(one): one for one in all_outcomes(tuple(words))}[name]
