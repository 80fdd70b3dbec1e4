"""Who did what: commands, logs of matches and mails in one order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from heapq import merge
from typing import Any
from zoneinfo import ZoneInfo

from moderator.match import replay
from moderator.match.replay import Entry
from moderator.pages.dates import stamp
from moderator.states import By, EntryKind
from moderator.store import audit, events, inbox, players
from moderator.store import matches as seats_of
from moderator.store.audit import Audit
from moderator.store.db import Session
from moderator.store.models import Event, Match, reason

GIVES_A_MOVE = frozenset({"move", "match move"})
"""Commands, by mail and typed, that are an order in a player's name."""
OF_A_SEAT = frozenset({EntryKind.MOVE, EntryKind.ORDER})
"""What only a seat's player or robot does, unless such a command did it."""

EVER = datetime(1970, 1, 1, tzinfo=UTC)
ITSELF = "(by itself)"
"""Who did what nobody has done: a deadline, a robot, a stored order."""


@dataclass(frozen=True, order=True)
class Deed:
    """One line."""

    at: datetime
    rank: int
    """Of several at one moment: commands first, then what they led to, then mails."""
    number: int
    who: str = field(compare=False)
    about: str = field(compare=False)
    """Code of a match or tournament; "" = none."""
    what: str = field(compare=False)
    outcome: str = field(default="", compare=False)

    def line(self, zone: str) -> str:
        """As it is printed, on the clock of this zone."""
        at = self.at.astimezone(ZoneInfo(zone))
        outcome = f" -> {self.outcome}" if self.outcome else ""
        return f"{at:%Y-%m-%d %H:%M:%S}  {self.who:<24} {self.about:<6} {self.what}{outcome}".rstrip()


def timeline(session: Session, since: datetime, zone: str, code: str = "") -> Iterator[Deed]:
    """Everything since then, oldest first; with ``code`` what is about that match or tournament only. A match's own
    entries follow the command that led to them."""
    return merge(_commands(session, since, code), _entries(session, since, zone, code), _mails(session, since, code))


def _signed(row: Audit) -> str:
    """Who gave a command, and as what: "referee Karl"."""
    return f"{row.by} {row.who}".rstrip()


def _commands(session: Session, since: datetime, code: str) -> list[Deed]:
    return sorted(
        Deed(
            row.at,
            0,
            row.id or 0,
            _signed(row),
            row.about,
            f"{row.action} {row.detail}".rstrip(),
            row.outcome or "done",
        )
        for row in audit.since(session, since, code)
    )


def _entries(session: Session, since: datetime, zone: str, code: str) -> list[Deed]:
    """What was written into logs, by whom its mail was, or whose command was given in that moment."""
    given = audit.since(session, since)
    typed = {(row.at, row.about): row for row in given if row.by is By.CLI}
    mailed = {row.inbox_id: row for row in given if row.inbox_id and row.by in (By.MODERATOR, By.REFEREE)}
    names: dict[str, list[str]] = {}
    for player in players.every(session):
        names.setdefault(player.address or "", []).append(player.name)
    seats: dict[int, list[str]] = {}
    begun: set[Cause] = set()
    deeds = []
    for row, match, sender in events.with_senders(session, since, code):
        if match.number not in seats:
            seats[match.number] = seats_of.names_at(session, match.number)
        named = (typed.get((row.at, one)) for one in (match.code, match.name.upper(), ""))
        command = mailed.get(row.inbox_id or 0) or next(filter(None, named), None)
        who = _decider(row, command, begun) or ITSELF
        if sender and row.inbox_id not in mailed:
            who = _writer(names.get(sender, []), sender, row.seat, seats[match.number])
        entry = replay.Entry(row.kind, row.seat, row.text, row.outcome)
        what = " ".join(entry_in_words(entry, seats[match.number], zone).split())
        deeds.append(Deed(row.at, 1, row.id or 0, who, match.code, f"entry {row.n}: {what}"))
    return sorted(deeds)


