"""One line at the end of each report that says how the match stands, signed, so that nobody need remember or dispute.

``:: K7Q2 Topwords · R5 · 17 · Anna 34, Bert 28 · ZAT 2026-12-01T20:00+01:00 · 3f9a1c2b44``: code and game, round,
entries of the log, points, deadline on the club's clock, and ten digits of an HMAC-SHA256 over the rest. The key is the
club's own secret; it never leaves the database. However a mail program wraps or quotes the line, it can be checked.
"""

from __future__ import annotations

import hmac
import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from zoneinfo import ZoneInfo

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, context_of, log_of, rules_of
from moderator.errors import OperatorError
from moderator.match import replay
from moderator.pages.flow import BETWEEN, MARK
from moderator.printable import clean_name
from moderator.store import events, key_values, matches
from moderator.store.db import Session
from moderator.store.models import Match, Player

DIGITS = 10
NAME = 20
"""Letters of a name that are printed."""
_APART = re.compile(r"[\s>|*_]+|::")
"""What mail programs put between or before the pieces of a quoted line."""
_SHAPE = re.compile(r"(\S+) .* · R(\d+) · (\d+) · (.+) · ZAT (\S+) · ([0-9a-f]{10})")


@dataclass(frozen=True)
class Checked:
    """A line that is ours and was true."""

    match: Match
    entry: int
    """Number of the log entry after which it was true; 0 = the deal."""
    at: datetime | None
    """When that was written."""
    later: int
    """Entries since then."""
    undone: bool
    """That entry was taken back later."""


def state_line(session: Session, match: Match, live: LiveMatch, players: Sequence[Player], game: str, zone: str) -> str:
    """The line for the match as it stands; ``game`` is what the reader calls the game, ``zone`` the club's."""
    state = live.table.state
    scores = ", ".join(f"{_name(player.name)} {score}" for player, score in zip(players, state.scores, strict=True))
    until = match.deadline.astimezone(ZoneInfo(zone)).isoformat(timespec="minutes") if match.deadline else "-"
    parts = (f"{match.code} {game}", f"R{state.public.round}", str(match.entries), scores, f"ZAT {until}")
    text = _plain(BETWEEN.join(parts))
    return f"{MARK} {text}{BETWEEN}{signature(secret(session), text)}"


def secret(session: Session) -> bytes:
    """The club's own, made when it is first needed."""
    return bytes.fromhex(key_values.made_once(session, key_values.SECRET, lambda: secrets.token_hex(32)).value)


def signature(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), sha256).hexdigest()[:DIGITS]


def check(desk: Desk, line: str) -> Checked:
    """Whether a line is one of ours, and when it was true. Raises OperatorError if it is not, was changed, or does not
    agree with the log."""
    text = _plain(line)
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise OperatorError("This is no line with the state of a match.", "Copy it whole, from :: to the ten digits.")
    code, round, entry, scores, _, signed = found.groups()
    expected = signature(secret(desk.session), text.removesuffix(f"{BETWEEN}{signed}"))
    if not hmac.compare_digest(signed, expected):
        raise OperatorError(
            "The signature does not fit: this line was changed, or another club wrote it.",
            "Ask for the original mail.",
        )
    number = int(entry)
    match = matches.by_code(desk.session, code)
    if match is None:
        raise OperatorError(f"There is no match {code} any more.", "See `moderator match list --all`.")
    _compare(desk, match, number, int(round), [int(one.rpartition(" ")[2]) for one in scores.split(", ")])
    at = events.time_of(desk.session, match.number, number)
    left = {n for n, _ in replay.effective(log_of(desk.session, match))}
    return Checked(match, number, at or match.started_at, match.entries - number, bool(number) and number not in left)


def _compare(desk: Desk, match: Match, entry: int, round: int, scores: list[int]) -> None:
    """The log must say the same. Raises OperatorError."""
    log = log_of(desk.session, match)
    game, options = rules_of(match)
    seats = len(desk.seated(match))
    tables, _, _ = replay.walk(game, seats, options, context_of(match), None, log[:entry], check=False)
    then = tables[-1].state
    if entry > len(log) or [*then.scores] != scores or then.public.round != round:
        raise OperatorError(
            f"The line is ours, but the log of {match.code} says otherwise about entry {entry}.",
            "Was an older backup restored? See `moderator match check`.",
        )


def _name(name: str) -> str:
    """A name without anything that has a meaning in the line."""
    plain = re.sub(r"[·,:>|*_]+", " ", clean_name(name))
    return " ".join(plain.split())[:NAME].rstrip() or "?"


def _plain(line: str) -> str:
    """The line as it is signed: without marks, quotes and line breaks."""
    return " ".join(_APART.sub(" ", unicodedata.normalize("NFC", line)).strip(" »«“”\"'").split())
