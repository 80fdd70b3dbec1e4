"""Bytes of a mail to an ``ParsedMail``. Whatever the bytes are, there is an answer, and it comes soon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from moderator.common.mails import Line, ParsedMail, UnreadPart, UnreadReason
from moderator.mail.bounces import find_machine_mark, parse_bounce
from moderator.mail.clean import (
    clean_to_one_line,
    decode_header_words,
    get_field_text,
    get_raw_field,
    list_raw_fields,
    parse_addresses,
    parse_message_ids,
    single_sender,
)
from moderator.mail.mime import (
    TEXT_TYPES,
    Part,
    decode_part_bytes,
    decode_part_text,
    extract_body_lines,
    get_parameter,
    is_attached,
    is_named_file,
    parse_mime,
)
from moderator.mail.reply import BELOW_MARKER, Kind, cut_quotes

_RECIPIENT_FIELDS = ("To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "X-Forwarded-To")
_MOST = 200
"""Recipients and ids that are kept."""


def parse_mail_bytes(data: bytes, *, full: bool = True, own: str = "") -> ParsedMail:
    """Parse one mail. Never raises. ``own``: the club's address.

    With ``full=False`` the bytes are only the beginning of the mail: headers and delivery report are read, the text is
    not. ``damaged`` names what could not be read, and ``ignored`` counts it as "unparsable" or "truncated"."""
    message, damaged = parse_mime(data)
    reason, header = find_machine_mark(message, own)
    bounce = parse_bounce(message, reason) if damaged != "nested" else None
    lines: list[Line] = []
    ignored: dict[str, int] = {"unparsable": 1} if damaged else {}
    if not full:
        damaged, ignored = damaged or "truncated", {"truncated": 1}
    elif not damaged:
        source, damaged, beyond = extract_body_lines(message)
        source, hidden = drop_ciphertext(source)
        lines, ignored = cut_quotes(source)
        if hidden:
            ignored["encrypted"] = hidden
        if beyond:
            ignored["too-long"] = ignored.get("too-long", 0) + beyond
    name, sender = single_sender(message)
    left = list_unread_parts(message, bool(lines) or not full, ignored) if damaged in ("", "truncated") else ()
    ignored.pop(BELOW_MARKER, None)  # counted as quotes, too
    return ParsedMail(
        message_id=_find_own_id(message),
        sender=sender,
        sender_name=name,
        recipients=_list_recipients(message),
        subject=get_field_text(message, "Subject"),
        in_reply_to=_list_references(message),
        authentication=tuple(list_raw_fields(message, "Authentication-Results")[:_MOST]),
        machine=reason or ("bounce" if bounce else ""),
        lines=tuple(lines),
        ignored=ignored,
        machine_header=header,
        bounce=bounce,
        damaged=damaged,
        unopened=left,
    )


def _find_own_id(message: Part) -> str:
    raw = get_raw_field(message, "Message-ID").strip()
    if found := parse_message_ids(raw):
        return found[0]
    return f"<{raw}>" if raw and len(raw) < 990 and raw.isascii() and not set(raw) & set("<> \t\r\n") else ""


def _list_references(message: Part) -> tuple[str, ...]:
    found = parse_message_ids(
        " ".join([*list_raw_fields(message, "In-Reply-To"), *list_raw_fields(message, "References")])
    )
    return tuple(found[:_MOST])


def _list_recipients(message: Part) -> tuple[str, ...]:
    """List the recipients as bare addresses, case unchanged, each once."""
    found: dict[str, str] = {}
    for field in _RECIPIENT_FIELDS:
        for raw in list_raw_fields(message, field)[:20]:
            for _, address in parse_addresses(raw):
                if address:
                    found.setdefault(address.lower(), address)
    return tuple(found.values())[:_MOST]


# ---- what a mail holds besides the text that is read, so that its writer can be told: nobody guesses it ----
# A typed value for each sort (``UnreadReason``). What comes with many mails by itself is none: signatures of PGP and
# S/MIME, keys, business cards, invitations, the logo below a letter.


OWN_FILE = "application/vnd.moderator.turn+json"
"""What our mails carry (docs/build/turn.md). Some programs send it back with an answer; alone it is no order."""
_MOST_LEFT = 10
"""Things that are named."""
_NAME = 80
"""Characters of a file's name."""
_LOGO = 20_000
"""Bytes. A picture that is part of the HTML and smaller belongs to a signature; a photo or a screenshot is larger."""
_PARTS = 200
"""Parts that are looked at."""
_BEGIN = re.compile(r"\s*-----BEGIN PGP (MESSAGE(?:, PART [\d/]+)?|PUBLIC KEY BLOCK)-----\s*\Z")
_END = re.compile(r"\s*-----END PGP (?:MESSAGE(?:, PART [\d/]+)?|PUBLIC KEY BLOCK)-----\s*\Z")
_BY_ITSELF = re.compile(
    r"application/(?:(?:x-)?pkcs7-signature|pgp-signature|pgp-keys|pkix-\w+|x-x509-\S+|ics)"
    r"|text/(?:(?:x-)?vcard|directory|calendar|x-amp-html|css|rfc822-headers)"
    r"|message/(?!rfc822|global\Z|news|external|partial)\S*"
)
"""Content types that mail programs add without being asked."""
_NAMED_BY_ITSELF = re.compile(r".*\.(?:p7s|p7c|vcf|ics|sig)\Z|ATT\d+\.(?:txt|html?)\Z", re.IGNORECASE)
_SHOWS = re.compile(r"<(?:img|svg|object|embed|iframe|canvas|input|textarea|picture)\b")
_TAG = re.compile(r"<[^<>]*>|&\w{1,30};")
_NEVER_SHOWN = (("<!--", "-->"), ("<style", "</style"), ("<title", "</title"))
_HTML = 200_000
"""Characters of HTML that are looked through for something to be seen."""


