"""Deals and ends. Chance comes from ctx.shuffle alone, each round has a seed of its own, and what came before is kept.
Matches come to an end: robots play them out, also where seats leave, and the log gives the same match again."""

from __future__ import annotations

import json
import random
import typing
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from moderator import games
from moderator.common.enums import LogEntryKind
from moderator.common.errors import Illegal, OperatorError, ReplayMismatch
from moderator.common.text import count_noun
from moderator.common.typed import build_dataclass
from moderator.conformance.subject import (
    CODE,
    MOST_SEATS,
    CheckFigure,
    Finding,
    Found,
    GameSubject,
    RandomPlay,
    SampleMatch,
    build_master_seed,
    deal_sample_match,
    describe_difference,
    format_in_one_line,
    repeat_call,
    with_seat_to_move,
)
from moderator.rules import replay, table
from moderator.rules.game import Game, State, Step, begins_by_lot, first_mover
from moderator.rules.log import EngineResult
from moderator.rules.records import record
from moderator.rules.replay import LogEntry, iter_broken_invariants
from moderator.rules.robots import choose
from moderator.rules.shuffling import parse_round_label
from moderator.rules.state import Context, view_for
from moderator.rules.table import MatchState

CALLS = {True: 600, False: 2000}
"""Calls to the game in search of a second deal, in each pace, quick or not."""


