"""What the reader of a mail about a match does now: one whole sentence, with the deadline; or that nothing is to be
done. It is computed from the status of the reader's seat, never from the board."""

from __future__ import annotations

from typing import assert_never

from moderator.common.enums import MailKind
from moderator.common.text import capitalize_start
from moderator.language.messages import render_label, render_round_noun
from moderator.notifications.pages import Page
from moderator.render.mails import outcome, stored_order
from moderator.render.mails.headline import format_name_list
from moderator.rules.silence import SeatStatus


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
