"""Every registered game keeps the contract of ``moderator.match.contract.Game``.

Random legal matches are played from the deal; after each step everything that the contract promises is looked at.
A new game is tested by its line in the registry.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import random
import typing
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.errors import Illegal, OperatorError, PlayerError
from moderator.games import REGISTRY, load
from moderator.match.contract import Adjudicable, Context, Game, Grid, State, Step, Verdict, view_for
from moderator.match.invariants import tiles
from moderator.match.outcome import less_racks, stopped_scores
from moderator.match.seats import stop
from moderator.match.table import Table
from moderator.typed import build
from tests.every import for_every
from tests.slow import examples

TEXT = (
    "AB AH AN AU DA DU EI EN ER ES IN JA OB OH SO TU UM UR US WO ZU ÄH ART AST AUS BAR DAS DEN DER DES EIN EIS GUT HAT "
    "HUT IST LOS MUT NIE NOT NUN ODE OHR ORT RAT ROT RUF SEE SIE TAT TEE TOR TUN UHR UND VOR WAR WIE ABER ALLE AUTO "
    "BEIN BROT BUCH EINE ESEL GELD HAUS HERZ HUND KIND LAST MAUS MOND NASE NUSS REIS REST ROSE SEIN STEIN STERN STUR "
    "TANTE TASSE TEIL TIER UNTER WEIN ZEIT STEINE STERNE TANTEN SEINE EINEN ASTERN REISTEN TRISTEN"
)
LIST = TEXT.split()
STEPS = 24

TABLES = [(key, pace) for key in sorted(REGISTRY) for pace in load(key).paces]
table = pytest.mark.parametrize(("key", "pace"), TABLES)
seeds = given(seed=st.integers(0, 3 * examples(8, 4)))
few = settings(max_examples=examples(8, 4), deadline=None)


class SomeWords:
    def judge(self, word: str, base: str | None = None) -> Verdict:
        return Verdict(word, "accept" if word in LIST else "reject", "" if word in LIST else "unknown", "list")

    def playable(self, max_length: int) -> Sequence[str]:
        return sorted(word for word in LIST if len(word) <= max_length)


WORDS = SomeWords()


def context(seed: int) -> Context:
    """Shuffles depend on seed and label only, as the real ones do."""

    def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(random.Random(f"{seed}/{label}").sample(list(items), len(items)))

    return Context(WORDS, shuffle)


@dataclasses.dataclass
class Played:
    """One call to the game, with what went in and what came out."""

    call: str
    seat: int | None
    move: Any
    before: State[Any]
    step: Step[Any]
    promised: int | None = None


class Match:
    """A random match and everything that happened in it."""

    def __init__(self, key: str, pace: str, seed: int) -> None:
        self.game: Game[Any, Any] = load(key)
        self.dice = random.Random(seed)
        self.ctx = context(seed)
        self.options = build(self.game.options, {"pace": pace}, "options")
        self.seats = self.dice.randint(self.game.min_seats, min(self.game.max_seats, 4))
        self.state = self.game.setup(self.seats, self.options, self.ctx).state
        self.first = self.state
        self.played: list[Played] = []
        while not self.state.over and len(self.played) < STEPS:
            getattr(self, f"_{pace}")()

    def legal(self, seat: int) -> list[tuple[Any, int]]:
        """What the generator offers a seat now."""
        return list(self.game.moves(view_for(self.state, seat), self.ctx))

    def _note(self, call: str, seat: int | None, move: Any, step: Step[Any], promised: int | None = None) -> None:
        self.played.append(Played(call, seat, move, self.state, step, promised))
        self.state = step.state

    def _turn(self, seat: int) -> None:
        legal = self.legal(seat)
        if legal and self.dice.random() < 0.9:
            move, points = self.dice.choice(legal)
            self._note("apply", seat, move, self.game.apply(self.state, seat, move, self.ctx), points)
        else:
            self._note("miss", seat, None, self.game.miss(self.state, seat, self.ctx))

    def _sequential(self) -> None:
        self._turn(self.state.to_move[0])

    def _rounds(self) -> None:
        for seat in self.state.to_move:
            if not self.state.over:
                self._turn(seat)
        if not self.state.over:
            self._note("close_round", None, None, self.game.close_round(self.state, self.ctx))

    def _race(self) -> None:
        self._turn(self.dice.choice(self.state.to_move))

    def _common(self) -> None:
        choices: dict[int, Any] = {}
        for seat in self.state.to_move:
            legal = self.legal(seat)
            choices[seat] = self.dice.choice(legal)[0] if legal and self.dice.random() < 0.9 else None
        self._note("settle", None, choices, self.game.settle(self.state, choices, self.ctx))


a_match = cache(Match)
"""Each property looks at the same few matches, so that each is played once."""


@table
@seeds
@few
def test_tiles_are_conserved(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    if key == "presto":  # everybody lays a crossword of a whole rack, which is thrown together again
        assert tiles(match.game, match.first) is None
        return
    for played in match.played:
        assert tiles(match.game, played.step.state) == tiles(match.game, match.first) is not None


@table
@seeds
@few
def test_moves_keep_their_promise_and_their_notation(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    for state in (match.first, match.state):
        for seat in state.to_move:
            view = view_for(state, seat)
            for move, points in match.game.moves(view, match.ctx):
                assert match.game.parse(match.game.format(move), view) == move
                assert match.game.apply(state, seat, move, match.ctx).points == points
    for played in match.played:
        assert played.promised is None or played.step.points == played.promised


@table
@seeds
@few
def test_points_are_in_the_scores(key: str, pace: str, seed: int) -> None:
    for played in a_match(key, pace, seed).played:
        after, mover = played.step.state, played.seat
        assert len(after.scores) == len(played.before.scores)
        if mover is None or pace == "common" or (after.over and not load(key).seeded_rounds):
            continue  # where all are evaluated together, and where the end costs something, there are no single sums
        for seat in range(after.seats):
            then = sum(note.points for note in played.step.after if note.seat == seat)
            gained = played.step.points if seat == mover else 0
            assert after.scores[seat] - played.before.scores[seat] == gained + then


@table
@seeds
@few
def test_the_old_state_is_left_alone(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    for state in (match.first, match.state):
        kept = copy.deepcopy(state)
        for seat in state.to_move:
            for move, _ in list(match.game.moves(view_for(state, seat), match.ctx))[:20]:
                match.game.apply(state, seat, move, match.ctx)
            match.game.miss(state, seat, match.ctx)
        assert state == kept


@table
@seeds
@few
def test_the_same_moves_give_the_same_state(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    game, ctx = match.game, context(seed)
    state = game.setup(match.seats, match.options, ctx).state
    assert state == match.first
    for played in match.played:
        if played.call == "apply":
            seat = played.seat or 0
            move = game.parse(game.format(played.move), view_for(state, seat))
            step = game.apply(state, seat, move, ctx)
        elif played.call == "miss":
            step = game.miss(state, played.seat or 0, ctx)
        elif played.call == "settle":
            step = game.settle(state, played.move, ctx)
        else:
            step = game.close_round(state, ctx)
        assert step == played.step
        state = step.state


@table
@seeds
@few
def test_a_view_hides_what_others_hold(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    for state in (match.first, match.state):
        shared = len(state.hands) == 1
        for seat in range(state.seats):
            hidden = tuple(h if shared or s == seat else ("?",) * len(h) for s, h in enumerate(state.hands))
            secret = tuple(own if s == seat else "?" for s, own in enumerate(state.private))
            masked = dataclasses.replace(state, hands=hidden, stock=("?",) * len(state.stock), private=secret)
            assert view_for(masked, seat) == view_for(state, seat)
            assert view_for(state, seat).hand == state.hand(seat)
        if not shared:
            assert view_for(state, None).hand == ()
    for played in match.played:
        if len(played.before.hands) > 1:
            for note in played.step.notes:
                drawn = note.code.startswith("drew") and "tiles" in note.params
                assert not drawn or note.only == note.seat


@table
@seeds
@few
def test_it_can_be_drawn_and_exported(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    for state in (match.first, match.state):
        scene = match.game.scene(view_for(state, None))
        for seat in range(state.seats):
            # In a race everybody sees what is finished of their own.
            assert pace == "race" or match.game.scene(view_for(state, seat)) == scene
        if isinstance(scene, Grid):
            taken = [(cell.x, cell.y) for cell in scene.cells]
            assert len(set(taken)) == len(taken)
            assert all(0 <= x < len(scene.columns) and 0 <= y < len(scene.rows) for x, y in taken)
            assert all(0 <= v < len(scene.columns) for x0, _, x1, _ in scene.words for v in (x0, x1))
            assert all(0 <= v < len(scene.rows) for _, y0, _, y1 in scene.words for v in (y0, y1))
        public = match.game.export(state.public)
        assert json.loads(json.dumps(public)) == public
    for played in match.played:
        detail = dict(played.step.detail)
        assert json.loads(json.dumps(detail)) == detail
        for note in played.step.notes:
            json.dumps(dict(note.params))


@table
@seeds
@few
def test_what_holds_now_is_the_same_for_all(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    for state in (match.first, match.state):
        notes = match.game.situation(view_for(state, None))
        for seat in range(state.seats):
            assert match.game.situation(view_for(state, seat)) == notes
        for note in notes:
            json.dumps(dict(note.params))
            assert (note.only, note.points) == (None, 0)


@table
@seeds
@few
def test_there_are_winners_at_the_end_only(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    assert match.game.winners(match.first) == ()
    winners = match.game.winners(match.state)
    assert all(seat in range(match.seats) for seat in winners)
    if match.state.over:
        for seat in range(match.seats):
            with pytest.raises(Illegal):
                match.game.miss(match.state, seat, match.ctx)
    else:
        assert winners == ()


@table
@seeds
@few
def test_it_can_be_broken_off_at_any_time(key: str, pace: str, seed: int) -> None:
    match = a_match(key, pace, seed)
    for state in (match.first, match.state):
        here = Table(state, match.options.pace, 0)
        points = stopped_scores(match.game, here)
        assert points is not None
        assert all(left <= score for left, score in zip(points, state.scores, strict=True))
        if state.over or len(state.hands) == 1:
            assert points == state.scores
        else:
            assert less_racks(match.game, stop(here).state) == points
        bare = dataclasses.replace(state, hands=((),) * len(state.hands))
        assert less_racks(match.game, bare) == state.scores


@table
@given(text=st.text(max_size=40), seed=st.integers(0, 99))
@settings(max_examples=examples(60, 15), deadline=None)
def test_any_line_is_a_move_or_a_player_error(key: str, pace: str, text: str, seed: int) -> None:
    game = load(key)
    options = build(game.options, {"pace": pace}, "options")
    state = game.setup(game.min_seats, options, context(seed)).state
    view = view_for(state, state.to_move[0])
    try:
        move = game.parse(text, view)
    except PlayerError:
        return
    assert game.parse(game.format(move), view) == move


@for_every("key", sorted(REGISTRY))
def test_what_a_game_says_of_itself(key: str) -> None:
    game = load(key)
    assert game.key == key
    assert 1 <= game.min_seats <= game.max_seats
    assert game.paces
    assert game.version
    assert isinstance(game, Adjudicable)
    fields = {field.name: field for field in dataclasses.fields(game.options)}
    assert "pace" in fields
    assert build(game.options, {}, "options").pace in game.paces
    assert set(typing.get_args(typing.get_type_hints(game.options)["pace"])) >= set(game.paces)
    with pytest.raises(OperatorError):
        game.setup(game.max_seats + 1, build(game.options, {}, "options"), context(0))


def test_an_unknown_game_names_the_known_ones() -> None:
    with pytest.raises(OperatorError, match="topwords"):
        load("chess")
