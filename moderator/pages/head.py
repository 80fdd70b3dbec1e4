"""Subject and headline: what a player sees before he opens the mail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from moderator.games.rules_text import RulesText
from moderator.match import decision
from moderator.match.decision import OF_KIND, Held
from moderator.pages import aftermath, stored, tournament_lines, traits
from moderator.pages.content import WordAsked, WordRuled, mails, parts
from moderator.pages.headline import Headline, headline, name, spoken
from moderator.pages.messages import bare, label, round_noun
from moderator.pages.pages import MatchInfo, Page, SeatLine
from moderator.pages.report import scoreless
from moderator.printable import clean, clean_name
from moderator.states import MailKind

SUBJECT_LENGTH = 150


@dataclass(frozen=True)
class Head:
    subject: str
    headline: str
    lines: tuple[str, ...]
    """What belongs directly under the headline: deadline, who is awaited, last move."""
    alarming: bool
    """Printed as a warning: the player must do something again."""


def head(page: Page) -> Head:
    """Subject, headline and the lines below it. The subject starts with the token of ``page.reply``."""
    if page.kind == MailKind.TOURNAMENT:
        prefix = page.reply.subject if page.reply else ""
        subject = clean(f"{prefix} {tournament_lines.subject(page)}".strip(), SUBJECT_LENGTH)
        return Head(subject, tournament_lines.headline(page), tuple(tournament_lines.lines(page)), alarming=False)
    said = _said(page)
    decided = [one.receipt.decided for one in (page, *mails(page.content)) if one.receipt]
    return Head(_subject(page, said.subject), said.headline, tuple(_lines(page)), any(map(decision.alarming, decided)))


def _said(page: Page) -> Headline:
    """What happened to a match, or became of an order, is said by ``headline``; every other mail says what it is."""
    language = page.reader.language
    words = [bare(page.content.word)] if isinstance(page.content, WordAsked | WordRuled) else []
    values = {
        "title": _title(page),
        "names": listed(page.awaited),
        "words": words,
        "count": max(1, len(words)),
        "matches": sum(stored.view(part).wanted for part in parts(page.content)),
    }
    if page.kind in OF_KIND or page.kind in (MailKind.RECEIPT, MailKind.DONE):
        decided = page.receipt.decided if page.receipt else None
        if page.kind != MailKind.DONE or decided is not None:
            return headline(OF_KIND.get(page.kind), decided, stored.view(page), language, **values)
    return spoken(_name(page), language, **values)


def _name(page: Page) -> str:
    """Of a mail about no match and no order."""
    wanted = any(stored.view(part).wanted for part in parts(page.content))
    if page.kind in (MailKind.DIGEST, MailKind.BACKLOG) and not wanted:
        return f"{page.kind}-quiet"
    if page.press and page.kind in (MailKind.NEWS, MailKind.NOTICE) and not (page.kind == MailKind.NEWS and page.notes):
        return "press" if page.kind == MailKind.NEWS else "press-moderator"
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


def listed(names: Sequence[str], most: int = 4) -> str:
    """``Anna, Bert``; a long list is cut, the score table names them all."""
    shown = ", ".join(clean_name(name) for name in names[:most])
    return f"{shown} (+{len(names) - most})" if len(names) > most else shown


def _subject(page: Page, what: str) -> str:
    language, match = page.reader.language, page.match
    if match is None:
        text = label("subject-plain", language, title=clean_name(page.club), what=what)
    else:
        plain = " ".join((clean_name(match.game_name) or match.game, clean_name(match.name))).strip()
        code = "subject-round" if match.round else "subject-plain"
        noun = round_noun(language, match.game)
        text = label(code, language, title=plain, noun=noun, round=match.round, what=what)
    prefix = page.reply.subject if page.reply else f"[{match.code}]" if match else ""
    return clean(f"{prefix} {text}".strip(), SUBJECT_LENGTH)


def _lines(page: Page) -> list[str]:
    language = page.reader.language
    lines: list[str] = []
    if page.kind == MailKind.END:
        return [result(page.seats, language)]
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
        lines.append(label("now-to-move" if sequential else "waiting-for", language, names=listed(page.awaited)))
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
        "move": bare(report.played, traits.style(game)),
        "points": report.points,
    }
    if stored.race(page):
        return label("last-race", language, **values)
    return label("last-move" if report.points or not scoreless(game, language) else "last-plain", language, **values)


def result(seats: Sequence[SeatLine], language: str) -> str:
    """Who has won."""
    winners = [seat for seat in seats if seat.winner]
    if not winners:
        return label("won-nobody", language)
    code = "won-tie" if len(winners) > 1 else "won-you" if winners[0].you else "won"
    return label(code, language, names=listed([w.name for w in winners]), score=winners[0].score)
