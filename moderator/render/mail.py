"""A page becomes a mail: subject, text, HTML, pictures. What each kind says stands in ``mails/kinds.py``."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.common.disk import get_template_root
from moderator.common.errors import OperatorError
from moderator.common.mails import RenderedMail
from moderator.language.dates import localize_notes
from moderator.notifications.content import StartTerms
from moderator.notifications.pages import BacklogNotification, Content, DigestNotification, Page
from moderator.render import attachments
from moderator.render.document import Document, insert_boards, to_html, to_text
from moderator.render.mails.kinds import build_document
from moderator.render.text import render_prose

if TYPE_CHECKING:
    from jinja2 import Environment


def render_mail(page: Page) -> RenderedMail:
    """Lay a page out. The picture is made once per scene, however many readers it has.

    Raises OperatorError when a letter of the board can't be drawn or the templates are missing.
    """
    files = (*page.files, *attachments.list_turn_files(page))
    document = build_document(to_reader_time(page))
    return RenderedMail(document.subject, to_text(document), _render_html(document), document.images, files)


def _render_html(document: Document) -> str:
    """Return the blocks within the frame of all mails. The styles of mail.css are moved into each element; the few
    rules for dark screens go into the head as they are."""
    values = {"mail": document, "body": to_html(document.blocks), "foot": to_html(document.foot)}
    frame = get_template_environment().get_template("shared/mail.html.j2")
    styled: str = _build_style_inliner().inline(frame.render(values))
    return insert_boards(styled.replace("</title>", "</title>" + _load_dark_styles(), 1), document)


@cache
def require_template_folder() -> Path:
    """Return the folder of the templates. Raises OperatorError when they are missing."""
    place = get_template_root()
    if not (place / "shared" / "mail.html.j2").is_file():
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
    return made


@cache
def _load_dark_styles() -> str:
    css = (require_template_folder() / "shared" / "dark.css").read_text(encoding="utf-8")
    return "<style>" + re.sub(r"\s+", " ", css).strip() + "</style>"


@cache
def _build_style_inliner() -> Any:
    import css_inline

    css = (require_template_folder() / "shared" / "mail.css").read_text(encoding="utf-8")
    return css_inline.CSSInliner(extra_css=css, load_remote_stylesheets=False)


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
    match content:
        case StartTerms():
            return replace(content, terms=localize_notes(content.terms, page))
        case DigestNotification():
            return replace(content, parts=tuple(map(to_reader_time, content.parts)))
        case BacklogNotification():
            parts, mails = (tuple(map(to_reader_time, pages)) for pages in (content.parts, content.mails))
            return replace(content, parts=parts, mails=mails)
    return content
