"""Mails that are held: what may be meant, but does not count by itself.

A right token under a machine's headers, an order whose mailbox has not said yes, a stranger who wants in, a delivery
report that proves nothing: none of it is lost in silence. It stands in `moderator quarantine list` and with the seat
that it concerns, the moderator reads of it once a day, and one line lets it count. ``next_step`` says what an answer
about a mail leads to, whoever gives it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any

from moderator.common import tokens
from moderator.common.enums import HeldFor, InboxState
from moderator.common.errors import MistypedError, OperatorError
from moderator.common.mails import ParsedMail
from moderator.rules.game import Note
from moderator.store import inbox, matches
from moderator.store.database import Session
from moderator.store.tables import LOOK, InboxRow, MatchRow, PlayerRow


class HeldAnswer(StrEnum):
    """The answer that somebody gave about a mail that is held."""

    YES = "yes"
    """By the mailbox that was asked."""
    NO = "no"
    OTHER = "other"
    """The mailbox says something else."""
    ACCEPT = "accept"
    """By the moderator: let it count."""
    DROP = "drop"
    RESUMED = "resumed"
    """Its match goes on."""
    ASK_LIMIT = "ask-limit"
    """The mailbox was asked often enough for a day."""


class HeldStep(StrEnum):
    RELEASE = "release"
    """It is handled as if nothing had spoken against it."""
    DISCARD = "discard"
    ASK_AGAIN = "ask-again"
    READ_ANSWER = "read-answer"
    """The answer is read in its place."""
    STAY = "stay"


_ASKED = frozenset({HeldFor.SENDER, HeldFor.GUESSING, HeldFor.REPEAT, HeldFor.NEWCOMER})
"""About these a mailbox may be asked."""
_BROKEN = frozenset({HeldFor.MATCH, HeldFor.CRASH})
"""These cannot count as long as nothing is mended, whatever the moderator says."""
_HELD = frozenset(HeldFor) - {HeldFor.NOTHING}
_STEPS = {
    HeldAnswer.YES: (HeldStep.RELEASE, _ASKED),
    HeldAnswer.NO: (HeldStep.DISCARD, _ASKED),
    HeldAnswer.OTHER: (HeldStep.ASK_AGAIN, _ASKED - {HeldFor.REPEAT}),
    HeldAnswer.ACCEPT: (HeldStep.RELEASE, _HELD - _BROKEN),
    HeldAnswer.DROP: (HeldStep.DISCARD, _HELD),
    HeldAnswer.RESUMED: (HeldStep.RELEASE, frozenset({HeldFor.MATCH})),
}
"""What an answer leads to, and the reasons for which it does; for all others, and any other answer, the mail stays."""


def next_step(held_for: HeldFor, answer: HeldAnswer) -> HeldStep:
    """Return what an answer leads to. Raises ValueError where nothing is held."""
    if held_for is HeldFor.NOTHING:
        raise ValueError("the mail is not held")
    if held_for is HeldFor.REPEAT and answer is HeldAnswer.OTHER:
        return HeldStep.READ_ANSWER
    step, reasons = _STEPS.get(answer, (HeldStep.STAY, _HELD))
    return step if held_for in reasons else HeldStep.STAY


def to_held_answer(said: bool | None) -> HeldAnswer:
    """Return the answer of a mailbox that says yes, no, or neither."""
    return HeldAnswer.OTHER if said is None else HeldAnswer.YES if said else HeldAnswer.NO


def answer_held_mail(session: Session, row: InboxRow, answer: HeldAnswer) -> HeldStep:
    """Return what the answer leads to, and put the mail into the state that goes with it."""
    step = next_step(row.held_for, answer)
    if step is HeldStep.RELEASE:
        end_hold(session, row, InboxState.RECEIVED if row.held_for in _BROKEN else InboxState.DONE, "")
    elif step in (HeldStep.DISCARD, HeldStep.READ_ANSWER):
        end_hold(session, row, InboxState.DROPPED, row.note)
    return step


def end_hold(session: Session, row: InboxRow, state: InboxState, note: str) -> None:
    """Put a mail into a state in which it is not held. One that is read again begins anew."""
    row.state, row.held_for, row.token, row.note = state, HeldFor.NOTHING, "", note
    if state is InboxState.RECEIVED:
        row.attempts = 0
    session.add(row)


def drop_mail(session: Session, row: InboxRow) -> None:
    """Take a mail off the list of those that want a look, also one that is from nobody we know and thus not held."""
    if row.held_for is HeldFor.NOTHING:
        end_hold(session, row, InboxState.DROPPED, row.note)
    else:
        answer_held_mail(session, row, HeldAnswer.DROP)


def hold_mail(
    session: Session,
    row: InboxRow,
    held_for: HeldFor,
    note: str,
    player: PlayerRow | None = None,
    match: MatchRow | None = None,
    state: InboxState = InboxState.WAITING,
) -> None:
    """Hold the mail for the moderator's look, or (``state``) until its mailbox has said yes or its fault is mended.
    ``player``, ``match``: those that it seems to belong to."""
    row.state, row.held_for, row.token, row.note = state, held_for, "", note
    row.player_id, row.match_id = player.number if player else None, match.number if match else None
    session.add(row)


def hold_as_machine_mail(
    session: Session, row: InboxRow, header: str, player: PlayerRow | None, match: MatchRow | None
) -> None:
    """Hold a mail with a right token that looks like a machine's, by this header."""
    row.machine_header = header
    hold_mail(session, row, HeldFor.MACHINE, f"machine-like header {header}", player, match)