def iter_deal_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the same shuffles give the same deal, other shuffles another one; and all that a second deal is made
    of."""
    for match in subject.matches:
        twice = deal_sample_match(subject, match.options.pace, match.seed)
        if twice.first != match.first:
            yield Finding(
                match.describe_moment(0), f"dealt twice: {describe_difference(match.first, twice.first)}", match.seed
            )
    options = subject.build_options(subject.game.paces[0])
    deals = [
        subject.game.setup(subject.game.min_seats, options, subject.build_context(seed)).state for seed in range(8)
    ]
    first = first_mover(subject.game, options)
    for seed, state in enumerate(deals):
        if first is not None and state.to_move[:1] != (first,):
            yield Finding(f"setup({subject.game.min_seats}, …)", f"{state.to_move} begins: it lacks opener", seed)
            break
    if begins_by_lot(options) and all(
        _find_beginning_seats(subject, options, seed, 0) == _find_beginning_seats(subject, options, seed, 1)
        for seed in range(8)
    ):
        yield Finding(f"setup({subject.game.min_seats}, …)", "whoever is drawn as starter, the same seat begins")
    if any((*deals[0].hands, deals[0].stock)) and all(state == deals[0] for state in deals):
        yield Finding(f"setup({subject.game.min_seats}, …) with eight shuffles", "it is dealt the same each time")
    for match in subject.matches:
        yield from _iter_first_fault(match, "")
    if subject.game.seeded_rounds:
        met = []
        for chosen, match in _get_long_matches(subject):
            yield from _iter_first_fault(match, _format_options(chosen))
            met += [f"a second deal in {match.options.pace}{_format_options(chosen)}"] * _is_dealt_twice(match)
        yield CheckFigure(f"({'; '.join(met) or 'no second deal was met'})")


def _find_beginning_seats(subject: GameSubject, options: Any, seed: int, starter: int) -> tuple[int, ...]:
    """Return the seats that begin where the lot has fallen on ``starter``."""
    ctx, fixed = subject.build_context(seed), {"starter": starter}
    return subject.game.setup(subject.game.min_seats, options, ctx, fixed).state.to_move


# ---- a second deal ----


def list_second_deals(subject: GameSubject) -> list[SampleMatch]:
    """Return the matches whose last call deals for the second time."""
    return [match for _, match in _get_long_matches(subject) if _is_dealt_twice(match)]


def _is_dealt_twice(match: SampleMatch) -> bool:
    return bool(match.states[-1].public.round > match.first.state.public.round)


def _get_long_matches(subject: GameSubject) -> tuple[tuple[dict[str, Any], SampleMatch], ...]:
    """Return of each pace the matches that were played until one was dealt twice, with the options that lead to it;
    stored with the subject. None where rounds have no seeds of their own."""
    if "_long" not in vars(subject):
        found = []
        for pace in subject.game.paces if subject.game.seeded_rounds else ():
            left = CALLS[subject.quick]
            for chosen in _iter_variants(subject, pace):
                match = _find_second_deal(subject, {**chosen, "pace": pace}, left)
                if match is None:
                    continue
                found.append((chosen, match))
                left -= len(match.calls)
                if _is_dealt_twice(match) or left <= 0:
                    break
        vars(subject)["_long"] = tuple(found)
    kept: tuple[tuple[dict[str, Any], SampleMatch], ...] = vars(subject)["_long"]
    return kept


def _format_options(chosen: dict[str, Any]) -> str:
    return "".join(f", {name} = {value}" for name, value in chosen.items())


def _iter_variants(subject: GameSubject, pace: str) -> Iterator[dict[str, Any]]:
    """Yield options beside those that were given: first none, then each by itself with another value, numbers first."""
    yield {}
    usual, types = subject.build_options(pace), typing.get_type_hints(subject.game.options)
    others: list[tuple[int, str, Any]] = []
    for one in fields(usual):
        name, value = one.name, getattr(usual, one.name)
        if name == "pace" or name in subject.settings:
            continue
        if isinstance(value, bool):
            others.append((1, name, not value))
        elif isinstance(value, int):
            others.append((0, name, value + 1))
        elif typing.get_origin(types[name]) is typing.Literal:
            others += [(2, name, other) for other in typing.get_args(types[name]) if other != value]
    yield from ({name: value} for _, name, value in sorted(others, key=lambda one: one[0]))


def _find_second_deal(subject: GameSubject, settings: dict[str, Any], most: int) -> SampleMatch | None:
    """Play a random match until a second deal, its end, or so many calls; None for options that the game refuses."""
    game, seed = subject.game, subject.seed
    ctx = subject.build_context(seed)
    try:
        options = build_dataclass(game.options, {**subject.settings, **settings}, "options")
        match = SampleMatch(game, options, game.min_seats, seed, ctx, game.setup(game.min_seats, options, ctx))
    except OperatorError:
        return None
    going, first = RandomPlay(match, random.Random(f"{seed} deals")), match.first.state.public.round
    while not going.state.over and going.state.public.round == first and len(match.calls) < most:
        getattr(going, options.pace)()
    return match


# ---- what is asked of shuffles, and of what is kept ----


@dataclass(frozen=True)
class WatchedCall:
    """One call to the game, and the labels of what it shuffled."""

    where: str
    before: State[Any] | None
    """None for the deal itself."""
    step: Step[Any]
    labels: tuple[str, ...]


def _iter_watched_calls(match: SampleMatch) -> Iterator[WatchedCall]:
    """Make each call again, its shuffles watched. (While a match is played, ``list_moves`` may try the moves that it
    lists.)"""
    labels: list[str] = []

    def record_label(label: str, items: Any) -> tuple[str, ...]:
        labels.append(label)
        return match.ctx.shuffle(label, items)

    ctx = replace(match.ctx, shuffle=record_label)
    first = match.game.setup(match.seats, match.options, ctx)
    yield WatchedCall(match.describe_moment(0), None, first, tuple(labels))
    for number, call in enumerate(match.calls):
        labels.clear()
        step = repeat_call(match.game, call, call.before, ctx)
        yield WatchedCall(
            f"{call.format_call()} after {match.describe_moment(number)}", call.before, step, tuple(labels)
        )


def _iter_first_fault(match: SampleMatch, options: str) -> Iterator[Found]:
    """Yield the first fault of this match."""
    used: set[str] = set()
    for call in _iter_watched_calls(match):
        faults = [_find_repeated_label(call, used)]
        if match.game.seeded_rounds:
            faults += [_find_wrong_seed(call), _find_past_fault(call)]
        used |= {*call.labels}
        if found := next(filter(None, faults), ""):
            yield Finding(f"{call.where}{options}", found, match.seed)
            return


def _find_repeated_label(call: WatchedCall, used: set[str]) -> str:
    for at, label in enumerate(call.labels):
        if label in used or label in call.labels[:at]:
            return f"it shuffles under the label {label!r} for the second time: that order is known"
    return ""


def _find_wrong_seed(call: WatchedCall) -> str:
    """Find a shuffle that does not take the seed of the round that it belongs to: all others may be known, or are shown
    too early."""
    new = call.step.state.public.round
    old = new if call.before is None else call.before.public.round
    named = [parse_round_label(label) for label in call.labels]
    for label, number in zip(call.labels, named, strict=True):
        if not old <= number <= new:
            return f"in round {new} it shuffles under the label {label!r}: the seed of another round"
    if lacking := {*range(old + 1, new + 1)} - {*named}:
        return f"round {min(lacking)} is dealt without a shuffle whose label begins with round{min(lacking)}"
    return ""


def _find_past_fault(call: WatchedCall) -> str:
    """Find a fault of ``State.past``: it holds each round that has ended, and is left unchanged in between."""
    if call.before is None:
        return ""
    old, new = call.before.public.round, call.step.state.public.round
    before, after = call.before.past, call.step.state.past
    ended = after[len(before) :]
    if after[: len(before)] != before or [state.public.round for state in ended] != [*range(old, new)]:
        rounds = [state.public.round for state in after]
        what = f"round {new} is dealt" if new > old else f"in round {new}"
        held = format_in_one_line(rounds)
        return f"{what}, and State.past holds the rounds {held}: the next deal takes past=state.ended"
    if any(state.past for state in ended):
        return "a round in State.past has a past of its own: the next deal takes past=state.ended"
    return ""


SOON = 40
"""Seats leave within so many entries."""
MOST_LEAVING = 8
"""Seats of a match that some leave."""
ENTRIES = {True: 120, False: 800}
"""Played by robots in all matches of a pace, quick or not."""
MOST_ENTRIES = 2000
ALONE = 300
"""Entries of a match in which one seat is left; it may go on for ever, and we stop it at once."""
MOST_IDLE = 130
"""Turns in a row of seats that have left: no deadline lies between them, so a circle would hang the run."""


FEW = 3
"""Matches that must be alike until that is told."""


class EndlessMatch(Exception):
    """Raised for a match that has no end; says how it went."""


@dataclass
class DrivenMatch:
    """A match as the referee drives it; its log holds all of it."""

    game: Game[Any, Any]
    seats: int
    options: Any
    ctx: Context
    table: MatchState[Any]
    dice: random.Random
    leaves: Mapping[int, int] = field(default_factory=dict)
    """Seat -> number of the entry from which it plays no more."""
    lateness: float = 0
    """How often a seat misses its turn."""
    log: list[LogEntry] = field(default_factory=list)
    idle: int = 0

    def play_to_end(self) -> None:
        """Play to the end. Raises EndlessMatch."""
        together = self.table.is_simultaneous
        while not self.table.state.over:
            for seat, moment in self.leaves.items():
                if moment <= len(self.log) and seat not in self.table.out:
                    entry = LogEntry(LogEntryKind.RETIRE, seat, "resigned")
                    self._add_entry(entry, table.retire_in_state(self.table, seat), EngineResult())
            {"sequential": self._play_one_turn, "race": self._play_race_round}.get(
                self.table.pace, self._play_evaluated_round
            )()
            if self.idle > MOST_IDLE:
                raise EndlessMatch(f"{self.idle} turns in a row of seats that have left")
            if len(table.list_active_seats(self.table)) < 2 and len(self.log) >= ALONE:
                self._add_entry(LogEntry(LogEntryKind.STOP), table.stop_in_state(self.table), EngineResult())
            if len(self.log) > MOST_ENTRIES:
                raise EndlessMatch(f"{len(self.log)} entries, {'rounds' if together else 'turns'} without an end")

    def describe_last_entries(self) -> str:
        """Return how it went last."""
        last = "; ".join(f"{entry.seat}: {entry.kind} {entry.text}" for entry in self.log[-8:])
        left = f", seats leave at {dict(self.leaves)}" if self.leaves else ""
        return f"{self.table.pace}, {self.seats} seats{left}; the last of {len(self.log)} entries: {last}"

    def _add_entry(self, entry: LogEntry, after: MatchState[Any], result: EngineResult) -> None:
        self.idle = self.idle + 1 if entry.seat in self.table.out else 0
        self.table = after
        self.log.append(LogEntry(entry.kind, entry.seat, entry.text, result.to_json()))

    def _play_one_turn(self) -> None:
        self._play_seat(self.table.state.to_move[0])

    def _play_race_round(self) -> None:
        """Play a race: each seat that plays hands in as it likes, one that has left misses the deadline."""
        round = self.table.state.public.round
        for seat in sorted(self.table.state.to_move, key=lambda seat: (seat in self.table.out, self.dice.random())):
            if not self.table.state.over and self.table.state.public.round == round:
                self._play_seat(seat)

    def _play_seat(self, seat: int) -> None:
        if seat not in self.table.out and self.dice.random() >= self.lateness:
            text = choose.choose_robot_move(self.game, self.table.state, seat, self.ctx)
            after, result = table.try_order(self.game, self.table, seat, text, self.ctx)
            if result.moves and result.moves[0].alternative:
                self._add_entry(LogEntry(LogEntryKind.MOVE, seat, text), after, result)
                return
        self._add_entry(LogEntry(LogEntryKind.MISS, seat), *table.miss_seat(self.game, self.table, seat, self.ctx))

    def _play_evaluated_round(self) -> None:
        for seat in self.table.state.to_move:
            if seat not in self.table.out and self.dice.random() >= self.lateness:
                text = choose.choose_robot_move(self.game, self.table.state, seat, self.ctx)
                entry = LogEntry(LogEntryKind.ORDER, seat, text)
                self._add_entry(entry, *table.try_order(self.game, self.table, seat, text, self.ctx))
        self._add_entry(LogEntry(LogEntryKind.EVALUATE), *table.evaluate_in_state(self.game, self.table, self.ctx))


def begin_driven_match(
    subject: GameSubject, pace: str, seed: int, leaving: bool = False, most_seats: int = MOST_SEATS
) -> DrivenMatch:
    """Begin a match that has been dealt; ``leaving``: with seats that will leave, and some that are late."""
    game, ctx, options = subject.game, subject.build_context(seed), subject.build_options(pace)
    dice = random.Random(f"{subject.key} {pace} {seed}")
    count = dice.randint(game.min_seats, max(game.min_seats, min(game.max_seats, most_seats)))
    opened, _ = table.open_match_state(game, count, options, ctx)
    made = DrivenMatch(game, count, options, ctx, opened, dice)
    if leaving and count > 1:
        made.leaves = {seat: dice.randrange(SOON) for seat in dice.sample(range(count), dice.randint(1, count - 1))}
        made.lateness = dice.choice([0, 0, 0.1])
    return made


def iter_play_out_findings(match: DrivenMatch, seed: int) -> Iterator[Finding]:
    """Play a match out, and read its log again."""
    try:
        match.play_to_end()
        past, results, _ = replay.walk_log(match.game, match.seats, match.options, match.ctx, None, match.log)
    except (EndlessMatch, ReplayMismatch) as error:
        yield Finding(match.describe_last_entries(), f"{type(error).__name__}: {error}", seed)
        return
    if past[-1] != match.table:
        yield Finding(match.describe_last_entries(), "read again, the log leads to another table", seed)
    for number, what in iter_broken_invariants(match.game, past, results):
        yield Finding(match.describe_last_entries(), f"entry {number}: {what}", seed)


def _iter_driven_matches(subject: GameSubject, leaving: bool) -> Iterator[tuple[DrivenMatch, int]]:
    """Yield matches of each pace until there are so many entries; of a game that is soon over, many."""
    for pace in subject.game.paces:
        seed, entries = subject.seed, 0
        while entries < ENTRIES[subject.quick]:
            match = begin_driven_match(subject, pace, seed, leaving, MOST_LEAVING if leaving else MOST_SEATS)
            yield match, seed
            seed, entries = seed + 1, entries + max(1, len(match.log))


def get_robot_matches(subject: GameSubject) -> tuple[tuple[DrivenMatch, list[Finding]], ...]:
    """Return the matches that robots have played to the end, with what was found in each; stored with the subject."""
    if "_whole" not in vars(subject):
        played = (
            (match, list(iter_play_out_findings(match, seed)))
            for match, seed in _iter_driven_matches(subject, leaving=False)
        )
        vars(subject)["_whole"] = tuple(played)
    kept: tuple[tuple[DrivenMatch, list[Finding]], ...] = vars(subject)["_whole"]
    return kept


def iter_robot_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that robots play to the end."""
    for _, findings in get_robot_matches(subject):
        yield from findings
    for pace in subject.game.paces:
        matches = [match for match, _ in get_robot_matches(subject) if match.table.pace == pace]
        if len(matches) >= FEW and all(map(_has_hardly_begun, matches)):
            hint = "; a game in which all act at once says at_once = True" * (pace == "rounds")
            what = f"each of {len(matches)} matches is over when nobody has acted twice, and all could go on{hint}"
            yield Finding(matches[0].describe_last_entries(), what, subject.seed)
    yield CheckFigure(
        f"({len(get_robot_matches(subject))} matches, {sum(len(match.log) for match, _ in get_robot_matches(subject))} "
        f"entries)"
    )


