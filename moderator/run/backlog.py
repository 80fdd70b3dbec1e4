"""After a backlog each player is told in one mail of all that delivery/deliver.py has kept, instead of in a flood.

A row and the mail that it becomes part of change places in one transaction, so a run that dies is continued by the
next one, which still catches up while such rows wait.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from moderator.commands.declaration import CommandContext, CommandLine, get_player_commands
from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import OperatorError, StoreError, TransientError
from moderator.common.mails import Line
from moderator.delivery.deliver import MOST_MAILS, decode_payload, deliver_notifications, merge_payloads
from moderator.inbox.decide import run_command
from moderator.language.spelling import get_game_name as get_game_name
from moderator.notifications.pages import (
    BacklogNotification,
    LineOutcome,
    MailPayload,
    MatchView,
    Page,
    PendingCommand,
    Receipt,
)
from moderator.rules.game import Note
from moderator.rules.outcomes import CommandRefused
from moderator.rules.time.calendar import to_local_day
from moderator.service.notifications import notify_reader
from moderator.store import club_tables, matches_log
from moderator.store.database import Session, translate_database_errors
from moderator.store.inbox import has_mail_from
from moderator.store.matches import list_current_seats, list_seats_in_matches
from moderator.store.tables import DeferredNews, InboxRow, MatchRow, PlayerRow, SeatRow, Tournament
from moderator.views.links import build_personal_reply, build_player_page, build_reply_address, build_staff_page
from moderator.views.loaded_match import LiveMatch, MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.match_view import MatchReader
from moderator.views.people import get_chief
from moderator.views.unit_of_work import MatchNews, News, Recipient, TournamentNews, UnitOfWork

MOST_NOTICES = 50
"""Of one sort in one mail to the moderator."""
MODERATOR = 0
"""In place of a player's id."""


DeferredItem = tuple[DeferredNews, MailPayload]
"""A row of deferred news, and what it says."""


def list_backlog_readers(session: Session) -> list[int]:
    """Return the players for whom something waits; MODERATOR stands for the moderator."""
    return [MODERATOR if player is None else player for player in club_tables.list_deferred_readers(session)]


def notify_after_backlog(work: UnitOfWork, player_id: int) -> bool:
    """Tell a player, or the moderator, by one mail. Returns False if there was nothing to tell."""
    rows = club_tables.list_deferred_news(work.session, player_id or None)
    items = _take_items(work.session, rows)
    if player_id == MODERATOR:
        _notify_moderator(work, items)
        return bool(items)
    BacklogMail(work, work.session.get_one(PlayerRow, player_id)).notify_of_items(items)
    return bool(items)


def retry_failed_mails(work: UnitOfWork) -> None:
    """Try once more to make the mails that our own code could not make, each by itself, as things stand now. What fails
    again stays kept; the operator knows of it."""
    rows = club_tables.list_failed_news(work.session)
    for row in rows:
        try:
            with translate_database_errors(work.config.database), work.begin_savepoint():
                items = _drop_undone_items(work.session, _take_items(work.session, [row]))
                if row.player_id is None:
                    _notify_moderator(work, items)
                for item in items if row.player_id else ():
                    BacklogMail(work, work.session.get_one(PlayerRow, row.player_id)).notify_of_item(item)
                deliver_notifications(work, known_faults={row.fault for row in rows})
        except (StoreError, TransientError):
            raise
        except Exception:
            continue


def _take_items(session: Session, rows: Sequence[DeferredNews]) -> list[DeferredItem]:
    """Read the rows, and delete them: what they say is told now."""
    club_tables.delete_deferred_news(session, rows)
    return [(row, decode_payload(row.said)) for row in rows]


def _drop_undone_items(session: Session, items: Sequence[DeferredItem]) -> list[DeferredItem]:
    """Return the items without what was undone later: nobody has read of it."""
    matches = {row.match_id for row, said in items if said.reports and row.match_id is not None}
    undone = matches_log.list_undo_events(session, matches)
    kept = []
    for row, said in items:
        if any(match == row.match_id and back < row.entry < n for match, n, back in undone):
            if not said.receipt and not said.press:
                continue
            said = replace(said, reports=(), notes=(), happened=())
        kept.append((row, said))
    return kept


MOST_LINES = 400
"""Of the player's mails so many are answered for; the rest is counted, and so are mails beyond MOST_MAILS."""
_NEVER = datetime.max.replace(tzinfo=UTC)

