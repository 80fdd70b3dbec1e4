"""Where a player's calendar is on the web: an address that nobody can guess, and that its owner may change."""

from __future__ import annotations

import base64
import hmac

from sqlmodel import Session, col, select

from moderator.desk import state_line
from moderator.desk.desk import Desk
from moderator.store.models import Memo, Player
from moderator.store.transaction import made_once

BYTES = 16
_CHANGED = "calendar "
"""Begins the keys of the memos that say how often players have changed their address; the player's number follows."""


def token(secret: bytes, player: int, changed: int = 0) -> str:
    """128 bits that only the club can work out; others for each time that the player has ``changed`` them."""
    text = f"calendar {player}" + (f" {changed}" if changed else "")
    made = hmac.digest(secret, text.encode(), "sha256")[:BYTES]
    return base64.b32encode(made).decode().rstrip("=").lower()


def changes(session: Session) -> dict[int, int]:
    """How often each player has changed the address, of those who have."""
    rows = session.exec(select(Memo).where(col(Memo.key).startswith(_CHANGED)))
    return {int(row.key.removeprefix(_CHANGED)): int(row.value) for row in rows}


def change(desk: Desk, player: Player) -> None:
    """From now on the player's calendar has another address; the old one is gone with the next look of the site."""
    row = made_once(desk.session, f"{_CHANGED}{player.number}", lambda: "0")
    row.value = str(int(row.value) + 1)
    desk.session.add(row)


def address(desk: Desk, player: Player) -> str:
    """The address of the player's calendar; "" for a club that has no site on the web."""
    url = desk.config.site.url.rstrip("/")
    if not url:
        return ""
    changed = desk.session.get(Memo, f"{_CHANGED}{player.number}")
    secret = state_line.secret(desk.session)
    return f"{url}/calendar/{token(secret, player.number, int(changed.value) if changed else 0)}.ics"
