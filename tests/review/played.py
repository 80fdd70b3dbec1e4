"""Matches of robots and of players who choose by chance, and what a review is made of: with a small dictionary."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest

from moderator.common.enums import Level, LogEntryKind
from moderator.common.typed import build_dataclass
from moderator.games import load_game
from moderator.games.domijongg.rules import DomiJongg
from moderator.games.dominos.rules import Dominos
from moderator.games.tridom.rules import Tridom
from moderator.review.review import ReviewMaterial, build_review_material
from moderator.rules import shuffling, table
from moderator.rules.game import Game, State
from moderator.rules.log import EngineResult
from moderator.rules.replay import LogEntry
from moderator.rules.robots.choose import choose_robot_move, survey_position
from moderator.rules.state import Context, Words
from moderator.rules.words import WordList
from tests.club.club import first_begins

TEXT = (
    "AB AH AN AU DA DU EI EN ER ES IN JA OB OH SO TU UM UR US WO ZU ART AST AUS BAR DAS DEN DER DES EIN EIS GUT HAT "
    "HUT IST LOS MUT NIE NOT NUN ODE OHR ORT RAT ROT RUF SEE SIE TAT TEE TOR TUN UHR UND VOR WAR WIE ABER ALLE "
    "BEIN BROT BUCH EINE ESEL GELD HAUS HERZ HUND KIND LAST MAUS MOND NASE NUSS REIS REST ROSE SEIN STEIN STERN "
    "TANTE TASSE TEIL TIER UNTER WEIN ZEIT STEINE STERNE TANTEN SEINE EINEN ASTERN REISTEN TRISTEN QI XI ABI YEN"
)
WORDS = WordList(TEXT.split())
Player = Literal["random", "greedy", "strong", "mixed"]
"""``greedy`` and ``strong`` are robots of the levels club and strong. In a mixed match the first seat is greedy, the
others play by chance."""
SEED = bytes(range(32))


@dataclass(frozen=True)
class Match:
    """A match that was played to its end."""

    game: Game[Any, Any]
    options: Any
    ctx: Context
    log: list[LogEntry]
    past: list[table.MatchState[Any]]
    results: list[EngineResult]

    @property
    def work(self) -> ReviewMaterial:
        return build_review_material(self.game, self.options, self.ctx, self.log, self.past, self.results, SEED)


def opened(key: str, seed: int, words: Words = WORDS, **options: Any) -> tuple[Game[Any, Any], Any, Context]:
    game = load_game(key)
    chosen = build_dataclass(game.options, first_begins(key) | options, "options")
    master = shuffling.derive_round_seed(SEED, seed)
    ctx = Context(
        words,
        shuffling.build_shuffle(shuffling.build_round_seeds(master) if game.seeded_rounds else master, (), "K7Q2"),
    )
    return game, chosen, ctx


def play(
    key: str,
    seed: int,
    *,
    count: int = 2,
    who: Player = "greedy",
    most: int = 400,
    late: float = 0.03,
    words: Words = WORDS,
    **options: Any,
) -> Match:
    """By players who are all alike; stopped after ``most`` entries. ``late``: how often a turn is missed."""
    game, chosen, ctx = opened(key, seed, words, **options)
    dice = random.Random(seed)
    now, _ = table.open_match_state(game, count, chosen, ctx)
    match = Match(game, chosen, ctx, [], [now], [])
    while not now.state.over:
        for entry in [LogEntry(LogEntryKind.STOP)] if len(match.log) >= most else list(_next(match, dice, who, late)):
            now, result = take_step(match, now, entry)
            match.log.append(replace(entry, outcome=result.to_json()))
            match.past.append(now)
            match.results.append(result)
    return match


def _next(match: Match, dice: random.Random, who: Player, late: float) -> Iterator[LogEntry]:
    now = match.past[-1]
    if not now.is_simultaneous:
        seat = dice.choice(now.state.to_move)
        text = "" if dice.random() < late else _move(match, now.state, seat, dice, who)
        yield LogEntry(LogEntryKind.MOVE if text else LogEntryKind.MISS, seat, text)
        return
    for seat in now.state.to_move:
        if text := "" if dice.random() < late else _move(match, now.state, seat, dice, who):
            yield LogEntry(LogEntryKind.ORDER, seat, text)
    yield LogEntry(LogEntryKind.EVALUATE)


def _move(match: Match, state: State[Any], seat: int, dice: random.Random, who: Player) -> str:
    if who != "random" and (who != "mixed" or seat == 0):
        return choose_robot_move(match.game, state, seat, match.ctx, Level.STRONG if who == "strong" else Level.CLUB)
    found = survey_position(match.game, replace(state, to_move=(seat,)), seat, match.ctx).found
    return dice.choice(found)[0] if found else match.game.pass_text


def take_step(match: Match, now: table.MatchState[Any], entry: LogEntry) -> tuple[table.MatchState[Any], EngineResult]:
    if entry.kind == LogEntryKind.STOP:
        return table.stop_in_state(now), EngineResult()
    if entry.kind == LogEntryKind.EVALUATE:
        return table.evaluate_in_state(match.game, now, match.ctx)
    assert entry.seat is not None
    if entry.kind == LogEntryKind.MISS:
        return table.miss_seat(match.game, now, entry.seat, match.ctx)
    return table.try_order(match.game, now, entry.seat, entry.text, match.ctx)


def positions(
    key: str, wanted: int, largest: int = 99, *, part: int = 0, parts: int = 1, **options: Any
) -> Iterator[tuple[Match, State[Any], int]]:
    """So many positions with a seat that is to move and has at most ``largest`` tiles, from matches of greedy and of
    random players; of every ``parts``-th pair of them."""
    found = 0
    for seed in (seed for seed in range(10_000) if seed // 2 % parts == part):
        match = play(key, seed, who="random" if seed % 2 else "greedy", most=60, **options)
        for now in match.past[::2]:
            for seat in now.state.to_move[:1]:
                if len(now.state.hand(seat)) > largest:
                    continue
                yield match, now.state, seat
                found += 1
                if found == wanted:
                    return
    raise AssertionError(f"{key} has only {found} positions")


@contextmanager
def little_thought() -> Iterator[None]:
    """Reviews play on a tenth as often as in earnest, for tests that are not about how well they think."""
    with pytest.MonkeyPatch.context() as patch:
        for cls in (Dominos, Tridom, DomiJongg):
            patch.setattr(cls, "effort", replace(cls.effort, reviewed=cls.effort.reviewed // 10))
        yield
