"""What players get: mails of all phases, and the page of the match, in both languages."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from html import unescape
from html.parser import HTMLParser
from typing import Any

from moderator.common.quotations import list_quotations
from moderator.conformance.finding import CheckFigure, Finding, Found
from moderator.conformance.notation import is_readable_move
from moderator.conformance.phases import RUBBISH, get_mailed_matches
from moderator.conformance.sentences import build_full_hand_view, list_foreign_words
from moderator.conformance.subject import GameSubject, build_check_context
from moderator.inbox.read import extract_race_claims, split_sections
from moderator.language.messages import render_code
from moderator.mail.html_text import parse_html_lines
from moderator.mail.model import Line
from moderator.rules import turn_data
from moderator.rules.game import Game, View
from moderator.rules.orders.parse import parse_order_lines
from moderator.testing.club import SentMail

UNSAID = re.compile(r"\b[a-z]+(?:-[a-z0-9]+)+ \(\w+ = |\{[a-z_]+(?::[^{}]*\|[^{}]*)?\}(?! \{0\} %s)")
"""What a code without a sentence looks like in a mail, and a value that is missing."""


def iter_phase_mail_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that each phase has its mails, with subject, text and HTML, and no gap in them."""
    count = 0
    for season in get_mailed_matches(subject):
        for unheard in dict.fromkeys(season.done):
            if not any(mail.when == unheard for mail in season.mails):
                yield Finding(f"a match by mail ({season.pace}), {unheard}", "nobody got a mail")
        for mail in season.mails:
            count += 1
            for what, text in (("subject", str(mail.message["Subject"])), ("text", mail.get_body_part("plain"))):
                if not text.strip():
                    yield Finding(mail.description, f"its {what} is empty")
                if (gap := UNSAID.search(text)) is not None:
                    yield Finding(
                        mail.description, f"a sentence or a value is missing: {_get_line_at(text, gap.start())!r}"
                    )
            if mail.when == "the deal" and not mail.get_body_part("html"):
                yield Finding(mail.description, "it has no HTML")
    yield CheckFigure(f"({count} mails)")


def _get_line_at(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0].strip()


def iter_mail_language_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that a mail speaks its reader's language only."""
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            name = render_code("name", mail.language, subject.key)
            for line in mail.get_body_part("plain").replace(name, "").splitlines():
                if not line.lstrip().startswith(("¦", ">")) and (
                    wrong := list_foreign_words(line, mail.language, subject.key)
                ):
                    yield Finding(
                        mail.description, f"no sentence in {mail.language!r} ({', '.join(wrong[:5])}): {line}"
                    )


# ---- harmless ----


def iter_quoted_order_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that no line of a mail is an order, however it is quoted: an answer below it moves nothing."""
    view = build_full_hand_view(subject.game)
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            text, html = mail.get_body_part("plain").splitlines(), mail.get_body_part("html")
            ways = (
                text,
                [line.strip(" -+!·*") for line in text],
                flatten_html(html),
                flatten_html_rows(html),
                to_html_lines(html),
            )
            for lines in ways:
                if taken := list_orders_in_lines(subject.game, view, lines):
                    yield Finding(mail.description, f"quoted in an answer, this is played: {taken[0]!r}")
                    return


def list_orders_in_lines(game: Game[Any, Any], view: View[Any], lines: Iterable[str]) -> list[str]:
    """Return all that the referee would take out of these lines: commands and moves."""
    found: list[str] = []
    for section in split_sections([Line(number, line) for number, line in enumerate(lines, 1)]):
        if "race" in game.paces:
            extract_race_claims(section)
        found += [command.line.text for command in section.commands]
        read = parse_order_lines(section.lines, lambda text: game.parse(text, view), game.format, game.style)
        found += [line.text for line in read.orders]
    return found


def flatten_html(html: str) -> list[str]:
    """Return HTML as a program may turn it into text: each block and cell on a line of its own."""
    body = re.sub(r"(?s)<(style|title)\b.*?</\1>", "", html)
    text = re.sub(r"(?i)</?(?:p|td|th|tr|table|h1|h2|h3|li|ul|div|br|pre|body|img)\b[^>]*>", "\n", body)
    return unescape(re.sub(r"<[^>]+>", "", text)).splitlines()


def flatten_html_rows(html: str) -> list[str]:
    """Return HTML like ``flatten_html``, with the cells of a row on one line."""
    return flatten_html(re.sub(r"(?i)</t[dh]>\s*<t[dh]\b[^>]*>", " \t", html))


def to_html_lines(html: str) -> list[str]:
    """Return HTML as we read it ourselves."""
    return [line for line, _ in parse_html_lines(html)]


# ---- names, pictures, files ----


class _TagCollector(HTMLParser):
    """The tags of a page, and the attributes of its pictures."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.pictures: list[dict[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag == "img":
            self.pictures.append(dict(attrs))


