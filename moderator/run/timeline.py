"""Who did what: commands, logs of matches and mails in one order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import merge
from typing import Any
from zoneinfo import ZoneInfo

from moderator.common.enums import Actor, ClockCause, LogEntryKind
from moderator.language.dates import format_timestamp
from moderator.rules import replay
from moderator.rules.replay import LogEntry
from moderator.store import audit, inbox, matches, matches_log, players
from moderator.store.audit import Audit
from moderator.store.database import Session
from moderator.store.tables import EventRow, MatchRow, extract_reason

GIVES_A_MOVE = frozenset({"move", "match move"})
"""Commands, by mail and typed, that are an order in a player's name."""
OF_A_SEAT = frozenset({LogEntryKind.MOVE, LogEntryKind.ORDER})
"""What only a seat's player or robot does, unless such a command did it."""

EVER = datetime(1970, 1, 1, tzinfo=UTC)
ITSELF = "(by itself)"
"""Who did what nobody has done: a deadline, a robot, a stored order."""


@dataclass(frozen=True, order=True)
class TimelineEntry:
    at: datetime
    rank: int
    """Of several at one moment: commands first, then what they led to, then mails."""
    number: int
    who: str = field(compare=False)
    about: str = field(compare=False)
    """Code of a match or tournament; "" = none."""
    what: str = field(compare=False)
    outcome: str = field(default="", compare=False)

    def format_line(self, zone: str) -> str:
        """Format the entry as it is printed, on the clock of this zone."""
        at = self.at.astimezone(ZoneInfo(zone))
        outcome = f" -> {self.outcome}" if self.outcome else ""
        return f"{at:%Y-%m-%d %H:%M:%S}  {self.who:<24} {self.about:<6} {self.what}{outcome}".rstrip()


def merge_timeline(session: Session, since: datetime, zone: str, code: str = "") -> Iterator[TimelineEntry]:
    """Yield everything since then, oldest first; with ``code`` only what is about that match or tournament. A match's
    own entries follow the command that led to them."""
    deeds = []
    for number, at, sender, state, note in inbox.list_mails_without_effect(session, since, code):
        why = extract_reason(note)
        deeds.append(
            TimelineEntry(
                at, 2, number, f"mail {sender or '?'}", code, f"mail {number}", f"{state}{f': {why}' if why else ''}"
            )
        )
    return merge(_list_commands(session, since, code), _list_log_entries(session, since, zone, code), sorted(deeds))


def _format_actor(row: Audit) -> str:
    """Format who gave a command, and as what: "referee Karl"."""
    return f"{row.by} {row.who}".rstrip()


def _list_commands(session: Session, since: datetime, code: str) -> list[TimelineEntry]:
    return sorted(
        TimelineEntry(
            row.at,
            0,
            row.id or 0,
            _format_actor(row),
            row.about,
            f"{row.action} {row.detail}".rstrip(),
            row.outcome or "done",
        )
        for row in audit.list_audit_since(session, since, code)
    )


def _list_log_entries(session: Session, since: datetime, zone: str, code: str) -> list[TimelineEntry]:
    """List what was written into logs, with the sender of the mail, or whoever gave a command in that moment."""
    given = audit.list_audit_since(session, since)
    typed = {(row.at, row.about): row for row in given if row.by is Actor.CLI}
    mailed = {row.inbox_id: row for row in given if row.inbox_id and row.by in (Actor.MODERATOR, Actor.REFEREE)}
    names: dict[str, list[str]] = {}
    for player in players.list_all_players(session):
        names.setdefault(player.address or "", []).append(player.name)
    seats: dict[int, list[str]] = {}
    begun: set[Cause] = set()
    deeds = []
    for row, match, sender in matches_log.list_events_with_senders(session, since, code):
        if match.number not in seats:
            seats[match.number] = matches.list_names_in_seat_order(session, match.number)
        named = (typed.get((row.at, one)) for one in (match.code, match.name.upper(), ""))
        command = mailed.get(row.inbox_id or 0) or next(filter(None, named), None)
        who = _find_decider(row, command, begun) or ITSELF
        if sender and row.inbox_id not in mailed:
            who = _find_writer(names.get(sender, []), sender, row.seat, seats[match.number])
        entry = replay.LogEntry(row.kind, row.seat, row.text, row.outcome)
        what = " ".join(format_log_entry(entry, seats[match.number], zone).split())
        deeds.append(TimelineEntry(row.at, 1, row.id or 0, who, match.code, f"entry {row.n}: {what}"))
    return sorted(deeds)


