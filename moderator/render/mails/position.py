"""How a match stands, as sections of a mail: the board, the tiles in hand, the scores. Tiles stand in groups by colour
where the game has colours, in rows that fit on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape

from moderator.common.enums import BoardForm, MailKind
from moderator.common.text import capitalize_start, clean_line, clean_name
from moderator.language import traits
from moderator.language.messages import (
    game_sentence,
    has_sentence,
    render_code,
    render_label,
    render_round_noun,
    render_tile_name,
)
from moderator.notifications.pages import Page, SeatView
from moderator.render import boards, theme
from moderator.render.boards.bench import BenchTile, group_by_colour, render_bench
from moderator.render.boards.grid import Crop
from moderator.render.document import (
    Bench,
    Block,
    Board,
    Heading,
    Para,
    Picture,
    SeatRows,
    SeatScore,
    SeatSummary,
    Tile,
)
from moderator.render.mails import report, stored_order
from moderator.render.mails.headline import format_points
from moderator.render.mails.report import has_new_deal, render_final_position, render_final_title, render_note_line
from moderator.render.mails.sections import list_seat_names, write_game_label, write_label
from moderator.rules.events import list_ended_rounds
from moderator.rules.game import Grid, Scene

LENGTH = 6
"""Characters; longer names of tiles are cut."""


def build_rack_groups(page: Page) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return (colour in the game's words, its tiles) for all tiles of the page's rack; "" in games without colours."""
    language, game = page.reader.language, page.game
    return tuple(
        (
            render_code(f"mail.rack-{colour}", language, game) if colour else "",
            tuple(_render_rack_tile(name, language, game) for name in names),
        )
        for colour, names in group_by_colour(game, page.rack or ()).items()
    )


def _render_rack_tile(name: str, language: str, game: str | None) -> str:
    """Return a tile as sentences name it, unless the game has ``mail.hand.<name>``."""
    own = f"mail.hand.{name}"
    text = render_code(own, language, game) if has_sentence(own, language, game) else None
    return clean_line(render_tile_name(name, language, game) if text is None else text, LENGTH)


def render_letter_values(page: Page) -> str:
    """Return the value of each letter, where the tiles show it: ``1 für A E I O U, 2 für …``; else an empty text."""
    language, game = page.reader.language, page.game
    by_value: dict[int, list[str]] = {}
    for name, value in sorted(traits.get_letter_values(game).items()):
        by_value.setdefault(value, []).append(name)
    groups = [
        render_label("letter-value", language, value=value, letters="\u00a0".join(names))
        for value, names in sorted(by_value.items())
    ]
    return game_sentence("letter-values", language, game, groups=groups) if groups else ""


KNOWN_BOARD = frozenset({MailKind.TURN, MailKind.RECEIPT, MailKind.CORRECTION, MailKind.END, MailKind.REFEREE})
"""Mails whose readers have had a mail that says what the signs on the board mean."""


# ---- the board ----


FINAL = Crop(300, 170)
"""The room of a final position above the board on which the match goes on."""


def show_board(page: Page) -> Iterator[Block]:
    """Yield the final positions of the rounds that have ended, then the board. In a race the new tiles come first,
    because time counts."""
    if not _are_finals_late(page):
        yield from _show_finals(page)
    yield _build_board(page)


def show_board_or_none(page: Page) -> Iterator[Block]:
    """Yield the board, or that there is none."""
    yield from show_board(page)
    if not _build_board(page).has_position:
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
        small = FINAL if page.scene is not None and not is_board_empty(page) else None
        board = _render_board_forms(page, final.scene, words, final.round, small)
        if page.scene is None or is_board_empty(page):
            yield board
            continue
        # The text has one board, on which the match goes on; who reads all as text or tables gets the other one, too.
        yield replace(board, only="html") if page.reader.board == BoardForm.PNG else board


def _build_board(page: Page) -> Board:
    """Return the board with what holds besides; in a race a final position is not shown again."""
    language, scene, race = page.reader.language, page.scene, stored_order.is_race(page)
    situation = render_situation(page)
    bare = is_board_empty(page) and (race or page.kind == MailKind.START)
    if scene is None or bare or scene in [final.scene for final in page.finals]:
        return Board(situation=situation)
    words = boards.describe_board(scene, language, last=_render_last_move(page))
    board = _render_board_forms(page, scene, words, page.match.round if page.match else 0)
    title = _render_board_title(page) if race or page.finals else ""
    return replace(board, title=title, is_named=True, situation=situation)


def is_board_empty(page: Page) -> bool:
    """Return whether no word lies yet."""
    return isinstance(page.scene, Grid) and not page.scene.cells


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


def _render_board_forms(page: Page, scene: Scene, words: str, number: int, crop: Crop | None = None) -> Board:
    """Return the board as the reader wants it. ``words``: alt text; ``number``: of the round; ``crop``: its room, if
    not the usual one."""
    language, crop = page.reader.language, crop or boards.get_mail_crop(scene)
    scene = boards.cut_scene(scene, crop)
    lines = boards.render_board_characters(scene)
    board = Board(boards.render_board_lines(scene, language))
    if page.reader.board == BoardForm.TABLE or (page.reader.board == BoardForm.TEXT and not lines):
        alt = words if page.reader.board == BoardForm.TABLE else ""
        return replace(board, html=str(boards.render_board_table(scene, language, alt)))
    if page.reader.board == BoardForm.TEXT:
        return replace(board, html=_render_preformatted(lines))
    width, _ = boards.compute_picture_size(scene, crop)
    legend = () if page.kind in KNOWN_BOARD else boards.render_legend_lines(scene, language, crop)
    # ``topwords-k7q2-05@example.org``; the part before @ is the picture's file name.
    match = page.match
    parts = [match.game, match.code, f"{number:02d}"] if match else ["board"]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-") or "board"
    cid, data = f"{name}@{get_picture_domain(page)}", boards.render_board_png(scene, crop)
    return replace(board, picture=Picture(cid, words, width, data, legend, page.archive))


