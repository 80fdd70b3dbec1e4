"""The log of a match: its entries, which of them hold, and what came of an order, as values that are recorded with it
and replayed against."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from moderator.common.enums import LogEntryKind
from moderator.common.errors import NeverLegal, PlayerError
from moderator.rules.state import Note


@dataclass(frozen=True)
class Refusal:
    """An alternative that could not be played, and why."""

    alternative: int
    """1 = the main move, 2 = the first fallback."""
    text: str
    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    final: bool = field(default=False, compare=False)
    """No other board would make it legal. It is not recorded."""


@dataclass(frozen=True)
class PlayedMove:
    """The move that one seat's order led to."""

    seat: int
    text: str
    """The whole order as it was given; "" = none."""
    played: str | None = None
    """Canonical notation; None = nothing legal was sent."""
    alternative: int = 0
    """1 = the main move; 0 = nothing."""
    points: int = 0
    detail: Mapping[str, Any] = field(default_factory=dict)
    """The game's details, e.g. {"words": [{"word": "HAUS", "points": 8}]}."""
    refused: tuple[Refusal, ...] = ()
    notes: tuple[Note, ...] = ()
    """Of this move: bonuses, draws, differing claims."""
    laid: bool = True
    """Pace ``common``: whether this move lies on the board now."""
    same: int = 0
    """Pace ``common``: how many other seats sent the same move."""

    @property
    def reported_notes(self) -> tuple[Note, ...]:
        """The notes as they are reported: a seat that sent only what was not possible has not sent nothing, and one
        that sent nothing has not passed."""
        if self.played is not None:
            return self.notes
        codes = {note.code for note in self.notes}
        not_so = "missed" if "missed" in codes else "passed"
        code = "missed-tried" if self.text else "missed"
        return tuple(replace(note, code=code) if note.code == not_so else note for note in self.notes)

    def list_forced_notes(self) -> tuple[Note, ...]:
        """List what happened to a seat that plays no more: not that it sent nothing."""
        return tuple(note for note in self.reported_notes if note.code not in ("missed", "missed-tried"))

    @property
    def public_text(self) -> str:
        """The move as others read it: of tiles that were put back only their number; "" = none."""
        back = [note.params["count"] for note in self.notes if note.code == "exchanged" and "count" in note.params]
        return f"{(self.played or '').split()[0]} {back[0]}" if self.played and back else self.played or ""


@dataclass(frozen=True)
class EngineResult:
    """Outcome of one log entry. Plain values only, so that ``from_json(to_json()) == self``."""

    moves: tuple[PlayedMove, ...] = ()
    notes: tuple[Note, ...] = ()
    """What happened besides the moves: end of a round, end of the game."""
    undecided: tuple[str, ...] = ()
    """Words that the moderator must rule on first; if there are any, nothing was played."""
    verdicts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Every verdict that was asked for: {word: {"ruling": …}}."""
    forced: bool = False
    """Undecided words were taken as refused."""

    def sum_points_at_end(self, seat: int) -> int:
        """Return the points of a seat besides those of its move."""
        return sum(note.points for note in self.notes if note.seat == seat)

    @property
    def counted(self) -> tuple[PlayedMove, ...]:
        """The moves of a round that was evaluated, as they are told: what a seat made when the round ended came of a
        move that brought nothing by itself."""
        return tuple(
            replace(move, points=more)
            if move.played and not move.points and (more := self.sum_points_at_end(move.seat)) > 0
            else move
            for move in self.moves
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "moves": [_encode_played_move(move) for move in self.moves],
            "notes": [encode_note(note) for note in self.notes],
            "undecided": list(self.undecided),
            "verdicts": to_plain_value(self.verdicts),
            "forced": self.forced,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> EngineResult:
        """Return a result from JSON values. Missing keys mean that nothing happened; keys that are not ours are left
        out."""
        return cls(
            moves=tuple(_decode_played_move(move) for move in values.get("moves", ())),
            notes=tuple(decode_note(note) for note in values.get("notes", ())),
            undecided=tuple(values.get("undecided", ())),
            verdicts=dict(values.get("verdicts", {})),
            forced=values.get("forced", False),
        )


def build_refusal(alternative: int, text: str, error: PlayerError) -> Refusal:
    return Refusal(alternative, text, error.code, to_plain_value(error.params), isinstance(error, NeverLegal))


def to_plain_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return the notes with params that are as JSON gives them back."""
    return tuple(Note(n.code, to_plain_value(n.params), n.seat, n.points, n.only) for n in notes)


