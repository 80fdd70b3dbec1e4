"""The daily mail: every match where it is the player's turn, and a line for what else has happened since the last one.

Who wants it gets no mail for each turn and no reminders; answers, beginnings, ends and corrections come at once all the
same. A turn begins for such a player when the mail server has accepted the daily mail (see clock.accepted).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended, log_of
from moderator.club.tournaments.view import Seen
from moderator.errors import OperatorError
from moderator.match.contract import Note
from moderator.match.happened import NEXT_DEAL, RoundEnded
from moderator.match.replay import Entry, effective
from moderator.match.result import Result
from moderator.match.time.calendar import local, local_day
from moderator.outbox import press
from moderator.outbox.asked import shown
from moderator.outbox.match_pages import match_page
from moderator.outbox.post import new_page, reader
from moderator.outbox.tell import Said, To, now, reads
from moderator.pages.content import Daily
from moderator.pages.messages import label, sentence
from moderator.pages.pages import MoveReport, Page, Reply
from moderator.pages.tournament_view import TournamentView
from moderator.states import EntryKind, MailKind, MatchStatus
from moderator.store import bystanders, events, outbox, tournaments
from moderator.store.matches import seats_in, seats_of
from moderator.store.models import Event, Match, Player, Seat
from moderator.store.press import matches_delivered_to

TOLD = frozenset(
    {
        EntryKind.MOVE,
        EntryKind.MISS,
        EntryKind.EVALUATE,
        EntryKind.RETIRE,
        EntryKind.HAND_OVER,
        EntryKind.STOP,
        EntryKind.UNDO,
    }
)
"""Entries of a match's log that are news."""


def next_hour(desk: Desk, player: Player) -> datetime:
    """When the next daily mail is due: the club's hour in the player's zone, the next time that it comes."""
    place, hour = ZoneInfo(player.zone), desk.config.club.digest_hour
    day = local_day(desk.now, player.zone)
    for later in range(3):
        moment = local(day + timedelta(days=later), hour, place)
        if moment > desk.now:
            return moment
    raise AssertionError("the hour comes every day")


def switch(desk: Desk, player: Player, on: bool) -> None:
    """Begin or stop; who asks for it again keeps the time of the next one, who stops it gets what has waited for it."""
    if on and player.digest and player.digest_at is not None:
        return
    if player.digest and not on:
        send(desk, player.number)
    player.digest = on
    player.digest_at = next_hour(desk, player) if on else None
    desk.session.add(player)


def send(desk: Desk, player_id: int) -> bool:
    """Make one player's daily mail; False if there was nothing to say, or nobody to say it to."""
    player = desk.session.get_one(Player, player_id)
    since = _since(desk, player)
    player.digest_at = next_hour(desk, player)
    desk.session.add(player)
    if not reads(player, MailKind.DIGEST):
        return False
    parts, news = _matches(desk, player, since)
    lettered = seats_in(desk.session, player.number, matches_delivered_to(desk.session, player.number, since))
    letters = press.for_daily(desk, player, [*lettered, *_followed(desk, player)], since)
    tournaments = _tournaments(desk, player, since)
    if not parts and not news and not letters and not tournaments:
        return False
    answer = reply(desk, player, parts)
    page = new_page(
        desk,
        MailKind.DIGEST,
        reader(player),
        reply=answer,
        content=Daily(parts, tournaments),
        notes=news,
        press=letters,
    )
    now(desk, To(player), page)
    return True


def _since(desk: Desk, player: Player) -> datetime:
    """What happened after that was in no daily mail yet."""
    begun = min(player.digest_at or desk.now, desk.now) - timedelta(days=1)
    last = outbox.last_made(desk.session, player.number, MailKind.DIGEST, desk.now)
    return max(begun, last) if last else begun


