"""What happened in a match, what was agreed for it, that it was shuffled honestly, and at its end why it ended, the
position as it lay and what is left to look at, as sections of a mail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from moderator.common.enums import BoardForm, MailKind
from moderator.common.mails import File
from moderator.common.text import capitalize_start, clean_name
from moderator.games import load_game
from moderator.language import traits
from moderator.language.messages import (
    is_laying_move,
    load_sentences,
    render_code,
    render_label,
    render_note,
    render_round_noun,
)
from moderator.notifications.content import MoveView, StartTerms
from moderator.notifications.pages import MatchView, Page
from moderator.render.document import Action, Block, Board, Heading, Items, Move, Para
from moderator.render.mails import answering, outcome, report, stored_order
from moderator.render.mails.event import ONLY_MOVE
from moderator.render.mails.headline import format_name_list, format_points
from moderator.render.mails.position import DRAWN, show_board
from moderator.render.mails.report import EventChapter, build_event_chapters, render_note_line
from moderator.render.mails.sections import build_action, list_seat_names, render_notes, show_links, write_label
from moderator.render.mails.task import iter_reasons
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
    notes = _drop_turns(page.notes, page)
    chapters = build_event_chapters(notes, page.reader.language, page.game, names, report.list_doers(page))
    for move in report.build_reported_moves(page, names):
        yield from _show_chapters(page, move.before)
        yield Move(move.who, move.move, move.points, move.sums, move.laid, move.lines)
        yield from _show_chapters(page, move.then)
    yield from _show_chapters(page, chapters)


def show_details(page: Page) -> Iterator[Block]:
    """Yield what the headline has not said: how the points of the last move come about, earlier moves, what happened by
    itself. Of a round that is over: how it ended, and what the reader's points are made of."""
    names = list_seat_names(page)
    reports = [_drop_draws(one, page) for one in page.reports]
    moves = [(one, report.build_reported_move(one, page, names)) for one in reports]
    notes = tuple(note for note in _drop_turns(page.notes, page) if not _is_draw(note, page))
    own = build_event_chapters(notes, page.reader.language, page.game, names, report.list_doers(page))
    chapters = [chapter for _, move in moves for chapter in (*move.before, *move.then)] + list(own)
    ended = [at for at, chapter in enumerate(chapters) if chapter.heading]
    if ended:
        lines = [line for chapter in chapters[ended[0] :] for line in _iter_chapter_lines(chapter, page)]
    else:
        lines = [line for one, move in moves for line in _iter_move_lines(one, move, page)]
        lines += [*_explain_tie(page), *(line for chapter in chapters for line in (*chapter.before, *chapter.after))]
    yield Items(tuple(lines))


def _iter_move_lines(one: MoveView, move: report.ReportedMove, page: Page) -> Iterator[str]:
    """Yield what there is to say of a move besides the headline."""
    if one.seat == _find_headline_move(page) or (one.you and one.played):
        yield from filter(None, ("" if one.you and outcome.answers_mail(page) else _explain_move(move, page),))
        yield from _name_doers(one, move, page)
    elif one.you and not one.played and stored_order.list_stored_moves(page):
        return  # why nothing of it was possible stands where it is stored
    elif not one.played and (one.you or _is_one_by_one(page)):
        name = write_label(page, "you-there") if one.you else clean_name(one.name)
        yield from (write_label(page, "note-of", name=name, sentence=line) for line in move.lines)
    elif _is_one_by_one(page) and not outcome.answers_mail(page):
        said = f"{move.who} {move.move}" + (f", {move.points}" if move.points else "")
        yield write_label(page, "before-it", said=said)
        yield from _name_doers(one, move, page)


def _name_doers(one: MoveView, move: report.ReportedMove, page: Page) -> Iterator[str]:
    """Yield the lines of a move, each with who did it where it says what somebody did."""
    for line in move.lines:
        yield report.name_doer(clean_name(one.name), line, page.reader.language) or line


def _iter_chapter_lines(chapter: EventChapter, page: Page) -> Iterator[str]:
    """Yield how a round ended and what the reader's points are made of; those of the others stand on its page."""
    yield from chapter.before
    mine = page.own_seat
    for sums in chapter.sums:
        if mine is not None and sums.name == clean_name(mine.name) and sums.lines:
            yield write_label(page, "note-of", name=write_label(page, "you-there"), sentence=" ".join(sums.lines))
    yield from chapter.after


def _explain_tie(page: Page) -> tuple[str, ...]:
    """Return why the move that lies now was laid, and not another one of as many points."""
    laid = next((one for one in page.reports if one.laid and one.played), None)
    if laid is None or page.match is None or page.match.pace != "common":
        return ()
    equal = [one for one in page.reports if one.points == laid.points and one.played and one.played != laid.played]
    code = traits.find_tie_rule(page.game, laid.played, equal[0].played) if equal else ""
    if not code:
        return ()
    at = 0 if code == "tie-square" else 2
    words = {"laid": laid.played.split()[at], "other": equal[0].played.split()[at]}
    return (render_code(code, page.reader.language, page.game, **words),)


