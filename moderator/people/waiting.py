"""Mails that wait for the moderator's look: what may be meant, but does not count by itself.

A right token under a machine's headers, an order whose mailbox has not said yes, a stranger who wants in, a delivery
report that proves nothing: none of it is lost in silence. It stands in `moderator quarantine list` and with the seat
that it concerns, the moderator reads of it once a day, and one line lets it count (``accepting.py``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.errors import OperatorError
from moderator.mail.model import Incoming
from moderator.match.contract import Note
from moderator.people.identify import REPEATED
from moderator.states import InboxState
from moderator.store import inbox, matches
from moderator.store.models import LOOK, Inbox, Match, Player

WANTS_IN = "wants to join"
"""Note of a stranger's mail."""
UNASKED = "the registered address was asked often enough today"
"""End of the note of a mail that is held, and about which nobody was asked."""
_REPORT = "a delivery report"
MACHINE = "machine-like header "
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
    return f"{MACHINE}{mail.machine_header}"


def named_match(desk: Desk, mail: Incoming) -> Match | None:
    """The match that a mail without a right token seems to be about."""
    codes = [tokens.code_in(mail.subject), *(code for code, _ in tokens.carried((*mail.recipients, mail.subject)))]
    found = matches.of_codes(desk.session, codes)
    return min(found, key=lambda match: codes.index(match.code)) if found else None


def of_seat(desk: Desk, match: Match, player: Player) -> list[dict[str, Any]]:
    """What waits of a player in a match, as codes with their parameters; also what names no match of the player's."""
    rows = inbox.of_seat(desk.session, match.number, player.number)
    return [{"code": f"seat-waits-{sort(row)}", **facts(row)} for row in rows]


LISTED = (InboxState.QUARANTINE, *LOOK, InboxState.UNKNOWN)
"""States of mails that the whole list has."""
Range = tuple[int, int]
"""Numbers of mails, from the first to the last."""
_RANGE = r"#?(\d{1,9})(?:\s*[-–]\s*#?(\d{1,9}))?"


def ranges_in(text: str) -> list[Range]:
    """``17, 33-40``; [] where anything else stands there, or a range that goes down: it may be a minus."""
    if re.fullmatch(rf"\s*{_RANGE}(?:[\s,;]+{_RANGE})*[\s.]*", text) is None:
        return []
    found = [(int(hit[1]), int(hit[2] or hit[1])) for hit in re.finditer(_RANGE, text)]
    return found if all(first <= last for first, last in found) else []


def ranges_of(numbers: Sequence[int], others: Collection[int]) -> Iterator[str]:
    """Ranges that hold these numbers, in order, and none of ``others``: ``17``, ``33-40``."""
    mine = set(numbers)
    for own, run in groupby(sorted({*numbers, *others}), key=lambda number: number in mine):
        found = list(run)
        if own:
            yield str(found[0]) if len(found) == 1 else f"{found[0]}-{found[-1]}"


def in_ranges(desk: Desk, ranges: Sequence[Range], states: Collection[InboxState]) -> list[int]:
    """Numbers of the mails in these states, each once. Raises OperatorError for a range that has none."""
    found: dict[int, None] = {}
    for first, last in ranges:
        within = inbox.numbers_between(desk.session, first, last, states)
        if not within:
            what = f"no mail {first}" if first == last else f"no mail from {first} to {last}"
            raise OperatorError(f"There is {what} in quarantine.", "See `moderator quarantine list --all`.")
        found |= dict.fromkeys(within)
    return list(found)


def sort(row: Inbox) -> str:
    """Which kind of waiting mail it is: machine, report, joins, repeated, asked, unasked, other."""
    if row.note.startswith(MACHINE):
        return "machine"
    if row.note.startswith(_REPORT):
        return "report"
    if row.note.startswith(WANTS_IN):
        return "joins" if row.state == InboxState.WAITING else "joins-asked"
    if row.note == REPEATED:
        return "repeated"
    if row.state == InboxState.CONFIRM:
        return "asked" if row.token else "unasked"
    return "other"


def facts(row: Inbox) -> dict[str, Any]:
    """What is said of a mail that waits: number, when it came, the machine's header or why it waits."""
    header = re.fullmatch(rf"{MACHINE}([\w-]*)", row.note)
    why = row.reason or row.state
    return {"number": str(row.id), "at": row.received_at, "header": header[1] if header else "", "text": why}


def drop(desk: Desk, number: int) -> Note:
    """Take a mail off the list; its bytes stay in the database. Raises OperatorError."""
    row = held(desk, number)
    row.state, row.token = InboxState.DROPPED, ""
    desk.session.add(row)
    return Note("mail-dropped", {"number": str(number), "address": row.sender or "?"})


def held(desk: Desk, number: int) -> Inbox:
    """A mail that waits, or is held. Raises OperatorError where there is none of that number."""
    row = desk.session.get(Inbox, number)
    if row is None or row.state not in LOOK:
        hint = "`moderator quarantine retry` reads it again." if row and row.state == InboxState.QUARANTINE else ""
        raise OperatorError(f"There is no mail {number} that waits.", hint or "See `moderator quarantine list`.")
    return row