Rows = Sequence[DeferredItem]


@dataclass(frozen=True)
class BacklogMail:
    """The one mail to a player after a backlog: what became of each of his mails, and his matches as they stand now."""

    work: UnitOfWork
    player: PlayerRow

    def notify_of_items(self, items: Sequence[DeferredItem]) -> None:
        asked = [item for item in items if item[0].kind == MailKind.ASKED]
        happened = _drop_undone_items(self.work.session, [item for item in items if item[0].kind != MailKind.ASKED])
        happened += self._run_deferred_commands(asked, {row.match_id for row, _ in happened} - {None})
        if len(happened) == 1 and not _count_days_away(happened):
            self.notify_of_item(happened[0])
        elif happened:
            self._notify_of_merged_items(happened)

    def _run_deferred_commands(self, items: Iterable[DeferredItem], told: Iterable[int | None]) -> list[DeferredItem]:
        """Carry out what asks for a mail, each thing once, as things stand now. Returns what could not be done. What
        the mail about the match shows anyway (matches in ``told``) is left out."""
        last: dict[tuple[object, ...], tuple[DeferredNews, PendingCommand]] = {}
        for row, said in items:
            if (asked := said.asked) is not None:
                match = row.match_id if asked.placed else None
                last[match, asked.name, asked.argument.casefold()] = row, asked
        rest: list[DeferredItem] = []
        for row, asked in last.values():
            if asked.placed and get_player_commands()[asked.name].in_match_mail and row.match_id in told:
                continue
            if failed := self._run_deferred_command(row, asked):
                refused = MailPayload(receipt=Receipt(CommandRefused(), tuple(failed)))
                rest.append((_build_refusal_row(row, asked), refused))
        return rest

    def _run_deferred_command(self, row: DeferredNews, asked: PendingCommand) -> list[LineOutcome]:
        """Run one deferred command. Returns the lines that say why it could not be done; [] = a mail has been made."""
        mail = self.work.session.get_one(InboxRow, row.inbox_id) if row.inbox_id else None
        match, seat = self._get_row_place(row)
        apart = replace(self.work, mail=mail)
        request = CommandLine(get_player_commands()[asked.name], Line(asked.number, asked.text), asked.argument)
        try:
            live = self.work.cache.load_match(self.work.session, match) if match and asked.placed else None
        except MatchSuspended:  # the moderator knows; a mail about the match comes when it goes on
            return []
        call = CommandContext(apart, self.player, request, whole=asked.whole)
        if live:
            call = replace(call, match=match, seat=seat, live=live)
        done, lines = run_command(call)
        return [] if done.mailed else list(lines)

    def _get_row_place(self, row: DeferredNews) -> tuple[MatchRow | None, SeatRow | None]:
        """Return the row's match, and the player's seat in it (None = the player watches)."""
        if row.match_id is None:
            return None, None
        found = list_seats_in_matches(self.work.session, self.player.number, [row.match_id])
        return found[0] if found else (self.work.session.get_one(MatchRow, row.match_id), None)

    def notify_of_item(self, item: DeferredItem) -> None:
        """Tell the player the only thing that there is to tell, by the mail that it would have been, with the match as
        it stands now."""
        row, said = item
        match, seat = self._get_row_place(row)
        news: News | None = self._build_plain_page(item, match, seat)
        where = match if seat else None
        if news is None and match is not None and _is_renderable(self.work.session, self.work.cache, match, row):
            news, where = MatchNews(row.kind, said), match
        if said.tournament is not None:
            about = self.work.session.get_one(Tournament, said.tournament.number)
            news = TournamentNews(about, said.tournament.topic, said.notes)
        if news is None:
            self._notify_of_merged_items([item])
            return
        answers = row.inbox_id is not None and (said.receipt is not None or row.kind == MailKind.UNREAD)
        apart = replace(self.work, mail=self.work.session.get_one(InboxRow, row.inbox_id) if answers else None)
        once = bool(said.reports or said.press)
        notify_reader(apart, Recipient(self.player, where, seat), news, answers=answers, once=once, waited=True)

    def _build_plain_page(self, item: DeferredItem, match: MatchRow | None, seat: SeatRow | None) -> Page | None:
        """Return a mail without board; None = it is one about a match."""
        row, said = item
        if row.kind not in (MailKind.DONE, MailKind.UNREAD) and match is not None:
            return None
        reply = build_personal_reply(self.work.session, self.work.config, self.player, match, seat)
        kind = row.kind if row.kind in (MailKind.UNREAD, MailKind.NEWS) else MailKind.DONE
        values = {"notes": said.notes, "press": said.press, "receipt": said.receipt}
        return build_player_page(self.work, kind, self.player, reply=reply, **values)

    def _notify_of_merged_items(self, rows: Rows) -> None:
        parts = self._build_match_parts(rows)
        titles = {part.match.code: part.match for part in parts if part.match}
        mails, more = self._build_mail_pages(rows, titles)
        alone = self._find_only_place(rows, parts)
        reply = (
            build_reply_address(self.work.config, alone[0].code, alone[1].token)
            if alone
            else build_personal_reply(self.work.session, self.work.config, self.player)
        )
        away = _count_days_away(rows)
        since = self.work.now - timedelta(days=away)
        silent = away > 0 and not has_mail_from(self.work.session, self.player.address or "", since)
        letters = []
        for row, said in rows:
            code = self.work.session.get_one(MatchRow, row.match_id).code if row.match_id and said.press else ""
            letters += [replace(item, match=code) for item in said.press]
        page = build_player_page(
            self.work,
            MailKind.BACKLOG,
            self.player,
            reply=reply,
            content=BacklogNotification(parts, mails, more, away, silent),
            notes=tuple(
                note for row, said in rows if row.kind == MailKind.NEWS and not row.match_id for note in said.notes
            ),
            press=tuple(letters),
        )
        match, seat = alone or (None, None)
        # It answers the last of the mails, so that it counts for the daily cap as any answer does.
        last = max((row.inbox_id for row, said in rows if said.receipt and row.inbox_id), default=None)
        apart = replace(self.work, mail=self.work.session.get_one(InboxRow, last) if last else None)
        news = any(said.reports or said.press for _, said in rows)
        notify_reader(
            apart, Recipient(self.player, match, seat), page, answers=last is not None, once=news, waited=True
        )

    def _find_only_place(self, rows: Rows, parts: Sequence[Page]) -> tuple[MatchRow, SeatRow] | None:
        """Return the only match and seat that the mail is about; None = there are several, or none."""
        matches = {row.match_id for row, _ in rows}
        found = list_seats_in_matches(
            self.work.session, self.player.number, [one for one in matches if one is not None]
        )
        codes = {part.match.code for part in parts if part.match and part.your_turn}
        return found[0] if len(matches) == len(found) == 1 and codes <= {found[0][0].code} else None

    def _build_match_parts(self, rows: Rows) -> tuple[Page, ...]:
        """Return a page for each match that waits for the player, the nearest deadline first, then one for each in
        which something has happened. A player who has a daily mail reads there of matches without news."""
        said: dict[int, list[MailPayload]] = {}
        for row, one in rows:
            if row.match_id is not None:
                said.setdefault(row.match_id, []).append(one)
        places: list[tuple[MatchRow, SeatRow | None]] = list(list_current_seats(self.work.session, self.player.number))
        over = said.keys() - {match.number for match, _ in places}
        places = sorted(
            [*places, *list_seats_in_matches(self.work.session, self.player.number, over)],
            key=lambda place: place[0].number,
        )
        seated = {match.number for match, _ in places}
        places += [(self.work.session.get_one(MatchRow, number), None) for number in said if number not in seated]
        found = []
        for match, seat in places:
            news = merge_payloads(said.get(match.number, ()))
            page = self._build_match_part(match, seat, news, match.number in said)
            if page is not None and (match.number in said or (page.your_turn and not self.player.digest)):
                found.append(page)
        found.sort(key=lambda page: (not page.your_turn, page.deadline or _NEVER))
        return tuple(found)

    def _build_match_part(self, match: MatchRow, seat: SeatRow | None, news: MailPayload, told: bool) -> Page | None:
        """Return one match as it stands now, with what happened; None = it has nothing to do with the mail."""
        if match.status != MatchStatus.RUNNING and not told:
            return None
        kind: MailKind = MailKind.END if match.status == MatchStatus.FINISHED else MailKind.TURN
        try:
            live: LiveMatch = self.work.cache.load_match(self.work.session, match)
        except (MatchSuspended, OperatorError):  # the moderator knows; the other matches are not kept waiting
            return replace(self._build_bare_page(match), reports=news.reports, notes=news.notes) if told else None
        if seat is None:
            page = MatchReader(self.work, match, live).build_watcher_page(self.player, kind, news)
        else:
            page = MatchReader(self.work, match, live).build_seat_page(seat, kind, news)
        open_ = seat is not None and match.status == MatchStatus.RUNNING
        return replace(page, reply=page.reply if open_ else None)

    def _build_bare_page(self, match: MatchRow) -> Page:
        """Return a page without position, for a match that cannot be shown."""
        game = get_game_name(match.game, self.player.language)
        info = MatchView(match.code, match.name, match.game, game, "sequential", 0)
        names = tuple(seated.name for seated in self.work.list_players(match))
        return build_player_page(self.work, MailKind.TURN, self.player, reply=None, match=info, names=names)

    def _build_mail_pages(self, rows: Rows, known: dict[str, MatchView]) -> tuple[tuple[Page, ...], int]:
        """Return (what became of each mail of the player's, oldest first; how many mails are not told about)."""
        found: list[Page] = []
        lines = more = 0
        for row, said in rows:
            if said.receipt is None and row.kind not in (MailKind.UNREAD, MailKind.DONE):
                continue
            lines += len(said.receipt.lines) if said.receipt else 1
            if len(found) == MOST_MAILS or (found and lines > MOST_LINES):
                more += 1
                continue
            found.append(self._build_mail_page(row, said, known))
        return tuple(found), more

    def _build_mail_page(self, row: DeferredNews, said: MailPayload, known: dict[str, MatchView]) -> Page:
        match = self.work.session.get_one(MatchRow, row.match_id) if row.match_id else None
        unread = row.kind == MailKind.UNREAD
        info = (known.get(match.code) or self._build_bare_page(match).match) if match else None
        day = to_local_day(row.at, self.player.zone or self.work.config.club.zone)
        facts = {"at": day, "match": match.code if match else "", "title": match.name or match.code if match else ""}
        return build_player_page(
            self.work,
            MailKind.UNREAD if unread else MailKind.RECEIPT if match else MailKind.DONE,
            self.player,
            reply=None,
            match=info,
            receipt=said.receipt,
            notes=said.notes if row.kind in (MailKind.UNREAD, MailKind.DONE) else (),
            remarks=(Note("backlog-mail-about" if match else "backlog-mail", facts),),
            names=tuple(seated.name for seated in self.work.list_players(match)) if match else (),
        )


