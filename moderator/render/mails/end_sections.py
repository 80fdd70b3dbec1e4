"""What the mail about the end of a match says below its headline, as sections: why it ended, the position as it lay,
what is left to look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from moderator.common.enums import BoardForm
from moderator.common.text import capitalize_start, clean_name
from moderator.language.messages import is_laying_move, render_round_noun
from moderator.notifications.content import MoveView
from moderator.notifications.pages import Page
from moderator.render.document import Action, Block, Board, Items, Para
from moderator.render.mails import report, stored_order
from moderator.render.mails.ending import iter_reasons
from moderator.render.mails.headline import format_name_list, format_points
from moderator.render.mails.position import show_board
from moderator.render.mails.report import render_note_line
from moderator.render.mails.sections import build_action, list_seat_names, show_links, write_label
from moderator.rules.game import Note

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
        if not note.code.startswith((*SAID, "review-")) and not _is_harmless_rest(note):
            yield render_note_line(note, page.reader.language, page.game, names)


def _is_harmless_rest(note: Note) -> bool:
    """Return whether tiles were left that cost nothing."""
    return note.code == "rest" and note.params.keys() <= {"tiles", "name", "count"}


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
