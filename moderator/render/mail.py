"""A page becomes a mail: subject, text, HTML, picture. Words stand in language/, the layout in templates/."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.common.disk import get_template_root
from moderator.common.enums import BoardForm
from moderator.common.errors import OperatorError
from moderator.common.mails import RenderedMail
from moderator.language.dates import localize_notes
from moderator.notifications.content import StartTerms
from moderator.notifications.pages import Content, Page, list_answered_mails, list_match_pages
from moderator.render import attachments, boards
from moderator.render.mails import stored_order
from moderator.render.mails.match_mail import MailContext, build_mail_context
from moderator.render.mails.report import render_final_position
from moderator.render.png import render_png
from moderator.render.text import render_prose, wrap_text
from moderator.rules.events import FinalPosition
from moderator.rules.game import FENCE, Scene

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_MARK = f"@@{secrets.token_hex(8)}-{{}}@@"
"""What a finished piece of HTML is put in for; made anew by each process, so that nobody can write it into a mail."""
_DARK_MARK = _MARK.format("dark")
TALLEST_FINAL = 700
"""Css pixels of the final position of a round: it is looked at, and not played on."""


@dataclass(frozen=True)
class RenderedBoard:
    """The scene in every form that a template may want."""

    scene: Scene | None
    lines: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    html: Markup | str = ""
    beneath: tuple[str, ...] = ()
    """Lines under its picture; () where there is none."""
    finals: tuple[FinalBoard, ...] = ()
    """Positions at the end of rounds, shown before it."""


@dataclass(frozen=True)
class FinalBoard:
    """The final position of a round, with its scores."""

    title: str
    scores: str
    b: RenderedBoard


@dataclass(frozen=True)
class HtmlPieces:
    """The finished HTML that replaces the marks in the templates, and the pictures that belong to it."""

    html: dict[str, str]
    images: dict[str, bytes]


@dataclass(frozen=True)
class MatchBlock:
    """One match of a mail about several: ``p`` and ``b`` as the templates of a whole mail have them."""

    p: MailContext
    b: RenderedBoard


def render_mail(page: Page) -> RenderedMail:
    """Lay a page out. The picture is made once per scene, however many readers it has.

    Raises OperatorError when a letter of the board can't be drawn or the templates are missing.
    """
    files = (*page.files, *attachments.list_turn_files(page))
    page = to_reader_time(page)
    said = build_mail_context(page)
    pieces = HtmlPieces({_DARK_MARK: _load_dark_styles()}, {})
    shown = _build_board(page, said, pieces)
    parts = [_build_match_block(part, pieces) for part in list_match_pages(page.content)]
    images = pieces.images | {
        picture.cid: _render_picture_png(picture.svg) for part in said.tournament for picture in part.pictures
    }
    mails = [build_mail_context(to_reader_time(mail)) for mail in list_answered_mails(page.content)]
    values = {"p": said, "b": shown, "content": said.content, "page": page, "parts": parts, "mails": mails}
    plain = _load_template(f"mail/{page.kind}.txt.j2").render(values)
    laid = _inline_styles(_load_template(f"mail/{page.kind}.html.j2").render(values))
    for mark, html in pieces.html.items():
        laid = laid.replace(mark, html)
    return RenderedMail(said.head.subject, wrap_text(plain), laid, images, files)


def _build_match_block(page: Page, pieces: HtmlPieces) -> MatchBlock:
    page = to_reader_time(page)
    said = build_mail_context(page)
    return MatchBlock(said, _build_board(page, said, pieces))


def _build_board(page: Page, context: MailContext, pieces: HtmlPieces) -> RenderedBoard:
    """Return the board for the templates, after the final positions of earlier rounds; in a race a final position is
    not shown again as the board."""
    finals = tuple(_build_final_board(page, final, pieces) for final in page.finals)
    scene = page.scene
    nothing = stored_order.is_race(page) and not getattr(scene, "cells", True)
    if scene is None or nothing or scene in [final.scene for final in page.finals]:
        return RenderedBoard(None, finals=finals)
    words = boards.describe_board(scene, page.reader.language, last=context.last_move)
    return replace(_render_board_forms(page, scene, words, pieces), finals=finals)


def _build_final_board(page: Page, final: FinalPosition, pieces: HtmlPieces) -> FinalBoard:
    title, scores = render_final_position(page, final)
    words = boards.describe_board(final.scene, page.reader.language)
    return FinalBoard(title, scores, _render_board_forms(page, final.scene, words, pieces, final))


def _render_board_forms(
    page: Page, scene: Scene, words: str, pieces: HtmlPieces, final: FinalPosition | None = None
) -> RenderedBoard:
    """Return the board in every form. A mark stands for its HTML until the styles are inline: the board has its own.
    ``words``: alt text."""
    from markupsafe import Markup

    language = page.reader.language
    mark, beneath = _MARK.format(f"board{len(pieces.html)}"), tuple[str, ...]()
    if page.reader.board == BoardForm.TABLE:
        pieces.html[mark] = boards.render_board_table(scene, language, words)
    elif page.reader.board == BoardForm.TEXT:
        pieces.html[mark] = _render_preformatted(scene, language)
    else:
        cid = format_content_id(page, final.round if final else page.match.round if page.match else 0)
        pieces.html[mark] = _render_image_tag(scene, cid, words, TALLEST_FINAL if final else None)
        pieces.images[cid], beneath = boards.render_board_png(scene), boards.render_legend_lines(scene, language)
    return RenderedBoard(
        scene,
        boards.render_board_characters(scene),
        boards.describe_board_lines(scene, language),
        Markup(mark),
        beneath,
    )


def _render_picture_png(svg: str) -> bytes:
    return render_png(svg)


def _render_image_tag(scene: Scene, cid: str, words: str, tallest: int | None) -> str:
    from html import escape

    across = boards.compute_picture_width(scene, tallest)
    return (
        f'<img src="cid:{cid}" alt="{escape(words)}" width="{across}" style="width:100%;max-width:'
        f"{across}px;height:auto;display:block;margin:0 auto;border:0;font-size:15px;color:#1B1B1B;"
        f'background:#F3EFE4">'
    )


def _render_preformatted(scene: Scene, language: str) -> str:
    from html import escape

    drawn = boards.render_board_characters(scene)
    if not drawn:
        return boards.render_board_table(scene, language, "")
    lines = escape("\n".join(drawn))
    return (
        '<pre style="margin:0;padding:10px 6px;text-align:left;font:bold 13px/1.5 Consolas,Menlo,monospace;'
        f'background:#F3EFE4;color:#1B1B1B;overflow-x:auto">{lines}</pre>'
    )


def format_content_id(page: Page, round_number: int) -> str:
    """Return ``topwords-k7q2-05@example.org``; the part before @ is the picture's file name."""
    match = page.match
    parts = [match.game, match.code, f"{round_number:02d}"] if match else ["board"]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-") or "board"
    domain = re.sub(r"[^A-Za-z0-9.-]", "", page.reply.address.rpartition("@")[2]) if page.reply else ""
    return f"{name}@{domain or 'moderator.invalid'}"


