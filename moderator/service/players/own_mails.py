"""Which of the mails that came a player has written. The entries of a log do not tell: a mail of one player's may have
played what another had stored."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from moderator.common import tokens
from moderator.mail.parse import parse_mail_bytes
from moderator.store import matches, privacy
from moderator.store.database import Session
from moderator.store.tables import InboxRow, PlayerRow


def iter_mails_with_ownership(
    session: Session, player: PlayerRow, addresses: Collection[str]
) -> Iterator[tuple[InboxRow, bool]]:
    """Yield every mail that came, with whether it is the player's: by its sender, or by the token of a seat that the
    player has. (Whoever takes over a seat gets a new token.)"""
    seats = [(match.code, seat.token) for match, seat in matches.list_seats_ever_taken(session, player.number)]
    for row in privacy.iter_incoming_mails(session):
        yield row, row.player_id == player.number or row.sender in addresses or _is_to_seat(row, seats)


def iter_own_mails(session: Session, player: PlayerRow) -> Iterator[InboxRow]:
    """Yield the mails that the player has written, as they came."""
    addresses = privacy.collect_player_addresses(session, player.number, player.address)
    for row, own in iter_mails_with_ownership(session, player, addresses):
        if own and row.raw:
            yield row


def _is_to_seat(row: InboxRow, seats: Collection[tuple[str, str]]) -> bool:
    if not seats or not row.raw:
        return False
    mail = parse_mail_bytes(row.raw, full=False)
    return any(
        code == given and tokens.tokens_equal(token, secret)
        for given, token in tokens.find_tokens((*mail.recipients, mail.subject))
        for code, secret in seats
    )