def _count_days_away(items: Iterable[DeferredItem]) -> int:
    """Count the days by which deadlines have moved because nobody read the mailbox; 0 = none has."""
    days = [int(note.params["days"]) for _, said in items for note in said.notes if note.code == AWAY]
    return min(days, default=0)


AWAY = "deadline-outage"
"""Code of the note that says so."""


def _build_refusal_row(row: DeferredNews, asked: PendingCommand) -> DeferredNews:
    """Return a row in place of that of a command that could not be done."""
    match = row.match_id if asked.placed else None
    kind = MailKind.DONE if match is None else MailKind.RECEIPT
    return DeferredNews(player_id=row.player_id, match_id=match, inbox_id=row.inbox_id, kind=kind, at=row.at)


def _is_renderable(session: Session, cache: MatchCache, match: MatchRow, row: DeferredNews) -> bool:
    """Return whether a mail about the match can show how it stands."""
    if match.status != MatchStatus.RUNNING and row.kind != MailKind.NEWS:
        return False
    try:
        cache.load_match(session, match)
    except MatchSuspended:
        return False
    return True


def _notify_moderator(work: UnitOfWork, items: Sequence[DeferredItem]) -> None:
    """Deliver all notices in one mail; of many of one sort the first ones, and how many more there are."""
    sorts: dict[str, list[Note]] = {}
    for _, said in items:
        for note in said.notes:
            sorts.setdefault(note.code, []).append(note)
    notes: list[Note] = []
    for same in sorts.values():
        notes += same[:MOST_NOTICES]
        if len(same) > MOST_NOTICES:
            notes.append(Note("backlog-more-notices", {"count": len(same) - MOST_NOTICES}))
    letters = tuple(letter for _, said in items for letter in said.press)
    if notes or letters:
        page = build_staff_page(work, MailKind.NOTICE, get_chief(work.config), notes=tuple(notes), press=letters)
        notify_reader(work, Recipient(), page, waited=True)
