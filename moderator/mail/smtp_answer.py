"""What an SMTP server's answer, or its silence, means for one mail."""

from __future__ import annotations

import re
from dataclasses import dataclass

from moderator.mail.model import Sent
from moderator.mail.network import one_line

_AUTH_CODES = (530, 534, 535, 538)
_PAUSE = re.compile(r"^4\.7\.\d")
"""Enhanced status "security or policy": we send too much, or the account is limited (RFC 3463)."""


@dataclass(frozen=True)
class Fate:
    """What became of a mail, and what it means for the connection and the run."""

    sent: Sent
    alive: bool = True
    """The connection can take another mail."""
    halt: bool = False
    """No other mail should be tried in this run."""


def answered(row: int, code: int, words: str) -> Fate:
    """The server answered with ``code`` and ``words``."""
    answer = one_line(f"{code} {words}")
    if 200 <= code < 300:
        return Fate(Sent(row, "sent", answer))
    if code in _AUTH_CODES:
        return Fate(Sent(row, "auth", answer), alive=False, halt=True)
    if 500 <= code < 600:
        return Fate(Sent(row, "dead", answer))
    # 4xx; and codes that do not exist: aiosmtplib reports an answer that cannot be read as -1.
    busy = code == 421 or bool(_PAUSE.match(words))
    return Fate(Sent(row, "retry", answer), alive=400 <= code < 500 and code != 421, halt=busy)


def failed(row: int, error: BaseException) -> Fate:
    """What ``error``, thrown by aiosmtplib during a mail, means. Unknown errors are thrown again."""
    from aiosmtplib import errors

    if isinstance(error, errors.SMTPRecipientRefused | errors.SMTPSenderRefused | errors.SMTPDataError):
        return answered(row, error.code, error.message)
    if isinstance(error, errors.SMTPRecipientsRefused) and error.recipients:
        # Only from sendmail(); it is no SMTPResponseException, so it needs a line of its own.
        return answered(row, error.recipients[0].code, error.recipients[0].message)
    if isinstance(error, errors.SMTPResponseException):
        return answered(row, error.code, error.message)
    if isinstance(error, OSError | TimeoutError | EOFError | errors.SMTPException):
        # Lost or silent. Also after the final dot, when the mail may have arrived: it is sent again with the
        # same Message-ID, because a mail twice is better than none (RFC 1047).
        return Fate(Sent(row, "retry", one_line(error) or type(error).__name__), alive=False)
    if isinstance(error, ValueError):
        return Fate(Sent(row, "dead", one_line(f"The address cannot be used: {error}")))
    raise error
