"""What each kind of mail says, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moderator.common.enums import MailKind
from moderator.common.text import clean_name
from moderator.language.messages import render_round_noun
from moderator.notifications.pages import Page
from moderator.render.document import Block, Document, Para, SignedState
from moderator.render.mails import club_sections
from moderator.render.mails.answering import (
    explain_answer,
    explain_moves_of_match,
    offer_answer,
    show_hints,
    show_stored_order,
)
from moderator.render.mails.digest import explain_digest_answer, show_answered_mails, show_matches, show_other_news
from moderator.render.mails.match_sections import (
    show_agreed_options,
    show_events,
    show_reminder,
    show_seals,
    show_seals_at_end,
    show_seals_at_start,
)
from moderator.render.mails.position import (
    show_board,
    show_board_alone,
    show_late_finals,
    show_scores,
    show_tiles,
    show_tiles_alone,
)
from moderator.render.mails.sections import (
    Section,
    is_brief,
    link_archive,
    list_notes,
    offer_plain_answer,
    render_remarks,
    show_letters,
    show_mail_read,
    tell,
    tell_in,
    tell_notes,
    with_lines_read,
    without_lines_read,
    write_label,
)
from moderator.render.mails.shown import show_asked, show_puzzle, show_scoring_rules, show_solution
from moderator.render.mails.subject import build_mail_head
from moderator.render.mails.tournament_tables import show_tournaments

DIGEST: tuple[Section, ...] = (show_matches, show_other_news, show_tournaments, show_letters, explain_digest_answer)
SECTIONS: Mapping[MailKind, tuple[Section, ...]] = {
    MailKind.ADDRESS: (tell_notes, club_sections.ask_about_address),
    MailKind.BACKLOG: (show_answered_mails, *DIGEST),
    MailKind.BOARD: (show_board_alone,),
    MailKind.BOSS: (list_notes("para"), show_mail_read, tell("boss-how"), offer_plain_answer),
    MailKind.CALENDAR: (show_asked,),
    MailKind.CLOSED: (tell_notes,),
    MailKind.CONFIRM: (club_sections.ask_who_wrote, offer_plain_answer),
    MailKind.CORRECTION: (
        *(show_mail_read, with_lines_read(show_stored_order), show_events, show_letters, show_board, show_tiles),
        *(offer_answer, show_scores, without_lines_read(show_stored_order), explain_answer, show_seals),
    ),
    MailKind.DIGEST: DIGEST,
    MailKind.DONE: (list_notes(), show_mail_read),
    MailKind.END: (show_events, show_letters, show_scores, show_board, show_seals_at_end, tell("end-thanks")),
    MailKind.HELP: (
        *(tell("help-by-mail", "help-at-the-top"), explain_moves_of_match, show_hints),
        *(tell_in("section-one-word", "help-alone", "help-several"), show_asked),
        *(show_board, show_tiles, show_stored_order, show_scores),
    ),
    MailKind.HISTORY: (show_asked,),
    MailKind.NEWS: (list_notes("para"), show_letters, offer_plain_answer),
    MailKind.NOTICE: (list_notes(), show_letters, club_sections.close_notice),
    MailKind.OFFICIAL: (club_sections.show_official_word,),
    MailKind.OVERVIEW: (show_asked,),
    MailKind.PROTEST: (list_notes(), show_letters, show_board, show_scores, club_sections.ask_about_protest),
    MailKind.PUZZLE: (show_solution, show_puzzle),
    MailKind.RACK: (show_tiles_alone,),
    MailKind.RECEIPT: (
        *(show_mail_read, show_stored_order, show_board, show_tiles, offer_answer),
        *(show_events, show_scores, explain_answer, show_seals),
    ),
    MailKind.REFEREE: (
        *(list_notes("para"), show_stored_order, show_board, show_tiles),
        *(offer_answer, show_scores, explain_answer),
    ),
    MailKind.REMINDER: (
        *(show_reminder, show_board, show_tiles, offer_answer, show_stored_order, explain_answer, show_scores),
    ),
    MailKind.REPEATED: (tell_notes, tell("repeated-how"), offer_plain_answer),
    MailKind.REVIEW: (show_asked,),
    MailKind.RULED: (list_notes(), club_sections.confirm_ruling),
    MailKind.RULES: (show_asked,),
    MailKind.RULING: (list_notes(), club_sections.ask_about_word, offer_plain_answer),
    MailKind.SIGNUP: (tell_notes, tell("signup-how"), offer_plain_answer),
    MailKind.START: (
        *(tell("start-welcome"), show_board, show_tiles, offer_answer, show_stored_order, explain_answer),
        *(show_scores, show_events, show_letters, show_agreed_options, show_scoring_rules, show_seals_at_start),
    ),
    MailKind.STATUS: (
        *(show_board, show_tiles, offer_answer, show_scores, show_asked, show_events),
        *(show_stored_order, explain_answer, show_seals),
    ),
    MailKind.TOURNAMENT: (tell_notes, show_tournaments),
    MailKind.TURN: (
        *(show_mail_read, with_lines_read(show_stored_order), show_board, show_tiles, offer_answer, show_late_finals),
        *(show_events, show_letters, show_scores, without_lines_read(show_stored_order), explain_answer, show_seals),
    ),
    MailKind.UNREAD: (list_notes(), show_mail_read, show_stored_order, explain_answer, offer_answer),
    MailKind.WELCOME: (tell_notes, tell("welcome-how", "welcome-settings"), offer_plain_answer),
}


def build_document(page: Page) -> Document:
    """Return the mail, with all times in its notes as the reader reads them already."""
    head, language = build_mail_head(page), page.reader.language
    return Document(
        subject=head.subject,
        language=language,
        headline=head.headline,
        under=head.lines,
        remarks=render_remarks(page),
        alarming=head.alarming,
        marker=write_label(page, "marker"),
        blocks=tuple(block for section in SECTIONS[page.kind] for block in section(page)),
        foot=tuple(_iter_foot(page)),
    )


TO_OFFICIALS = frozenset({MailKind.RULING, MailKind.RULED, MailKind.NOTICE, MailKind.PROTEST, MailKind.BOSS})
TO_STRANGERS = frozenset({MailKind.SIGNUP, MailKind.CLOSED})


def _iter_foot(page: Page) -> Iterator[Block]:
    yield Para((*_iter_match_lines(page), *_iter_reader_lines(page)), "footline m", close=True)
    if page.archive:
        yield link_archive(page, close=True)
    yield SignedState(page.state_line)


def _iter_match_lines(page: Page) -> Iterator[str]:
    match = page.match
    if match is None:
        return
    values = {"code": match.code, "name": clean_name(match.name), "round": match.round, "last": match.last_round}
    noun = render_round_noun(page.reader.language, match.game)
    yield write_label(page, "foot-match-of" if match.last_round else "foot-match", noun=noun, **values)
    if match.lexicon and not is_brief(page):
        yield write_label(page, "foot-lexicon", lexicon=match.lexicon)


def _iter_reader_lines(page: Page) -> Iterator[str]:
    """Yield what can be asked for, and why the reader has this mail."""
    official, stranger = page.kind in TO_OFFICIALS, page.kind in TO_STRANGERS
    # How to write a move names »HILFE«, too, where it is short.
    if not official and page.kind != MailKind.CONFIRM and not stranger and not is_brief(page):
        yield write_label(page, "foot-commands-cup" if page.kind == MailKind.TOURNAMENT else "foot-commands")
    why = "watch" if page.watching else "stranger" if stranger else "why"
    if official:
        why = "referee" if page.reader.referee else "moderator"
    yield write_label(page, f"foot-{'puzzle' if page.kind == MailKind.PUZZLE else why}", club=clean_name(page.club))
