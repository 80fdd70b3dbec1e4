"""A mail as a list of blocks. Each block stands here in both its forms, so that the text part and the HTML part of a
mail say the same; what a mail says, and in which order, stands in ``mails/``."""

from __future__ import annotations

import re
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from moderator.language.messages import quote_text, render_label
from moderator.render import theme
from moderator.render.text import render_prose, wrap_text
from moderator.rules.game import FENCE

_BOARD_MARK = f"@@{secrets.token_hex(8)}-board@@"
"""Stands for a board that is finished HTML until the styles are inline; made anew by each process, so that nobody can
write it into a mail."""
POINTS = 56
"""Width of the last column of a small table, in css pixels."""


@dataclass(frozen=True)
class Block(ABC):
    """A piece of a mail. ``format_lines`` and ``render_html`` are its two forms."""

    close: bool = field(default=False, kw_only=True)
    """No empty line stands above it in the text."""
    only: Literal["", "text", "html"] = field(default="", kw_only=True)
    """The only form that has it; "" = both."""

    @abstractmethod
    def format_lines(self) -> Sequence[str]: ...

    @abstractmethod
    def render_html(self) -> str: ...

    def list_pictures(self) -> Sequence[Picture]:
        """List the pictures that go with the block."""
        return ()


@dataclass(frozen=True)
class Document:
    """A mail."""

    subject: str
    language: str
    about: str
    """What the mail is about, in small letters at its top."""
    headline: str
    """What caused the mail."""
    under: tuple[str, ...]
    """What the reader does now, and what else stands directly under the headline."""
    alarming: bool
    """The headline is printed as a warning."""
    marker: str
    """The line above which an answer is written."""
    blocks: tuple[Block, ...]
    foot: tuple[Block, ...]

    @property
    def images(self) -> dict[str, bytes]:
        """The pictures by content id."""
        return {one.cid: one.data for block in self.blocks for one in block.list_pictures()}


def to_text(document: Document) -> str:
    """Return the text part."""
    headline = end_sentence(document.headline)
    said = [
        *(Para((headline, " ".join(document.under))), Para((document.marker,))),
        *(*document.blocks, Para(("--------",)), *document.foot),
    ]
    lines: list[str] = []
    for block in said:
        if block.only != "html" and (found := block.format_lines()):
            lines += found if block.close else ("", *found)
    return wrap_text("\n".join(lines))


