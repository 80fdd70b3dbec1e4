"""Subject and headline: what a player sees before he opens the mail."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.common.enums import MailKind
from moderator.common.rules_text import RulesText
from moderator.common.text import clean_line, clean_name
from moderator.language.messages import render_label, strip_quotes
from moderator.notifications.content import PuzzleNotification, WordAsked, WordRuled
from moderator.notifications.pages import MatchView, Page, list_answered_mails, list_match_pages
from moderator.render.mails import stored_order, tournament
from moderator.render.mails.event import (
    Event,
    build_reminder_event,
    build_start_event,
    find_turn_event,
    render_subject_tail,
)
from moderator.render.mails.headline import (
    choose_headline_key,
    format_name_list,
    headline_sentence,
    render_ending,
    render_headline,
)
from moderator.render.mails.task import list_task_sentences
from moderator.rules import outcomes
from moderator.rules.outcomes import OF_KIND, CommandDone
from moderator.rules.silence import SeatStatus

SUBJECT_LENGTH = 150
NEWS_LENGTH = 90
"""Of it for what is said first; a list of long names may be longer."""


@dataclass(frozen=True)
class MailHead:
    subject: str
    about: str
    """What the mail is about, for the line above the headline."""
    headline: str
    lines: tuple[str, ...]
    """What belongs directly under the headline: what the reader does now, until when."""
    alarming: bool
    """Printed as a warning: the player must do something again."""


def build_mail_head(page: Page) -> MailHead:
    """Return subject, headline and the lines below it. The news stand first in both, then what they are about; the
    subject ends with the token of ``page.reply``."""
    if page.kind == MailKind.TOURNAMENT:
        news = tournament.render_tournament_news(page)
        named, about = tournament.render_tournament_titles(page)
        lines = tuple(tournament.iter_tournament_head_lines(page))
        return MailHead(_render_subject(page, news, about), named, news, lines, alarming=False)
    lines = tuple(_list_head_lines(page))
    event = _find_event(page)
    said = event.sentence if event else _render_news(page)
    short = event.short if event else said
    decided = [one.receipt.decided for one in (page, *list_answered_mails(page.content)) if one.receipt]
    return MailHead(
        _render_subject(page, _add_tail(page, short), _render_subject_topic(page)),
        _render_topic_line(page),
        said,
        (*(event.more if event else ()), *(line for line in lines if line != said)),
        any(map(outcomes.needs_attention, decided)),
    )


def _find_event(page: Page) -> Event | None:
    """Return what caused a mail that nobody asked for; None for other mails, and where the reader's own seat is the
    news."""
    match page.kind:
        case MailKind.START:
            return build_start_event(page, _render_news(page))
        case MailKind.REMINDER if page.status is not SeatStatus.DEFERRED:
            return build_reminder_event(page, _render_news(page))
        case MailKind.TURN if page.receipt is None:
            key = choose_headline_key(OF_KIND[page.kind], None, stored_order.build_reader_situation(page))
            return _find_turn_event(page, key)
    return None


def _find_turn_event(page: Page, key: str) -> Event | None:
    """Return the event of a turn; where there was none, and a move is wanted, what the reader is to do."""
    if not key.startswith("turn-"):
        return None
    event, tasks = find_turn_event(page), list_task_sentences(page)
    asks = key.startswith("turn-you") and bool(tasks)
    return Event(tasks[0], tasks[0]) if event is None and asks else event


def _add_tail(page: Page, news: str) -> str:
    """Return the news with whose turn it is now, where that is said nowhere else in the subject."""
    tail = render_subject_tail(page) if page.kind == MailKind.TURN and page.receipt is None else ""
    tail = "" if news in list_task_sentences(page) else tail
    return render_label("headed", page.reader.language, event=news, tail=tail) if tail else news


def _render_topic_line(page: Page) -> str:
    return render_match_title(page.match, page.reader.language) if page.match else clean_name(page.club)


def _render_news(page: Page) -> str:
    """Return the news of the mail. ``render_headline`` says what happened to a match, or became of an order; every
    other mail says what it is."""
    language = page.reader.language
    words = [strip_quotes(page.content.word)] if isinstance(page.content, WordAsked | WordRuled) else []
    values = {
        "title": _render_topic(page),
        "names": format_name_list(page.awaited, language),
        "gone": format_name_list(stored_order.list_departed_names(page), language),
        "words": words,
        "count": max(1, len(words)),
        "matches": sum(part.status.is_wanted for part in list_match_pages(page.content)),
    }
    if page.kind == MailKind.DONE and page.about_game:
        kept = page.receipt is not None and page.receipt.decided == CommandDone()
        return headline_sentence("puzzle-kept" if kept else "puzzle-not-kept", language)
    if page.kind in OF_KIND or page.kind in (MailKind.RECEIPT, MailKind.DONE):
        decided = page.receipt.decided if page.receipt else None
        if page.kind != MailKind.DONE or decided is not None:
            return render_headline(
                OF_KIND.get(page.kind), decided, stored_order.build_reader_situation(page), language, **values
            )
    if page.kind == MailKind.NEWS and (gone := _find_replaced_match(page)):
        return headline_sentence("replaced", language, match=gone)
    return headline_sentence(_choose_headline_key(page), language, **values)


def _find_replaced_match(page: Page) -> str:
    """Return the code of the match in which somebody else has the reader's seat now; an empty text for none."""
    told = (note for note in page.notes if note.code.startswith("seat-replaced"))
    return next((str(note.params["match"]) for note in told), "")


