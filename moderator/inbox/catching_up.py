"""After a backlog: each player is told in one mail of everything that outbox/tell.py has kept, instead of in a flood.

A row and the mail that it becomes part of change places in one transaction, so a run that dies is continued by the
next one, which still catches up while such rows wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended
from moderator.club.referees import chief
from moderator.club.spelling import game_name as game_name
from moderator.commands.call import Call, Request
from moderator.commands.declaration import players
from moderator.errors import OperatorError
from moderator.inbox.answer import carry_out
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.match.decision import NotDone
from moderator.outbox import digest
from moderator.outbox.match_pages import match_page, watch_page
from moderator.outbox.post import new_page, official_page, personal_reply, reader, reply_to
from moderator.outbox.tell import MOST_MAILS, DeferredCommand, Said, To, from_json, now
from moderator.pages.content import CaughtUp
from moderator.pages.pages import LineRead, MatchInfo, Page, PressItem, Receipt
from moderator.people.identify import Identity
from moderator.states import MailKind, MatchStatus
from moderator.store import deferred_news, events
from moderator.store.matches import seats_in, seats_of
from moderator.store.models import DeferredNews, Inbox, Match, Player, Seat

MOST_NOTICES = 50
"""Of one sort in one mail to the moderator."""
MODERATOR = 0
"""In place of a player's id."""


@dataclass(frozen=True)
class Item:
    """One row and what it says."""

    row: DeferredNews
    said: Said


def readers(desk: Desk) -> list[int]:
    """Whom something waits for; MODERATOR stands for the moderator."""
    return [MODERATOR if player is None else player for player in deferred_news.readers(desk.session)]


def tell(desk: Desk, player_id: int) -> bool:
    """Make the one mail for a player, or for the moderator."""
    rows = deferred_news.rows(desk.session, player_id or None)
    deferred_news.remove(desk.session, rows)
    items = [Item(row, from_json(row.said)) for row in rows]
    if player_id == MODERATOR:
        _tell_moderator(desk, items)
        return bool(items)
    player = desk.session.get_one(Player, player_id)
    asked = [item for item in items if item.row.kind == MailKind.ASKED]
    happened = _as_it_stands(desk, [item for item in items if item.row.kind != MailKind.ASKED])
    happened += _answer(desk, player, asked, {item.row.match_id for item in happened} - {None})
    if len(happened) == 1:
        _ordinary(desk, player, happened[0])
    elif happened:
        merged(desk, player, [(item.row, item.said) for item in happened])
    return bool(items)


def _as_it_stands(desk: Desk, items: Sequence[Item]) -> list[Item]:
    """Without what was undone later: nobody has read of it."""
    matches = {item.row.match_id for item in items if item.said.reports and item.row.match_id is not None}
    undone = events.undone(desk.session, matches)
    kept = []
    for item in items:
        row, said = item.row, item.said
        if any(match == row.match_id and back < row.entry < n for match, n, back in undone):
            if not said.receipt and not said.press:
                continue
            item = replace(item, said=replace(said, reports=(), notes=(), happened=()))
        kept.append(item)
    return kept


def _answer(desk: Desk, player: Player, items: Iterable[Item], told: Iterable[int | None]) -> list[Item]:
    """Carry out what asks for a mail, each thing once, as things stand now. Returns what could not be done, and what
    the mail about the match shows."""
    last: dict[tuple[object, ...], tuple[Item, DeferredCommand]] = {}
    for item in items:
        if (asked := item.said.asked) is not None:
            match = item.row.match_id if asked.placed else None
            last[match, asked.name, asked.argument.casefold()] = item, asked
    rest: list[Item] = []
    for item, asked in last.values():
        if asked.placed and players()[asked.name].in_match_mail and item.row.match_id in told:
            continue
        if failed := _carry_out(desk, player, item.row, asked):
            rest.append(Item(_answering(item.row, asked), Said(receipt=Receipt(NotDone(), tuple(failed)))))
    return rest


def _answering(row: DeferredNews, asked: DeferredCommand) -> DeferredNews:
    """In place of the row of a command that could not be done."""
    match = row.match_id if asked.placed else None
    kind = MailKind.DONE if match is None else MailKind.RECEIPT
    return DeferredNews(player_id=row.player_id, match_id=match, inbox_id=row.inbox_id, kind=kind, at=row.at)


def _carry_out(desk: Desk, player: Player, row: DeferredNews, asked: DeferredCommand) -> list[LineRead]:
    """Lines that say why it could not be done; [] = a mail has been made."""
    mail = desk.session.get_one(Inbox, row.inbox_id) if row.inbox_id else None
    match, seat = _place(desk, player, row)
    apart = replace(desk, mail=mail)
    request = Request(players()[asked.name], Line(asked.number, asked.text), asked.argument)
    try:
        live = desk.cache.live(desk.session, match) if match and asked.placed else None
    except Suspended:  # the moderator knows; a mail about the match comes when it goes on
        return []
    writer = Identity(player, match, seat, asked.whole)
    call = Call(apart, writer, request, match, seat, live) if live else Call(apart, writer, request)
    done, lines = carry_out(call)
    return [] if done.mailed else list(lines)


