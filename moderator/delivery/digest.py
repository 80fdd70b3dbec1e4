"""The daily mail: every match where it is the player's turn, and a line for what else has happened since the last one.

Who wants it gets no mail for each turn and no reminders; answers, beginnings, ends and corrections come at once all the
same. A turn begins for such a player when the mail server has accepted the daily mail (see clock.accepted).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from moderator.common.enums import LogEntryKind, MailKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.language.messages import render_label, render_note
from moderator.notifications.content import MoveView, ReplyAddress, TournamentView
from moderator.notifications.pages import DigestNotification, MailPayload, Page
from moderator.rules.events import NEXT_DEAL, RoundEnded
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry, drop_undone
from moderator.rules.result import EngineResult
from moderator.service import round_letters
from moderator.settings import Config
from moderator.store import matches_log, tournaments
from moderator.store.database import Session
from moderator.store.matches import list_current_seats, list_seats_in_matches
from moderator.store.players import list_watched_matches, list_watchers
from moderator.store.questions import load_matches_with_letters
from moderator.store.tables import EventRow, MatchRow, PlayerRow, SeatRow
from moderator.views.history import list_visible_moves
from moderator.views.loaded_match import LiveMatch, MatchSuspended, load_log_entries
from moderator.views.mail_pages import build_club_page, build_player_reader
from moderator.views.match_view import build_match_view
from moderator.views.tournament_view import TournamentReader
from moderator.views.unit_of_work import UnitOfWork

TOLD = frozenset(
    {
        LogEntryKind.MOVE,
        LogEntryKind.MISS,
        LogEntryKind.EVALUATE,
        LogEntryKind.RETIRE,
        LogEntryKind.HAND_OVER,
        LogEntryKind.STOP,
        LogEntryKind.UNDO,
    }
)
"""Entries of a match's log that are news."""


def build_daily_page(work: UnitOfWork, player: PlayerRow, since: datetime) -> Page | None:
    """Build one player's daily mail. None = there is nothing to say."""
    parts, news = _collect_match_pages(work, player, since)
    lettered = list_seats_in_matches(
        work.session, player.number, load_matches_with_letters(work.session, player.number, since)
    )
    letters = round_letters.list_letters_for_digest(
        work, player, [*lettered, *_list_watched_matches(work.session, player)], since
    )
    tournaments = _list_moved_tournaments(work, player, since)
    if not parts and not news and not letters and not tournaments:
        return None
    return build_club_page(
        work.config,
        work.now,
        MailKind.DIGEST,
        build_player_reader(player),
        reply=build_digest_reply(work.config, player, parts),
        content=DigestNotification(parts, tournaments),
        notes=news,
        press=letters,
    )


def _collect_match_pages(
    work: UnitOfWork, player: PlayerRow, since: datetime
) -> tuple[tuple[Page, ...], tuple[Note, ...]]:
    """Return the pages of the matches that wait for the player, the nearest deadline first, and notes about what is new
    in the others."""
    parts: list[tuple[datetime, Page]] = []
    news: list[Note] = []
    for match, seat in [*list_current_seats(work.session, player.number), *_list_watched_matches(work.session, player)]:
        if match.status != MatchStatus.RUNNING:
            continue
        try:
            live = work.cache.load_match(work.session, match)
        except (MatchSuspended, OperatorError):  # the operator knows; the other matches are not kept waiting
            continue
        if seat is not None and seat.number in live.seats_wanted:
            entries = _list_new_entries(work.session, match, since)
            moves, watchers = (
                _list_new_moves(work, match, seat.number, entries),
                _build_watcher_notes(work.session, match, since),
            )
            said = MailPayload(moves, watchers, happened=_list_ended_rounds(entries))
            page = build_match_view(work, live, match, seat, MailKind.TURN, said)
            parts.append((page.deadline or work.now, page))
        elif note := _find_match_news(work, match, live, seat, since):
            news.append(note)
    return tuple(page for _, page in sorted(parts, key=lambda pair: pair[0])), tuple(news)


