"""Press: players' words to others of their match, with the next report or at once, and never to anybody else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import Impossible, PlayerError
from moderator.common.message_files import load_distinct_words, load_word_pattern, normalize_spelling
from moderator.common.text import clean_line
from moderator.language.messages import render_note
from moderator.notifications.content import ReplyAddress
from moderator.notifications.pages import LetterView
from moderator.rules.game import Note
from moderator.service.notifications import notify_reader, notify_staff_with_page
from moderator.store import questions
from moderator.store.database import Session
from moderator.store.players import list_watchers
from moderator.store.tables import LetterRow, MatchRow, PlayerRow, SeatRow
from moderator.views.links import build_personal_reply, build_player_page, build_staff_page
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_state import MODERATOR, TICK, build_letter_views
from moderator.views.match_view import build_public_match_view
from moderator.views.people import MatchCharge, UnclearName, get_chief, resolve_name_index
from moderator.views.unit_of_work import Recipient, UnitOfWork

LONGEST = 4000
"""Characters of a letter."""
DAILY = 10
"""Letters of a player in a day."""
TO_CHIEF, TO_REFEREE = "to-the-moderator", "to-the-referee"
"""What a letter's addressee is called when he reads it."""
HERE = Path(__file__).parent
_NOW, _NOW_BEHIND, _TO = (load_word_pattern(HERE, f"press-{key}") for key in ("now", "now-behind", "to"))
NOW, TO, ALL = (load_word_pattern(HERE, f"press-line-{key}") for key in ("now", "to", "all"))
"""Regular expressions for a line that is a letter for sure, even without a colon: ``sofort``, ``an``, ``alle``."""
_HEAD = re.compile(
    rf"\s*(?P<now>{_NOW}\b\s*,?\s*)?(?:{_TO}\s+)?(?P<names>.*?)"
    rf"(?P<later>\s*,?\s*\(?\b{_NOW_BEHIND}\)?)?\s*",
    re.IGNORECASE | re.DOTALL,
)
_ALL, _MODERATOR = load_distinct_words(HERE, "press-all", "press-moderator")
_ARTICLE = re.compile(rf"{load_word_pattern(HERE, 'press-article')}\s+", re.IGNORECASE)
_BETWEEN = re.compile(rf"\s*(?:[,;&+]|\b{load_word_pattern(HERE, 'press-and')}\b)\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Addressees:
    """The readers of a letter. ``seats``: their numbers; with ``everybody`` all but the writer."""

    seats: tuple[int, ...] = ()
    everybody: bool = False
    moderator: bool = False
    at_once: bool = False


def parse_addressees(text: str, players: Sequence[PlayerRow], you: int) -> Addressees:
    """Parse the addressees of a letter: ``sofort an Anna und Bert``. Raises PlayerError("press-to-whom",
    "press-unknown", "press-ambiguous", "press-to-yourself", "press-to-a-robot", "press-to-nobody")."""
    found = _HEAD.fullmatch(text)
    names = found["names"].strip(" .") if found else ""
    if found is None or not names:
        raise PlayerError("press-to-whom", names=_list_other_names(players, you))
    seats: list[int] = []
    everybody = to_moderator = False
    for name in _split_names(names, players):
        key = _normalize_name(_ARTICLE.sub("", name))
        seat = _find_addressed_seat(name, players, you, keyword=key in _ALL | _MODERATOR)
        everybody, to_moderator = everybody or (seat is None and key in _ALL), to_moderator or key in _MODERATOR
        seats += [] if seat is None else [seat]
    others = [n for n, player in enumerate(players) if n != you and not player.robot]
    if everybody and not others:
        raise PlayerError("press-to-nobody")
    at_once = bool(found["now"] or found["later"])
    return Addressees(tuple(dict.fromkeys(seats)), everybody, to_moderator, at_once)


def _split_names(names: str, players: Sequence[PlayerRow]) -> list[str]:
    """Split a list of names; a player's name may itself hold a word or sign that separates names."""
    whole = {player.name_key for player in players}
    return [names] if names.casefold() in whole else [part for part in _BETWEEN.split(names) if part.strip()]


def _find_addressed_seat(name: str, players: Sequence[PlayerRow], you: int, keyword: bool) -> int | None:
    """Return the seat of that name, or of the only name that begins so; None for ``keyword``, if no player has that
    name. Raises PlayerError."""
    if keyword:
        if _normalize_name(name) in (_normalize_name(player.name) for player in players):
            raise PlayerError("press-ambiguous", name=name, names=_list_other_names(players, you))
        return None
    try:
        found = resolve_name_index(name, [player.name for player in players])
    except UnclearName as error:
        if error.several:
            raise PlayerError("press-ambiguous", name=name, names=error.names) from None
        raise PlayerError("press-unknown", name=name, names=_list_other_names(players, you)) from None
    if found == you:
        raise PlayerError("press-to-yourself")
    if players[found].robot:
        raise PlayerError("press-to-a-robot", name=players[found].name)
    return found


def _normalize_name(text: str) -> str:
    return normalize_spelling(clean_line(text))


def _list_other_names(players: Sequence[PlayerRow], you: int) -> list[str]:
    return [player.name for n, player in enumerate(players) if n != you and not player.robot]


def sanitize_letter(lines: Iterable[str]) -> str:
    """Return a letter as it is stored: no control or direction characters, single blanks, line by line. Raises
    PlayerError("press-empty", "press-too-long")."""
    text = "\n".join(clean_line(line, 10 * LONGEST) for line in lines).strip()
    if not text.strip(". …"):  # dots that a button has put there
        raise PlayerError("press-empty")
    if len(text) > LONGEST:
        raise PlayerError("press-too-long", length=len(text), most=LONGEST)
    return text


@dataclass(frozen=True)
class MatchLetters:
    """The letters of one match."""

    work: UnitOfWork
    match: MatchRow

    def write_letter(self, live: LiveMatch, seat: int, player: PlayerRow, to: Addressees, text: str) -> bool:
        """Store a letter until the next report, or deliver it now. Returns True if it has gone out. Raises
        Impossible("press-too-many")."""
        at_once = to.at_once or self.match.status != MatchStatus.RUNNING
        seats = [] if to.everybody else [*to.seats, *([MODERATOR] if to.moderator else [])]
        others = to.everybody or bool(to.seats)
        row = _save_letter(
            self.work.session, self.work.now, self.match, player, seats, text, delivered=at_once or not others
        )
        if to.moderator:
            _notify_staff_in_charge(self.work, self.match, player, text)
        if at_once and others:
            self._deliver_letter(live, seat, row)
        return at_once or not others

    def _deliver_letter(self, live: LiveMatch, by: int, row: LetterRow) -> None:
        """Send each addressee a mail of its own; a letter to all goes to the watchers, too."""
        addressed: list[tuple[SeatRow | None, PlayerRow]] = [
            (seat, player)
            for seat, player in self.work.list_seated(self.match)
            if seat.number != by and (not row.seats or seat.number in row.seats)
        ]
        if not row.seats:
            addressed += [(None, player) for _, player in list_watchers(self.work.session, self.match.number)]
        for seat, player in addressed:
            if player.address is None:
                continue
            page = build_player_page(
                self.work,
                MailKind.NEWS,
                player,
                match=build_public_match_view(self.match, live, player.language),
                reply=build_personal_reply(self.work.session, self.work.config, player, self.match, seat),
                press=build_letter_views(self.work, self.match, (row,), seat.number if seat else None),
            )
            notify_reader(self.work, Recipient(player, self.match, seat), page)


def _save_letter(
    session: Session, now: datetime, match: MatchRow, player: PlayerRow, seats: list[int], text: str, *, delivered: bool
) -> LetterRow:
    """Store a letter, unless there are too many today. ``mark_delivered``: it does not wait for the next report. Raises
    Impossible("press-too-many")."""
    session.flush()  # those of the same mail count, too
    if questions.count_letters_written(session, player.number, now - timedelta(days=1)) >= DAILY:
        raise Impossible("press-too-many", most=DAILY)
    row = LetterRow(match_id=match.number, player_id=player.number, seats=seats, text=text, at=now)
    row.delivered_at = now if delivered else None
    session.add(row)
    return row


def forward_question_to_staff(work: UnitOfWork, match: MatchRow | None, player: PlayerRow, text: str) -> None:
    """Forward a player's question to the referee of the match, or to the chief; in a match it counts as a letter.
    Raises Impossible("press-too-many")."""
    if match is not None:
        _save_letter(work.session, work.now, match, player, [MODERATOR], text, delivered=True)
    _notify_staff_in_charge(work, match, player, text)


def _notify_staff_in_charge(work: UnitOfWork, match: MatchRow | None, player: PlayerRow, text: str) -> None:
    who = MatchCharge(work, match).find_staff() if match else get_chief(work.config)
    item = LetterView(player.name, text, (render_note(Note(TO_CHIEF if who.is_chief else TO_REFEREE), who.language),))
    facts = {"match": match.code, "match_name": match.name} if match else {}
    note = Note("press-for-you" if match else "question-for-you", {**facts, "address": player.address})
    # Answered by a reply, which goes to the player: nothing of the staff's own stands in the subject.
    reply = ReplyAddress(player.address or work.config.mail.address, "")
    page = build_staff_page(work, MailKind.NOTICE, who, reply=reply, notes=(note,), press=(item,))
    notify_staff_with_page(work, who, page)


def mark_delivered(session: Session, now: datetime, rows: Iterable[LetterRow]) -> None:
    """Mark the letters as delivered, because the report with them is on its way. (A letter that went at once has
    ``delivered_at`` = ``at``.)"""
    for row in rows:
        row.delivered_at = max(now, row.at + TICK)
        session.add(row)