def release_mails_of_match(session: Session, match: MatchRow) -> None:
    """Have the mails read again that waited for the match."""
    for row in inbox.list_mails_held_for_match(session, match.number):
        answer_held_mail(session, row, HeldAnswer.RESUMED)


def find_match_of_mail(session: Session, mail: ParsedMail) -> MatchRow | None:
    """Return the match that a mail without a right token seems to be about."""
    codes = [
        tokens.find_bracketed_code(mail.subject),
        *(code for code, _ in tokens.find_tokens((*mail.recipients, mail.subject))),
    ]
    found = matches.list_matches_by_codes(session, codes)
    return min(found, key=lambda match: codes.index(match.code)) if found else None


def list_held_of_seat(session: Session, match: MatchRow, player: PlayerRow) -> list[dict[str, Any]]:
    """Return the held mails of a player in a match, as codes with their parameters; also those that name no match of
    the player's."""
    rows = inbox.list_waiting_mails_of_seat(session, match.number, player.number)
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


def list_mail_numbers(session: Session, ranges: Sequence[Range], states: Collection[InboxState]) -> list[int]:
    """Return the numbers of the mails in these ranges and states, each once. Raises OperatorError for a range that has
    none."""
    found: dict[int, None] = {}
    for first, last in ranges:
        within = inbox.list_mail_ids_between(session, first, last, states)
        if not within:
            what = f"no mail {first}" if first == last else f"no mail from {first} to {last}"
            raise OperatorError(f"There is {what} in quarantine.", "See `moderator quarantine list --all`.")
        found |= dict.fromkeys(within)
    return list(found)


def classify_held(row: InboxRow) -> str:
    """Return the word for a held mail in the messages: machine, report, joins, joins-asked, repeated, asked, unasked,
    other."""
    match row.held_for:
        case HeldFor.MACHINE:
            return "machine"
        case HeldFor.BOUNCE:
            return "report" if row.player_id else "other"
        case HeldFor.NEWCOMER:
            return "joins" if row.state == InboxState.WAITING else "joins-asked"
        case HeldFor.REPEAT:
            return "repeated"
        case _ if row.state == InboxState.CONFIRM:
            return "asked" if row.token else "unasked"
        case _:
            return "other"


def build_held_facts(row: InboxRow) -> dict[str, Any]:
    """Return what is told of a held mail: its number, when it came, the machine's header or why it waits."""
    why = row.reason or row.state
    return {"number": str(row.id), "at": row.received_at, "header": row.machine_header, "text": why}


def discard_held(session: Session, number: int) -> Note:
    """Take a mail off the list; its bytes stay in the database. Raises OperatorError."""
    row = get_held(session, number)
    drop_mail(session, row)
    return Note("mail-dropped", {"number": str(number), "address": row.sender or "?"})


def get_held(session: Session, number: int) -> InboxRow:
    """Return a mail that waits, or is held. Raises OperatorError where there is none of that number."""
    row = session.get(InboxRow, number)
    if row is None or row.state not in LOOK:
        hint = "`moderator quarantine retry` reads it again." if row and row.state == InboxState.QUARANTINE else ""
        raise MistypedError(f"There is no mail {number} that waits.", hint or "See `moderator quarantine list`.")
    return row
