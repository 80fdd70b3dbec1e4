"""The game that is looked at, and random matches of it: the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from moderator.conformance.finding import shown
from moderator.errors import PlayerError
from moderator.games import folder, load
from moderator.match import rng
from moderator.match.contract import Context, Game, State, Step, Words, view_for
from moderator.match.sequential import is_evaluated
from moderator.match.words import WordList
from moderator.paths import FALLBACK, LANGUAGES
from moderator.texts import parsed
from moderator.typed import build

T = TypeVar("T")
CODE = "K7Q2"
"""Of every match here."""
MOST_SEATS = 4
QUICK, FULL = 2, 6
"""Matches of each pace."""
STEPS = {True: 16, False: 40}
"""Turns or evaluations in each, quick or not."""
TEXT = (
    "AB AH AN AU DA DU EI EN ER ES IN JA OB OH SO TU UM UR US WO ZU ÄH ART AST AUS BAR DAS DEN DER DES EIN EIS GUT HAT "
    "HUT IST LOS MUT NIE NOT NUN ODE OHR ORT RAT ROT RUF SEE SIE TAT TEE TOR TUN UHR UND VOR WAR WIE ABER ALLE AUTO "
    "BEIN BROT BUCH EINE ESEL GELD HAUS HERZ HUND KIND LAST MAUS MOND NASE NUSS REIS REST ROSE SEIN STEIN STERN STUR "
    "TANTE TASSE TEIL TIER UNTER WEIN ZEIT STEINE STERNE TANTEN SEINE EINEN ASTERN REISTEN TRISTEN"
)
WORDS = WordList(TEXT.split())
"""The dictionary where no other is given."""


def context(seed: int, words: Words = WORDS, rounds: bool = True) -> Context:
    """Shuffles as a real match has them, from a seed that is made of a number. ``rounds``: each has a seed of its
    own."""
    master = master_of(seed)
    return Context(words, rng.shuffler(rng.round_seeds(master) if rounds else master, (), CODE))


def master_of(seed: int) -> bytes:
    """What the seeds of the rounds of such a match are made from."""
    return seed.to_bytes(32, "big")


@dataclass(frozen=True)
class Call:
    """One call to the game, with what went in and what came out."""

    name: str
    """``apply``, ``miss``, ``settle`` or ``close_round``."""
    seat: int | None
    move: Any
    before: State[Any]
    step: Step[Any]
    promised: int | None = None
    """Points that ``moves`` named for it."""

    def shown(self) -> str:
        """As somebody would type it."""
        given = {"apply": f"{self.seat}, {shown(self.move)}, ", "miss": f"{self.seat}, "}.get(
            self.name, f"{shown(self.move)}, " if self.name == "settle" else ""
        )
        return f"{self.name}(state, {given}ctx)"


@dataclass
class Match:
    """A random match, and everything that happened in it."""

    game: Game[Any, Any]
    options: Any
    seats: int
    seed: int
    ctx: Context
    first: Step[Any]
    calls: list[Call] = field(default_factory=list)
    refused: list[tuple[State[Any], int, Any, PlayerError]] = field(default_factory=list)
    """What ``moves`` listed and ``apply`` refused."""

    @property
    def states(self) -> list[State[Any]]:
        """After the deal and after each call."""
        return [self.first.state, *(call.step.state for call in self.calls)]

    def moments(self, most: int, of: str = "") -> list[tuple[int, State[Any]]]:
        """(number of calls, state) of at most so many moments in which somebody is asked for a move, in order; others
        ``of`` each purpose. In the middle of an evaluation nobody is."""
        ended = [True, *(call.seat is None or self.options.pace != "rounds" for call in self.calls)]
        waiting = [(n, state) for n, state in enumerate(self.states) if ended[n] and not state.over]
        return sample(waiting, most, random.Random(f"{self.seed} {self.options.pace} {of}"))

    def legal(self, state: State[Any], seat: int) -> list[tuple[Any, int]]:
        """What the generator offers a seat."""
        return list(self.game.moves(view_for(state, seat), self.ctx))

    def at(self, number: int) -> str:
        """How to come to the state after so many calls."""
        deal = f"{self.options.pace}, setup({self.seats}, …)"
        return " ".join([deal, *(_short(self.game, call) for call in self.calls[:number])])


def _short(game: Game[Any, Any], call: Call) -> str:
    return f"· {call.seat}: {game.format(call.move)}" if call.name == "apply" else f"· {call.name}"


@dataclass
class Subject:
    """A game under examination."""

    key: str
    seed: int = 0
    quick: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Options of its matches, where its own defaults take too long."""
    words: Words = WORDS
    absurd: int = 50_000
    """How many times the floor of the same run a move may take, see ``speed.py``."""

    @cached_property
    def game(self) -> Game[Any, Any]:
        """Raises OperatorError."""
        return load(self.key)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Those that it speaks: a game need not have all that the program has. English where it has none."""
        place = folder(self.key)
        return tuple(one for one in LANGUAGES if parsed(place, one)) or (FALLBACK,)

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + (QUICK if self.quick else FULL))

    def options(self, pace: str) -> Any:
        """Raises ConfigError for settings that the game has not."""
        return build(self.game.options, {**self.settings, "pace": pace}, "options")

    def context(self, seed: int) -> Context:
        return context(seed, self.words, self.game.seeded_rounds)

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """So many of each pace, played once for all checks."""
        paces = self.game.paces
        return tuple(played(self, pace, seed, STEPS[self.quick]) for pace in paces for seed in self.seeds)

    def positions(self, of_match: int = 4) -> Iterator[tuple[Match, int, State[Any]]]:
        """(match, number of calls, state) of some moments of each match in which somebody is to move."""
        for match in self.matches:
            yield from ((match, n, state) for n, state in match.moments(of_match))


def dealt(subject: Subject, pace: str, seed: int) -> Match:
    """A match of as many seats as chance has it."""
    game, dice = subject.game, random.Random(seed)
    seats = dice.randint(game.min_seats, min(game.max_seats, max(MOST_SEATS, game.min_seats)))
    options, ctx = subject.options(pace), subject.context(seed)
    return Match(game, options, seats, seed, ctx, game.setup(seats, options, ctx))


def played(subject: Subject, pace: str, seed: int, steps: int) -> Match:
    """The same with so many calls, or to its end: one of the legal moves each time, and now and then none."""
    match = dealt(subject, pace, seed)
    going = Going(match, random.Random(f"{pace} {seed}"))
    while not going.state.over and sum(call.seat is None or pace != "rounds" for call in match.calls) < steps:
        getattr(going, pace)()
    return match


class Going:
    """How a random match goes on, in each pace."""

    def __init__(self, match: Match, dice: random.Random) -> None:
        self.match, self.game, self.dice = match, match.game, dice
        self.state = match.first.state

    def note(self, name: str, seat: int | None, move: Any, step: Step[Any], promised: int | None = None) -> None:
        self.match.calls.append(Call(name, seat, move, self.state, step, promised))
        self.state = step.state

    def turn(self, seat: int) -> None:
        legal = self.match.legal(self.state, seat)
        if legal and self.dice.random() < 0.9:
            move, points = self.dice.choice(legal)
            try:
                self.note("apply", seat, move, self.game.apply(self.state, seat, move, self.match.ctx), points)
                return
            except PlayerError as error:
                self.match.refused.append((self.state, seat, move, error))
        self.note("miss", seat, None, self.game.miss(self.state, seat, self.match.ctx))

    def sequential(self) -> None:
        self.turn(self.state.to_move[0])

    def race(self) -> None:
        self.turn(self.dice.choice(self.state.to_move))

    def rounds(self) -> None:
        for seat in self.state.to_move:
            if seat in self.state.to_move:
                self.turn(seat)
        if is_evaluated(self.game, self.state):
            self.note("close_round", None, None, self.game.close_round(self.state, self.match.ctx))

    def common(self) -> None:
        choices: dict[int, Any] = {}
        for seat in self.state.to_move:
            legal = self.match.legal(self.state, seat)
            choices[seat] = self.dice.choice(legal)[0] if legal and self.dice.random() < 0.9 else None
        self.note("settle", None, choices, self.game.settle(self.state, choices, self.match.ctx))


def again(game: Game[Any, Any], call: Call, state: State[Any], ctx: Context) -> Step[Any]:
    """The same call on a state."""
    seat = call.seat or 0
    if call.name == "apply":
        return game.apply(state, seat, call.move, ctx)
    if call.name == "miss":
        return game.miss(state, seat, ctx)
    return game.settle(state, call.move, ctx) if call.name == "settle" else game.close_round(state, ctx)


def moves_of(match: Match, state: State[Any], most: int = 40) -> Iterator[tuple[int, Any, int]]:
    """(seat, move, points) of what each seat to move could do, at most so many of each seat."""
    for seat in state.to_move:
        legal = match.legal(state, seat)
        for move, points in sample(legal, most, random.Random(f"{match.seed} {seat}")):
            yield seat, move, points


def sample(values: Sequence[T], most: int, dice: random.Random) -> list[T]:
    """At most so many of them, in order. By chance: every second or fourth one would always be the same seat's turn,
    or the same end of the table."""
    return [values[at] for at in sorted(dice.sample(range(len(values)), min(most, len(values))))]


def as_if(state: State[Any], seat: int) -> State[Any]:
    """The same, but that it is the turn of this seat."""
    return state if seat in state.to_move else replace(state, to_move=(seat,))
