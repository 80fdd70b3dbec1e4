"""Subject and headline: what a player sees before he opens the mail."""

from __future__ import annotations

import re
from dataclasses import dataclass

from moderator.common.enums import MailKind
from moderator.common.message_files import RulesText
from moderator.common.text import clean_line, clean_name
from moderator.language.messages import render_label, render_note, strip_quotes, write_match_title
from moderator.notifications.content import PuzzleNotification
from moderator.notifications.pages import MatchView, Page, list_answered_mails, list_tournament_views
from moderator.render.document import end_sentence
from moderator.render.mails import outcome, stored_order, tournament, tournament_news
from moderator.render.mails.event import (
    MailEvent,
    build_reminder_event,
    build_start_event,
    find_note_event,
    find_several_event,
    find_turn_event,
    render_subject_tail,
)
from moderator.render.mails.headline import choose_headline_key, format_name_list, headline_sentence, render_headline
from moderator.render.mails.task import list_task_sentences, render_outcome, render_winners
from moderator.rules import outcomes
from moderator.rules.outcomes import is_match_decision
from moderator.rules.silence import SeatStatus

SUBJECT_LENGTH = 60
"""Characters before the token: so many a telephone shows."""
TOPIC_LENGTH = 30
"""Of them for what the news are about."""
NAME_LENGTH = 18
NAME_PART = 9
"""Longer names of players are cut to so much of their first part."""
_SHORTEST = 12
_CUTS = re.compile(r"\s– |\s\(|[;,]\s(?!\d)|(?<!\d)\.\s|(?<![\d½\s])\s?:\s")
"""Where news are cut that are too long: what follows is told by the mail."""


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
        news = tournament_news.render_tournament_news(page)
        named, about = tournament.render_tournament_titles(page)
        lines = tuple(tournament_news.iter_tournament_lines(page))
        return MailHead(_render_subject(page, news, about), named, end_sentence(news), lines, alarming=False)
    if page.kind == MailKind.START and list_tournament_views(page.content):
        return _build_round_head(page)
    lines = tuple(_list_head_lines(page))
    event = _find_event(page)
    said = event.sentence if event else _render_news(page)
    short = event.short if event else said
    answered = [one for one in (page, *list_answered_mails(page.content)) if one.receipt]
    return MailHead(
        _render_subject(page, _add_tail(page, short), _render_subject_topic(page)),
        render_match_title(page.match, page.reader.language) if page.match else clean_name(page.club),
        said,
        (*(event.more if event else ()), *(line for line in lines if line != said)),
        any(map(outcome.is_alarming, answered)),
    )


def _build_round_head(page: Page) -> MailHead:
    """Return the head of the mail with which a round of a tournament begins for its reader: how the round before went,
    the next opponent, what the reader does now."""
    news, named = tournament_news.render_tournament_news(page), tournament.render_tournament_titles(page)[0]
    said = tuple(tournament_news.iter_tournament_lines(page))
    lines = (*said[:-1], *list_task_sentences(page), *said[-1:])  # the latest end of the round comes last
    about = clean_name(page.match.name) if page.match and page.match.name else named
    return MailHead(_render_subject(page, news, about), named, end_sentence(news), lines, alarming=False)


def _find_event(page: Page) -> MailEvent | None:
    """Return what caused a mail about a match, or became of its reader's; None for other mails, and where the reader's
    own seat is the news."""
    match page.kind:
        case MailKind.START:
            return build_start_event(page, _render_news(page))
        case MailKind.REMINDER if page.status is not SeatStatus.DEFERRED:
            return build_reminder_event(page, _render_news(page))
        case MailKind.TURN:
            key = choose_headline_key(page.kind, stored_order.build_reader_situation(page))
            own = outcome.answers_mail(page) and not key.startswith("out-")
            return outcome.find_answer_event(page) if own else _find_turn_event(page, key)
        case _:
            return find_several_event(page) or find_note_event(page) or outcome.find_answer_event(page)


def _find_turn_event(page: Page, key: str) -> MailEvent | None:
    """Return the event of a turn; where there was none, and a move is wanted, what the reader is to do."""
    if not key.startswith("turn-"):
        return None
    event, tasks = find_turn_event(page), list_task_sentences(page)
    asks = key.startswith(("turn-you", "turn-other")) and bool(tasks)
    return MailEvent(tasks[0], tasks[0]) if event is None and asks else event


