"""How one match stands: who has confirmed it, which rulings and letters its players may read, when its turns end; and
all of it in one signed line."""

from __future__ import annotations

import hmac
import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from zoneinfo import ZoneInfo

from moderator.common.enums import ClockStop, LogEntryKind, MailKind
from moderator.common.errors import OperatorError
from moderator.common.text import STATE_MARK, STATE_SEPARATOR, clean_name
from moderator.language.messages import render_note
from moderator.notifications.pages import LetterView
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.rules.table import list_active_seats
from moderator.rules.time import calendar, clock
from moderator.rules.time.clock import Span, TurnSchedule, compute_first_day, to_local_day
from moderator.store import key_values, matches, matches_log, outbox, questions
from moderator.store.database import Session
from moderator.store.matches import OVER
from moderator.store.tables import LetterRow, MatchRow, PlayerRow, SeatRow
from moderator.store.tournaments import find_pairing_of_match
from moderator.views.loaded_match import LiveMatch, build_match_context, load_log_entries, load_match_rules
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from moderator.words.house_rulings import HouseRuling


@dataclass(frozen=True)
class AwaitedSeats:
    """The seats that a match waits for, and until when."""

    work: UnitOfWork
    match: MatchRow
    live: LiveMatch

    def list_unconfirmed(self) -> list[int]:
        """List the seats of people who have not said yet that a match that was moved in stands here as it stood
        elsewhere: its log says so. None where nobody is asked."""
        if self.match.stopped != ClockStop.CONFIRM:
            return []
        self.work.session.flush()
        said: dict[int, bool] = {}
        for _, entry in replay.drop_undone(load_log_entries(self.work.session, self.match)):
            if entry.seat is not None and entry.kind in (LogEntryKind.CONFIRM, LogEntryKind.HAND_OVER):
                said[entry.seat] = entry.kind == LogEntryKind.CONFIRM and not entry.text
        players = self.work.list_players(self.match)
        return [seat for seat in list_active_seats(self.live.table) if not players[seat].robot and not said.get(seat)]

    def build_base_schedules(self) -> dict[int, TurnSchedule]:
        """Build for each awaited person's seat the ends of its turn, as they were when the turn began."""
        if self.match.turn_at is None:
            return {}
        players, zone = self.work.list_players(self.match), self.work.config.club.zone
        began = compute_first_day(self.match.turn_at, self.live.terms, zone)
        return {
            seat: clock.build_turn_schedule(
                began, self.live.terms, zone, self.live.ledger.seats[seat].bank, self._list_counting_leaves(seat)
            )
            for seat in self.live.seats_to_act
            if not players[seat].robot
        }

    def _list_counting_leaves(self, seat: int) -> tuple[Span, ...]:
        """List the seat's leaves that count for the turn that began at ``match.turn_at``."""
        if self.match.turn_at is None or not self.live.terms.leave:
            return ()
        return calendar.list_counting_leaves(
            self.work.cache.list_player_leaves(self.work.session, self.work.list_players(self.match)[seat].number),
            self.match.turn_at,
        )

    def build_schedules(self) -> dict[int, TurnSchedule]:
        """Build for each awaited person's seat the ends of its turn as they are now: put off by as much as the match's
        deadline was."""
        found = self.build_base_schedules()
        if self.match.deadline is None or not found:
            return {}
        zone = self.work.config.club.zone
        later = (
            to_local_day(self.match.deadline, zone) - to_local_day(clock.merge_schedules(found.values()).zat, zone)
        ).days
        if later <= 0 or self.match.turn_at is None:
            return found
        began = self.match.turn_at
        return {
            seat: clock.shift_schedule(plan, began, later, self.live.terms, zone, self._list_counting_leaves(seat))
            for seat, plan in found.items()
        }

    def compute_seat_deadline(self, seat: int) -> datetime | None:
        """Compute the deadline as a seat's mails name it: the ZAT, and for a seat that has missed it the end of its
        extra days and grace."""
        found = self.match.deadline
        if found is not None and self.work.now > found and seat in self.live.seats_awaited:
            plan = self.build_schedules().get(seat)
            found = plan.final if plan else found
        return limit_to_latest_end(self.work.session, self.work.now, self.match, found)

    def compute_final_deadline(self) -> datetime | None:
        """Compute when the last of the missing seats is late; the ZAT if no seat is missing; None without a
        deadline."""
        if self.match.deadline is None:
            return None
        found = self.build_schedules()
        return max(
            (found[seat].final for seat in self.live.seats_awaited if seat in found), default=self.match.deadline
        )

    def list_unreachable(self) -> list[PlayerRow]:
        """List the awaited players whose mail comes back."""
        players = self.work.list_players(self.match)
        return [players[seat] for seat in self.live.seats_to_act if players[seat].undeliverable]


# ---- rulings on words that hold in one match alone, as far as its players may know them ----
#
# A word that somebody wanted to lay tells about a rack. So a ruling on one that was asked about is told when it lies on
# the table, or the match is over; any other at once.


