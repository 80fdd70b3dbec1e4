"""A mail that waits counts after all, because the moderator says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from moderator.commands.player import joining
from moderator.common.enums import InboxState
from moderator.common.errors import OperatorError
from moderator.inbox import held_mails, newcomers
from moderator.inbox.identify import (
    Confirmed,
    Opened,
    Released,
    UnknownMailbox,
    find_claimed_player,
    find_writer_by_token,
    list_possible_writers,
)
from moderator.mail.model import Bounce, ParsedMail
from moderator.mail.parse import parse_mail_bytes
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.service.players import reachability
from moderator.store.tables import InboxRow, PlayerRow

ActUpon = Callable[[Desk, InboxRow, Opened | Confirmed | UnknownMailbox | Released, ParsedMail], None]
"""``handle.act_upon``. It is handed down, because what a mail leads to may be one of these commands."""
ACCEPTED = "accepted by the moderator"


def accept_held(desk: Desk, number: int, act_upon: ActUpon) -> Note:
    """Let a held mail count as if nothing had spoken against it: for the seat or question whose token it carries, for
    the player whose address it gives, for the stranger who wants in, for the report that it is. It counts as of the
    time at which it came. Raises OperatorError for a mail that is not held or says nothing that could count;
    Suspended."""
    row = held_mails.get_held(desk, number)
    mail = parse_mail_bytes(row.raw, full=not row.is_truncated)
    apart = replace(desk, mail=row)
    kind, sender = held_mails.classify_held(row), row.sender
    row.state, row.token, row.note = InboxState.DONE, "", ACCEPTED
    desk.session.add(row)
    if mail.bounce is not None:
        return _accept_report(apart, row, mail.bounce)
    if kind.startswith("joins"):
        return _accept_stranger(apart, row, mail)
    writer = find_writer_by_token(apart, mail) or find_claimed_player(apart, mail)
    if writer is None:
        several = " or ".join(player.name for player in list_possible_writers(desk.session, mail))
        raise OperatorError(
            f"Mail {number} has no right token, and {sender or 'its sender'} is {several or 'no player'}.",
            "Enter the player (`moderator player add`), or move for one (`moderator match move`).",
        )
    act_upon(apart, row, writer, mail)
    return Note("mail-accepted", {"number": str(number), "address": sender or "?", "at": row.received_at})


def _accept_report(desk: Desk, row: InboxRow, report: Bounce) -> Note:
    player = desk.session.get(PlayerRow, row.player_id) if row.player_id else None
    if player is None:
        raise OperatorError(f"Mail {row.id} is a delivery report about no player.", "Drop it.")
    reachability.accept_bounce(desk, player, report)
    return Note("mail-accepted-report", {"number": str(row.id), "name": player.name})


def _accept_stranger(desk: Desk, row: InboxRow, mail: ParsedMail) -> Note:
    wanted = joining.find_join_wish(mail)
    if wanted is None:
        raise OperatorError(f"Mail {row.id} asks for nothing any more.", "Drop it.")
    player = newcomers.admit_stranger(desk, row.sender, wanted)
    return Note("mail-accepted-stranger", {"number": str(row.id), "name": player.name, "address": row.sender})
