"""A match as a page: everything that one reader may know of it, as it stands, with what has happened."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import Any

from moderator.club import archive, clock, match_rulings
from moderator.club.confirmations import unconfirmed
from moderator.club.desk import Desk
from moderator.club.endings import ending_of
from moderator.club.live_match import LiveMatch
from moderator.club.names import plays_as
from moderator.club.referees import in_charge
from moderator.club.state_line import state_line
from moderator.club.tournaments.results import played_again
from moderator.match import rng, robot, turn_data
from moderator.match.contract import Note, agreed, view_for
from moderator.match.happened import final_positions
from moderator.match.table import Played
from moderator.match.time.calendar import holiday, weekday
from moderator.match.time.clock import Terms
from moderator.outbox import board_file
from moderator.outbox.post import new_page, plain_reply, reader, reply_to
from moderator.outbox.tell import NOTHING, Said
from moderator.pages.content import Content, Opening, Promptness
from moderator.pages.messages import label, sentence
from moderator.pages.pages import Failed, MatchInfo, MoveReport, Page, Reply, Seal, SeatLine, WordSum
from moderator.states import MailKind, MatchStatus, Stopped
from moderator.store.models import Match, Player, Seat

NOBODY = -1
"""The seat of those who only watch."""

WITH_STATE = (MailKind.START, MailKind.TURN, MailKind.END, MailKind.STATUS, MailKind.CORRECTION)
"""Mails that end with the state of the match in one signed line."""


TOLD_OF_SEATS = (MailKind.START, MailKind.STATUS)
"""Mails that say who is in charge, and which seats robots have."""


def match_page(
    desk: Desk,
    live: LiveMatch,
    match: Match,
    seat: Seat,
    kind: MailKind,
    said: Said = NOTHING,
    content: Content | None = None,
) -> Page:
    """Everything one seat may know, as a page; ``content`` is what only mails of that kind say."""
    state = live.table.state
    players = desk.players(match)
    player, hand = players[seat.number], view_for(state, seat.number).hand
    page = dataclasses.replace(
        _page(desk, live, match, player, seat.number, kind, said, content),
        reply=reply_to(desk, match.code, seat.token),
        your_turn=seat.number in live.awaited and match.stopped != Stopped.CONFIRM,
        deadline=clock.deadline_of(desk, match, live, seat.number),
        rack=hand if not state.over or hand else None,
        rack_common=len(state.hands) == 1 < state.seats,
        receipt=said.receipt,
        standing=live.table.orders.get(seat.number, ""),
        vain=live.order(seat.number) == "impossible",
        in_vain=seat.number in live.missing and live.came_to_nothing(seat.number),
        board_page=archive.link_to_board(desk.config, desk.session, match.game, player.language),
        knows_how=live.ledger.seats[seat.number].turns > 0,
        state_line=_state_line(desk, live, match, players, kind, player.language),
    )
    return board_file.attached(desk, page)


def watch_page(desk: Desk, live: LiveMatch, match: Match, player: Player, kind: MailKind, said: Said = NOTHING) -> Page:
    """What everybody may know, as a page for a player without a seat."""
    return dataclasses.replace(
        _page(desk, live, match, player, None, kind, said),
        reply=Reply(plain_reply(desk).address, f"[{match.code}]"),
        watching=True,
    )


def _page(
    desk: Desk,
    live: LiveMatch,
    match: Match,
    player: Player,
    seat: int | None,
    kind: MailKind,
    said: Said,
    content: Content | None = None,
) -> Page:
    """What those with a seat and those who watch (None) read alike, each as far as it is for them."""
    players = desk.players(match)
    view, you = view_for(live.table.state, seat), NOBODY if seat is None else seat
    return new_page(
        desk,
        kind,
        reader(player),
        match=match_info(match, live, player.language, said.since, match_rulings.told(desk, match, live)),
        deadline=match.deadline,
        awaited=() if match.stopped == Stopped.CONFIRM else tuple(players[s].name for s in live.missing),
        moving_in=match.stopped == Stopped.CONFIRM,
        scene=live.game.scene(view),
        table=None if seat is None else turn_data.table_of(live.game, view),
        stock=view.stock_count,
        stock_kinds=getattr(view.public, "left", {}),
        situation=live.game.situation(view),
        seats=seat_lines(live, you, players),
        ending=ending_of(desk.session, match),
        reports=said.reports,
        notes=said.notes,
        happened=said.happened,
        finals=final_positions(live.game, live.table.state, [p.name for p in players], said.happened),
        press=said.press,
        remarks=(
            *_led(desk, match, kind),
            *_robots(desk, players, player.language, kind),
            *(remarks(desk, match, live, seat) if kind in REMARKED else ()),
        ),
        content=content or _content(kind, live, match),
        held=match.held,
        names=tuple(p.name for p in players),
        examples=robot.shown(live.game, view, live.context),
        archive=archive.link_to_match(desk.config, desk.session, match, player.language),
    )


def _led(desk: Desk, match: Match, kind: MailKind) -> tuple[Note, ...]:
    """Whom the word "moderator" means in this match, where it is not the chief."""
    if kind not in TOLD_OF_SEATS or (who := in_charge(desk, match)).chief:
        return ()
    return (Note("remark-referee", {"name": who.name}),)


def _robots(desk: Desk, players: list[Player], language: str, kind: MailKind) -> tuple[Note, ...]:
    """Which of the players are robots, and how well they play."""
    levels = ((player.name, plays_as(desk.config, player)) for player in players)
    names = [f"{name} ({label(f'plays-{level}', language)})" for name, level in levels if level]
    return (Note("remark-robots", {"names": names}),) if names and kind in TOLD_OF_SEATS else ()


def _content(kind: MailKind, live: LiveMatch, match: Match) -> Content | None:
    """What a mail of that kind about a match says besides, where nothing was asked for."""
    if kind == MailKind.START:
        alone = match.tournament_id is not None or match.training or live.table.state.seats == 2
        return Opening(rules_of_time(live.terms, bool(live.terms.stand_in) and not alone))
    return Promptness() if kind == MailKind.STATUS else None


def _state_line(desk: Desk, live: LiveMatch, match: Match, players: list[Player], kind: MailKind, language: str) -> str:
    if kind not in WITH_STATE:
        return ""
    game = sentence(Note("name"), language, match.game)
    return state_line(desk.session, match, live, players, game, desk.config.club.zone)


def match_info(
    match: Match, live: LiveMatch, language: str, since: int | None = None, rulings: tuple[Note, ...] = ()
) -> MatchInfo:
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
        entry=match.entries,
        options=agreed(live.game, live.options, state.seats),
        lexicon=match.lexicon,
        commitment="" if seeded else rng.commit(bytes.fromhex(match.seed)),
        seed=match.seed if state.over and not seeded else "",
        last_round=getattr(live.options, "rounds", None),
        salts=tuple(match.salts),
        rulings=rulings,
        seals=seals(match, live, since) if seeded else (),
    )


def seals(match: Match, live: LiveMatch, since: int | None) -> tuple[Seal, ...]:
    """Of a match whose rounds have seeds of their own: the rounds that ended or began after round ``since``; all when
    the match is over. The seed of the round that is being played, and what all seeds are made from, is never told."""
    state = live.table.state
    now = state.public.round
    if state.over:
        first = live.first
    elif since is None or since == now:
        return ()
    else:
        first = max(since, live.first)
    seed = rng.round_seeds(bytes.fromhex(match.seed))
    return tuple(
        Seal(number, rng.commit(seed(number)), seed(number).hex() if number < now or state.over else "")
        for number in range(first, now + 1)
    )


def seat_lines(live: LiveMatch, you: int, players: list[Player]) -> tuple[SeatLine, ...]:
    """The score table."""
    state = live.table.state
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
                tiles=len(state.hands[number]) if len(state.hands) > 1 else None,
            )
        )
    return tuple(lines)


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


# ---- remarks ----
#
# What is special about the clock and the seats of a match: lines under the headline, and the time rules at the start.
#
# Nothing is said where nothing is special.


SOON = timedelta(days=14)
"""Leave that begins within that is told."""
REMARKED = frozenset(
    {MailKind.START, MailKind.TURN, MailKind.RECEIPT, MailKind.STATUS, MailKind.REMINDER, MailKind.CORRECTION}
)
"""Mails that have them."""


def remarks(desk: Desk, match: Match, live: LiveMatch, seat: int | None) -> tuple[Note, ...]:
    """For the player of that seat; None = somebody who watches."""
    if match.status != MatchStatus.RUNNING:
        return ()
    players = desk.players(match)
    return (
        *_again(desk, match),
        *_stopped(desk, match, live, seat),
        *(_own(live, seat) if seat is not None else ()),
        *(_away(desk, live, players, seat) if live.terms.leave else ()),
        *_gone(live, players),
    )


def _again(desk: Desk, match: Match) -> list[Note]:
    """What a tournament's match that is played again is worth there."""
    note = played_again(desk, match)
    return [note] if note else []


