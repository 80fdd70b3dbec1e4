"""How a match ended: places, who left, the moves that were made."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.games import REGISTRY, load
from moderator.games.typdom.presto import GAME as PRESTO
from moderator.match import replay, robot, seats
from moderator.match.contract import Context, Game
from moderator.match.outcome import Outcome, less_racks, moves_made, outcome
from moderator.match.replay import Entry
from moderator.match.table import Table, open_table
from moderator.match.words import WordList
from moderator.states import EntryKind
from moderator.tournaments.field import finished
from moderator.typed import build
from tests.games import presto_table
from tests.match.toy import TOY

PACES = [(key, pace) for key in sorted(REGISTRY) for pace in load(key).paces]
SHORT = {"dominos": {"target": 30}, "tridom": {"target": 60}, "supertridom": {"target": 60}, "domijongg": {"games": 1}}
LIST = "AN DA DU EI ER ES IN SO UM ART DAS EIN EIS HUT NOT ORT ROT TEE TOR AUTO HAUS KIND NASE REST ROSE STEIN"
WORDS = WordList(LIST.split())
LONGEST = 150


class Match:
    """A match by log entries, each with its outcome."""

    def __init__(self, game: Game[Any, Any], count: int, seed: int = 0, **options: Any) -> None:
        def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
            return tuple(random.Random(f"{seed}/{label}").sample(list(items), len(items)))

        self.game = game
        self.ctx = Context(WORDS, shuffle)
        self.options = build(game.options, options, "options")
        self.table = open_table(game, count, self.options, self.ctx)[0]
        self.log: list[Entry] = []

    def enter(self, kind: EntryKind, seat: int | None = None, text: str = "") -> Match:
        """One more entry."""
        bare = Entry(kind, seat, text)
        if kind == "undo":
            self.log.append(bare)
            self.table = replay.rebuild(self.game, self.table.state.seats, self.options, self.ctx, None, self.log)[0]
        else:
            self.table, result = replay.step(self.game, self.table, bare, self.ctx)
            self.log.append(Entry(kind, seat, text, result.to_json()))
        return self

    def outcome(self, adjudicated: bool = False) -> Outcome:
        return outcome(self.game, self.table, self.log, adjudicated=adjudicated)


def toy(count: int = 3, **options: Any) -> Match:
    return Match(TOY, count, **options)


# ---- moves ----


def test_a_move_is_what_was_played() -> None:
    match = toy()
    match.enter("move", 0, "A1 HAUS")
    match.enter("move", 1, "A1 HAUS; A1 ROT")  # the fallback
    match.enter("move", 2, "A1 XX").enter("miss", 2)  # refused, then late
    match.enter("move", 0, "pass").enter("miss", 1).enter("move", 2, "A1 TOR")
    assert moves_made(3, match.log) == (2, 1, 1)


def test_what_was_undone_was_not_made() -> None:
    match = toy(2).enter("move", 0, "A1 HAUS").enter("move", 1, "A1 ROT").enter("move", 0, "A1 TOR")
    match.enter("undo", text="1")
    assert moves_made(2, match.log) == (1, 0)
    match.enter("undo", text="3")  # the undo undone
    assert moves_made(2, match.log) == (2, 1)


def test_the_moves_of_a_substitute_are_the_seats() -> None:
    match = toy(2).enter("move", 0, "A1 HAUS").enter("move", 1, "A1 ROT").enter("retire", 0)
    match.enter("hand-over", 0, "7").enter("move", 0, "A1 TOR")
    assert moves_made(2, match.log) == (2, 1)


@pytest.mark.parametrize("pace", ["rounds", "common"])
def test_in_a_round_each_seat_makes_its_own(pace: str) -> None:
    match = toy(pace=pace).enter("order", 0, "A1 HAUS").enter("order", 1, "A1 XX").enter("order", 2, "A1 ROT")
    match.enter("evaluate")
    assert moves_made(3, match.log) == (1, 0, 1)
    match.enter("order", 1, "A1 NASE").enter("withdraw", 1).enter("evaluate")
    assert moves_made(3, match.log) == (1, 0, 1)


# ---- the outcome ----


def test_ties_share_a_place_and_who_left_is_last() -> None:
    match = toy(4, pace="rounds").enter("order", 0, "A1 HAUS").enter("order", 1, "A1 ROT").enter("order", 2, "A1 TOR")
    match.enter("evaluate").enter("retire", 0).enter("stop")
    assert match.outcome() == Outcome((4, 3, 3, 0), (4, 3, 3, 0), (4, 1, 1, 3), (0,), (1, 1, 1, 0))
    both = toy(2).enter("retire", 0).enter("retire", 1).enter("stop")
    assert both.outcome().places == (2, 2)


def test_only_a_game_without_an_end_is_adjudicated() -> None:
    stopped = Match(load("kreuzwort"), 2).enter("move", 0, "kaufe rot").enter("stop")
    racks = less_racks(stopped.game, stopped.table.state)
    assert stopped.outcome().points == (0, 0)
    assert stopped.outcome(adjudicated=True).points == racks != (0, 0)
    assert stopped.outcome(adjudicated=True).scores == (0, 0)
    running = Match(load("kreuzwort"), 2).enter("move", 0, "kaufe rot")
    assert running.outcome(adjudicated=True) == stopped.outcome(adjudicated=True)
    ended = toy(2).enter("move", 0, "A1 STEIN").enter("move", 1, "pass").enter("move", 0, "A1 HAUS")
    ended.enter("move", 1, "pass").enter("move", 0, "A1 ROT")
    assert ended.table.state.over
    assert ended.outcome(adjudicated=True) == ended.outcome() == Outcome((12, 0), (12, 0), (1, 2), (), (3, 2))


def test_a_stop_that_was_undone_did_not_end_the_game() -> None:
    match = toy(2).enter("move", 0, "A1 STEIN").enter("stop").enter("undo", text="1").enter("move", 1, "A1 HAUS")
    match.enter("move", 0, "A1 NASE").enter("move", 1, "A1 REST").enter("move", 0, "A1 KIND")
    assert match.table.state.over
    assert match.outcome(adjudicated=True).points == (13, 8)


def test_the_moderator_says_what_no_formula_settles() -> None:
    match = toy(3).enter("move", 0, "A1 HAUS").enter("retire", 2).enter("stop")
    unsettled = match.outcome(adjudicated=True)
    assert (unsettled.points, unsettled.places) == (None, ())
    assert Outcome.from_json(json.loads(json.dumps(unsettled.to_json()))) == unsettled
    settled = unsettled.awarded([3, 5, 9])
    assert settled == Outcome((4, 0, 0), (3, 5, 9), (2, 1, 3), (2,), (1, 0, 0))
    with pytest.raises(ValueError, match="2 points for 3 seats"):
        unsettled.awarded([1, 2])


@given(
    points=st.lists(st.integers(-5, 5), min_size=1, max_size=6),
    leavers=st.sets(st.integers(0, 5)),
)
def test_places_are_those_of_tournaments(points: list[int], leavers: set[int]) -> None:
    out = tuple(sorted(seat for seat in leavers if seat < len(points)))
    found = Outcome((0,) * len(points), None, (), out, (0,) * len(points)).awarded(points)
    assert found.places == finished(points, out).places
    assert Outcome.from_json(json.loads(json.dumps(found.to_json()))) == found


# ---- whole matches ----


def a_turn(match: Match, dice: random.Random) -> None:
    """Robots play, now and then one is late."""
    state, table = match.table.state, match.table
    if table.together:
        for seat in state.to_move:
            if seat not in table.out and dice.random() < 0.9:
                match.enter("order", seat, robot.choose(match.game, state, seat, match.ctx))
        match.enter("evaluate")
        return
    seat = dice.choice(state.to_move)
    text = "" if seat in table.out or dice.random() < 0.1 else robot.choose(match.game, state, seat, match.ctx)
    if text:
        match.enter("move", seat, text)
        if match.log[-1].outcome["moves"][0]["alternative"]:
            return
    match.enter("miss", seat)


def whole_match(key: str, pace: str, seed: int) -> Match:
    """Of robots; in some a seat leaves, some are stopped. All are after LONGEST entries: a seat that left and could lay
    can keep a round of Tridom open."""
    dice, game = random.Random(seed), load(key)
    count = dice.randint(game.min_seats, min(game.max_seats, 4))
    match = Match(game, count, seed, pace=pace, **SHORT.get(key, {}))
    leaves, stops = dice.choice([0, 3, 8]), dice.choice([LONGEST, LONGEST, 12])
    while not match.table.state.over:
        a_turn(match, dice)
        if not match.table.state.over and len(match.log) > leaves > 0 and not match.table.out:
            match.enter("retire", dice.randrange(count))
        if not match.table.state.over and len(match.log) > stops:
            match.enter("stop")
    return match


def placed(found: Outcome, place: int) -> tuple[int, ...]:
    return tuple(seat for seat, one in enumerate(found.places) if one == place)


@pytest.mark.matrix("match")
@pytest.mark.parametrize(("key", "pace"), PACES)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=2, deadline=None)
def test_who_has_won_has_the_first_place(key: str, pace: str, seed: int) -> None:
    match = whole_match(key, pace, seed)
    found, table = match.outcome(), match.table
    won = seats.winners(match.game, table)
    assert found.points == found.scores == table.state.scores
    assert not won or won == placed(found, 1)
    assert set(table.out) <= set(placed(found, table.state.seats))
    assert sum(found.moves) == sum(
        move["played"] is not None for entry in match.log for move in entry.outcome.get("moves", ())
    )
    assert json.loads(json.dumps(found.to_json())) == found.to_json()
    assert Outcome.from_json(found.to_json()) == found
    check_adjudicated(match, table)


def test_the_winner_of_a_presto_match_has_the_first_place() -> None:
    match = presto_table.Match("AAEEECGHLMNTX", "EEIOGLNN", "AAEEUBDF", known="EXAMEN LAGE NACHT")
    match.send(0, "..L", "EXAMEN", "..G..A", "..E..C", ".....H", ".....T")
    match.send(1, "passe")
    table = Table(match.send(2, "passe").state, "race", 0)
    assert seats.winners(PRESTO, table) == (0,)
    assert outcome(PRESTO, table, ()).places == (1, 2, 2)


def check_adjudicated(match: Match, table: Table[Any]) -> None:
    judged = match.outcome(adjudicated=True)
    stopped = match.log[-1].kind == "stop"
    assert judged.points is not None
    assert judged.points == (less_racks(match.game, table.state) if stopped else table.state.scores)
    assert judged.places == finished(judged.points, table.out).places
