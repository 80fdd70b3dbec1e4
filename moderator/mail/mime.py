"""The MIME tree of a mail from outside, as the standard parser gives it but without its traps, and the text in it:
which parts count, their transfer encoding, charset and format=flowed.

``get_payload`` of the standard library decodes 8-bit text by the declared charset, losing what does not fit and
failing on odd labels; a ``Part`` keeps what was sent. Header fields are unfolded and cut, see ``CappedPolicy``.
"""

from __future__ import annotations

import binascii
import email.message
import quopri
import re
from collections.abc import Iterator, Sequence
from email.feedparser import FeedParser
from email.policy import Compat32
from typing import Any, cast

from moderator.mail.clean import (
    FIELD_LIMIT,
    clean_mail_text,
    decode_raw_header,
    decode_text,
    get_raw_field,
    iter_clean_lines,
)
from moderator.mail.html_text import parse_html_lines
from moderator.mail.reply import SIGNATURES, Kind

_BODY_FIELD_LIMIT = 4_000
"""The same for Content-*: their parameters are read by the standard library in quadratic time."""
_BOUNDARY_TESTS = 4_000_000
"""The standard parser tries each line against each open multipart; a mail that needs more tries is not taken apart."""
_PARTS = 10_000
"""Lines that begin with two hyphens, each of which may begin a part. A mail with more is not taken apart."""
_REPORT_LINES = 50_000
"""Lines of a mail with a delivery status in it: each blank one may begin a block."""


class CappedPolicy(Compat32):
    """compat32 with header fields unfolded (a boundary may be wrapped, too) and cut to a length, so that no reader of
    them can be slow, at any depth of MIME."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, _, value = sourcelines[0].partition(":")
        value = value[: FIELD_LIMIT + 1000].lstrip(" \t")
        if len(sourcelines) > 1:
            value += "".join([line[: FIELD_LIMIT + 1000] for line in sourcelines[1:2000]])
        if name[:8].lower() == "content-":  # read by the parser, which compares boundaries with what was sent
            return name, value.replace("\r", "").replace("\n", "")[:_BODY_FIELD_LIMIT]
        return name, decode_raw_header(value[: 2 * FIELD_LIMIT])[:FIELD_LIMIT]

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value


class Part(email.message.Message):
    """A mail or a part of one, which is only read. ``raw`` is a leaf's content before any decoding, 8-bit bytes as
    surrogates."""

    raw: str = ""
    _index: dict[str, list[str]] | None = None

    def set_raw(self, name: str, value: str) -> None:
        self._index = None
        super().set_raw(name, value)

    def get_all(self, name: str, failobj: Any = None) -> Any:
        if self._index is None:
            self._index = {}
            for key, value in self.raw_items():
                self._index.setdefault(key.lower(), []).append(value)
        return self._index.get(name.lower(), failobj)

    def get(self, name: str, failobj: Any = None) -> Any:
        """Return the first field of that name. The standard library goes through all of them each time."""
        found = self.get_all(name)
        return found[0] if found else failobj

    def set_payload(self, payload: Any, charset: Any = None) -> None:
        self.raw = payload if isinstance(payload, str) else ""
        super().set_payload(payload)

    @property
    def children(self) -> list[Part]:
        """Parts of a multipart, the mail inside message/rfc822, the blocks of a delivery status; [] for a leaf."""
        payload = self.get_payload() if self.is_multipart() else []
        return [child for child in payload if isinstance(child, Part)] if isinstance(payload, list) else []

    @property
    def raw_bytes(self) -> bytes:
        """``raw`` as it came over the wire, still in its transfer encoding."""
        return self.raw.encode("utf-8", "surrogateescape")


_POLICY = CappedPolicy()


def parse_mime(data: bytes) -> tuple[Part, str]:
    """Parse the bytes of a mail into (mail, damage); a nested bomb is read as headers only, with damage "nested". Never
    raises."""
    data = data.replace(b"\r\n", b"\n")
    # No mail server takes a bare CR for the end of a line: a header behind one was never checked by ours.
    data = data.replace(b"\r", b"\v" if b"\n" in data else b"\n")
    if _is_fast_to_parse(data):
        try:
            return _parse_message(data), ""
        except RecursionError:
            pass
    return _parse_message(data.partition(b"\n\n")[0] + b"\n\n", headers_only=True), "nested"


def _parse_message(data: bytes, headers_only: bool = False) -> Part:
    parser = FeedParser(Part, policy=_POLICY)
    if headers_only:
        parser._set_headersonly()  # type: ignore[attr-defined]  # as the library's own BytesHeaderParser does
    parser.feed(data.decode("ascii", "surrogateescape"))
    return cast(Part, parser.close())


def _is_fast_to_parse(data: bytes) -> bool:
    """Return whether the standard parser, which takes its time for some mails, is done with this one soon."""
    lines = data.count(b"\n")
    if lines < 1000:
        return True
    lowered = data.lower()
    return (
        lowered.count(b"boundary") * lines <= _BOUNDARY_TESTS
        and data.count(b"\n--") <= _PARTS
        and (lines <= _REPORT_LINES or b"delivery-status" not in lowered)
    )


# ---- the text ----


_LIMIT = 1_000_000
"""Characters of text that are read of a mail. What follows is left out, from a whole line on."""
_DEPTH = 100
"""Parts within parts that are looked into."""
TEXT_TYPES = frozenset(
    {"text/plain", "text/html", "text/markdown", "text/x-markdown", "text/enriched", "text/richtext"}
)
"""What a mail's own text may be."""
_MARKED_UP = frozenset({"text/enriched", "text/richtext"})
_ENRICHED = re.compile(r"<param>[^<>\n]{0,200}</param>|</?[a-zA-Z][a-zA-Z0-9-]{0,60}>|<(?=<)")
"""Their marks (RFC 1896)."""
_WORD = re.compile(r"\w+")