def _place(desk: Desk, player: Player, row: DeferredNews) -> tuple[Match | None, Seat | None]:
    """The row's match, and the player's seat in it (None = the player watches)."""
    if row.match_id is None:
        return None, None
    found = seats_in(desk.session, player.number, [row.match_id])
    return found[0] if found else (desk.session.get_one(Match, row.match_id), None)


def _ordinary(desk: Desk, player: Player, item: Item) -> None:
    """There is only one thing to tell: the mail that it would have been, with the match as it stands now."""
    row, said = item.row, item.said
    match, seat = _place(desk, player, row)
    page = _plain_page(desk, player, item, match, seat)
    if page is None and match is not None and (match.status == MatchStatus.RUNNING or row.kind == MailKind.NEWS):
        page = _match_page(desk, player, item, match, seat)
    if page is None:
        merged(desk, player, [(row, said)])
        return
    answers = row.inbox_id is not None and (said.receipt is not None or row.kind == MailKind.UNREAD)
    apart = replace(desk, mail=desk.session.get_one(Inbox, row.inbox_id) if answers else None)
    where = match if seat or page.watching else None
    news = bool(said.reports or said.press)
    now(apart, To(player, where, seat), page, answers=answers, once=news)


def _plain_page(desk: Desk, player: Player, item: Item, match: Match | None, seat: Seat | None) -> Page | None:
    """A mail without board; None = one about a match."""
    if item.row.kind not in (MailKind.DONE, MailKind.UNREAD) and match is not None:
        return None
    reply = personal_reply(desk, player, match, seat)
    kind, said = item.row.kind, item.said
    kind = kind if kind in (MailKind.UNREAD, MailKind.NEWS) else MailKind.DONE
    values = {"notes": said.notes, "press": said.press, "receipt": said.receipt}
    return new_page(desk, kind, reader(player), reply=reply, **values)


def _match_page(desk: Desk, player: Player, item: Item, match: Match, seat: Seat | None) -> Page | None:
    """None for a match that cannot go on."""
    try:
        live = desk.cache.live(desk.session, match)
    except Suspended:
        return None
    said, kind = item.said, item.row.kind
    if seat is not None:
        return match_page(desk, live, match, seat, kind, said)
    return watch_page(desk, live, match, player, kind, said)


def _tell_moderator(desk: Desk, items: Sequence[Item]) -> None:
    """All notices in one mail; of many of one sort the first, and how many more there are."""
    sorts: dict[str, list[Note]] = {}
    for item in items:
        for note in item.said.notes:
            sorts.setdefault(note.code, []).append(note)
    notes: list[Note] = []
    for same in sorts.values():
        notes += same[:MOST_NOTICES]
        if len(same) > MOST_NOTICES:
            notes.append(Note("backlog-more-notices", {"count": len(same) - MOST_NOTICES}))
    letters = tuple(letter for item in items for letter in item.said.press)
    if notes or letters:
        now(desk, To(), official_page(desk, MailKind.NOTICE, chief(desk), notes=tuple(notes), press=letters))


# ---- the mail to a player ----
#
# The one mail to a player after a backlog: what became of each of his mails, and his matches as they stand now.


MOST_LINES = 400
"""Of the player's mails so many are answered for; the rest is counted, and so are mails beyond MOST_MAILS."""
_NEVER = datetime.max.replace(tzinfo=UTC)

Rows = Sequence[tuple[DeferredNews, Said]]


def merged(desk: Desk, player: Player, rows: Rows) -> None:
    """Make the mail."""
    parts = _parts(desk, player, rows)
    turns = tuple(part for part in parts if part.your_turn)
    titles = {part.match.code: part.match for part in parts if part.match}
    mails, more = _mails(desk, player, rows, titles)
    alone = _alone(desk, player, rows, turns)
    reply = reply_to(desk, alone[0].code, alone[1].token) if alone else digest.reply(desk, player, turns)
    page = new_page(
        desk,
        MailKind.BACKLOG,
        reader(player),
        reply=reply,
        content=CaughtUp(parts, mails),
        notes=tuple(
            note for row, said in rows if row.kind == MailKind.NEWS and not row.match_id for note in said.notes
        ),
        press=_letters(desk, rows),
        remarks=(Note("backlog-why"), *((Note("backlog-more-mails", {"count": more}),) if more else ())),
    )
    match, seat = alone or (None, None)
    # It answers the last of the mails, so that it counts for the daily cap as any answer does.
    last = max((row.inbox_id for row, said in rows if said.receipt and row.inbox_id), default=None)
    apart = replace(desk, mail=desk.session.get_one(Inbox, last) if last else None)
    news = any(said.reports or said.press for _, said in rows)
    now(apart, To(player, match, seat), page, answers=last is not None, once=news)


