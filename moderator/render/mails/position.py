"""How a match stands, as sections of a mail: the board, the tiles in hand, the scores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape

from moderator.common.enums import BoardForm, MailKind
from moderator.language.messages import has_sentence, render_code, render_round_noun
from moderator.notifications.pages import Page
from moderator.render import boards
from moderator.render.document import Block, Board, Heading, Para, Picture, Row, Table, Tiles
from moderator.render.mails import report, stored_order
from moderator.render.mails.rack import build_rack_groups, compute_tile_width, render_letter_values, split_rack_rows
from moderator.render.mails.report import (
    has_new_deal,
    is_new_deal_last,
    render_final_position,
    render_final_title,
    render_note_line,
)
from moderator.render.mails.sections import is_brief, list_seat_names, write_game_label, write_label
from moderator.rules.game import Scene

TALLEST_FINAL = 700
"""Css pixels of the final position of a round: it is looked at, and not played on."""


# ---- the board ----


def show_board(page: Page) -> Iterator[Block]:
    """Yield the final positions of the rounds that have ended, then the board. In a race the new tiles come first,
    because time counts."""
    if not _are_finals_late(page):
        yield from _show_finals(page)
    yield _build_board(page)


def show_board_alone(page: Page) -> Iterator[Block]:
    """Yield the board, or that there is none."""
    yield from show_board(page)
    if not _build_board(page).is_shown:
        yield Para((write_label(page, "board-empty"),))


def show_late_finals(page: Page) -> Iterator[Block]:
    """Yield the final positions that do not stand before the board."""
    if _are_finals_late(page):
        yield from _show_finals(page)


def _are_finals_late(page: Page) -> bool:
    return stored_order.is_race(page) and page.kind == MailKind.TURN


def _show_finals(page: Page) -> Iterator[Block]:
    for final in page.finals:
        title, scores = render_final_position(page, final)
        yield Heading(title)
        yield Para((scores,), "item m")
        words = boards.describe_board(final.scene, page.reader.language)
        yield _render_board_forms(page, final.scene, words, final.round, TALLEST_FINAL)


def _build_board(page: Page) -> Board:
    """Return the board with what holds besides; in a race a final position is not shown again."""
    language, scene, race = page.reader.language, page.scene, stored_order.is_race(page)
    situation = render_situation(page)
    empty = race and not getattr(scene, "cells", True)
    if scene is None or empty or scene in [final.scene for final in page.finals]:
        return Board(situation=situation)
    words = boards.describe_board(scene, language, last=_render_last_move(page))
    board = _render_board_forms(page, scene, words, page.match.round if page.match else 0)
    return replace(board, title=_render_board_title(page), is_named=race or bool(page.finals), situation=situation)


def render_situation(page: Page) -> tuple[str, ...]:
    """Return what holds now besides the board."""
    language, names = page.reader.language, list_seat_names(page)
    return tuple(render_note_line(note, language, page.game, (), names) for note in page.situation)


def _render_last_move(page: Page) -> str:
    """Return the move that the board shows as the last one, as a sentence; an empty text if none is reported."""
    shown = [one for one in report.build_reported_moves(page, list_seat_names(page)) if one.played]
    if not shown or has_new_deal(page):
        return ""
    last = shown[0] if page.match is not None and page.match.pace == "common" else shown[-1]
    return ", ".join(filter(None, (f"{last.who} {last.move}", last.points)))


def _render_board_title(page: Page) -> str:
    if page.kind == MailKind.END and page.match is not None and stored_order.is_race(page):
        return render_final_title(page, page.match.round)
    if not page.finals or page.match is None or stored_order.is_race(page):
        return write_game_label(page, "section-board")
    noun = render_round_noun(page.reader.language, page.game)
    return write_label(page, "section-dealt", noun=noun, round=page.match.round)


def _render_board_forms(page: Page, scene: Scene, words: str, number: int, tallest: int | None = None) -> Board:
    """Return the board as the reader wants it. ``words``: alt text; ``number``: of the round."""
    language = page.reader.language
    lines, runs = boards.render_board_characters(scene), boards.describe_board_lines(scene, language)
    between = ("", write_label(page, "section-rows")) if lines and runs else ()
    board = Board((*lines, *between, *runs))
    if page.reader.board == BoardForm.TABLE or (page.reader.board == BoardForm.TEXT and not lines):
        alt = words if page.reader.board == BoardForm.TABLE else ""
        return replace(board, html=str(boards.render_board_table(scene, language, alt)))
    if page.reader.board == BoardForm.TEXT:
        return replace(board, html=_render_preformatted(lines))
    width, legend = boards.compute_picture_width(scene, tallest), boards.render_legend_lines(scene, language)
    return replace(
        board,
        picture=Picture(_format_content_id(page, number), words, width, boards.render_board_png(scene), legend),
    )


def _render_preformatted(lines: tuple[str, ...]) -> str:
    return (
        '<pre style="margin:0;padding:10px 6px;text-align:left;font:bold 13px/1.5 Consolas,Menlo,monospace;'
        f'background:#F3EFE4;color:#1B1B1B;overflow-x:auto">{escape(chr(10).join(lines))}</pre>'
    )


def _format_content_id(page: Page, number: int) -> str:
    """Return ``topwords-k7q2-05@example.org``; the part before @ is the picture's file name."""
    match = page.match
    parts = [match.game, match.code, f"{number:02d}"] if match else ["board"]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-") or "board"
    return f"{name}@{get_picture_domain(page)}"


