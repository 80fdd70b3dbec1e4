"""Delivery reports: which address failed, for how long, and which of our mails it was.

First the standard form (RFC 3464, message/delivery-status), then what mail servers write in their own words:
flufl.bounce knows whose address failed in most of their forms, the wording below whether for good.
"""

from __future__ import annotations

import email.message
import logging
import re
from collections.abc import Iterator

from moderator.common.mails import Bounce
from moderator.mail.clean import (
    clean_mail_text,
    get_field_text,
    get_raw_field,
    is_mail_address,
    list_raw_fields,
    parse_addresses,
    parse_message_ids,
    single_sender,
)
from moderator.mail.mime import Part, decode_part_text

_SCAN = 60_000
"""Characters of text in which words and addresses are looked for."""
_PARTS = 60
_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_TEXT_STATUS = re.compile(r"(?<![\d.])([45]\.\d\.\d{1,3})(?![\d.])")
_SMTP_STATUS = re.compile(r"(?<![\d.])[45]\d\d[ -][#(]?([45]\.\d{1,3}\.\d{1,3})(?![\d.])")
_SMTP_CODE = re.compile(r"(?<![\d.])([45])\d\d[ -](?=\D)")
_ID_FIELD = re.compile(
    r"^[> \t]{0,20}(?:X-)?(?:Original-)?Message-ID:\s{0,9}(<[^<>\s]{1,990}>)", re.IGNORECASE | re.MULTILINE
)
_WORDS = (
    (
        "5.1.1",
        r"user unknown|unknown user|no such (?:user|person|recipient|address|account|mailbox|local user)"
        r"|(?:user|account|mailbox|address|recipient|adresse|empfänger)\b.{0,80}(?:not found|unknown|unbekannt"
        r"|does not exist|doesn't exist|nicht gefunden|existiert nicht|invalid|ungültig|nicht bekannt|not known)"
        r"|doesn't have an? .{0,40}account|mailbox unavailable|unrouteable address|no mailbox here"
        r"|not listed in|isn't in my|unbekannter (?:nutzer|empfänger|benutzer)"
        r"|(?:account|user) (?:is |has been )?(?:disabled|inactive)"
        r"|invalid (?:user address|recipient|address|mailbox)|can't create output"
        r"|リストにありません|宛先不明|存在しません|見つかりません",
    ),
    (
        "5.2.2",
        r"quota exceeded|over quota|mailbox (?:is )?full|full mailbox|postfach (?:ist )?voll|mailfolder is full"
        r"|exceeded storage|exceed\w* .{0,40}quota",
    ),
    ("5.1.2", r"host unknown|domain (?:not found|does not exist)|no such (?:host|domain)|could ?n.t find any host"),
    (
        "4.0.0",
        r"will (?:continue to )?(?:retry|try again|be retried)|delivery .{0,40}delayed|warning message only"
        r"|noch nicht zugestellt|temporarily|still being retried|do not need to resend",
    ),
    (
        "5.0.0",
        r"permanent|could not be delivered|undeliverable|unzustellbar|nicht zugestellt|gave up|giving up|rejected"
        r"|delivery .{0,40}failed|failed to deliver|unable to deliver|not be(?:en)? (?:able to be )?delivered",
    ),
)
"""What servers say instead of a status code, surest first."""
_COPY = re.compile(
    r"\n[-_ ]*(?:This is a copy of the|Below this line is a copy|Original message|Ursprüngliche Nachricht"
    r"|Included is a copy|Message header|Received: )"
)
"""Where the mail that came back begins."""
_PATTERNS = [(status, re.compile(words, re.IGNORECASE)) for status, words in _WORDS]
_NO_FAILURE = {"delivered", "relayed", "expanded"}
_ADDRESS = r"[\w.+=-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
_NAMED = re.compile(
    rf"^[ \t]{{0,12}}<?({_ADDRESS})>?[ \t]{{0,9}}(?:[:(][^\n]*)?$"
    rf"|\b(?:to|for|an|RCPT TO:|errors?:) <?({_ADDRESS})",
    re.MULTILINE,
)
"""An address on a line of its own, as Exim and the German providers print it, or where mail was going to."""
_NO_REPORT = frozenset({"", "report", "away"})
"""Why a mail may be no person's and yet never a delivery report: read receipts, notes of absence."""
_LINES = 20_000
"""Lines of a report, with all that is in it, that flufl.bounce is given: it tries many patterns on each."""


