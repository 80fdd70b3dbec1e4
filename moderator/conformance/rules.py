"""The rules: pure, the same each time, true to what they promise."""

from __future__ import annotations

import copy
import dataclasses
import json
import typing
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from moderator.conformance.finding import Finding, Found, Skipped, difference, shown
from moderator.conformance.subject import Call, Match, Subject, again, dealt, moves_of
from moderator.errors import OperatorError, PlayerError
from moderator.match.contract import Adjudicable, Conserving, Grid, State, View, view_for
from moderator.match.invariants import tiles
from moderator.match.outcome import less_racks, stopped_scores
from moderator.match.record import listable
from moderator.match.seats import stop
from moderator.match.survey import Surveying
from moderator.match.table import Table


def declared(subject: Subject) -> Iterator[Found]:
    """What a game says of itself."""
    game, seats = subject.game, (subject.game.min_seats, subject.game.max_seats)
    if game.key != subject.key:
        yield Finding("key", f"it is registered as {subject.key!r} and calls itself {game.key!r}")
    if not 1 <= game.min_seats <= game.max_seats:
        yield Finding("min_seats, max_seats", f"they are {seats}")
    if not game.version:
        yield Finding("version", "it is empty")
    for name in ("pace", *(("policy", "unknown_words") if game.uses_words else ())):
        if name not in {field.name for field in dataclasses.fields(game.options)}:
            yield Finding("options", f"there is no option {name!r}")
            return
    for field in dataclasses.fields(game.options):
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            yield Finding("options", f"{field.name} has no default")
            return
    named = typing.get_args(typing.get_type_hints(game.options)["pace"])
    if not game.paces or not set(named) >= set(game.paces) or game.options().pace not in game.paces:
        yield Finding("paces", f"paces are {game.paces}, the option knows {named} and is {game.options().pace!r}")
        return
    try:
        game.setup(game.max_seats + 1, game.options(), subject.context(0))
    except OperatorError:
        return
    yield Finding(f"setup({game.max_seats + 1}, …)", "no OperatorError, though that many cannot play")


def replayed(subject: Subject) -> Iterator[Found]:
    """From the log, by notation, the same match comes out."""
    for match in subject.matches:
        game, ctx = match.game, subject.context(match.seed)
        state = game.setup(match.seats, match.options, ctx).state
        for number, call in enumerate(match.calls):
            if call.name == "apply":
                move = game.parse(game.format(call.move), view_for(state, call.seat))
                call = dataclasses.replace(call, move=move)
            step = again(game, call, state, ctx)
            if step != match.calls[number].step:
                what = difference(match.calls[number].step, step)
                yield Finding(f"{call.shown()} after {match.at(number)}", f"replayed: {what}", match.seed)
                break
            state = step.state


def pure(subject: Subject) -> Iterator[Found]:
    """Arguments are left as they are, and the same question has the same answer."""
    for match in subject.matches:
        yield from _played_anew(subject, match)
    for match, number, state in subject.positions():
        kept = copy.deepcopy(state)
        for call in _questions(match, state):
            answers = [again(match.game, call, state, match.ctx) for _ in range(2)]
            where = f"{call.shown()} after {match.at(number)}"
            if state != kept:
                yield Finding(where, f"it changed its state: {difference(kept, state)}", match.seed)
                return
            if answers[0] != answers[1]:
                yield Finding(where, f"asked twice: {difference(answers[0], answers[1])}", match.seed)
                return
        yield from _views_are_pure(match, number, state, kept)


def _played_anew(subject: Subject, match: Match) -> Iterator[Found]:
    """From a deal that nothing was played on yet: what a call leaves in states that the match has shared since its
    deal is there already wherever else it is looked for."""
    game, ctx = match.game, subject.context(match.seed)
    state = game.setup(match.seats, match.options, ctx).state
    for number, call in enumerate(match.calls):
        kept = copy.deepcopy(state)
        step = again(game, call, state, ctx)
        if state != kept:
            what = f"it changed its state: {difference(kept, state)}"
            yield Finding(f"{call.shown()} after {match.at(number)}", what, match.seed)
            return
        state = step.state


def _questions(match: Match, state: State[Any]) -> Iterator[Call]:
    nothing: Any = None
    if match.options.pace == "common":
        choices = {seat: move for seat, move, _ in moves_of(match, state, 2)}
        yield Call("settle", None, choices, state, nothing)
        return
    for seat, move, _ in moves_of(match, state, 12):
        yield Call("apply", seat, move, state, nothing)
    for seat in state.to_move:
        yield Call("miss", seat, None, state, nothing)


