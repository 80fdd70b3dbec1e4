"""The reply cutter: what the writer of a mail added, without quotes, attributions and signatures.

The order of the rules is safety first: a line that might come from the mail replied to is left out, and counted,
because a quoted move must never be played. Every line is looked at a bounded number of times.

Quotes are cut in two ways. Marked ones (``>``, blockquote) are left out line by line, so replies between and
below them stay. Unmarked ones begin at a separator, a block of header lines, an attribution with nothing marked
behind it, or our own marker line, and go on to the end of the mail.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from moderator.mail import reply_patterns as known
from moderator.mail.clean import clean_text, compose, is_quoted
from moderator.mail.model import Line

Kind = Literal["", "quote", "signature"]
"""What the HTML reader knows of a line already; "" = nothing."""

_QUOTE_MARKS = re.compile(r"^(?:\s*[>＞|])+\s*")
_MOST_LINES = 20_000
"""Lines that are looked at; a mail of more is no mail of moves, the rest is counted as "too-long"."""
_NEAR = 6
"""Lines: how far a block of header lines or a quote may lie behind its first line, blank ones included."""


def without(lines: Sequence[Line], ours: Iterable[str]) -> tuple[list[Line], int]:
    """The lines that do not stand in a mail of ours, whose lines are ``ours``, and how many do."""
    own = {normal_line(line) for line in ours} - {""}
    kept = [line for line in lines if not own or normal_line(line.text) not in own]
    return kept, len(lines) - len(kept)


def normal_line(line: str) -> str:
    """The form in which lines are compared with those we sent: no quote marks, single spaces, case folded."""
    return compose(" ".join(_QUOTE_MARKS.sub("", clean_text(line)).split())).casefold()


def cut(source: Sequence[tuple[str, Kind]]) -> tuple[list[Line], dict[str, int]]:
    """As ``new_text``, on cleaned lines whose kind may be known."""
    texts = [text for text, _ in source[:_MOST_LINES]]
    kinds: list[str] = [kind or ("quote" if is_quoted(text) else "") for text, kind in source[:_MOST_LINES]]
    kept: list[str] = []
    ignored: Counter[str] = Counter({"too-long": len(source) - len(texts)} if len(source) > len(texts) else {})
    mode = ""  # "" new text, "mobile" below a phone's line, "after-end"; "quote" and "signature" to the end
    at = 0
    while at < len(texts):
        found = _Cut(1, kinds[at]) if kinds[at] else None
        if not texts[at].strip():
            kept.append("")
        elif mode in ("quote", "signature"):
            ignored[kinds[at] or mode] += 1
        elif found or (found := _boundary(texts, kinds, at)):
            ignored[found.kind] += found.length
            mode = found.then or ("" if mode == "mobile" and kinds[at] == "quote" else mode)
            at += found.length - 1
        elif mode:
            ignored["signature" if mode == "mobile" else mode] += 1
        else:
            kept.append(compose(texts[at]))
        at += 1
    return _numbered(kept), dict(ignored)


def _numbered(kept: Iterable[str]) -> list[Line]:
    lines: list[Line] = []
    number, gap = 0, False
    for text in kept:
        if not text.strip():
            gap = True
            continue
        number += 2 if gap and lines else 1
        gap = False
        lines.append(Line(number, text))
    return lines


@dataclass(frozen=True)
class _Cut:
    """``length`` lines are of ``kind``; ``then`` is the mode for what follows, "" = as before."""

    length: int
    kind: str
    then: str = ""


def _boundary(texts: Sequence[str], kinds: Sequence[str], at: int) -> _Cut | None:
    """What begins at line ``at``, which is neither blank nor marked as a quote; None = new text."""
    text = texts[at]
    if len(text) > known.LONGEST:
        return _Cut(1, "quote", "quote") if known.MARKER.match(text[: known.LONGEST]) else None
    bare = text.strip("*_ ([")
    if ("##" in text or "eile" in text or "above" in text) and known.MARKER.match(text):
        return _Cut(1, "quote", "quote")
    if text.strip() in known.SIGNATURES:
        return _Cut(1, "signature", "signature")
    if len(bare) < 16 and bare.rstrip("*_.! ").casefold() in known.END_WORDS:
        return _Cut(1, "after-end", "after-end")
    if bare.partition(" ")[0].casefold() in known.MOBILE_STARTS and known.MOBILE.match(text):
        return _Cut(1, "signature", "mobile")
    if known.SEPARATOR.match(text):
        return _Cut(1, "quote", "" if _quote_follows(texts, kinds, at + 1) else "quote")
    if _header_block(texts, kinds, at):
        return _Cut(1, "quote", "quote")
    if _wrapped_tail(texts, kinds, at):
        return _Cut(1, "quote")
    return _attribution(texts, kinds, at)


def _quote_follows(texts: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Is the next line that is not blank a marked quote?"""
    for index in range(at, min(at + _NEAR, len(texts))):
        if texts[index].strip():
            return kinds[index] == "quote"
    return False