def _has_hardly_begun(match: DrivenMatch) -> bool:
    """Return whether the match is over in the first round, with several moves left for everybody."""
    state = match.table.state
    acted = Counter(entry.seat for entry in match.log)
    held = all(len(state.hand(seat)) > 1 for seat in range(match.seats))
    return (
        held
        and max(acted.values()) == 1
        and all(
            any(True for _ in match.game.list_moves(view_for(with_seat_to_move(state, seat), seat), match.ctx))
            for seat in range(match.seats)
        )
    )


def iter_winner_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that there are winners at the end only, and that nobody plays on behind it."""
    for match in subject.matches:
        for number, state in enumerate(match.states):
            won = match.game.find_winners(state)
            where = f"find_winners(state) after {match.describe_moment(number)}"
            if not set(won) <= set(range(match.seats)) or (won and not state.over):
                yield Finding(where, f"it is {won} while seats {state.to_move} are to move", match.seed)
                return
        if match.states[-1].over:
            yield from _iter_played_on_findings(match)
    last = [
        *(match.table.state for match, _ in get_robot_matches(subject)),
        *(match.states[-1] for match in subject.matches),
    ]
    ended = [state for state in last if state.over and state.seats > 1]
    counts = [len(subject.game.find_winners(state)) for state in ended]
    apart = any(len(set(state.scores)) > 1 for state in ended)
    told = f"find_winners(state) at the end of {len(ended)} matches"
    if len(ended) >= FEW and not any(counts):
        yield Finding(told, "nobody has won in any of them", subject.seed)
    if len(ended) >= FEW and apart and all(n == state.seats for n, state in zip(counts, ended, strict=True)):
        yield Finding(told, "everybody has won in each of them, with whatever points", subject.seed)


def _iter_played_on_findings(match: SampleMatch) -> Iterator[Found]:
    for seat in range(match.seats):
        try:
            match.game.pass_turn(match.states[-1], seat, match.ctx)
        except Illegal:
            continue
        what = "no Illegal, though the match is over"
        yield Finding(
            f"pass_turn(state, {seat}, ctx) after {match.describe_moment(len(match.calls))}", what, match.seed
        )
        return


def iter_left_seat_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that seats that have left let no match go on for ever."""
    matches = 0
    for match, seed in _iter_driven_matches(subject, leaving=True):
        yield from iter_play_out_findings(match, seed)
        matches += 1
    yield CheckFigure(f"({count_noun(matches, 'match')})")