def _views_are_pure(match: Match, number: int, state: State[Any], kept: State[Any]) -> Iterator[Found]:
    game = match.game
    for seat in state.to_move:
        view = view_for(state, seat)
        asked: dict[str, Callable[[], Any]] = {
            "moves(view, ctx)": partial(_listed, match, view),
            "scene(view)": partial(game.scene, view),
            "situation(view)": partial(game.situation, view),
            "export(public)": partial(game.export, view.public),
        }
        for name, ask in asked.items():
            first, second = ask(), ask()
            if first != second:
                yield Finding(
                    f"{name} after {match.at(number)}", f"asked twice: {difference(first, second)}", match.seed
                )
            if state != kept:
                what = f"it changed its state: {difference(kept, state)}"
                yield Finding(f"{name} after {match.at(number)}", what, match.seed)
                return


def _listed(match: Match, view: View[Any]) -> list[tuple[str, int]]:
    return [(match.game.format(move), points) for move, points in match.game.moves(view, match.ctx)]


def apart(subject: Subject) -> Iterator[Found]:
    """Matches know nothing of each other: played side by side they go as each alone."""
    before = copy.deepcopy(vars(subject.game))
    for one, two in zip(subject.matches, subject.matches[1:], strict=False):
        states = [one.first.state, two.first.state]
        dealt(subject, one.options.pace, one.seed), dealt(subject, two.options.pace, two.seed)
        for number in range(min(len(one.calls), len(two.calls))):
            for which, match in enumerate((one, two)):
                call = match.calls[number]
                step = again(match.game, call, states[which], match.ctx)
                if step != call.step:
                    told = f"beside another match: {difference(call.step, step)}"
                    yield Finding(f"{call.shown()} after {match.at(number)}", told, match.seed)
                    return
                states[which] = step.state
    if vars(subject.game) != before:
        yield Finding("vars(GAME)", f"something is kept on the game: {difference(before, vars(subject.game))}")


def conserved(subject: Subject) -> Iterator[Found]:
    """No tile is lost or made."""
    if not isinstance(subject.game, Conserving):
        yield Skipped("the game has no on_table, so it promises nothing")
        return
    for match in subject.matches:
        first = tiles(match.game, match.first.state)
        for number, call in enumerate(match.calls):
            now = tiles(match.game, call.step.state)
            if now != first and first is not None and now is not None:
                lost, made = dict(first - now), dict(now - first)
                told = f"missing: {lost or 'none'}, too many: {made or 'none'}"
                yield Finding(f"{call.shown()} after {match.at(number)}", told, match.seed)
                break


def legal(subject: Subject) -> Iterator[Found]:
    """``moves`` and ``apply`` agree."""
    for match in subject.matches:
        for _, seat, move, error in match.refused[:1]:
            told = f"moves lists it and apply refuses it: {error.code} {shown(error.params)}"
            yield Finding(f"apply(state, {seat}, {shown(move)}, ctx) in {match.at(0)} …", told, match.seed)
    for match, number, state in subject.positions():
        if match.options.pace == "common":
            continue
        for seat, move, _ in moves_of(match, state):
            try:
                match.game.apply(state, seat, move, match.ctx)
            except PlayerError as error:
                told = f"moves lists it and apply refuses it: {error.code} {shown(error.params)}"
                yield Finding(f"apply(state, {seat}, {shown(move)}, ctx) after {match.at(number)}", told, match.seed)
                return
    yield from _not_listed(subject)


def _not_listed(subject: Subject) -> Iterator[Found]:
    """A move of another moment that ``moves`` leaves out now is refused now. (What it always leaves out, a pass or an
    exchange, is listed nowhere. Of a game that cannot list all, nothing is said.)"""
    most = 6 if subject.quick else 12
    for match in subject.matches:
        if match.options.pace == "common":
            continue
        met = match.moments(most, "where a move comes from")
        other = {match.game.format(m): m for _, state in met for _, m, _ in moves_of(match, state, 30)}
        for number, state in match.moments(most, "where it is tried"):
            for seat in state.to_move[:1]:
                if not _complete(match, state, seat):
                    continue
                listed = {match.game.format(move) for move, _ in match.legal(state, seat)}
                for name in [name for name in other if name not in listed][:60]:
                    try:
                        match.game.apply(state, seat, other[name], match.ctx)
                    except PlayerError:
                        continue
                    where = f"apply(state, {seat}, {shown(other[name])}, ctx) after {match.at(number)}"
                    yield Finding(where, "apply plays what moves does not list", match.seed)
                    return


def _complete(match: Match, state: State[Any], seat: int) -> bool:
    """Whether the game says that it lists all there is."""
    view = view_for(state, seat)
    searched = match.game.survey(view, match.ctx)[1] if isinstance(match.game, Surveying) else "all"
    return listable(match.game, view) and searched != "some"


