"""One mail per player for everything that happened at a match: report, board, scores, what is wanted now."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from moderator.common.enums import MailKind
from moderator.delivery.compose import A_DAY, queue_mails_together
from moderator.delivery.route import LazyMail, Recipient, route
from moderator.notifications.content import MoveView
from moderator.notifications.pages import MailPayload, Page
from moderator.rules.game import Note
from moderator.rules.outcomes import MatchDecision
from moderator.rules.table import EngineResult, PlayedMove
from moderator.service import round_letters
from moderator.service.puzzles import summarize_review
from moderator.service.tournaments.notify import TournamentRemarks
from moderator.store import outbox, questions
from moderator.store.players import list_watchers
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import people, puzzles
from moderator.views.desk import Desk, MatchEvents
from moderator.views.loaded_match import LiveMatch
from moderator.views.mail_pages import build_club_page, build_personal_reply, build_player_reader
from moderator.views.match_view import NOBODY, build_match_view, build_move_view, build_watcher_view, filter_visible


def queue_event_mails(desk: Desk) -> None:
    """Queue the mails to everybody about all that has happened at the desk so far."""
    with queue_mails_together(desk):
        _notify_all_matches(desk)
    desk.progress.clear()


def _notify_all_matches(desk: Desk) -> None:
    for progress in desk.progress.values():
        following = _load_report_extras(desk, progress) if progress.moved else ()
        if progress.moved and puzzles.is_match_over(progress.match):
            progress.notes += summarize_review(desk, progress.match)
        live = desk.cache.load_match(desk.session, progress.match)
        tournament = TournamentRemarks(desk, progress.match)
        for seat, player in desk.list_seated(progress.match):
            decided, answers = progress.find_seat_decision(seat.number), player.number in progress.receipts
            if decided is not None or answers:
                news = _build_seat_mail(desk, live, seat, player, decided, progress, tournament)
                route(desk, Recipient(player, progress.match, seat), news, answers=answers, once=progress.moved)
        if progress.moved:
            _notify_watchers(desk, live, progress, following)
            round_letters.mark_delivered(desk, progress.press)


def _load_report_extras(desk: Desk, progress: MatchEvents) -> list[PlayerRow]:
    """Load the letters that go with the report; returns who reads it without a seat."""
    desk.session.flush()  # those of the same mail count, too
    number = progress.match.number
    answered = (player.address for _, player in desk.list_seated(progress.match) if player.number in progress.receipts)
    address = next((one for one in answered if one is not None and one not in desk.cache.replies), "")
    beside = questions.load_report_extras(desk.session, number, address, desk.now - A_DAY)
    if address:
        desk.cache.replies[address] = beside.replies
    following = list_watchers(desk.session, number) if beside.watched else ()
    progress.notes += people.announce_watchers(desk, following)
    progress.press = questions.list_waiting_letters(desk.session, number) if beside.letters else []
    return [player for _, player in following]


def _build_seat_mail(
    desk: Desk,
    live: LiveMatch,
    seat: SeatRow,
    player: PlayerRow,
    decided: MatchDecision | None,
    progress: MatchEvents,
    tournament: TournamentRemarks,
) -> LazyMail:
    kind: MailKind = decided.kind if decided else MailKind.RECEIPT

    def build_answer_payload() -> MailPayload:
        receipt = progress.receipts.get(player.number)
        return dataclasses.replace(_build_payload(desk, live, seat.number, progress), receipt=receipt)

    def build_seat_page(payload: MailPayload) -> Page:
        made = build_match_view(desk, live, progress.match, seat, kind, payload)
        return dataclasses.replace(made, remarks=(*made.remarks, *tournament.list_remarks(seat.number, kind)))

    return LazyMail(kind, build_answer_payload, build_seat_page)


def _notify_watchers(desk: Desk, live: LiveMatch, progress: MatchEvents, watchers: Sequence[PlayerRow]) -> None:
    decided, match = progress.find_seat_decision(None), progress.match
    if decided is None:
        return
    kind: MailKind = decided.kind
    for player in watchers:

        def build_watcher_page(payload: MailPayload, player: PlayerRow = player) -> Page:
            return build_watcher_view(desk, live, match, player, kind, payload)

        route(
            desk,
            Recipient(player, match),
            LazyMail(kind, lambda: _build_payload(desk, live, None, progress), build_watcher_page),
        )


def notify_status(
    desk: Desk,
    match: MatchRow,
    seat: SeatRow,
    kind: MailKind,
    notes: Sequence[Note] = (),
) -> None:
    """Notify one player of board, scores and deadline, because it is due; ``notes`` say what else."""

    def build_status_page(payload: MailPayload) -> Page:
        return build_match_view(desk, desk.cache.load_match(desk.session, match), match, seat, kind, payload)

    said = MailPayload(notes=tuple(notes))
    route(
        desk,
        Recipient(desk.list_players(match)[seat.number], match, seat),
        LazyMail(kind, lambda: said, build_status_page),
    )


def notify_match_removed(desk: Desk, match: MatchRow, note: Note, everybody: bool = False) -> list[str]:
    """Notify people that the match is removed: what was not mailed of it yet is withdrawn, and the note goes to
    everybody who was mailed of it, or who has a seat there if ``everybody`` knows of the match. Returns their names."""
    desk.session.flush()
    wrote = outbox.withdraw_match_mails(desk.session, match.number)
    following = [player for _, player in list_watchers(desk.session, match.number)]
    told = []
    for player in (*desk.list_players(match), *following):
        if player.address is not None and (everybody or player.number in wrote):
            page = build_club_page(
                desk,
                MailKind.NEWS,
                build_player_reader(player),
                reply=build_personal_reply(desk, player),
                notes=(note,),
            )
            route(desk, Recipient(player), page)
            told.append(player.name)
    desk.session.flush()
    desk.cache.matches.pop(match.number, None)
    return told


def _build_payload(desk: Desk, live: LiveMatch, seat: int | None, progress: MatchEvents) -> MailPayload:
    """Build what has happened, as a seat, or (None) everybody, may know it."""
    match, players, you = progress.match, desk.list_players(progress.match), NOBODY if seat is None else seat
    alone = [result.notes for result in progress.results if not _has_one_mover(result, live)]
    first = filter_visible(progress.first, you)
    notes = filter_visible((*progress.notes, *(note for of_one in alone for note in of_one)), you)
    reports = build_move_views(progress, live, you, players)
    if reports:
        reports = (dataclasses.replace(reports[0], before=first), *reports[1:])
    return MailPayload(
        reports=reports,
        notes=notes if reports else (*first, *notes),
        press=round_letters.list_seat_letters(desk, match, progress.press, seat, progress.new_holders),
        since=progress.since,
        happened=tuple(progress.happened),
    )


def build_move_views(
    progress: MatchEvents, live: LiveMatch, you: int, players: list[PlayerRow]
) -> tuple[MoveView, ...]:
    """Build all that was moved, in order, as the report shows it to seat ``you``."""
    return tuple(
        build_move_view(move, you, players, filter_visible(result.notes, you) if _has_one_mover(result, live) else ())
        for result in progress.results
        for move in (result.counted if live.table.is_simultaneous else result.moves)
        if move.seat == you or not _is_refused_only(move, live)
    )


def _has_one_mover(result: EngineResult, live: LiveMatch) -> bool:
    """Return whether a single move was made, so that what happened by itself belongs behind it."""
    return not live.table.is_simultaneous and len(result.moves) == 1


def _is_refused_only(move: PlayedMove, live: LiveMatch) -> bool:
    """Return whether a stored order was not possible when its turn came, which is nobody else's business."""
    return not live.table.is_simultaneous and bool(move.refused) and not move.alternative
