"""What players get: mails of all phases, and the page of the match, in both languages."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator
from html import unescape
from html.parser import HTMLParser
from typing import Any

from moderator.conformance.club import Mail
from moderator.conformance.finding import Finding, Found, Said
from moderator.conformance.notation import readable
from moderator.conformance.phases import RUBBISH, seasons
from moderator.conformance.sentences import foreign, opened
from moderator.conformance.subject import Subject, context
from moderator.inbox.sections import cut, hear_the_cry
from moderator.mail.html_text import html_lines
from moderator.mail.model import Line
from moderator.match import turn_data
from moderator.match.contract import Game, View
from moderator.match.orders import read_lines
from moderator.pages.messages import say
from moderator.quotations import quotations

UNSAID = re.compile(r"\b[a-z]+(?:-[a-z0-9]+)+ \(\w+ = |\{[a-z_]+(?::[^{}]*\|[^{}]*)?\}(?! \{0\} %s)")
"""What a code without a sentence looks like in a mail, and a value that is missing."""


def all_phases(subject: Subject) -> Iterator[Found]:
    """Each phase has its mails, with subject, text and HTML, and no gap in them."""
    count = 0
    for season in seasons(subject):
        for unheard in dict.fromkeys(season.done):
            if not any(mail.when == unheard for mail in season.mails):
                yield Finding(f"a match by mail ({season.pace}), {unheard}", "nobody got a mail")
        for mail in season.mails:
            count += 1
            for what, text in (("subject", str(mail.parsed["Subject"])), ("text", mail.part("plain"))):
                if not text.strip():
                    yield Finding(mail.where, f"its {what} is empty")
                if (gap := UNSAID.search(text)) is not None:
                    yield Finding(mail.where, f"a sentence or a value is missing: {_line_of(text, gap.start())!r}")
            if mail.when == "the deal" and not mail.part("html"):
                yield Finding(mail.where, "it has no HTML")
    yield Said(f"({count} mails)")


def _line_of(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 :].partition("\n")[0].strip()


def languages(subject: Subject) -> Iterator[Found]:
    """A mail speaks its reader's language alone."""
    for season in seasons(subject):
        for mail in season.mails:
            name = say("name", mail.language, subject.key)
            for line in mail.part("plain").replace(name, "").splitlines():
                if not line.lstrip().startswith(("¦", ">")) and (wrong := foreign(line, mail.language, subject.key)):
                    yield Finding(mail.where, f"no sentence in {mail.language!r} ({', '.join(wrong[:5])}): {line}")


# ---- harmless ----


def harmless(subject: Subject) -> Iterator[Found]:
    """No line of a mail is an order, however it is quoted: who answers below it moves nothing."""
    view = opened(subject.game)
    for season in seasons(subject):
        for mail in season.mails:
            text, html = mail.part("plain").splitlines(), mail.part("html")
            ways = (text, [line.strip(" -+!·*") for line in text], flat(html), rows(html), as_text(html))
            for lines in ways:
                if taken := orders(subject.game, view, lines):
                    yield Finding(mail.where, f"quoted in an answer, this is played: {taken[0]!r}")
                    return


def orders(game: Game[Any, Any], view: View[Any], lines: Iterable[str]) -> list[str]:
    """What the desk would take out of these lines: commands and moves."""
    found: list[str] = []
    for section in cut([Line(number, line) for number, line in enumerate(lines, 1)]):
        if "race" in game.paces:
            hear_the_cry(section)
        found += [command.line.text for command in section.commands]
        read = read_lines(section.lines, lambda text: game.parse(text, view), game.format, game.style)
        found += [line.text for line in read.orders]
    return found


def flat(html: str) -> list[str]:
    """HTML as a program may turn it into text: each block and cell on a line of its own."""
    body = re.sub(r"(?s)<(style|title)\b.*?</\1>", "", html)
    text = re.sub(r"(?i)</?(?:p|td|th|tr|table|h1|h2|h3|li|ul|div|br|pre|body|img)\b[^>]*>", "\n", body)
    return unescape(re.sub(r"<[^>]+>", "", text)).splitlines()


