"""What a mail about a match says first: one function of what happened and of how things stand for its reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, assert_never

from moderator.common.enums import MailKind
from moderator.common.text import capitalize_start, clean_name
from moderator.language.messages import join_names, render_label
from moderator.rules.game import Pace
from moderator.rules.outcomes import MatchDecision
from moderator.rules.silence import MissEffect, SeatStatus

Lost = Literal["", "resigned", "abandoned", "ejected", "eliminated"]
"""Why the reader's seat plays no more: ``SeatLeftReason``, or by the rules of the game."""
Missed = Literal["", "silent", "tried"]
"""The reader's turn has passed without a move: nothing was sent, or nothing of it was possible."""


Gone = Literal["", "left", "eliminated"]
"""All that the mail is about is that somebody else plays no more, or is out by the rules."""


@dataclass(frozen=True)
class ReaderSituation:
    """The situation of the reader when the mail is made, and what has happened to the reader's own seat."""

    pace: Pace | Literal[""]
    """"" = the mail is about no match."""
    status: SeatStatus = SeatStatus.IDLE
    others: bool = False
    """Somebody is awaited of whom nothing is here."""
    lost: Lost = ""
    missed: Missed = ""
    effect: MissEffect = MissEffect.PASSED
    """What the missed turn has done to the reader's seat."""
    gone: Gone = ""
    dealt: bool = False
    """Since the last mail a new round was dealt."""
    moving_in: bool = False
    """The match was begun elsewhere and waits until all have said that it stands here as it stood there."""


def render_headline(news: MatchDecision, view: ReaderSituation, language: str, **values: Any) -> str:
    """Return the headline in the reader's language: what happened to the match. ``values``: ``names`` of those it waits
    for, ``gone`` of those who play no more."""
    key = choose_headline_key(news, view)
    if key in ("missed", "missed-again"):
        values["cause"] = headline_sentence(f"missed-{view.missed}", language)
        values["effect"] = headline_sentence(f"missed-{view.effect}", language)
    text = headline_sentence(key, language, **values)
    return capitalize_start(text)


def headline_sentence(name: str, language: str, **values: Any) -> str:
    """Return the headline's sentence of that key."""
    return render_label(f"news-{name}", language, **values)


def choose_headline_key(news: MatchDecision, view: ReaderSituation) -> str:
    """Return the key of the headline's sentence; a reader whose seat is out is told that before what led to it."""
    match news:
        case MailKind.TURN if view.lost:
            again = view.lost == "eliminated" and view.status.is_wanted
            return f"out-{view.lost}-again" if again else f"out-{view.lost}"
        case MailKind.TURN:
            return _choose_turn_key(view)
        case MailKind.START if view.moving_in:
            return "start-moving-in"
        case MailKind.START:
            return f"start-you{_get_race_suffix(view)}" if view.status.is_wanted else "start"
        case MailKind.REMINDER if view.status is SeatStatus.DEFERRED:
            return "reminder-put-off"
        case MailKind.CORRECTION | MailKind.END | MailKind.REMINDER | MailKind.STATUS | MailKind.REFEREE:
            return str(news)
        case _:
            assert_never(news)


def _choose_turn_key(view: ReaderSituation) -> str:
    if view.missed:
        return f"missed{_get_race_suffix(view)}{'-again' if view.status.is_wanted else ''}"
    if view.gone:
        return f"{view.gone}-other{'-you' if view.status.is_wanted else ''}"
    match view.status:
        case SeatStatus.TO_MOVE | SeatStatus.ILLEGAL:
            return "turn-dealt-race" if view.dealt and view.pace == "race" else f"turn-you{_get_race_suffix(view)}"
        case SeatStatus.DEFERRED:
            return "turn-put-off"
        case SeatStatus.SUBMITTED:
            return f"turn-ready{_get_race_suffix(view)}"
        case SeatStatus.PASSED_ROUND:
            return "turn-gave-up-race"
        case SeatStatus.ON_HOLD:
            return "turn-held"
        case SeatStatus.IDLE | SeatStatus.ELIMINATED | SeatStatus.LEFT | SeatStatus.OVER | SeatStatus.UNCONFIRMED:
            return "turn-other" if view.others else "turn-none"
        case _:
            assert_never(view.status)


def _get_race_suffix(view: ReaderSituation) -> str:
    return "-race" if view.pace == "race" else ""


# ---- How a match ended, in the words of one reader: the same lines in mails, on its page and at the command line.


def format_name_list(names: Sequence[str], language: str, most: int = 4) -> str:
    """Return ``Anna und Bert``; a long list is cut, the score table names them all."""
    shown = [clean_name(name) for name in names[:most]]
    return f"{', '.join(shown)} (+{len(names) - most})" if len(names) > most else join_names(shown, language)


def format_points(points: int) -> str:
    """Return points with a real minus sign."""
    return str(points).replace("-", "−")