def _alone(desk: Desk, player: Player, rows: Rows, turns: Sequence[Page]) -> tuple[Match, Seat] | None:
    """The only match and seat that the mail is about; None = there are several, or none."""
    matches = {row.match_id for row, _ in rows}
    found = seats_in(desk.session, player.number, [number for number in matches if number is not None])
    codes = {part.match.code for part in turns if part.match}
    return found[0] if len(matches) == len(found) == 1 and codes <= {found[0][0].code} else None


def _parts(desk: Desk, player: Player, rows: Rows) -> tuple[Page, ...]:
    """A page for each match that waits for the player, the nearest ZAT first, then one for each in which something has
    happened. Who wants a daily mail reads there of matches without news."""
    said: dict[int, list[Said]] = {}
    for row, one in rows:
        if row.match_id is not None:
            said.setdefault(row.match_id, []).append(one)
    places: list[tuple[Match, Seat | None]] = list(seats_of(desk.session, player.number))
    over = said.keys() - {match.number for match, _ in places}
    places = sorted([*places, *seats_in(desk.session, player.number, over)], key=lambda place: place[0].number)
    seated = {match.number for match, _ in places}
    places += [(desk.session.get_one(Match, number), None) for number in said if number not in seated]
    found = []
    for match, seat in places:
        news = _together(said.get(match.number, ()))
        page = _part(desk, player, match, seat, news, match.number in said)
        if page is not None and (match.number in said or (page.your_turn and not player.digest)):
            found.append(page)
    found.sort(key=lambda page: (not page.your_turn, page.deadline or _NEVER))
    return tuple(found)


def _together(said: Sequence[Said]) -> Said:
    """What happened at one match, told at once."""
    notes = {repr(note): note for one in said for note in one.notes}
    since = [one.since for one in said if one.since is not None]
    reports = tuple(report for one in said for report in one.reports)
    happened = tuple(dict.fromkeys(each for one in said for each in one.happened))
    return Said(reports=reports, notes=tuple(notes.values()), since=min(since, default=None), happened=happened)


def _part(desk: Desk, player: Player, match: Match, seat: Seat | None, news: Said, told: bool) -> Page | None:
    """One match as it stands now, with what happened; None = it has nothing to do with the mail."""
    if match.status != MatchStatus.RUNNING and not told:
        return None
    kind: MailKind = MailKind.END if match.status == MatchStatus.FINISHED else MailKind.TURN
    try:
        live: LiveMatch = desk.cache.live(desk.session, match)
    except (Suspended, OperatorError):  # the moderator knows; the other matches are not kept waiting
        return replace(_bare(desk, player, match), reports=news.reports, notes=news.notes) if told else None
    if seat is None:
        page = watch_page(desk, live, match, player, kind, news)
    else:
        page = match_page(desk, live, match, seat, kind, news)
    open_ = seat is not None and match.status == MatchStatus.RUNNING
    return replace(page, reply=page.reply if open_ else None)


def _bare(desk: Desk, player: Player, match: Match) -> Page:
    """A match that cannot be shown."""
    game = game_name(match.game, player.language)
    info = MatchInfo(match.code, match.name, match.game, game, "sequential", 0)
    names = tuple(seated.name for seated in desk.players(match))
    return new_page(desk, MailKind.TURN, reader(player), match=info, names=names)


def _mails(desk: Desk, player: Player, rows: Rows, known: dict[str, MatchInfo]) -> tuple[tuple[Page, ...], int]:
    """What became of each mail of the player's, oldest first, and of how many it is not said."""
    found: list[Page] = []
    lines = more = 0
    for row, said in rows:
        if said.receipt is None and row.kind not in (MailKind.UNREAD, MailKind.DONE):
            continue
        lines += len(said.receipt.lines) if said.receipt else 1
        if len(found) == MOST_MAILS or (found and lines > MOST_LINES):
            more += 1
            continue
        found.append(_mail(desk, player, row, said, known))
    return tuple(found), more


def _mail(desk: Desk, player: Player, row: DeferredNews, said: Said, known: dict[str, MatchInfo]) -> Page:
    match = desk.session.get_one(Match, row.match_id) if row.match_id else None
    info = (known.get(match.code) or _bare(desk, player, match).match) if match else None
    facts = {"at": row.at, "match": match.code if match else "", "title": match.name if match else ""}
    return new_page(
        desk,
        MailKind.RECEIPT
        if match and row.kind != MailKind.UNREAD
        else MailKind.UNREAD
        if row.kind == MailKind.UNREAD
        else MailKind.DONE,
        reader(player),
        match=info,
        receipt=said.receipt,
        standing=said.receipt.standing if said.receipt else "",
        notes=said.notes if row.kind in (MailKind.UNREAD, MailKind.DONE) else (),
        remarks=(Note("backlog-mail-about" if match else "backlog-mail", facts),),
        names=tuple(seated.name for seated in desk.players(match)) if match else (),
    )


def _letters(desk: Desk, rows: Rows) -> tuple[PressItem, ...]:
    found = []
    for row, said in rows:
        code = desk.session.get_one(Match, row.match_id).code if row.match_id and said.press else ""
        found += [replace(item, match=code) for item in said.press]
    return tuple(found)
