"""Which of the mails that came a player has written. The entries of a log do not tell: a mail of one player's may have
played what another had stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from moderator.club import tokens
from moderator.mail.inbound import read_mail
from moderator.store import forgetting, matches
from moderator.store.db import Session
from moderator.store.models import Inbox, Player


def incoming(session: Session, player: Player, addresses: Collection[str]) -> Iterator[tuple[Inbox, bool]]:
    """(mail, whether it is the player's) of all that came: by its sender, or by the token of a seat that the player
    has. (Whoever takes over a seat gets a new token.)"""
    seats = [(match.code, seat.token) for match, seat in matches.every_seat_of(session, player.number)]
    for row in forgetting.incoming(session):
        yield row, row.player_id == player.number or row.sender in addresses or _to_seat(row, seats)


def written(session: Session, player: Player) -> Iterator[Inbox]:
    """What the player has written, as it came."""
    addresses = forgetting.addresses(session, player.number, player.address)
    for row, own in incoming(session, player, addresses):
        if own and row.raw:
            yield row


def _to_seat(row: Inbox, seats: Collection[tuple[str, str]]) -> bool:
    if not seats or not row.raw:
        return False
    mail = read_mail(row.raw, full=False)
    return any(
        code == given and tokens.same(token, secret)
        for given, token in tokens.carried((*mail.recipients, mail.subject))
        for code, secret in seats
    )