def end_sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends like a sentence."""
    return text if text[-1:] in (".", "!", "?", "") else f"{text}."


def to_html(blocks: Iterable[Block]) -> str:
    """Return the blocks as HTML with classes; ``insert_boards`` follows when the styles are inline."""
    return "".join(block.render_html() for block in blocks if block.only != "text")


def insert_boards(html: str, document: Document) -> str:
    """Return the HTML with those boards that have styles of their own."""
    boards = (block.html for block in document.blocks if isinstance(block, Board) and block.html)
    return re.sub(_BOARD_MARK, lambda _: next(boards), html)


# ---- sentences ----


@dataclass(frozen=True)
class Heading(Block):
    text: str
    said: str = ""
    """Of a heading within a section: the line that the text has for it."""

    def format_lines(self) -> Sequence[str]:
        return (self.said,) if self.said else (self.text, "-" * len(self.text), "")

    def render_html(self) -> str:
        level = "h3" if self.said else "h2"
        return f'<{level} class="t">{escape(self.text)}</{level}>'


Look = Literal["para", "item m", "para small m", "said b t", "para good", "para bad", "footline m"]
"""Classes of mail.css."""


@dataclass(frozen=True)
class Para(Block):
    """One sentence or several, each on a line of its own."""

    lines: tuple[str, ...]
    look: Look = "para"
    is_bold: bool = False

    def format_lines(self) -> Sequence[str]:
        return tuple(filter(None, self.lines))

    def render_html(self) -> str:
        before, behind = ("<b>", "</b>") if self.is_bold else ("", "")
        said = (f"{before}{render_prose(line)}{behind}" for line in self.lines if line)
        return "".join(f'<p class="{self.look}">{line}</p>' for line in said)


@dataclass(frozen=True)
class Items(Block):
    """A list."""

    lines: tuple[str, ...]
    look: Literal["item m", "para", "cite", "list", "list m"] = "item m"
    """``list``: with dots."""

    def format_lines(self) -> Sequence[str]:
        return tuple(f"- {line}" for line in self.lines)

    def render_html(self) -> str:
        if not self.look.startswith("list"):
            return "".join(f'<p class="{self.look}">{render_prose(line)}</p>' for line in self.lines)
        opened = '<li class="m">' if self.look == "list m" else "<li>"
        items = "".join(f"{opened}{render_prose(line)}</li>" for line in self.lines)
        return f'<ul class="list">{items}</ul>' if items else ""


@dataclass(frozen=True)
class Quote(Block):
    """Words of a player; each line has its sign already."""

    lines: tuple[str, ...]
    head: tuple[str, ...] = ()
    """From whom to whom."""

    def format_lines(self) -> Sequence[str]:
        return (*self.head, *self.lines)

    def render_html(self) -> str:
        head = "".join(f'<b class="t">{escape(line)}</b><br>' for line in self.head)
        return f'<p class="cite">{head}{"<br>".join(map(escape, self.lines))}</p>'


@dataclass(frozen=True)
class Action:
    """Something that the reader can do with one tap: a mail with its text written already, or a page on the web."""

    label: str
    link: str
    """``mailto:`` or ``https:``; "" = there is no such way, and only the text names it."""
    line: str = ""
    """The line of that mail, as somebody would type it; "" where they write it themselves."""
    look: Literal["main", "plain", "danger"] = "plain"
    """Of a button: filled, outlined, or outlined in red for what cannot be undone."""

    @property
    def is_page(self) -> bool:
        return not self.link.startswith("mailto:") and bool(self.link)

    def format_line(self, language: str) -> str:
        """Return label and address, or label and the line to write."""
        if self.is_page:
            return f"{render_label('followed', language, text=self.label)} {self.link}"
        line = f"{self.line}…" if self.line.endswith(" ") else self.line
        if self.line and quote_text(line, language) in self.label:
            return self.label
        return f"{self.label} {quote_text(line, language)}" if line else ""


@dataclass(frozen=True)
class Buttons(Block):
    """What the reader is asked to do, as buttons; the text says which line does it."""

    actions: tuple[Action, ...]
    language: str
    intro: str = ""
    """Stands above the lines in the text."""

    def format_lines(self) -> Sequence[str]:
        pages = [one.format_line(self.language) for one in self.actions if one.is_page]
        lines = [one.format_line(self.language) for one in self.actions if not one.is_page and one.line]
        return (*pages, *([self.intro] if self.intro and lines else []), *(f"- {line}" for line in lines))

    def render_html(self) -> str:
        shown = [one for one in self.actions if one.link]
        side_by_side = len(shown) == 2 and all(len(one.label) <= SHORT_LABEL for one in shown)
        rows = [shown] if side_by_side else [[one] for one in shown]
        cells = (_render_button_row(row) for row in rows if row)
        return f'<table class="buttons" role="presentation" cellspacing="0" width="100%">{"".join(cells)}</table>'


SHORT_LABEL = 18
"""Characters of a button's label of which two stand side by side on a phone."""


_COLOURS = {"main": theme.ACCENT, "plain": theme.CARD, "danger": theme.CARD}
"""Of buttons, for programs that drop style sheets."""


def _render_button_row(row: Sequence[Action]) -> str:
    cells = (
        f'<td class="button {one.look}" width="{100 // len(row)}%" bgcolor="{_COLOURS[one.look]}">'
        f'<a class="link {one.look}-link" href="{escape(one.link)}">{escape(one.label)}</a></td>'
        for one in row
    )
    beside = '<td class="between" width="8"></td>'.join(cells)
    return f'<tr>{beside}</tr><tr><td class="between"></td></tr>'


