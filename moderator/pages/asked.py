"""What a player has asked to see, as blocks of lines that a mail makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from moderator.errors import OperatorError
from moderator.games.rules_text import RulesText, rules_text
from moderator.match.contract import Note
from moderator.pages import dates, review, traits
from moderator.pages.agreed import agreed_lines
from moderator.pages.content import (
    CommandLine,
    Commands,
    Dates,
    Figures,
    History,
    MatchLine,
    Opening,
    OpenMatch,
    Overview,
    Promptness,
    ReviewText,
    Round,
    Turn,
    Undone,
)
from moderator.pages.dates import worded
from moderator.pages.ending import minus
from moderator.pages.flow import mailto
from moderator.pages.messages import label, move, round_noun, say, sentence
from moderator.pages.pages import Page
from moderator.pages.report import who
from moderator.printable import clean_name
from moderator.states import MailKind


@dataclass(frozen=True)
class Block:
    """A stretch of a mail."""

    heading: str
    lines: tuple[str, ...] = ()
    """Paragraphs."""
    items: tuple[str, ...] = ()
    """Shorter ones, in a list; below the paragraphs."""
    link: str = ""
    """A prefilled answer."""
    button: str = ""
    """What stands on it."""


def parts(page: Page) -> tuple[Block, ...]:
    """What was asked for, part by part, and how the match is played that it is about; () where nothing was."""
    return (*_content(page), *_agreed(page))


def points(page: Page) -> tuple[Block, ...]:
    """How points are made in a match that begins, from its rules, and how to get all of them."""
    if page.match is None or not isinstance(page.content, Opening):
        return ()
    language = page.reader.language
    try:
        rules = rules_text(page.match.game, language, page.match.options)
    except OperatorError:  # a game of others may have no rules for mails
        return ()
    heading = label("section-points", rules.language)
    sections = tuple(section for section in rules.sections if section.heading == heading)
    if not sections:
        return ()
    return (*_rules(replace(rules, sections=sections), language), Block("", (label("all-rules", language),)))


def _agreed(page: Page) -> tuple[Block, ...]:
    """The options of the match: all beside its rules, elsewhere those that are not usual."""
    if page.kind not in (MailKind.RULES, MailKind.HELP, MailKind.STATUS):
        return ()
    language = page.reader.language
    lines = agreed_lines(page.match, language, only_changed=page.kind != MailKind.RULES)
    return (Block(label("section-options", language), (), lines),) if lines else ()


def _content(page: Page) -> tuple[Block, ...]:
    asked = page.content
    if isinstance(asked, Overview):
        return tuple(_overview(asked, page))
    if isinstance(asked, History):
        return (*(_round(one, page) for one in asked.rounds), *_promptness(asked.promptness, page))
    if isinstance(asked, ReviewText):
        return tuple(_review(asked, page))
    if isinstance(asked, Promptness):
        return _promptness(asked, page)
    if isinstance(asked, Commands):
        return tuple(_commands(asked, page.reader.language))
    if isinstance(asked, Dates):
        return tuple(_dates(asked, page))
    if isinstance(asked, RulesText):
        return tuple(_rules(asked, page.reader.language))
    return ()


def game_name(game: str, language: str) -> str:
    return say("name", language, game)


def _title(game: str, name: str, language: str) -> str:
    """``Topwords „Arratia“``."""
    return label("title", language, game=game_name(game, language), match=clean_name(name))


def _overview(asked: Overview, page: Page) -> Iterator[Block]:
    language = page.reader.language
    for match in sorted(asked.matches, key=lambda m: (not m.your_turn, m.deadline is None, m.deadline or page.now)):
        yield _match(match, page)
    if not asked.matches:
        yield Block(label("section-none", language), (label("overview-none", language),))
    if asked.open:
        lines = (label("overview-join", language),)
        yield Block(label("section-open", language), lines, tuple(_open(one, language) for one in asked.open))
    for heading, notes in (("section-cups", asked.tournaments), ("section-open-cups", asked.open_tournaments)):
        if notes:
            items = tuple(sentence(note, language) for note in worded(notes, page))
            yield Block(label(heading, language), items=items)
    if asked.leaves:
        days = [tuple(dates.day(day, page.now, language) for day in leave) for leave in asked.leaves]
        items = tuple(label("overview-leave", language, first=first, last=last) for first, last in days)
        yield Block(label("section-leave", language), items=items)


def _match(match: MatchLine, page: Page) -> Block:
    language = page.reader.language
    title = _title(match.game, match.name, language)
    state = f"overview-{match.state}" if match.state else "overview-yours" if match.your_turn else "overview-others"
    lines = [label(state, language, names=[clean_name(name) for name in match.awaited])]
    if match.deadline is not None and not match.state:
        lines.append(label("overview-zat", language, deadline=_moment(match, page)))
    items = []
    if match.round:
        noun = round_noun(language, match.game)
        values = {"score": match.score, "rank": match.rank, "seats": match.seats, "round": match.round}
        items.append(label("overview-score", language, noun=_upper(noun), **values))
    if match.state not in ("suspended", "out"):
        if match.your_turn or match.stored != "none":
            items.append(label(f"overview-stored-{match.stored}", language))
        items.append(label("overview-answer", language, code=match.code))
    heading = label("overview-heading", language, title=title, code=match.code)
    if match.state in ("suspended", "out"):
        return Block(heading, (" ".join(lines),), tuple(items))
    button = label("answer-button" if match.your_turn else "answer-button-plain", language)
    return Block(heading, (" ".join(lines),), tuple(items), mailto(match.reply, title, language), button)


def _moment(match: MatchLine, page: Page) -> str:
    reader = page.reader
    assert match.deadline is not None
    return dates.deadline(match.deadline, page.now, reader.language, reader.zone, page.club_zone)


def _open(match: OpenMatch, language: str) -> str:
    code = "overview-open" if match.players else "overview-open-empty"
    values = {"title": _title(match.game, match.name, language), "code": match.code, "free": match.free}
    return label(code, language, names=[clean_name(name) for name in match.players], **values)


def _round(one: Round, page: Page) -> Block:
    language = page.reader.language
    noun = round_noun(language, page.game)
    items = [text for line in one.lines for text in _line(line, page)]
    if traits.dealt_anew(page.game):
        totals = [label("history-score", language, name=clean_name(n), score=minus(s)) for n, s in one.totals]
        items.append(label("history-totals", language, totals=totals))
    return Block(label("history-round", language, noun=_upper(noun), round=one.number), items=tuple(items))


def _line(line: Turn | Undone | Note, page: Page) -> Iterator[str]:
    language = page.reader.language
    if isinstance(line, Undone):
        yield label("history-undone", language, count=line.turns)
    elif isinstance(line, Note):
        yield say(line.code, language, page.game, **line.params)
    else:
        yield _turn(line, page)


def _turn(turn: Turn, page: Page) -> str:
    language, report = page.reader.language, turn.report
    values = {"who": who(report, page), "points": report.points, "total": minus(turn.total)}
    if not report.played:
        return label("history-none" if not report.failed else "history-failed", language, **values)
    values["move"] = move(report.played, language, page.game)
    text = label("history-move" if report.points else "history-plain", language, **values)
    more = [label("first-fallback", language, number=report.alternative - 1)] if report.alternative > 1 else []
    if page.match is not None and page.match.pace == "common" and report.laid:
        more.append(label("laid", language))
    return " ".join((text, *more))


def _review(asked: ReviewText, page: Page) -> Iterator[Block]:
    language = page.reader.language
    for heading, items in review.sections(asked, page.game, page.names, language):
        yield Block(label(heading, language), items=items)


def _promptness(asked: Promptness, page: Page) -> tuple[Block, ...]:
    items = tuple(_figures(one, page.reader.language) for one in asked.players)
    return (Block(label("section-promptness", page.reader.language), items=items),) if items else ()


def _figures(one: Figures, language: str) -> str:
    name = clean_name(one.name)
    if one.percent is None:
        text = label("figures-none", language, name=name)
    else:
        text = label("figures", language, name=name, percent=one.percent, missed=one.missed)
    if one.turns:
        same = one.days * 20 < one.turns
        days = _days(one.days / one.turns, language)
        text += " " + (label("figures-same-day", language) if same else label("figures-days", language, days=days))
    if one.bank:
        text += " " + label("figures-bank", language, count=one.bank)
    return text


def _days(days: float, language: str) -> str:
    """``1,5``."""
    return f"{days:.1f}".replace(".", label("decimal-mark", language))


def _commands(asked: Commands, language: str) -> Iterator[Block]:
    for group, lines in asked.groups:
        yield Block(label(f"commands-{group}", language), items=tuple(_command(line, language) for line in lines))


def _command(line: CommandLine, language: str) -> str:
    code = "command-line" if line.said != line.twin else "command-line-same"
    return label(code, language, said=line.said, twin=line.twin, what=line.what)


def _dates(asked: Dates, page: Page) -> Iterator[Block]:
    reader = page.reader
    language = reader.language
    items = []
    for one in asked.matches:
        when = dates.deadline(one.deadline, page.now, language, reader.zone, page.club_zone)
        code = "calendar-yours" if one.yours else "calendar-other"
        items.append(label(code, language, title=_title(one.game, one.name, language), code=one.code, deadline=when))
    yield Block(label("section-dates", language), (label("calendar-how", language),), tuple(items))
    if asked.address:
        how = label("calendar-subscribe", language)
        yield Block(label("section-subscribe", language), (how,), (asked.address,))


def _rules(asked: RulesText, language: str) -> Iterator[Block]:
    """Each block is a part, so that paragraphs and lists keep their order."""
    if asked.language != language:
        yield Block("", (label("rules-not-translated", language),))
    for section in asked.sections:
        heading, run = section.heading, list[str]()
        for block in section.blocks:
            if isinstance(block, str):
                run.append(block)
            else:
                yield Block(heading, tuple(run), block)
                heading, run = "", []
        if run or heading:
            yield Block(heading, tuple(run))


def _upper(noun: str) -> str:
    return noun[:1].upper() + noun[1:]
