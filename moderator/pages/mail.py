"""A page becomes a mail: subject, text, HTML, picture. Words stand in messages.toml, the layout in templates/."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.errors import OperatorError
from moderator.mail.model import Rendered
from moderator.match.contract import FENCE
from moderator.pages import boards, content, stored, turn_file
from moderator.pages.dates import localised
from moderator.pages.flow import flow, prose
from moderator.pages.mail_context import MailContext, context_of
from moderator.pages.pages import Page
from moderator.pages.report import final_lines
from moderator.paths import templates
from moderator.states import BoardForm

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from moderator.match.contract import Scene
    from moderator.match.happened import FinalPosition

_MARK = f"@@{secrets.token_hex(8)}-{{}}@@"
"""What a finished piece of HTML is put in for; made anew by each process, so that nobody can write it into a mail."""
_DARK_MARK = _MARK.format("dark")
TALLEST_FINAL = 700
"""Css pixels of the final position of a round: it is looked at, and not played on."""


@dataclass(frozen=True)
class Board:
    """The scene in every form that a template may want."""

    scene: Scene | None
    lines: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    html: Markup | str = ""
    beneath: tuple[str, ...] = ()
    """Lines under its picture; () where there is none."""
    finals: tuple[Final, ...] = ()
    """Positions at the end of rounds, shown before it."""


@dataclass(frozen=True)
class Final:
    """The final position of a round, with what it came to."""

    title: str
    scores: str
    b: Board


@dataclass(frozen=True)
class Pieces:
    """What is put in for the marks of the templates, and the pictures to go with it."""

    html: dict[str, str]
    images: dict[str, bytes]


@dataclass(frozen=True)
class MatchBlock:
    """One match of a mail about several: ``p`` and ``b`` as the templates of a whole mail have them."""

    p: MailContext
    b: Board


def render(page: Page) -> Rendered:
    """Lay a page out. The picture is made once per scene, however many readers it has.

    Raises OperatorError when a letter of the board can't be drawn or the templates are missing.
    """
    files = (*page.files, *turn_file.files(page))
    page = localised(page)
    said = context_of(page)
    pieces = Pieces({_DARK_MARK: _dark()}, {})
    shown = _board(page, said, pieces)
    parts = [_part(part, pieces) for part in content.parts(page.content)]
    images = pieces.images | {picture.cid: _drawn(picture.svg) for part in said.tournament for picture in part.pictures}
    mails = [context_of(localised(mail)) for mail in content.mails(page.content)]
    values = {"p": said, "b": shown, "content": said.content, "page": page, "parts": parts, "mails": mails}
    plain = _template(f"mail/{page.kind}.txt.j2").render(values)
    laid = _inline(_template(f"mail/{page.kind}.html.j2").render(values))
    for mark, html in pieces.html.items():
        laid = laid.replace(mark, html)
    return Rendered(said.head.subject, flow(plain), laid, images, files)


def _part(page: Page, pieces: Pieces) -> MatchBlock:
    page = localised(page)
    said = context_of(page)
    return MatchBlock(said, _board(page, said, pieces))


def _board(page: Page, said: MailContext, pieces: Pieces) -> Board:
    """The board for the templates, behind the final positions of the rounds before; in a race not one of those
    again."""
    finals = tuple(_final(page, final, pieces) for final in page.finals)
    scene = page.scene
    nothing = stored.race(page) and not getattr(scene, "cells", True)
    if scene is None or nothing or scene in [final.scene for final in page.finals]:
        return Board(None, finals=finals)
    words = boards.alt(scene, page.reader.language, last=said.last_move)
    return replace(_shown(page, scene, words, pieces), finals=finals)


def _final(page: Page, final: FinalPosition, pieces: Pieces) -> Final:
    title, scores = final_lines(page, final)
    words = boards.alt(final.scene, page.reader.language)
    return Final(title, scores, _shown(page, final.scene, words, pieces, final))


def _shown(page: Page, scene: Scene, words: str, pieces: Pieces, final: FinalPosition | None = None) -> Board:
    """In every form. Its HTML is put in for a mark after styles are inline: it brings its own. ``words``: alt text."""
    from markupsafe import Markup

    language = page.reader.language
    mark, beneath = _MARK.format(f"board{len(pieces.html)}"), tuple[str, ...]()
    if page.reader.board == BoardForm.TABLE:
        pieces.html[mark] = boards.table(scene, language, words)
    elif page.reader.board == BoardForm.TEXT:
        pieces.html[mark] = _preformatted(scene, language)
    else:
        cid = content_id(page, final.round if final else page.match.round if page.match else 0)
        pieces.html[mark] = _picture(scene, cid, words, TALLEST_FINAL if final else None)
        pieces.images[cid], beneath = boards.png(scene), boards.beneath(scene, language)
    return Board(scene, boards.characters(scene), boards.lists(scene, language), Markup(mark), beneath)


def _drawn(svg: str) -> bytes:
    from moderator.pages.png import png

    return png(svg)


def _picture(scene: Scene, cid: str, words: str, tallest: int | None) -> str:
    from html import escape

    across = boards.width(scene, tallest)
    return (
        f'<img src="cid:{cid}" alt="{escape(words)}" width="{across}" style="width:100%;max-width:'
        f"{across}px;height:auto;display:block;margin:0 auto;border:0;font-size:15px;color:#1B1B1B;"
        f'background:#F3EFE4">'
    )


def _preformatted(scene: Scene, language: str) -> str:
    from html import escape

    drawn = boards.characters(scene)
    if not drawn:
        return boards.table(scene, language, "")
    lines = escape("\n".join(drawn))
    return (
        '<pre style="margin:0;padding:10px 6px;text-align:left;font:bold 13px/1.5 Consolas,Menlo,monospace;'
        f'background:#F3EFE4;color:#1B1B1B;overflow-x:auto">{lines}</pre>'
    )


def content_id(page: Page, round: int) -> str:
    """``topwords-k7q2-05@example.org``; the part before @ is the picture's file name."""
    match = page.match
    parts = [match.game, match.code, f"{round:02d}"] if match else ["board"]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(parts).lower()).strip("-") or "board"
    domain = re.sub(r"[^A-Za-z0-9.-]", "", page.reply.address.rpartition("@")[2]) if page.reply else ""
    return f"{name}@{domain or 'moderator.invalid'}"


