"""The moderator lets a mail count that waits, or takes it off the list; by mail and on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from moderator.desk import bounced, signup, waiting, wishes
from moderator.desk.desk import Desk
from moderator.desk.identify import Confirmed, Newcomer, Opened, Released, by_token, claimed
from moderator.engine.contract import Note
from moderator.errors import OperatorError
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from moderator.states import InboxState
from moderator.store.models import Inbox, Player

ActUpon = Callable[[Desk, Inbox, Opened | Confirmed | Newcomer | Released, Incoming], None]
"""``handle.act_upon``. It is handed down, because what a mail leads to may be one of these commands."""
ACCEPTED = "accepted by the moderator"


def accept(desk: Desk, number: int, act_upon: ActUpon) -> Note:
    """Let a mail count as if nothing had spoken against it: for the seat or question whose token it carries, for the
    player whose address it gives, for the stranger who wants in, for the report that it is. It counts as having come
    when it came. Raises OperatorError for one that is not waiting or says nothing that could count; Suspended."""
    row = _waiting(desk, number)
    mail = read_mail(row.raw, full=not row.truncated)
    apart = replace(desk, mail=row)
    kind, sender = waiting.sort(row), row.sender
    row.state, row.token, row.note = InboxState.DONE, "", ACCEPTED
    desk.session.add(row)
    if mail.bounce is not None:
        return _report(apart, row)
    if kind.startswith("joins"):
        return _stranger(apart, row, mail)
    writer = by_token(apart, mail) or claimed(apart, mail)
    if writer is None:
        raise OperatorError(
            f"Mail {number} has no right token, and {sender or 'its sender'} is no player.",
            "Enter the player (`moderator player add`), or move for one (`moderator match move`).",
        )
    act_upon(apart, row, writer, mail)
    return Note("mail-accepted", {"number": str(number), "address": sender or "?", "at": row.received_at})


def _report(desk: Desk, row: Inbox) -> Note:
    player = desk.session.get(Player, row.player_id) if row.player_id else None
    if player is None:
        raise OperatorError(f"Mail {row.id} is a delivery report about no player.", "Drop it.")
    bounced.unreachable(desk, player, "returned, says the moderator")
    return Note("mail-accepted-report", {"number": str(row.id), "name": player.name})


def _stranger(desk: Desk, row: Inbox, mail: Incoming) -> Note:
    wanted = wishes.wish(mail)
    if wanted is None:
        raise OperatorError(f"Mail {row.id} asks for nothing any more.", "Drop it.")
    player = signup.admit(desk, row.sender, wanted)
    return Note("mail-accepted-stranger", {"number": str(row.id), "name": player.name, "address": row.sender})


def drop(desk: Desk, number: int) -> Note:
    """Take a mail off the list; its bytes stay in the database. Raises OperatorError."""
    row = _waiting(desk, number)
    row.state, row.token = InboxState.DROPPED, ""
    desk.session.add(row)
    return Note("mail-dropped", {"number": str(number), "address": row.sender or "?"})


def _waiting(desk: Desk, number: int) -> Inbox:
    row = desk.session.get(Inbox, number)
    if row is None or not waiting.waits(desk, number):
        hint = "`moderator quarantine retry` reads it again." if row and row.state == InboxState.QUARANTINE else ""
        raise OperatorError(f"There is no mail {number} that waits.", hint or "See `moderator quarantine list`.")
    return row
