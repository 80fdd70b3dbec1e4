"""A mail's new text, cut into what concerns which match, and the commands in it.

A line that names a match (``Zu Partie K7Q2:``, ``*Arratia*``, see match_names.py) says which one the lines from there
on mean; where it names one, but not for sure as a heading, these lines make a section in doubt, of which nothing may be
played. A command may name its match behind itself (``Stand K7Q2``). Commands are looked up by commands/declaration.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from moderator.commands.declaration import Command, CommandLine, find_command, get_player_commands
from moderator.common.disk import LANGUAGES
from moderator.common.mails import Line
from moderator.common.message_files import load_word_pattern, normalize_spelling
from moderator.common.text import ANSWERED
from moderator.common.tokens import CODE
from moderator.inbox.job import DoubtfulSection, MailSection
from moderator.inbox.match_names import MatchNameReader, iter_heading_pieces
from moderator.language.messages import load_labels
from moderator.language.spelling import IN, MATCH_WORD
from moderator.mail import reply
from moderator.rules.orders.forgiving import is_greeting_line

SUBJECT = 0
"""Number of the line that a mail's subject is."""
NEAR_CONTACT = 2
"""Lines: what stands so near to a telephone number is part of a signature."""
SIGNED_WITH = 4
"""Words: a longer line below a closing formula says something."""
_CODE_BEHIND = re.compile(
    rf"(.*?)(?:^|\s+)(?:{IN}\s+)?(?:{MATCH_WORD}\s+)?\[?({CODE.pattern})\]?\W*", re.IGNORECASE | re.DOTALL
)
_DRAWN = re.compile(r"[\w.*·|\s]*(?:\.\.|\.\w|\*|(?<!\w)[^\W\d] [^\W\d](?!\w))[\w.*·|\s]*")
"""A row of a drawing, as a solution of Presto may be sent: letters and dots."""
END = load_word_pattern(Path(__file__).parent, "end")
_END = re.compile(rf"\W*{END}(?:\s+{load_word_pattern(Path(__file__).parent, 'end-of')})?\W*", re.IGNORECASE)
_ANSWER = re.compile(ANSWERED, re.IGNORECASE)
_REPLY = re.compile(rf"(?:{ANSWERED}|\s*\[[^\]]*\])+", re.IGNORECASE)


def limit_lines(lines: Sequence[Line], most: int, characters: int) -> list[Line]:
    """Return the first lines: at most so many, and of so many characters in all, so that reading them takes no time."""
    kept: list[Line] = []
    for line in lines[:most]:
        characters -= len(line.text)
        if characters < 0:
            break
        kept.append(line)
    return kept


def split_sections(
    lines: Sequence[Line],
    subject: str = "",
    commands: Sequence[Command] = (),
    ended: bool = False,
    writer: str = "",
    naming: MatchNameReader | None = None,
    doubt: tuple[str, ...] = (),
) -> list[MailSection]:
    """Split a mail into sections, in order; lines of one match that stand in several places come together. A command in
    ``subject`` comes before all others. ``ended``: the writer has put ``ENDE`` below these lines. ``writer``: a line
    that is that name, or part of it, signs the mail and is no word cut short (Anne does not mean ``annehmen``).
    ``naming``: the writer's matches. ``doubt``: others of these that the mail itself names, so that lines above any
    heading are in doubt. ``commands``: those that may stand in it, () = all."""
    cutter = _SectionSplitter(
        lines, commands or tuple(get_player_commands().values()), ended, writer, naming or MatchNameReader()
    )
    return cutter.split_mail(subject, doubt)


