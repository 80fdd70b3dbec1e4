"""Two worlds that differ in nothing but tiles that a reader cannot see are told alike to that reader.

A move is played in both. As long as what anybody at the table can count is the same in both (whose turn it is, scores,
how many tiles lie where, what the reader holds, which tiles lie on the table, and what kind of things happened by
themselves), all that the reader gets must be.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from moderator.conformance.finding import Finding, Found, Said, Unseen, difference, shown
from moderator.conformance.subject import Match, Subject
from moderator.errors import PlayerError
from moderator.match import turn_data
from moderator.match.contract import Conserving, Game, State, Step, View, view_for
from moderator.pages import boards
from moderator.paths import LANGUAGES

TRIES = 12
"""Other worlds that are tried for a position and a reader."""
LOOKED = 12
"""Moves of a position that are tried in both."""


@dataclass(frozen=True)
class Pair:
    """One move in two worlds."""

    match: Match
    calls: int
    """After which it is played."""
    seat: int
    move: Any
    reader: int | None
    ours: Step[Any]
    theirs: Step[Any]

    @property
    def where(self) -> str:
        who = "a spectator" if self.reader is None else f"seat {self.reader}"
        return f"apply(state, {self.seat}, {shown(self.move)}, ctx) after {self.match.at(self.calls)}, seen by {who}"

    def views(self) -> tuple[View[Any], View[Any]]:
        return view_for(self.ours.state, self.reader), view_for(self.theirs.state, self.reader)


def told(step: Step[Any], reader: int | None) -> tuple[Any, ...]:
    """What the reader is told of a move."""
    return tuple(note for note in (*step.notes, *step.after) if note.only in (None, reader))


def alike(game: Game[Any, Any], ours: Step[Any], theirs: Step[Any], reader: int | None) -> bool:
    """Whether anybody at the table would count the same in both. What happens by itself may turn up tiles: only
    ``on_table`` tells. At the end of a round hands are shown."""
    if ours.state.over or _counted(ours, reader) != _counted(theirs, reader):
        return False
    if not isinstance(game, Conserving):
        return not (ours.after or theirs.after)
    ended = bool(ours.after or theirs.after) and ours.state.past != theirs.state.past
    return not ended and sorted(game.on_table(ours.state.public)) == sorted(game.on_table(theirs.state.public))


def _counted(step: Step[Any], reader: int | None) -> Any:
    view = view_for(step.state, reader)
    own = () if len(step.state.hands) == 1 else view.hand
    codes = [(note.code, note.seat, note.points) for note in told(step, reader)]  # those in ``after``, too
    facts = (view.hand_counts, view.stock_count, view.scores, view.to_move, view.private)
    return own, codes, facts, step.state.public.round, step.points


def another(state: State[Any], reader: int | None, dice: random.Random) -> State[Any]:
    """A world in which some tiles that the reader cannot see have changed places; often the next one of the stock
    is among them, which a draw shows soonest."""
    lying = [[*hand] for hand in state.hands] + [[*state.stock]]
    places = [(p, n) for p, pile in enumerate(lying) if p != reader for n in range(len(pile))]
    chosen = dice.sample(places, min(len(places), dice.choice((2, 4, len(places)))))
    if (drawn := (len(lying) - 1, 0)) in places and drawn not in chosen and dice.random() < 0.5:
        chosen[0] = drawn
    tiles = [lying[p][n] for p, n in chosen]
    dice.shuffle(tiles)
    for (p, n), tile in zip(chosen, tiles, strict=True):
        lying[p][n] = tile
    return dataclasses.replace(state, hands=tuple(map(tuple, lying[:-1])), stock=tuple(lying[-1]))


def pairs(subject: Subject) -> tuple[Pair, ...]:
    """Of each position, for each reader, the first that is found; kept with the subject."""
    kept: tuple[Pair, ...] | None = vars(subject).get("_pairs")
    if kept is None:
        kept = vars(subject)["_pairs"] = tuple(_pairs(subject))
    return kept


def _pairs(subject: Subject) -> Iterator[Pair]:
    dice = random.Random(subject.seed)
    for match, number, state in subject.positions(3 if subject.quick else 8):
        if len(state.hands) == 1 or match.options.pace == "common":
            continue
        for reader in (*range(match.seats), None):
            if (found := _pair(match, number, state, reader, dice)) is not None:
                yield found


def _pair(match: Match, number: int, state: State[Any], reader: int | None, dice: random.Random) -> Pair | None:
    seat = state.to_move[0]
    legal = list(islice(match.game.moves(view_for(state, seat), match.ctx), 400))
    moves = [move for move, _ in dice.sample(legal, min(LOOKED, len(legal)))]
    for _ in range(TRIES):
        world = another(state, reader, dice)
        if world == state:
            continue
        for move in moves:
            try:
                ours = match.game.apply(state, seat, move, match.ctx)
                theirs = match.game.apply(world, seat, move, match.ctx)
            except PlayerError:
                continue
            if alike(match.game, ours, theirs, reader):
                return Pair(match, number, seat, move, reader, ours, theirs)
    return None


def _compared(subject: Subject, what: str, of: Callable[[Pair], tuple[Any, Any]]) -> Iterator[Found]:
    found = pairs(subject)
    if not found:
        yield Unseen("no two worlds were found that look alike")
        return
    for pair in found:
        ours, theirs = of(pair)
        if ours != theirs:
            yield Finding(pair.where, f"{what} tells hidden tiles: {difference(ours, theirs)}", pair.match.seed)
    yield Said(f"({len(found)} pairs of worlds)")


def views(subject: Subject) -> Iterator[Found]:
    """The public state."""

    def seen(pair: Pair) -> tuple[Any, Any]:
        ours, theirs = pair.views()
        return ours.public, theirs.public

    return _compared(subject, "State.public", seen)


def reports(subject: Subject) -> Iterator[Found]:
    """Notes, details and what is said of a situation."""

    def seen(pair: Pair) -> tuple[Any, Any]:
        steps, game = zip((pair.ours, pair.theirs), pair.views(), strict=True), pair.match.game
        ours, theirs = (
            (told(step, pair.reader), dict(step.detail), step.played, game.situation(view)) for step, view in steps
        )
        return ours, theirs

    return _compared(subject, "the report of a move", seen)


def pictures(subject: Subject) -> Iterator[Found]:
    """The picture, pixel by pixel."""

    def seen(pair: Pair) -> tuple[Any, Any]:
        ours, theirs = map(pair.match.game.scene, pair.views())
        return (True, True) if ours == theirs else (boards.svg(ours), boards.svg(theirs))

    return _compared(subject, "the picture", seen)


def words(subject: Subject) -> Iterator[Found]:
    """The board in words, for ears, and line by line."""

    def seen(pair: Pair) -> tuple[Any, Any]:
        ours, theirs = (
            tuple((boards.alt(scene, language), boards.lists(scene, language)) for language in LANGUAGES)
            for scene in map(pair.match.game.scene, pair.views())
        )
        return ours, theirs

    return _compared(subject, "the alt text", seen)


def turns(subject: Subject) -> Iterator[Found]:
    """The turn as data, and what the archive exports."""

    def seen(pair: Pair) -> tuple[Any, Any]:
        game = pair.match.game
        ours, theirs = (
            json.dumps([turn_data.table_of(game, view), game.export(view.public)], sort_keys=True)
            for view in pair.views()
        )
        return ours, theirs

    return _compared(subject, "the turn as data", seen)
