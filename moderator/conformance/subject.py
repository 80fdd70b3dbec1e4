"""A check, what it finds and how that is told; the game that is looked at, and random matches of it: the same for the
same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, TypedDict, TypeVar

from moderator.common.disk import FALLBACK, LANGUAGES
from moderator.common.errors import ModeratorError, PlayerError
from moderator.common.message_files import load_message_files
from moderator.common.typed import build_dataclass
from moderator.games import folder, load_game
from moderator.rules import shuffling
from moderator.rules.game import Game, State, Step, is_evaluated
from moderator.rules.state import Context, Words, view_for
from moderator.rules.words import WordList

MOST = 3
"""Findings of one check that are told; the first is what somebody mends."""


@dataclass(frozen=True)
class Finding:
    """Something that is not as the contract says."""

    call: str
    """What shows it: a call to the game, a mail, a file."""
    found: str
    """What came out, and what was expected."""
    seed: int | None = None
    """Of the match; None where no match is needed."""


@dataclass(frozen=True)
class Skipped:
    """A check that has nothing to look at in this game."""

    why: str


@dataclass(frozen=True)
class Unseen(Skipped):
    """A check that could not look, though there may be something: nothing is known, which is no ``is_ok``."""


@dataclass(frozen=True)
class CheckFigure:
    """A figure of a check that found nothing."""

    text: str


Found = Finding | Skipped | CheckFigure


class FindingValues(TypedDict):
    """Something that is not as the contract says."""

    call: str
    """What shows it."""
    found: str
    """What came out, and what was expected."""
    seed: int | None
    """Of the match; null where no match is needed."""


class Looked(TypedDict):
    """The result of a check."""

    check: str
    """Its name, see docs/build/conformance.md."""
    ok: bool
    """Nothing was found."""
    promise: str
    """What the contract says, one sentence."""
    skipped: str
    """Why there was nothing to look at; empty where there was."""
    said: str
    """A figure to be told; mostly empty."""
    findings: list[FindingValues]
    """At most three."""


class Report(TypedDict):
    """The report on a game."""

    game: str
    """Its key."""
    seed: int
    """Of the first match."""
    ok: bool
    """No check found anything."""
    checks: list[Looked]
    """In the order in which they were run."""


@dataclass(frozen=True)
class Check:
    """One thing that is promised."""

    name: str
    promise: str
    """What the contract says, one sentence."""
    look: Callable[[GameSubject], Iterable[Found]]


@dataclass(frozen=True)
class Outcome:
    """The result of a check."""

    check: Check
    findings: tuple[Finding, ...] = ()
    skipped: str = ""
    said: str = ""
    unseen: bool = False
    """What was skipped may hide a fault."""

    @property
    def is_ok(self) -> bool:
        return not self.findings

    def format_lines(self, before: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        """Return one line; where something was found, the promise of the contract and the call that breaks it below it.
        A finding of an earlier check (text -> its name) is not printed again."""
        if self.is_ok:
            why = f"skipped: {self.skipped}" if self.skipped else f"ok {self.said}".rstrip()
            if self.unseen:
                why = f"NOT SEEN: {self.skipped}; look at it by hand: {self.check.promise}"
            return [f"{self.check.name:<14} {why}"]
        if all(one.found in before for one in self.findings):
            return [f"{self.check.name:<14} FAILED by the same as {before[self.findings[0].found]}"]
        told = [f"{self.check.name:<14} FAILED", f"    the contract: {self.check.promise}"]
        for one in self.findings:
            told.append(f"    found: {one.found}")
            told.append(f"    by:    {one.call}" + ("" if one.seed is None else f"   (--seed {one.seed})"))
        return told

    def to_json(self) -> Looked:
        return Looked(
            check=self.check.name,
            ok=self.is_ok,
            promise=self.check.promise,
            skipped=self.skipped,
            said=self.said,
            findings=[FindingValues(call=one.call, found=one.found, seed=one.seed) for one in self.findings],
        )


def run_check(check: Check, subject: GameSubject) -> Outcome:
    """Run a check; an exception of the game is a finding like any other."""
    findings: list[Finding] = []
    skipped = said = ""
    unseen = False
    try:
        for one in check.look(subject):
            if isinstance(one, Finding):
                findings.append(one)
                if len(findings) == MOST:
                    break
            elif isinstance(one, Skipped):
                skipped, unseen = one.why, isinstance(one, Unseen)
            else:
                said = one.text
    except Exception as error:
        findings.append(Finding(_format_traceback(error), f"{type(error).__name__}: {format_in_one_line(error)}"))
    return Outcome(check, tuple(findings), skipped, said, unseen)


def _format_traceback(error: BaseException) -> str:
    """Return the innermost places of the exception, so that somebody finds it without a debugger."""
    from traceback import extract_tb

    steps = list(islice(reversed(extract_tb(error.__traceback__)), 4))
    return " < ".join(f"{step.name} ({step.filename}:{step.lineno})" for step in steps)


def describe_difference(one: Any, other: Any, what: str = "") -> str:
    """Return the first place in which two values of the same kind differ, for people: ``public.row: ('A',) and
    ('B',)``."""
    if type(one) is type(other):
        for part in fields(one) if is_dataclass(one) else ():
            mine, yours = getattr(one, part.name), getattr(other, part.name)
            if mine != yours:
                return describe_difference(mine, yours, f"{what}.{part.name}".lstrip("."))
    if isinstance(one, str) and isinstance(other, str):
        same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        one, other = (f"{'… ' * (same > 0)}{text[max(0, same - 20) : same + 60]}" for text in (one, other))
    return f"{what or 'it'} is {format_in_one_line(one)} and {format_in_one_line(other)}"


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


def build_check_context(seed: int, words: Words = WORDS, rounds: bool = True) -> Context:
    """Build a context with shuffles as a real match has them, from a seed that is made of a number. ``rounds``: each
    has a seed of its own."""
    master = build_master_seed(seed)
    return Context(words, shuffling.build_shuffle(shuffling.build_round_seeds(master) if rounds else master, (), CODE))


def build_master_seed(seed: int) -> bytes:
    """Build the seed that the seeds of the rounds of such a match are made from."""
    return seed.to_bytes(32, "big")


@dataclass(frozen=True)
class GameCall:
    """One call to the game, with what went in and what came out."""

    name: str
    """``apply_move``, ``pass_turn``, ``evaluate_round`` or ``close_round``."""
    seat: int | None
    move: Any
    before: State[Any]
    step: Step[Any]
    promised: int | None = None
    """Points that ``list_moves`` named for it."""

    def format_call(self) -> str:
        """Return the call as somebody would type it."""
        given = {"apply_move": f"{self.seat}, {format_in_one_line(self.move)}, ", "pass_turn": f"{self.seat}, "}.get(
            self.name, f"{format_in_one_line(self.move)}, " if self.name == "evaluate_round" else ""
        )
        return f"{self.name}(state, {given}ctx)"


@dataclass
class SampleMatch:
    """A random match, and everything that happened in it."""

    game: Game[Any, Any]
    options: Any
    seats: int
    seed: int
    ctx: Context
    first: Step[Any]
    calls: list[GameCall] = field(default_factory=list)
    refused: list[tuple[State[Any], int, Any, PlayerError]] = field(default_factory=list)
    """What ``list_moves`` listed and ``apply_move`` refused."""

    @property
    def states(self) -> list[State[Any]]:
        """After the deal and after each call."""
        return [self.first.state, *(call.step.state for call in self.calls)]

    def list_moments(self, most: int, of: str = "") -> list[tuple[int, State[Any]]]:
        """Return (number of calls, state) of at most so many moments in which somebody is to move, in order; others
        ``of`` each purpose."""
        ended = [True, *(call.seat is None or self.options.pace != "rounds" for call in self.calls)]
        waiting = [(n, state) for n, state in enumerate(self.states) if ended[n] and not state.over]
        return sample_in_order(waiting, most, random.Random(f"{self.seed} {self.options.pace} {of}"))

    def list_legal_moves(self, state: State[Any], seat: int) -> list[tuple[Any, int]]:
        """Return the moves that the generator offers a seat."""
        return list(self.game.list_moves(view_for(state, seat), self.ctx))

    def describe_moment(self, number: int) -> str:
        """Return the way to come to the state after so many calls."""
        deal = f"{self.options.pace}, setup({self.seats}, …)"
        return " ".join([deal, *(_format_short_call(self.game, call) for call in self.calls[:number])])


def _format_short_call(game: Game[Any, Any], call: GameCall) -> str:
    return f"· {call.seat}: {game.format_move(call.move)}" if call.name == "apply_move" else f"· {call.name}"


@dataclass
class GameSubject:
    """A game under examination."""

    key: str
    seed: int = 0
    quick: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Options of its matches, where its own defaults take too long."""
    words: Words = WORDS
    absurd: int = 50_000
    """How many times the floor of the same run a move may take, see ``promised.py``."""

    @cached_property
    def game(self) -> Game[Any, Any]:
        """The game itself. Raises OperatorError."""
        return load_game(self.key)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that the game speaks: it need not have all that the program has. English where it has none."""
        place = folder(self.key)
        return tuple(one for one in LANGUAGES if load_message_files(place, one)) or (FALLBACK,)

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + (QUICK if self.quick else FULL))

    def build_options(self, pace: str) -> Any:
        """Build the options of a match of this pace. Raises ConfigError for settings that the game has not."""
        return build_dataclass(self.game.options, {**self.settings, "pace": pace}, "options")

    def build_context(self, seed: int) -> Context:
        return build_check_context(seed, self.words, self.game.seeded_rounds)

    @cached_property
    def matches(self) -> tuple[SampleMatch, ...]:
        """The matches, so many of each pace, played once for all checks."""
        paces = self.game.paces
        return tuple(play_sample_match(self, pace, seed, STEPS[self.quick]) for pace in paces for seed in self.seeds)

    def iter_positions(self, of_match: int = 4) -> Iterator[tuple[SampleMatch, int, State[Any]]]:
        """Yield (match, number of calls, state) of some moments of each match in which somebody is to move."""
        for match in self.matches:
            yield from ((match, n, state) for n, state in match.list_moments(of_match))


def deal_sample_match(subject: GameSubject, pace: str, seed: int) -> SampleMatch:
    """Deal a match of as many seats as chance has it."""
    game, dice = subject.game, random.Random(seed)
    seats = dice.randint(game.min_seats, min(game.max_seats, max(MOST_SEATS, game.min_seats)))
    options, ctx = subject.build_options(pace), subject.build_context(seed)
    return SampleMatch(game, options, seats, seed, ctx, game.setup(seats, options, ctx))


def play_sample_match(subject: GameSubject, pace: str, seed: int, steps: int) -> SampleMatch:
    """Play a match with so many calls, or to its end: one of the legal moves each time, and now and then none."""
    match = deal_sample_match(subject, pace, seed)
    going = RandomPlay(match, random.Random(f"{pace} {seed}"))
    while not going.state.over and sum(call.seat is None or pace != "rounds" for call in match.calls) < steps:
        getattr(going, pace)()
    return match


class RandomPlay:
    """The way in which a random match goes on, in each pace."""

    def __init__(self, match: SampleMatch, dice: random.Random) -> None:
        self.match, self.game, self.dice = match, match.game, dice
        self.state = match.first.state

    def record_call(self, name: str, seat: int | None, move: Any, step: Step[Any], promised: int | None = None) -> None:
        self.match.calls.append(GameCall(name, seat, move, self.state, step, promised))
        self.state = step.state

    def play_turn(self, seat: int) -> None:
        legal = self.match.list_legal_moves(self.state, seat)
        if legal and self.dice.random() < 0.9:
            move, points = self.dice.choice(legal)
            try:
                self.record_call(
                    "apply_move", seat, move, self.game.apply_move(self.state, seat, move, self.match.ctx), points
                )
                return
            except PlayerError as error:
                self.match.refused.append((self.state, seat, move, error))
        self.record_call("pass_turn", seat, None, self.game.pass_turn(self.state, seat, self.match.ctx))

    def sequential(self) -> None:
        self.play_turn(self.state.to_move[0])

    def race(self) -> None:
        self.play_turn(self.dice.choice(self.state.to_move))

    def rounds(self) -> None:
        for seat in self.state.to_move:
            if seat in self.state.to_move:
                self.play_turn(seat)
        if is_evaluated(self.game, self.state):
            self.record_call("close_round", None, None, self.game.close_round(self.state, self.match.ctx))

    def common(self) -> None:
        choices: dict[int, Any] = {}
        for seat in self.state.to_move:
            legal = self.match.list_legal_moves(self.state, seat)
            choices[seat] = self.dice.choice(legal)[0] if legal and self.dice.random() < 0.9 else None
        self.record_call("evaluate_round", None, choices, self.game.evaluate_round(self.state, choices, self.match.ctx))


def repeat_call(game: Game[Any, Any], call: GameCall, state: State[Any], ctx: Context) -> Step[Any]:
    """Make the same call on a state."""
    seat = call.seat or 0
    if call.name == "apply_move":
        return game.apply_move(state, seat, call.move, ctx)
    if call.name == "pass_turn":
        return game.pass_turn(state, seat, ctx)
    return game.evaluate_round(state, call.move, ctx) if call.name == "evaluate_round" else game.close_round(state, ctx)


def iter_sample_moves(match: SampleMatch, state: State[Any], most: int = 40) -> Iterator[tuple[int, Any, int]]:
    """Yield (seat, move, points) of all that each seat to move could do, at most so many of each seat."""
    for seat in state.to_move:
        legal = match.list_legal_moves(state, seat)
        for move, points in sample_in_order(legal, most, random.Random(f"{match.seed} {seat}")):
            yield seat, move, points


def sample_in_order(values: Sequence[T], most: int, dice: random.Random) -> list[T]:
    """Return at most so many of the values, in order. By chance: every second or fourth one would always be the same
    seat's turn, or the same end of the table."""
    return [values[at] for at in sorted(dice.sample(range(len(values)), min(most, len(values))))]


def with_seat_to_move(state: State[Any], seat: int) -> State[Any]:
    """Return the state as if it were the turn of this seat."""
    return state if seat in state.to_move else replace(state, to_move=(seat,))


LONG = 400
"""Letters of a value that are printed."""


def format_in_one_line(value: object) -> str:
    """Return a value on one line."""
    text = str(value) if isinstance(value, str | ModeratorError) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= LONG else f"{text[: LONG // 2]} … {text[-LONG // 2 :]}"
