"""Bytes of a mail to an ``Incoming``. Whatever the bytes are, there is an answer, and it comes soon."""

from __future__ import annotations

from moderator.mail.body import body_lines
from moderator.mail.bounce import machine_mark, read_bounce
from moderator.mail.fields import addresses, field_text, message_ids, raw_field, raw_fields, the_sender
from moderator.mail.model import Incoming, Line
from moderator.mail.parts import Part, parse
from moderator.mail.reply import cut
from moderator.mail.unopened import unopened, without_ciphertext

_RECIPIENT_FIELDS = ("To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "X-Forwarded-To")
_MOST = 200
"""Recipients and ids that are kept."""


def read_mail(data: bytes, *, full: bool = True) -> Incoming:
    """Read one mail. Never raises.

    With ``full=False`` the bytes are only the beginning of the mail: headers and delivery report are
    read, the text is not. What could not be read is told by ``damaged``, and counted in ``ignored`` as "unparsable"
    or "truncated".
    """
    message, damaged = parse(data)
    reason, header = machine_mark(message)
    bounce = read_bounce(message, reason) if damaged != "nested" else None
    lines: list[Line] = []
    ignored: dict[str, int] = {"unparsable": 1} if damaged else {}
    if not full:
        damaged, ignored = damaged or "truncated", {"truncated": 1}
    elif not damaged:
        source, damaged, beyond = body_lines(message)
        source, hidden = without_ciphertext(source)
        lines, ignored = cut(source)
        if hidden:
            ignored["encrypted"] = hidden
        if beyond:
            ignored["too-long"] = ignored.get("too-long", 0) + beyond
    name, sender = the_sender(message)
    return Incoming(
        message_id=_own_id(message),
        sender=sender,
        sender_name=name,
        recipients=_recipients(message),
        subject=field_text(message, "Subject"),
        in_reply_to=_references(message),
        authentication=tuple(raw_fields(message, "Authentication-Results")[:_MOST]),
        machine=reason or ("bounce" if bounce else ""),
        lines=tuple(lines),
        ignored=ignored,
        machine_header=header,
        bounce=bounce,
        damaged=damaged,
        unopened=unopened(message, bool(lines) or not full, ignored) if damaged in ("", "truncated") else (),
    )


def _own_id(message: Part) -> str:
    raw = raw_field(message, "Message-ID").strip()
    if found := message_ids(raw):
        return found[0]
    return f"<{raw}>" if raw and len(raw) < 990 and raw.isascii() and not set(raw) & set("<> \t\r\n") else ""


def _references(message: Part) -> tuple[str, ...]:
    found = message_ids(" ".join([*raw_fields(message, "In-Reply-To"), *raw_fields(message, "References")]))
    return tuple(found[:_MOST])


def _recipients(message: Part) -> tuple[str, ...]:
    """Bare addresses, case kept, each once."""
    found: dict[str, str] = {}
    for field in _RECIPIENT_FIELDS:
        for raw in raw_fields(message, field)[:20]:
            for _, address in addresses(raw):
                if address:
                    found.setdefault(address.lower(), address)
    return tuple(found.values())[:_MOST]
