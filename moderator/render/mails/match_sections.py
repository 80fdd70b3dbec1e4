"""What happened in a match, what was agreed for it, and that it was shuffled honestly, as sections of a mail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from moderator.common.enums import MailKind
from moderator.games import load_game
from moderator.language import traits
from moderator.language.messages import load_sentences, render_code, render_label, render_note, render_round_noun
from moderator.notifications.content import StartTerms
from moderator.notifications.pages import MatchView, Page
from moderator.render.document import Block, Code, Heading, Items, Move, Para, Sums
from moderator.render.mails import report
from moderator.render.mails.report import EventChapter, build_event_chapters, render_note_line
from moderator.render.mails.sections import list_seat_names, render_notes, write_label
from moderator.rules.silence import SeatStatus

# ---- what happened ----


def render_agreed_options(match: MatchView | None, language: str, *, only_changed: bool = False) -> tuple[str, ...]:
    """Return the options in force as lines. ``only_changed``: only those that differ from the game's defaults."""
    if match is None:
        return ()
    told = select_unusual_options(match.game, match.options) if only_changed else match.options
    lines = []
    for name, value in told.items():
        matters = traits.is_option_relevant(match.game, name, match.pace)
        if name != "pace" and value is not None and matters:
            lines.append(render_option(name, value, language, match.game))
    if match.salts and not only_changed:
        lines.append(render_label("salts", language, salts=match.salts))
    return (*filter(None, lines), *(render_note(note, language) for note in match.rulings))


def select_unusual_options(game: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options that are not as they are where nothing is agreed."""
    usual = asdict(load_game(game).options())
    return {name: value for name, value in options.items() if usual.get(name) != value}


def render_option(name: str, value: Any, language: str, game: str) -> str:
    """Return an option in words. A game has a sentence ``option.<name>``, with {value} or as a mere name, and may word
    a value by ``option.<name>.<value>``; an option whose words are empty is not worth saying and gives an empty
    text."""
    sentences = load_sentences(language, game)
    plain = str(value).lower() if isinstance(value, bool) else value
    worded = sentences.get(f"option.{name}.{plain}")
    pattern = sentences.get(f"option.{name}", name.replace("_", " "))
    if worded == "":
        return ""
    if "{" in pattern:
        return render_code(f"option.{name}", language, game, value=worded or value, count=value)
    return render_label("option-plain", language, name=pattern, value=worded or value)


def show_events(page: Page) -> Iterator[Block]:
    """Yield the moves, and what happened by itself, in order."""
    names = list_seat_names(page)
    moves = report.build_reported_moves(page, names)
    chapters = build_event_chapters(page.notes, page.reader.language, page.game, names)
    if not moves and not chapters:
        return
    yield Heading(write_label(page, "section-happened" if _is_played_at_once(page) else "section-happened-round"))
    close = False
    for move in moves:
        for chapter in move.before:
            yield from _show_chapter(page, chapter, close=close)
            close = False
        yield Move(move.who, move.move, move.points, move.sums, move.laid, move.lines, close=close)
        close = True
        for chapter in move.then:
            yield from _show_chapter(page, chapter, close=close)
            close = False
    for chapter in chapters:
        yield from _show_chapter(page, chapter, close=close)
        close = False


def _show_chapter(page: Page, chapter: EventChapter, *, close: bool) -> Iterator[Block]:
    """Yield lines, the sums of a round that is over, lines. ``close``: it belongs to the move above."""
    if chapter.heading:
        yield Heading(chapter.heading, write_label(page, "followed", text=chapter.heading))
    yield Items(chapter.before, close=close or bool(chapter.heading))
    for sums in chapter.sums:
        yield Sums(sums.name, sums.lines, sums.total)
    yield Items(chapter.after)


def _is_played_at_once(page: Page) -> bool:
    """Return whether moves are played as they arrive, and not in rounds."""
    paces = ("sequential", "race")
    return page.kind in (MailKind.START, MailKind.CORRECTION) or (page.match is not None and page.match.pace in paces)


def show_reminder(page: Page) -> Iterator[Block]:
    """Yield why the reader is reminded."""
    missing = "reminder-in-vain" if page.status is SeatStatus.ILLEGAL else "reminder-missing"
    yield Para((write_label(page, "reminder-put-off" if page.status is SeatStatus.DEFERRED else missing),))
    yield Items(render_notes(page), close=True)


# ---- what was agreed ----


def show_agreed_options(page: Page) -> Iterator[Block]:
    """Yield options and time rules of a match that begins."""
    yield Heading(write_label(page, "section-options"))
    if page.match is not None:
        at_once = page.match.pace == "rounds" and traits.is_evaluated_at_once(page.match.game)
        yield Para((write_label(page, f"pace-{'at-once' if at_once else page.match.pace}"),))
    if isinstance(page.content, StartTerms):
        language, names = page.reader.language, list_seat_names(page)
        terms = (render_note_line(note, language, page.game, (), names) for note in page.content.terms)
        yield Items((*render_agreed_options(page.match, language), *terms), "list m", close=True)


# ---- that it was shuffled honestly ----


def show_seals(page: Page) -> Iterator[Block]:
    """Yield the numbers that fix the deals of the rounds that this mail is about."""
    seals = page.match.seals if page.match else ()
    if seals:
        yield Heading(write_label(page, "section-fair"))
    for seal in seals:
        label = _write_round_label(page, "fair-over" if seal.seed else "fair-now", seal.round)
        yield Code(label, seal.seed or seal.commitment)


def show_seals_at_start(page: Page) -> Iterator[Block]:
    """Yield the number that fixes the deal."""
    match = page.match
    if match is None or not (match.seals or match.commitment):
        return
    yield Heading(write_label(page, "section-fair"))
    if not match.seals:
        code = "start-sealed-moving-in" if page.moving_in else "start-sealed"
        yield Code(write_label(page, code), match.commitment, "para")
    for number, seal in enumerate(match.seals):
        code = "fair-moving-in" if page.moving_in else "fair-start"
        yield Code("" if number else _write_round_label(page, code, match.round), seal.commitment, "para")


def show_seals_at_end(page: Page) -> Iterator[Block]:
    """Yield the keys of the shuffles, and how they are checked."""
    match = page.match
    if match is None or not (match.seals or match.seed):
        return
    yield Heading(write_label(page, "section-fair"))
    if match.seals:
        yield Para((write_label(page, "fair-end"),))
        for seal in match.seals:
            yield Code(_write_round_label(page, "fair-seal", seal.round), seal.commitment)
            if seal.seed:
                yield Code(_write_round_label(page, "fair-seed", seal.round), seal.seed)
        yield Para((write_label(page, "fair-check"),))
        return
    yield Code(write_label(page, "end-key"), match.seed, "para")
    if match.commitment:
        yield Code(write_label(page, "end-number"), match.commitment, "para")
    yield Para((write_label(page, "end-check"),))


def _write_round_label(page: Page, code: str, number: int) -> str:
    language = page.reader.language
    return render_label(code, language, noun=render_round_noun(language, page.game), round=number)
