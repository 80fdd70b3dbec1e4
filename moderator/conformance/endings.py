"""Matches come to an end: robots play them out, also where seats leave, and the log gives the same match again."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from moderator import games
from moderator.common.enums import LogEntryKind
from moderator.common.errors import Illegal, ReplayMismatch
from moderator.conformance.finding import CheckFigure, Finding, Found
from moderator.conformance.subject import (
    CODE,
    MOST_SEATS,
    GameSubject,
    SampleMatch,
    build_master_seed,
    with_seat_to_move,
)
from moderator.rules import replay, seats, table
from moderator.rules.game import Game
from moderator.rules.invariants import iter_broken_invariants
from moderator.rules.records import record
from moderator.rules.replay import LogEntry
from moderator.rules.result import EngineResult
from moderator.rules.robots import choose
from moderator.rules.state import Context, view_for
from moderator.rules.table import MatchState

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
            self._retire_leaving_seats()
            {"sequential": self._play_one_turn, "race": self._play_race_round}.get(
                self.table.pace, self._play_evaluated_round
            )()
            if self.idle > MOST_IDLE:
                raise EndlessMatch(f"{self.idle} turns in a row of seats that have left")
            if len(seats.list_active_seats(self.table)) < 2 and len(self.log) >= ALONE:
                self._add_entry(LogEntry(LogEntryKind.STOP), seats.stop_in_state(self.table), EngineResult())
            if len(self.log) > MOST_ENTRIES:
                raise EndlessMatch(f"{len(self.log)} entries, {'rounds' if together else 'turns'} without an end")

    def describe_last_entries(self) -> str:
        """Return how it went last."""
        last = "; ".join(f"{entry.seat}: {entry.kind} {entry.text}" for entry in self.log[-8:])
        left = f", seats leave at {dict(self.leaves)}" if self.leaves else ""
        return f"{self.table.pace}, {self.seats} seats{left}; the last of {len(self.log)} entries: {last}"

    def _retire_leaving_seats(self) -> None:
        for seat, moment in self.leaves.items():
            if moment <= len(self.log) and seat not in self.table.out:
                entry = LogEntry(LogEntryKind.RETIRE, seat, "resigned")
                self._add_entry(entry, seats.retire_in_state(self.table, seat), EngineResult())

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
    yield from _iter_winner_share_findings(subject)


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


def _iter_winner_share_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that somebody wins, and not all do: that is why winners are asked for."""
    last = [
        *(match.table.state for match, _ in get_robot_matches(subject)),
        *(match.states[-1] for match in subject.matches),
    ]
    ended = [state for state in last if state.over and state.seats > 1]
    won = [len(subject.game.find_winners(state)) for state in ended]
    apart = any(len(set(state.scores)) > 1 for state in ended)
    told = f"find_winners(state) at the end of {len(ended)} matches"
    if len(ended) >= FEW and not any(won):
        yield Finding(told, "nobody has won in any of them", subject.seed)
    if len(ended) >= FEW and apart and all(n == state.seats for n, state in zip(won, ended, strict=True)):
        yield Finding(told, "everybody has won in each of them, with whatever points", subject.seed)


def iter_left_seat_findings(subject: GameSubject) -> Iterator[Found]:
    """Check that seats that have left let no match go on for ever."""
    matches = 0
    for match, seed in _iter_driven_matches(subject, leaving=True):
        yield from iter_play_out_findings(match, seed)
        matches += 1
    yield CheckFigure(f"({matches} matches)")


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