def get_picture_domain(page: Page) -> str:
    """Return what stands behind the @ in the content id of a picture."""
    return re.sub(r"[^A-Za-z0-9.-]", "", page.reply.address.rpartition("@")[2] if page.reply else "") or (
        "moderator.invalid"
    )


# ---- the tiles ----


def show_tiles(page: Page) -> Iterator[Block]:
    """Yield the tiles in hand, how many are left, and what the letters count."""
    groups = build_rack_groups(page)
    if groups:
        title = write_game_label(page, "section-tiles-common" if page.rack_common else "section-tiles")
        said = write_label(page, "followed", text=title)
        lines = [f"{said} {' '.join(groups[0].tiles)}"]
        if groups[0].name:
            named = [(write_label(page, "followed", text=group.name), " ".join(group.tiles)) for group in groups]
            lines = [said, *(f"- {name} {tiles}" for name, tiles in named)]
        yield Tiles(title, tuple(lines), split_rack_rows(groups), compute_tile_width(groups))
    stock = render_stock(page)
    yield Para((stock,), "item m", close=bool(groups))
    if page.scene is not None or page.rack:
        values = render_letter_values(page)
        yield Para((values,), "item m", close=bool(stock), only="text" if is_brief(page) else "")


def show_tiles_alone(page: Page) -> Iterator[Block]:
    """Yield the tiles, or that there are none."""
    yield from show_tiles(page)
    if not page.rack:
        yield Para((write_label(page, "rack-empty"),))


def render_stock(page: Page) -> str:
    """Return the size of the stock, in the game's words where it has its own (a wall is no bag)."""
    language, game = page.reader.language, page.game
    if page.stock is None:
        return ""
    kinds = page.stock_kinds if page.stock else {}
    for code in ("mail.stock-kinds" if kinds else "", "" if page.stock else "mail.stock-none", "stock"):
        if has_sentence(code, language, game):
            return render_code(code, language, game, count=page.stock, **kinds)
    return write_label(page, "stock", count=page.stock)


# ---- the scores ----


def show_scores(page: Page) -> Iterator[Block]:
    rows, gained = report.build_score_rows(page), report.render_gain_heading(page)
    if not rows:
        return
    you = f" ({write_label(page, 'you')})"
    yield Heading(render_scores_title(page))
    yield Table(
        tuple(
            Row(
                name=row.name,
                numbers=(row.gained, row.cell) if gained else (row.cell,),
                below=" · ".join(row.remarks),
                is_mine=row.you,
                is_bold=row.awaited or row.you or row.winner,
                shape=(row.shape, row.colour),
                after=you if row.you else "",
            )
            for row in rows
        ),
        lines=report.render_score_table(rows, gained, page.reader.language),
        head=write_label(page, "column-player"),
        numbers=tuple(filter(None, (gained, write_label(page, "column-total")))),
    )


def render_scores_title(page: Page) -> str:
    """Return the heading of the scores, with the number of the round that is over, or, where scores change with every
    turn, of the one that is being played."""
    match = page.match
    if page.kind == MailKind.END or (page.ending is not None and match is not None and match.round):
        return write_label(page, "section-scores-end")
    if page.kind == MailKind.START:
        return write_label(page, "section-scores-start")
    if match is None or not match.round:
        return write_label(page, "section-scores-now")
    over = match.round - 1 if match.pace != "sequential" or is_new_deal_last(page) else 0
    if not over and match.pace != "sequential":
        return write_label(page, "section-scores-now")
    code, number = ("section-scores", over) if over else ("section-scores-in", match.round)
    return write_label(page, code, noun=render_round_noun(page.reader.language, match.game), round=number)