def load_deciders(session: Session, match: MatchRow) -> dict[int, str]:
    """Load the chief, referee or command line that caused entries of the match's log, by the entry's number."""
    entries = matches_log.list_events_with_senders(session, EVER, match.code)
    mails = {row.inbox_id for row, _, _ in entries if row.inbox_id is not None}
    given = [
        row for row in audit.list_audit_leading_to(session, match.code, match.name, mails) if row.by is not Actor.PLAYER
    ]
    mailed = {row.inbox_id: row for row in given if row.inbox_id}
    typed = {row.at: row for row in given if row.by is Actor.CLI}
    begun: set[Cause] = set()
    found = {}
    for row, _, _ in entries:
        command = mailed.get(row.inbox_id) if row.inbox_id else typed.get(row.at)
        if who := _find_decider(row, command, begun):
            found[row.n] = who
    return found


Cause = tuple[int, int | datetime]
"""Number of a match, and the mail or the moment that led to an entry of its log."""


def _find_decider(row: EventRow, command: Audit | None, begun: set[Cause]) -> str:
    """Find who caused an entry that a command led to; "" = nobody: what a robot sends or a stored order plays after a
    command is the seat's own. ``begun`` has the causes of the entries before."""
    cause = (row.match_id, row.inbox_id or row.at)
    first = cause not in begun
    begun.add(cause)
    if command is None or (row.kind in OF_A_SEAT and not (first and command.action in GIVES_A_MOVE)):
        return ""
    return _format_actor(command)


def _find_writer(there: list[str], sender: str, seat: int | None, names: list[str]) -> str:
    """Find who caused an entry that a mail led to: what another seat had stored is played when its turn comes.
    ``there``: the players who have the sender's address."""
    if not there:
        return f"mail {sender}"
    if seat is None or not {*there} & {*names}:
        return f"player {' or '.join(there)}"
    return f"player {names[seat]}" if names[seat] in there else ITSELF


def encode_log_entry(entry: LogEntry, names: list[str]) -> dict[str, Any]:
    """Encode the same facts for programs."""
    outcome = entry.outcome
    if entry.kind in (LogEntryKind.ORDER, LogEntryKind.WITHDRAW):
        return {}
    if entry.kind == LogEntryKind.CLOCK:
        return {"why": entry.text, "from": outcome.get("from"), "to": outcome.get("to")}
    if entry.kind == LogEntryKind.UNDO:
        return {"back_to": int(entry.text)}
    if moves := outcome.get("moves", ()):
        named = ({"player": names[one["seat"]], "move": one["played"], "points": one["points"]} for one in moves)
        return {"moves": list(named)}
    return {"text": entry.text} if entry.text else {}


def format_log_entry(entry: LogEntry, names: list[str], zone: str) -> str:
    """Format one entry in words, on the clock of this zone; what only one seat may know is left out."""
    who = names[entry.seat] if entry.seat is not None else ""
    moves = entry.outcome.get("moves", ())
    if entry.kind in (LogEntryKind.ORDER, LogEntryKind.WITHDRAW):
        return f"{entry.kind:<9} {who}"
    if entry.kind == LogEntryKind.CLOCK:
        until = entry.outcome.get("to")
        deadline = format_timestamp(datetime.fromisoformat(until), zone) if until else "none"
        why = "resume" if entry.text == ClockCause.PAUSE_ENDED else entry.text
        return f"{entry.kind:<9} {why}: deadline {deadline}"
    if entry.kind == LogEntryKind.UNDO:
        return f"{entry.kind:<9} back to after entry {entry.text}"
    if not moves:
        return f"{entry.kind:<9} {who} {' '.join(entry.text.split())}".rstrip()
    shown = (f"{names[move['seat']]} {move['played'] or '(nothing)'} {move['points']:+}" for move in moves)
    return f"{entry.kind:<9} {'; '.join(shown)}"
