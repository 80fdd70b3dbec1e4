"""Letters of players as their readers see them, with a report or in the daily mail."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from moderator.common.enums import MailKind
from moderator.language.messages import render_note
from moderator.notifications.pages import LetterView
from moderator.rules.game import Note
from moderator.store import outbox, questions
from moderator.store.tables import LetterRow, MatchRow, PlayerRow, SeatRow
from moderator.views.unit_of_work import UnitOfWork

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