@dataclass(frozen=True)
class Links(Block):
    """What is not needed now: each a line that can be tapped."""

    actions: tuple[Action, ...]
    language: str

    def format_lines(self) -> Sequence[str]:
        return tuple(filter(None, (one.format_line(self.language) for one in self.actions)))

    def render_html(self) -> str:
        rows = "".join(
            f'<tr><td class="row"><a class="more k" href="{escape(one.link)}">{escape(one.label)}&nbsp;›</a></td></tr>'
            for one in self.actions
            if one.link
        )
        return f'<table class="links" role="presentation" cellspacing="0" width="100%">{rows}</table>' if rows else ""


@dataclass(frozen=True)
class FootLine(Block):
    """The line at the end of a mail: words, and what can be tapped."""

    parts: tuple[str | Action, ...]
    language: str

    def format_lines(self) -> Sequence[str]:
        said = (part if isinstance(part, str) else part.format_line(self.language) for part in self.parts)
        return (" · ".join(filter(None, said)),)

    def render_html(self) -> str:
        said = (
            escape(part)
            if isinstance(part, str)
            else f'<a class="m" href="{escape(part.link)}">{escape(part.label)}</a>'
            for part in self.parts
            if isinstance(part, str) or part.link
        )
        return f'<p class="footline m">{" · ".join(said)}</p>'


# ---- what happened, and what was read ----


@dataclass(frozen=True)
class Move(Block):
    """The move of one seat."""

    who: str
    move: str
    points: str
    sums: str
    laid: str
    lines: tuple[str, ...]

    def format_lines(self) -> Sequence[str]:
        said = f"{self.who} {self.move}" + (f" – {self.points}" if self.points else "")
        more = (f"  {line}" for line in (self.sums, self.laid) if line)
        return (said, *more, *(f"  - {line}" for line in self.lines))

    def render_html(self) -> str:
        said = f"<b>{escape(self.who)}</b>&nbsp;<b>{render_prose(self.move)}</b>"
        said += f" – <b>{escape(self.points)}</b>" if self.points else ""
        sums = f'<p class="item m">{render_prose(self.sums)}</p>' if self.sums else ""
        laid = f'<p class="item t">{render_prose(self.laid)}</p>' if self.laid else ""
        return f'<p class="what">{said}</p>{sums}{laid}{Items(self.lines).render_html()}'


def _render_small_lines(lines: Iterable[str]) -> str:
    return "".join(f'<br><span class="small m">{render_prose(line)}</span>' for line in lines)


@dataclass(frozen=True)
class Sums(Block):
    """The points that a round brought one seat."""

    name: str
    lines: tuple[str, ...]
    total: str

    def format_lines(self) -> Sequence[str]:
        return (f"  {self.name}", *(f"    {line}" for line in (*self.lines, self.total) if line))

    def render_html(self) -> str:
        total = f"<br><b>{render_prose(self.total)}</b>" if self.total else ""
        return (
            '<table class="scores" cellspacing="0" cellpadding="0" width="100%"><tr><td class="who">'
            f"<b>{escape(self.name)}</b>{_render_small_lines(self.lines)}{total}</td></tr></table>"
        )


# ---- boards, tiles, tables ----


@dataclass(frozen=True)
class Picture(Block):
    cid: str
    alt: str
    width: int
    """In css pixels; on a narrower screen it is smaller."""
    data: bytes
    """PNG."""
    beneath: tuple[str, ...] = ()
    link: str = ""
    """The page that shows it larger."""

    def format_lines(self) -> Sequence[str]:
        return ()

    def render_html(self) -> str:
        legend = "".join(f'<p class="legend m">{escape(line)}</p>' for line in self.beneath)
        shown = (
            f'<img class="wide-picture pic" src="cid:{self.cid}" alt="{escape(self.alt)}" '
            f'width="{self.width}" style="max-width:{self.width}px">'
        )
        shown = f'<a href="{escape(self.link)}">{shown}</a>' if self.link else shown
        return f'<div class="board">{shown}</div>{legend}'

    def list_pictures(self) -> Sequence[Picture]:
        return (self,)