def iter_name_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the name of a player is text, whatever it is: no tag, no escape that shows, no value of a sentence."""
    for season in get_mailed_matches(subject):
        pages = [(mail.description, mail.get_body_part("html")) for mail in season.mails]
        pages += [(path, page.decode()) for path, page in season.site.items() if path.endswith(".html")]
        for where, html in pages:
            if "x-evil" in _TagCollector(html).names:
                yield Finding(where, "a name has become a tag of the page")
            if re.search(r"&amp;(?:lt|quot|#39|#34|amp;amp);", html):
                yield Finding(where, "something is escaped twice")


def iter_mail_picture_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that each picture of a mail is there, has an alt text, and is no wider than its place."""
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            shown = _TagCollector(mail.get_body_part("html")).pictures
            for picture in shown:
                if not (picture.get("alt") or "").strip():
                    yield Finding(mail.description, "a picture has no alt text")
            for data in mail.list_files_of_kind("image/png"):
                across, _ = struct.unpack(">II", data[16:24])
                told = [int(picture.get("width") or 0) for picture in shown]
                if across // 2 not in told:
                    yield Finding(mail.description, f"the picture is {across // 2} css pixels wide, its place {told}")


def iter_mail_turn_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the turn as data that a mail carries can be read by other programs, and gives the same position."""
    count = 0
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            for data in mail.list_files_of_kind(turn_data.KIND):
                count += 1
                read = turn_data.decode_turn(data)
                if read.game != subject.key or read.seat != mail.seat:
                    yield Finding(mail.description, f"its file is for {read.game}, seat {read.seat}")
                view = turn_data.build_turn_view(read, subject.game)
                if view is not None and turn_data.build_table_values(subject.game, view) != read.board:
                    yield Finding(mail.description, "read back and written again, its board is another one")
    if not count:
        yield Finding("a match by mail", "no mail carries the turn as data: is it too large?")
    yield CheckFigure(f"({count} files)")


def iter_mail_example_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that of all that a mail quotes and is a move, something can be played by the seat that is asked for one."""
    for season in get_mailed_matches(subject):
        for mail in season.mails:
            if fault := _find_example_fault(subject, mail):
                yield Finding(mail.description, fault)


def _find_example_fault(subject: GameSubject, mail: SentMail) -> str:
    game, view = subject.game, mail.view
    if mail.when != "a line that is no move" or view is None or game.uses_words:
        return ""
    playable = [move for move, _ in game.moves(view, build_check_context(0))]
    quoted = [one for one in list_quotations(mail.get_body_part("plain")) if one and one != RUBBISH]
    if not playable or any(game.parse(one, view) in playable for one in quoted if is_readable_move(game, one, view)):
        return ""
    return f"a line is refused, and of what is shown ({', '.join(quoted)}) nothing can be played now"


def iter_site_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the page of the match is there in each language, with its board, and nothing is missing."""
    for season in get_mailed_matches(subject):
        pages = {path: page.decode() for path, page in season.site.items() if path.endswith((".html", ".txt"))}
        if not pages:
            yield Finding(f"the site ({season.pace})", "it has no page of the match")
        for path, page in pages.items():
            text = (
                "\n".join(flatten_html(re.sub(r"(?s)<script\b.*?</script>", "", page)))
                if path.endswith(".html")
                else page
            )
            if (gap := UNSAID.search(text)) is not None:
                yield Finding(path, f"a sentence or a value is missing: {_get_line_at(text, gap.start())!r}")
