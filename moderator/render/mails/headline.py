"""What a mail about a match says first: one function of what was decided and of how things stand for its reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, assert_never

from moderator.common.text import clean_name
from moderator.language.messages import join_names, render_label, render_note
from moderator.render.mails.tournament_cells import format_decimal
from moderator.rules.ending import EndCause, Ending
from moderator.rules.game import Note, Pace
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
from moderator.rules.silence import MissEffect, SeatStatus
from moderator.tournaments.standings import format_fraction

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


def render_headline(
    news: MatchDecision | None, decided: OrderDecision | None, view: ReaderSituation, language: str, **values: Any
) -> str:
    """Return the headline in the reader's language: what happened to the match (None = nothing) and what became of the
    reader's order (None = there was none). ``values``: ``names`` of those it waits for, ``gone`` of those who play no
    more."""
    key = choose_headline_key(news, decided, view)
    if key in ("missed", "missed-again"):
        values["cause"] = headline_sentence(f"missed-{view.missed}", language)
        values["effect"] = headline_sentence(f"missed-{view.effect}", language)
    text = headline_sentence(key, language, **values)
    return text[:1].upper() + text[1:]


def headline_sentence(name: str, language: str, **values: Any) -> str:
    """Return the headline's sentence of that key."""
    return render_label(f"news-{name}", language, **values)


def choose_headline_key(news: MatchDecision | None, decided: OrderDecision | None, view: ReaderSituation) -> str:
    """Return the key of the headline's sentence. An answer comes first, as long as the match goes on as it was; a
    reader whose seat is out is told that before what led to it."""
    match news:
        case TurnEnded() if view.lost:
            again = view.lost == "eliminated" and view.status.is_wanted
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
            return f"start-you{_get_race_suffix(view)}" if view.status.is_wanted else "start"
        case ReminderDue() if view.status is SeatStatus.DEFERRED:
            return "reminder-put-off"
        case MatchCorrected() | MatchEnded() | ReminderDue() | StatusAsked() | StaffActed():
            return news.kind.value
        case _:
            assert_never(news)


def _choose_answer_key(decided: OrderDecision, view: ReaderSituation) -> str:
    match decided:
        case OrderPlayed() | OrderEvaluated():
            # The turn, or the round, is over: then it may be the player's again.
            return f"{outcome_code(decided)}-again" if view.status.is_wanted else outcome_code(decided)
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
            if not view.status.is_to_act:
                return "stored-ahead"
            # Of those whose turn it is already it was tried, and was not possible, if it is not put off.
            return "stored-put-off" if view.status is SeatStatus.DEFERRED else "vain-ahead"
        case "rounds" | "common" | "":
            return "stored"
        case _:
            assert_never(view.pace)


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


def render_ending(ended: Ending, names: Sequence[str], language: str, you: int | None = None) -> tuple[str, ...]:
    """Return sentences on the end of a match: the fate of the reader, who has seat ``you`` or none; the winners; what
    decided, where play did not."""
    return (
        " ".join((*_iter_fate_lines(ended, language, you), _render_winners(ended, names, language, you))),
        *_iter_reason_lines(ended, names, language),
    )


def build_counted_result_notes(ended: Ending, names: Sequence[str], language: str) -> tuple[Note, ...]:
    """Return notes on what the result counts in its tournament, where that is not what was played."""
    if (ended.how == EndCause.PLAYED and not ended.out) or not ended.counts:
        return ()
    points = (format_decimal(format_fraction(one), language) for one in ended.counts)
    results = ", ".join(f"{name} {point}" for name, point in zip(names, points, strict=True))
    return (Note("cup-counts", {"results": results}),)


def _iter_fate_lines(ended: Ending, language: str, you: int | None) -> Iterator[str]:
    if you is None or ended.get_fate(you) not in ("lost", "placed"):
        return
    place, count = ended.places[you], len(ended.places)
    yield render_label(f"{ended.get_fate(you)}-you", language, place=place, count=count)


def _render_winners(ended: Ending, names: Sequence[str], language: str, you: int | None) -> str:
    won = ended.winners
    if not won:
        return render_label("won-nobody", language)
    mine = you is not None and you in won
    code = "won-level" if ended.level else f"won{'-shared' if len(won) > 1 else ''}{'-you' if mine else ''}"
    others = [names[seat] for seat in won if ended.level or seat != you]
    bare = "" if ended.sums else "-bare"
    return render_label(
        code + bare, language, names=format_name_list(others, language), score=ended.get_final_points(won[0])
    )


def _iter_reason_lines(ended: Ending, names: Sequence[str], language: str) -> Iterator[str]:
    match ended.how:
        case EndCause.PLAYED:
            return
        case EndCause.LEFT | EndCause.FORFEIT:
            gone = [names[seat] for seat in ended.out]
            yield render_label("ended-left", language, names=format_name_list(gone, language))
        case EndCause.RULED | EndCause.STOPPED | EndCause.DEADLINE:
            sums = [_format_sum(ended, seat, clean_name(name)) for seat, name in enumerate(names)] if ended.sums else []
            yield render_label(f"ended-{ended.how}{'' if sums else '-bare'}", language, sums=", ".join(sums))


def _format_sum(ended: Ending, seat: int, name: str) -> str:
    """Return ``Anna 40 − 12 = 28``; under a ruling of the moderator only the points that it gives."""
    counted, off = ended.get_final_points(seat), ended.scores[seat] - ended.get_final_points(seat)
    if not off or ended.how == EndCause.RULED:
        return f"{name} {format_points(counted)}"
    return f"{name} {format_points(ended.scores[seat])} − {off} = {format_points(counted)}"


def format_points(points: int) -> str:
    """Return points with a real minus sign."""
    return str(points).replace("-", "−")


def render_full_ending(ended: Ending, names: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the sentences of ``render_ending`` for readers without a seat, with what the result counts."""
    told = (render_note(note, language) for note in build_counted_result_notes(ended, names, language))
    return (*render_ending(ended, names, language), *told)
