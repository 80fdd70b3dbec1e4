"""Lines of a text mail, and the marks that keep a printed line from being read as a move or an order.

A player's mail program quotes our mails, often without marks and wrapped anew. So every move we print stands in
the quotation marks of its reader's language, »…«, “…” or « … », after a word that belongs to no move («zieht »,
«zuletzt », «gilt »), and no line break may fall between that word and the move or inside it. Reading such a line fails
for certain; tests/pages/test_harmless.py tries all.

What players write to each other begins with ``¦`` on every line: the reply cutter takes such a line for a quotation,
and no notation knows the sign. These lines are short, so that no program wraps them and puts a part of one at the
beginning of a line without its sign. In an answer that is prefilled our marker stands above all that is no move."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from moderator.common.disk import LANGUAGES
from moderator.common.message_files import iter_message_tables, normalize_spelling
from moderator.common.text import clean_line
from moderator.language.messages import PACKAGE, MarkedText, strip_quotes
from moderator.notifications.content import ReplyAddress
from moderator.rules.game import PLAIN, Style
from moderator.rules.orders.markers import is_continuation
from moderator.rules.orders.parse import CITED

if TYPE_CHECKING:
    from markupsafe import Markup


WIDTH = 62
"""Columns of the text part of a mail."""
_GROUP = r"»[^«»]*«|«[^«»]*»|„[^„“”]*[“”]|“[^“”]*”"
_ORDER = (
    r"[A-Za-z]{1,2}\d{1,2}(?!\w)|[0-6]{2}(?!\w|:\d|\. \w)"
    r"|(?i:passe?n?|skip|(?:um|aus)?tausch\w*|exchange|swap|change)(?!\w)"
)
"""What looks like an order; 20:00 is a time, 24. November a date."""
_MARKER = r"(?i:or|oder|and|und|then|dann|else|otherwise|sonst|zug|move)[:,]?"
"""Words that announce a move; before quotation marks they must not begin a line either."""
_SUM = r"(?:[-−]?\d+ [-+−] )?[-−]?\d+ = [-−]?\d+"
"""The end of a sum: if a line began with its last number, ``20 = 35``, that might be read as a domino and a claim."""
HOLD = "\u00a0"
"""Never broken. A line held together by it from end to end is one of a table and may be wider than the others."""
_HELD_WITHIN = re.compile(rf"(?<=«){HOLD}|{HOLD}(?=[»?!:;])")
"""What holds marks to their words is no table."""
_WORDS = re.compile(rf"{_SUM}[^\s{HOLD}]*|(?:{_GROUP}|[\S{HOLD}])+")
_GROUPS = re.compile(_GROUP)
_BEFORE = re.compile(rf"(?: {_MARKER}(?= ))? ?(?:{_GROUP})|{_SUM}| (?={_ORDER})")
_BEFORE_ORDER = re.compile(rf" (?={_ORDER})")
_GLUED = re.compile(rf"(?:{_MARKER} )?[»«„“]|{_ORDER}")
_ITEM = re.compile(r"( *)((?:[-*·+!] |\d+\. )?)(.*)")
_SPLIT = re.compile(r"\s*(?:;|\n)\s*(?P<marker>(?:sonst|ersatz|else|otherwise|or)\b[\s:]*)?", re.IGNORECASE)
_SAME_MOVE = re.compile(r"(?<=;) | (?=[+=] )|(?<=[+=]) | (?=\*?[A-Z] )")
"""Blanks in a quotation behind which the rest would be a move: ``R an T22 = KERN``."""
_ON_THE_WEB = re.compile(r"https?://")
"""Of no use in pieces."""
TOGETHER = 3
"""So many words at least stand in the last line of a paragraph; no command of a text of ours has more."""
_SHORTEST = 3
"""Letters of the shortest command; what is shorter is kept with what is before it, whatever it is."""
_LAST_WORDS = re.compile(r"(?<= )[^\s«»“”]+ [^\s«»“”]+ [^\s«»“”]+$")
KEPT = 30
"""Longest quotation that is kept in one piece in HTML: it fits on a phone. Of a longer one the beginning is, and no
line begins with a part of it that comes after a semicolon."""


def split_orders(text: str, style: Style = PLAIN) -> list[MarkedText]:
    """Split an order into its alternatives, each clean and without quotation marks: «E5 w HAUS; sonst C3 s MOND» gives
    two. A semicolon that by the game's style stands inside a move does not split it."""
    parts, start = [], 0
    for cut in _SPLIT.finditer(text):
        behind = text[cut.end() :]
        if cut["marker"] or not is_continuation(text[start : cut.start()], behind, style):
            parts.append(text[start : cut.start()])
            start = cut.end()
    return [strip_quotes(part, style) for part in (*parts, text[start:]) if part.strip()]


def wrap_text(text: str, width: int = WIDTH) -> str:
    """Return the text mail in its final form: lines of at most ``width`` columns, composed letters, no trailing blanks,
    no line that starts with ``>`` or ``From ``, at most one empty line in a row."""
    lines: list[str] = []
    for line in unicodedata.normalize("NFC", text).splitlines():
        line = line.rstrip()
        wrapped = _wrap_line(line, width) if len(line) > width else (line,)
        for piece in wrapped:
            if piece or (lines and lines[-1]):
                lines.append(_guard_line(piece))
    return "\n".join(lines).strip("\n") + "\n"


@lru_cache(maxsize=4096)
def _wrap_line(line: str, width: int) -> tuple[str, ...]:
    """Wrap a line, cached: most long lines stand in every mail."""
    return tuple(_iter_wrapped_lines(line, width))


def _guard_line(line: str) -> str:
    if line.startswith(">"):
        return "›" + line[1:]
    return " " + line if line.startswith("From ") else line


