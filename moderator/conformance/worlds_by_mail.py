"""Two clubs in which the same is played, and nothing differs but where tiles lie that a reader cannot see: that reader
gets the same mails, byte by byte, and everybody the same pages.

All that a mail is made of is the same in both (seed, codes, tokens, clock); only some tiles of the deal are exchanged.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import Any

from moderator.conformance.club import opened, shuffled
from moderator.conformance.finding import Finding, Found, Said, Unseen, difference
from moderator.conformance.phases import RUBBISH, published
from moderator.conformance.subject import CODE, Subject
from moderator.conformance.worlds import alike
from moderator.errors import PlayerError
from moderator.match import rng
from moderator.match.contract import Conserving, Context, Shuffle, State, Step, view_for

MOVES = 4
DEALS = 400
"""Deals that are looked at until two worlds are found."""


@dataclass(frozen=True)
class Worlds:
    """One match in two worlds, and what is played in both."""

    seed: bytes
    reader: int
    exchanged: Mapping[str, str]
    """Tile -> the tile that lies in its place in the other world."""
    moves: tuple[tuple[int, str], ...]
    """(seat, move in notation)"""

    def exchange(self, shuffle: Shuffle) -> Shuffle:
        """The shuffle of the other world."""

        def other(label: str, items: Sequence[str]) -> tuple[str, ...]:
            return tuple(self.exchanged.get(tile, tile) for tile in shuffle(label, items))

        return other


@dataclass(frozen=True)
class Told:
    """What a reader got in both worlds."""

    worlds: Worlds
    mails: tuple[tuple[str, bytes, bytes], ...]
    """(which, in one, in the other)"""
    site: tuple[tuple[str, bytes, bytes], ...]


def told(subject: Subject) -> tuple[Told, ...]:
    """For each reader of a match of as few as can play; kept with the subject. () where no two worlds were found."""
    kept: tuple[Told, ...] | None = vars(subject).get("_told")
    if kept is None:
        pace = subject.game.paces[0]
        readers = range(1 if subject.quick else subject.game.min_seats)
        found = [worlds for reader in readers if (worlds := _found(subject, pace, reader)) is not None]
        kept = vars(subject)["_told"] = tuple(_told(subject, pace, worlds) for worlds in found)
    return kept


def _told(subject: Subject, pace: str, worlds: Worlds) -> Told:
    mails, pages = [], []
    for other in (False, True):
        dealing = shuffled(worlds.exchange) if other else nullcontext()
        with dealing, opened(subject, pace, subject.languages, worlds.seed) as club:
            for seat, move in worlds.moves:
                club.order(worlds.reader, RUBBISH, "a line that is no move")
                club.order(seat, move, f"a move ({move})")
            mails.append([(mail.where, mail.raw) for mail in club.mails if mail.seat == worlds.reader])
            pages.append(published(club))
    ours, theirs = pages
    return Told(
        worlds,
        tuple((one[0], one[1], two[1]) for one, two in zip_longest(*mails, fillvalue=("a mail that one has", b""))),
        tuple((path, ours.get(path, b""), theirs.get(path, b"")) for path in sorted({*ours, *theirs})),
    )


# ---- worlds that look alike ----


def _found(subject: Subject, pace: str, reader: int) -> Worlds | None:
    """By trying; None where anybody could tell any two apart."""
    if pace in ("rounds", "common") or not isinstance(subject.game, Conserving):
        return None
    dice = random.Random(f"{subject.key}/{reader}")
    options, seats, rounds = subject.options(pace), subject.game.min_seats, subject.game.seeded_rounds
    best: Worlds | None = None
    for number in range(DEALS):
        seed = (subject.seed + number).to_bytes(32, "big")
        shuffle = rng.shuffler(rng.round_seeds(seed) if rounds else seed, (), CODE)
        start = subject.game.setup(seats, options, Context(subject.words, shuffle))
        tried = Worlds(seed, reader, _exchanged(subject, start.state, reader, dice), ())
        one, two = (Context(subject.words, made) for made in (shuffle, tried.exchange(shuffle)))
        mirrored = subject.game.setup(seats, options, two)
        quiet = not (start.notes or start.after or mirrored.notes or mirrored.after)
        same = start.state.public == mirrored.state.public
        if (
            tried.exchanged
            and alike(subject.game, start, mirrored, reader)
            and (quiet or same)
            and start.state != mirrored.state
        ):
            steps = list(_played(subject, start, mirrored, one, two, reader))
            if len(steps) == MOVES:
                best = replace(tried, moves=tuple((seat, move) for seat, move, _, _ in steps))
                if any(mine.state.stock[:1] != yours.state.stock[:1] for *_, mine, yours in steps):
                    return best  # even what is drawn next is another tile
    return best


def _exchanged(subject: Subject, state: State[Any], reader: int, dice: random.Random) -> dict[str, str]:
    """Kinds of tiles, all of which are hidden from the reader, as many of each: which there are is known."""
    hidden = Counter(tile for seat, hand in enumerate(state.hands) if seat != reader for tile in hand)
    hidden += Counter(state.stock)
    table = subject.game.on_table(state.public) if isinstance(subject.game, Conserving) else ()
    seen = {*state.hand(reader), *table}
    kinds = sorted(tile for tile in hidden if tile not in seen)
    counts = Counter(hidden[tile] for tile in kinds)
    usual = max(counts, key=lambda count: (counts[count], count), default=0)
    kinds = [tile for tile in kinds if hidden[tile] == usual]
    chosen = dice.sample(kinds, min(dice.choice((2, 3, 8)), len(kinds)))
    return dict(zip(chosen, [*chosen[1:], *chosen[:1]], strict=True)) if len(chosen) > 1 else {}


def _played(
    subject: Subject, ours: Step[Any], theirs: Step[Any], one: Context, two: Context, reader: int
) -> Iterator[tuple[int, str, Step[Any], Step[Any]]]:
    """Moves after each of which both worlds look alike, and what they lead to."""
    for _ in range(MOVES):
        found = _next(subject, ours.state, theirs.state, one, two, reader)
        if found is None:
            return
        yield found
        _, _, ours, theirs = found


def _next(
    subject: Subject, ours: State[Any], theirs: State[Any], one: Context, two: Context, reader: int
) -> tuple[int, str, Step[Any], Step[Any]] | None:
    game, seat = subject.game, ours.to_move[0]
    for move, _ in islice(game.moves(view_for(ours, seat), one), 40):
        try:
            first, second = game.apply(ours, seat, move, one), game.apply(theirs, seat, move, two)
        except PlayerError:
            continue
        if alike(game, first, second, reader):
            return seat, game.format(move), first, second
    return None


# ---- the checks ----


def mails(subject: Subject) -> Iterator[Found]:
    """What the reader gets."""
    return _same(subject, "mails")


def site(subject: Subject) -> Iterator[Found]:
    """What everybody can look at."""
    return _same(subject, "site")


def _same(subject: Subject, which: str) -> Iterator[Found]:
    found, count = told(subject), 0
    if not found:
        yield Unseen("no two deals were found that look alike for some moves")
        return
    for one in found:
        played = ", ".join(move for _, move in one.worlds.moves)
        for where, ours, theirs in getattr(one, which):
            count += 1
            if ours != theirs:
                parted = difference(ours.decode("utf-8", "replace"), theirs.decode("utf-8", "replace"))
                seed = int.from_bytes(one.worlds.seed, "big")
                what = f"seen by seat {one.worlds.reader}, with {dict(one.worlds.exchanged)} exchanged, after {played}"
                yield Finding(f"{where}, {what}", f"it tells hidden tiles: {parted}", seed)
    yield Said(f"({count} compared)")
