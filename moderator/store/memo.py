"""The club's own secrets: each is made once, also where two workers need it at the same moment."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import text
from sqlmodel import Session

from moderator.store import transaction
from moderator.store.models import Memo

_FIRST = text("INSERT INTO memo (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING")


def made_once(session: Session, key: str, make: Callable[[], str]) -> Memo:
    """The row of this key; where there is none yet, one with a value that ``make`` makes."""
    kept: dict[str, Memo] = transaction.notes(session).setdefault("memo", {})
    if key not in kept:
        found = session.get(Memo, key)
        if found is None:
            session.connection().execute(_FIRST, {"key": key, "value": make()})
            found = session.get_one(Memo, key)
        kept[key] = found
    return kept[key]
