"""What the referee has decided: a value for each thing that may become of a player's order, and of a match.

Whoever decides makes one of these; subject, headline and sentences of the mails are computed from them and from
nothing else (pages/headline.py, pages/stored.py). Each ``match`` over one of the unions ends with ``assert_never``,
so that the type checker names every place that a new kind concerns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, assert_never

from moderator.states import MailKind


@dataclass(frozen=True)
class Played:
    """The order was played at once."""


@dataclass(frozen=True)
class Stored:
    """Kept until its time comes (the ZAT, the player's turn, the end of a race's round), and possible as things
    stand. ``words``: those that the moderator has still to rule on, in an alternative behind the one that would be
    played."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class StandingStored:
    """A standing order is kept, and there was no move beside it."""


@dataclass(frozen=True)
class GaveUp:
    """What is kept in a race is no solution: the player is out of this round."""


@dataclass(frozen=True)
class Waiting:
    """Kept, but whether it counts hangs on ``words`` that the moderator rules on."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotPossibleYet:
    """Kept, but nothing of it is possible as things stand: the player is not in by it."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Held:
    """The match waits for a ruling on ``words`` of the order."""

    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class RoundPlayed:
    """With the mail the round was complete, and it was played. ``possible``: whether something of the player's order
    was, when its turn came."""

    possible: bool


@dataclass(frozen=True)
class NotPossible:
    """Refused: nothing legal in it."""


@dataclass(frozen=True)
class TooLate:
    """An order that came after the end of the turn."""


@dataclass(frozen=True)
class NoOrder:
    """There was no order in the mail. ``unread``: or nobody knows, as something in it could not be read."""

    unread: bool = False


@dataclass(frozen=True)
class Withdrawn:
    """No order, but the wish to take the stored one back, which is done."""


@dataclass(frozen=True)
class NothingStored:
    """The same wish where nothing was stored."""


@dataclass(frozen=True)
class Done:
    """Commands only, and all of them are done."""


@dataclass(frozen=True)
class NotDone:
    """Commands only, and one could not be done."""


@dataclass(frozen=True)
class AskedBack:
    """Nothing was done: the player is asked whether a line is meant."""


OrderDecision = (
    Played
    | Stored
    | StandingStored
    | GaveUp
    | Waiting
    | NotPossibleYet
    | Held
    | RoundPlayed
    | NotPossible
    | TooLate
    | NoOrder
    | Withdrawn
    | NothingStored
    | Done
    | NotDone
    | AskedBack
)
"""What became of what a player sent for one match."""

Accepted = Stored | Waiting | NotPossibleYet
"""The order stands in the match's table, and has something that is to be played."""


@dataclass(frozen=True)
class Started:
    """The match has begun; or, for the reader, as somebody who has just taken over a seat."""

    kind: ClassVar[MailKind] = MailKind.START


@dataclass(frozen=True)
class TurnOver:
    """The position or the awaited seats have changed."""

    kind: ClassVar[MailKind] = MailKind.TURN


@dataclass(frozen=True)
class Corrected:
    """What was reported before does not hold any more."""

    kind: ClassVar[MailKind] = MailKind.CORRECTION


@dataclass(frozen=True)
class Ended:
    """The match is over."""

    kind: ClassVar[MailKind] = MailKind.END


@dataclass(frozen=True)
class Reminded:
    """The ZAT is near, and nothing that can be played is here of the reader."""

    kind: ClassVar[MailKind] = MailKind.REMINDER


@dataclass(frozen=True)
class Shown:
    """Nothing has happened: the reader wanted to know how things stand, or the deadline has moved."""

    kind: ClassVar[MailKind] = MailKind.STATUS


@dataclass(frozen=True)
class Refereed:
    """The moderator has stored a move for the reader, moved the deadline or stopped the clock."""

    kind: ClassVar[MailKind] = MailKind.REFEREE


MatchDecision = Started | TurnOver | Corrected | Ended | Reminded | Shown | Refereed
"""What happened to a match that its reader did not decide alone."""

_EACH: tuple[MatchDecision, ...] = (Started(), TurnOver(), Corrected(), Ended(), Reminded(), Shown(), Refereed())
OF_KIND: Mapping[MailKind, MatchDecision] = {one.kind: one for one in _EACH}
"""By the kind of the mail that tells it."""


def words(decided: OrderDecision) -> tuple[str, ...]:
    """The words of the order that the moderator has still to rule on."""
    return decided.words if isinstance(decided, Accepted | Held) else ()


def alarming(decided: OrderDecision) -> bool:
    """Whether its player must do something again, or believes something that is not so."""
    match decided:
        case NotPossible() | NotPossibleYet() | TooLate() | NoOrder() | NothingStored() | NotDone() | AskedBack():
            return True
        case RoundPlayed(possible):
            return not possible
        case Played() | Stored() | StandingStored() | GaveUp() | Waiting() | Held() | Withdrawn() | Done():
            return False
        case _:
            assert_never(decided)


def code(decided: OrderDecision) -> str:
    """Its name in the database and in the names of sentences."""
    match decided:
        case Played():
            return "played"
        case Stored():
            return "stored"
        case StandingStored():
            return "stored-standing"
        case GaveUp():
            return "gave-up-race"
        case Waiting():
            return "waits"
        case NotPossibleYet():
            return "vain"
        case Held():
            return "held"
        case RoundPlayed(possible):
            return "counted" if possible else "lost"
        case NotPossible():
            return "refused"
        case TooLate():
            return "late"
        case NoOrder(unread):
            return "unopened" if unread else "nothing"
        case Withdrawn():
            return "withdrawn"
        case NothingStored():
            return "nothing-stored"
        case Done():
            return "done"
        case NotDone():
            return "misused"
        case AskedBack():
            return "asked-back"
        case _:
            assert_never(decided)


def every(words: tuple[str, ...] = ()) -> tuple[OrderDecision, ...]:
    """One of each, with these words where some may be open."""
    return (
        Played(),
        Stored(words),
        StandingStored(),
        GaveUp(),
        Waiting(words),
        NotPossibleYet(words),
        Held(words),
        RoundPlayed(possible=True),
        RoundPlayed(possible=False),
        NotPossible(),
        TooLate(),
        NoOrder(),
        NoOrder(unread=True),
        Withdrawn(),
        NothingStored(),
        Done(),
        AskedBack(),
        NotDone(),
    )


def of_code(name: str, words: Sequence[str] = ()) -> OrderDecision:
    """The decision of that name: ``of_code(code(d), words(d)) == d``. Raises KeyError."""
    return {code(one): one for one in every(tuple(words))}[name]