def promised(subject: Subject) -> Iterator[Found]:
    """A move scores what ``moves`` says, and the scores change by what was told."""
    for match, number, state in subject.positions():
        if match.options.pace == "common":
            continue
        for seat, move, points in moves_of(match, state):
            try:
                scored = match.game.apply(state, seat, move, match.ctx).points
            except PlayerError:
                continue
            if scored != points:
                where = f"apply(state, {seat}, {shown(move)}, ctx) after {match.at(number)}"
                yield Finding(where, f"moves promises {points} points, apply gives {scored}", match.seed)
                return


def scores(subject: Subject) -> Iterator[Found]:
    """Where all lay on one board, and where the end costs something, there are no single sums."""
    for match in subject.matches:
        for number, call in enumerate(match.calls):
            before, after = call.before, call.step.state
            if len(after.scores) != len(before.scores):
                yield Finding(f"{call.shown()} after {match.at(number)}", "the number of scores changed", match.seed)
                return
            if call.name == "settle" or (after.over and not match.game.seeded_rounds):
                continue
            notes = (*call.step.notes * (call.seat is None), *call.step.after)
            for seat in range(after.seats):
                then = sum(note.points for note in notes if note.seat == seat)
                told = then + (call.step.points if seat == call.seat else 0)
                came = after.scores[seat] - before.scores[seat]
                if told != came:
                    what = f"seat {seat} was told {told} points and its score changed by {came}"
                    yield Finding(f"{call.shown()} after {match.at(number)}", what, match.seed)
                    return


def exported(subject: Subject) -> Iterator[Found]:
    """What is written down is plain JSON, and drawings lie on their boards."""
    for match, number, state in subject.positions():
        game, where = match.game, match.at(number)
        plain: list[tuple[str, Any]] = [("export(public)", game.export(state.public))]
        steps = [match.first, *(call.step for call in match.calls[:number])]
        plain += [("detail", dict(step.detail)) for step in steps]
        plain += [(f"note {n.code}", dict(n.params)) for step in steps for n in (*step.notes, *step.after)]
        for name, value in plain:
            try:
                same = json.loads(json.dumps(value)) == value or name.startswith("note")
            except (TypeError, ValueError):
                same = False
            if not same:
                yield Finding(f"{name} after {where}", f"it is no plain JSON: {shown(value)}", match.seed)
                return
        scene = game.scene(view_for(state, None))
        if isinstance(scene, Grid) and (fault := _grid(scene)):
            yield Finding(f"scene(view) after {where}", fault, match.seed)
            return


def _grid(scene: Grid) -> str:
    places = Counter((cell.x, cell.y) for cell in scene.cells)
    if twice := [place for place, count in places.items() if count > 1]:
        return f"two cells lie at {twice[0]}"
    if beside := [(x, y) for x, y in places if not (0 <= x < len(scene.columns) and 0 <= y < len(scene.rows))]:
        return f"a cell lies at {beside[0]}, beside a board of {len(scene.columns)} by {len(scene.rows)}"
    for x0, y0, x1, y1 in scene.words:
        if not (0 <= x0 <= x1 < len(scene.columns) and 0 <= y0 <= y1 < len(scene.rows)):
            return f"a word is framed from {x0}, {y0} to {x1}, {y1}, beside the board"
    return ""


def situations(subject: Subject) -> Iterator[Found]:
    """What holds now is the same for all and counts nothing."""
    for match, number, state in subject.positions():
        said = match.game.situation(view_for(state, None))
        for seat in range(state.seats):
            mine = match.game.situation(view_for(state, seat))
            if mine != said:
                what = f"seat {seat} reads {shown(mine)}, others {shown(said)}"
                yield Finding(f"situation(view) after {match.at(number)}", what, match.seed)
                return
        for note in said:
            if note.only is not None or note.points:
                yield Finding(f"situation(view) after {match.at(number)}", f"{shown(note)} is no such note", match.seed)
                return


def broken_off(subject: Subject) -> Iterator[Found]:
    """A match that is broken off has a result."""
    if not isinstance(subject.game, Adjudicable):
        yield Skipped("the game has no rack_value; its moderator decides")
        return
    for match, number, state in subject.positions():
        here = Table(state, match.options.pace, 0)
        points, where = stopped_scores(match.game, here), f"rack_value(state, seat) after {match.at(number)}"
        if points is None:
            continue
        if any(left > score for left, score in zip(points, state.scores, strict=True)):
            yield Finding(where, f"scores {state.scores} become {points}: more than they were", match.seed)
            return
        if len(state.hands) > 1 and less_racks(match.game, stop(here).state) != points:
            yield Finding(where, "stopped, it is worth something else", match.seed)
            return
        bare = dataclasses.replace(state, hands=((),) * len(state.hands))
        if (left := less_racks(match.game, bare)) != state.scores:
            yield Finding(where, f"empty racks cost something: {state.scores} become {left}", match.seed)
            return