def list_unread_parts(message: Part, has_text: bool, ignored: Mapping[str, int]) -> tuple[UnreadPart, ...]:
    """List the parts that were not read, each once. Without text there is always something: at least that the mail is
    empty."""
    found = [UnreadPart(UnreadReason.PGP)] if ignored.get("encrypted") else []
    html: list[Part] = []
    text_before = False
    for part, root in _iter_leaf_parts(message):
        if _is_read_as_text(part, text_before):
            text_before = text_before or (part.get_content_type() == "text/plain" and bool(part.raw))
            html += [part] if part.get_content_type() == "text/html" else []
        elif (kind := _classify_part(part)) and not (has_text and _is_minor(part, root)):
            found.append(UnreadPart(kind, _describe_part(part) if kind in _FILES else ""))
    if not found and not has_text:
        return (UnreadPart(_explain_empty(ignored, html)),)
    return tuple(dict.fromkeys(found))[:_MOST_LEFT]


def _explain_empty(ignored: Mapping[str, int], html: Sequence[Part]) -> UnreadReason:
    if ignored.get(BELOW_MARKER):
        return UnreadReason.BELOW
    if any(ignored.values()):
        return UnreadReason.QUOTED
    return UnreadReason.HTML if _has_unseen_content(html) else UnreadReason.EMPTY


_FILES = frozenset({UnreadReason.PICTURE, UnreadReason.RECORDING, UnreadReason.MAIL, UnreadReason.FILE})
"""Sorts that have a name of their own."""


def drop_ciphertext(source: Sequence[tuple[str, Kind]]) -> tuple[list[tuple[str, Kind]], int]:
    """Return (the lines without blocks of PGP, number of lines of encrypted text).

    A block that does not end goes on to the end of the mail; one in a quote belongs to the quote."""
    kept: list[tuple[str, Kind]] = []
    block, hidden = "", 0
    for text, kind in source:
        begins = _BEGIN.match(text) if not block and not kind and "PGP" in text else None
        block = begins[1] if begins else block
        if not block:
            kept.append((text, kind))
            continue
        hidden += block.startswith("MESSAGE")
        if _END.match(text):
            block = ""
    return kept, hidden


