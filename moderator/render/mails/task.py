"""What the reader of a mail about a match does now: one whole sentence, with the deadline; or that nothing is to be
done. It is computed from the status of the reader's seat, never from the board. And how a match ended: for one of its
players won or lost, with the sum that decided; for everybody who has won; and why, where play did not decide it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from moderator.common.enums import MailKind
from moderator.common.text import capitalize_start, clean_name
from moderator.language.messages import render_label, render_note, render_round_noun
from moderator.notifications.pages import Page
from moderator.render.mails import outcome, stored_order
from moderator.render.mails.headline import format_name_list, format_points
from moderator.render.mails.tournament import format_decimal
from moderator.rules.ending import EndCause, Ending
from moderator.rules.game import Note
from moderator.rules.silence import SeatStatus
from moderator.tournaments.standings import format_fraction


def list_task_sentences(page: Page, *, asked: bool = False) -> tuple[str, ...]:
    """Return what the reader does now; () in mails that ask nobody for a move, as while a match moves in. ``asked``:
    the mail asks its reader something else, so that nobody reads that there is nothing to do."""
    if page.kind not in stored_order.ASKING or page.match is None or page.ending is not None or page.moving_in:
        return ()
    if page.held:
        return (render_label("then-held", page.reader.language),)
    if page.watching:
        return tuple(_iter_waiting(page))
    found = tuple(filter(None, _list_sentences(page)))
    nothing = {render_label(code, page.reader.language) for code in ("task-nothing", "task-sent")}
    return tuple(one for one in found if one not in nothing) if asked else found


def _list_sentences(page: Page) -> tuple[str, ...]:
    language = page.reader.language
    match page.status:
        case SeatStatus.TO_MOVE | SeatStatus.ILLEGAL if page.kind == MailKind.REMINDER:
            return (stored_order.consequence_sentence(page) or _render_wanted(page),)
        case SeatStatus.TO_MOVE | SeatStatus.ILLEGAL:
            return (_render_wanted(page),)
        case SeatStatus.DEFERRED:
            until = stored_order.format_page_deadline(page, with_time_left=False)
            return (render_label("then-put-off-until" if until else "then-put-off", language, deadline=until),)
        case SeatStatus.SUBMITTED if stored_order.is_race(page):
            return (render_label("then-stored-race", language),)
        case SeatStatus.SUBMITTED:
            return (*_iter_waiting(page), render_label(_choose_stored_order_label(page, "task-sent"), language))
        case SeatStatus.PASSED_ROUND:
            return (render_label("then-gave-up-race", language),)
        case SeatStatus.IDLE if stored_order.has_only_impossible_moves(page):
            return _iter_waiting(page)
        case SeatStatus.IDLE if stored_order.has_pending_order(page):
            return (*_iter_waiting(page), render_label(_choose_stored_order_label(page, "then-ahead"), language))
        case SeatStatus.IDLE | SeatStatus.ELIMINATED | SeatStatus.LEFT:
            return (*_iter_waiting(page), render_label("task-nothing", language))
        case SeatStatus.ON_HOLD:
            return (render_label("then-held", language),)
        case SeatStatus.UNCONFIRMED | SeatStatus.OVER:
            return ()
        case _:
            assert_never(page.status)


def _choose_stored_order_label(page: Page, usual: str) -> str:
    """Return the label of what is kept: after an order that cannot be played it is an earlier one."""
    return "then-kept" if outcome.is_refused(page) else usual


def _render_wanted(page: Page) -> str:
    """Return that something is wanted, and until when."""
    language, until = page.reader.language, stored_order.format_page_deadline(page, with_time_left=False)
    match = page.match
    if outcome.is_refused(page) and not stored_order.is_race(page):
        return render_label("task-another" if until else "task-another-open", language, deadline=until)
    if match is None or match.pace == "sequential":
        return render_label("task-turn" if until else "task-turn-open", language, deadline=until)
    code = "task-race" if match.pace == "race" else "task-round"
    noun = render_round_noun(language, page.game)
    text = render_label(code if until else f"{code}-open", language, noun=noun, round=match.round, deadline=until)
    return capitalize_start(text)


def _iter_waiting(page: Page) -> tuple[str, ...]:
    """Return whose turn it is, or of whom something is missing; () where nobody is awaited."""
    others = page.awaited_others
    if not others:
        return ()
    language, until = page.reader.language, stored_order.format_page_deadline(page, with_time_left=False)
    names = format_name_list(others, language)
    several = "-several" if len(others) > 1 else ""
    code = "task-others" if stored_order.is_sequential(page) else "task-missing"
    alone = "" if until or code == "task-others" else "-open"
    return (render_label(f"{code}{several}{alone}", language, names=names, deadline=until),)


ADDED = (EndCause.DEADLINE, EndCause.STOPPED, EndCause.RULED)
"""Causes that stand behind the sum, which is not the one on the board."""


def render_outcome(ended: Ending, names: Sequence[str], language: str, you: int | None = None) -> str:
    """Return the outcome for the reader, who has seat ``you`` or none: ``Verloren gegen Gerda, 5 : 60``."""
    if you is None or ended.get_fate(you) == "undecided":
        return render_winners(ended, names, language).rstrip(".")
    text = _render_fate(ended, names, language, you)
    how = f"end-how-{ended.how}" if ended.how in ADDED else ""
    return render_label("end-with-how", language, text=text, how=render_label(how, language)) if how else text


def _render_fate(ended: Ending, names: Sequence[str], language: str, you: int) -> str:
    fate, two = ended.get_fate(you), len(names) == 2
    others = [name for seat, name in enumerate(names) if seat != you]
    if fate in ("shared", "won") and not two:
        others = [names[seat] for seat in ended.winners if seat != you]
    if fate == "placed" and you in ended.out:
        fate_code = "end-out"
    elif two:
        fate_code = f"end-{fate}"
    else:
        fate_code = "end-placed" if fate == "lost" else f"end-{fate}-of-several"
    points = [ended.get_final_points(seat) for seat in range(len(names))]
    theirs = points[1 - you] if two else 0
    return render_label(
        fate_code if ended.sums else f"{fate_code}-bare",
        language,
        names=format_name_list(others, language),
        own=points[you],
        sums=render_label("end-sums", language, own=format_points(points[you]), theirs=format_points(theirs)),
        place=ended.places[you],
        count=len(names),
    )


def render_winners(ended: Ending, names: Sequence[str], language: str) -> str:
    """Return who has won, as everybody reads it."""
    won = ended.winners
    if not won:
        return render_label("won-nobody", language)
    code = "won-level" if ended.level else "won-shared" if len(won) > 1 else "won"
    others = format_name_list([names[seat] for seat in won], language)
    bare = "" if ended.sums else "-bare"
    return render_label(code + bare, language, names=others, score=ended.get_final_points(won[0]))


def iter_reasons(ended: Ending, names: Sequence[str], language: str, you: int | None = None) -> Iterator[str]:
    """Yield why the match ended, where play did not decide it."""
    match ended.how:
        case EndCause.PLAYED:
            return
        case EndCause.LEFT | EndCause.FORFEIT if you is not None and you in ended.out:
            yield render_label("ended-left-you", language)
        case EndCause.LEFT | EndCause.FORFEIT:
            gone = [names[seat] for seat in ended.out]
            several = "-several" if len(gone) > 1 else ""
            yield render_label(f"ended-left{several}", language, names=format_name_list(gone, language))
        case EndCause.RULED | EndCause.STOPPED | EndCause.DEADLINE:
            sums = [_format_sum(ended, seat, clean_name(name)) for seat, name in enumerate(names)] if ended.sums else []
            yield render_label(f"ended-{ended.how}{'' if sums else '-bare'}", language, sums=", ".join(sums))


def _format_sum(ended: Ending, seat: int, name: str) -> str:
    """Return ``Anna 40 − 12 = 28``; under a ruling of the moderator only the points that it gives."""
    counted, off = ended.get_final_points(seat), ended.scores[seat] - ended.get_final_points(seat)
    if not off or ended.how == EndCause.RULED:
        return f"{name} {format_points(counted)}"
    return f"{name} {format_points(ended.scores[seat])} − {off} = {format_points(counted)}"


def build_counted_result_notes(ended: Ending, names: Sequence[str], language: str) -> tuple[Note, ...]:
    """Return notes on what the result counts in its tournament, where that is not what was played."""
    if (ended.how == EndCause.PLAYED and not ended.out) or not ended.counts:
        return ()
    points = (format_decimal(format_fraction(one), language) for one in ended.counts)
    results = ", ".join(f"{name} {point}" for name, point in zip(names, points, strict=True))
    return (Note("cup-counts", {"results": results}),)


def render_full_ending(ended: Ending, names: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the sentences for readers without a seat, with what the result counts."""
    told = (render_note(note, language) for note in build_counted_result_notes(ended, names, language))
    return (render_winners(ended, names, language), *iter_reasons(ended, names, language), *told)
