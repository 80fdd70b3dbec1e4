"""Mails that wait for the moderator's look: what may be meant, but does not count by itself.

A right token under a machine's headers, an order whose mailbox has not said yes, a stranger who wants in, a delivery
report that proves nothing: none of it is lost in silence. It stands in `moderator quarantine list` and with the seat
that it concerns, the moderator reads of it once a day, and one line lets it count (``accepting.py``).
"""

from __future__ import annotations

import re
import shlex
from datetime import timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import defer
from sqlmodel import col, func, or_, select

from moderator.desk import tokens, wishes
from moderator.desk.desk import Desk
from moderator.desk.outbox import tell_moderator
from moderator.engine.contract import Note
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from moderator.states import InboxState
from moderator.store import transaction
from moderator.store.models import LOOK, UNTOLD, Inbox, Match, Player
from moderator.store.probe import LOOKED, stamp

MOST = 50
"""Mails of one daily notice that are told one by one; the rest is counted."""
WANTS_IN = "wants to join"
"""Note of a stranger's mail."""
UNASKED = "the registered address was asked often enough today"
"""End of the note of a mail that is held, and about which nobody was asked."""
_REPORT = "a delivery report"
_MACHINE = "machine-like header "
"""Begins the note of a mail with a right token that looks like a machine's; then comes the header."""


def wait(desk: Desk, row: Inbox, note: str, player: Player | None = None, match: Match | None = None) -> None:
    """Keep the mail for the moderator's look. ``player``, ``match``: whose it seems to be."""
    row.state, row.note, row.token = InboxState.WAITING, note, ""
    belongs(desk, row, player, match)


def belongs(desk: Desk, row: Inbox, player: Player | None, match: Match | None) -> None:
    row.player_id, row.match_id = player.number if player else None, match.number if match else None
    desk.session.add(row)


def machine_like(mail: Incoming) -> str:
    """The note of such a mail."""
    return f"{_MACHINE}{mail.machine_header}"


def named_match(desk: Desk, mail: Incoming) -> Match | None:
    """The match that a mail without a right token seems to be about."""
    codes = [tokens.code_in(mail.subject), *(code for code, _ in tokens.carried((*mail.recipients, mail.subject)))]
    found = desk.session.exec(select(Match).where(col(Match.code).in_(codes))).all()
    return min(found, key=lambda match: codes.index(match.code)) if found else None


def of_seat(desk: Desk, match: Match, player: Player) -> list[dict[str, Any]]:
    """What waits of a player in a match, as codes with their parameters; also what names no match of the player's."""
    mine = or_(col(Inbox.match_id) == match.number, col(Inbox.match_id).is_(None))
    query = select(Inbox).where(col(Inbox.state).in_(LOOK), Inbox.player_id == player.number, mine)
    rows = desk.session.exec(query.options(defer(Inbox.raw)).order_by(col(Inbox.id))).all()  # type: ignore[arg-type]
    return [{"code": f"seat-waits-{sort(row)}", **_facts(row)} for row in rows]


def waits(desk: Desk, number: int) -> bool:
    """Whether there is a mail of that number that waits, or is held."""
    row = desk.session.get(Inbox, number)
    return row is not None and row.state in LOOK


def sort(row: Inbox) -> str:
    """Which kind of waiting mail it is: machine, report, joins, asked, unasked, other."""
    if row.note.startswith(_MACHINE):
        return "machine"
    if row.note.startswith(_REPORT):
        return "report"
    if row.note.startswith(WANTS_IN):
        return "joins" if row.state == InboxState.WAITING else "joins-asked"
    if row.state == InboxState.CONFIRM:
        return "asked" if row.token else "unasked"
    return "other"


def _facts(row: Inbox) -> dict[str, Any]:
    header = re.fullmatch(rf"{_MACHINE}([\w-]*)", row.note)
    why = row.note.strip().splitlines()[-1] if row.note.strip() else row.state
    return {"number": str(row.id), "at": row.received_at, "header": header[1] if header else "", "text": why}


# ---- once a day ----


def due(desk: Desk) -> bool:
    """Whether something waits since before the club's last daily hour, of which the moderator has not been told."""
    hour = desk.config.club.daily_hour(desk.now)
    if _looked(desk).value >= stamp(hour):
        return False
    query = select(Inbox.id).where(text(UNTOLD), Inbox.taken_at < hour)
    return desk.session.exec(query.limit(1)).first() is not None


def tell(desk: Desk) -> None:
    """The one notice of the day: all that is new, each with the line that lets it count, and how much is older."""
    fresh = select(Inbox).where(text(UNTOLD)).options(defer(Inbox.raw)).order_by(col(Inbox.id))  # type: ignore[arg-type]
    rows = desk.session.exec(fresh).all()
    older = select(func.count()).where(col(Inbox.state).in_(LOOK), col(Inbox.told_at).is_not(None))
    left = desk.session.exec(older).one() + max(0, len(rows) - MOST)
    notes = [line(desk, row) for row in rows[:MOST]]
    if any(note.params.get("number") for note in notes):
        notes.append(Note("look-by-mail", {"number": str(rows[0].id)}))
    if left:
        notes.append(Note("look-more", {"count": left}))
    if unknown := _unknown(desk):
        notes.append(Note("look-unknown", {"count": unknown}))
    for row in rows:
        row.told_at = desk.now
        desk.session.add(row)
    looked = _looked(desk)
    looked.value = stamp(desk.now)
    desk.session.add(looked)
    tell_moderator(desk, *notes)


def _looked(desk: Desk) -> Any:
    return transaction.made_once(desk.session, LOOKED, str)


def _unknown(desk: Desk) -> int:
    """Mails of two days from senders whom nobody knows, and that ask for nothing."""
    query = select(func.count()).where(
        Inbox.taken_at >= desk.now - timedelta(days=2), Inbox.state == InboxState.UNKNOWN
    )
    return int(desk.session.exec(query).one())


def line(desk: Desk, row: Inbox) -> Note:
    """One mail for the moderator: what it is, and how to let it count."""
    facts = _facts(row) | {"address": row.sender or "?"}
    kind = sort(row)
    if kind.startswith("joins"):
        wanted = wishes.wish(read_mail(row.raw, full=not row.truncated))
        called_so = wishes.free_name(desk, wanted.name if wanted else "", row.sender)
        language = wanted.language if wanted else desk.config.club.language
        more = {"name": called_so, "address": shlex.quote(row.sender), "language": language}
        return Note(f"look-{kind}", facts | more)
    player = desk.session.get(Player, row.player_id) if row.player_id else None
    match = desk.session.get(Match, row.match_id) if row.match_id else None
    place = "-seat" if player and match else "-player" if player else ""
    facts |= {"name": player.name if player else "", "match": match.code if match else ""}
    return Note(f"look-{kind}{place}", facts)
