"""The MIME tree of a mail from outside, as the standard parser gives it but without its traps.

``get_payload`` of the standard library decodes 8-bit text by the declared charset, losing what does not fit and
failing on odd labels; a ``Part`` keeps what was sent. Header fields are unfolded and cut, see ``CappedPolicy``.
"""

from __future__ import annotations

import email.message
from email.feedparser import FeedParser
from email.policy import Compat32
from typing import Any, cast

from moderator.mail.clean import header_text

FIELD_LIMIT = 16_000
"""Characters of a header field that are read at all."""
_BODY_FIELD_LIMIT = 4_000
"""The same for Content-*: their parameters are read by the standard library in quadratic time."""
_BOUNDARY_TESTS = 4_000_000
"""The standard parser tries each line against each open multipart; a mail that needs more tries is not taken apart."""
_PARTS = 10_000
"""Lines that begin with two hyphens, each of which may begin a part. A mail with more is not taken apart."""
_REPORT_LINES = 50_000
"""Lines of a mail with a delivery status in it: each blank one may begin a block."""


class CappedPolicy(Compat32):
    """compat32 with header fields unfolded (a boundary may be wrapped, too) and cut to a length.

    So no reader of them can be slow, at any depth of MIME.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, _, value = sourcelines[0].partition(":")
        value = value[: FIELD_LIMIT + 1000].lstrip(" \t")
        if len(sourcelines) > 1:
            value += "".join([line[: FIELD_LIMIT + 1000] for line in sourcelines[1:2000]])
        if name[:8].lower() == "content-":  # read by the parser, which compares boundaries with what was sent
            return name, value.replace("\r", "").replace("\n", "")[:_BODY_FIELD_LIMIT]
        return name, header_text(value[: 2 * FIELD_LIMIT])[:FIELD_LIMIT]

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
        """The first field of that name. The standard library goes through all of them each time."""
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


def parse(data: bytes) -> tuple[Part, str]:
    """(mail, damage); a nested bomb is read as headers alone, with damage "nested". Never raises."""
    data = data.replace(b"\r\n", b"\n")
    # No mail server takes a bare CR for the end of a line: a header behind one was never checked by ours.
    data = data.replace(b"\r", b"\v" if b"\n" in data else b"\n")
    if _harmless(data):
        try:
            return _parsed(data), ""
        except RecursionError:
            pass
    return _parsed(data.partition(b"\n\n")[0] + b"\n\n", headers_only=True), "nested"


def _parsed(data: bytes, headers_only: bool = False) -> Part:
    parser = FeedParser(Part, policy=_POLICY)
    if headers_only:
        parser._set_headersonly()  # type: ignore[attr-defined]  # as the library's own BytesHeaderParser does
    parser.feed(data.decode("ascii", "surrogateescape"))
    return cast(Part, parser.close())


def _harmless(data: bytes) -> bool:
    """Whether the standard parser, which takes its time for some mails, is done with this one soon."""
    lines = data.count(b"\n")
    if lines < 1000:
        return True
    lowered = data.lower()
    return (
        lowered.count(b"boundary") * lines <= _BOUNDARY_TESTS
        and data.count(b"\n--") <= _PARTS
        and (lines <= _REPORT_LINES or b"delivery-status" not in lowered)
    )
