"""One mail per player for everything that happened at a match: report, board, scores, what is wanted now."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from moderator.common.enums import MailKind
from moderator.notifications.content import MoveView
from moderator.notifications.pages import MailPayload
from moderator.rules.events import TurnMissed
from moderator.rules.game import Note
from moderator.rules.table import EngineResult, PlayedMove
from moderator.service import round_letters
from moderator.service.notifications import notify_reader
from moderator.service.puzzles import ReviewSender
from moderator.store import outbox, questions
from moderator.store.players import list_watchers
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import people, puzzles
from moderator.views.links import build_player_page
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_state import build_letter_views
from moderator.views.match_view import NOBODY, build_move_view, filter_visible
from moderator.views.unit_of_work import A_DAY, MatchEvents, MatchNews, Recipient, UnitOfWork


def notify_match_events(work: UnitOfWork) -> None:
    """Tell everybody of all that has happened in matches in the unit of work so far."""
    for progress in work.progress.values():
        MatchReport(work, progress).notify_everybody()
    work.progress.clear()


@dataclass(frozen=True)
class MatchReport:
    """Tells everybody of what has happened at one match."""

    work: UnitOfWork
    progress: MatchEvents

    def notify_everybody(self) -> None:
        """Tell the players of it, and the watchers where the match has moved."""
        work, progress = self.work, self.progress
        following = self._load_extras() if progress.moved else ()
        if progress.moved and puzzles.is_match_over(progress.match):
            progress.notes += ReviewSender(work, progress.match).summarize_review()
        live = work.cache.load_match(work.session, progress.match)
        for seat, player in work.list_seated(progress.match):
            self._notify_seat(live, seat, player)
        if progress.moved:
            self._notify_watchers(live, following)
            round_letters.mark_delivered(work.session, work.now, progress.press)

    def _load_extras(self) -> list[PlayerRow]:
        """Load the letters that go with the report; returns who reads it without a seat."""
        work, progress, number = self.work, self.progress, self.progress.match.number
        work.session.flush()  # those of the same mail count, too
        answered = (
            player.address for _, player in work.list_seated(progress.match) if player.number in progress.receipts
        )
        address = next((one for one in answered if one is not None and one not in work.cache.replies), "")
        beside = questions.load_report_extras(work.session, number, address, work.now - A_DAY)
        if address:
            work.cache.replies[address] = beside.replies
        following = list_watchers(work.session, number) if beside.watched else ()
        progress.notes += people.announce_watchers(work.session, following)
        progress.press = questions.list_waiting_letters(work.session, number) if beside.letters else []
        return [player for _, player in following]

    def _notify_seat(self, live: LiveMatch, seat: SeatRow, player: PlayerRow) -> None:
        decided, receipt = self.progress.find_seat_decision(seat.number), self.progress.receipts.get(player.number)
        if player.address is None or (decided is None and receipt is None):
            return
        payload = dataclasses.replace(self._build_payload(live, seat.number), receipt=receipt)
        news = MatchNews(decided or MailKind.RECEIPT, payload, with_tournament=True)
        to = Recipient(player, self.progress.match, seat)
        notify_reader(self.work, to, news, answers=receipt is not None, once=self.progress.moved)

    def _notify_watchers(self, live: LiveMatch, watchers: Sequence[PlayerRow]) -> None:
        decided = self.progress.find_seat_decision(None)
        if decided is None or not watchers:
            return
        news = MatchNews(decided, self._build_payload(live, None))
        for player in watchers:
            notify_reader(self.work, Recipient(player, self.progress.match), news)

    def _build_payload(self, live: LiveMatch, seat: int | None) -> MailPayload:
        """Build what has happened, as a seat, or (None) everybody, may know it."""
        progress, you = self.progress, NOBODY if seat is None else seat
        alone = [result.notes for result in progress.results if not _has_one_mover(result, live)]
        first = filter_visible(progress.first, you)
        notes = filter_visible((*progress.notes, *(note for of_one in alone for note in of_one)), you)
        reports, rest = build_move_views(progress, live, you, self.work.list_players(progress.match), first)
        return MailPayload(
            reports=reports,
            notes=(*rest, *notes),
            press=build_letter_views(self.work, progress.match, progress.press, seat, progress.new_holders),
            since=progress.since,
            happened=tuple(progress.happened),
        )


def notify_status(work: UnitOfWork, match: MatchRow, seat: SeatRow, kind: MailKind, notes: Sequence[Note] = ()) -> None:
    """Notify one player of board, scores and deadline, because it is due; ``notes`` say what else."""
    news = MatchNews(kind, MailPayload(notes=tuple(notes)))
    notify_reader(work, Recipient(work.list_players(match)[seat.number], match, seat), news)


def notify_match_removed(work: UnitOfWork, match: MatchRow, note: Note, everybody: bool = False) -> list[str]:
    """Notify people that the match is removed: what was not mailed of it yet is withdrawn, and the note goes to
    everybody who was mailed of it, or who has a seat there if ``everybody`` knows of the match. Returns their names."""
    work.session.flush()
    work.notifications[:] = [one for one in work.notifications if one.to.match is not match]
    wrote = outbox.withdraw_match_mails(work.session, match.number)
    following = [player for _, player in list_watchers(work.session, match.number)]
    told = []
    for player in (*work.list_players(match), *following):
        if player.address is not None and (everybody or player.number in wrote):
            page = build_player_page(work, MailKind.NEWS, player, notes=(note,))
            notify_reader(work, Recipient(player), page)
            told.append(player.name)
    work.session.flush()
    work.cache.matches.pop(match.number, None)
    return told


def build_move_views(
    progress: MatchEvents, live: LiveMatch, you: int, players: list[PlayerRow], before: tuple[Note, ...] = ()
) -> tuple[tuple[MoveView, ...], tuple[Note, ...]]:
    """Build all that was moved, in order, as the report shows it to seat ``you``; and the notes on what no move comes
    behind. Of a seat that plays no more there is no report, only what its turn led to. ``before``: notes on what
    happened first."""
    made: list[MoveView] = []
    missed = Counter(one.seat for one in progress.happened if isinstance(one, TurnMissed))
    for result in progress.results:
        for move in result.counted if live.table.is_simultaneous else result.moves:
            then = filter_visible(result.notes, you) if _has_one_mover(result, live) else ()
            left = not move.alternative and not move.refused and not missed[move.seat]
            missed[move.seat] -= not move.alternative and not left
            if left:
                before += (*filter_visible(move.list_forced_notes(), you), *then)
            elif move.seat == you or not _is_refused_only(move, live):
                made.append(dataclasses.replace(build_move_view(move, you, players, then), before=before))
                before = ()
    if made and before:
        made[-1], before = dataclasses.replace(made[-1], then=(*made[-1].then, *before)), ()
    return tuple(made), before


def _has_one_mover(result: EngineResult, live: LiveMatch) -> bool:
    """Return whether a single move was made, so that what happened by itself belongs behind it."""
    return not live.table.is_simultaneous and len(result.moves) == 1


def _is_refused_only(move: PlayedMove, live: LiveMatch) -> bool:
    """Return whether a stored order was not possible when its turn came, which is nobody else's business."""
    return not live.table.is_simultaneous and bool(move.refused) and not move.alternative
