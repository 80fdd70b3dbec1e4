"""What happened in a match, what was agreed for it, and that it was shuffled honestly, as sections of a mail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from moderator.common.enums import MailKind
from moderator.common.mails import File
from moderator.games import load_game
from moderator.language import traits
from moderator.language.messages import load_sentences, render_code, render_label, render_note, render_round_noun
from moderator.notifications.content import MoveView, StartTerms
from moderator.notifications.pages import MatchView, Page
from moderator.render.document import Block, Heading, Items, Move, Para, Sums
from moderator.render.mails import answering, report
from moderator.render.mails.position import DRAWN
from moderator.render.mails.report import EventChapter, build_event_chapters, render_note_line
from moderator.render.mails.sections import list_seat_names, render_notes, write_label
from moderator.rules.silence import SeatStatus
from moderator.rules.state import Note

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
    chapters = build_event_chapters(page.notes, page.reader.language, page.game, names)
    for move in report.build_reported_moves(page, names):
        yield from _show_chapters(page, move.before)
        yield Move(move.who, move.move, move.points, move.sums, move.laid, move.lines)
        yield from _show_chapters(page, move.then)
    yield from _show_chapters(page, chapters)


def show_details(page: Page) -> Iterator[Block]:
    """Yield what the headline has not said: how the points of the last move come about, earlier moves, what happened by
    itself."""
    names, told = list_seat_names(page), _find_headline_move(page)
    lines: list[str] = []
    chapters: list[EventChapter] = []
    for one in (_drop_draws(one, page) for one in page.reports):
        move = report.build_reported_move(one, page, names)
        lines += [line for chapter in move.before for line in (*chapter.before, *chapter.after)]
        if one.seat == told or one.you:
            lines += [*filter(None, (_explain_move(move),)), *move.lines]
        elif _is_one_by_one(page):
            said = f"{move.who} {move.move}" + (f", {move.points}" if move.points else "")
            lines += [write_label(page, "before-it", move=said), *move.lines]
        chapters += move.then
    notes = tuple(note for note in page.notes if not _is_draw(note, page))
    chapters += build_event_chapters(notes, page.reader.language, page.game, names)
    lines += [line for chapter in chapters if not chapter.heading for line in (*chapter.before, *chapter.after)]
    yield Items(tuple(lines))
    yield from _show_chapters(page, [chapter for chapter in chapters if chapter.heading])


def _find_headline_move(page: Page) -> int | None:
    """Return the seat whose move the headline tells: the last one of somebody else."""
    others = [one.seat for one in page.reports if not one.you and (one.played or one.points)]
    return others[-1] if others and _is_one_by_one(page) and page.receipt is None else None


def _explain_move(move: report.ReportedMove) -> str:
    """Return the move as it is written, with the sum of its words; an empty text where the headline has said it all."""
    return f"{move.move}: {move.sums}" if move.sums and move.played else ""


def _drop_draws(one: MoveView, page: Page) -> MoveView:
    """Return the move without new tiles: those of the reader lie on the bench, those of others are counted there."""
    kept = ([note for note in notes if not _is_draw(note, page)] for notes in (one.notes, one.before, one.then))
    notes, before, then = map(tuple, kept)
    return replace(one, notes=notes, before=before, then=then)


def _is_draw(note: Note, page: Page) -> bool:
    """Return whether the note tells of tiles only; where drawing is no matter of course it is told of others."""
    return note.code in DRAWN or (note.code == "drew" and not traits.has_seeded_rounds(page.game))


def _is_one_by_one(page: Page) -> bool:
    """Return whether moves are played as they arrive, and not in rounds."""
    return page.match is not None and page.match.pace in ("sequential", "race")


def _show_chapters(page: Page, chapters: Sequence[EventChapter]) -> Iterator[Block]:
    for chapter in chapters:
        yield from _show_chapter(page, chapter)


def _show_chapter(page: Page, chapter: EventChapter) -> Iterator[Block]:
    """Yield lines, the sums of a round that is over, lines."""
    if chapter.heading:
        yield Heading(chapter.heading, write_label(page, "followed", text=chapter.heading))
    yield Items(chapter.before, close=bool(chapter.heading))
    for sums in chapter.sums:
        yield Sums(sums.name, sums.lines, sums.total)
    yield Items(chapter.after)


def show_reminder(page: Page) -> Iterator[Block]:
    """Yield why the reader is reminded."""
    missing = "reminder-in-vain" if page.status is SeatStatus.ILLEGAL else "reminder-missing"
    yield Para((write_label(page, "reminder-put-off" if page.status is SeatStatus.DEFERRED else missing),), "item m")
    yield Items(render_notes(page))


# ---- what was agreed ----


def explain_first_move(page: Page) -> Iterator[Block]:
    """Yield how a move is written, with an example, in the mail about a match that begins."""
    if answering.is_answer_offered(page) and not page.moving_in:
        yield from answering.explain_moves(page)


def show_agreed_options(page: Page) -> Iterator[Block]:
    """Yield how turns follow each other, the time rules, and the options that are not usual."""
    match, lines = page.match, list[str]()
    if match is None:
        return
    at_once = match.pace == "rounds" and traits.is_evaluated_at_once(match.game)
    lines.append(write_label(page, f"pace-{'at-once' if at_once else match.pace}"))
    if isinstance(page.content, StartTerms):
        language, names = page.reader.language, list_seat_names(page)
        lines += [render_note_line(note, language, page.game, (), names) for note in page.content.terms]
    lines += render_agreed_options(match, page.reader.language, only_changed=True)
    if list_proof_files(page):
        lines.append(write_label(page, "proof-start"))
    yield Heading(write_label(page, "section-options"))
    yield Items(tuple(lines), "list m", close=True)


def link_rules(page: Page) -> Iterator[Block]:
    """Yield the rules, and the way to ask."""
    if page.match is not None and page.reply is not None:
        game = page.match.game_name or page.match.game
        yield answering.show_links(
            page,
            answering.build_action(page, "link-rules", write_label(page, "line-rules", game=game)),
            answering.build_action(page, "link-question", write_label(page, "line-question")),
        )


# ---- that it was shuffled honestly ----


def tell_proof(page: Page) -> Iterator[Block]:
    """Yield that the keys of the shuffles are attached."""
    if list_proof_files(page):
        yield Para((write_label(page, "proof-end"),), "item m")


def list_proof_files(page: Page) -> tuple[File, ...]:
    """Return the file with the numbers that fix the deals which the mail is about, and with the keys of those that are
    over."""
    lines = _list_proof_lines(page) if page.kind in PROVING else ()
    if page.match is None or not lines:
        return ()
    return (File(f"proof-{page.match.code}.txt", "text/plain; charset=utf-8", "\r\n".join((*lines, "")).encode()),)


PROVING = frozenset({MailKind.START, MailKind.TURN, MailKind.END, MailKind.CORRECTION, MailKind.STATUS})
"""Mails that may be about a deal that begins or ends."""


def _list_proof_lines(page: Page) -> tuple[str, ...]:
    match, start = page.match, page.kind == MailKind.START
    if match is None:
        return ()
    if not match.seals:
        if match.seed:
            return (write_label(page, "end-key"), match.seed, write_label(page, "end-number"), match.commitment,
                    write_label(page, "end-check"))  # fmt: skip
        sealed = "start-sealed-moving-in" if page.moving_in else "start-sealed"
        return (write_label(page, sealed), match.commitment) if match.commitment and start else ()
    fixed = "fair-moving-in" if page.moving_in else "fair-start"
    lines = [_write_round_label(page, fixed, match.round)] if start else []
    for seal in match.seals:
        lines += [_write_round_label(page, "fair-seal", seal.round), seal.commitment]
        lines += [_write_round_label(page, "fair-seed", seal.round), seal.seed] if seal.seed else []
    return (*lines, write_label(page, "fair-check")) if page.kind == MailKind.END else tuple(lines)


def _write_round_label(page: Page, code: str, number: int) -> str:
    language = page.reader.language
    return render_label(code, language, noun=render_round_noun(language, page.game), round=number)