def _iter_leaf_parts(message: Part) -> Iterator[tuple[Part, Part]]:
    """Yield (part, the multipart that it lies in) of all parts that are no multiparts, attached ones, too; a multipart
    that is encrypted counts as one part. The parts of attached mails are left out."""
    waiting, seen = [(message, message)], 0
    while waiting and seen < _PARTS:
        part, root = waiting.pop()
        seen += 1
        inside = part.children if part.get_content_maintype() == "multipart" else []
        if inside and part.get_content_type() != "multipart/encrypted":
            waiting.extend((child, part) for child in reversed(inside))
        else:
            yield part, root


def _is_read_as_text(part: Part, text_before: bool) -> bool:
    """Return whether ``extract_body_lines`` takes the part for text. A part with a file's name is a file behind other
    text."""
    if part.get_content_type() not in TEXT_TYPES or is_attached(part):
        return False
    plain_or_html = part.get_content_type() in ("text/plain", "text/html")
    return not (text_before and (is_named_file(part) or not plain_or_html))


def _classify_part(part: Part) -> UnreadReason | None:
    """Classify a part that is not read; None = a program has added it unasked."""
    sort, main, name = part.get_content_type(), part.get_content_maintype(), _find_file_name(part).lower()
    if sort in ("multipart/encrypted", "application/pgp-encrypted") or name.endswith((".pgp", ".gpg", "encrypted.asc")):
        return UnreadReason.SMIME if "pkcs7" in get_parameter(part, "protocol") else UnreadReason.PGP
    if sort in ("application/pkcs7-mime", "application/x-pkcs7-mime") or name.endswith(".p7m"):
        return None if get_parameter(part, "smime-type") == "certs-only" else UnreadReason.SMIME
    if "rpmsg" in sort or name.endswith(".rpmsg"):
        return UnreadReason.RIGHTS
    if sort in ("application/ms-tnef", "application/vnd.ms-tnef") or name == "winmail.dat":
        return UnreadReason.OUTLOOK
    if main == "multipart" or _BY_ITSELF.match(sort) or _NAMED_BY_ITSELF.match(name):
        return None
    if main == "message":
        return UnreadReason.MAIL
    return {"image": UnreadReason.PICTURE, "audio": UnreadReason.RECORDING, "video": UnreadReason.RECORDING}.get(
        main, UnreadReason.FILE
    )


def _is_minor(part: Part, root: Part) -> bool:
    """Return whether, beside a text, nobody has attached the part on purpose: another form of the text, a logo in the
    HTML, the file that our own mail brought."""
    if root.get_content_type() == "multipart/alternative" and part.get_content_maintype() == "text":
        return True
    if part.get_content_type() == OWN_FILE:
        return True
    shown = root.get_content_type() == "multipart/related" or bool(get_raw_field(part, "Content-ID").strip())
    return shown and part.get_content_maintype() == "image" and len(decode_part_bytes(part)) <= _LOGO


def _find_file_name(part: Part) -> str:
    """Find the name that the sender gave the file, on one line; "" without one."""
    try:
        name = part.get_filename("") or ""
    except (ValueError, TypeError, LookupError):  # e.g. an RFC 2231 parameter with a broken number
        name = ""
    return clean_to_one_line(decode_header_words(str(name)[: 8 * _NAME]), _NAME).strip("'\" ")


def _describe_part(part: Part) -> str:
    if part.get_content_type() == "message/rfc822" and not _find_file_name(part):
        inner = part.children[:1]
        return (
            clean_to_one_line(decode_header_words(get_raw_field(inner[0], "Subject")[: 8 * _NAME]), _NAME)
            if inner
            else ""
        )
    return _find_file_name(part) or part.get_content_type()


def _has_unseen_content(html: Sequence[Part]) -> bool:
    """Return whether there is something in the HTML, of which no text was left."""
    for part in html:
        source = decode_part_text(part)[:_HTML].lower()
        for begin, end in _NEVER_SHOWN:
            first, *others = source.split(begin)
            source = first + "".join(other.partition(end)[2] for other in others)
        if _SHOWS.search(source) or re.search(r"\w", _TAG.sub(" ", source)):
            return True
    return False
