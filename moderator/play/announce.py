"""One mail per player for everything that happened at a match: report, board, scores, what is wanted now."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from moderator.club import reviews, watching
from moderator.club.desk import Desk, Progress
from moderator.club.live_match import LiveMatch
from moderator.match.contract import Note
from moderator.match.decision import MatchDecision
from moderator.match.table import Played, Result
from moderator.outbox import press
from moderator.outbox.match_pages import NOBODY, match_page, move_report, visible, watch_page
from moderator.outbox.post import A_DAY, new_page, personal_reply, reader, together
from moderator.outbox.reviews import end_lines
from moderator.outbox.tell import News, Said, To, tell
from moderator.outbox.tournament_mails import TournamentRemarks
from moderator.pages.pages import MoveReport, Page
from moderator.states import MailKind
from moderator.store import bystanders, outbox
from moderator.store import press as letters
from moderator.store.models import Match, Player, Seat


def announce(desk: Desk) -> None:
    """Tell everybody all that has happened at the desk so far."""
    with together(desk):
        _announce(desk)
    desk.progress.clear()


def _announce(desk: Desk) -> None:
    for progress in desk.progress.values():
        following = _fetched(desk, progress) if progress.moved else ()
        if progress.moved and reviews.is_over(progress.match):
            progress.notes += end_lines(desk, progress.match)
        live = desk.cache.live(desk.session, progress.match)
        tournament = TournamentRemarks(desk, progress.match)
        for seat, player in desk.seated(progress.match):
            decided, answers = progress.decided(seat.number), player.number in progress.receipts
            if decided is not None or answers:
                news = _for_seat(desk, live, seat, player, decided, progress, tournament)
                tell(desk, To(player, progress.match, seat), news, answers=answers, once=progress.moved)
        if progress.moved:
            _tell_watchers(desk, live, progress, following)
            press.delivered(desk, progress.press)


def _fetched(desk: Desk, progress: Progress) -> list[Player]:
    """The letters that go with the report, and who reads it without a seat."""
    desk.session.flush()  # those of the same mail count, too
    number = progress.match.number
    answered = (player.address for _, player in desk.seated(progress.match) if player.number in progress.receipts)
    address = next((one for one in answered if one is not None and one not in desk.cache.replies), "")
    beside = letters.beside(desk.session, number, address, desk.now - A_DAY)
    if address:
        desk.cache.replies[address] = beside.replies
    following = bystanders.watchers_of(desk.session, number) if beside.watched else ()
    progress.notes += watching.introduced(desk, following)
    progress.press = letters.waiting(desk.session, number) if beside.letters else []
    return [player for _, player in following]


def _for_seat(
    desk: Desk,
    live: LiveMatch,
    seat: Seat,
    player: Player,
    decided: MatchDecision | None,
    progress: Progress,
    tournament: TournamentRemarks,
) -> News:
    kind: MailKind = decided.kind if decided else MailKind.RECEIPT

    def said() -> Said:
        receipt = progress.receipts.get(player.number)
        return dataclasses.replace(_said(desk, live, seat.number, progress), receipt=receipt)

    def page(said: Said) -> Page:
        made = match_page(desk, live, progress.match, seat, kind, said)
        return dataclasses.replace(made, remarks=(*made.remarks, *tournament.remarks(seat.number, kind)))

    return News(kind, said, page)


def _tell_watchers(desk: Desk, live: LiveMatch, progress: Progress, watchers: Sequence[Player]) -> None:
    decided, match = progress.decided(None), progress.match
    if decided is None:
        return
    kind: MailKind = decided.kind
    for player in watchers:

        def page(said: Said, player: Player = player) -> Page:
            return watch_page(desk, live, match, player, kind, said)

        tell(desk, To(player, match), News(kind, lambda: _said(desk, live, None, progress), page))


def send_status(
    desk: Desk,
    match: Match,
    seat: Seat,
    kind: MailKind,
    notes: Sequence[Note] = (),
) -> None:
    """Board, scores and deadline for one player, because it is due; ``notes`` say what else."""

    def page(said: Said) -> Page:
        return match_page(desk, desk.cache.live(desk.session, match), match, seat, kind, said)

    said = Said(notes=tuple(notes))
    tell(desk, To(desk.players(match)[seat.number], match, seat), News(kind, lambda: said, page))


def tell_gone(desk: Desk, match: Match, note: Note, everybody: bool = False) -> list[str]:
    """The match goes: what was not mailed of it yet is not, and whoever was mailed of it, or has a seat there if
    ``everybody`` knows of the match, reads the note. Returns their names."""
    desk.session.flush()
    wrote = outbox.withdraw(desk.session, match.number)
    following = [player for _, player in bystanders.watchers_of(desk.session, match.number)]
    told = []
    for player in (*desk.players(match), *following):
        if player.address is not None and (everybody or player.number in wrote):
            page = new_page(desk, MailKind.NEWS, reader(player), reply=personal_reply(desk, player), notes=(note,))
            tell(desk, To(player), page)
            told.append(player.name)
    desk.session.flush()
    desk.cache.matches.pop(match.number, None)
    return told


def _said(desk: Desk, live: LiveMatch, seat: int | None, progress: Progress) -> Said:
    """What has happened, as a seat, or (None) everybody, may know it."""
    match, players, you = progress.match, desk.players(progress.match), NOBODY if seat is None else seat
    alone = [result.notes for result in progress.results if not _has_one_mover(result, live)]
    first = visible(progress.first, you)
    notes = visible((*progress.notes, *(note for of_one in alone for note in of_one)), you)
    reports = move_reports(progress, live, you, players)
    if reports:
        reports = (dataclasses.replace(reports[0], before=first), *reports[1:])
    return Said(
        reports=reports,
        notes=notes if reports else (*first, *notes),
        press=press.shown(desk, match, progress.press, seat, progress.newcomers),
        since=progress.since,
        happened=tuple(progress.happened),
    )


def move_reports(progress: Progress, live: LiveMatch, you: int, players: list[Player]) -> tuple[MoveReport, ...]:
    """All that was moved, in order, as the report shows it to seat ``you``."""
    return tuple(
        move_report(move, you, players, visible(result.notes, you) if _has_one_mover(result, live) else ())
        for result in progress.results
        for move in (result.counted if live.table.together else result.moves)
        if move.seat == you or not _only_tried(move, live)
    )


def _has_one_mover(result: Result, live: LiveMatch) -> bool:
    """Then what happened by itself belongs behind that move."""
    return not live.table.together and len(result.moves) == 1


def _only_tried(move: Played, live: LiveMatch) -> bool:
    """A stored order that was not possible when its turn came: nobody else's business."""
    return not live.table.together and bool(move.refused) and not move.alternative
