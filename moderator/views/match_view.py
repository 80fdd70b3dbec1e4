"""A match as a page: everything that one reader may know of it, as it stands, with what has happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from moderator.common.enums import ClockStop, MailKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.language.messages import render_label
from moderator.language.spelling import get_game_name
from moderator.notifications.content import (
    MoveView,
    Promptness,
    RefusedAlternative,
    ReplyAddress,
    StartTerms,
    WordScore,
)
from moderator.notifications.pages import (
    NOTHING,
    AlternativeState,
    Content,
    MailPayload,
    MatchView,
    Page,
    SeatView,
    ShuffleProof,
    StoredAlternative,
    StoredOrder,
)
from moderator.rules import shuffling, turn_data
from moderator.rules.events import build_final_positions
from moderator.rules.game import Game, resolve_option_values
from moderator.rules.log import PlayedMove
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT
from moderator.rules.robots import choose
from moderator.rules.state import Note, View, view_for
from moderator.rules.table import AlternativePreview
from moderator.rules.time.calendar import parse_holiday, parse_weekday
from moderator.rules.time.clock import TimeRules
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import links, match_state
from moderator.views.links import build_plain_reply, build_player_page, build_reply_address
from moderator.views.loaded_match import LiveMatch, find_match_ending, get_status_in_match
from moderator.views.match_state import AwaitedSeats, format_state_line
from moderator.views.people import MatchCharge, get_play_style
from moderator.views.tournament_rows import find_replay_note
from moderator.views.unit_of_work import UnitOfWork

NOBODY = -1
"""The seat of those who only watch."""

WITH_STATE = (MailKind.START, MailKind.TURN, MailKind.END, MailKind.STATUS, MailKind.CORRECTION)
"""Mails that end with the state of the match in one signed line."""


TOLD_OF_SEATS = (MailKind.START, MailKind.STATUS)
"""Mails that say who is in charge, and which seats robots have."""

SOON = timedelta(days=14)
"""Leave that begins within that is told."""
REMARKED = frozenset(
    {MailKind.START, MailKind.TURN, MailKind.RECEIPT, MailKind.STATUS, MailKind.REMINDER, MailKind.CORRECTION}
)
"""Mails that say what is special about the clock and the seats of the match: lines under the headline. Nothing is said
where nothing is special."""


@dataclass(frozen=True)
class MatchReader:
    """Builds pages of one match as its readers may know it."""

    work: UnitOfWork
    match: MatchRow
    live: LiveMatch

    @property
    def awaited(self) -> AwaitedSeats:
        """The seats that the match waits for, and until when."""
        return AwaitedSeats(self.work, self.match, self.live)

    def build_seat_page(
        self, seat: SeatRow, kind: MailKind, payload: MailPayload = NOTHING, content: Content | None = None
    ) -> Page:
        """Return everything that one seat may know, as a page; ``content`` is for what only mails of that kind say."""
        state = self.live.table.state
        players = self.work.list_players(self.match)
        player, hand = players[seat.number], view_for(state, seat.number).hand
        return dataclasses.replace(
            self._build_shared_page(player, seat.number, kind, payload, content),
            reply=build_reply_address(self.work.config, self.match.code, seat.token),
            deadline=self.awaited.compute_seat_deadline(seat.number),
            rack=hand if not state.over or hand else None,
            rack_common=len(state.hands) == 1 < state.seats,
            receipt=payload.receipt,
            stored=build_stored_order(self.live, seat.number),
            silence=self.live.foresee_silence(seat.number),
            board_page=links.link_to_board(self.work.config, self.work.session, self.match.game, player.language),
            state_line=self._render_state_line(players, kind, player.language),
        )

    def build_watcher_page(self, player: PlayerRow, kind: MailKind, payload: MailPayload = NOTHING) -> Page:
        """Return what everybody may know, as a page for a player without a seat."""
        return dataclasses.replace(
            self._build_shared_page(player, None, kind, payload),
            reply=ReplyAddress(build_plain_reply(self.work.config).address, f"[{self.match.code}]"),
            watching=True,
        )

    def _build_shared_page(
        self, player: PlayerRow, seat: int | None, kind: MailKind, payload: MailPayload, content: Content | None = None
    ) -> Page:
        """Return what readers with a seat and watchers (``seat`` None) read alike, each as far as they may know it."""
        players = self.work.list_players(self.match)
        view, you = view_for(self.live.table.state, seat), NOBODY if seat is None else seat
        return build_player_page(
            self.work,
            kind,
            player,
            reply=None,
            match=build_public_match_view(
                self.match,
                self.live,
                player.language,
                payload.since,
                match_state.build_ruling_notes(self.work.session, self.work.cache, self.match, self.live),
            ),
            deadline=match_state.limit_to_latest_end(self.work.session, self.work.now, self.match, self.match.deadline),
            moving_in=self.match.stopped == ClockStop.CONFIRM,
            scene=self.live.game.build_scene(view),
            table=None if seat is None else turn_data.build_table_values(self.live.game, view),
            stock=view.stock_count,
            stock_kinds=view.stock_kinds,
            situation=self.live.game.describe_situation(view),
            seats=list_seat_views(self.match, self.live, you, players),
            ending=find_match_ending(self.work.session, self.match),
            reports=payload.reports,
            notes=payload.notes,
            happened=payload.happened,
            finals=build_final_positions(
                self.live.game, self.live.table.state, [p.name for p in players], payload.happened
            ),
            press=payload.press,
            remarks=(
                *self._build_referee_notes(kind),
                *self._build_robot_notes(players, player.language, kind),
                *(self.list_remarks(seat) if kind in REMARKED else ()),
            ),
            content=content or self._find_content(kind),
            held=self.match.held,
            names=tuple(p.name for p in players),
            examples=self._list_examples(view, kind),
            archive=links.link_to_match(self.work.config, self.work.session, self.match, player.language),
        )

    def _list_examples(self, view: View[Any], kind: MailKind) -> Mapping[str, str]:
        """Return what examples are made of. The mail that begins a match has a move of the reader's hand in games of
        words, too, unless it would be the solution."""
        found = choose.example_moves(self.live.game, view, self.live.context)
        if kind != MailKind.START or view.seat is None or "move" in found or self.live.table.pace == "race":
            return found
        try:
            context = self.work.cache.build_context(self.live)
        except OperatorError:  # the dictionary is gone; the mail says how a move is written all the same
            return found
        move = choose.find_plain_move(self.live.game, view, context)
        return {**found, "move": move} if move else found

    def _build_referee_notes(self, kind: MailKind) -> tuple[Note, ...]:
        """Name the referee whom the word "moderator" means in this match, unless it is the chief."""
        if kind not in TOLD_OF_SEATS or (who := MatchCharge(self.work, self.match).find_staff()).is_chief:
            return ()
        return (Note("remark-referee", {"name": who.name}),)

    def _build_robot_notes(self, players: list[PlayerRow], language: str, kind: MailKind) -> tuple[Note, ...]:
        """Name the players that are robots, and how well they play."""
        levels = ((player.name, get_play_style(self.work.config, player)) for player in players)
        names = [f"{name} ({render_label(f'plays-{level}', language)})" for name, level in levels if level]
        return (Note("remark-robots", {"names": names}),) if names and kind in TOLD_OF_SEATS else ()

    def _find_content(self, kind: MailKind) -> Content | None:
        """Return what a mail of that kind about a match says besides, where nothing was asked for."""
        if kind == MailKind.START:
            alone = self.match.tournament_id is not None or self.match.training or self.live.table.state.seats == 2
            return StartTerms(list_time_rule_notes(self.live.terms, bool(self.live.terms.stand_in) and not alone))
        return Promptness() if kind == MailKind.STATUS else None

    def _render_state_line(self, players: list[PlayerRow], kind: MailKind, language: str) -> str:
        if kind not in WITH_STATE:
            return ""
        game = get_game_name(self.match.game, language)
        return format_state_line(self.work.session, self.match, self.live, players, game, self.work.config.club.zone)

    def list_remarks(self, seat: int | None) -> tuple[Note, ...]:
        """Return the remarks for the player of that seat; None = a watcher."""
        if self.match.status != MatchStatus.RUNNING:
            return ()
        players = self.work.list_players(self.match)
        note = find_replay_note(self.work.session, self.match)
        return (
            *([note] if note else []),
            *self._list_stop_notes(seat),
            *(self._list_own_clock_notes(seat) if seat is not None else ()),
            *(self._list_leave_notes(players, seat) if self.live.terms.leave else ()),
        )

    def _list_stop_notes(self, seat: int | None) -> list[Note]:
        if self.match.stopped == ClockStop.PAUSE:
            return [Note("remark-paused")]
        if self.match.stopped == ClockStop.CONFIRM:
            waits = self.awaited.list_unconfirmed()
            names = [self.work.list_players(self.match)[one].name for one in waits]
            return [Note("remark-moving-in") if seat in waits else Note("remark-moving-in-waits", {"names": names})]
        if self.match.stopped == ClockStop.MAIL:
            names = [player.name for player in self.awaited.list_unreachable()]
            return [Note("remark-mail", {"names": names})]
        return []

    def _list_own_clock_notes(self, seat: int) -> list[Note]:
        """Return notes on the reader's own extra days and days of grace, while there is time without them, and wait or
        ready signs."""
        notes: list[Note] = []
        if seat in self.live.seats_awaited and (deadline := self.match.deadline) and self.work.now <= deadline:
            if bank := self.live.ledger.seats[seat].bank:
                notes.append(Note("remark-bank", {"count": bank}))
            if self.live.terms.grace:
                notes.append(Note("remark-grace", {"count": self.live.terms.grace}))
        if sign := self.live.table.flags.get(seat):
            notes.append(Note("remark-wait" if sign == "wait" else "remark-ready"))
        return notes

    def _list_leave_notes(self, players: list[PlayerRow], you: int | None) -> list[Note]:
        """Return notes on players who are on leave now, or will be soon."""
        today = self.work.today
        notes: list[Note] = []
        for seat, player in enumerate(players):
            if seat in self.live.table.out or player.robot:
                continue
            for leave in sorted(
                self.work.cache.list_player_leaves(self.work.session, player.number), key=lambda one: one.first
            ):
                if leave.last < today or leave.first > today + SOON:
                    continue
                code = "remark-away" if leave.first <= today else "remark-away-soon"
                facts = {"name": player.name, "first": leave.first, "last": leave.last}
                notes.append(Note(f"{code}-you" if seat == you else code, facts))
        return notes


def build_seated_page(
    work: UnitOfWork, kind: MailKind, match: MatchRow, live: LiveMatch, seat: SeatRow, player: PlayerRow, **more: Any
) -> Page:
    """Return a page for a player with a seat: the match's public data, and the address that the seat answers to."""
    about = build_public_match_view(match, live, player.language)
    reply = build_reply_address(work.config, match.code, seat.token)
    return build_player_page(work, kind, player, match=about, reply=reply, **more)


