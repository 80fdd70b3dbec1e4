"""`moderator receive`: one mail from a pipe, e.g. from a delivery agent's "|moderator receive"."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from moderator.config import Config
from moderator.errors import TransientError
from moderator.mail.model import RawMail
from moderator.mail.open import open_sender
from moderator.run.intake import store_mails
from moderator.run.summary import Summary
from moderator.store.lock import only_one

HEAD = 64 * 1024


def receive(config: Config, data: bytes) -> Summary:
    """Keep the mail, handle it and send the answers. If a tick is at work, the mail is kept and that tick's
    successor handles it; the delivery agent is only told to try again when it could not be kept."""
    from moderator.club.live_match import RunCache
    from moderator.run import backlog
    from moderator.run.dispatch import send_due
    from moderator.run.handling import Handling
    from moderator.store.db import open_store

    def now() -> datetime:
        return datetime.now(UTC)

    summary = Summary()
    key = "pipe:" + hashlib.sha256(data).hexdigest()
    kept = data if len(data) <= config.mail.max_bytes else data[:HEAD]
    store = open_store(config.database)
    try:
        summary.taken = store_mails(store, [RawMail(key, kept, now(), len(data))], now())
        with only_one(config) as alone:
            if alone:
                cache = RunCache(config)
                backlog.begin(config, store, cache, summary)
                Handling(config, store, cache, now, summary).rest()
                with store.turn("mailbox") as mine:
                    if mine:
                        backlog.end(config, store, cache, now(), summary)
                try:
                    send_due(config, store, open_sender(config), now, summary)
                except TransientError as error:
                    summary.away.append(str(error))
                summary.reached.add("")
    finally:
        store.close()
    return summary