def _find_headline_move(page: Page) -> int | None:
    """Return the seat whose move the headline tells: the last one of somebody else."""
    others = [one.seat for one in page.reports if not one.you and (one.played or one.points)]
    return others[-1] if others and _is_one_by_one(page) and page.receipt is None else None


def _explain_move(move: report.ReportedMove, page: Page) -> str:
    """Return the move as it is written, with the sum of its words; an empty text where the headline has said it all.
    Words stand before it, so that the line is no order where the mail is quoted."""
    about = write_label(page, "followed", text=write_label(page, "counted-so", said=move.move))
    return f"{about} {move.sums}" if move.sums and move.played else ""


def _drop_draws(one: MoveView, page: Page) -> MoveView:
    """Return the move without new tiles: those of the reader lie on the bench, those of others are counted there; and
    without what the headline says: that it was the reader's only move, that somebody has passed, whose turn it is."""
    told = {ONLY_MOVE} if one.you else set[str]()
    told |= {"passed"} if one.played == traits.get_pass_text(page.game) else set()
    kept = (
        [note for note in _drop_turns(notes, page) if note.code not in told and not _is_draw(note, page)]
        for notes in (one.notes, one.before, one.then)
    )
    notes, before, then = map(tuple, kept)
    return replace(one, notes=notes, before=before, then=then)


TURNS = frozenset({"starts", "begins"})
"""Codes of notes on whose turn it is, or was before others had to pass; the lines below the headline say it."""


def _drop_turns(notes: Sequence[Note], page: Page) -> tuple[Note, ...]:
    return tuple(note for note in notes if note.code not in TURNS or not _is_one_by_one(page))


def _is_draw(note: Note, page: Page) -> bool:
    """Return whether the note tells of tiles only; where drawing is no matter of course it is told of others."""
    return note.code in DRAWN or (note.code == "drew" and not traits.has_seeded_rounds(page.game))


def _is_one_by_one(page: Page) -> bool:
    """Return whether moves are played as they arrive, and not in rounds."""
    return page.match is not None and page.match.pace in ("sequential", "race")


def _show_chapters(page: Page, chapters: Sequence[EventChapter]) -> Iterator[Block]:
    for chapter in chapters:
        # Lines, the sums of a round that is over, lines.
        if chapter.heading:
            yield Heading(chapter.heading, write_label(page, "followed", text=chapter.heading))
        yield Items(chapter.before, close=bool(chapter.heading))
        yield from chapter.sums
        yield Items(chapter.after)


def show_reminder(page: Page) -> Iterator[Block]:
    """Yield what may have gone wrong, and the ways out."""
    if page.status is SeatStatus.TO_MOVE:
        yield Para((write_label(page, "reminder-sent"),), "item m")
    yield Items(render_notes(page))


def link_reminder(page: Page) -> Iterator[Block]:
    """Yield how to see the board again, and how to ask for time."""
    yield show_links(
        page,
        build_action(page, "link-again", write_label(page, "line-status")),
        build_action(page, "link-time", write_label(page, "line-question")),
    )


# ---- what was agreed ----


def explain_first_move(page: Page) -> Iterator[Block]:
    """Yield how a move is written, with an example, in the mail about a match that begins."""
    if page.status.is_wanted and answering.is_answer_offered(page) and not page.moving_in:
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
    if match.salts:
        lines.append(write_label(page, "salts", salts=match.salts))
    if list_proof_files(page):
        lines.append(write_label(page, "proof-start"))
    yield Heading(write_label(page, "section-options"))
    yield Items(tuple(lines), "list m", close=True)