Body = list[tuple[str, Kind]]
"""Cleaned lines with what is known of their kind."""


def extract_body_lines(message: Part) -> tuple[Body, str, int]:
    """Extract (lines, damage, lines beyond the limit) for the reply cutter, by the tree of the mail.

    The parts of a multipart follow one another; of an alternative one counts. Attached mails and files never count, nor
    does a part that has a file's name and stands behind other text. ``damage`` is "broken-parts" for a multipart
    without parts, where there is no other text."""
    reader = _BodyReader(frozenset({"text/plain", "text/html"}))
    lines = reader.collect_lines(message)
    if not _has_text(lines):  # a few programs send their text as Markdown and the like
        reader = _BodyReader(TEXT_TYPES)
        lines = reader.collect_lines(message)
    return lines, "" if _has_text(lines) else reader.damage, reader.beyond


class _BodyReader:
    """The state of reading one mail: ``left`` characters may follow, ``beyond`` lines are over the limit."""

    def __init__(self, kinds: frozenset[str]) -> None:
        self.kinds = kinds
        self.left, self.beyond, self.damage = _LIMIT, 0, ""

    def collect_lines(self, part: Part, depth: int = 0) -> Body:
        if is_attached(part) or part.get_content_maintype() == "message" or depth > _DEPTH:
            return []
        if not part.is_multipart():
            return self._collect_leaf_lines(part)
        kind = part.get_content_type()
        bodies = [(child, self.collect_lines(child, depth + 1)) for child in part.children]
        return _choose_best_body(bodies) if kind == "multipart/alternative" else _join_bodies(bodies)

    def _collect_leaf_lines(self, part: Part) -> Body:
        if part.get_content_maintype() == "multipart":
            self.damage = "broken-parts"
        kind = part.get_content_type()
        if kind not in self.kinds:
            return []
        text, over = _cut_to_limit(decode_part_text(part), self.left, whole_lines=kind != "text/html")
        self.left, self.beyond = self.left - len(text), self.beyond + over
        if kind == "text/html":
            return parse_html_lines(text)
        return [(line, "") for line in split_plain_lines(part, _ENRICHED.sub("", text) if kind in _MARKED_UP else text)]


def _choose_best_body(bodies: Sequence[tuple[Part, Body]]) -> Body:
    """Choose, of several forms of one text, the plain one, or another that says more: a plain one may be a stub, cut
    short or empty, and mail programs show the other."""
    best: Body = []
    for part, body in sorted(bodies, key=lambda one: one[0].get_content_type() != "text/plain"):
        if _has_text(best) and is_named_file(part):
            continue
        best = body if _has_new_words(body, best) else best
    return best


def _join_bodies(bodies: Sequence[tuple[Part, Body]]) -> Body:
    """Join all parts.

    HTML that only repeats the text above it is another form of that text, and so is plain text above the same text in
    HTML."""
    lines: Body = []
    for part, body in bodies:
        if _has_text(lines) and part.get_content_maintype() == "text":
            if is_named_file(part):
                continue
            if part.get_content_type() == "text/html":
                if not _has_new_words(body, lines):
                    continue
                lines = _mark_signature(lines)
        lines = [*lines, *body]
    return lines


def is_named_file(part: Part) -> bool:
    """Return whether a text has a file's name: behind other text it is not part of the mail's own."""
    return bool(get_parameter(part, "name")) and part.get_content_type() != "text/html"


