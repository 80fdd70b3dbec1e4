"""The moderator's look at mails that wait: the one notice of the day, and letting one count."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from moderator.club.desk import Desk
from moderator.errors import OperatorError
from moderator.inbox import signup
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from moderator.match.contract import Note
from moderator.outbox.tell import tell_moderator
from moderator.people import bounced, waiting
from moderator.people.identify import Confirmed, Newcomer, Opened, Released, by_token, claimed
from moderator.states import InboxState
from moderator.store import inbox, key_values
from moderator.store.models import Inbox, Match, Player
from moderator.store.probe import LOOKED, stamp

ActUpon = Callable[[Desk, Inbox, Opened | Confirmed | Newcomer | Released, Incoming], None]
"""``handle.act_upon``. It is handed down, because what a mail leads to may be one of these commands."""
ACCEPTED = "accepted by the moderator"
MOST = 50
"""Mails of one daily notice that are told one by one; the rest is counted."""


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
    wanted = signup.wish(mail)
    if wanted is None:
        raise OperatorError(f"Mail {row.id} asks for nothing any more.", "Drop it.")
    player = signup.admit(desk, row.sender, wanted)
    return Note("mail-accepted-stranger", {"number": str(row.id), "name": player.name, "address": row.sender})


# ---- once a day ----


def due(desk: Desk) -> bool:
    """Whether something waits since before the club's last daily hour, of which the moderator has not been told."""
    hour = desk.config.club.daily_hour(desk.now)
    if _looked(desk).value >= stamp(hour):
        return False
    return inbox.news_before(desk.session, hour)


def tell_daily(desk: Desk) -> None:
    """The one notice of the day: all that is new, each with the line that lets it count, and how much is older."""
    rows = inbox.news(desk.session)
    left = inbox.known_to_wait(desk.session) + max(0, len(rows) - MOST)
    notes = [line(desk, row) for row in rows[:MOST]]
    if any(note.params.get("number") for note in notes):
        notes.append(Note("look-by-mail", {"number": str(rows[0].id)}))
    if left:
        notes.append(Note("look-more", {"count": left}))
    if unknown := inbox.unknown_since(desk.session, desk.now - timedelta(days=2)):
        notes.append(Note("look-unknown", {"count": unknown}))
    for row in rows:
        row.told_at = desk.now
        desk.session.add(row)
    looked = _looked(desk)
    looked.value = stamp(desk.now)
    desk.session.add(looked)
    tell_moderator(desk, *notes)


def _looked(desk: Desk) -> Any:
    return key_values.made_once(desk.session, LOOKED, str)


def line(desk: Desk, row: Inbox) -> Note:
    """One mail for the moderator: what it is, and how to let it count."""
    facts = waiting.facts(row) | {"address": row.sender or "?"}
    kind = waiting.sort(row)
    if kind.startswith("joins"):
        wanted = signup.wish(read_mail(row.raw, full=not row.truncated))
        called_so = signup.free_name(desk, wanted.name if wanted else "", row.sender)
        language = wanted.language if wanted else desk.config.club.language
        more = {"name": called_so, "address": shlex.quote(row.sender), "language": language}
        return Note(f"look-{kind}", facts | more)
    player = desk.session.get(Player, row.player_id) if row.player_id else None
    match = desk.session.get(Match, row.match_id) if row.match_id else None
    place = "-seat" if player and match else "-player" if player else ""
    facts |= {"name": player.name if player else "", "match": match.code if match else ""}
    return Note(f"look-{kind}{place}", facts)
