"""What a player has asked to see, as sections of a mail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from moderator.common.enums import MailKind
from moderator.common.message_files import RulesText
from moderator.common.text import capitalize_start, clean_name
from moderator.language import dates, traits
from moderator.language.dates import localize_notes
from moderator.language.messages import (
    render_code,
    render_label,
    render_note,
    render_round_noun,
    write_match_title,
    write_move,
)
from moderator.notifications.content import (
    DeadlineList,
    HistoryRound,
    HistoryTurn,
    MatchHistory,
    OpenMatch,
    Overview,
    Promptness,
    PromptnessFigures,
    PuzzleNotification,
    ReviewText,
    UndoneTurns,
    build_review_text,
)
from moderator.notifications.pages import Page
from moderator.render.document import Block, Heading, Items, Para
from moderator.render.mails import several
from moderator.render.mails.answering import find_board_action, render_example
from moderator.render.mails.headline import format_points
from moderator.render.mails.match_sections import render_agreed_options
from moderator.render.mails.position import show_board, show_tiles
from moderator.render.mails.report import render_mover, render_note_line
from moderator.render.mails.sections import build_action, build_section, show_buttons
from moderator.render.rows import ActionRow, ActionRows
from moderator.review.review import Review
from moderator.rules.game import Note

# ---- The puzzle of the week.


def show_solution(page: Page) -> Iterator[Block]:
    """Yield the solution of the last puzzle, if there was one."""
    content, language = page.content, page.reader.language
    assert isinstance(content, PuzzleNotification)
    if content.solved:
        yield Heading(render_label("section-puzzle-solved", language))
        yield Items(_render_puzzle_notes(page, content.solved, content.solved_game), "para")


def show_puzzle(page: Page) -> Iterator[Block]:
    """Yield the puzzle that is set now, if there is one."""
    content, language = page.content, page.reader.language
    assert isinstance(content, PuzzleNotification)
    if not content.number:
        return
    name = render_code("name", language, page.game)
    yield Heading(render_label("puzzle-title", language, number=content.number, game=name))
    yield Items(_render_puzzle_notes(page, content.about, page.game), "para")
    yield from show_board(page)
    yield from show_tiles(page)
    board = find_board_action(page, "main")
    write = build_action(page, "puzzle-button", "", "plain" if board else "main")
    yield show_buttons(page, *(one for one in (board, write) if one is not None))
    yield Items(_render_puzzle_notes(page, content.how, page.game), "para")
    yield Para((render_example(page),), "item m")


def _render_puzzle_notes(page: Page, notes: Sequence[Note], game: str | None) -> tuple[str, ...]:
    return tuple(render_note(note, page.reader.language, game) for note in localize_notes(notes, page))


# ---- A review in sentences: for the command line, for mails and for the match's page.


TURNS = "section-review-turns"
"""Code of the heading over the turns."""


def iter_review_sections(
    review_text: ReviewText, game: str | None, names: Sequence[str], language: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield (code of the heading, sentences) of each part that says something."""
    for heading, lines in (
        ("section-review", [(note,) for note in review_text.summary]),
        (TURNS, review_text.turns),
        ("section-review-how", [(note,) for note in review_text.explained]),
    ):
        if lines:
            yield heading, tuple(" ".join(render_note(note, language, game, names) for note in line) for line in lines)


def iter_review_lines(review: Review, code: str, name: str, names: Sequence[str], language: str) -> Iterator[str]:
    """Yield the review as lines of a plain text, without line breaks in them; an empty line stands between its
    parts."""
    game = render_code("name", language, review.game)
    yield render_code("review-heading", language, review.game, game=game, match=clean_name(name), code=code)
    for heading, sentences in iter_review_sections(build_review_text(review), review.game, names, language):
        yield from ("", render_label(heading, language)) if heading == TURNS else ("",)
        yield from sentences


# ---- What was asked for.


def show_asked(page: Page) -> Iterator[Block]:
    """Yield what was asked for, and the options of the match that it is about."""
    asked, language = page.content, page.reader.language
    match asked:
        case Overview():
            yield from _iter_overview_blocks(asked, page)
        case MatchHistory():
            for one in asked.rounds:
                yield from _iter_round_blocks(one, page)
            yield from _iter_promptness_blocks(asked.promptness, page)
        case ReviewText():
            for heading, items in iter_review_sections(asked, page.game, page.names, language):
                yield from build_section(render_label(heading, language), (), items)
        case Promptness():
            yield from _iter_promptness_blocks(asked, page)
        case DeadlineList():
            yield from _iter_deadline_blocks(asked, page)
        case RulesText():
            yield from _iter_rule_blocks(asked, language)
    if page.kind in (MailKind.RULES, MailKind.STATUS):
        language = page.reader.language
        lines = render_agreed_options(page.match, language, only_changed=page.kind != MailKind.RULES)
        if lines:
            yield from build_section(render_label("section-options", language), (), lines)


def render_game_name(game: str, language: str) -> str:
    return render_code("name", language, game)