def _mark_signature(lines: Body) -> Body:
    """Mark the signature in the lines of one part, so that the parts below it are not taken for one."""
    start = next((at for at, (text, _) in enumerate(lines) if text.strip() in SIGNATURES), len(lines))
    return [*lines[:start], *((text, kind or "signature") for text, kind in lines[start:])]


def _has_new_words(body: Body, known: Body) -> bool:
    """Return whether ``known`` lacks two words of a new line of ``body``, or half of them."""
    said = {word for text, _ in known for word in _WORD.findall(text.casefold())}
    if not said:
        return _has_text(body)
    for text, kind in body:
        words = [] if kind else _WORD.findall(text.casefold())
        missing = sum(word not in said for word in words)
        if missing >= 2 or 2 * missing > len(words):
            return True
    return False


def _has_text(body: Body) -> bool:
    return any(text.strip() for text, _ in body)


def _cut_to_limit(text: str, left: int, *, whole_lines: bool = True) -> tuple[str, int]:
    """Return (the text that may be read, number of lines left out)."""
    if len(text) <= left:
        return text, 0
    end = text.rfind("\n", 0, left) + 1 if whole_lines else left
    return text[:end], text.count("\n", end) + 1


def iter_leaves(message: Part) -> Iterator[Part]:
    """Yield the parts that hold no others, in the order of the mail; a multipart that could not be taken apart is
    one."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.is_multipart():
            waiting.extend(reversed(part.children))
        else:
            yield part


def is_attached(part: Part) -> bool:
    disposition = get_raw_field(part, "Content-Disposition").strip().lower()
    return disposition.startswith("attachment") or "filename" in disposition


def decode_part_bytes(part: Part) -> bytes:
    """Decode the content of a leaf: its transfer encoding undone. Damaged base64 gives what can be read of it."""
    data = part.raw_bytes
    encoding = get_raw_field(part, "Content-Transfer-Encoding").partition(";")[0].strip().lower()
    if encoding == "base64":
        return _decode_base64(data)
    return quopri.decodestring(data) if encoding == "quoted-printable" else data


def _decode_base64(data: bytes) -> bytes:
    try:
        return binascii.a2b_base64(data)
    except binascii.Error:
        alphabet = bytes.maketrans(b"-_", b"+/")
        wanted = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        others = bytes(sorted(set(range(256)) - set(wanted)))
        digits = data.translate(alphabet).partition(b"=")[0].translate(None, others)
        return binascii.a2b_base64(digits[: len(digits) - len(digits) % 4])


def decode_part_text(part: Part) -> str:
    """Decode the content of a text part by the sender's charset, or the likeliest other one."""
    return decode_text(decode_part_bytes(part), get_parameter(part, "charset"))


def get_parameter(part: Part, name: str) -> str:
    """Return a parameter of Content-Type, bare; "" if absent or unreadable."""
    try:
        value = part.get_param(name, "")
    except (ValueError, TypeError, LookupError):  # e.g. an RFC 2231 parameter with a broken number
        return ""
    text = value[2] if isinstance(value, tuple) else value
    return str(text or "").strip().strip("'\"")


def split_plain_lines(part: Part, text: str) -> list[str]:
    """Split this text of a text/plain part into cleaned lines, unwrapped if the part says format=flowed."""
    if get_parameter(part, "format").lower() == "flowed":
        text = join_flowed_lines(text, get_parameter(part, "delsp").lower() == "yes")
    return list(iter_clean_lines(clean_mail_text(text)))


def join_flowed_lines(text: str, delsp: bool = False) -> str:
    """Join lines that end with a space to the next one of the same depth of quotation (RFC 3676).

    ``delsp`` takes that space away. Quoted lines keep their marks ("> "), the signature separator stays a line of its
    own."""
    done: list[str] = []
    pieces: list[str] = []
    depth = 0
    for raw in text.replace("\r\n", "\n").split("\n"):
        content = raw.lstrip(">")
        level = len(raw) - len(content)
        content = content[1:] if content.startswith(" ") else content
        separator = content.rstrip("\r") in ("-- ", "--")
        if pieces and (level != depth or separator):
            done.append(_quote_line("".join(pieces), depth))
            pieces = []
        depth = level
        flowed = content.endswith(" ") and not separator
        pieces.append(content[:-1] if flowed and delsp else content)
        if not flowed:
            done.append(_quote_line("".join(pieces), depth))
            pieces = []
    if pieces:
        done.append(_quote_line("".join(pieces), depth))
    return "\n".join(done)


def _quote_line(text: str, depth: int) -> str:
    return f"{'>' * depth} {text}" if depth else text