@cache
def require_template_folder() -> Path:
    """Return the folder of the templates. Raises OperatorError when they are missing."""
    place = get_template_root()
    if not (place / "shared").is_dir():
        raise OperatorError("The mail templates are missing.", "Install moderator again.")
    return place


@cache
def get_template_environment() -> Environment:
    """Return the one environment of the process; compiled templates stay in it. HTML is escaped, a missing name is an
    error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(require_template_folder()),
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    made.filters["prose"] = render_prose
    made.filters["halves"] = _render_tile_halves
    return made


def _render_tile_halves(tile: str) -> Markup:
    """Return a tile's name as HTML; the fence of a domino becomes the line between its halves."""
    from markupsafe import Markup, escape

    return Markup(f'<span class="line">{FENCE}</span>').join(escape(half) for half in tile.split(FENCE))


def _load_template(name: str) -> Any:
    from jinja2 import TemplateNotFound

    try:
        return get_template_environment().get_template(name)
    except TemplateNotFound:
        raise OperatorError(f"The mail template {name} is missing.", "Install moderator again.") from None


@cache
def _load_dark_styles() -> str:
    css = (require_template_folder() / "shared" / "dark.css").read_text(encoding="utf-8")
    return "<style>" + re.sub(r"\s+", " ", css).strip() + "</style>"


@cache
def _build_style_inliner() -> Any:
    import css_inline

    css = (require_template_folder() / "shared" / "mail.css").read_text(encoding="utf-8")
    return css_inline.CSSInliner(extra_css=css, load_remote_stylesheets=False)


def _inline_styles(html: str) -> str:
    """Move the styles of mail.css into each element; the few rules for dark screens go into the head as they are."""
    styled: str = _build_style_inliner().inline(html)
    return styled.replace("</title>", "</title>" + _DARK_MARK, 1)


def to_reader_time(page: Page) -> Page:
    """Return the page with every datetime (aware UTC) and date in its notes as text."""
    receipt = page.receipt
    if receipt is not None:
        lines = tuple(replace(line, notes=localize_notes(line.notes, page)) for line in receipt.lines)
        receipt = replace(receipt, lines=lines)
    return replace(
        page,
        receipt=receipt,
        reports=tuple(replace(r, before=localize_notes(r.before, page)) if r.before else r for r in page.reports),
        notes=localize_notes(page.notes, page),
        remarks=localize_notes(page.remarks, page),
        content=_localize_content(page.content, page),
    )


def _localize_content(content: Content | None, page: Page) -> Content | None:
    return replace(content, terms=localize_notes(content.terms, page)) if isinstance(content, StartTerms) else content
