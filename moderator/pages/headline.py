"""What a mail about a match says first: one function of what was decided and of how things stand for its reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, assert_never

from moderator.match.contract import Pace
from moderator.match.decision import (
    AskedBack,
    Corrected,
    Done,
    Ended,
    GaveUp,
    Held,
    MatchDecision,
    NoOrder,
    NotDone,
    NothingStored,
    NotPossible,
    NotPossibleYet,
    OrderDecision,
    Played,
    Refereed,
    Reminded,
    RoundPlayed,
    Shown,
    StandingStored,
    Started,
    Stored,
    TooLate,
    TurnOver,
    Waiting,
    Withdrawn,
    code,
)
from moderator.pages.messages import label

InStore = Literal[
    "nothing",  # at most standing orders
    "ready",  # a move that will be tried, so that nothing more is wanted
    "failed",  # a move that is not possible as things stand, and is wanted now
    "put-off",  # where one moves at a time: a move that is possible, and is not tried before the ZAT or a word of his
    "gave-up",  # in a race: the reader is out of this round
]
"""What the table has of the reader."""
Lost = Literal["", "resigned", "abandoned", "ejected", "eliminated"]
"""Why the reader's seat plays no more: ``SeatLoss``, or by the rules of the game."""
Missed = Literal["", "silent", "tried"]
"""The reader's turn has passed without a move: nothing was sent, or nothing of it was possible."""


@dataclass(frozen=True)
class View:
    """How things stand for the reader when the mail is made, and what has happened to the reader's own seat."""

    pace: Pace | Literal[""]
    """"" = the mail is about no match."""
    your_turn: bool = False
    in_store: InStore = "nothing"
    others: bool = False
    """Somebody is awaited of whom nothing is here."""
    lost: Lost = ""
    missed: Missed = ""
    dealt: bool = False
    """Since the last mail a new round was dealt."""
    moving_in: bool = False
    """The match was begun elsewhere and waits until all have said that it stands here as it stood there."""

    @property
    def wanted(self) -> bool:
        """Whether something more is wanted of the reader: a move that is put off will be tried, and is his answer."""
        return self.your_turn and self.in_store in ("nothing", "failed")


def headline(
    news: MatchDecision | None, decided: OrderDecision | None, view: View, language: str, **values: Any
) -> str:
    """What happened to the match (None = nothing) and what became of the reader's order (None = there was none), in
    the reader's language. ``values``: ``names`` of those it waits for."""
    return spoken(name(news, decided, view), language, **values)


def spoken(name: str, language: str, **values: Any) -> str:
    """The sentence of that name."""
    return label(f"news-{name}", language, **values)


def name(news: MatchDecision | None, decided: OrderDecision | None, view: View) -> str:
    """The name of its sentence. An answer speaks first, as long as the match goes on as it was; who is out is told
    that before what led to it."""
    match news:
        case TurnOver() if view.lost:
            again = view.lost == "eliminated" and view.your_turn
            return f"out-{view.lost}-again" if again else f"out-{view.lost}"
        case None | TurnOver() if decided is not None:
            return _answer(decided, view)
        case None:
            return "nothing"
        case TurnOver():
            return _turn(view)
        case Started() if view.moving_in:
            return "start-moving-in"
        case Started():
            return f"start-you{_racing(view)}" if view.your_turn else "start"
        case Reminded() if view.in_store == "put-off":
            return "reminder-put-off"
        case Corrected() | Ended() | Reminded() | Shown() | Refereed():
            return news.kind.value
        case _:
            assert_never(news)


def _answer(decided: OrderDecision, view: View) -> str:
    match decided:
        case Played() | RoundPlayed():
            # The turn, or the round, is over: then it may be the player's again.
            return f"{code(decided)}-again" if view.your_turn else code(decided)
        case Stored():
            return _stored(view)
        case NotPossibleYet():
            return "vain-ahead" if view.pace == "sequential" else "vain"
        case (
            StandingStored()
            | GaveUp()
            | Waiting()
            | Held()
            | NotPossible()
            | TooLate()
            | NoOrder()
            | Withdrawn()
            | NothingStored()
            | Done()
            | NotDone()
            | AskedBack()
        ):
            return code(decided)
        case _:
            assert_never(decided)


def _stored(view: View) -> str:
    match view.pace:
        case "race":
            return "stored-race"
        case "sequential":
            if not view.your_turn:
                return "stored-ahead"
            # Of those whose turn it is already it was tried, and was not possible, if it is not put off.
            return "stored-put-off" if view.in_store == "put-off" else "vain-ahead"
        case "rounds" | "common" | "":
            return "stored"
        case _:
            assert_never(view.pace)


def _turn(view: View) -> str:
    if view.missed:
        tried = "-tried" if view.missed == "tried" and view.pace != "race" else ""
        return f"missed{tried}{_racing(view)}{'-again' if view.your_turn else ''}"
    if not view.your_turn:
        return "turn-other" if view.others else "turn-none"
    match view.in_store:
        case "nothing" | "failed":
            return "turn-dealt-race" if view.dealt and view.pace == "race" else f"turn-you{_racing(view)}"
        case "put-off":
            return "turn-put-off"
        case "ready":
            return f"turn-ready{_racing(view)}"
        case "gave-up":
            return "turn-gave-up-race"
        case _:
            assert_never(view.in_store)


def _racing(view: View) -> str:
    return "-race" if view.pace == "race" else ""