def _iter_overview_blocks(asked: Overview, page: Page) -> Iterator[Block]:
    language = page.reader.language
    yield from several.show_matches(page)
    if asked.open:
        yield Heading(render_label("section-open", language))
        yield ActionRows(tuple(_build_open_row(one, page) for one in asked.open), language)
    for heading, notes in (("section-cups", asked.tournaments), ("section-open-cups", asked.open_tournaments)):
        if notes:
            items = tuple(render_note(note, language) for note in localize_notes(notes, page))
            yield from build_section(render_label(heading, language), (), items)
    if asked.leaves:
        days = [tuple(dates.format_day(day, page.now, language) for day in leave) for leave in asked.leaves]
        items = tuple(render_label("overview-leave", language, first=first, last=last) for first, last in days)
        yield from build_section(render_label("section-leave", language), (), items)
    yield from several.link_several(page)


def _build_open_row(match: OpenMatch, page: Page) -> ActionRow:
    language = page.reader.language
    title = write_match_title(render_game_name(match.game, language), clean_name(match.name), language, quoted=False)
    code = "overview-open" if match.players else "overview-open-empty"
    said = render_label(code, language, names=[clean_name(name) for name in match.players], free=match.free)
    join = build_action(page, "button-join", render_label("line-join", language, match=match.code))
    return ActionRow(title, said, (join,))


def _iter_round_blocks(one: HistoryRound, page: Page) -> Iterator[Block]:
    language = page.reader.language
    noun = render_round_noun(language, page.game)
    items = [text for line in one.lines for text in _iter_line_texts(line, page)]
    if traits.has_seeded_rounds(page.game):
        totals = [
            render_label("history-score", language, name=clean_name(n), score=format_points(s)) for n, s in one.totals
        ]
        items.append(render_label("history-totals", language, totals=totals))
    heading = render_label("history-round", language, noun=capitalize_start(noun), round=one.number)
    yield from build_section(heading, (), tuple(items))


def _iter_line_texts(line: HistoryTurn | UndoneTurns | Note, page: Page) -> Iterator[str]:
    language = page.reader.language
    if isinstance(line, UndoneTurns):
        yield render_label("history-undone", language, count=line.turns)
    elif isinstance(line, Note):
        yield render_code(line.code, language, page.game, **line.params)
    else:
        yield _render_turn(line, page)
        gains = (note for note in line.report.then if note.points or note.code.startswith("sum-"))
        yield from (render_note_line(note, language, page.game, page.names) for note in gains)


def _render_turn(turn: HistoryTurn, page: Page) -> str:
    language, report = page.reader.language, turn.report
    values = {"who": render_mover(report, page), "points": report.points, "total": format_points(turn.total)}
    if not report.played:
        return render_label("history-none" if not report.failed else "history-failed", language, **values)
    values["move"] = write_move(report.played, language, page.game)
    text = render_label("history-move" if report.points else "history-plain", language, **values)
    more = [render_label("first-fallback", language, number=report.alternative - 1)] if report.alternative > 1 else []
    if page.match is not None and page.match.pace == "common" and report.laid:
        more.append(render_label("laid", language))
    return " ".join((text, *more))


def _iter_promptness_blocks(asked: Promptness, page: Page) -> Iterator[Block]:
    items = tuple(_render_figures(one, page.reader.language) for one in asked.players)
    if items:
        yield from build_section(render_label("section-promptness", page.reader.language), (), items)


def _render_figures(one: PromptnessFigures, language: str) -> str:
    name = clean_name(one.name)
    if one.percent is None:
        text = render_label("figures-none", language, name=name)
    else:
        text = render_label("figures", language, name=name, percent=one.percent, missed=one.missed)
    if one.turns:
        same = one.days * 20 < one.turns
        days = _format_days(one.days / one.turns, language)
        text += " " + (
            render_label("figures-same-day", language) if same else render_label("figures-days", language, days=days)
        )
    if one.bank:
        text += " " + render_label("figures-bank", language, count=one.bank)
    return text


def _format_days(days: float, language: str) -> str:
    """Return a number of days with one decimal: ``1,5``."""
    return f"{days:.1f}".replace(".", render_label("decimal-mark", language))


def _iter_deadline_blocks(asked: DeadlineList, page: Page) -> Iterator[Block]:
    reader = page.reader
    language = reader.language
    items = []
    for one in asked.matches:
        when = dates.format_deadline(one.deadline, page.now, language, reader.zone, page.club_zone)
        code = "calendar-yours" if one.yours else "calendar-other"
        title = write_match_title(render_game_name(one.game, language), clean_name(one.name), language)
        items.append(render_label(code, language, title=title, code=one.code, deadline=when))
    yield from build_section(
        render_label("section-dates", language), (render_label("calendar-how", language),), tuple(items)
    )
    if asked.address:
        how = render_label("calendar-subscribe", language)
        yield from build_section(render_label("section-subscribe", language), (how,), (asked.address,))


def _iter_rule_blocks(asked: RulesText, language: str) -> Iterator[Block]:
    """Yield each block of the rules as a part, so that paragraphs and lists keep their order."""
    if asked.language != language:
        yield from build_section("", (render_label("rules-not-translated", language),))
    for section in asked.sections:
        heading, run = section.heading, list[str]()
        for block in section.blocks:
            if isinstance(block, str):
                run.append(block)
            else:
                yield from build_section(heading, tuple(run), block)
                heading, run = "", []
        if run or heading:
            yield from build_section(heading, tuple(run))
