"""Mails that wait for the moderator's look: what may be meant, but does not count by itself.

A right token under a machine's headers, an order whose mailbox has not said yes, a stranger who wants in, a delivery
report that proves nothing: none of it is lost in silence. It stands in `moderator quarantine list` and with the seat
that it concerns, the moderator reads of it once a day, and one line lets it count (``newcomers.py``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any

from moderator.common import tokens
from moderator.common.enums import InboxState
from moderator.common.errors import OperatorError
from moderator.common.mails import ParsedMail
from moderator.rules.game import Note
from moderator.store import inbox, matches
from moderator.store.tables import LOOK, InboxRow, MatchRow, PlayerRow
from moderator.views.desk import Desk

WANTS_IN = "wants to join"
"""Note of a stranger's mail."""
UNASKED = "the registered address was asked often enough today"
"""End of the note of a mail that is held, and about which nobody was asked."""
_REPORT = "a delivery report"
MACHINE = "machine-like header "
"""Begins the note of a mail with a right token that looks like a machine's; then comes the header."""


def hold_for_staff(
    desk: Desk, row: InboxRow, note: str, player: PlayerRow | None = None, match: MatchRow | None = None
) -> None:
    """Hold the mail for the moderator's look. ``player``, ``match``: those that it seems to belong to."""
    row.state, row.note, row.token = InboxState.WAITING, note, ""
    assign_held(desk, row, player, match)


def assign_held(desk: Desk, row: InboxRow, player: PlayerRow | None, match: MatchRow | None) -> None:
    row.player_id, row.match_id = player.number if player else None, match.number if match else None
    desk.session.add(row)


def format_machine_note(mail: ParsedMail) -> str:
    """Return the note of a mail that looks like a machine's."""
    return f"{MACHINE}{mail.machine_header}"


def find_match_of_mail(desk: Desk, mail: ParsedMail) -> MatchRow | None:
    """Return the match that a mail without a right token seems to be about."""
    codes = [
        tokens.find_bracketed_code(mail.subject),
        *(code for code, _ in tokens.find_tokens((*mail.recipients, mail.subject))),
    ]
    found = matches.list_matches_by_codes(desk.session, codes)
    return min(found, key=lambda match: codes.index(match.code)) if found else None


def list_held_of_seat(desk: Desk, match: MatchRow, player: PlayerRow) -> list[dict[str, Any]]:
    """Return the held mails of a player in a match, as codes with their parameters; also those that name no match of
    the player's."""
    rows = inbox.list_waiting_mails_of_seat(desk.session, match.number, player.number)
    return [{"code": f"seat-waits-{classify_held(row)}", **build_held_facts(row)} for row in rows]


LISTED = (InboxState.QUARANTINE, *LOOK, InboxState.UNKNOWN)
"""States of mails that the whole list has."""
Range = tuple[int, int]
"""Numbers of mails, from the first to the last."""
_RANGE = r"#?(\d{1,9})(?:\s*[-–]\s*#?(\d{1,9}))?"


def parse_mail_ranges(text: str) -> list[Range]:
    """Parse ``17, 33-40``; [] where anything else stands there, or a range that goes down: it may be a minus."""
    if re.fullmatch(rf"\s*{_RANGE}(?:[\s,;]+{_RANGE})*[\s.]*", text) is None:
        return []
    found = [(int(hit[1]), int(hit[2] or hit[1])) for hit in re.finditer(_RANGE, text)]
    return found if all(first <= last for first, last in found) else []


def iter_mail_ranges(numbers: Sequence[int], others: Collection[int]) -> Iterator[str]:
    """Yield ranges that hold these numbers, in order, and none of ``others``: ``17``, ``33-40``."""
    mine = set(numbers)
    for own, run in groupby(sorted({*numbers, *others}), key=lambda number: number in mine):
        found = list(run)
        if own:
            yield str(found[0]) if len(found) == 1 else f"{found[0]}-{found[-1]}"


def list_mail_numbers(desk: Desk, ranges: Sequence[Range], states: Collection[InboxState]) -> list[int]:
    """Return the numbers of the mails in these ranges and states, each once. Raises OperatorError for a range that has
    none."""
    found: dict[int, None] = {}
    for first, last in ranges:
        within = inbox.list_mail_ids_between(desk.session, first, last, states)
        if not within:
            what = f"no mail {first}" if first == last else f"no mail from {first} to {last}"
            raise OperatorError(f"There is {what} in quarantine.", "See `moderator quarantine list --all`.")
        found |= dict.fromkeys(within)
    return list(found)


def classify_held(row: InboxRow) -> str:
    """Return the kind of a held mail: machine, report, joins, joins-asked, repeated, asked, unasked, other."""
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


def build_held_facts(row: InboxRow) -> dict[str, Any]:
    """Return what is told of a held mail: its number, when it came, the machine's header or why it waits."""
    header = re.fullmatch(rf"{MACHINE}([\w-]*)", row.note)
    why = row.reason or row.state
    return {"number": str(row.id), "at": row.received_at, "header": header[1] if header else "", "text": why}


def discard_held(desk: Desk, number: int) -> Note:
    """Take a mail off the list; its bytes stay in the database. Raises OperatorError."""
    row = get_held(desk, number)
    row.state, row.token = InboxState.DROPPED, ""
    desk.session.add(row)
    return Note("mail-dropped", {"number": str(number), "address": row.sender or "?"})


def get_held(desk: Desk, number: int) -> InboxRow:
    """Return a mail that waits, or is held. Raises OperatorError where there is none of that number."""
    row = desk.session.get(InboxRow, number)
    if row is None or row.state not in LOOK:
        hint = "`moderator quarantine retry` reads it again." if row and row.state == InboxState.QUARANTINE else ""
        raise OperatorError(f"There is no mail {number} that waits.", hint or "See `moderator quarantine list`.")
    return row


# ---- What players say of a match that was moved in: that it stands here as it stood elsewhere, or what is wrong.


REPEATED = "an order came twice, word for word; its writer was asked"
"""Note of the second mail, see inbox/repeats.py."""