@cache
def folder() -> Path:
    """Where the templates lie. Raises OperatorError when they are missing."""
    place = templates()
    if not (place / "shared").is_dir():
        raise OperatorError("The mail templates are missing.", "Install moderator again.")
    return place


@cache
def environment() -> Environment:
    """One for the whole process; compiled templates stay in it. HTML is escaped, a missing name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(folder()),
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )
    made.filters["prose"] = prose
    made.filters["halves"] = _halves
    return made


def _halves(tile: str) -> Markup:
    """A tile's name; the fence of a domino becomes the line between its halves."""
    from markupsafe import Markup, escape

    return Markup(f'<span class="line">{FENCE}</span>').join(escape(half) for half in tile.split(FENCE))


def _template(name: str) -> Any:
    from jinja2 import TemplateNotFound

    try:
        return environment().get_template(name)
    except TemplateNotFound:
        raise OperatorError(f"The mail template {name} is missing.", "Install moderator again.") from None


@cache
def _dark() -> str:
    css = (folder() / "shared" / "dark.css").read_text(encoding="utf-8")
    return "<style>" + re.sub(r"\s+", " ", css).strip() + "</style>"


@cache
def _inliner() -> Any:
    import css_inline

    css = (folder() / "shared" / "mail.css").read_text(encoding="utf-8")
    return css_inline.CSSInliner(extra_css=css, load_remote_stylesheets=False)


def _inline(html: str) -> str:
    """Styles from mail.css into each element; the few rules for dark screens go into the head as they are."""
    styled: str = _inliner().inline(html)
    return styled.replace("</title>", "</title>" + _DARK_MARK, 1)
