"""What an SMTP server's answer, or its silence, means for one mail."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from moderator.mail.model import Sent
from moderator.mail.network import one_line

_AUTH_CODES = (530, 534, 535, 538)
Stage = Literal["mail", "rcpt", "data", "other"]
"""What was answered: the sender, the recipient, the mail itself, anything else."""
_POLICY = re.compile(r"^4\.7\.\d")
"""Enhanced status "security or policy" (RFC 3463)."""
_TOO_MUCH = re.compile(r"too (?:many|much|fast|often)|rate|limit|quota|throttl|exceed", re.IGNORECASE)


@dataclass(frozen=True)
class Fate:
    """What became of a mail, and what it means for the connection and the run."""

    sent: Sent
    alive: bool = True
    """The connection can take another mail."""
    halt: bool = False
    """No other mail should be tried in this run."""


def answered(row: int, code: int, words: str, stage: Stage = "other") -> Fate:
    """The server answered with ``code`` and ``words`` at ``stage``."""
    answer = one_line(f"{code} {words}")
    if 200 <= code < 300:
        return Fate(Sent(row, "sent", answer))
    if code in _AUTH_CODES:
        return Fate(Sent(row, "auth", answer), alive=False, halt=True)
    if 500 <= code < 600:
        return Fate(Sent(row, "dead", answer))
    # 4xx; and codes that do not exist: aiosmtplib reports an answer that cannot be read as -1.
    busy = code == 421 or _about_us(words, stage)
    return Fate(Sent(row, "retry", answer), alive=400 <= code < 500 and code != 421, halt=busy)


def _about_us(words: str, stage: Stage) -> bool:
    """Whether the server wants less of us for now, so that the other mails had better wait as well. Said of the sender,
    or before a mail, any policy is about us; said of a recipient it is about that one (greylisting, a full mailbox); at
    the end of a mail it may be either, and the words decide."""
    if not _POLICY.match(words):
        return False
    return stage in ("mail", "other") or (stage == "data" and bool(_TOO_MUCH.search(words)))


def failed(row: int, error: BaseException) -> Fate:
    """What ``error``, thrown by aiosmtplib during a mail, means. Unknown errors are thrown again."""
    from aiosmtplib import errors

    stages: tuple[tuple[type[Exception], Stage], ...] = (
        (errors.SMTPSenderRefused, "mail"),
        (errors.SMTPRecipientRefused, "rcpt"),
        (errors.SMTPDataError, "data"),
    )
    for kind, stage in stages:
        if isinstance(error, kind) and isinstance(error, errors.SMTPResponseException):
            return answered(row, error.code, error.message, stage)
    if isinstance(error, errors.SMTPResponseException):
        return answered(row, error.code, error.message)
    if isinstance(error, OSError | TimeoutError | EOFError | errors.SMTPException):
        # Lost or silent. Also after the final dot, when the mail may have arrived: it is sent again with the
        # same Message-ID, because a mail twice is better than none (RFC 1047).
        return Fate(Sent(row, "retry", one_line(error) or type(error).__name__), alive=False)
    if isinstance(error, ValueError):
        return Fate(Sent(row, "dead", one_line(f"The address cannot be used: {error}")))
    raise error
