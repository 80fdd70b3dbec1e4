"""A mail that waits counts after all, because the moderator says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from moderator.club.desk import Desk
from moderator.commands.player import newcomer
from moderator.errors import OperatorError
from moderator.inbox import signup
from moderator.mail.inbound import read_mail
from moderator.mail.model import Bounce, Incoming
from moderator.match.contract import Note
from moderator.people import bounced, waiting
from moderator.people.identify import Confirmed, Newcomer, Opened, Released, by_token, claimed, possible_writers
from moderator.states import InboxState
from moderator.store.models import Inbox, Player

ActUpon = Callable[[Desk, Inbox, Opened | Confirmed | Newcomer | Released, Incoming], None]
"""``handle.act_upon``. It is handed down, because what a mail leads to may be one of these commands."""
ACCEPTED = "accepted by the moderator"


def accept(desk: Desk, number: int, act_upon: ActUpon) -> Note:
    """Let a mail count as if nothing had spoken against it: for the seat or question whose token it carries, for the
    player whose address it gives, for the stranger who wants in, for the report that it is. It counts as having come
    when it came. Raises OperatorError for one that is not waiting or says nothing that could count; Suspended."""
    row = waiting.held(desk, number)
    mail = read_mail(row.raw, full=not row.truncated)
    apart = replace(desk, mail=row)
    kind, sender = waiting.sort(row), row.sender
    row.state, row.token, row.note = InboxState.DONE, "", ACCEPTED
    desk.session.add(row)
    if mail.bounce is not None:
        return _report(apart, row, mail.bounce)
    if kind.startswith("joins"):
        return _stranger(apart, row, mail)
    writer = by_token(apart, mail) or claimed(apart, mail)
    if writer is None:
        several = " or ".join(player.name for player in possible_writers(desk.session, mail))
        raise OperatorError(
            f"Mail {number} has no right token, and {sender or 'its sender'} is {several or 'no player'}.",
            "Enter the player (`moderator player add`), or move for one (`moderator match move`).",
        )
    act_upon(apart, row, writer, mail)
    return Note("mail-accepted", {"number": str(number), "address": sender or "?", "at": row.received_at})


def _report(desk: Desk, row: Inbox, report: Bounce) -> Note:
    player = desk.session.get(Player, row.player_id) if row.player_id else None
    if player is None:
        raise OperatorError(f"Mail {row.id} is a delivery report about no player.", "Drop it.")
    bounced.accepted(desk, player, report)
    return Note("mail-accepted-report", {"number": str(row.id), "name": player.name})


def _stranger(desk: Desk, row: Inbox, mail: Incoming) -> Note:
    wanted = newcomer.wish(mail)
    if wanted is None:
        raise OperatorError(f"Mail {row.id} asks for nothing any more.", "Drop it.")
    player = signup.admit(desk, row.sender, wanted)
    return Note("mail-accepted-stranger", {"number": str(row.id), "name": player.name, "address": row.sender})
