"""Two clubs in which the same is played, and nothing differs but where tiles lie that a reader cannot see: that reader
gets the same mails, byte by byte, and everybody the same pages.

All that a mail is made of is the same in both (seed, codes, tokens, clock); only some tiles of the deal are exchanged.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any

from moderator.common.errors import PlayerError
from moderator.conformance.mails import RUBBISH, publish_match_pages
from moderator.conformance.subject import CODE, Finding, Found, GameSubject, describe_difference
from moderator.conformance.worlds import (
    DEAL,
    MADE,
    ExchangedShuffles,
    find_exchanged_deal,
    is_alike_for_reader,
    summarize_compared_kinds,
)
from moderator.rules import shuffling, table
from moderator.rules.game import State, Step
from moderator.rules.log import EngineResult
from moderator.rules.state import Context, Shuffle, view_for
from moderator.rules.table import MatchState
from moderator.testing.club import SampleClub, open_sample_club, patch_shuffles

DEALS = 60
"""Deals that are looked at until all kinds of calls are found in two worlds."""
SWAPS = (60, 20, 6, 1)
"""Tiles that are exchanged, in the first of them and in others."""
MOVES = 20
"""Moves of a position that are tried in both."""
DEADLINE = "the deadline"


@dataclass(frozen=True)
class WorldAct:
    """An order or the deadline, as it comes in both worlds."""

    seat: int | None
    """None = the deadline comes."""
    text: str = DEADLINE


@dataclass(frozen=True)
class MailWorlds:
    """One match in two worlds, and the moves that are played in both."""

    pace: str
    seed: bytes
    reader: int
    exchanged: ExchangedShuffles
    acts: tuple[WorldAct, ...] = ()
    kinds: tuple[str, ...] = (DEAL,)
    ends: tuple[State[Any], ...] = ()
    """How it stands in each in the end."""


@dataclass(frozen=True)
class ReaderMails:
    """The mails and pages of a reader in both worlds."""

    worlds: MailWorlds
    mails: tuple[tuple[str, bytes, bytes], ...]
    """(which, in one, in the other)"""
    site: tuple[tuple[str, bytes, bytes], ...]


def get_reader_mails(subject: GameSubject) -> tuple[ReaderMails, ...]:
    """Return the mails for each reader of a match of as few as can play; stored with the subject. () where no two
    worlds were found."""
    kept: tuple[ReaderMails, ...] | None = vars(subject).get("_told")
    if kept is None:
        most = min(2, subject.game.min_seats)
        read = [(pace, reader) for pace in subject.game.paces for reader in range(1 if pace == "common" else most)]
        found = [_find_worlds(subject, pace, reader) for pace, reader in read]
        kept = vars(subject)["_told"] = tuple(
            _play_both_worlds(subject, worlds) for worlds in found if worlds is not None
        )
    return kept


def _play_both_worlds(subject: GameSubject, worlds: MailWorlds) -> ReaderMails:
    mails, pages = [], []
    for other in (False, True):
        dealing = patch_shuffles(worlds.exchanged) if other else nullcontext()
        with dealing, open_sample_club(subject, worlds.pace, subject.languages, worlds.seed) as club:
            club.deliver_and_run(worlds.reader, RUBBISH, "a line that is no move")
            for act in worlds.acts:
                if act.seat is None:
                    _run_past_deadline(club)
                else:
                    club.deliver_and_run(act.seat, act.text, f"a move ({act.text})")
            mails.append([(mail.description, mail.raw) for mail in club.mails if mail.seat == worlds.reader])
            pages.append(publish_match_pages(club))
            with club.open_match() as (_, _, live):
                if live.table.state != worlds.ends[other]:  # a club plays it otherwise: only the deal was looked at
                    worlds = replace(worlds, kinds=(DEAL,))
    ours, theirs = pages
    return ReaderMails(
        worlds,
        tuple((one[0], one[1], two[1]) for one, two in zip_longest(*mails, fillvalue=("a mail that one has", b""))),
        tuple((path, ours.get(path, b""), theirs.get(path, b"")) for path in sorted({*ours, *theirs})),
    )


def _run_past_deadline(club: SampleClub) -> None:
    """Let the deadline of the match pass."""
    with club.open_match() as (_, row, _):
        at = row.final
    if at is not None:
        club.pass_time(seconds=max(0, (at - club.now).total_seconds()) + 7200)
        club.run_and_collect(DEADLINE)


# ---- worlds that look alike ----


def _find_worlds(subject: GameSubject, pace: str, reader: int) -> MailWorlds | None:
    """Find two worlds by trying; None where anybody could tell any two from each other."""
    dice = random.Random(f"{subject.key}/{pace}/{reader}")
    options, seats, rounds = subject.build_options(pace), subject.game.min_seats, subject.game.seeded_rounds
    best: MailWorlds | None = None
    for number in range(DEALS):
        seed = (subject.seed + number).to_bytes(32, "big")
        shuffle = shuffling.build_shuffle(shuffling.build_round_seeds(seed) if rounds else seed, (), CODE)

        def deal_once(shuffle: Shuffle) -> Step[Any]:
            return subject.game.setup(seats, options, Context(subject.words, shuffle))

        found = find_exchanged_deal(subject.game, deal_once, shuffle, reader, dice, SWAPS[number * len(SWAPS) // DEALS])
        if found is None:
            continue
        contexts = [Context(subject.words, made) for made in (shuffle, found[0](shuffle))]
        tried = _PlayedWorlds(subject, options, seats, reader, contexts, dice).play_acts(
            MailWorlds(pace, seed, reader, found[0])
        )
        if best is None or len(tried.kinds) > len(best.kinds):
            best = tried
        if len(best.kinds) == len(MADE[pace]):
            break
    return best


class _PlayedWorlds:
    """Both worlds, as a club plays them, as long as they look alike."""

    def __init__(self, subject: GameSubject, options: Any, seats: int, reader: int, contexts: list[Context], dice: Any):
        self.game, self.reader, self.contexts, self.dice = subject.game, reader, contexts, dice
        self.tables = [table.open_match_state(self.game, seats, options, ctx)[0] for ctx in contexts]

    def play_acts(self, worlds: MailWorlds) -> MailWorlds:
        """Play a move or evaluation, one that somebody misses, and two more where that is possible."""
        for late in (False, True, False, False):
            acts = self._play_all_seats(late) if self.tables[0].is_simultaneous else self._play_one_seat(late)
            if not acts:
                break
            kinds = ["missed turn"] if late else ["move"]
            kinds = (
                ["evaluation"]
                if worlds.pace == "common"
                else [*kinds, *["end of a round"] * self.tables[0].is_simultaneous]
            )
            worlds = replace(worlds, acts=(*worlds.acts, *acts), kinds=tuple(dict.fromkeys((*worlds.kinds, *kinds))))
        return replace(worlds, ends=tuple(one.state for one in self.tables))

    def _sample_moves(self, seat: int, most: int) -> list[str]:
        """Return some moves that the seat could make in our world."""
        state = self.tables[0].state
        listed = islice(self.game.list_moves(view_for(state, seat), self.contexts[0]), 400)
        texts = [self.game.format_move(move) for move, _ in listed]
        return self.dice.sample(texts, min(most, len(texts)))  # type: ignore[no-any-return]

    def _play_one_seat(self, late: bool) -> list[WorldAct]:
        seat = self.tables[0].state.to_move[0]
        if late:
            return [WorldAct(None)] * self._play_if_alike(lambda one, ctx: table.miss_seat(self.game, one, seat, ctx))
        for text in self._sample_moves(seat, MOVES):
            if self._play_if_alike(lambda one, ctx, text=text: table.try_order(self.game, one, seat, text, ctx)):
                return [WorldAct(seat, text)]
        return []

    def _play_all_seats(self, late: bool) -> list[WorldAct]:
        """Let all send something but one who is late, if anybody is, and the deadline come. Returns what was done; []
        where nothing looks alike in both."""
        seats = [seat for seat in self.tables[0].state.to_move if not (late and seat == 1 - self.reader % 2)]
        listed = {seat: found for seat in seats if (found := self._sample_moves(seat, MOVES))}
        for _ in range(MOVES):
            orders = [WorldAct(seat, self.dice.choice(found)) for seat, found in listed.items()]

            def evaluate_orders(
                one: MatchState[Any], ctx: Context, orders: list[WorldAct] = orders
            ) -> tuple[MatchState[Any], EngineResult]:
                ordered = replace(one, orders={act.seat: act.text for act in orders if act.seat is not None})
                return table.evaluate_in_state(self.game, ordered, ctx, "reject")

            if self._play_if_alike(evaluate_orders):
                return [*orders, WorldAct(None)]
        return []

    def _play_if_alike(self, play: Any) -> bool:
        """Play it in both if that can be and they look alike afterwards. Returns whether it was played."""
        try:
            both = [play(one, ctx) for one, ctx in zip(self.tables, self.contexts, strict=True)]
        except PlayerError:
            return False
        steps = [_build_step(after.state, result) for after, result in both]
        played = [[(move.played, len(move.refused)) for move in result.moves] for _, result in both]
        before = [one.state for one in self.tables]
        refused = any(move.refused for move in both[0][1].moves)
        if (
            refused
            or played[0] != played[1]
            or not is_alike_for_reader(self.game, steps[0], steps[1], self.reader, before)
        ):
            return False
        self.tables = [after for after, _ in both]
        return True


def _build_step(state: State[Any], result: EngineResult) -> Step[Any]:
    notes = tuple(note for move in result.moves for note in move.notes)
    return Step(state, notes, sum(move.points for move in result.moves), after=result.notes)


# ---- the checks ----


def iter_mail_leak_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the mails that the reader gets."""
    return _iter_compared_findings(subject, "mails")


def iter_site_leak_findings(subject: GameSubject) -> Iterator[Found]:
    """Check the pages that everybody can look at."""
    return _iter_compared_findings(subject, "site")


def _iter_compared_findings(subject: GameSubject, which: str) -> Iterator[Found]:
    for one in get_reader_mails(subject):
        for where, ours, theirs in getattr(one, which):
            if ours != theirs:
                parted = describe_difference(ours.decode("utf-8", "replace"), theirs.decode("utf-8", "replace"))
                what = f"seen by seat {one.worlds.reader}, after {', '.join(act.text for act in one.worlds.acts)}"
                seed = int.from_bytes(one.worlds.seed, "big")
                yield Finding(f"{where}, {what}", f"it tells what is hidden: {parted}", seed)
    yield summarize_compared_kinds(
        subject, subject.game.paces, (kind for one in get_reader_mails(subject) for kind in one.worlds.kinds)
    )