def parse_bounce(message: Part, reason: str) -> Bounce | None:
    """Parse a delivery report; None if the mail is none. ``reason``: the one that ``find_machine_mark`` gives.

    ``permanent`` is true for status 5.x.x only. ``original_ids`` are the Message-IDs of the mail that came back, as far
    as the report quotes it. Of other mails only those of machines are looked at, so a person who forwards a report
    sends none. Reads at most 60 parts."""
    parts = list(_iter_parts(message))
    for part in parts:
        if part.get_content_type() in ("message/delivery-status", "message/global-delivery-status"):
            return _parse_standard(message, parts, part)
    if reason in _NO_REPORT:
        return None
    temporary, permanent = _collect_library_failures(message)
    if reason != "bounce" and not (
        has_failure_subject(message) or temporary or permanent or _has_server_code(message, parts)
    ):
        return None
    return _parse_by_wording(message, parts, temporary, permanent)


def _has_server_code(message: Part, parts: list[Part]) -> bool:
    """Return whether a mail server itself repeats the answer of another, under whatever subject."""
    text = clean_mail_text("\n".join(_iter_texts(parts)))[:_SCAN] if is_from_mail_server(message) else ""
    return bool(_SMTP_STATUS.search(text) or _SMTP_CODE.search(text))


def _iter_parts(message: Part) -> Iterator[Part]:
    """Yield the mail's parts, outside in, without the insides of attached mails."""
    waiting = [message]
    for _ in range(_PARTS):
        if not waiting:
            return
        part = waiting.pop()
        yield part
        if part.get_content_maintype() == "multipart":
            waiting.extend(reversed(part.children[:_PARTS]))


def _parse_standard(message: Part, parts: list[Part], report: Part) -> Bounce:
    blocks = report.children[:200]
    failed = [b for b in blocks if get_raw_field(b, "Action").strip().lower() not in _NO_FAILURE and _find_recipient(b)]
    told = failed or [b for b in blocks if _find_recipient(b)] or blocks
    status = max((_find_block_status(block) for block in told), default="")
    found = dict.fromkeys(filter(None, (_find_recipient(block) for block in failed)))
    return Bounce(status, status.startswith("5"), tuple(found)[:50], _collect_original_ids(message, parts))


def _find_block_status(block: Part) -> str:
    """Find the status of one recipient; where the report has none, that of the server's words."""
    for name in ("Status", "Diagnostic-Code"):
        if match := _STATUS.search(get_raw_field(block, name)):
            return match[0]
    if match := _SMTP_CODE.search(get_raw_field(block, "Diagnostic-Code")):
        return f"{match[1]}.0.0"
    return {"failed": "5.0.0", "delayed": "4.0.0"}.get(get_raw_field(block, "Action").strip().lower(), "")


def _find_recipient(block: Part) -> str:
    for name in ("Original-Recipient", "Final-Recipient"):
        value = get_raw_field(block, name)
        text = (value.partition(";")[2] or value).strip()
        if found := [address for _, address in parse_addresses(text) if address]:
            return found[0].lower()
    return ""