@dataclass(frozen=True)
class Board(Block):
    """A position, as characters and as a picture or other HTML."""

    lines: tuple[str, ...] = ()
    picture: Picture | None = None
    html: str = ""
    """Finished, with styles of its own; where there is no picture."""
    title: str = ""
    is_named: bool = False
    """Its title stands above a picture, too."""
    situation: tuple[str, ...] = ()
    """What holds now besides the board."""

    @property
    def has_position(self) -> bool:
        """True where there is a position, and not only what holds besides."""
        return self.picture is not None or bool(self.html)

    def format_lines(self) -> Sequence[str]:
        if not self.has_position:
            return ()
        titled = Heading(self.title).format_lines() if self.title else ()
        return (*titled, *self.situation, "", *self.lines) if self.situation else (*titled, *self.lines)

    def render_html(self) -> str:
        said = "<br>".join(map(render_prose, self.situation))
        board = f'<div class="board">{_BOARD_MARK}</div>' if self.html else ""
        board = self.picture.render_html() if self.picture else board
        title = Heading(self.title).render_html() if board and self.is_named and self.title else ""
        return (f'<p class="now t">{said}</p>' if said else "") + title + board

    def list_pictures(self) -> Sequence[Picture]:
        return (self.picture,) if self.picture else ()


@dataclass(frozen=True)
class Tile:
    """A tile in hand."""

    text: str
    """What is printed on it, or its code under a picture."""
    width: int
    """In css pixels."""
    colour: str = ""
    """"" in games without colours."""
    value: str = ""
    """What its letter counts, where that is printed on the tiles."""
    picture: Picture | None = None


@dataclass(frozen=True)
class Bench(Block):
    """The tiles in hand, below the board, in rows that fit on a phone."""

    title: str
    lines: tuple[str, ...]
    """For the text."""
    rows: tuple[tuple[Tile, ...], ...]
    note: str = ""
    """What is new among them."""

    def format_lines(self) -> Sequence[str]:
        return (*self.lines[:-1], f"{self.lines[-1]}   ({self.note})") if self.note else self.lines

    def render_html(self) -> str:
        rows = "".join(
            '<table class="rack" role="presentation" cellspacing="4" cellpadding="0">'
            f"<tr>{''.join(map(self._render_tile, row))}</tr></table>"
            for row in self.rows
        )
        note = f'<p class="item m">{escape(self.note)}</p>' if self.note else ""
        return f'<div class="bench b" role="group" aria-label="{escape(self.title)}">{rows}</div>{note}'

    def _render_tile(self, tile: Tile) -> str:
        """Return a cell; the fence of a domino becomes the line between its halves."""
        if tile.picture is not None:
            shown = tile.picture
            return (
                f'<td class="drawn" valign="bottom"><img class="pic" src="cid:{shown.cid}" alt="{escape(tile.text)}" '
                f'width="{shown.width}"><br><span class="code m" aria-hidden="true">{escape(tile.text)}</span></td>'
            )
        classes = " ".join(filter(None, ("tile", "wide" if len(tile.text) > 2 else "", tile.colour)))
        text = f'<span class="line">{FENCE}</span>'.join(map(escape, tile.text.split(FENCE)))
        value = f'<span class="value">{escape(tile.value)}</span>' if tile.value else ""
        return f'<td class="{classes}" width="{tile.width}" height="36">{text}{value}</td>'

    def list_pictures(self) -> Sequence[Picture]:
        return tuple(tile.picture for row in self.rows for tile in row if tile.picture is not None)