def _add_tail(page: Page, news: str) -> str:
    """Return the news with whose turn it is now, where that is said nowhere else in the subject."""
    asked = page.receipt is not None and outcome.is_asked_back(page)
    tail = render_subject_tail(page) if page.kind == MailKind.TURN and not asked else ""
    tail = "" if news in list_task_sentences(page) else tail
    return render_label("headed", page.reader.language, event=news, tail=tail) if tail else news


def _render_news(page: Page) -> str:
    """Return the news of the mail. ``render_headline`` says what happened to a match; every other mail says what it
    is."""
    language = page.reader.language
    values = {
        "title": _render_topic(page),
        "names": format_name_list(page.awaited, language),
        "gone": format_name_list(stored_order.list_departed_names(page), language),
    }
    if page.kind == MailKind.END and page.ending is not None:
        return f"{render_outcome(page.ending, page.names, language, page.own_number)}."
    if is_match_decision(page.kind):
        return render_headline(page.kind, stored_order.build_reader_situation(page), language, **values)
    return headline_sentence(_choose_headline_key(page), language, **values)


def _choose_headline_key(page: Page) -> str:
    """Return the headline's key in a mail about no match and no order."""
    if isinstance(page.content, PuzzleNotification) and page.scene is None:
        return "puzzle-solved"
    return "help-commands" if page.kind == MailKind.HELP and page.match is None else str(page.kind)


def render_match_title(match: MatchView, language: str) -> str:
    """Return ``Topwords „Arratia“``."""
    return write_match_title(clean_name(match.game_name) or match.game, clean_name(match.name), language)


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
        game = clean_name(match.game_name) or match.game
        return write_match_title(game, clean_name(match.name), page.reader.language, quoted=False)
    return clean_name(match.name)


NAMING_THE_CLUB = frozenset({MailKind.CONFIRM, MailKind.SIGNUP, MailKind.CLOSED})
"""Mails to somebody who may not know yet who writes to them."""


def _render_subject(page: Page, news: str, about: str) -> str:
    """Return the subject, never cut at its end: there stands the token, which brings an answer back."""
    token = page.reply.subject if page.reply else f"[{page.match.code}]" if page.match else ""
    if page.reader.same_subject and page.match and page.reply:
        title = render_match_title(page.match, page.reader.language)
        return f"{clean_line(title, SUBJECT_LENGTH)} {token}"
    about = clean_line(about, TOPIC_LENGTH)
    topic = render_label("topic", page.reader.language, news="", about=about) if about else ""
    cut = _cut_news(page, clean_line(news).rstrip("."), SUBJECT_LENGTH - len(topic))
    return f"{cut}{topic} {token}".strip()


def _cut_news(page: Page, news: str, room: int) -> str:
    """Return the news in so many characters: long names by their first part, then without what stands at the end."""
    fields = [field for view in list_tournament_views(page.content) for field in view.fields]
    seated = [seat.name for seat in page.seats] + [letter.by for letter in page.press]
    for name in map(clean_name, {*page.names, *seated, *(name for field in fields for name in field)}):
        if len(name) > NAME_LENGTH:
            news = news.replace(name, f"{re.split('[ -]', name)[0][:NAME_PART]}…")
    if len(news) <= room:
        return news
    ends = [cut.start() for cut in _CUTS.finditer(news) if _SHORTEST <= cut.start() <= room]
    ends = [end for end in ends if news.count("(", 0, end) == news.count(")", 0, end)]
    whole = news[: room - 1].rpartition(" ")[0] or news[: room - 1]
    return news[: ends[-1]] if ends else f"{whole.rstrip('…')}…"


def _list_head_lines(page: Page) -> list[str]:
    language = page.reader.language
    if page.kind == MailKind.END:
        # Who has won, where that is somebody else of several, and what the end means in a tournament, or thanks.
        language, ended, you = page.reader.language, page.ending, page.own_number
        if ended is None or you is None:
            return []
        won = [render_winners(ended, page.names, language)] if ended.get_fate(you) in ("placed", "lost") else []
        told = [render_note(note, language) for note in page.remarks]
        return [*(won if len(page.names) > 2 else []), *(told or [render_label("end-thanks", language)])]
    lines: list[str] = []
    if page.receipt and (undecided := outcomes.list_undecided_words(page.receipt.decided)):
        lines.append(render_label("undecided", language, words=[strip_quotes(word) for word in undecided]))
    asked = page.receipt is not None and (outcome.is_asked_back(page) or outcome.is_passed_on(page))
    return [*lines, *list_task_sentences(page, asked=asked)]
