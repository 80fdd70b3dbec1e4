"""The MIME tree of a mail from outside, as the standard parser gives it but without its traps.

``get_payload`` of the standard library decodes 8-bit text by the declared charset, losing what does not fit and
failing on odd labels; a ``Part`` keeps what was sent. Header fields are unfolded and cut, see ``CappedPolicy``.
"""

from __future__ import annotations

import email.message
from email.parser import BytesHeaderParser, BytesParser
from email.policy import Compat32
from typing import Any, cast

FIELD_LIMIT = 16_000
"""Characters of a header field that are read at all."""
_BODY_FIELD_LIMIT = 4_000
"""The same for Content-*: their parameters are read by the standard library in quadratic time."""
_BOUNDARY_TESTS = 10_000_000
"""The standard parser tries each line against each open multipart; a mail that needs more tries is not taken apart."""


class CappedPolicy(Compat32):
    """compat32 with header fields unfolded (a boundary may be wrapped, too) and cut to a length.

    So no reader of them can be slow, at any depth of MIME.
    """

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse([line[: FIELD_LIMIT + 1000] for line in sourcelines[:2000]])
        limit = _BODY_FIELD_LIMIT if name[:8].lower() == "content-" else FIELD_LIMIT
        return name, value.replace("\r", "").replace("\n", "")[:limit]

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value


class Part(email.message.Message):
    """A mail or a part of one. ``raw`` is a leaf's content before any decoding, 8-bit bytes as surrogates."""

    raw: str = ""

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
    if data.lower().count(b"boundary") * data.count(b"\n") <= _BOUNDARY_TESTS:
        try:
            return cast(Part, BytesParser(Part, policy=_POLICY).parsebytes(data)), ""
        except RecursionError:
            pass
    head = data.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    return cast(Part, BytesHeaderParser(Part, policy=_POLICY).parsebytes(head + b"\n\n")), "nested"
