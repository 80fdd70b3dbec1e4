"""What a mail about several matches says first, and of each of them: the daily mail, the one after a backlog, the
overview."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from moderator.common.text import clean_name
from moderator.language import dates
from moderator.language.messages import join_names, render_label, write_match_title
from moderator.language.spelling import get_game_name
from moderator.notifications.content import Overview, OverviewMatch, ReplyAddress
from moderator.notifications.pages import BacklogNotification, DigestNotification, Page
from moderator.render.mails import stored_order
from moderator.render.mails.event import MailEvent, find_turn_event
from moderator.rules.silence import SeatStatus


@dataclass(frozen=True)
class MatchOfMail:
    """One match of several."""

    code: str
    title: str
    """``Topwords Arratia``."""
    is_wanted: bool
    """Its reader must send something."""
    deadline: datetime | None
    """Of what the reader must send."""
    said: str
    """What happened, or who is missing; the deadline stands before it."""
    reply: ReplyAddress | None
    """Where an answer about it goes; None = nothing can be done there."""
    page: Page | None = None
    """The whole match, where the mail has it."""


def list_several_matches(page: Page) -> tuple[MatchOfMail, ...]:
    """Return the matches of the mail, the most urgent first."""
    match page.content:
        case DigestNotification(parts=parts) | BacklogNotification(parts=parts):
            lines = [_build_page_line(part) for part in parts if part.match is not None]
        case Overview(matches=matches):
            lines = [_build_overview_line(one, page) for one in matches]
        case _:
            return ()
    return tuple(sorted(lines, key=lambda line: (not line.is_wanted, line.deadline is None, line.deadline or page.now)))


def find_several_event(page: Page) -> MailEvent | None:
    """Return the event of a mail about several matches; None for other mails."""
    content, lines = page.content, list_several_matches(page)
    match content:
        case BacklogNotification(away=days) if days:
            return _build_away_event(page, days, lines)
        case BacklogNotification(mails=mails, unlisted=more) if mails:
            code, count = ("several-read", len(mails) + more) if len(mails) + more > 1 else ("several-read-one", 1)
            said = render_label(code, page.reader.language, count=count)
            return MailEvent(f"{said}.", said, tuple(_iter_turn_lines(page, lines)))
        case DigestNotification() | BacklogNotification() | Overview():
            return _build_turns_event(page, lines)
    return None


def _build_away_event(page: Page, days: int, lines: Sequence[MatchOfMail]) -> MailEvent:
    language = page.reader.language
    said = render_label("several-away", language, days=days)
    short = render_label("several-away-short", language, days=days) if lines else said
    later = (render_label("several-later", language),) if lines else ()
    return MailEvent(f"{said}.", short, (" ".join((*later, *_iter_turn_lines(page, lines))),))


def _build_turns_event(page: Page, lines: Sequence[MatchOfMail]) -> MailEvent:
    language = page.reader.language
    wanted, others = [line for line in lines if line.is_wanted], [line for line in lines if not line.is_wanted]
    if not wanted:
        asked = "-asked" if isinstance(page.content, Overview) else ""
        said = render_label(f"several-quiet{asked}" if others else f"several-none{asked}", language, count=len(others))
        return MailEvent(f"{said}.", said, () if asked else (render_label("task-nothing", language),))
    said = _render_turns(wanted, language)
    news = others and not isinstance(page.content, Overview)
    short = render_label("several-others", language, news=said, count=len(others)) if news else said
    return MailEvent(f"{said}.", short, tuple(_iter_urgent_lines(page, wanted)))


def _iter_turn_lines(page: Page, lines: Sequence[MatchOfMail]) -> Iterator[str]:
    """Yield in how many matches it is the reader's turn, or that nothing is to be done."""
    wanted = [line for line in lines if line.is_wanted]
    if wanted:
        yield f"{_render_turns(wanted, page.reader.language)}."
    elif lines:
        yield render_label("task-nothing", page.reader.language)


def _render_turns(wanted: Sequence[MatchOfMail], language: str) -> str:
    """Return in which match it is the reader's turn, or in how many."""
    alone = wanted[0].title if len(wanted) == 1 else ""
    return render_label("several-turn" if alone else "several-turns", language, match=alone, count=len(wanted))