def link_rules(page: Page) -> Iterator[Block]:
    """Yield the rules, and the way to ask."""
    if page.match is not None and page.reply is not None:
        game = page.match.game_name or page.match.game
        yield show_links(
            page,
            build_action(page, "link-rules", write_label(page, "line-rules", game=game)),
            build_action(page, "link-question", write_label(page, "line-question")),
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


SAID = ("sum-", "match-", "series-", "pays", "credited", "drew", "next-", "bonus-", "claim-", "cannot-lay", "layout")
"""Beginnings of the codes of notes that say no more than the headline, the picture and the points do."""
TURNING = "review-turning"
"""Beginning of the codes of the one sentence of a review that stands in the mail."""


def tell_end(page: Page) -> Iterator[Block]:
    """Yield why the match ended: what decided it besides play, or the last moves and what came of them."""
    own = page.own_number
    lines = list(iter_reasons(page.ending, page.names, page.reader.language, own)) if page.ending else []
    if not lines:
        lines += [*_iter_last_moves(page), *_iter_unfinished(page), *_iter_round_gains(page), *_explain_idle_end(page)]
    yield Items(tuple(lines))


def _iter_last_moves(page: Page) -> Iterator[str]:
    """Yield the last moves, and what happened by itself, but for sums and winners."""
    names = list_seat_names(page)
    laid = [one for one in page.reports if one.played and is_laying_move(one.played) and not stored_order.is_race(page)]
    shown = laid[-1:] if stored_order.is_sequential(page) else laid
    for one in page.reports:
        yield from _render_notes(one.before, page)
        if one in shown:
            made = report.build_reported_move(one, page, names)
            move = f"{made.who} {made.move}" + (f", {made.points}" if made.points else "")
            yield write_label(page, "end-last-move", said=move) if len(shown) == 1 else f"{move}."
        yield from _render_notes(tuple(replace(note, seat=one.seat) for note in _list_own_notes(one)), page)
        yield from _render_notes(one.then, page)
    yield from _render_notes(page.notes, page)


def _list_own_notes(one: MoveView) -> tuple[Note, ...]:
    """Return what stands behind a seat that played nothing, and that it was finished."""
    return tuple(note for note in one.notes if not one.played or note.code.startswith("finished-"))


def _render_notes(notes: tuple[Note, ...], page: Page) -> Iterator[str]:
    names = list_seat_names(page)
    for note in notes:
        if not note.code.startswith((*SAID, "review-")) and not (
            note.code == "rest" and note.params.keys() <= {"tiles", "name", "count"}
        ):
            yield render_note_line(note, page.reader.language, page.game, names)


def _explain_idle_end(page: Page) -> Iterator[str]:
    """Yield that nobody has laid anything any more, where the match ended so and its game says nothing of it."""
    last = page.reports[-1:] if stored_order.is_sequential(page) else page.reports
    notes = [note for one in page.reports for note in (*one.notes, *one.then)] + [*page.notes]
    laid = any(one.played and is_laying_move(one.played) for one in last)
    if last and not laid and not any(report.is_round_end_note(note) for note in notes):
        yield write_label(page, "end-idle")


def _iter_unfinished(page: Page) -> Iterator[str]:
    """Yield in a race who was still at it when the last round ended by others who had finished."""
    told = {one.seat: {note.code for note in one.notes} for one in page.reports}
    finished = [seat for seat, codes in told.items() if any(code.startswith("finished-") for code in codes)]
    if not stored_order.is_race(page) or not finished:
        return
    others = [seat.name for seat in page.seats if seat.number not in told and not seat.status.is_out]
    if others:
        yield write_label(page, "end-unfinished", names=format_name_list(others, page.reader.language))


def _iter_round_gains(page: Page) -> Iterator[str]:
    """Yield what the last of several rounds brought each."""
    notes = [note for one in page.reports for note in (*one.notes, *one.then)] + [*page.notes]
    sums = [note for note in notes if note.code == "sum-total" and note.seat is not None]
    if (sums and sums[0].params.get("round", 1) == 1) or not any(note.params["points"] for note in sums):
        return
    language, names = page.reader.language, list_seat_names(page)
    gains = ", ".join(f"{clean_name(names[one.seat or 0])} {format_points(one.params['points'])}" for one in sums)
    noun = render_round_noun(language, page.game)
    text = write_label(page, "end-round", noun=noun, round=sums[0].params["round"], gains=gains)
    yield capitalize_start(text)


def show_last_position(page: Page) -> Iterator[Block]:
    """Yield the position as it lay at the end; as characters only for those who read boards so. Of a race that is the
    crossword of the winner of its last round."""
    winner = next((note for one in page.reports for note in one.then if note.code.startswith("layout")), None)
    winner = winner or next((note for note in page.notes if note.code.startswith("layout")), None)
    race = stored_order.is_race(page)
    if race and winner is None:
        return
    for block in show_board(page):
        if not isinstance(block, Board):
            yield block
            continue
        picture = replace(block.picture, beneath=()) if block.picture else None
        lines = block.lines if page.reader.board == BoardForm.TEXT else ()
        block = replace(block, lines=lines, picture=picture, situation=())
        if race and winner is not None:
            names = list_seat_names(page)
            name = str(winner.params.get("name") or names[winner.seat or 0])
            words = (", ".join(map(str, winner.params.get("words", ()))),)
            title = write_label(page, "end-crossword", name=clean_name(name))
            block = replace(block, lines=block.lines or words, title=title)
        yield block


def tell_turning_point(page: Page) -> Iterator[Block]:
    """Yield the one sentence of the review: where the lead went to another seat for good."""
    names, language = list_seat_names(page), page.reader.language
    found = [note for note in page.notes if note.code.startswith(TURNING)]
    yield from (Para((render_note_line(note, language, page.game, names),)) for note in found[:1])


def link_replay(page: Page) -> Iterator[Block]:
    """Yield the ways to look at the match once more."""
    actions = [Action(write_label(page, "end-link-replay"), page.archive)] if page.archive else []
    if page.match is not None and page.reply is not None and not page.watching:
        actions.append(build_action(page, "end-link-review", write_label(page, "end-line-review")))
    yield show_links(page, *actions)