def _matches(desk: Desk, player: Player, since: datetime) -> tuple[tuple[Page, ...], tuple[Note, ...]]:
    """The pages of the matches that wait for the player, the nearest ZAT first, and what is new in the others."""
    parts: list[tuple[datetime, Page]] = []
    news: list[Note] = []
    for match, seat in [*seats_of(desk.session, player.number), *_followed(desk, player)]:
        if match.status != MatchStatus.RUNNING:
            continue
        try:
            live = desk.cache.live(desk.session, match)
        except (Suspended, OperatorError):  # the operator knows; the other matches are not kept waiting
            continue
        if seat is not None and seat.number in live.missing:
            entries = _entries(desk, match, since)
            moves, watchers = _moves(desk, match, seat.number, entries), _new_watchers(desk, match, since)
            said = Said(moves, watchers, happened=_rounds_ended(entries))
            page = match_page(desk, live, match, seat, MailKind.TURN, said)
            parts.append((page.deadline or desk.now, page))
        elif note := _news(desk, match, live, seat, since):
            news.append(note)
    return tuple(page for _, page in sorted(parts, key=lambda pair: pair[0])), tuple(news)


def _tournaments(desk: Desk, player: Player, since: datetime) -> tuple[TournamentView, ...]:
    """The tables of the player's tournaments in which a game has ended since then."""
    found = tournaments.moved_since(desk.session, player.number, since)
    return tuple(Seen(desk, tournament).view("table", player) for tournament in found)


def _followed(desk: Desk, player: Player) -> list[tuple[Match, None]]:
    return [(match, None) for match in bystanders.watched(desk.session, player.number)]


def _entries(desk: Desk, match: Match, since: datetime) -> list[Event]:
    """What has moved the match since then, but for what was taken back."""
    kinds = (EntryKind.MOVE, EntryKind.MISS, EntryKind.EVALUATE)
    kept = {number for number, _ in effective(log_of(desk.session, match))}
    return [event for event in events.rows(desk.session, match.number, kinds, since) if event.n in kept]


def _moves(desk: Desk, match: Match, you: int, entries: Sequence[Event]) -> tuple[MoveReport, ...]:
    """What was played, as everybody may know it: the moves of the reader's own were answered at once."""
    players = desk.players(match)
    return tuple(
        MoveReport(seat=move.seat, name=players[move.seat].name, played=move.played, points=move.points)
        for event in entries
        for move in shown(Entry(event.kind, event.seat, outcome=event.outcome), Result.from_json(event.outcome))
        if event.kind != EntryKind.MISS and move.played and move.seat != you
    )


def _rounds_ended(entries: Sequence[Event]) -> tuple[RoundEnded, ...]:
    """Those after which another one was dealt."""
    return tuple(
        RoundEnded(note["params"]["round"] - 1)
        for event in entries
        for note in event.outcome.get("notes", ())
        if note["code"].startswith(NEXT_DEAL)
    )


def _new_watchers(desk: Desk, match: Match, since: datetime) -> tuple[Note, ...]:
    names = [player.name for row, player in bystanders.watchers_of(desk.session, match.number) if row.since > since]
    return (Note("watched-by", {"names": names}),) if names else ()


def _news(desk: Desk, match: Match, live: LiveMatch, seat: Seat | None, since: datetime) -> Note | None:
    """What happened last in a match that does not wait for the player, if that is new."""
    last = events.last(desk.session, match.number, TOLD, since)
    if last is None or (seat is not None and last.kind == EntryKind.MOVE and last.seat == seat.number):
        return None
    players = desk.players(match)
    facts: dict[str, Any] = {
        "match": match.code,
        "title": match.name,
        "awaited": [players[seat].name for seat in live.missing],
        "deadline": match.deadline or "",
    }
    code = "digest-news" if facts["awaited"] else "digest-news-waits"
    if (
        last.kind == EntryKind.MOVE
        and last.seat is not None
        and last.seat in live.last
        and live.table.pace == "sequential"
    ):
        move, points = live.last[last.seat]
        facts |= {"who": players[last.seat].name, "move": move, "points": points}
        code = "digest-news-move" if facts["awaited"] else "digest-news-waits"
    return Note(code, facts)


def reply(desk: Desk, player: Player, parts: tuple[Page, ...]) -> Reply:
    """An answer to the club's own address, with a line for each match to write the moves under."""
    language = player.language
    name = sentence(Note("digest-heading"), language)
    room = "".join(f"{name} {part.match.code}:\n\n\n" for part in parts if part.match)
    marker = label("marker", language)
    return Reply(desk.config.mail.address, "", f"\n{room}{marker}\n{label('reply-hint', language)}\n" if room else "")