class _SectionSplitter:
    """The state while one mail is split into sections."""

    def __init__(
        self, lines: Sequence[Line], commands: Sequence[Command], ended: bool, writer: str, naming: MatchNameReader
    ) -> None:
        self.lines, self.commands, self.ended = lines, commands, ended
        self.naming = replace(naming, command=lambda text: find_command(text, commands) is not None)
        self.signed = {normalize_spelling(name) for name in (writer, *writer.split())}
        self.current = MailSection("")
        self.sections: dict[str, MailSection] = {"": self.current}
        self.closed = False
        """A closing formula stands above."""

    def split_mail(self, subject: str, doubt: tuple[str, ...]) -> list[MailSection]:
        if (first := _parse_subject_command(subject, self.commands)) is not None:
            self._add_command(first)
        if doubt:
            self.current = self._get_doubtful_section(doubt)
        rest = list(self.lines)
        while rest:
            line = rest.pop(0)
            for text in iter_heading_pieces(line.text, self.naming, self.current.code):
                self._add_line(Line(line.number, text), rest)
        return [section for section in self.sections.values() if section.lines or section.commands]

    def _add_line(self, line: Line, rest: list[Line]) -> None:
        found = self._parse_command(line)
        named = None if found else self.naming.parse_line(line.text, self.current.code)
        if named is not None and not named.heading and (found := self._parse_command(self._replace_name_by_code(line))):
            named = None
        if named is not None and named.heading:
            self.current = self._get_section(named.codes[0])
            line = Line(line.number, named.rest)
            found = self._parse_command(line)
        elif named is not None:
            self.current = self._get_doubtful_section(named.codes)
        if not line.text.strip():
            return
        self.closed = self.closed or reply.CLOSING.match(line.text) is not None
        if found is None:
            self.current.lines.append(line)
            if is_greeting_line(line.text) or self._is_signature(line):
                self.current.courteous.add(line.number)
            return
        command, argument = found
        request = CommandLine(command, line, argument)
        if _has_text_below(command, argument):
            request = take_text_below(request, rest, self.ended)
        self._add_command(request)

    def _parse_command(self, line: Line) -> tuple[Command, str] | None:
        text = line.text
        signed = normalize_spelling(text).strip(" .,!") in self.signed
        if not text.strip() or _is_in_drawing(line, self.lines) or self._is_near_contact(line):
            return None
        found = find_command(text, self.commands, whole=signed)
        return None if found and self.closed and found[0].above_closing else found

    def _is_signature(self, line: Line) -> bool:
        """Return whether a line is the writer's name, or stands below a closing formula as name, town and telephone do;
        a sentence there is none."""
        if normalize_spelling(line.text).strip(" .,!") in self.signed:
            return True
        few = len(line.text.split()) <= SIGNED_WITH and line.text.strip()[-1:] not in tuple(".!?")
        return self.closed and (few or reply.CONTACT.search(line.text[: reply.LONGEST]) is not None)

    def _is_near_contact(self, line: Line) -> bool:
        """Return whether a line stands beside a telephone number or the like, as in a signature."""
        near = (other.text for other in self.lines if abs(other.number - line.number) <= NEAR_CONTACT)
        return any(reply.CONTACT.search(text[: reply.LONGEST]) for text in near)

    def _replace_name_by_code(self, line: Line) -> Line:
        """Return the line with the code of a match where it has its name, if that stands at its end: ``Stand
        Arratia``."""
        refs = self.naming.find_references(line.text)
        if not refs or refs[-1].how != "name" or len(refs[-1].codes) > 1 or line.text[refs[-1].end :].strip(' .!"“«)'):
            return line
        (code,) = refs[-1].codes
        before = line.text[: refs[-1].start].rstrip(' "„“»(')
        return Line(line.number, f"{before} {code}")

    def _get_section(self, code: str) -> MailSection:
        key = "" if code == self.naming.here else code
        return self.sections.setdefault(key, MailSection(key))

    def _get_doubtful_section(self, codes: tuple[str, ...]) -> MailSection:
        if isinstance(self.current, DoubtfulSection) and self.current.codes == codes:
            return self.current
        return self.sections.setdefault(f"?{len(self.sections)}", DoubtfulSection("", codes=codes))

    def _add_command(self, request: CommandLine) -> None:
        """Put a command into the section that it belongs to: that of the match that it names, else the one in which it
        stands."""
        in_a_text = request.body or ":" in request.argument
        behind = None if in_a_text else _CODE_BEHIND.fullmatch(request.argument)
        if behind is None:
            self.current.commands.append(request)
        else:
            named = replace(request, argument=behind.group(1).strip())
            self._get_section(behind.group(2).upper()).commands.append(named)


def extract_race_claims(section: MailSection) -> None:
    """Make commands of the lines by which a player claims in a race to have finished, as the label ``race-cries`` of
    each language has it besides ``Fertig!``. Everywhere else it is a remark: no game depends on it there. A row of a
    drawing that reads so is none."""
    lines, ready = tuple(section.lines), get_player_commands()["ready"]
    said = {one: replace(ready.get_text(one), words=load_labels(one)["race-cries"]) for one in LANGUAGES}
    cry = replace(ready, texts=said)
    for line in lines:
        found = None if _is_in_drawing(line, lines) else find_command(line.text, (cry,), whole=True)
        if found is not None:
            section.lines.remove(line)
            section.commands.append(CommandLine(ready, line, found[1]))


def is_reply_subject(subject: str) -> bool:
    """Return whether a mail program wrote ``Re:`` or the like before a subject."""
    return _ANSWER.match(subject) is not None


def strip_reply_prefixes(subject: str) -> str:
    """Return a subject without what mail programs and we ourselves put before it."""
    return _REPLY.sub("", subject[:300]).strip()


def _parse_subject_command(subject: str, commands: Sequence[Command]) -> CommandLine | None:
    """Return the command that a subject is, if it is nothing else; its words are not cut short there."""
    text = strip_reply_prefixes(subject)
    found = find_command(text, commands) if text else None
    if found is None or _has_text_below(*found):
        return None
    command, argument = found
    word = normalize_spelling(text.rpartition(argument)[0] if argument else text).rstrip(":.! ")
    return CommandLine(command, Line(SUBJECT, text), argument) if word in command.all_words else None


def _has_text_below(command: Command, argument: str) -> bool:
    """Return whether the text of a command stands in the lines below it: ``Presse an Bert``, ``Einspruch:``."""
    if not command.body:
        return False
    return not argument or argument.endswith(":") or (command.body == "letter" and ":" not in argument)


def take_text_below(request: CommandLine, rest: list[Line], ended: bool, end: re.Pattern[str] = _END) -> CommandLine:
    """Take the lines of a text from ``rest``, up to ``ENDE``. Without an end all are taken: none of them may be read as
    anything else, and none is passed on."""
    at = next((n for n, line in enumerate(rest) if end.fullmatch(line.text)), None)
    body = tuple(rest[:at])
    del rest[: None if at is None else at + 1]
    return replace(request, body=tuple(line.text for line in body), closed=ended or at is not None, below=body)


def _is_in_drawing(line: Line, lines: Sequence[Line]) -> bool:
    """Return whether a single word stands right above or below a row of a drawing: then it is a row itself. A command
    with a date in it (``Urlaub 20.12. bis 28.12.``) is no such row."""
    if not line.text.strip().isalpha():
        return False
    return any(
        _DRAWN.fullmatch(other.text.strip()) and find_command(other.text) is None
        for other in _iter_neighbours(line, lines)
    )


def _iter_neighbours(line: Line, lines: Sequence[Line]) -> Iterable[Line]:
    return (other for other in lines if abs(other.number - line.number) == 1 and other.text.strip())