def _list_moved_tournaments(work: UnitOfWork, player: PlayerRow, since: datetime) -> tuple[TournamentView, ...]:
    """Return the tables of the player's tournaments in which a game has ended since then."""
    found = tournaments.list_tournaments_moved_since(work.session, player.number, since)
    return tuple(TournamentReader(work, tournament).build_view("table", player) for tournament in found)


def _list_watched_matches(session: Session, player: PlayerRow) -> list[tuple[MatchRow, None]]:
    return [(match, None) for match in list_watched_matches(session, player.number)]


def _list_new_entries(session: Session, match: MatchRow, since: datetime) -> list[EventRow]:
    """Return the log entries that have moved the match since then, without those that were undone."""
    kinds = (LogEntryKind.MOVE, LogEntryKind.MISS, LogEntryKind.EVALUATE)
    kept = {number for number, _ in drop_undone(load_log_entries(session, match))}
    return [event for event in matches_log.list_match_events(session, match.number, kinds, since) if event.n in kept]


def _list_new_moves(work: UnitOfWork, match: MatchRow, you: int, entries: Sequence[EventRow]) -> tuple[MoveView, ...]:
    """Return the moves of others as everybody may know them: the reader's own were answered at once."""
    players = work.list_players(match)
    return tuple(
        MoveView(seat=move.seat, name=players[move.seat].name, played=move.played, points=move.points)
        for event in entries
        for move in list_visible_moves(
            LogEntry(event.kind, event.seat, outcome=event.outcome), EngineResult.from_json(event.outcome)
        )
        if event.kind != LogEntryKind.MISS and move.played and move.seat != you
    )


def _list_ended_rounds(entries: Sequence[EventRow]) -> tuple[RoundEnded, ...]:
    """Return the ends of rounds after which another round was dealt."""
    return tuple(
        RoundEnded(note["params"]["round"] - 1)
        for event in entries
        for note in event.outcome.get("notes", ())
        if note["code"].startswith(NEXT_DEAL)
    )


def _build_watcher_notes(session: Session, match: MatchRow, since: datetime) -> tuple[Note, ...]:
    names = [player.name for row, player in list_watchers(session, match.number) if row.since > since]
    return (Note("watched-by", {"names": names}),) if names else ()


def _find_match_news(
    work: UnitOfWork, match: MatchRow, live: LiveMatch, seat: SeatRow | None, since: datetime
) -> Note | None:
    """Return a note about the last event of a match that does not wait for the player; None if that is not new."""
    last = matches_log.find_last_event(work.session, match.number, TOLD, since)
    if last is None or (seat is not None and last.kind == LogEntryKind.MOVE and last.seat == seat.number):
        return None
    players = work.list_players(match)
    facts: dict[str, Any] = {
        "match": match.code,
        "title": match.name,
        "awaited": [players[seat].name for seat in live.seats_wanted],
        "deadline": match.deadline or "",
    }
    code = "digest-news" if facts["awaited"] else "digest-news-waits"
    if (
        last.kind == LogEntryKind.MOVE
        and last.seat is not None
        and live.last.get(last.seat, ("", None))[0]
        and live.table.pace == "sequential"
    ):
        move, points = live.last[last.seat]
        facts |= {"who": players[last.seat].name, "move": move, "points": points}
        code = "digest-news-move" if facts["awaited"] else "digest-news-waits"
    return Note(code, facts)


def build_digest_reply(config: Config, player: PlayerRow, parts: tuple[Page, ...]) -> ReplyAddress:
    """Return a reply to the club's own address, with a line for each match to write the moves under."""
    language = player.language
    name = render_note(Note("digest-heading"), language)
    room = "".join(f"{name} {part.match.code}:\n\n\n" for part in parts if part.match)
    marker = render_label("marker", language)
    return ReplyAddress(
        config.mail.address, "", f"\n{room}{marker}\n{render_label('reply-hint', language)}\n" if room else ""
    )
