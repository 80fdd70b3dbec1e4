"""Who did what: commands, logs of matches and mails in one order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from heapq import merge

from moderator.match import replay
from moderator.match.replay import Entry
from moderator.states import EntryKind
from moderator.store import audit, events, inbox, players
from moderator.store import matches as seats_of
from moderator.store.db import Session

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

    def __str__(self) -> str:
        outcome = f" -> {self.outcome}" if self.outcome else ""
        return f"{self.at:%Y-%m-%d %H:%M:%S}  {self.who:<24} {self.about:<6} {self.what}{outcome}".rstrip()


def timeline(session: Session, since: datetime, code: str = "") -> Iterator[Deed]:
    """Everything since then, oldest first; with ``code`` what is about that match or tournament only. A match's own
    entries follow the command that led to them."""
    return merge(_commands(session, since, code), _entries(session, since, code), _mails(session, since, code))


def _commands(session: Session, since: datetime, code: str) -> list[Deed]:
    return sorted(
        Deed(
            row.at,
            0,
            row.id or 0,
            f"{row.by} {row.who}".rstrip(),
            row.about,
            f"{row.action} {row.detail}".rstrip(),
            row.outcome or "done",
        )
        for row in audit.since(session, since, code)
    )


def _entries(session: Session, since: datetime, code: str) -> list[Deed]:
    """What was written into logs, by whom its mail was, or whose command was given in that moment."""
    commands = {(row.at, row.about): f"{row.by} {row.who}".rstrip() for row in audit.since(session, since)}
    names = {player.address: player.name for player in players.every(session) if player.address}
    seats: dict[int, list[str]] = {}
    deeds = []
    for row, match, sender in events.with_senders(session, since, code):
        if match.number not in seats:
            seats[match.number] = seats_of.names_at(session, match.number)
        entry = replay.Entry(row.kind, row.seat, row.text, row.outcome)
        who = commands.get((row.at, match.code)) or commands.get((row.at, "")) or ITSELF
        if sender:
            who = _writer(names.get(sender), sender, row.seat, seats[match.number])
        what = " ".join(entry_in_words(entry, seats[match.number]).split())
        deeds.append(Deed(row.at, 1, row.id or 0, who, match.code, f"entry {row.n}: {what}"))
    return sorted(deeds)


def _writer(name: str | None, sender: str, seat: int | None, names: list[str]) -> str:
    """Whose doing an entry is that a mail led to: what another seat had stored is played when its turn comes."""
    if name is None:
        return f"mail {sender}"
    return ITSELF if seat is not None and name in names and name != names[seat] else f"player {name}"


def _mails(session: Session, since: datetime, code: str) -> list[Deed]:
    """Mails that led to neither a command nor an entry, and what became of them."""
    deeds = []
    for number, at, sender, state, note in inbox.without_effect(session, since, code):
        why = note.strip().splitlines()[-1] if note.strip() else ""
        deeds.append(
            Deed(at, 2, number, f"mail {sender or '?'}", code, f"mail {number}", f"{state}{f': {why}' if why else ''}")
        )
    return sorted(deeds)


def entry_in_words(entry: Entry, names: list[str]) -> str:
    """One entry in words; what only one seat may know is left out."""
    who = names[entry.seat] if entry.seat is not None else ""
    moves = entry.outcome.get("moves", ())
    if entry.kind in (EntryKind.ORDER, EntryKind.WITHDRAW):
        return f"{entry.kind:<9} {who}"
    if entry.kind == EntryKind.CLOCK:
        until = entry.outcome.get("to") or "none"
        return f"{entry.kind:<9} {entry.text}: ZAT {until[:16].replace('T', ' ')}"
    if entry.kind == EntryKind.UNDO:
        return f"{entry.kind:<9} back to after entry {entry.text}"
    if not moves:
        return f"{entry.kind:<9} {who} {' '.join(entry.text.split())}".rstrip()
    shown = (f"{names[move['seat']]} {move['played'] or '(nothing)'} {move['points']:+}" for move in moves)
    return f"{entry.kind:<9} {'; '.join(shown)}"