def _collect_library_failures(message: Part) -> tuple[set[str], set[str]]:
    """Collect the addresses that failed for a while and for good, as flufl.bounce reads the report."""
    from flufl.bounce import all_failures

    logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)
    try:
        if sum(part.raw.count("\n") for part in message.walk() if isinstance(part, Part)) > _LINES:
            return set(), set()
        found = all_failures(message)
    except Exception:  # its detectors trip over odd headers; then the report is read by its wording alone
        return set(), set()
    temporary, permanent = ({a.decode("ascii", "replace").lower() for a in some} for some in found)
    return {a for a in temporary if is_mail_address(a)}, {a for a in permanent if is_mail_address(a)}


def _parse_by_wording(message: Part, parts: list[Part], temporary: set[str], permanent: set[str]) -> Bounce:
    text = clean_mail_text("\n".join(_iter_texts(parts)))[:_SCAN]
    text = _COPY.split(text, maxsplit=1)[0]
    sender = get_raw_field(message, "To").lower()
    named = [
        address for _, address in parse_addresses(",".join(list_raw_fields(message, "X-Failed-Recipients"))) if address
    ]
    named += sorted(permanent or temporary)
    if not named:
        named = [first or second for first, second in _NAMED.findall(text)]
    found = dict.fromkeys(address.lower() for address in named if address.lower() not in sender)
    status = _find_status(text) or ("5.0.0" if permanent else "4.0.0" if temporary else "")
    lasting = status.startswith("5") and not (temporary and not permanent)
    return Bounce(status, lasting, tuple(found)[:50], _collect_original_ids(message, parts))


def _find_status(text: str) -> str:
    """Find an enhanced status code if one is there, else the meaning of the wording, else of an SMTP code."""
    if match := _SMTP_STATUS.search(text) or _TEXT_STATUS.search(text):
        return match[1]
    for status, pattern in _PATTERNS:
        if pattern.search(text):
            return status
    match = _SMTP_CODE.search(text)
    return f"{match[1]}.0.0" if match else ""


def _iter_texts(parts: list[Part]) -> Iterator[str]:
    for part in parts:
        if part.get_content_maintype() == "text" and part.get_content_type() != "text/rfc822-headers":
            text = decode_part_text(part)[:_SCAN]
            yield re.sub(r"<[/!a-zA-Z][^<>@]{0,300}>", "\n", text) if part.get_content_subtype() == "html" else text
        elif part.get_content_maintype() == "multipart" and not part.children:  # its boundary cannot be found
            yield part.raw[:_SCAN]


def _collect_original_ids(message: Part, parts: list[Part]) -> tuple[str, ...]:
    """Collect the Message-IDs in the report, the report's own left out; at most 20."""
    found: list[str] = []
    for part in parts:
        kind = part.get_content_type()
        if kind == "message/rfc822":
            for attached in part.children[:1]:
                found += parse_message_ids(get_raw_field(attached, "Message-ID"))
                found += _ID_FIELD.findall(clean_mail_text(attached.raw[:_SCAN]))
        elif kind.endswith("delivery-status"):
            for block in part.children[:200]:
                found += parse_message_ids(get_raw_field(block, "X-Original-Message-ID"))
                found += parse_message_ids(get_raw_field(block, "Original-Message-ID"))
        elif part.raw:
            found += _ID_FIELD.findall(clean_mail_text(decode_part_text(part)[:_SCAN]))
    for name in ("X-Original-Message-ID", "In-Reply-To", "References"):
        found += parse_message_ids(get_raw_field(message, name))
    own = parse_message_ids(get_raw_field(message, "Message-ID"))
    return tuple(dict.fromkeys(one for one in found if one not in own))[:20]


# ---- other mails of machines ----
#
# Was a mail written by a machine? Such mails are never answered (RFC 3834): no loops, no backscatter.


