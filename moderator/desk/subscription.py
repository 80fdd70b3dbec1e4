"""Where a player's calendar is on the web: an address that nobody can guess."""

from __future__ import annotations

import base64
import hmac

from moderator.desk import state_line
from moderator.desk.desk import Desk
from moderator.store.models import Player

BYTES = 16


def token(secret: bytes, player: int) -> str:
    """128 bits that only the club can work out."""
    made = hmac.digest(secret, f"calendar {player}".encode(), "sha256")[:BYTES]
    return base64.b32encode(made).decode().rstrip("=").lower()


def address(desk: Desk, player: Player) -> str:
    """The address of the player's calendar; "" for a club that has no site on the web."""
    url = desk.config.site.url.rstrip("/")
    return f"{url}/calendar/{token(state_line.secret(desk.session), player.number)}.ics" if url else ""