def _header_block(texts: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """Do copied header lines begin here: sender and date, or three kinds? A line above them may be a rule."""
    if known.RULE.match(texts[at]) or known.BARE_ORIGINAL.match(texts[at]):
        at += 1
        while at < len(texts) and not texts[at].strip():
            if at + 1 < len(texts) and not texts[at + 1].strip():
                return False
            at += 1
        if at >= len(texts):
            return False
    if not _header_kind(texts[at]):
        return False
    seen: set[str] = set()
    loose = False
    for index in range(at, min(at + 2 * _NEAR, len(texts))):
        text = texts[index]
        if not text.strip():
            continue
        kind = "" if kinds[index] else _header_kind(text)
        if not kind and not (loose or "@" in text):
            break
        seen.add(kind)
        loose = text.endswith((",", ";", "<"))  # a list of recipients goes on in the next line
    seen -= {""}
    return {"sender", "date"} <= seen or len(seen - {"other"}) >= 3


def _header_kind(text: str) -> str:
    match = known.HEADER.match(text[: known.LONGEST])
    return known.HEADER_KIND.get(match[1].casefold(), "") if match else ""


def _wrapped_tail(texts: Sequence[str], kinds: Sequence[str], at: int) -> bool:
    """The end of a quoted line that a mail program wrapped and forgot to mark again.

    It stands between two quoted lines, and the one above was too long for one more word.
    """
    if not 0 < at < len(texts) - 1 or not (kinds[at - 1] == kinds[at + 1] == "quote"):
        return False
    above = texts[at - 1][-200:].rstrip()
    word = texts[at].lstrip()[:80].partition(" ")[0]
    return len(above) + 1 + len(word) > 70 and above[-1:] not in ".:?!>" and len(texts[at]) < 60


def _attribution(texts: Sequence[str], kinds: Sequence[str], at: int) -> _Cut | None:
    """An attribution, maybe wrapped over a few lines."""
    if not _may_attribute(texts[at]):
        return None
    joined = ""
    for index in range(at, min(at + _NEAR, len(texts))):
        text, length = texts[index].strip(), index - at + 1
        if not text and _address_follows(joined, texts, index + 1):
            continue  # a mail that was set with an empty line after each line
        if kinds[index] or not text or (length > 1 and not _goes_on(joined, text)):
            return None
        joined = f"{joined} {text}".strip()
        if len(joined) > known.LONGEST:
            return None
        strength = _strength(joined.strip("*_ "))
        marked = strength is not None and _quote_follows(texts, kinds, index + 1)
        if marked or strength == "strong":
            return _Cut(length, "quote", "" if marked else "quote")
        if joined.endswith(":"):
            return None
    return None


def _address_follows(joined: str, texts: Sequence[str], at: int) -> bool:
    return at < len(texts) and (joined.endswith("<") or texts[at].lstrip().startswith("<"))


def _may_attribute(text: str) -> bool:
    stripped = text.lstrip("*_ ")
    return bool(
        "@" in text
        or known.OPENER.match(stripped)
        or stripped[:1].isdigit()
        or known.CITED.match(stripped)
        or known.verb(text)
    )


def _goes_on(joined: str, text: str) -> bool:
    """Can ``text`` be the rest of a wrapped attribution? A short line followed by anything else was no wrap."""
    if known.OPENER.match(text) and known.verb(text):
        return False
    wrapped = len(joined) + 1 + len(text.partition(" ")[0]) > 60
    return wrapped or joined.endswith(("<", ",")) or text.startswith("<") or known.VERB.match(text) is not None


def _strength(text: str) -> Literal["strong", "weak"] | None:
    """How surely ``text`` introduces a quote. A weak one counts only if marked lines follow.

    Strong needs a verb with a date and more (time, address, year), or with an address; prose that says "schrieb ich"
    is weak, and so is a bare "Anna schrieb:".
    """
    open_end = not text.endswith((":", "：", ">"))
    if open_end and not known.VERB_AT_END.search(text):
        return None
    address, date, time = "@" in text, known.DATE.search(text) is not None, known.TIME.search(text) is not None
    if open_end:
        return "strong" if date and time else None
    if time and known.NAMED_AT_END.search(text):
        return "strong"
    if not known.verb(text):
        cited = known.CITED.match(text) is not None
        if known.STAMP.match(text) or (cited and address):
            return "strong"
        return "weak" if cited else None
    closed = not text.endswith(">")
    if known.PRONOUN.search(text):
        return "weak" if date else None
    if date and (time or address or known.FULL_DATE.search(text)):
        return "strong" if closed or address else "weak"
    if address:
        return "strong" if closed else "weak"
    return "weak" if closed and len(text) <= 120 and (date or not re.search(r"\d", text)) else None
