"""What an SMTP server's answer, or its silence, means: for one mail, for its recipient, and for the others.

Only what is said of a recipient is a recipient's fault. All else that our own server refuses for good, it refuses
*us* (login, sender, relaying, policy, its own state) or this mail; then nothing is wrong with anybody's address."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from moderator.common.mails import LOOK_AT, SIZE_STATUSES, Sent
from moderator.mail.network import describe_login_settings, format_server_words
from moderator.mail.settings import SmtpSettings

Stage = Literal["mail", "rcpt", "data", "other"]
"""What was answered: the sender, the recipient, the mail itself, anything else."""
_AUTH_CODES = (530, 534, 535, 538)
_STATUS = re.compile(r"(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
"""Enhanced status (RFC 3463), wherever it stands: qmail writes it behind its words."""
_MAILBOX = range(550, 554)
_TOO_MUCH = re.compile(r"too (?:many|much|fast|often)|rate|limit|quota|throttl|exceed", re.IGNORECASE)
_OF_SENDER = re.compile(
    r"\bsender|send[- ]?as|send on behalf|outbound|envelope from|return[- ]path|\brelay(?:ing|ed)?\b(?! recipient)",
    re.IGNORECASE,
)
"""Words of the sender or of relaying: they are about us, whatever code is before them."""
_OF_US = re.compile(
    r"authent|log ?in|\b(?:he|eh)lo\b|client|rcpthosts|your (?:host|ip|domain|server|network|isp|provider|connection)"
    r"|\bip\b|black|block|spam|policy|policies|prohibit|too many|(?:sending|daily|hourly|rate) (?:\w+ )?(?:limit|quota)"
    r"|reputation|\b(?:spf|dkim|dmarc|ptr|rdns)\b|reverse dns|banned|^access denied|\btls\b|encrypt",
    re.IGNORECASE,
)
"""The same of an answer without a status of its own."""
_SIZE = re.compile(
    r"(?:message|mail|e-mail|data)\b.{0,40}\b(?:too (?:large|big|long)|size|length)"
    r"|size .{0,30}(?:limit|exceed|maximum)|too (?:large|big)\b.{0,20}(?:message|mail)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"<[^<>]*>|\S+@\S+|\S*\d\S{7,}")
"""What differs between answers of the same meaning: addresses, numbers of the queue."""


@dataclass(frozen=True)
class Fate:
    """The result for a mail, and its consequence for the connection and the run."""

    sent: Sent
    alive: bool = True
    """The connection can take another mail."""
    halt: bool = False
    """No other mail should be tried in this run."""
    too_large: bool = False
    """A smaller mail might be taken."""
    by_server: bool = True
    """The server itself has said so."""


def classify_answer(row: int, code: int, words: str, stage: Stage = "other") -> Fate:
    """Classify the server's answer with ``code`` and ``words`` at ``stage``."""
    answer = format_server_words(f"{code} {words}")
    found = _STATUS.search(words)
    status = (int(found[2]), int(found[3])) if found and (found[2], found[3]) != ("0", "0") else None
    if 200 <= code < 300:
        return Fate(Sent(row, "sent", answer))
    if code in _AUTH_CODES:
        return Fate(Sent(row, "auth", answer), alive=False, halt=True)
    if 500 <= code < 600:
        if status == (4, 5):  # mail system congestion: Gmail's answer to more mails than it takes in a day
            return Fate(Sent(row, "retry", answer, of_us=True), halt=True)
        if _is_too_large(code, status, words, stage):
            return Fate(Sent(row, "refused", answer), too_large=True)
        if _is_about_recipient(code, status, words, stage):
            return Fate(Sent(row, "dead", answer))
        return Fate(Sent(row, "refused", answer), halt=stage == "mail")
    # 4xx; and codes that do not exist: aiosmtplib reports an answer that cannot be read as -1.
    busy = code == 421 or _is_throttled(status, words, stage)
    of_us = busy or stage in ("mail", "other") or (status is not None and status[0] == 3)
    return Fate(Sent(row, "retry", answer, of_us=of_us), alive=400 <= code < 500 and code != 421, halt=busy)


def _is_too_large(code: int, status: tuple[int, int] | None, words: str, stage: Stage) -> bool:
    if status is not None:
        return status in SIZE_STATUSES
    return bool(_SIZE.search(_ADDRESS.sub("", words))) or (code == 552 and stage != "rcpt")


def _is_about_recipient(code: int, status: tuple[int, int] | None, words: str, stage: Stage) -> bool:
    plain = _ADDRESS.sub("", words)
    if stage == "mail" or _OF_SENDER.search(plain):
        return False
    if status is not None:
        return status[0] in (1, 2) and status not in ((1, 7), (1, 8))  # those two are of the sender's address
    return stage == "rcpt" and code in _MAILBOX and not _OF_US.search(plain.strip(" :;,.-"))


def _is_throttled(status: tuple[int, int] | None, words: str, stage: Stage) -> bool:
    """Return whether the server wants less of us for now, so that the other mails had better wait as well.

    Said of the sender, or before a mail, any policy is about us; said of a recipient it is about that one (greylisting,
    a full mailbox); at the end of a mail it may be either, and the words decide."""
    if status is None or status[0] != 7:
        return False
    return stage in ("mail", "other") or (stage == "data" and bool(_TOO_MUCH.search(words)))


def normalize_answer(answer: str) -> str:
    """Return an answer without what differs from mail to mail."""
    return " ".join(_ADDRESS.sub("", answer).split()).lower()


def add_setting_hint(smtp: SmtpSettings, sent: Sent) -> Sent:
    """Add the setting that the operator looks at to the result of a mail that was refused for our sake."""
    return Sent(sent.row, sent.result, f"{sent.answer.rstrip('.')}{LOOK_AT}{_describe_setting(smtp, sent)}.")


def _describe_setting(smtp: SmtpSettings, sent: Sent) -> str:
    if sent.result == "auth":
        return describe_login_settings("smtp", smtp)
    found = _OF_SENDER.search(_ADDRESS.sub("", sent.answer))
    if found and found[0].lower().startswith("relay"):
        need = "" if smtp.user else ": without a login it takes mails for its own addresses only"
        return f"{describe_login_settings('smtp', smtp)}{need}"
    if found:
        return "[mail] address and [smtp] user: the server must let this user send as that address"
    return "[smtp] host and user, and ask the provider what it has against these mails"


def classify_failure(row: int, error: BaseException) -> Fate:
    """Classify ``error``, thrown by aiosmtplib during a mail. Unknown errors are thrown again."""
    from aiosmtplib import errors

    stages: tuple[tuple[type[Exception], Stage], ...] = (
        (errors.SMTPSenderRefused, "mail"),
        (errors.SMTPRecipientRefused, "rcpt"),
        (errors.SMTPDataError, "data"),
    )
    for kind, stage in stages:
        if isinstance(error, kind) and isinstance(error, errors.SMTPResponseException):
            return classify_answer(row, error.code, error.message, stage)
    if isinstance(error, errors.SMTPResponseException):
        return classify_answer(row, error.code, error.message)
    if isinstance(error, OSError | TimeoutError | EOFError | errors.SMTPException):
        # Lost or silent. Also after the final dot, when the mail may have arrived: it is sent again with the
        # same Message-ID, because a mail twice is better than none (RFC 1047).
        return Fate(Sent(row, "retry", format_server_words(error) or type(error).__name__, of_us=True), alive=False)
    if isinstance(error, ValueError):
        return Fate(Sent(row, "dead", format_server_words(f"The address cannot be used: {error}")), by_server=False)
    raise error