def encode_note(note: Note) -> dict[str, Any]:
    values = {"code": note.code, "params": to_plain_value(note.params), "seat": note.seat, "points": note.points}
    return {**values, "only": note.only}


def decode_note(values: Mapping[str, Any]) -> Note:
    return Note(
        values["code"], values.get("params", {}), values.get("seat"), values.get("points", 0), values.get("only")
    )


def _encode_played_move(move: PlayedMove) -> dict[str, Any]:
    return {
        "seat": move.seat,
        "text": move.text,
        "played": move.played,
        "alternative": move.alternative,
        "points": move.points,
        "detail": to_plain_value(move.detail),
        "refused": [
            {"alternative": r.alternative, "text": r.text, "code": r.code, "params": to_plain_value(r.params)}
            for r in move.refused
        ],
        "notes": [encode_note(note) for note in move.notes],
        "laid": move.laid,
        "same": move.same,
    }


def _decode_played_move(values: Mapping[str, Any]) -> PlayedMove:
    return PlayedMove(
        seat=values["seat"],
        text=values["text"],
        played=values["played"],
        alternative=values["alternative"],
        points=values["points"],
        detail=values.get("detail", {}),
        refused=tuple(Refusal(**refused) for refused in values.get("refused", ())),
        notes=tuple(decode_note(note) for note in values.get("notes", ())),
        laid=values.get("laid", True),
        same=values.get("same", 0),
    )


# ---- plain values ----
#
# Values as JSON gives them back, so that what is recorded equals what is replayed.


_ATOMS = frozenset({type(None), str, int, float, bool})
"""Looked up first: every move that is played again asks for some dozen values."""


def to_plain_value(value: Any) -> Any:
    """Return ``value`` made of dicts, lists, texts, numbers, booleans and None only: tuples become lists, keys texts,
    sets sorted lists. Raises TypeError for anything else (that would be our bug)."""
    if type(value) in _ATOMS or isinstance(value, str | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_value(item) for item in value]
    if isinstance(value, Set):
        return sorted(to_plain_value(item) for item in value)
    raise TypeError(f"{value!r} cannot be recorded as JSON")


ASIDE = frozenset(
    {
        LogEntryKind.EXCUSE,
        LogEntryKind.CLOCK,
        LogEntryKind.NOTICE,
        LogEntryKind.PROTEST,
        LogEntryKind.RULING,
        LogEntryKind.MOVE_IN,
        LogEntryKind.CONFIRM,
    }
)
"""Kinds that leave the table as it is, and that nothing takes back. What MOVE_IN brought lies there from the start."""


@dataclass(frozen=True)
class LogEntry:
    """One line of the log."""

    kind: LogEntryKind
    seat: int | None = None
    """None for what concerns no seat."""
    text: str = ""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """``EngineResult.to_json()``; other keys ("clock", see time/clock.py) are left aside; empty = not recorded."""


def drop_undone(entries: Iterable[LogEntry]) -> list[tuple[int, LogEntry]]:
    """Return (number, entry) of each entry that was not undone; entries that only tell something are never undone."""
    log = tuple(enumerate(entries, start=1))
    if all(entry.kind != LogEntryKind.UNDO for _, entry in log):
        return list(log)
    kept: list[tuple[int, LogEntry]] = []
    past = [kept]
    for number, entry in log:
        if entry.kind == LogEntryKind.UNDO:
            # An undo may be undone: then what it took back holds again, so each moment's list is kept.
            told = [pair for pair in kept if pair[1].kind in ASIDE]
            kept = sorted(
                {pair[0]: pair for pair in (*past[int(entry.text)], *told)}.values(), key=lambda pair: pair[0]
            )
        else:
            kept = [*kept, (number, entry)]
        past.append(kept)
    return kept
