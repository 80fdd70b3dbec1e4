"""What caused a mail about a match that goes on: the headline, and a few words of it for the subject.

A headline is an event, never how things stand: somebody has laid a word, a round is over, somebody has left. Points and
place of the reader come before those of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from moderator.common.text import capitalize_start, clean_name
from moderator.language import dates, traits
from moderator.language.messages import (
    is_laying_move,
    quote_move,
    render_label,
    render_round_noun,
    strip_quotes,
)
from moderator.notifications.content import MoveView
from moderator.notifications.pages import Page
from moderator.render.mails import report, stored_order
from moderator.render.mails.headline import format_name_list
from moderator.rules.events import TurnMissed, list_ended_rounds

ANNOUNCES = " = "
"""Stands before the word in a move that announces one."""


ONLY_MOVE = "auto-single"
"""Code of the note on a move that was played at once, as there was no other."""


@dataclass(frozen=True)
class MailEvent:
    """An event, as a sentence and in the few words of a subject."""

    sentence: str
    short: str
    more: tuple[str, ...] = ()
    """Sentences that belong to it, for the lines below the headline."""


def find_turn_event(page: Page) -> MailEvent | None:
    """Return the event of a mail that nobody asked for: the round that is over, or the last move of somebody else; None
    where there was neither."""
    if ended := list_ended_rounds(page.happened):
        return build_round_end(page, ended[-1])
    if page.match is not None and page.match.pace in ("rounds", "common"):
        return _build_evaluation(page)
    others = [one for one in page.reports if not one.you and (one.played or one.points)]
    if others:
        event = build_move_event(page, others[-1])
        return replace(event, more=tuple(_iter_own_moves(page)))
    missed = [one.seat for one in page.happened if isinstance(one, TurnMissed)]
    return _build_event(page, "event-missed", {"who": clean_name(page.names[missed[-1]])}) if missed else None


def build_start_event(page: Page, short: str) -> MailEvent:
    """Return the beginning of a match; ``short``: what its subject says."""
    game = (clean_name(page.match.game_name) or page.match.game) if page.match else ""
    said = render_label("event-start-moving-in" if page.moving_in else "event-start", page.reader.language, game=game)
    return MailEvent(said, short)


def build_reminder_event(page: Page, sentence: str) -> MailEvent:
    """Return the reminder: that the move is missing, and in the subject the time that is left."""
    if page.deadline is None:
        return MailEvent(sentence, sentence)
    reader = page.reader
    left = dates.format_time_left(page.deadline, page.now, reader.language, reader.zone)
    short = render_label("reminder-left", reader.language, left=left)
    return MailEvent(sentence, capitalize_start(short))


def write_spoken_move(one: MoveView, page: Page) -> str:
    """Return the word that was laid; in games without words, and where nothing was laid, the move itself in quotation
    marks."""
    if ANNOUNCES in one.played:
        return strip_quotes(one.played.partition(ANNOUNCES)[2])
    if one.words and is_laying_move(one.played) and not stored_order.is_race(page):
        return strip_quotes(one.words[0].word)
    return quote_move(one.played, page.reader.language, page.game)


def build_move_event(page: Page, one: MoveView) -> MailEvent:
    who = clean_name(one.name)
    if not is_laying_move(one.played):
        passes = one.played == traits.get_pass_text(page.game)
        code = "event-passes" if passes else "event-other"
    else:
        code = "event-race" if stored_order.is_race(page) else "event-move" if one.points else "event-plain"
        code = "event-announces" if ANNOUNCES in one.played else code
    values = {"who": who, "what": write_spoken_move(one, page), "points": one.points}
    return _build_event(page, code, values)


def _iter_own_moves(page: Page) -> Iterator[str]:
    """Yield the reader's moves that have been played: stored ones, and those that were the only ones possible."""
    for one in page.reports:
        if one.you and one.played:
            only = any(note.code == ONLY_MOVE for note in one.notes)
            code = f"event-own{'-only' if only else ''}{'-points' if one.points else ''}"
            move = quote_move(one.played, page.reader.language, page.game)
            yield render_label(code, page.reader.language, what=move, points=one.points)


def _build_event(page: Page, code: str, values: dict[str, object], more: tuple[str, ...] = ()) -> MailEvent:
    said = render_label(code, page.reader.language, **values)
    said = capitalize_start(said)
    return MailEvent(f"{said}.", said, more)


def _build_evaluation(page: Page) -> MailEvent | None:
    """Return the round that was evaluated, with what it brought the reader."""
    match, language = page.match, page.reader.language
    own = next((one for one in page.reports if one.you), None)
    if match is None or not page.reports:
        return None
    values = {"noun": render_round_noun(language, page.game), "round": match.round - 1}
    if own is None or report.is_scoreless(page.game, language):
        return _build_event(page, "event-evaluated", values)
    values |= {"points": own.points}
    best = max(one.points for one in page.reports)
    code = "event-round-nothing" if not own.played else "event-round-best" if own.points == best > 0 else "event-round"
    return _build_event(page, code, values, (*_iter_laid(page), *_list_place(page)))


def _iter_laid(page: Page) -> tuple[str, ...]:
    """Return whose move lies now, where all had the same tiles."""
    laid = next((one for one in page.reports if one.laid and one.played), None)
    if laid is None or page.match is None or page.match.pace != "common":
        return ()
    code = "event-laid-you" if laid.you else "event-laid"
    values = {"who": clean_name(laid.name), "what": write_spoken_move(laid, page), "points": laid.points}
    return (render_label(code, page.reader.language, **values),)


def _list_place(page: Page) -> tuple[str, ...]:
    mine = page.own_seat
    if mine is None:
        return ()
    place = 1 + sum(seat.score > mine.score for seat in page.seats)
    return (render_label("event-place", page.reader.language, place=place, count=len(page.seats)),)


def build_round_end(page: Page, number: int) -> MailEvent:
    """Return the end of a round after which another one was dealt, with who got its points."""
    language = page.reader.language
    values: dict[str, object] = {"noun": render_round_noun(language, page.game), "round": number}
    gained = next((final.scores for final in page.finals if final.round == number), ())
    winners = [(clean_name(name), points) for name, points, _ in gained if points > 0]
    mine = clean_name(page.own_seat.name) if page.own_seat else ""
    if len(winners) == 1:
        name, points = winners[0]
        code = "event-round-yours" if name == mine else "event-round-goes"
        return _build_event(page, code, values | {"who": name, "points": points})
    own = [points for name, points in winners if name == mine]
    if own:
        return _build_event(page, "event-round", values | {"points": own[0]})
    return _build_event(page, "event-over", values)


def render_subject_tail(page: Page) -> str:
    """Return what a subject says behind the event: whose turn it is now; an empty text where that is no news."""
    match, language = page.match, page.reader.language
    if match is None or page.ending is not None:
        return ""
    if match.pace != "sequential":
        noun = render_round_noun(language, page.game)
        return render_label("tail-round", language, noun=noun, round=match.round) if page.status.is_wanted else ""
    if page.status.is_wanted:
        return render_label("tail-you", language)
    others = page.awaited_others
    return render_label("tail-other", language, names=format_name_list(others, language)) if len(others) == 1 else ""