def _stopped(desk: Desk, match: Match, live: LiveMatch, seat: int | None) -> list[Note]:
    if match.stopped == Stopped.PAUSE:
        return [Note("remark-paused")]
    if match.stopped == Stopped.CONFIRM:
        waits = unconfirmed(desk, match, live)
        names = [desk.players(match)[one].name for one in waits]
        return [Note("remark-moving-in") if seat in waits else Note("remark-moving-in-waits", {"names": names})]
    if match.stopped == Stopped.MAIL:
        names = [player.name for player in clock.unreachable(desk, match, live)]
        return [Note("remark-mail", {"names": names})]
    return []


def _own(live: LiveMatch, seat: int) -> list[Note]:
    """The reader's own extra days, days of grace, and signs."""
    notes: list[Note] = []
    if seat in live.missing:
        if bank := live.ledger.seats[seat].bank:
            notes.append(Note("remark-bank", {"count": bank}))
        if live.terms.grace:
            notes.append(Note("remark-grace", {"count": live.terms.grace}))
    if sign := live.table.flags.get(seat):
        notes.append(Note("remark-wait" if sign == "wait" else "remark-ready"))
    return notes


def _away(desk: Desk, live: LiveMatch, players: list[Player], you: int | None) -> list[Note]:
    """Who is on leave now, or will be soon."""
    today = desk.today
    notes: list[Note] = []
    for seat, player in enumerate(players):
        if seat in live.table.out or player.robot:
            continue
        for leave in sorted(desk.cache.leaves_of(desk.session, player.number), key=lambda one: one.first):
            if leave.last < today or leave.first > today + SOON:
                continue
            code = "remark-away" if leave.first <= today else "remark-away-soon"
            facts = {"name": player.name, "first": leave.first, "last": leave.last}
            notes.append(Note(f"{code}-you" if seat == you else code, facts))
    return notes