def build_public_match_view(
    match: MatchRow, live: LiveMatch, language: str, since: int | None = None, rulings: tuple[Note, ...] = ()
) -> MatchView:
    """Return the match's public data; the seed only after the end. ``since``: the round before what the mail reports, 0
    = not dealt, None = it reports nothing."""
    state, seeded = live.table.state, live.game.seeded_rounds
    return MatchView(
        code=match.code,
        name=match.name,
        game=match.game,
        game_name=get_game_name(match.game, language),
        pace=live.table.pace,
        round=state.public.round,
        entry=match.entries,
        options=resolve_option_values(live.game, live.options, state.seats),
        lexicon=match.lexicon,
        commitment="" if seeded else shuffling.commit_seed(bytes.fromhex(match.seed)),
        seed=match.seed if state.over and not seeded else "",
        last_round=getattr(live.options, "rounds", None),
        salts=tuple(match.salts),
        rulings=rulings,
        seals=list_shuffle_proofs(match, live, since) if seeded else (),
    )


def list_shuffle_proofs(match: MatchRow, live: LiveMatch, since: int | None) -> tuple[ShuffleProof, ...]:
    """Return the proofs of the shuffles of a match whose rounds have seeds of their own: for the rounds that ended or
    began after round ``since``; for all rounds when the match is over. The seed of the round that is being played, and
    the master seed of all rounds, are never given away."""
    state = live.table.state
    now = state.public.round
    if state.over:
        first = live.first
    elif since is None or since == now:
        return ()
    else:
        first = max(since, live.first)
    seed = shuffling.build_round_seeds(bytes.fromhex(match.seed))
    return tuple(
        ShuffleProof(
            number, shuffling.commit_seed(seed(number)), seed(number).hex() if number < now or state.over else ""
        )
        for number in range(first, now + 1)
    )