_DAEMON = re.compile(
    r"(?:mailer-?daemon|mail-?daemon|post_?master|mdaemon|daemon|majordomo|listserv|mailman|bounces?|no-?bounce"
    r"|(?:[\w.]*[._-])?(?:no|do-?not|kein|nicht|keine)[._-]?(?:reply|antwort|antworten|replies|respond|response)"
    r"|auto-?(?:reply|responder|respond|antwort)|root|cron|nobody|symantec_antivirus)"
    r"(?:[+._-][^@]*)?@|owner-[^@]+@|[^@]+-(?:bounces?|request|owner)(?:\+[^@]*)?@"
)
_SERVER = re.compile(r"(?:mailer-?daemon|mail-?daemon|post_?master)(?:@|$)")
"""A mail server itself; some write no domain."""
_NOBODY = re.compile(r"[^<>@]*<\s*>\s*")
"""In From, where a server has nothing but a null sender: ``MAILER-DAEMON <>``."""
_AWAY = re.compile(
    r"(?:\W{0,3}(?:"
    r"Abwesenheits(?:notiz|nachricht|meldung|assistent|info)|Automatische (?:Antwort|Rückantwort|Abwesenheit)\w*"
    r"|Auto(?:matisierte)?[- ]?Antwort|Autom\. Antwort|Automatisch generierte"
    r"|Out[- ]of[- ](?:the[- ])?Office|Auto(?:matic)?[- ]?(?:reply|response|responder)"
    r"|Vacation (?:reply|response)"
    r"|Away from (?:my|the) (?:mail|office|desk)|On vacation:"
    r"|Réponse automatique|Risposta automatica|Respuesta automática|Automatisch antwoord|Autosvar|Automaattinen vastaus"
    r")|AUTO:)",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\W{0,3}(?:Undeliver(?:able|ed)\b|Unzustellbar|Mail delivery (?:failed|failure|problem|subsystem)"
    r"|Delivery (?:failure|status notification|report|problem)|Delivery has failed|failure notice|Returned mail"
    r"|Mail System Error|(?:There was an )?Error (?:sending|delivering)|Mail failure"
    r"|(?:Postmaster\W{0,3})?E-?mail delivery failure"
    r"|メール(?:エラー|システムエラー)|メッセージを配信できません|配信不能|配送不能"
    r"|Nachricht (?:konnte nicht|nicht) zugestellt|Nicht zustellbar|Zustellung fehlgeschlagen|Warning: could not send"
    r"|Message status - undeliver|Non[- ]?delivery|Nondeliverable|Undelivery"
    r"|Mail (?:undeliverable|could not be delivered)"
    r"|Rejected mail|DELIVERY FAILURE|User unknown|Rücksendung|Unknown user)",
    re.IGNORECASE,
)
_AUTO_FIELDS = (
    "X-Autoreply", "X-Auto-Reply", "X-Autorespond", "X-Autoresponder", "X-AutoReply-From", "X-Mail-Autoreply",
    "X-Autogenerated", "X-Auto-Response", "X-Cron-Env", "X-Vacation", "X-Away",
)  # fmt: skip
_LIST_FIELDS = ("List-Id", "List-Unsubscribe", "List-Post", "List-Help", "List-Owner", "X-Mailing-List", "Mailing-List")
_PRECEDENCES = {"bulk": "bulk", "junk": "bulk", "list": "list", "auto_reply": "auto-reply", "auto-reply": "auto-reply"}


Mark = tuple[str, str]
"""Why a mail must not be answered, and the header that says so; both "" for a person's mail."""
_PERSON = ("", "")


def find_machine_mark(message: Part, own: str = "") -> Mark:
    """Find the reason why the mail is a machine's, and the header that says so; both "" for a person's mail. Never
    raises.

    Looks at headers and content types only. ``own``: the club's address; where it is a list, what comes through that
    list is no machine's for that.

    The reason is one of "bounce" (delivery report, failed recipients, its subject from a null sender), "null-sender",
    "report" (read receipt), "reaction", "calendar" (a click on a smiley, on an invitation), "auto-submitted",
    "auto-reply", "list", "bulk", "loop", "daemon" (mailer-daemon, postmaster, no-reply), "away" (an out-of-office
    subject). ``X-Auto-Response-Suppress`` is no mark: Exchange adds it to people's letters, too."""
    for found in (_find_mark_by_type(message), _find_mark_by_fields(message, own), _find_mark_by_words(message)):
        if found != _PERSON:
            return found
    return _PERSON


def _find_mark_by_type(message: Part) -> Mark:
    content = get_raw_field(message, "Content-Type").lower()
    if message.get_content_type() == "multipart/report":
        return "report" if "disposition-notification" in content else "bounce", "Content-Type"
    if content := _find_content_mark(message):
        return content, "Content-Type"
    if get_raw_field(message, "X-Failed-Recipients").strip():
        return "bounce", "X-Failed-Recipients"
    if any(value.split() == ["<>"] or not value.strip() for value in list_raw_fields(message, "Return-Path")):
        return "bounce" if has_failure_subject(message) else "null-sender", "Return-Path"
    if _NOBODY.fullmatch(get_raw_field(message, "From")):
        return "bounce" if has_failure_subject(message) else "null-sender", "From"
    return _PERSON


def _find_content_mark(message: Part) -> str:
    """Find "reaction" or "calendar", of a mail that a program made of a click; "" of any other."""
    for part in _iter_parts(message):
        if "reaction" in part.get_content_subtype():
            return "reaction"
        if part.get_content_type() == "text/calendar":
            method = get_raw_field(part, "Content-Type").lower() + part.raw[:2000].lower()
            if re.search(r"method\s*[=:]\s*\"?(?:reply|counter|refresh)", method):
                return "calendar"
    return ""


def _find_mark_by_fields(message: email.message.Message, own: str) -> Mark:
    for value in list_raw_fields(message, "Auto-Submitted"):
        word = value.partition(";")[0].partition("(")[0].strip().lower()
        if word and word != "no":
            return "auto-submitted", "Auto-Submitted"
    for name in _AUTO_FIELDS:
        if get_raw_field(message, name).strip() not in ("", "no"):
            return "auto-reply", name
    ours = own and is_own_list(message, own)
    for name in () if ours else _LIST_FIELDS:
        if get_raw_field(message, name).strip():
            return "list", name
    for name in ("Precedence", "X-Precedence"):
        for value in list_raw_fields(message, name):
            reason = _PRECEDENCES.get(value.strip().lower(), "")
            if reason and not (ours and reason in ("list", "bulk")):
                return reason, name
    looped = get_raw_field(message, "X-Loop").strip().lower() in ("yes", "true", "stop", "1")
    return ("loop", "X-Loop") if looped else _PERSON


def is_own_list(message: email.message.Message, own: str) -> bool:
    """Return whether the list that sends the mail on is the club's own address, as Google Groups and Mailman mark
    it."""
    address = own.lower()
    names = (
        rf"(?<![\w.+-]){re.escape(address)}(?![\w.-])",
        rf"(?<![\w.-]){re.escape(address.replace('@', '.'))}(?![\w.-])",
    )
    said = " ".join(get_raw_field(message, name).lower() for name in ("List-Id", "List-Post", "Mailing-List"))
    return any(re.search(name, said) for name in names)


def _find_mark_by_words(message: email.message.Message) -> Mark:
    """Find the mark by sender and subject. A subject counts from its beginning only: "Re: …" quotes somebody else's."""
    if _DAEMON.match(single_sender(message)[1]) or is_from_mail_server(message):
        return "bounce" if has_failure_subject(message) else "daemon", "From"
    return ("away", "Subject") if _AWAY.match(get_field_text(message, "Subject")) else _PERSON


def is_from_mail_server(message: email.message.Message) -> bool:
    """Return whether the mail says that a mail server itself has written it, not some program that wants no answers."""
    return _SERVER.match(single_sender(message)[1] or get_raw_field(message, "From").strip().lower()) is not None


def has_failure_subject(message: email.message.Message) -> bool:
    """Return whether the subject begins as those of delivery reports do."""
    return _FAILURE.match(get_field_text(message, "Subject")) is not None