def build_ruling_notes(session: Session, cache: MatchCache, match: MatchRow, live: LiveMatch) -> tuple[Note, ...]:
    """Return notes on the rulings in force that the players of the match may know, as they stand among what was
    agreed."""
    if not live.game.uses_words:
        return ()
    rulings = cache.list_match_rulings(match.code, live.options)
    return tuple(
        build_ruling_note("agreed-word", one) for one in rulings if is_ruling_public(session, match, one, live)
    )


def build_ruling_note(code: str, ruling: HouseRuling) -> Note:
    """Return a note: ``code`` with what was ruled, and whether a reason was given."""
    word, why = ruling.word.removeprefix("="), "-why" if ruling.reason else ""
    return Note(f"{code}-{ruling.ruling}{why}", {"word": word, "reason": ruling.reason})


def is_ruling_public(session: Session, match: MatchRow, ruling: HouseRuling, live: LiveMatch) -> bool:
    """Return whether a ruling gives away nothing of a rack."""
    word = ruling.to_key(live.options.policy)
    asked = questions.is_word_asked(session, match.number, word)
    return not asked or match.status in OVER or word in _collect_laid_words(session, match)


def _collect_laid_words(session: Session, match: MatchRow) -> set[str]:
    """Return all words that moves of the match have formed."""
    moves = [move for entry in load_log_entries(session, match) for move in entry.outcome.get("moves", ())]
    return {one["word"] for move in moves for one in move.get("detail", {}).get("words", ())}


def limit_to_latest_end(session: Session, now: datetime, match: MatchRow, deadline: datetime | None) -> datetime | None:
    """Return the deadline, or the latest end of a game of a tournament where that comes before it: nothing is played
    any more then."""
    row = find_pairing_of_match(session, match.number) if deadline and match.tournament_id is not None else None
    if deadline is None or row is None or row.ends_at is None or row.ends_at <= now:
        return deadline
    return min(deadline, row.ends_at)


# ---- letters of players as their readers see them, with a report or in the daily mail


MODERATOR = -1
"""In ``LetterRow.seats``: to the referee, who got it at once."""
TICK = timedelta(microseconds=1)
WITH_PRESS = (MailKind.START, MailKind.TURN, MailKind.END, MailKind.CORRECTION)
"""Mails that letters go with."""


def build_letter_views(
    work: UnitOfWork, match: MatchRow, rows: Iterable[LetterRow], seat: int | None, new_holders: Iterable[int] = ()
) -> tuple[LetterView, ...]:
    """Return the letters that this seat may read, its own among them; None = a watcher, who reads what is for all.
    ``new_holders``: seats that somebody else has taken over since: what was written to a seat before is not for its
    new holder."""
    players = work.list_players(match)
    you = None if seat is None else players[seat].number
    language = work.config.club.language if seat is None else players[seat].language
    new = set(new_holders)
    items = []
    for row in rows:
        own = you is not None and row.player_id == you
        if own or not row.seats or (seat in row.seats and seat not in new):
            by = work.session.get_one(PlayerRow, row.player_id).name
            items.append(LetterView(by, row.text, _list_addressee_names(row, players, language), own))
    return tuple(items)


def list_letters_for_digest(
    work: UnitOfWork, player: PlayerRow, places: Iterable[tuple[MatchRow, SeatRow | None]], since: datetime
) -> tuple[LetterView, ...]:
    """Return the letters that a player who wants one mail a day has not read yet: those that went with reports since
    then of which no mail was made for the player. No seat: the player watches."""
    found: list[LetterView] = []
    for match, seat in places:
        letters = questions.list_letters_delivered_since(work.session, match.number, since)
        rows = [row for row in letters if row.delivered_at != row.at]
        if not rows:
            continue
        read = outbox.load_creation_times(work.session, match.number, player.number, WITH_PRESS)
        rows = [row for row in rows if row.delivered_at and not {row.delivered_at, row.delivered_at - TICK} & read]
        items = build_letter_views(work, match, rows, None if seat is None else seat.number)
        found += [replace(item, match=match.code) for item in items]
    return tuple(found)


def _list_addressee_names(row: LetterRow, players: Sequence[PlayerRow], language: str) -> tuple[str, ...]:
    """Return the names of the addressees; () = all."""
    return tuple(
        render_note(Note("to-the-moderator"), language) if n == MODERATOR else players[n].name
        for n in row.seats
        if n < len(players)
    )


# ---- one signed line at the end of each report that says how the match stands, so that nobody need remember or dispute
#
# ``:: K7Q2 Topwords · R5 · 17 · Anna 34, Bert 28 · ZAT 2026-12-01T20:00+01:00 · 3f9a1c2b44``: code and game, round,
# entries of the log, points, deadline on the club's clock, and ten digits of an HMAC-SHA256 over the rest. The key is
# the club's own secret; it never leaves the database. However a mail program wraps or quotes the line, it can be
# checked.


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
            "The signature does not fit: this line was changed, or another club wrote it.", "Ask for the original mail."
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