def _gone(live: LiveMatch, players: list[Player]) -> list[Note]:
    names = [players[seat].name for seat in live.table.out]
    return [Note("remark-out", {"names": names})] if names else []


def rules_of_time(terms: Terms, stand_in: bool = False) -> tuple[Note, ...]:
    """The time rules of a match, for its first mail. ``stand_in``: a robot may come in for somebody."""
    notes = [Note("terms-days", {"count": terms.days, "hour": terms.hour})]
    if terms.evening >= 0:
        notes.append(Note("terms-evening", {"hour": terms.evening}))
    if terms.bank or terms.bank_increment:
        notes.append(Note("terms-bank", {"count": terms.bank}))
    if terms.bank_increment:
        notes.append(Note("terms-increment", {"count": terms.bank_increment, "most": terms.most_bank}))
    if terms.grace:
        notes.append(Note("terms-grace", {"count": terms.grace}))
    if terms.skip_weekdays:
        notes += [Note(f"terms-weekday-{day}") for day in sorted({weekday(name) for name in terms.skip_weekdays})]
    if terms.holidays:
        notes.append(Note("terms-holidays", {"days": [_dated(text) for text in terms.holidays]}))
    notes.append(Note("terms-leave" if terms.leave else "terms-no-leave"))
    if terms.abandon_after:
        facts = {"count": terms.abandon_after, "excused": terms.excused}
        notes.append(Note("terms-abandon-excused" if terms.excused else "terms-abandon", facts))
    if stand_in:
        notes.append(Note("terms-stand-in"))
    return tuple(notes)


def _dated(text: str) -> str:
    """``24.12.``, or ``24.12.2026`` for a holiday of one year."""
    year, month, day = holiday(text)
    return f"{day}.{month}.{year or ''}"
