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

from moderator.common.errors import OperatorError
from moderator.common.text import STATE_MARK, STATE_SEPARATOR, clean_name
from moderator.rules import replay
from moderator.store import key_values, matches, matches_log
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import LiveMatch, build_match_context, load_log_entries, load_match_rules

DIGITS = 10
NAME = 20
"""Letters of a name that are printed."""
_APART = re.compile(r"[\s>|*_]+|::")
"""What mail programs put between or before the pieces of a quoted line."""
_SHAPE = re.compile(r"(\S+) .* · R(\d+) · (\d+) · (.+) · ZAT (\S+) · ([0-9a-f]{10})")


@dataclass(frozen=True)
class VerifiedStateLine:
    """A line that is ours and was true."""

    match: MatchRow
    entry: int
    """Number of the log entry after which it was true; 0 = the deal."""
    at: datetime | None
    """When that was written."""
    later: int
    """Entries since then."""
    undone: bool
    """That entry was taken back later."""


def format_state_line(
    session: Session, match: MatchRow, live: LiveMatch, players: Sequence[PlayerRow], game: str, zone: str
) -> str:
    """Format the line for the match as it stands; ``game`` is what the reader calls the game, ``zone`` the club's."""
    state = live.table.state
    scores = ", ".join(
        f"{_format_line_name(player.name)} {score}" for player, score in zip(players, state.scores, strict=True)
    )
    until = match.deadline.astimezone(ZoneInfo(zone)).isoformat(timespec="minutes") if match.deadline else "-"
    parts = (f"{match.code} {game}", f"R{state.public.round}", str(match.entries), scores, f"ZAT {until}")
    text = _normalize_state_line(STATE_SEPARATOR.join(parts))
    return f"{STATE_MARK} {text}{STATE_SEPARATOR}{sign_state_text(ensure_club_secret(session), text)}"


def ensure_club_secret(session: Session) -> bytes:
    """Return the club's own secret; made when it is first needed."""
    return bytes.fromhex(
        key_values.get_or_create_value(session, key_values.SECRET, lambda: secrets.token_hex(32)).value
    )


def sign_state_text(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), sha256).hexdigest()[:DIGITS]


def verify_state_line(session: Session, line: str) -> VerifiedStateLine:
    """Verify that a line is one of ours, and find when it was true. Raises OperatorError if it is not, was changed, or
    does not agree with the log."""
    text = _normalize_state_line(line)
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise OperatorError("This is no line with the state of a match.", "Copy it whole, from :: to the ten digits.")
    code, round, entry, scores, _, signed = found.groups()
    expected = sign_state_text(ensure_club_secret(session), text.removesuffix(f"{STATE_SEPARATOR}{signed}"))
    if not hmac.compare_digest(signed, expected):
        raise OperatorError(
            "The signature does not fit: this line was changed, or another club wrote it.",
            "Ask for the original mail.",
        )
    number = int(entry)
    match = matches.find_match_by_code(session, code)
    if match is None:
        raise OperatorError(f"There is no match {code} any more.", "See `moderator match list --all`.")
    _check_against_log(session, match, number, int(round), [int(one.rpartition(" ")[2]) for one in scores.split(", ")])
    at = matches_log.find_event_time(session, match.number, number)
    left = {n for n, _ in replay.drop_undone(load_log_entries(session, match))}
    return VerifiedStateLine(
        match, number, at or match.started_at, match.entries - number, bool(number) and number not in left
    )


def _check_against_log(session: Session, match: MatchRow, entry: int, round_number: int, scores: list[int]) -> None:
    """Check that the log says the same. Raises OperatorError."""
    log = load_log_entries(session, match)
    game, options = load_match_rules(match)
    seats = matches.count_seats(session, match)
    tables, _, _ = replay.walk_log(game, seats, options, build_match_context(match), None, log[:entry], check=False)
    then = tables[-1].state
    if entry > len(log) or [*then.scores] != scores or then.public.round != round_number:
        raise OperatorError(
            f"The line is ours, but the log of {match.code} says otherwise about entry {entry}.",
            "Was an older backup restored? See `moderator match check`.",
        )


def _format_line_name(name: str) -> str:
    """Format a name without anything that has a meaning in the line."""
    plain = re.sub(r"[·,:>|*_]+", " ", clean_name(name))
    return " ".join(plain.split())[:NAME].rstrip() or "?"


def _normalize_state_line(line: str) -> str:
    """Normalize the line to what is signed: without marks, quotes and line breaks."""
    return " ".join(_APART.sub(" ", unicodedata.normalize("NFC", line)).strip(" »«“”\"'").split())
