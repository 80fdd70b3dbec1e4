"""What a mail about a match says first: one function of what was decided and of how things stand for its reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, assert_never

from moderator.language.messages import render_label
from moderator.rules.game import Pace
from moderator.rules.outcomes import (
    CommandDone,
    CommandRefused,
    ConfirmationAsked,
    MatchCorrected,
    MatchDecision,
    MatchEnded,
    MatchOnHold,
    MatchStarted,
    NothingToWithdraw,
    OrderDecision,
    OrderEvaluated,
    OrderIllegal,
    OrderLate,
    OrderMissing,
    OrderPlayed,
    OrderStored,
    OrderStoredIllegal,
    OrderUndecided,
    OrderWithdrawn,
    ReminderDue,
    RoundPassed,
    StaffActed,
    StandingOrderStored,
    StatusAsked,
    TurnEnded,
    outcome_code,
)

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
class ReaderSituation:
    """The situation of the reader when the mail is made, and what has happened to the reader's own seat."""

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
        """True where something more is wanted of the reader: a deferred move will be tried, and counts as an answer."""
        return self.your_turn and self.in_store in ("nothing", "failed")


def render_headline(
    news: MatchDecision | None, decided: OrderDecision | None, view: ReaderSituation, language: str, **values: Any
) -> str:
    """Return the headline in the reader's language: what happened to the match (None = nothing) and what became of the
    reader's order (None = there was none). ``values``: ``names`` of those it waits for."""
    return headline_sentence(headline_key(news, decided, view), language, **values)


def headline_sentence(name: str, language: str, **values: Any) -> str:
    """Return the headline's sentence of that key."""
    return render_label(f"news-{name}", language, **values)


def headline_key(news: MatchDecision | None, decided: OrderDecision | None, view: ReaderSituation) -> str:
    """Return the key of the headline's sentence. An answer comes first, as long as the match goes on as it was; a
    reader whose seat is out is told that before what led to it."""
    match news:
        case TurnEnded() if view.lost:
            again = view.lost == "eliminated" and view.your_turn
            return f"out-{view.lost}-again" if again else f"out-{view.lost}"
        case None | TurnEnded() if decided is not None:
            return _choose_answer_key(decided, view)
        case None:
            return "nothing"
        case TurnEnded():
            return _choose_turn_key(view)
        case MatchStarted() if view.moving_in:
            return "start-moving-in"
        case MatchStarted():
            return f"start-you{_get_race_suffix(view)}" if view.your_turn else "start"
        case ReminderDue() if view.in_store == "put-off":
            return "reminder-put-off"
        case MatchCorrected() | MatchEnded() | ReminderDue() | StatusAsked() | StaffActed():
            return news.kind.value
        case _:
            assert_never(news)


def _choose_answer_key(decided: OrderDecision, view: ReaderSituation) -> str:
    match decided:
        case OrderPlayed() | OrderEvaluated():
            # The turn, or the round, is over: then it may be the player's again.
            return f"{outcome_code(decided)}-again" if view.your_turn else outcome_code(decided)
        case OrderStored():
            return _choose_stored_key(view)
        case OrderStoredIllegal():
            return "vain-ahead" if view.pace == "sequential" else "vain"
        case (
            StandingOrderStored()
            | RoundPassed()
            | OrderUndecided()
            | MatchOnHold()
            | OrderIllegal()
            | OrderLate()
            | OrderMissing()
            | OrderWithdrawn()
            | NothingToWithdraw()
            | CommandDone()
            | CommandRefused()
            | ConfirmationAsked()
        ):
            return outcome_code(decided)
        case _:
            assert_never(decided)


def _choose_stored_key(view: ReaderSituation) -> str:
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


def _choose_turn_key(view: ReaderSituation) -> str:
    if view.missed:
        tried = "-tried" if view.missed == "tried" and view.pace != "race" else ""
        return f"missed{tried}{_get_race_suffix(view)}{'-again' if view.your_turn else ''}"
    if not view.your_turn:
        return "turn-other" if view.others else "turn-none"
    match view.in_store:
        case "nothing" | "failed":
            return "turn-dealt-race" if view.dealt and view.pace == "race" else f"turn-you{_get_race_suffix(view)}"
        case "put-off":
            return "turn-put-off"
        case "ready":
            return f"turn-ready{_get_race_suffix(view)}"
        case "gave-up":
            return "turn-gave-up-race"
        case _:
            assert_never(view.in_store)


def _get_race_suffix(view: ReaderSituation) -> str:
    return "-race" if view.pace == "race" else ""