def decided_by(session: Session, match: Match) -> dict[int, str]:
    """Number of an entry of the match's log -> the chief, referee or command line whose doing it is."""
    entries = events.with_senders(session, EVER, match.code)
    mails = {row.inbox_id for row, _, _ in entries if row.inbox_id is not None}
    given = [row for row in audit.leading_to(session, match.code, match.name, mails) if row.by is not By.PLAYER]
    mailed = {row.inbox_id: row for row in given if row.inbox_id}
    typed = {row.at: row for row in given if row.by is By.CLI}
    begun: set[Cause] = set()
    found = {}
    for row, _, _ in entries:
        command = mailed.get(row.inbox_id) if row.inbox_id else typed.get(row.at)
        if who := _decider(row, command, begun):
            found[row.n] = who
    return found


Cause = tuple[int, int | datetime]
"""Number of a match, and the mail or the moment that led to an entry of its log."""


def _decider(row: Event, command: Audit | None, begun: set[Cause]) -> str:
    """Whose doing an entry is that a command led to; "" = nobody's: what a robot sends or a stored order plays after a
    command is the seat's own. ``begun`` has the causes of the entries before."""
    cause = (row.match_id, row.inbox_id or row.at)
    first = cause not in begun
    begun.add(cause)
    if command is None or (row.kind in OF_A_SEAT and not (first and command.action in GIVES_A_MOVE)):
        return ""
    return _signed(command)


def _writer(there: list[str], sender: str, seat: int | None, names: list[str]) -> str:
    """Whose doing an entry is that a mail led to: what another seat had stored is played when its turn comes.
    ``there``: the players who have the sender's address."""
    if not there:
        return f"mail {sender}"
    if seat is None or not {*there} & {*names}:
        return f"player {' or '.join(there)}"
    return f"player {names[seat]}" if names[seat] in there else ITSELF


def _mails(session: Session, since: datetime, code: str) -> list[Deed]:
    """Mails that led to neither a command nor an entry, and what became of them."""
    deeds = []
    for number, at, sender, state, note in inbox.without_effect(session, since, code):
        why = reason(note)
        deeds.append(
            Deed(at, 2, number, f"mail {sender or '?'}", code, f"mail {number}", f"{state}{f': {why}' if why else ''}")
        )
    return sorted(deeds)


def entry_in_values(entry: Entry, names: list[str]) -> dict[str, Any]:
    """The same facts for programs."""
    outcome = entry.outcome
    if entry.kind in (EntryKind.ORDER, EntryKind.WITHDRAW):
        return {}
    if entry.kind == EntryKind.CLOCK:
        return {"why": entry.text, "from": outcome.get("from"), "to": outcome.get("to")}
    if entry.kind == EntryKind.UNDO:
        return {"back_to": int(entry.text)}
    if moves := outcome.get("moves", ()):
        named = ({"player": names[one["seat"]], "move": one["played"], "points": one["points"]} for one in moves)
        return {"moves": list(named)}
    return {"text": entry.text} if entry.text else {}


def entry_in_words(entry: Entry, names: list[str], zone: str) -> str:
    """One entry in words, on the clock of this zone; what only one seat may know is left out."""
    who = names[entry.seat] if entry.seat is not None else ""
    moves = entry.outcome.get("moves", ())
    if entry.kind in (EntryKind.ORDER, EntryKind.WITHDRAW):
        return f"{entry.kind:<9} {who}"
    if entry.kind == EntryKind.CLOCK:
        until = entry.outcome.get("to")
        return f"{entry.kind:<9} {entry.text}: ZAT {stamp(datetime.fromisoformat(until), zone) if until else 'none'}"
    if entry.kind == EntryKind.UNDO:
        return f"{entry.kind:<9} back to after entry {entry.text}"
    if not moves:
        return f"{entry.kind:<9} {who} {' '.join(entry.text.split())}".rstrip()
    shown = (f"{names[move['seat']]} {move['played'] or '(nothing)'} {move['points']:+}" for move in moves)
    return f"{entry.kind:<9} {'; '.join(shown)}"