def _iter_urgent_lines(page: Page, wanted: Sequence[MatchOfMail]) -> Iterator[str]:
    """Yield the nearest deadline."""
    first = wanted[0]
    if first.deadline is not None:
        until = dates.format_moment(first.deadline, page.now, page.reader.language, page.reader.zone, page.club_zone)
        code = "several-urgent" if len(wanted) > 1 else "several-until"
        yield render_label(code, page.reader.language, match=first.title, deadline=until)


# ---- one match ----


def _build_page_line(part: Page) -> MatchOfMail:
    assert part.match is not None
    language, game = part.reader.language, clean_name(part.match.game_name) or part.match.game
    title = write_match_title(game, clean_name(part.match.name), language, quoted=False)
    wanted = part.status.is_wanted and not part.held
    said = _describe_page(part)
    watching = render_label("match-watching", language) if part.watching else ""
    return MatchOfMail(
        part.match.code,
        title,
        wanted,
        part.deadline if wanted else None,
        "; ".join(filter(None, (watching, said))),
        part.reply,
        part,
    )


def _describe_page(part: Page) -> str:
    """Return what happened in the match, and who is missing now."""
    language = part.reader.language
    if part.ending is not None:
        return render_label("match-over", language)
    state = "suspended" if not part.seats else "held" if part.held else "confirm" if part.moving_in else ""
    event = find_turn_event(part)
    happened = event.short if event else ""
    if state:
        return "; ".join(filter(None, (happened, render_label(f"match-{state}", language))))
    sequential = stored_order.is_sequential(part)
    if part.status.is_wanted and (happened or sequential):
        return "; ".join(filter(None, (happened, _describe_stored(part.status, language))))
    now = _describe_status(part.status, part.awaited_others, language, is_sequential=sequential)
    return "; ".join(filter(None, (happened, now)))


def _build_overview_line(one: OverviewMatch, page: Page) -> MatchOfMail:
    language = page.reader.language
    title = f"{get_game_name(one.game, language)} {clean_name(one.name)}".strip()
    out = one.status is SeatStatus.LEFT
    wanted = one.status.is_wanted and one.state not in ("suspended", "held", "confirm")
    if out or one.state:
        said = render_label("match-out" if out else f"match-{one.state}", language)
    else:
        said = _describe_status(one.status, one.awaited, language, is_sequential=False)
    runs = wanted and not one.state
    reply = None if out or one.state == "suspended" else one.reply
    return MatchOfMail(one.code, title, wanted, one.deadline if runs else None, said, reply)


def _describe_status(status: SeatStatus, others: Iterable[str], language: str, *, is_sequential: bool) -> str:
    """Return what the match has of its reader, and of whom else something is missing."""
    names = [clean_name(name) for name in others]
    match status:
        case SeatStatus.TO_MOVE | SeatStatus.ILLEGAL:
            both = [render_label("match-you", language), *names]
            waits = _render_missing(both, language) if names else ""
            return "; ".join(filter(None, (waits, _describe_stored(status, language))))
        case SeatStatus.DEFERRED | SeatStatus.SUBMITTED | SeatStatus.PASSED_ROUND:
            own = render_label("match-deferred" if status is SeatStatus.DEFERRED else "match-sent", language)
            return "; ".join(filter(None, (own, _render_missing(names, language))))
        case SeatStatus.ELIMINATED:
            return "; ".join(
                filter(None, (render_label("match-eliminated", language), _render_missing(names, language)))
            )
    if not is_sequential:
        return _render_missing(names, language)
    code = "match-turns" if len(names) > 1 else "match-turn"
    return render_label(code, language, names=join_names(names, language)) if names else ""


def _describe_stored(status: SeatStatus, language: str) -> str:
    return render_label("match-illegal", language) if status is SeatStatus.ILLEGAL else ""


def _render_missing(names: Sequence[str], language: str) -> str:
    """Return whose orders are missing; an empty text for nobody."""
    code = "match-missing-several" if len(names) > 1 else "match-missing"
    return render_label(code, language, names=join_names(names, language)) if names else ""
