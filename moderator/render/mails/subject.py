"""Subject and headline: what a player sees before he opens the mail."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.common.enums import MailKind
from moderator.common.rules_text import RulesText
from moderator.common.text import clean_line, clean_name
from moderator.language.messages import is_laying_move, render_label, render_round_noun, strip_quotes, write_move
from moderator.notifications.content import PuzzleNotification, WordAsked, WordRuled
from moderator.notifications.pages import MatchView, Page, list_answered_mails, list_match_pages
from moderator.render.mails import stored_order, tournament
from moderator.render.mails.headline import (
    choose_headline_key,
    format_name_list,
    headline_sentence,
    render_ending,
    render_headline,
)
from moderator.render.mails.report import is_scoreless, list_ended_round_titles
from moderator.rules import outcomes
from moderator.rules.outcomes import OF_KIND, CommandDone, MatchOnHold

SUBJECT_LENGTH = 150
NEWS_LENGTH = 90
"""Of it for what is said first; a list of long names may be longer."""


@dataclass(frozen=True)
class MailHead:
    subject: str
    headline: str
    lines: tuple[str, ...]
    """What belongs directly under the headline: deadline, who is awaited, last move."""
    alarming: bool
    """Printed as a warning: the player must do something again."""


def build_mail_head(page: Page) -> MailHead:
    """Return subject, headline and the lines below it. The news stand first in both, then what they are about; the
    subject ends with the token of ``page.reply``."""
    if page.kind == MailKind.TOURNAMENT:
        news = tournament.render_tournament_news(page)
        named, about = tournament.render_tournament_titles(page)
        lines = tuple(tournament.iter_tournament_head_lines(page))
        return MailHead(
            _render_subject(page, news, about), join_subject(news, named, page.reader.language), lines, alarming=False
        )
    said = _render_news(page)
    # An answer is headed by what became of the order alone; its player knows what they have written about.
    named = render_match_title(page.match, page.reader.language) if page.match and page.receipt is None else ""
    decided = [one.receipt.decided for one in (page, *list_answered_mails(page.content)) if one.receipt]
    return MailHead(
        _render_subject(page, said, _render_subject_topic(page)),
        join_subject(said, named, page.reader.language),
        tuple(_list_head_lines(page)),
        any(map(outcomes.needs_attention, decided)),
    )


def join_subject(news: str, about: str, language: str) -> str:
    """Join news and topic: ``Du bist am Zug: Topwords „Arratia“``; ``Warst du das? Testrunde``."""
    if not about:
        return news
    return render_label("subject-called" if news.endswith(("!", "?")) else "subject", language, what=news, about=about)


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
    language, match = page.reader.language, page.match
    if match is None:
        return "" if isinstance(page.content, RulesText) or page.kind == MailKind.WELCOME else clean_name(page.club)
    named = render_match_title(match, language)
    if not match.round:
        return named
    noun = render_round_noun(language, match.game)
    return render_label("about-round", language, title=named, noun=noun, round=match.round)


def _render_subject(page: Page, news: str, about: str) -> str:
    """Return the subject, never cut at its end: there stands the token, which brings an answer back."""
    token = page.reply.subject if page.reply else f"[{page.match.code}]" if page.match else ""
    if page.reader.same_subject and page.match and page.reply:
        title = render_match_title(page.match, page.reader.language)
        return f"{clean_line(title, SUBJECT_LENGTH - len(token) - 1)} {token}"
    text = join_subject(clean_line(news, NEWS_LENGTH), about, page.reader.language)
    return f"{clean_line(text, SUBJECT_LENGTH - len(token) - 1)} {token}".strip()


def _list_head_lines(page: Page) -> list[str]:
    language = page.reader.language
    lines: list[str] = []
    if page.kind == MailKind.END:
        you = next((seat.number for seat in page.seats if seat.you), None)
        return list(render_ending(page.ending, page.names, language, you)) if page.ending else []
    if last := render_last_move(page):
        lines.append(last)
    lines += [f"{heading}." for heading in list_ended_round_titles(page)]
    if page.receipt and (undecided := outcomes.list_undecided_words(page.receipt.decided)):
        lines.append(render_label("undecided", language, words=[strip_quotes(word) for word in undecided]))
    if page.kind in stored_order.ASKING and page.awaited and not page.your_turn and not _has_awaited_in_headline(page):
        sequential = page.match is not None and page.match.pace == "sequential"
        lines.append(
            render_label(
                "now-to-move" if sequential else "waiting-for", language, names=format_name_list(page.awaited, language)
            )
        )
    held = page.receipt is not None and isinstance(page.receipt.decided, MatchOnHold)
    if page.deadline and page.kind in stored_order.ASKING and not held:
        when = stored_order.format_page_deadline(page)
        lines.append(
            render_label(
                "until" if page.your_turn and not stored_order.has_pending_order(page) else "zat",
                language,
                deadline=when,
            )
        )
    return lines


def _has_awaited_in_headline(page: Page) -> bool:
    """Return whether the headline has named those the match waits for already."""
    decided = page.receipt.decided if page.receipt else None
    return (
        page.kind in OF_KIND
        and choose_headline_key(OF_KIND[page.kind], decided, stored_order.build_reader_situation(page)) == "turn-other"
    )


def render_last_move(page: Page) -> str:
    """Return the last move by somebody else, in one sentence."""
    others = [report for report in page.reports if report.played and not report.you]
    if page.kind != MailKind.TURN or page.receipt or not others or (page.match and page.match.pace == "common"):
        return ""
    report = others[-1]
    language, game = page.reader.language, page.game
    values = {
        "who": clean_name(report.name),
        "move": write_move(report.played, language, game),
        "points": report.points,
    }
    if stored_order.is_race(page):
        return render_label("last-race", language, **values)
    if not is_laying_move(report.played):
        bare = not report.points and is_scoreless(game, language)
        return render_label("last-other-bare" if bare else "last-other", language, **values)
    return render_label(
        "last-move" if report.points or not is_scoreless(game, language) else "last-plain", language, **values
    )
