"""Subject and headline: what a player sees before he opens the mail."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.games.rules_text import RulesText
from moderator.match import decision
from moderator.match.decision import OF_KIND, Done, Held
from moderator.pages import aftermath, ending, stored, tournament_lines
from moderator.pages.content import Weekly, WordAsked, WordRuled, mails, parts
from moderator.pages.ending import listed
from moderator.pages.headline import headline, name, spoken
from moderator.pages.messages import bare, label, move, round_noun
from moderator.pages.notation import lays
from moderator.pages.pages import MatchInfo, Page
from moderator.pages.report import scoreless
from moderator.printable import clean, clean_name
from moderator.states import MailKind

SUBJECT_LENGTH = 150
NEWS_LENGTH = 90
"""Of it for what is said first; a list of long names may be longer."""


@dataclass(frozen=True)
class Head:
    subject: str
    headline: str
    lines: tuple[str, ...]
    """What belongs directly under the headline: deadline, who is awaited, last move."""
    alarming: bool
    """Printed as a warning: the player must do something again."""


def head(page: Page) -> Head:
    """Subject, headline and the lines below it. The news stand first in both, then what they are about; the subject
    ends with the token of ``page.reply``."""
    if page.kind == MailKind.TOURNAMENT:
        news = tournament_lines.news(page)
        named, about = tournament_lines.titles(page)
        lines = tuple(tournament_lines.lines(page))
        return Head(_subject(page, news, about), joined(news, named, page.reader.language), lines, alarming=False)
    said = _said(page)
    # An answer is headed by what became of the order alone; its player knows what they have written about.
    named = title(page.match, page.reader.language) if page.match and page.receipt is None else ""
    decided = [one.receipt.decided for one in (page, *mails(page.content)) if one.receipt]
    return Head(
        _subject(page, said, _about(page)),
        joined(said, named, page.reader.language),
        tuple(_lines(page)),
        any(map(decision.alarming, decided)),
    )


def joined(news: str, about: str, language: str) -> str:
    """``Du bist am Zug: Topwords „Arratia“``; ``Warst du das? Testrunde``."""
    if not about:
        return news
    return label("subject-called" if news.endswith(("!", "?")) else "subject", language, what=news, about=about)


def _said(page: Page) -> str:
    """What happened to a match, or became of an order, is said by ``headline``; every other mail says what it is."""
    language = page.reader.language
    words = [bare(page.content.word)] if isinstance(page.content, WordAsked | WordRuled) else []
    values = {
        "title": _title(page),
        "names": listed(page.awaited, language),
        "words": words,
        "count": max(1, len(words)),
        "matches": sum(stored.view(part).wanted for part in parts(page.content)),
    }
    if page.kind == MailKind.DONE and page.about_game:
        kept = page.receipt is not None and page.receipt.decided == Done()
        return spoken("puzzle-kept" if kept else "puzzle-not-kept", language)
    if page.kind in OF_KIND or page.kind in (MailKind.RECEIPT, MailKind.DONE):
        decided = page.receipt.decided if page.receipt else None
        if page.kind != MailKind.DONE or decided is not None:
            return headline(OF_KIND.get(page.kind), decided, stored.view(page), language, **values)
    if page.kind == MailKind.NEWS and (gone := _replaced(page)):
        return spoken("replaced", language, match=gone)
    return spoken(_name(page), language, **values)


def _replaced(page: Page) -> str:
    """The code of the match in which somebody else has the reader's seat now; "" = of none."""
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


def _name(page: Page) -> str:
    """Of a mail about no match and no order."""
    wanted = any(stored.view(part).wanted for part in parts(page.content))
    if page.kind in (MailKind.DIGEST, MailKind.BACKLOG) and not wanted:
        return f"{page.kind}-quiet"
    if page.press and page.kind in (MailKind.NEWS, MailKind.NOTICE) and not (page.kind == MailKind.NEWS and page.notes):
        return "press" if page.kind == MailKind.NEWS else "press-moderator"
    if page.kind == MailKind.NOTICE and len(named := {ALARMS.get(note.code, "notice") for note in page.notes}) == 1:
        return named.pop()
    if isinstance(page.content, Weekly) and page.scene is None:
        return "puzzle-solved"
    return "help-commands" if page.kind == MailKind.HELP and page.match is None else str(page.kind)