def list_seat_views(match: MatchRow, live: LiveMatch, you: int, players: list[PlayerRow]) -> tuple[SeatView, ...]:
    """Return the rows of the score table."""
    state = live.table.state
    lines: list[SeatView] = []
    for number, player in enumerate(players):
        last, gained = live.last.get(number, ("", None))
        lines.append(
            SeatView(
                number=number,
                name=player.name,
                score=state.scores[number],
                you=number == you,
                status=get_status_in_match(match, live, number),
                gained=gained,
                last=last,
                tiles=len(state.hands[number]) if len(state.hands) > 1 else None,
            )
        )
    return tuple(lines)


LACKING = frozenset({"not-your-letters", "no-jolly"})
"""Reasons that stay until the seat has moved: in games of words nobody gets a tile before."""


def build_stored_order(live: LiveMatch, seat: int) -> StoredOrder | None:
    """Return what a seat has in store, each move with what could become of it now; None where it has nothing."""
    previews = live.preview_stored_order(seat)
    if not previews:
        return None
    lasting = [one for one in previews if AFTER_DRAW_TEXT in (one.canonical, one.text)]
    return StoredOrder(
        moves=tuple(_build_stored_alternative(one, live.game) for one in previews if one not in lasting),
        lasting=tuple(one.canonical or one.text for one in lasting),
        is_retried=live.table.pace in ("sequential", "rounds"),
    )