ALARMS = {
    "mail-refused": "notice-returned",
    "mail-refused-stopped": "notice-returned",
    "mail-refused-referee": "notice-returned",
    "many-missing": "notice-missing",
    "outage": "notice-outage",
    "mail-quarantined": "notice-quarantined",
    "match-suspended": "notice-suspended",
    "match-suspended-referee": "notice-suspended",
}
"""Notices that say in their subject what has happened."""


def _choose_headline_key(page: Page) -> str:
    """Return the headline's key in a mail about no match and no order."""
    wanted = any(part.status.is_wanted for part in list_match_pages(page.content))
    if page.kind in (MailKind.DIGEST, MailKind.BACKLOG) and not wanted:
        return f"{page.kind}-quiet"
    if page.press and page.kind in (MailKind.NEWS, MailKind.NOTICE) and not (page.kind == MailKind.NEWS and page.notes):
        return "press" if page.kind == MailKind.NEWS else "press-moderator"
    if page.kind == MailKind.NOTICE and len(named := {ALARMS.get(note.code, "notice") for note in page.notes}) == 1:
        return named.pop()
    if isinstance(page.content, PuzzleNotification) and page.scene is None:
        return "puzzle-solved"
    return "help-commands" if page.kind == MailKind.HELP and page.match is None else str(page.kind)


def render_match_title(match: MatchView, language: str) -> str:
    """Return ``Topwords „Arratia“``."""
    game = clean_name(match.game_name) or match.game
    return render_label("title", language, game=game, match=clean_name(match.name)) if match.name else game


def _render_topic(page: Page) -> str:
    """Return the subject matter of the mail."""
    if isinstance(page.content, RulesText):
        return page.content.title
    return render_match_title(page.match, page.reader.language) if page.match else page.club


def _render_subject_topic(page: Page) -> str:
    """Return what the subject says that the news are about; an empty text where they say it themselves."""
    match = page.match
    if match is None:
        return clean_name(page.club) if page.kind in NAMING_THE_CLUB else ""
    if page.kind == MailKind.START or not match.name:
        return " ".join(filter(None, (clean_name(match.game_name) or match.game, clean_name(match.name))))
    return clean_name(match.name)


NAMING_THE_CLUB = frozenset({MailKind.CONFIRM, MailKind.SIGNUP, MailKind.CLOSED})
"""Mails to somebody who may not know yet who writes to them."""


def _render_subject(page: Page, news: str, about: str) -> str:
    """Return the subject, never cut at its end: there stands the token, which brings an answer back."""
    token = page.reply.subject if page.reply else f"[{page.match.code}]" if page.match else ""
    if page.reader.same_subject and page.match and page.reply:
        title = render_match_title(page.match, page.reader.language)
        return f"{clean_line(title, SUBJECT_LENGTH - len(token) - 1)} {token}"
    text = clean_line(news, NEWS_LENGTH).rstrip(".")
    text = render_label("topic", page.reader.language, news=text, about=about) if about else text
    return f"{clean_line(text, SUBJECT_LENGTH - len(token) - 1)} {token}".strip()


def _list_head_lines(page: Page) -> list[str]:
    language = page.reader.language
    if page.kind == MailKind.END:
        you = next((seat.number for seat in page.seats if seat.you), None)
        return list(render_ending(page.ending, page.names, language, you)) if page.ending else []
    lines: list[str] = []
    if page.receipt and (undecided := outcomes.list_undecided_words(page.receipt.decided)):
        lines.append(render_label("undecided", language, words=[strip_quotes(word) for word in undecided]))
    return [*lines, *list_task_sentences(page)]