def _render_preformatted(lines: tuple[str, ...]) -> str:
    return (
        '<pre style="margin:0;padding:10px 6px;text-align:left;font:bold 13px/1.5 Consolas,Menlo,monospace;'
        f'background:{theme.GROUND};color:{theme.INK};overflow-x:auto">{escape(chr(10).join(lines))}</pre>'
    )


def get_picture_domain(page: Page) -> str:
    """Return what stands behind the @ in the content id of a picture."""
    return re.sub(r"[^A-Za-z0-9.-]", "", page.reply.address.rpartition("@")[2] if page.reply else "") or (
        "moderator.invalid"
    )


# ---- the tiles ----


def show_bench(page: Page) -> Iterator[Block]:
    """Yield the tiles in hand, with those that are new."""
    groups = build_rack_groups(page)
    if not groups:
        return
    title = write_game_label(page, "section-tiles-common" if page.rack_common else "section-tiles")
    said = write_label(page, "followed", text=title)
    lines = [f"{said} {' '.join(groups[0][1])}"]
    if groups[0][0]:
        named = [(write_label(page, "followed", text=name), " ".join(tiles)) for name, tiles in groups]
        lines = [said, *(f"- {name} {tiles}" for name, tiles in named)]
    # The tiles in rows that fit on a phone; those that are drawn as on the board, as pictures.
    rows = render_bench(page.game, page.rack or (), page.reader.language)
    yield Bench(
        title, tuple(lines), tuple(tuple(_build_tile(tile, page) for tile in row) for row in rows), _render_drawn(page)
    )
    yield Para((render_letter_values(page),), "item m", only="text")


def _build_tile(tile: BenchTile, page: Page) -> Tile:
    """Return a tile; its name is printed so that no program that quotes our mail makes a move of it."""
    text = tile.text or _render_rack_tile(tile.code, page.reader.language, page.game)
    if not tile.picture or page.reader.board != BoardForm.PNG:
        return Tile(text, tile.width, tile.colour, tile.value)
    cid = f"tile-{tile.code.lower()}@{get_picture_domain(page)}"
    return Tile(text, tile.width, picture=Picture(cid, "", tile.width, tile.picture))


def _render_drawn(page: Page) -> str:
    """Return the tiles that the reader has drawn since the last mail; an empty text without any."""
    notes = [*page.notes, *(note for one in page.reports for note in (*one.notes, *one.then, *one.before))]
    own = (note for note in notes if note.code in DRAWN and note.seat in (page.own_number, None))
    tiles = [tile for note in own for tile in note.params["tiles"]]
    names = [render_tile_name(tile, page.reader.language, page.game) for tile in tiles]
    return write_label(page, "drawn", tiles=" ".join(names)) if names and not has_new_deal(page) else ""


DRAWN = frozenset({"drew-tiles", "common-drew"})
"""Codes of notes that tell a player which tiles are new."""


def show_tiles(page: Page) -> Iterator[Block]:
    """Yield the tiles in hand, how many are left, and what the letters count."""
    yield from show_bench(page)
    yield Para((render_stock(page),), "item m")


def show_tiles_or_none(page: Page) -> Iterator[Block]:
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


# ---- the seats ----


def show_seats(page: Page) -> Iterator[Block]:
    """Yield the points of all: where one plays after the other in one line, else a line for each, with who has sent."""
    if not page.seats:
        return
    if stored_order.is_sequential(page) or page.ending is not None:
        yield _build_seat_line(page)
    else:
        yield SeatRows(tuple(_build_seat_row(seat, page) for seat in _rank_seats(page)))
    if page.ending is None:
        yield Para((render_stock(page),), "item m", close=True)


def _rank_seats(page: Page) -> list[SeatView]:
    places = page.ending.places if page.ending else ()
    return sorted(page.seats, key=lambda seat: (places[seat.number] if places else 0, -seat.score))


def _name_seat(seat: SeatView, page: Page) -> str:
    return write_label(page, "you") if seat.you else clean_name(seat.name)


def _build_seat_line(page: Page) -> SeatSummary:
    counts = {seat.tiles for seat in page.seats}
    said: list[tuple[str, bool]] = []
    for seat in _rank_seats(page):
        more = [report.render_seat_status(seat, page)] if seat.status.is_out and page.ending is None else []
        if traits.has_seeded_rounds(page.game) and len(counts) > 1 and seat.tiles is not None and page.ending is None:
            more.append(write_game_label(page, "tiles", count=seat.tiles))
        behind = f" ({', '.join(filter(None, more))})" if any(more) else ""
        points = page.ending.get_final_points(seat.number) if page.ending else seat.score
        name = _name_seat(seat, page)
        name = name if said else capitalize_start(name)
        said.append((f"{name} {format_points(points)}{behind}", seat.you))
    return SeatSummary(tuple(said))


def _build_seat_row(seat: SeatView, page: Page) -> SeatScore:
    """Return the seat of a round: what the round that is over brought it, or whether it has sent for this one."""
    own = next((one for one in page.reports if one.seat == seat.number), None)
    said = "" if own is None else report.render_round_result(own, page)
    if own is None and not (page.reports and page.kind == MailKind.TURN and not _is_race_running(page)):
        said = report.render_seat_status(seat, page)
    return SeatScore(_name_seat(seat, page), format_points(seat.score), said, seat.you)


def _is_race_running(page: Page) -> bool:
    return stored_order.is_race(page) and not list_ended_rounds(page.happened)