def _iter_wrapped_lines(line: str, width: int) -> Iterator[str]:
    """Break between words, never inside a quotation; what follows an item's sign is indented like its text."""
    indent, sign, rest = _ITEM.match(line).groups()  # type: ignore[union-attr]
    current, hanging = indent + sign, " " * len(indent + sign)
    fresh = True
    for word in _iter_pieces(rest, width - len(hanging)):
        if not fresh and len(current) + 1 + len(word) > width:
            yield current
            current, fresh = hanging, True
        current += word if fresh else " " + word
        fresh = False
    yield current


def _iter_pieces(text: str, width: int) -> Iterator[str]:
    """Yield words; quotations and what looks like an order together with the word before them. A quotation longer than
    a line becomes several, each in its own marks."""
    words = _WORDS.findall(text)
    for number in range(len(words) - 1, 0, -1):
        if _GLUED.match(words[number]):
            words[number - 1 : number + 1] = [f"{words[number - 1]} {words[number]}"]
    for word in _join_short_ending(words, width):
        if len(word) <= width or HOLD in _HELD_WITHIN.sub("", word) or _ON_THE_WEB.match(word):
            yield word
        elif _GROUPS.search(word):
            yield from _cut_quotation(word, width)
        else:
            yield from (word[i : i + width] for i in range(0, len(word), width))


def _join_short_ending(words: list[str], width: int) -> list[str]:
    """Return the words, the last of them in one piece: a line of a word or two at the end might be a command."""
    while len(words) > 1 and words[-1].count(" ") + 1 < TOGETHER and len(words[-2]) + len(words[-1]) < width:
        words = [*words[:-2], f"{words[-2]} {words[-1]}"]
    return words


def _cut_quotation(word: str, width: int) -> Iterator[str]:
    found = _GROUPS.search(word)
    assert found is not None
    before, after = word[: found.start()], word[found.end() :]
    opening, inner, closing = found[0][0], found[0][1:-1], found[0][-1]
    if opening == "«" and inner.startswith(HOLD):
        opening, closing = f"{opening}{HOLD}", f"{HOLD}{closing}"
    room = max(12, width - len(before) - len(after) - 4)
    parts: list[str] = [""]
    for part in inner.split():
        for chunk in (part[i : i + room] for i in range(0, len(part), room)):
            if parts[-1] and len(parts[-1]) + 1 + len(chunk) > room:
                parts.append("")
            parts[-1] += f" {chunk}" if parts[-1] else chunk
    for number, part in enumerate(parts):
        first, last = number == 0, number == len(parts) - 1
        yield f"{before if first else ''}{opening}{'' if first else '… '}{part}{closing}{after if last else ''}"


@lru_cache(maxsize=4096, typed=True)
def render_prose(text: str) -> Markup:
    """Return the text for HTML: escaped, with no-break spaces inside and before quotations, so that no program breaks a
    line there."""
    from markupsafe import Markup

    def hold_blanks(found: re.Match[str]) -> str:
        kept = found[0].replace(" ", "\u00a0", -1 if len(found[0]) <= KEPT else 4)
        return _BEFORE_ORDER.sub("\u00a0", _SAME_MOVE.sub("\u00a0", kept))

    kept = _BEFORE.sub(hold_blanks, text)
    kept = _LAST_WORDS.sub(_bind_last_words, kept)
    return Markup(kept if isinstance(text, Markup) else escape(kept))


def _bind_last_words(found: re.Match[str]) -> str:
    """Bind the last three words of a paragraph where one or two of them, alone on a line, might be a command or a move
    («Zug zurück.»). Others are not bound: needless no-break spaces make ragged lines."""
    first, second, last = found[0].split(" ")
    if _may_begin_command(second):
        return "\u00a0".join((first, second, last))
    return f"{first} {second}\u00a0{last}" if _may_begin_command(last) else found[0]


def _may_begin_command(word: str) -> bool:
    """Return whether a word may begin a command or a move; True in doubt."""
    cut = normalize_spelling(word).strip(" .,;:!?()")
    if len(cut) < _SHORTEST or re.match(_ORDER, word) or re.fullmatch(_MARKER, word):
        return True
    return any(one.startswith(cut) for one in _load_command_words())


@cache
def _load_command_words() -> frozenset[str]:
    """Return the words with which the commands of the players begin, in all languages. They may be cut short."""
    said = [
        entry["words"]
        for language in LANGUAGES
        for _, _, entry in iter_message_tables(PACKAGE / "commands/player", language, "command")
    ]
    return frozenset(
        normalize_spelling(words).split()[0] for some in said for words in some.split("|") if words.strip()
    )


# ---- letters of players ----


LETTER_SIGN = CITED
LETTER_WIDTH = 40
"""Columns of a line with its sign: fits on a phone in the size of the other text."""
LONGEST_LINE = 4000


def wrap_letter_text(text: str) -> tuple[str, ...]:
    """Return the lines of a text as they are printed."""
    found: list[str] = []
    for line in text.splitlines():
        wrapped = textwrap.wrap(clean_line(line, LONGEST_LINE), LETTER_WIDTH - 2, break_on_hyphens=False) or [""]
        found += [f"{LETTER_SIGN} {piece}".rstrip() for piece in wrapped]
    return tuple(found)


# ---- prefilled answers ----


def build_mailto(reply: ReplyAddress, name: str) -> str:
    """Return address, subject and body of an answer, percent-encoded (RFC 6068). ``name``: what the answer is about."""
    subject = quote(f"{name} {reply.subject}".strip(), safe="")
    text = quote((reply.body or "\n").replace("\r\n", "\n").replace("\n", "\r\n"), safe="")
    return f"mailto:{quote(reply.address, safe='@')}?subject={subject}&body={text}"