@dataclass(frozen=True)
class SeatSummary(Block):
    """The points of all seats in one line: each name with its points, the reader's in bold letters."""

    seats: tuple[tuple[str, bool], ...]
    """Text, and whether it is the reader's own."""

    def format_lines(self) -> Sequence[str]:
        return (" · ".join(text for text, _ in self.seats),)

    def render_html(self) -> str:
        said = [self._join(text) for text, _ in self.seats]
        seats = (f'<b class="t">{text}</b>' if own else text for text, (_, own) in zip(said, self.seats, strict=True))
        return f'<p class="para m">{" · ".join(seats)}</p>'

    def _join(self, text: str) -> str:
        """Return the text in one piece, as long as it fits on half a line."""
        return escape(text).replace(" ", "&nbsp;") if len(text) < SHORT_LABEL else escape(text)


@dataclass(frozen=True)
class SeatScore:
    """A seat in a round: name, points, and what there is to say of it."""

    name: str
    points: str
    said: str
    is_mine: bool = False


@dataclass(frozen=True)
class SeatRows(Block):
    """The seats in a round, one below the other."""

    rows: tuple[SeatScore, ...]

    def format_lines(self) -> Sequence[str]:
        wide = max((len(row.name) for row in self.rows), default=0)
        return tuple(f"{row.name.ljust(wide)} {row.points:>6}   {row.said}".rstrip() for row in self.rows)

    def render_html(self) -> str:
        rows = "".join(
            f'<tr><td class="seat t">{self._embolden(row, row.name)}</td>'
            f'<td class="seat points t r" align="right">{self._embolden(row, row.points)}</td>'
            f'<td class="seat m">{render_prose(row.said)}</td></tr>'
            for row in self.rows
        )
        return f'<table class="seats" cellspacing="0">{rows}</table>'

    def _embolden(self, row: SeatScore, text: str) -> str:
        return f"<b>{escape(text)}</b>" if row.is_mine else escape(text)


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    name: str
    numbers: tuple[str, ...] = ()
    """At its end; the last one is printed in bold letters."""
    below: str = ""
    """What stands below the name."""
    is_mine: bool = False
    is_bold: bool = False
    after: str = ""
    """What stands behind the name, not in bold letters."""


@dataclass(frozen=True)
class Table(Block):
    rows: tuple[Row, ...]
    lines: tuple[str, ...] = ()
    """The same in fixed columns, for the text."""
    head: str = ""
    """Heading of the names; "" = no line of headings."""
    numbers: tuple[str, ...] = ()
    is_small: bool = False

    def format_lines(self) -> Sequence[str]:
        return self.lines

    def render_html(self) -> str:
        look = "scores grid" if self.is_small else "scores"
        rows = self._render_head_html() + "".join("".join(self._iter_row_html(row)) for row in self.rows)
        return f'<table class="{look}" cellspacing="0" cellpadding="0" width="100%">{rows}</table>'

    def _render_head_html(self) -> str:
        if not self.head:
            return ""
        width = f' width="{POINTS}"' if self.is_small else ""
        numbers = "".join(f'<th class="m r" align="right"{width}>{escape(one)}</th>' for one in self.numbers)
        return f'<tr><th class="m l" align="left">{escape(self.head)}</th>{numbers}</tr>'

    def _iter_row_html(self, row: Row) -> Iterator[str]:
        mine = ' class="mine"' if row.is_mine else ""
        over = " over" if row.below else ""
        name = f"<b>{escape(row.name)}</b>" if row.is_bold else escape(row.name)
        numbers = "".join(
            f'<td class="num{over}" align="right">{one}</td>'
            for one in (*map(escape, row.numbers[:-1]), *(f"<b>{escape(one)}</b>" for one in row.numbers[-1:]))
        )
        yield f'<tr{mine}><td class="who{over}">{name}{escape(row.after)}</td>{numbers}</tr>'
        if over:
            look, columns = "below" if self.is_small else "remark", 1 + len(row.numbers)
            yield f'<tr{mine}><td class="who small {look} m" colspan="{columns}">{render_prose(row.below)}</td></tr>'