def _build_stored_alternative(preview: AlternativePreview, game: Game[Any, Any]) -> StoredAlternative:
    if (refused := preview.refused) is not None:
        lacks = game.uses_words and refused.code in LACKING
        state = AlternativeState.HOPELESS if refused.final or lacks else AlternativeState.ILLEGAL
        return StoredAlternative(preview.text, state, Note(refused.code, refused.params))
    return StoredAlternative(preview.text, AlternativeState.UNDECIDED if preview.undecided else AlternativeState.LEGAL)


def build_move_view(move: PlayedMove, you: int, players: list[PlayerRow], then: tuple[Note, ...] = ()) -> MoveView:
    """Return one seat's order as the report shows it to seat ``you``; ``then``: what happened by itself after it."""
    return MoveView(
        seat=move.seat,
        name=players[move.seat].name,
        you=move.seat == you,
        played=move.played or "" if move.seat == you else move.public_text,
        alternative=move.alternative,
        points=move.points,
        words=list_word_scores(move.detail),
        # What a seat could not lay tells about its rack, so only the seat itself reads it.
        failed=tuple(
            RefusedAlternative(r.alternative, r.text, Note(r.code, r.params)) for r in move.refused if move.seat == you
        ),
        notes=filter_visible(move.reported_notes, you),
        laid=move.laid,
        same=move.same,
        then=then,
    )


def list_word_scores(detail: Any) -> tuple[WordScore, ...]:
    """Return the formed words of a move with their points."""
    return tuple(WordScore(w["word"], w["points"]) for w in detail.get("words", ()))


def filter_visible(notes: Any, seat: int) -> tuple[Note, ...]:
    """Return the notes that everybody or this seat may read."""
    return tuple(note for note in notes if note.only is None or note.only == seat)


def list_time_rule_notes(terms: TimeRules, stand_in: bool = False) -> tuple[Note, ...]:
    """Return the time rules of a match, for its first mail. ``stand_in``: a robot may stand in for a player."""
    notes = [Note("terms-days", {"count": terms.days, "hour": terms.hour})]
    if terms.bank or terms.bank_increment:
        notes.append(Note("terms-bank", {"count": terms.bank}))
    if terms.bank_increment:
        notes.append(Note("terms-increment", {"count": terms.bank_increment, "most": terms.most_bank}))
    if terms.grace:
        notes.append(Note("terms-grace", {"count": terms.grace}))
    if terms.skip_weekdays:
        notes += [Note(f"terms-weekday-{day}") for day in sorted({parse_weekday(name) for name in terms.skip_weekdays})]
    if terms.holidays:
        notes.append(Note("terms-holidays", {"days": [_format_holiday(text) for text in terms.holidays]}))
    notes.append(Note("terms-leave" if terms.leave else "terms-no-leave"))
    if terms.abandon_after:
        facts = {"count": terms.abandon_after, "excused": terms.excused}
        notes.append(Note("terms-abandon-excused" if terms.excused else "terms-abandon", facts))
    if stand_in:
        notes.append(Note("terms-stand-in"))
    return tuple(notes)


def _format_holiday(text: str) -> str:
    """Return ``24.12.``, or ``24.12.2026`` for a holiday of one year."""
    year, month, day = parse_holiday(text)
    return f"{day}.{month}.{year or ''}"
