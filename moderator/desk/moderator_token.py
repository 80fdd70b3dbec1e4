"""The moderator's token: whoever answers to the address that carries it commands."""

from __future__ import annotations

from sqlmodel import Session

from moderator.desk import tokens
from moderator.store import memo

_KEY = "moderator-token"


def moderator_token(session: Session, new: bool = False) -> str:
    """The token in force, made when it is first asked for. ``new``: another one, so that the old one opens nothing."""
    row = memo.made_once(session, _KEY, tokens.new_token)
    if new:
        row.value = tokens.new_token()
        session.add(row)
        session.flush()
    return row.value
