"""A page becomes a mail: subject, text, HTML, pictures; what each kind of mail says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from moderator.common.disk import get_template_root
from moderator.common.enums import MailKind
from moderator.common.errors import OperatorError
from moderator.common.mails import RenderedMail
from moderator.common.text import clean_name
from moderator.language.dates import localize_notes
from moderator.notifications.content import StartTerms
from moderator.notifications.pages import BacklogNotification, Content, DigestNotification, Page
from moderator.render.document import Action, Block, Document, FootLine, insert_boards, to_html, to_text
from moderator.render.mails import answering, sections, staff
from moderator.render.mails.answering import (
    link_more,
    offer_answer,
    show_example,
    show_help,
    show_stored_order,
    tell_consequence,
    tell_warning,
)
from moderator.render.mails.match_sections import (
    explain_first_move,
    link_reminder,
    link_replay,
    link_rules,
    list_proof_files,
    show_details,
    show_events,
    show_last_position,
    show_reminder,
    tell_end,
    tell_proof,
    tell_turning_point,
)
from moderator.render.mails.outcome_sections import (
    draw_after_move,
    show_done,
    show_lines,
    show_played,
    show_receipt,
    unless_waiting,
)
from moderator.render.mails.position import (
    show_bench,
    show_board,
    show_board_or_none,
    show_late_finals,
    show_seats,
    show_tiles_or_none,
)
from moderator.render.mails.sections import Section, show_letters, tell, tell_notes, tell_remarks, write_label
from moderator.render.mails.several import link_several, show_answered_mails, show_matches, show_other_news
from moderator.render.mails.shown import show_asked, show_puzzle, show_solution
from moderator.render.mails.subject import build_mail_head, render_match_title
from moderator.render.mails.tournament_tables import show_round, show_terms, show_tournaments
from moderator.render.text import render_prose

if TYPE_CHECKING:
    from jinja2 import Environment


DIGEST: tuple[Section, ...] = (show_tournaments, show_letters, link_several)
SECTIONS: Mapping[MailKind, tuple[Section, ...]] = {
    MailKind.ADDRESS: (tell_notes, sections.ask_about_address),
    MailKind.BACKLOG: (show_matches, show_answered_mails, show_other_news, *DIGEST),
    MailKind.BOARD: (show_board_or_none,),
    MailKind.BOSS: (tell_notes, show_lines, tell("boss-how")),
    MailKind.CALENDAR: (show_asked,),
    MailKind.CLOSED: (tell_notes,),
    MailKind.CONFIRM: (sections.ask_who_wrote,),
    MailKind.CORRECTION: (
        *(show_events, show_played, show_stored_order, tell_consequence, show_board, show_bench, offer_answer),
        *(show_example, show_seats, tell_remarks, show_letters, link_more),
    ),
    MailKind.DIGEST: (show_matches, *DIGEST),
    MailKind.DONE: (show_done,),
    MailKind.END: (
        *(tell_end, show_last_position, show_seats, tell_turning_point, show_letters, link_replay, tell_proof),
    ),
    MailKind.HELP: (show_help,),
    MailKind.HISTORY: (show_asked,),
    MailKind.NEWS: (sections.show_short_news,),
    MailKind.NOTICE: (staff.show_notices,),
    MailKind.OFFICIAL: (staff.show_official_word,),
    MailKind.OVERVIEW: (show_asked,),
    MailKind.PROTEST: (staff.ask_about_protest, show_board, show_seats),
    MailKind.PUZZLE: (show_solution, show_puzzle),
    MailKind.RACK: (show_tiles_or_none,),
    MailKind.RECEIPT: (show_receipt, tell_remarks),
    MailKind.REFEREE: (tell_notes, show_stored_order, offer_answer, link_more),
    MailKind.REMINDER: (
        *(show_bench, offer_answer, show_example, show_reminder, show_stored_order, show_seats, tell_remarks),
        link_reminder,
    ),
    MailKind.REPEATED: (sections.ask_about_second,),
    MailKind.REVIEW: (show_asked,),
    MailKind.RULED: (tell_notes, staff.confirm_ruling),
    MailKind.RULES: (show_asked,),
    MailKind.RULING: (tell_notes, staff.ask_about_word),
    MailKind.SIGNUP: (tell_notes, sections.ask_if_mine, tell("signup-how")),
    MailKind.START: (
        *(show_board, show_bench, offer_answer, show_stored_order, explain_first_move, show_seats, tell_remarks),
        *(show_round, show_events, show_letters, show_terms, link_rules),
    ),
    MailKind.STATUS: (
        *(show_board, show_bench, offer_answer, show_example, show_stored_order, tell_consequence, show_seats),
        *(tell_remarks, show_asked, show_details, link_more),
    ),
    MailKind.TOURNAMENT: (show_tournaments,),
    MailKind.TURN: (
        *(draw_after_move(show_board), show_bench, offer_answer, show_example, show_played, show_stored_order),
        tell_warning,
        *(show_late_finals, unless_waiting(show_seats), show_details, tell_remarks, show_letters),
        unless_waiting(link_more),
    ),
    MailKind.UNREAD: (show_done, show_stored_order, offer_answer),
    MailKind.WELCOME: (tell_notes, sections.offer_first_steps),
}
"""What a mail of each kind says below its headline, in this order."""


def build_document(page: Page) -> Document:
    """Return the mail, with all times in its notes as the reader reads them already."""
    head = build_mail_head(page)
    return Document(
        subject=head.subject,
        language=page.reader.language,
        about=head.about,
        headline=head.headline,
        under=head.lines,
        alarming=head.alarming,
        marker=write_label(page, "marker"),
        blocks=tuple(block for section in SECTIONS[page.kind] for block in section(page)),
        foot=tuple(_iter_foot(page, head.about)),
    )


TO_OFFICIALS = frozenset({MailKind.RULING, MailKind.RULED, MailKind.NOTICE, MailKind.PROTEST, MailKind.BOSS})
TO_STRANGERS = frozenset({MailKind.SIGNUP, MailKind.CLOSED})


def _iter_foot(page: Page, about: str) -> Iterator[Block]:
    """Yield one line: what the mail is about, where everybody can see it; why somebody has it who may wonder."""
    parts: list[str | Action] = []
    why = _choose_reason(page)
    if page.match is not None or not why:
        parts.append(render_match_title(page.match, page.reader.language) if page.match else about)
    if page.archive and page.kind != MailKind.END:  # which has a link of its own
        parts.append(Action(write_label(page, "foot-match-page" if page.match else "foot-archive-cup"), page.archive))
    if why:
        parts.append(write_label(page, f"foot-{why}", club=clean_name(page.club)))
    yield FootLine(tuple(parts), page.reader.language)


def _choose_reason(page: Page) -> str:
    """Return the key of why the reader has the mail; an empty text where that is plain."""
    if page.kind in TO_OFFICIALS:
        return "referee" if page.reader.referee else "moderator"
    if page.kind in TO_STRANGERS:
        return "stranger"
    return "watch" if page.watching else "puzzle" if page.kind == MailKind.PUZZLE else ""


def render_mail(page: Page) -> RenderedMail:
    """Lay a page out. The picture is made once per scene, however many readers it has.

    Raises OperatorError when a letter of the board can't be drawn or the templates are missing.
    """
    told = to_reader_time(page)
    files = (*page.files, *answering.list_turn_files(page), *list_proof_files(told))
    document = build_document(told)
    html = _render_html(document)
    return RenderedMail(document.subject, to_text(document), html, document.images, files, page.state_line)


def _render_html(document: Document) -> str:
    """Return the blocks within the frame of all mails. The styles of mail.css are moved into each element; the few
    rules for dark screens go into the head as they are."""
    values = {"mail": document, "body": to_html(document.blocks), "foot": to_html(document.foot)}
    frame = get_template_environment().get_template("shared/mail.html.j2")
    styled: str = _build_style_inliner().inline(frame.render(values))
    return insert_boards(styled.replace("</title>", "</title>" + _load_dark_styles(), 1), document)


_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_SPACE = re.compile(r"\s*([{};,])\s*|(:) ")


@cache
def require_template_folder() -> Path:
    """Return the folder of the templates. Raises OperatorError when they are missing."""
    place = get_template_root()
    if not (place / "shared" / "mail.html.j2").is_file():
        raise OperatorError("The mail templates are missing.", "Install moderator again.")
    return place


@cache
def read_styles(*names: str) -> str:
    """Read the tokens (shared/tokens.css) and the named styles of the templates as one, without comments."""
    files = (require_template_folder() / name for name in ("shared/tokens.css", *names))
    css = _CSS_COMMENT.sub("", "".join(file.read_text(encoding="utf-8") for file in files))
    return _CSS_SPACE.sub(r"\1\2", css).strip()


@cache
def load_style_tokens(*, dark: bool = False) -> Mapping[str, str]:
    """Return the colours and sizes of tokens.css by name, as they are by day or in the dark."""
    day, night = re.findall(r":root\{([^}]+)", read_styles())
    return dict(re.findall(r"--([\w-]+):([^;}]+)", f"{day};{night}" if dark else day))


def _read_mail_styles(name: str, *, dark: bool = False) -> str:
    """Read styles of mails with the values of the tokens: few mail programs know variables."""
    css = (require_template_folder() / "shared" / name).read_text(encoding="utf-8")
    tokens = load_style_tokens(dark=dark)
    return re.sub(r"var\(--([\w-]+)\)", lambda found: tokens[found[1]].replace('"', "'"), css)


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
    return "<style>" + re.sub(r"\s+", " ", _read_mail_styles("dark.css", dark=True)).strip() + "</style>"


@cache
def _build_style_inliner() -> Any:
    import css_inline

    return css_inline.CSSInliner(extra_css=_read_mail_styles("mail.css"), load_remote_stylesheets=False)


def to_reader_time(page: Page) -> Page:
    """Return the page with every datetime (aware UTC) and date in its notes as text."""
    receipt = page.receipt
    if receipt is not None:
        lines = tuple(replace(line, notes=localize_notes(line.notes, page)) for line in receipt.lines)
        notes = localize_notes([offer.note for offer in receipt.offers], page)
        offers = tuple(replace(offer, note=note) for offer, note in zip(receipt.offers, notes, strict=True))
        receipt = replace(receipt, lines=lines, offers=offers)
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