def rows(html: str) -> list[str]:
    """The same with the cells of a row on one line."""
    return flat(re.sub(r"(?i)</t[dh]>\s*<t[dh]\b[^>]*>", " \t", html))


def as_text(html: str) -> list[str]:
    """HTML as we read it ourselves."""
    return [line for line, _ in html_lines(html)]


# ---- names, pictures, files ----


class _Tags(HTMLParser):
    """The tags of a page, and what its pictures are called."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.pictures: list[dict[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag == "img":
            self.pictures.append(dict(attrs))


def names(subject: Subject) -> Iterator[Found]:
    """Whatever somebody is called is text: no tag, no escape that shows, no value of a sentence."""
    for season in seasons(subject):
        pages = [(mail.where, mail.part("html")) for mail in season.mails]
        pages += [(path, page.decode()) for path, page in season.site.items() if path.endswith(".html")]
        for where, html in pages:
            if "x-evil" in _Tags(html).names:
                yield Finding(where, "a name has become a tag of the page")
            if re.search(r"&amp;(?:lt|quot|#39|#34|amp;amp);", html):
                yield Finding(where, "something is escaped twice")


def pictures(subject: Subject) -> Iterator[Found]:
    """Each picture of a mail is there, has an alt text, and is no wider than its place."""
    for season in seasons(subject):
        for mail in season.mails:
            shown = _Tags(mail.part("html")).pictures
            for picture in shown:
                if not (picture.get("alt") or "").strip():
                    yield Finding(mail.where, "a picture has no alt text")
            for data in mail.files("image/png"):
                across, _ = struct.unpack(">II", data[16:24])
                told = [int(picture.get("width") or 0) for picture in shown]
                if across // 2 not in told:
                    yield Finding(mail.where, f"the picture is {across // 2} css pixels wide, its place {told}")


def turns(subject: Subject) -> Iterator[Found]:
    """The turn as data that a mail carries can be read by other programs, and gives the same position."""
    count = 0
    for season in seasons(subject):
        for mail in season.mails:
            for data in mail.files(turn_data.KIND):
                count += 1
                read = turn_data.read(data)
                if read.game != subject.key or read.seat != mail.seat:
                    yield Finding(mail.where, f"its file is for {read.game}, seat {read.seat}")
                view = turn_data.view_of(read, subject.game)
                if view is not None and turn_data.table_of(subject.game, view) != read.board:
                    yield Finding(mail.where, "read back and written again, its board is another one")
    if not count:
        yield Finding("a match by mail", "no mail carries the turn as data: is it too large?")
    yield Said(f"({count} files)")


def examples(subject: Subject) -> Iterator[Found]:
    """Of what a mail quotes and is a move, something can be played by who is asked for one."""
    for season in seasons(subject):
        for mail in season.mails:
            if fault := _shown(subject, mail):
                yield Finding(mail.where, fault)


def _shown(subject: Subject, mail: Mail) -> str:
    game, view = subject.game, mail.view
    if mail.when != "a line that is no move" or view is None or game.uses_words:
        return ""
    playable = [move for move, _ in game.moves(view, context(0))]
    quoted = [one for one in quotations(mail.part("plain")) if one and one != RUBBISH]
    if not playable or any(game.parse(one, view) in playable for one in quoted if readable(game, one, view)):
        return ""
    return f"a line is refused, and of what is shown ({', '.join(quoted)}) nothing can be played now"


def site(subject: Subject) -> Iterator[Found]:
    """The page of the match is there in each language, with its board, and nothing is missing."""
    for season in seasons(subject):
        pages = {path: page.decode() for path, page in season.site.items() if path.endswith((".html", ".txt"))}
        if not pages:
            yield Finding(f"the site ({season.pace})", "it has no page of the match")
        for path, page in pages.items():
            text = "\n".join(flat(re.sub(r"(?s)<script\b.*?</script>", "", page))) if path.endswith(".html") else page
            if (gap := UNSAID.search(text)) is not None:
                yield Finding(path, f"a sentence or a value is missing: {_line_of(text, gap.start())!r}")
