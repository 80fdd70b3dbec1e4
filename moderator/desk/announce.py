"""One mail per player for everything that happened at a match: report, board, scores, what is wanted now."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from moderator.desk import clock, press, watching
from moderator.desk.cup.told import Told
from moderator.desk.desk import Desk, Progress
from moderator.desk.kept import Said, keep, later
from moderator.desk.live import Live
from moderator.desk.post import new_page, plain_reply, post, reader, reply_to
from moderator.desk.remarks import KINDS, remarks, rules_of_time
from moderator.desk.state_line import state_line
from moderator.engine import examples, rng
from moderator.engine.contract import Note, view_for
from moderator.engine.seats import winners
from moderator.engine.table import Played, Result
from moderator.render.messages import sentence
from moderator.render.pages import Failed, Kind, MatchInfo, MoveReport, Page, Reply, Seal, SeatLine, WordSum
from moderator.states import MatchStatus
from moderator.store.models import Match, Player, Seat

NOBODY = -1
"""The seat of those who only watch."""

WITH_STATE = ("start", "turn", "end", "status", "correction")
"""Mails that end with the state of the match in one signed line."""


def announce(desk: Desk) -> None:
    """Queue the mails for all that has happened at the desk so far."""
    for progress in desk.progress.values():
        if progress.moved:
            progress.notes += watching.introduced(desk, progress.match)
            progress.press = press.waiting(desk, progress.match)
        live = desk.shelf.live(desk.session, progress.match)
        told = Told(desk, progress.match)
        for seat, player in desk.seated(progress.match):
            if player.address is None:
                continue
            answers = player.number in progress.receipts
            if progress.moved or answers:
                kind = "start" if seat.number in progress.newcomers else _kind(progress)
                if in_daily(player, kind) and not answers:
                    continue
                if later(desk, kind):
                    _keep(desk, live, seat.number, player, kind, progress)
                    continue
                page = match_page(desk, live, seat, kind, progress)
                page = dataclasses.replace(page, remarks=(*page.remarks, *told.remarks(seat.number, kind)))
                post(desk, page, match=progress.match, seat=seat, answers=answers, news=progress.moved)
        if progress.moved:
            _tell_watchers(desk, live, progress)
            press.delivered(desk, progress.press)
    desk.progress.clear()


def in_daily(player: Player, kind: Kind) -> bool:
    """Whether a player who wants one mail a day reads this there."""
    return player.digest and kind in ("turn", "reminder")


def _tell_watchers(desk: Desk, live: Live, progress: Progress) -> None:
    kind = _kind(progress)
    for _, player in watching.watchers(desk, progress.match):
        if player.address is None or in_daily(player, kind):
            continue
        if later(desk, kind):
            _keep(desk, live, None, player, kind, progress)
        else:
            page = watch_page(desk, live, player, kind, progress)
            post(desk, page, match=progress.match, player=player, answers=False)


def send_status(
    desk: Desk,
    match: Match,
    seat: Seat,
    kind: Kind,
    notes: Sequence[Note] = (),
) -> None:
    """Board, scores and deadline for one player, because it was asked for or is due; ``notes`` say what else."""
    player = desk.players(match)[seat.number]
    if in_daily(player, kind):
        return
    if later(desk, kind):
        keep(desk, player, kind, Said(notes=tuple(notes)), match)
        return
    live = desk.shelf.live(desk.session, match)
    page = match_page(desk, live, seat, kind, Progress(match, notes=list(notes)))
    post(desk, page, match=match, seat=seat, answers=desk.mail is not None)


def _keep(desk: Desk, live: Live, seat: int | None, player: Player, kind: Kind, progress: Progress) -> None:
    """The same, told at the end of the run; None = somebody who watches."""
    said = _said(desk, live, seat, progress)
    if seat is not None:
        said = dataclasses.replace(said, receipt=progress.receipts.get(player.number))
    keep(desk, player, kind, said, progress.match)


def _said(desk: Desk, live: Live, seat: int | None, progress: Progress) -> Said:
    """What has happened, as a seat, or (None) everybody, may know it."""
    match, players, you = progress.match, desk.players(progress.match), NOBODY if seat is None else seat
    alone = [result.notes for result in progress.results if not _has_one_mover(result, live)]
    notes = (*progress.notes, *(note for of_one in alone for note in of_one))
    return Said(
        reports=move_reports(progress, live, you, players),
        notes=visible(notes, you),
        press=press.shown(desk, match, progress.press, seat, progress.newcomers),
        since=progress.since,
    )


def _kind(progress: Progress) -> Kind:
    if progress.match.status == MatchStatus.FINISHED and (progress.moved or not progress.receipts):
        return "end"
    if progress.correction:
        return "correction"
    if progress.started:
        return "start"
    return "turn" if progress.moved else "receipt"


def match_page(desk: Desk, live: Live, seat: Seat, kind: Kind, progress: Progress) -> Page:
    """Everything one seat may know, as a page."""
    match, state = progress.match, live.table.state
    players = desk.players(match)
    player, hand = players[seat.number], view_for(state, seat.number).hand
    return dataclasses.replace(
        _page(desk, live, player, seat.number, kind, progress),
        reply=reply_to(desk, match.code, seat.token),
        your_turn=seat.number in live.awaited,
        deadline=clock.deadline_of(desk, match, live, seat.number),
        rack=hand if not state.over or hand else None,
        rack_common=len(state.hands) == 1 < state.seats,
        receipt=progress.receipts.get(player.number),
        standing=live.table.orders.get(seat.number, ""),
        vain=live.order(seat.number) == "impossible",
        state_line=_state_line(desk, live, match, players, kind, player.language),
    )


def watch_page(desk: Desk, live: Live, player: Player, kind: Kind, progress: Progress) -> Page:
    """What everybody may know, as a page for a player without a seat."""
    return dataclasses.replace(
        _page(desk, live, player, None, kind, progress),
        reply=Reply(plain_reply(desk).address, f"[{progress.match.code}]"),
        watching=True,
    )


def _page(desk: Desk, live: Live, player: Player, seat: int | None, kind: Kind, progress: Progress) -> Page:
    """What those with a seat and those who watch (None) read alike, each as far as it is for them."""
    match, players = progress.match, desk.players(progress.match)
    view, you = view_for(live.table.state, seat), NOBODY if seat is None else seat
    said = _said(desk, live, seat, progress)
    return new_page(
        desk,
        kind,
        reader(player),
        match=match_info(match, live, player.language, progress.since),
        deadline=match.deadline,
        awaited=tuple(players[s].name for s in live.missing),
        scene=live.game.scene(view),
        stock=view.stock_count,
        stock_kinds=getattr(view.public, "left", {}),
        situation=live.game.situation(view),
        seats=seat_lines(live, you, players),
        reports=said.reports,
        notes=said.notes,
        press=said.press,
        remarks=remarks(desk, match, live, seat) if kind in KINDS else (),
        terms=rules_of_time(live.terms) if kind == "start" else (),
        held=match.held,
        facts={
            "names": [p.name for p in players],
            "examples": examples.shown(live.game, view, live.context),
        },
    )


def _state_line(desk: Desk, live: Live, match: Match, players: list[Player], kind: Kind, language: str) -> str:
    if kind not in WITH_STATE:
        return ""
    game = sentence(Note("name"), language, match.game)
    return state_line(desk.session, match, live, players, game, desk.config.club.zone)


def match_info(match: Match, live: Live, language: str, since: int | None = None) -> MatchInfo:
    """The match's public data; the seed only after the end. ``since``: the round before what the mail reports, 0 =
    not dealt, None = it reports nothing."""
    state, seeded = live.table.state, live.game.seeded_rounds
    return MatchInfo(
        code=match.code,
        name=match.name,
        game=match.game,
        game_name=sentence(Note("name"), language, match.game),
        pace=live.table.pace,
        round=state.public.round,
        options=dataclasses.asdict(live.options),
        lexicon=match.lexicon,
        commitment="" if seeded else rng.commit(bytes.fromhex(match.seed)),
        seed=match.seed if state.over and not seeded else "",
        last_round=getattr(live.options, "rounds", None),
        salts=tuple(match.salts),
        seals=seals(match, live, since) if seeded else (),
    )


def seals(match: Match, live: Live, since: int | None) -> tuple[Seal, ...]:
    """Of a match whose rounds have seeds of their own: the rounds that ended or began after round ``since``; all when
    the match is over. The seed of the round that is being played, and what all seeds are made from, is never told."""
    state = live.table.state
    now = state.public.round
    if state.over:
        first = 1
    elif since is None or since == now:
        return ()
    else:
        first = max(since, 1)
    seed = rng.round_seeds(bytes.fromhex(match.seed))
    return tuple(
        Seal(number, rng.commit(seed(number)), seed(number).hex() if number < now or state.over else "")
        for number in range(first, now + 1)
    )


def seat_lines(live: Live, you: int, players: list[Player]) -> tuple[SeatLine, ...]:
    """The score table."""
    state = live.table.state
    won = winners(live.game, live.table)
    lines: list[SeatLine] = []
    for number, player in enumerate(players):
        last, gained = live.last.get(number, ("", None))
        lines.append(
            SeatLine(
                number=number,
                name=player.name,
                score=state.scores[number],
                you=number == you,
                awaited=number in live.awaited,
                gained=gained,
                last=last,
                winner=number in won,
                tiles=len(state.hands[number]) if len(state.hands) > 1 else None,
            )
        )
    return tuple(lines)


def move_reports(progress: Progress, live: Live, you: int, players: list[Player]) -> tuple[MoveReport, ...]:
    """All that was moved, in order, as the report shows it to seat ``you``."""
    return tuple(
        move_report(move, you, players, visible(result.notes, you) if _has_one_mover(result, live) else ())
        for result in progress.results
        for move in result.moves
        if move.seat == you or not _only_tried(move, live)
    )


def _has_one_mover(result: Result, live: Live) -> bool:
    """Then what happened by itself belongs behind that move."""
    return not live.table.together and len(result.moves) == 1


def _only_tried(move: Played, live: Live) -> bool:
    """A stored order that was not possible when its turn came: nobody else's business."""
    return not live.table.together and bool(move.refused) and not move.alternative


def move_report(move: Played, you: int, players: list[Player], then: tuple[Note, ...] = ()) -> MoveReport:
    """One seat's order as the report shows it to seat ``you``; ``then`` is what happened by itself after it."""
    return MoveReport(
        seat=move.seat,
        name=players[move.seat].name,
        you=move.seat == you,
        played=move.played or "" if move.seat == you else move.told,
        alternative=move.alternative,
        points=move.points,
        words=word_sums(move.detail),
        # What a seat could not lay tells about its rack, so only the seat itself reads it.
        failed=tuple(Failed(r.alternative, r.text, Note(r.code, r.params)) for r in move.refused if move.seat == you),
        notes=visible(move.said, you),
        laid=move.laid,
        same=move.same,
        then=then,
    )


def word_sums(detail: Any) -> tuple[WordSum, ...]:
    """The formed words of a move with their points."""
    return tuple(WordSum(w["word"], w["points"]) for w in detail.get("words", ()))


def visible(notes: Any, seat: int) -> tuple[Note, ...]:
    """Those that everybody or this seat may read."""
    return tuple(note for note in notes if note.only is None or note.only == seat)
