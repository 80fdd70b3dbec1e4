"""Mails that were filed away, taken in once more: after a restore, or when something went wrong."""

from __future__ import annotations

from datetime import datetime, timedelta

from moderator.config import Config
from moderator.mail.open import open_mailbox

MARGIN = timedelta(days=1)
"""Clocks of mail servers differ, and a mail that is known already does no harm."""


def bring_back(config: Config, since: datetime) -> int:
    """Move mails that came at ``since`` or later from the folders of read mails back into the inbox; returns how many.
    The caller holds the tick's lock. Raises OperatorError, TransientError."""
    box = open_mailbox(config)
    try:
        return box.bring_back(since)
    finally:
        box.close()
