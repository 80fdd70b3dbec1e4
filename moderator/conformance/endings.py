"""Matches come to an end: robots play them out, also where seats leave, and the log gives the same match again."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from moderator import games
from moderator.conformance.finding import Finding, Found, Said
from moderator.conformance.subject import CODE, MOST_SEATS, Match, Subject, as_if, master_of
from moderator.errors import Illegal, ReplayMismatch
from moderator.match import record, replay, robot, seats, table
from moderator.match.contract import Context, Game, view_for
from moderator.match.invariants import broken
from moderator.match.replay import Entry
from moderator.match.result import Result
from moderator.match.table import Table
from moderator.states import EntryKind

SOON = 40
"""Seats leave within so many entries."""
MOST_LEAVING = 8
"""Seats of a match that some leave."""
ENTRIES = {True: 120, False: 800}
"""Played by robots in all matches of a pace, quick or not."""
MOST_ENTRIES = 2000
ALONE = 300
"""Entries of a match in which one seat is left; it may go on for ever, and the desk stops it at once."""
MOST_IDLE = 130
"""Turns in a row of seats that have left: no deadline lies between them, so a circle would hang the desk."""


FEW = 3
"""Matches that must be alike until that is told."""


class Endless(Exception):
    """It goes on and on; says how it went."""


@dataclass
class Played:
    """A match as the desk drives it; its log holds all of it."""

    game: Game[Any, Any]
    seats: int
    options: Any
    ctx: Context
    table: Table[Any]
    dice: random.Random
    leaves: Mapping[int, int] = field(default_factory=dict)
    """Seat -> number of the entry from which it plays no more."""
    lateness: float = 0
    """How often a seat misses its turn."""
    log: list[Entry] = field(default_factory=list)
    idle: int = 0

    def run(self) -> None:
        """Play to the end. Raises Endless."""
        together = self.table.together
        while not self.table.state.over:
            self._leave()
            {"sequential": self._one, "race": self._race}.get(self.table.pace, self._together)()
            if self.idle > MOST_IDLE:
                raise Endless(f"{self.idle} turns in a row of seats that have left")
            if len(seats.active(self.table)) < 2 and len(self.log) >= ALONE:
                self._enter(Entry(EntryKind.STOP), seats.stop(self.table), Result())
            if len(self.log) > MOST_ENTRIES:
                raise Endless(f"{len(self.log)} entries, {'rounds' if together else 'turns'} without an end")

    def story(self) -> str:
        """How it went last."""
        last = "; ".join(f"{entry.seat}: {entry.kind} {entry.text}" for entry in self.log[-8:])
        left = f", seats leave at {dict(self.leaves)}" if self.leaves else ""
        return f"{self.table.pace}, {self.seats} seats{left}; the last of {len(self.log)} entries: {last}"

    def _leave(self) -> None:
        for seat, moment in self.leaves.items():
            if moment <= len(self.log) and seat not in self.table.out:
                entry = Entry(EntryKind.RETIRE, seat, "resigned")
                self._enter(entry, seats.retire(self.table, seat), Result())

    def _enter(self, entry: Entry, after: Table[Any], result: Result) -> None:
        self.idle = self.idle + 1 if entry.seat in self.table.out else 0
        self.table = after
        self.log.append(Entry(entry.kind, entry.seat, entry.text, result.to_json()))

    def _one(self) -> None:
        self._act(self.table.state.to_move[0])

    def _race(self) -> None:
        """Who plays hands in as they like, who has left misses the ZAT."""
        round = self.table.state.public.round
        for seat in sorted(self.table.state.to_move, key=lambda seat: (seat in self.table.out, self.dice.random())):
            if not self.table.state.over and self.table.state.public.round == round:
                self._act(seat)

    def _act(self, seat: int) -> None:
        if seat not in self.table.out and self.dice.random() >= self.lateness:
            text = robot.choose(self.game, self.table.state, seat, self.ctx)
            after, result = table.submit(self.game, self.table, seat, text, self.ctx)
            if result.moves and result.moves[0].alternative:
                self._enter(Entry(EntryKind.MOVE, seat, text), after, result)
                return
        self._enter(Entry(EntryKind.MISS, seat), *table.miss(self.game, self.table, seat, self.ctx))

    def _together(self) -> None:
        for seat in self.table.state.to_move:
            if seat not in self.table.out and self.dice.random() >= self.lateness:
                text = robot.choose(self.game, self.table.state, seat, self.ctx)
                entry = Entry(EntryKind.ORDER, seat, text)
                self._enter(entry, *table.submit(self.game, self.table, seat, text, self.ctx))
        self._enter(Entry(EntryKind.EVALUATE), *table.evaluate(self.game, self.table, self.ctx))


def begun(subject: Subject, pace: str, seed: int, leaving: bool = False, most_seats: int = MOST_SEATS) -> Played:
    """A match that has been dealt; ``leaving``: with seats that will leave, and some that are late."""
    game, ctx, options = subject.game, subject.context(seed), subject.options(pace)
    dice = random.Random(f"{subject.key} {pace} {seed}")
    count = dice.randint(game.min_seats, max(game.min_seats, min(game.max_seats, most_seats)))
    opened, _ = table.open_table(game, count, options, ctx)
    made = Played(game, count, options, ctx, opened, dice)
    if leaving and count > 1:
        made.leaves = {seat: dice.randrange(SOON) for seat in dice.sample(range(count), dice.randint(1, count - 1))}
        made.lateness = dice.choice([0, 0, 0.1])
    return made


def looked_at(match: Played, seed: int) -> Iterator[Finding]:
    """Play it out, and read its log again."""
    try:
        match.run()
        past, results, _ = replay.walk(match.game, match.seats, match.options, match.ctx, None, match.log)
    except (Endless, ReplayMismatch) as error:
        yield Finding(match.story(), f"{type(error).__name__}: {error}", seed)
        return
    if past[-1] != match.table:
        yield Finding(match.story(), "read again, the log leads to another table", seed)
    for number, what in broken(match.game, past, results):
        yield Finding(match.story(), f"entry {number}: {what}", seed)


def _several(subject: Subject, leaving: bool) -> Iterator[tuple[Played, int]]:
    """Matches of each pace until there are so many entries; of a game that is soon over, many."""
    for pace in subject.game.paces:
        seed, entries = subject.seed, 0
        while entries < ENTRIES[subject.quick]:
            match = begun(subject, pace, seed, leaving, MOST_LEAVING if leaving else MOST_SEATS)
            yield match, seed
            seed, entries = seed + 1, entries + max(1, len(match.log))


def whole(subject: Subject) -> tuple[tuple[Played, list[Finding]], ...]:
    """Matches that robots have played to the end, and what was found in each; kept with the subject."""
    if "_whole" not in vars(subject):
        played = ((match, list(looked_at(match, seed))) for match, seed in _several(subject, leaving=False))
        vars(subject)["_whole"] = tuple(played)
    kept: tuple[tuple[Played, list[Finding]], ...] = vars(subject)["_whole"]
    return kept


def robots(subject: Subject) -> Iterator[Found]:
    """Robots play to the end."""
    for _, findings in whole(subject):
        yield from findings
    for pace in subject.game.paces:
        matches = [match for match, _ in whole(subject) if match.table.pace == pace]
        if len(matches) >= FEW and all(map(_has_hardly_begun, matches)):
            hint = "; a game in which all act at once inherits Simultaneous" * (pace == "rounds")
            what = f"each of {len(matches)} matches is over when nobody has acted twice, and all could go on{hint}"
            yield Finding(matches[0].story(), what, subject.seed)
    yield Said(f"({len(whole(subject))} matches, {sum(len(match.log) for match, _ in whole(subject))} entries)")


def _has_hardly_begun(match: Played) -> bool:
    """Whether it is over in the first round, with several moves left for everybody."""
    state = match.table.state
    acted = Counter(entry.seat for entry in match.log)
    held = all(len(state.hand(seat)) > 1 for seat in range(match.seats))
    return (
        held
        and max(acted.values()) == 1
        and all(
            any(True for _ in match.game.moves(view_for(as_if(state, seat), seat), match.ctx))
            for seat in range(match.seats)
        )
    )


def winners(subject: Subject) -> Iterator[Found]:
    """There are winners at the end only, and nobody plays on behind it."""
    for match in subject.matches:
        for number, state in enumerate(match.states):
            won = match.game.winners(state)
            where = f"winners(state) after {match.at(number)}"
            if not set(won) <= set(range(match.seats)) or (won and not state.over):
                yield Finding(where, f"it is {won} while seats {state.to_move} are to move", match.seed)
                return
        if match.states[-1].over:
            yield from _played_on(match)
    yield from _everybody(subject)


def _played_on(match: Match) -> Iterator[Found]:
    for seat in range(match.seats):
        try:
            match.game.miss(match.states[-1], seat, match.ctx)
        except Illegal:
            continue
        what = "no Illegal, though the match is over"
        yield Finding(f"miss(state, {seat}, ctx) after {match.at(len(match.calls))}", what, match.seed)
        return


def _everybody(subject: Subject) -> Iterator[Found]:
    """Who wins is asked because not all do."""
    last = [*(match.table.state for match, _ in whole(subject)), *(match.states[-1] for match in subject.matches)]
    ended = [state for state in last if state.over and state.seats > 1]
    won = [len(subject.game.winners(state)) for state in ended]
    apart = any(len(set(state.scores)) > 1 for state in ended)
    told = f"winners(state) at the end of {len(ended)} matches"
    if len(ended) >= FEW and not any(won):
        yield Finding(told, "nobody has won in any of them", subject.seed)
    if len(ended) >= FEW and apart and all(n == state.seats for n, state in zip(won, ended, strict=True)):
        yield Finding(told, "everybody has won in each of them, with whatever points", subject.seed)


def left(subject: Subject) -> Iterator[Found]:
    """Seats that have left keep no match going for ever."""
    matches = 0
    for match, seed in _several(subject, leaving=True):
        yield from looked_at(match, seed)
        matches += 1
    yield Said(f"({matches} matches)")


def undone(subject: Subject) -> Iterator[Found]:
    """What is taken back is as if it had not been: the position before comes again, byte by byte, and so does what was
    played."""
    for pace in subject.game.paces:
        seed = subject.seed
        match = begun(subject, pace, seed)
        while len(match.log) < 6 and not match.table.state.over:
            {"sequential": match._one, "race": match._race}.get(match.table.pace, match._together)()
        back = len(match.log) // 2
        log = [*match.log, Entry(EntryKind.UNDO, None, str(back)), *match.log[back:]]
        past, _, _ = replay.walk(match.game, match.seats, match.options, match.ctx, None, log)
        for here, there in ((back, len(match.log) + 1), (len(match.log), len(log))):
            if repr(past[here].state) != repr(past[there].state):
                told = "taken back and played again, the position is another one"
                yield Finding(f"undo to entry {back}: {match.story()}", told, seed)
                break


def recorded(subject: Subject) -> Iterator[Found]:
    """The record of a match is read back as that match."""
    for pace in subject.game.paces:
        match, master = begun(subject, pace, subject.seed), master_of(subject.seed)
        match.run()
        names = [f"Player {seat}" for seat in range(match.seats)]
        written = json.dumps(record.export(CODE, match.game, match.options, names, master, [], match.log))
        verified = record.verify(record.loads(written, games.load), subject.words)
        for failed in [one for one in verified["checks"] if not one["ok"]]:
            yield Finding(f"record of {match.story()}", f"{failed['check']}: {failed['detail']}", subject.seed)