def iter_undo_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that an entry that is taken back is as if it had not been: the position before comes again, byte by byte,
    and so does the one that was played."""
    for pace in subject.game.paces:
        seed = subject.seed
        match = begin_driven_match(subject, pace, seed)
        while len(match.log) < 6 and not match.table.state.over:
            {"sequential": match._play_one_turn, "race": match._play_race_round}.get(
                match.table.pace, match._play_evaluated_round
            )()
        back = len(match.log) // 2
        log = [*match.log, LogEntry(LogEntryKind.UNDO, None, str(back)), *match.log[back:]]
        past, _, _ = replay.walk_log(match.game, match.seats, match.options, match.ctx, None, log)
        for here, there in ((back, len(match.log) + 1), (len(match.log), len(log))):
            if repr(past[here].state) != repr(past[there].state):
                told = "taken back and played again, the position is another one"
                yield Finding(f"undo to entry {back}: {match.describe_last_entries()}", told, seed)
                break


def iter_record_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that the record of a match is read back as that match."""
    for pace in subject.game.paces:
        match, master = begin_driven_match(subject, pace, subject.seed), build_master_seed(subject.seed)
        match.play_to_end()
        names = [f"Player {seat}" for seat in range(match.seats)]
        written = json.dumps(record.build_record(CODE, match.game, match.options, names, master, [], match.log))
        verified = record.verify_record(record.parse_record_text(written, games.load_game), subject.words)
        for failed in [one for one in verified["checks"] if not one["ok"]]:
            yield Finding(
                f"record of {match.describe_last_entries()}", f"{failed['check']}: {failed['detail']}", subject.seed
            )
