"""One mail per player for everything that happened at a match: report, board, scores, what is wanted now."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from moderator.desk.desk import Desk, Progress
from moderator.desk.live import Live
from moderator.desk.post import new_page, post, reader, reply_to
from moderator.engine import rng
from moderator.engine.contract import Note, view_for
from moderator.engine.table import Played
from moderator.render.messages import sentence
from moderator.render.pages import Failed, Kind, MatchInfo, MoveReport, Page, SeatLine, WordSum
from moderator.store.models import Match, Player, Seat


def announce(desk: Desk) -> None:
    """Queue the mails for all that has happened at the desk so far."""
    for progress in desk.progress.values():
        live = desk.shelf.live(desk.session, progress.match)
        players = desk.players(progress.match)
        for seat, player in desk.seated(progress.match):
            if player.address is None:
                continue
            if progress.moved or player.number in progress.receipts:
                page = match_page(desk, live, seat, players, _kind(progress), progress)
                post(desk, page, match=progress.match, seat=seat, answers=player.number in progress.receipts)
    desk.progress.clear()


def send_status(desk: Desk, match: Match, seat: Seat, kind: Literal["status", "reminder", "help"]) -> None:
    """Board, scores and deadline for one player, because it was asked for or is due."""
    live = desk.shelf.live(desk.session, match)
    page = match_page(desk, live, seat, desk.players(match), kind, Progress(match))
    post(desk, page, match=match, seat=seat, answers=desk.mail is not None)


def _kind(progress: Progress) -> Kind:
    if progress.match.status == "finished":
        return "end"
    if progress.started:
        return "start"
    return "turn" if progress.moved else "receipt"


def match_page(desk: Desk, live: Live, seat: Seat, players: list[Player], kind: Kind, progress: Progress) -> Page:
    """Everything one seat may know, as a page."""
    match, state = progress.match, live.table.state
    player = players[seat.number]
    view = view_for(state, seat.number)
    shared = len(state.hands) == 1 < state.seats
    waiting = [s for s in state.to_move if live.table.pace == "sequential" or s not in live.table.orders]
    notes = (*progress.notes, *(note for result in progress.results for note in result.notes))
    return new_page(
        desk,
        kind,
        reader(player),
        match=match_info(match, live, player.language),
        reply=reply_to(desk, match.code, seat.token),
        your_turn=seat.number in state.to_move,
        deadline=match.deadline,
        awaited=tuple(players[s].name for s in waiting),
        scene=live.game.scene(view),
        rack=view.hand if not state.over or view.hand else None,
        rack_common=shared,
        stock=view.stock_count,
        seats=seat_lines(live, seat.number, players),
        reports=tuple(move_report(move, seat.number, players) for result in progress.results for move in result.moves),
        receipt=progress.receipts.get(player.number),
        notes=visible(notes, seat.number),
        standing=live.table.orders.get(seat.number, ""),
        facts={"names": [p.name for p in players]},
    )


def match_info(match: Match, live: Live, language: str) -> MatchInfo:
    """The match's public data; the seed only after the end."""
    over = live.table.state.over
    return MatchInfo(
        code=match.code,
        name=match.name,
        game=match.game,
        game_name=sentence(Note("name"), language, match.game),
        pace=live.table.pace,
        round=live.table.round,
        options=dataclasses.asdict(live.options),
        lexicon=match.lexicon,
        commitment=rng.commit(bytes.fromhex(match.seed)),
        seed=match.seed if over else "",
        last_round=getattr(live.options, "rounds", None),
    )


def seat_lines(live: Live, you: int, players: list[Player]) -> tuple[SeatLine, ...]:
    """The score table."""
    state = live.table.state
    winners = live.game.winners(state)
    lines: list[SeatLine] = []
    for number, player in enumerate(players):
        last, gained = live.last.get(number, ("", None))
        lines.append(
            SeatLine(
                number=number,
                name=player.name,
                score=state.scores[number],
                you=number == you,
                awaited=number in state.to_move and not state.over,
                gained=gained,
                last=last,
                winner=number in winners,
                tiles=len(state.hands[number]) if len(state.hands) > 1 else None,
            )
        )
    return tuple(lines)


def move_report(move: Played, you: int, players: list[Player]) -> MoveReport:
    """One seat's order as the report shows it to seat ``you``."""
    return MoveReport(
        seat=move.seat,
        name=players[move.seat].name,
        you=move.seat == you,
        played=move.played or "",
        alternative=move.alternative,
        points=move.points,
        words=word_sums(move.detail),
        # What a seat could not lay tells about its rack, so only the seat itself reads it.
        failed=tuple(Failed(r.alternative, r.text, Note(r.code, r.params)) for r in move.refused if move.seat == you),
        notes=visible(move.notes, you),
        laid=move.laid,
        same=move.same,
    )


def word_sums(detail: Any) -> tuple[WordSum, ...]:
    """The formed words of a move with their points."""
    return tuple(WordSum(w["word"], w["points"]) for w in detail.get("words", ()))


def visible(notes: Any, seat: int) -> tuple[Note, ...]:
    """Those that everybody or this seat may read."""
    return tuple(note for note in notes if note.only is None or note.only == seat)