def title(match: MatchInfo, language: str) -> str:
    """``Topwords „Arratia“``."""
    game = clean_name(match.game_name) or match.game
    return label("title", language, game=game, match=clean_name(match.name)) if match.name else game


def _title(page: Page) -> str:
    """What the mail is about."""
    if isinstance(page.content, RulesText):
        return page.content.title
    return title(page.match, page.reader.language) if page.match else page.club


def _about(page: Page) -> str:
    """What the subject says that the news are about; "" where they say it themselves."""
    language, match = page.reader.language, page.match
    if match is None:
        return "" if isinstance(page.content, RulesText) or page.kind == MailKind.WELCOME else clean_name(page.club)
    named = title(match, language)
    if not match.round:
        return named
    noun = round_noun(language, match.game)
    return label("about-round", language, title=named, noun=noun, round=match.round)


def _subject(page: Page, news: str, about: str) -> str:
    """Never cut at its end: there stands the token, which brings an answer back."""
    token = page.reply.subject if page.reply else f"[{page.match.code}]" if page.match else ""
    if page.reader.same_subject and page.match and page.reply:
        return f"{clean(title(page.match, page.reader.language), SUBJECT_LENGTH - len(token) - 1)} {token}"
    text = joined(clean(news, NEWS_LENGTH), about, page.reader.language)
    return f"{clean(text, SUBJECT_LENGTH - len(token) - 1)} {token}".strip()


def _lines(page: Page) -> list[str]:
    language = page.reader.language
    lines: list[str] = []
    if page.kind == MailKind.END:
        you = next((seat.number for seat in page.seats if seat.you), None)
        return list(ending.lines(page.ending, page.names, language, you)) if page.ending else []
    if last := last_move(page):
        lines.append(last)
    lines += [f"{heading}." for heading in aftermath.rounds_over(page)]
    if page.receipt and (undecided := decision.words(page.receipt.decided)):
        lines.append(label("undecided", language, words=[bare(word) for word in undecided]))
    open_kinds = (
        MailKind.START,
        MailKind.TURN,
        MailKind.RECEIPT,
        MailKind.REMINDER,
        MailKind.STATUS,
        MailKind.CORRECTION,
    )
    if page.kind in open_kinds and page.awaited and not page.your_turn and not _names_the_awaited(page):
        sequential = page.match is not None and page.match.pace == "sequential"
        lines.append(
            label("now-to-move" if sequential else "waiting-for", language, names=listed(page.awaited, language))
        )
    held = page.receipt is not None and isinstance(page.receipt.decided, Held)
    if page.deadline and page.kind in open_kinds and not held:
        when = stored.deadline(page)
        lines.append(label("until" if page.your_turn and not stored.waits(page) else "zat", language, deadline=when))
    return lines


def _names_the_awaited(page: Page) -> bool:
    """Whether the headline has named them already."""
    decided = page.receipt.decided if page.receipt else None
    return page.kind in OF_KIND and name(OF_KIND[page.kind], decided, stored.view(page)) == "turn-other"


def last_move(page: Page) -> str:
    """The last move by somebody else, in one sentence."""
    others = [report for report in page.reports if report.played and not report.you]
    if page.kind != MailKind.TURN or page.receipt or not others or (page.match and page.match.pace == "common"):
        return ""
    report = others[-1]
    language, game = page.reader.language, page.game
    values = {
        "who": clean_name(report.name),
        "move": move(report.played, language, game),
        "points": report.points,
    }
    if stored.race(page):
        return label("last-race", language, **values)
    if not lays(report.played):
        return label("last-other", language, **values)
    return label("last-move" if report.points or not scoreless(game, language) else "last-plain", language, **values)
